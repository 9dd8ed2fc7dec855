"""Every regular expression of the package gives up in time that grows with the text, not with its square.

The patterns are found in the source, and the texts that would hold them up are made from the patterns themselves: what
must come before a repeat, then the characters it takes, many times over, then one that fits nowhere.
"""

from __future__ import annotations

import ast
import re
import re._constants as sre  # type: ignore[import-untyped]
import re._parser as parser  # type: ignore[import-untyped]
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import footfall
from footfall.io import bvh_motion, text

SOURCES = Path(footfall.__file__).parent
CALLS = ("compile", "search", "match", "fullmatch", "sub", "split", "findall", "finditer")
USES_RE = re.compile(rf"\bre\.(?:{'|'.join(CALLS)})\(")
CALLED = re.compile(r"(\w+)\.(\w+)\(")
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)  # in steps, so that a slow one is found out soon
GROWTH = 1.6  # the power of the text's length that time may grow with: linear is 1, quadratic 2
NOISE_S = 0.02  # below this a time says nothing
STRANGER = "\x01"  # fits no pattern here


class FoundPattern(NamedTuple):
    place: str
    pattern: str | bytes
    flags: int
    searched: bool  # for anywhere in a text; others are tried at one place only


def patterns() -> Iterator[FoundPattern]:
    """Every pattern that the source hands to re; what an f-string puts in is the module's own, or taken to be short."""
    sources = {path: path.read_text("utf-8") for path in sorted(SOURCES.rglob("*.py"))}
    used: dict[str, set[str]] = {}  # what is called of each name, anywhere
    for source in sources.values():
        for name, called_of_it in CALLED.findall(source):
            used.setdefault(name, set()).add(called_of_it)
    for path, source in sources.items():
        if not USES_RE.search(source):
            continue
        tree = ast.parse(source)
        nodes = list(ast.walk(tree))
        names = {id(n.value): ast.unparse(n.targets[0]) for n in nodes if isinstance(n, ast.Assign)}
        for node in nodes:
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in CALLS and ast.unparse(called.value) == "re":
                flags = sum(getattr(re, flag) for flag in re.findall(r"\bre\.([A-Z]+)\b", ast.unparse(node)))
                place = f"{path.relative_to(SOURCES).as_posix()}:{node.lineno}"
                uses = used.get(names[id(node)], set()) if id(node) in names else {called.attr}
                searched = not uses <= {"match", "fullmatch"} or not uses
                yield FoundPattern(place, _literal(node.args[0], tree), flags, searched)


def _literal(node: ast.expr, tree: ast.Module) -> str | bytes:
    if isinstance(node, ast.JoinedStr):
        known = {ast.unparse(n.targets[0]): n.value for n in tree.body if isinstance(n, ast.Assign)}
        parts = [v.value if isinstance(v, ast.FormattedValue) else v for v in node.values]
        parts = [known.get(part.id, part) if isinstance(part, ast.Name) else part for part in parts]
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "name" for part in parts)
    assert isinstance(node, ast.Constant), f"line {node.lineno}: a pattern this test cannot read"
    assert isinstance(node.value, str | bytes)
    return node.value


def hostile(pattern: str | bytes, flags: int, size: int) -> Iterator[str]:
    """Texts that make each repeat of a pattern take all there is, and then fail."""
    written = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    for before, unit in _pumps(list(parser.parse(written, flags)), ""):
        for start in dict.fromkeys((before, "")):
            yield start + unit * (size // len(unit)) + STRANGER
            yield start + unit * (size // len(unit)) + f"{STRANGER} {STRANGER}"
        lead = before + unit
        yield lead * (size // len(lead)) + STRANGER  # the whole beginning again and again


def _pumps(tokens: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """(shortest text before a repeat, what it repeats) for every repeat, also inside others."""
    for kind, value in tokens:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _, most, inside = value
            unit = _shortest(list(inside)) or "a"
            if most > 50:
                yield before, unit
            yield from _pumps(list(inside), before)
        elif kind is sre.SUBPATTERN:
            yield from _pumps(list(value[-1]), before)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from _pumps(list(branch), before)
        before += _shortest([(kind, value)])


def _shortest(tokens: list[Any]) -> str:
    """A short text that these tokens match."""
    made = ""
    for kind, value in tokens:
        if kind is sre.LITERAL:
            made += chr(value)
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            made += _shortest(list(value[2])) * max(value[0], 1)
        elif kind is sre.SUBPATTERN:
            made += _shortest(list(value[-1]))
        elif kind is sre.BRANCH:
            made += _shortest(list(value[1][0]))
        elif kind in (sre.IN, sre.ANY, sre.NOT_LITERAL):
            made += _one_of(kind, value)
    return made


def _one_of(kind: Any, value: Any) -> str:
    letters = "0a .,:A_-'\t{\"lx"
    if kind is sre.IN:
        tested = re.compile("".join(_written(value)))
        return next((c for c in letters if tested.fullmatch(c)), "a")
    return next(c for c in letters if kind is sre.ANY or ord(c) != value)


def _written(members: list[Any]) -> Iterator[str]:
    """A set of characters as it is written."""
    names = {
        sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_WORD: r"\w",
        sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_NOT_WORD: r"\W", sre.CATEGORY_NOT_DIGIT: r"\D",
    }  # fmt: skip
    yield "["
    for kind, value in members:
        if kind is sre.NEGATE:
            yield "^"
        elif kind is sre.LITERAL:
            yield re.escape(chr(value))
        elif kind is sre.RANGE:
            yield f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        else:
            yield names[value]
    yield "]"


def used_s(compiled: re.Pattern[Any], subject: str | bytes, searched: bool) -> float:
    """Processor time of the slowest way to use a pattern: the shorter of two, since other work disturbs one."""

    def once() -> float:
        start = time.process_time()
        compiled.fullmatch(subject)
        for _ in compiled.finditer(subject) if searched else ():
            pass
        return time.process_time() - start

    return min(once(), once())


FOUND = list(patterns())


def test_the_patterns_are_found() -> None:
    assert len(FOUND) > 25
    assert any(found.pattern == text.NUMBER.pattern for found in FOUND)
    assert any(found.pattern == bvh_motion.HALF_NUMBER.pattern for found in FOUND)


@pytest.mark.parametrize("found", FOUND, ids=lambda found: found.place)
def test_time_grows_no_faster_than_the_text(found: FoundPattern) -> None:
    compiled = re.compile(found.pattern, found.flags)
    held_up = grows_too_fast(compiled, found.flags, found.searched)
    assert not held_up, f"{found.pattern!r} is held up by {held_up}"


def grows_too_fast(compiled: re.Pattern[Any], flags: int = 0, searched: bool = True) -> str:
    """What holds a pattern up; empty where nothing does."""
    for number in range(len(list(hostile(compiled.pattern, flags, SIZES[0])))):
        before = 0.0
        for smaller, size in zip((SIZES[0], *SIZES), SIZES, strict=False):
            subject = next(islice(hostile(compiled.pattern, flags, size), number, None))
            subject_of_kind = subject.encode("latin-1", "replace") if is_bytes(compiled) else subject
            now = used_s(compiled, subject_of_kind, searched)
            if now > NOISE_S and now > before * (size / smaller) ** GROWTH:
                return f"{subject[:40]!r}… of {size} characters"
            before = max(now, NOISE_S / 5)
    return ""


def is_bytes(compiled: re.Pattern[Any]) -> bool:
    return isinstance(compiled.pattern, bytes)


@pytest.mark.parametrize(
    "slow", [r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", r"(a|b)\s*:?\s*(\S*)\s*$", r"\s+x"]
)
def test_slow_patterns_are_found_out(slow: str) -> None:
    assert grows_too_fast(re.compile(slow))
