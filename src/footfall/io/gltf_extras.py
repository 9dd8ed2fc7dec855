"""What glTF has no place for, kept in a file's extras: frame rate, loop, events, contacts, root track, source.

One JSON object, {"footfall": {"version": 1, …}}, in the top-level extras of a GLB of footfall's own and in its optional
sidecar; in the animation's extras where it was added to someone's file, or several share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.clip import Clip, Event, Source
from footfall.core.errors import FootfallError
from footfall.io.gltf_container import GltfDocument, JsonObject
from footfall.io.text import LARGEST

VERSION = 1
MAX_EVENTS = 100_000


@dataclass(frozen=True)
class KeptExtras:
    """The part of the extras that reading restores."""

    name: str
    fps: float
    frames: int
    is_loop: bool
    stretches: bool  # whether joints carry positions of their own
    joints: tuple[str, ...]
    roles: dict[str, str]  # given by the user
    end_parents: np.ndarray  # (E,)
    end_offsets: np.ndarray  # (E, 3)
    events: tuple[Event, ...]
    parameters: dict[str, float]
    source: Source


def describe(clip: Clip) -> dict[str, Any]:
    """Everything about a clip but its poses and mesh, as plain data."""
    skeleton, source = clip.skeleton, clip.source
    data: dict[str, Any] = {
        "version": VERSION,
        "name": clip.name,
        "fps": clip.fps,
        "frames": clip.frames,
        "duration_s": clip.duration,
        "is_loop": clip.is_loop,
        "loop": {"start_s": 0.0, "end_s": clip.duration} if clip.is_loop else None,
        "stretches": clip.pose.pos is not None,
        "joints": list(skeleton.names),
        "roles": dict(skeleton.role_overrides),
        "end_parents": skeleton.end_parents.tolist(),
        "end_offsets": skeleton.end_offsets.tolist(),
        "events": [{"name": e.name, "start_s": e.start_s, "end_s": e.end_s} for e in clip.events],
        "parameters": {str(k): float(v) for k, v in clip.parameters.items()},
        "source": {
            "file": Path(source.path).name,
            "format": source.format,
            "animation": source.animation,
            "unit_m": source.unit_m,
            "world_from_file": list(source.world_from_file),
        },
    }
    if clip.frames:
        root = clip.root_motion
        data["root_motion"] = {
            "position": np.round(root.position, 5).tolist(),
            "heading": np.round(root.heading, 6).tolist(),
        }
        contacts = _contacts(clip)
        if contacts is not None:
            data["contacts"] = contacts
    return data


def _contacts(clip: Clip) -> dict[str, list[list[float]]] | None:
    """[start_s, end_s] of each contact of each heel and toe; None for a body without feet."""
    try:
        contacts = clip.contacts
    except FootfallError:
        return None
    parts = ("left_heel", "left_toe", "right_heel", "right_toe")
    return {part: [[round(a, 6), round(b, 6)] for a, b in contacts.spans(part)] for part in parts}


def kept(document: GltfDocument, owner: JsonObject, place: str = "") -> KeptExtras | None:
    """What footfall noted in the file's extras, or in an animation's; None where it did not, or not so."""
    extras = owner.get("extras")
    data = extras.get("footfall") if isinstance(extras, dict) else None
    if not isinstance(data, dict):
        return None
    place = f"{place}/extras/footfall"
    if data.get("version") != VERSION:
        document.reading.warn(f"{place}/version", f"version {data.get('version')!r} is not known here")
        return None
    try:
        return _parse(data)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        text = f"could not be used ({type(error).__name__}: {error})"
        document.reading.warn(place, " ".join(text.split())[:200])
        return None


def _parse(data: dict[str, Any]) -> KeptExtras:
    end_parents = np.array([_whole(p) for p in data["end_parents"]], np.int32)
    end_offsets = np.array(data["end_offsets"], float).reshape(-1, 3)
    if len(end_parents) != len(end_offsets) or not (np.abs(end_offsets) < LARGEST).all():
        raise ValueError("end sites do not fit")
    if not isinstance(data["events"], list) or len(data["events"]) > MAX_EVENTS:
        raise ValueError("events must be a list")
    events = [Event(_text(e["name"]), _number(e["start_s"]), _number(e["end_s"])) for e in data["events"]]
    source = data["source"]
    w, x, y, z = (_number(part) for part in source["world_from_file"])
    fps, unit_m = _number(data["fps"]), _number(source["unit_m"])
    if not fps > 0 or not unit_m > 0 or abs(np.hypot.reduce([w, x, y, z]) - 1) > 1e-6:
        raise ValueError("fps, unit_m or world_from_file out of range")
    return KeptExtras(
        name=_text(data["name"]),
        fps=fps,
        frames=_whole(data["frames"]),
        is_loop=data["is_loop"] is True,
        stretches=data["stretches"] is True,
        joints=tuple(_text(n) for n in data["joints"]),
        roles={_text(role): _text(joint) for role, joint in data.get("roles", {}).items()},
        end_parents=end_parents,
        end_offsets=end_offsets,
        events=tuple(events),
        parameters={_text(k): _number(v) for k, v in data.get("parameters", {}).items()},
        source=Source(
            path=Path(_text(source["file"])).name,
            format=_text(source["format"]),
            animation=_text(source["animation"]),
            unit_m=unit_m,
            world_from_file=(w, x, y, z),
        ),
    )


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
        raise ValueError(f"not a number: {value!r:.40}")
    return float(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError(f"not a whole number: {value!r:.40}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r:.40}")
    return value.encode("utf-8", "replace").decode("utf-8")
