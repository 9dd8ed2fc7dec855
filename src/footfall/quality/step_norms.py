"""Step norms: how long and how quick human steps are at a speed, and how far single steps stray from that.

The mean is the cadence the built-in gaits were fitted with (stride time 1.32 v^-0.588 s walking, 1.21 v^-0.40 s
running; tools/fit_gait.py). The spread is that of single steps of captured takes around it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.analysis.gait import FROUDE, GRAVITY
from footfall.analysis.stances import FLOOR, LANDING
from footfall.core.once import once
from footfall.quality.body_signals import BodySignals
from footfall.quality.momentum import pelvis_speed
from footfall.quality.skate import LEG_M

WALK_STRIDE_S, WALK_POWER = (
    1.32,
    0.588,
)  # of the built-in walks at 1 m/s, and how it falls with speed (tools/fit_gait.py)
SWING_SHARE, SWING_PEAK = 0.4, 2.0  # of a stride that a foot swings, and its peak over its mean speed: built-in walks
SLOWEST_M_S = 0.83  # a slower body may step as far as at this speed: 95 % of captured steps below 1 m/s are no longer
RUN_M_S = float(np.sqrt(FROUDE * GRAVITY * LEG_M))  # people run from about here on (Alexander 1989)
# standard deviations of captured steps (250 of 12 people): how much longer they are than the norm at their speed, and
# how quick they are. Speed says nothing of that: steps on the spot, and those of a quick stop, are as short as need be
LONGER = 0.09
QUICK_S, QUICKER = 0.2, 0.25
TOGETHER_S = 0.12  # feet that land within this land together, as from a jump: that is no step. By eye; steps take 0.2 s
STEP_S = 0.6  # how fast a body goes at a step is told over this long at most: one that stood before is not slow. By eye
SHORTEST_M = 0.35  # shorter steps are adjustments, which may be as quick as they like
WALK_LIFT_M, RUN_LIFT_M = 0.126, 0.41  # 95 % of 192 captured swings below running speed, of 81 above, are less
LEAST_SWING_S = 0.08  # a shorter one is a stance that was told as two
MADE_S = 0.05  # a seam that is shorter makes no step
LANDING_S = 0.3  # after a seam is over, a foot that was led by it may still land
FLIGHT_SLACK_S = 0.07  # flights are told to about this


class StepTaken(NamedTuple):
    """One step: from the other foot's strike to this one's."""

    foot: int
    strike_s: float
    length_m: float
    duration_s: float
    speed_m_s: float  # of the pelvis meanwhile


@once
def steps_of(s: BodySignals) -> tuple[StepTaken, ...]:
    """Every step of a clip: strikes of one foot after strikes of the other."""
    found = []
    stances = list(s.stances)
    for here in stances:
        others = [o for o in stances if o.foot != here.foot and o.start_s < here.start_s - 1e-6]
        own = [o for o in stances if o.foot == here.foot and o.start_s < here.start_s - 1e-6]
        if not others or here.start_s <= 1e-6:
            continue
        last = others[-1]
        if own and own[-1].start_s > last.start_s:  # hopped twice on the same foot
            continue
        duration = here.start_s - last.start_s if last.start_s > 1e-6 else np.nan
        since = max(last.start_s, here.start_s - STEP_S)
        a, b = (min(max(round(t * s.fps), 0), len(s.pelvis) - 1) for t in (since, here.start_s))
        way = float(np.linalg.norm(s.pelvis[b, FLOOR] - s.pelvis[a, FLOOR]))
        length = float(np.linalg.norm(here.place - last.place))
        speed = way / (b - a) * s.fps if b > a else 0.0
        found.append(StepTaken(here.foot, here.start_s, length, duration, speed))
    return tuple(found)


def usual_step_m(speed_m_s: float) -> float:
    """Length of a step at a speed."""
    v = max(speed_m_s, SLOWEST_M_S)
    stride_s = WALK_STRIDE_S * v**-WALK_POWER if v < RUN_M_S else 1.21 * v**-0.40
    return 0.5 * stride_s * v


def strays(step: StepTaken) -> float:
    """How many spreads a step is longer, or quicker, than people's; 0 or less is inside the norm."""
    if step.length_m < SHORTEST_M or step.duration_s < TOGETHER_S:
        return 0.0
    longer = (step.length_m / usual_step_m(step.speed_m_s) - 1.0) / LONGER
    quicker = 0.0 if np.isnan(step.duration_s) else (QUICK_S / step.duration_s - 1.0) / QUICKER
    return float(max(longer, quicker))


class SwingLift(NamedTuple):
    """How high a foot is raised between two stances."""

    top_s: float  # when it is highest
    land_s: float
    lift_m: float  # the lower of heel and ball, over the higher of the stances
    speed_m_s: float  # from stance to stance


def usual_lift_m(speed_m_s: float) -> float:
    """How high people raise a foot at most at a speed: runners draw their heels up."""
    return WALK_LIFT_M if speed_m_s < RUN_M_S else RUN_LIFT_M


@once
def swing_lifts(s: BodySignals) -> tuple[SwingLift, ...]:
    """Of every swing."""
    found = []
    for foot in (0, 1):
        for a, b in pairwise([stance for stance in s.stances if stance.foot == foot]):
            sole = s.soles[round(a.end_s * s.fps) : round(b.start_s * s.fps) + 1, foot, :2, 1]
            if b.start_s - a.end_s >= LEAST_SWING_S and len(sole):
                lower, way = sole.min(axis=1), float(np.linalg.norm(b.place - a.place))
                top_s, lift = a.end_s + int(lower.argmax()) / s.fps, float(lower.max()) - max(a.level, b.level)
                found.append(SwingLift(top_s, b.start_s, lift, way / (b.start_s - a.start_s)))
    return tuple(found)


class StanceTurn(NamedTuple):
    """How far a foot turns about the vertical while it stands."""

    start_s: float
    end_s: float
    turn_deg: float


@once
def stance_turns(s: BodySignals) -> tuple[StanceTurn, ...]:
    """Of every stance, but for its ends, in which the foot lands and lifts."""
    found = []
    for stance in s.stances:
        edge = LANDING * (stance.end_s - stance.start_s)
        rows = slice(round((stance.start_s + edge) * s.fps), round((stance.end_s - edge) * s.fps) + 1)
        along = s.soles[rows, stance.foot, 1] - s.soles[rows, stance.foot, 0]
        if len(along):
            yaw = np.unwrap(np.arctan2(along[:, 0], along[:, 2]))
            found.append(StanceTurn(stance.start_s, stance.end_s, float(np.degrees(np.ptp(yaw)))))
    return tuple(found)


@once
def stands_apart(s: BodySignals) -> float:
    """How many spreads the feet of a clip stand farther apart than people's step: a fighter's stance is no odd step."""
    both = s.down.all(axis=1)
    if not both.any():
        return 0.0
    apart = np.linalg.norm(s.soles[:, 0, 1, FLOOR] - s.soles[:, 1, 1, FLOOR], axis=-1)[both]
    speed = pelvis_speed(s)[both]
    lengths = np.array([usual_step_m(float(v)) for v in speed])
    return float(((apart / lengths - 1.0) / LONGER).max())


def usual_swing_m_s(s: BodySignals, start_s: float, end_s: float) -> float:
    """The fastest a foot of the built-in gaits goes in swings as long as those between two times."""
    found = 0.0
    for foot in (0, 1):
        mine = [stance for stance in s.stances if stance.foot == foot]
        for a, b in pairwise(mine):
            if a.end_s < end_s and b.start_s > start_s:
                way = float(np.linalg.norm(b.place - a.place))
                found = max(found, SWING_PEAK * way / (SWING_SHARE * usual_stride_s(0.5 * way)))
    return found


def usual_stride_s(step_m: float) -> float:
    """How long a walking stride of steps of a length lasts; steps shorter than a slow walk's last as long as those."""
    speed = max((2.0 * step_m / WALK_STRIDE_S) ** (1.0 / (1.0 - WALK_POWER)), SLOWEST_M_S)
    return float(WALK_STRIDE_S * speed**-WALK_POWER)


def longest_flight_s(down: np.ndarray, fps: float) -> float:
    """The longest time in which no foot stands, of frames (T, 2); flights cut by the ends count as far as seen."""
    none = ~down.any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], none.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    return float(lengths.max(initial=0)) / fps


def flight_at_s(down: np.ndarray, fps: float) -> float:
    """How long no foot stands from the first frame of (T, 2) on: a clip may be cut out of a flight."""
    stands = np.flatnonzero(down.any(axis=1))
    return float(stands[0] if len(stands) else len(down)) / fps
