"""The picture of a timeline: poses, clips with their phase bars, the segments chosen between them, and why."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import Any

from footfall.core.clip import Clip
from footfall.core.report import Segment
from footfall.render.plot_analysis import phase_colour
from footfall.render.plotting import FAINT, GRID, INK, new_figure, png
from footfall.render.sheet import render_strip
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.track_plan import TrackPlan

BADGES = {
    "transition": "T",
    "connection": "C",
    "adaptation": "A",
    "bridge": "B",
    "composition": "+",
    "wait": "W",
    "fallback": "!",
}
COLOURS = {"green": "#3a9d6a", "amber": "#d99a1c", "red": "#c9483c"}


def join_colour(segment: Segment) -> str:
    """Green, amber or red as the join was judged; grey where it was not."""
    return COLOURS.get(segment.grade, FAINT)


def plot_timeline(clip: Clip, plan: TrackPlan, path: Path | None = None, title: str = "") -> bytes:
    """One track on one page, as PNG bytes, also written to a path where one is given."""
    joins = clip.report.joins if clip.report else ()
    lanes = [*plan.pieces, *(overlay.piece for overlay in plan.overlays), *(piece for piece, _ in plan.unseen)]
    rows = 0.42 * len(lanes) + 0.55
    words = 0.26 * len(joins) + 0.3
    strip = render_strip(clip)
    wide = 13.0
    tall = wide * strip.shape[0] / strip.shape[1]
    height = tall + rows + words + 1.1
    figure = new_figure(wide, height)
    figure.text(0.01, 1.0 - 0.28 / height, title or clip.name, fontsize=14, fontweight="bold", color=INK, va="center")
    poses = figure.add_axes((0.0, 1.0 - (tall + 0.5) / height, 1.0, tall / height))
    poses.imshow(strip)
    poses.set_axis_off()
    lanes_axis = figure.add_axes((0.1, (words + 0.45) / height, 0.885, rows / height))
    _draw_lanes(lanes_axis, lanes, joins, plan.pieces[0].start_s, clip.duration)
    text = figure.add_axes((0.1, 0.02, 0.885, words / height))
    _draw_words(text, joins)
    return png(figure, path)


def _draw_lanes(
    axis: Any, lanes: list[ArrangedClip], joins: tuple[Segment, ...], origin: float, duration: float
) -> None:
    """A bar of phases for every clip, one under another, and the joins as shaded spans with their badges."""
    from matplotlib.patches import Rectangle

    axis.set_xlim(0.0, max(duration, 1e-3))
    axis.set_ylim(len(lanes) + 0.9, -0.15)
    for row, piece in enumerate(lanes):
        for phase in piece.phases:
            face = phase_colour(phase.label)
            at, width = phase.start_s - origin, phase.end_s - phase.start_s
            axis.add_patch(Rectangle((at, row + 0.15), width, 0.7, facecolor=face, edgecolor="white", lw=0.8))
            if face == "none":
                axis.add_patch(Rectangle((at, row + 0.15), width, 0.7, facecolor="none", edgecolor=GRID, lw=1.0))
            if width > 0.025 * duration:
                ink = INK if face == "none" else "white"
                axis.text(at + 0.5 * width, row + 0.5, phase.label, ha="center", va="center", fontsize=7, color=ink)
        axis.text(-0.008, row + 0.5, shorten(piece.name, 18, placeholder="…"), transform=_beside(axis), ha="right",
                  va="center", fontsize=9, color=INK)  # fmt: skip
    base = len(lanes) + 0.1
    for join in joins:
        colour = join_colour(join)
        width = join.end_s - join.start_s
        axis.axvspan(join.start_s, join.end_s, color=colour, alpha=0.13, lw=0)
        axis.add_patch(Rectangle((join.start_s, base), width, 0.6, facecolor=colour, edgecolor="white", lw=0.8))
        axis.text(join.start_s + 0.5 * width, base + 0.3, BADGES.get(join.kind, "?"), ha="center", va="center",
                  fontsize=8, color="white", fontweight="bold")  # fmt: skip
    axis.set_yticks([])
    axis.grid(axis="x", color=GRID, lw=0.6)
    axis.set_axisbelow(True)
    axis.spines[["left", "right", "top"]].set_visible(False)
    axis.spines["bottom"].set_color(GRID)
    axis.tick_params(colors=INK, labelsize=8)
    axis.set_xlabel("time, s", fontsize=8, color=INK, labelpad=1)


def _beside(axis: Any) -> Any:
    """Coordinates of the axis across, of the data down."""
    from matplotlib.transforms import blended_transform_factory

    return blended_transform_factory(axis.transAxes, axis.transData)


def _draw_words(axis: Any, joins: tuple[Segment, ...]) -> None:
    """One line a join: what, when, why and how well."""
    axis.set_axis_off()
    axis.set_xlim(0.0, 1.0)
    axis.set_ylim(len(joins) + 0.2, -0.2)
    for row, join in enumerate(joins):
        well = join.seen[0] if join.seen else join.grade
        what = f"{BADGES.get(join.kind, '?')}  {join.start_s:5.2f}–{join.end_s:.2f} s  {join.kind}"
        phases = f" {'→'.join(join.phases)}" if join.phases else ""
        axis.text(0.0, row + 0.5, what + phases, fontsize=8, color=join_colour(join), fontweight="bold", va="center")
        axis.text(0.235, row + 0.5, shorten(join.reason, 108, placeholder=" …"), fontsize=8, color=INK, va="center")
        axis.text(1.0, row + 0.5, well, fontsize=8, color=INK, va="center", ha="right")
