"""Contacts: when each heel and toe rests on the floor, to a fraction of a frame.

A foot may be down while its sole is low and slow, against thresholds that grow with body size and root speed; it is
down from the moment its speed stops falling to the moment it starts to rise (`hinge`). A foot that rolls over its toes
has no such moment: its ball has long left, so it is down until the slowest point of its toes is. docs/contacts.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.floor import Floor, find_floor
from footfall.analysis.foot_signals import WIDTH_S, FootSignals, foot_signals
from footfall.analysis.hinge import hinges
from footfall.analysis.uneven import UNEVEN_M, Beside, Rests, carries, is_uneven, stepped
from footfall.core.errors import ParameterError

if TYPE_CHECKING:
    from footfall.core.clip import Clip

PARTS = ("left", "right", "left_heel", "left_toe", "right_heel", "right_toe")
# Limits set by eye on built-in motions and captures, as docs/contacts.md tells; for a leg of foot_signals.LEG_M.
SURELY = 0.6  # of the limit: a sole must be this slow at some time to have been down
RESTING_M, LOW_M, HIGH_M = 0.03, 0.045, 0.07  # over its floor: at rest; low enough to be down; too high for that
LIFTED = 20.0  # m/s that each metre over LOW_M counts for
STEP_M = 0.08  # a foot that rests this much higher than usual rests on no floor
HANGS_M = 0.05  # a foot this far over or under one that stands before, while and after it rests does not stand
MIN_S, MIN_GAP_S = 0.05, 0.06  # shorter contacts and shorter gaps are flicker
OUT_S, IN_S, IN_OFF_S = 0.06, 0.08, 0.12  # windows of the hinges: into the swing, into the contact at strike and off
EARLY_S, LATE_S = 0.003, 0.008  # feet land and leave gently: the hinge is this much before and after
BLUR = (0.35, 0.25)  # smoothing more than usual moves hinges into the contact, by these shares of its excess
RAMP_S = 0.05  # no foot takes longer from the limit to rest, or from rest to the limit
ROLLED_M = 0.012  # heel or ball this far over its rest in a contact has been rolled off the floor
ROLL_M = (0.0045, 0.009)  # the ball moved less than this before it leaves: it does not roll; more: it does
ROLL_S = 0.12  # no foot rolls on longer than this after its ball has left
ROLLED = 0.9  # how far towards its last slow moment a rolling foot stays down
SHAKE = 2.0  # what noise alone moves a ball by, in its standard deviations


@dataclass(frozen=True)
class Contacts:
    """Frames in which heels and toes are down, one flag for each frame of the clip, and the exact times."""

    fps: float
    left_heel: np.ndarray  # (T,) bool
    left_toe: np.ndarray
    right_heel: np.ndarray
    right_toe: np.ndarray
    floor: Floor
    times: Mapping[str, list[tuple[float, float]]] = field(default_factory=dict)  # spans by part; empty: from flags

    @property
    def left(self) -> np.ndarray:
        """(T,) any part of the left foot is down."""
        return self.left_heel | self.left_toe

    @property
    def right(self) -> np.ndarray:
        return self.right_heel | self.right_toe

    def spans(self, foot: str) -> list[tuple[float, float]]:
        """(start_s, end_s) of each contact of "left", "right", "left_heel", …; exact where they were found so."""
        if foot not in PARTS:
            raise ParameterError(f"contacts are of left or right, or of one's heel or toe (left_heel), not {foot!r}")
        if foot in self.times:
            return list(self.times[foot])
        return [(a / self.fps, (b - 1) / self.fps) for a, b in runs(getattr(self, foot))]


def find_contacts(clip: Clip) -> Contacts:
    """Heel and toe contacts, judged at 120 Hz or more whatever the frame rate."""
    floor = find_floor(clip)
    signals = foot_signals(clip)
    times: dict[str, list[tuple[float, float]]] = {}
    soles = [_sole_state(signals, foot) for foot in (0, 1)]
    spans_of = [_foot_spans(signals, sole) for sole in soles]
    for foot, side in enumerate(("left", "right")):
        sole, whole = soles[foot], _without_hanging(signals, foot, spans_of)
        heel = _part_spans(signals, sole, 0, whole)
        toe = _part_spans(signals, sole, 1, whole)
        heel, toe = _cover(whole, heel, toe)
        for part, spans in ((side, whole), (f"{side}_heel", heel), (f"{side}_toe", toe)):
            times[part] = [(float(a) / signals.rate, float(b) / signals.rate) for a, b in spans]
    flags = {part: _flags(spans, clip) for part, spans in times.items() if "_" in part}
    return Contacts(clip.fps, **flags, floor=floor, times=times)


class _Sole(NamedTuple):
    """One foot at the signals' rate."""

    points: np.ndarray  # (N, 3, 3) heel, ball, tip
    sliding: np.ndarray  # (N, 3)
    moving: np.ndarray  # (N,) the slower of heel and ball
    above: np.ndarray  # (N, 3) each point over where it rests, less the floor's own rise and fall along the way


def _sole_state(signals: FootSignals, foot: int) -> _Sole:
    """Heights are judged against this foot's own floor, which may rise and fall along the way."""
    sliding, points = signals.sliding[:, foot], signals.points[:, foot]
    height = points[..., 1]
    slow = [sliding[:, p] <= _at_share(sliding[:, p], 0.2) for p in range(3)]
    rest = np.array([_at_share(height[slow[p], p], 0.5) for p in range(3)])
    above = height - rest
    score = sliding[:, :2].min(axis=1) / signals.limit
    along = _floor_along(above.min(axis=1), score)
    stepped = _stepped_floor(signals, foot, score)
    if stepped is None:
        above = above - along[:, None]
    else:
        over = height - stepped[:, None]
        above = over - np.array([_at_share(over[slow[p], p], 0.5) for p in range(3)])
    # a raised heel may hang still while the toes step away: what is high counts as moving
    toes = above[:, 1:].min(axis=1)
    lifted = LIFTED * np.maximum(np.stack([above[:, 0], toes, toes], axis=1) - LOW_M, 0.0)
    moving = (signals.moving[:, foot] + lifted[:, :2]).min(axis=1)
    return _Sole(points, sliding + lifted, moving, above)


def _floor_along(lowest: np.ndarray, score: np.ndarray) -> np.ndarray:
    """(N,) height of the floor under a foot: what it rests on, in a line from one rest to the next.

    Captured floors slope by up to 9 cm along a walk. A foot that rests far over the others, as in a kick held still,
    does not rest on the floor.
    """
    rests = _rests(lowest, score)
    if not rests.spans:
        return np.zeros(len(lowest))
    middle = np.array([0.5 * (a + b) for a, b in rests.spans])
    real = _on_floor(rests.height)
    return np.interp(np.arange(len(lowest)), middle[real], rests.height[real])


def _rests(lowest: np.ndarray, score: np.ndarray) -> Rests:
    """Where a foot is slow, and how high it is there."""
    spans = [(a, b) for a, b in runs(score < 1.0) if (score[a:b] < SURELY).any()]
    height = [_at_share(lowest[a:b][score[a:b] <= _at_share(score[a:b], 0.6)], 0.5) for a, b in spans]
    return Rests(spans, np.array(height, float))


def _on_floor(height: np.ndarray) -> np.ndarray:
    """(R,) rests no farther over those around them than a floor rises."""
    usual = np.array([_at_share(height[max(0, i - 6) : i + 7], 0.25) for i in range(len(height))])
    return np.asarray(height < usual + STEP_M)


def _stepped_floor(signals: FootSignals, foot: int, score: np.ndarray) -> np.ndarray | None:
    """(N,) the ground under a foot that goes over steps or slopes; None where it stays on one floor."""
    lowest = signals.points[:, foot, :, 1].min(axis=1)
    rests = _rests(lowest, score)
    if len(rests.spans) < 2:
        return None
    usual = _at_share(signals.pelvis_y - signals.points[..., 1].min(axis=(1, 2)), 0.75)
    moves = signals.sliding[:, 1 - foot, :2].min(axis=1) > signals.limit
    beside = Beside(moves, signals.points[:, 1 - foot, :, 1].min(axis=1) - lowest, signals.pelvis_y - lowest)
    real = carries(rests, beside, usual, signals.rate)
    if not is_uneven(rests.height[real]):
        return None
    nearest = np.abs(np.subtract.outer(rests.height, rests.height[real])).min(axis=1)
    return stepped(rests, real | (nearest < UNEVEN_M), len(score))


def _at_share(values: np.ndarray, share: float) -> float:
    """The value under which this share of values (N,) lies, one of them: a quantile at a tenth of the cost."""
    k = int(share * (len(values) - 1))
    return float(np.partition(values, k)[k])


def _foot_spans(signals: FootSignals, sole: _Sole) -> np.ndarray:
    """(E, 2) fractional samples between which a foot is down."""
    slide = sole.sliding[:, :2].min(axis=1)
    rough = _rough_spans(slide / signals.limit, sole.above.min(axis=1), sole.above[:, :2].min(axis=1), signals.rate)
    if not len(rough):
        return np.zeros((0, 2))
    last, rate = len(slide) - 1, signals.rate
    starts = hinges(slide, rough[:, 0], rate, OUT_S, IN_S, landing=True)
    blur_s = signals.width_s - WIDTH_S[0]
    starts = np.minimum(starts + (EARLY_S - BLUR[0] * blur_s) * rate, rough[:, 0] + RAMP_S * rate)
    ends = _offs(signals, sole, slide, rough)
    starts = np.where(rough[:, 0] == 0, 0.0, np.clip(starts, 0, last))
    ends = np.where(rough[:, 1] == last, float(last), np.clip(ends, 0, last))
    return _in_order(starts, ends, rough)


def _without_hanging(signals: FootSignals, foot: int, spans_of: list[np.ndarray]) -> np.ndarray:
    """(E, 2) the spans of a foot without those in which it hangs still in the air while the other stands all along.

    It may hang over that one, as in a kick, or under it, beside a step.
    """
    own, other = spans_of[foot], spans_of[1 - foot]
    if not len(own) or not len(other):
        return own
    over = signals.points[:, foot, :, 1].min(axis=1) - signals.points[:, 1 - foot, :, 1].min(axis=1)
    stands = []
    for start, end in own:
        beside = ((other[:, 0] < start) & (end < other[:, 1])).any()
        stands.append(not beside or abs(np.median(over[int(start) : int(end) + 1])) < HANGS_M)
    return np.asarray(own[np.array(stands)])


def _rough_spans(score: np.ndarray, lowest: np.ndarray, above: np.ndarray, rate: float) -> np.ndarray:
    """(E, 2) first and last samples of slow stretches with something low, heel or ball at some time; no flicker."""
    high = np.where(above < RESTING_M, 0.0, np.where(lowest < HIGH_M, 0.99, 2.0))
    down = hysteresis(np.maximum(score, high), enter=SURELY, leave=1.0)
    down = without_flicker(down, round(MIN_S * rate), round(MIN_GAP_S * rate))
    return np.array([(a, b - 1) for a, b in runs(down)], int).reshape(-1, 2)


def _offs(signals: FootSignals, sole: _Sole, slide: np.ndarray, rough: np.ndarray) -> np.ndarray:
    """(E,) when feet leave: their ball's hinge, or the last slow moment of their toes if they rolled before it."""
    limit, rate, n = signals.limit, signals.rate, len(slide)
    first, last = rough.T
    sample = np.arange(n)
    still_before = np.maximum.accumulate(np.where(sole.moving <= limit, sample, -1))
    left = np.maximum(still_before[last], np.minimum(first + 2, last))
    ball_off = hinges(sole.moving, left, rate, OUT_S, IN_OFF_S, landing=False)
    blur_s = signals.width_s - WIDTH_S[0]
    ball_off = np.maximum(ball_off + (BLUR[1] * blur_s - LATE_S) * rate, left - RAMP_S * rate)
    slide_off = hinges(slide, last, rate, OUT_S, IN_S, landing=False)
    weight = _rolled(signals, sole, first, np.clip(np.round(slide_off).astype(int), 0, n - 1))
    toes = np.minimum(slide, sole.sliding[:, 2])
    fast_after = np.minimum.accumulate(np.where(toes >= limit, sample, n)[::-1])[::-1]
    slow_until = np.minimum(fast_after[np.minimum(last + 1, n - 1)] - 1, last + round(ROLL_S * rate))
    slow_until = np.clip(slow_until, last, n - 1)
    toes_off = hinges(toes, slow_until, rate, OUT_S, IN_S, landing=False)
    toes_off = np.maximum(ball_off, toes_off + ROLLED * (slow_until - toes_off))
    return ball_off + weight * (toes_off - ball_off)


def _rolled(signals: FootSignals, sole: _Sole, first: np.ndarray, off: np.ndarray) -> np.ndarray:
    """(E,) 0 to 1: did the ball wander from where it stood before it left, more than noise moves it?"""
    short = max(1, round(0.04 * signals.rate))
    moved = np.empty(len(first))
    for i, (a, k) in enumerate(zip(first, off, strict=True)):
        ball = sole.points[:, 1]
        stood = np.median(ball[a : max(a + 1, k - (k - a) // 3)], axis=0)
        moved[i] = np.linalg.norm(ball[max(k - short, 0) : k + 1].mean(axis=0) - stood)
    moved = np.sqrt(np.maximum(moved**2 - (SHAKE * signals.noise_m) ** 2, 0.0))
    x = np.clip((moved - ROLL_M[0]) / (ROLL_M[1] - ROLL_M[0]), 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def _in_order(starts: np.ndarray, ends: np.ndarray, rough: np.ndarray) -> np.ndarray:
    """(E, 2) spans that neither turn round nor overlap; where edges crossed, the rough ones stand."""
    crossed = ends <= starts
    starts, ends = np.where(crossed, rough[:, 0], starts), np.where(crossed, rough[:, 1], ends)
    middle = 0.5 * (ends[:-1] + starts[1:])
    overlap = ends[:-1] >= starts[1:]
    ends[:-1] = np.where(overlap, middle - 0.25, ends[:-1])
    starts[1:] = np.where(overlap, middle + 0.25, starts[1:])
    return np.stack([starts, ends], axis=1)


def _part_spans(signals: FootSignals, sole: _Sole, part: int, whole: np.ndarray) -> list[tuple[float, float]]:
    """Spans of the heel (0) or the ball (1), inside those of the foot: while it is as low as this contact has it.

    Heels rise and balls come down in slow rolls, which height tells better than speed.
    """
    height, slow = sole.above[:, part], sole.sliding[:, part] < signals.limit
    shortest = round(MIN_S * signals.rate)
    found = []
    for a, b in whole:
        first, stop = int(np.ceil(a)), int(np.floor(b)) + 1
        if stop <= first:
            continue
        rest = _at_share(height[first:stop], 0.1)
        if rest > LOW_M:  # on tiptoe, or on the heel
            continue
        down = slow[first:stop] & (height[first:stop] < rest + ROLLED_M)
        for start, end in runs(without_flicker(down, shortest)):
            found.append((max(a, float(first + start)), min(b, float(first + end - 1))))
    return [(start, end) for start, end in found if end > start]


def _cover(
    whole: np.ndarray, heel: list[tuple[float, float]], toe: list[tuple[float, float]]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Heel and toe spans stretched where needed so that together they are exactly the foot's contacts."""
    parts: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for a, b in whole:
        inside = [[list(s) for s in part if s[0] >= a and s[1] <= b] for part in (heel, toe)]
        if not inside[0] and not inside[1]:
            inside[1] = [[a, b]]
        spans = sorted(inside[0] + inside[1])  # the same lists: stretching one here stretches it there
        spans[0][0] = a
        max(spans, key=lambda s: s[1])[1] = b
        reach = spans[0]
        for span in spans[1:]:
            if span[0] > reach[1]:
                reach[1] = span[0] = 0.5 * (span[0] + reach[1])
            reach = span if span[1] > reach[1] else reach
        for part, found in zip(parts, inside, strict=True):
            part.extend((float(s), float(e)) for s, e in found)
    return parts


def _flags(spans: list[tuple[float, float]], clip: Clip) -> np.ndarray:
    """(T,) frames inside the spans."""
    flags = np.zeros(clip.frames, bool)
    for start, end in spans:
        flags[int(np.ceil(start * clip.fps - 1e-6)) : int(np.floor(end * clip.fps + 1e-6)) + 1] = True
    return flags


def in_spans(times: np.ndarray, spans: Iterable[tuple[float, float]]) -> np.ndarray:
    """(T,) bool: which times lie within some of the spans, both ends included."""
    return np.any([np.zeros(len(times), bool), *((times >= a) & (times <= b) for a, b in spans)], axis=0)


def hysteresis(score: np.ndarray, enter: float, leave: float) -> np.ndarray:
    """(T,) True from where score is at most `enter`, forward and backward as long as it stays under `leave`."""
    down = np.zeros(len(score), bool)
    for start, stop in runs(score < leave):
        down[start:stop] = (score[start:stop] <= enter).any()
    return down


def without_flicker(flags: np.ndarray, shortest: int, shortest_gap: int | None = None) -> np.ndarray:
    """Gaps, then spans, shorter than that many frames removed; what touches the ends of the clip may be short."""
    flags = flags.copy()
    if np.count_nonzero(flags[1:] != flags[:-1]) < 2:  # nothing lies between two changes: most contacts are like that
        return flags
    for value, least in ((False, shortest if shortest_gap is None else shortest_gap), (True, shortest)):
        for start, stop in runs(flags == value):
            if stop - start < least and start > 0 and stop < len(flags):
                flags[start:stop] = not value
    return flags


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """(start, stop) of every stretch of True."""
    if not len(flags):
        return []
    edges = (np.flatnonzero(flags[1:] != flags[:-1]) + 1).tolist()
    if flags[0]:
        edges.insert(0, 0)
    if flags[-1]:
        edges.append(len(flags))
    return list(zip(edges[::2], edges[1::2], strict=True))
