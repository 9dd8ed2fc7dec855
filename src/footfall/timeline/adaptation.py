"""Adaptation: the next clip stands on the previous one's footprints, its pelvis moved with them (Oshita 2008, eq. 2).

P_root = root_x (P_rfoot - P_lfoot) + root_z V_body, horizontal, from the base foot: the pelvis keeps its place in the
frame that the line between the feet and the body's orientation span. That frame is singular when the feet stand in line
along the orientation; so it is solved with a ridge, the pelvis stays over the feet, and feet nearly in line shift it
by the mean of their own shifts.
"""

from __future__ import annotations

import numpy as np

from footfall.core.easing import gentle
from footfall.feet.limits import PRINTS_IN_LINE_M, PRINTS_OVER_M, PRINTS_RIDGE_M
from footfall.feet.step_plan import NEVER, JoinEnds, StepPlan

FLOOR = np.array([1.0, 0.0, 1.0])


def pelvis_over_feet(ends: JoinEnds, plan: StepPlan, count: int) -> np.ndarray:
    """(count, 3) how far the next clip's pelvis moves in the frames after the departure: over the footprints it starts
    on (eq. 2), and back to its own place as the feet go to theirs."""
    feet = plan.placement.points(ends.new.ball[ends.enter])  # (2, 3) left, right: where the clip has them
    heading = ends.new.heading[ends.enter] + plan.placement.turn
    body = np.array([np.sin(heading), 0.0, np.cos(heading)])
    root, prints = plan.placement.points(ends.new.root[ends.enter]), _prints(ends, plan)
    move = moved_root(root, feet, prints, body) - moved_root(root, feet, feet, body)  # the ridge alone moves nothing
    k = np.arange(1, count + 1)
    left = [1.0 - gentle((k - t.lift) / max(t.land - t.lift, 1)) * (t.land < NEVER) for t in plan.feet]
    return np.mean(left, axis=0)[:, None] * move


def _prints(ends: JoinEnds, plan: StepPlan) -> np.ndarray:
    """(2, 3) the footprints that the next clip starts on."""
    last = [min(max(t.lift, 0), max(t.old_last, 0)) for t in plan.feet]  # frames after the departure
    return np.stack([ends.old.ball[min(ends.leave + last[i], len(ends.old.ball) - 1), i] for i in (0, 1)])


def moved_root(root: np.ndarray, feet: np.ndarray, moved: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Floor position (..., 3) of the pelvis over moved feet: root (..., 3), feet and moved (..., 2, 3) left and right,
    body (..., 3) the unit vector of its orientation (eq. 2)."""
    root, feet, moved = root * FLOOR, feet * FLOOR, moved * FLOOR
    across, across_moved = feet[..., 1, :] - feet[..., 0, :], moved[..., 1, :] - moved[..., 0, :]
    base = feet[..., 0, :]
    x, z = _coordinates(root - base, across, body)
    placed = moved[..., 0, :] + x * across_moved + z * body
    placed = _over_segment(placed, moved, root - _nearest(root, feet))
    mean = root + (moved - feet).mean(axis=-2)
    apart = np.minimum(_beside(across, body), _beside(across_moved, body))
    sure = np.clip(apart / PRINTS_IN_LINE_M - 1.0, 0.0, 1.0)
    return mean + sure * (placed - mean)


def _coordinates(p: np.ndarray, across: np.ndarray, body: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(root_x, root_z) with p = root_x across + root_z body in the sense of least squares with a ridge, (..., 1)."""
    aa, ab, bb = ((u * v).sum(axis=-1, keepdims=True) for u, v in ((across, across), (across, body), (body, body)))
    pa, pb = ((p * v).sum(axis=-1, keepdims=True) for v in (across, body))
    aa = aa + PRINTS_RIDGE_M**2
    bottom = aa * bb - ab * ab
    return (pa * bb - pb * ab) / bottom, (pb * aa - pa * ab) / bottom


def _beside(across: np.ndarray, body: np.ndarray) -> np.ndarray:
    """(..., 1) metres the feet stand beside each other, seen along the body's orientation."""
    return np.abs(across[..., 0] * body[..., 2] - across[..., 2] * body[..., 0])[..., None]


def _nearest(p: np.ndarray, feet: np.ndarray) -> np.ndarray:
    """The point of the segment between the feet nearest to p."""
    a, line = feet[..., 0, :], feet[..., 1, :] - feet[..., 0, :]
    square = np.maximum((line * line).sum(axis=-1, keepdims=True), 1e-12)
    return a + np.clip(((p - a) * line).sum(axis=-1, keepdims=True) / square, 0.0, 1.0) * line


def _over_segment(p: np.ndarray, feet: np.ndarray, own: np.ndarray) -> np.ndarray:
    """p no farther from the feet's segment than 0.1 m, or than it was (own (..., 3)) before the feet moved."""
    nearest = _nearest(p, feet)
    out = p - nearest
    far = np.linalg.norm(out, axis=-1, keepdims=True)
    most = np.maximum(PRINTS_OVER_M, np.linalg.norm(own, axis=-1, keepdims=True))
    return nearest + out * np.minimum(1.0, most / np.maximum(far, 1e-9))
