"""Ridge logistic regression, out-of-fold scores by groups, and the area under the ROC curve with its interval.

A classifier two-sample test (Lopez-Paz & Oquab 2017): if a plain classifier that has never seen a take tells two sets
of windows apart, the sets differ. An area of .5 is chance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

FOLDS = 10
PENALTY = 1.0  # of a standardised weight's square, halved, beside a summed loss: the usual default
ROUNDS = 50  # of Newton's method; it needs about ten
DRAWS = 1000  # of the bootstrap
INTERVAL = (0.025, 0.975)


class AreaUnderCurve(NamedTuple):
    """How often a window of the first set scores above one of the second."""

    area: float
    low: float  # 95 % interval
    high: float

    def __str__(self) -> str:
        return f"{self.area:.3f} ({self.low:.3f}–{self.high:.3f})"


def fit(x: np.ndarray, y: np.ndarray, penalty: float = PENALTY) -> np.ndarray:
    """(F + 1,) weights and, last, the bias, for features x (N, F) and labels y (N,); both labels count alike."""
    design = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    share = np.where(y > 0.5, 0.5 / max(float(y.mean()), 1e-9), 0.5 / max(float(1.0 - y.mean()), 1e-9))
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 1e-9  # the bias is free
    weights = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -30.0, 30.0)))
        slope = design.T @ (share * (p - y)) + ridge * weights
        bend = (design * (share * p * (1.0 - p))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def out_of_fold(x: np.ndarray, y: np.ndarray, groups: np.ndarray, seed: int = 0) -> np.ndarray:
    """(N,) score of every row by a classifier that has seen no row of its group."""
    names = np.unique(groups)
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = dict(zip(names[order].tolist(), (np.arange(len(names)) % FOLDS).tolist(), strict=True))
    folds = np.array([fold_of[g] for g in groups.tolist()])
    scores = np.zeros(len(x))
    for fold in range(FOLDS):
        held = folds == fold
        if not held.any() or len(np.unique(y[~held])) < 2:
            continue
        mean, spread = x[~held].mean(axis=0), x[~held].std(axis=0)
        scale = np.where(spread > 1e-9, spread, 1.0)
        weights = fit((x[~held] - mean) / scale, y[~held])
        scores[held] = (x[held] - mean) / scale @ weights[:-1] + weights[-1]
    return scores


def area(scores: np.ndarray, y: np.ndarray) -> float:
    """Area under the ROC curve: Mann and Whitney's statistic, ties counting half."""
    ranks, positive = rankdata(scores), y > 0.5
    n, m = int(positive.sum()), int((~positive).sum())
    if n == 0 or m == 0:
        return float("nan")
    return float((ranks[positive].sum() - 0.5 * n * (n + 1)) / (n * m))


def area_with_interval(scores: np.ndarray, y: np.ndarray, groups: np.ndarray, seed: int = 0) -> AreaUnderCurve:
    """The area, and what 95 % of draws of groups with replacement give: windows of one take are not independent."""
    rng, names = np.random.default_rng(seed), np.unique(groups)
    rows = [np.flatnonzero(groups == name) for name in names]
    found = []
    for _ in range(DRAWS):
        drawn = np.concatenate([rows[k] for k in rng.integers(len(rows), size=len(rows))])
        found.append(area(scores[drawn], y[drawn]))
    low, high = np.nanquantile(found, INTERVAL)
    return AreaUnderCurve(area(scores, y), float(low), float(high))
