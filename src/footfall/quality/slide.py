"""Slide: how fast and how far feet move over the floor while they support the body.

A detected contact begins before the foot is quite at rest and ends after it has begun to lift; the first and last 15 %
of each contact are landing and lifting, not support, and are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.contacts import Contacts, runs
from footfall.analysis.floor import foot_points

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LANDING = 0.15  # share of a contact, at either end, in which the foot lands or lifts: by eye


class Slide(NamedTuple):
    """Horizontal motion of the contact point: heel or toe, whichever is down."""

    mean_cm_s: float
    p95_cm_s: float
    drift_cm: float  # from the beginning of a support to its end, mean over contacts
    contacts: int


def slide(clip: Clip, contacts: Contacts | None = None) -> Slide:
    """Slide over every contact of the clip, or over contacts known from elsewhere; zeros where no foot is down."""
    if clip.frames < 2:
        return Slide(0.0, 0.0, 0.0, 0)
    contacts = contacts or clip.contacts
    points = foot_points(clip)
    carried: list[np.ndarray] = []
    for foot, side in enumerate(("left", "right")):
        steps = np.diff(points.sole[:, foot, :2], axis=0)[..., [0, 2]]  # (T-1, heel and ball of the sole, 2)
        down = np.stack([getattr(contacts, f"{side}_heel"), getattr(contacts, f"{side}_toe")], axis=1)
        carried += contact_steps(steps, down[1:] & down[:-1])
    return slide_of(carried, clip.fps)


def slide_of(carried: list[np.ndarray], fps: float) -> Slide:
    """Slide over contacts, each the supporting point's steps (N, 2) in metres a frame."""
    if not carried:
        return Slide(0.0, 0.0, 0.0, 0)
    every = np.concatenate([np.linalg.norm(step, axis=-1) * fps * 100.0 for step in carried])
    drifts = [np.linalg.norm(step.sum(axis=0)) * 100.0 for step in carried]
    return Slide(float(every.mean()), float(np.quantile(every, 0.95)), float(np.mean(drifts)), len(drifts))


def contact_steps(steps: np.ndarray, down: np.ndarray) -> list[np.ndarray]:
    """For each contact, the supporting point's steps (N, 2); of two points down, the slower carries the foot."""
    length = np.where(down, np.linalg.norm(steps, axis=-1), np.inf)
    carried = np.take_along_axis(steps, length.argmin(axis=1)[:, None, None], axis=1)[:, 0]
    found = []
    for start, stop in runs(np.asarray(down.any(axis=1))):
        edge = round(LANDING * (stop - start))
        begin = start + edge if start > 0 else start  # a contact cut by the clip's own ends is not landing there
        end = stop - edge if stop < len(down) else stop
        found.append(carried[begin:end])
    return found
