"""Plot of coverage: the speeds and turns that the nodes of a built graph can do, and the examples they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.graph.build.build_file import BuildFile
from footfall.graph.coverage import hull_corners
from footfall.render.plotting import THEME, new_figure, png

COLOURS = {"walk": "#2f7fc1", "run": "#e08a1e", "back": "#7a5195", "side": "#3a9d6c", "stand": "#556"}
OTHER = "#8a6d3b"
FAINT = "#c9ced6"


def plot_coverage(build: BuildFile, title: str = "") -> bytes:
    """Speed across, turn up: recorded examples as dots, mirrored ones open, made ones as crosses; as PNG."""
    figure = new_figure(9.0, 5.4, layout="constrained")
    panel = figure.subplots()
    unused = [r.measured for r in build.cycles if not r.use and "speed" in r.measured and r.label]
    if unused:
        panel.plot([m["speed"] for m in unused], [m["turn"] for m in unused], ".", color=FAINT, ms=5, label="not used")
    for label in dict.fromkeys(r.label for r in build.cycles if r.use and "speed" in r.measured):
        _draw_node(panel, build, label)
    if any(r.use and r.label == "stand" for r in build.cycles):
        panel.plot([0.0], [0.0], "s", color=COLOURS["stand"], ms=7, label="stand")
    panel.axhline(0.0, color=THEME.line, lw=0.8, zorder=0)
    panel.set_xlabel("speed, m/s forward")
    panel.set_ylabel("turn, °/s to the left")
    panel.set_title(title or "What the graph covers", loc="left")
    panel.grid(alpha=0.25)
    panel.legend(loc="best", fontsize=8, framealpha=0.9)
    return png(figure)


def _draw_node(panel: Any, build: BuildFile, label: str) -> None:
    """One node: its hull, its examples."""
    color = COLOURS.get(label, OTHER)
    rows = [r for r in build.cycles if r.use and r.label == label]
    own = np.array([(r.measured["speed"], r.measured["turn"]) for r in rows])
    flipped = np.array([(r.measured["speed"], -r.measured["turn"]) for r in rows if r.mirrored]).reshape(-1, 2)
    bent = [r for r in build.turned if r.use and r.label == label and "speed" in r.measured]
    made = np.array([(r.measured["speed"], s * r.turn) for r in bent for s in (1.0, -1.0)]).reshape(-1, 2)
    corners = np.array(hull_corners(np.concatenate([own, flipped, made])))
    if len(corners) > 2:
        panel.fill(corners[:, 0], corners[:, 1], color=color, alpha=0.12, lw=0)
    panel.plot(own[:, 0], own[:, 1], "o", color=color, ms=5, label=f"{label}: {len(rows)} recorded")
    panel.plot(flipped[:, 0], flipped[:, 1], "o", mfc="none", mec=color, ms=5, label=f"{label}: mirrored")
    if len(made):
        panel.plot(made[:, 0], made[:, 1], "x", color=color, ms=7, mew=1.6, label=f"{label}: made to turn")
