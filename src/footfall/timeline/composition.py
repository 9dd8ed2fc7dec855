"""Composition: an arm movement laid over another motion, with what it does to spine and pelvis (Oshita 2008, sec. 8).

The primary arms (and spine and neck where both arms move) come from the additional clip; the other joints keep the base
motion, shaken by the movement's vibration. Feet stay where the base had them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.analysis.additional import SHOULDER_DEG, Additional, find_additional
from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.foot_paths import foot_paths
from footfall.feet.join_legs import in_reach, legs_of
from footfall.feet.leg_solve import LegTargets, solve_legs
from footfall.kinematics.root import floor_root
from footfall.timeline.body_parts import group
from footfall.timeline.clocks import RUN_IN_S, run_in
from footfall.timeline.streams import poses
from footfall.timeline.vibration import vibration

BLEND_S = 0.35  # seconds in which arms go over to the movement, and back. By eye
LEAST_BLEND_S = 0.1  # seconds of the base before and after the movement, at least, where it is shifted. By eye
SMOOTH_FRAMES = 5  # to either side, over which a body that legs cannot follow is held back. By eye
LAG = 0.2  # share of the movement that it may be shifted to swing with the base's own arm
SYNC_HZ = 60.0  # samples a second in which the two are compared for that


@dataclass(frozen=True)
class PlannedComposition:
    """An additional clip over a base motion; times in seconds of the base."""

    begin_s: float  # arms leave the base
    start_s: float  # the movement begins (t2)
    stop_s: float  # and ends (t3)
    end_s: float  # arms are the base's again
    offset_s: float  # base time of the additional clip's first frame, after synchronising
    lag_s: float  # how far it was shifted for that
    arms: tuple[str, ...]
    reason: str


def plan_composition(
    base: Clip,
    extra: Clip,
    start_s: float,
    found: Additional | None = None,
    room: tuple[float, float] | None = None,
    shifts: bool = True,
) -> PlannedComposition:
    """When and which arms of `extra`, whose first frame lies at start_s of `base`, are laid over it; room: from when to
    when there is motion, where the base is only the part of it that is looked at; shifts: to swing with its arm."""
    found = found or find_additional(extra)
    if not found.is_additional:
        raise ParameterError(
            f"{extra.name or 'the clip'} is no arm movement of a standing body: it cannot be laid over"
        )
    room = room or (0.0, base.duration)
    lag = _lag(base, extra, start_s, found, room) if shifts else 0.0
    offset = start_s + lag
    start, stop = offset + found.start_s, offset + found.end_s
    # a movement that is under way as the base begins, or ends, is so from its first frame, or to its last
    begin, start = (start - BLEND_S, start) if start > room[0] + BLEND_S else (-1.0, 0.0)
    stop, end = (stop, stop + BLEND_S) if stop < room[1] - BLEND_S else (base.duration, base.duration + 1.0)
    which = "both arms with the spine" if found.trunk_too else f"the {found.arms[0]} arm"
    synced = f", shifted {lag:+.2f} s to swing with the base's arm" if lag else ""
    reason = f"{extra.name or 'the clip'} moves {which} while standing: laid over the other{synced}"
    return PlannedComposition(begin, start, stop, end, offset, lag, found.arms, reason)


def compose(base: Clip, extra: Clip, plan: PlannedComposition) -> Clip:
    """The base with the movement laid over it; frames outside [begin_s, end_s] are the base's, bit for bit."""
    if base.skeleton.names != extra.skeleton.names:
        raise ParameterError("the two clips have other joints; put both on one body first")
    pose = base.pose._replace(root_pos=np.array(base.pose.root_pos), rot=np.array(base.pose.rot))
    part = compose_into(base.skeleton, pose, base.fps, extra, plan)
    if part.stop == part.start:
        return base
    return base.with_pose(fix_signs(pose), is_loop=False)


def compose_into(skeleton: Skeleton, pose: Pose, fps: float, extra: Clip, plan: PlannedComposition) -> slice:
    """Lay the movement over poses (T,) at fps, in place; the frames it falls on. Signs are still to be fixed."""
    times = np.arange(len(pose.root_pos)) / fps
    first, end = (int(x) for x in (np.searchsorted(times, plan.begin_s, "right"), np.searchsorted(times, plan.end_s)))
    part = slice(first, max(first, end))
    if end > first:
        made = composed_poses(skeleton, pose.at(part), extra, plan, times[part])
        pose.root_pos[part], pose.rot[part] = made.root_pos, made.rot
    return part


def composed_poses(skeleton: Skeleton, base: Pose, extra: Clip, plan: PlannedComposition, t_s: np.ndarray) -> Pose:
    """Poses of the base (K,) at base times t_s (K,) with the movement laid over them."""
    own = t_s - plan.offset_s
    inside = extra.duration - run_in(extra.duration - run_in(own, RUN_IN_S), RUN_IN_S)
    donor = poses(foot_paths(extra, extra.fps), inside)
    primary = [joint for arm in plan.arms for joint in group(skeleton, f"{arm} arm")]
    both = len(plan.arms) == 2
    if both:
        primary += [*group(skeleton, "spine"), *group(skeleton, "head")]
    weight = _weight(plan, t_s)
    rot = np.array(base.rot)
    rot[:, primary] = rotation.slerp(base.rot[:, primary], donor.rot[:, primary], weight[:, None])
    spine = [] if both else group(skeleton, "spine")
    first, last = plan.start_s - plan.offset_s, plan.stop_s - plan.offset_s
    shake = vibration(extra, own, first, last, spine)
    rot[:, spine] = rotation.multiply(rot[:, spine], rotation.exp(shake.spine))
    _, heading = floor_root(skeleton, base)
    move = rotation.rotate(rotation.yaw(heading), shake.pelvis)
    return feet_kept(skeleton, base, Pose(base.root_pos, rot, base.pos), move)


def feet_kept(skeleton: Skeleton, base: Pose, pose: Pose, move: np.ndarray) -> Pose:
    """Poses moved by `move` (K, 3) whose ankles and feet are where the base had them."""
    places, foot = legs_of(skeleton, base)
    turn = rotation.multiply(foot, rotation.conjugate(legs_of(skeleton, pose)[1]))
    # a straight leg cannot follow: the body goes, smoothly, to where both legs reach as they did
    move = in_reach(places, move, SMOOTH_FRAMES)
    pole = rotation.rotate(foot, np.array([0.0, 0.0, 1.0]))
    return solve_legs(skeleton, pose, LegTargets(move, places[:, :, 2], turn, pole))


def _weight(plan: PlannedComposition, t_s: np.ndarray) -> np.ndarray:
    """(K,) 0 outside, 1 while the movement lasts, eased between."""
    rise = ease((t_s - plan.begin_s) / max(plan.start_s - plan.begin_s, 1e-9))
    return np.minimum(rise, 1.0 - ease((t_s - plan.stop_s) / max(plan.end_s - plan.stop_s, 1e-9)))


def _lag(base: Clip, extra: Clip, start_s: float, found: Additional, room: tuple[float, float]) -> float:
    """Shift of the movement, seconds, at which the shoulders' speeds go together best; 0 where the base's arm rests."""
    arm = found.arms[0]
    shoulder = getattr(extra.skeleton.roles, f"{arm}_shoulder")
    length = found.end_s - found.start_s
    if shoulder is None or length * SYNC_HZ < 8:
        return 0.0
    own = np.arange(found.start_s, found.end_s, 1.0 / SYNC_HZ)
    most = LAG * length
    lags = np.arange(-most, most, 1.0 / SYNC_HZ)
    times = start_s + own[None] + lags[:, None]  # (L, K) base times
    keep = (times.min(axis=1) >= room[0] + LEAST_BLEND_S) & (times.max(axis=1) <= room[1] - LEAST_BLEND_S)
    if not keep.any():
        return 0.0
    grid = np.arange(times[keep].min(), times[keep].max() + 2.0 / SYNC_HZ, 1.0 / SYNC_HZ)  # the base around it alone
    swing, wave = _swing(base, shoulder, grid), _swing(extra, shoulder, own)
    if np.degrees(np.ptp(swing, axis=0).max()) <= SHOULDER_DEG:  # the base's arm does not swing
        return 0.0
    swing, wave = (np.gradient(x, 1.0 / SYNC_HZ, axis=0) for x in (swing, wave))
    rows = np.stack([np.interp(times[keep], grid, swing[:, axis]) for axis in range(3)], axis=-1)  # (L, K, 3)
    score = np.einsum("lkx,kx->l", rows - rows.mean(axis=1, keepdims=True), wave)
    return float(lags[keep][int(score.argmax())])


def _swing(clip: Clip, joint: int, t_s: np.ndarray) -> np.ndarray:
    """(K, 3) rotation vectors of a joint from its mean at times."""
    x = np.clip(t_s * clip.fps, 0.0, clip.frames - 1.0)
    before = x.astype(int)
    after, rot = np.minimum(before + 1, clip.frames - 1), clip.pose.rot[:, joint]
    turns = rotation.slerp(rot[before], rot[after], x - before)  # of this joint alone
    return rotation.log(rotation.multiply(rotation.conjugate(rotation.average(turns)), turns))
