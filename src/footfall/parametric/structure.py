"""Structure: the key times every example of a parametric motion must share, in the same order, on the same feet.

Park, Shin, Kim & Shin 2004, section 3: examples can be blended when they start on the same foot and take the same
steps. Key times are the strikes and offs of the feet, the apex of a reach, punch, kick or jump, and the two ends; of a
loop, the last one is the first event one cycle later. Loops are turned to begin at a strike of the start foot, and
loops of unlike numbers of strides are repeated to the least common multiple.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lcm

import numpy as np

from footfall.analysis.apex import find_apex
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, UnknownName
from footfall.feet.foot_lock import known_contacts

FEET = ("left", "right")
PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
SYNCS = {
    "events": "every strike and off of the feet",
    "strikes": "strikes only: walks with runs",
    "ends": "start and end alone",
}
TOGETHER_S = 0.03  # two feet that land or leave within this time do so at once; by eye
SAME_S = 1e-6  # times that differ by less are one
ALWAYS_S = 0.1  # of three rounds: a contact that lacks no more than this at both ends never lifts
MOST_STRIDES = 16  # of a loop repeated to match others
Span = tuple[float, float]
Event = tuple[float, str]  # seconds, what happens: "left strike", "right off", "apex", …


class StructureError(FootfallError):
    """Examples that cannot be blended because their steps differ; the text ends with the cure."""

    def __init__(self, text: str, cure: str = "") -> None:
        self.why, self.cure = text, cure
        super().__init__(f"{text}; {cure}" if cure else text)


@dataclass(frozen=True, eq=False)
class AlignedExample:
    """A clip with the moments at which it is aligned with the others."""

    clip: Clip
    marks: tuple[str, ...]  # what happens at each key time
    key_times: np.ndarray  # (K,) seconds in the clip, rising; of a loop they may run past its end
    contacts: Mapping[str, tuple[Span, ...]]  # by left_heel, …: seconds, within the key times or across their end
    strides: int  # whole gait cycles between the first key time and the last; 0: none

    @property
    def duration(self) -> float:
        return float(self.key_times[-1] - self.key_times[0])


def align(clips: Sequence[Clip], sync: str = "events", apex: bool = False) -> list[AlignedExample]:
    """The examples of one parametric motion, checked to have one structure.

    apex: the furthest moment of a hand or foot, or the top of a jump, is a key time of clips that are no loops.
    """
    if sync not in SYNCS:
        raise UnknownName("way to align examples", sync, SYNCS)
    loops = [clip.is_loop for clip in clips]
    if any(loops) != all(loops):
        odd = next(c for c, is_loop in zip(clips, loops, strict=True) if is_loop != loops[0])
        raise StructureError(
            f"{_name(odd)} is {'a loop' if odd.is_loop else 'no loop'}, {_name(clips[0])} is not like it: make all "
            f"loops (footfall edit --loop) or none"
        )
    if loops and loops[0]:
        found = _same_strides([loop_example(clip, sync) for clip in clips])
    else:
        found = [take_example(clip, sync, apex) for clip in clips]
    check(found)
    return [_pushed_apart(example) for example in found]


def check(examples: Sequence[AlignedExample]) -> None:
    """Refuse examples whose events differ from the first one's, naming the clip, the event and the cure."""
    first = examples[0]
    for example in examples[1:]:
        if example.marks == first.marks:
            continue
        a, b = _steps(first), _steps(example)
        names = f"{_name(example.clip)} against {_name(first.clip)}"
        if len(a) != len(b):
            why = f"{_count(b)} against {_count(a)}"
            cure = "cut both to the same steps (footfall edit --trim), or to whole cycles (--loop)"
        elif a[:1] != b[:1]:
            why, cure = f"it steps first with the {b[0]} foot", "mirror one of them (footfall edit --mirror)"
        else:
            at = next(
                (k for k, (x, y) in enumerate(zip(first.marks, example.marks, strict=False)) if x != y),
                min(len(first.marks), len(example.marks)) - 1,
            )
            why = f"event {at + 1} is {_at(example.marks, at)}, not {_at(first.marks, at)}"
            cure = (
                "blend walks with walks and runs with runs, or align by strikes only (--sync strikes; in Python "
                "sync='strikes')"
            )
        raise StructureError(f"{names}: not the same structure, {why}", cure)


# --- one clip ------------------------------------------------------------------------------------------------------


def loop_example(clip: Clip, sync: str = "events", start_foot: str = "left") -> AlignedExample:
    """A loop, turned to begin at the first strike of a foot; without steps, at its own start."""
    contacts = _loop_contacts(clip)
    length = clip.duration
    events = [] if sync == "ends" else _loop_events(contacts, length, sync)
    strikes = [t for t, what in events if what == f"{start_foot} strike"]
    if not strikes:
        if events and sync != "ends":
            raise StructureError(
                f"{_name(clip)}: its {start_foot} foot never strikes the floor, so it cannot begin there; it may be "
                f"no gait, or its feet slide (footfall analyze shows what was found)"
            )
        begin, times = 0.0, np.array([0.0, length])
        marks: tuple[str, ...] = ("start", "end")
    else:
        begin = strikes[0]
        turned = sorted(((t - begin) % length, what) for t, what in events)
        turned = _at_once([(0.0 if length - t < SAME_S else t, what) for t, what in turned])
        first = next(k for k, (_, what) in enumerate(turned) if what == f"{start_foot} strike")
        turned = [turned[first], *turned[:first], *turned[first + 1 :]]  # what lands with it comes after it
        marks = (*(what for _, what in turned), turned[0][1])
        times = begin + np.array([*(t for t, _ in turned), length])
    shifted = {
        part: tuple(sorted(_within(span, begin, length) for span in spans if span[1] - span[0] < length - SAME_S))
        for part, spans in contacts.items()
    }
    whole = {
        part: ((begin, begin + length),) for part, spans in contacts.items() if any(b - a >= length for a, b in spans)
    }
    return AlignedExample(clip, marks, times, {**shifted, **whole}, len(strikes))


def take_example(clip: Clip, sync: str = "events", apex: bool = False) -> AlignedExample:
    """A clip that does not repeat: its start, its events, its end."""
    contacts = part_contacts(clip)
    events: list[Event] = []
    for foot in FEET if sync != "ends" else ():
        for start, end in foot_spans(contacts, foot):
            if start > SAME_S:
                events.append((start, f"{foot} strike"))
            if end < clip.duration - SAME_S and sync == "events":
                events.append((end, f"{foot} off"))
    if apex:
        events.append((apex_time(clip), "apex"))
    events = _at_once(sorted(events))
    marks = ("start", *(what for _, what in events), "end")
    times = np.array([0.0, *(t for t, _ in events), clip.duration])
    strikes = [t for t, what in events if what.endswith("strike")]
    return AlignedExample(clip, marks, times, {p: tuple(s) for p, s in contacts.items()}, max(len(strikes) - 1, 0) // 2)


def apex_time(clip: Clip) -> float:
    """When a clip gets furthest: as its events tell, else at the top of its flight or where a hand or foot strays."""
    for event in clip.events:
        if event.name == "apex":
            return event.start_s
    left, right = (foot_spans(part_contacts(clip), foot) for foot in FEET)
    air = [(a[1], b[0]) for spans in (left, right) for a, b in pairwise(spans)]
    if len(left) == len(right) == 2 and len(air) == 2:
        off, land = max(a for a, _ in air), min(b for _, b in air)
        frames = np.flatnonzero((clip.times >= off) & (clip.times <= land))
        if len(frames):
            pelvis = clip.positions[frames, clip.skeleton.roles.pelvis, 1]
            return float(clip.times[frames[pelvis.argmax()]])
    return find_apex(clip).t_s


def part_contacts(clip: Clip) -> dict[str, list[Span]]:
    """When heels and toes are down: as the clip's own events tell, else as found in its motion."""
    known = known_contacts(clip)
    if any(known.values()):
        return known
    return {part: clip.contacts.spans(part) for part in PARTS}


def foot_spans(contacts: Mapping[str, Sequence[Span]], foot: str) -> list[Span]:
    """When any part of a foot is down."""
    spans: list[Span] = []
    for start, end in sorted([*contacts[f"{foot}_heel"], *contacts[f"{foot}_toe"]]):
        if spans and start <= spans[-1][1] + SAME_S:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


# --- loops -----------------------------------------------------------------------------------------------------------


def _loop_contacts(clip: Clip) -> dict[str, list[Span]]:
    """Contacts of a loop: each begins inside it and may end in the next round; a part never lifted spans it all."""
    known = known_contacts(clip)
    length = clip.duration
    if any(known.values()):
        return {part: _around(spans, length) for part, spans in known.items()}
    last = clip.frames - 1
    rounds = clip.with_pose(clip.sample(np.arange(-last, 2 * last + 1) / clip.fps), is_loop=False, events=())
    found: dict[str, list[Span]] = {}
    for part in PARTS:
        spans = [(a - length, b - length) for a, b in rounds.contacts.spans(part)]
        inside = [(a, b) for a, b in spans if -SAME_S <= a < length - SAME_S]
        always = any(a <= -length + ALWAYS_S and b >= 2 * length - ALWAYS_S for a, b in spans)
        found[part] = [(0.0, length)] if always else inside
    return found


def _around(spans: Sequence[Span], length: float) -> list[Span]:
    """Spans of one round, those cut by its ends joined across them."""
    spans = sorted(spans)
    if len(spans) > 1 and spans[0][0] <= SAME_S and spans[-1][1] >= length - SAME_S:
        return [*spans[1:-1], (spans[-1][0], length + spans[0][1])]
    return list(spans)


def _loop_events(contacts: Mapping[str, list[Span]], length: float, sync: str) -> list[Event]:
    events: list[Event] = []
    for foot in FEET:
        rounds = {p: [(a + k * length, b + k * length) for k in (-1, 0, 1) for a, b in contacts[p]] for p in contacts}
        for start, end in foot_spans(rounds, foot):
            if end - start >= length:
                continue  # never lifted
            if -SAME_S <= start < length - SAME_S:
                events.append((max(start, 0.0), f"{foot} strike"))
                if sync == "events":
                    events.append((end % length, f"{foot} off"))
    return sorted(events)


def _within(span: Span, begin: float, length: float) -> Span:
    """The span in the round that starts at begin."""
    start = begin + (span[0] - begin) % length
    if begin + length - start < SAME_S:
        start = begin
    return start, start + span[1] - span[0]


def _same_strides(examples: list[AlignedExample]) -> list[AlignedExample]:
    """Every loop repeated to as many strides as all of them have a whole number of times."""
    counts = [e.strides for e in examples]
    if min(counts) == 0 or len(set(counts)) == 1:
        return examples
    wanted = lcm(*counts)
    if wanted > MOST_STRIDES:
        odd = examples[int(np.argmax(counts))]
        raise StructureError(
            f"{_name(odd.clip)} has {odd.strides} strides, others {min(counts)}: together they repeat only after "
            f"{wanted}, more than {MOST_STRIDES}; cut it to fewer cycles (footfall edit --trim --loop)"
        )
    return [_repeated(e, wanted // e.strides) for e in examples]


def _repeated(example: AlignedExample, rounds: int) -> AlignedExample:
    length = example.clip.duration
    shifts = length * np.arange(rounds)
    times = np.concatenate([*(example.key_times[:-1] + s for s in shifts), [example.key_times[0] + rounds * length]])
    contacts = {
        part: ((spans[0][0], spans[0][0] + rounds * length),)
        if spans and spans[0][1] - spans[0][0] >= length - SAME_S
        else tuple((a + s, b + s) for s in shifts for a, b in spans)
        for part, spans in example.contacts.items()
    }
    marks = (*example.marks[:-1] * rounds, example.marks[0])
    return AlignedExample(example.clip, marks, times, contacts, example.strides * rounds)


# --- helpers ---------------------------------------------------------------------------------------------------------


def _at_once(events: list[Event]) -> list[Event]:
    """Two feet that land, or leave, at the same time do so left first: which was earlier is a matter of noise."""
    events = list(events)
    for k in range(len(events) - 1):
        (t, what), (then, other) = events[k], events[k + 1]
        same_kind = what.split()[-1] == other.split()[-1] and what != other
        if same_kind and then - t < TOGETHER_S and what.startswith("right"):
            events[k], events[k + 1] = (t, other), (then, what)
    return events


def _pushed_apart(example: AlignedExample) -> AlignedExample:
    """Key times at least one frame from each other, ends kept."""
    frame = 1.0 / example.clip.fps
    times = example.key_times.copy()
    if example.duration < frame * (len(times) - 1):
        raise StructureError(
            f"{_name(example.clip)} lasts {example.duration:.3f} s, too short for its {len(times)} key times at "
            f"{example.clip.fps:g} fps; resample it (footfall convert --fps) or leave it out"
        )
    for k in range(1, len(times)):
        times[k] = max(times[k], times[k - 1] + frame)
    times[-1] = example.key_times[-1]
    for k in range(len(times) - 2, 0, -1):
        times[k] = min(times[k], times[k + 1] - frame)
    return AlignedExample(example.clip, example.marks, times, example.contacts, example.strides)


def _steps(example: AlignedExample) -> list[str]:
    return [mark.split()[0] for mark in example.marks if mark.endswith("strike")]


def _count(steps: list[str]) -> str:
    return f"{len(steps)} strike{'' if len(steps) == 1 else 's'}"


def _at(marks: tuple[str, ...], k: int) -> str:
    return f"'{marks[k]}'" if k < len(marks) else "missing"


def _name(clip: Clip) -> str:
    return clip.name or clip.source.path or "a clip"
