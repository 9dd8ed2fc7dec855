#!/usr/bin/env python3
"""The pictures of docs/ground.md: six clips on six grounds, and two live characters; built-in motions only.

usage: python tools/make_ground_pictures.py [DIR]        default docs/images
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import footfall as ff
from footfall.feet.on_ground import put_on_ground
from footfall.live.drive import Command, by_commands, drive
from footfall.render.camera import Camera
from footfall.render.sheet import STRIP_CAMERA, grid, render_strip, write_text

CELL = (560, 400)
COLOURS = 192  # of a picture: enough for plain figures, and less than half of its size
CASES = {  # title: motion, its parameters, ground
    "stairs up, 15 x 30 cm": ("walk", {"speed": 1.2, "cycles": 4}, "stairs:15x30"),
    "stairs down, 17 x 32 cm": ("walk", {"speed": 1.2, "cycles": 4}, "stairs:-17x32"),
    "a slope of 20 %": ("walk", {"speed": 1.3, "cycles": 3}, "slope:20"),
    "down a slope of 20 %": ("walk", {"speed": 1.3, "cycles": 3}, "slope:-20"),
    "plates up to 10 cm high": ("walk", {"speed": 1.3, "cycles": 3}, "rough:10x3"),
    "a run over waves": ("run", {"speed": 2.6, "cycles": 2}, "waves:25x300"),
}
LIVE = {"live, up and on, 15 x 32 cm": "stairs:15x32x6", "live, down a slope and on": "waves:60x700"}


def main(folder: Path) -> None:
    camera = replace(STRIP_CAMERA, azimuth=-80.0, elevation=10.0)
    cells = []
    for title, (name, parameters, ground) in CASES.items():
        put = put_on_ground(ff.motion(name, **parameters), ff.ground(ground))
        times = np.linspace(0.0, put.clip.duration, 7)
        picture = render_strip(put.clip, times, CELL, camera=camera, ground=put.ground)
        cells.append(write_text(picture, title, "light"))
        print(title, flush=True)
    _saved(cells, folder / "ground.png")
    _saved([_live(title, ground, camera) for title, ground in LIVE.items()], folder / "ground_live.png")


def _live(title: str, ground: str, camera: Camera) -> np.ndarray:
    """A character of the built-in graph that walks on over a ground, frame by frame."""
    graph = ff.graph("builtin")
    hero = ff.Controller(graph, ground=ground)
    commands = [Command(0.0, "walk", 1.2, 0.0), Command(6.0, "stand", 0.0, 0.0)]
    clip = drive(graph, by_commands(commands), 7.5, hero=hero).clip
    picture = render_strip(clip, np.linspace(0.3, clip.duration, 9), CELL, camera=camera, ground=hero.ground)
    print(title, flush=True)
    return write_text(picture, title, "light")


def _saved(cells: list[np.ndarray], path: Path) -> None:
    picture = Image.fromarray(grid(cells, 2, 4, (230, 232, 236)))
    picture.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(path, format="png", optimize=True)
    print(path, f"{path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
