"""Ground contact: how deep heels, balls and toe tips go into a ground, and how they slide on it.

Depth is measured against where each point rests on a level floor: a heel on it, the ball joint and the tip of the toes
as much higher as the sole is thick there. A point that passes the upright edge of a step is inside it or outside from
one frame to the next; what happens within EDGE_S of that is told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.foot_points import BALL_UP, carried_soles
from footfall.core import rotation
from footfall.core.roles import SIDES
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.ground import Ground
from footfall.quality.slide import Slide, contact_steps, slide_of

if TYPE_CHECKING:
    from footfall.analysis.contacts import Contacts
    from footfall.core.clip import Clip

POINTS = ("heel", "ball", "tip")
EDGE_M, EDGE_S = 0.03, 0.03  # metres at once that make an edge; seconds about it that are told apart


class SolePoints(NamedTuple):
    """What carries heel, ball and tip of both feet, and how high they rest over the ground."""

    joints: np.ndarray  # (2, 3)
    local: np.ndarray  # (2, 3, 3) in the joints' frames
    rest: np.ndarray  # (3,) metres


class GroundContact(NamedTuple):
    """Depth and slide of a clip on a ground."""

    heel_cm: float  # deepest, away from edges
    ball_cm: float
    tip_cm: float
    edge_cm: float  # deepest of all within EDGE_S of an edge
    slide: Slide
    off_ground: int  # frames in which a foot stands where there is no ground

    @property
    def deepest_cm(self) -> float:
        return max(self.heel_cm, self.ball_cm, self.tip_cm)


def sole_points(clip: Clip, rest_m: float | None = None) -> SolePoints:
    """The soles of a clip on a level floor; rest_m: height of its ball joints over the sole."""
    ball = BALL_UP * clip.skeleton.leg_length if rest_m is None else rest_m
    return SolePoints(*carried_soles(clip), np.array([0.0, ball, ball]))


def sole_paths(clip: Clip, soles: SolePoints) -> np.ndarray:
    """(T, 2, 3, 3) heel, ball and tip of both feet."""
    places, turns = world_transforms_of(clip.skeleton, clip.pose, soles.joints.ravel().tolist())
    points = places + rotation.rotate(turns, soles.local.reshape(-1, 3))
    return np.asarray(points.reshape(clip.frames, 2, 3, 3))


def ground_contact(
    clip: Clip, ground: Ground, soles: SolePoints | None = None, contacts: Contacts | None = None
) -> GroundContact:
    """Measure a clip on a ground; soles and contacts as known from the clip it was made of, or found in it."""
    soles, contacts = soles or sole_points(clip), contacts or clip.contacts
    paths = sole_paths(clip, soles)
    near = paths[:, :, :, 1].min(axis=(1, 2))[:, None, None]
    under = ground.heights(paths[..., 0], paths[..., 2], near)  # (T, 2, 3)
    depth = under + soles.rest - paths[..., 1]
    depth = np.where(np.isnan(depth), 0.0, np.maximum(depth, 0.0))
    edge = _near_edges(under, clip.fps)
    away = 100.0 * np.where(edge, 0.0, depth).max(axis=(0, 1), initial=0.0)
    speeds, off = [], 0
    for foot, side in enumerate(SIDES):
        steps = np.diff(paths[:, foot, :2], axis=0)[..., [0, 2]]
        down = np.stack([getattr(contacts, f"{side}_heel"), getattr(contacts, f"{side}_toe")], axis=1)[: len(paths)]
        speeds += contact_steps(steps, down[1:] & down[:-1])
        off += int((np.isnan(under[:, foot, :2]) & down).any(axis=1).sum())
    heel, ball, tip = (float(x) for x in away)
    nearest = 100.0 * float(np.where(edge, depth, 0.0).max(initial=0.0))
    return GroundContact(heel, ball, tip, nearest, slide_of(speeds, clip.fps), off)


def _near_edges(under: np.ndarray, fps: float) -> np.ndarray:
    """(T, 2, 3) moments at which the ground under a point has just changed at once, or is about to."""
    from scipy.ndimage import maximum_filter1d

    jump = np.zeros(under.shape, bool)
    change = np.abs(np.diff(under, axis=0)) > EDGE_M
    jump[1:] |= change
    jump[:-1] |= change
    reach = int(np.ceil(EDGE_S * fps))
    return np.asarray(maximum_filter1d(jump.astype(np.uint8), 2 * reach + 1, axis=0, mode="nearest")).astype(bool)
