"""Oshita 2008, re-run: the paper's four joins, a one-minute take, and timelines thrown together at random."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack
from footfall_lab.bench._measure import Row
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies.oshita2008_random import FPS, Judged, JudgedJoin, built_in_pool, captured_pool, draw, judge

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.core.report import Segment

TITLE = "Smart motion synthesis (Oshita 2008)"
ABOUT = (
    "Clips are put in a row, or over each other, and footfall chooses how each pair is joined. The paper made walk to "
    "backward walk (a transition), jump to walk (a connection), kick to running kick (an adaptation) and walk with a "
    "wave (a composition) in under a minute each, against 10 to 20 minutes by hand. Random timelines have gaps, "
    "overlaps, covered clips, clips of five frames and of nothing but flight, mirrored, sped and trimmed; each join is "
    "measured from its begin to 0.6 s after its end, against the clips it is made of."
)
PAPER: tuple[tuple[str, str, tuple[str | TimelineClip, ...]], ...] = (
    ("transition", "walk to backward walk", ("walk:cycles=2", "walk-back:cycles=2")),
    ("connection", "jump to walk", ("jump", TimelineClip("walk:cycles=2", 1.08))),  # the walk begins as the jump lands
    ("adaptation", "kick to running kick", ("kick", "running-kick")),
)
CAPTURED = (
    ("walk to backward walk", ("walk_straight/16_21", "walk_backward/113_01")),
    ("jump to walk", ("jump/13_39", "walk_straight/02_01")),
    ("kick to walk and run", ("kick/143_24", "transition/143_02")),
    ("walk with a gesture", ("walk_straight/16_31", "wave_gesture/113_27")),
)
TEN = ("walk:cycles=14", "stop", "wave", "bow", "start", "run:cycles=20", "running-kick", "turn-in-place", "kick",
       "walk-back:cycles=12")  # fmt: skip
RANDOM = {"built-in": 200, "captured": 100}
QUICK = {"built-in": 12, "captured": 0}
SKATE, EXCESS, HOLD_S = (1.0, 2.0), (40.0, 120.0), (0.25, 0.5)
Progress = Callable[[str], None]


class Take(NamedTuple):
    """One take, made and looked at."""

    name: str
    wanted: str  # the kind of join it should show; empty where any will do
    clip: Clip
    arranged: Arrangement
    seconds: float  # to plan and join it, clips read and analysed


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, into out/oshita2008.html and .csv, with a film of every take; captures where a folder is given."""
    captures = captures or beside_checkout()
    takes = list(_takes(progress, None if quick else captures))
    rows = [row for take in takes for row in take_rows(take)]
    judged: dict[str, list[Judged]] = {}
    for name, count in (QUICK if quick else RANDOM).items():
        if not count or (name == "captured" and captures is None):
            why = "left out of a quick run" if quick else "skipped: no folder of captures (set FOOTFALL_MOCAP)"
            rows.append(Row(f"random timelines of {name} clips", why))
            continue
        pool = built_in_pool() if name == "built-in" or captures is None else captured_pool(captures, progress)
        judged[name] = judge_all(pool, count, progress, f"{name} timeline")
        rows += random_rows(name, judged[name])
    progress("pictures")
    _write(out, rows, takes, judged, films=not quick)
    return rows


# --- takes -------------------------------------------------------------------------------------------------------


def _takes(progress: Progress, captures: Path | None) -> Iterator[Take]:
    for wanted, name, clips in PAPER:
        progress(name)
        # a flight that ends in a walk cuts the landing, which footfall does only where the paper's rules are asked for
        literal = {"paper": True} if wanted == "connection" else {"rules": True}
        yield made(name, wanted, Timeline((TimelineTrack(tuple(map(_entry, clips))),), fps=FPS, options=literal))
    progress("walk with a wave")
    over = (TimelineClip("walk:cycles=5", 0.0), TimelineClip("wave", 0.8))
    yield made("walk with a wave", "composition", Timeline((TimelineTrack(over),), fps=FPS))
    progress("ten clips, a minute")
    yield made(
        "ten clips in a row, a minute", "", Timeline((TimelineTrack(tuple(TimelineClip(c) for c in TEN)),), fps=FPS)
    )
    for name, files in CAPTURED if captures is not None else ():
        paths = [captures / "cmu_bvh" / f"{f}.bvh" for f in files if captures is not None]
        if not all(path.is_file() for path in paths):
            continue
        progress(f"captured: {name}")
        over_it = name == "walk with a gesture"
        starts: tuple[float | str, float | str] = (0.0, 0.5) if over_it else ("asap", "asap")
        entries = tuple(
            TimelineClip(str(path), start, (0.02, 5.0))  # type: ignore[arg-type]
            for path, start in zip(paths, starts, strict=True)
        )
        yield made(f"captured: {name}", "", Timeline((TimelineTrack(entries, character="adult"),), fps=FPS))


def _entry(clip: str | TimelineClip) -> TimelineClip:
    return clip if isinstance(clip, TimelineClip) else TimelineClip(clip)


def made(name: str, wanted: str, line: Timeline) -> Take:
    """A take, its clips prepared before the clock starts."""
    first = timeline(line)
    first.render(measured=False)
    again = Arrangement(line)
    again._workshop = first._workshop
    start = time.perf_counter()
    again.render(measured=False)
    seconds = time.perf_counter() - start
    return Take(name, wanted, again.render(), again, seconds)


def take_rows(take: Take) -> list[Row]:
    """What is told of one take."""
    from footfall.quality.slide import slide

    clip = take.clip
    segments = clip.report.segments if clip.report else ()
    joins = [s for s in segments if s.kind not in ("clip", "wait")]
    kinds = ", ".join(dict.fromkeys(s.kind for s in joins))
    slid, sources = slide(clip), [slide(p.clip) for p in take.arranged.plan()[0].pieces]
    own = max(s.p95_cm_s for s in sources)
    holds = [s.end_s - s.start_s for s in segments if s.kind == "wait"]
    step, usual = seam_steps(clip, segments)
    return [
        Row(f"{take.name}: made by", kinds, take.wanted, take.wanted in kinds if take.wanted else None),
        Row(f"{take.name}: slide of supporting feet, 95 %", f"{slid.p95_cm_s:.1f} cm/s", f"clips {own:.1f}"),
        Row(
            f"{take.name}: change of velocity in one frame at seams, worst joint",
            f"{step:.3f} m/s",
            f"beside them {usual:.3f}",
        ),
        Row(f"{take.name}: waits", f"{max(holds, default=0.0):.2f} s"),
        Row(f"{take.name}: planned and joined", f"{take.seconds:.2f} s for {clip.duration:.1f} s"),
    ]


def seam_steps(clip: Clip, segments: Sequence[Segment]) -> tuple[float, float]:
    """Largest change of a joint's velocity at seams, and in the five frames to either side of them; m/s a frame."""
    from footfall.quality.joins import accelerations, measured_joints

    change = accelerations(clip)[:, measured_joints(clip)].max(axis=1) / clip.fps  # of frames 1 …
    at, beside = 0.0, 0.0
    for a, b in pairwise(segments):
        if a.kind in ("wait", "composition") or b.kind in ("wait", "composition"):
            continue
        seam = round(a.end_s * clip.fps)
        at = max(at, float(change[max(seam - 2, 0) : seam + 1].max(initial=0.0)))
        around = np.r_[max(seam - 7, 0) : max(seam - 2, 0), seam + 1 : seam + 6]
        beside = max(beside, float(change[around[around < len(change)]].max(initial=0.0)))
    return at, beside


# --- random timelines --------------------------------------------------------------------------------------------


def judge_all(
    pool: Sequence[Clip], count: int, progress: Progress = lambda text: None, name: str = "timeline"
) -> list[Judged]:
    """The first `count` random timelines, rendered and measured."""
    arranged: Arrangement | None = None
    found = []
    for seed in range(count):
        progress(f"{name} {seed + 1} of {count}")
        line = draw(pool, seed)
        arranged = timeline(line) if arranged is None or seed % 20 == 0 else arranged.with_timeline(line)
        found.append(judge(arranged, str(seed)))
    return found


def random_rows(name: str, judged: Sequence[Judged]) -> list[Row]:
    """Figures against their limits."""
    joins = [join for one in judged for join in one.joins]
    what = f"{len(judged)} random timelines of {name} clips, {len(joins)} joins"
    skate, excess = [j.skate_ratio for j in joins], [j.excess_m_s2 for j in joins]
    own = [j.skate_of_sources for j in joins]
    sunk = sum(j.sunk_cm > j.sunk_allowed_cm + 0.05 for j in joins)
    broken = sum(not (one.finite and one.whole) for one in judged)
    fallback = float(np.mean([j.kind == "fallback" for j in joins]))
    holds = [j.hold_s for j in joins if j.asap]
    short = float(np.mean([h <= HOLD_S[0] for h in holds])) if holds else 1.0
    frozen = sum(one.frozen_s > 0.0 for one in judged)
    return [
        Row(f"{what}: not finite, or a joint jumps", str(broken), "0", broken == 0),
        _quantiles(f"{what}: skate over the clips'", skate, (0.5, 0.95), SKATE),
        _quantiles(f"{what}: the same of the clips themselves at those times", own, (0.5, 0.95), None),
        _quantiles(f"{what}: excess acceleration, m/s²", excess, (0.9, 1.0), EXCESS),
        Row(f"{what}: feet sunk beyond 1 cm and the clips'", str(sunk), "0", sunk == 0),
        Row(f"{what}: fallbacks", f"{fallback:.1%}", "under 3 %", fallback < 0.03),
        Row(f"{what}: asap waits of at most 0.25 s", f"{short:.0%}", "90 %", short >= 0.9),
        Row(
            f"{what}: longest asap wait",
            f"{max(holds, default=0.0):.2f} s",
            "0.5 s",
            max(holds, default=0.0) <= HOLD_S[1],
        ),
        Row(f"{what}: with a second that stands still unmarked", str(frozen), "0", frozen == 0),
    ]


def _quantiles(what: str, values: Sequence[float], at: tuple[float, ...], limits: tuple[float, ...] | None) -> Row:
    found = [float(np.quantile(values, q)) if len(values) else 0.0 for q in at]
    names = ["median" if q == 0.5 else "worst" if q == 1.0 else f"{q:.0%}" for q in at]
    value = ", ".join(f"{n} {v:.2f}" for n, v in zip(names, found, strict=True))
    if limits is None:
        return Row(what, value)
    return Row(
        what, value, ", ".join(f"{x:g}" for x in limits), all(v <= x for v, x in zip(found, limits, strict=True))
    )


# --- files -------------------------------------------------------------------------------------------------------


def _write(out: Path, rows: Sequence[Row], takes: Sequence[Take], judged: dict[str, list[Judged]], films: bool) -> None:
    from footfall.io.save import atomic_write
    from footfall.render.plot_timeline import plot_timeline
    from footfall_lab.studies._report import page

    out.mkdir(parents=True, exist_ok=True)
    pictures = [(take.name, plot_timeline(take.clip, take.arranged.plan()[0], title=take.name)) for take in takes]
    atomic_write(out / "oshita2008.html", page(TITLE, ABOUT, list(rows), pictures).encode())
    atomic_write(out / "oshita2008.csv", _table([["what", "measured", "should be", "ok"], *map(list, rows)]))
    atomic_write(out / "oshita2008-segments.csv", _table(list(_segment_table(takes))))
    atomic_write(out / "oshita2008-random.csv", _table(list(_join_table(judged))))
    if films:
        from footfall.render.film import render_film
        from footfall.render.scene import Actor, Scene

        for take in takes:
            name = "".join(c if c.isalnum() else "-" for c in take.name)
            render_film(Scene([Actor(take.clip)]), out / f"oshita2008-{name}.mp4", size=(480, 360))


def _segment_table(takes: Sequence[Take]) -> Iterator[list[object]]:
    yield ["take", "kind", "from s", "to s", "clips", "phases", "skate ratio", "excess m/s2", "why"]
    for take in takes:
        for s in take.clip.report.segments if take.clip.report else ():
            figures = [f"{s.quality[key]:.2f}" if key in s.quality else "" for key in ("skate_ratio", "excess_m_s2")]
            phases = " ".join(s.phases or ())
            yield [
                take.name,
                s.kind,
                f"{s.start_s:.3f}",
                f"{s.end_s:.3f}",
                " ".join(s.clips),
                phases,
                *figures,
                s.reason,
            ]


def _join_table(judged: dict[str, list[Judged]]) -> Iterator[list[object]]:
    names = [field.name for field in fields(JudgedJoin)]
    yield ["set", "timeline", *names]
    for name, every in judged.items():
        for one in every:
            for join in one.joins:
                yield [name, one.name, *(getattr(join, n) for n in names)]


def _table(lines: Sequence[Sequence[object]]) -> bytes:
    text = StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()
