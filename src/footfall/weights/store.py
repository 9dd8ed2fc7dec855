"""Fitted weights as plain arrays, for files that hold them, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import UnionType
from typing import Any, get_args, get_type_hints

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.registry import member
from footfall.weights.examples import Measure
from footfall.weights.weights import FAMILY, FittedWeights

VERSION = 2  # 1: inverse blending kept its measured examples in the caller's units; places were not known


def to_arrays(fitted: FittedWeights) -> dict[str, np.ndarray]:
    """Everything a fitted method holds, by name; a measure, being code, is left out."""
    return {"version": np.array(VERSION), "method": np.array(fitted.name), **_flat(fitted, "")}


def from_arrays(arrays: Mapping[str, np.ndarray], measure: Measure | None = None) -> FittedWeights:
    """The fitted method again; inverse blending needs its measure."""
    if "method" not in arrays or int(arrays.get("version", -1)) > VERSION:
        raise ParameterError(f"stored weights need a method and a version up to {VERSION}")
    module = member(FAMILY, str(arrays["method"]), "weight method")
    kind = next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, FittedWeights) and value.__module__ == module.__name__
    )
    found = _built(kind, arrays, "", measure)
    assert isinstance(found, FittedWeights)
    if int(arrays["version"]) < 2 and "measured" in arrays:
        return replace(found, measured=found.examples.units(np.asarray(arrays["measured"])))  # type: ignore[call-arg]
    return found


def _flat(thing: Any, prefix: str) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if is_dataclass(value):
            found |= _flat(value, f"{prefix}{field.name}.")
        elif field.name == "constraints":
            rows = [[c.priority, c.scale, *c.columns] for c in value]
            width = max((len(row) for row in rows), default=2)
            found[prefix + field.name] = np.array([row + [-1] * (width - len(row)) for row in rows]).reshape(-1, width)
        elif not callable(value) and value is not None:
            found[prefix + field.name] = np.asarray(value)
    return found


def _built(kind: type, arrays: Mapping[str, np.ndarray], prefix: str, measure: Measure | None) -> Any:
    values: dict[str, Any] = {}
    hints = get_type_hints(kind)
    for field in fields(kind):
        hint, key = hints[field.name], prefix + field.name
        if isinstance(hint, UnionType) and field.name != "measure":  # something or nothing
            hint = next(h for h in get_args(hint) if h is not type(None))
            if not any(name == key or name.startswith(key + ".") for name in arrays):
                values[field.name] = None
                continue
        if is_dataclass(hint) and isinstance(hint, type):
            values[field.name] = _built(hint, arrays, key + ".", measure)
        elif field.name == "measure":
            values[field.name] = measure
        elif key not in arrays:
            raise ParameterError(f"stored weights lack {key!r}")
        elif field.name == "constraints":
            values[field.name] = _constraints(np.asarray(arrays[key]))
        else:
            array = np.asarray(arrays[key])
            values[field.name] = array if hint is np.ndarray else hint(array.item())
    return kind(**values)


def _constraints(rows: np.ndarray) -> tuple[Any, ...]:
    from footfall.weights.methods.inverse_blending import Constraint

    return tuple(Constraint(tuple(int(c) for c in row[2:] if c >= 0), float(row[0]), float(row[1])) for row in rows)
