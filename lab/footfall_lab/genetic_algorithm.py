"""Genetic algorithm of Polichroniadis & Dodgson 1999: parents by fitness, crossover and mutation.

Fitness is the printed 1 / (1 + max(dist) - dist): the individual that gets farthest has 1, one that falls a metre
short a half. Parents are drawn in proportion to it; the best individual goes on as it is: no generation is worse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

CROSSED = 0.5  # chance of a gene to come from the second parent: by eye, the paper does not say
MUTATED = 0.01  # chance of a gene to be new: published


def fitness(distance: np.ndarray) -> np.ndarray:
    """(N,) of individuals that get so far (N,), metres."""
    return np.asarray(1.0 / (1.0 + distance.max() - distance))


def evolve(
    population: np.ndarray, cost: Callable[[np.ndarray], np.ndarray], bounds: Sequence[tuple[float, float]],
    generations: int, rng: np.random.Generator,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """The population (N, genes) so many generations later, and the least cost in it.

    cost: of columns (genes, N), minus the distance; bounds: of every gene.
    """
    low, high = np.array(bounds, float).T
    costs = cost(population.T)
    for _ in range(generations):
        share = fitness(-costs)
        parents = rng.choice(len(population), (2, len(population)), p=share / share.sum())
        first, second = population[parents[0]], population[parents[1]]
        children = np.where(rng.random(population.shape) < CROSSED, second, first)
        fresh = low + rng.random(population.shape) * (high - low)
        children = np.where(rng.random(population.shape) < MUTATED, fresh, children)
        children[0] = population[int(costs.argmin())]
        population, costs = children, cost(children.T)
    return population, float(costs.min())
