"""Polish: the smallest change of weights that makes their blend measure what was asked, request by request.

The step is the one that projects a sample in `smooth_field`: Gauss-Newton of least effort, with a least weight. From
the smooth inverse, which is nearly right already, the step is tiny and changes smoothly with the request; from other
methods it is larger and neighbouring requests may go different ways. Beyond the examples it extrapolates, as far as the
least weight allows.
"""

from __future__ import annotations

import numpy as np

from footfall.weights.smooth_field import Measured, corrected, helpful, slopes

LEAST = -1.5  # weight, as for the smooth inverse
EXACT = 1e-6  # of the range: what measures this near is left as it is


def polished(
    w: np.ndarray, wanted: np.ndarray, measured: Measured, rounds: int, effort: np.ndarray | None = None
) -> np.ndarray:
    """Weights w (Q, M) moved so that `measured` gives `wanted` (Q, d), both in shares of the range; sums stay 1.

    effort (M, M): what moving weights costs, as in `smooth_field.corrected`.
    """
    w, effort = w.copy(), np.eye(w.shape[1]) if effort is None else effort
    least = np.minimum(w.min(axis=1, keepdims=True), LEAST)
    at = measured(w)
    for _ in range(rounds):
        off = np.flatnonzero(np.linalg.norm(wanted - at, axis=1) > EXACT)
        if not len(off):
            break
        slope = slopes(measured, w[off], at[off])
        y = corrected(w[off], wanted[off] - at[off], slope, least[off], effort)
        w[off] = helpful(measured, w[off], y, at[off], wanted[off])
        at[off] = measured(w[off])
    return w
