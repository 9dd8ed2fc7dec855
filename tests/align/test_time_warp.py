"""The constrained time-warp against every path there is, its limits, and the kernel against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.align.time_warp import RUN, NoPath, WarpPath, time_warp
from footfall.core.errors import ParameterError
from footfall_lab.oracles.time_warp import plain_time_warp


def every_mean(d: np.ndarray, looped: bool, longest: int) -> float:
    """Least mean over all allowed paths of up to `longest` cells, by walking them all."""
    n, m = d.shape
    best = np.inf
    todo = [(0, j, d[0, j], 1, 0, 0) for j in range(m)]
    while todo:
        i, j, total, cells, way, run = todo.pop()
        if i == n - 1:
            best = min(best, total / cells)
        if cells == longest:
            continue
        for di, dj, kind in ((1, 1, 0), (1, 0, 1), (0, 1, 2)):
            steps = run + 1 if kind == way else 1
            a, b = i + di, j + dj
            if a == n or (kind and steps > RUN) or (b == m and not looped):
                continue
            todo.append((a, b % m, total + d[a, b % m], cells + 1, kind, steps))
    return best


def assert_allowed(path: WarpPath, n: int, m: int, looped: bool) -> None:
    di, dj = np.diff(path.rows), np.diff(path.columns)
    if looped:
        dj = dj % m if m > 1 else np.where(di == 1, 0, 1)
    assert path.rows[0] == 0
    assert path.rows[-1] == n - 1
    assert ((di == 0) | (di == 1)).all()
    assert ((dj == 0) | (dj == 1)).all()
    assert m == 1 or (di + dj > 0).all()
    if m > 1:
        for still in (di == 0, dj == 0):
            runs = "".join("x" if s else " " for s in still).split()
            assert max((len(r) for r in runs), default=0) <= RUN


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 4), st.booleans(), st.integers(0, 10_000))
def test_least_mean_of_all_paths(n: int, m: int, looped: bool, seed: int) -> None:
    d = np.random.default_rng(seed).random((n, m)) ** 3
    path = time_warp(d, looped)
    assert_allowed(path, n, m, looped)
    assert path.mean == pytest.approx(d[path.rows, path.columns].mean(), abs=1e-15)
    cells = 10
    brute = every_mean(d, looped, cells)
    assert path.mean <= brute + 1e-12
    if len(path.rows) <= cells:
        assert path.mean == pytest.approx(brute, abs=1e-12)


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(12, 40), st.booleans(), st.integers(0, 1000))
def test_the_kernel_is_the_plain_sweep(n: int, m: int, looped: bool, seed: int) -> None:
    d = np.random.default_rng(seed).random((n, m))
    a, b = (warp(d, looped) for warp in (plain_time_warp, time_warp))
    assert a.mean == pytest.approx(b.mean, abs=1e-13)
    assert_allowed(b, n, m, looped)


def test_equal_motions_give_the_identity() -> None:
    x = np.cumsum(np.random.default_rng(0).random(50))
    path = time_warp(np.abs(np.subtract.outer(x, x)))
    assert path.mean == 0.0
    np.testing.assert_array_equal(path.rows, path.columns)


def test_looped_target_wraps() -> None:
    x = np.arange(30) % 10
    path = time_warp((np.subtract.outer(x, np.arange(10)) ** 2).astype(float), looped=True)
    assert path.mean == 0.0
    np.testing.assert_array_equal(path.columns, x)


def test_too_short_a_target_is_named() -> None:
    assert time_warp(np.ones((8, 2))).mean == 1.0  # 4 rows a column at most
    with pytest.raises(NoPath, match="needs 3; loop"):
        time_warp(np.ones((9, 2)))
    assert time_warp(np.ones((9, 2)), looped=True).mean == 1.0
    with pytest.raises(ParameterError, match="finite"):
        time_warp(np.full((3, 3), np.nan))
