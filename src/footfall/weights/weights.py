"""Weights: what every weight method returns, so that methods are interchangeable.

A method is one file in `weights/methods/` with a frozen dataclass of options, which it calls OPTIONS, and a function

    fit(examples: Examples, measure: Measure | None, options: OPTIONS) -> FittedWeights

`measure` takes weights (Q, N) to the parameters (Q, d) of the motions so blended; methods that need it and get none
take the weighted sum of the examples' parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.core.registry import Member, member, members
from footfall.weights.examples import Examples, Measure, Polar, examples_of, queries_of

FAMILY = "footfall.weights.methods"


@dataclass(frozen=True, eq=False)
class FittedWeights(ABC):
    """A fitted method: parameters to blend weights. Plain arrays inside, so it pickles and saves (see store.py)."""

    name: ClassVar[str]  # the method's
    EXACT: ClassVar[bool] = True  # at the parameters of an example, that example alone
    CONTINUOUS: ClassVar[bool] = True  # small changes of parameters change the weights little

    examples: Examples
    note: str  # what the caller should know about this fit, in words; often empty

    def weights(self, p: np.ndarray) -> np.ndarray:
        """Weights (N,) for parameters (d,), or (Q, N) for (Q, d); they sum to 1."""
        queries, alone = queries_of(p, self.examples)
        found = self.distinct_weights(queries) @ self.examples.spread
        return found[0] if alone else found

    @abstractmethod
    def distinct_weights(self, p: np.ndarray) -> np.ndarray:
        """Weights (Q, M) of the distinct examples for checked parameters (Q, d)."""


def methods() -> dict[str, Member]:
    """Every weight method by name, with what its file says of it."""
    return members(FAMILY)


def fit(
    method: str, parameters: np.ndarray, measure: Measure | None = None, polar: Polar | None = None, **options: Any
) -> FittedWeights:
    """Fit a method to the parameters (N, d) of example motions; options are the method's own.

    polar: which parameters are a distance and a direction, where there are such.
    """
    module = member(FAMILY, method, "weight method")
    known = [f.name for f in fields(module.OPTIONS)]
    for name in options:
        if name not in known:
            raise UnknownName(f"option of {method}", name, known)
    fitted: FittedWeights = module.fit(examples_of(parameters, polar), measure, module.OPTIONS(**options))
    return fitted


def checked_count(name: str, value: int, least: int = 1) -> None:
    """Refuse an option that should be a whole number from `least` on."""
    if isinstance(value, bool) or int(value) != value or value < least:
        raise ParameterError(f"{name} must be a whole number, at least {least}, got {value}")
