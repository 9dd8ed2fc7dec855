"""Packed lattices: smooth-inverse weights of the motions of a graph over two parameters, as kernels look them up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.lookup import look_up_2
from footfall.weights.methods.smooth_inverse import SmoothInverse
from footfall.weights.weights import FittedWeights


class PackedLattices(NamedTuple):
    """Weights of motions over two parameters as lattices of cubic B-splines, one after another."""

    first: np.ndarray  # (M,) i64 where a motion's coefficients begin; -1: it has none
    size: np.ndarray  # (M,) i64 coefficients an axis
    width: np.ndarray  # (M,) i64 examples of a coefficient, padded
    values: np.ndarray  # f32
    low: np.ndarray  # (M, 2) f64 parameters at 0 cells
    cells: np.ndarray  # (M, 2) f64 cells a unit of a parameter


def pack_lattices(motions: Sequence[ParametricMotion]) -> PackedLattices:
    """The lattices of those motions that have two parameters and weights by a lattice alone."""
    count = len(motions)
    first, size, width = np.full(count, -1, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    low, cells = np.zeros((count, 2)), np.ones((count, 2))
    values: list[np.ndarray] = []
    for k, motion in enumerate(motions):
        fitted = motion.fitted
        if not isinstance(fitted, SmoothInverse) or motion.parameters.shape[1] != 2 or not _is_plain(fitted):
            continue
        field, examples = fitted.field, fitted.examples
        first[k], size[k], width[k] = sum(v.size for v in values), field.cells + 3, field.table.shape[-1]
        low[k] = examples.low - field.pad * examples.range
        cells[k] = field.cells / ((1.0 + 2.0 * field.pad) * examples.range)
        values.append(field.table.ravel())
    return PackedLattices(first, size, width, np.concatenate(values or [np.zeros(1, np.float32)]), low, cells)


def _is_plain(fitted: SmoothInverse) -> bool:
    """Whether weights are what the lattice says, no more."""
    return not fitted.project and fitted.examples.polar is None and is_distinct(fitted)


def is_distinct(fitted: FittedWeights) -> bool:
    """Whether every example is one of its own."""
    spread = fitted.examples.spread
    return spread.shape[0] == spread.shape[1]


@kernel
def look_up(lattices: Any, k: int, p: Any, out: Any, bx: Any, by: Any) -> None:
    """Weights of the examples of motion k at two parameters p, into the first of out; bx, by (4,) f32: room."""
    n, end = lattices.size[k], lattices.size[k] - 3.0
    tx = min(max((p[0] - lattices.low[k, 0]) * lattices.cells[k, 0], 0.0), end)
    ty = min(max((p[1] - lattices.low[k, 1]) * lattices.cells[k, 1], 0.0), end)
    look_up_2(np.float32(tx), np.float32(ty), lattices.values, lattices.first[k], n, bx, by, out[: lattices.width[k]])
