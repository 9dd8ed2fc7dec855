"""Blend weights: look-up of a smooth-inverse lattice against radial basis functions, both compiled, one thread."""

from __future__ import annotations

import numpy as np

from footfall.weights.lattice import cell_positions
from footfall.weights.lookup import lookup_3, padded, rbf_lookup, rbf_table
from footfall.weights.weights import fit
from footfall_lab.bench._measure import Row, median_s

QUERIES, REPEATS = 10_000, 41
CELLS, PAD = 10, 0.05
SIZES = (20, 24)  # examples, as in the sets of the weights study
MOST = 1.0  # times the look-up of radial basis functions


def run() -> list[Row]:
    """Nanoseconds a query of both, in a batch, and their ratio: as fitted methods answer, and as live ones ask."""
    rows = []
    each = 1e9 / QUERIES
    for count in SIZES:
        for dtype in (np.float64, np.float32):
            ours, theirs = look_up_s(count, dtype)
            what = f"{count} examples, {np.dtype(dtype).name}"
            rows += [
                Row(f"rbf, B-spline kernel, {what}, batch of {QUERIES}", f"{theirs * each:.0f} ns a query"),
                Row(f"smooth-inverse, {what}, the same batch", f"{ours * each:.0f} ns a query"),
                Row(f"ratio, {what}", f"{ours / theirs:.2f}", *_limit(ours / theirs, dtype)),
            ]
    return rows


def _limit(ratio: float, dtype: type) -> tuple[str, bool | None]:
    """What live characters ask must be as fast as radial basis functions; for the rest the ratio is told."""
    return (f"at most {MOST:g}", ratio <= MOST) if dtype is np.float32 else ("", None)


def look_up_s(count: int, dtype: type = np.float64, seed: int = 0) -> tuple[float, float]:
    """Seconds of one batch: lattice and radial basis functions, three parameters, from request to weights.

    Both kernels have their tables ready, with channels padded to whole vectors. Runs alternate in pairs, so that
    whatever else the machine does meets both; the least times are given: of a run this short anything longer is the
    machine doing something else.
    """
    rng = np.random.default_rng(seed)
    examples, p = rng.random((count, 3)), rng.random((QUERIES, 3))
    basis = fit("rbf", examples)
    coefficients = padded(rng.normal(size=(*[CELLS + 3] * 3, count)), dtype)
    table = rbf_table(basis.centres, basis.reach, basis.coefficients, dtype)  # type: ignore[attr-defined]
    x = ((p - basis.mean) / basis.examples.range).astype(dtype)  # type: ignore[attr-defined]
    t: np.ndarray = cell_positions(p, CELLS, PAD).astype(dtype)
    times = np.array(
        [
            [median_s(lambda: lookup_3(t, coefficients), 1, 0), median_s(lambda: rbf_lookup(x, *table), 1, 0)]
            for _ in range(REPEATS + 2)
        ]
    )[2:]
    ours, theirs = times.min(axis=0)
    return float(ours), float(theirs)
