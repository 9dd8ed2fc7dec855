"""Scan of a recording: the bodies of its clips, and every cycle, change and action in them, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ReadError
from footfall.core.skeleton import Skeleton
from footfall.graph.build import build_cache
from footfall.graph.build.found_actions import FoundAction, find_actions
from footfall.graph.build.found_cycles import FoundGait, find_gaits
from footfall.graph.build.found_edges import FoundChange, find_changes
from footfall.graph.graph_file import SKELETON
from footfall.io.folder import SHARED, content_hash, moving_clips
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


def scan_file(job: tuple[Path, str]) -> RecordingScan:
    """Scan a file, or take what is kept of it. job: the folder and the file's path inside it."""
    folder, name = job
    path = folder / name
    mark = ""
    try:
        mark = content_hash(path)
        key = build_cache.key_of("scan", mark, path.suffix.lower())
        return RecordingScan(name, mark, build_cache.made_once(key, lambda: _clip_scans(path), _told, _clips))
    except FootfallError as error:
        shared = path.suffix.lower() in SHARED and isinstance(error, ReadError)
        text = " ".join(str(error).split()).removeprefix(f"{Path(name).name}: ")
        return RecordingScan(name, mark, why="" if shared else text)


def walking_clips(path: Path) -> list[Clip]:
    """The clips of a file that move and have legs; an error that says why there are none."""
    found = moving_clips(path, LEAST)
    require_legs(found[0].skeleton, "build a graph of")
    return found


def _clip_scans(path: Path) -> tuple[ClipScan, ...]:
    clips, found = walking_clips(path), []
    for clip in clips:
        gaits = tuple(_rounded(g) for g in find_gaits(clip))
        changes = tuple(_rounded(c) for c in find_changes(clip, gaits))
        actions = tuple(_rounded_action(a) for a in find_actions({clip.name: clip}))
        found.append(ClipScan(clip.name if len(clips) > 1 else "", clip.fps, clip.skeleton, gaits, changes, actions))
    return tuple(found)


def _rounded(row: Any) -> Any:
    return row._replace(start_s=round(row.start_s, DIGITS), end_s=round(row.end_s, DIGITS))


def _rounded_action(found: FoundAction) -> FoundAction:
    times = {name: round(getattr(found, name), DIGITS) for name in ("start_s", "end_s", "at_s")}
    return replace(found, **times)


# --- kept ------------------------------------------------------------------------------------------------------------


def _told(clips: Sequence[ClipScan]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    arrays = {f"{k} {part}": getattr(clip.skeleton, part) for k, clip in enumerate(clips) for part in SKELETON}
    rows = [
        {"clip": clip.clip, "fps": clip.fps, "names": clip.skeleton.names, "roles": dict(clip.skeleton.role_overrides),
         "gaits": clip.gaits, "changes": clip.changes, "actions": [vars(a) for a in clip.actions]}
        for clip in clips
    ]  # fmt: skip
    return {"clips": rows}, arrays


def _clips(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[ClipScan, ...]:
    clips = []
    for k, row in enumerate(header["clips"]):
        own = {part: arrays[f"{k} {part}"] for part in SKELETON}
        skeleton = Skeleton(tuple(row["names"]), **own, role_overrides=row["roles"], rig=None)
        gaits, changes = tuple(FoundGait(*g) for g in row["gaits"]), tuple(FoundChange(*c) for c in row["changes"])
        actions = tuple(FoundAction(**a) for a in row["actions"])
        clips.append(ClipScan(row["clip"], float(row["fps"]), skeleton, gaits, changes, actions))
    return tuple(clips)
