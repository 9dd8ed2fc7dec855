"""Text files as people really have them: any line end, a byte-order mark, old encodings, numbers checked one by one."""

from __future__ import annotations

import re

from footfall.io.raw import Reading

BOM = b"\xef\xbb\xbf"
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
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


def split_lines(text: str) -> list[str]:
    """Lines ended by LF, CRLF or CR; str.splitlines would also break at form feeds and other rarities."""
    return _LINE_END.split(text)


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
