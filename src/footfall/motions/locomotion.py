"""Walking and running at any speed, turn and side speed: a steady cycle or a change between gaits.

The body frame glides along its path; gait phase runs with it; every strike plants a foot where the captured cycle has
it in mid-stance, and the feet never move while planted. Cadence: stride time 1.32 v^-0.588 s walking, 1.21 v^-0.40 s
running (fitted to the captures), carried on beyond the speeds seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.core.easing import ease, soft_clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.motions import gait_curves, rig, stance
from footfall.motions.body import HIP_DROP, HIP_HEIGHT, LEG, adult
from footfall.motions.foot_path import FootPath, PlantedStep, foot_path

GRAVITY = 9.81
FPS = 120.0
TOE_OUT = np.radians(6.0)
SLOWEST = 0.5  # m/s: slower walks keep this cadence
RESTING = 0.25  # m/s: below this a walk comes to rest, its cadence too
ACTIVE_FROM = 0.4  # m/s: from here on the captured movement shows in full, below it eases into standing
SIDE_STEPS = 2.0  # sideways people take shorter, quicker steps: as if they went this many times as fast
MAX_BANK = np.radians(25.0)  # nobody leans further into a turn
CAPTURED_ANKLE = 0.05  # height of the captured ankles over the floor when the foot is flat, in leg lengths
RUN_AHEAD = 0.035  # metres: running feet land this much further ahead than captured, or the push-off overstretches
Steps = tuple[list[PlantedStep], list[PlantedStep]]  # left, right
MOST_CYCLES = 1000  # of a loop; it can be played on for ever
WALK_M_S, RUN_M_S = (-2.5, 3.5), (-3.0, 10.0)  # that are made: people race-walk at 4 m/s and sprint at 12. By eye
SIDE_M_S, TURN_DEG_S = 2.5, 720.0  # the same to a side, and of turning


@dataclass(frozen=True)
class Style:
    """How one walker differs from the average one: factors, and metres or radians where said."""

    cadence: float = 1.0
    swing: float = 1.0  # of arms and legs
    width: float = 0.0  # metres added to the step's half width
    lean: float = 0.0  # radians of the trunk, forward
    arms: float = 1.0


AVERAGE = Style()


def some_style(seed: int) -> Style:
    """A plausible walker, the same for the same seed: a few percent off the average in everything."""
    r = np.random.default_rng([0xF007, seed]).uniform(-1.0, 1.0, 5)
    return Style(1.0 + 0.03 * r[0], 1.0 + 0.06 * r[1], 0.012 * r[2], 0.03 * r[3], 1.0 + 0.2 * r[4])


@dataclass(frozen=True)
class TravelPath:
    """How the body travels, on a fine time grid that reaches a stride beyond both ends of the clip."""

    t: np.ndarray  # (T,) seconds
    speed: np.ndarray  # (T,) m/s forward
    side: np.ndarray  # (T,) m/s to the left
    turn: np.ndarray  # (T,) rad/s to the left
    run: np.ndarray  # (T,) 0 walking … 1 running
    active: np.ndarray  # (T,) 0 standing … 1 in full gait: how much of the captured movement shows
    phase: np.ndarray  # (T,) gait phase, 0 = left strike
    position: np.ndarray  # (T, 3)
    heading: np.ndarray  # (T,)
    style: Style = AVERAGE
    runs_off: bool = False  # a foot that landed in a run leaves as in one: standing on, it would drag the body down


def stride_time(speed: np.ndarray, run: np.ndarray) -> np.ndarray:
    """Seconds from a strike to the same foot's next."""
    walk = soft_clip(speed, SLOWEST, 10.0, 0.06)
    jog = soft_clip(speed, 1.6, 20.0, 0.15)
    return (1.0 - run) * 1.32 * walk**-0.588 + run * 1.21 * jog**-0.40


def duty(speed: np.ndarray, run: np.ndarray) -> np.ndarray:
    """Share of the cycle the ball of a foot is down: 62 % in slow walking to 20 % in fast running."""
    return (1.0 - run) * np.clip(0.65 - 0.055 * speed, 0.54, 0.635) + run * np.clip(0.29 - 0.017 * speed, 0.195, 0.26)


def travel(
    t: np.ndarray, speed: np.ndarray, side: np.ndarray, turn: np.ndarray, run: np.ndarray, phase_at_0: float = 0.0
) -> TravelPath:
    """Integrate speeds to a path that is at the origin, facing +Z, at phase phase_at_0, at time 0."""
    from scipy.integrate import cumulative_trapezoid

    def integral(rate: np.ndarray) -> np.ndarray:
        total = cumulative_trapezoid(rate, t, axis=0, initial=0.0)
        return total - np.array([np.interp(0.0, t, x) for x in total.reshape(len(t), -1).T]).reshape(total.shape[1:])

    heading = integral(turn)
    # leaning inward the pelvis goes round a smaller circle than the feet: they go faster, so that it has its speed
    ground = speed + turn * _inward(_bank(speed, turn))
    velocity = rotation.rotate(rotation.yaw(heading), np.stack([side, 0 * speed, ground], axis=-1))
    total = np.hypot(speed, SIDE_STEPS * side)
    going = run + (1.0 - run) * ease(total / RESTING)  # running on the spot goes on
    cadence = going / stride_time(total, run)
    active = run + (1.0 - run) * ease(total / ACTIVE_FROM)
    return TravelPath(t, speed, side, turn, run, active, phase_at_0 + integral(cadence), integral(velocity), heading)


Feet = tuple[FootPath, FootPath]  # left, right
Alter = Callable[[Feet, np.ndarray, np.ndarray], tuple[Feet, np.ndarray]]


def walk_along(path: TravelPath, steps: Steps | None = None, alter: Alter | None = None) -> tuple[Pose, Steps]:
    """Poses on the path's time grid, and the steps they stand on.

    alter(feet, pelvis (T, 3), pelvis rotation (T, 4)) may return other foot paths and another pelvis (a kick, a hop).
    """
    total = np.hypot(path.speed, path.side)
    size = _vigour(total, path.run) * path.style.swing
    curves = gait_curves.trunk(path.run, total, path.phase)
    sides = [gait_curves.limbs(path.run, total, path.phase, right) for right in (False, True)]
    plans = steps or (plan_steps(path, right=False), plan_steps(path, right=True))
    feet = (_foot(path, plans[0], sides[0], size), _foot(path, plans[1], sides[1], size))
    pelvis, turn = _pelvis(path, curves, size)
    if alter is not None:
        feet, pelvis = alter(feet, pelvis, turn)
    pelvis = rig.reachable_pelvis(pelvis, turn, feet, 1.0 / (path.t[1] - path.t[0]))
    lean = rotation.axis_angle(rotation.AXES["X"], np.array(path.style.lean))
    arms = [_livelier(q, path) for side in sides for q in (side.arm, side.forearm)]
    moving = rig.Upper(rotation.multiply(lean, curves.chest), curves.head, *arms)
    upper = rig.Upper(*(rotation.slerp(a, b, path.active) for a, b in zip(stance.RELAXED, moving, strict=True)))
    poles = (_pole(path, feet[0], pelvis), _pole(path, feet[1], pelvis))
    return rig.solve(pelvis, turn, upper, feet, poles), plans


def plan_steps(path: TravelPath, right: bool) -> list[PlantedStep]:
    """A step at every strike of one foot, planted where the captured cycle has the foot in mid-stance."""
    offset = 0.5 if right else 0.0
    first, last = np.ceil(path.phase[0] - offset), np.floor(path.phase[-1] - offset)
    return [step_at(path, n + offset, right) for n in np.arange(first, last + 1)]


def step_at(path: TravelPath, strike: float, right: bool) -> PlantedStep:
    def at(values: np.ndarray, phase: float | np.ndarray) -> np.ndarray:
        return np.array([np.interp(phase, path.phase, v) for v in np.atleast_2d(values.T)]).squeeze()

    run = float(at(path.run, strike))
    down = _down(path, strike)
    flat_from, flat_to = 0.22, 0.55 - 0.05 * run
    middle = strike + down * 0.5 * (flat_from + flat_to)
    speed, side = float(at(path.speed, middle)), float(at(path.side, middle))
    total = np.hypot(speed, side)
    phases = np.array([strike, middle, strike + down])
    runs, same = at(path.run, phases), np.full(3, total)
    size = _vigour(same, runs) * path.style.swing
    sign = -1.0 if right else 1.0
    shape = gait_curves.limbs(runs, same, phases, right)
    local = shape.ankle[1] * LEG
    stride = stride_time(np.array(np.hypot(speed, SIDE_STEPS * side)), np.array(run))
    half_width = max(sign * local[0] + path.style.width, 0.055, 0.25 * abs(side) * stride + 0.03)
    forward = (local[2] + RUN_AHEAD * run) * speed / max(total, 1e-6) if total > 0.05 else 0.0
    heading = float(at(path.heading, middle))
    where = at(path.position, middle) + rotation.rotate(
        rotation.yaw(heading), np.array([sign * half_width, 0.0, forward])
    )
    return PlantedStep(
        start_s=float(np.interp(strike, path.phase, path.t)),
        end_s=float(np.interp(strike + down, path.phase, path.t)),
        x=float(where[0]),
        z=float(where[2]),
        yaw=heading + sign * TOE_OUT * (1.0 - 0.6 * run),
        pitch_in=float(size[0] * np.clip(shape.pitch[0], 0.0, 0.5)),
        pitch_out=float(size[2] * (1.0 - 0.10 * runs[2]) * np.clip(-shape.pitch[2], 0.0, 1.2)),
        flat_from=flat_from,
        flat_to=flat_to,
        brisk_out=0.6,
    )


def _down(path: TravelPath, strike: float) -> float:
    """How long, in gait phase, a foot stays down: a walk that has become a run by then lifts it as a run does."""
    speed = np.interp(strike, path.phase, np.hypot(path.speed, path.side))
    stays = duty(speed, path.run)
    if path.runs_off:
        stays = np.minimum(stays, duty(speed, np.interp(strike, path.phase, path.run)))
    left = path.phase - strike - stays  # (T,) from 0 on the foot is in the air
    first = int(np.argmax(left >= 0.0)) if left[-1] >= 0.0 else len(left) - 1
    around = slice(max(first - 1, 0), first + 1)
    return float(np.interp(0.0, left[around], stays[around]))


def _vigour(speed: np.ndarray, run: np.ndarray) -> np.ndarray:
    """How large the swings are, 1 at captured speeds: slower than any captured walk or run, they shrink."""
    return 0.25 + 0.75 * ((1.0 - run) * ease(speed / 0.8) + run * ease(speed / 2.69))


def _foot(path: TravelPath, steps: list[PlantedStep], limb: gait_curves.Limbs, size: np.ndarray) -> FootPath:
    """The planted and swinging foot; the captured swing is laid along the path."""
    local = limb.ankle * LEG
    resting = CAPTURED_ANKLE * LEG
    local = np.column_stack([local[:, 0], resting + (local[:, 1] - resting) * size, local[:, 2]])
    swing = path.position + rotation.rotate(rotation.yaw(path.heading), local)
    return foot_path(steps, path.t, swing, limb.pitch * size)


def _pelvis(path: TravelPath, curves: gait_curves.Trunk, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pelvis position (T, 3) and rotation (T, 4): the captured sway about the path, leaning into turns."""
    acceleration = np.gradient(path.speed, path.t)
    bank = _bank(path.speed, path.turn)
    lean = rotation.multiply(
        rotation.axis_angle(rotation.AXES["Z"], -bank),
        rotation.axis_angle(rotation.AXES["X"], 0.5 * np.arctan(acceleration / GRAVITY)),
    )
    facing = rotation.yaw(path.heading)
    sway = curves.hips * LEG
    height = (
        path.active * (sway[:, 1] - CAPTURED_ANKLE * LEG + (HIP_HEIGHT - LEG))
        + (1.0 - path.active) * stance.HIP_STANDING
    )
    shown = size * path.active
    local = np.column_stack([sway[:, 0] * shown + _inward(bank), height, sway[:, 2] * shown])
    turn = rotation.multiply(facing, rotation.multiply(lean, _scaled(curves.pelvis, shown)))
    hips = path.position + rotation.rotate(facing, local)
    return hips + rotation.rotate(turn, np.array([0.0, HIP_DROP, 0.0])), turn


def _bank(speed: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Radians a body leans into its turn, as its weight asks and no further than people do."""
    return MAX_BANK * np.tanh(np.arctan(speed * turn / GRAVITY) / MAX_BANK)


def _inward(bank: np.ndarray) -> np.ndarray:
    """Metres the pelvis lies inside the feet's path when leaning."""
    return 0.6 * np.sin(bank)


def _livelier(q: np.ndarray, path: TravelPath) -> np.ndarray:
    """Swings (T, 4) about their mean, larger or smaller as the style has it."""
    if path.style.arms == 1.0:
        return q
    mean = rotation.average(q[:: max(1, len(q) // 64)])
    return rotation.multiply(
        mean, rotation.exp(path.style.arms * rotation.log(rotation.multiply(rotation.conjugate(mean), q)))
    )


def _scaled(q: np.ndarray, size: np.ndarray) -> np.ndarray:
    return rotation.exp(rotation.log(q) * size[:, None])


def _pole(path: TravelPath, foot: FootPath, pelvis: np.ndarray) -> np.ndarray:
    """Knees bend about an axis across where body and foot face: forward below the hips, upward in a high kick."""
    axis = rotation.rotate(rotation.yaw(0.5 * (path.heading + foot.yaw)), np.array([1.0, 0.0, 0.0]))
    return rotation.cross(axis, pelvis - foot.ankle)


def steady(
    speed: float,
    turn: float = 0.0,
    side: float = 0.0,
    run: bool = False,
    cycles: int = 1,
    name: str = "",
    style: Style = AVERAGE,
    alter: Alter | None = None,
) -> Clip:
    """A loop of whole cycles at constant speed (m/s), turn (degrees/s) and side speed (m/s), left strike first.

    alter: as for `walk_along`.
    """
    if not 1 <= cycles <= MOST_CYCLES:
        raise ParameterError(f"cycles must be 1 to {MOST_CYCLES}, got {cycles}; play the loop on instead")
    _check_range(speed, turn, side, run)
    usual = float(stride_time(np.array(np.hypot(speed, SIDE_STEPS * side)), np.array(float(run))))
    stride = np.round(usual / style.cadence * FPS) / FPS  # whole frames, so that the loop closes on one
    t = np.arange(-round(1.6 * stride * FPS), round((cycles + 1.6) * stride * FPS) + 1) / FPS
    rate = float(np.radians(turn))
    path = travel(t, 0 * t + speed, 0 * t + side, 0 * t + rate, 0 * t + float(run))
    pose, steps = walk_along(replace(path, phase=t / stride, active=np.ones(len(t)), style=style), alter=alter)
    known = {"speed": speed, "turn": float(np.degrees(rate)), "side": side}
    return loop_of(pose, steps, t, cycles * stride, name or ("run" if run else "walk"), known)


def _check_range(speed: float, turn: float, side: float, run: bool) -> None:
    """Refuse what nobody could go at."""
    gait, (low, high) = ("run", RUN_M_S) if run else ("walk", WALK_M_S)
    for what, value, least, most, unit in (
        ("speed", speed, low, high, "m/s"), ("side", side, -SIDE_M_S, SIDE_M_S, "m/s"),
        ("turn", turn, -TURN_DEG_S, TURN_DEG_S, "degrees a second"),
    ):  # fmt: skip
        if not least <= value <= most:
            raise ParameterError(f"{what} of a {gait} is {least:g} to {most:g} {unit}, got {value:g}")


def loop_of(pose: Pose, steps: Steps, t: np.ndarray, duration: float, name: str, parameters: dict[str, float]) -> Clip:
    """The frames from time 0 to a duration, at times t, as a loop with its known contacts."""
    inside = (t > -1e-9) & (t < duration + 1e-9)
    events = contact_events(steps, duration)
    return Clip(adult(), FPS, pose.at(inside), name, is_loop=True, events=events, parameters=parameters)


def contact_events(steps: Steps, duration: float) -> tuple[Event, ...]:
    """The known contacts of heels and toes inside the clip, as named spans."""
    events = []
    for side, plan in zip(("left", "right"), steps, strict=True):
        for step in plan:
            flat_from, flat_to = step.flat_s
            for part, start, end in (("heel", step.start_s, flat_to), ("toe", flat_from, step.end_s)):
                if start < duration and end > 0:
                    events.append(Event(f"{side}_{part}", max(start, 0.0), min(end, duration)))
    return tuple(sorted(events, key=lambda e: (e.start_s, e.name)))
