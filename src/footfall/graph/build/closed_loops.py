"""Closed loops: a cycle cut out of a recording, its ends brought together over the whole cycle, its feet kept in place.

What the ends of a captured cycle differ by (12 to 14° at the median, in the joint that differs most) is spread over the
whole of it (`edit.loop`), which moves the feet a little; they are then locked where they stood (`feet.foot_lock`).
When feet stand is taken from the whole recording, which tells it better than one cycle does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.analysis.contacts import Contacts, in_spans
from footfall.analysis.cycles import find_loop
from footfall.analysis.floor import find_floor
from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.errors import ParameterError
from footfall.edit.loop import loop
from footfall.feet.foot_lock import foot_lock, known_contacts
from footfall.feet.toe_bend import bend_toes
from footfall.quality.joins import excess_of_stream
from footfall.quality.loop_seam import judged_loop
from footfall.quality.slide import slide

PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
AROUND_S = 0.25  # of the recording on both sides of a cycle, whose accelerations the loop is compared with
SAME_S = 1e-6  # times that differ by less are one
SLACK_S = 0.02  # a contact that begins this near the start of a cycle belongs to it
Spans = Mapping[str, Sequence[tuple[float, float]]]


class LoopQuality(NamedTuple):
    """How well a loop closes, and what closing it cost."""

    closing_deg: float  # before, of the joint that differs most
    closed_deg: float  # after
    slide_cm_s: float  # of its feet in the recording
    closed_slide_cm_s: float  # and in the loop, played round
    excess_m_s2: float  # excess acceleration of the loop over the recording there
    missed: float  # figures of the judge that its seam misses: none, where it is believable


def close_cycle(take: Clip, spans: Spans, start_s: float, end_s: float, name: str) -> tuple[Clip, LoopQuality]:
    """The stretch of a recording between two times as a loop that knows its contacts; and how well it closes.

    spans: when heels and toes are down in the recording, seconds.
    """
    first, last = round(start_s * take.fps), round(end_s * take.fps)
    if not 0 <= first < last - 3 or last > take.frames - 1:
        raise ParameterError(f"{name}: from {start_s:g} to {end_s:g} s is no stretch of a take of {take.duration:g} s")
    length = (last - first) / take.fps
    cut = take.with_pose(take.pose.at(slice(first, last + 1)), name=name, is_loop=False, events=())
    own = loop_spans(spans, first / take.fps, length, take.duration)
    closed = bend_toes(foot_lock(loop(cut, 0.5 * length), own), own)
    known = tuple(Event(part, a, b) for part in PARTS for a, b in own[part])
    closed = closed.with_pose(closed.pose, events=known, name=name)
    return closed, loop_quality(take, spans, (first, last), cut, closed)


def loop_quality(take: Clip, spans: Spans, frames: tuple[int, int], cut: Clip, closed: Clip) -> LoopQuality:
    """Before and after, played two rounds."""
    around = round(AROUND_S * take.fps)
    low, high = max(frames[0] - around, 0), min(frames[1] + around, take.frames - 1)
    source = take.with_pose(take.pose.at(slice(low, high + 1)), events=(), is_loop=False)
    rounds = played_round(closed, 2)
    judged = judged_loop(closed, take, frames[0] / take.fps)
    before = flags(source, {p: [(a - low / take.fps, b - low / take.fps) for a, b in spans[p]] for p in PARTS})
    return LoopQuality(
        find_loop(cut).pose_error_deg,
        find_loop(closed).pose_error_deg,
        slide(source, before).mean_cm_s,
        slide(rounds, flags(rounds, known_contacts(rounds))).mean_cm_s,
        excess_of_stream(rounds, [source]).value,
        float(len(judged.failed)) if judged is not None else 0.0,
    )


def loop_spans(spans: Spans, start_s: float, length: float, whole_s: float) -> dict[str, list[tuple[float, float]]]:
    """Contacts of a cycle that goes round: those that begin in it, in its own time; their ends may pass its end.

    A contact that the recording's own end cuts short lasts as long as the one of a cycle before.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for part in PARTS:
        inside = []
        for a, b in spans[part]:
            if not start_s - SLACK_S <= a < start_s + length - SLACK_S:
                continue
            if b >= whole_s - SLACK_S:
                earlier = [y for x, y in spans[part] if x < start_s - SLACK_S <= y < start_s + length]
                b = earlier[0] + length if earlier else b
            inside.append((max(a - start_s, 0.0), min(b - start_s, max(a - start_s, 0.0) + length)))
        always = any(a <= start_s + SLACK_S and b >= start_s + length - SLACK_S for a, b in spans[part])
        found[part] = [(0.0, length)] if always and not inside else inside
    return found


def played_round(clip: Clip, rounds: int) -> Clip:
    """A loop, so many times, as a take with its contacts."""
    last = clip.frames - 1
    pose = fix_signs(clip.sample(np.arange(rounds * last + 1) / clip.fps))
    end = rounds * clip.duration
    events = [
        Event(e.name, max(e.start_s + k * clip.duration, 0.0), min(e.end_s + k * clip.duration, end))
        for k in range(-1, rounds)
        for e in clip.events
        if e.end_s + k * clip.duration > SAME_S and e.start_s + k * clip.duration < end - SAME_S
    ]
    return clip.with_pose(pose, is_loop=False, events=tuple(sorted(events, key=lambda e: (e.name, e.start_s))))


def flags(clip: Clip, spans: Spans) -> Contacts:
    """Spans as the contacts of a clip's frames."""
    down: dict[str, Any] = {part: in_spans(clip.times, spans[part]) for part in PARTS}
    return Contacts(clip.fps, **down, floor=find_floor(clip))
