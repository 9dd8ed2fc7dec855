"""Inverse blending: for every request, optimise the weights until the blended motion has the requested parameters.

Huang & Kallmann 2010 as in Feng et al. 2012, section 3: the k motions that satisfy the constraints best start with
exp(-(e^2 - e_min^2) / sigma^2), sigma the median e of the k; then the constraint error of the blended motion is
minimised over weights in [0, 1] that sum to 1. Several constraints: sum_i c_i n_i f_i (priority and scale). f is the
squared distance to the request, in shares of the ranges. SLSQP on the simplex, at most `iterations` steps;
"nelder-mead" is the paper's way: weights clipped to [0, 1] and normalised, at most `evaluations` measurements. Accurate
where it converges; since each request is solved alone, neighbouring requests may end in different weights: continuity
is not promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.weights.examples import Examples, Measure
from footfall.weights.weights import FittedWeights, checked_count

SOLVERS = ("slsqp", "nelder-mead")
STEP = 1e-5  # of forward differences


class Constraint(NamedTuple):
    """Some of the parameters, how much they matter, and a scale on top of their ranges."""

    columns: tuple[int, ...]
    priority: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True)
class InverseBlendingOptions:
    """How many motions, how long to try."""

    k: int = 8
    solver: str = "slsqp"
    iterations: int = 20  # of SLSQP
    evaluations: int = 200  # measurements, of Nelder-Mead; SLSQP stops after them too
    tolerance: float = 1e-3  # of the range: a smaller gain of error ends the search
    constraints: tuple[Constraint, ...] = ()  # none: all parameters as one

    def __post_init__(self) -> None:
        for name in ("k", "iterations", "evaluations"):
            checked_count(name, getattr(self, name))
        if self.solver not in SOLVERS:
            raise UnknownName("solver", self.solver, SOLVERS)
        if not (np.isfinite(self.tolerance) and self.tolerance > 0):
            raise ParameterError(f"tolerance must be above 0, got {self.tolerance}")
        if any(not (c.priority >= 0 and c.scale > 0) for c in self.constraints):
            raise ParameterError("a constraint's priority must be at least 0 and its scale above 0")


OPTIONS = InverseBlendingOptions


@dataclass(frozen=True, eq=False)
class InverseBlending(FittedWeights):
    """The examples as they measure, and how to search."""

    name: ClassVar[str] = "inverse-blending"
    CONTINUOUS: ClassVar[bool] = False
    options: InverseBlendingOptions
    measure: Measure | None
    measured: np.ndarray  # (M, d) the examples, measured like blends, in shares of the range

    def distinct_weights(self, p: np.ndarray) -> np.ndarray:
        return np.array([self._one(q) for q in self.examples.units(p)]).reshape(len(p), len(self.measured))

    def _one(self, p: np.ndarray) -> np.ndarray:
        """(M,) weights for one request (d,), in shares of the range."""
        out = np.zeros(len(self.measured))
        squares = self._error(self.measured, p)
        near = np.argsort(squares, kind="stable")[: self.options.k]
        if len(near) == 1 or squares[near[0]] == 0.0:
            out[near[0]] = 1.0
            return out
        e2 = squares[near]
        sigma2 = float(np.median(np.sqrt(e2))) ** 2
        start = np.exp(-(e2 - e2[0]) / sigma2)
        start /= start.sum()
        solve = _slsqp if self.options.solver == "slsqp" else _nelder_mead
        blend = _Blend(self, near, p)
        found = np.clip(solve(blend, start, self.options), 0.0, 1.0)
        found /= found.sum()
        best = min((found, start), key=lambda w: float(blend.errors(w[None])[0]))  # a search cut short may be worse
        out[near] = best
        return out

    def _error(self, actual: np.ndarray, p: np.ndarray) -> np.ndarray:
        """(Q,) sum of c n |difference|^2 over the constraints; actual (Q, d)."""
        off = (actual - p) ** 2
        if not self.options.constraints:
            return off.sum(axis=-1)
        parts = [c.priority * c.scale * off[:, list(c.columns)].sum(axis=-1) for c in self.options.constraints]
        return np.sum(parts, axis=0)


class _Blend:
    """The error of blends of the chosen examples, counted."""

    def __init__(self, fitted: InverseBlending, near: np.ndarray, p: np.ndarray) -> None:
        self.fitted, self.near, self.p, self.count = fitted, near, p, 0

    def errors(self, w: np.ndarray) -> np.ndarray:
        """(Q,) of weights (Q, k)."""
        full = np.zeros((len(w), len(self.fitted.measured)))
        full[:, self.near] = w
        self.count += len(w)
        examples = self.fitted.examples
        return self.fitted._error(examples.units(examples.measured(self.fitted.measure, full)), self.p)

    def with_slope(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Error and its gradient (k,), all measured in one batch."""
        f = self.errors(np.vstack([w, w + STEP * np.eye(len(w))]))
        return float(f[0]), (f[1:] - f[0]) / STEP


class _Enough(Exception):
    """The measurements allowed are used up."""


def _slsqp(blend: _Blend, start: np.ndarray, options: InverseBlendingOptions) -> np.ndarray:
    from scipy.optimize import minimize

    best = (np.inf, start)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best
        if blend.count >= options.evaluations * len(start):  # a gradient's measurements count as one
            raise _Enough
        f, slope = blend.with_slope(w)
        best = min(best, (f, w.copy()), key=lambda pair: pair[0])
        return f, slope

    ones = np.ones((1, len(start)))
    total = {"type": "eq", "fun": lambda w: np.array([w.sum() - 1.0]), "jac": lambda w: ones}
    limits = {"maxiter": options.iterations, "ftol": options.tolerance**2}
    try:
        bounds = [(0.0, 1.0)] * len(start)
        found = minimize(value, start, jac=True, method="SLSQP", bounds=bounds, constraints=[total], options=limits)
    except _Enough:
        return best[1]
    return np.asarray(found.x) if np.isfinite(found.x).all() else best[1]


def _nelder_mead(blend: _Blend, start: np.ndarray, options: InverseBlendingOptions) -> np.ndarray:
    from scipy.optimize import minimize

    def on_simplex(w: np.ndarray) -> np.ndarray:
        held = np.clip(w, 0.0, 1.0)
        return held / held.sum() if held.sum() > 1e-9 else start

    limits = {"maxfev": options.evaluations, "fatol": options.tolerance**2, "xatol": options.tolerance}
    found = minimize(lambda w: float(blend.errors(on_simplex(w)[None])[0]), start, method="Nelder-Mead", options=limits)
    return on_simplex(found.x)


def fit(examples: Examples, measure: Measure | None, options: InverseBlendingOptions) -> InverseBlending:
    """Measure the examples; the work is done at every request."""
    d = examples.parameters.shape[1]
    wrong = [i for c in options.constraints for i in c.columns if not 0 <= i < d]
    if wrong:
        raise ParameterError(f"a constraint names parameter {wrong[0]}, but there are {d}, counted from 0")
    measured = examples.units(examples.measured(measure, np.eye(len(examples.parameters))))
    note = f"at most {options.iterations} iterations" if options.solver == "slsqp" else ""
    note = note or f"at most {options.evaluations} measurements"
    return InverseBlending(examples, note, options, measure, measured)
