"""Verdict: what the judge says of a made motion, put into its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from footfall.core.errors import SkeletonError
from footfall.core.report import Report, Segment
from footfall.quality.judge import Judgement, SeamJudgement, judging
from footfall.quality.judged_figures import USUAL_SHARE

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.quality.shown import ShownClip

NAMED = 3  # red joins that a line names; more are counted
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
    """Grade and why, for people: the first thing seen of every red join; empty where nothing was judged."""
    grade, reasons = report.judgement.get("grade", ""), _gravest(report)
    if grade == "amber":
        return f'amber: believable, but close to "{closest(report)}"'
    more = len(reasons) - NAMED
    last = [f"and {more} more red join{'s' if more > 1 else ''}"] if more > 0 else []
    return f"{grade}: {'; '.join([*reasons[:NAMED], *last])}" if reasons else str(grade)


def _gravest(report: Report) -> list[str]:
    """What is wrong with the whole (order, what is cut or lost), then the first reason of each other red join."""
    reasons, seams = report.judgement.get("reasons", ()), report.judgement.get("seams", ())
    of_joins = {f"{f['seen']} at {s['time_s']:.1f} s" for s in seams for f in s["figures"].values() if not f["ok"]}
    whole = [reason for reason in reasons if reason not in of_joins]
    red = [seam for seam in seams if seam["reasons"] and not set(seam["reasons"]) & set(whole)]
    return [*whole, *(f"{seam['reasons'][0]} at {seam['time_s']:.1f} s" for seam in red)]


def closest(report: Report) -> str:
    """What a viewer would say of the figure that is farthest beyond what 95 % of untouched captures show, and when."""
    seams = report.judgement["seams"]
    rated = [
        (_beyond_usual(name, f), f["seen"], seam["time_s"]) for seam in seams for name, f in seam["figures"].items()
    ]
    _, seen, time_s = max(rated, key=lambda one: one[0])
    return f"{seen} at {time_s:.1f} s"


def _beyond_usual(name: str, figure: dict[str, Any]) -> float:
    """A figure over the share of its limit that is usual; more than 1 makes a seam amber."""
    usual = USUAL_SHARE[name] * figure["limit"]
    return figure["value"] / usual if usual > 0 else float(figure["value"] > 0) * 2.0
