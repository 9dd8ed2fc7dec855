"""Moments side by side: a pose that was looked for, and the moments most like it, all seen from the same side."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root
from footfall.render.camera import Camera
from footfall.render.scene import Actor
from footfall.render.sheet import grid, render_strip, write_text
from footfall.render.theme import Theme, rgb, theme_of

COLUMNS = 5
CELL = (250, 300)
FAR = 3.1  # body heights from which every cell is seen, so that sizes compare
SIDE = Camera("fixed", azimuth=-58.0, elevation=9.0)
LOOKED_FOR = "#7cc0a8"  # the pose that was looked for
GAP_PX = 2


class Picture(NamedTuple):
    """One cell."""

    clip: Clip
    t_s: float
    title: str  # above
    note: str = ""  # below


def moment_sheet(
    query: Picture, found: Sequence[Picture], theme: str | Theme = "light", cell: tuple[int, int] = CELL
) -> np.ndarray:
    """(H, W, 3) uint8: the query first, in another colour, then what was found, in order."""
    if query.clip.frames < 1 or any(p.clip.frames < 1 for p in found):
        raise ParameterError("a picture of moments needs clips with frames")

    def draw(item: tuple[int, Picture]) -> np.ndarray:
        number, of = item
        still = facing_us(of.clip, of.t_s)
        camera = Camera(SIDE.mode, SIDE.azimuth, SIDE.elevation, FAR * still.skeleton.height)
        picture = render_strip(
            Actor(still, None if number else LOOKED_FOR), [0.0], cell, theme, camera, trail=False, contacts=False
        )
        return write_text(write_text(picture, of.title, theme), of.note, theme, "bottom left")

    with ThreadPoolExecutor(2) as pool:  # the kernels run without the interpreter's lock
        cells = list(pool.map(draw, enumerate([query, *found])))
    return grid(cells, min(COLUMNS, len(cells)), GAP_PX, rgb(theme_of(theme).line))


def facing_us(clip: Clip, t_s: float) -> Clip:
    """One frame: the pose at a time, over the origin and facing +Z."""
    pose = clip.sample(np.array([t_s]))
    position, heading = floor_root(clip.skeleton, pose)
    home = between_roots(position[0], heading[0], np.zeros(3), np.array(0.0)).pose(pose)
    return Clip(clip.skeleton, clip.fps, Pose(home.root_pos, home.rot, home.pos), name=clip.name)
