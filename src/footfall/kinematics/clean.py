"""Repair what is not motion: invented or stale first frames, root jumps, spikes and flips; each repair is reported.

The number of frames never changes: a wrong frame is replaced, not dropped, so that times, events and audio keep their
places. Only wrong frames change; every other one stays bit for bit, and a clip without faults comes back as the very
same object. What counts as wrong is stated in terms of acceleration (docs/cleaning.md), so a kick at 30 frames a
second is motion and the same step at 120 is not.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.clean_flips import repair_flips
from footfall.kinematics.clean_jumps import repair_jumps
from footfall.kinematics.clean_root import repair_root
from footfall.kinematics.clean_spikes import repair_spikes
from footfall.kinematics.clean_start import repair_start
from footfall.kinematics.clean_steps import big_steps, step_limit

PASSES = 8  # a repair can lay bare another glitch beside it; in practice two passes settle


JOINT_REPAIRS = {
    "spikes": repair_spikes,  # one joint turned away for a few frames
    "flips": repair_flips,  # one joint turned by half a turn for longer, or from some frame on
    "jumps": repair_jumps,  # one joint that jumps and stays
}
# the first are false first frames (an invented T-pose, a pose left over), and the whole body elsewhere for a moment
KINDS = ("start", "root", *JOINT_REPAIRS)


def clean(
    skeleton: Skeleton, fps: float, pose: Pose, kinds: Collection[str] = KINDS, largest_step: float | None = None
) -> tuple[Pose, tuple[str, ...]]:
    """Repaired poses and one sentence per repair; the very same pose object when nothing was wrong.

    kinds: of glitch to repair, of KINDS.
    largest_step: radians by which a joint turns from a frame to the next at most, if known; it spares looking.
    """
    given = pose
    told: list[str] = []
    if len(pose.root_pos) < 4:
        return pose, ()
    if "start" in kinds:
        pose = repair_start(skeleton, fps, pose, told)
    if "root" in kinds:
        pose = repair_root(skeleton, fps, pose, told)
    if pose.rot is given.rot and largest_step is not None and largest_step < step_limit(fps) - 1e-6:
        return pose, tuple(told)
    rot: np.ndarray | None = None
    for joint in big_steps(pose.rot, fps).tolist():
        q, found = _repaired_joint(np.ascontiguousarray(pose.rot[:, joint]), fps, kinds)
        if found:
            rot = pose.rot.copy() if rot is None else rot
            rot[:, joint] = q
            told += [f"{skeleton.names[joint]}: {what}" for what in found]
    return (pose if rot is None else pose._replace(rot=rot)), tuple(told)


def _repaired_joint(q: np.ndarray, fps: float, kinds: Collection[str]) -> tuple[np.ndarray, list[str]]:
    """One joint's rotations (T, 4) after every kind of repair, repeated until nothing more is found."""
    told: list[str] = []
    for _ in range(PASSES):
        before = len(told)
        for repair in (JOINT_REPAIRS[kind] for kind in JOINT_REPAIRS if kind in kinds):
            q, found = repair(q, fps)
            told += found
        if len(told) == before:
            break
    return q, told
