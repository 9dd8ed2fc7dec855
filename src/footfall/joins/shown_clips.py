"""Shown clips: which clip a join shows at which of its times, frame by frame, for the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.core.clip import Clip, fix_signs
from footfall.joins.search import JoinSection
from footfall.quality.shown import ShownClip


@dataclass(frozen=True, eq=False)
class _Shown:
    """A clip in a result of T frames."""

    clip: Clip
    time_s: np.ndarray  # (T,) NaN where it is not shown
    weight: np.ndarray  # (T,)


def shown_clips(sections: Sequence[JoinSection], asked: tuple[bool, bool]) -> list[ShownClip]:
    """The clip that is left, what was put in between, the clip that is entered; nothing where no clip is left.

    asked: whether when to leave the first and when to enter the last was given by hand.
    """
    first = sections[0].departure
    if first.clip is None:
        return []
    found = [_Shown(first.clip, np.arange(first.clip.frames) / first.fps, np.ones(first.clip.frames))]
    for i, section in enumerate(sections):
        found = _after(found, section, alone=i == 0)
    shown = [ShownClip(*_unrolled(one), filler=0 < i < len(found) - 1) for i, one in enumerate(found)]
    shown[0] = shown[0]._replace(asked=asked[0] or found[0].clip.is_loop)  # a loop loses nothing wherever it is left
    shown[-1] = shown[-1]._replace(asked=asked[1] or found[-1].clip.is_loop)
    return shown


def _after(before: Sequence[_Shown], section: JoinSection, alone: bool) -> list[_Shown]:
    """What is shown when a motion that shows some clips is left; alone: it is the first clip itself."""
    departure, made, whole = section.departure, section.made, section.assembled
    fps, frames = departure.fps, whole.clip.frames
    left = round(whole.join_s * fps) + 1  # frames of the motion that is left
    blend = slice(left, left + len(made.pose.root_pos))
    old_s, share = np.full(frames, np.nan), np.zeros(frames)
    old_s[:left], share[:left] = departure.at_s - np.arange(left - 1, -1, -1) / fps, 1.0
    new_s, new_share = np.full(frames, np.nan), np.zeros(frames)
    new_s[blend.stop :] = made.enter_s + np.arange(1, frames - blend.stop + 1) / fps
    new_share[blend.stop :] = 1.0
    if made.tracks:  # the first is of what is left, the last of what is entered
        old_s[blend], share[blend] = made.tracks[0].time_s, made.tracks[0].weight
        new_s[blend], new_share[blend] = made.tracks[-1].time_s, made.tracks[-1].weight
    found = [_Shown(before[0].clip, old_s, share)] if alone else [_through(one, old_s, share, fps) for one in before]
    return [*found, _Shown(section.target, new_s, new_share)]


def _through(one: _Shown, times_s: np.ndarray, share: np.ndarray, fps: float) -> _Shown:
    """A clip of a motion that is itself shown at some times, NaN where it is not."""
    here = np.isfinite(times_s)
    frame = np.clip(np.round(np.where(here, times_s, 0.0) * fps).astype(int), 0, len(one.time_s) - 1)
    late = np.where(here, times_s, 0.0) - frame / fps  # beyond its end it goes on
    return _Shown(
        one.clip,
        np.where(here, one.time_s[frame] + late, np.nan),
        np.where(here, one.weight[frame] * share, 0.0),
    )


def _unrolled(one: _Shown) -> tuple[Clip, np.ndarray, np.ndarray]:
    """A loop is played as many rounds as are shown; other clips are as they are."""
    clip = one.clip
    if not clip.is_loop or clip.duration <= 0.0 or not np.isfinite(one.time_s).any():
        return clip, one.time_s, one.weight
    low, high = float(np.nanmin(one.time_s)), float(np.nanmax(one.time_s))
    first, last = np.floor(min(low, 0.0) / clip.duration), np.ceil(high / clip.duration - 1e-9)
    begin = first * clip.duration
    times = begin + np.arange(round(max(last - first, 1) * clip.duration * clip.fps) + 1) / clip.fps
    rounds = clip.with_pose(fix_signs(clip.sample(times)), is_loop=False, events=())
    return rounds, one.time_s - begin, one.weight
