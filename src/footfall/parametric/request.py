"""Request: what is asked of a parametric motion, the weights that answer it, and how far the blend is from it.

The weights of the motion's own method are polished until the blend measures what was asked (`weights/polish.py`).
Outside the hull of the examples a request is extrapolated from the nearest point of the hull, as far as the body stays
whole, or held to that point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.errors import UnknownName
from footfall.core.once import once
from footfall.parametric.effort import effort, strayed
from footfall.parametric.measure import PARAMETERS, blended_parameters, polar_of
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.examples import Examples, examples_of
from footfall.weights.hull import MOST_DIMENSIONS, Hull, hull_of
from footfall.weights.polish import polished
from footfall.weights.weights import FittedWeights

BEYOND = ("extrapolate", "clamp")
ROUNDS = 12  # of polishing at most: one or two do from a field, more from rough weights and beyond the examples
STRAY = np.radians(30.0)  # a joint beyond the range of all examples: further, extrapolated bodies look broken; by eye
# What a person would see, by unit.
SEEN = {"m": 0.02, "m/s": 0.02, "°/s": 2.0, "°": 2.0}
SEEN_SHARE = 0.02  # of a speed that was asked for, of the range of a parameter of one's own
TRIED = 1500  # requests looked through for the nearest that can be reached
HALVINGS = 12  # of the way from it to what was asked
SURE = 0.5  # of what a person would see: a request that is met as well as this can be named as one that is met


class Answers(NamedTuple):
    """Q requests, answered."""

    asked: np.ndarray  # (Q, d)
    weights: np.ndarray  # (Q, N)
    achieved: np.ndarray  # (Q, d) measured on the blends
    inside: np.ndarray  # (Q,) in the hull of the examples


class Miss(NamedTuple):
    """By how much one figure of a blend differs from what was asked."""

    words: str  # "3 cm off", "speed 0.2 m/s off"
    share: float  # of what a person would see


def answers(motion: ParametricMotion, p: np.ndarray, beyond: str = "extrapolate", polish: bool = True) -> Answers:
    """Weights for requests p (Q, d), and what their blends do; polish=False takes the method's weights as they are."""
    if beyond not in BEYOND:
        raise UnknownName("way beyond the examples", beyond, BEYOND)
    p = np.atleast_2d(np.asarray(p, float))
    measure = blended_parameters(motion)
    if len(motion) == 1 or not motion.parameter_names:
        w = np.ones((len(p), 1)) if len(motion) == 1 else motion.weights(p)
        return Answers(p, w, measure(w), np.ones(len(p), bool))
    examples, hull = _place(motion)
    wanted = examples.units(p)
    inside = np.asarray(((wanted >= 0.0) & (wanted <= 1.0)).all(axis=1)) if hull is None else hull.inside(wanted)
    held = wanted if hull is None else np.where(inside[:, None], wanted, hull.nearest(wanted))
    fitted = motion.fitted
    if not polish or not isinstance(fitted, FittedWeights):
        w = motion.weights(p if beyond == "extrapolate" else np.where(inside[:, None], p, examples.from_units(held)))
        return Answers(p, w, measure(w), inside)

    def measured(w: np.ndarray) -> np.ndarray:
        return examples.units(examples.measured(measure, w))

    cost = examples.spread @ effort(motion) @ examples.spread.T
    w = fitted.distinct_weights(examples.from_units(held))
    w = polished(w, held, measured, ROUNDS, cost)
    if beyond == "extrapolate" and not inside.all():
        far = polished(w[~inside], wanted[~inside], measured, ROUNDS, cost)
        w[~inside] = _unbroken(motion, examples.spread, w[~inside], far)
    return Answers(p, w @ examples.spread, examples.measured(measure, w), inside)


def _unbroken(motion: ParametricMotion, spread: np.ndarray, near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Weights (Q, M) on the way from `near`, in the hull, to `far`, as far as no joint strays too far."""
    most = np.maximum(STRAY, strayed(motion, near @ spread))
    low = (strayed(motion, far @ spread) <= most).astype(float)
    high = np.ones(len(near))
    for _ in range(0 if low.all() else HALVINGS):
        middle = 0.5 * (low + high)
        fine = strayed(motion, (near + middle[:, None] * (far - near)) @ spread) <= most
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    return near + low[:, None] * (far - near)


@once
def _place(motion: ParametricMotion) -> tuple[Examples, Hull | None]:
    """The examples in comparable units and their hull; none in very many dimensions."""
    fitted = motion.fitted
    known = fitted.examples if isinstance(fitted, FittedWeights) else None
    examples = known or examples_of(motion.parameters, polar_of(motion))
    if known and isinstance(found := getattr(fitted, "hull", None), Hull):
        return examples, found
    units = examples.units(examples.parameters)
    return examples, hull_of(units) if units.shape[1] <= MOST_DIMENSIONS else None


def misses(motion: ParametricMotion, asked: np.ndarray, achieved: np.ndarray) -> list[Miss]:
    """How far what was achieved (d,) is from what was asked (d,), place by place and number by number."""
    names, units = motion.parameter_names, PARAMETERS[motion.kind]
    polar = polar_of(motion)
    here, there = (asked, achieved) if polar is None else (polar.places(asked), polar.places(achieved))
    off = np.abs(there - here)
    place = [k for k, n in enumerate(names) if n in "xyz" and n not in motion.given]
    place = place if polar is None else [polar.distance, polar.direction]
    found = []
    if place:
        far = float(np.linalg.norm(off[place]))
        found.append(Miss(f"{100.0 * far:.2g} cm off", far / SEEN["m"]))
    for k, name in enumerate(names):
        if k in place:
            continue
        unit = "" if name in motion.given else units.get(name, "")
        seen = SEEN.get(unit, SEEN_SHARE * max(float(np.ptp(motion.parameters[:, k])), 1e-9))
        if unit == "m/s":
            seen = max(seen, SEEN_SHARE * abs(float(asked[k])))
        found.append(Miss(f"{name} {off[k]:.2g} {unit}".rstrip() + " off", float(off[k]) / seen))
    return found


def worst(motion: ParametricMotion, asked: np.ndarray, achieved: np.ndarray) -> Miss:
    """The miss a person would see most."""
    return max(misses(motion, asked, achieved), key=lambda m: m.share, default=Miss("", 0.0))


def nearest(motion: ParametricMotion, p: np.ndarray, beyond: str, polish: bool = True) -> np.ndarray:
    """(d,) the request nearest to p (d,), as a person sees it, that is met: found among many, then on the way to p."""
    examples, hull = _place(motion)

    def is_met(q: np.ndarray, achieved: np.ndarray) -> bool:
        return worst(motion, q, achieved).share < SURE

    drawn = np.random.default_rng(0).uniform(0.0, 1.0, (TRIED, motion.parameters.shape[1]))
    drawn = drawn if hull is None else drawn[hull.inside(drawn)]
    tried = np.vstack([motion.parameters, examples.from_units(drawn)])
    achieved = blended_parameters(motion)(motion.weights(tried))
    met = [q for q, a in zip(tried, achieved, strict=True) if is_met(q, a)]
    made = answers(motion, p, beyond, polish).achieved[0]
    met += [made] if is_met(made, answers(motion, made, beyond, polish).achieved[0]) else []
    best = min(met, key=lambda q: worst(motion, q, p).share, default=motion.parameters[0])
    here, there = examples.places(best), examples.places(p)

    def on_the_way(share: float) -> np.ndarray:
        q = here + share * (there - here)
        return q if examples.polar is None else examples.polar.parameters(q)

    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        q = on_the_way(0.5 * (low + high))
        low, high = (0.5 * (low + high), high) if is_met(q, answers(motion, q, beyond, polish).achieved[0]) else (
            low, 0.5 * (low + high))  # fmt: skip
    return on_the_way(low)
