"""The judge on captures that nobody touched: each cut in two that follow each other perfectly.

What it calls wrong there is a false alarm. `usual_shares` is where the table of green grades comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.analysis.content import actions_of
from footfall.core.clip import Clip, fix_signs
from footfall.quality.alone import figures_alone
from footfall.quality.body_signals import body_signals
from footfall.quality.judge import Judgement, judge
from footfall.quality.judged_figures import FIGURES, LIMITS
from footfall.quality.liveliness import detail_ratio
from footfall.quality.shown import ShownClip
from footfall.quality.step_norms import steps_of, strays, swing_lifts, usual_lift_m

CUTS = (0.35, 0.5, 0.65)  # of a capture
SHARE = 0.95  # of untouched captures that stay under a usual share
ALWAYS_ZERO = ("detail",)  # it compares each frame with the same frame of the clip: nothing changed


class UntouchedCapture(NamedTuple):
    """One capture cut at one place."""

    name: str
    cut: float
    judgement: Judgement


def cut_in_two(clip: Clip, share: float) -> list[ShownClip]:
    """A clip as two that follow each other perfectly."""
    frames, at = np.arange(clip.frames), round(share * clip.frames)
    before = frames < at
    first, second = clip.trim(0.0, (at - 1) / clip.fps), clip.trim(at / clip.fps, clip.duration)
    return [
        ShownClip(first, np.where(before, frames / clip.fps, np.nan), before.astype(float)),
        ShownClip(second, np.where(before, np.nan, (frames - at) / clip.fps), (~before).astype(float)),
    ]


def untouched(clips: Iterable[Clip]) -> list[UntouchedCapture]:
    """Every clip, cut at every place."""
    return [
        UntouchedCapture(clip.name, share, judge(clip, cut_in_two(clip, share)))
        for clip in clips
        for share in CUTS
        if clip.frames >= 8
    ]


def usual_shares(clips: Iterable[Clip]) -> dict[str, float]:
    """How much of its limit each figure takes up in untouched captures, at most, in 95 % of them."""
    every = list(clips)
    found = untouched(every)
    shares: dict[str, float] = {}
    for name in FIGURES:
        figures = [seam.figures[name] for one in found for seam in one.judgement.seams]
        if name not in ALWAYS_ZERO:
            shares[name] = float(np.quantile([f.value / f.limit for f in figures], SHARE))
    shares["steps"] = float(np.quantile(untouched_steps(every), SHARE))
    shares["lift"] = float(np.quantile(untouched_lifts(every), SHARE))
    return shares


def untouched_steps(clips: Iterable[Clip]) -> list[float]:
    """The oddest step of a second of each capture over what the rest of it would allow a join; a cut makes no step, so
    the figure is not tried by cuts."""
    found = []
    for clip in clips:
        steps = steps_of(body_signals(clip))
        for share in CUTS:
            at = share * clip.duration
            new = [strays(s) for s in steps if at <= s.strike_s <= at + 1.0]  # as many as a join makes
            old = max((strays(s) for s in steps if not at <= s.strike_s <= at + 1.0), default=0.0)
            if new:
                found.append(max(new) / max(LIMITS.step_spreads, old))
    return found


def usual_alone(clips: Iterable[Clip]) -> dict[str, float]:
    """What 95 % of captures stay under in what can be told of one clip alone."""
    every = [figures_alone(clip) for clip in clips]
    return {name: float(np.quantile([figures[name].value for figures in every], SHARE)) for name in every[0]}


def untouched_lifts(clips: Iterable[Clip]) -> list[float]:
    """The same of how high a foot is raised, over what the rest allows, of captures without an action."""
    found = []
    for clip, share in product(clips, CUTS):
        swings, at = swing_lifts(body_signals(clip)), share * clip.duration
        new = [swing for swing in swings if at <= swing.land_s <= at + 1.0]
        old = max((swing.lift_m for swing in swings if not at <= swing.land_s <= at + 1.0), default=0.0)
        if new and not actions_of(clip):
            ratio = max(swing.lift_m / max(old, usual_lift_m(swing.speed_m_s)) for swing in new)
            found.append(ratio / LIMITS.lift_share)
    return found


def detail_at_cuts(clips: Iterable[Clip], around_s: float = 0.2) -> list[float]:
    """Detail of a capture about each cut over that of its two parts, which are filtered each by itself: what a part's
    end does to the figure, where nothing was changed."""
    found = []
    for clip, share in product(clips, CUTS):
        reach, at = round(around_s * clip.fps), round(share * clip.frames)
        if 4 * reach <= at <= clip.frames - 4 * reach:
            found.append(detail_ratio(clip, cut_in_two(clip, share), at - reach, at + reach))
    return found


def sampled_again(clips: Iterable[Clip]) -> list[float]:
    """By how many spreads the oddest step of a capture is odder when it is sampled half a frame later, of those whose
    own steps set the limit of a join: what a clip's own step may differ by where it is measured again."""
    found = []
    for clip in clips:
        later = clip.sample((np.arange(clip.frames - 1) + 0.5) / clip.fps)
        again = clip.with_pose(fix_signs(later), events=(), is_loop=False)
        own, shifted = (max((strays(s) for s in steps_of(body_signals(c))), default=0.0) for c in (clip, again))
        if own > LIMITS.step_spreads:
            found.append(shifted - own)
    return found
