"""The contact strip of a clip: phases, heights and speeds of the feet, small enough for many on a page."""

from __future__ import annotations

from pathlib import Path

from footfall.analysis.summary import Analysis
from footfall.core.clip import Clip
from footfall.render.plot_analysis import draw_heights, draw_phases, draw_speeds, headline, mark_key_times, time_axes
from footfall.render.plotting import INK, new_figure, png


def plot_strip(
    clip: Clip, analysis: Analysis, path: Path | None = None, title: str = "", size: tuple[float, float] = (8.4, 2.6)
) -> bytes:
    """The contact strip alone: phases, heights and speeds of the feet over time, small enough for many on a page."""
    figure = new_figure(*size)
    grid = figure.add_gridspec(
        3, 1, height_ratios=(0.3, 1.0, 1.0), left=0.085, right=0.985, top=0.84, bottom=0.15, hspace=0.16
    )
    axes = time_axes(figure, grid, 3, clip)
    draw_phases(axes[0], analysis, legend=False)
    draw_heights(axes[1], clip, legend=False)
    draw_speeds(axes[2], clip)
    for axis in axes[1:]:
        mark_key_times(axis, analysis)
    axes[-1].set_xlabel("time, s")
    for axis in axes:
        axis.yaxis.label.set_size(8)
    axes[0].set_title(f"{title or clip.name}: {headline(analysis)}", loc="left", color=INK, fontsize=9, pad=11)
    return png(figure, path)
