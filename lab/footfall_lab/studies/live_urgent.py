"""Urgent requests at random moments: how far joints go in a frame, how deep, how hard, and how soon it has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.parametric import play
from footfall.quality.body_signals import body_signals
from footfall.quality.joins import QUANTILE, accelerations, measured_joints
from footfall.quality.momentum import change, push
from footfall_lab.bench._measure import Row

DT = 1.0 / 60.0
BEFORE_S, AFTER_S = 0.5, 2.0  # seconds of a trial that are measured
SETTLE_S = (0.6, 2.2)  # seconds before the press, at random
SECOND_S = 0.7  # another type is asked for at most so long before the press: it falls within an edge; an arm movement
# is laid over it, and feet go on to that type
STEP_M = 0.16  # metres a joint may go in a frame, unless the steady motion goes farther
STEADY = 2.0  # times the steady motion's
DEEP_CM, EXCESS = 1.0, 120.0


class Press(NamedTuple):
    """One urgent request."""

    before: str
    after: str
    was_changing: bool
    step_m: float  # largest of any joint, in a frame
    allowed_m: float
    deep_cm: float  # lowest point of a sole under where it stands
    excess: float  # m/s²
    push: float  # m/s²
    change: float  # m/s²
    first_frame: bool  # whether the pose of the same frame is another than without the press


def presses(graph: Graph, count: int, seed: int, usual: np.ndarray) -> tuple[list[Press], list[str]]:
    """So many urgent requests, all pairs of types and actions in turn; and what was raised."""
    rng = np.random.default_rng(seed)
    wanted = [*graph.types, *graph.actions]
    pairs = [(a, b) for a in graph.types for b in wanted if a != b or b in graph.actions]
    found, raised = [], []
    for k in range(count):
        before, after = pairs[k % len(pairs)]
        try:
            found.append(_press(graph, before, after, rng, usual))
        except (FootfallError, ValueError, ArithmeticError) as error:
            raised.append(f"{before} to {after}: {error}")
    return found, raised


def speed_in(graph: Graph, name: str, rng: np.random.Generator) -> float:
    """A speed that a node covers."""
    has_speed = "speed" in graph.nodes[name].motion.parameter_names
    return parameter_in(graph, name, "speed", rng) if has_speed else 0.0


def parameter_in(graph: Graph, name: str, parameter: str, rng: np.random.Generator) -> float:
    """A value of a parameter that a node covers."""
    node = graph.nodes[name]
    k = node.motion.parameter_names.index(parameter)
    return float(rng.uniform(node.coverage.low[k], node.coverage.high[k]))


@once
def _steady_steps(graph: Graph) -> dict[str, float]:
    """Metres the fastest joint of each node goes in a frame, at the mean of its examples."""
    found = {}
    for name, node in graph.nodes.items():
        motion = node.motion
        weights = np.full(len(motion), 1.0 / len(motion))
        times = np.arange(0.0, play.duration(motion, weights), DT)
        clip = Clip(graph.skeleton, 1.0 / DT, play.play(motion, weights, times).pose)
        found[name] = float(np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).max())
    return found


def steady_step(graph: Graph, name: str) -> float:
    """Metres the fastest joint of a node goes in a frame."""
    return _steady_steps(graph)[name]


def example_clips(graph: Graph, rounds: float = 1.0, all_of_it: bool = False) -> Iterator[Clip]:
    """Every example of a graph's types as it is played, loops so many times; of actions and edges, where asked for."""
    motions = [node.motion for node in graph.nodes.values() if all_of_it or not node.is_action]
    if all_of_it:
        motions += [edge.motion for ways in graph.edges.values() for edge in ways if edge.motion is not None]
    for motion in motions:
        for weights in np.eye(len(motion)):
            times = np.arange(0.0, play.duration(motion, weights) * (rounds if motion.is_loop else 1.0), DT)
            if len(times) > 3:
                yield Clip(graph.skeleton, 1.0 / DT, play.play(motion, weights, times).pose)


def usual_of(graph: Graph) -> np.ndarray:
    """(J,) acceleration that each joint of the graph's examples rarely passes: nodes, actions and edges alike."""
    return np.quantile(
        np.concatenate([accelerations(c) for c in example_clips(graph, all_of_it=True)]), QUANTILE, axis=0
    )


def _press(graph: Graph, before: str, after: str, rng: np.random.Generator, usual: np.ndarray) -> Press:
    hero = Controller(graph, before)
    turn = float(rng.uniform(-40.0, 40.0))
    hero.ask(speed=speed_in(graph, before, rng), turn=turn)
    for _ in range(round(rng.uniform(*SETTLE_S) / DT)):
        hero.step(DT)
    steady = [after]
    if rng.random() < 0.5:  # within an edge
        steady.append(str(rng.choice([name for name in graph.types if name != before])))
        hero.request(steady[-1])
        for _ in range(round(rng.uniform(0.0, SECOND_S) / DT)):
            hero.step(DT)
    was_changing, poses, deep = hero.is_changing, [], []
    frames = round(BEFORE_S / DT), round(AFTER_S / DT)
    for k in range(sum(frames)):
        wanted: dict[str, Any] = {}
        if k == frames[0] and after in graph.actions:
            hero.act(after, urgent=True)
        elif k == frames[0]:
            wanted = {"type": after, "speed": speed_in(graph, after, rng), "urgent": True}
        poses.append(hero.step(DT, **wanted))
        deep.append(-100.0 * float(hero.soles[1].min()))
    clip = Clip(graph.skeleton, 1.0 / DT, Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses])))
    steps = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).max(axis=1)
    window = slice(frames[0] - 2, None)
    excess = (accelerations(clip) - usual)[window][:, measured_joints(clip)].max()
    signals = body_signals(clip)
    own = max(float(steps[: frames[0] - 2].max()), *(steady_step(graph, name) for name in steady))
    return Press(before, after, was_changing, float(steps[window].max()),
                 max(STEP_M, STEADY * own),
                 max(deep[frames[0] :]), float(excess),
                 float(push(signals)[window].max()), float(change(signals).max()),
                 _differs(steps, frames[0]))  # fmt: skip


def _differs(steps: np.ndarray, at: int) -> bool:
    """Whether something moved in the frame of the press."""
    return bool(steps[at - 1] > 0.0)


def rows(name: str, found: Iterable[Press], raised: list[str]) -> list[Row]:
    """What the presses came to."""
    found = list(found)
    over = [p.step_m / p.allowed_m for p in found]
    deep, hard = [p.deep_cm for p in found], [p.excess for p in found]
    return [
        Row(f"{name}: urgent requests that raise, of {len(found) + len(raised)}", str(len(raised)), "0", not raised),
        Row(f"{name}: largest joint step in a frame, worst and 95 %",
            f"{100 * max(p.step_m for p in found):.0f} cm, {100 * np.quantile([p.step_m for p in found], .95):.0f} cm",
            f"<= max(16 cm, 2 × steady): {sum(x > 1.0 for x in over)} over", max(over) <= 1.0),
        Row(f"{name}: deepest under the floor, worst and 95 %", f"{max(deep):.1f}, {np.quantile(deep, .95):.1f} cm",
            "<= 1 cm", max(deep) <= DEEP_CM),
        Row(f"{name}: excess acceleration, worst and 95 %", f"{max(hard):.0f}, {np.quantile(hard, .95):.0f} m/s²",
            "<= 120 m/s²", max(hard) <= EXCESS),
        Row(f"{name}: push, and change of velocity over 0.4 s, 95 %",
            f"{np.quantile([p.push for p in found], .95):.1f}, {np.quantile([p.change for p in found], .95):.1f} m/s²",
            "told"),
    ]  # fmt: skip
