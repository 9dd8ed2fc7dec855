"""Text files as people really have them: any line end, a byte-order mark, old encodings, numbers checked one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from footfall.io.raw import Reading

BOM = b"\xef\xbb\xbf"
# No two repeats in a row take the same characters: a long word that is no number is given up in one pass over it.
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
LARGEST = 1e9  # no unit of length or angle gives a body values like this: such a number is damage
_LINE_END = re.compile("\r\n|\r|\n")


def read_text(reading: Reading) -> str:
    """The whole file as text."""
    return decode(reading, reading.path.read_bytes())


def decode(reading: Reading, data: bytes) -> str:
    """Bytes to text: without byte-order mark, UTF-8, or else latin-1 (which cannot fail) with a warning."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise reading.fail(1, "UTF-8 text", "UTF-16 text", "save it again as UTF-8")
    data = data.removeprefix(BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(data[: error.start].decode("latin-1"))) + 1
        reading.warn(line, "not UTF-8 text; read as latin-1")
        return data.decode("latin-1")


def parse_json(reading: Reading, text: str | bytes, place: str = "", what: str = "JSON") -> Any:
    """JSON as its standard has it: without NaN and Infinity. A fault is told by its line, or by the place given."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise reading.fail(place or error.lineno, what, f"{error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise reading.fail(place, "JSON of sensible depth", "very deep nesting") from error
    except ValueError as error:
        raise reading.fail(place, "plain JSON", f"{error}") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which JSON does not have")


def split_lines(text: str) -> list[str]:
    """Lines ended by LF, CRLF or CR; str.splitlines would also break at form feeds and other rarities."""
    return _LINE_END.split(text)


def unique_names(names: Sequence[str]) -> list[str]:
    """Later ones of the same name get _2, _3, … that no other has: roles, editing and formats find joints by name."""
    taken, seen, made = set(names), dict.fromkeys(names, 0), []
    for name in names:
        seen[name] += 1
        while (unique := name if seen[name] == 1 else f"{name}_{seen[name]}") != name and unique in taken:
            seen[name] += 1
        taken.add(unique)
        made.append(unique)
    return made


def number(reading: Reading, place: str | int, token: str, what: str = "a number") -> float:
    """A decimal number, finite and of sane size; float() alone would take nan, inf and underscores."""
    if not NUMBER.fullmatch(token):
        raise reading.fail(place, what, shown(token), cure_for(token))
    value = float(token)
    if not abs(value) < LARGEST:
        raise reading.fail(place, f"{what} below {LARGEST:g}", shown(token))
    return value


def integer(reading: Reading, place: str | int, token: str, what: str = "a whole number") -> int:
    if not INTEGER.fullmatch(token):
        raise reading.fail(place, what, shown(token))
    return int(token)


def cure_for(token: str) -> str:
    """What probably happened to a number that is none."""
    if "," in token and NUMBER.fullmatch(token.replace(",", ".")):
        return "decimal comma? export it again with decimal points"
    if token.lower().lstrip("+-") in ("nan", "inf", "infinity") or token.lower().lstrip("+-").startswith("nan("):
        return "the exporter computed no number there; export it again or remove that frame"
    return ""


def shown(token: str, limit: int = 40) -> str:
    """A piece of a file as an error message may show it: printable and short."""
    if not token:
        return "nothing"
    clean = "".join(c if c.isprintable() else "?" for c in token[: limit + 1])
    return repr(clean[:limit] + "…") if len(token) > limit else repr(clean)
