"""Can joins be told from captured changes of motion? A plain classifier tries, on windows around both."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall_lab.bench._measure import Row
from footfall_lab.ridge_logistic import AreaUnderCurve, area, area_with_interval, out_of_fold
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies.believable_takes import HALVES, CapturedTake, asked_half, clip_of, draw_pairs, takes
from footfall_lab.studies.two_sample_features import (
    ANGULAR,
    FPS,
    FRAMES,
    MEASURES,
    OTHERS,
    PARTS,
    WINDOW_S,
    features,
    signals,
)

if TYPE_CHECKING:
    from footfall.core.clip import Clip

TITLE = "Joins told from captured changes"
PAIRS, QUICK_PAIRS = 150, 12
SEED = {"work": 1, "held-out": 2}  # the same pairs as in the study of belief
MOST_AREA = 0.70  # of the angular features
CHANGE_M_S = 0.3  # m/s between the first and the last third of a window: a change of speed. By eye
STRIDE = FRAMES // 2  # captured windows overlap by half
TOLD = 6  # features that are named
DARK = 0.9  # standard deviations from which on a picture's cell is dark

# How two takes are joined: by the public call, everything left to footfall, or as version 0.1 did
WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "crossfade": {"method": "crossfade"},
    "crossfade at the end": {"method": "crossfade", "at_end": True},
}


class MotionWindow(NamedTuple):
    """Features of 1.1 s, and the take they are of; of joins, the take that is left."""

    values: np.ndarray
    take: str


class Told(NamedTuple):
    """How well joins are told from captured changes."""

    angular: AreaUnderCurve
    every: AreaUnderCurve
    single: np.ndarray  # (F,) area of every feature alone; above .5: larger in joins
    spreads: np.ndarray  # (F,) how many standard deviations of captured changes joins lie above them


def run(out: Path, quick: bool, tell: Callable[[str], None], captures: Path | None = None) -> list[Row]:
    """Every figure into out/two_sample.html, .csv, .json and .png; one half of the people (FOOTFALL_HALF)."""
    captures = captures or beside_checkout()
    if captures is None:
        return [Row("captured takes", "skipped: no folder of captures (set FOOTFALL_MOCAP)")]
    half = asked_half()
    every = takes(captures, half)
    pairs = draw_pairs(every, QUICK_PAIRS if quick else PAIRS, SEED[half])
    workers = 1 if quick else os.cpu_count() or 1
    changes, of_all = [], [take for some in HALVES for take in takes(captures, some)]
    for n, take in enumerate(of_all):
        tell(f"captured changes, {n + 1} of {len(of_all)}")
        changes += captured_changes(clip_of(take.path), take.path.stem)
    found: dict[str, Told] = {}
    rows = [Row("captured changes", f"{len(changes)} windows of {WINDOW_S} s of {len(of_all)} takes")]
    alone = [window for pair in pairs for window in ends_alone(*pair)]
    if alone and changes:
        rows.append(
            Row(f"{half}, the ends that are joined, untouched: area, angular", str(told(alone, changes).angular))
        )
    for way in WAYS:
        joined = []
        for n, window in enumerate(_joined([(way, *pair) for pair in pairs], workers)):
            tell(f"{way}, {n + 1} of {len(pairs)}")
            joined += window
        if not joined or not changes:
            rows.append(Row(f"{half}, {way}", "no windows: takes are too short"))
            continue
        found[way] = told(joined, changes)
        rows += _rows(f"{half}, {way}, {len(joined)} joins", found[way])
    _write(out, rows, found)
    return rows


# --- windows ----------------------------------------------------------------------------------------------------


def captured_changes(clip: Clip, take: str) -> list[MotionWindow]:
    """Windows inside a capture in which its speed changes, or an action begins or ends."""
    from footfall.analysis.content import actions_of

    if clip.duration < WINDOW_S:
        return []
    of = signals(clip)
    edges = [t for action in actions_of(clip) for t in (action.first_s, action.last_s)]
    found = []
    for first in range(0, len(of.pelvis) - FRAMES, STRIDE):
        a, b = first / FPS, (first + FRAMES) / FPS
        quarter = 0.25 * (b - a)
        acts = any(a + quarter <= t <= b - quarter for t in edges)
        if acts or _speed_change(of.mass[first : first + FRAMES]) >= CHANGE_M_S:
            found.append(MotionWindow(features(of, first), take))
    return found


def _speed_change(mass: np.ndarray) -> float:
    """Between the first and the last third of a window, over the floor, m/s."""
    third = len(mass) // 3
    moved = [np.linalg.norm((part[-1] - part[0])[[0, 2]]) * FPS / (third - 1) for part in (mass[:third], mass[-third:])]
    return float(abs(moved[1] - moved[0]))


def ends_alone(first: CapturedTake, second: CapturedTake) -> list[MotionWindow]:
    """The end of the one take and the start of the other, untouched: how far they are told is content, not joining."""
    found = []
    for take, is_first in ((first, True), (second, False)):
        of = signals(clip_of(take.path))
        last = len(of.pelvis) - FRAMES - 1
        if last >= 0:
            found.append(MotionWindow(features(of, last if is_first else 0), take.path.stem))
    return found


def join_window(clip: Clip, take: str) -> list[MotionWindow]:
    """The window around the transition of a join; none where the join is too near to an end of its clip."""
    assert clip.report is not None
    (segment,) = (s for s in clip.report.joins if s.kind == "transition")
    first = round((0.5 * (segment.start_s + segment.end_s) - 0.5 * WINDOW_S) * FPS)
    of = signals(clip)
    if first < 0 or first + FRAMES >= len(of.pelvis):
        return []
    return [MotionWindow(features(of, first), take)]


def _job(asked: tuple[str, CapturedTake, CapturedTake]) -> list[MotionWindow]:
    import footfall as ff
    from footfall.core.errors import FootfallError

    way, first, second = asked
    a, b = clip_of(first.path), clip_of(second.path)
    options = dict(WAYS[way])
    if options.pop("at_end", False):
        options["at_s"] = a.duration
    try:
        return join_window(ff.join(a, b, **options), first.path.stem)
    except FootfallError:
        return []


def _joined(jobs: Sequence[tuple[str, CapturedTake, CapturedTake]], workers: int) -> Iterator[list[MotionWindow]]:
    if workers < 2:
        yield from map(_job, jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_job, jobs, chunksize=1)


# --- figures ----------------------------------------------------------------------------------------------------


def told(joined: Sequence[MotionWindow], changes: Sequence[MotionWindow]) -> Told:
    """Joins against captured changes, no take being in two folds."""
    x = np.array([w.values for w in (*joined, *changes)])
    y = np.concatenate([np.ones(len(joined)), np.zeros(len(changes))])
    groups = np.array([w.take for w in (*joined, *changes)])
    areas = [area_with_interval(out_of_fold(part, y, groups), y, groups) for part in (x[:, : len(ANGULAR)], x)]
    ours, theirs = x[: len(joined)], x[len(joined) :]
    spread = theirs.std(axis=0)
    spreads = (ours.mean(axis=0) - theirs.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    return Told(areas[0], areas[1], np.array([area(column, y) for column in x.T]), spreads)


def _rows(what: str, found: Told) -> list[Row]:
    names = (*ANGULAR, *OTHERS)
    limit = f"at most {MOST_AREA:.2f}"
    by_size = np.argsort(-np.abs(found.single - 0.5))
    angular = [k for k in by_size if k < len(ANGULAR)][:TOLD]
    others = [k for k in by_size if k >= len(ANGULAR)][:TOLD]
    words = [
        ", ".join(f"{names[k]} {found.spreads[k]:+.2f} sd ({found.single[k]:.2f})" for k in some)
        for some in (angular, others)
    ]
    return [
        Row(
            f"{what}: area, {len(ANGULAR)} angular features", str(found.angular), limit, found.angular.area <= MOST_AREA
        ),
        Row(f"{what}: area, all {len(names)} features", str(found.every)),
        Row(f"{what}: angular features that give it away", words[0]),
        Row(f"{what}: others that do", words[1]),
    ]


# --- files ------------------------------------------------------------------------------------------------------


def _write(out: Path, rows: list[Row], found: dict[str, Told]) -> None:
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page, rows_csv

    names = (*ANGULAR, *OTHERS)
    data = {
        way: {name: {"area": float(f.single[k]), "spreads": float(f.spreads[k])} for k, name in enumerate(names)}
        for way, f in found.items()
    }
    whole = {"rows": [row._asdict() for row in rows], "features": data}
    atomic_write(out / "two_sample.json", json.dumps(whole, indent=1).encode())
    atomic_write(out / "two_sample.csv", rows_csv(rows))
    picture = plotted(found)
    atomic_write(out / "two_sample.png", picture)
    about = (
        f"Windows of {WINDOW_S} s around joins of captured takes, against windows inside captures in which speed "
        "changes or an action begins or ends; ridge logistic regression, ten folds, no take in two of them. An area "
        "of .5 under the ROC curve is chance. Colours: how many standard deviations of captured changes the joins lie "
        "above (red) or below (blue) them; numbers: the area of that feature alone."
    )
    atomic_write(out / "two_sample.html", page(TITLE, about, rows, [("features", picture)]).encode())


def plotted(found: dict[str, Told]) -> bytes:
    """Every angular feature of every way, as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(max(len(found), 1), 1, figsize=(9.0, 2.9 * max(len(found), 1)), squeeze=False)
    shape = len(PARTS), len(MEASURES)
    for panel, (way, one) in zip(panels[:, 0], found.items(), strict=False):
        spreads, single = (x[: len(ANGULAR)].reshape(shape) for x in (one.spreads, one.single))
        panel.imshow(spreads, cmap="RdBu_r", vmin=-1.5, vmax=1.5, aspect="auto")
        for i, j in np.ndindex(*shape):
            colour = "white" if abs(spreads[i, j]) > DARK else "black"
            panel.text(j, i, f"{single[i, j]:.2f}", ha="center", va="center", fontsize=8, color=colour)
        panel.set_title(f"{way}: area {one.angular} on these features", fontsize=10)
        panel.set_xticks(range(shape[1]), MEASURES, fontsize=8)
        panel.set_yticks(range(shape[0]), PARTS, fontsize=8)
    figure.tight_layout()
    file = BytesIO()
    figure.savefig(file, format="png", dpi=110)
    plt.close(figure)
    return file.getvalue()
