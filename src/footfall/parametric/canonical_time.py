"""Canonical time: where in its structure a motion is, the same for all examples, and how fast it passes.

Park, Shin, Kim & Shin 2004, eq. 6-9, who call it generic time. Key time m of every example lies at canonical time
(m - 1) / (K - 1), straight lines between. Between two key times canonical time passes at the rate
Γ = 1 / ((K - 1)(K_{m+1} - K_m)) in an example, and at a blend of those rates in the blended motion. Schemes:
"log-rate", exp(Σ w ln Γ), positive whatever the weights and a function of them alone; "gamma", Σ γ Γ with the paper's
positive weights (eq. 10); "linear", Σ w Γ, and "slope", 1 / Σ (w / Γ), both with the posture weights as in earlier
work, for comparison: either can run backwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.errors import UnknownName
from footfall.weights.methods.rbf import cubic_bspline

SCHEMES = ("log-rate", "gamma", "linear", "slope")
SLOWEST, FASTEST = 0.5, 2.0  # bounds of a blended rate, of the slowest and the fastest example; by eye
MOST_SEGMENTS = 100_000  # of one step: a step longer than this many key times is a mistake


def to_canonical(time_s: np.ndarray | float, key_times: np.ndarray) -> np.ndarray:
    """Canonical times of actual ones (eq. 6). key_times (K,) rising."""
    return np.asarray(np.interp(time_s, key_times, np.linspace(0.0, 1.0, len(key_times))))


def to_actual(t: np.ndarray | float, key_times: np.ndarray) -> np.ndarray:
    """(..., N) actual times of every example at canonical times t (...). key_times (N, K) or (K,)."""
    x = np.clip(np.asarray(t, float), 0.0, 1.0) * (key_times.shape[-1] - 1)
    m = np.minimum(x.astype(int), key_times.shape[-1] - 2)
    steps = np.diff(key_times, axis=-1)
    share = (x - m)[..., None]
    found = key_times.T[m] + share * steps.T[m] if key_times.ndim == 2 else key_times[m] + share[..., 0] * steps[m]
    return np.asarray(found)


def rates(key_times: np.ndarray) -> np.ndarray:
    """(N, K - 1) Γ: canonical time a second, between key times (N, K)."""
    return 1.0 / ((key_times.shape[-1] - 1) * np.diff(key_times, axis=-1))


def blended_rates(weights: np.ndarray, example_rates: np.ndarray, scheme: str = "log-rate") -> np.ndarray:
    """(..., K - 1) rates of the blend. weights (..., N): posture weights, or γ for "gamma"."""
    weights = np.asarray(weights, float)
    if scheme == "log-rate":
        low, high = SLOWEST * example_rates.min(axis=0), FASTEST * example_rates.max(axis=0)
        # the exponent is bounded first: far outside the examples it would overflow
        return np.asarray(np.exp(np.clip(weights @ np.log(example_rates), np.log(low), np.log(high))))
    if scheme in ("gamma", "linear"):
        return np.asarray(weights @ example_rates)
    if scheme == "slope":
        return np.asarray(1.0 / (weights @ (1.0 / example_rates)))
    raise UnknownName("scheme of time", scheme, SCHEMES)


def gamma_weights(p: np.ndarray, examples: np.ndarray) -> np.ndarray:
    """(Q, N) γ of eq. 10 at parameters p (Q, d): none negative, summing to 1; examples (N, d).

    γ_i = ρ_i + (1 - Σρ) / N, ρ_i = B(2 |p - p_i| / α_i) / B(0), B the cubic cardinal B-spline and α_i the distance to
    the nearest other example. Where Σρ > 1, which takes many dimensions, ρ is divided by its sum. Parameters are
    centred and divided by their range first.
    """
    p, examples = np.atleast_2d(np.asarray(p, float)), np.asarray(examples, float)
    span = np.ptp(examples, axis=0)
    span = np.where(span > 0.0, span, 1.0)
    p, examples = p / span, examples / span
    count = len(examples)
    if count == 1:
        return np.ones((len(p), 1))
    apart = np.linalg.norm(examples[:, None] - examples[None], axis=-1)
    apart[np.diag_indices(count)] = np.inf
    alpha = np.maximum(apart.min(axis=1), 1e-12)
    rho = cubic_bspline(2.0 * np.linalg.norm(p[:, None] - examples[None], axis=-1) / alpha) / (2.0 / 3.0)
    rho = rho / np.maximum(rho.sum(axis=-1, keepdims=True), 1.0)
    return rho + (1.0 - rho.sum(axis=-1, keepdims=True)) / count


class CanonicalSpan(NamedTuple):
    """A stretch of canonical time inside one round, between two key times."""

    start: float
    end: float


def advance(t: float, dt_s: float, blended: np.ndarray, is_loop: bool) -> list[CanonicalSpan]:
    """The stretches of canonical time passed in dt_s seconds from t, each at its own rate (eq. 7); never backwards.

    blended (K - 1,), all positive. A loop goes on in its next round, which the next stretch shows by starting at 0; a
    motion that does not repeat stays at 1. There is always at least one stretch.
    """
    pieces = len(blended)
    steps: list[CanonicalSpan] = []
    left, m = float(dt_s), min(int(t * pieces), pieces - 1)
    for _ in range(MOST_SEGMENTS):
        if t >= (m + 1) / pieces:  # on the key time itself: the next stretch has the next rate
            m += 1
            if m == pieces:
                if not is_loop:
                    break
                t, m = 0.0, 0
        border, rate = (m + 1) / pieces, float(blended[m])
        if t + left * rate < border:
            steps.append(CanonicalSpan(t, t + left * rate))
            return steps
        left -= (border - t) / rate
        steps.append(CanonicalSpan(t, border))
        t = border
        if left <= 0.0:
            break
    return steps or [CanonicalSpan(t, t)]


def blended_key_times(blended: np.ndarray) -> np.ndarray:
    """(..., K) key times of a motion played at constant rates (..., K - 1), from 0."""
    durations = 1.0 / (blended.shape[-1] * blended)
    return np.concatenate([np.zeros((*blended.shape[:-1], 1)), np.cumsum(durations, axis=-1)], axis=-1)
