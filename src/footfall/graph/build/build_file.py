"""Build files: what a graph is built from, as a person reads and edits it: one row for every cycle, change and action.

A row names a stretch of a recording (file, from, to in seconds), what it is taken for, and whether it is used; what
footfall measured, and why it did not use a row, stands beside it. Rows may be changed, switched off (use: false) or
added; `footfall graph build my.graph` builds from them. The built graph lies beside it as my.graph.npz.
"""

from __future__ import annotations

import io
import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from footfall.analysis.summary import short
from footfall.core.errors import ReadError
from footfall.io.plain_file import is_file, is_there, read_json

FORMAT = "footfall graph build"
VERSION = 1
SUFFIX = ".graph"  # of a build file
MOST_BYTES = 8 << 20
MOST_ROWS = 20_000
MOST = 1e6  # of a number: seconds, speeds and turns stay far below
ABOUT = (
    "Change label, from, to, mirrored or use, or add rows, then: footfall graph build THIS_FILE. Times are seconds, "
    "speeds m/s, turns degrees a second to the left. Rows without use: true are not in the graph; why says the reason."
)


@dataclass(frozen=True)
class Stretch:
    """A stretch of a recording."""

    file: str  # path inside the folder
    start_s: float
    end_s: float
    clip: str = ""  # animation, where a file holds several
    use: bool = True
    why: str = ""  # it is not used

    @property
    def key(self) -> tuple[str, str, float, float]:
        return self.file, self.clip, self.start_s, self.end_s

    @property
    def name(self) -> str:
        stem = Path(self.file).stem if not self.clip else f"{Path(self.file).stem} {self.clip}"
        return f"{stem}@{self.start_s:.2f}s"


@dataclass(frozen=True)
class CycleRow(Stretch):
    """A gait cycle or a stretch of standing."""

    label: str = ""
    mirrored: bool = True
    measured: Mapping[str, float] = field(default_factory=dict)  # speed, turn, side, closing, …


@dataclass(frozen=True)
class TurnedRow(Stretch):
    """A cycle to be laid along a bend: made where nobody was recorded turning."""

    label: str = ""
    turn: float = 0.0
    measured: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ChangeRow(Stretch):
    """A recorded change from one label to another."""

    before: str = ""
    after: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)  # speed_before, turn_before, …


@dataclass(frozen=True)
class ActionRow(Stretch):
    """Something done once."""

    label: str = ""
    strike_s: float | None = None


@dataclass(frozen=True)
class EdgeRow:
    """An edge as it was built; told, not read."""

    before: str
    after: str
    way: str  # recorded, recorded and made, made, on the fly
    examples: tuple[str, ...] = ()
    measured: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class BuildFile:
    """Everything a graph is built from."""

    folder: str
    character: str = "average"
    cycles: tuple[CycleRow, ...] = ()
    turned: tuple[TurnedRow, ...] = ()
    changes: tuple[ChangeRow, ...] = ()
    actions: tuple[ActionRow, ...] = ()
    edges: tuple[EdgeRow, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()  # files that could not be used, each with why
    told: str = ""  # how clips came onto one body

    def rows(self) -> list[Stretch]:
        return [*self.cycles, *self.turned, *self.changes, *self.actions]

    def folder_beside(self, path: Path) -> Path:
        """The folder as seen from the build file."""
        return Path(self.folder) if Path(self.folder).is_absolute() else path.parent / self.folder


KINDS: dict[str, type[Stretch]] = {
    "cycles": CycleRow, "turned": TurnedRow, "changes": ChangeRow, "actions": ActionRow,
}  # fmt: skip
_WORDS = {"start_s": "from", "end_s": "to", "strike_s": "strike"}
_NEEDED = {"cycles": ("label",), "turned": ("label", "turn"), "changes": ("before", "after"), "actions": ("label",)}


def text_of(build: BuildFile) -> str:
    """The file as text: JSON, one row a line."""
    head = {
        "format": FORMAT, "version": VERSION, "about": ABOUT, "folder": build.folder, "character": build.character,
        "told": build.told,
    }  # fmt: skip
    lines = [f" {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}," for k, v in head.items()]
    tables: dict[str, Sequence[Any]] = {
        **{name: [_plain(row) for row in getattr(build, name)] for name in KINDS},
        "edges": [_plain(row) for row in build.edges],
        "left_out": [{"file": file, "why": why} for file, why in build.left_out],
    }
    parts = []
    for name, rows in tables.items():
        inside = ",\n".join("  " + json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
        parts.append(f' "{name}": [\n{inside}\n ]' if rows else f' "{name}": []')
    return "{\n" + "\n".join(lines) + "\n" + ",\n".join(parts) + "\n}\n"


def _plain(row: Any) -> dict[str, Any]:
    """A row as JSON; what is empty is left out, what is measured is rounded as people read it."""
    out: dict[str, Any] = {}
    for f in fields(row):
        value = getattr(row, f.name)
        if f.name in ("measured", "parameters"):
            out |= {k: short(v) for k, v in value.items()}
        elif f.name in ("use", "label") or value not in ("", None, ()):
            out[_WORDS.get(f.name, f.name)] = short(value) if isinstance(value, float) else value
    why = out.pop("why", None)
    return out if why is None else {**out, "why": why}


# --- reading ---------------------------------------------------------------------------------------------------------


def written_as(path: Path) -> Path:
    """The file that a name stands for: my.graph where `my` is asked for and no such file or folder is there."""
    named = path.with_name(f"{path.name}{SUFFIX}")
    return named if path.name and not path.suffix and not is_there(path) and is_file(named) else path


def is_build(path: Path) -> bool:
    """Whether a file begins as a build file does."""
    try:
        with path.open("rb") if is_file(path) else io.BytesIO() as file:
            return FORMAT.encode() in file.read(400)
    except OSError:
        return False


def load_build(path: Path) -> BuildFile:
    """Read a build file; every fault is told with its row."""
    return build_of(read_json(path, MOST_BYTES, "a graph's build file"), path)


def build_of(told: Any, path: Path) -> BuildFile:
    """A build file from its JSON, checked; path is where it came from."""
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ReadError(path, "format", repr(FORMAT), "something else")
    version = told.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
        cure = "it was written by a newer footfall: update this one"
        raise ReadError(path, "version", f"a build file of version {VERSION} or older", f"{version}", cure)
    folder, character = told.get("folder"), told.get("character", "average")
    if not isinstance(folder, str) or not folder or not isinstance(character, str):
        raise ReadError(path, "folder", "the folder of recordings, as text", repr(folder))
    tables: dict[str, Any] = {name: _table(path, name, told.get(name, [])) for name in KINDS}
    edges = tuple(_edge(row) for row in _list_of(path, "edges", told.get("edges", [])) if _is_edge(row))
    out = (r for r in _list_of(path, "left_out", told.get("left_out", [])) if isinstance(r, dict))
    left = tuple((r["file"], r["why"]) for r in out if all(isinstance(r.get(key), str) for key in ("file", "why")))
    words = told.get("told", "")
    words = words if isinstance(words, str) else ""
    return BuildFile(folder, character, **tables, edges=edges, left_out=left, told=words)


def _is_edge(row: Any) -> bool:
    """Edges are told, not read: what is no edge is passed over."""
    return isinstance(row, dict) and all(isinstance(row.get(n), str) for n in ("before", "after", "way"))


def _edge(row: dict[str, Any]) -> EdgeRow:
    examples = row.get("examples", ())
    numbers = _measured(row, ())
    names = tuple(str(e) for e in examples) if isinstance(examples, list) else ()
    return EdgeRow(row["before"], row["after"], row["way"], names, numbers)


def _table(path: Path, name: str, rows: Any) -> tuple[Any, ...]:
    return tuple(_row(path, f"{name}, row {k + 1}", name, row) for k, row in enumerate(_list_of(path, name, rows)))


def _list_of(path: Path, name: str, rows: Any) -> list[Any]:
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        raise ReadError(path, name, f"a list of at most {MOST_ROWS} rows", type(rows).__name__)
    return rows


def _measured(told: dict[str, Any], own: Container[str]) -> dict[str, float]:
    """The numbers of a row that are none of its own fields."""
    numbers = ((k, v) for k, v in told.items() if k not in own and isinstance(v, int | float))
    return {k: float(v) for k, v in numbers if not isinstance(v, bool) and abs(v) < MOST}


def _row(path: Path, place: str, name: str, told: Any) -> Stretch:
    if not isinstance(told, dict):
        raise ReadError(path, place, "an object with file, from, to", type(told).__name__)
    values: dict[str, Any] = {}
    values["use"] = _flag(path, place, "use", told.get("use", True))
    for key in ("file", *_NEEDED[name]):
        if key != "turn":  # what is not used may be nothing that has a name
            values[key] = _text(path, place, key, told.get(key), empty=key == "label" and not values["use"])
    for key, word in (("start_s", "from"), ("end_s", "to")):
        values[key] = _number(path, place, word, told.get(word))
    if not 0.0 <= values["start_s"] < values["end_s"]:
        raise ReadError(path, place, "from before to, both 0 or more", f"{values['start_s']:g} and {values['end_s']:g}")
    values["clip"] = _text(path, place, "clip", told.get("clip", ""), empty=True)
    values["why"] = _text(path, place, "why", told.get("why", ""), empty=True)
    if name == "cycles":
        values["mirrored"] = _flag(path, place, "mirrored", told.get("mirrored", True))
    if name == "turned":
        values["turn"] = _number(path, place, "turn", told.get("turn"))
    if name == "actions" and told.get("strike") is not None:
        values["strike_s"] = _number(path, place, "strike", told["strike"])
    if name == "changes":
        names = [f"{n}_{end}" for n in ("speed", "turn", "side") for end in ("before", "after")]
        values["parameters"] = {n: _number(path, place, n, told.get(n, 0.0)) for n in names}
    if name in ("cycles", "turned"):
        values["measured"] = _measured(told, {*values, "from", "to"})
    return KINDS[name](**values)


def _text(path: Path, place: str, key: str, value: Any, empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or empty) or len(value) > 1000:
        raise ReadError(path, place, f"{key} as text", repr(value)[:80])
    return value


def _number(path: Path, place: str, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
        found = "a larger one" if isinstance(value, int) and not isinstance(value, bool) else repr(value)[:80]
        raise ReadError(path, place, f"{key} as a number", found)
    return float(value)


def _flag(path: Path, place: str, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ReadError(path, place, f"{key}: true or false", repr(value)[:80])
    return value


def refused(row: Any, why: str) -> Any:
    """The row, not used, and why."""
    return replace(row, use=False, why=why)
