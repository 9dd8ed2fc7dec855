"""Scan of a recording: the bodies of its clips, and every cycle, change and action in them, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from footfall.core.clip import Clip
from footfall.core.skeleton import Skeleton
from footfall.graph.build.found_actions import FoundAction, find_actions
from footfall.graph.build.found_cycles import FoundGait, find_gaits
from footfall.graph.build.found_edges import FoundChange, find_changes
from footfall.graph.graph_file import SKELETON
from footfall.io.folder import moving
from footfall.io.load import load_all
from footfall.library.facets import ClipPart, Facet
from footfall.library.index_file import Index
from footfall.retarget.character import require_legs

LEAST = 4  # frames that tell how a body moves
DIGITS = 4  # of seconds: what is written for people is what is used


@dataclass(frozen=True, eq=False)
class ClipScan:
    """One clip of a file."""

    clip: str  # its name, where a file holds several
    fps: float
    skeleton: Skeleton
    gaits: tuple[FoundGait, ...]
    changes: tuple[FoundChange, ...]
    actions: tuple[FoundAction, ...]


@dataclass(frozen=True, eq=False)
class RecordingScan:
    """One file: its clips, or why there are none."""

    file: str  # path inside the folder
    mark: str  # of its content
    clips: tuple[ClipScan, ...] = ()
    why: str = ""


RECORDING = "recording"  # the facet's name


def recording_facet() -> Facet:
    """The facet of what a graph can be made of."""
    return Facet(RECORDING, clip_scans)


def scans_of(index: Index) -> list[RecordingScan]:
    """Every file of a library as it was scanned."""
    whys = dict(index.problems(RECORDING))
    columns = {part: index.column(RECORDING, part) for part in SKELETON}
    clips: dict[str, list[ClipScan]] = {}
    bodies: dict[Any, Skeleton] = {}  # each once: thousands of recordings are of a few people
    for k, kept in enumerate(index.each_clip(RECORDING)):
        own = {part: columns[part].of(k) for part in SKELETON}
        names, roles = tuple(kept.told["names"]), kept.told["roles"]
        key = names, tuple(sorted(roles.items())), *(array.tobytes() for array in own.values())
        body = bodies.get(key) or bodies.setdefault(key, Skeleton(names, **own, role_overrides=roles, rig=None))
        clips.setdefault(kept.file, []).append(_scan(kept.name, kept.told, body))
    return [
        RecordingScan(file, mark, tuple(clips.get(file, ())), whys.get(file, "")) for file, mark in index.files.items()
    ]


def walking_clips(path: Path) -> list[Clip]:
    """The clips of a file that move and have legs; an error that says why there are none."""
    return _walking(load_all(path), path)


def _walking(clips: Sequence[Clip], path: Path) -> list[Clip]:
    found = moving(clips, path, LEAST)
    require_legs(found[0].skeleton, "build a graph of")
    return found


def clip_scans(clips: Sequence[Clip], path: Path, setting: None) -> list[ClipPart]:
    """The scan of every clip that moves and has legs, as a library keeps it; none of a file that is a character."""
    if clips and all(clip.frames == 0 and clip.skin is not None for clip in clips):
        return []  # a body to put motions on, and no recording that failed
    found = []
    walking = _walking(clips, path)
    for clip in walking:
        gaits = tuple(_rounded(g) for g in find_gaits(clip))
        changes = tuple(_rounded(c) for c in find_changes(clip, gaits))
        actions = tuple(_rounded_action(a) for a in find_actions({clip.name: clip}))
        skeleton = clip.skeleton
        told = {
            "fps": clip.fps, "names": skeleton.names, "roles": dict(skeleton.role_overrides), "gaits": gaits,
            "changes": changes, "actions": [vars(a) for a in actions],
        }  # fmt: skip
        arrays = {part: getattr(skeleton, part) for part in SKELETON}
        found.append(ClipPart(clip.name if len(walking) > 1 else "", told, arrays))
    return found


def _scan(name: str, told: dict[str, Any], skeleton: Skeleton) -> ClipScan:
    gaits, changes = tuple(FoundGait(*g) for g in told["gaits"]), tuple(FoundChange(*c) for c in told["changes"])
    actions = tuple(FoundAction(**a) for a in told["actions"])
    return ClipScan(name, float(told["fps"]), skeleton, gaits, changes, actions)


def _rounded(row: Any) -> Any:
    return row._replace(start_s=round(row.start_s, DIGITS), end_s=round(row.end_s, DIGITS))


def _rounded_action(found: FoundAction) -> FoundAction:
    times = {name: round(getattr(found, name), DIGITS) for name in ("start_s", "end_s", "at_s")}
    return replace(found, **times)
