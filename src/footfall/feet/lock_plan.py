"""Lock plan: where and when heels and balls of a clip are held, as plain data.

A point is held at the median of where it was over its contact, without the moments in which it lands and leaves.
`foot_targets` turns the plan into ankle targets, `leg_solve` those into poses. docs/foot_lock.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import Contacts
from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.roles import SIDES
from footfall.feet import limits

PARTS = ("heel", "toe")
Spans = Mapping[str, Sequence[tuple[float, float]]]  # by left_heel, left_toe, right_heel, right_toe; seconds


@dataclass(frozen=True)
class FootLockOptions:
    """How feet are locked."""

    ease_s: float = 0.3  # an offset fades in or out over this long, or over the whole swing if that is shorter
    pelvis_s: float = limits.LOCK_PELVIS_S  # half-width of the smoothing of pelvis moves
    lifted_m: float = 0.015  # a heel or ball this far over its place at the ends of a contact is not held there yet
    turn_rad: float = 0.2  # a foot that turns more than this while flat pivots: then only one point is held
    shortest_s: float = 0.03  # shorter locks are dropped
    roll_over: str = "ball"  # what stays in place while the ball rises and toes are still down: the "ball" or the "tip"
    flatten: bool = False  # while flat, lay the sole level, at the height where most of them rest

    def __post_init__(self) -> None:
        for name in ("ease_s", "pelvis_s", "lifted_m", "turn_rad", "shortest_s"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ParameterError(f"{name} must be a number of 0 or more, got {value}")
        if self.roll_over not in ("tip", "ball"):
            raise ParameterError(f"roll_over must be tip or ball, got {self.roll_over!r}")


class Lock(NamedTuple):
    """A heel or ball held in place for a while."""

    foot: str  # "left" or "right"
    part: str  # "heel", or "toe": the ball of the foot
    start_s: float
    end_s: float
    place: tuple[float, float, float]  # world, metres
    moved_m: float  # how far the captured point wandered from there at most
    over_s: float = 0.0  # a ball that rises has the foot roll over the toes for this long after end_s


class LockPlan(NamedTuple):
    """Every lock of a clip, and over how long the foot's offset fades before and after (seconds)."""

    locks: tuple[Lock, ...]  # in order of foot, then start
    ease_s: float
    begin_s: float = -np.inf  # nothing before this moment is changed

    def windows(self, foot: str) -> list[tuple[float, float, float, float]]:
        """(ease-in start, first held moment, last held moment, ease-out end) of each time a foot is held."""
        held: list[list[float]] = []
        for lock in sorted((x for x in self.locks if x.foot == foot), key=lambda x: x.start_s):
            if held and lock.start_s <= held[-1][1]:
                held[-1][1] = max(held[-1][1], lock.end_s + lock.over_s)
            else:
                held.append([lock.start_s, lock.end_s + lock.over_s])
        gaps = [b[0] - a[1] for a, b in pairwise(held)]
        before, after = [self.ease_s, *gaps], [*gaps, self.ease_s]
        return [
            (a - min(self.ease_s, i), a, b, b + min(self.ease_s, o))
            for (a, b), i, o in zip(held, before, after, strict=True)
        ]


def plan_locks(
    clip: Clip,
    contacts: Contacts | Spans | None = None,
    options: FootLockOptions | None = None,
    only_s: tuple[float, float] | None = None,
) -> LockPlan:
    """Where and when heels and balls are held."""
    options = options or FootLockOptions()
    begin, end = _window(clip, only_s)
    contacts = clip.contacts if contacts is None else contacts
    sole = foot_points(clip).sole  # (T, 2, 3, 3)
    locks: list[Lock] = []
    for foot, side in enumerate(SIDES):
        spans = [
            _down(part, sole[:, foot, part], a, b, options.lifted_m)
            for part, name in enumerate(PARTS)
            for a, b in _steady(sole[:, foot, part], _frames(spans_of(contacts, f"{side}_{name}"), clip), clip.fps)
            if a <= end and b > begin
        ]
        spans = [span for span in spans if span.last - span.first >= options.shortest_s * clip.fps]
        locks += _foot_locks(side, sole[:, foot, :2], sorted(spans, key=lambda s: s.first), clip.fps, options, begin)
    if options.flatten:
        locks = _flattened(locks)
    return LockPlan(tuple(locks), options.ease_s, -np.inf if only_s is None else begin / clip.fps)


def _window(clip: Clip, only_s: tuple[float, float] | None) -> tuple[int, int]:
    """First and last frame of what is to be locked; without a window, before and after all frames."""
    if only_s is None:
        return -1, clip.frames
    start, end = (float(t) for t in only_s)
    if not start <= end:
        raise ParameterError(f"only_s must be two times in seconds, the earlier first, got {start} and {end}")
    first, last = (float(np.clip(t * clip.fps, -1, clip.frames)) for t in (start, end))
    return int(np.ceil(first - 1e-6)), int(np.floor(last + 1e-6))


def spans_of(contacts: Contacts | Spans, part: str) -> Sequence[tuple[float, float]]:
    return contacts.spans(part) if isinstance(contacts, Contacts) else contacts.get(part, ())


def _frames(spans: Sequence[tuple[float, float]], clip: Clip) -> list[tuple[int, int]]:
    """First and last frame inside each span, in order and apart; what lies outside the clip or is no time is left."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((float(a), float(b)) for a, b in spans if not (np.isnan(a) or np.isnan(b))):
        first = int(np.ceil(np.clip(start * clip.fps - 1e-6, 0, clip.frames)))
        last = int(np.floor(np.clip(end * clip.fps + 1e-6, -1, clip.frames - 1)))
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        elif first <= last:
            found.append((first, last))
    return found


def _steady(path: np.ndarray, spans: list[tuple[int, int]], fps: float) -> list[tuple[int, int]]:
    """Spans of a point (T, 3) with gaps closed in which it neither leaves nor is set down elsewhere: flicker."""
    joined: list[tuple[int, int]] = []
    for a, b in spans:
        if joined and a - joined[-1][1] <= limits.LOCK_FLICKER_S * fps:
            last = joined[-1]
            stood, stands = _median(path[last[0] : last[1] + 1]), _median(path[a : b + 1])
            strayed = np.linalg.norm(path[last[1] : a + 1] - stood, axis=-1).max()
            if max(np.linalg.norm(stands - stood), strayed) < limits.LOCK_FLICKER_M:
                joined[-1] = (last[0], b)
                continue
        joined.append((a, b))
    return joined


class _Span(NamedTuple):
    """Frames in which a heel or ball is down, and how many more it rolls off over its place."""

    part: int
    first: int
    last: int
    over: int = 0


def _down(part: int, path: np.ndarray, a: int, b: int, lifted: float) -> _Span:
    """The span without the frames at its ends in which the point (T, 3) is still, or already, off its place.

    Toe contacts last until the tip leaves; the ball has begun to rise before, but does not go elsewhere.
    """
    height = path[a : b + 1, 1]
    low = np.flatnonzero(height <= _median(height[_middle(len(height))]) + lifted)
    if not len(low):
        return _Span(part, a, b)
    last = a + int(low[-1])
    # contacts cut by the clip's end do not leave
    leaving = int(limits.LOCK_LEAVING * (b - a)) if b + 1 < len(path) else 0
    return _Span(part, a + int(low[0]), last, max(0, b - leaving - last) if part else 0)


def _median(x: np.ndarray) -> np.ndarray:
    """np.median over the first axis, at a fifth of its cost for the few frames of a contact."""
    ordered, middle = np.sort(x, axis=0), len(x) // 2
    return np.asarray(ordered[middle] if len(x) % 2 else 0.5 * (ordered[middle - 1] + ordered[middle]))


def _middle(count: int) -> slice:
    edge = int(limits.LOCK_SETTLED * count)
    return slice(edge, max(count - edge, edge + 1))


def _foot_locks(
    side: str, points: np.ndarray, spans: list[_Span], fps: float, options: FootLockOptions, begin: int
) -> list[Lock]:
    """Locks of one foot: points (T, 2, 3) of heel and ball; spans in order of their start.

    What is down at the frame begin stays where it is then.
    """
    kept: list[tuple[_Span, np.ndarray]] = []
    for span in spans:
        part, a, b, _ = span
        if b <= begin:
            continue
        if a <= begin:
            kept.append((span._replace(first=begin), points[begin, part]))
            continue
        place = _median(points[a : b + 1, part][_middle(b - a + 1)])
        partner = next(((s.last, p) for s, p in kept[::-1] if s.part != part and a <= s.last), None)
        if partner is not None:
            both = slice(a, min(b, partner[0]) + 1)
            across = points[both, part] - points[both, 1 - part]
            if _turned(across) > options.turn_rad:  # it pivots: the point that came first stays, the other is let go
                a = partner[0] + 1
                if b - a < options.shortest_s * fps:
                    continue
                place = _median(points[a : b + 1, part][_middle(b - a + 1)])
            else:
                place = _at_distance(place, partner[1], across)
        kept.append((span._replace(first=a), place))
    return [_lock(side, points[:, span.part], span, place, fps) for span, place in kept]


def _lock(side: str, path: np.ndarray, span: _Span, place: np.ndarray, fps: float) -> Lock:
    moved = float(np.linalg.norm(path[span.first : span.last + 1] - place, axis=-1).max())
    x, y, z = (float(v) for v in place)
    return Lock(side, PARTS[span.part], span.first / fps, span.last / fps, (x, y, z), moved, span.over / fps)


def _turned(across: np.ndarray) -> float:
    """Largest angle of vectors (N, 3) from their mean, radians."""
    mean = across.mean(axis=0)
    cross = np.linalg.norm(np.cross(across, mean), axis=-1)
    return float(np.arctan2(cross, across @ mean).max())


def _at_distance(place: np.ndarray, other: np.ndarray, across: np.ndarray) -> np.ndarray:
    """The place moved along the line to the other so that they are as far apart as heel and ball are."""
    line = place - other
    now, length = float(np.linalg.norm(line)), float(_median(np.linalg.norm(across, axis=-1)))
    return other + line * (length / now) if now > 1e-9 else other + across.mean(axis=0)


def _flattened(locks: list[Lock]) -> list[Lock]:
    """Every heel, and every ball, at the height at which most of them rest, as far apart as they are."""
    if not locks:
        return []
    old = np.array([lock.place for lock in locks])  # (L, 3)
    kinds = np.array([2 * SIDES.index(lock.foot) + PARTS.index(lock.part) for lock in locks])
    new = old.copy()
    for kind in np.unique(kinds):
        new[kinds == kind, 1] = np.median(old[kinds == kind, 1])
    for i, lock in enumerate(locks):
        p = _partner(locks[:i], lock)
        if p is not None:
            new[i] = _at_distance(new[i], new[p], (old[i] - old[p])[None])
    return [lock._replace(place=(float(x), float(y), float(z))) for lock, (x, y, z) in zip(locks, new, strict=True)]


def _partner(earlier: list[Lock], lock: Lock) -> int | None:
    """Index of the lock of the same foot's other point that is still held when this one begins."""
    for i in range(len(earlier) - 1, -1, -1):
        other = earlier[i]
        if other.foot == lock.foot and other.part != lock.part and lock.start_s <= other.end_s:
            return i
    return None
