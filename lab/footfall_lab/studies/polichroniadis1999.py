"""Entering a walk from random states: distance with published, untuned and tuned parameters (Polichroniadis 1999)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall_lab.bench._measure import Row
from footfall_lab.classifier_tuning import (
    FRESH,
    FRESH_SEED,
    PAPER,
    KnownStates,
    Tuned,
    Tuning,
    TuningCourse,
    ratio_interval,
    tune,
)

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.joins.classifier.entry_parameters import ClassifierParameters

TITLE = "Where to enter a motion"
GAIN = 1.3  # tuned against untuned, times as far
SNAP = 1.5  # tuned against published, times as fast a joint
RUNS, QUICK_RUNS = 5, 2
QUICK: dict[str, Any] = {"population": 12, "generations": 6, "states": 40}
LEG = ("hip", "knee", "ankle")

Progress = Callable[[str], None]


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, into out/polichroniadis1999.html and .csv; captures are not used."""
    from footfall.joins.classifier.entry_parameters import PUBLISHED, UNTUNED, tuned
    from footfall.motions.library import motion
    from footfall_lab.bench import classifier

    walk = motion("walk")
    course = TuningCourse(walk, 200 if quick else FRESH, FRESH_SEED)
    sets = {
        "untuned": UNTUNED,
        "untuned, scores not divided": replace(UNTUNED, per_limb=False),
        "published": PUBLISHED,
        "tuned": tuned(),
    }
    distances = {name: course.distance(parameters) for name, parameters in sets.items()}
    rows = [*distance_rows(course, sets, distances), *bound_rows(course, distances["untuned"])]
    progress("joints of blends")
    rows += speed_rows(walk, sets, distances, quick)
    progress("other ways of tuning")
    rows += way_rows(walk, course, distances["untuned"], quick, progress)
    runs = paper_runs(walk, quick, progress)
    rows += spread_rows(runs)
    if not quick:
        progress("time")
        rows += [row._replace(what=f"time: {row.what}") for row in classifier.run()]
    progress("pictures")
    pictures = [("Distance walked", bars(distances)), ("Spread of tuned weights", spread_picture(runs)),
                ("An entry", entry_picture(walk))]  # fmt: skip
    write_report(out, rows, pictures)
    return rows


# --- distance ----------------------------------------------------------------------------------------------------


def mean_interval(x: np.ndarray) -> tuple[float, float]:
    """95 % bootstrap interval of a mean."""
    return ratio_interval(x, np.ones_like(x))


def distance_rows(
    course: TuningCourse, sets: dict[str, ClassifierParameters], distances: dict[str, np.ndarray]
) -> Iterable[Row]:
    """Metres with each set of parameters, and how well states of the walk itself are found."""
    known = KnownStates(course.table, 1000, FRESH_SEED)
    count, seconds = len(distances["untuned"]), course.walker.walked_s
    for name, parameters in sets.items():
        low, high = mean_interval(distances[name])
        entry = course.enter(parameters)
        off = known.astray(parameters.packed(course.table.reference.layout.parts)).mean()
        yield Row(
            f"{name}: walked in {seconds:g} s from {count} random states",
            f"{distances[name].mean():.3f} m ({low:.3f} to {high:.3f}); blends of {entry.length_s.mean():.2f} s; "
            f"disturbed states of the walk itself entered {1e3 * off:.0f} ms astray",
        )
    tuned, untuned = distances["tuned"], distances["untuned"]
    ratio, (low, high) = tuned.mean() / untuned.mean(), ratio_interval(tuned, untuned)
    yield Row("tuned over untuned, distance", f"{ratio:.3f} ({low:.3f} to {high:.3f})", f"at least {GAIN:g}",
              bool(ratio >= GAIN))  # fmt: skip
    other = distances["untuned, scores not divided"]
    ratio, (low, high) = tuned.mean() / other.mean(), ratio_interval(tuned, other)
    yield Row("tuned over untuned as printed (scores not divided)", f"{ratio:.3f} ({low:.3f} to {high:.3f})")


def speed_rows(
    walk: Clip, sets: dict[str, ClassifierParameters], distances: dict[str, np.ndarray], quick: bool
) -> Iterable[Row]:
    """How fast joints go as a figure enters, and what the shipped parameters owe to the published ones."""
    course = TuningCourse(walk, 50 if quick else 400, FRESH_SEED)
    speeds = {name: course.joint_speed(parameters) for name, parameters in sets.items()}
    for name, found in speeds.items():
        yield Row(
            f"{name}: fastest joint of a blend", f"{found.mean():.1f} m/s, {np.quantile(found, 0.95):.1f} in 95 %"
        )
    ratio = speeds["tuned"].mean() / speeds["published"].mean()
    yield Row("tuned over published, fastest joint", f"{ratio:.2f}", f"at most {SNAP:g}", bool(ratio <= SNAP))
    ratio = distances["tuned"].mean() / distances["published"].mean()
    yield Row("tuned over published, distance", f"{ratio:.3f}", "at least 1", bool(ratio >= 1.0))
    least = min(*sets["tuned"].position.values(), *sets["tuned"].velocity.values())
    yield Row("least weight of any part of the body, tuned", f"{least:.3g}", "above 0", bool(least > 0.0))


def bound_rows(course: TuningCourse, untuned: np.ndarray) -> list[Row]:
    """The best and the worst that any parameters could do: every entry, in the shortest and the longest blend."""
    from footfall.joins.classifier.entry_classifier import LONGEST_S, SHORTEST_S
    from footfall.joins.classifier.entry_parameters import UNTUNED

    entry, fronts = course.enter(UNTUNED), np.linspace(0.0, course.table.duration_s, 41)[:-1]

    def reached(front_s: float, length_s: float) -> np.ndarray:
        same = np.ones_like(untuned)
        return course.walker.distance(entry._replace(front_s=front_s * same, length_s=length_s * same))

    best = np.max([reached(t, SHORTEST_S) for t in fronts], axis=0).mean()
    worst = np.min([reached(t, LONGEST_S) for t in fronts], axis=0).mean()
    return [
        Row("the farthest any parameters could get: each state's best entry, every blend the shortest",
            f"{best:.3f} m: {best / untuned.mean():.3f} times the untuned start"),
        Row("the least: each state's worst entry, every blend the longest",
            f"{worst:.3f} m: best over worst is {best / worst:.3f}"),
    ]  # fmt: skip


# --- tuning ------------------------------------------------------------------------------------------------------


def ways(quick: bool) -> dict[str, Tuning]:
    """Other ways of tuning, for distance alone."""
    found = {
        "differential evolution, 100 generations": Tuning(
            generations=100, states=200, astray=0.0, snap=0.0, per_limb=True
        ),
        "differential evolution, scores not divided": Tuning(
            generations=50, states=200, astray=0.0, snap=0.0, per_limb=False
        ),
        "the paper's settings": PAPER,
    }
    return {name: replace(how, **QUICK) for name, how in found.items()} if quick else found


def way_rows(walk: Clip, course: TuningCourse, untuned: np.ndarray, quick: bool, progress: Progress) -> Iterable[Row]:
    """What else was tried."""
    for name, how in ways(quick).items():
        progress(name)
        far = course.distance(tune(walk, how).parameters)
        low, high = ratio_interval(far, untuned)
        yield Row(f"tuned for distance alone, {name}",
                  f"{far.mean():.3f} m, {far.mean() / untuned.mean():.3f} times ({low:.3f} to {high:.3f})")  # fmt: skip


def paper_runs(walk: Clip, quick: bool, progress: Progress) -> list[Tuned]:
    """Several runs with the paper's settings, other states and another search each."""
    runs = []
    for seed in range(QUICK_RUNS if quick else RUNS):
        progress(f"run {seed + 1} with the paper's settings")
        runs.append(tune(walk, replace(PAPER, seed=seed, **(QUICK if quick else {}))))
    return runs


def leg_shares(runs: list[Tuned]) -> np.ndarray:
    """(runs, parts) decades: position weights of the leg, each over the three's mean (only ratios matter)."""
    logs = np.log10([[run.parameters.position[part] for part in LEG] for run in runs])
    return logs - logs.mean(axis=1, keepdims=True)


def spread_rows(runs: list[Tuned]) -> list[Row]:
    """How much the tuned weights differ from run to run."""
    spread = leg_shares(runs).std(axis=0, ddof=1)
    told = ", ".join(f"{part} ±{s:.2f}" for part, s in zip(LEG, spread, strict=True))
    return [Row(f"spread of the leg's position weights over {len(runs)} runs, decades", told)]


# --- pictures and report -----------------------------------------------------------------------------------------


def _png(figure: object) -> bytes:
    from matplotlib import pyplot

    data = BytesIO()
    figure.savefig(data, format="png", dpi=110, bbox_inches="tight")  # type: ignore[attr-defined]
    pyplot.close(figure)  # type: ignore[arg-type]
    return data.getvalue()


def bars(distances: dict[str, np.ndarray]) -> bytes:
    """Mean distances with their 95 % intervals."""
    from footfall.core.errors import need

    pyplot = need("matplotlib.pyplot", "plot")
    figure, axes = pyplot.subplots(figsize=(7.5, 3.2))
    for k, (name, x) in enumerate(distances.items()):
        low, high = mean_interval(x)
        axes.barh(k, x.mean(), color="#4c78a8" if name == "tuned" else "#b6c2d2")
        axes.errorbar(x.mean(), k, xerr=[[x.mean() - low], [high - x.mean()]], color="#223", capsize=4)
        axes.text(0.05, k, f"{name}: {x.mean():.2f} m", va="center")
    axes.set(yticks=[], xlabel="metres walked, blend included (mean and 95 % interval)")
    axes.invert_yaxis()
    return _png(figure)


def spread_picture(runs: list[Tuned]) -> bytes:
    """The leg's position weights, run by run."""
    from footfall.core.errors import need

    pyplot = need("matplotlib.pyplot", "plot")
    figure, axes = pyplot.subplots(figsize=(7.5, 2.6))
    for k, row in enumerate(leg_shares(runs)):
        axes.plot(row, [2, 1, 0], "o-", alpha=0.7, label=f"run {k + 1}")
    axes.set(yticks=[2, 1, 0], yticklabels=LEG, xlabel="position weight over the leg's mean, decades")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return _png(figure)


def entry_picture(walk: Clip) -> bytes:
    """A kick broken off into a walk: the figure through the blend, and where in the walk each DOF is found to be."""
    from footfall.core.errors import need
    from footfall.joins.classifier.entry_classifier import classify
    from footfall.joins.classifier.entry_table import table_of
    from footfall.joins.departure import leaving
    from footfall.joins.methods import classifier
    from footfall.joins.transition import TransitionRequest
    from footfall.kinematics.fk import world_positions
    from footfall.motions.library import motion

    pyplot = need("matplotlib.pyplot", "plot")
    departure = leaving(motion("kick"), 0.62)
    entry, table = classify(departure.state, walk, "published"), table_of(walk)
    made = classifier.transition(departure, walk, TransitionRequest(options={"parameters": "published"}))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 3.6), gridspec_kw={"width_ratios": [1.4, 1]})
    shown = np.unique(np.linspace(0, len(made.pose.rot) - 1, 6).round().astype(int))
    poses = [departure.state.pose, *(made.pose.at(int(k)) for k in shown)]
    for k, pose in enumerate(poses):
        points = world_positions(walk.skeleton, pose)
        for j, parent in enumerate(walk.skeleton.parents[1:], start=1):
            name = walk.skeleton.names[j]
            color = "#4c78a8" if name.startswith("Left") else "#e07b39" if name.startswith("Right") else "#667"
            x = points[[parent, j], 2] - points[0, 2] + 0.9 * k
            left.plot(x, points[[parent, j], 1], color=color, lw=2)
    left.set(aspect="equal", xticks=[0.9 * k for k in range(len(poses))], yticks=[])
    left.set_xticklabels(["left at", *(f"{1e3 * (k + 1) / departure.fps:.0f} ms" for k in shown[:-1]), "entered"])
    bounds = table.reference.layout.bounds
    limbs = table.reference.layout.limbs
    for limb in range(len(limbs)):
        times = entry.time_s[bounds[limb] : bounds[limb + 1]]
        right.plot(times, np.full(len(times), limb), "|", ms=16, color="#4c78a8")
    right.vlines(table.key_s, -0.6, len(limbs) - 0.4, color="#ccd", lw=1)
    right.axvline(float(entry.front_s), color="#1a7f37", label="entered here")
    right.axvline(float(entry.laggard_s), color="#b42318", ls="--", label="hindmost")
    right.set(yticks=range(len(limbs)), yticklabels=limbs, xlabel="time of the walk, s")
    right.set(xlim=(0.0, walk.duration), title="where each DOF is (keys in grey)")
    right.legend(frameon=False, loc="upper right", fontsize=8)
    return _png(figure)


def write_report(out: Path, rows: list[Row], pictures: list[tuple[str, bytes]]) -> None:
    """out/polichroniadis1999.csv and .html, which holds its pictures in itself."""
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page, rows_csv

    atomic_write(out / "polichroniadis1999.csv", rows_csv(rows))
    about = (
        "Random states (joints drawn independently from the ranges of a pool of built-in motions) enter a walk where "
        "the classifier says; distance is how far the floor root gets in a fixed time, blend included. In brackets: 95 "
        "% intervals by bootstrap over states."
    )
    atomic_write(out / "polichroniadis1999.html", page(TITLE, about, rows, pictures).encode())
