"""Cases of the study of belief: captured takes joined and arranged by the public calls, and what the judge says."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footfall_lab.studies.believable_takes import CapturedTake, clip_of

if TYPE_CHECKING:
    from footfall.core.clip import Clip

MOST_TIMES = 10.0  # its limit: a figure that misses it by more counts no worse


@dataclass(frozen=True)
class BeliefCase:
    """Takes that were joined, or put in a row, and the verdict."""

    takes: tuple[CapturedTake, ...]
    is_timeline: bool
    judgement: Mapping[str, Any] = field(default_factory=dict)
    quality: tuple[Mapping[str, float], ...] = ()  # the older figures of every join
    seconds: float = 0.0  # it took
    duration_s: float = 0.0  # of the result
    problem: str = ""  # why it was refused

    @property
    def names(self) -> list[str]:
        return [f"{take.kind} {take.path.stem}" for take in self.takes]

    @property
    def seams(self) -> list[Mapping[str, Any]]:
        return list(self.judgement.get("seams", ()))

    @property
    def failed(self) -> list[str]:
        """Names of all figures that miss their limits."""
        found = [name for name, bad in self._content().items() if bad]
        return found + sorted({n for seam in self.seams for n, f in seam["figures"].items() if not f["ok"]})

    def _content(self) -> dict[str, bool]:
        told = self.judgement
        return {
            "refused": bool(self.problem),
            "order": not told.get("ordered", True),
            "kept": bool(told.get("lost")),
            "actions": bool(told.get("cut")),
        }

    def plain(self) -> dict[str, Any]:
        """For the file of all cases."""
        return {
            "what": "timeline" if self.is_timeline else "join",
            "takes": self.names,
            "grade": self.judgement.get("grade", "none"),
            "failed": self.failed,
            "reasons": list(self.judgement.get("reasons", ())),
            "problem": self.problem,
            "duration_s": round(self.duration_s, 3),
            "seconds": round(self.seconds, 2),
            "seams": self.seams,
            "lost": list(self.judgement.get("lost", ())),
            "cut": list(self.judgement.get("cut", ())),
        }


def badness(seam: Mapping[str, Any]) -> float:
    """How far a seam is from being believed: how many times each failed figure is its limit, summed."""
    over = [
        f["value"] / f["limit"] if f["limit"] > 0.0 else MOST_TIMES for f in seam["figures"].values() if not f["ok"]
    ]
    content = len(seam["reasons"]) > 0 and not over
    return float(sum(min(x, MOST_TIMES) for x in over) + content)


def made(takes: Sequence[CapturedTake], is_timeline: bool) -> Clip:
    """What is judged: takes joined, or in a row, with everything chosen by footfall."""
    import footfall as ff

    clips = [clip_of(take.path) for take in takes]
    return ff.timeline(clips).render() if is_timeline else ff.join(clips[0], clips[1])


def judged_case(takes: Sequence[CapturedTake], is_timeline: bool) -> BeliefCase:
    """One case; refusals are said, and are not believed."""
    from footfall.core.errors import FootfallError

    began = time.perf_counter()
    try:
        clip = made(takes, is_timeline)
    except FootfallError as error:
        return BeliefCase(tuple(takes), is_timeline, problem=str(error))
    report = clip.report
    assert report is not None
    quality = tuple(dict(segment.quality) for segment in report.joins if segment.quality)
    took = time.perf_counter() - began
    return BeliefCase(tuple(takes), is_timeline, report.judgement, quality, took, clip.duration)


def _job(asked: tuple[tuple[CapturedTake, ...], bool]) -> BeliefCase:
    return judged_case(*asked)


def judged_cases(jobs: Sequence[tuple[tuple[CapturedTake, ...], bool]], workers: int) -> Iterator[BeliefCase]:
    """Every case in order, in this process or in several."""
    if workers < 2:
        yield from map(_job, jobs)
        return
    with ProcessPoolExecutor(min(workers, os.cpu_count() or 1)) as pool:
        yield from pool.map(_job, jobs, chunksize=1)
