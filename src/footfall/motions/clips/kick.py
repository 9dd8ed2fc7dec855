"""A front kick at a point (x, y, z) from a fighting stance: knee up, snap, back and down again, on a planted foot.

When and how far pelvis, chest and arms go for a kick straight ahead is captured; a high one leans back further.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import action, arms, rig, starts
from footfall.motions.body import LEG, THIGH
from footfall.motions.captured_keys import CapturedKeys, captured_keys
from footfall.motions.foot_path import FootPath
from footfall.motions.keyframes import Key, curve, pulse
from footfall.motions.rolling_feet import Stand, clear_of_floor, contact_spans, rolling_foot

REACH = 0.984  # leg lengths from hip to ankle at the apex: captured straight kicks have 0.95 to 1
SETTLES = 5  # rounds of moving the weight until the leg is as long as that
FURTHEST = 0.17  # metres the weight goes from the standing foot for it, at most: by eye
SQUARE = 6.0  # degrees to the left that the pelvis faces at the apex of a kick straight ahead: captured ones 9
CAPTURED_HEIGHT = 0.72  # metres of the ankle in the captured kicks, on legs of 0.86 m
SNAP = 0.6  # how hard the foot is drawn back at the apex: 0 not yet, 1 as a constant pull would: by eye
SWUNG = 0.6  # how far the arms go from the guard to where captured arms are


class Times:
    """Seconds of the phases, all but the end on frames."""

    def __init__(self, tempo: float) -> None:
        self.off, self.chamber, self.apex, self.back, self.strike, self.end = (
            action.on_frame(x * tempo) for x in (0.29, 0.45, 0.61, 0.8, 1.1, 1.4)
        )


def make(x: float = -0.05, y: float = 1.0, z: float = 0.8, side: str = "right", seed: int = 0) -> Clip:
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    tempo = 1.0 + rng.uniform(-0.1, 0.1)
    times = Times(tempo)
    keys = captured_keys("kick", times.apex, tempo)
    start = starts.fighting(width=rng.uniform(0.92, 1.06), crouch=rng.uniform(0.045, 0.07))
    target = np.array([sign * x, y, z])
    t = action.frames(times.end)
    plan = _trunk(start, target, t, keys, rng.uniform(0.9, 1.1))
    plan = replace(plan, mass=_balance(start, plan, target, times))

    pitch, inside = _roll(t, times)
    stands = [start.stands[1]._replace(end_s=times.off), start.stands[1]._replace(start_s=times.strike)]
    lift = float(rng.uniform(-0.03, 0.03))
    knee_yaw = plan.knees[1] + (_azimuth(start, target) - plan.knees[1]) * inside

    def feet(pelvis: np.ndarray, turn: np.ndarray) -> action.Feet:
        still, _ = start.plan(t).feet(pelvis, turn)
        hip = rig.hip_positions(pelvis, turn)[1]
        foot = rolling_foot(stands, t, pitch, [_air(hip, target, times, lift)])
        return still, clear_of_floor(_along_shank(hip, foot, knee_yaw, inside), t, times.apex, times.strike)

    plan = replace(plan, feet=feet, knees=(plan.knees[0], knee_yaw))
    events = contact_spans("left", start.stands[:1], t, np.zeros(len(t)))
    events += contact_spans("right", stands, t, pitch)
    return action.aimed_clip(plan, "kick", events, times.apex, "Foot", side, (x, y, z))


def _trunk(start: starts.Start, target: np.ndarray, t: np.ndarray, keys: CapturedKeys, lean: float) -> action.Plan:
    """Hips square up and tilt back, the chest curls forward against them, the arms balance the leg."""
    higher = float(np.clip((target[1] - CAPTURED_HEIGHT) / 0.6, -1.0, 1.2))
    side = float(np.degrees(_azimuth(start, target)))
    back = lean * np.exp(0.6 * higher) * keys.moved("pelvis", t)[:, 1]
    curl = lean * np.exp(0.25 * higher) * keys.moved("chest", t)
    square = pulse(keys.times[0], keys.times[keys.apex], keys.times[-1], t, dip=0.06, hold_s=0.06)
    plan = start.plan(t)
    yaw = (SQUARE + 0.35 * side - start.turn[0]) * square
    against = keys.progress("chest", 0, t) * (0.2 * side - 0.5 * (SQUARE - start.turn[0]))
    zero = np.zeros(len(t))
    return replace(
        plan,
        pelvis=plan.pelvis + 0.02 * square[:, None] * rotation.UP,
        turn=plan.turn + np.column_stack([yaw, back, zero]),
        chest=plan.chest + np.column_stack([against, curl[:, 1], zero]),
        gaze=np.tile(np.array([0.8, 0.8, 1.0]) * target + [0.0, 0.25, 0.8], (len(t), 1)),
        looks=np.full(len(t), 0.9),
        left=replace(start.left, rest=_swung(start.left.rest, keys, "left", square)),
        right=replace(start.right, rest=_swung(start.right.rest, keys, "right", square)),
    )


def _swung(guard: np.ndarray, keys: CapturedKeys, side: str, share: np.ndarray) -> np.ndarray:
    """(T, 3) a wrist on its way from the guard to where captured arms are at the apex, and back."""
    there = arms.SHOULDER + arms.ARM * keys.at_apex(f"{side}_wrist")
    start, end = (np.broadcast_to(wrist, (len(share), 3)) for wrist in (guard, there))
    return arms.between_hands(start, end, SWUNG * share, np.array([0.4, 0.0, 0.3]))


def _azimuth(start: starts.Start, target: np.ndarray) -> float:
    """Which way the leg goes, radians to the left: seen from about where the kicking hip will be."""
    stand = start.stands[0]
    return float(np.arctan2(target[0] - (stand.x - 0.15), max(target[2] - stand.z + 0.15, 0.2)))


def _balance(start: starts.Start, plan: action.Plan, target: np.ndarray, times: Times) -> np.ndarray:
    """(T, 2) the centre of mass: over the standing foot while the other is up, and near enough to reach the target."""
    stand: Stand = start.stands[0]
    rest = start.balance[[0, 2]]
    over = np.array([stand.x - 0.02, stand.z + 0.03])
    apex = int(np.searchsorted(plan.t, times.apex - 1e-9))
    one = replace(
        start.plan(np.zeros(1)), pelvis=plan.pelvis[[apex]], turn=plan.turn[[apex]], chest=plan.chest[[apex]],
        right=replace(start.right, rest=plan.right.rest[[apex]]), left=replace(start.left, rest=plan.left.rest[[apex]]),
    )  # fmt: skip
    ankle = target[None]
    flat, _ = one.feet(one.pelvis, action.turned(one.turn))
    kicking = FootPath(ankle, np.zeros(1), np.zeros(1), np.zeros(1))
    shift = np.zeros(2)
    for _ in range(SETTLES):
        one = replace(one, feet=lambda *_: (flat, kicking), mass=(over + shift)[None])
        hip = rig.hip_positions(action.settle(one, 3, bounded=False), action.turned(one.turn))[1][0]
        away = target - hip
        ground = np.linalg.norm(away[[0, 2]])
        fits = np.sqrt(max((REACH * LEG) ** 2 - away[1] ** 2, 0.01))
        shift = shift + away[[0, 2]] / ground * (ground - fits)
        shift = shift * min(1.0, FURTHEST / max(float(np.linalg.norm(shift)), 1e-9))
    up = curve([(0.0, 0.0), (times.off, 0.72), (times.chamber, 1.0), (times.back, 1.0), (times.strike, 0.62),
                (times.end - 0.02, 0.0)], plan.t)  # fmt: skip
    reach = pulse(times.off, times.apex, times.strike, plan.t, hold_s=0.04)
    return rest + up[:, None] * (over - rest) + reach[:, None] * shift


def _roll(t: np.ndarray, times: Times) -> tuple[np.ndarray, np.ndarray]:
    """Pitch (T,) of the kicking foot on the floor, and how much (T,) it follows the shank instead."""
    keys = [(times.off - 0.15, 0.0), (times.off, -0.75), (times.off + 0.05, -0.85), (times.back, -0.5)]
    pitch = curve([*keys, (times.strike, -0.32), (times.strike + 0.13, 0.0)], t)
    air = [(times.off, 0.0), (times.chamber, 1.0), (times.back, 1.0), (times.strike - 0.02, 0.0)]
    return pitch, curve(air, t)


def _air(hip: np.ndarray, target: np.ndarray, times: Times, lift: float) -> list[Key]:
    """Keys of the ankle: chambered under a raised knee, on target, chambered again."""
    at = [round(s * action.FPS) for s in (times.chamber, times.apex, times.back)]
    away = target - hip[at[1]]
    facing = rotation.yaw(np.arctan2(away[0], away[2]))
    up = target[1] - 0.9
    folded = [np.array([0.0, -0.36 + 0.2 * up + lift, 0.2 + 0.16 * up]), np.array([0.0, -0.38 + 0.15 * up, 0.25])]
    chamber, back = (hip[i] + rotation.rotate(facing, v) for i, v in zip((at[0], at[2]), folded, strict=True))
    # a snap turns round at once: it is drawn back as hard at the apex as a constant pull to the chamber would
    pull = 2.0 * SNAP * (0.5 * (chamber + back) - target) / (0.5 * (times.back - times.chamber)) ** 2
    return [Key(times.chamber, chamber), Key(times.apex, target, np.zeros(3), pull), Key(times.back, back)]


def _along_shank(hip: np.ndarray, foot: FootPath, knee_yaw: np.ndarray, share: np.ndarray) -> FootPath:
    """In the air the foot is held against the shank, toes pointed, and faces where the knee does."""
    hinge = rotation.rotate(rotation.yaw(knee_yaw), rotation.AXES["X"])
    thigh, _ = rig.leg(hip, foot.ankle, rotation.cross(foot.ankle - hip, hinge))
    shank = foot.ankle - (hip + rotation.rotate(thigh, np.array([0.0, -THIGH, 0.0])))
    ahead = (shank * rotation.rotate(rotation.yaw(knee_yaw), rotation.AXES["Z"])).sum(axis=-1)
    pitch = np.arctan2(ahead, -shank[:, 1]) - 0.45
    return foot._replace(pitch=foot.pitch + share * (pitch - foot.pitch), yaw=foot.yaw + share * (knee_yaw - foot.yaw))
