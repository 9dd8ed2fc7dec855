"""Packed motions: many parametric motions of one body as plain arrays that compiled kernels read.

Layout: canonical time outermost, then example, then component, joints innermost, float32. One grid point of one example
is one row: rotation vectors x, y, z of all joints, then the root's sway, then the travel; two neighbouring grid points
of all examples are one contiguous block, and a frame of a blend is a weighted sum of its rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.feet.live_body import LiveBody

WIDTH = 8  # joints, examples and columns are padded to a multiple of this: whole vectors
SPARE = 4  # rows of zeros after each motion: rows are summed four at a time
PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
NEVER = (9.0, -9.0)  # a span that no canonical time lies in


class MotionTables(NamedTuple):
    """What kernels read; M motions of J joints (J' padded), E examples at most (padded), S spans."""

    rows: np.ndarray  # (R, 3 J' + 8) f32: vectors [3][J'], root sway (3), travel (3), 2 unused; [motion][grid][example]
    mean: np.ndarray  # (sum of G + 1, 4, J') f32
    first_row: np.ndarray  # (M,) i64 where a motion begins in rows
    first_mean: np.ndarray  # (M,) i64 and in mean
    count: np.ndarray  # type: ignore[assignment]  # (M,) i64 examples; nobody counts in a tuple of arrays
    cells: np.ndarray  # (M,) i64 G
    pieces: np.ndarray  # (M,) i64 K - 1
    loops: np.ndarray  # (M,) bool
    log_rates: np.ndarray  # (M, P, E) f64 ln of canonical time a second, between key times
    bounds: np.ndarray  # (M, P, 2) f64 least and largest ln of a blended rate
    spans: np.ndarray  # (M, E, 8 S) f32 canonical times: [heel, toe of left, of right][span][start, end]
    body: LiveBody

    @property
    def width(self) -> int:
        """E."""
        return self.log_rates.shape[2]

    @property
    def nbytes(self) -> int:
        """Memory of all tables."""
        return sum(table.nbytes for table in (*self[:-1], *self.body))


class Crowd(NamedTuple):
    """N characters: what each is doing and where, with two layers (a motion, and the one it goes over into)."""

    # set by the caller
    motion: np.ndarray  # (N, 2) i32
    share: np.ndarray  # (N,) f32 of layer 0; at 1 layer 1 is not read
    floor: np.ndarray  # (N, 2) f64 height of the ground under the left and the right foot
    # set by the caller at first, then carried on by every step
    t: np.ndarray  # (N, 2) f64 canonical time
    root: np.ndarray  # (N, 3) f64 x, z, heading of the carrier
    laps: np.ndarray  # (N, 2) i64 rounds of loops gone
    # of the foot lock
    lift: np.ndarray  # (N, 2) f64 height of the body over 0, as the ground has it, and its speed
    shift: np.ndarray  # (N, 2, 3) f64 what the pelvis is moved by so that feet reach, and its speed
    hold: np.ndarray  # (N, 2) i64 what stands: -1 nothing, 0 heel, 1 ball, 2 tip
    held: np.ndarray  # (N, 2, 3) f64 where, in the world
    offset: np.ndarray  # (N, 2, 3) f64 added to the ankle
    speed: np.ndarray  # (N, 2, 3) f64 of the offset, m/s
    slip: np.ndarray  # (N, 2, 3) f64 m/s, of what is held: a foot that lands in flight is braked
    was: np.ndarray  # (N, 2, 3, 3) f64 where heel, ball and tip were in the last frame, world; NaN before the first
    grip: np.ndarray  # (N, 2) f64 0 in the swing to 1 in the stance
    # results
    weights: np.ndarray  # (N, 2, E) f32
    rate: np.ndarray  # (N, 2) f64 canonical time a second
    travelled: np.ndarray  # (N, 3) f64 forward, left, turn of the carrier in the last step
    down: np.ndarray  # (N, 2, 2) bool heel, toe of left, right
    rot: np.ndarray  # (N, J, 4) f32 in the parent's frame; joint 0 in the world
    root_pos: np.ndarray  # (N, 3) f64 of joint 0
    positions: np.ndarray  # (N, J, 3) f64 world
    # room for one character's numbers on their way, so that kernels allocate nothing
    row: np.ndarray  # (3 J' + 8,) f32
    factors: np.ndarray  # (2 E + 4,) f32
    turns: np.ndarray  # (2, 4, J') f32
    spans: np.ndarray  # (8 S,) f32
    world: np.ndarray  # (J, 8) f32 rotation and place of every joint


ZEROS: dict[tuple[int, ...], tuple[str, ...]] = {  # what begins with zeros, by its shape for one character
    (2,): ("floor", "t", "lift", "grip", "rate"),
    (3,): ("root", "travelled", "root_pos"),
    (2, 3): ("shift", "held", "offset", "speed", "slip"),
}


def crowd(tables: MotionTables, count: int) -> Crowd:
    """Characters at rest at the origin, in motion 0 at its start; all arrays are the caller's to write to."""
    n, joints = count, len(tables.body.parents)
    zeros = {name: np.zeros((n, *shape)) for shape, names in ZEROS.items() for name in names}
    return Crowd(
        **zeros,
        motion=np.zeros((n, 2), np.int32),
        share=np.ones(n, np.float32),
        laps=np.zeros((n, 2), np.int64),
        hold=np.full((n, 2), -1, np.int64),
        was=np.full((n, 2, 3, 3), np.nan),
        weights=np.zeros((n, 2, tables.width), np.float32),
        down=np.zeros((n, 2, 2), bool),
        rot=np.zeros((n, joints, 4), np.float32),
        positions=np.zeros((n, joints, 3)),
        row=np.zeros(tables.rows.shape[1], np.float32),
        factors=np.zeros(2 * tables.width + 4, np.float32),
        turns=np.zeros((2, 4, tables.mean.shape[2]), np.float32),
        spans=np.zeros(tables.spans.shape[2], np.float32),
        world=np.zeros((joints, 8), np.float32),
    )


def land(characters: Crowd, which: slice | np.ndarray = slice(None)) -> None:
    """Let go of the floor: for characters that were put somewhere else, so that no foot stays behind."""
    characters.hold[which] = -1
    characters.was[which] = np.nan
    characters.lift[which, 0], characters.lift[which, 1] = characters.floor[which].mean(axis=-1), 0.0
    for state in (characters.shift, characters.offset, characters.speed, characters.slip, characters.grip):
        state[which] = 0.0
