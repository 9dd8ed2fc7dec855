"""First frames that are not part of the take: an invented T-pose, or a pose left over from another moment."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.clean_steps import edge_frames, step_limit

LEAST = np.radians(8.0)  # root mean square over the joints
TIMES = 6.0  # the jump into the take against the median step after it
TIMES_REST = 3.0  # less is needed when the frame is the rest pose itself


def repair_start(skeleton: Skeleton, fps: float, pose: Pose, told: list[str]) -> Pose:
    """Poses with the false first frames replaced by the take's first true motion carried backwards."""
    edge, frames = edge_frames(fps), len(pose.root_pos)
    look = min(frames, edge + 2 + round(0.25 * fps))
    first = pose.rot[:look]
    dots = np.abs((first[1:] * first[:-1]).sum(axis=-1))  # (look - 1, J)
    angles = 2.0 * np.arccos(np.minimum(dots, 1.0))
    jumps = np.sqrt((angles**2).mean(axis=-1))  # (look - 1,)
    usual = float(np.median(jumps[min(edge, len(jumps) // 2) :]))
    false = 0
    for t in range(min(edge, frames - 3)):
        many = (angles[t] > np.radians(15.0)).sum() >= min(4, max(2, len(skeleton) // 4))
        if many and jumps[t] > LEAST:
            factor = TIMES_REST if _is_rest(skeleton, pose.rot[t]) else TIMES
            false = t + 1 if jumps[t] > factor * usual else false
    if not false:
        return pose
    invented = all(_is_rest(skeleton, pose.rot[t]) for t in range(false))
    kind = "an invented T-pose" if invented else "not part of the take"
    size = np.degrees(angles[false - 1].max())
    which = "frame 0 is" if false == 1 else f"frames 0 to {false - 1} are"
    told.append(f"whole body: {which} {kind} ({size:.0f}° from frame {false}); frame {false} on was carried backwards")
    return _carried_back(pose, false, fps)


def _is_rest(skeleton: Skeleton, rot: np.ndarray) -> bool:
    """Is this pose (J, 4) the rest pose, but for where the root faces and some joints set straight by hand?"""
    if len(skeleton) < 3:
        return False
    off = 2.0 * np.arccos(np.minimum(np.abs((rot[1:] * skeleton.rest[1:]).sum(axis=-1)), 1.0))
    return bool((off < np.radians(2.0)).mean() > 0.7 and off.max() < np.radians(30.0))


def _carried_back(pose: Pose, good: int, fps: float) -> Pose:
    """Frames before `good` made by going on backwards at its speed."""
    root_pos, rot = pose.root_pos.copy(), pose.rot.copy()
    back = np.arange(good, 0, -1.0)  # how many frames before the good one
    root_pos[:good] = root_pos[good] - back[:, None] * (root_pos[good + 1] - root_pos[good])
    rot[:good] = backwards(rot[good], rot[good + 1], back, fps)
    pos = pose.pos
    if pos is not None:
        pos = pos.copy()
        pos[:good] = pos[good] - back[:, None, None] * (pos[good + 1] - pos[good])
    return Pose(root_pos, rot, pos)


def backwards(here: np.ndarray, after: np.ndarray, back: np.ndarray, fps: float) -> np.ndarray:
    """Rotations `back` (N,) frames before `here` (..., 4) at the speed of the step to `after`: (N, ..., 4).

    A step that is itself too large to be motion is taken as standing still.
    """
    speed = rotation.log(rotation.multiply(rotation.conjugate(here), after))  # (..., 3)
    size = np.sqrt((speed**2).sum(axis=-1, keepdims=True))
    speed = np.where(size > 0.5 * step_limit(fps), 0.0, speed)
    steps_back = back.reshape((-1,) + (1,) * here.ndim)
    turned = rotation.multiply(here, rotation.exp(-steps_back * speed))
    return rotation.nearest_sign(turned, here)
