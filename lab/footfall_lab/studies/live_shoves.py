"""Shoves of walking and running characters: how soon they are over, how fast joints go, and how deep soles get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall_lab.bench._measure import Row
from footfall_lab.studies.live_urgent import DEEP_CM, DT, SETTLE_S, speed_in

HARD_M_S = (0.3, 1.5)  # of a shove, in any direction
LOOKED_S = 1.5
SOON_S, OFTEN = 1.0, 0.95  # nothing is left of it so soon, in so many
FASTEST_M_S = 12.0  # of any joint


class Shoved(NamedTuple):
    """One shove."""

    over_s: float  # until nothing is left of it; infinite where something is at the end
    fastest_m_s: float
    deep_cm: float


def shoves(graph: Graph, count: int, seed: int) -> list[Shoved]:
    """So many shoves, of every gait that goes ahead in turn."""
    rng = np.random.default_rng(seed)
    gaits = [name for name in ("walk", "run") if name in graph.types]
    return [_shoved(graph, gaits[k % len(gaits)], rng) for k in range(count if gaits else 0)]


def _shoved(graph: Graph, gait: str, rng: np.random.Generator) -> Shoved:
    hero = Controller(graph, gait)
    hero.ask(speed=speed_in(graph, gait, rng), turn=float(rng.uniform(-30.0, 30.0)))
    for _ in range(round(rng.uniform(*SETTLE_S) / DT)):
        hero.step(DT)
    hard, way = rng.uniform(*HARD_M_S), rng.uniform(0.0, 2.0 * np.pi)
    hero.shove(hard * np.cos(way), hard * np.sin(way))
    over, fastest, deep, before = np.inf, 0.0, 0.0, hero.joint_positions
    for k in range(1, round(LOOKED_S / DT) + 1):
        hero.step(DT)
        fastest = max(fastest, float(np.linalg.norm(hero.joint_positions - before, axis=1).max()) / DT)
        deep, before = max(deep, -100.0 * float(hero.soles[1].min())), hero.joint_positions
        if not np.isfinite(over) and not hero.state.inertia:
            over = k * DT
    return Shoved(over, fastest, deep)


def rows(name: str, found: Sequence[Shoved]) -> list[Row]:
    """What the shoves came to."""
    if not found:
        return []
    often = float(np.mean([s.over_s <= SOON_S for s in found]))
    fastest, deep = max(s.fastest_m_s for s in found), max(s.deep_cm for s in found)
    return [
        Row(f"{name}: shoves of {HARD_M_S[0]:g} to {HARD_M_S[1]:g} m/s that nothing is left of within {SOON_S:g} s, of "
            f"{len(found)}", f"{100 * often:.0f} %", ">= 95 %", often >= OFTEN),
        Row(f"{name}: fastest joint of those shoved", f"{fastest:.1f} m/s", "<= 12 m/s", fastest <= FASTEST_M_S),
        Row(f"{name}: deepest sole of those shoved", f"{deep:.1f} cm", "<= 1 cm", deep <= DEEP_CM),
    ]  # fmt: skip
