#!/usr/bin/env python3
"""The pictures of docs/start and docs/how, from built-in motions only.

usage: python tools/make_guide_pictures.py [DIR] [NAME ...]        default docs/images, all of them

Pictures are reduced to a few colours, which keeps each below 200 kB. `join` is the moving picture of the README.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageSequence

import footfall as ff
from footfall.edit.coast import state_of
from footfall.feet.on_ground import put_on_ground
from footfall.io.save import atomic_write
from footfall.joins.by_example.detail_bands import bands_for, low_pass
from footfall.joins.classifier.entry_classifier import classify
from footfall.joins.classifier.entry_table import table_of
from footfall.joins.classifier.limbs import numbers
from footfall.parametric.canonical_time import blended_rates, gamma_weights, rates
from footfall.render.compare_joins import picture_joins
from footfall.render.film import render_film
from footfall.render.plot_timeline import plot_timeline
from footfall.render.plotting import FAINT, INK, new_figure, plain, png
from footfall.render.sheet import render_strip
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

COLOURS = 200
LINES = ("#2a9d78", "#9b5fc0", "#d1495b", "#5f6f86", "#b8912a")
FPS = 60.0


def first_join() -> bytes:
    """A walk joined to a kick, by auto: what the page's command draws of its two files."""
    walk = ff.motion("walk", cycles=3)
    clips = walk.with_pose(walk.pose, is_loop=False), ff.motion("kick")  # a BVH file knows of no loop
    return picture_joins({"auto": ff.join(*clips)}, clips)


def stairs() -> bytes:
    """A walk up a flight of stairs."""
    put = put_on_ground(ff.motion("walk", speed=1.2, cycles=4), ff.ground("stairs:15x35"))
    times = np.linspace(0.0, put.clip.duration, 7)
    return _encoded(render_strip(put.clip, times, (1200, 600), ground=put.ground))


def online_blending() -> bytes:
    """Key times of walks in canonical time; how fast time goes in a blend, by scheme."""
    figure = new_figure(11.0, 3.9)
    left, right = figure.subplots(1, 2)
    walk = ff.blend_space("walk").motion
    straight = [n for n, row in enumerate(walk.parameters) if abs(row[1]) < 1.0]
    ticks = np.linspace(0.0, 1.0, len(walk.marks))
    for n, colour in zip(straight, LINES, strict=True):
        left.plot(walk.key_times[n], ticks, "o-", color=colour, ms=4, label=f"{walk.parameters[n, 0]:.1f} m/s")
    left.set(xlabel="time in the example, s", title="one structure, five walks", yticks=ticks, yticklabels=walk.marks)
    left.legend(frameon=False, fontsize=8, loc="lower right")
    runs = ff.blend_space("park-run", method="rbf").motion
    speeds = np.linspace(0.0, 12.0, 241)
    points = np.column_stack([speeds, 0.0 * speeds])
    weights, own = runs.weights(points), rates(runs.key_times)
    shown = {
        "slope (earlier work)": blended_rates(weights, own, "slope"),
        "γ (the paper)": blended_rates(gamma_weights(points, runs.parameters), own, "gamma"),
        "log-rate (footfall)": blended_rates(weights, own, "log-rate"),
    }
    low, high = runs.parameters[:, 0].min(), runs.parameters[:, 0].max()
    right.axvspan(low, high, color="#f1efe8")
    right.axhline(0.0, color=INK, lw=0.8)
    for (name, rate), colour in zip(shown.items(), (LINES[2], LINES[1], LINES[0]), strict=True):
        right.plot(speeds, rate[:, 0], color=colour, label=name)
    right.set(
        xlabel="speed asked for, m/s; shaded: between the examples", ylabel="canonical time a second", ylim=(-6, 10)
    )
    right.set_title("how fast time goes in a blend of nine runs")
    right.legend(frameon=False, fontsize=8)
    return _dressed(figure, left, right)


def timeline_synthesis() -> bytes:
    """A timeline with its phases and joins."""
    names = ("walk:cycles=2", "kick", "jump", "run:cycles=3")
    arranged = ff.timeline(Timeline((TimelineTrack(tuple(TimelineClip(n) for n in names)),), fps=FPS))
    return plot_timeline(arranged.render(), arranged.plan()[0], title="walk, kick, jump, run")


def transition_by_example() -> bytes:
    """A knee's angle: the slow curve alone, and with the details of an example."""
    run, walk = ff.motion("run", cycles=3).resample(FPS), ff.motion("walk", cycles=3).resample(FPS)
    figure = new_figure(11.0, 3.9)
    left, right = figure.subplots(1, 2)
    knee = run.skeleton.roles.left_knee
    angle = _bend(run, knee)
    times = np.arange(len(angle)) / FPS
    slow = low_pass(angle, bands_for(FPS) + 1)
    left.plot(times, angle, color=INK, label="left knee of a run")
    left.plot(times, slow, color=LINES[1], label="slow part")
    left.plot(times, angle - slow, color=LINES[0], label="details")
    left.set(xlabel="s", ylabel="°", title="a motion is a slow part and details", ylim=(-45, 140))
    left.legend(frameon=False, fontsize=8, loc="upper right", ncols=3)
    at_s, length_s = 0.8, 0.5
    options = {"at_s": at_s, "length_s": length_s, "foot_lock": False}
    for level, colour, name in ((1, LINES[1], "slow curve alone"), (None, LINES[0], "with an example's details")):
        made = ff.join(run, walk, "by-example", level=level, **options)
        found = _bend(made, knee)
        right.plot(np.arange(len(found)) / made.fps, found, color=colour, label=name)
    right.axvspan(at_s, at_s + length_s, color="#f1efe8")
    right.set(xlabel="s; shaded: the transition", ylabel="left knee, °", title="run to walk", xlim=(0.4, 1.8))
    right.legend(frameon=False, fontsize=8)
    return _dressed(figure, left, right)


def blend_weights() -> bytes:
    """Of five methods: the weight of one example, and the error, over speed and turn."""
    methods = ("barycentric", "knn", "inverse-blending", "rbf", "smooth-inverse")
    figure = new_figure(12.0, 5.0)
    axes = figure.subplots(2, len(methods), sharex=True, sharey=True)
    speeds, turns = np.linspace(0.5, 2.0, 46), np.linspace(-90.0, 90.0, 46)
    points = np.array([(s, t) for t in turns for s in speeds])
    for n, name in enumerate(methods):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            space = ff.blend_space("walk", method=name)
        found = space.answers(points)
        error = np.abs(found.achieved[:, 0] - points[:, 0]).reshape(46, 46)
        inside = np.asarray(found.inside).reshape(46, 46)
        share = found.weights[:, 2].reshape(46, 46)
        extent = (0.5, 2.0, -90.0, 90.0)
        look: dict[str, Any] = {"extent": extent, "origin": "lower", "aspect": "auto"}
        top = axes[0, n].imshow(np.where(inside, share, np.nan), cmap="RdBu_r", vmin=-1.0, vmax=1.0, **look)
        low = axes[1, n].imshow(np.where(inside, 100.0 * error, np.nan), cmap="magma_r", vmin=0.0, vmax=3.0, **look)
        axes[0, n].set_title(name, fontsize=10)
        axes[1, n].set_xlabel("speed, m/s")
    axes[0, 0].set_ylabel("turn, °/s")
    axes[1, 0].set_ylabel("turn, °/s")
    figure.colorbar(top, ax=axes[0, :], label="weight of one walk", pad=0.01)
    figure.colorbar(low, ax=axes[1, :], label="error of speed, cm/s", pad=0.01)
    for axis in axes.flat:
        plain(axis, None)
    return png(figure)


def entry_classifier() -> bytes:
    """Where in a walk a kicking figure should enter: every limb's distance, and the entry that was chosen."""
    walk, kick = ff.motion("walk").resample(FPS), ff.motion("kick").resample(FPS)
    state = state_of(kick, 0.85)
    table, entry = table_of(walk), classify(state, walk)
    figure = new_figure(11.0, 4.2)
    left = figure.add_axes((0.06, 0.14, 0.5, 0.74))
    value = numbers(table.reference, state).value
    layout = table.reference.layout
    times = np.arange(len(table.frame_value)) / table.fps
    for n, name in enumerate(layout.limbs):
        part = slice(layout.bounds[n], layout.bounds[n + 1])
        far = np.sqrt(((table.frame_value[:, part] - value[part]) ** 2).mean(axis=1))
        left.plot(times, np.degrees(far), color=LINES[n % len(LINES)], label=name.replace("_", " "))
    for key in table.key_s:
        left.axvline(key, color=FAINT, lw=0.8, ls=":")
    left.axvline(float(entry.front_s) % table.duration_s, color=INK, lw=1.6)
    left.set(xlabel="time of the walk, s; dotted: keys, black: entry", ylabel="RMS of angles, °")
    left.set_title("how far each limb is from the walk")
    left.legend(frameon=False, fontsize=8, loc="upper right", ncols=3)
    left.set_ylim(0.0, 50.0)
    plain(left, "y")
    made = ff.join(ff.motion("kick").resample(FPS), walk, "classifier", at_s=0.85)
    right = figure.add_axes((0.58, 0.05, 0.41, 0.85))
    start = made.report.joins[0].start_s if made.report else 0.0
    shown = render_strip(made, np.linspace(start, min(start + 1.3, made.duration), 6), (760, 520))
    right.imshow(shown)
    right.set_axis_off()
    right.set_title("out of the kick, into the walk")
    return png(figure)


def _bend(clip: ff.Clip, joint: int) -> np.ndarray:
    """(T,) degrees that a joint is turned by."""
    return np.degrees(2.0 * np.arccos(np.clip(np.abs(clip.pose.rot[:, joint, 0]), 0.0, 1.0)))


def _dressed(figure: Any, *axes: Any) -> bytes:
    for axis in axes:
        plain(axis, "y")
    figure.tight_layout()
    return png(figure)


def _encoded(pixels: np.ndarray) -> bytes:
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


PICTURES: dict[str, Callable[[], bytes]] = {
    "start/first_join": first_join,
    "start/stairs": stairs,
    "how/online_blending": online_blending,
    "how/timeline_synthesis": timeline_synthesis,
    "how/transition_by_example": transition_by_example,
    "how/blend_weights": blend_weights,
    "how/entry_classifier": entry_classifier,
}


def moving_join(path: Path) -> None:
    """A run that comes to stand, by a crossfade and by footfall, as a moving picture that repeats."""
    from make_gallery import before_and_after

    with tempfile.TemporaryDirectory() as folder:
        scenes = before_and_after("run:cycles=3", "stand")
        film = render_film(scenes, Path(folder) / "join.gif", (320, 260), 12.5, end_s=3.9)
        moving = Image.open(film)
        frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(moving)]
    made = BytesIO()
    frames[0].save(made, "WEBP", save_all=True, append_images=frames[1:], duration=80, loop=0, quality=68, method=6)
    atomic_write(path, made.getvalue())
    print(f"{path}: {len(made.getvalue()) / 1000:.0f} kB", flush=True)


def main(folder: Path, names: list[str]) -> None:
    if not names or "join" in names:
        moving_join(folder / "join.webp")
    for name, draw in PICTURES.items():
        if names and name.split("/")[1] not in names:
            continue
        picture = Image.open(BytesIO(draw())).convert("RGB")
        small = BytesIO()
        picture.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
        path = folder / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, small.getvalue())
        print(f"{path}: {len(small.getvalue()) / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"), sys.argv[2:])
