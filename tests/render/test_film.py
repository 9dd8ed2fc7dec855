"""Films, stills and strips can be read back and hold what was asked for."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from helpers import still_clip, walking_clip
from PIL import Image
from scipy import ndimage

from footfall.core import rotation
from footfall.core.errors import ParameterError, WriteError
from footfall.render.film import film_times, render_film, render_still, save_png
from footfall.render.scene import Actor, Scene, render_frame
from footfall.render.sheet import render_strip, side_by_side, strip_times, write_at, write_text

SIZE = (96, 72)


@pytest.fixture(scope="module")
def scene():
    return Scene([Actor(walking_clip(cycles=1.0))])


def test_gif_loops_at_its_rate_and_shows_the_frames(scene, tmp_path):
    path = render_film(scene, tmp_path / "walk.gif", SIZE, fps=20.0, end_s=0.5)
    with Image.open(path) as film:
        assert film.n_frames == 11
        assert film.info["loop"] == 0
        assert film.info["duration"] == 50
        film.seek(6)
        shown = np.asarray(film.convert("RGB")).astype(int)
    drawn = render_frame(scene, 0.3, SIZE).astype(int)
    assert np.abs(shown - drawn).mean() < 3.0  # 256 colours of many
    assert np.abs(shown - render_frame(scene, 0.0, SIZE)).mean() > 3.0


def test_gif_rate_is_made_one_the_format_has(scene, tmp_path):
    path = render_film(scene, tmp_path / "walk.gif", SIZE, fps=60.0, end_s=0.4)
    with Image.open(path) as film:
        assert film.info["duration"] == 40
        assert film.n_frames == 11


def test_mp4_has_the_frames_and_the_size(scene, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    path = render_film(scene, tmp_path / "walk.mp4", (97, 71), fps=25.0, end_s=0.4, clock=True)
    command = [ffmpeg, "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    read = subprocess.run(command, capture_output=True, check=True, timeout=60)
    stream = next(line for line in read.stderr.decode().splitlines() if "Video: h264" in line)
    assert "yuv420p" in stream
    assert "96x70" in stream
    assert "25 fps" in stream
    pictures = np.frombuffer(read.stdout, np.uint8).reshape(-1, 70, 96, 3).astype(int)
    assert len(pictures) == 11
    drawn = render_frame(scene, 0.2, (97, 71)).astype(int)[:70, :96]
    assert np.abs(pictures[5] - drawn)[:55].mean() < 6.0  # above the clock
    assert list(tmp_path.iterdir()) == [path]


def test_what_ffmpeg_says_reaches_the_user(scene, tmp_path, monkeypatch):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    broken = tmp_path / "ffmpeg"
    broken.write_text("#!/bin/sh\necho no room left >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: str(broken))
    with pytest.raises(WriteError, match="no room left"):
        render_film(scene, tmp_path / "walk.mp4", SIZE, end_s=0.2)
    assert not (tmp_path / "walk.mp4").exists()


def test_a_film_that_cannot_be_written_leaves_nothing_behind(scene, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WriteError):
        render_film(scene, tmp_path / "file" / "walk.gif", SIZE, end_s=0.1)
    assert (tmp_path / "file").read_text() == "in the way"
    with pytest.raises(ParameterError, match=r"gif or \.mp4"):
        render_film(scene, tmp_path / "walk.avi", SIZE)


def test_times_run_from_start_to_end(scene):
    assert np.allclose(film_times([scene], 10.0, 0.2, 0.6), [0.2, 0.3, 0.4, 0.5, 0.6])
    assert film_times([scene], 10.0, 0.0, None)[-1] == pytest.approx(scene.duration, abs=0.1)
    for start, end in ((1.0, 0.5), (-1.0, 1.0), (0.0, np.inf), (99.0, 100.0)):
        with pytest.raises(ParameterError):
            film_times([scene], 10.0, start, end)
    with pytest.raises(ParameterError, match="too long"):
        film_times([scene], 240.0, 0.0, 1e6)


def test_panels_stand_side_by_side_at_one_scale(tmp_path):
    small, large = (Scene([Actor(walking_clip(cycles=1.0))], title=t) for t in ("one", "two"))
    whole = render_still([small, large], 0.2, SIZE)
    assert whole.shape == (72, 2 * 96 + 2, 3)
    left, right = whole[:, :96], whole[:, -96:]
    assert np.array_equal(left[20:], right[20:])  # the same but for the titles
    assert not np.array_equal(left[:20], right[:20])
    path = save_png(whole, tmp_path / "panels.png")
    with Image.open(path) as image:
        assert np.array_equal(np.asarray(image), whole)
    with pytest.raises(ParameterError):
        render_film([], tmp_path / "x.gif", SIZE)


def figures(strip):
    """Brightness of every separate upper body of a dark strip, from left to right."""
    background = strip[:, :2].astype(int).mean(axis=1, keepdims=True)
    changed = np.abs(strip.astype(int) - background).max(axis=-1) > 24
    changed[int(0.55 * len(changed)) :] = False
    labels, count = ndimage.label(changed)
    found = [n for n in range(1, count + 1) if (labels == n).sum() > 0.2 * changed.sum() / count]
    found.sort(key=lambda n: np.mean((labels == n).nonzero()[1]))
    return [int(strip[labels == n].max()) for n in found]


def standing():
    """Arms down, on the spot."""
    clip = still_clip(frames=60)
    rot = clip.pose.rot.copy()
    for side, angle in (("Left", -1.4), ("Right", 1.4)):
        rot[:, clip.skeleton.index(f"{side}Arm")] = rotation.axis_angle(np.array([0.0, 0.0, 1.0]), angle)
    return clip.with_pose(clip.pose._replace(rot=rot))


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_strip_shows_as_many_figures_as_times(count):
    clip = standing()
    size = (160 * count, 160)
    strip = render_strip(clip, np.linspace(0.0, 0.9, count), size, theme="dark")
    assert len(figures(strip)) == count


def test_a_strip_goes_from_faint_to_solid():
    light = figures(render_strip(standing(), [0.0, 0.4, 0.8], (300, 160), theme="dark"))
    assert light[0] + 20 < light[1] < light[2] - 20


def test_strip_times_suit_the_motion():
    far = strip_times(walking_clip(cycles=3.0))
    assert 3 <= len(far) <= 9
    assert len(strip_times(still_clip(frames=1))) == 1
    assert far[0] == 0.0
    assert far[-1] == pytest.approx(walking_clip(cycles=3.0).duration)
    with pytest.raises(ParameterError, match="at least one time"):
        render_strip(still_clip(), [])


def test_text_is_written_where_asked():
    blank = np.full((120, 200, 3), 255, np.uint8)
    rows, columns = (write_text(blank, "1.20 s", "light", "bottom right")[..., 0] < 200).nonzero()
    assert rows.min() > 80
    assert columns.min() > 100
    assert np.array_equal(write_text(blank, "", "light"), blank)
    two = write_at(blank, [("left", 20.0, 60.0), ("leftmost", 22.0, 60.0)], "light")
    rows = np.flatnonzero((two[..., 0] < 200).any(axis=1))
    one = np.flatnonzero((write_at(blank, [("left", 20.0, 60.0)], "light")[..., 0] < 200).any(axis=1))
    assert np.ptp(rows) > np.ptp(one)  # the second label makes room for the first


def test_side_by_side_keeps_every_pixel():
    a, b = np.zeros((4, 3, 3), np.uint8), np.full((4, 5, 3), 9, np.uint8)
    row = side_by_side([a, b], 2, (7, 7, 7))
    assert row.shape == (4, 10, 3)
    assert (row[:, :3] == 0).all()
    assert (row[:, 3:5] == 7).all()
    assert (row[:, 5:] == 9).all()
