"""Plot of an alignment: the distances of all frames of two motions, and the path of the time-warp through them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.align.distance import distances
from footfall.align.tables import clouds_of, entries_of
from footfall.align.time_warp import NoPath, time_warp
from footfall.core.clip import Clip
from footfall.render.plotting import THEME, new_figure, png

DARKEST = 0.98  # quantile of the distances that is drawn darkest: a few far frames shall not fade the rest


def plot_alignment(left: Clip, target: Clip, path: Path | None = None, title: str = "") -> bytes:
    """Root-mean-square distance in cm, dark is far; the path, and where the look-up table enters, as PNG bytes."""
    d = distances(clouds_of(left), clouds_of(target))
    n, m = d.shape
    cm = 100.0 * np.sqrt(d)
    figure = new_figure(7.2, 6.2)
    axis = figure.add_axes((0.11, 0.1, 0.72, 0.78))
    extent = (-0.5 / left.fps, (n - 0.5) / left.fps, -0.5 / target.fps, (m - 0.5) / target.fps)
    drawn = axis.imshow(
        cm.T,
        origin="lower",
        extent=extent,
        cmap="bone_r",
        vmin=0.0,
        vmax=float(np.quantile(cm, DARKEST)),
        aspect="auto",
    )
    try:
        warp = time_warp(d, target.is_loop)
        x, y = warp.rows / left.fps, warp.columns / target.fps
        broken = np.flatnonzero(np.diff(warp.columns) < 0) + 1  # a loop went round
        axis.plot(
            np.insert(x, broken, np.nan), np.insert(y, broken, np.nan), color=THEME.left, lw=1.6, label="time-warp"
        )
        about = f"mean distance along the path {100.0 * np.sqrt(warp.mean):.1f} cm"
    except NoPath:
        about = "no path: the second motion is too short; nearest frames instead"
    rows = np.arange(n)
    axis.plot(
        rows / left.fps,
        entries_of(left, target) / target.fps,
        ".",
        color=THEME.right,
        markersize=3,
        label="look-up table",
    )
    axis.set_xlabel(f"{left.name or 'first motion'}, s")
    axis.set_ylabel(f"{target.name or 'second motion'}, s")
    figure.legend(loc="upper right", bbox_to_anchor=(0.84, 0.985), frameon=False, fontsize=8)
    bar = figure.colorbar(drawn, cax=figure.add_axes((0.86, 0.1, 0.025, 0.78)))
    bar.set_label("distance, cm")
    name = title or f"{left.name or 'first'} to {target.name or 'second'}"
    figure.text(0.11, 0.945, name, fontsize=13, fontweight="bold", color=THEME.text)
    figure.text(0.11, 0.905, about, fontsize=9, color=THEME.text)
    return png(figure, path)
