"""Rows: the whole state of live characters as a struct of plain arrays, one row per character.

What a character does next follows from its row, what is asked of it, and the graph; nothing of it is kept elsewhere.
`live.frame` steps rows, `live.decisions` writes into them. Arrays have the character outermost and fixed shapes, so a
kernel on another device could step them as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.feet.live_body import UNKNOWN_KNEE
from footfall.parametric.packed import MotionTables

NODE, LEAVING, EDGE, ENTERING = 0, 1, 2, 3  # phases: in a node, B, between B and E, E
PHASES = ("node", "leaving", "edge", "entering")
SPEED, TURN, SIDE = 0, 1, 2  # what is asked of every character
ASKED = ("speed", "turn", "side")
# events, bits: an edge was gone to its end; a motion that is done once is over; the key time waited for was passed; a
# layer came in whose goals kernels cannot tell
ARRIVED, ENDED, WAKE, TOLD = 1, 2, 4, 8
WHEN_SLOW = -2  # of `wake`: on an edge that only brakes, a velocity that can be lost on the way to the goal


class CharacterRows(NamedTuple):
    """N characters with two layers each, a motion and the one it goes over into; D parameters, E examples, J joints."""

    # where it is in the graph
    node: np.ndarray  # (N,) i32 the node it is in, or leaves
    type: np.ndarray  # (N,) i32 the type asked for
    want: np.ndarray  # (N,) i32 the node it is to be in: that type, or an action before it
    edge: np.ndarray  # (N,) i32 the edge it is on; -1 none
    came: np.ndarray  # (N,) i32 the edge it has arrived by, until that is noted; -1 none
    phase: np.ndarray  # (N,) i8
    event: np.ndarray  # (N,) u8
    wake: np.ndarray  # (N,) i32 the key time of its node that it waits for; -1 none; or WHEN_SLOW, on an edge
    # what plays
    layers: np.ndarray  # (N,) i8 1 or 2
    motion: np.ndarray  # (N, 2) i32
    t: np.ndarray  # (N, 2) f64 canonical time
    laps: np.ndarray  # (N, 2) i32 rounds of loops gone
    rate: np.ndarray  # (N, 2) f64 canonical time a second
    share: np.ndarray  # (N,) f32 of layer 0
    weights: np.ndarray  # (N, 2, E) f32
    p: np.ndarray  # (N, 2, D) f64 parameters
    p_rate: np.ndarray  # (N, 2, D) f64 a second
    goal: np.ndarray  # (N, 2, D) f64 where they go: the nearest to what is asked for that the examples cover
    asked: np.ndarray  # (N, 3) f64 speed (m/s), turn (°/s), side (m/s); NaN: never asked for
    # the blend of B or E
    progress: np.ndarray  # (N,) f64 0 to 1
    length: np.ndarray  # (N,) f64 seconds
    pace: np.ndarray  # (N,) f64 1: onward; less: it turns round
    held_back: np.ndarray  # (N,) f64 of the way in B that is left out
    # place and time
    root: np.ndarray  # (N, 3) f64 x, z, heading of the carrier
    velocity: np.ndarray  # (N, 3) f64 forward and left m/s, turn rad/s, over the last step
    time_s: np.ndarray  # (N,) f64
    asked_s: np.ndarray  # (N,) f64 when what is wanted was asked for
    begun_s: np.ndarray  # (N,) f64 when the change that goes on began, and since when it had been asked for
    since_s: np.ndarray  # (N,) f64
    half_s: np.ndarray  # (N,) f64 when it was half done; NaN not yet
    latency_s: np.ndarray  # (N,) f64 how long the last change that began had waited
    # what the pose differs by from what plays, dying away
    age: np.ndarray  # (N,) f32 seconds; negative: there is none
    fade_s: np.ndarray  # (N,) f32 seconds in which it dies away
    lost: np.ndarray  # (N, 3) f32 velocity of the carrier that dies away with it
    turn: np.ndarray  # (N, J + 1, 3) f32 rotation vectors of joints, and the root's place
    spin: np.ndarray  # (N, J + 1, 3) f32 their rates at age 0
    hinge: np.ndarray  # (N, 2, 3) f32 axes about which knees bend, in their own frames
    slack: np.ndarray  # (N, 2, 2) f32 what their slack differs by (`inertia.slack_of`), and its rate at age 0
    # feet
    floor: np.ndarray  # (N, 2) f64 height of the ground under the left and the right foot
    lift: np.ndarray  # (N, 2) f64 height of the body over 0, as the ground has it, and its speed
    shift: np.ndarray  # (N, 2, 3) f64 what the pelvis is moved by so that feet reach, and its speed
    hold: np.ndarray  # (N, 2) i64 what stands: -1 nothing, 0 heel, 1 ball, 2 tip
    held: np.ndarray  # (N, 2, 3) f64 where, in the world
    offset: np.ndarray  # (N, 2, 3) f64 added to the ankle
    speed: np.ndarray  # (N, 2, 3) f64 of the offset, m/s
    slip: np.ndarray  # (N, 2, 3) f64 m/s, of what is held: a foot that lands in flight is braked
    was: np.ndarray  # (N, 2, 3, 3) f64 where heel, ball and tip were in the last frame, world; NaN before the first
    grip: np.ndarray  # (N, 2) f64 0 in the swing to 1 in the stance
    knees: np.ndarray  # (N, 2, 6) f64 what knees were in the last frame (`feet.live_knee`)
    down: np.ndarray  # (N, 2, 2) bool heel, toe of left, right

    @property
    def row_bytes(self) -> int:
        """Bytes of one character's state."""
        return sum(field.nbytes for field in self) // max(len(self.node), 1)


class Room(NamedTuple):
    """Room for one character's numbers on their way, so that kernels allocate nothing; every thread has its own."""

    row: np.ndarray  # (3 J' + 8,) f32 rotation vectors and the root's sway
    factors: np.ndarray  # (2 E + 4,) f32
    turns: np.ndarray  # (4, 4, J') f32 poses on the carrier
    sway: np.ndarray  # (4, 3) f64 their roots
    spans: np.ndarray  # (8 S,) f32
    rot: np.ndarray  # (1, J, 4) f32 the pose, joint 0 in the world
    world: np.ndarray  # (J, 8) f32 rotation and place of every joint, as seen from over the carrier
    place: np.ndarray  # (3,) f64 what is added to places for the world
    basis: np.ndarray  # (D, 4) f32 B-splines
    value: np.ndarray  # f32, f32 and i64: what looking up weights works with
    at: np.ndarray
    first: np.ndarray
    wish: np.ndarray  # (D,) f64 parameters asked for


def new_rows(tables: MotionTables, count: int, dimensions: int) -> CharacterRows:
    """Characters at rest at the origin, in motion 0 at its start; `dimensions`: parameters of a layer at most."""
    n, joints = count, len(tables.body.parents)
    f4, f8 = np.float32, np.float64
    kinds: dict[str, tuple[type, tuple[int, ...], Any]] = {
        **dict.fromkeys(("node", "type", "want"), (np.int32, (), 0)),
        **dict.fromkeys(("edge", "came", "wake"), (np.int32, (), -1)),
        "phase": (np.int8, (), NODE), "event": (np.uint8, (), 0), "layers": (np.int8, (), 1),
        **dict.fromkeys(("motion", "laps"), (np.int32, (2,), 0)),
        "share": (f4, (), 1), "weights": (f4, (2, tables.width), 0),
        **dict.fromkeys(("p", "p_rate", "goal"), (f8, (2, max(dimensions, 1)), 0)),
        "asked": (f8, (3,), np.nan), "pace": (f8, (), 1), "half_s": (f8, (), np.nan),
        **dict.fromkeys(("progress", "length", "held_back", "time_s"), (f8, (), 0)),
        **dict.fromkeys(("asked_s", "begun_s", "since_s", "latency_s"), (f8, (), 0)),
        **dict.fromkeys(("root", "velocity"), (f8, (3,), 0)),
        "age": (f4, (), -1), "fade_s": (f4, (), 1), "lost": (f4, (3,), 0),
        **dict.fromkeys(("turn", "spin"), (f4, (joints + 1, 3), 0)), "hinge": (f4, (2, 3), 0),
        "slack": (f4, (2, 2), 0),
        **dict.fromkeys(("t", "rate", "floor", "lift", "grip"), (f8, (2,), 0)),
        **dict.fromkeys(("shift", "held", "offset", "speed", "slip"), (f8, (2, 3), 0)),
        "knees": (f8, (2, 6), UNKNOWN_KNEE),
        "hold": (np.int64, (2,), -1), "was": (f8, (2, 3, 3), np.nan), "down": (np.bool_, (2, 2), 0),
    }  # fmt: skip
    return CharacterRows(**{name: np.full((n, *shape), value, kind) for name, (kind, shape, value) in kinds.items()})


def new_room(tables: MotionTables, dimensions: int) -> Room:
    """Room for one thread."""
    joints, width, f4 = len(tables.body.parents), tables.width, np.float32
    return Room(
        np.zeros(tables.rows.shape[1], f4), np.zeros(2 * width + 4, f4), np.zeros((4, 4, tables.mean.shape[2]), f4),
        np.zeros((4, 3)), np.zeros(tables.spans.shape[2], f4), np.zeros((1, joints, 4), f4),
        np.zeros((joints, 8), f4), np.zeros(3), np.zeros((max(dimensions, 3), 4), f4),
        np.zeros(2 * width + dimensions + 8, f4),
        np.zeros(max(dimensions, 3), f4), np.zeros(width + dimensions + 8, np.int64),
        np.zeros(max(dimensions, 1)),
    )  # fmt: skip


def land(rows: CharacterRows, which: slice | np.ndarray | int = slice(None)) -> None:
    """Let go of the floor: for characters that were put somewhere else, so that no foot stays behind."""
    rows.hold[which] = -1
    rows.was[which] = np.nan
    rows.knees[which] = UNKNOWN_KNEE
    rows.lift[which, 0], rows.lift[which, 1] = rows.floor[which].mean(axis=-1), 0.0
    for state in (rows.shift, rows.offset, rows.speed, rows.slip, rows.grip):
        state[which] = 0.0
