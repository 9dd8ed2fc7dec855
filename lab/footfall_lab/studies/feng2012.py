"""Blend weights compared: error, smoothness and time of every method on five sets of motions (Feng et al. 2012)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall_lab.bench._measure import Row
from footfall_lab.studies import feng2012_report as report
from footfall_lab.studies.feng2012_captures import NAME, captured_set, with_takes
from footfall_lab.studies.feng2012_flow import flow
from footfall_lab.studies.feng2012_measure import (
    CONVERGED,
    VARIANTS,
    Result,
    Variant,
    converged_errors,
    in_hull,
    measure_variant,
)
from footfall_lab.studies.feng2012_sets import SETS, SLICES, DataSet, Grid, data_set, sample_grid

TITLE = "Blend weights, compared"
Progress = Callable[[str], None]


class Sampling(NamedTuple):
    """How much is measured."""

    sets: tuple[str, ...]
    m: int  # points an axis of every slice
    slices: np.ndarray
    converged: int  # points, for searches run to convergence
    smooth: dict[str, float]  # options of the smooth inverse; where there are none it chooses


FULL = Sampling(SETS, 60, SLICES, 60, {})
CAPTURED = Sampling((NAME,), 20, SLICES[1:4], 12, {})
QUICK = Sampling(("kick", "locomotion"), 14, SLICES[1:4], 2, {"cells": 6})


class Measured(NamedTuple):
    """All that was found about one set."""

    data: DataSet
    grid: Grid
    results: dict[str, Result]  # by label
    converged: dict[str, float]  # mean errors of long searches, at some points inside the hull
    at_the_same: dict[str, float]  # mean errors of the smooth inverse at those points


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, into out/feng2012.html, .csv (by set and method) and -rows.csv; captured locomotion where found."""
    sampling = QUICK if quick else FULL
    found = []
    for name in sampling.sets:
        progress(f"{name}: examples")
        found.append(measure_set(data_set(name), sampling, progress))
    rows = report.rows(found, complete=not quick)
    folder = None if quick else with_takes(captures)
    captured = None if folder is None else measure_set(captured_set(folder, progress), CAPTURED, progress)
    rows += report.captured_rows(NAME, captured, quick)
    progress("pictures")
    report.write(out, TITLE, rows, found, _flows(found), captured)
    return rows


def measure_set(data: DataSet, sampling: Sampling, progress: Progress) -> Measured:
    """Every method on one set."""
    grid = sample_grid(data, sampling.m, sampling.slices)
    results = {}
    for variant in VARIANTS:
        progress(f"{data.name}: {variant.label}")
        results[variant.label] = measure_variant(data, grid, _as_sampled(variant, sampling))
    points = grid.points.reshape(-1, 3)
    inside = points[in_hull(data, points)]
    some = inside[:: max(1, len(inside) // sampling.converged)][: sampling.converged]
    long, same = {}, {}
    for variant in CONVERGED:
        progress(f"{data.name}: {variant.label}")
        long[variant.label] = float(converged_errors(data, some, variant).mean())
    for variant in VARIANTS:
        if variant.method == "smooth-inverse":
            error, index = results[variant.label].error.ravel(), np.flatnonzero(in_hull(data, points))
            chosen = index[:: max(1, len(index) // sampling.converged)][: sampling.converged]
            same[variant.label] = float(error[chosen].mean())
    return Measured(data, grid, results, long, same)


def _as_sampled(variant: Variant, sampling: Sampling) -> Variant:
    if variant.method != "smooth-inverse":
        return variant
    return variant._replace(options={**variant.options, **sampling.smooth})


def _flows(found: list[Measured]) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray] | None:
    """The slow walk that becomes a jog, by every method; None where the locomotion set was not measured."""
    one = next((m for m in found if m.data.name == "locomotion"), None)
    if one is None:
        return None
    made = {label: flow(one.data, result.fitted) for label, result in one.results.items()}
    parents = np.asarray(one.data.motion.skeleton.parents)
    return {label: (f.positions, f.sudden) for label, f in made.items()}, parents
