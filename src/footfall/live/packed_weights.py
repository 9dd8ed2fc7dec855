"""Packed weights: how parameters become weights in every motion of a graph, as kernels look them up.

Smooth-inverse weights are a lattice over up to three parameters, radial bases their centres and coefficients. Weights
of any other method are sampled onto a lattice, which smooths them by about a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel
from footfall.graph.edges import BEYOND
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.lookup import look_up_2, look_up_any, padded, rbf_one, rbf_table
from footfall.weights.methods.rbf import RadialBasis
from footfall.weights.methods.smooth_inverse import SmoothInverse
from footfall.weights.weights import FittedWeights

ALONE, LATTICE, RADIAL = 0, 1, 2  # one example, by lattice, by radial bases
MOST_AXES = 3  # parameters of a lattice that is taken as it is
SAMPLED = {1: 48, 2: 24, 3: 10}  # cells an axis of a sampled lattice, by the number of parameters; few beyond
FEW = 4


class PackedWeights(NamedTuple):
    """Weights of M motions over D parameters at most, their tables one after another."""

    kind: np.ndarray  # (M,) i64
    axes: np.ndarray  # (M,) i64 parameters
    first: np.ndarray  # (M,) i64 where a motion's numbers begin
    size: np.ndarray  # (M,) i64 coefficients an axis of a lattice; centres of radial bases, padded
    width: np.ndarray  # (M,) i64 examples, padded
    low: np.ndarray  # (M, D) f32 parameters at 0 cells; the centre of the bases
    scale: np.ndarray  # (M, D) f32 cells a unit of a parameter; 1 / range
    values: np.ndarray  # f32


def pack_weights(motions: Sequence[ParametricMotion], dimensions: int) -> PackedWeights:
    """The weights of all motions."""
    count = len(motions)
    kind, axes, first, size, width = np.zeros((5, count), np.int64)
    low, scale = np.zeros((count, max(dimensions, 1)), np.float32), np.ones((count, max(dimensions, 1)), np.float32)
    values: list[np.ndarray] = [np.zeros(1, np.float32)]
    for k, motion in enumerate(motions):
        fitted, d = motion.fitted, motion.parameters.shape[1]
        axes[k], first[k] = d, sum(v.size for v in values)
        if len(motion) == 1:
            kind[k] = ALONE
        elif isinstance(fitted, SmoothInverse) and d <= MOST_AXES and _is_plain(fitted):
            field, examples = fitted.field, fitted.examples
            kind[k], size[k], width[k] = LATTICE, field.cells + 3, field.table.shape[-1]
            low[k, :d] = examples.low - field.pad * examples.range
            scale[k, :d] = field.cells / ((1.0 + 2.0 * field.pad) * examples.range)
            values.append(field.table.ravel())
        elif isinstance(fitted, RadialBasis) and fitted.kernel == "bspline" and is_distinct(fitted):
            tables = rbf_table(fitted.centres, fitted.reach, fitted.coefficients)
            kind[k], size[k], width[k] = RADIAL, len(tables[1]), len(tables[1])
            low[k, :d], scale[k, :d] = fitted.mean, 1.0 / fitted.examples.range
            values += [table.ravel() for table in tables]
        else:
            cells, pad = SAMPLED.get(d, FEW), BEYOND
            bottom, size_of = motion.parameters.min(axis=0), np.maximum(np.ptp(motion.parameters, axis=0), 1e-6)
            kind[k], size[k] = LATTICE, cells + 3
            low[k, :d] = bottom - pad * size_of
            scale[k, :d] = cells / ((1.0 + 2.0 * pad) * size_of)
            values.append(_sampled(motion, low[k, :d], scale[k, :d], cells))
            width[k] = values[-1].size // (cells + 3) ** d
    return PackedWeights(kind, axes, first, size, width, low, scale, np.concatenate(values).astype(np.float32))


def _sampled(motion: ParametricMotion, low: np.ndarray, scale: np.ndarray, cells: int) -> np.ndarray:
    """Coefficients of a lattice: the weights at its points, one cell beyond both ends."""
    at = np.stack(np.meshgrid(*[np.arange(-1, cells + 2)] * len(low), indexing="ij"), axis=-1).reshape(-1, len(low))
    found = motion.weights(low + np.clip(at, 0, cells) / scale)
    return np.asarray(padded(found)).ravel()


def _is_plain(fitted: SmoothInverse) -> bool:
    """Whether weights are what the lattice says, no more."""
    return not fitted.project and fitted.examples.polar is None and is_distinct(fitted)


def is_distinct(fitted: FittedWeights) -> bool:
    """Whether every example is one of its own."""
    spread = fitted.examples.spread
    return spread.shape[0] == spread.shape[1]


@kernel(_nrt=False)
def look_up(packed: Any, k: int, p: Any, room: Any, out: Any) -> None:
    """Weights of the examples of motion k at parameters p, into the first of out."""
    kind, d, begin = packed.kind[k], packed.axes[k], packed.first[k]
    if kind == ALONE:
        out[0] = np.float32(1.0)
        return
    n, width = packed.size[k], packed.width[k]
    for i in range(d):
        room.at[i] = (p[i] - packed.low[k, i]) * packed.scale[k, i]
    if kind == LATTICE:
        end = np.float32(n - 3)
        for i in range(d):
            room.at[i] = min(max(room.at[i], np.float32(0.0)), end)
        if d == 2:
            look_up_2(room.at[0], room.at[1], packed.values, begin, n, room.basis[0], room.basis[1], out[:width])
        else:
            look_up_any(room.at[:d], packed.values, begin, n, room.basis, out[:width])
        return
    near = begin + d * n
    rbf_one(room.at[:d], packed.values[begin:near], packed.values[near : near + n],
            packed.values[near + n :], room.value, room.first, out[:width])  # fmt: skip
