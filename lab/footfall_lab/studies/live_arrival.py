"""How soon a type that is asked for at once has arrived, against the time that the push believed of a body needs.

What has arrived is the body: the velocity of its centre of mass, a mean over the 0.4 s around each moment, in which
steps sway it to and fro. The carrier under it is the smoothed path of an edge, and goes on for a while after the body
has stopped. The velocity arrived at is the one it goes at in the end: some nodes are not steered by speed, and in a
turn a body goes round a smaller circle than its carrier. Whether that is what was asked for, random minutes tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.quality.body_signals import body_signals
from footfall.quality.momentum import CHANGE_S
from footfall_lab.bench._measure import Row
from footfall_lab.studies.live_urgent import DT, SECOND_S, SETTLE_S, parameter_in

PUSH_M_S2 = 4.0  # that a change of velocity is believed with: docs/believable.md
MORE, SLACK_S, OFTEN = 1.5, 0.3, 0.95  # times that, and seconds, in which it should have arrived; of the requests
NEAR, NEAR_M_S = 0.1, 0.1  # of the velocity arrived at, or m/s: as near, it has arrived
LOOKED_S, LAST_S = 5.5, 1.8  # seconds that are looked at; of them the last, whose mean is what was arrived at
HALF = round(0.5 * CHANGE_S / DT)  # frames


class Arrival(NamedTuple):
    """One request."""

    before: str
    after: str
    needs_s: float  # with the push that is believed
    took_s: float  # infinite where it never arrived


def arrivals(graph: Graph, count: int, seed: int) -> list[Arrival]:
    """So many requests for another type, all pairs in turn, half of them within an edge."""
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in graph.types for b in graph.types if a != b]
    return [_arrival(graph, *pairs[k % len(pairs)], rng) for k in range(count if pairs else 0)]


def _arrival(graph: Graph, before: str, after: str, rng: np.random.Generator) -> Arrival:
    hero = Controller(graph, before)
    hero.ask(turn=float(rng.uniform(-40.0, 40.0)), **_asked(graph, before, rng))
    poses: list[Pose] = []
    frames: list[tuple[float, bool]] = []  # heading, and whether it is on the way to the type or in it

    def go_on(seconds: float, **wanted: Any) -> None:
        for _ in range(round(seconds / DT)):
            poses.append(hero.step(DT, **wanted))
            wanted, state = {}, hero.state
            frames.append((hero.heading, (state.edge.split(" to ")[-1] or state.node) == after))

    go_on(rng.uniform(*SETTLE_S))
    if rng.random() < 0.5:  # within an edge
        hero.request(str(rng.choice([name for name in graph.types if name != before])))
        go_on(rng.uniform(0.0, SECOND_S))
    press = len(poses)
    go_on(LOOKED_S, type=after, urgent=True, **_asked(graph, after, rng))
    clip = Clip(graph.skeleton, 1.0 / DT, Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses])))
    heading, leads = (np.array(x) for x in zip(*frames, strict=True))
    velocity = _velocity(clip, heading)
    end = velocity[-round(LAST_S / DT) : -HALF].mean(axis=0)
    near = np.linalg.norm(velocity - end, axis=1) <= max(NEAR * float(np.linalg.norm(end)), NEAR_M_S)
    there = np.flatnonzero((near & leads)[press:])
    start = velocity[press - 1 - HALF]  # of the 0.4 s before the press
    needs = float(np.linalg.norm(start - end)) / PUSH_M_S2
    return Arrival(before, after, needs, (int(there[0]) + 1) * DT if len(there) else math.inf)


def _asked(graph: Graph, name: str, rng: np.random.Generator) -> dict[str, float]:
    """What is asked of a node that covers it: its speed, or its speed to a side."""
    return {key: parameter_in(graph, name, key, rng) for key in ("speed", "side")
            if key in graph.nodes[name].motion.parameter_names}  # fmt: skip


def _velocity(clip: Clip, heading: np.ndarray) -> np.ndarray:
    """(T, 2) m/s forward and to the left of the centre of mass, over the 0.4 s around each frame."""
    mass, frames = body_signals(clip).mass, np.arange(clip.frames)
    after, before = np.minimum(frames + HALF, clip.frames - 1), np.maximum(frames - HALF, 0)
    x, _, z = ((mass[after] - mass[before]) / ((after - before) * DT)[:, None]).T
    c, s = np.cos(heading), np.sin(heading)
    return np.stack([c * z + s * x, c * x - s * z], axis=1)


def rows(name: str, found: Sequence[Arrival]) -> list[Row]:
    """What the requests came to."""
    if not found:
        return []
    late = np.array([a.took_s - MORE * a.needs_s - SLACK_S for a in found])
    often = float((late <= 0.0).mean())
    return [
        Row(f"{name}: a type asked for at once has its velocity within {MORE:g} × the time {PUSH_M_S2:g} m/s² need "
            f"+ {SLACK_S:g} s, of {len(found)}; later than that, median, 95 %",
            f"{100 * often:.0f} %; {np.median(late):+.2f} s, {np.quantile(late, 0.95):+.2f} s",
            ">= 95 %", often >= OFTEN)
    ]  # fmt: skip
