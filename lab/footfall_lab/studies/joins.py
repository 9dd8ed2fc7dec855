"""How good joins are: every transition method on all pairs of captured takes and on random built-in pairs."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from io import StringIO
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall_lab.bench._measure import Row
from footfall_lab.studies._captures import beside_checkout

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.joins.measure import JoinQuality

TITLE = "Joins, measured"
TAKES = (
    "walk_straight/02_01", "walk_straight/07_04", "walk_turn/16_17", "run_straight/09_01", "run_straight/35_17",
    "run_turn/127_11", "jump/13_39", "jump/16_03", "kick/143_24", "punch/143_23", "stand_idle/111_28",
    "wave_gesture/113_27",
)  # fmt: skip
RANDOM_PAIRS, QUICK_PAIRS = 100, 12
BASELINE = "crossfade, linear, feet as they come"
LENGTH_S = 0.4  # of methods that do not choose, and how long before its end they leave the first clip
SKATE, EXCESS, KNEE, KNEE_SHARE = (1.0, 2.0, 3.5), (10.0, 40.0, 120.0), 1.2, 0.95

Progress = Callable[[str], None]


class Job(NamedTuple):
    """One pair to join in one way."""

    set: str
    first: int
    second: int
    method: str


class Joined(NamedTuple):
    """What came out."""

    job: Job
    names: tuple[str, str]
    quality: JoinQuality | None  # None where the method refused
    joins: int
    why: str


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, into out/joins.html and out/joins.csv; those on captures where a folder of them is given."""
    from footfall.joins.transition import methods

    captures = captures or beside_checkout()
    sets = {"built-in": builtins()}
    jobs = list(_random_pairs("built-in", len(sets["built-in"]), QUICK_PAIRS if quick else RANDOM_PAIRS))
    rows: list[Row] = []
    if quick or captures is None:
        why = "left out of a quick run" if quick else "skipped: no folder of captures (set FOOTFALL_MOCAP)"
        rows.append(Row("pairs of captured takes", why))
    else:
        sets["captures"] = taken(captures)
        jobs += [("captures", a, b) for a, b in permutations(range(len(sets["captures"])), 2)]
        rows.append(_untouched(sets["captures"]))
    ways = ["auto", BASELINE, *(name for name in methods() if name != "auto")]
    every = [Job(*pair, way) for way in ways for pair in jobs]
    found: list[Joined] = []
    for joined in _all(sets, every, 1 if quick else os.cpu_count() or 1):
        found.append(joined)
        progress(f"{len(found)} of {len(every)}: {joined.job.method}, {joined.names[0]} to {joined.names[1]}")
    for name in sets:
        for way in ways:
            rows += summary(name, way, [j for j in found if j.job.set == name and j.job.method == way])
    _write(out, rows, found)
    return rows


# --- what is joined ----------------------------------------------------------------------------------------------


def builtins() -> list[Clip]:
    """A broad choice of the built-in motions."""
    from footfall.motions.library import motion
    from footfall.motions.sets import examples

    names = ("walk", "run", "jump", "kick", "punch", "reach", "transition")
    clips = [clip for name in names for clip in examples(name)[::3]]
    others = ("stand", "wave", "bow", "skip", "turn-in-place", "walk-back", "walk-side")
    return clips + [motion(name) for name in others]


def _random_pairs(name: str, count: int, pairs: int) -> Iterator[tuple[str, int, int]]:
    rng = np.random.default_rng(0)
    for _ in range(pairs):
        first, second = rng.choice(count, 2, replace=False)
        yield name, int(first), int(second)


def taken(folder: Path) -> list[Clip]:
    """The captured takes, on one body."""
    from footfall.io.load import load
    from footfall.retarget.retarget import retarget

    paths = [folder / "cmu_bvh" / f"{take}.bvh" for take in TAKES]
    return [
        replace(retarget(load(path), "adult"), name=f"{path.parent.name} {path.stem}")
        for path in paths
        if path.is_file()
    ]


# --- joining -----------------------------------------------------------------------------------------------------

_sets: dict[str, list[Clip]] = {}


def _all(sets: dict[str, list[Clip]], jobs: Sequence[Job], workers: int) -> Iterator[Joined]:
    if workers < 2:
        _begin(sets)
        yield from map(_join, jobs)
        return
    with ProcessPoolExecutor(workers, initializer=_begin, initargs=(sets,)) as pool:
        yield from pool.map(_join, jobs, chunksize=4)


def _begin(sets: dict[str, list[Clip]]) -> None:
    _sets.update(sets)


def _join(job: Job) -> Joined:
    from footfall.core.errors import FootfallError
    from footfall.joins.join import join

    a, b = _sets[job.set][job.first], _sets[job.set][job.second]
    names = (a.name, b.name)
    try:
        if job.method == "auto":
            out = join(a, b)
        else:
            at_s = max(0.0, a.duration - LENGTH_S)
            if job.method == BASELINE:
                out = join(a, b, "crossfade", at_s, LENGTH_S, foot_lock=False, shape="linear")
            else:
                out = join(a, b, job.method, at_s)
    except FootfallError as error:
        return Joined(job, names, None, 0, str(error))
    return Joined(job, names, judged(out, a, b), len(out.report.joins) if out.report else 0, _why(out))


def judged(out: Clip, a: Clip, b: Clip) -> JoinQuality:
    """The join by its clips alone: from the first frame that is no longer a's, whatever the report calls it."""
    from footfall.joins.measure import measure

    assert out.report is not None
    segments = out.report.segments
    first, last = segments[0], segments[-1]
    left_s = first.end_s if first.kind == "clip" and out.report.joins else 0.0
    begins_s = last.start_s - last.clip_times_s[0][0] if last.kind == "clip" else out.duration
    return measure(out, left_s + 1.0 / out.fps, [(a, 0.0), (b, begins_s)])


def _why(out: Clip) -> str:
    return "" if out.report is None else " / ".join(segment.reason for segment in out.report.joins)


# --- figures -----------------------------------------------------------------------------------------------------


def summary(name: str, way: str, joined: Sequence[Joined]) -> Iterable[Row]:
    """The table's lines for one method on one set; only auto has limits to keep."""
    found = [j.quality for j in joined if j.quality is not None]
    if not found:
        return
    what = f"{name}, {way}, {len(found)} joins"
    bound = way == "auto"
    yield _spread(f"{what}: skate over the sources'", [q.skate_ratio for q in found], (0.5, 0.95, 1.0), SKATE, bound)
    yield _spread(f"{what}: excess acceleration, m/s²", [q.excess_m_s2 for q in found], (0.5, 0.9, 1.0), EXCESS, bound)
    calm = float(np.mean([q.knee_ratio <= KNEE for q in found]))
    stretched = sum(q.stretch > q.stretch_allowed + 1e-6 for q in found)
    sunk = sum(q.sunk_cm > q.sunk_allowed_cm + 1e-6 for q in found)
    yield Row(
        f"{what}: knees at most {KNEE} times as fast",
        f"{calm:.1%}",
        *_limit(f"{KNEE_SHARE:.0%}", calm >= KNEE_SHARE, bound),
    )
    yield Row(
        f"{what}: legs stretched or feet sunk beyond the sources",
        f"{stretched}, {sunk}",
        *_limit("0, 0", not (stretched or sunk), bound),
    )
    refused = len(joined) - len(found)
    if refused:
        yield Row(f"{what}: refused", str(refused))


def _limit(text: str, ok: bool, bound: bool) -> tuple[str, bool | None]:
    return (text, ok) if bound else ("", None)


def _spread(what: str, values: Sequence[float], shares: Sequence[float], limits: Sequence[float], bound: bool) -> Row:
    at = [float(np.quantile(values, s)) for s in shares]
    words = [f"{'worst' if s == 1.0 else 'median' if s == 0.5 else f'{s:.0%}'}" for s in shares]
    ok = all(a <= limit for a, limit in zip(at, limits, strict=True))
    value = ", ".join(f"{w} {a:.2f}" for w, a in zip(words, at, strict=True))
    return Row(what, value, *_limit(", ".join(f"{x:g}" for x in limits), ok, bound))


def _untouched(clips: Sequence[Clip]) -> Row:
    """What the measure says of captures nobody touched: windows of each against the whole of it."""
    from footfall.quality.skate import skate_ratio

    ratios = [
        skate_ratio(clip, float(t), [clip])
        for clip in clips
        for t in np.linspace(0.1, max(clip.duration - 1.0, 0.1), 11)
    ]
    return _spread("captures, untouched: skate over their own", ratios, (0.5, 0.95, 1.0), SKATE, False)


def _write(out: Path, rows: list[Row], found: Sequence[Joined]) -> None:
    """out/joins.csv with every join, and out/joins.html with the table."""
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page

    table = StringIO()
    writer = csv.writer(table)
    header = ["set", "method", "first", "second", "joins"]
    figures = next((j.quality._fields for j in found if j.quality is not None), ())
    writer.writerow([*header, *figures, "why"])
    for j in found:
        values = ["" for _ in figures] if j.quality is None else list(j.quality)
        cells = [f"{v:.4g}" if isinstance(v, float) else v for v in values]
        writer.writerow([j.job.set, j.job.method, *j.names, j.joins, *cells, j.why])
    atomic_write(out / "joins.csv", table.getvalue().encode())
    about = (
        "Every join is measured from 0.1 s before to 1.0 s after the first frame that is no longer the first clip's, "
        "whatever the method says of itself. The first clip is kept to within 1.5 s of its end, the second entered in "
        "its first 1.5 s. Methods other than auto leave 0.4 s before the end and have their footsteps planned after."
    )
    atomic_write(out / "joins.html", page(TITLE, about, rows, []).encode())
