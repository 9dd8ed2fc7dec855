"""Pelvis watch: how far the pelvis of a driven character sinks below what the examples of its nodes have.

A blend, a change or a foot that is held too long shows first in a pelvis that falls; nobody sees that in slides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.core.once import once
from footfall.graph.graph import Graph
from footfall.kinematics.fk import world_transforms_of
from footfall.live.controller import ControllerState
from footfall.parametric.parametric_motion import ParametricMotion

MOMENTS = 24  # of an example that are looked at
REMEMBERED_S = 0.7  # what was left counts so long: differences die away in less


@once
def lowest_pelvis(motion: ParametricMotion) -> float:
    """Metres over the floor, of the lowest pelvis of all examples."""
    count, pelvis = len(motion), motion.skeleton.roles.pelvis
    times, weights = np.tile(np.linspace(0.0, 1.0, MOMENTS), count), np.repeat(np.eye(count), MOMENTS, axis=0)
    places = world_transforms_of(motion.skeleton, motion.local_pose(times, weights), [pelvis])[0]
    return float(places[..., 0, 1].min())


def pelvis_dips(graph: Graph, states: Sequence[ControllerState], heights: np.ndarray, fps: float) -> np.ndarray:
    """(T,) metres that the pelvis is below the lowest one of the nodes a character is in, goes to or has just left.

    heights (T,): of the pelvis over where the body stands.
    """
    lowest = {name: lowest_pelvis(node.motion) for name, node in graph.nodes.items()}
    usual = np.array([min(lowest[name] for name in {s.node, *s.edge.split(" to ")} - {""}) for s in states])
    back = round(REMEMBERED_S * fps)
    padded = np.concatenate([np.full(back, usual[0]), usual])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, back + 1).min(axis=1) - heights)
