"""E5: a character chases a point that jumps, and stands where it is."""

from __future__ import annotations

import io
from typing import NamedTuple

import numpy as np

from footfall.graph.build.open_graph import graph
from footfall.graph.graph import Graph
from footfall.live.chasing import Chaser
from footfall.live.controller import Controller
from footfall.live.drive import DriveResult, drive
from footfall.quality.penetration import penetration
from footfall.quality.slide import slide
from footfall_lab.bench._measure import Row

NEAREST, FARTHEST = 0.7, 10.0  # metres a point jumps
GIVE_UP_S = 25.0
ORBIT = 1.75  # whole turns on the way to one point


class Goal(NamedTuple):
    """One point that was chased."""

    x: float
    z: float
    seconds: float
    reached: bool
    off_m: float  # where the character stood at last
    turned: float  # rounds it turned on the way


def chased(graph: Graph, seed: int, seconds: float) -> tuple[DriveResult, list[Goal]]:
    """A point that jumps at random whenever it is reached, or not reached for long."""
    rng = np.random.default_rng(seed)
    chaser = Chaser(0.0, 4.0)
    goals: list[Goal] = []
    begun = turned = last = 0.0

    def steer(hero: Controller, t: float) -> None:
        nonlocal begun, turned, last
        turned += abs(hero.velocity[2]) / 60.0 / (2.0 * np.pi)
        stands = chaser.arrived and hero.node == "stand" and not hero.is_changing
        if (stands and t - begun > 0.5) or t - begun > GIVE_UP_S:
            off = abs(chaser.goal - hero.point)
            goals.append(Goal(chaser.goal.imag, chaser.goal.real, t - begun, stands, off, turned))
            far, angle = rng.uniform(NEAREST, FARTHEST), rng.uniform(-np.pi, np.pi)
            goal = hero.point + far * np.exp(1j * angle)
            chaser.at(goal.imag, goal.real)
            begun, turned = t, 0.0
        chaser.steer(hero, t)

    return drive(graph, steer, seconds, name="chase"), goals


def run(quick: bool) -> tuple[list[Row], list[tuple[str, bytes]]]:
    """E5: whether every point is reached, and how."""
    found = graph("builtin")
    tries = [chased(found, seed, 30.0 if quick else 120.0) for seed in range(1 if quick else 5)]
    goals = [goal for _, several in tries for goal in several]
    reached = sum(goal.reached for goal in goals)
    turned = max(goal.turned for goal in goals)
    slides = max(slide(driven.clip).mean_cm_s for driven, _ in tries)
    deep = max(penetration(driven.clip).deepest_cm for driven, _ in tries)
    rows = [
        Row(f"E5 points reached of {len(goals)}", str(reached), str(len(goals)), reached == len(goals)),
        Row("E5 most turns on the way to one", f"{turned:.2f} rounds", f"<= {ORBIT:g}: no orbit", turned <= ORBIT),
        Row("E5 time to reach one: median, worst",
            f"{np.median([g.seconds for g in goals]):.1f}, {max(g.seconds for g in goals):.1f} s", "told"),
        Row("E5 from the point when standing, worst", f"{100 * max(g.off_m for g in goals):.0f} cm", "<= 60 cm",
            max(g.off_m for g in goals) <= 0.6),
        Row("E5 slide", f"{slides:.2f} cm/s", "<= 1 cm/s", slides <= 1.0),
        Row("E5 deepest under the floor", f"{10 * deep:.1f} mm", "<= 10 mm", deep <= 1.0),
    ]  # fmt: skip
    return rows, [("E5 a jumping point", chase_picture(*tries[0]))]


def chase_picture(driven: DriveResult, goals: list[Goal]) -> bytes:
    """The way of the character and the points in order."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 6), layout="constrained")
    panel.plot(driven.roots[:, 0], driven.roots[:, 1], color="#3a6ea5", lw=1.2)
    for k, goal in enumerate(goals, 1):
        panel.plot(goal.x, goal.z, "o", color="#d9822b" if goal.reached else "#b42318", ms=6)
        panel.annotate(str(k), (goal.x, goal.z), textcoords="offset points", xytext=(5, 4), fontsize=8)
    panel.set_aspect("equal")
    panel.set_xlabel("x, m")
    panel.set_ylabel("z, m")
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110)
    plt.close(figure)
    return buffer.getvalue()
