"""Joins side by side: several ways to join two clips in one picture (poses, foot tracks, joint curves) or one film."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.analysis.floor import foot_points
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.report import Segment
from footfall.core.roles import ARM, SIDES
from footfall.render.camera import Camera
from footfall.render.film import render_film
from footfall.render.plot_analysis import joint_curves
from footfall.render.plotting import FAINT, FEET, INK, new_figure, plain, png
from footfall.render.scene import Actor, Scene
from footfall.render.sheet import STRIP_CAMERA, render_strip

LINES = ("#2a9d78", "#9b5fc0", "#d1495b", "#5f6f86", "#b8912a", "#2f7fc1")  # one for each method
SHADE = "#f1efe8"  # behind the transition
BEFORE_S, AFTER_S = 0.3, 0.7  # shown around a transition
LEAD_S = 1.2  # of a film before the joins
POSES, STRIP_PX = 8, (1500, 320)
NEAR_M = 0.025  # a toe this low touches the floor: its track is drawn thick
PX = 100  # pixels an inch


class Join(NamedTuple):
    """A joined clip and when things happen in it."""

    clip: Clip
    start_s: float  # the first motion is left
    end_s: float  # the second has taken over
    quality: Mapping[str, float]


def join_of(clip: Clip) -> Join:
    """When a joined clip is neither of its sources alone, from its report."""
    joins: tuple[Segment, ...] = clip.report.joins if clip.report else ()
    if clip.report is None or not joins:
        raise ParameterError(f"{clip.name or 'this clip'} has no join to show; make one with footfall.join")
    return Join(clip, joins[0].start_s, joins[-1].end_s, clip.report.quality)


def picture_joins(joined: Mapping[str, Clip], sources: tuple[Clip, Clip], path: Path | None = None) -> bytes:
    """Several joins of the same two clips, by method, as one PNG: bytes, also written to a path where one is given."""
    joins = {name: join_of(clip) for name, clip in joined.items()}
    if not joins:
        raise ParameterError("a comparison needs at least one join")
    rows, row_in, head_in, curves_in = len(joins), 2.2, 0.95, 4.3
    high = head_in + rows * row_in + curves_in
    figure = new_figure(13.0, high, PX)
    top = figure.add_gridspec(
        rows, 2, width_ratios=(3.2, 1.0), left=0.012, right=0.985, top=1.0 - head_in / high,
        bottom=(curves_in + 0.15) / high, hspace=0.2, wspace=0.05,
    )  # fmt: skip
    floors = []
    for row, (name, join) in enumerate(joins.items()):
        _draw_poses(figure.add_subplot(top[row, 0]), name, join, LINES[row % len(LINES)])
        floors.append(figure.add_subplot(top[row, 1]))
        _draw_tracks(floors[-1], join)
    _same_scale(floors)
    floors[0].set_title("toes from above, thick near the floor, m", fontsize=9, color=INK)
    below = figure.add_gridspec(
        2, 3, left=0.05, right=0.985, top=(curves_in - 0.6) / high, bottom=0.5 / high, hspace=0.14, wspace=0.16
    )
    key = _draw_curves(figure, below, joins, sources)
    figure.legend(*key, loc="upper center", bbox_to_anchor=(0.5, (curves_in - 0.15) / high), ncols=len(key[0]),
                  frameon=False, fontsize=9, labelcolor=INK)  # fmt: skip
    first, second = (source.name or "clip" for source in sources)
    figure.text(
        0.012, 1.0 - 0.32 / high, f"{first} to {second}", fontsize=15, fontweight="bold", color=INK, va="center"
    )
    return png(figure, path)


def film_joins(joined: Mapping[str, Clip], path: Path, size: tuple[int, int] = (400, 440), fps: float = 30.0) -> Path:
    """The joins one beside the other, each with its method's name, all leaving the first motion at the same moment."""
    joins = {name: join_of(clip) for name, clip in joined.items()}
    lead_s = min(LEAD_S, *(join.start_s for join in joins.values()))
    scenes = [
        Scene([Actor(join.clip.trim(join.start_s - lead_s))], title=name, camera=Camera(azimuth=-55.0))
        for name, join in joins.items()
    ]
    return render_film(scenes, path, size, fps, clock=True, progress=True)


def figures_in_words(quality: Mapping[str, float]) -> str:
    """The three figures people look at first."""
    known = (("skate_ratio", "skate ×{:.2f}"), ("excess_m_s2", "excess {:.0f} m/s²"), ("knee_ratio", "knee ×{:.2f}"))
    return " · ".join(text.format(quality[key]) for key, text in known if key in quality)


def _draw_poses(axis: Any, name: str, join: Join, color: str) -> None:
    times = np.linspace(max(0.0, join.start_s - BEFORE_S), min(join.clip.duration, join.end_s + AFTER_S), POSES)
    axis.imshow(
        render_strip(join.clip, times, STRIP_PX, camera=STRIP_CAMERA), interpolation="antialiased", aspect="auto"
    )
    axis.set_axis_off()
    axis.set_title(name, color=color, fontsize=12, fontweight="bold", loc="left", pad=4)
    words = f"{join.start_s:.2f} to {join.end_s:.2f} s"
    axis.set_title(
        " · ".join(filter(None, [words, figures_in_words(join.quality)])), color=INK, fontsize=9, loc="right"
    )


def _draw_tracks(axis: Any, join: Join) -> None:
    """Where the toes go, the way the body faces at the join upwards; a smear of a thick line is a foot that slides."""
    clip = join.clip
    shown = (clip.times >= join.start_s - BEFORE_S) & (clip.times <= join.end_s + AFTER_S)
    at = int(np.clip(round(join.start_s * clip.fps), 0, clip.frames - 1))
    ahead = rotation.yaw(-clip.root_motion.heading[at])
    toe = foot_points(clip).toe
    low = toe[..., 1] - np.quantile(toe[..., 1], 0.05, axis=0) < NEAR_M
    flat = rotation.rotate(ahead, toe - clip.root_motion.position[at])[..., [0, 2]]  # (T, 2, 2)
    inside = shown & (clip.times >= join.start_s) & (clip.times <= join.end_s)
    for side, color in enumerate(FEET.values()):
        axis.plot(*flat[shown, side].T, color=color, lw=0.8, alpha=0.6)
        axis.plot(
            *_only(flat[:, side], shown & low[:, side]).T, color=color, lw=4.5, alpha=0.35, solid_capstyle="round"
        )
        axis.plot(*_only(flat[:, side], inside & low[:, side]).T, color=color, lw=4.5, solid_capstyle="round")
    axis.set_facecolor("#f6f7f9")
    plain(axis, "both", 7.0, frame=True)


def _only(points: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where(mask[:, None], points, np.nan)


def _same_scale(axes: list[Any]) -> None:
    """All floors alike: equal scales, the left foot on the left, lying so that the way ahead is to the right."""
    points = np.concatenate([np.asarray(line.get_xydata()) for axis in axes for line in axis.lines])
    points = points[np.isfinite(points).all(axis=1)]
    low, high = points.min(axis=0) - 0.12, points.max(axis=0) + 0.12
    middle, size = 0.5 * (low + high), high - low
    for axis in axes:
        box = axis.get_position()
        wide = box.width * axis.figure.get_figwidth() / (box.height * axis.figure.get_figheight())
        reach = max(size[1], size[0] * wide)  # metres along the panel
        for line in axis.lines:
            line.set_data(line.get_ydata(), line.get_xdata())
        axis.set_xlim(middle[1] - 0.5 * reach, middle[1] + 0.5 * reach)
        axis.set_ylim(middle[0] - 0.5 * reach / wide, middle[0] + 0.5 * reach / wide)
        axis.xaxis.get_major_locator().set_params(nbins=5)
        axis.yaxis.get_major_locator().set_params(nbins=4)


def _draw_curves(
    figure: Any, grid: Any, joins: Mapping[str, Join], sources: tuple[Clip, Clip]
) -> tuple[list[Any], list[str]]:
    """Hip, knee and elbow of both sides, the sources by themselves behind, faint; lines and labels of a legend."""
    first = next(iter(joins.values()))
    times = np.linspace(-BEFORE_S, max(join.end_s - join.start_s for join in joins.values()) + AFTER_S, 240)
    lines = []  # times, values by joint, and how to draw them
    for n, (source, style) in enumerate(zip(sources, ("-", (0, (1, 0.8))), strict=True)):
        own = times + first.start_s - _starts_at(first, n)
        seen = (own >= 0.0) & ((own <= source.duration) | source.is_loop)
        label = f"{source.name or 'clip'} by itself"
        if seen.any():
            bends = _bends(source.with_pose(source.sample(own[seen]), is_loop=False))
            lines.append((times[seen], bends, {"color": FAINT, "lw": 3.5, "alpha": 0.35, "ls": style, "label": label}))
    for color, (label, join) in zip(LINES * 9, joins.items(), strict=False):
        bends = _bends(join.clip.with_pose(join.clip.sample(join.start_s + times)))
        lines.append((times, bends, {"color": color, "lw": 1.6, "label": label}))
    axis = None
    for column, name in enumerate(("hip", "knee", "elbow")):
        for side in range(2):
            axis = figure.add_subplot(grid[side, column])
            axis.axvspan(0.0, first.end_s - first.start_s, color=SHADE, lw=0)
            for at, bends, look in lines:
                axis.plot(at, bends[name][:, side], **look)
            _dress(axis, f"{SIDES[side]} {name}, °", float(times[0]), float(times[-1]), side == 1)
    assert axis is not None
    return axis.get_legend_handles_labels()


def _starts_at(join: Join, which: int) -> float:
    """Second of the result at which time 0 of the first (0) or second (1) source lies."""
    assert join.clip.report is not None
    clips = [segment for segment in join.clip.report.segments if segment.kind == "clip" and segment.clip_times_s]
    segment = clips[0 if which == 0 else -1]
    return segment.start_s - segment.clip_times_s[0][0]


def _bends(clip: Clip) -> dict[str, np.ndarray]:
    """Flexion in degrees, (T, 2), of hip, knee and elbow."""
    found = dict(joint_curves(clip))
    found["elbow"] = np.full((clip.frames, 2), np.nan)
    for side, name in enumerate(SIDES):
        joints = clip.skeleton.roles.joints(name, *ARM[1:])
        if None not in joints:
            shoulder, elbow, wrist = (clip.positions[:, joint] for joint in joints)
            bend = rotation.between(elbow - shoulder, wrist - elbow)
            found["elbow"][:, side] = np.degrees(rotation.angle_between(bend, rotation.IDENTITY))
    return found


def _dress(axis: Any, label: str, start_s: float, end_s: float, lowest: bool) -> None:
    axis.set_xlim(start_s, end_s)
    axis.set_ylabel(label, fontsize=9, color=INK)
    plain(axis, "y")
    axis.tick_params(labelbottom=lowest)
    if lowest:
        axis.set_xlabel("seconds after the departure", fontsize=9, color=INK)
