"""Plots of blend weights: error against smoothness, maps over parameters, bars, an overview and motion-vector flow.

Every function takes plain arrays and gives a PNG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.render.plotting import GRID, INK, new_figure, png

COLOURS = ("#8a5fb5", "#3d9a6c", "#d1495b", "#e08a1e", "#b98b2b", "#2f7fc1", "#56b4e9")  # methods, in order
MARKS = ("o", "s", "^", "D", "v", "P", "X")


class Map(NamedTuple):
    """One slice of a set, for one method."""

    values: np.ndarray  # (m, m): first coordinate, second coordinate
    extent: tuple[float, float, float, float]
    inside: np.ndarray | None = None  # (m, m): the hull, drawn as an outline


def _figure(width: float, height: float) -> Any:
    return new_figure(width, height, layout="constrained")


def _plain(axes: Any) -> None:
    axes.tick_params(which="both", colors=INK, labelsize=8)
    axes.grid(True, color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def plot_trade(errors: Mapping[str, Sequence[float]], kappas: Mapping[str, Sequence[float]]) -> bytes:
    """Error against smoothness: a small mark a set, a large one for the mean over sets; lower left is better."""
    figure = _figure(8.0, 5.6)
    axes = figure.subplots()
    _plain(axes)
    for k, label in enumerate(errors):
        e, s = np.asarray(errors[label]), np.asarray(kappas[label])
        style = {"color": COLOURS[k % 7], "marker": MARKS[k % 7]}
        axes.scatter(e, s, s=16, alpha=0.45, linewidths=0, **style)
        axes.scatter([e.mean()], [s.mean()], s=130, edgecolors="white", label=label, zorder=3, **style)
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("mean parametric error inside the hull (m, rad, s)", color=INK)
    axes.set_ylabel("curvature κ of the weights", color=INK)
    axes.set_title("Error against smoothness; large marks: mean over sets", color=INK, fontsize=11, loc="left")
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return png(figure)


def plot_maps(
    maps: Mapping[str, Mapping[str, Map]], axes_names: Mapping[str, tuple[str, str]], title: str, unit: str
) -> bytes:
    """Maps of sets (rows) by methods (columns), one logarithmic scale of colours a row; the hull outlined in white."""
    from matplotlib.colors import LogNorm

    sets, methods = list(maps), list(next(iter(maps.values())))
    figure = _figure(1.75 * len(methods) + 1.2, 1.75 * len(sets) + 0.6)
    grid = np.atleast_2d(figure.subplots(len(sets), len(methods), squeeze=False))
    for i, name in enumerate(sets):
        values = np.concatenate([m.values.ravel() for m in maps[name].values()])
        top = max(float(np.quantile(values, 0.99)), 1e-12)
        scale = LogNorm(max(float(np.quantile(values, 0.02)), 1e-4 * top), top, clip=True)
        for j, method in enumerate(methods):
            axes, one = grid[i, j], maps[name][method]
            shown = axes.imshow(
                one.values.T, origin="lower", extent=one.extent, aspect="auto", norm=scale, cmap="magma"
            )
            if one.inside is not None and one.inside.any() and not one.inside.all():
                axes.contour(one.inside.T, levels=[0.5], extent=one.extent, colors="white", linewidths=0.8)
            axes.tick_params(colors=INK, labelsize=6, length=2)
            if i == 0:
                axes.set_title(method, fontsize=8, color=INK)
            if j == 0:
                axes.set_ylabel(f"{name}\n{axes_names[name][1]}", fontsize=8, color=INK)
            else:
                axes.set_yticklabels([])
            axes.set_xlabel(axes_names[name][0], fontsize=6, color=INK)
        bar = figure.colorbar(shown, ax=list(grid[i]), fraction=0.02, pad=0.01)
        bar.ax.tick_params(which="both", labelsize=6, colors=INK)
        bar.set_label(unit, fontsize=7, color=INK)
    figure.suptitle(title, color=INK, fontsize=11, x=0.01, ha="left")
    return png(figure)


def plot_bars(panels: Sequence[tuple[str, Mapping[str, Sequence[float]]]], sets: Sequence[str], title: str) -> bytes:
    """Bars by set, grouped by method, one panel each (ours, the paper's), on logarithmic scales."""
    figure = _figure(10.5, 2.9 * len(panels))
    grid = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for axes, (name, values) in zip(grid, panels, strict=True):
        _plain(axes)
        wide = 0.84 / len(values)
        for k, (label, of) in enumerate(values.items()):
            at = np.arange(len(of)) - 0.42 + (k + 0.5) * wide
            axes.bar(at, of, wide * 0.92, color=COLOURS[k % 7], label=label)
        axes.set(yscale="log", xticks=np.arange(len(sets)), xticklabels=sets)
        axes.set_title(name, fontsize=9, color=INK, loc="left")
        axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(title, color=INK, fontsize=11, x=0.01, ha="left")
    return png(figure)


def plot_overview(values: Mapping[str, Sequence[float]], criteria: Sequence[str]) -> bytes:
    """Every method on every criterion as a line of marks on logarithmic scales, best (least) on the left."""
    figure = _figure(9.0, 1.15 * len(criteria) + 0.8)
    grid = figure.subplots(len(criteria), 1, squeeze=False)[:, 0]
    for i, (axes, name) in enumerate(zip(grid, criteria, strict=True)):
        _plain(axes)
        axes.set(xscale="log", yticks=[], ylim=(-1, 1))
        axes.spines["left"].set_visible(False)
        for k, (label, of) in enumerate(values.items()):
            style = {"color": COLOURS[k % 7], "marker": MARKS[k % 7], "label": label if i == 0 else None}
            axes.scatter([of[i]], [0.45 * (-1) ** k], s=80, edgecolors="white", zorder=3, **style)
        axes.set_title(name, fontsize=9, color=INK, loc="left", pad=3)
    figure.legend(fontsize=8, frameon=False, loc="outside right center")
    figure.suptitle("Overview: further left is better", color=INK, fontsize=11, x=0.01, ha="left")
    return png(figure)


def plot_flow(flows: Mapping[str, tuple[np.ndarray, np.ndarray]], parents: np.ndarray, figures_every: int) -> bytes:
    """Side views of motions: each joint's steps as segments, warm where sudden, cool where slowed, with stick figures.

    flows: label -> positions (T, J, 3) and step lengths over their local mean (T - 1, J); the path runs along +Z.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import TwoSlopeNorm

    far = max(float(np.ptp(positions[..., 2])) for positions, _ in flows.values()) + 0.6
    row = float(np.clip(10.8 * 2.0 / far, 0.8, 4.0)) + 0.25  # inches: figures as large as the width allows
    figure = _figure(12.0, row * len(flows) + 0.4)
    grid = figure.subplots(len(flows), 1, squeeze=False, sharex=True)[:, 0]
    scale = TwoSlopeNorm(1.0, 0.3, 2.2)
    for axes, (label, (positions, sudden)) in zip(grid, flows.items(), strict=True):
        flat = positions[..., [2, 1]]  # (T, J, 2)
        steps = np.stack([flat[:-1], flat[1:]], axis=2).reshape(-1, 2, 2)
        lines = LineCollection(list(steps), array=sudden.ravel(), cmap="coolwarm", norm=scale, linewidths=1.1)
        axes.add_collection(lines)
        bones = [
            [frame[j], frame[parent]]
            for frame in flat[::figures_every]
            for j, parent in enumerate(parents)
            if parent >= 0
        ]
        axes.add_collection(LineCollection(bones, colors=INK, linewidths=1.0, alpha=0.8))
        axes.set(
            xlim=(flat[..., 0].min() - 0.3, flat[..., 0].max() + 0.3), ylim=(-0.05, 1.95), aspect="equal", yticks=[]
        )
        axes.tick_params(colors=INK, labelsize=7)
        axes.set_title(label, fontsize=9, color=INK, loc="left", pad=2)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    bar = figure.colorbar(lines, ax=list(grid), fraction=0.015, pad=0.01)
    bar.set_label("step over its local mean", fontsize=8, color=INK)
    bar.ax.tick_params(labelsize=7, colors=INK)
    grid[-1].set_xlabel("metres", fontsize=8, color=INK)
    return png(figure)
