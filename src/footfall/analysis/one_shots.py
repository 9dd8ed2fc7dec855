"""One-shots: jumps, kicks, punches, waves and reaches inside a take, when each begins, strikes and ends.

Told by what limbs and support do, in the body's own measures: a foot that is far out and up while the other stands is a
kick; a flight that both feet begin or end together is a jump (a run's is not); a hand thrust level from a bent to a
straight arm and drawn back is a punch; a hand up and going to and fro is a wave; one that goes far out, stays there
and comes back is a reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.contacts import runs
from footfall.analysis.gait import FREE_FALL, FROUDE, GRAVITY, confidence_of
from footfall.analysis.limb_signals import LimbMotion, LimbSignals, limb_signals
from footfall.analysis.phases import Phase, find_phases

if TYPE_CHECKING:
    from footfall.core.clip import Clip

NAMES = ("kick", "jump", "punch", "wave", "reach")  # in this order: what an earlier one takes is not another's

# All limits below were set by eye, on the takes that tools/measure_actions.py counts. Lengths are in legs or in arms,
# whichever limb acts, speeds in those a second; a candidate's confidence grows with how far it passes its limits.


@dataclass(frozen=True)
class JumpLimits:
    """What a flight must be to be a jump."""

    flight_s: float = 0.12  # least time in the air
    rise: float = 0.06  # least rise of the pelvis over its usual height, legs
    together_s: float = 0.12  # most time between two feet's offs, or their strikes
    usual: float = 0.25  # quantile of the pelvis's height that is its usual one: takes full of jumps are often high
    margin_s: float = 0.25  # before the flight and after it that belong to the jump


@dataclass(frozen=True)
class KickLimits:
    """What a lifted foot must do to kick; places are those of the ankle."""

    lifted: float = 0.18  # over the other ankle: a stretch above this is looked at
    lift: float = 0.25  # over the other ankle, at the strike
    behind_lift: float = 0.5  # the same for a foot that goes back: lower it is a step's
    behind: float = 0.5  # share of the way out that is backward, from which on it goes back
    stretch: float = 0.75  # hip to ankle; 1 is straight
    out: float = 0.5  # from the hip, over the floor
    speed: float = 2.5
    surely_lift: float = 0.6  # no gait does this, with the speed below: the body may turn, travel or fly with it
    surely_speed: float = 4.0
    swing_s: float = 0.4  # before the strike, in which the speed is looked for
    margin_s: float = 0.1  # before and after the stretch that belong to the kick


@dataclass(frozen=True)
class PunchLimits:
    """What a straightening arm must do to punch."""

    bent: float = 0.72  # shoulder to wrist, before: at most
    straight: float = 0.85  # at the strike: at least
    level_deg: float = 55.0  # slope of the straight arm, at most
    speed: float = 3.0
    reach_s: float = 0.6  # time out, and time back
    drawn_back: float = 0.1  # how much of its length the arm gives back after the strike
    thrust: float = 0.25  # share of the hand's way that must be away from the shoulder: less is a swing
    ahead: float = -0.3  # of the shoulder, at least
    travel: float = 1.0  # walk-run speeds: one may lunge, not run


@dataclass(frozen=True)
class WaveLimits:
    """What a raised hand must do to wave."""

    high: float = -0.3  # wrist over the shoulder, at least
    swing: float = 0.06  # of the finger tips, at least
    swing_s: tuple[float, float] = (0.07, 0.7)  # time of one swing
    swings: int = 4  # how many it takes
    drift_s: float = 0.4  # what is slower than this is drift, not swing (standard deviation of a Gaussian)


@dataclass(frozen=True)
class ReachLimits:
    """What a hand that goes out must do to reach."""

    far: float = 0.75  # from where it hangs, at least
    width: float = 0.8  # of the way back down at which a reach begins and ends
    stretch: float = 0.72  # shoulder to wrist
    raised: float = 0.1  # or the wrist this far over the shoulder: a raised arm may be bent
    near: float = 0.85  # of the farthest: from here on it is nearly there
    stays_s: float = 0.2  # how long it is
    strides: float = 0.8  # feet that go faster than this, on average, take steps
    hangs_deg: float = -60.0  # slope of an arm that hangs, at most
    hangs_speed: float = 1.0  # and its speed


@dataclass(frozen=True)
class RestLimits:
    """When a body is at rest, between actions."""

    limb: float = 0.6  # speed of hands and feet, limb lengths a second
    travel: float = 0.15  # speed of the pelvis over the floor, legs a second
    unsupported: float = 10.0  # added while not both feet stand, in these limits
    lead_s: float = 1.2  # how far a rest is looked for before and after an action


JUMP, KICK, PUNCH, WAVE, REACH, REST = (
    JumpLimits(), KickLimits(), PunchLimits(), WaveLimits(), ReachLimits(), RestLimits(),
)  # fmt: skip
STEADY = 0.5  # walk-run speeds: a body that goes faster swings its limbs, and does not kick, wave or (at half) reach


@dataclass(frozen=True)
class OneShot:
    """One action in a take."""

    name: str  # of NAMES
    start_s: float  # at rest where the take has one near
    end_s: float
    at_s: float  # strike, or apex
    side: str  # "left", "right"; "both" for jumps from both feet
    confidence: float  # 0 to 1
    reason: str  # in words
    first_s: float = 0.0  # first movement of the action itself
    last_s: float = 0.0  # landing or return


@dataclass(frozen=True)
class _Found:
    """A candidate in frames; first and last: what it moves in, and nothing else can."""

    name: str
    first: int
    at: int
    last: int
    side: str
    confidence: float
    reason: str


_Candidate = tuple[int, int, int, str, float, str]  # of a _Found all but the name


def find_one_shots(clip: Clip, phases: Sequence[Phase] | None = None) -> list[OneShot]:
    """All actions of a take, in order; none of clips of under three frames."""
    if clip.frames < 3:
        return []
    phases = find_phases(clip) if phases is None else phases
    signals = limb_signals(clip)
    kept: list[_Found] = []
    for name, find in FINDERS.items():
        found = (_Found(name, *candidate) for candidate in find(signals, phases))
        kept += _strongest([f for f in found if not any(_meet(f, other) for other in kept)])
    kept.sort(key=lambda f: f.at)
    rests = _rests(signals, phases)
    return [_bounded(found, k, kept, rests, signals) for k, found in enumerate(kept)]


def _meet(a: _Found, b: _Found) -> bool:
    return a.first < b.last and b.first < a.last


def _strongest(found: list[_Found]) -> list[_Found]:
    """Of those of one name that overlap, two hands of one movement, the surest."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda f: -f.confidence):
        if not any(_meet(one, other) for other in kept):
            kept.append(one)
    return kept


# --- one finder each --------------------------------------------------------------------------------------------------


def _jumps(s: LimbSignals, phases: Sequence[Phase]) -> Iterator[_Candidate]:
    usual = float(np.quantile(s.pelvis, JUMP.usual))
    for k, phase in enumerate(phases):
        span = phase.end_s - phase.start_s
        if phase.label != "NS" or span < JUMP.flight_s:
            continue
        a, b = _frame(phase.start_s, s), _frame(phase.end_s, s)
        top = a + int(s.pelvis[a : b + 1].argmax())
        sag = s.pelvis[(a + b) // 2] - 0.5 * (s.pelvis[a] + s.pelvis[b])
        rise = float(s.pelvis[top]) - usual
        before, after = _one_foot(phases, k, -1), _one_foot(phases, k, 1)
        falls = sag * s.leg >= FREE_FALL * GRAVITY * span**2 / 8.0
        if not falls or rise < JUMP.rise or min(before, after) > JUMP.together_s:
            continue
        room = int(JUMP.margin_s * s.fps)
        sure = confidence_of(rise / JUMP.rise, span / JUMP.flight_s)
        how = f"{span:.2f} s in the air, the pelvis {rise:.2f} legs over its usual height, both feet together"
        yield max(a - room, 0), top, b + room, "both", sure, how


def _one_foot(phases: Sequence[Phase], k: int, way: int) -> float:
    """Seconds on one foot next to a flight; infinite where no double support is beyond, or the take ends."""
    total, at = 0.0, k + way
    while 0 <= at < len(phases) and phases[at].label in ("LS", "RS"):
        total += phases[at].end_s - phases[at].start_s
        at += way
    return total if 0 <= at < len(phases) and phases[at].label == "DS" else np.inf


def _kicks(s: LimbSignals, phases: Sequence[Phase]) -> Iterator[_Candidate]:
    if len(s.legs) != 2:
        return
    for leg, other, alone in ((s.legs[0], s.legs[1], "RS"), (s.legs[1], s.legs[0], "LS")):
        lift = leg.place[:, 1] - other.place[:, 1] * other.length / leg.length
        for a, b in runs(lift > KICK.lifted):
            out = np.hypot(leg.end[:, 0], leg.end[:, 2])
            far = out[a:b] + lift[a:b]
            k = a + int(far.argmax())
            behind = leg.end[k, 2] < -KICK.behind * out[k]
            speed = float(leg.speed[max(0, k - int(KICK.swing_s * s.fps)) : k + 1].max())
            ratios = (
                lift[k] / (KICK.behind_lift if behind else KICK.lift), leg.stretch[k] / KICK.stretch,
                out[k] / KICK.out, speed / KICK.speed,
            )  # fmt: skip
            stands = _goes_slowly(s, k) and _support(phases, k / s.fps) in (alone, "DS")
            surely = not behind and lift[k] >= KICK.surely_lift and speed >= KICK.surely_speed
            if min(ratios) < 1.0 or not (stands or surely):
                continue
            how = f"the {leg.side} foot {lift[k]:.2f} legs over the other, {out[k]:.2f} out, {speed:.1f} legs a second"
            margin = int(KICK.margin_s * s.fps)
            yield a - margin, k, b + margin, leg.side, confidence_of(*ratios), how


def _punches(s: LimbSignals, phases: Sequence[Phase]) -> Iterator[_Candidate]:
    from scipy.signal import find_peaks

    reach = max(2, int(PUNCH.reach_s * s.fps))
    for arm in s.arms:
        stretch = arm.stretch
        apart = max(1, reach // 4)
        for k in find_peaks(stretch, height=PUNCH.straight, prominence=PUNCH.drawn_back, distance=apart)[0]:
            a, b = max(0, k - reach), min(len(stretch), k + reach)
            bent = a + int(stretch[a : k + 1].argmin())
            least = float(stretch[bent])
            # from the last bent moment: otherwise the punches of a combination would overlap
            a += int(np.flatnonzero(stretch[a : k + 1] <= max(PUNCH.bent, least))[-1])
            back = float(stretch[k] - stretch[k:b].min())
            b = k + int(np.argmax(stretch[k:b] < stretch[k] - min(PUNCH.drawn_back, back))) + 1
            speed = float(arm.speed[max(0, k - reach) : k + 1].max())
            way = float(np.linalg.norm(arm.end[k] - arm.end[bent]))
            thrust = float(stretch[k] - least) / max(way, 1e-9)
            drawn = least <= PUNCH.bent and back >= PUNCH.drawn_back
            level = abs(_slope(arm, k)) <= PUNCH.level_deg and arm.end[k, 2] > PUNCH.ahead
            quick = speed >= PUNCH.speed and thrust >= PUNCH.thrust
            if not (drawn and level and quick and _goes_slowly(s, k, PUNCH.travel)):
                continue
            way_out = (stretch[k] - least) / (PUNCH.straight - PUNCH.bent)
            sure = confidence_of(speed / PUNCH.speed, PUNCH.bent / least, way_out)
            how = f"the {arm.side} arm from {least:.2f} to {stretch[k]:.2f} of its length, {speed:.1f} a second"
            yield a, int(k), b, arm.side, sure, how


def _waves(s: LimbSignals, phases: Sequence[Phase]) -> Iterator[_Candidate]:
    for arm in s.arms:
        up = (arm.end[:, 1] > WAVE.high) & (arm.end[:, 1] > arm.middle[:, 1])
        for a, b in runs(up):
            turns = _turning_points(arm.tip[a:b], s.fps) + a
            swung = _swinging(turns, s.fps)
            if not swung:
                continue
            longest = max(swung, key=len)
            swings, k = len(longest) - 1, int(longest[len(longest) // 2])
            flies = any(
                p.label == "NS" and p.start_s * s.fps < longest[-1] and p.end_s * s.fps > longest[0] for p in phases
            )
            if swings < WAVE.swings or flies or not _goes_slowly(s, k):
                continue
            how = f"the {arm.side} hand up, {swings} swings in {(longest[-1] - longest[0]) / s.fps:.1f} s"
            yield a, k, b, arm.side, confidence_of(swings / WAVE.swings + 0.5), how


def _reaches(s: LimbSignals, phases: Sequence[Phase]) -> Iterator[_Candidate]:
    from scipy.signal import find_peaks, peak_widths

    for arm in s.arms:
        away = np.linalg.norm(arm.place - _hanging(arm), axis=-1)
        padded = np.concatenate([[away[0]], away, [away[-1]]])
        peaks = find_peaks(padded, height=REACH.far, prominence=0.5 * REACH.far)[0]
        _, _, starts, ends = peak_widths(padded, peaks, rel_height=REACH.width)
        for peak, start, end in zip(peaks, starts, ends, strict=True):
            near = next((a, b) for a, b in runs(away >= REACH.near * away[peak - 1]) if a <= peak - 1 < b)
            near = max(near[0], int(start)), min(near[1], int(end))
            stays = (near[1] - near[0]) / s.fps
            k = int(np.mean(near))
            straight = max(arm.stretch[k] / REACH.stretch, 1.0 if arm.end[k, 1] > REACH.raised else 0.0)
            ratios = (away[k] / REACH.far, straight, stays / REACH.stays_s)
            feet = max((float(leg.speed[near[0] : near[1] + 1].mean()) for leg in s.legs), default=0.0)
            if min(ratios) < 1.0 or feet > REACH.strides or not _goes_slowly(s, k, 0.5 * STEADY):
                continue
            how = f"the {arm.side} hand {away[k]:.2f} arms from where it hangs, {stays:.2f} s near there"
            yield int(start), k, int(end), arm.side, confidence_of(*ratios), how


FINDERS = dict(zip(NAMES, (_kicks, _jumps, _punches, _waves, _reaches), strict=True))


# --- what they look at ------------------------------------------------------------------------------------------------


def _frame(t_s: float, s: LimbSignals) -> int:
    return min(max(round(t_s * s.fps), 0), len(s.pelvis) - 1)


def _goes_slowly(s: LimbSignals, k: int, share: float = STEADY) -> bool:
    return bool(s.travel[k] * s.leg < share * np.sqrt(FROUDE * GRAVITY * s.leg))


def _support(phases: Sequence[Phase], t_s: float) -> str:
    return next((p.label for p in phases if p.start_s <= t_s <= p.end_s), phases[-1].label)


def _slope(arm: LimbMotion, k: int | slice) -> np.ndarray:
    """Degrees over the level of the line from shoulder to wrist."""
    end = arm.end[k]
    return np.degrees(np.arctan2(end[..., 1], np.hypot(end[..., 0], end[..., 2])))


def _turning_points(path: np.ndarray, fps: float) -> np.ndarray:
    """Frames in which a hand (n, 3) turns round on the line it swings along most, slow drift taken off."""
    from scipy.ndimage import gaussian_filter1d
    from scipy.signal import find_peaks

    if len(path) < 5:
        return np.zeros(0, int)
    level = path[:, [0, 2]]  # to be lifted and lowered is no swing
    quick = level - gaussian_filter1d(level, WAVE.drift_s * fps, axis=0, mode="nearest")
    axis = np.linalg.svd(quick - quick.mean(axis=0), full_matrices=False)[2][0]
    along = quick @ axis
    ends = [find_peaks(x, prominence=WAVE.swing)[0] for x in (along, -along)]
    return np.sort(np.concatenate(ends))


def _swinging(turns: np.ndarray, fps: float) -> list[np.ndarray]:
    """Turning points that follow each other as in swinging."""
    if len(turns) < 2:
        return []
    apart = np.diff(turns) / fps
    ok = (apart >= WAVE.swing_s[0]) & (apart <= WAVE.swing_s[1])
    return [turns[a : b + 1] for a, b in runs(ok)]


def _hanging(arm: LimbMotion) -> np.ndarray:
    """(3,) where the hand rests: mean of slow moments in which the arm hangs, else where the take begins."""
    hangs = (_slope(arm, slice(None)) < REACH.hangs_deg) & (arm.speed < REACH.hangs_speed)
    return arm.place[hangs].mean(axis=0) if hangs.any() else arm.place[0]


# --- where they begin and end -----------------------------------------------------------------------------------------


def _rests(s: LimbSignals, phases: Sequence[Phase]) -> np.ndarray:
    """(T,) how far from rest the body is: under 1 it stands still on both feet."""
    busy = np.maximum.reduce([s.travel / REST.travel, *(limb.speed / REST.limb for limb in (*s.arms, *s.legs))])
    t = np.arange(len(busy)) / s.fps
    for phase in phases:
        if phase.label != "DS":
            busy = np.where((t > phase.start_s) & (t < phase.end_s), np.maximum(busy, 1.0) + REST.unsupported, busy)
    return busy


def _bounded(found: _Found, k: int, every: Sequence[_Found], busy: np.ndarray, s: LimbSignals) -> OneShot:
    """The action from the rest before it to the rest after it; else from the calmest moments near."""
    lead = int(REST.lead_s * s.fps)
    low = max(0, found.first - lead, every[k - 1].last if k else 0)
    high = min(len(busy) - 1, found.last + lead, every[k + 1].first if k + 1 < len(every) else len(busy))
    first, last = max(found.first, 0), min(found.last, len(busy) - 1)
    low, high = min(low, first), max(high, last)
    before, after = busy[low : first + 1], busy[last : high + 1]
    still, ends = np.flatnonzero(before < 1.0), np.flatnonzero(after < 1.0)
    start = low + (int(still[-1]) if len(still) else int(before.argmin()))
    end = last + (int(ends[0]) if len(ends) else int(after.argmin()))
    start_s, end_s, at_s, first_s, last_s = (float(f / s.fps) for f in (start, end, found.at, first, last))
    sure = round(found.confidence, 3)
    return OneShot(found.name, start_s, end_s, at_s, found.side, sure, found.reason, first_s, last_s)
