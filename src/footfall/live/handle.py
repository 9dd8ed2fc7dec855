"""Handle: everything a frame needs behind one reference.

Some hundred arrays take longer to hand over than to use: from Python to a kernel, and from one kernel to the next. A
reference is one pointer; what is not used is not read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types
from numba.experimental import structref

from footfall.core.kernels import is_compiled, kernel
from footfall.feet.live_body import LiveBody
from footfall.live.clock import EdgeTables
from footfall.live.packed_weights import PackedWeights
from footfall.live.rows import CharacterRows, Room
from footfall.live.steering import SteeringTables
from footfall.parametric.packed import MotionTables


@structref.register
class TablesType(types.StructRef):
    """numba's type of a reference to motion tables."""


@structref.register
class BodyType(types.StructRef):
    """numba's type of a reference to a body."""


@structref.register
class EdgesType(types.StructRef):
    """numba's type of a reference to edge tables."""


@structref.register
class SteeringType(types.StructRef):
    """numba's type of a reference to steering tables."""


@structref.register
class WeightsType(types.StructRef):
    """numba's type of a reference to packed weights."""


@structref.register
class RowsType(types.StructRef):
    """numba's type of a reference to rows of characters."""


@structref.register
class RoomType(types.StructRef):
    """numba's type of a reference to the room of a thread."""


@structref.register
class HandleType(types.StructRef):
    """numba's type of a reference to all of them."""


class _Reference(structref.StructRefProxy):
    """What Python holds of a reference: nothing can be read through it."""


class TablesReference(_Reference):
    """A reference to motion tables."""


class BodyReference(_Reference):
    """A reference to a body."""


class EdgesReference(_Reference):
    """A reference to edge tables."""


class SteeringReference(_Reference):
    """A reference to steering tables."""


class WeightsReference(_Reference):
    """A reference to packed weights."""


class RowsReference(_Reference):
    """A reference to rows of characters."""


class RoomReference(_Reference):
    """A reference to the room of a thread."""


class HandleReference(_Reference):
    """A reference to all of them."""


class Handle(NamedTuple):
    """What a handle leads to."""

    tables: MotionTables
    body: LiveBody
    edges: EdgeTables
    steering: SteeringTables
    weights: PackedWeights
    rows: CharacterRows
    room: Room


_TABLES = tuple(name for name in MotionTables._fields if name != "body")
_FIELDS = {
    TablesReference: (TablesType, _TABLES), BodyReference: (BodyType, LiveBody._fields),
    EdgesReference: (EdgesType, EdgeTables._fields), SteeringReference: (SteeringType, SteeringTables._fields),
    WeightsReference: (WeightsType, PackedWeights._fields), RowsReference: (RowsType, CharacterRows._fields),
    RoomReference: (RoomType, Room._fields), HandleReference: (HandleType, Handle._fields),
}  # fmt: skip
for _proxy, (_type, _names) in _FIELDS.items():
    structref.define_proxy(_proxy, _type, _names)


def reference(handle: Handle) -> Any:
    """What kernels take for a handle: one pointer; without a compiler the handle itself."""
    if not is_compiled():
        return handle
    tables = tuple(getattr(handle.tables, name) for name in _TABLES)
    return _refer(tables, *(tuple(group) for group in handle[1:]))


@kernel
def _refer(tables: Any, body: Any, edges: Any, steering: Any, weights: Any, rows: Any, room: Any) -> Any:
    """The references, made in a kernel because a kernel is kept on disk."""
    return HandleReference(TablesReference(*tables), BodyReference(*body), EdgesReference(*edges),
                           SteeringReference(*steering), WeightsReference(*weights), RowsReference(*rows),
                           RoomReference(*room))  # fmt: skip
