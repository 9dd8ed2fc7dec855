"""Foot targets: from a plan of locks to where ankles and pelvis should be at every frame.

Each foot's offset is the gentlest curve (`gentle`) that keeps its held points in place and falls to 0 in the swing. How
hard it holds is found in rounds: wherever a joint of the leg would be accelerated harder than in the capture nearby,
the curve is made smoother there, until it is not. What the smoother ankle leaves over is taken up by turning the foot
about its ball, which stays where it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import runs
from footfall.analysis.foot_points import foot_points
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.feet import limits
from footfall.feet.gentle import frames_to, smooth_curve, widened
from footfall.feet.leg_excess import LegExcess
from footfall.feet.leg_solve import Legs, LegTargets, eased_reach, reach_balls, roll_to_reach, solve_legs, world_legs
from footfall.feet.lock_plan import FootLockOptions, LockPlan
from footfall.feet.pelvis_reach import low_pass, smooth_moves

# All chosen by eye among about a dozen settings on the CMU takes that tools/measure_foot_lock.py measures.
ROUNDS = 13  # in each of which a curve that accelerates a joint too hard is made smoother there
LAST_ROUNDS = 4  # of these, the last, in which both feet give way
FIRM_S = 0.002  # seconds: smoothing of held offsets in the first round
SOFTER = 2.0  # times longer in every round
SOFTEST_S = 0.06  # seconds: no longer than about this
FAR_S = 0.15  # seconds about an excess for which both feet give way in the last rounds
FARTHER = 4.0  # times as long in each further one of these
LESS = 0.35  # share taken off a correction in a round where smoothing does not help
LESS_S = 0.03  # seconds: half-width over which that begins
EXACT_S = 0.03  # seconds: smoothed over longer, a foot is turned about its ball but no longer moved to it
AROUND_S = 0.025  # seconds about an excess for which a curve is made smoother
SWING = 0.1  # stiffness of swings, in weights of a hold
FADE = 4.0  # time constants in which an offset fades over ease_s
EDGE_S = 0.0125  # seconds at the ends of a hold in which it gives way to the swing's smoothness


class _Foot(NamedTuple):
    """What is asked of one foot."""

    ankle: np.ndarray  # (T, 3) captured
    carried: np.ndarray  # (T, 2, 3) from the ankle: heel, and ball; once that rolls off, the tip of the toes
    held: np.ndarray  # (T, 2) heel and ball in their places
    over: np.ndarray  # (T,) the ball has risen and the foot rolls over its tip, as high as it likes
    places: np.ndarray  # (T, 2, 3) of what is held, as carried
    sure: np.ndarray  # (T,) 1 while the ball is held, falling to 0 at either end
    free: np.ndarray  # (T,) near enough to a hold to be moved
    hip: np.ndarray  # (T, 3) captured
    reach: np.ndarray  # (T,) metres that the leg is to stretch at most


class _Curve(NamedTuple):
    """What is done with one foot."""

    turn: np.ndarray  # (T, 4) world
    offset: np.ndarray  # (T, 3) of the ankle


def locked_pose(clip: Clip, plan: LockPlan, options: FootLockOptions) -> Pose | None:
    """The clip's poses with its feet held; None where nothing changes."""
    return _rounds(clip, plan, options)[2]


def lock_targets(clip: Clip, plan: LockPlan, options: FootLockOptions) -> tuple[LegTargets, np.ndarray]:
    """Targets at every frame, and (T,) which frames they change."""
    return _rounds(clip, plan, options)[:2]


class _Work(NamedTuple):
    """What a lock starts from: the clip, its plan, and where its legs and soles are."""

    clip: Clip
    plan: LockPlan
    options: FootLockOptions
    legs: Legs
    sole: np.ndarray  # (T, 2, 3, 3) heel, ball and tip
    begin: int  # the last frame that may not change

    @classmethod
    def of(cls, clip: Clip, plan: LockPlan, options: FootLockOptions) -> _Work:
        begin = max(round(plan.begin_s * clip.fps), -1) if np.isfinite(plan.begin_s) else -1
        return cls(clip, plan, options, world_legs(clip.skeleton, clip.pose), foot_points(clip).sole, begin)


def _rounds(clip: Clip, plan: LockPlan, options: FootLockOptions) -> tuple[LegTargets, np.ndarray, Pose | None]:
    """Targets, which frames they change and the poses on them, made smoother until no leg shows an excess."""
    work = _Work.of(clip, plan, options)
    feet = [_asked(work, i) for i in range(2)]
    if not any(foot.free.any() for foot in feet):
        return _nothing(work), np.zeros(clip.frames, bool), None
    excess = LegExcess.of(clip)
    smooth_s, less = np.full((clip.frames, 2), FIRM_S), np.zeros((clip.frames, 2))
    curves, stale = [_Curve(work.legs.foot[:, 0], np.zeros((clip.frames, 3)))] * 2, np.ones(2, bool)
    for i in range(ROUNDS):
        gain = 1.0 - low_pass(np.minimum(less, 1.0), max(1, round(LESS_S * clip.fps)))
        for k in range(2):
            if stale[k]:
                curves[k] = _weaker(_curve(feet[k], smooth_s[:, k], clip.fps, options.ease_s), gain[:, k, None])
        targets = _targets(work, feet, curves)
        changed = _changed(work.legs, targets)
        changed[: work.begin + 1] = False
        if not changed.any():
            return targets, changed, None
        pose = _posed(clip, targets, changed)
        too_far = excess.exceeded(pose, widened(changed, 2))  # (T, 2)
        if i + 1 == ROUNDS or not too_far.any():
            break
        late = i + 1 - (ROUNDS - LAST_ROUNDS)
        stale = np.asarray(too_far.any(axis=0)) | (late >= 0)
        if late < 0:
            _give_way(too_far, smooth_s, less, clip.fps)
        else:
            wide = widened(np.asarray(too_far.any(axis=1)), round(FAR_S * FARTHER**late * clip.fps))
            less[wide] += LESS * (1 + late)
    return targets, changed, pose


def _give_way(too_far: np.ndarray, smooth_s: np.ndarray, less: np.ndarray, fps: float) -> None:
    """Make curves (in place) smoother where a leg shows an excess (T, 2), and weaker where they are smooth already."""
    weaker = widened(too_far & (smooth_s > SOFTEST_S), max(1, round(3 * LESS_S * fps)))
    smoother = widened(too_far & (smooth_s <= SOFTEST_S), max(1, round(AROUND_S * fps)))
    less[weaker] += LESS
    smooth_s[smoother] *= SOFTER


def _targets(work: _Work, feet: list[_Foot], curves: list[_Curve]) -> LegTargets:
    """One round's targets: of both feet, and of the pelvis that lets them be reached."""
    fps, options = work.clip.fps, work.options
    count = work.clip.frames
    ankle, turn = np.array(work.legs.ankle), np.zeros((count, 2, 4))
    weight, bent = np.zeros((count, 2)), np.zeros((count, 2))
    for i, (foot, curve) in enumerate(zip(feet, curves, strict=True)):
        offset, turn[:, i] = np.array(curve.offset), curve.turn
        weight[:, i], bent[:, i] = _importance(foot, offset, fps, options.ease_s).T
        ankle[:, i] = foot.ankle + offset
    move = _pelvis(work, ankle, weight, bent)
    if work.begin >= 0:
        since = (np.arange(count) - work.begin) / fps
        move *= ease(since / max(3.0 * options.pelvis_s, 1e-9))[:, None]
    return LegTargets(move, ankle, turn, _along(work.sole))


def _along(sole: np.ndarray) -> np.ndarray:
    """(T, 2, 3) from heel to ball: where straight knees bend to."""
    return np.asarray(sole[:, :, 1] - sole[:, :, 0])


def _nothing(work: _Work) -> LegTargets:
    turn = np.broadcast_to(rotation.IDENTITY, work.legs.foot.shape)
    return LegTargets(np.zeros((len(work.sole), 3)), work.legs.ankle, turn, _along(work.sole))


def _changed(legs: Legs, targets: LegTargets) -> np.ndarray:
    """(T,) where targets differ from the capture."""
    moved = np.maximum(np.abs(targets.ankle - legs.ankle).max(axis=(1, 2)), np.abs(targets.move).max(axis=1))
    turned = np.abs(targets.turn[..., 1:]).max(axis=(1, 2))
    return np.asarray(np.maximum(moved, turned) > limits.LOCK_NEGLIGIBLE)


def _posed(clip: Clip, targets: LegTargets, changed: np.ndarray) -> Pose:
    """The clip's poses with their legs on the targets."""
    fixed = solve_legs(clip.skeleton, clip.pose.at(changed), LegTargets(*(x[changed] for x in targets)))
    root_pos, rot = np.array(clip.pose.root_pos), np.array(clip.pose.rot)
    root_pos[changed], rot[changed] = fixed.root_pos, fixed.rot
    return clip.pose._replace(root_pos=root_pos, rot=rot)


def _asked(work: _Work, foot: int) -> _Foot:
    """One foot's holds, frame by frame."""
    clip, plan = work.clip, work.plan
    leg, sole, count = Legs(*(x[:, foot] for x in work.legs)), work.sole[:, foot], clip.frames
    held, over, places = np.zeros((count, 2), bool), np.zeros(count, bool), np.zeros((count, 2, 3))
    sure, carried = np.zeros(count), sole[:, :2] - leg.ankle[:, None]
    for lock in plan.locks:
        if lock.foot == SIDES[foot]:
            first, last = round(lock.start_s * clip.fps), round(lock.end_s * clip.fps)
            part = 0 if lock.part == "heel" else 1
            held[first : last + 1, part], places[first : last + 1, part] = True, lock.place
            if part:
                after = round((lock.end_s + lock.over_s) * clip.fps)
                rolling, pivot = slice(last + 1, after + 1), 2 if work.options.roll_over == "tip" else 1
                over[rolling] = True
                # handed over where the tip is as the ball rises, so that nothing jumps
                places[rolling, 1] = np.array(lock.place) + sole[last, pivot] - sole[last, 1]
                carried[rolling, 1] = sole[rolling, pivot] - leg.ankle[rolling]
                sure[first : after + 1] = _ramp(first, after + 1, count, limits.LOCK_TIP_S * clip.fps)
    over &= ~held[:, 1]
    free = widened(np.asarray(held.any(axis=1)) | over, int(plan.ease_s * clip.fps))
    free[: work.begin + 1] = False
    reach = np.clip(leg.stretch, limits.LEG_SOFT_FROM * leg.length, leg.length)
    return _Foot(leg.ankle, carried, held, over, places, sure, free, leg.hip, reach)


def _down(foot: _Foot) -> np.ndarray:
    """(T,) where a foot stands, with some of it at least over its place."""
    return np.asarray(foot.held.any(axis=1)) | foot.over


def _curve(foot: _Foot, smooth_s: np.ndarray, fps: float, ease_s: float) -> _Curve:
    """The gentlest turn and offset that hold a foot's points; then turned about the ball, so that it stays exactly."""
    flat, any_held = np.asarray(foot.held.all(axis=1)), np.asarray(foot.held.any(axis=1))
    turn = np.zeros((len(flat), 3))
    if flat.any():
        across = foot.carried[flat, 1] - foot.carried[flat, 0]
        turn[flat] = rotation.log(rotation.between(across, foot.places[flat, 1] - foot.places[flat, 0]))
        turn = _gentle(turn, flat, foot.free, smooth_s, fps, ease_s)
    whole = rotation.exp(turn)
    on_ball = foot.held[:, 1] | foot.over
    roll = _roll(foot, rotation.rotate(whole, foot.carried[:, 1]), fps)
    if roll.any():
        rolling = np.where(on_ball & ~foot.held[:, 0], np.maximum(smooth_s, limits.LOCK_ROLL_S), smooth_s)
        roll = _gentle(roll, on_ball, foot.free, rolling, fps, ease_s)
        whole = rotation.multiply(rotation.exp(roll), whole)
    turned = rotation.rotate(whole[:, None], foot.carried)
    asked = np.where(on_ball[:, None], foot.places[:, 1] - turned[:, 1], foot.places[:, 0] - turned[:, 0]) - foot.ankle
    offset = _gentle(asked, _down(foot), foot.free, smooth_s, fps, ease_s)
    if foot.over.any():
        offset[:, 1:2] = _gentle(asked[:, 1:2], any_held, foot.free, smooth_s, fps, ease_s)
    tip, rest = _tip(foot, turned[:, 1], offset, on_ball, smooth_s)
    return _Curve(rotation.multiply(tip, whole), offset + rest)


def _roll(foot: _Foot, ball: np.ndarray, fps: float) -> np.ndarray:
    """(T, 3) turns about the ball that lift the ankle of a foot whose heel is free to where its leg reaches it.

    A foot rolls further before the pelvis has to come down. ball (T, 3): from the ankle.
    """
    roll = np.zeros_like(ball)
    free = (foot.held[:, 1] | foot.over) & ~foot.held[:, 0]
    if not free.any():
        return roll
    place = foot.places[free, 1]
    place[:, 1] = np.where(foot.over[free], (foot.ankle + ball)[free, 1], place[:, 1])
    rolled = roll_to_reach(-ball[free], place, foot.hip[free], foot.reach[free])
    begun = ease(frames_to(foot.held[:, 0])[free, None] / (limits.LOCK_HEEL_OFF_S * fps))
    roll[free] = begun * rolled
    return roll


def _weaker(curve: _Curve, gain: np.ndarray) -> _Curve:
    """The share gain (T, 1) of a curve."""
    if (gain == 1.0).all():
        return curve
    return _Curve(rotation.exp(gain * rotation.log(curve.turn)), gain * curve.offset)


def _gentle(
    asked: np.ndarray, known: np.ndarray, free: np.ndarray, smooth_s: np.ndarray, fps: float, ease_s: float
) -> np.ndarray:
    """Curves (T, D) through what is asked where it is known (T,), smoothed over smooth_s (T,), fading elsewhere."""
    fade = SWING / max(ease_s * fps / FADE, 0.5) ** 4
    swing = widened(~known, max(1, round(EDGE_S * fps)))
    stiff = np.maximum((smooth_s * fps) ** 4, np.where(swing, SWING, 0.0))
    return smooth_curve(np.where(known[:, None], asked, 0.0), np.where(known, 1.0, fade), stiff, free)


def _tip(
    foot: _Foot, ball: np.ndarray, offset: np.ndarray, on_ball: np.ndarray, smooth_s: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(T, 4) turns of the foot, and (T, 3) what is left to move it by, that bring its ball (T, 3) to its place."""
    tip, rest = np.tile(rotation.IDENTITY, (len(ball), 1)), np.zeros_like(ball)
    if not on_ball.any():
        return tip, rest
    share = foot.sure[on_ball, None]
    line = (foot.places[:, 1] - foot.ankle - offset)[on_ball]
    line[:, 1] = np.where(foot.over[on_ball], ball[on_ball, 1], line[:, 1])
    turn = rotation.log(rotation.between(ball[on_ball], line))
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    turn = share * turn * np.minimum(1.0, limits.LOCK_TIP_RAD / np.maximum(angle, 1e-12))
    tip[on_ball] = rotation.exp(turn)
    exact = np.minimum(1.0, (EXACT_S / smooth_s[on_ball, None]) ** 2)
    rest[on_ball] = exact * share * (line - rotation.rotate(tip[on_ball], ball[on_ball]))
    rest[foot.over, 1] = 0.0
    return tip, rest


def _ramp(start: int, stop: int, count: int, frames: float) -> np.ndarray:
    """(stop - start,) rising from 0 to 1 within so many frames of either end; a clip's own ends are none."""
    at = np.arange(start, stop)
    before = at - start + 1.0 if start else np.full(len(at), np.inf)
    after = stop - at if stop < count else np.full(len(at), np.inf)
    return ease(np.minimum(before, after) / (frames + 1.0))


def _importance(foot: _Foot, offset: np.ndarray, fps: float, ease_s: float) -> np.ndarray:
    """(T, 2) 1 for a stance, falling to 0 in the swing; and that times how much the stance is corrected."""
    down = _down(foot)
    if not down.any():
        return np.zeros((len(down), 2))
    fade = 1.0 - ease(frames_to(down) / max(ease_s * fps, 1e-9))
    return fade[:, None] * np.stack([np.ones(len(down)), _moved(np.linalg.norm(offset, axis=-1), down)], axis=1)


def _pelvis(work: _Work, ankle: np.ndarray, weight: np.ndarray, bent: np.ndarray) -> np.ndarray:
    """(T, 3) the least smooth move that brings ankle targets into reach; swinging feet are heeded less.

    Legs that are corrected (bent, 0 to 1) are not to be as straight as some captures have them: at full extension a
    knee has nowhere to go but in a jump.
    """
    legs = work.legs
    centers, radii = reach_balls(legs, ankle)
    leg, half_width = legs.length, round(work.options.pelvis_s * work.clip.fps)
    radii = radii + bent * (eased_reach(radii, leg) - radii)
    return smooth_moves(centers, radii + limits.LEG_FREE * leg * (1.0 - weight), half_width)


def _moved(offset: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(T,) 0 to 1: how much the nearest contact is corrected at most, from the lengths (T,) of its offsets."""
    result = np.zeros(len(offset))
    stretches = runs(down)
    for i, (start, stop) in enumerate(stretches):
        first = (stretches[i - 1][1] + start) // 2 if i else 0
        last = (stop + stretches[i + 1][0]) // 2 if i + 1 < len(stretches) else len(offset)
        result[first:last] = -np.expm1(-((offset[start:stop].max() / limits.LOCK_MOVED_M) ** 2))
    return result
