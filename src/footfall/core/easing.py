"""Smooth steps and limits without kinks, for every curve that footfall makes.

The steps are written so that arrays and, as parts of kernels, single numbers go through the same source.
"""

from __future__ import annotations

import numpy as np


def ease(u: np.ndarray) -> np.ndarray:
    """0 up to u = 0, 1 from u = 1 on, with zero rate and acceleration at both ends (a quintic)."""
    u = np.minimum(np.maximum(u, 0.0), 1.0)
    return u**3 * (10.0 - 15.0 * u + 6.0 * u**2)


def gentle(u: np.ndarray) -> np.ndarray:
    """0 up to u = 0, 1 from u = 1 on, flat to the third derivative at both ends (a septic).

    A leg that stands straight bends as the root of how much nearer hip and foot come; only what begins as slowly as
    u⁴ bends it without a jerk.
    """
    u = np.minimum(np.maximum(u, 0.0), 1.0)
    return u**4 * (35.0 - 84.0 * u + 70.0 * u**2 - 20.0 * u**3)


def level_ease(u: np.ndarray, ramp: float) -> np.ndarray:
    """0 up to u = 0, 1 from u = 1 on; its rate rises over the first `ramp` (at most a half), then stays, then falls."""

    def risen(x: np.ndarray) -> np.ndarray:  # the integral of a smooth step that is 0 before x = 0 and 1 after x = 1
        inside = np.minimum(np.maximum(x, 0.0), 1.0)
        return inside**3 - 0.5 * inside**4 + np.maximum(x - 1.0, 0.0)

    u = np.minimum(np.maximum(u, 0.0), 1.0)
    return ramp * (risen(u / ramp) - risen((u - 1.0 + ramp) / ramp)) / (1.0 - ramp)


def smoothstep(u: np.ndarray) -> np.ndarray:
    """From 0 at u = 0 to 1 at u = 1 with zero rate at both ends (a cubic); u must lie between."""
    return u * u * (3.0 - 2.0 * u)


def soft_clip(x: np.ndarray, low: float, high: float, width: float) -> np.ndarray:
    """x between low and high, flattening over about `width` at both limits instead of stopping short."""
    return low + width * (np.logaddexp(0.0, (x - low) / width) - np.logaddexp(0.0, (x - high) / width))
