"""Two clips joined by every method, and the map of moments at which they can be, as the Joins tab shows them.

What takes its time is a generator of answers, so that whoever asks can stop between two of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
from msgspec.structs import replace

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.core.report import Report, Segment
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.leg_solve import has_legs
from footfall.joins.bridge import rounds
from footfall.joins.candidates import RATE, minima, unlikeness
from footfall.joins.join import join
from footfall.joins.joined_body import on_one_body
from footfall.joins.search import WITHIN_S
from footfall.joins.transition import methods
from footfall.quality.body_signals import body_signals
from footfall.quality.joins import excess_curve
from footfall.quality.momentum import push
from footfall.quality.skate import skate_speeds
from footfall.studio import frames
from footfall.studio import join_messages as m
from footfall.studio.edits import sentence
from footfall.studio.figures import skeleton_view
from footfall.studio.message_parts import Grade, Method
from footfall.studio.views import GRADES

LONGEST_S = 120.0  # of a clip that is compared: nobody waits for longer ones
LOOP_S = 2.0  # that a loop is played for, and the half of a round: so that it can be left or entered well. By eye
SHOWN_S = (1.5, 2.5)  # seconds before the join and after it that are sent as poses. By eye
SHOWN_FPS = 60.0  # of these poses, and of the curves, at most
COARSE, FINE = 48, 360  # rows and columns of a map, at most
APART_S = 0.4  # seconds between two spots of a map, at least. By eye
SPOTS = 10  # of a map, at most
VALLEY = 5  # cells across, of which the middle one is cheapest at a spot
USUAL_SPOTS = 3  # of them where a join is sought first: near the end of the first clip and the start of the second
CONTRAST = 0.9  # of the cells of a map are told apart; the worst are all alike. By eye
MADE_FIRST = "auto"

Answer = m.JoinedPair | m.JoinMade | m.JoinMap | m.JoinSpots | m.LibraryMap
Answers = tuple[Answer | bytes, ...]  # bytes: a frame of poses, before the message it belongs to


class JoinedClips(NamedTuple):
    """Two clips as they are joined, the second on the body of the first."""

    first: Clip
    second: Clip


class JoinMoment(NamedTuple):
    """When to leave, to enter, and how long it takes; None is left to the method."""

    leave_s: float | None = None
    enter_s: float | None = None
    length_s: float | None = None


def prepared(first: Clip, second: Clip) -> JoinedClips:
    """Both clips, loops played for a while; those that nobody could wait for are refused."""
    for clip in (first, second):
        if clip.duration > LONGEST_S:
            raise ParameterError(
                f"{clip.name} lasts {clip.duration:.0f} s; clips of up to {LONGEST_S:g} s are compared: trim it"
            )
    return JoinedClips(*on_one_body(rounds(first, LOOP_S), rounds(second, LOOP_S)))


def joined(pair: JoinedClips, method: str, moment: JoinMoment) -> Clip:
    """The join, with its report."""
    return join(pair.first, pair.second, method, moment.leave_s, moment.length_s, moment.enter_s)


def method_names() -> tuple[str, ...]:
    """Every method, the one that tries and measures first."""
    return tuple(sorted(methods(), key=lambda name: (name != MADE_FIRST, name)))


# --- by every method --------------------------------------------------------------------------------------------------


def comparing(pair: JoinedClips, asked: m.CompareJoins, moment: JoinMoment) -> Iterator[Answers]:
    """The pair, then one join after the other."""
    known = methods()
    names = [name for name in asked.methods if name in known] or list(method_names())
    told = tuple(Method(name, known[name].summary) for name in names)
    seconds = (round(pair.first.duration, 4), round(pair.second.duration, 4))
    yield (m.JoinedPair(asked.serial, skeleton_view(pair.first.skeleton), seconds, told),)
    for number, name in enumerate(names):
        try:
            yield _made(joined(pair, name, moment), pair, asked.serial, number, name)
        except FootfallError as error:
            yield (m.JoinMade(asked.serial, number, name, sentence(error)),)


def _made(clip: Clip, pair: JoinedClips, serial: int, number: int, method: str) -> Answers:
    """A join as the page is told: poses around it, then what is known of it."""
    assert clip.report is not None
    seam = next(segment for segment in clip.report.segments if segment.kind == "transition")
    grade, seen, figures = _verdict(clip.report)
    step = max(1, round(clip.fps / SHOWN_FPS))
    first = max(0, round((seam.start_s - SHOWN_S[0]) * clip.fps))
    shown = slice(first, round((seam.end_s + SHOWN_S[1]) * clip.fps) + 1, step)
    rows = frames.world_rows(clip.skeleton, clip.pose.at(shown))
    poses = frames.encode(frames.JOIN, serial, number, rows, clip.fps / step, first / clip.fps)
    times = seam.clip_times_s
    message = m.JoinMade(
        serial, number, method, None, _s(seam.start_s), _s(seam.end_s),
        _s(times[0][0] - 1.0 / clip.fps if times else 0.0), _s(times[-1][1] if times else 0.0),
        grade, seen, _reason(clip.report), figures, _curves(clip, pair, seam, shown),
    )  # fmt: skip
    return poses, message


def _verdict(report: Report) -> tuple[Grade, tuple[str, ...], tuple[m.JoinFigure, ...]]:
    told = report.judgement
    if not told:
        return "unknown", (), ()
    seams = told["seams"]
    figures = tuple(
        m.JoinFigure(name, round(figure["value"], 3), round(figure["limit"], 3), figure["ok"])
        for name, figure in (seams[0]["figures"].items() if seams else ())
        if np.isfinite(figure["value"]) and np.isfinite(figure["limit"])
    )
    return GRADES[told["grade"]], tuple(told["reasons"]), figures


def _reason(report: Report) -> str:
    """How it was made, in words; what was led on comes with it."""
    return "; ".join(segment.reason for segment in report.joins if segment.reason)


def _curves(clip: Clip, pair: JoinedClips, seam: Segment, shown: slice) -> m.JoinCurves | None:
    """Skate, push and excess acceleration over the frames that are shown."""
    if not has_legs(clip.skeleton) or clip.frames < 4:
        return None
    assert clip.report is not None
    at = clip.times[shown]
    slide = skate_speeds(clip).max(axis=1)
    begins = next((s for s in reversed(clip.report.segments) if s.kind == "clip" and s is not clip.report.segments[0]),
                  None)  # fmt: skip
    second_s = seam.end_s - seam.clip_times_s[-1][1] if begins is None else begins.start_s - begins.clip_times_s[0][0]
    times, excess = excess_curve(clip, seam.start_s, [(pair.first, 0.0), (pair.second, second_s)])
    return m.JoinCurves(
        _s(float(at[0]) - seam.start_s),
        clip.fps / (shown.step or 1),
        _rounded(slide[np.minimum(np.arange(clip.frames)[shown], len(slide) - 1)]),
        _rounded(push(body_signals(clip))[shown]),
        _rounded(np.interp(at, times, excess, 0.0, 0.0) if len(times) else np.zeros(len(at))),
    )


# --- the map ----------------------------------------------------------------------------------------------------------


def mapping(pair: JoinedClips, asked: m.MapJoins) -> Iterator[Answers]:
    """A coarse map, then the fine one."""
    for clip in pair:
        if not has_legs(clip.skeleton):
            raise ParameterError(f"{clip.name} is of a body without two legs, of which there is no map")
    fps = pair.first.fps
    old, new = (foot_paths(clip, fps, asked.length_s) for clip in pair)
    yield (_map(old, new, asked, COARSE),)
    yield (_map(old, new, asked, FINE),)


def judging(pair: JoinedClips, found: m.JoinMap) -> Iterator[Answers]:
    """The spots of a map, one after the other with what the judge says of a join made there."""
    spots = list(found.spots)
    for i, spot in enumerate(spots):
        try:
            made = joined(pair, MADE_FIRST, JoinMoment(spot.leave_s, spot.enter_s, found.length_s))
        except FootfallError as error:
            spots[i] = replace(spot, seen=sentence(error))
        else:
            assert made.report is not None
            grade, seen, _ = _verdict(made.report)
            spots[i] = replace(spot, grade=grade, seen=seen[0] if seen else "")
        yield (m.JoinSpots(found.serial, tuple(spots)),)


def _map(old: FootPaths, new: FootPaths, asked: m.MapJoins, most: int) -> m.JoinMap:
    leaves, enters = (_frames(paths, most) for paths in (old, new))
    cost = unlikeness(old, new, leaves, enters, max(2, round(asked.length_s * old.fps)))
    low, high = float(cost.min()), max(float(np.quantile(cost, CONTRAST)), float(cost.min()) + 1e-6)
    cells = np.clip((cost - low) / (high - low) * 255.0, 0.0, 255.0).astype(np.uint8)
    leave_s, enter_s = ((f - p.lead) / p.fps for f, p in ((leaves, old), (enters, new)))
    spots = tuple(
        m.JoinSpot(_s(leave_s[i]), _s(enter_s[j]), round(100.0 * float(cost[i, j]), 2))
        for i, j in _spots(cost, leave_s, enter_s - asked.length_s)
    )
    return m.JoinMap(
        asked.serial, asked.length_s, _ends(leave_s), _ends(enter_s), len(leave_s), len(enter_s),
        (round(100.0 * low, 2), round(100.0 * high, 2)), cells.tobytes(), most == FINE, spots,
    )  # fmt: skip


def _spots(cost: np.ndarray, leave_s: np.ndarray, start_s: np.ndarray) -> list[tuple[int, int]]:
    """Cells that are cheaper than those around them: some where a join loses little of either clip, then anywhere.

    start_s: of the second clip, when the transition begins.
    """
    from scipy.ndimage import minimum_filter

    apart = max(1, round(APART_S * (len(leave_s) - 1) / max(float(leave_s[-1]), 1e-6)))
    usual = (leave_s >= leave_s[-1] - WITHIN_S)[:, None] & (start_s <= min(WITHIN_S, float(start_s[-1])))[None]
    valleys = np.where(cost <= minimum_filter(cost, VALLEY, mode="nearest"), cost, np.inf)
    found = minima(np.where(usual, valleys, np.inf), apart, USUAL_SPOTS) or minima(np.where(usual, cost, np.inf), 1, 1)
    others = minima(valleys, apart, SPOTS)
    far = [(i, j) for i, j in others if all(max(abs(i - k), abs(j - n)) > apart for k, n in found)]
    return (found + far)[:SPOTS]


def _frames(paths: FootPaths, most: int) -> np.ndarray:
    """Frames of a clip that a map has rows or columns for, evenly spaced: at most so many, and RATE a second."""
    stride = max(round(paths.fps / RATE), -(-paths.frames // most), 1)
    return paths.lead + np.arange(0, paths.frames, stride)


def _ends(times_s: np.ndarray) -> tuple[float, float]:
    return _s(times_s[0]), _s(times_s[-1])


def _s(seconds: float) -> float:
    return round(float(seconds), 4)


def _rounded(values: Sequence[float] | np.ndarray) -> tuple[float, ...]:
    return tuple(cast("list[float]", np.round(np.asarray(values, float), 2).tolist()))
