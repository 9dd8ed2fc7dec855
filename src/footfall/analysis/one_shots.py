"""One-shots: jumps, kicks, punches, waves and reaches inside a take, when each begins, strikes and ends.

Told by what limbs and support do, in the body's own measures: a foot that is far out and up while the other stands is a
kick; a flight that both feet begin or end together is a jump (a run's is not); a hand thrust level from a bent to a
straight arm and drawn back is a punch; a hand up and going to and fro is a wave; one that goes far out, stays there
and comes back is a reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.gait import FREE_FALL, FROUDE, GRAVITY, _squash
from footfall.analysis.limb_signals import LimbMotion, LimbSignals, limb_signals
from footfall.analysis.phases import Phase, find_phases

if TYPE_CHECKING:
    from footfall.core.clip import Clip

NAMES = ("kick", "jump", "punch", "wave", "reach")  # in this order: what an earlier one takes is not another's
STEADY = 0.5  # of the walk-run speed: a body that goes faster kicks, punches, waves and reaches not, it swings
# jump: seconds in the air, leg lengths the pelvis rises over its usual height, seconds between two feet's offs
FLIGHT_S, RISE, TOGETHER_S = 0.12, 0.06, 0.12
STANDING = 0.25  # quantile of the pelvis's height that is its usual one: takes full of jumps are high half of the time
# kick: ankle over the other one, hip to ankle (1 is straight), over the floor; leg lengths; and legs a second
LIFTED, KICK_LIFT, KICK_STRETCH, KICK_OUT, KICK_SPEED = 0.18, 0.25, 0.75, 0.5, 2.5
SURELY_LIFT, SURELY_SPEED = 0.6, 4.0  # no gait does this, so a body may turn, travel or fly with it
BEHIND_LIFT = 0.5  # of a foot that goes back: lower it is a step's
# punch: how bent and how straight the arm is, in its lengths; its slope; arm lengths a second; seconds out and back
BENT, STRAIGHT, LEVEL_DEG, PUNCH_SPEED, THRUST_S = 0.72, 0.85, 55.0, 3.0, 0.6
DRAWN_BACK = 0.1  # arm lengths
THRUST = 0.25  # of the hand's way that must be away from the shoulder: less is a swing
RUNS = 1.0  # walk-run speeds: one may lunge, not run
# wave: the wrist's height from the shoulder, a swing of the finger tips, arm lengths; seconds of one; how many it takes
HIGH, SWING, SWING_S, SWINGS = -0.3, 0.06, (0.07, 0.7), 4
# reach: how far from where it hangs, arm lengths; how straight; for how long nearly there
FAR, REACH_STRETCH, NEAR, STAYS_S = 0.75, 0.72, 0.85, 0.2
STRIDES = 0.8  # leg lengths a second: feet that go faster, on average, take steps
RAISED = 0.1  # or the wrist over the shoulder, arm lengths: an arm raised may be bent
HANGS_DEG = -60.0
REST, REST_TRAVEL = 0.6, 0.15  # a second, limb lengths and leg lengths: slower it rests
LEAD_S = 1.2  # how far a rest is looked for before and after


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


def find_one_shots(clip: Clip, phases: Sequence[Phase] | None = None) -> list[OneShot]:
    """All actions of a take, in order; none of clips of under three frames."""
    if clip.frames < 3:
        return []
    phases = find_phases(clip) if phases is None else phases
    signals = limb_signals(clip)
    kept: list[_Found] = []
    finders: tuple[Callable[[LimbSignals, Sequence[Phase]], list[_Found]], ...]
    finders = (_kicks, _jumps, _punches, _waves, _reaches)
    for find in finders:
        new = [f for f in find(signals, phases) if not any(_meet(f, other) for other in kept)]
        kept += _strongest(new)
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


def _jumps(s: LimbSignals, phases: Sequence[Phase]) -> list[_Found]:
    usual = float(np.quantile(s.pelvis, STANDING))
    found = []
    for k, phase in enumerate(phases):
        span = phase.end_s - phase.start_s
        if phase.label != "NS" or span < FLIGHT_S:
            continue
        a, b = _frame(phase.start_s, s), _frame(phase.end_s, s)
        top = a + int(s.pelvis[a : b + 1].argmax())
        sag = s.pelvis[(a + b) // 2] - 0.5 * (s.pelvis[a] + s.pelvis[b])
        rise = float(s.pelvis[top]) - usual
        before, after = _one_foot(phases, k, -1), _one_foot(phases, k, 1)
        if sag * s.leg < FREE_FALL * GRAVITY * span**2 / 8.0 or rise < RISE or min(before, after) > TOGETHER_S:
            continue
        room = int(0.25 * s.fps)
        sure = _squash(rise / RISE, span / FLIGHT_S)
        how = f"{span:.2f} s in the air, the pelvis {rise:.2f} legs over its usual height, both feet together"
        found.append(_Found("jump", max(a - room, 0), top, b + room, "both", sure, how))
    return found


def _one_foot(phases: Sequence[Phase], k: int, way: int) -> float:
    """Seconds on one foot next to a flight; infinite where no double support is beyond, or the take ends."""
    total, at = 0.0, k + way
    while 0 <= at < len(phases) and phases[at].label in ("LS", "RS"):
        total += phases[at].end_s - phases[at].start_s
        at += way
    return total if 0 <= at < len(phases) and phases[at].label == "DS" else np.inf


def _kicks(s: LimbSignals, phases: Sequence[Phase]) -> list[_Found]:
    if len(s.legs) != 2:
        return []
    found = []
    for leg, other, alone in ((s.legs[0], s.legs[1], "RS"), (s.legs[1], s.legs[0], "LS")):
        lift = leg.place[:, 1] - other.place[:, 1] * other.length / leg.length
        for a, b in _stretches(lift > LIFTED):
            out = np.hypot(leg.end[:, 0], leg.end[:, 2])
            far = out[a:b] + lift[a:b]
            k = a + int(far.argmax())
            behind = leg.end[k, 2] < -0.5 * out[k]
            speed = float(leg.speed[max(0, k - int(0.4 * s.fps)) : k + 1].max())
            ratios = (
                lift[k] / (BEHIND_LIFT if behind else KICK_LIFT), leg.stretch[k] / KICK_STRETCH, out[k] / KICK_OUT,
                speed / KICK_SPEED,
            )  # fmt: skip
            stands = _goes_slowly(s, k) and _support(phases, k / s.fps) in (alone, "DS")
            if min(ratios) < 1.0 or not (stands or (not behind and lift[k] >= SURELY_LIFT and speed >= SURELY_SPEED)):
                continue
            how = f"the {leg.side} foot {lift[k]:.2f} legs over the other, {out[k]:.2f} out, {speed:.1f} legs a second"
            found.append(_Found("kick", a - int(0.1 * s.fps), k, b + int(0.1 * s.fps), leg.side, _squash(*ratios), how))
    return found


def _punches(s: LimbSignals, phases: Sequence[Phase]) -> list[_Found]:
    from scipy.signal import find_peaks

    found, reach = [], max(2, int(THRUST_S * s.fps))
    for arm in s.arms:
        stretch = arm.stretch
        for k in find_peaks(stretch, height=STRAIGHT, prominence=DRAWN_BACK, distance=max(1, reach // 4))[0]:
            a, b = max(0, k - reach), min(len(stretch), k + reach)
            bent = a + int(stretch[a : k + 1].argmin())
            least = float(stretch[bent])
            a += int(np.flatnonzero(stretch[a : k + 1] <= max(BENT, least))[-1])  # combinations overlap but for this
            back = float(stretch[k] - stretch[k:b].min())
            b = k + int(np.argmax(stretch[k:b] < stretch[k] - min(DRAWN_BACK, back))) + 1
            level = abs(_slope(arm, k))
            speed = float(arm.speed[max(0, k - reach) : k + 1].max())
            way = float(np.linalg.norm(arm.end[k] - arm.end[bent]))
            thrust = float(stretch[k] - least) / max(way, 1e-9)
            ahead = arm.end[k, 2] > -0.3
            if least > BENT or level > LEVEL_DEG or back < DRAWN_BACK or not ahead or not _goes_slowly(s, k, RUNS):
                continue
            if speed < PUNCH_SPEED or thrust < THRUST:
                continue
            sure = _squash(speed / PUNCH_SPEED, BENT / least, (stretch[k] - least) / (STRAIGHT - BENT))
            how = f"the {arm.side} arm from {least:.2f} to {stretch[k]:.2f} of its length, {speed:.1f} a second"
            found.append(_Found("punch", a, int(k), b, arm.side, sure, how))
    return found


def _waves(s: LimbSignals, phases: Sequence[Phase]) -> list[_Found]:
    found = []
    for arm in s.arms:
        up = (arm.end[:, 1] > HIGH) & (arm.end[:, 1] > arm.middle[:, 1])
        for a, b in _stretches(up):
            turns = _turning_points(arm.tip[a:b], s.fps) + a
            runs = _runs(turns, s.fps)
            if not runs:
                continue
            longest = max(runs, key=len)
            swings, k = len(longest) - 1, int(longest[len(longest) // 2])
            flies = any(
                p.label == "NS" and p.start_s * s.fps < longest[-1] and p.end_s * s.fps > longest[0] for p in phases
            )
            if swings < SWINGS or flies or not _goes_slowly(s, k):
                continue
            how = f"the {arm.side} hand up, {swings} swings in {(longest[-1] - longest[0]) / s.fps:.1f} s"
            found.append(_Found("wave", a, k, b, arm.side, _squash(swings / SWINGS + 0.5), how))
    return found


def _reaches(s: LimbSignals, phases: Sequence[Phase]) -> list[_Found]:
    from scipy.signal import find_peaks, peak_widths

    found = []
    for arm in s.arms:
        away = np.linalg.norm(arm.place - _hanging(arm), axis=-1)
        padded = np.concatenate([[away[0]], away, [away[-1]]])
        peaks = find_peaks(padded, height=FAR, prominence=0.5 * FAR)[0]
        _, _, starts, ends = peak_widths(padded, peaks, rel_height=0.8)
        for peak, start, end in zip(peaks, starts, ends, strict=True):
            near = next((a, b) for a, b in _stretches(away >= NEAR * away[peak - 1]) if a <= peak - 1 < b)
            near = max(near[0], int(start)), min(near[1], int(end))
            stays = (near[1] - near[0]) / s.fps
            k = int(np.mean(near))
            straight = max(arm.stretch[k] / REACH_STRETCH, 1.0 if arm.end[k, 1] > RAISED else 0.0)
            ratios = (away[k] / FAR, straight, stays / STAYS_S)
            feet = max((float(leg.speed[near[0] : near[1] + 1].mean()) for leg in s.legs), default=0.0)
            if min(ratios) < 1.0 or feet > STRIDES or not _goes_slowly(s, k, 0.5 * STEADY):
                continue
            how = f"the {arm.side} hand {away[k]:.2f} arms from where it hangs, {stays:.2f} s near there"
            found.append(_Found("reach", int(start), k, int(end), arm.side, _squash(*ratios), how))
    return found


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


def _stretches(where: np.ndarray) -> list[tuple[int, int]]:
    """(first, past the last) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], where.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _turning_points(path: np.ndarray, fps: float) -> np.ndarray:
    """Frames in which a hand (n, 3) turns round on the line it swings along most, slow drift taken off."""
    from scipy.ndimage import gaussian_filter1d
    from scipy.signal import find_peaks

    if len(path) < 5:
        return np.zeros(0, int)
    level = path[:, [0, 2]]  # to be lifted and lowered is no swing
    quick = level - gaussian_filter1d(level, 0.4 * fps, axis=0, mode="nearest")
    axis = np.linalg.svd(quick - quick.mean(axis=0), full_matrices=False)[2][0]
    along = quick @ axis
    ends = [find_peaks(x, prominence=SWING)[0] for x in (along, -along)]
    return np.sort(np.concatenate(ends))


def _runs(turns: np.ndarray, fps: float) -> list[np.ndarray]:
    """Turning points that follow each other as in swinging."""
    if len(turns) < 2:
        return []
    apart = np.diff(turns) / fps
    ok = (apart >= SWING_S[0]) & (apart <= SWING_S[1])
    return [turns[a : b + 1] for a, b in _stretches(ok)]


def _hanging(arm: LimbMotion) -> np.ndarray:
    """(3,) where the hand rests: mean of slow moments in which the arm hangs, else where the take begins."""
    hangs = (_slope(arm, slice(None)) < HANGS_DEG) & (arm.speed < 1.0)
    return arm.place[hangs].mean(axis=0) if hangs.any() else arm.place[0]


# --- where they begin and end -----------------------------------------------------------------------------------------


def _rests(s: LimbSignals, phases: Sequence[Phase]) -> np.ndarray:
    """(T,) how far from rest the body is: under 1 it stands still on both feet."""
    busy = np.maximum.reduce([s.travel / REST_TRAVEL, *(limb.speed / REST for limb in (*s.arms, *s.legs))])
    t = np.arange(len(busy)) / s.fps
    for phase in phases:
        if phase.label != "DS":
            busy = np.where((t > phase.start_s) & (t < phase.end_s), np.maximum(busy, 1.0) + 10.0, busy)
    return busy


def _bounded(found: _Found, k: int, every: Sequence[_Found], busy: np.ndarray, s: LimbSignals) -> OneShot:
    """The action from the rest before it to the rest after it; else from the calmest moments near."""
    lead = int(LEAD_S * s.fps)
    low = max(0, found.first - lead, every[k - 1].last if k else 0)
    high = min(len(busy) - 1, found.last + lead, every[k + 1].first if k + 1 < len(every) else len(busy))
    first, last = max(found.first, 0), min(found.last, len(busy) - 1)
    low, high = min(low, first), max(high, last)
    before, after = busy[low : first + 1], busy[last : high + 1]
    still, ends = np.flatnonzero(before < 1.0), np.flatnonzero(after < 1.0)
    start = low + (int(still[-1]) if len(still) else int(before.argmin()))
    end = last + (int(ends[0]) if len(ends) else int(after.argmin()))
    return OneShot(
        found.name,
        float(start / s.fps),
        float(end / s.fps),
        float(found.at / s.fps),
        found.side,
        round(found.confidence, 3),
        found.reason,
    )
