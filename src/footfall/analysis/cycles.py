"""Cycles: gait cycles inside a recording, with their speed and turn, and whether a clip is itself a loop.

A cycle runs from a strike of one foot to its next, with one strike of the other foot between. Its parameters are those
of its own arc (`analysis.arc`); all cycles of a take are fitted at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.arc import at_times, fit_heading, fit_path, floor_plane, strike_times
from footfall.analysis.base_foot import joint_paths
from footfall.core import rotation
from footfall.core.roles import ARM, LEG, SIDES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.analysis.key_times import KeyTime
    from footfall.core.clip import Clip
    from footfall.core.skeleton import Skeleton

SAMPLES = 64  # of each cycle's path
# The limits below were set by eye.
STEADY = 0.15  # change of speed from the cycle's start to its end, of its own speed
ABOUT_S = 0.1  # speed there is taken over this long before and after
STROLL_M_S = 0.1  # changes of speed below this are sway
APART = 0.2  # of a stride: the other foot's strike is at least this far from either end
SHORTEST_S, LONGEST_S = 0.25, 3.0  # a stride quicker or slower than these is none
CLOSE_DEG, CLOSE_LEG = 5.0, 0.02  # a loop's ends differ by less: any joint, and the pelvis's height over the leg
KINK = 3.0  # and in velocity by at most this many times what it changes by from frame to frame inside the clip
STILL_DEG_S, STILL_M_S = 20.0, 0.05  # changes of velocity that are always allowed


@dataclass(frozen=True)
class Cycle:
    """One stride, strike to strike of the same foot."""

    start_s: float
    end_s: float
    start_foot: str  # "left" or "right"
    steps: int
    speed: float  # m/s forward, as the body faces
    side: float  # m/s to the left
    turn: float  # rad/s, positive to the left
    closing_error_deg: float  # largest difference of a joint between the cycle's ends, turned to the same heading
    speed_change: float  # of the pelvis's speed from the cycle's start to its end, over the cycle's own
    is_steady: bool

    @property
    def travel(self) -> float:
        """m/s over the floor, whichever way the body faces."""
        return float(np.hypot(self.speed, self.side))


@dataclass(frozen=True)
class Loop:
    """How well the end of a clip runs into its start, once turned and moved there on the floor."""

    is_loop: bool
    pose_error_deg: float  # of the joint that differs most
    height_error_m: float  # of the pelvis
    joint_kink: float  # step of velocity at the seam over what is usual in the clip, of the worst joint; 1 is usual
    root_kink: float  # the same of the pelvis's path


def find_cycles(
    clip: Clip,
    key_times: Sequence[KeyTime] | None = None,
    foot: str | None = None,
    steady: bool = True,
) -> list[Cycle]:
    """Cycles of both feet (they overlap) or of one, in order; only steady ones unless told otherwise.

    A loop that holds no two strikes of a foot is one cycle by itself, starting on the foot that struck last.
    """
    if clip.frames < 4:
        return []
    strikes = dict(zip(SIDES, strike_times(clip, key_times), strict=True))
    found = []
    for side, other in (SIDES, SIDES[::-1]):
        for start, end in pairwise(strikes[side]):
            between = strikes[other][(strikes[other] > start) & (strikes[other] < end)]
            if len(between) == 1 and _alternate(start, between[0], end) and SHORTEST_S < end - start < LONGEST_S:
                found.append((float(start), float(end), side))
    if not found and max(map(len, strikes.values())) == 1 and (clip.is_loop or find_loop(clip).is_loop):
        # a strike on the seam is not seen: a foot without one is taken to strike there
        left, right = (s[0] if len(s) else clip.duration for s in strikes.values())
        if _alternate(min(left, right), max(left, right), min(left, right) + clip.duration):
            found.append((0.0, clip.duration, SIDES[int(right > left)]))
    cycles = _measure(clip, sorted(found))
    return [c for c in cycles if (c.is_steady or not steady) and foot in (None, c.start_foot)]


def find_loop(clip: Clip) -> Loop:
    """Whether the clip repeats: its last pose is its first, moved on the floor, and arrives with its velocities."""
    if clip.frames < 4:
        return Loop(False, np.inf, np.inf, np.inf, np.inf)
    ends = np.array([0.0]), np.array([clip.duration])
    pose_error = float(closing_errors(clip, *ends)[0])
    heights = joint_paths(clip, [clip.skeleton.roles.pelvis], np.array([0, clip.frames - 1]))[:, 0, 1]
    height_error = float(abs(heights[1] - heights[0]))
    joint_kink, root_kink = _joint_kink(clip), _root_kink(clip)
    closes = pose_error < CLOSE_DEG and height_error < CLOSE_LEG * clip.skeleton.leg_length
    return Loop(closes and max(joint_kink, root_kink) <= KINK, pose_error, height_error, joint_kink, root_kink)


def _alternate(start_s: float, other_s: float, end_s: float) -> bool:
    """Whether the other foot strikes well inside a stride; two feet that land together hop."""
    return APART <= (other_s - start_s) / (end_s - start_s) <= 1.0 - APART


def _measure(clip: Clip, found: list[tuple[float, float, str]]) -> list[Cycle]:
    """Arc, steadiness and closing error of every cycle, fitted as one batch."""
    if not found:
        return []
    start, end = (np.array([cycle[k] for cycle in found]) for k in (0, 1))
    t = np.linspace(start, end, SAMPLES, axis=-1)  # (C, SAMPLES)
    root = clip.root_motion
    path = floor_plane(root.position)
    facing, theta = fit_heading(at_times(root.heading, clip.fps, t), 1)
    fit = fit_path(at_times(path, clip.fps, t), theta, 1)
    velocity = fit.chord / (end - start) * np.exp(-1j * facing)
    change = _speed_change(clip, path, start, end)
    steady = change < np.maximum(STEADY * np.abs(velocity), STROLL_M_S)
    error = closing_errors(clip, start, end)
    return [
        Cycle(
            start_s=first,
            end_s=last,
            start_foot=foot,
            steps=2,
            speed=float(velocity[k].real),
            side=float(velocity[k].imag),
            turn=float(theta[k] / (last - first)),
            closing_error_deg=float(error[k]),
            speed_change=float(change[k] / max(abs(velocity[k]), 1e-9)),
            is_steady=bool(steady[k]),
        )
        for k, (first, last, foot) in enumerate(found)
    ]


def _speed_change(clip: Clip, path: np.ndarray, start_s: np.ndarray, end_s: np.ndarray) -> np.ndarray:
    """(C,) m/s from start to end, at the same phase of both so that sway cancels; 0 if it is the whole clip."""
    before, after = np.minimum(start_s, ABOUT_S), np.minimum(clip.duration - end_s, ABOUT_S)
    steps = [at_times(path, clip.fps, t + after) - at_times(path, clip.fps, t - before) for t in (start_s, end_s)]
    return np.abs(np.abs(steps[1]) - np.abs(steps[0])) / np.maximum(before + after, 1.0 / clip.fps)


def closing_errors(clip: Clip, start_s: np.ndarray, end_s: np.ndarray) -> np.ndarray:
    """(C,) degrees of the main joint that differs most between poses at two times, headings taken off."""
    joints = trunk_and_limbs(clip.skeleton)
    a, b = _local(clip, joints, start_s), _local(clip, joints, end_s)
    return np.degrees(rotation.angle_between(a, b).max(axis=-1))


def _local(clip: Clip, joints: np.ndarray, t_s: np.ndarray) -> np.ndarray:
    """(C, 1 + len(joints), 4): tilt of the pelvis (its world rotation without heading), then local rotations."""
    x = np.clip(t_s * clip.fps, 0, clip.frames - 1)
    i = np.minimum(x.astype(int), clip.frames - 2)
    u = (x - i)[:, None]
    chain = _ancestry(clip.skeleton, clip.skeleton.roles.pelvis)
    wanted = np.concatenate([chain, joints])
    rot = rotation.slerp(clip.pose.rot[i][:, wanted], clip.pose.rot[i + 1][:, wanted], u)
    tilt = rotation.yaw(-at_times(clip.root_motion.heading, clip.fps, t_s))
    for k in range(len(chain)):
        tilt = rotation.multiply(tilt, rot[:, k])
    return np.concatenate([tilt[:, None], rot[:, len(chain) :]], axis=1)


def trunk_and_limbs(skeleton: Skeleton) -> np.ndarray:
    """Trunk and limbs without toes, hands and fingers, which captures track badly and nobody sees at a seam."""
    roles = skeleton.roles
    limbs = [getattr(roles, f"{side}_{part}") for side in SIDES for part in (*LEG[:3], *ARM[:3])]
    head = [roles.head] if roles.head is not None else []
    return np.array([*roles.spine, *roles.neck, *head, *(j for j in limbs if j is not None)], int)


def _ancestry(skeleton: Skeleton, joint: int) -> np.ndarray:
    """From joint 0 down to a joint."""
    line = [joint]
    while skeleton.parents[line[-1]] >= 0:
        line.append(int(skeleton.parents[line[-1]]))
    return np.array(line[::-1], int)


def _joint_kink(clip: Clip) -> float:
    """Step of velocity where the end meets the start, of the worst main joint, over what that joint does anyway."""
    joints = trunk_and_limbs(clip.skeleton)
    at = _sampled_frames(clip)
    frames = np.concatenate([at, at + 1, [0, clip.frames - 2]])
    rot, then = clip.pose.rot[frames][:, joints], clip.pose.rot[frames + 1][:, joints]
    steps = rotation.log(rotation.multiply(rotation.conjugate(rot), then))  # (F, joints, 3) a frame, in own frames
    return _kink(steps, len(at), np.radians(STILL_DEG_S) / clip.fps)


def _root_kink(clip: Clip) -> float:
    """The same of the pelvis's path, each end seen along its own heading."""
    at = _sampled_frames(clip)
    frames = np.concatenate([at, at + 1, [0, clip.frames - 2]])
    path = floor_plane(clip.root_motion.position)
    heading = clip.root_motion.heading[np.concatenate([at, at, [0, clip.frames - 1]])]
    steps = (path[frames + 1] - path[frames]) * np.exp(-1j * heading)
    return _kink(np.stack([steps.real, steps.imag], axis=-1)[:, None], len(at), STILL_M_S / clip.fps)


def _sampled_frames(clip: Clip) -> np.ndarray:
    """Up to 400 frames that have two frames after them."""
    return np.unique(np.linspace(0, clip.frames - 3, min(clip.frames - 2, 400)).astype(int))


def _kink(steps: np.ndarray, inside: int, still: float) -> float:
    """Largest over joints of |first step - last step| over the largest 2 % of such differences inside the clip.

    steps (2 * inside + 2, joints, axes): some frames' steps, those of the frames after them, the first, the last.
    """
    usual = np.quantile(np.linalg.norm(steps[inside : 2 * inside] - steps[:inside], axis=-1), 0.98, axis=0)
    seam = np.linalg.norm(steps[-2] - steps[-1], axis=-1)
    return float((seam / (usual + still)).max())
