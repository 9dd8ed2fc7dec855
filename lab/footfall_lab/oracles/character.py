"""Live characters: one call that does a whole frame for any number of them, and its parts.

`step` writes into the arrays of a `Crowd` and allocates nothing that grows with it; one character is a crowd of one.
The stateless parts below it give new arrays. Every one has a readable twin (see `footfall_lab.oracles.plain_frame`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.kernels import kernel
from footfall.live.frame import run_frame
from footfall.parametric.packed import Crowd, PackedGraph, crowd, land
from footfall.parametric.sampling import travel_at

LONGEST_S = 60.0  # of one step
__all__ = ["Crowd", "advance", "crowd", "evaluate", "go", "land", "pose", "step", "travel", "weights_of"]


def step(packed: PackedGraph, characters: Crowd, dt_s: float, lock: bool = True) -> None:
    """One frame: weights, clock, root, sampling, blending, foot lock (where asked for), forward kinematics."""
    _run(packed, characters, dt_s, True, True, True, lock)


def go(packed: PackedGraph, characters: Crowd, dt_s: float) -> None:
    """The first half of a step: weights, clock and root."""
    _run(packed, characters, dt_s, True, True, False, False)


def pose(packed: PackedGraph, characters: Crowd, dt_s: float, lock: bool = True) -> None:
    """The second half: poses at the present times and weights; dt_s is for the easing of feet."""
    _run(packed, characters, dt_s, False, False, True, lock)


def _run(
    packed: PackedGraph, characters: Crowd, dt_s: float, weighing: bool, going: bool, posing: bool, lock: bool
) -> None:
    if not 0.0 <= dt_s <= LONGEST_S:
        raise ParameterError(f"a step lasts 0 to {LONGEST_S:g} s, got {dt_s}")
    bad = run_frame(packed.tables, characters, float(dt_s), going, posing, lock, weighing)
    if bad >= 0:
        raise ParameterError(
            f"character {bad} plays motion {characters.motion[bad].tolist()}, there are 0 to {len(packed.names) - 1}"
        )


def weights_of(packed: PackedGraph, motion: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(N, E) float32 weights of motions (N,) at parameters (N, d), each motion's own first."""
    which, p = _motions(packed, motion), np.atleast_2d(np.asarray(p, float))
    if len(p) != len(which) or p.shape[1] > packed.dimensions or not np.isfinite(p).all():
        raise ParameterError(
            f"parameters must be finite, ({len(which)}, at most {packed.dimensions}), got an array of shape {p.shape}"
        )
    some = crowd(packed, len(p))
    some.motion[:, 0], some.wanted[:, 0, : p.shape[1]] = which, p
    _run(packed, some, 0.0, True, False, False, False)
    return some.weights[:, 0].copy()


def advance(
    packed: PackedGraph, motion: np.ndarray, t: np.ndarray, weights: np.ndarray, dt_s: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Canonical times (N,) dt_s seconds after t (N,), rounds of loops begun meanwhile (N,), and rates (N,)."""
    which = _motions(packed, motion)
    some = crowd(packed, len(which))
    some.motion[:] = which[:, None]
    some.t[:] = np.asarray(t, float).reshape(-1, 1)
    some.weights[:, 0] = _weights(packed, weights, len(which))
    _run(packed, some, dt_s, False, True, False, False)
    return some.t[:, 0], some.laps[:, 0], some.rate[:, 0]


def travel(
    packed: PackedGraph, motion: np.ndarray, start: np.ndarray, end: np.ndarray, laps: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """(N, 3) forward, left and turn of carriers from canonical times start (N,) to end (N,), laps (N,) rounds on."""
    which = _motions(packed, motion)
    out = np.empty((len(which), 3))
    t = packed.tables
    _travel_all(which, np.asarray(start, float), np.asarray(end, float), np.asarray(laps, float), t.rows, t.first_row,
                t.count, t.cells, _weights(packed, weights, len(which)), out)  # fmt: skip
    return out


def evaluate(
    packed: PackedGraph, motion: np.ndarray, t: np.ndarray, weights: np.ndarray, share: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Local rotations (N, J, 4) float32 and root places (N, 3) of two layers each, feet not locked.

    motion and t (N, 2), weights (N, 2, E), share (N,) of layer 0, root (N, 3): x, z and heading of the carrier.
    """
    share = np.atleast_1d(share)
    some = crowd(packed, len(share))
    for into, values in zip((some.motion, some.t, some.share, some.root), (motion, t, share, root), strict=True):
        into[...] = values
    some.weights[..., : np.shape(weights)[-1]] = weights
    pose(packed, some, 0.0, lock=False)
    return some.rot, some.root_pos


def _motions(packed: PackedGraph, motion: np.ndarray) -> np.ndarray:
    which = np.atleast_1d(np.asarray(motion, np.int64))
    if which.size and not (which.min() >= 0 and which.max() < len(packed.names)):
        raise ParameterError(f"motions are 0 to {len(packed.names) - 1}, got {which.min()} to {which.max()}")
    return which


def _weights(packed: PackedGraph, weights: np.ndarray, count: int) -> np.ndarray:
    out = np.zeros((count, packed.width), np.float32)
    weights = np.atleast_2d(weights)
    out[:, : weights.shape[1]] = weights
    return out


@kernel(_nrt=False)
def _travel_all(which: Any, start: Any, end: Any, laps: Any, rows: Any, first_row: Any, counts: Any, cells: Any,
                weights: Any, out: Any) -> None:  # fmt: skip
    for n in range(len(which)):
        k = which[n]
        a = travel_at(rows, first_row[k], counts[k], cells[k], weights[n], start[n])
        b = travel_at(rows, first_row[k], counts[k], cells[k], weights[n], end[n])
        whole = travel_at(rows, first_row[k], counts[k], cells[k], weights[n], 1.0)
        for i in range(3):
            out[n, i] = b[i] - a[i] + laps[n] * whole[i]
