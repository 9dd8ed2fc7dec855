"""Assembling: the left motion, a transition and the target in one clip that knows where its frames come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.pose import Pose
from footfall.core.report import Provenance
from footfall.core.skeleton import Skeleton
from footfall.joins.departure import Departure
from footfall.joins.transition import SourceTrack, Transition

ON_FRAME = 1e-6  # frames: an end missed by less is reached
ROUND_S = 1.0  # a loop is played this long, or a whole round, before it may end


class AssembledJoin(NamedTuple):
    """One motion out of two."""

    clip: Clip
    join_s: float  # time in the clip at which the first motion is left
    end_s: float  # time in the clip at which the target has taken over
    provenance: Provenance


def assemble(departure: Departure, target: Clip, transition: Transition, until_s: float | None = None) -> AssembledJoin:
    """The left motion from its start to the departure, the transition, the placed target from its entry to its end, or
    to until_s of it.

    The frame rate is the departure's. A bare state begins with its own pose. A loop that is left after several rounds
    is played through all of them; one that is entered plays to the end of a round, for at least a second or a round.
    """
    fps = departure.fps
    before_s = _times_before(departure)  # times of the left motion, the last one its departure
    after_s = _times_after(target, transition.enter_s, fps)
    after_s = after_s if until_s is None else after_s[after_s <= until_s]
    parts = [_poses_before(departure, before_s), transition.pose]
    if len(after_s):
        parts.append(transition.placement.pose(target.sample(after_s)))
    join_s = (len(before_s) - 1) / fps
    end_s = join_s + len(transition.pose.root_pos) / fps
    ends = SourceTrack(target.name or "target", after_s, np.ones(len(after_s)))
    provenance = _provenance(_source_before(departure, before_s), transition.tracks, ends)
    shift = end_s - transition.enter_s
    last_s = float(after_s[-1]) + shift if len(after_s) else end_s
    events = [*_events(departure.clip, join_s - departure.at_s, 0.0, join_s), *_events(target, shift, join_s, last_s)]
    left = departure.clip
    body = left if left is not None else replace(target, skeleton=departure.skeleton)
    clip = body.with_pose(
        fix_signs(_joined(departure.skeleton, parts)),
        fps=fps,
        name=f"{left.name or 'first' if left else 'departure'}_to_{target.name or 'target'}",
        is_loop=False,
        events=tuple(sorted(events, key=lambda e: (e.start_s, e.name))),
        parameters={},
        warnings=tuple(dict.fromkeys([*body.warnings, *target.warnings])),
        repairs=tuple(dict.fromkeys([*body.repairs, *target.repairs])),
    )
    return AssembledJoin(clip, join_s, end_s, provenance)


def _times_before(departure: Departure) -> np.ndarray:
    """Times of the left motion at the rate of the result, counted back from the departure so that it is a frame."""
    if departure.clip is None:
        return np.zeros(1)
    whole = int(np.floor(max(departure.at_s, 0.0) * departure.fps + ON_FRAME))
    return departure.at_s - np.arange(whole, -1, -1) / departure.fps


def _times_after(target: Clip, enter_s: float, fps: float) -> np.ndarray:
    """Times of the target after its entry, at the rate of the result."""
    end_s = target.duration
    if target.is_loop and target.duration > 0.0:
        end_s *= np.ceil((enter_s + min(target.duration, ROUND_S)) / target.duration - 1e-9)
    return enter_s + np.arange(1, int(np.floor((end_s - enter_s) * fps + ON_FRAME)) + 1) / fps


def _poses_before(departure: Departure, times_s: np.ndarray) -> Pose:
    if departure.clip is None:
        return departure.state.pose.at(None)
    return departure.clip.sample(np.where(np.abs(times_s) < ON_FRAME / departure.fps, 0.0, times_s))


def _joined(skeleton: Skeleton, parts: Sequence[Pose]) -> Pose:
    """Poses in a row; where only some of them have joint positions of their own the others sit at their offsets."""
    root_pos, rot = (np.concatenate([getattr(part, name) for part in parts]) for name in ("root_pos", "rot"))
    if all(part.pos is None for part in parts):
        return Pose(root_pos, rot)
    pos = [np.broadcast_to(skeleton.offsets if p.pos is None else p.pos, (*p.batch, len(skeleton), 3)) for p in parts]
    return Pose(root_pos, rot, np.concatenate(pos))


def _source_before(departure: Departure, times_s: np.ndarray) -> SourceTrack:
    name = departure.clip.name or "first" if departure.clip else "departure"
    return SourceTrack(name, times_s, np.ones(len(times_s)))


def _provenance(before: SourceTrack, during: Sequence[SourceTrack], after: SourceTrack) -> Provenance:
    """Per frame: one source before and after, those of the transition between."""
    names = tuple(dict.fromkeys([before.clip, *(track.clip for track in during), after.clip]))
    first, last = len(before.time_s), len(after.time_s)
    middle = len(during[0].time_s) if during else 0
    shape = (first + middle + last, max(1, len(during)))
    clip, time_s, weight = np.full(shape, -1), np.zeros(shape), np.zeros(shape)
    spans = [(slice(0, first), 0, before), (slice(first + middle, None), 0, after)]
    spans += [(slice(first, first + middle), column, track) for column, track in enumerate(during)]
    for rows, column, track in spans:
        clip[rows, column] = names.index(track.clip)
        time_s[rows, column], weight[rows, column] = track.time_s, track.weight
    return Provenance(names, clip, time_s, weight, np.zeros(len(clip)))


def _events(clip: Clip | None, shift_s: float, start_s: float, end_s: float) -> list[Event]:
    """Events of a clip that begins at shift_s of the result, those of a loop in every round, cut to a span of it."""
    if clip is None:
        return []
    laps = [0]
    if clip.is_loop and clip.duration > 0.0:
        first, last = ((t - shift_s) / clip.duration for t in (start_s, end_s))
        laps = list(range(int(np.floor(first + 1e-9)), max(int(np.ceil(last - 1e-9)), 1)))
    found = []
    for lap in laps:
        move = shift_s + lap * clip.duration
        for event in clip.events:
            start, end = max(event.start_s + move, start_s), min(event.end_s + move, end_s)
            if start < end or (start == end and event.start_s == event.end_s):
                found.append(Event(event.name, start, end))
    return found
