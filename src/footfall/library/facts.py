"""Facts of clips, as two facets: what reading concluded with what the motion is, and how clean it is.

They are the objects that `footfall info`, `analyze` and `check` print, so these commands answer for a whole folder from
its library. Contacts are kept as an array, a row a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.analysis.floor import find_floor
from footfall.analysis.summary import analyze
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, SkeletonError
from footfall.library.facets import ClipPart, Facet, variant_of
from footfall.quality.alone import figures_alone
from footfall.quality.report import quality

PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")


def facts_facet(options: Mapping[str, Any] | None = None) -> Facet:
    """The facet of what reading concluded and of what analysis finds."""
    return Facet("facts", facts, None, variant_of(None, options or {}))


def quality_facet(options: Mapping[str, Any] | None = None) -> Facet:
    """The facet of what `check` measures."""
    return Facet("quality", qualities, None, variant_of(None, options or {}))


def facts(clips: Sequence[Clip], path: Path, setting: None) -> list[ClipPart]:
    """Both kinds of facts of every clip, and its contacts; `problem` says why it cannot be analysed."""
    return [clip_facts(clip) for clip in clips]


def clip_facts(clip: Clip) -> ClipPart:
    """Both kinds of facts of one clip."""
    told: dict[str, Any] = {"read": reading_facts(clip), "marked_loop": bool(clip.is_loop)}
    try:
        found = analyze(clip).to_json("")
        down = np.stack([np.asarray(getattr(clip.contacts, part)) for part in PARTS], axis=1)
    except FootfallError as error:
        return ClipPart(clip.name, {**told, "problem": " ".join(str(error).split())}, {"down": np.zeros((0, 4), bool)})
    del found["file"]
    return ClipPart(clip.name, {**told, "analysis": found}, {"down": down.astype(bool)})


def qualities(clips: Sequence[Clip], path: Path, setting: None) -> list[ClipPart]:
    """What `footfall check` says of every clip."""
    return [ClipPart(clip.name, quality_facts(clip)) for clip in clips]


def quality_facts(clip: Clip) -> dict[str, Any]:
    """The object `footfall check --json` prints for a clip, less its file."""
    report = quality(clip)
    body = {name: {"value": f.value, "usual": f.limit, "ok": f.ok} for name, f in figures_alone(clip).items()}
    return {**report.to_json(), "verdict": report.verdict, "body": body}


def file_facts(file: str, read: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The object `footfall info --json` prints for a file, of what was read of each clip; the first stands for it."""
    first = {key: value for key, value in read[0].items() if key != "name"}
    animated = [r for r in read if r["frames"]]
    several = [{"name": r["name"], "frames": r["frames"], "duration_s": r["duration_s"]} for r in animated]
    told = {"file": file, **first, "animations": len(animated), "clips": several}
    order = ("file", "format", "frames", "fps", "duration_s", "joints", "names", "animations", "clips")
    return {key: told[key] for key in order} | told


def reading_facts(clip: Clip) -> dict[str, Any]:
    """What reading concluded about a clip, ready for JSON."""
    inferred = {k: {"value": v.value, "how": v.how, "confidence": round(v.confidence, 2)}
                for k, v in clip.source.inferred.items() if k != "roles"}  # fmt: skip
    return {
        "name": clip.name,
        "format": clip.source.format,
        "frames": clip.frames,
        "fps": clip.fps,
        "duration_s": round(clip.duration, 6),
        "joints": len(clip.skeleton),
        "names": list(clip.skeleton.names),
        "finite": all(bool(np.isfinite(x).all()) for x in clip.pose if x is not None),
        "root_pos_0": [round(float(x), 9) for x in clip.pose.root_pos[0]] if clip.frames else None,
        "height_m": round(clip.skeleton.height, 4),
        "roles": _roles(clip),
        "inferred": {**inferred, **_floor(clip)},
        "warnings": list(clip.warnings),
        "repairs": list(clip.repairs),
    }


def _roles(clip: Clip) -> dict[str, Any]:
    names, roles = clip.skeleton.names, clip.skeleton.roles
    found: dict[str, Any] = {}
    for role, value in vars(roles).items():
        if isinstance(value, tuple):
            found[role] = [names[j] for j in value]
        elif isinstance(value, int) and not isinstance(value, bool):
            found[role] = names[value]
    return {**found, "confidence": round(roles.confidence, 2), "how": roles.how}


def _floor(clip: Clip) -> dict[str, Any]:
    """Height of the floor under each foot, as a reader's conclusion; nothing where there are no feet."""
    if not clip.frames:
        return {}
    try:
        floor = find_floor(clip)
    except SkeletonError:
        return {}
    value = {"left": round(floor.left, 4), "right": round(floor.right, 4)}
    return {"floor": {"value": value, "how": floor.how, "confidence": round(floor.confidence, 2)}}
