"""Solver of the smooth inverse: a smooth field of weights w(u) whose blends measure u ("project and smooth").

Minimises  sum_s omega_s |F(w(s)) - s|^2 + lambda · bending(w) + (mu / N) sum_i |w(p_i) - e_i|^2,  weights >= -delta,
over the coefficients of a spline lattice. Two steps alternate: every sample's weights are moved the least that
corrects its measured parameters (project), then the smoothest field near all of them is solved for (smooth), trusting
the samples more from round to round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.weights.hull import Hull
from footfall.weights.lattice import basis_rows, bending_energy

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Measured = Callable[[np.ndarray], np.ndarray]  # weights (Q, M) -> parameters (Q, d) in units of the range

# By experiment, on the sets of `footfall study feng2012`.
FALL_OFF = 0.04  # of the range: how fast samples outside the hull lose importance
LEAST_OMEGA = 0.01  # and how little they keep
FIRST_PULL = 1e-7  # of every weight towards 1 / N, to begin with
DAMPING = 1e-3  # ridge of the least-squares step of one sample
LONGEST_STEP = 0.25  # of one sample's weights in a pass
SHORTENED = (1.0, 0.3, 0.09)  # shares of a correction that are tried
LIGHT_RIDGE, TRACE_RIDGE = 1e-6, 1e-9  # of the mean diagonal: keeps systems solvable
HELD = 1e6  # the effort of moving a weight that is at its bound
PASSES = 4  # of moving one sample's weights, fixing those that reach their bound
STEP = 1e-5  # of forward differences
SLOPES_EVERY = 3  # rounds: slopes change slowly and cost most
CHUNK = 60_000  # blends measured at once


@dataclass(frozen=True)
class FieldOptions:
    """Lattice and objective."""

    cells: int = 10  # an axis
    pad: float = 0.05  # of the range, on both sides
    stiffness: float = 1e-6  # lambda
    anchoring: float = 1e-2  # mu: how much the examples themselves should come back
    lowest: float = -0.15  # -delta: the least weight
    effort: np.ndarray | None = None  # (M, M) what moving weights costs; None: the same for all
    rounds: int = 24
    trusting: int = 6  # last rounds, with samples trusted in full
    progress: Callable[[float], None] = lambda share: None  # is told the share of the rounds that are done


class Field(NamedTuple):
    """The solved coefficients, and what the field leaves at its samples."""

    coefficients: np.ndarray  # (n^d, M)
    residual: np.ndarray  # (n^d, 1) coefficients of |F(w) - u|


class _System(NamedTuple):
    """What stays the same from round to round."""

    samples: np.ndarray  # (S, d)
    rows: csr_array  # (S, n^d)
    weighted: csr_array  # (n^d, S) B' Omega
    normal: np.ndarray  # (n^d, n^d) B' Omega B
    fixed: np.ndarray  # (n^d, n^d) Q: stiffness, examples, a trace of ridge
    wanted: np.ndarray  # (n^d, M) mu/N Be' E


def solve_field(units: np.ndarray, hull: Hull, measured: Measured, options: FieldOptions) -> Field:
    """The field for examples at units (M, d) of the box, whose hull is given."""
    from scipy.linalg import cho_factor, cho_solve

    system = _system(units, hull, options)
    count = len(units)
    equal = np.full((len(system.samples), count), 1.0 / count)
    start = cho_factor(system.fixed + FIRST_PULL * system.normal)
    c = _sum_to_one(cho_solve(start, system.wanted + FIRST_PULL * (system.weighted @ equal)))
    factor, last = start, 0.0
    slope = np.zeros((len(system.samples), units.shape[1], count))
    effort = np.eye(count) if options.effort is None else options.effort
    for round_, trust in enumerate(_trusts(options)):
        w = system.rows @ c
        at = measure_all(measured, w)
        if round_ % SLOPES_EVERY == 0:
            slope = slopes(measured, w, at)
        y = corrected(w, system.samples - at, slope, options.lowest, effort)
        y = helpful(measured, w, y, at, system.samples)
        if trust != last:
            factor, last = cho_factor(system.fixed + trust * system.normal), trust
        c = cho_solve(factor, system.wanted + trust * (system.weighted @ y))
        options.progress((round_ + 1) / options.rounds)
    c = _sum_to_one(c)
    left = np.linalg.norm(measure_all(measured, system.rows @ c) - system.samples, axis=1, keepdims=True)
    light = system.normal + LIGHT_RIDGE * np.trace(system.normal) / len(system.normal) * np.eye(len(system.normal))
    return Field(c, np.linalg.solve(light, system.weighted @ left))


def _system(units: np.ndarray, hull: Hull, o: FieldOptions) -> _System:
    from scipy.spatial import KDTree

    d = units.shape[1]
    axis = (np.arange(2 * o.cells) + 0.5) / (2 * o.cells) * (1.0 + 2.0 * o.pad) - o.pad
    samples = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    inside = hull.inside(samples)
    inside = inside if inside.any() else np.ones(len(samples), bool)  # a hull thinner than the samples' spacing
    away = KDTree(samples[inside]).query(samples)[0]
    omega = np.maximum(LEAST_OMEGA, np.exp(-((away / FALL_OFF) ** 2))) / inside.sum()
    rows, at_examples = basis_rows(samples, o.cells, o.pad), basis_rows(units, o.cells, o.pad)
    weighted = (rows.T * omega).tocsr()
    normal = (weighted @ rows).toarray()
    pull = o.anchoring / len(units)
    fixed = o.stiffness * bending_energy(o.cells, o.pad, d) + pull * (at_examples.T @ at_examples).toarray()
    fixed += TRACE_RIDGE * np.trace(normal) / len(normal) * np.eye(len(normal))
    return _System(samples, rows, weighted, normal, fixed, pull * at_examples.T.toarray())


def _trusts(o: FieldOptions) -> np.ndarray:
    """(rounds,) tau: 1e-4 to 1 in half decades, so that few matrices are factorised, then 1, 10 and 100.

    At the end the stiffness only chooses among fields that measure the same: what it cost in exactness is won back.
    """
    rising = max(o.rounds - o.trusting, 1)
    steps = np.concatenate([np.round(np.linspace(-8.0, 0.0, rising)) / 2.0, np.zeros(max(o.rounds - rising, 0))])
    late = min(2, o.trusting // 3)
    if late:
        steps[-2 * late :] = np.repeat([1.0, 2.0], late)
    return np.asarray(10.0**steps)


def measure_all(measured: Measured, w: np.ndarray) -> np.ndarray:
    return np.vstack([measured(w[i : i + CHUNK]) for i in range(0, len(w), CHUNK)])


def slopes(measured: Measured, w: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(S, d, M) dF/dw at weights w (S, M), along directions that keep the sum."""
    count = w.shape[1]
    moves = STEP * (np.eye(count) - 1.0 / count)
    each = max(1, CHUNK // count)
    out = np.empty((len(w), at.shape[1], count))
    for i in range(0, len(w), each):
        part = slice(i, i + each)
        tried = measured((w[part, None] + moves).reshape(-1, count)).reshape(-1, count, at.shape[1])
        out[part] = np.swapaxes(tried - at[part, None], 1, 2) / STEP
    return out


def corrected(
    w: np.ndarray, r: np.ndarray, slope: np.ndarray, lowest: float | np.ndarray, effort: np.ndarray
) -> np.ndarray:
    """Weights (S, M) moved with the least effort that changes what they measure by r (S, d), none below `lowest`.

    effort (M, M): a move d costs d' effort d. lowest: a number, or (S, 1).
    """
    moved, free = np.zeros(w.shape), np.ones(w.shape, bool)
    lowest = np.broadcast_to(lowest, (len(w), 1))
    rows = np.concatenate([slope, np.ones((len(w), 1, w.shape[1]))], axis=1)  # the last row: sums stay as they are
    wanted = np.hstack([r, np.zeros((len(w), 1))])
    ridge = np.diag([*[DAMPING] * r.shape[1], TRACE_RIDGE])
    todo, ease = np.arange(len(w)), np.linalg.inv(effort)
    for _ in range(PASSES):
        eased = rows[todo] @ ease
        left = wanted[todo] - np.einsum("sdm,sm->sd", rows[todo], moved[todo])
        pull = np.linalg.solve(eased @ np.swapaxes(rows[todo], 1, 2) + ridge, left[..., None])
        step = np.einsum("sdm,sd->sm", eased, pull[..., 0])
        length = np.linalg.norm(step, axis=1, keepdims=True)
        moved[todo] += step * np.minimum(1.0, LONGEST_STEP / np.maximum(length, 1e-300))
        bound = w + moved < lowest
        todo = np.flatnonzero((bound & free).any(axis=1))
        if not len(todo):
            break
        moved = np.where(bound, lowest - w, moved)
        free &= ~bound
        held = HELD * np.eye(w.shape[1]) * ~free[todo][:, None]
        ease = np.linalg.inv(effort + held)
    y = w + moved
    return y + free * ((1.0 - y.sum(axis=1, keepdims=True)) / np.maximum(free.sum(axis=1, keepdims=True), 1))


def helpful(measured: Measured, w: np.ndarray, y: np.ndarray, at: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Corrections y (S, M) of weights w, shortened until they bring what is measured nearer to what is wanted.

    Where none does (what is wanted cannot be reached) the sample asks for no change: a push that never succeeds would
    drag its neighbours along.
    """
    before = np.linalg.norm(wanted - at, axis=1)
    y, todo = y.copy(), np.arange(len(w))
    for share in SHORTENED:
        tried = w[todo] + share * (y[todo] - w[todo])
        worse = np.linalg.norm(wanted[todo] - measure_all(measured, tried), axis=1) > before[todo]
        y[todo[~worse]] = tried[~worse]
        todo = todo[worse]
        if not len(todo):
            return y
    y[todo] = w[todo]
    return y


def _sum_to_one(c: np.ndarray) -> np.ndarray:
    return c + (1.0 - c.sum(axis=1, keepdims=True)) / c.shape[1]
