"""footfall's own file: everything a clip holds, without loss (.npz).

A zip of plain npy arrays and one JSON header (array `footfall`, uint8). docs/formats/npz.md lists them. The version
goes up when an old footfall could misread a new file; files of every older version stay readable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.clip import Clip, Event, Inferred, Skin, Source
from footfall.core.errors import FootfallError, ParameterError, ReadError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.npz_safe import Npz, keys_of
from footfall.io.npz_write import packed_npz
from footfall.io.raw import RawMotion, Reading
from footfall.io.save import atomic_write
from footfall.io.text import parse_json

READS = (".npz",)
WRITES = (".npz",)
VERSION = 1
HEADER = "footfall"
SKELETON = {"parents": "i", "offsets": "f", "rest": "f", "end_parents": "i", "end_offsets": "f"}  # kinds of numbers
SKIN = ("vertices", "triangles", "joints", "weights", "inverse_bind")


def recognises(reading: Reading) -> bool:
    return HEADER in keys_of(reading)


def read(reading: Reading) -> list[RawMotion]:
    with Npz(reading) as archive:
        archive.warn_of_pickles()
        header = _header(archive)
        with reading.guard(HEADER, "the fields of a footfall clip"):
            try:
                return [_motion(archive, header)]
            except ReadError:
                raise
            except (FootfallError, AttributeError, RecursionError) as error:
                raise reading.fail("", "a footfall clip", f"{error}") from error


def write(clip: Clip, path: Path) -> None:
    """A clip with everything on it; read back it is equal bit for bit."""
    skeleton, pose = clip.skeleton, clip.pose
    arrays = {name: getattr(skeleton, name) for name in SKELETON} | {"root_pos": pose.root_pos, "rot": pose.rot}
    if pose.pos is not None:
        arrays["pos"] = pose.pos
    if clip.skin is not None:
        arrays.update({f"skin_{name}": np.asarray(getattr(clip.skin, name)) for name in SKIN})
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ParameterError(f"{path.name}: {name} holds values that are not finite; nothing was written")
    try:
        text = json.dumps(_described(clip), allow_nan=False).encode("ascii")
    except ValueError as error:
        raise ParameterError(f"{path.name}: events and source must hold finite numbers; nothing was written") from error
    atomic_write(path, packed_npz({HEADER: np.frombuffer(text, np.uint8), **arrays}))


def _described(clip: Clip) -> dict[str, Any]:
    """The header: what is not an array. Numbers survive because JSON is written with the shortest exact digits."""
    source = clip.source
    return {
        "format": "footfall clip",
        "version": VERSION,
        "name": clip.name,
        "fps": clip.fps,
        "is_loop": bool(clip.is_loop),
        "joints": list(clip.skeleton.names),
        "role_overrides": dict(clip.skeleton.role_overrides),
        "events": [[e.name, float(e.start_s), float(e.end_s)] for e in clip.events],
        "parameters": {str(k): float(v) for k, v in clip.parameters.items()},
        "warnings": list(clip.warnings),
        "repairs": list(clip.repairs),
        "skin_color": None if clip.skin is None else [float(c) for c in clip.skin.color],
        "source": {
            **vars(source),
            "unit_m": float(source.unit_m),
            "world_from_file": [float(x) for x in source.world_from_file],
            "inferred": {k: [_plain(v.value), v.how, float(v.confidence)] for k, v in source.inferred.items()},
        },
    }


def _plain(value: Any) -> Any:
    """A reader's conclusion as JSON: tuples keep being tuples, numpy scalars become numbers, the rest its text."""
    if isinstance(value, tuple):
        return {"tuple": [_plain(v) for v in value]}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    return str(value)


def _unplain(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(_unplain(v) for v in value["tuple"])
    return [_unplain(v) for v in value] if isinstance(value, list) else value


def _header(archive: Npz) -> dict[str, Any]:
    reading = archive.reading
    header = parse_json(reading, archive.array(HEADER, "u").tobytes(), HEADER)
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(version, int) or version < 1:
        raise reading.fail(HEADER, "a header with a version", f"{str(header)[:60]}")
    if version > VERSION:
        cure = "it was written by a newer footfall: update this one"
        raise reading.fail(HEADER, f"a footfall clip of version {VERSION} or older", f"version {version}", cure)
    return header


def _number(value: Any) -> float:
    value = float(value)
    if not np.isfinite(value):  # 1e999 is JSON, and infinite
        raise ValueError("a finite number was expected")
    return value


def _motion(archive: Npz, header: Mapping[str, Any]) -> RawMotion:
    names = tuple(_strings(header["joints"]))
    parents, offsets, rest, end_parents, end_offsets = (archive.array(name, kind) for name, kind in SKELETON.items())
    skeleton = Skeleton(names, parents, offsets, rest, end_parents, end_offsets)
    overrides = header["role_overrides"]
    skeleton = skeleton.with_roles(**{str(role): str(joint) for role, joint in overrides.items()})
    pos = archive.array("pos", "f") if "pos" in archive else None
    pose = Pose(archive.array("root_pos", "f"), archive.array("rot", "f"), pos)
    fps = archive.reading.options.fps or float(header["fps"])
    checked = Clip(skeleton, fps, pose)  # its own rules: shapes, frame rate, rotations of length 1
    return RawMotion(
        skeleton,
        fps,
        checked.pose,
        name=str(header["name"]),
        unit_m=1.0,
        up="y",
        is_loop=bool(header["is_loop"]),
        events=tuple(Event(str(name), _number(a), _number(b)) for name, a, b in header["events"]),
        parameters={str(k): _number(v) for k, v in header.get("parameters", {}).items()},
        skin=_skin(archive, header["skin_color"], len(skeleton)),
        settled=True,
        source=_source(header["source"]),
        warnings=tuple(_strings(header["warnings"])),
        repairs=tuple(_strings(header["repairs"])),
    )


def _strings(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise ValueError(f"a list of text was expected, not {str(values)[:40]}")
    return values


def _source(fields: Mapping[str, Any]) -> Source:
    w, x, y, z = (_number(v) for v in fields["world_from_file"])
    return Source(
        path=str(fields["path"]),
        format=str(fields["format"]),
        animation=str(fields["animation"]),
        unit_m=_number(fields["unit_m"]),
        world_from_file=(w, x, y, z),
        inferred={
            k: Inferred(_unplain(v), str(how), _number(sure)) for k, (v, how, sure) in fields["inferred"].items()
        },
    )


def _skin(archive: Npz, color: Any, joints: int) -> Skin | None:
    if color is None:
        return None
    vertices, triangles, owners, weights, bind = (archive.array(f"skin_{name}") for name in SKIN)
    n = len(vertices) if vertices.ndim else 0
    shapes = (vertices.shape, triangles.shape[1:], owners.shape, weights.shape, bind.shape)
    if shapes != ((n, 3), (3,), (n, 4), (n, 4), (joints, 4, 4)):
        raise archive.reading.fail("skin", "arrays of matching shapes", f"{shapes}")
    for name, indices, limit in (("triangles", triangles, n), ("joints", owners, joints)):
        if indices.dtype.kind not in "iu" or (indices.size and not 0 <= indices.min() <= indices.max() < limit):
            raise archive.reading.fail(f"skin_{name}", f"whole numbers below {limit}", "others")
    red, green, blue = (_number(c) for c in color)
    return Skin(vertices, triangles, owners, weights, bind, (red, green, blue))
