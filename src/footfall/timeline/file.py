"""Timeline files: JSON or TOML in, a Timeline out, and back; every mistake is named with its line and its cure."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from footfall.core.errors import ParameterError, ReadError
from footfall.io.open_ground import ARRAYS, MESHES, PICTURES
from footfall.io.plain_file import is_there, read_plain
from footfall.io.save import atomic_write
from footfall.timeline.model import (
    BlendSpaceNote,
    FloorGoal,
    Layer,
    Marker,
    Note,
    Timeline,
    TimelineClip,
    TimelineTrack,
)

MOST_BYTES = 10_000_000
VERSION = 1
MOST = 1e9  # of a number: no time, place or count comes near
MOST_SHOWN = 80  # characters of a text that is wrong
Place = tuple[str | int, ...]  # keys and numbers from the top of the file to a value


class TimelineMistake(Exception):
    """Something wrong at a place of the file."""

    def __init__(self, place: Place, expected: str, found: str = "") -> None:
        super().__init__(expected)
        self.place, self.expected, self.found = place, expected, found


def load_timeline(path: str | Path) -> Timeline:
    """Read a timeline file; clips named in it are looked for beside it."""
    path = Path(path)
    text = _text_of(path)
    data = _parsed(path, text)
    try:
        return timeline_of(data, path.parent)
    except TimelineMistake as mistake:
        line, place = _line(text, mistake.place), _shown(mistake.place)
        raise ReadError(path, f"line {line}, {place}", mistake.expected, mistake.found) from None


def save_timeline(timeline: Timeline, path: str | Path) -> None:
    """Write a timeline as JSON; its clips must be files or built-in motions."""
    atomic_write(Path(path), json.dumps(to_plain(timeline), indent=2).encode() + b"\n")


def timeline_of(data: Any, folder: Path | None = None) -> Timeline:
    """A Timeline from the plain data of a file."""
    table = _table(data, (), {"version", "fps", "tracks", "markers", "options", "notes", "ground", "spaces"})
    if table.get("version", VERSION) != VERSION:
        raise TimelineMistake(("version",), f"version {VERSION}", f"{table['version']!r}")
    tracks = _list(table.get("tracks"), ("tracks",))
    if not tracks:
        raise TimelineMistake(("tracks",), 'at least one track, such as {"clips": [{"clip": "walk"}]}', "none")
    return _built(
        Timeline,
        (),
        tracks=tuple(_track(track, ("tracks", i), folder) for i, track in enumerate(tracks)),
        markers=tuple(_marker(m, ("markers", i)) for i, m in enumerate(_list(table.get("markers", []), ("markers",)))),
        fps=table.get("fps"),
        options=_options(table.get("options", {}), ("options",)),
        notes=tuple(_note(n, ("notes", i)) for i, n in enumerate(_list(table.get("notes", []), ("notes",)))),
        ground=_ground(table["ground"], ("ground",), folder) if table.get("ground") is not None else None,
        spaces=tuple(
            _space(s, ("spaces", i), folder) for i, s in enumerate(_list(table.get("spaces", []), ("spaces",)))
        ),
    )


def to_plain(timeline: Timeline) -> dict[str, Any]:
    """The plain data of a timeline, as it stands in a file; what is as usual is left out."""
    plain = _plain(timeline)
    return {"version": VERSION, **plain}


def _track(data: Any, place: Place, folder: Path | None) -> TimelineTrack:
    table = _table(data, place, {f.name for f in fields(TimelineTrack)})
    clips = _list(table.get("clips"), (*place, "clips"))
    if not clips:
        raise TimelineMistake((*place, "clips"), "at least one clip", "none")
    layers = _list(table.get("layers", []), (*place, "layers"))
    goals = {k: _goal(table[k], (*place, k)) for k in ("start", "goal") if table.get(k) is not None}
    return TimelineTrack(
        clips=tuple(_clip(clip, (*place, "clips", i), folder) for i, clip in enumerate(clips)),
        character=_path(table.get("character"), (*place, "character"), folder) if table.get("character") else None,
        layers=tuple(_layer(layer, (*place, "layers", i), folder) for i, layer in enumerate(layers)),
        name=_text(table.get("name", ""), (*place, "name")),
        **goals,
    )


def _clip(data: Any, place: Place, folder: Path | None) -> TimelineClip:
    if isinstance(data, str):
        data = {"clip": data}
    table = dict(_table(data, place, {f.name for f in fields(TimelineClip)}))
    table["clip"] = _path(table.get("clip"), (*place, "clip"), folder)
    if table.get("trim_s") is not None:
        table["trim_s"] = _numbers(table["trim_s"], (*place, "trim_s"), 2)
    for name in ("method", "animation"):
        if table.get(name) is not None:
            _text(table[name], (*place, name))
    _flag(table.get("mirror", False), (*place, "mirror"))
    return _built(TimelineClip, place, **table)


def _layer(data: Any, place: Place, folder: Path | None) -> Layer:
    table = dict(_table(data, place, {f.name for f in fields(Layer)}))
    table["clip"] = _path(table.get("clip"), (*place, "clip"), folder)
    if "start_s" not in table:
        raise TimelineMistake(place, "start_s, the second at which the layer begins", "none")
    table["start_s"] = _number(table["start_s"], (*place, "start_s"))
    joints = _list(table.get("joints", []), (*place, "joints"))
    table["joints"] = tuple(_text(joint, (*place, "joints", i)) for i, joint in enumerate(joints))
    points = _list(table.get("weight", []), (*place, "weight"))
    table["weight"] = tuple(_numbers(point, (*place, "weight", i), 2) for i, point in enumerate(points))
    return _built(Layer, place, **table)


def _marker(data: Any, place: Place) -> Marker:
    table = _table(data, place, {f.name for f in fields(Marker)})
    pairs = {
        name: _numbers(table.get(name), (*place, name), 2)
        for name in ("tracks", "clips", "at_s")
        if name in table or name != "at_s"
    }
    for name in ("tracks", "clips"):
        if any(x != int(x) or x < 0 for x in pairs[name]):
            raise TimelineMistake((*place, name), "2 whole numbers from 0 on", _kind(list(pairs[name])))
    whole = {name: (int(a), int(b)) if name != "at_s" else (a, b) for name, (a, b) in pairs.items()}
    return _built(Marker, place, **whole)


def _note(data: Any, place: Place) -> Note:
    table = _table(data, place, {f.name for f in fields(Note)})
    return Note(_number(table.get("at_s"), (*place, "at_s")), _text(table.get("name", ""), (*place, "name")))


def _space(data: Any, place: Place, folder: Path | None) -> BlendSpaceNote:
    table = _table(data, place, {f.name for f in fields(BlendSpaceNote)})
    clips = _list(table.get("clips"), (*place, "clips"))
    paths = tuple(_path(clip, (*place, "clips", i), folder) for i, clip in enumerate(clips))
    return BlendSpaceNote(_text(table.get("name"), (*place, "name")), paths)


def _ground(data: Any, place: Place, folder: Path | None) -> str:
    """A name as it is, or a file beside the timeline."""
    text = _text(data, place)
    is_file = Path(text).suffix.lower() in (*MESHES, *PICTURES, *ARRAYS)
    return str(folder / text) if is_file and folder is not None else text


def _goal(data: Any, place: Place) -> FloorGoal:
    table = dict(_table(data, place, {f.name for f in fields(FloorGoal)}))
    if "position" in table:
        table["position"] = _numbers(table["position"], (*place, "position"), 2)
    if table.get("heading_deg") is not None:
        table["heading_deg"] = _number(table["heading_deg"], (*place, "heading_deg"))
    return _built(FloorGoal, place, **table)


def _built(kind: Any, place: Place, **values: Any) -> Any:
    try:
        return kind(**values)
    except ParameterError as error:  # "speed must be a number from 0.1 to 10, got 'fast'"
        key, _, rest = str(error).partition(" must be ")
        expected, _, found = rest.partition(", got ")
        raise TimelineMistake((*place, key), expected, found) from None


def _path(value: Any, place: Place, folder: Path | None) -> str:
    """A clip's file beside the timeline, or a built-in's name as it is."""
    if not isinstance(value, str) or not value:
        raise TimelineMistake(place, 'a file or a built-in motion, such as "walk.bvh" or "walk"', _kind(value))
    if folder is None:
        return value
    is_file = is_there(folder / value) or "/" in value or Path(value).suffix.lower() in FILES
    return str(folder / value) if is_file else value


FILES = {".bvh", ".glb", ".gltf", ".amc", ".npz", ".json", ".txt"}


def _table(data: Any, place: Place, known: set[str]) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise TimelineMistake(place, f"a table of {', '.join(sorted(known))}", _kind(data))
    for key in data:
        if key not in known:
            raise TimelineMistake((*place, key), f"one of {', '.join(sorted(known))}", f"{key!r}")
    return data


def _list(data: Any, place: Place) -> Sequence[Any]:
    if not isinstance(data, list):
        raise TimelineMistake(place, "a list", _kind(data))
    return data


def _numbers(data: Any, place: Place, count: int) -> tuple[Any, ...]:
    if not (isinstance(data, list | tuple) and len(data) == count and all(_is_number(x) for x in data)):
        raise TimelineMistake(place, f"{count} numbers, such as [0, 1]", _kind(data))
    return tuple(data)


def _number(data: Any, place: Place) -> Any:
    if not _is_number(data):
        raise TimelineMistake(place, "a number", _kind(data))
    return data


def _is_number(value: Any) -> bool:
    """TOML has nan, inf and numbers without end, and so has Python's JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST


def _text(data: Any, place: Place) -> str:
    if not isinstance(data, str):
        raise TimelineMistake(place, "a text", _kind(data))
    return data


def _flag(data: Any, place: Place) -> None:
    if not isinstance(data, bool):
        raise TimelineMistake(place, "true or false", _kind(data))


def _options(data: Any, place: Place) -> Mapping[str, Any]:
    table = _table(data, place, {"s_min", "s_max", "paper", "rules"})
    for name, value in table.items():
        _flag(value, (*place, name)) if name in ("paper", "rules") else _number(value, (*place, name))
    return table


def _kind(data: Any) -> str:
    if isinstance(data, dict | list):
        return "a table" if isinstance(data, dict) else f"a list of {len(data)}"
    if data is None or isinstance(data, bool):
        return "nothing" if data is None else str(data).lower()
    return f"the text {data[:MOST_SHOWN]!r}" if isinstance(data, str) else _figures(data)


def _figures(value: Any) -> str:
    """A number as it may be shown: Python does not write out those of thousands of digits."""
    huge = isinstance(value, int) and abs(value) > MOST
    return f"a number of {math.log10(abs(value)):.0f} digits" if huge else f"{value!r}"


def _plain(value: Any) -> Any:
    """Data classes to tables without what is as usual, tuples to lists."""
    if isinstance(value, Timeline | TimelineTrack | TimelineClip | Layer | Marker | FloorGoal | Note | BlendSpaceNote):
        usual = {f.name: f.default for f in fields(value)}
        pairs = ((f.name, getattr(value, f.name)) for f in fields(value))
        return {k: _plain(v) for k, v in pairs if k in ("clip", "start_s") or v not in (usual[k], (), {}, None)}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    raise ParameterError(
        f"a timeline file names clips by file or built-in motion; {value!r} is neither: save it with ff.save first"
    )


def _text_of(path: Path) -> str:
    try:
        return read_plain(path, MOST_BYTES, "a timeline file").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(path, f"byte {error.start}", "JSON or TOML in UTF-8", "other bytes") from None


def _parsed(path: Path, text: str) -> Any:
    try:
        return tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except json.JSONDecodeError as error:
        raise ReadError(path, f"line {error.lineno}, column {error.colno}", "JSON", error.msg.lower()) from None
    except tomllib.TOMLDecodeError as error:
        raise ReadError(path, "", "TOML", str(error)) from None
    except RecursionError:
        raise ReadError(path, "", "tracks of clips", "a file that is nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python reads
        raise ReadError(path, "", "numbers of sensible size", str(error)) from None


def _shown(place: Place) -> str:
    """tracks[0].clips[2].speed"""
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else part
    return shown or "top"


def _line(text: str, place: Place) -> int:
    """The line nearest to a place: each key is looked for after the one around it, the n-th time for list entries."""
    at = 0
    for part, before in zip(place, (None, *place), strict=False):
        if isinstance(part, str):
            found = re.compile(rf'"?\b{re.escape(part)}\b"?\s*[=:\].]').search(text, at)
            at = found.start() if found else at
        else:
            at = _entry(text, at, part, str(before))
    return text.count("\n", 0, at) + 1


def _entry(text: str, at: int, index: int, name: str) -> int:
    """Where the index-th entry of the list that starts at `at` begins."""
    line = text.rfind("\n", 0, at) + 1
    headers = [m.start() for m in re.compile(rf"^[ \t]*\[\[[\w.]*\b{name}\]\]", re.M).finditer(text, line)]
    if headers:
        return headers[min(index, len(headers) - 1)]
    start = text.find("[", at)
    if start < 0:
        return at
    depth, count, quoted = 0, 0, False
    for i in range(start, len(text)):
        c = text[i]
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if depth == 1 and count == index and not c.isspace() and c != ",":
            return i
        depth += (c in "[{") - (c in "]}")
        count += c == "," and depth == 1
        if depth == 0:
            return start
    return start
