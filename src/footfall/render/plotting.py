"""Figures of matplotlib without a window, as PNG bytes, and the colours that plots share."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from footfall.core.errors import need
from footfall.io.save import atomic_write
from footfall.render.theme import THEMES

THEME = THEMES["light"]
INK, FAINT, GRID = THEME.text, THEME.trail, "#e3e6ea"
FEET = {"left": THEME.left, "right": THEME.right}
PX = 110  # pixels an inch


def new_figure(width: float, height: float, dpi: int = PX, **options: Any) -> Any:
    """An empty figure of a size in inches; no pyplot, so nothing is global."""
    need("matplotlib", "plot")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=dpi, facecolor="white", **options)


def plain(axis: Any, grid: str | None, size: float = 8.0, frame: bool = False) -> None:
    """Dress an axis: no ticks, faint lines behind what is drawn along "x", "y" or "both", and a frame or a floor."""
    axis.tick_params(length=0, labelsize=size, colors=INK)
    if not frame:
        axis.spines[["top", "right", "left"]].set_visible(False)
    axis.spines[:].set_color(GRID)
    axis.set_axisbelow(True)
    if grid:
        axis.grid(axis=grid, color=GRID, lw=0.7)


def png(figure: Any, path: Path | None = None) -> bytes:
    """The figure as PNG bytes, the same for the same figure; also written to a path where one is given."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    if path is not None:
        atomic_write(Path(path), buffer.getvalue())
    return buffer.getvalue()
