"""Plots of an analysis: phases, foot heights and speeds, joint curves and the path on the floor, as one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from footfall.analysis.arc import arc_frames
from footfall.analysis.foot_points import foot_points
from footfall.analysis.summary import Analysis
from footfall.core.clip import Clip
from footfall.core.easing import smoothstep
from footfall.core.roles import LEG, SIDES
from footfall.render.plotting import FAINT, FEET, INK, THEME, new_figure, plain, png
from footfall.render.theme import rgb

SPEED_CAP = 0.98  # quantile of the feet's speeds that sets the scale: a single glitch shall not flatten the rest
SOLE_AT = (0.0, 0.02, 0.06, 0.12, 0.25, 0.45, 0.6, 0.72, 0.85, 0.93, 0.98, 1.0)  # along the sole, heel to tip,
SOLE_HALF = (0.0, 0.06, 0.1, 0.12, 0.12, 0.1, 0.14, 0.165, 0.15, 0.115, 0.06, 0.0)  # and half its width there
LEAST_DEG = 20.0  # a joint's axis spans at least this: standing shall look like standing


def phase_colour(label: str) -> str:
    """Blue and orange for the left and the right foot, their mix for both, nothing for none."""
    if label == "DS":
        return "#" + "".join(f"{(a + b) // 2:02x}" for a, b in zip(rgb(THEME.left), rgb(THEME.right), strict=True))
    return {"LS": THEME.left, "RS": THEME.right, "NS": "none"}[label]


def plot_analysis(clip: Clip, analysis: Analysis, path: Path | None = None, title: str = "") -> bytes:
    """Everything on one page, as PNG bytes, also written to a path where one is given."""
    figure = new_figure(13.0, 8.0)
    grid = figure.add_gridspec(
        6, 2, width_ratios=(2.9, 1.0), height_ratios=(0.34, 1.25, 1.25, 0.8, 0.8, 0.8),
        left=0.06, right=0.965, top=0.9, bottom=0.065, hspace=0.16, wspace=0.13,
    )  # fmt: skip
    axes = time_axes(figure, grid, 6, clip)
    draw_phases(axes[0], analysis)
    draw_heights(axes[1], clip)
    draw_speeds(axes[2], clip)
    for axis, (name, curves) in zip(axes[3:], joint_curves(clip).items(), strict=True):
        _draw_joint(axis, clip, name, curves)
    for axis in axes[1:]:
        mark_key_times(axis, analysis)
    axes[-1].set_xlabel("time, s")
    _draw_floor(figure.add_subplot(grid[:, 1]), clip, analysis)
    figure.text(0.06, 0.965, title or clip.name, fontsize=14, fontweight="bold", color=INK, va="center")
    figure.text(0.06, 0.928, headline(analysis), fontsize=10, color=INK, va="center")
    return png(figure, path)


def draw_phases(axis: Any, analysis: Analysis, legend: bool = True) -> None:
    """The phase bar, labelled where there is room, with strikes and offs as triangles above and below."""
    from matplotlib.patches import Rectangle

    longest = max(analysis.duration_s, 1e-9)
    for phase in analysis.phases:
        width = phase.end_s - phase.start_s
        face = phase_colour(phase.label)
        axis.add_patch(
            Rectangle((phase.start_s, 0.0), width, 1.0, facecolor=face, edgecolor=FAINT if face == "none" else face,
                      linewidth=0.6)
        )  # fmt: skip
        if width > 0.03 * longest:
            ink = INK if face == "none" else "white"
            axis.text(phase.start_s + 0.5 * width, 0.47, phase.label, ha="center", va="center", color=ink, fontsize=8,
                      fontweight="bold")  # fmt: skip
    for key in analysis.key_times:
        down = key.event == "strike"
        axis.plot(key.t_s, 1.28 if down else -0.28, marker="v" if down else "^", color=FEET[key.foot], markersize=5.5,
                  markeredgewidth=0, clip_on=False)  # fmt: skip
    axis.set_ylim(-0.02, 1.02)
    axis.set_yticks([])
    axis.set_ylabel("phase", rotation=0, ha="right", va="center")
    axis.spines[:].set_visible(False)
    if legend:
        axis.text(
            1.0, 1.75, "▼ strike   ▲ off", transform=axis.transAxes, ha="right", va="center", color=INK, fontsize=8
        )


def draw_heights(axis: Any, clip: Clip, legend: bool = True) -> None:
    """Heel and ball of both soles over the height each rests at; contacts as bands along the floor."""
    sole = foot_points(clip).sole[:, :, :2, 1]  # (T, 2, heel and ball)
    height = 100.0 * (sole - np.quantile(sole, 0.05, axis=0))
    for f, side in enumerate(SIDES):
        axis.plot(clip.times, height[:, f, 1], color=FEET[side], lw=1.5, label=f"{side} ball")
        axis.plot(
            clip.times, height[:, f, 0], color=FEET[side], lw=0.9, alpha=0.65, ls=(0, (4, 1.6)), label=f"{side} heel"
        )
    top = max(6.0, (1.3 if legend else 1.08) * float(height.max()))
    axis.set_ylim(-0.16 * top, top)
    for f, side in enumerate(SIDES):
        spans = [(a, b - a) for a, b in clip.contacts.spans(side)]
        axis.broken_barh(spans, ((-0.075 - 0.07 * f) * top, 0.055 * top), facecolor=FEET[side], linewidth=0)
    axis.set_ylabel("height, cm")
    if legend:
        axis.legend(loc="upper right", ncols=4, frameon=True, framealpha=0.85, edgecolor="none", fontsize=8,
                    borderpad=0.2, handlelength=1.8, columnspacing=1.2)  # fmt: skip


def draw_speeds(axis: Any, clip: Clip) -> None:
    """Speed over the floor of the slower of heel and ball: near 0 while the foot stands."""
    sole = foot_points(clip).sole[:, :, :2][..., [0, 2]]  # (T, 2, 2, xz)
    if clip.frames < 2:
        return
    step = np.linalg.norm(np.gradient(sole, 1.0 / clip.fps, axis=0), axis=-1).min(axis=-1)  # (T, 2)
    for f, side in enumerate(SIDES):
        axis.fill_between(clip.times, 0.0, step[:, f], color=FEET[side], alpha=0.10, linewidth=0)
        axis.plot(clip.times, step[:, f], color=FEET[side], lw=1.3)
    axis.set_ylim(0.0, 1.12 * max(0.2, float(np.quantile(step, SPEED_CAP))))
    axis.set_ylabel("speed, m/s")


def joint_curves(clip: Clip) -> dict[str, np.ndarray]:
    """Flexion in degrees, (T, 2) left and right, of hip, knee and ankle; NaN where the body has no such joint.

    Hip: thigh ahead of the vertical, in the plane the body faces. Knee: 0 straight. Ankle: toes up from a right angle.
    """
    roles = clip.skeleton.roles
    at, heading = clip.positions, clip.root_motion.heading
    ahead = np.stack([np.sin(heading), np.zeros(len(heading)), np.cos(heading)], axis=-1)
    found = {name: np.full((clip.frames, 2), np.nan) for name in ("hip", "knee", "ankle")}
    for f, side in enumerate(SIDES):
        hip, knee, ankle, toe = roles.joints(side, *LEG)
        if None in (hip, knee, ankle):
            continue
        thigh, shank = at[:, knee] - at[:, hip], at[:, ankle] - at[:, knee]
        found["hip"][:, f] = np.degrees(np.arctan2((thigh * ahead).sum(axis=-1), -thigh[:, 1]))
        found["knee"][:, f] = _angle(thigh, shank)
        if toe is not None:
            found["ankle"][:, f] = 90.0 - _angle(-shank, at[:, toe] - at[:, ankle])
    return found


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(T,) degrees between vectors (T, 3)."""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(axis=-1)))


def _draw_joint(axis: Any, clip: Clip, name: str, curves: np.ndarray) -> None:
    for f, side in enumerate(SIDES):
        axis.plot(clip.times, curves[:, f], color=FEET[side], lw=1.3)
    if np.isnan(curves).all():
        axis.text(0.5, 0.5, "no toe joints", transform=axis.transAxes, ha="center", va="center", color=FAINT)
    axis.set_ylabel(f"{name}, °")
    if np.isfinite(curves).any():
        low, high = float(np.nanmin(curves)), float(np.nanmax(curves))
        room = max(0.12 * (high - low), 0.5 * (LEAST_DEG - (high - low)))
        axis.set_ylim(low - room, high + room)


def mark_key_times(axis: Any, analysis: Analysis) -> None:
    """A line at every strike, a dotted one at every lift-off."""
    for key in analysis.key_times:
        style = "-" if key.event == "strike" else (0, (1, 2))
        axis.axvline(key.t_s, color=FEET[key.foot], lw=0.7, ls=style, alpha=0.55, zorder=0)


def _draw_floor(axis: Any, clip: Clip, analysis: Analysis) -> None:
    """From above, the start of the arc heading up: the pelvis's path, the fitted arc, a print for each contact."""
    turn = _turned(analysis.arc.phi if analysis.arc.length > 0.3 else analysis.arc.facing)
    path = clip.root_motion.position[:, [0, 2]] @ turn
    axis.plot(*path.T, color=FAINT, lw=1.6, label="pelvis", solid_capstyle="round")
    spans = np.linspace(analysis.arc.start_s, analysis.arc.end_s, 80)
    arc = arc_frames(analysis.arc, spans).position[:, [0, 2]] @ turn
    outlines = [path]
    if analysis.arc.length > 0.3:
        outlines.append(arc)
        axis.plot(*arc.T, color=INK, lw=1.1, ls=(0, (5, 2)), label="fitted arc")
        axis.annotate("", xy=arc[-1], xytext=arc[-6], arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.1})
    sole = foot_points(clip).sole[..., [0, 2]] @ turn  # (T, 2, 3, 2)
    for f, side in enumerate(SIDES):
        for number, (start, end) in enumerate(clip.contacts.spans(side)):
            frames = slice(int(start * clip.fps), int(np.ceil(end * clip.fps)) + 1)
            heel, _, tip = np.median(sole[frames, f], axis=0)
            outline = footprint(heel, tip)
            outlines.append(outline)
            axis.fill(*outline.T, facecolor=FEET[side], alpha=0.8, linewidth=0, label=side if number == 0 else None)
    _frame_floor(axis, np.concatenate(outlines))
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.045), ncols=4, frameon=False, fontsize=8, handlelength=1.4,
                columnspacing=1.0)  # fmt: skip


def footprint(heel: np.ndarray, tip: np.ndarray) -> np.ndarray:
    """(N, 2) outline of a sole from heel to tip, both (2,): narrow at the heel, widest at the ball."""
    along = tip - heel
    across = np.array([-along[1], along[0]])
    u = smoothstep(np.linspace(0.0, 1.0, 40))  # dense at the rounded ends
    half = np.interp(u, SOLE_AT, SOLE_HALF)
    outline: np.ndarray = np.concatenate(
        [heel + u[:, None] * along + half[:, None] * across, (heel + u[:, None] * along - half[:, None] * across)[::-1]]
    )
    return outline


def _frame_floor(axis: Any, points: np.ndarray) -> None:
    """Equal scales, some room around, and +x to the left: a character that goes up has its left on the left."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = 0.5 * (low + high), np.maximum(high - low, 0.6) * 1.1
    axis.set_aspect("equal", adjustable="box")
    size[0] = max(size[0], 0.36 * size[1])  # the panel is tall: fill it
    axis.set_xlim(middle[0] + 0.5 * size[0], middle[0] - 0.5 * size[0])
    axis.set_ylim(middle[1] - 0.5 * size[1], middle[1] + 0.5 * size[1])
    plain(axis, "both", frame=True)
    axis.yaxis.tick_right()
    axis.xaxis.get_major_locator().set_params(nbins=4)
    axis.set_title("floor from above, m", color=INK)


def _turned(heading: float) -> np.ndarray:
    """(2, 2) for row vectors (x, z): turns a heading onto +z."""
    c, s = np.cos(heading), np.sin(heading)
    return np.array([[c, s], [-s, c]])


def headline(analysis: Analysis) -> str:
    """What the motion is, in one line."""
    turn = round(float(np.degrees(analysis.turn)), 1) + 0.0
    kind = " ".join(filter(None, [analysis.gait.type, analysis.gait.direction]))
    parts = [kind, f"{analysis.speed:.2f} m/s", f"{turn:+.1f} °/s", f"{len(analysis.cycles)} cycles"]
    parts += ["loop"] * analysis.is_loop
    return " · ".join([*parts, f"{analysis.duration_s:.2f} s at {analysis.fps:g} fps"])


def time_axes(figure: Any, grid: Any, rows: int, clip: Clip) -> list[Any]:
    """Strips that share their time axis; only the last one is labelled."""
    axes: list[Any] = []
    for row in range(rows):
        axis = figure.add_subplot(grid[row, 0], sharex=axes[0] if axes else None)
        plain(axis, "y" if row else None)
        axis.tick_params(labelbottom=row == rows - 1)
        axis.yaxis.label.set_color(INK)
        axis.xaxis.label.set_color(INK)
        axes.append(axis)
    axes[0].set_xlim(0.0, max(clip.duration, 1e-3))
    figure.align_ylabels(axes[1:])
    return axes
