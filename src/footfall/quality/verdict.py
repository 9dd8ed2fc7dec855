"""Verdict: what the judge says of a made motion, put into its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from footfall.core.errors import SkeletonError
from footfall.core.report import Report, Segment
from footfall.quality.judge import Judgement, SeamJudgement, judging

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.quality.shown import ShownClip

LEAST_FRAMES = 4  # of the result and of every clip it shows: shorter ones have no movement to judge


def judgement_of(out: Clip, shown: Sequence[ShownClip]) -> Judgement | None:
    """The judge's view; None where there is nothing to judge by: bodies without two feet, clips of a few frames."""
    return next((found for found in stepwise(out, shown) if found is not None), None)


def stepwise(out: Clip, shown: Sequence[ShownClip]) -> Iterator[Judgement | None]:
    """The same in steps, of which the last tells; it is None where there is nothing to judge by."""
    if not shown or min(out.frames, *(one.clip.frames for one in shown)) < LEAST_FRAMES:
        return
    try:
        yield from judging(out, shown)
    except SkeletonError:
        return


def told(report: Report, found: Judgement | None, seam_of: Callable[[Segment], SeamJudgement | None]) -> Report:
    """The report with the judgement, and each join with the grade of its seam."""
    if found is None:
        return report
    segments = tuple(_graded(segment, seam_of(segment)) for segment in report.segments)
    return replace(report, segments=segments, judgement=found.to_json())


def _graded(segment: Segment, seam: SeamJudgement | None) -> Segment:
    return segment if seam is None else replace(segment, grade=seam.grade, seen=seam.reasons)


def in_a_line(report: Report) -> str:
    """Grade and first reason, for people; empty where nothing was judged."""
    grade, reasons = report.judgement.get("grade", ""), report.judgement.get("reasons", ())
    return f"{grade}: {reasons[0]}" if reasons else str(grade)
