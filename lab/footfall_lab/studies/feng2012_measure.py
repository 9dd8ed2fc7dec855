"""What the weights study measures: parametric error, curvature of the weights, time, and how far blends stray."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.parametric.blend_space import BlendSpace
from footfall.parametric.effort import strayed
from footfall.parametric.measure import blended_parameters
from footfall.parametric.space_weights import SMOOTH, chosen_weights, smoothly_weighted
from footfall.parametric.weight_maps import curvature, neighbour
from footfall.weights.examples import examples_of
from footfall.weights.hull import hull_of
from footfall.weights.weights import FittedWeights
from footfall_lab.studies.feng2012_sets import DataSet, Grid


class Variant(NamedTuple):
    """A method as it is compared."""

    label: str
    method: str
    options: Mapping[str, Any]


PLAIN = {"places": False}  # the papers' methods take a jump's distance and direction as two numbers
VARIANTS = (
    Variant("barycentric", "barycentric", PLAIN),
    Variant("KNN", "knn", PLAIN),
    Variant("inverse blending", "inverse-blending", PLAIN),
    Variant("RBF (Rose)", "rbf", PLAIN),
    Variant("RBF (r)", "rbf", {"kernel": "r", **PLAIN}),
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
    error: np.ndarray  # (slices, m, m) |p - measured|, in m, rad and s
    looked_up: np.ndarray  # the same of the method's own weights, where a blend space corrects them
    error_range: np.ndarray  # the same in shares of each parameter's range
    kappa: np.ndarray  # (slices, m - 2, m - 2)
    inside: np.ndarray  # (slices, m, m) in the hull of the examples
    prepare_s: float
    prepare_cpu_s: float  # over all threads; what else the machine does is not in it
    query_s: float  # each, in a batch
    single_s: float  # each, asked alone
    space_s: float  # each of many, asked of the blend space, its correction included
    least: float  # weight, inside the hull
    negative: float  # mean sum of negative weights, inside the hull
    at_examples: float  # mean |w(p_i) - e_i|
    stray_deg: float  # mean over requests of the largest angle by which a joint leaves the examples' range, over time
    fitted: FittedWeights

    @property
    def note(self) -> str:
        """What the fit says of itself."""
        return self.fitted.note

    @property
    def inner(self) -> np.ndarray:
        """(slices, m - 2, m - 2) vertices that lie in the hull with all their neighbours."""
        return np.logical_and.reduce([neighbour(self.inside, a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])

    def mean_error(self) -> float:
        """Inside the hull."""
        return float(self.error[self.inside].mean())

    def mean_kappa(self) -> float:
        """Inside the hull."""
        return float(self.kappa[self.inner].mean())


def made_space(data: DataSet, variant: Variant) -> BlendSpace:
    """The set as a blend space with a method, as `ff.blend_space(…, method=…)` makes it, solved anew."""
    if variant.method == SMOOTH:
        return BlendSpace(smoothly_weighted(data.motion, **variant.options), exact=True)
    return BlendSpace(chosen_weights(data.motion, variant.method, dict(variant.options), ""))


def measure_variant(data: DataSet, grid: Grid, variant: Variant) -> Result:
    """Fit one method to a set and ask it for every point of the grid, by the calls that people make."""
    start, cpu = time.perf_counter(), time.process_time()
    space = made_space(data, variant)
    prepared, cpu = time.perf_counter() - start, time.process_time() - cpu
    fitted = space.motion.fitted
    assert isinstance(fitted, FittedWeights)
    points = grid.points.reshape(-1, grid.points.shape[-1])
    inside = in_hull(data, points)
    own, each = ask(fitted, points)
    alone = points[:: max(1, len(points) // TIMED_SINGLE)]
    start = time.perf_counter()
    for p in alone:
        fitted.weights(p)
    single = (time.perf_counter() - start) / len(alone)
    measure = blended_parameters(data.motion)
    start = time.perf_counter()
    weights, achieved = space.answers(points)[1:3] if space.exact else (own, measure(own))
    asked = (time.perf_counter() - start) / len(points)
    off = data.apart(points, achieved)
    units = fitted.examples.units
    shape = grid.points.shape[:3]
    kept = weights[inside]
    return Result(
        set=data.name,
        label=variant.label,
        error=np.linalg.norm(off, axis=1).reshape(shape),
        looked_up=np.linalg.norm(data.apart(points, measure(own)), axis=1).reshape(shape),
        error_range=np.linalg.norm(units(achieved) - units(points), axis=1).reshape(shape),
        kappa=curvature(weights.reshape(*shape, -1)),
        inside=inside.reshape(shape),
        prepare_s=prepared,
        prepare_cpu_s=cpu,
        query_s=each,
        single_s=single,
        space_s=asked if space.exact else each,
        least=float(kept.min()),
        negative=float(-np.minimum(kept, 0.0).sum(axis=1).mean()),
        at_examples=float(
            np.linalg.norm(fitted.weights(data.parameters) - np.eye(len(data.parameters)), axis=1).mean()
        ),
        stray_deg=float(np.degrees(strayed(data.motion, kept[:: max(1, len(kept) // 500)]).mean())),
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


def in_hull(data: DataSet, points: np.ndarray) -> np.ndarray:
    """(Q,) whether requests lie in the hull of the examples' parameters, as the numbers they are."""
    examples = examples_of(data.parameters)
    return hull_of(examples.units(examples.parameters)).inside(examples.units(points))


def converged_errors(data: DataSet, points: np.ndarray, variant: Variant) -> np.ndarray:
    """(Q,) errors of a long search at some points."""
    fitted = made_space(data, variant).motion.fitted
    assert isinstance(fitted, FittedWeights)
    found = ask(fitted, points)[0]
    return np.linalg.norm(data.apart(points, blended_parameters(data.motion)(found)), axis=1)
