"""A front kick at a point (x, y, z) from a fighting stance: knee up, snap, back and down again, on a planted foot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import action, arms, rig, starts
from footfall.motions.body import LEG, THIGH
from footfall.motions.foot_path import FootPath
from footfall.motions.keyframes import Key, curve, pulse
from footfall.motions.rolling_feet import Stand, clear_of_floor, contact_spans, rolling_foot

REACH = 0.955  # hip to ankle over leg length at the apex, at most
SNAP = 0.15  # how much the hips give way for a near target, so that the leg can still stretch


class Times:
    """Seconds of the phases, all but the end on frames."""

    def __init__(self, tempo: float) -> None:
        self.off, self.chamber, self.apex, self.back, self.strike, self.end = (
            action.on_frame(x * tempo) for x in (0.27, 0.44, 0.58, 0.74, 1.02, 1.32)
        )


def make(x: float = -0.05, y: float = 1.0, z: float = 0.8, side: str = "right", seed: int = 0) -> Clip:
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    times = Times(1.0 + rng.uniform(-0.1, 0.1))
    start = starts.fighting(width=rng.uniform(0.92, 1.06), crouch=rng.uniform(0.045, 0.07))
    target = np.array([sign * x, y, z])
    t = action.frames(times.end)
    up = pulse(0.06, times.apex, times.strike + 0.12, t, hold_s=0.06)  # trunk leans back and turns with the leg
    plan = _trunk(start, target, t, up, times, rng)
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


def _trunk(
    start: starts.Start, target: np.ndarray, t: np.ndarray, up: np.ndarray, times: Times, rng: np.random.Generator
) -> action.Plan:
    """Hips square up and tilt back, the chest curls forward against them, the arms balance the leg."""
    high = float(np.clip((target[1] - 0.3) / 1.1, 0.0, 1.0))
    lean = rng.uniform(0.85, 1.15)
    side = float(np.degrees(_azimuth(start, target)))
    turn = np.array([14.0 + 0.35 * side, -(10.0 + 32.0 * high) * lean, 2.0])
    chest = np.array([-14.0 + 0.2 * side, 10.0 + 20.0 * high, -2.0])
    swing = pulse(0.1, times.apex - 0.02, times.strike + 0.2, t, dip=0.08)
    thrown = np.broadcast_to(arms.pointing(-22.0, 30.0 + rng.uniform(-6, 10), 0.82), (len(t), 3))
    guard = np.broadcast_to(start.right.rest, (len(t), 3))
    plan = start.plan(t)
    return replace(
        plan,
        pelvis=plan.pelvis + (0.03 - 0.01 * high) * up[:, None] * rotation.UP,
        turn=action.toward(start.turn, turn, up),
        chest=action.toward(start.chest, chest, pulse(0.0, times.apex + 0.02, times.end - 0.1, t, dip=0.15)),
        gaze=np.tile(np.array([0.5, 0.7, 1.0]) * target + [0.0, 0.3, 1.5], (len(t), 1)),
        looks=np.full(len(t), 0.9),
        right=replace(start.right, rest=arms.between_hands(guard, thrown, 0.85 * swing, np.array([0.5, -0.2, 0.3]))),
        left=replace(start.left, rest=action.toward(start.left.rest, start.left.rest + [0.03, -0.03, -0.08], swing)),
    )


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
    for _ in range(3):
        one = replace(one, feet=lambda *_: (flat, kicking), mass=(over + shift)[None])
        hip = rig.hip_positions(action.settle(one, 3, bounded=False), action.turned(one.turn))[1][0]
        away = target - hip
        ground = np.linalg.norm(away[[0, 2]])
        fits = np.sqrt(max((REACH * LEG) ** 2 - away[1] ** 2, 0.01))
        shift = shift + away[[0, 2]] / ground * (max(ground - fits, 0.0) - SNAP * max(0.92 * fits - ground, 0.0))
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
    return [Key(times.chamber, chamber), Key(times.apex, target, np.zeros(3)), Key(times.back, back)]


def _along_shank(hip: np.ndarray, foot: FootPath, knee_yaw: np.ndarray, share: np.ndarray) -> FootPath:
    """In the air the foot is held against the shank, toes pointed, and faces where the knee does."""
    hinge = rotation.rotate(rotation.yaw(knee_yaw), rotation.AXES["X"])
    thigh, _ = rig.leg(hip, foot.ankle, rotation.cross(foot.ankle - hip, hinge))
    shank = foot.ankle - (hip + rotation.rotate(thigh, np.array([0.0, -THIGH, 0.0])))
    ahead = (shank * rotation.rotate(rotation.yaw(knee_yaw), rotation.AXES["Z"])).sum(axis=-1)
    pitch = np.arctan2(ahead, -shank[:, 1]) - 0.45
    return foot._replace(pitch=foot.pitch + share * (pitch - foot.pitch), yaw=foot.yaw + share * (knee_yaw - foot.yaw))
