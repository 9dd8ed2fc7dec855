"""Joins that are searched among few ways: for tests that show something else than which way is found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from footfall.joins import search

FEW = {"PLANNED": 2, "LEAST_MADE": 1, "ENOUGH": 1, "WHOLE": 1, "GOOD": math.inf}


@contextmanager
def trying_few() -> Iterator[None]:
    """One way is made of each kind, not dozens: the same code in a tenth of the time, and any way is good enough."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in FEW.items():
            patch.setattr(search, name, value)
        yield


@pytest.fixture
def few_ways() -> Iterator[None]:
    with trying_few():
        yield
