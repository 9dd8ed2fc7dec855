"""Tuning the entry classifier: the parameters with which figures from random states walk farthest.

Fitness is the mean distance walked in a fixed time from random states (`random_states`). Many parameters make all limbs
agree and are level in that, so entries with a known answer decide between them: states of the motion itself, as they
are and with every DOF off by normal noise of 0.2 rad and its rate by 1 rad/s; `astray` metres are taken off for every
second by which these are entered at the wrong time. A blend of a tenth of a second gets a figure farthest and makes its
joints snap, so `snap` metres are taken off for every rad/s of its pace. With both 0 the fitness is the paper's,
distance alone. The paper tuned legs alone; here every part of the body has a weight above 0.

The optimiser is scipy's differential evolution, or, as "paper", the genetic algorithm of Polichroniadis & Dodgson 1999
(`genetic_algorithm`) with what they print: 50 individuals, 100 start states, 50 generations, 1 % mutation.

Work is done in rounds of a few generations; after each the population is written down, and a run that was broken off
goes on from there to the same end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, ReadError
from footfall.io.save import atomic_write
from footfall.joins.classifier.entry_classifier import ClassifiedEntry, classify_numbers
from footfall.joins.classifier.entry_parameters import UNTUNED, ClassifierParameters, PackedParameters
from footfall.joins.classifier.entry_table import EntryTable, table_of
from footfall.joins.classifier.limbs import PARTS, DofNumbers, numbers
from footfall_lab.genetic_algorithm import evolve
from footfall_lab.oracles.entry_classifier import at_times
from footfall_lab.random_states import WALKED_S, Walker, joint_speeds, pool_ranges, random_states

ROUND = 5  # generations between two writings
# Ranges that are searched, and how known states are disturbed: all by eye.
WEIGHT = (-2.0, 1.0)  # decades a weight may lie in
ACCEPT, GAP_S = (-2.0, 1.0), (0.0, 0.15)  # decades of accept_loss; min_gap_s
OPTIMISERS = ("de", "paper")
FRESH, FRESH_SEED = 1000, 2_000_000  # states that judge; no tuning uses their seed
OFF, OFF_RATE = 0.2, 1.0  # rad and rad/s, standard deviations: how known states are disturbed
MOST_BYTES = 50_000_000  # of a file a run goes on from


@dataclass(frozen=True)
class Tuning:
    """How to tune."""

    population: int = 60
    generations: int = 120
    states: int = 300
    seed: int = 0
    walked_s: float = WALKED_S
    astray: float = 2.0  # metres for a second
    snap: float = 0.04  # metres for a rad/s of an entry's pace
    optimiser: str = "de"
    # not divided: limbs of small weights, the legs, are confident and propose; the trunk, which is much the same at all
    # keys of a walk, does not
    per_limb: bool = False

    def __post_init__(self) -> None:
        for name, least, most in (("population", 8, 10_000), ("generations", 1, 100_000), ("states", 1, 100_000)):
            if not least <= getattr(self, name) <= most:
                raise ParameterError(f"{name} must be from {least} to {most}, got {getattr(self, name)}")
        if not (0.8 <= self.walked_s <= 60.0):
            raise ParameterError(f"the time walked must be from 0.8 (the longest blend) to 60 s, got {self.walked_s:g}")
        for name in ("astray", "snap"):
            if not (np.isfinite(value := getattr(self, name)) and value >= 0.0):
                raise ParameterError(f"{name} must be a number from 0 up, got {value}")
        if self.optimiser not in OPTIMISERS:
            raise ParameterError(f"the optimiser is one of {', '.join(OPTIMISERS)}, got {self.optimiser!r}")
        if self.seed < 0:
            raise ParameterError(f"the seed must be a whole number from 0 up, got {self.seed}")


PAPER = Tuning(population=50, generations=50, states=100, astray=0.0, snap=0.0, optimiser="paper", per_limb=True)


class Tuned(NamedTuple):
    """What a run found."""

    parameters: ClassifierParameters
    fitness: float  # metres, on the states it was tuned on
    history: list[float]  # best fitness after each round


class Gain(NamedTuple):
    """Distances from the same fresh states with two sets of parameters."""

    untuned_m: float
    tuned_m: float
    ratio: float  # of the means
    low: float  # 95 % interval of the ratio, by bootstrap over states
    high: float


class TuningCourse:
    """Random states before a motion: how far they get with any parameters."""

    def __init__(self, clip: Clip, count: int, seed: int, walked_s: float = WALKED_S) -> None:
        if clip.skeleton.names != pool_ranges().names:
            raise ParameterError(
                f"{clip.name or 'this clip'} is of another body than the built-in one that random states are made for; "
                "tune on a built-in motion, or retarget this one onto that body"
            )
        self.states = states = random_states(count, seed)
        self.clip = clip
        self.table: EntryTable = table_of(clip)
        self.numbers = numbers(self.table.reference, states)
        self.walker = Walker(clip, states, walked_s)

    def enter(self, parameters: ClassifierParameters) -> ClassifiedEntry:
        return self.enter_packed(parameters.packed(self.table.reference.layout.parts))

    def enter_packed(self, how: PackedParameters) -> ClassifiedEntry:
        return classify_numbers(self.table, self.numbers, how)

    def distance(self, parameters: ClassifierParameters) -> np.ndarray:
        """(N,) metres."""
        return self.walker.distance(self.enter(parameters))

    def joint_speed(self, parameters: ClassifierParameters) -> np.ndarray:
        """(N,) m/s of the fastest joint of each blend."""
        return joint_speeds(self.clip, self.states, self.enter(parameters))

    def pace(self, entry: ClassifiedEntry) -> np.ndarray:
        """(N,) rad/s: how fast the body's DOFs go where they are at the entry, root mean square."""
        way = at_times(self.table, self.table.frame_value, entry.front_s) - self.numbers.value
        return np.asarray(np.sqrt((way**2).mean(axis=-1)) / entry.length_s)


class KnownStates:
    """States of a motion itself, disturbed or as they are: how far from their own time they are entered."""

    def __init__(self, table: EntryTable, count: int, seed: int, disturbed: bool = True) -> None:
        rng = np.random.default_rng([2000, seed])
        last = table.duration_s if table.loop else float(table.key_s[-1])
        self.table, self.t_s = table, (np.arange(count) + 0.5) / count * last
        shape = (count, len(table.reference.layout.parts))
        value, rate = (at_times(table, of, self.t_s) for of in (table.frame_value, table.frame_rate))
        off, off_rate = (OFF, OFF_RATE) if disturbed else (0.0, 0.0)
        self.numbers = DofNumbers(value + off * rng.normal(size=shape), rate + off_rate * rng.normal(size=shape))

    def astray(self, how: PackedParameters) -> np.ndarray:
        """(N,) seconds."""
        entry = classify_numbers(self.table, self.numbers, how)
        apart = np.abs(entry.front_s - self.t_s)
        return np.minimum(apart, self.table.duration_s - apart) if self.table.loop else apart


def tune(
    clip: Clip, how: Tuning, progress: Callable[[int], None] = lambda done: None, keep: Path | None = None
) -> Tuned:
    """The best parameters found; progress is told the generations done; keep: the file a run can go on from."""
    from scipy.optimize import differential_evolution

    course = TuningCourse(clip, how.states, how.seed, how.walked_s)
    done, population, history = _resumed(keep, clip, how)
    progress(done)
    cost = _cost(course, how)
    while done < how.generations:
        generations = min(ROUND, how.generations - done)
        rng = np.random.default_rng([how.seed, done])
        if how.optimiser == "paper":
            population, least = evolve(population, cost, bounds(), generations, rng)
        else:
            found = differential_evolution(
                cost, bounds(), init=population, maxiter=generations, polish=False, vectorized=True,
                updating="deferred", tol=0.0, rng=rng, strategy="best1bin", mutation=(0.4, 0.9), recombination=0.8,
            )  # fmt: skip
            population, least = found.population, float(found.fun)
        done += generations
        history.append(-least)
        if keep is not None:
            kept = {"clip": clip.name, "how": asdict(how), "done": done, "history": history,
                    "population": population.tolist()}  # fmt: skip
            atomic_write(keep, json.dumps(kept).encode())
        progress(done)
    scores = cost(population.T)
    return Tuned(decode(population[int(np.argmin(scores))], how), -float(scores.min()), history)


def bounds() -> list[tuple[float, float]]:
    """Of every number searched: decades of position and velocity weights; two limits."""
    return [WEIGHT] * (2 * len(PARTS)) + [ACCEPT, GAP_S]


def weights_of(x: np.ndarray) -> np.ndarray:
    """(2, parts) position and velocity weights of a point searched."""
    return np.asarray(10.0 ** x[: 2 * len(PARTS)].reshape(2, -1))


def decode(x: np.ndarray, how: Tuning) -> ClassifierParameters:
    """Parameters of a point searched; weights as shares of their sum times the number of parts, three digits."""
    weights = weights_of(x)
    if how.per_limb:  # only their ratios matter
        weights = weights / weights.mean(axis=1, keepdims=True)
    position, velocity = ({p: float(f"{w:.3g}") for p, w in zip(PARTS, row, strict=True)} for row in weights)
    return replace(
        UNTUNED, position=position, velocity=velocity, accept_loss=float(f"{10.0 ** x[-2]:.3g}"),
        min_gap_s=float(f"{x[-1]:.3g}"), per_limb=how.per_limb,
    )  # fmt: skip


def gain(clip: Clip, parameters: ClassifierParameters, walked_s: float = WALKED_S, count: int = FRESH) -> Gain:
    """Distance against the untuned start, on fresh states; the interval by 2 000 resamplings of the states."""
    course = TuningCourse(clip, count, FRESH_SEED, walked_s)
    before, after = course.distance(UNTUNED), course.distance(parameters)
    low, high = ratio_interval(after, before)
    return Gain(float(before.mean()), float(after.mean()), float(after.mean() / before.mean()), low, high)


def ratio_interval(a: np.ndarray, b: np.ndarray, samples: int = 2000) -> tuple[float, float]:
    """95 % bootstrap interval of mean(a) / mean(b), pairs drawn together."""
    drawn = np.random.default_rng(95).integers(0, len(a), (samples, len(a)))
    low, high = np.quantile(a[drawn].mean(axis=1) / b[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _cost(course: TuningCourse, how: Tuning) -> Callable[[np.ndarray], np.ndarray]:
    """What differential evolution brings down: columns of x (numbers, S) -> (S,) metres."""
    part = np.array([PARTS.index(p) for p in course.table.reference.layout.parts])
    known = [KnownStates(course.table, how.states, how.seed, disturbed) for disturbed in (True, False)]

    def cost(x: np.ndarray) -> np.ndarray:
        found = np.empty(x.shape[1])
        for k in range(x.shape[1]):
            position, velocity = (row[part] for row in weights_of(x[:, k]))
            accept_loss, min_gap_s = float(10.0 ** x[-2, k]), float(x[-1, k])
            packed = PackedParameters(position, velocity, accept_loss, min_gap_s, UNTUNED.catch_up_s, how.per_limb)
            entry = course.enter_packed(packed)
            found[k] = -course.walker.distance(entry).mean()
            if how.astray:
                found[k] += how.astray * sum(float(some.astray(packed).mean()) for some in known)
            if how.snap:
                found[k] += how.snap * course.pace(entry).mean()
        return found

    return cost


def _resumed(keep: Path | None, clip: Clip, how: Tuning) -> tuple[int, np.ndarray, list[float]]:
    """Generations done, population and history: from the file if there is one of the same run, else at the start."""
    box = np.array(bounds())
    if keep is None or not keep.exists():
        start = np.random.default_rng([how.seed, 7]).random((how.population, len(box)))
        return 0, box[:, 0] + start * (box[:, 1] - box[:, 0]), []
    cure = "remove it to start again"
    try:
        if keep.stat().st_size > MOST_BYTES:
            raise ValueError("too large")
        told = json.loads(keep.read_bytes())
        population = np.array(told["population"], float)
        done, history = int(told["done"]), [float(h) for h in told["history"]]
        same = told["how"] == asdict(replace(how, generations=told["how"]["generations"])) and told["clip"] == clip.name
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ReadError(keep, "", "a tuning run that was broken off", cure=cure) from None
    inside = population.shape == (how.population, len(box)) and (population >= box[:, 0] - 1e-9).all()
    if not same or not inside or not (population <= box[:, 1] + 1e-9).all():
        raise ReadError(keep, "how", "a run with these settings", "one with others", cure)
    return done, np.clip(population, box[:, 0], box[:, 1]), history
