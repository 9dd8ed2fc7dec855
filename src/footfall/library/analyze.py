"""ff.analyze: what a clip is, given as a clip, as a file or as a built-in motion."""

from __future__ import annotations

from footfall.analysis import summary
from footfall.analysis.summary import Analysis
from footfall.motions.library import ClipLike, open_clip


def analyze(clip: ClipLike) -> Analysis:
    """Everything footfall can tell about a clip: support phases, foot strikes, type, speed, turn, cycles and loop.

    >>> import footfall as ff
    >>> ff.analyze("walk:speed=1.2").gait.type
    'walk'
    """
    return summary.analyze(open_clip(clip))
