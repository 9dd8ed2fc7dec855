"""Best timing: when each clip starts, where in it it is entered and how it is joined, so that the joins cost least.

One clip after another is tried at other times (a little off, and at every meeting of phases that "as soon as possible"
knows), entered at its next phases instead of its first frame, and joined by the other methods. What a join will look
like is foretold (`gentleness`), the most promising are measured, and the best is kept if it is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from footfall.timeline.arranged_clip import ArrangedClip, phases_of
from footfall.timeline.arrangement import Arrangement
from footfall.timeline.asap import all_starts
from footfall.timeline.conditions import METHODS
from footfall.timeline.model import Timeline, TimelineClip
from footfall.timeline.must_show import given_up

MOVES_S = (-0.3, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.3)
ENTRIES, ENTRY_S = 4, 1.2  # phases that a clip may be entered at, and seconds into it at most. By eye
LEAST_LEFT = 0.6  # share of a clip that is left when it is entered late, at least. By eye
FARTHEST_S = 1.0  # seconds that a clip may be moved. By eye
NOT_PLAYED = 5  # a clip that is not played at all counts as more than any cut (must_show.given_up)
MEASURED = 3  # of what is foretold to be best, so many are measured
Tell = Callable[[str], None]


@dataclass(frozen=True)
class TimingWeights:
    """What counts beside the cost of joins when timings are compared. By eye, on rows of built-in clips."""

    gain: float = 0.05  # a change must make the joins better by this much
    lost_s: float = 0.5  # and by so much more for each second of a clip that is cut off, or of the take that is lost
    waits_s: float = 2.0  # a second that the figure waits
    fallback: float = 2.0  # a join that no rule fits is foretold to cost so much more


WEIGHTS = TimingWeights()


class ClipChange(NamedTuple):
    """One clip, as it was and as it is now."""

    clip: int
    start_s: float
    entry: TimelineClip
    lost_s: float = 0.0  # of it that is not played


def improved(arranged: Arrangement, tell: Tell = lambda text: None) -> Arrangement:
    """The arrangement with every clip but the first of each track where, and how, its joins cost least; "asap" starts
    become times. Where that is no better than what the search of "asap" joins had found, it is left as it was."""
    given = arranged
    for track in range(len(arranged.timeline.tracks)):
        plan = arranged.plan()[track]
        arranged = arranged.with_timeline(_with(arranged.timeline, track, plan.starts_s))
        for clip in range(1, len(plan.starts_s)):
            tell(f"clip {clip + 1} of {len(plan.starts_s)}: where it joins best")
            for around in (_all_changes, _moves):  # then a little to either side of that
                arranged = _bettered(arranged, track, clip, around)
    return arranged if costs(arranged) < costs(given) else given


def costs(arranged: Arrangement) -> float:
    """What all joins of all tracks cost together."""
    return sum(cost(arranged, track) for track in range(len(arranged.timeline.tracks)))


def cost(arranged: Arrangement, track: int) -> float:
    """What all joins of a track cost together, as measured; waiting counts too."""
    clip = arranged.render(track, judged=False)
    joins = clip.report.joins if clip.report else ()
    waits = sum(s.end_s - s.start_s for s in joins if s.kind == "wait")
    return sum(s.quality.get("cost", 0.0) for s in joins) + WEIGHTS.waits_s * waits


def changes(before: Arrangement, after: Arrangement) -> list[str]:
    """What became of each clip, in words; those that stayed as they were are not told."""
    found = []
    for track, (old, new) in enumerate(zip(before.timeline.tracks, after.timeline.tracks, strict=True)):
        starts = before.plan()[track].starts_s
        for i, (was, now) in enumerate(zip(old.clips, new.clips, strict=True)):
            words = _words(was, now, 0.0 if now.start_s == "asap" else float(now.start_s) - starts[i])
            if words:
                name = was.clip if isinstance(was.clip, str) else was.clip.name
                found.append(f"clip {i + 1}, {name}: {words}")
    return found


def _words(was: TimelineClip, now: TimelineClip, later_s: float) -> str:
    words = []
    if abs(later_s) > 1e-6:
        words.append(f"starts {abs(later_s):.2f} s {'later' if later_s > 0.0 else 'sooner'}")
    if now.trim_s is not None and now.trim_s != was.trim_s:
        words.append(f"is entered {now.trim_s[0] - (was.trim_s[0] if was.trim_s else 0.0):.2f} s later in it")
    if now.method != was.method:
        words.append(f"joined by {now.method}")
    return ", ".join(words)


def _bettered(
    arranged: Arrangement, track: int, clip: int, around: Callable[[Arrangement, int, int], Iterator[ClipChange]]
) -> Arrangement:
    """The best of some changes of a clip, where it is better than none."""
    tried = [(change, _changed(arranged, track, change)) for change in around(arranged, track, clip)]
    most = _cuts(arranged, track)
    tried = [(change, other) for change, other in tried if _cuts(other, track) <= most]
    hoped = sorted(tried, key=lambda pair: _foretold(pair[1], track) + WEIGHTS.lost_s * pair[0].lost_s)[:MEASURED]
    best, least = arranged, cost(arranged, track) - WEIGHTS.gain
    for change, other in hoped:
        found = cost(other, track) + WEIGHTS.lost_s * change.lost_s
        if found < least:
            best, least = other, found
    return best


def _cuts(arranged: Arrangement, track: int) -> int:
    """How much joins cut of actions, and of clips more than they may lose; and clips that are not played at all."""
    plan = arranged.plan()[track]
    pairs = zip(plan.joins, plan.pieces, plan.pieces[1:], strict=False)
    return sum(given_up(a, b, j) for j, a, b in pairs) + NOT_PLAYED * len(plan.unseen)


def _foretold(arranged: Arrangement, track: int) -> float:
    """What all joins of a track will cost, about."""
    made = arranged.synthesized()[track]
    waits = sum(e.hold_s[1] - e.hold_s[0] for e in made.evaluated if e.hold_s is not None)
    plain = sum(join.kind == "fallback" for join in made.plan.joins)
    return sum(e.foretold.cost for e in made.evaluated) + WEIGHTS.fallback * plain + WEIGHTS.waits_s * waits


def _moves(arranged: Arrangement, track: int, clip: int) -> Iterator[ClipChange]:
    """The clip a little sooner or later."""
    entry, start = arranged.timeline.tracks[track].clips[clip], arranged.plan()[track].starts_s[clip]
    for by in MOVES_S:
        yield ClipChange(clip, start + by, entry, max(0.0, -by))


def _all_changes(arranged: Arrangement, track: int, clip: int) -> Iterator[ClipChange]:
    """The clip at other times, entered later, and joined by other methods."""
    entry, plan = arranged.timeline.tracks[track].clips[clip], arranged.plan()[track]
    start = plan.starts_s[clip]
    yield from _moves(arranged, track, clip)
    line = next((i for i, piece in enumerate(plan.pieces) if piece.start_s == start and piece is not plan.pieces[0]), 0)
    if line == 0:  # it is laid over another
        return
    previous, piece = next(p for p in plan.pieces[line - 1 :: -1] if not p.filler), plan.pieces[line]
    for at in dict.fromkeys(all_starts(previous, piece, rested=True)):
        if 1e-6 < abs(at - start) <= FARTHEST_S:
            yield ClipChange(clip, at, entry, max(0.0, start - at))
    for method in METHODS:
        if method != entry.method:
            yield ClipChange(clip, start, replace(entry, method=method))
    for late in _entries(piece):
        later = _entered(entry, piece, late)
        yield ClipChange(clip, start, later, late)  # it begins as it did, with another moment of it
        yield ClipChange(clip, start + late, later, late)  # it is played as it was, without its begin


def _entries(piece: ArrangedClip) -> list[float]:
    """Moments of a clip, seconds into it, at which it may be entered instead of at its first frame: its next phases,
    while what it is about is still to come and most of it is left."""
    duration = piece.clip.duration
    last = min(ENTRY_S, (1.0 - LEAST_LEFT) * duration, piece.bounds.enter_by_s)
    fps = piece.clip.fps
    starts = [round(phase.start_s * fps) / fps for phase in phases_of(piece.clip)[1 : ENTRIES + 1]]
    return [t for t in starts if 0.0 < t <= last]


def _entered(entry: TimelineClip, piece: ArrangedClip, late_s: float) -> TimelineClip:
    """An entry that begins so many seconds, of the piece as it is played, later in its recording."""
    first = entry.trim_s[0] if entry.trim_s else 0.0
    end = entry.trim_s[1] if entry.trim_s else first + piece.clip.duration * entry.speed + 1e-6
    return replace(entry, trim_s=(first + late_s * entry.speed, end))


def _changed(arranged: Arrangement, track: int, change: ClipChange) -> Arrangement:
    """With one clip changed; what follows keeps its distance from the clip's end, so that only one join changes."""
    old = arranged.timeline.tracks[track].clips[change.clip]
    cut = (change.entry.trim_s[0] - (old.trim_s[0] if old.trim_s else 0.0)) / old.speed if change.entry.trim_s else 0.0
    starts = list(arranged.plan()[track].starts_s)
    by = change.start_s - starts[change.clip] - cut
    there = [*starts[: change.clip], change.start_s, *(s + by for s in starts[change.clip + 1 :])]
    return arranged.with_timeline(_with(arranged.timeline, track, there, change))


def _with(timeline: Timeline, track: int, starts: Sequence[float], change: ClipChange | None = None) -> Timeline:
    """A timeline whose clips of one track start at these times, one of them changed."""
    old = timeline.tracks[track]
    clips = [change.entry if change is not None and i == change.clip else clip for i, clip in enumerate(old.clips)]
    moved = tuple(replace(clip, start_s=start) for clip, start in zip(clips, starts, strict=True))
    tracks = (*timeline.tracks[:track], replace(old, clips=moved), *timeline.tracks[track + 1 :])
    return replace(timeline, tracks=tracks)
