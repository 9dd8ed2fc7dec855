"""The picture of an alignment: a PNG, written where asked, for pairs with a path and without."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

import footfall as ff
from footfall_lab.plot_alignment import plot_alignment


def test_picture_of_a_pair(tmp_path: Path) -> None:
    walk, run = ff.motion("walk", speed=1.3).resample(30), ff.motion("run", speed=3.0).resample(30)
    png = plot_alignment(walk, run, tmp_path / "pair.png")
    assert (tmp_path / "pair.png").read_bytes() == png
    picture = np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(int)
    blue = (picture[..., 2] - picture[..., 0] > 80).sum()
    assert blue > 300  # the path
    assert plot_alignment(walk, run) == png


def test_pair_without_a_path_is_drawn_too() -> None:
    walk = ff.motion("walk", speed=1.3).resample(30)
    short = walk.trim(0.0, 0.15)
    assert plot_alignment(walk, short).startswith(b"\x89PNG")
