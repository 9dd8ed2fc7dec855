"""Film strips of a captured action above the built-in one, at the same moments around their apex."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from footfall.core.clip import Clip
from footfall.edit.mirror import mirror
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root
from footfall.render.camera import Camera
from footfall.render.sheet import render_strip, write_text

if TYPE_CHECKING:
    from footfall_lab.studies.motions import Take

SIZE = (900, 180)  # pixels of a strip
POSES = 9
SHORT_S, LONG_S = 0.6, 1.6  # either side of the apex: of strikes, and of what takes its time
CAMERA = Camera("fixed", azimuth=-60.0, elevation=8.0)


def strip_png(take: Take, ours: Clip, apex_s: float) -> bytes:
    """A PNG: the take above, the built-in motion below."""
    from PIL import Image

    reach = SHORT_S if ours.name in ("kick", "punch") else LONG_S
    seen = mirror(take.clip) if take.side == "left" else take.clip
    strips = [_strip(seen, take.at_s, reach, f"captured, {take.name}"), _strip(ours, apex_s, reach, "built in")]
    data = BytesIO()
    Image.fromarray(np.concatenate(strips)).quantize(96).save(data, "PNG", optimize=True)
    return data.getvalue()


def _strip(clip: Clip, at_s: float, reach_s: float, words: str) -> np.ndarray:
    first, last = max(at_s - reach_s, 0.0), min(at_s + reach_s, clip.duration)
    at = min(round(at_s * clip.fps), clip.frames - 1)
    place, heading = (x[0] for x in floor_root(clip.skeleton, clip.pose.at(slice(at, at + 1))))
    turned = clip.with_pose(between_roots(place, heading, np.zeros(3), np.zeros(())).pose(clip.pose))
    times = list(np.linspace(first, last, POSES))
    return write_text(render_strip(turned, times, SIZE, camera=CAMERA, trail=False, contacts=False), words, "light")
