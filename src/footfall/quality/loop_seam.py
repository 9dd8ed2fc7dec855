"""Loop seam: a closed loop played twice, judged where it goes round, against the recording it was closed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.core.clip import fix_signs
from footfall.quality.shown import ShownClip
from footfall.quality.verdict import judgement_of

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.quality.judge import Judgement


def judged_loop(closed: Clip, source: Clip, start_s: float = 0.0) -> Judgement | None:
    """What a viewer sees of the seam; None where there is nothing to judge by.

    source: what was closed, on the same body; start_s: when the loop begins in it. What a loop leaves out of its
    source was left out on purpose, and is not judged.
    """
    last = closed.frames - 1
    if last < 2 or not closed.is_loop:
        return None
    frames = np.arange(2 * last + 1)
    twice = closed.with_pose(fix_signs(closed.sample(frames / closed.fps)), is_loop=False, events=())
    first = frames <= last
    times = start_s + np.where(first, frames, frames - last) / closed.fps
    rounds = [
        ShownClip(source, np.where(shows, times, np.nan), shows.astype(float), asked=True) for shows in (first, ~first)
    ]
    return judgement_of(twice, rounds)
