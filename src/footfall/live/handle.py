"""Handle: everything a frame of live characters needs, as its kernels take it (`core.references`)."""

from __future__ import annotations

from typing import NamedTuple

from footfall.live.clock import EdgeTables
from footfall.live.packed_weights import PackedWeights
from footfall.live.rows import CharacterRows, Room
from footfall.live.steering import SteeringTables
from footfall.parametric.packed import MotionTables


class Handle(NamedTuple):
    """What a handle leads to: what all characters share, their rows, and the room of one thread."""

    tables: MotionTables
    edges: EdgeTables
    steering: SteeringTables
    weights: PackedWeights
    rows: CharacterRows
    room: Room
