"""Tried edges: how good a change is, measured by driving a character through it slowly, at ease and fast.

Joints are judged as everywhere, by their acceleration in excess of the recorded examples' (`quality.joins`), feet by
how fast they slide while they stand, the pelvis by how far it sinks below both nodes' examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.closed_loops import flags, played_round
from footfall.graph.edges import Edge
from footfall.graph.graph import Graph, Node
from footfall.live.controller import Controller
from footfall.live.drive import Command, by_commands, drive
from footfall.live.pelvis_watch import lowest_pelvis
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.quality.joins import CLEAN, QUANTILE, accelerations, measured_joints
from footfall.quality.judged_figures import Limits
from footfall.quality.slide import slide

SHARES = (0.15, 0.5, 0.85)  # of the range of speeds: slow, at ease, fast
STEADY_S, AFTER_S = 1.0, 2.2  # driven before the request and after it
ROUND_S = (0.0, 0.23, 0.47)  # how much later each try asks: requests come at any moment of a cycle


@dataclass(frozen=True)
class EdgeCostWeights:
    """What the figures of an edge count for, in cm/s of slide. By eye, on graphs of CMU takes."""

    over: float = 100.0  # cm/s for all frames
    worst: float = 0.05  # cm/s for 1 m/s²
    slide: float = 1.0
    dip: float = 10.0  # cm/s for 1 cm beyond what is believed


WEIGHTS = EdgeCostWeights()
MOST_DIP_CM = Limits().dip_cm


class EdgeQuality(NamedTuple):
    """Figures of all tries of an edge together."""

    over: float  # share of frames with an excess acceleration over 40 m/s² in some joint
    worst_m_s2: float  # the largest excess acceleration
    slide_cm_s: float
    dip_cm: float  # how far the pelvis sinks below the lowest of both nodes' examples

    @property
    def cost(self) -> float:
        sunk = max(self.dip_cm - MOST_DIP_CM, 0.0)
        thrown = WEIGHTS.over * self.over + WEIGHTS.worst * self.worst_m_s2
        return thrown + WEIGHTS.slide * self.slide_cm_s + WEIGHTS.dip * sunk


def usual_accelerations(loops: Sequence[Clip], fps: float) -> np.ndarray:
    """(J,) acceleration that each joint of recorded loops rarely passes."""
    rounds = [played_round(loop, 2) for loop in loops]
    found = [accelerations(clip.resample(fps) if clip.fps > fps else clip) for clip in rounds]
    return np.quantile(np.concatenate(found), QUANTILE, axis=0)


def try_edge(
    before: ParametricMotion, after: ParametricMotion, ways: Sequence[Edge], usual: np.ndarray, fps: float
) -> EdgeQuality:
    """Drive through an edge at three speeds, each request at another moment."""
    graph = Graph("tried", {m.name: Node(m) for m in (before, after)}, {(before.name, after.name): tuple(ways)})
    excess, slides, lows = [], [], []
    for share, later in zip(SHARES, ROUND_S, strict=True):
        hero = Controller(graph, before.name)
        first, then = _at(before, share), _at(after, share)
        hero.step(0.0, speed=first.get("speed"), turn=first.get("turn"))
        commands = [
            Command(0.0, before.name, first.get("speed", 0.0), 0.0),
            Command(STEADY_S + later, after.name, then.get("speed", 0.0), 0.0),
        ]
        clip = drive(graph, by_commands(commands), STEADY_S + later + AFTER_S, fps, hero).clip
        over = (accelerations(clip) - usual)[:, measured_joints(clip)].max(axis=1)
        excess.append(over[round(STEADY_S * fps) :])
        slides.append(slide(clip, flags(clip, known_contacts(clip))).mean_cm_s)
        lows.append(float(clip.positions[:, clip.skeleton.roles.pelvis, 1].min()))
    every = np.maximum(np.concatenate(excess), 0.0)
    dip_cm = 100.0 * max(min(lowest_pelvis(before), lowest_pelvis(after)) - min(lows), 0.0)
    return EdgeQuality(float((every > CLEAN).mean()), float(every.max()), float(np.max(slides)), dip_cm)


def _at(motion: ParametricMotion, share: float) -> dict[str, float]:
    """Straight on, at a share of the node's speeds."""
    if "speed" not in motion.parameter_names:
        return {}
    speeds = motion.parameters[:, motion.parameter_names.index("speed")]
    return {"speed": float(speeds.min() + share * np.ptp(speeds)), "turn": 0.0}
