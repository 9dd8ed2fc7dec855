"""Gait nodes: which loops become the examples of a node, and the parametric motion made of them.

Of loops that do the same (nearly the same speed and turn) the one that closes best is an example; the others would
only tear weights to and fro between people. All examples are mirrored, so that a node turns to both sides alike.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import in_spans
from footfall.analysis.floor import foot_points
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.found_cycles import main_joints
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import ParametricMotion, build, with_weights
from footfall.parametric.structure import FEET, StructureError, loop_example
from footfall.weights.examples import WeightsWarning

# All by eye, on the CMU and Bandai Namco takes, unless another origin is given.
APART = {"speed": 0.05, "turn": 5.0, "side": 0.1}  # m/s, °/s, m/s: loops nearer than this do the same
LEAST = {"speed": 0.2, "turn": 10.0, "side": 0.5}  # m/s, °/s, m/s: examples must differ by more for a parameter
MOST_CYCLES = 32  # of a node, before mirroring: more cost memory and time and add nothing
MOST_EXCESS = 60.0  # m/s²: a loop of more excess acceleration over its recording is not used
MOST_SLIDE = 6.0  # cm/s, of a closed loop
LOWEST = -0.15  # the least weight of an example; as in the built-in graph
CELLS = {1: 10, 2: 10, 3: 7}  # of the lattice of weights an axis, by the number of parameters
STRAIGHT = 15.0  # °/s: a loop that turns less goes straight
MIRRORED = " mirrored"  # behind the name of a mirror image
ENOUGH = 5  # loops from which it can be told what is usual
OFF_FLOOR_M = 0.025  # metres: a foot that stands farther over or under where most do is on another floor
ODD, ODD_DEG = 3.0, 40.0  # times the usual difference in a joint, and at least so much: another way to go
SAME_TURN, SAME_SIDE = 0.05, 0.005  # °/s, m/s: a loop as straight as this is its own mirror image for the weights
DRIFT_DEG = 10.0  # off where it faces: a straight loop that goes more sidelong than this drifts


@dataclass(frozen=True)
class LoopCostWeights:
    """What the figures of a closed loop count for, where one loop is taken before another."""

    closing: float = 1.0  # a degree between its ends
    excess: float = 0.3  # a m/s² of excess acceleration
    slide: float = 2.0  # a cm/s
    short: float = 0.0  # a second that it is shorter than LONG_ENOUGH_S


GAIT_COST = LoopCostWeights()
STAND_COST = LoopCostWeights(closing=0.3, excess=1.0, slide=8.0, short=15.0)  # standing should show no seam, and last
LONG_ENOUGH_S = 2.0


class LoopMeasures(NamedTuple):
    """What choosing needs to know of a loop."""

    speed: float
    turn: float
    side: float
    closing_deg: float
    slide_cm_s: float
    excess_m_s2: float


def unlike(found: Sequence[Mapping[str, float]], most: int) -> list[int]:
    """Which stretches of one kind, at most so many, are the most unlike in speed, turn and side, in their order.

    The first is the one nearest to all; each next the one farthest from those taken.
    """
    if len(found) <= most:
        return list(range(len(found)))
    names = sorted({name for own in found for name in own if name.partition("_")[0] in APART})  # and speed_before, …
    far = np.array([[own.get(name, 0.0) / APART[name.partition("_")[0]] for name in names] for own in found])
    taken = [int(np.linalg.norm(far - np.median(far, axis=0), axis=1).argmin())]
    least = np.full(len(far), np.inf)
    while len(taken) < most:
        least = np.minimum(least, np.linalg.norm(far - far[taken[-1]], axis=1))
        least[taken] = -1.0  # alike in everything: none is taken twice
        taken.append(int(least.argmax()))
    return sorted(taken)


def choose(rows: Sequence[LoopMeasures]) -> list[str]:
    """Why each loop is not an example; empty for those that are."""
    why = [_spoiled(row) for row in rows]
    kept: list[int] = []
    for k in sorted(range(len(rows)), key=lambda k: (_cost(rows[k]), k)):
        if why[k]:
            continue
        if any(_alike(rows[k], rows[other]) for other in kept):
            why[k] = "another cycle of the same speed and turn is cleaner"
        elif len(kept) >= MOST_CYCLES:
            why[k] = f"{MOST_CYCLES} cleaner cycles are enough"
        else:
            kept.append(k)
    return why


def _cost(row: LoopMeasures, weights: LoopCostWeights = GAIT_COST, seconds: float = LONG_ENOUGH_S) -> float:
    seam = weights.excess * row.excess_m_s2 + weights.slide * row.slide_cm_s
    return seam + weights.closing * row.closing_deg + weights.short * max(LONG_ENOUGH_S - seconds, 0.0)


def _spoiled(row: LoopMeasures) -> str:
    if row.excess_m_s2 > MOST_EXCESS:
        return f"closed, it throws a joint by {row.excess_m_s2:.0f} m/s² more than its recording does"
    if row.slide_cm_s > MOST_SLIDE:
        return f"closed, its feet slide at {row.slide_cm_s:.1f} cm/s"
    return ""


def _alike(a: LoopMeasures, b: LoopMeasures) -> bool:
    """Whether two loops, or one and the other mirrored, do the same."""
    images = (b, b._replace(turn=-b.turn, side=-b.side))
    return any(all(abs(getattr(a, n) - getattr(i, n)) / far < 1.0 for n, far in APART.items()) for i in images)


def drifts(rows: Sequence[LoopMeasures]) -> list[str]:
    """Why loops that go sidelong are no examples of a node that is not steered sideways; empty for those that are."""
    side = np.array([s * row.side for row in rows for s in (1.0, -1.0) if abs(row.turn) < STRAIGHT])
    if len(side) and float(np.ptp(np.quantile(side, [0.1, 0.9]))) > LEAST["side"]:
        return ["" for _ in rows]  # there are enough of them to steer by
    off = [abs(np.degrees(np.arctan2(row.side, abs(row.speed)))) if abs(row.turn) < STRAIGHT else 0.0 for row in rows]
    return [f"drifts sideways, {x:.0f}° off where it faces" if x > DRIFT_DEG else "" for x in off]


def usual_steps(loops: Sequence[Clip]) -> list[str]:
    """Why each loop cannot be blended with most of them; empty for those that can."""
    marks: list[tuple[str, ...]] = []
    why = []
    for loop in loops:
        try:
            marks.append(loop_example(loop).marks)
            why.append("")
        except StructureError as error:
            marks.append(())
            why.append(" ".join(str(error).split()))
    told = Counter(m for m in marks if len(m) == 5 and _mirrored_marks(m) == m)
    usual = max(told, key=lambda m: (told[m], m), default=())
    for k, own in enumerate(marks):
        if (own != usual or not usual) and not why[k]:
            why[k] = _unusual(own)
    return why


def _unusual(marks: tuple[str, ...]) -> str:
    """Why a loop with these key times is none like the others."""
    if sum(m.endswith("strike") for m in marks[:-1]) < 2:
        return "too few steps: a foot never leaves the floor"
    if _mirrored_marks(marks) != marks:
        return "its left foot lands and leaves in another order than its right one"
    return "its feet land and leave in another order than in the other cycles"


def _mirrored_marks(marks: tuple[str, ...]) -> tuple[str, ...]:
    """The key times of a loop's mirror image, which begins on the same foot."""
    other = [f"{FEET[1 - FEET.index(foot)]} {what}" for foot, what in (mark.split() for mark in marks[:-1])]
    first = other.index(marks[0]) if marks[0] in other else 0
    return (*other[first:], *other[:first], marks[0])


def odd_postures(loops: Sequence[Clip]) -> list[str]:
    """Why loops that hold a joint quite otherwise than the others are no examples; empty for those that are.

    A joint's mean rotation over each loop is compared with the mean over all.
    """
    if len(loops) < ENOUGH:
        return ["" for _ in loops]
    joints = main_joints(loops[0])
    joints = joints[joints > 0]  # joint 0 turns as the body goes
    means = np.stack([rotation.average(loop.pose.rot[:, joints], axis=0) for loop in loops])  # (N, joints, 4)
    apart = np.degrees(rotation.angle_between(means, rotation.average(means, axis=0)))
    usual = np.median(apart, axis=0)
    odd = np.where(apart > np.maximum(ODD * usual, ODD_DEG), apart, 0.0)
    names = loops[0].skeleton.names
    return [
        f"its {names[joints[row.argmax()]]} is held {row.max():.0f}° from how the others hold it" if row.any() else ""
        for row in odd
    ]


def uneven_floors(loops: Sequence[Clip]) -> list[str]:
    """Why loops with a foot that stands higher or lower than most do are no examples; empty for those that are.

    Blended with the others, such a foot sinks into the floor and is raised again, and with it the knee, at every step.
    """
    if len(loops) < ENOUGH:
        return ["" for _ in loops]
    high = np.stack([_balls_m(loop) for loop in loops])
    off = high - np.nanmedian(high)
    worst = np.nanargmax(np.abs(np.nan_to_num(off)), axis=1)
    return [
        f"its {FEET[side]} foot stands {100.0 * abs(row[side]):.0f} cm {'higher' if row[side] > 0.0 else 'lower'} than "
        "those of the others" if abs(row[side]) > OFF_FLOOR_M else ""
        for row, side in zip(off, worst, strict=True)
    ]  # fmt: skip


def _balls_m(loop: Clip) -> np.ndarray:
    """(2,) how high the balls of left and right foot are while they stand; NaN for one that never does."""
    spans, balls = known_contacts(loop), foot_points(loop).sole[:, :, 1, 1]
    found = []
    for side, name in enumerate(FEET):
        down = in_spans(loop.times, spans[f"{name}_toe"])
        found.append(float(np.median(balls[down, side])) if down.any() else np.nan)
    return np.array(found)


def mirrored(loop: Clip) -> Clip:
    """The mirror image, by another name."""
    return replace(loop.mirror(), name=loop.name + MIRRORED)


def gait_node(label: str, loops: Sequence[Clip]) -> ParametricMotion:
    """Loops of one structure as a node: by speed and turn, and side where it varies, as far as they differ."""
    motion = build(loops, "locomotion", label)
    found = measured(motion)
    spread = _spreads(found)
    names = tuple(n for n in ("speed", "turn", "side") if spread[n] > LEAST[n])
    own = [k for k, loop in enumerate(loops) if not _is_own_mirror(loop, found.parameters[k], names)]
    if len(own) < len(loops):
        return gait_node(label, [loops[k] for k in own])
    if len(loops) == 1 or not names:
        return build(loops[:1], "locomotion", label)
    motion = measured(motion, names)
    with warnings.catch_warnings():  # where examples are too few, radial basis functions serve: nobody's fault
        warnings.simplefilter("ignore", WeightsWarning)
        cells = CELLS[len(names)]
        return with_weights(motion, "smooth-inverse", blended_parameters(motion), lowest=LOWEST, cells=cells)


def _is_own_mirror(loop: Clip, parameters: np.ndarray, names: Sequence[str]) -> bool:
    """Whether this is the mirror image of a loop that goes quite straight: it has the same parameters."""
    straight = abs(parameters[1]) < SAME_TURN and ("side" not in names or abs(parameters[2]) < SAME_SIDE)
    return loop.name.endswith(MIRRORED) and bool(straight)


def _spreads(motion: ParametricMotion) -> dict[str, float]:
    """How much examples differ; in speed and side speed, those that go straight: turning bodies slow and drift."""
    table = dict(zip(motion.parameter_names, motion.parameters.T, strict=True))
    straight = np.abs(table["turn"]) < STRAIGHT
    return {
        "speed": float(np.ptp(table["speed"][straight])) if straight.any() else float(np.ptp(table["speed"])),
        "turn": float(np.ptp(table["turn"])),
        "side": float(np.ptp(np.quantile(table["side"][straight], [0.1, 0.9]))) if straight.any() else 0.0,
    }


def best_stand(rows: Sequence[LoopMeasures], seconds: Sequence[float]) -> int:
    """The loop of standing that shows its seam least: long, with little excess acceleration and slide."""
    return min(range(len(rows)), key=lambda k: _cost(rows[k], STAND_COST, seconds[k]))
