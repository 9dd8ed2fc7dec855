"""Traits kept in a library: what decides whether clips blend (analysis/traits.py), as a facet and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from footfall.analysis.summary import analyze
from footfall.analysis.traits import SAMPLES, SEGMENTS, TURNING, Traits, traits
from footfall.core.clip import Clip
from footfall.library.facets import ClipPart, Facet, variant_of
from footfall.library.index_file import Index, KeptClip
from footfall.retarget.character import Character
from footfall.retarget.retarget import retarget

ARRAYS = {"segments": (len(SEGMENTS),), "rest": (len(SEGMENTS), 3), "poses": (SAMPLES, len(TURNING), 4)}
TUPLES = ("structure", "names", "matching")


def traits_facet(body: Character | None = None, options: Mapping[str, Any] | None = None) -> Facet:
    """The facet of traits, of clips as they are or as they are on a body."""
    return Facet("traits", kept_traits, body, variant_of(body, options or {}))


def kept_traits(clips: Sequence[Clip], path: Path, body: Character | None) -> list[ClipPart]:
    """The traits of every clip that has frames."""
    return [_part(clip, body) for clip in clips if clip.frames]


def traits_of(clip: Clip, name: str, body: Character | None) -> Traits:
    """The traits of a clip under a name, as it is or on a body."""
    clip = clip if body is None else retarget(clip, body)
    return traits(clip, analyze(clip), name)


def _part(clip: Clip, body: Character | None) -> ClipPart:
    found = traits_of(clip, "", body)
    told = {f.name: getattr(found, f.name) for f in fields(found) if f.name not in (*ARRAYS, "name")}
    arrays = {name: getattr(found, name).astype(np.float32)[None] for name in ARRAYS}
    return ClipPart(clip.name, {**told, "repairs": len(clip.repairs)}, arrays)


def all_traits(index: Index, facet: Facet) -> list[tuple[KeptClip, Traits]]:
    """Every clip of a library with its traits, by file; clips of a file with several are named file#clip."""
    clips = index.clips(facet.key)
    columns = {name: index.column(facet.key, name).whole() for name in ARRAYS}
    several = {clip.file for clip in clips if clip.number}
    found = []
    for k, clip in enumerate(clips):
        name = f"{clip.file}#{clip.name}" if clip.file in several else clip.file
        told: dict[str, Any] = {
            key: tuple(v) if key in TUPLES else v for key, v in clip.told.items() if key != "repairs"
        }
        found.append((clip, Traits(name=name, **told, **{key: columns[key][k] for key in ARRAYS})))
    return found
