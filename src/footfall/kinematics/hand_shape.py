"""A simple hand for skeletons without fingers: a flat palm, half-closed fingers and a thumb, and which way they point.

A resting thumb lies on the side an elbow bends to: with palms down in a T-pose, ahead. So the bend of the elbows over a
motion tells which side of a wrist its thumb is on, whatever the axes of the skeleton are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation

STRAIGHT = 0.02  # upper-arm lengths that an elbow bends at most, on average, and counts as never bent: by eye


class HandPart(NamedTuple):
    """A round piece; places are shares of body height along the hand, to its thumb's side and out of its palm."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radii: tuple[float, float]


# After the breadths and lengths of an average hand (Winter 2009, chapter 4); the curl of the fingers is by eye.
HAND = (
    HandPart((0.004, 0.004, 0.0), (0.045, 0.011, 0.001), (0.0125, 0.0115)),  # palm, the side of the thumb
    HandPart((0.004, -0.004, 0.0), (0.043, -0.011, 0.001), (0.0125, 0.0110)),  # palm, the other side
    HandPart((0.045, 0.010, 0.001), (0.083, 0.008, 0.016), (0.0110, 0.0085)),  # two fingers
    HandPart((0.043, -0.010, 0.001), (0.078, -0.010, 0.018), (0.0105, 0.0080)),  # two more
    HandPart((0.012, 0.012, 0.003), (0.034, 0.026, 0.010), (0.0095, 0.0080)),  # thumb
    HandPart((0.034, 0.026, 0.010), (0.056, 0.029, 0.014), (0.0080, 0.0065)),
)


def hand_axes(arm: np.ndarray, turn: np.ndarray, along: np.ndarray, ahead: np.ndarray, left: bool) -> np.ndarray:
    """(3, 3) rows in the wrist's frame: along the hand, to the thumb, out of the palm.

    arm (T, 3, 3): shoulder, elbow and wrist over a motion; turn (T, 4): the wrist's world rotation; along (3,): where
    the hand points, in its frame; ahead (T, 3): where the body faces, for arms that never bend.
    """
    size = float(np.linalg.norm(along))
    along = along / size if size > 1e-9 else np.array([1.0, 0.0, 0.0])  # a hand of no length points anywhere
    upper, lower = arm[:, 0] - arm[:, 1], rotation.unit(arm[:, 2] - arm[:, 1])
    bend = upper - (upper * lower).sum(axis=-1, keepdims=True) * lower
    length = float(np.linalg.norm(upper, axis=-1).mean())
    back = rotation.conjugate(turn)
    thumb = _across(rotation.rotate(back, bend).mean(axis=0), along)
    if np.linalg.norm(thumb) <= STRAIGHT * length:
        thumb = _across(rotation.rotate(back, ahead).mean(axis=0), along)
    if np.linalg.norm(thumb) < 1e-6:  # the body faces along its arm: any side will do
        thumb = _across(np.eye(3)[int(np.argmin(np.abs(along)))], along)
    thumb = thumb / np.linalg.norm(thumb)
    palm = np.cross(along, thumb) * (1.0 if left else -1.0)
    return np.stack([along, thumb, palm])


def _across(v: np.ndarray, axis: np.ndarray) -> np.ndarray:
    return np.asarray(v - (v @ axis) * axis)
