"""Crowd: many characters that go to goals of their own and keep out of each other's way.

Avoidance is Reynolds' unaligned collision avoidance (1999, "Steering behaviors for autonomous characters"): two that
will pass nearer than APART within HORIZON_S turn away from where the other will be, more the sooner and nearer that is;
who would meet head-on turns right. Whoever has another close ahead slows down and stands, and who has the lower number
goes first. What still comes nearer than BODY is pushed apart, as people in a crowd push; `pushed` counts it. Only
neighbours within REACH are looked at, so a frame costs each of many as much as each of few. It is simple: it keeps
people apart in the open, and does not plan round walls or through a jam.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.graph.graph import Graph
from footfall.live.wandering import MOST_TURN, NEAR_M, PAUSE_S, SPEEDS, TOO_CLOSE, TURN_RATE, WALK, places, square_side

if TYPE_CHECKING:
    from footfall.kinematics.ground import Ground

# By eye, on 200 characters in a square of 35 m, seeds 0 to 2.
REACH = 7.0  # metres within which others are looked at
HORIZON_S = 4.0  # seconds ahead
APART = 1.5  # metres: who will pass nearer than this turns away
BUMP, BUMP_S = 0.8, 1.7  # metres, seconds: who will pass nearer than this so soon stands, or the other does
CLOSE = 2.2  # metres: another ahead this near is slowed down for
AHEAD = 0.35  # cosine: others beyond 70° to the side are not ahead
SLOW = 0.2  # m/s: who is slower stands
BODY = 0.6  # metres between two characters at least: shoulders are 0.4 to 0.5 wide
PUSHES = 3  # rounds in which those that are nearer are pushed apart
AWAY_DEG_S = 110.0  # °/s of turning away at most


class Crowd:
    """Characters of one graph that wander, or go from goal to goal; the same seed gives the same crowd."""

    def __new__(cls, *given: Any, device: str = "cpu", ground: Any = None, **named: Any) -> Any:
        """device "cuda": a crowd on a GPU (`live.gpu.crowd`), which takes commands as tensors too."""
        if device == "cpu":
            return super().__new__(cls)
        if ground is not None:
            raise ParameterError('a crowd on a GPU walks on a flat floor: leave the ground out, or take device "cpu"')
        from footfall.live.gpu.crowd import GpuCrowd

        return GpuCrowd(*given, **{**named, "device": device})

    def __init__(
        self, graph: Graph, count: int, seed: int = 0, side_m: float | None = None,
        goals: Sequence[tuple[float, float]] | np.ndarray | None = None, threads: int | None = None, ground: Any = None,
        device: str = "cpu",
    ) -> None:  # fmt: skip
        """In a square of side_m around the origin. goals: x, z that are gone to in order, round and round, each
        character beginning with another; without them each goes to points at random. ground: as `ff.Controller` takes
        it; one made by name lies about the origin, along z. device: "cpu", or "cuda"."""
        from footfall.live.controller import Controllers  # brings numba, which a crowd on a GPU does without

        if not isinstance(count, (int, np.integer)):
            raise ParameterError(f"a crowd has a whole number of characters, got {count!r}")
        if count < 1:
            raise ParameterError(f"a crowd needs at least one character, got {count}")
        if WALK not in graph.types:
            raise ParameterError(f"a crowd walks, and this graph has no walk: {', '.join(graph.types)}")
        self.side_m = square_side(count, side_m)
        self.goals = None if goals is None else np.asarray(goals, float).reshape(-1, 2)
        if self.goals is not None and not (len(self.goals) and np.isfinite(self.goals).all()):
            raise ParameterError("goals are points x, z in metres, at least one")
        self._rng = np.random.default_rng(seed)
        at = places(self._rng, count, self.side_m)
        self.characters = Controllers(graph, np.column_stack([at, self._rng.uniform(-np.pi, np.pi, count)]),
                                      threads=threads, ground=_lying(ground))  # fmt: skip
        self._home = self.characters.types.index(graph.home)
        self._walk = self.characters.types.index(WALK)
        low, high = graph.nodes[WALK].coverage.low[0], graph.nodes[WALK].coverage.high[0]
        self._likes = np.clip(self._rng.uniform(*SPEEDS, count), low, high)
        self._slowest = float(low)
        self._next = np.arange(count)
        self._goal = np.empty((count, 2))
        self._new_goals(np.arange(count))
        self._pause_s = self._rng.uniform(0.0, 1.0, count)
        self.pushed = 0  # frames in which a character was pushed, of all together

    def __len__(self) -> int:
        return len(self.characters)

    def step(self, dt: float) -> Pose:
        """Advance by dt seconds; poses (N,) in the world."""
        kinds, speed, turn = self._wishes(dt)
        self._push_apart()
        return self.characters.step(dt, type=kinds, speed=speed, turn=turn)

    def _push_apart(self) -> None:
        """Move those that are nearer to each other than two bodies are, half the missing way each."""
        from scipy.spatial import cKDTree

        at = self.characters.roots[:, :2]
        start = at.copy()
        for _ in range(PUSHES):
            pairs = cKDTree(at).query_pairs(BODY, output_type="ndarray")
            if not len(pairs):
                break
            pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
            a, b = pairs[:, 0], pairs[:, 1]
            way = at[b] - at[a]
            far = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-6)
            move = 0.5 * (BODY - far) * way / far
            np.add.at(at, a, -move)
            np.add.at(at, b, move)
        moved = at - start
        self.pushed += int((np.abs(moved).sum(axis=1) > 0.0).sum())
        self.characters.shift(moved)

    def _new_goals(self, which: np.ndarray) -> None:
        if self.goals is not None:
            self._goal[which] = self.goals[self._next[which] % len(self.goals)]
            self._next[which] += 1
        else:
            self._goal[which] = self._rng.uniform(-0.5 * self.side_m, 0.5 * self.side_m, (len(which), 2))

    def _wishes(self, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Type, speed and turn of every character: to its goal, and out of the way."""
        roots, velocity = self.characters.roots, self.characters.velocities
        place, heading = roots[:, 1] + 1j * roots[:, 0], roots[:, 2]  # z + ix
        way = (self._goal[:, 1] + 1j * self._goal[:, 0] - place) * np.exp(-1j * heading)
        reached = (np.abs(way) < NEAR_M) & (self._pause_s <= 0.0)
        if reached.any():
            who = np.flatnonzero(reached)
            self._pause_s[who] = self._rng.uniform(*PAUSE_S, len(who))
            self._new_goals(who)
        self._pause_s = np.maximum(self._pause_s - dt, 0.0)
        turn = np.clip(TURN_RATE * np.degrees(np.angle(way)), -MOST_TURN, MOST_TURN)
        away, slow, stop = avoidance(place, heading, (velocity[:, 0] + 1j * velocity[:, 1]) * np.exp(1j * heading))
        share = np.clip(np.abs(away), 0.0, 1.0)
        turn = (1.0 - share) * turn + np.clip(away, -1.0, 1.0) * AWAY_DEG_S
        speed = np.maximum(self._likes * (1.0 - slow), self._slowest)
        stands = stop | (self._pause_s > 0.0)
        return np.where(stands, self._home, self._walk), speed, turn


def _lying(ground: Any) -> Ground | None:
    """A ground where a crowd is: one made by name begins at the origin."""
    from footfall.io.open_ground import ground as ground_of

    return None if ground is None else ground_of(ground).ahead_of(np.zeros(3), 0.0)


def avoidance(place: np.ndarray, heading: np.ndarray, velocity: np.ndarray) -> tuple[np.ndarray, ...]:
    """How to turn away (N,), -1 to 1, positive to the left; how much to slow down (N,), 0 to 1; who must stand (N,).

    place and velocity (N,) complex, z + ix; heading radians.
    """
    from scipy.spatial import cKDTree

    count = len(place)
    away, slow, stop = np.zeros(count), np.zeros(count), np.zeros(count, bool)
    pairs = cKDTree(np.column_stack([place.real, place.imag])).query_pairs(REACH, output_type="ndarray")
    if not len(pairs):
        return away, slow, stop
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]  # sums in one order, whatever the tree's
    for me, other in ((pairs[:, 0], pairs[:, 1]), (pairs[:, 1], pairs[:, 0])):
        to, drift = place[other] - place[me], velocity[other] - velocity[me]
        closing = -(to * drift.conj()).real
        soon = np.clip(closing / np.maximum(np.abs(drift) ** 2, 1e-6), 0.0, HORIZON_S)
        seen = (to + drift * soon) * np.exp(-1j * heading[me])  # where it will be, as seen by me
        now = to * np.exp(-1j * heading[me])
        weight = (1.0 - soon / HORIZON_S) * np.clip(1.0 - np.abs(seen) / APART, 0.0, 1.0)
        is_left = seen.imag > -0.1  # head-on counts as on the left: both turn right
        np.add.at(away, me, np.where(is_left, -weight, weight))
        near, ahead = np.abs(now), now.real > AHEAD * np.abs(now)
        np.maximum.at(slow, me, np.where(ahead, np.clip((CLOSE - near) / (CLOSE - TOO_CLOSE), 0.0, 1.0), 0.0))
        mutual = (to * np.exp(-1j * heading[other])).real < -AHEAD * near  # each is ahead of the other
        first = np.where(mutual, me < other, now.imag > 0.0)  # who comes from the right goes first
        bumps = (np.abs(seen) < BUMP) & (soon < BUMP_S) & (closing > 0.0)
        other_waits = first & (np.abs(velocity[other]) < SLOW)
        np.logical_or.at(stop, me, ahead & ((bumps & ~first) | ((near < TOO_CLOSE) & ~other_waits) | (near < BUMP)))
    return away, slow, stop
