"""Contact sheet: many motions in one picture, a labelled cell of poses for each."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.render.sheet import grid, render_strip, write_text
from footfall.render.theme import Theme

POSES = 5


def contact_sheet(
    clips: Mapping[str, Clip],
    columns: int = 3,
    cell: tuple[int, int] = (420, 220),
    theme: str | Theme = "light",
) -> np.ndarray:
    """(H, W, 3) uint8: one cell for each clip, in order, its name in the corner."""
    if not clips or columns < 1:
        raise ParameterError("a contact sheet needs at least one clip and one column")

    def draw(item: tuple[str, Clip]) -> np.ndarray:
        name, clip = item
        times = np.linspace(0.0, clip.duration, POSES)
        return write_text(render_strip(clip, list(times), cell, theme), name, theme)

    with ThreadPoolExecutor(2) as pool:  # the kernels run without the interpreter's lock
        cells = list(pool.map(draw, clips.items()))
    return grid(cells, columns)
