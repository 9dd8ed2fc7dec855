"""Examples: the parameters of example motions, checked, duplicates merged, brought to comparable units.

Every method works on distinct examples in shares of their range, so that no answer depends on whether a turn is given
in degrees or in radians; what it finds is spread back over the examples as the caller listed them. A distance and a
direction are compared as the place they lead to: at distance 0 every direction is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.core.errors import ParameterError

Measure = Callable[[np.ndarray], np.ndarray]  # weights (Q, N) -> parameters (Q, d) measured on the blended motions

SAME = 1e-7  # of the range: examples nearer than this are one
MOST_ASKED = 2e8  # numbers in one answer: more is a mistake


class WeightsWarning(UserWarning):
    """Examples or a fit are not what they should be; the result says how it was mended."""


@dataclass(frozen=True)
class Polar:
    """Two parameters that are a distance and a direction."""

    distance: int  # column
    direction: int  # column
    full_turn: float  # of the direction: 360 or 2 pi

    def places(self, p: np.ndarray) -> np.ndarray:
        """Parameters (..., d) with the place ahead and to the side instead of distance and direction."""
        found = np.array(p, float)
        angle = found[..., self.direction] * (2.0 * np.pi / self.full_turn)
        far = found[..., self.distance].copy()
        found[..., self.distance], found[..., self.direction] = far * np.cos(angle), far * np.sin(angle)
        return found

    def parameters(self, places: np.ndarray) -> np.ndarray:
        """Places (..., d) as distance and direction again."""
        found = np.array(places, float)
        ahead, beside = found[..., self.distance].copy(), found[..., self.direction].copy()
        found[..., self.distance] = np.hypot(ahead, beside)
        found[..., self.direction] = np.arctan2(beside, ahead) * (self.full_turn / (2.0 * np.pi))
        return found


@dataclass(frozen=True, eq=False)
class Examples:
    """M distinct examples of the N that were given."""

    parameters: np.ndarray  # (M, d) distinct, in the caller's units
    low: np.ndarray  # (d,) least value of each parameter, or of each coordinate of a place
    range: np.ndarray  # (d,) largest minus least; 1 where they are the same
    spread: np.ndarray  # (M, N) rows sum to 1: which given examples a distinct one stands for
    polar: Polar | None = None

    def units(self, p: np.ndarray) -> np.ndarray:
        """Parameters (..., d) as shares of the range: the examples lie in 0 … 1."""
        return (self.places(p) - self.low) / self.range

    def from_units(self, u: np.ndarray) -> np.ndarray:
        """Shares of the range (..., d) as parameters again."""
        p = self.low + u * self.range
        return p if self.polar is None else self.polar.parameters(p)

    def places(self, p: np.ndarray) -> np.ndarray:
        """Parameters (..., d) as they are compared: a distance and a direction as a place."""
        return p if self.polar is None else self.polar.places(p)

    def measured(self, measure: Measure | None, weights: np.ndarray) -> np.ndarray:
        """(Q, d) parameters of blends of distinct examples, weights (Q, M); without a measure the weighted sum."""
        if measure is None:
            return weights @ self.parameters
        found = np.asarray(measure(weights @ self.spread), float)
        expected = (len(weights), self.parameters.shape[1])
        if found.shape != expected:
            raise ParameterError(f"measure must give parameters of shape {expected}, it gave {found.shape}")
        if not np.isfinite(found).all():
            raise ParameterError("measure gave a parameter that is not a finite number")
        return found


def examples_of(parameters: np.ndarray, polar: Polar | None = None) -> Examples:
    """Check the parameters (N, d), or (N,) for one parameter, and merge duplicates with a warning."""
    p = finite(parameters, "example parameters")
    p = p[:, None] if p.ndim == 1 else p
    if p.ndim != 2 or not p.size:
        raise ParameterError(f"example parameters must be (examples, parameters), at least one of each, got {p.shape}")
    places = p if polar is None else polar.places(p)
    low, size = places.min(axis=0), np.ptp(places, axis=0)
    size = np.where(size > 1e-12 * np.maximum(np.abs(low), 1e-150), size, 1.0)  # below that it is rounding
    group = _groups((places - low) / size)
    spread = np.zeros((group.max() + 1, len(p)))
    spread[group, np.arange(len(p))] = 1.0
    if len(spread) < len(p):
        several = np.flatnonzero(spread.sum(axis=1) > 1)
        named = "; ".join(", ".join(map(str, np.flatnonzero(spread[g]))) for g in several[:4])
        text = f"examples with the same parameters are merged and share their weight: {named}"
        warnings.warn(text + (" …" if len(several) > 4 else ""), WeightsWarning, stacklevel=4)
    spread /= spread.sum(axis=1, keepdims=True)
    return Examples(spread @ p, low, size, spread, polar)


def _groups(units: np.ndarray) -> np.ndarray:
    """(N,) number of the group of equals each example belongs to, in order of first appearance."""
    group, firsts = np.empty(len(units), int), np.empty((0, units.shape[1]))
    for i, row in enumerate(units):
        same = np.flatnonzero(np.abs(firsts - row).max(axis=1, initial=0.0) <= SAME)
        group[i] = same[0] if len(same) else len(firsts)
        if not len(same):
            firsts = np.vstack([firsts, row])
    return group


def queries_of(p: np.ndarray, examples: Examples) -> tuple[np.ndarray, bool]:
    """Wanted parameters as (Q, d), and whether there was just one, given as (d,)."""
    n, d = examples.spread.shape[1], examples.parameters.shape[1]
    q = finite(p, "wanted parameters")
    alone = q.ndim == 0 or (q.ndim == 1 and len(q) == d)
    if q.ndim == 0:
        q = q[None]
    q = q[None] if alone else q[:, None] if q.ndim == 1 and d == 1 else q
    if q.ndim != 2 or q.shape[1] != d:
        raise ParameterError(f"wanted parameters must be ({d},) or (queries, {d}), got {np.shape(p)}")
    if len(q) * n > MOST_ASKED:
        raise ParameterError(f"{len(q)} queries of {n} weights are more than one call answers; ask in smaller batches")
    return q, alone


def finite(values: np.ndarray, what: str) -> np.ndarray:
    """As an array of finite numbers, or a sentence about the first that is none."""
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{what} must be numbers in rows of equal length ({error})") from error
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        raise ParameterError(f"{what} must be finite numbers, found {array[place]} at {list(place)}")
    return array
