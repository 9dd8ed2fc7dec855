"""Detail bands: exact ends, any length, what the filter keeps, and the decimated pyramid's faithful sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline

from footfall.joins.by_example.detail_bands import bands_for, detail, hermite, low_pass, pyramid, rebuilt
from footfall_lab.oracles.by_example import still_ends


@given(st.integers(1, 60), st.integers(0, 5), st.integers(0, 1000))
def test_filter_keeps_lines_and_ends(n: int, levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    line = rng.normal(size=3) + np.arange(n)[:, None] * rng.normal(size=3)
    np.testing.assert_allclose(low_pass(line, levels), line, atol=1e-10)
    x = rng.normal(size=(n, 3))
    slow = low_pass(x, levels)
    np.testing.assert_allclose(slow[[0, -1]], x[[0, -1]], atol=1e-12)
    np.testing.assert_allclose(slow + detail(x, levels), x, atol=1e-12)


def test_odd_reflection_by_hand() -> None:
    x = np.array([1.0, 4.0, 2.0, 8.0, 5.0, 7.0])[:, None]
    whole = np.concatenate([2 * x[0] - x[5:0:-1], x, 2 * x[-1] - x[-2::-1]])  # reflected through both ends
    kernel = np.array([1, 4, 6, 4, 1]) / 16
    expected = np.convolve(whole[:, 0], kernel, "same")[5:11]
    np.testing.assert_allclose(low_pass(x, 1)[:, 0], expected, atol=1e-12)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_bands_mean_the_same_at_every_rate(fps: float) -> None:
    t = np.arange(0, 8, 1 / fps)
    kept = {
        hz: np.std(detail(np.sin(2 * np.pi * hz * t)[:, None], bands_for(fps))) / np.sqrt(0.5) for hz in (0.5, 2.5, 6.0)
    }
    assert kept[0.5] < 0.1
    assert 0.3 < kept[2.5] < 0.7
    assert kept[6.0] > 0.9


def test_loop_has_no_ends() -> None:
    t = np.arange(101) / 100
    x = (np.sin(2 * np.pi * t) + 0.3 * np.cos(16 * np.pi * t) + 2 * t)[:, None]
    quick = detail(x, 3, looped=True)
    laps = np.concatenate([x[:-1], x[:-1] + 2, x[:-1] + 4, x[-1:] + 4])
    np.testing.assert_allclose(quick[:-1], detail(laps, 3)[100:200], atol=1e-6)


@given(st.integers(2, 50), st.integers(0, 1000))
def test_ends_become_still(last: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, m0, m1 = rng.normal(size=(last + 1, 2)), rng.normal(size=2), rng.normal(size=2)
    left = still_ends(d, m0, m1)
    assert not left[[0, -1]].any()
    spline = CubicHermiteSpline([0, last], [d[0], d[-1]], [m0, m1])
    np.testing.assert_allclose(left[1:-1], (d - spline(np.arange(last + 1)))[1:-1], atol=1e-9)


def test_hermite_against_scipy() -> None:
    rng = np.random.default_rng(3)
    x0, m0, x1, m1 = rng.normal(size=(4, 5, 3))
    u = np.linspace(0, 1, 9)
    np.testing.assert_allclose(
        hermite(u, x0, m0, x1, m1), CubicHermiteSpline([0, 1], [x0, x1], [m0, m1])(u), atol=1e-12
    )


@given(st.sampled_from([8, 16, 32, 64]), st.integers(0, 4))
def test_pyramid_sums_to_the_signal(n: int, levels: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, 2))
    np.testing.assert_allclose(rebuilt(pyramid(x, levels)), x, atol=1e-12)
    assert len(pyramid(x, 1)[-1]) == n // 2
