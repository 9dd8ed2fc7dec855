"""`footfall render` writes what its contract says, and says in one line what it cannot."""

from __future__ import annotations

import pytest
from helpers import still_clip, walking_clip
from PIL import Image

from footfall.cli import main
from footfall.io.save import save


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    save(walking_clip(), folder / "walk.bvh")
    save(walking_clip(speed=1.0), folder / "slow.bvh")
    save(still_clip(frames=20), folder / "short.bvh")
    return folder


def run(*args):
    with pytest.raises(SystemExit) as stop:
        main(["render", *map(str, args)])
    return stop.value.code


def size_of(path):
    with Image.open(path) as image:
        return image.size, getattr(image, "n_frames", 1)


def test_a_long_clip_becomes_a_strip_and_at_gives_one_frame(folder, tmp_path, capsys):
    assert run(folder / "walk.bvh", tmp_path / "strip.png") == 0
    assert size_of(tmp_path / "strip.png")[0][0] == 1280
    assert run(folder / "walk.bvh", tmp_path / "one.png", "--at", 0.5, "--size", "120x90", "--theme", "dark") == 0
    assert size_of(tmp_path / "one.png") == ((120, 90), 1)
    assert run(folder / "short.bvh", tmp_path / "short.png", "--size", "120x90") == 0
    assert "kB" in capsys.readouterr().out


def test_gif_of_a_part(folder, tmp_path):
    out = tmp_path / "walk.gif"
    options = ("--size", "80x60", "--fps", "10", "--from", "0.5", "--to", "1.0", "--camera", "fixed", "--no-trail")
    assert run(folder / "walk.bvh", out, *options, "--no-contacts", "--azimuth", "90", "--clock") == 0
    assert size_of(out) == ((80, 60), 6)


def test_several_files_share_a_floor_or_stand_in_panels(folder, tmp_path):
    files = (folder / "walk.bvh", folder / "slow.bvh")
    assert run(*files, tmp_path / "both.png", "--at", "0.5", "--size", "120x90") == 0
    assert size_of(tmp_path / "both.png")[0] == (120, 90)
    assert run(*files, tmp_path / "panels.png", "--at", "0.5", "--size", "120x90", "--side-by-side") == 0
    assert size_of(tmp_path / "panels.png")[0] == (242, 90)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("walk.bvh", "out.avi"), ".png, .gif or .mp4"),
        (("none.bvh", "out.png"), "none.bvh"),
        (("walk.bvh", "out.png", "--size", "big"), "640x480"),
        (("walk.bvh", "out.png", "--size", "99999x99999"), "pixels"),
        (("walk.bvh", "out.png", "--elevation", "99"), "elevation"),
        (("walk.bvh", "out.gif", "--from", "3", "--to", "1"), "later end"),
        (("walk.bvh", "out.gif", "--fps", "0"), "0.001<=x<=1000000.0"),
        (("walk.bvh",), "FILE"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(folder, tmp_path, capsys, args, words):
    paths = [folder / a if a.endswith(".bvh") else tmp_path / a if a.startswith("out") else a for a in args]
    assert run(*paths) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


def test_help_has_an_example(capsys):
    assert run("--help") == 0
    assert "footfall render walk.bvh walk.gif" in capsys.readouterr().out
