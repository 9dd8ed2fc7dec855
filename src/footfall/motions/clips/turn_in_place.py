"""Turning on the spot by angle degrees (to the left) in pairs of steps, ending in the same stance."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import action, starts
from footfall.motions.foot_path import FootPath
from footfall.motions.keyframes import Key, curve
from footfall.motions.rolling_feet import ALWAYS, Stand, clear_of_floor, contact_spans, rolling_foot

PER_STEP = 65.0  # degrees a pair of steps turns at most; a captured walker turned round at 90 degrees a second
MOST_PAIRS = 24
SWING_S, PAUSE_S, LEAD_S = 0.37, 0.02, 0.26  # a foot in the air, both feet down, before the first step
CHEST_S, GAZE_S = 0.15, 0.34  # chest and gaze are ahead of the hips by this time: captured shoulders by 3 to 10 degrees
LAGS = 0.045  # metres a second of turn in radians: how far hands stay behind the chest
ARM_S = 0.12  # seconds hanging arms take to follow
LIFT = 0.075  # of the ankle, metres


def make(angle: float = 90.0, pairs: int = 0, seed: int = 0) -> Clip:
    if not 1.0 <= abs(angle) <= 720.0:
        raise ParameterError(f"angle must be 1 to 720 degrees either way, got {angle:g}")
    rng = action.random_of(seed)
    tempo = 1.0 + rng.uniform(-0.1, 0.1)
    start = starts.relaxed(width=rng.uniform(1.0, 1.2))
    if not 0 <= pairs <= MOST_PAIRS:
        raise ParameterError(f"pairs of steps must be 1 to {MOST_PAIRS}, or 0 for as many as it takes, got {pairs}")
    pairs = pairs or int(np.ceil(abs(angle) / PER_STEP))
    first = 0 if angle > 0 else 1  # the foot on the side it turns to goes first
    begins = LEAD_S * tempo + np.arange(2 * pairs) * (SWING_S + PAUSE_S) * tempo
    end = action.on_frame(begins[-1] + (SWING_S + 0.42) * tempo)
    t = action.frames(end)
    plans = [_steps(start, side, angle, pairs, begins[(side != first) :: 2], SWING_S * tempo) for side in (0, 1)]
    pitches = [_pitch(stands, t) for stands in plans]

    def feet(pelvis: np.ndarray, turn: np.ndarray) -> action.Feet:
        left, right = (_stepping(stands, t, pitch) for stands, pitch in zip(plans, pitches, strict=True))
        return left, right

    heading = _heading(plans, t, 0.0)
    ahead = _heading(plans, t, CHEST_S)
    plan = start.plan(t)
    zero = np.zeros(len(t))
    gaze = rotation.rotate(rotation.yaw(_heading(plans, t, GAZE_S)), np.array([0.0, 1.5, 4.0]))
    plan = replace(
        plan,
        pelvis=plan.pelvis - 0.012 * curve([(0.0, 0.0), (begins[0], 1.0), (end - 0.3, 1.0), (end, 0.0)], t)[:, None]
        * rotation.UP,
        turn=np.column_stack([np.degrees(heading), zero, zero]),
        chest=plan.chest + np.column_stack([np.degrees(ahead - heading), zero, zero]),
        gaze=gaze,
        looks=np.full(len(t), 0.8),
        left=replace(start.left, rest=start.left.rest + np.outer(_rate(ahead), [0.0, 0.0, LAGS])),
        right=replace(start.right, rest=start.right.rest - np.outer(_rate(ahead), [0.0, 0.0, LAGS])),
        feet=feet,
        knees=(0.6 * start.stands[0].yaw + heading, 0.6 * start.stands[1].yaw + heading),
        mass=_weight(start, plans, t),
    )  # fmt: skip
    events = [
        e for side, s, p in zip(("left", "right"), plans, pitches, strict=True) for e in contact_spans(side, s, t, p)
    ]
    return action.clip_of(plan, "turn_in_place", events, {"angle": angle})


def _steps(start: starts.Start, side: int, angle: float, pairs: int, begins: np.ndarray, swing_s: float) -> list[Stand]:
    """Where one foot stands and when; every step turns it by the same part of the angle."""
    home = start.stands[side]
    stands = []
    for i in range(pairs + 1):
        yaw = np.radians(angle * i / pairs)
        x, _, z = rotation.rotate(rotation.yaw(yaw), np.array([home.x, 0.0, home.z]))
        since = begins[i - 1] + swing_s if i else -ALWAYS
        until = begins[i] if i < pairs else ALWAYS
        stands.append(Stand(float(x), float(z), home.yaw + float(yaw), float(since), float(until)))
    return stands


def _stepping(stands: list[Stand], t: np.ndarray, pitch: np.ndarray) -> FootPath:
    """One foot through all its steps."""
    foot = rolling_foot(stands, t, pitch, [_over(a, b) for a, b in pairwise(stands)])
    for before, after in pairwise(stands):
        foot = clear_of_floor(foot, t, before.end_s, after.start_s)
    return foot


def _over(before: Stand, after: Stand) -> list[Key]:
    """The ankle halfway through a step."""
    middle = 0.5 * (before.end_s + after.start_s)
    return [Key(middle, [0.5 * (before.x + after.x), 0.078 + LIFT, 0.5 * (before.z + after.z)])]


def _pitch(stands: list[Stand], t: np.ndarray) -> np.ndarray:
    """(T,) the heel comes up before the foot leaves, and is nearly down when it lands."""
    keys: list[tuple[float, float]] = [(-1.0, 0.0)]
    for before, after in pairwise(stands):
        off, on = before.end_s, after.start_s
        keys += [(off - 0.12, 0.0), (off, -0.3), (off + 0.06, -0.38), (on, -0.07), (on + 0.07, 0.0)]
    return curve([*keys, (t[-1] + 1.0, 0.0)], t)


def _heading(plans: list[list[Stand]], t: np.ndarray, earlier_s: float) -> np.ndarray:
    """(T,) radians the body has turned: the mean of the feet, in one smooth sweep a step."""
    turned = np.zeros(len(t))
    for stands in plans:
        for before, after in pairwise(stands):
            span = (before.end_s - 0.12 - earlier_s, after.start_s + 0.14 - earlier_s)
            turned += 0.5 * curve([(span[0], 0.0), (span[1], after.yaw - before.yaw)], t)
    return turned


def _rate(heading: np.ndarray) -> np.ndarray:
    """(T,) radians a second, smoothed as hanging arms would."""
    from scipy.ndimage import gaussian_filter1d

    rate = gaussian_filter1d(np.gradient(heading) * action.FPS, ARM_S * action.FPS)
    still = 2.5 * ARM_S  # seconds at either end in which the arms come to rest
    t = np.arange(len(heading)) / action.FPS
    return np.asarray(rate * curve([(0.0, 0.0), (still, 1.0), (t[-1] - still, 1.0), (t[-1], 0.0)], t))


def _weight(start: starts.Start, plans: list[list[Stand]], t: np.ndarray) -> np.ndarray:
    """(T, 2) the centre of mass: over the foot that stays while the other is in the air."""
    ahead = start.balance[2]
    keys: list[tuple[float, np.ndarray]] = [(0.0, np.array([0.0, ahead]))]
    swings = sorted((a.end_s, b.start_s, side) for side in (0, 1) for a, b in pairwise(plans[side]))
    for off, on, side in swings:
        stays = next(s for s in plans[1 - side] if s.start_s <= off <= s.end_s)
        yaw = stays.yaw - start.stands[1 - side].yaw
        forward = rotation.rotate(rotation.yaw(yaw), np.array([0.0, 0.0, ahead]))
        keys.append((0.5 * (off + on), 0.62 * np.array([stays.x, stays.z]) + forward[[0, 2]]))
    yaw = plans[0][-1].yaw - start.stands[0].yaw
    keys.append((float(t[-1]), rotation.rotate(rotation.yaw(yaw), np.array([0.0, 0.0, ahead]))[[0, 2]]))
    return curve(keys, t)
