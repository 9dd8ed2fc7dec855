"""References: tuples of arrays behind one pointer, for kernels that need many of them.

A hundred arrays take longer to hand over than to use: from Python to a kernel, and from one kernel to the next. Through
a reference a kernel reads `tables.rows` as it would from the tuple, one array at a time, when it is used; nothing is
counted and nothing copied. The reference keeps the arrays alive in Python, and must itself be kept while kernels run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core.datamodel import models
from numba.core.extending import NativeValue, infer_getattr, lower_getattr_generic, register_model, unbox
from numba.core.typing.templates import AttributeTemplate

from footfall.core.kernels import is_compiled

WORD = ir.IntType(64)
PLAIN_WORDS = 5  # that numba keeps of an array before its shape and strides: two owners, size, bytes an item, address


class ReferenceType(types.Type):
    """numba's type of a reference: the types of what it leads to, by name, in order."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        self.places: dict[str, tuple[int, Any]] = {}  # at which word a field begins, and its type
        at = 0
        for field, kind in fields:
            self.places[field] = at, kind
            at += PLAIN_WORDS + 2 * kind.ndim if isinstance(kind, types.Array) else 1
        super().__init__(name=f"reference({name}: {', '.join(f'{field} {kind}' for field, kind in fields)})")


class Reference:
    """A tuple of arrays, and of other such tuples, as kernels take it."""

    address: int
    _numba_type_: ReferenceType  # the name that numba looks for

    def __init__(self, to: Any) -> None:
        fields: list[tuple[str, Any]] = []
        words: list[int] = []
        kept: list[Any] = []
        for name, value in to._asdict().items():
            if isinstance(value, tuple):
                inner = Reference(value)
                kept.append(inner)
                fields.append((name, inner._numba_type_))
                words.append(inner.address)
            else:
                assert value.flags.c_contiguous, name
                kept.append(value)
                fields.append((name, types.Array(from_dtype(value.dtype), value.ndim, "C")))
                words += [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
        self._kept, self._words = kept, np.array(words, np.int64)
        self.address = self._words.ctypes.data
        self._numba_type_ = ReferenceType(type(to).__name__, tuple(fields))


def reference(to: Any) -> Any:
    """What kernels take for a tuple of arrays: a reference; without a compiler the tuple itself."""
    return Reference(to) if is_compiled() else to


@register_model(ReferenceType)
class _ReferenceModel(models.OpaqueModel):
    """A pointer."""


@infer_getattr
class _ReferenceAttribute(AttributeTemplate):
    """reference.name"""

    key = ReferenceType

    def generic_resolve(self, value: ReferenceType, attr: str) -> Any:  # type: ignore[override]
        return value.places[attr][1] if attr in value.places else None


@lower_getattr_generic(ReferenceType)
def _read(context: Any, builder: Any, of: ReferenceType, pointer: Any, name: str) -> Any:
    """The words of one field."""
    at, kind = of.places[name]
    word = builder.gep(builder.bitcast(pointer, WORD.as_pointer()), [ir.Constant(WORD, at)])
    return builder.load(builder.bitcast(word, context.get_value_type(kind).as_pointer()))


@unbox(ReferenceType)
def _address(kind: ReferenceType, given: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(given, "address")
    pointer = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(pointer)
