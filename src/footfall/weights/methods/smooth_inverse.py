"""Smooth inverse: looks up a smooth field of weights, solved in advance so that blends measure what was asked for.

The whole box of parameters is solved at once (weights/smooth_field.py) and kept as a lattice of cubic B-splines; a
query is one look-up. Presets: "faithful" nearly gives the examples back, "smooth" blends more. Weights may be negative:
arms that are straight in all examples bend by no positive blend of them. What is held small instead, where the caller
says how, is the effort: how much of the body a change of weights moves. Every fit is validated on points it was not
fitted to; where it is not good enough, radial basis functions take its place, with a warning and a note. Beyond the
hull of the examples it extrapolates inside a box padded by 5 % and stays constant outside; project=True asks for the
nearest point of the hull instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.weights.examples import Examples, Measure, WeightsWarning, queries_of
from footfall.weights.hull import Hull, hull_of
from footfall.weights.lattice import Lattice, lattice_of
from footfall.weights.methods import rbf
from footfall.weights.smooth_field import FieldOptions, solve_field
from footfall.weights.weights import FittedWeights, checked_count

# By experiment, on the sets of `footfall study feng2012`.
PRESETS = {"faithful": 1e-2, "smooth": 1e-3}  # mu, the pull towards the examples
MOST_PARAMETERS = 3  # the lattice grows as 11^d
HELD_OUT = {1: 101, 2: 27, 3: 11}  # points an axis that a fit is validated on
MOST_CELLS = 16


@dataclass(frozen=True)
class SmoothInverseOptions:
    """Preset, lattice and limits; errors are shares of the range."""

    preset: str = "faithful"
    cells: int = 10
    lowest: float = -1.5  # least weight the samples ask for
    effort: np.ndarray | None = None  # (N, N) what a move of the weights costs; None: the same for all
    mean_limit: float = 0.02
    max_limit: float = 0.25
    project: bool = False  # onto the hull, before anything
    progress: Callable[[float], None] | None = None  # is told the share of the work that is done

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UnknownName("preset", self.preset, PRESETS)
        checked_count("cells", self.cells, 2)
        if self.cells > MOST_CELLS:
            raise ParameterError(f"cells must be at most {MOST_CELLS}, got {self.cells}: work grows as its ninth power")
        if not -5.0 <= self.lowest <= 0.0:
            raise ParameterError(f"lowest is the least weight allowed, from -5 to 0, got {self.lowest}")
        if not (self.mean_limit > 0 and self.max_limit > 0):
            raise ParameterError("mean_limit and max_limit must be above 0")


OPTIONS = SmoothInverseOptions


class Validation(NamedTuple):
    """How good a fit is, on points inside the hull it was not fitted to; errors are shares of the range."""

    mean_error: float
    max_error: float
    least_weight: float
    negative_mass: float  # mean sum of the negative weights
    example_deviation: float  # mean of |w(p_i) - e_i|


class Reach(NamedTuple):
    """What to expect of a request."""

    inside: np.ndarray  # (Q,) in the hull of the examples
    residual: np.ndarray  # (Q,) expected error, as a share of the range


@dataclass(frozen=True, eq=False)
class SmoothInverse(FittedWeights):
    """The solved field."""

    name: ClassVar[str] = "smooth-inverse"
    EXACT: ClassVar[bool] = False
    field: Lattice  # M channels
    residual: Lattice  # 1 channel
    hull: Hull
    project: bool
    mean_error: float
    max_error: float
    least_weight: float
    negative_mass: float
    example_deviation: float

    @property
    def validation(self) -> Validation:
        return Validation(*(getattr(self, name) for name in Validation._fields))

    def distinct_weights(self, p: np.ndarray) -> np.ndarray:
        return self.field.values(self._held(self.examples.units(p)))

    def reach(self, p: np.ndarray) -> Reach:
        """Whether requests (Q, d) lie in the hull, and the error to expect of them."""
        units = self.examples.units(queries_of(p, self.examples)[0])
        inside = self.hull.inside(units)
        held = self._held(units)
        beyond = np.linalg.norm(held - np.clip(held, -self.field.pad, 1.0 + self.field.pad), axis=1)
        return Reach(inside, np.maximum(self.residual.values(held)[:, 0], 0.0) + beyond)

    def _held(self, units: np.ndarray) -> np.ndarray:
        return self.hull.nearest(units) if self.project else units


def fit(examples: Examples, measure: Measure | None, options: SmoothInverseOptions) -> FittedWeights:
    """Solve the field and validate it; radial basis functions where that cannot be done."""
    units = examples.units(examples.parameters)
    count, d = units.shape
    hull = hull_of(units) if d <= MOST_PARAMETERS else None
    if hull is None or hull.rank < d or count < d + 1:
        spans = f"{d} parameters are more than {MOST_PARAMETERS}" if hull is None else f"they span {hull.rank} of {d}"
        return _fallback(examples, f"{count} example(s): {spans} parameters", aloud=count > 1)
    effort = None if options.effort is None else examples.spread @ options.effort @ examples.spread.T
    whole = FieldOptions(options.cells, anchoring=PRESETS[options.preset], lowest=options.lowest, effort=effort)
    whole = whole if options.progress is None else replace(whole, progress=options.progress)
    found = _fit_once(examples, measure, hull, whole, options)
    if found.mean_error <= options.mean_limit and found.max_error <= options.max_limit:
        return found
    why = f"mean error {found.mean_error:.3f} and largest {found.max_error:.3f} of the range exceed the limits"
    return _fallback(examples, f"{why} {options.mean_limit:g} and {options.max_limit:g}", aloud=True)


def _fit_once(
    examples: Examples, measure: Measure | None, hull: Hull, attempt: FieldOptions, options: SmoothInverseOptions
) -> SmoothInverse:
    def measured(w: np.ndarray) -> np.ndarray:
        return examples.units(examples.measured(measure, w))

    units = examples.units(examples.parameters)
    d = units.shape[1]
    solved = solve_field(units, hull, measured, attempt)
    field, residual = (lattice_of(c, attempt.cells, attempt.pad, d) for c in solved)
    axis = (np.arange(HELD_OUT[d]) + 0.5) / HELD_OUT[d]
    held_out = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    held_out = held_out[hull.inside(held_out)]
    held_out = held_out if len(held_out) else units
    w = field.values(held_out)
    error = np.linalg.norm(measured(w) - held_out, axis=1)
    off = np.linalg.norm(field.values(units) - np.eye(len(units)), axis=1)
    negative = -np.minimum(w, 0.0).sum(axis=1).mean()
    figures = (error.mean(), error.max(), w.min(), negative, off.mean())
    return SmoothInverse(examples, "", field, residual, hull, options.project, *(float(x) for x in figures))


def _fallback(examples: Examples, why: str, aloud: bool) -> FittedWeights:
    note = f"smooth-inverse is replaced by rbf with kernel r ({why})"
    if aloud:
        warnings.warn(note, WeightsWarning, stacklevel=4)
    return replace(rbf.fit(examples, None, rbf.RbfOptions(kernel="r")), note=note)
