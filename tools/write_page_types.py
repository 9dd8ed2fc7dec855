"""The page's types, written from the studio's messages: `python tools/write_page_types.py` rewrites messages.ts."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import FieldInfo, fields

from footfall.studio import messages

TARGET = Path(messages.__file__).parent / "page" / "src" / "messages.ts"
NAMED = ("Phase", "Grade", "Change", "ToServer", "ToPage")  # unions that keep their name
SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", bytes: "string", type(None): "null"}
HEAD = """// Generated from messages.py by `python tools/write_page_types.py`: change it there.
// A field of a message to the server that has a default may be left out; the page always gets every field.
"""


def type_text(kind: Any, named: dict[Any, str]) -> str:
    """A Python annotation in TypeScript."""
    if kind in named:
        return named[kind]
    if kind in SIMPLE:
        return SIMPLE[kind]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind.__name__
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(part, named) for part in arguments)
    if origin is dict:
        return f"Readonly<Record<{type_text(arguments[0], named)}, {type_text(arguments[1], named)}>>"
    if origin is tuple and arguments[-1] is Ellipsis:
        item = type_text(arguments[0], named)
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    if origin is tuple:
        return f"readonly [{', '.join(type_text(part, named) for part in arguments)}]"
    raise TypeError(f"messages.py has a field of type {kind!r}, for which write_page_types.py has no rule; add one")


def structs_in(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """Every struct that a type holds, its own fields' too."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from structs_in(hint)
        return
    for part in get_args(kind):
        yield from structs_in(part)


def interface_text(struct: type[msgspec.Struct], named: dict[Any, str], may_omit: bool) -> str:
    """One struct as an interface."""
    config = struct.__struct_config__
    hints = get_type_hints(struct)
    lines = [f"/** {(struct.__doc__ or '').strip()} */", f"export interface {struct.__name__} {{"]
    if config.tag_field is not None:
        lines.append(f'  readonly {config.tag_field}: "{config.tag}";')
    for field in fields(struct):
        optional = "?" if may_omit and has_default(field) else ""
        lines.append(f"  readonly {field.encode_name}{optional}: {type_text(hints[field.name], named)};")
    return "\n".join([*lines, "}"])


def has_default(field: FieldInfo) -> bool:
    """Whether a field may be left out when a message is read."""
    return field.default is not msgspec.NODEFAULT or field.default_factory is not msgspec.NODEFAULT


def definitions(used: set[type[msgspec.Struct]]) -> Iterator[tuple[str, Any]]:
    """Names and what they stand for, in the order of the files: first those that messages.py is made of."""
    told: set[str] = set()
    for module in (*sorted({struct.__module__ for struct in used} - {messages.__name__}), messages.__name__):
        for name, value in vars(sys.modules[module]).items():
            own = name in NAMED or getattr(value, "__module__", None) == module
            if own and name not in told:
                told.add(name)
                yield name, value


def messages_text() -> str:
    """The whole of messages.ts."""
    named = {getattr(messages, name): name for name in NAMED}
    to_server = set(structs_in(messages.ToServer))
    used = to_server | set(structs_in(messages.ToPage))
    parts = [HEAD]
    for name, value in definitions(used):
        if name in NAMED:
            rest = {kind: other for kind, other in named.items() if other != name}
            parts.append(f"export type {name} = {type_text(value, rest)};")
        elif isinstance(value, type) and value in used:
            parts.append(interface_text(value, named, value in to_server))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(messages_text(), "utf-8", newline="\n")
