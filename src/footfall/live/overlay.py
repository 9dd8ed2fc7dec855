"""Overlays: an arm movement laid over whatever a character does while its feet continue (Oshita 2008, section 8).

A wave, a punch: arms that move in an action of a standing body are taken from it, with spine and neck where both move
or the trunk twists; all other joints stay with the gait. Unlike `timeline.composition` the body is not shaken by the
movement. What is laid over is worked out after a frame is made, for those characters only that have something laid
over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from footfall.analysis.additional import find_additional
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.kernels import kernel, part
from footfall.core.references import reference
from footfall.core.rotation_kernels import slerp
from footfall.graph.graph import Node
from footfall.live.frame import step_joint
from footfall.live.layers import sample_one
from footfall.parametric import play
from footfall.parametric.packed import MotionTables
from footfall.parametric.sampling import blended_rate, piece_of
from footfall.timeline.body_parts import joints_of
from footfall.timeline.composition import BLEND_S

FPS = 60.0  # at which actions are looked at
TWISTS_RAD = 0.26  # radians: a spine that turns by more is part of one arm's movement; by eye. A punch has 0.36, a
# wave 0.1: without the trunk, which takes part of a punch back, its hand is thrown harder than the person threw it


class ArmMovement(NamedTuple):
    """What of an action can be laid over other motions."""

    joints: np.ndarray  # (K,) that belong to it, parent first
    start: float  # canonical times: from BLEND_S before its arms begin to move
    end: float  # to BLEND_S after they come to rest. Below 0 and above 1 its first and last pose are held


class OverlayRows(NamedTuple):
    """What is laid over N characters; E examples, J joints."""

    motion: np.ndarray  # (N,) i32; -1 nothing
    t: np.ndarray  # (N,) f64 canonical time
    end: np.ndarray  # (N,) f64 canonical time at which it is over
    age: np.ndarray  # (N,) f64 seconds since it began
    share: np.ndarray  # (N,) f64 0 to 1
    weights: np.ndarray  # (N, E) f32
    joints: np.ndarray  # (N, J) bool that follow it


def arm_movements(nodes: Sequence[Node]) -> dict[int, ArmMovement]:
    """Actions that are arm movements of a standing body, by the numbers of their nodes."""
    found = {}
    for k, node in enumerate(nodes):
        motion = node.motion
        if not node.is_action:
            continue
        even = np.full(len(motion), 1.0 / len(motion))
        length = play.duration(motion, even)
        times = np.arange(0.0, length, 1.0 / FPS)
        played = play.play(motion, even, times)
        clip = Clip(motion.skeleton, FPS, played.pose, name=motion.name)
        told = find_additional(clip)
        if not told.is_additional:
            continue
        trunk = ["spine", "head"] if told.trunk_too or _twist(clip) > TWISTS_RAD else []
        names = [f"{arm} arm" for arm in told.arms] + trunk
        start, end = _canonical(told.start_s - BLEND_S, times, played), _canonical(told.end_s + BLEND_S, times, played)
        found[k] = ArmMovement(joints_of(motion.skeleton, names), start, end)
    return found


def _twist(clip: Clip) -> float:
    """Radians between the two poses of the spine that differ most, seen from the pelvis."""
    turn = reduce(rotation.multiply, (clip.pose.rot[:, j] for j in joints_of(clip.skeleton, ["spine"])))
    return float(rotation.angle_between(turn[:, None], turn[None]).max())


def _canonical(at_s: float, times: np.ndarray, played: play.Played) -> float:
    """Canonical time of some seconds; beyond the ends of what was played it goes on at the rate there."""
    t, last = played.canonical, len(times) - 1
    k = min(max(int(at_s * FPS), 0), last - 1)
    return float(t[k] + (at_s - times[k]) * FPS * (t[k + 1] - t[k]))


class Overlays:
    """What is laid over the characters of some rows."""

    def __init__(self, tables: MotionTables, movements: Mapping[int, ArmMovement], count: int) -> None:
        joints = len(tables.body.parents)
        self.movements = movements
        self.rows = OverlayRows(
            np.full(count, -1, np.int32), np.zeros(count), np.ones(count), np.zeros(count), np.zeros(count),
            np.zeros((count, tables.width), np.float32), np.zeros((count, joints), bool),
        )  # fmt: skip
        self.handle = reference(self.rows)
        self.busy: set[int] = set()  # who has something laid over

    def begin(self, n: int, k: int, weights: np.ndarray) -> None:
        """Lay an arm movement over a character; weights (N,) of its examples."""
        rows, movement = self.rows, self.movements[k]
        rows.motion[n], rows.t[n], rows.end[n], rows.age[n] = k, movement.start, movement.end, 0.0
        rows.weights[n] = 0.0
        rows.weights[n, : len(weights)] = weights
        rows.joints[n] = False
        rows.joints[n, movement.joints] = True
        self.busy.add(n)

    def over(self) -> list[int]:
        """Characters whose movement is over since this was last asked."""
        found = [n for n in self.busy if self.rows.motion[n] < 0]
        self.busy.difference_update(found)
        return found

    def drop(self, n: int) -> None:
        """Let an arm movement be: arms go over to what the rest of the body does."""
        rows = self.rows
        if rows.motion[n] >= 0:
            rows.end[n] = rows.t[n]


@kernel(_nrt=False)
def overlay_rows(handle: Any, first: int, last: int, own: Any, shown: Any, dt: float) -> None:
    """Rows from first to before last, whose poses are shown, with what is laid over them."""
    for n in range(first, last):
        if own.motion[n] >= 0:
            overlay_one(handle, n, own, shown, dt)


@part
def overlay_one(handle: Any, n: int, own: Any, shown: Any, dt: float) -> None:
    """One character's arms; they go over to the movement, and back, in BLEND_S."""
    tables, room, k = handle.tables, handle.room, own.motion[n]
    pieces = tables.pieces[k]
    m = min(piece_of(own.t[n], pieces), pieces - 1)
    rate = blended_rate(own.weights[n], tables.log_rates[k, m], tables.bounds[k, m], tables.count[k])
    own.t[n] += rate * dt
    own.age[n] += dt
    left = (own.end[n] - own.t[n]) / rate
    goal = min(own.age[n], left) / BLEND_S
    # no faster than this, also where it is broken off
    own.share[n] = min(max(goal, own.share[n] - dt / BLEND_S, 0.0), own.share[n] + dt / BLEND_S, 1.0)
    if own.share[n] <= 0.0 and own.age[n] > dt:
        own.motion[n] = -1
        return
    sample_one(handle, k, own.t[n], own.weights[n], 0)
    u = own.share[n]
    share, q = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u), room.turns[0]
    rot, world, body = room.rot[0], room.world, tables.body
    for j in range(1, len(body.parents)):
        if own.joints[n, j]:
            a = shown.rot[n, j]
            b = np.float64(q[0, j]), np.float64(q[1, j]), np.float64(q[2, j]), np.float64(q[3, j])
            c = slerp((a[0], a[1], a[2], a[3]), b, share)
            size = np.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3])  # q is float32
            for i in range(4):
                shown.rot[n, j, i] = rot[j, i] = c[i] / size
            step_joint(rot, body.parents[j], j, body.offsets, world)
