"""The kernels of live characters by themselves: any number of characters, any mix of motions, without a state machine.

`step` is one whole frame: weights as the motions' own fits have them, then the kernels of `live.clock` and
`live.frame`. The stateless parts below it give new arrays. `oracles.plain_frame` does the same in readable numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.kernels import kernel
from footfall.core.pose import Pose
from footfall.core.references import reference
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_positions
from footfall.live.clock import EdgeTables, advance_one
from footfall.live.frame import ShownPoses, pose_rows
from footfall.live.handle import Handle
from footfall.live.packed_weights import pack_weights
from footfall.live.rows import CharacterRows, new_room, new_rows
from footfall.live.rows import land as let_go
from footfall.live.steering import SteeringTables
from footfall.parametric.packed import MotionTables
from footfall.parametric.packing import pack as pack_motions
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.sampling import travel_at

LONGEST_S = 60.0  # of one step


@dataclass(frozen=True, eq=False)
class PackedMotions:
    """Packed motions that still know what they were packed from."""

    tables: MotionTables
    motions: tuple[ParametricMotion, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(motion.name for motion in self.motions)

    @property
    def skeleton(self) -> Skeleton:
        return self.motions[0].skeleton

    @property
    def width(self) -> int:
        """Examples of a motion, padded."""
        return self.tables.width


class Characters:
    """Rows of characters, the parameters that are wanted of their layers, and what they show."""

    def __init__(self, packed: PackedMotions, count: int) -> None:
        most = max(max(len(motion.parameter_names) for motion in packed.motions), 1)
        self.rows = new_rows(packed.tables, count, most)
        self.wanted = np.zeros((count, 2, most))
        joints = len(packed.skeleton)
        self.shown = ShownPoses(np.zeros((count, 3)), np.zeros((count, joints, 4)))
        self.skeleton = packed.skeleton
        none = np.zeros((1, most))
        numbers = np.zeros(len(packed.motions), np.int64)
        steering = SteeringTables(
            **dict.fromkeys(("begin", "axes", "cover", "kind", "first", "last"), numbers), corners=np.zeros((1, 4)),
            source=none.astype(np.int64),
            **dict.fromkeys(("scale", "low", "high", "usual", "limit", "least", "most"), none),
        )  # fmt: skip
        edges = EdgeTables(*np.zeros((7, 1), np.int64))
        weights = pack_weights(packed.motions[:1], most)
        self.handle = reference(Handle(packed.tables, edges, steering, weights, self.rows,
                                       new_room(packed.tables, most)))  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shown if name in ShownPoses._fields else self.rows, name)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((*self.rows, *self.shown, self.wanted))

    @property
    def positions(self) -> np.ndarray:
        """(N, J, 3) world."""
        return world_positions(self.skeleton, Pose(self.root_pos, self.rot))


def pack(motions: Sequence[ParametricMotion]) -> PackedMotions:
    """Motions with weights, ready for kernels."""
    return PackedMotions(pack_motions(motions), tuple(motions))


def crowd(packed: PackedMotions, count: int) -> Characters:
    """Characters at rest at the origin, in motion 0 at its start."""
    return Characters(packed, count)


def land(characters: Characters, which: slice | np.ndarray = slice(None)) -> None:
    """Let go of the floor."""
    let_go(characters.rows, which)


def step(packed: PackedMotions, characters: Characters, dt_s: float, lock: bool = True) -> None:
    """One frame: weights, clock, root, sampling, blending, foot lock (where asked for), forward kinematics."""
    go(packed, characters, dt_s)
    pose(packed, characters, dt_s, lock)


def go(packed: PackedMotions, characters: Characters, dt_s: float) -> None:
    """The first half of a step: weights, clock and root."""
    _check(packed, characters.rows, dt_s)
    weigh(packed, characters)
    layered(characters)
    advance_all(characters.handle, len(characters.share), float(dt_s))


def pose(packed: PackedMotions, characters: Characters, dt_s: float, lock: bool = True) -> None:
    """The second half: poses at the present times and weights; dt_s is for the easing of feet."""
    _check(packed, characters.rows, dt_s)
    layered(characters)
    pose_rows(characters.handle, 0, len(characters.share), characters.shown, float(dt_s), lock)


def layered(characters: Characters) -> None:
    """Two layers play where the first has not all the share."""
    characters.layers[:] = np.where(characters.share < 1.0, 2, 1)


def weigh(packed: PackedMotions, characters: Characters) -> None:
    """The weights of every layer at what is wanted of it."""
    for k, motion in enumerate(packed.motions):
        for v in range(2):
            some = np.flatnonzero((characters.motion[:, v] == k) & ((v == 0) | (characters.share < 1.0)))
            if len(some):
                characters.weights[some, v] = weights_of(
                    packed, np.full(len(some), k), _own(characters, motion, some, v)
                )


def _own(characters: Characters, motion: ParametricMotion, some: np.ndarray, v: int) -> np.ndarray:
    return np.asarray(characters.wanted[some, v, : len(motion.parameter_names)])


def _check(packed: PackedMotions, characters: CharacterRows, dt_s: float) -> None:
    if not 0.0 <= dt_s <= LONGEST_S:
        raise ParameterError(f"a step lasts 0 to {LONGEST_S:g} s, got {dt_s}")
    bad = np.flatnonzero(((characters.motion < 0) | (characters.motion >= len(packed.names))).any(axis=1))
    if len(bad):
        raise ParameterError(
            f"character {bad[0]} plays motion {characters.motion[bad[0]].tolist()}, there are 0 to "
            f"{len(packed.names) - 1}"
        )


def weights_of(packed: PackedMotions, motion: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(N, E) float32 weights of motions (N,) at parameters (N, d), each motion's own first; NaN where p is none."""
    which, p = _motions(packed, motion), np.atleast_2d(np.asarray(p, float))
    out = np.zeros((len(which), packed.width), np.float32)
    for k in np.unique(which):
        own, here = packed.motions[k], which == k
        finite = here & np.isfinite(p).all(axis=1)
        out[here & ~finite] = np.nan
        if finite.any():
            out[finite, : len(own)] = own.weights(p[finite, : len(own.parameter_names)])
    return out


def advance(
    packed: PackedMotions, motion: np.ndarray, t: np.ndarray, weights: np.ndarray, dt_s: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Canonical times (N,) dt_s seconds after t (N,), rounds of loops begun meanwhile (N,), and rates (N,)."""
    which = _motions(packed, motion)
    some = crowd(packed, len(which))
    some.motion[:] = which[:, None]
    some.t[:] = np.asarray(t, float).reshape(-1, 1)
    some.weights[:, 0] = _weights(packed, weights, len(which))
    advance_all(some.handle, len(which), float(dt_s))
    return some.t[:, 0], some.laps[:, 0], some.rate[:, 0]


def travel(
    packed: PackedMotions, motion: np.ndarray, start: np.ndarray, end: np.ndarray, laps: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """(N, 3) forward, left and turn of carriers from canonical times start (N,) to end (N,), laps (N,) rounds on."""
    which = _motions(packed, motion)
    out = np.empty((len(which), 3))
    spans = np.stack([np.asarray(values, float) for values in (start, end, laps)], axis=-1)
    _travel_all(packed.tables, which, spans, _weights(packed, weights, len(which)), out)
    return out


def evaluate(
    packed: PackedMotions, motion: np.ndarray, t: np.ndarray, weights: np.ndarray, share: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Local rotations (N, J, 4) float32 and root places (N, 3) of two layers each, feet not locked.

    motion and t (N, 2), weights (N, 2, E), share (N,) of layer 0, root (N, 3): x, z and heading of the carrier.
    """
    share = np.atleast_1d(share)
    some = crowd(packed, len(share))
    for into, values in zip((some.motion, some.t, some.share, some.root), (motion, t, share, root), strict=True):
        into[...] = values
    some.weights[..., : np.shape(weights)[-1]] = weights
    pose(packed, some, 0.0, lock=False)
    return some.rot, some.root_pos


def _motions(packed: PackedMotions, motion: np.ndarray) -> np.ndarray:
    which = np.atleast_1d(np.asarray(motion, np.int64))
    if which.size and not (which.min() >= 0 and which.max() < len(packed.names)):
        raise ParameterError(f"motions are 0 to {len(packed.names) - 1}, got {which.min()} to {which.max()}")
    return which


def _weights(packed: PackedMotions, weights: np.ndarray, count: int) -> np.ndarray:
    out = np.zeros((count, packed.width), np.float32)
    weights = np.atleast_2d(weights)
    out[:, : weights.shape[1]] = weights
    return out


@kernel(_nrt=False)
def advance_all(handle: Any, count: int, dt: float) -> None:
    """Clock and root of all characters."""
    for n in range(count):
        advance_one(handle, n, dt)


@kernel(_nrt=False)
def _travel_all(tables: Any, which: Any, spans: Any, weights: Any, out: Any) -> None:
    for n in range(len(which)):
        k = which[n]
        first, count, cells = tables.first_mean[k], tables.count[k], tables.cells[k]
        a = travel_at(tables.travel, first, cells, weights[n], count, spans[n, 0])
        b = travel_at(tables.travel, first, cells, weights[n], count, spans[n, 1])
        whole = travel_at(tables.travel, first, cells, weights[n], count, 1.0)
        for i in range(3):
            out[n, i] = b[i] - a[i] + spans[n, 2] * whole[i]
