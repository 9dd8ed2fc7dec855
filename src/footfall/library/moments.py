"""Fingerprints of moments: the facet that `find` and `match` search, and what it tells of a moment.

A row (`align.features.metric_rows`) is where the body's points are and how they move over a sixth of a second, on one
body, at 30 frames a second. Rows are kept turned as the body faces: `row_distances` does not see the difference, and
rows that are near are then near as plain vectors too, by which a search can prune. Every fifth row is a *key*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.align.features import features, metric_rows, points_of
from footfall.analysis.gait import classify
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.io.folder import moving
from footfall.kinematics.root import floor_root
from footfall.library.facets import ClipPart, Facet, variant_of
from footfall.retarget.character import Character
from footfall.retarget.one_body import same_body
from footfall.retarget.retarget import retarget

FPS = 30.0  # of what is kept: moments 1/30 s apart can hardly be told
LEAST = 3  # frames, the fewest that tell how a body moves
KEY = 5  # rows from one key to the next: a sixth of a second, the window of a row
PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")


class Moment(NamedTuple):
    """A moment that was found."""

    file: str
    clip: str  # empty where the file holds one clip
    t_s: float
    distance_m: float
    mirrored: bool
    what: str


def moments_facet(body: Character, options: Mapping[str, Any] | None = None) -> Facet:
    """The facet of fingerprints on a body, of files read in some way."""
    return Facet("moments", moments, body, variant_of(body, options or {}))


def moments(clips: Sequence[Clip], path: Path, body: Character) -> list[ClipPart]:
    """Rows, keys, speeds and contacts of each clip."""
    points = points_of(body.skeleton)
    return [_part(clip, body, points) for clip in moving(clips, path, LEAST)]


def _part(clip: Clip, body: Character, points: tuple[str, ...]) -> ClipPart:
    on = on_body(clip, body)
    rows, gait, speed = turned_rows(on, points), classify(on), features(on, ("pelvis",)).speed
    down = np.stack([np.asarray(getattr(on.contacts, part))[: len(rows)] for part in PARTS], axis=1)
    told = {"type": gait.type, "direction": gait.direction, "points": list(points), "loop": bool(on.is_loop)}
    kept = rows.astype(np.float16)
    arrays = {"rows": kept, "keys": kept[::KEY], "speed": speed.astype(np.float16), "down": down.astype(bool)}
    return ClipPart(clip.name, told, arrays)


def on_body(clip: Clip, body: Character) -> Clip:
    """The clip at the index's frame rate on a body; frames enough to move are needed."""
    if clip.frames < LEAST:
        raise ParameterError(f"{clip.name or 'this clip'} has {clip.frames} frame(s); to be compared it needs {LEAST}")
    clip = clip.resample(FPS)
    return clip.floor() if same_body(clip.skeleton, body.skeleton) else retarget(clip, body)


def turned_rows(clip: Clip, points: tuple[str, ...]) -> np.ndarray:
    """(n, 6 P) float32 rows of a clip on a body, each turned so that the hips face ahead."""
    rows = metric_rows(clip, points)
    _, heading = floor_root(clip.skeleton, clip.sample(np.arange(len(rows)) / clip.fps))
    floor = rows.reshape(len(rows), -1, 3)
    turned = (floor[..., 2] + 1j * floor[..., 0]) * np.exp(-1j * heading)[:, None]
    return np.stack([turned.imag, floor[..., 1], turned.real], axis=-1).reshape(rows.shape).astype(np.float32)


def query_row(clip: Clip, t_s: float, body: Character, points: tuple[str, ...]) -> np.ndarray:
    """The row of one moment of any clip, between frames on a straight line."""
    if not 0.0 <= t_s <= clip.duration + 1e-6:
        raise ParameterError(
            f"{clip.name or 'the clip'} lasts {clip.duration:.2f} s and has no moment at {t_s:g} s; give a time in it"
        )
    clip = on_body(clip, body)
    rows = turned_rows(clip, points)
    x = min(t_s * FPS, len(rows) - 1.0)
    i = min(int(x), len(rows) - 2)
    return rows[i] + np.float32(x - i) * (rows[i + 1] - rows[i])


def what(told: Mapping[str, Any], speed: np.ndarray, down: np.ndarray) -> str:
    """A moment in words: what the clip is, how fast the body goes then (3,), and what it stands on (4,)."""
    forward, side, turn = (float(v) for v in speed)
    over_floor = np.hypot(forward, side)
    left, right = (bool(foot.any()) for foot in down.reshape(2, 2))
    feet = {(True, True): "on both feet", (True, False): "on the left foot", (False, True): "on the right foot"}
    words = [f"{told['type']} {told['direction']}".strip()]
    if over_floor >= 0.1:
        words.append(f"{over_floor:.1f} m/s")
    if abs(turn) >= np.radians(20.0):
        words.append(f"turning {'left' if turn > 0 else 'right'}")
    words.append(feet.get((left, right), "off the ground"))
    return ", ".join(words)
