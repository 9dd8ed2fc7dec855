"""Foot targets: from a plan of locks to where ankles and pelvis should be at every frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.contacts import runs
from footfall.analysis.foot_points import foot_points
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.kinematics.two_bone_ik import SOFT_FROM
from footfall.motions.easing import ease
from footfall.retarget.ground import Ground, heights_at
from footfall.retarget.leg_solve import FREE, Legs, LegTargets, reach_balls, world_legs
from footfall.retarget.pelvis_reach import low_pass, smooth_moves

if TYPE_CHECKING:
    from footfall.retarget.foot_lock import FootLockOptions, LockPlan

RATE_S = 0.12  # rates at the ends of a contact fade faster than places: an offset must not run on
SLOPE_S = 0.025  # rates are taken over this long
STRAIGHT = 0.99  # extension that corrected legs keep below: beyond, knees jump for a millimetre
MOVED_M = 0.006  # an offset of this size counts as a correction
CALM = 4.0  # how much more a metre counts at the pelvis, which carries all the rest, than at a knee
SHAKE_S = 0.04  # half-width of the smoothing that tells shaking from moving
GROUND_S = 0.12  # half-width of the smoothing of the ground's height under the body
NEGLIGIBLE = 1e-9  # metres or radians: rounding, not an offset


def lock_targets(
    clip: Clip, plan: LockPlan, ground: Ground | None, options: FootLockOptions
) -> tuple[LegTargets, np.ndarray]:
    """Targets at every frame, and (T,) which frames they change."""
    legs, sole = world_legs(clip.skeleton, clip.pose), foot_points(clip).sole
    lift = _body_lift(sole, ground, clip.fps)  # (T,)
    raised = np.zeros((clip.frames, 3))
    raised[:, 1] = lift
    ankle, turn = np.array(legs.ankle), np.zeros((clip.frames, 2, 3))
    weight, bent = np.zeros((clip.frames, 2)), np.zeros((clip.frames, 2))
    for foot, side in enumerate(("left", "right")):
        carried = sole[:, foot, :2] - legs.ankle[:, foot, None]  # (T, 2, 3) heel and ball from the ankle
        held, places = _held(clip, plan, side)
        turn[:, foot] = _foot_turn(carried, held, places, clip.fps, options.ease_s)
        base = legs.ankle[:, foot] + raised
        offset = _ankle_offset(base, carried, turn[:, foot], held, places, clip.fps, options.ease_s)
        down = np.asarray(held.any(axis=1))
        moved = _moved(np.linalg.norm(offset, axis=-1), down)
        importance = np.stack([np.ones(clip.frames), moved], axis=-1)
        weight[:, foot], bent[:, foot] = tails(importance, down, clip.fps, options.ease_s, rates=False).T
        if ground is not None:
            turned = rotation.rotate(rotation.exp(turn[:, foot])[:, None], carried)
            rest = _rest_heights(plan, side, ground)
            points = (base + offset)[:, None] + turned
            over = points[..., 1] - heights_at(ground, points[..., 0], points[..., 2]) - rest
            # as clear of the ground as asked, or as the captured swing was of its floor
            wanted = np.clip(sole[:, foot, :2, 1] - rest, 0.0, options.clearance_m)
            offset[:, 1] += _lift(over, wanted, ~down, clip.fps)
        ankle[:, foot] = base + offset
    raised += _shake(legs, ankle - raised[:, None], weight, round(SHAKE_S * clip.fps))
    move = raised + _pelvis(legs, ankle, raised, weight, bent, round(options.pelvis_s * clip.fps))
    targets = LegTargets(move, ankle, rotation.exp(turn), sole[:, :, 1] - sole[:, :, 0])
    sizes = [np.abs(ankle - legs.ankle), np.abs(turn), np.abs(move)[:, None]]
    changed = np.max([size.max(axis=(1, 2)) for size in sizes], axis=0) > NEGLIGIBLE
    return targets, changed


def _held(clip: Clip, plan: LockPlan, side: str) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2) whether heel and ball are held, and (T, 2, 3) where."""
    held, places = np.zeros((clip.frames, 2), bool), np.zeros((clip.frames, 2, 3))
    for lock in plan.locks:
        if lock.foot == side:
            span = slice(round(lock.start_s * clip.fps), round(lock.end_s * clip.fps) + 1)
            part = 0 if lock.part == "heel" else 1
            held[span, part], places[span, part] = True, lock.place
    return held, places


def _foot_turn(carried: np.ndarray, held: np.ndarray, places: np.ndarray, fps: float, ease_s: float) -> np.ndarray:
    """(T, 3) rotation vectors that lay the foot from heel to ball along their places while both are held."""
    flat = np.asarray(held.all(axis=1))
    turn = np.zeros((len(carried), 3))
    if flat.any():
        foot, wanted = carried[flat, 1] - carried[flat, 0], places[flat, 1] - places[flat, 0]
        turn[flat] = rotation.log(rotation.between(foot, wanted))
    return tails(turn, flat, fps, ease_s)


def _ankle_offset(
    ankle: np.ndarray,
    carried: np.ndarray,
    turn: np.ndarray,
    held: np.ndarray,
    places: np.ndarray,
    fps: float,
    ease_s: float,
) -> np.ndarray:
    """(T, 3) what to add to the ankle: exact while a point is held, faded in between."""
    turned = rotation.rotate(rotation.exp(turn)[:, None], carried)
    wanted = places - turned  # (T, 2, 3) the ankle that puts each point at its place
    offset = np.where(held[:, 1:], wanted[:, 1], wanted[:, 0]) - ankle
    return tails(offset, np.asarray(held.any(axis=1)), fps, ease_s)


def tails(values: np.ndarray, known: np.ndarray, fps: float, ease_s: float, rates: bool = True) -> np.ndarray:
    """Values (T, D) where known (T,), and beyond each known stretch a fade to 0 that leaves it at the same rate.

    Fades last ease_s, or as long as the gap they are in; in a gap the two that meet there add up, so a short gap goes
    straight from one stretch to the next.
    """
    result = np.where(known[:, None], values, 0.0)
    stretches = runs(known)
    for i, (start, stop) in enumerate(stretches):
        before = start - (stretches[i - 1][1] if i else -len(known))
        after = (stretches[i + 1][0] if i + 1 < len(stretches) else 2 * len(known)) - stop
        reach = min(max(1, round(SLOPE_S * fps)), stop - start - 1)
        for edge, step, gap in ((start, -1, before), (stop - 1, 1, after)):
            rate = (values[edge] - values[edge - step * reach]) / reach if reach and rates else 0.0 * values[edge]
            _add_tail(result, edge, step, min(ease_s * fps, gap + 1.0), values[edge], rate, RATE_S * fps)
    return result


def _add_tail(
    result: np.ndarray, edge: int, step: int, length: float, value: np.ndarray, rate: np.ndarray, rate_length: float
) -> None:
    """Add (in place) one fade, from a frame on in the direction step; rate is per frame away from the stretch."""
    count = int(np.ceil(length)) - 1
    count = min(count, len(result) - 1 - edge if step > 0 else edge)
    if count < 1:
        return
    n = np.arange(1, count + 1)[:, None]
    u, short = n / length, min(rate_length, length)
    v = np.minimum(n / short, 1.0)
    fade = 1.0 - ease(u)
    run_on = short * (v - 6 * v**3 + 8 * v**4 - 3 * v**5)  # slope 1 at 0, flat at both ends otherwise
    result[edge + step * n[:, 0]] += fade * value + run_on * rate


def _shake(legs: Legs, ankle: np.ndarray, weight: np.ndarray, half_width: int) -> np.ndarray:
    """(T, 3) fine pelvis moves that keep stance knees calm over feet held still.

    Captured roots shake, and feet with them. A foot held still under a shaking hip makes the knee jump, the more the
    straighter the leg. So the fine part of each leg's change of length is shared between knee and pelvis, by least
    squares of how far either is thrown; where the root did the shaking, this calms it too.
    """
    line = legs.hip - ankle  # (T, 2, 3)
    now = np.linalg.norm(legs.ankle - legs.hip, axis=-1)
    length = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    wanted = np.linalg.norm(line, axis=-1)
    toward = line / np.maximum(wanted, 1e-9)[..., None]
    fine = (wanted - now) - low_pass(wanted - now, half_width)  # (T, 2)
    extension = np.minimum(np.maximum(now, wanted) / np.maximum(length, 1e-9), STRAIGHT)
    thrown = weight * 0.25 * extension**2 / (1.0 - extension**2)  # squared slope of the knee's offset in the length
    pull = np.einsum("tf,tfi,tfj->tij", thrown, toward, toward) + CALM * np.eye(3)
    return -np.linalg.solve(pull, np.einsum("tf,tf,tfi->ti", thrown, fine, toward)[..., None])[..., 0]


def _pelvis(
    legs: Legs, ankle: np.ndarray, raised: np.ndarray, weight: np.ndarray, bent: np.ndarray, half_width: int
) -> np.ndarray:
    """(T, 3) the least smooth move that brings ankle targets into reach; swinging feet are heeded less.

    Legs that are corrected (bent, 0 to 1) are not to be as straight as some captures have them: at full extension a
    knee has nowhere to go but in a jump.
    """
    up = raised[:, None]
    moved = Legs(legs.hip + up, legs.knee + up, legs.ankle + up, legs.foot)
    centers, radii = reach_balls(moved, ankle)
    leg = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    room = (STRAIGHT - SOFT_FROM) * leg
    eased = SOFT_FROM * leg + room * -np.expm1(-(radii - SOFT_FROM * leg) / np.maximum(room, 1e-9))
    radii = radii + bent * (eased - radii)
    return smooth_moves(centers, radii + FREE * leg * (1.0 - weight), half_width)


def _moved(offset: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(T,) 0 to 1: how much each contact is corrected at most, from the lengths (T,) of its offsets."""
    result = np.zeros(len(offset))
    for start, stop in runs(down):
        result[start:stop] = -np.expm1(-((offset[start:stop].max() / MOVED_M) ** 2))
    return result


def _body_lift(sole: np.ndarray, ground: Ground | None, fps: float) -> np.ndarray:
    """(T,) how far the body rises with the ground under its feet, smoothly."""
    if ground is None:
        return np.zeros(len(sole))
    height = heights_at(ground, sole[:, :, :2, 0], sole[:, :, :2, 2]).mean(axis=(1, 2))
    return low_pass(height[:, None], round(GROUND_S * fps))[:, 0]


def _rest_heights(plan: LockPlan, side: str, ground: Ground) -> np.ndarray:
    """(2,) how high heel and ball joints are over the ground while they stand on it."""
    rest = np.zeros(2)
    for part, name in enumerate(("heel", "toe")):
        place = np.array([lock.place for lock in plan.locks if (lock.foot, lock.part) == (side, name)]).reshape(-1, 3)
        if len(place):
            rest[part] = np.median(place[:, 1] - heights_at(ground, place[:, 0], place[:, 2]))
    return rest


def _lift(over: np.ndarray, wanted: np.ndarray, swing: np.ndarray, fps: float) -> np.ndarray:
    """(T,) how far to lift a swinging foot so that heights of heel and ball (T, 2) are as wanted: a hump a swing.

    Ends of a swing belong to the contacts: there the foot may be as low as it likes.
    """
    lift = np.zeros(len(over))
    for start, stop in runs(swing):
        share = (np.arange(start, stop) - start + 1.0) / (stop - start + 1.0)
        if start == 0 or stop == len(swing):  # cut by the clip's end: half a hump, or no end at all
            share = 0.5 + 0.5 * (share * (start == 0) * (stop < len(swing)) - (1.0 - share) * (start > 0))
        hump = 64.0 * (share * (1.0 - share)) ** 3
        asked = wanted[start:stop] * np.minimum(1.0, 2.0 * hump)[:, None]
        short = np.maximum((asked - over[start:stop]).max(axis=1), 0.0)
        if short.any():
            wide = np.maximum.reduce([np.roll(short, k) for k in range(-2, 3)]) if stop - start > 5 else short
            smooth = low_pass(wide[:, None], max(1, round(0.03 * fps)))[:, 0]
            lift[start:stop] = smooth * np.minimum(1.0, 4.0 * hump)
    return lift
