"""Through a donor: where two motions do not meet well, a recording of a folder may lead from one to the other.

The folder's library names stretches whose ends are like the motions (`library.donors`). For the likeliest the motion is
joined to the stretch and the stretch to the target, by the engine of all joins; the judge looks at the whole. The same
costs as for a direct join say which is better: what is seen at seams, and seconds that are lost of either motion or put
between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.align.features import points_of
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.io.folder import moving_clips
from footfall.joins.join_costs import WEIGHTS, judged_cost
from footfall.joins.join_section import JoinSection
from footfall.joins.joined_body import on_body
from footfall.joins.search import WITHIN_S, SearchRequest, search
from footfall.joins.shown_clips import shown_clips
from footfall.library.build import Settings, with_library
from footfall.library.donors import LASTS_S, DonorStretch, donor_stretches
from footfall.library.find import in_folder
from footfall.library.moments import FPS, LEAST, moments_facet, turned_rows
from footfall.library.moments import on_body as on_index_body
from footfall.quality.judge import Judgement
from footfall.quality.shown import ShownClip
from footfall.quality.verdict import judgement_of
from footfall.retarget.character import character

BODY = "adult"  # moments are compared on: that of `find` and `match`, so that they share what is kept
ROOM_S = 0.75  # seconds of the recording before and after the stretch for the seams
FLOOR_S = 5.0  # seconds around it that tell how high the recording's floor is. By eye
LEAST_COST = WEIGHTS.led * LASTS_S[0]  # no way through a donor costs less
TRIED = 4  # stretches that are joined and judged, about 2 s each


class DonorFolder(NamedTuple):
    """A folder whose recordings may be donors, and how its library is brought up to date."""

    folder: Path
    settings: Settings = Settings()


class JudgedWay(NamedTuple):
    """What the judge sees of a way from one motion to the other."""

    shown: list[ShownClip]
    judgement: Judgement | None
    cost: float


class DonorWay(NamedTuple):
    """A way through a donor."""

    stretch: DonorStretch
    name: str  # of the donor in the report
    start_s: float  # second of the recording at which the joined part of it begins
    first: JoinSection
    second: JoinSection
    judged: JudgedWay

    @property
    def shift_s(self) -> float:
        """Added to a time of the first join's clip, it gives the time of the recording."""
        return self.start_s + self.first.made.enter_s - self.first.assembled.end_s

    @property
    def words(self) -> str:
        leave_s = self.second.departure.at_s + self.shift_s
        return f"through {self.name} from {self.start_s + self.first.made.enter_s:.2f} to {leave_s:.2f} s"


def ways_through(
    a: Clip, b: Clip, request: SearchRequest, donors: DonorFolder, asked: tuple[bool, bool]
) -> list[DonorWay]:
    """Ways through the likeliest donors of a folder, the cheapest first; a and b are as `join` has them.

    asked: whether when to leave the first and when to enter the second was given by hand.
    """
    found = []
    for stretch in _stretches(a, b, request, donors):
        try:
            way = _through(a, b, request, donors, stretch, asked)
        except FootfallError:  # a file that is gone by now, or a body that cannot be put on the first's: no donor
            continue
        if way is not None:
            found.append(way)
    return sorted(found, key=lambda way: way.judged.cost)


def judged_way(out: Clip, shown: list[ShownClip], loops: tuple[bool, bool]) -> JudgedWay:
    """What a way costs, direct or not: what the judge sees, and seconds that are lost or lie between."""
    found = judgement_of(out, shown)
    if found is None:
        return JudgedWay(shown, None, np.inf)
    first, last = shown[0], shown[-1]
    between_s = float(np.sum((first.weight < 1.0) & (last.weight < 1.0))) / out.fps
    lost_s = 0.0 if loops[0] else max(first.clip.duration - float(np.nanmax(first.time_s, initial=0.0)), 0.0)
    lost_s += 0.0 if loops[1] else max(float(np.nanmin(last.time_s, initial=last.clip.duration)), 0.0)
    cut = len(found.actions) + len(found.losses)
    return JudgedWay(
        shown, found, judged_cost(found) + WEIGHTS.led * between_s + WEIGHTS.lost * lost_s + WEIGHTS.cut * cut
    )


def _stretches(a: Clip, b: Clip, request: SearchRequest, donors: DonorFolder) -> list[DonorStretch]:
    """The likeliest donors, by the folder's index."""
    body = character(BODY)
    facet = moments_facet(body, donors.settings.options)
    rows = [turned_rows(on_index_body(clip, body), points_of(body.skeleton)) for clip in (a, b)]
    leave_from_s = 0.0 if a.is_loop else max(request.leave_from_s, a.duration - WITHIN_S)
    leave_s = (leave_from_s, a.duration) if request.at_s is None else (request.at_s, request.at_s)
    enter_s = (0.0, min(request.window_s[1], WITHIN_S)) if request.enter_s is None else (request.enter_s,) * 2
    near = [_between(r, times) for r, times in zip(rows, (leave_s, enter_s), strict=True)]
    named = [in_folder(Path(c.source.path), c, donors.folder, 0.0) for c in (a, b) if c.source.path]
    own = [place[:2] for place in named if place is not None]
    return with_library(
        donors.folder, [facet], lambda index: donor_stretches(index, facet, near[0], near[1], TRIED, own),
        donors.settings,
    )[0]  # fmt: skip


def _between(rows: np.ndarray, times_s: Sequence[float]) -> np.ndarray:
    """Rows from one time to another, at least one."""
    first, last = (min(max(round(t * FPS), 0), len(rows) - 1) for t in times_s)
    return rows[first : last + 1]


def _through(
    a: Clip, b: Clip, request: SearchRequest, donors: DonorFolder, stretch: DonorStretch, asked: tuple[bool, bool]
) -> DonorWay | None:
    """One way, made and judged; None where the two seams would run into each other."""
    part, start_s, name = _part(a, donors, stretch)
    donor = replace(request, led=False, enter_s=None, window_s=(0.0, 2.0 * ROOM_S), filler=(False, True))
    first = search(a, part, donor)[0].section
    halfway = replace(first.assembled.clip, name=name, is_loop=False)
    free_s = first.assembled.end_s + 1.0 / halfway.fps
    if free_s > halfway.duration:
        return None
    rest = replace(request, led=False, at_s=None, leave_from_s=free_s, filler=(True, False))
    second = search(halfway, b, rest)[0].section
    shown = _all_shown(first, second, asked)
    judged = judged_way(second.assembled.clip, shown, (a.is_loop, b.is_loop))
    return DonorWay(stretch, name, start_s, first, second, judged)


def _part(a: Clip, donors: DonorFolder, stretch: DonorStretch) -> tuple[Clip, float, str]:
    """The stretch on the body of the first motion with room for both seams, where it begins, and what it is called."""
    clips = moving_clips(donors.folder / stretch.file, LEAST, **donors.settings.options)
    clip = clips[stretch.number]
    name = stretch.file if len(clips) == 1 else f"{stretch.file}#{stretch.clip}"
    around = max(stretch.enter_s - FLOOR_S, 0.0), min(stretch.leave_s + FLOOR_S, clip.duration)
    body = on_body(a, replace(clip, is_loop=False).trim(*around))
    start_s = max(stretch.enter_s - ROOM_S, 0.0)
    part = body.trim(start_s - around[0], min(stretch.leave_s + ROOM_S - around[0], body.duration))
    return replace(part, name=name), start_s, name


def _all_shown(first: JoinSection, second: JoinSection, asked: tuple[bool, bool]) -> list[ShownClip]:
    """What the second join shows: the two clips of the first, in the frames it shows of that, and its own."""
    one, donor = shown_clips(first, (asked[0], True))
    both, last = shown_clips(second, (True, asked[1]))
    shows = np.isfinite(both.time_s)
    frame = np.clip(np.rint(np.where(shows, both.time_s, 0.0) * both.clip.fps).astype(int), 0, len(one.time_s) - 1)

    def seen(clip: ShownClip) -> ShownClip:
        times = np.where(shows, clip.time_s[frame], np.nan)
        return clip._replace(time_s=times, weight=np.where(shows, clip.weight[frame] * both.weight, 0.0))

    return [seen(one), seen(donor)._replace(filler=True), last]
