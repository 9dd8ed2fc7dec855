"""Cuts of a recording: its cycles as closed loops, its changes and actions as takes, all on the body of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.core.errors import FootfallError
from footfall.core.pose import Pose
from footfall.edit.upsample import upsample
from footfall.graph.build import build_cache
from footfall.graph.build.closed_loops import PARTS, LoopQuality, Spans, close_cycle
from footfall.graph.build.found_edges import cut_take
from footfall.graph.build.recording_scan import walking_clips
from footfall.graph.graph_file import SKELETON
from footfall.retarget.character import Character
from footfall.retarget.retarget import retarget


class WantedCut(NamedTuple):
    """A stretch that is wanted."""

    clip: str
    start_s: float
    end_s: float
    loop: bool  # closed, or as a take
    name: str


class RecordingCut(NamedTuple):
    """What became of it: a clip on the body, or why there is none."""

    clip: Clip | None = None
    quality: LoopQuality | None = None  # of a loop
    why: str = ""


@dataclass(frozen=True, eq=False)
class CutJob:
    """All that is wanted of one file."""

    folder: Path
    file: str
    mark: str
    body: Character
    fps: float
    pieces: tuple[WantedCut, ...]


def cut_file(job: CutJob) -> list[RecordingCut]:
    """The pieces of one file, in order; from the cache where they are kept."""
    s = job.body.skeleton
    body = [s.names, *(getattr(s, part).tolist() for part in SKELETON if part != "end_parents")]
    key = build_cache.key_of("cuts", job.mark, body, job.fps, job.pieces)
    return build_cache.made_once(key, lambda: _made(job), _told, partial(_cuts, job))


def _made(job: CutJob) -> list[RecordingCut]:
    try:
        clips = walking_clips(job.folder / job.file)
    except FootfallError as error:
        return [RecordingCut(why=" ".join(str(error).split()))] * len(job.pieces)
    named = {clip.name if len(clips) > 1 else "": clip for clip in clips}
    takes: dict[str, tuple[Clip, Spans]] = {}
    cuts = []
    for piece in job.pieces:
        try:
            if piece.clip not in named:
                raise FootfallError(f"{job.file} has no animation {piece.clip!r}")
            if piece.clip not in takes:
                takes[piece.clip] = _on_body(named[piece.clip], job)
            stretch = (*takes[piece.clip], piece.start_s, piece.end_s, piece.name)
            cuts.append(RecordingCut(*close_cycle(*stretch)) if piece.loop else RecordingCut(cut_take(*stretch)))
        except FootfallError as error:
            cuts.append(RecordingCut(why=" ".join(str(error).split())))
    return cuts


def _on_body(clip: Clip, job: CutJob) -> tuple[Clip, Spans]:
    """The recording on the body, and its contacts, told from the recording itself."""
    spans = {part: clip.contacts.spans(part) for part in PARTS}
    take = upsample(clip, job.fps) if clip.fps < job.fps else clip.resample(job.fps)
    on = retarget(take, job.body)
    return replace(on, skin=None, events=(), repairs=(), warnings=(), parameters={}), spans


# --- kept ------------------------------------------------------------------------------------------------------------


def _told(cuts: Sequence[RecordingCut]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    arrays, rows = {}, []
    for k, cut in enumerate(cuts):
        row: dict[str, Any] = {"why": cut.why, "quality": cut.quality}
        if cut.clip is not None:
            arrays[f"{k} root"], arrays[f"{k} rot"] = cut.clip.pose.root_pos, cut.clip.pose.rot
            row |= {"fps": cut.clip.fps, "name": cut.clip.name, "loop": cut.clip.is_loop, "events": cut.clip.events}
        rows.append(row)
    return {"cuts": rows}, arrays


def _cuts(job: CutJob, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[RecordingCut]:
    cuts = []
    for k, row in enumerate(header["cuts"]):
        clip = None
        if "fps" in row:
            clip = Clip(
                job.body.skeleton, float(row["fps"]), Pose(arrays[f"{k} root"], arrays[f"{k} rot"]), name=row["name"],
                is_loop=bool(row["loop"]), events=tuple(Event(*e) for e in row["events"]),
            )  # fmt: skip
        quality = None if row["quality"] is None else LoopQuality(*row["quality"])
        cuts.append(RecordingCut(clip, quality, str(row["why"])))
    if len(cuts) != len(job.pieces):
        raise ValueError("pieces")
    return cuts
