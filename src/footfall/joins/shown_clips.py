"""Shown clips: which clip a join shows at which of its times, frame by frame, for the judge."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip, fix_signs
from footfall.joins.join_section import JoinSection
from footfall.quality.shown import ShownClip


def shown_clips(section: JoinSection, asked: tuple[bool, bool], cut: int = 0) -> list[ShownClip]:
    """The clip that is left and the clip that is entered, not what was led on of them; nothing where no clip is left.

    asked: whether when to leave the first and when to enter the second was given by hand. cut: frames of the result
    before those that there are.
    """
    departure, made, whole, (led, into) = section.departure, section.made, section.assembled, section.pair
    if led is None:
        return []
    fps = departure.fps
    left = round(whole.join_s * fps) + 1  # frames of the motion that is left
    blend = slice(left, left + len(made.pose.root_pos))
    frames = max(cut + whole.clip.frames, blend.stop)
    old_s, share, new_s, new_share = (
        np.full(frames, np.nan),
        np.zeros(frames),
        np.full(frames, np.nan),
        np.zeros(frames),
    )
    old_s[:left], share[:left] = departure.at_s - np.arange(left - 1, -1, -1) / fps, 1.0
    new_s[blend.stop :] = made.enter_s + np.arange(1, frames - blend.stop + 1) / fps
    new_share[blend.stop :] = 1.0
    if made.tracks:  # the first is of what is left, the last of what is entered
        old_s[blend], share[blend] = made.tracks[0].time_s, made.tracks[0].weight
        new_s[blend], new_share[blend] = made.tracks[-1].time_s, made.tracks[-1].weight
    old_s, new_s = led.own_s(old_s), into.own_s(new_s)
    share, new_share = np.where(np.isfinite(old_s), share, 0.0), np.where(np.isfinite(new_s), new_share, 0.0)
    kept = slice(cut, cut + whole.clip.frames)
    found = []
    for clip, times_s, weight, by_hand in zip(
        (led.own, into.own), (old_s, new_s), (share, new_share), asked, strict=True
    ):
        one = ShownClip(*_unrolled(clip, times_s[kept], weight[kept]))
        found.append(one._replace(asked=by_hand or clip.is_loop))  # a loop loses nothing wherever it is left
    return found


def _unrolled(clip: Clip, times_s: np.ndarray, weight: np.ndarray) -> tuple[Clip, np.ndarray, np.ndarray]:
    """A loop is played as many rounds as are shown; other clips are as they are."""
    if not clip.is_loop or clip.duration <= 0.0 or not np.isfinite(times_s).any():
        return clip, times_s, weight
    low, high = float(np.nanmin(times_s)), float(np.nanmax(times_s))
    first, last = np.floor(min(low, 0.0) / clip.duration), np.ceil(high / clip.duration - 1e-9)
    begin = first * clip.duration
    times = begin + np.arange(round(max(last - first, 1) * clip.duration * clip.fps) + 1) / clip.fps
    rounds = clip.with_pose(fix_signs(clip.sample(times)), is_loop=False, events=())
    return rounds, times_s - begin, weight
