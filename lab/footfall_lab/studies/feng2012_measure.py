"""What the weights study measures: parametric error, curvature of the weights, time, and how far blends stray."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.weights.examples import examples_of
from footfall.weights.hull import hull_of
from footfall.weights.weights import FittedWeights, fit
from footfall_lab.studies.feng2012_sets import DataSet, Grid


class Variant(NamedTuple):
    """A method as it is compared."""

    label: str
    method: str
    options: Mapping[str, Any]


VARIANTS = (
    Variant("barycentric", "barycentric", {}),
    Variant("KNN", "knn", {}),
    Variant("inverse blending", "inverse-blending", {}),
    Variant("RBF (Rose)", "rbf", {}),
    Variant("RBF (r)", "rbf", {"kernel": "r"}),
    Variant("smooth inverse, faithful", "smooth-inverse", {"preset": "faithful"}),
    Variant("smooth inverse, smooth", "smooth-inverse", {"preset": "smooth"}),
)
LONG = {"k": 12, "iterations": 200, "evaluations": 2000, "tolerance": 1e-5}
CONVERGED = (
    Variant("inverse blending, converged (SLSQP)", "inverse-blending", LONG),
    Variant("inverse blending, converged (Nelder–Mead)", "inverse-blending", {**LONG, "solver": "nelder-mead"}),
)
TIMED_SINGLE = 50  # queries asked one by one
BATCH = 10_000


@dataclass(frozen=True, eq=False)
class Result:
    """One method on one set, over its grid."""

    set: str
    label: str
    error: np.ndarray  # (slices, m, m) |p - measured|, in the set's units
    error_range: np.ndarray  # the same in shares of each parameter's range
    kappa: np.ndarray  # (slices, m - 2, m - 2)
    inside: np.ndarray  # (slices, m, m) in the hull of the examples
    prepare_s: float
    prepare_cpu_s: float  # over all threads; what else the machine does is not in it
    query_s: float  # each, in a batch
    single_s: float  # each, asked alone
    least: float  # weight, inside the hull
    negative: float  # mean sum of negative weights, inside the hull
    at_examples: float  # mean |w(p_i) - e_i|
    stray_deg: float  # mean over requests of the largest angle by which a joint leaves the examples' range
    fitted: FittedWeights

    @property
    def note(self) -> str:
        """What the fit says of itself."""
        return self.fitted.note

    @property
    def inner(self) -> np.ndarray:
        """(slices, m - 2, m - 2) vertices that lie in the hull with all their neighbours."""
        return np.logical_and.reduce([_shifted(self.inside, a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])

    def mean_error(self) -> float:
        """Inside the hull."""
        return float(self.error[self.inside].mean())

    def mean_kappa(self) -> float:
        """Inside the hull."""
        return float(self.kappa[self.inner].mean())


def measure_variant(data: DataSet, grid: Grid, variant: Variant) -> Result:
    """Fit one method to a set and ask it for every point of the grid."""
    start, cpu = time.perf_counter(), time.process_time()
    fitted = fit(variant.method, data.parameters, data.measure, **variant.options)
    prepared, cpu = time.perf_counter() - start, time.process_time() - cpu
    points = grid.points.reshape(-1, grid.points.shape[-1])
    inside = in_hull(data, points)
    weights, each = ask(fitted, points)
    alone = points[:: max(1, len(points) // TIMED_SINGLE)]
    start = time.perf_counter()
    for p in alone:
        fitted.weights(p)
    single = (time.perf_counter() - start) / len(alone)
    off = data.measure(weights) - points
    shape = grid.points.shape[:3]
    kept = weights[inside]
    return Result(
        set=data.name,
        label=variant.label,
        error=np.linalg.norm(off, axis=1).reshape(shape),
        error_range=np.linalg.norm(off / fitted.examples.range, axis=1).reshape(shape),
        kappa=curvature(weights.reshape(*shape, -1)),
        inside=inside.reshape(shape),
        prepare_s=prepared,
        prepare_cpu_s=cpu,
        query_s=each,
        single_s=single,
        least=float(kept.min()),
        negative=float(-np.minimum(kept, 0.0).sum(axis=1).mean()),
        at_examples=float(
            np.linalg.norm(fitted.weights(data.parameters) - np.eye(len(data.parameters)), axis=1).mean()
        ),
        stray_deg=stray_degrees(data, kept[:: max(1, len(kept) // 500)]),
        fitted=fitted,
    )


def ask(fitted: FittedWeights, points: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights (Q, N) and seconds a query; methods that search every request alone share the work over processes."""
    if fitted.name != "inverse-blending":
        fitted.weights(np.resize(points, (BATCH, points.shape[1])))  # compiled and warm
        start = time.perf_counter()
        fitted.weights(np.resize(points, (BATCH, points.shape[1])))
        return fitted.weights(points), (time.perf_counter() - start) / BATCH
    workers = min(os.cpu_count() or 1, 8)
    alone = "fork" not in multiprocessing.get_all_start_methods() or workers < 2 or len(points) < 500
    probe = points if alone else points[:: len(points) // 50]
    start = time.perf_counter()
    found = fitted.weights(probe)
    each = (time.perf_counter() - start) / len(probe)
    if alone:
        return found, each
    global _shared
    _shared = fitted  # a measure is a closure: children get it by being forked, not by pickling
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        parts = pool.map(_weights_of, np.array_split(points, 8 * workers))
    return np.concatenate(parts), each


_shared: FittedWeights | None = None


def _weights_of(points: np.ndarray) -> np.ndarray:
    assert _shared is not None
    return _shared.weights(points)


def curvature(w: np.ndarray) -> np.ndarray:
    """(slices, m - 2, m - 2) kappa = |sum over neighbours of (w - w_neighbour)| / 8 of weights (slices, m, m, N)."""
    total = 8.0 * _shifted(w, 0, 0)
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            if a or b:
                total -= _shifted(w, a, b)
    return np.linalg.norm(total, axis=-1) / 8.0


def _shifted(values: np.ndarray, a: int, b: int) -> np.ndarray:
    m, n = values.shape[1:3]
    return values[:, 1 + a : m - 1 + a, 1 + b : n - 1 + b]


def in_hull(data: DataSet, points: np.ndarray) -> np.ndarray:
    """(Q,) whether requests lie in the hull of the examples' parameters."""
    examples = examples_of(data.parameters)
    return hull_of(examples.units(examples.parameters)).inside(examples.units(points))


def stray_degrees(data: DataSet, weights: np.ndarray) -> float:
    """How far joints of blends (Q, N) leave the range of the examples, at the apex or the middle of the motion."""
    motion = data.motion
    pieces = len(motion.marks) - 1
    at = motion.marks.index("apex") / pieces if "apex" in motion.marks else 0.5
    vectors = motion.vectors[round(at * motion.cells)]  # (N, J, 3)
    blended = np.tensordot(weights, vectors, axes=1)
    over = np.maximum(blended - vectors.max(axis=0), 0.0) + np.maximum(vectors.min(axis=0) - blended, 0.0)
    return float(np.degrees(np.linalg.norm(over, axis=-1).max(axis=1).mean()))


def converged_errors(data: DataSet, points: np.ndarray, variant: Variant) -> np.ndarray:
    """(Q,) errors of a long search at some points."""
    fitted = fit(variant.method, data.parameters, data.measure, **variant.options)
    found = ask(fitted, points)[0]
    return np.linalg.norm(data.measure(found) - points, axis=1)
