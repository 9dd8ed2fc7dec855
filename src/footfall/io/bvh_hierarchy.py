"""The HIERARCHY part of a BVH file: joints, offsets, end sites and which column of a row turns or moves what.

Statements are read line by line with a stack of open joints (never by recursion), so that every complaint has a line
and a chain may be thousands of joints deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.core.skeleton import MAX_JOINTS
from footfall.io.raw import Reading
from footfall.io.text import integer, number, shown, split_lines, unique_names

CHANNEL = re.compile(r"([xyz])(position|rotation)", re.IGNORECASE)
END_SITE = re.compile(r"end\s*site\b", re.IGNORECASE)
_BRACE = re.compile(r"(?:(?<=\s)|^)[{}](?=\s|$)|[{}]$")  # braces on their own, or ending a line: "ROOT Hips{"


class BvhChannel(NamedTuple):
    """One column of a motion row: it moves or turns a joint along or about an axis (0, 1, 2 for X, Y, Z)."""

    column: int
    turns: bool
    axis: int


@dataclass
class Joint:
    name: str
    parent: int  # index in the same tree, -1 for its root
    line: int
    offset: tuple[float, float, float] | None = None
    channels: list[BvhChannel] | None = None
    is_end: bool = False
    is_parent: bool = False


@dataclass
class BvhTree:
    """One ROOT with everything below it, parent first, as the file has it (end sites included, in `ends`)."""

    line: int
    joints: list[Joint] = field(default_factory=list)
    ends: list[Joint] = field(default_factory=list)

    @property
    def width(self) -> int:
        return sum(len(j.channels or ()) for j in self.joints)

    def offsets(self) -> np.ndarray:  # (J, 3)
        return np.array([j.offset for j in self.joints], float).reshape(-1, 3)


def parse_hierarchy(reading: Reading, text: str) -> list[BvhTree]:
    """Every tree of the text that stands before MOTION; the columns of later trees follow those of earlier ones."""
    parser = _Parser(reading)
    last = 1
    statements = _statements(text)
    first = next(statements, None)
    if first is None or first[1].upper() != "HIERARCHY":
        raise reading.fail(first[0] if first else 1, "HIERARCHY", shown(first[1]) if first else "an empty file")
    for line, statement in statements:
        parser.take(line, statement)
        last = line
    if parser.stack or parser.pending:
        depth = len(parser.stack) + (parser.pending is not None)
        line = len(split_lines(text))  # that of MOTION, or the end of the file
        raise reading.fail(line, f"{depth} more '}}'", "the hierarchy still open there")
    if not parser.trees:
        raise reading.fail(last, "ROOT", "no joints at all")
    if parser.fixed:
        reading.warn(parser.fixed[0].line, f"no CHANNELS, so they never turn: {_listed(parser.fixed)}")
    for tree in parser.trees:
        _unique_names(reading, tree)
    return parser.trees


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """(line number, statement), braces always alone."""
    for line, content in enumerate(split_lines(text), 1):
        content = content.strip()
        if not content:
            continue
        if content in ("{", "}") or ("{" not in content and "}" not in content):  # nearly always; spares the search
            yield line, content
            continue
        start = 0
        for brace in _BRACE.finditer(content):
            if before := content[start : brace.start()].strip():
                yield line, before
            yield line, brace.group()
            start = brace.end()
        if rest := content[start:].strip():
            yield line, rest


class _Parser:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.trees: list[BvhTree] = []
        self.stack: list[tuple[Joint, int]] = []  # open joints with their index, innermost last
        self.pending: Joint | None = None  # declared, its "{" still to come
        self.fixed: list[Joint] = []  # joints without CHANNELS
        self.known: dict[tuple[str, ...], list[tuple[bool, int]]] = {}
        self.columns = 0
        self.joints = 0

    def take(self, line: int, statement: str) -> None:
        """One statement: a keyword of any case and what follows it, or a brace."""
        keyword, *more = statement.split(None, 1)
        keyword, rest = keyword.upper(), more[0] if more else ""
        if self.pending is not None:
            if statement != "{":
                raise self.reading.fail(line, "'{'", shown(statement), f"after {shown(self.pending.name)}")
            self._open()
        elif statement == "}":
            self._close(line)
        elif keyword == "ROOT" and not self.stack:
            self.trees.append(BvhTree(line))
            self._declare(line, rest, parent=-1)
        elif not self.stack:
            raise self.reading.fail(line, "ROOT or MOTION", shown(statement))
        elif self.stack[-1][0].is_end and keyword not in ("OFFSET", "CHANNELS"):
            raise self.reading.fail(line, "OFFSET or '}' in an End Site", shown(statement))
        elif keyword == "JOINT":
            self._declare(line, rest, parent=self.stack[-1][1])
        elif END_SITE.match(statement):
            self.pending = Joint("End Site", self.stack[-1][1], line, is_end=True)
        elif keyword == "OFFSET":
            self._offset(line, rest.split())
        elif keyword == "CHANNELS":
            self._channels(line, rest.split())
        else:
            raise self.reading.fail(line, "OFFSET, CHANNELS, JOINT, End Site or '}'", shown(statement))

    def _declare(self, line: int, name: str, parent: int) -> None:
        self.joints += 1
        if self.joints > MAX_JOINTS:
            raise self.reading.fail(line, f"at most {MAX_JOINTS} joints", "more")
        if not name:
            name = f"joint{self.joints}"
            self.reading.warn(line, f"a joint without a name; called {name!r}")
        if parent >= 0:
            self.stack[-1][0].is_parent = True
        self.pending = Joint(name, parent, line)

    def _open(self) -> None:
        joint, self.pending = self.pending, None
        assert joint is not None
        tree = self.trees[-1]
        if joint.is_end:
            tree.ends.append(joint)
            self.stack.append((joint, -1))
        else:
            tree.joints.append(joint)
            self.stack.append((joint, len(tree.joints) - 1))

    def _close(self, line: int) -> None:
        if not self.stack:
            raise self.reading.fail(line, "ROOT or MOTION", "one '}' too many")
        joint, _ = self.stack.pop()
        if joint.offset is None:
            if not joint.is_end:
                raise self.reading.fail(line, f"an OFFSET for {shown(joint.name)}", "'}'")
            self.reading.warn(joint.line, "an End Site without OFFSET; taken as zero")
            joint.offset = (0.0, 0.0, 0.0)
        if joint.channels is None:
            if not joint.is_end:
                self.fixed.append(joint)
            joint.channels = []

    def _offset(self, line: int, words: list[str]) -> None:
        joint = self.stack[-1][0]
        if joint.offset is not None:
            raise self.reading.fail(line, f"one OFFSET for {shown(joint.name)}", "a second one")
        if len(words) != 3:
            raise self.reading.fail(line, "3 OFFSET values", str(len(words)))
        x, y, z = (number(self.reading, line, w, "an OFFSET number") for w in words)
        joint.offset = (x, y, z)

    def _channels(self, line: int, words: list[str]) -> None:
        joint = self.stack[-1][0]
        if joint.channels is not None:
            raise self.reading.fail(line, f"one CHANNELS list for {shown(joint.name)}", "a second one")
        count = integer(self.reading, line, words[0] if words else "", "the number of CHANNELS")
        names = words[1:]
        if count != len(names):
            raise self.reading.fail(line, f"{count} channel names after CHANNELS {count}", str(len(names)))
        if joint.is_parent:
            told = f"CHANNELS of {shown(joint.name)} come after its children; its values are read in that order"
            self.reading.warn(line, told)
        if joint.is_end and names:
            raise self.reading.fail(line, "no CHANNELS in an End Site", shown(names[0]))
        kinds = self._kinds(line, tuple(names))
        joint.channels = [BvhChannel(column, *kind) for column, kind in enumerate(kinds, self.columns)]
        self.columns += len(kinds)

    def _kinds(self, line: int, names: tuple[str, ...]) -> list[tuple[bool, int]]:
        """(turns, axis) of each channel; most joints have the same, so they are looked up once."""
        if names in self.known:
            return self.known[names]
        kinds: list[tuple[bool, int]] = []
        for name in names:
            match = CHANNEL.fullmatch(name)
            if not match:
                raise self.reading.fail(line, "channels named [XYZ]position or [XYZ]rotation", shown(name))
            kinds.append((match[2].lower() == "rotation", "xyz".index(match[1].lower())))
        if len(set(kinds)) != len(kinds):
            raise self.reading.fail(line, "each channel once", shown(" ".join(names), 90))
        self.known[names] = kinds
        return kinds


def _unique_names(reading: Reading, tree: BvhTree) -> None:
    given = [joint.name for joint in tree.joints]
    for joint, name in zip(tree.joints, unique_names(given), strict=True):
        joint.name = name
    renamed = [joint for joint, name in zip(tree.joints, given, strict=True) if joint.name != name]
    if renamed:
        told = f"{len(renamed)} joints repeat an earlier name; renamed to {_listed(renamed)}"
        reading.warn(renamed[0].line, told)


def _listed(joints: list[Joint]) -> str:
    return ", ".join(shown(j.name) for j in joints[:5]) + (", …" if len(joints) > 5 else "")
