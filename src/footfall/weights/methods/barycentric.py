"""Barycentric: weights of the corners of the Delaunay simplex around a point; outside, around the hull's nearest point.

Feng, Huang, Kallmann & Shapiro 2012, section 3. Never negative, at most d + 1 weights at once, exact at the examples,
continuous but with kinks at every face. Simplices are cut in units of the examples' range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from footfall.weights.examples import Examples, Measure
from footfall.weights.hull import Hull, hull_of
from footfall.weights.weights import FittedWeights


@dataclass(frozen=True)
class BarycentricOptions:
    """There is nothing to choose."""


OPTIONS = BarycentricOptions


@dataclass(frozen=True, eq=False)
class Barycentric(FittedWeights):
    """The cut-up hull."""

    name: ClassVar[str] = "barycentric"
    hull: Hull

    def distinct_weights(self, p: np.ndarray) -> np.ndarray:
        return self.hull.weights(self.examples.units(p))


def fit(examples: Examples, measure: Measure | None, options: BarycentricOptions) -> Barycentric:
    """Cut up the hull of the examples; a measure is not needed."""
    hull = hull_of(examples.units(examples.parameters))
    given = examples.parameters.shape[1]
    flat = f"the examples span {hull.rank} of {given} parameters" if hull.rank < given else ""
    return Barycentric(examples, flat, hull)
