"""A walk along a line that was drawn by hand: the line made even, a character led along it by the motion graph."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.live.drive import drive
from footfall.live.path_following import PathFollower, Waypoint, path_of
from footfall.studio.edits import Root

FINE_M = 0.05  # metres between samples of the line
SMOOTH_M = 0.35  # metres over which a hand's tremble is evened out. By eye
WAYPOINT_M = 0.5  # metres between points the path goes through
SHORTEST_M, LONGEST_M = 0.6, 400.0  # metres, of a line
MOST_POINTS = 5000
SPEEDS = (0.4, 5.0)  # m/s
SLOWEST_M_S, SPARE_S = 0.4, 6.0  # that a walk may take: the line at this speed, and standing still at both ends


def walk_along(
    graph: Graph, points: Sequence[tuple[float, float]], motion: str, speed: float, start: Root | None
) -> Clip:
    """The walk at 60 frames a second, ending in a stand; start: where the character is before, and goes on from."""
    if motion not in graph.types or not graph.nodes[motion].motion.is_loop:
        gaits = [name for name in graph.types if graph.nodes[name].motion.is_loop]
        raise ParameterError(f"a line is walked by one of {', '.join(gaits)}, not by {motion[:60]}")
    if not SPEEDS[0] <= speed <= SPEEDS[1]:
        raise ParameterError(f"speed must be {SPEEDS[0]:g} to {SPEEDS[1]:g} m/s, got {speed:g}")
    line = even_line(points, start)
    path = path_of([Waypoint(x, z, motion, speed) for x, z in line.tolist()])
    heading = float(path.headings[0]) if start is None else math.radians(start[2])
    hero = Controller(graph, None, float(line[0, 0]), float(line[0, 1]), heading)
    follower = PathFollower(path)
    seconds = path.length / SLOWEST_M_S + SPARE_S
    return drive(graph, follower.steer, seconds, hero=hero, name=f"{motion} along a path", until=follower.stands).clip


def even_line(points: Sequence[tuple[float, float]], start: Root | None = None) -> np.ndarray:
    """(N, 2) x, z of the line without its tremble, about half a metre apart; its ends stay where they are."""
    if len(points) > MOST_POINTS:
        raise ParameterError(f"a line has at most {MOST_POINTS} points, this one {len(points)}")
    drawn = np.array([*([start[:2]] if start is not None else []), *points], float).reshape(-1, 2)
    if not np.isfinite(drawn).all() or (np.abs(drawn) > 1000.0).any():
        raise ParameterError("points of a line are x, z in metres within 1000 m")
    gaps = np.linalg.norm(np.diff(drawn, axis=0), axis=-1)
    drawn = drawn[np.concatenate([[True], gaps > 1e-4])] if len(drawn) else drawn
    run = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(drawn, axis=0), axis=-1))])
    if not SHORTEST_M <= run[-1] <= LONGEST_M:
        raise ParameterError(
            f"a line to walk along is {SHORTEST_M:g} to {LONGEST_M:g} m long, this one {run[-1]:.2g} m; draw another"
        )
    at = np.linspace(0.0, run[-1], max(int(run[-1] / FINE_M), 2) + 1)
    fine = np.stack([np.interp(at, run, drawn[:, k]) for k in range(2)], axis=-1)
    for _ in range(2):
        fine = _smoothed(fine)
    count = max(round(run[-1] / WAYPOINT_M), 1)
    return fine[np.round(np.linspace(0, len(fine) - 1, count + 1)).astype(int)]


def _smoothed(fine: np.ndarray) -> np.ndarray:
    """Moving means that narrow towards both ends, which stay."""
    most = max(round(SMOOTH_M / FINE_M), 1)
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(fine, axis=0)])
    at = np.arange(len(fine))
    half = np.minimum(np.minimum(at, len(fine) - 1 - at), most)
    return np.asarray((total[at + half + 1] - total[at - half]) / (2 * half + 1)[:, None])
