"""footfall edit: each verb from the command line, and clear refusals."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import run_cli as run
from helpers import walking_clip

from footfall.analysis.stances import sole_level
from footfall.io.load import load
from footfall.io.save import save
from footfall.motions.library import motion


@pytest.fixture
def walk(tmp_path):
    return save(walking_clip(cycles=3, fps=60), tmp_path / "walk.bvh")


def test_trim_and_speed(walk, tmp_path, capsys):
    out = tmp_path / "out.bvh"
    assert run("edit", walk, out, "--trim", "0.5:2.5", "--speed", "2") == 0
    assert load(out).duration == pytest.approx(1.0, abs=0.01)
    assert "out.bvh" in capsys.readouterr().out


@pytest.mark.parametrize(("span", "seconds"), [("1:", 2.3), (":1", 1.0), (":", 3.3)])
def test_open_spans(walk, tmp_path, span, seconds):
    out = tmp_path / "out.bvh"
    assert run("edit", walk, out, "--trim", span) == 0
    assert load(out).duration == pytest.approx(seconds, abs=0.01)


def test_every_verb_together(walk, tmp_path):
    out = tmp_path / "out.bvh"
    verbs = ["--mirror", "--smooth", "--cutoff", "10", "--floor", "--loop", "--in-place", "--fps", "30"]
    assert run("edit", walk, out, "--trim", "0:2.2", *verbs) == 0
    clip = load(out)
    assert clip.fps == pytest.approx(30)
    assert np.ptp(clip.pose.root_pos[:, 2]) < 0.1
    assert sole_level(clip) == pytest.approx(0.0, abs=0.01)


def test_mirror_is_the_verb(walk, tmp_path):
    out = tmp_path / "out.bvh"
    assert run("edit", walk, out, "--mirror") == 0
    assert np.allclose(load(out).positions, load(walk).mirror().positions, atol=1e-4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--trim", "2:1"], "from 0 to"),
        (["--trim", "abc"], "A:B"),
        (["--speed", "0"], "0.01"),
        (["--cutoff", "3"], "--smooth"),
    ],
)
def test_refusals_are_one_line_and_write_nothing(walk, tmp_path, capsys, options, said):
    out = tmp_path / "out.bvh"
    assert run("edit", walk, out, *options) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1
    assert not out.exists()


def test_a_loop_says_how_it_goes_round(tmp_path, capsys):
    stride, takes = motion("walk").duration, save(motion("walk", cycles=3), tmp_path / "takes.bvh")
    for to_s, told in ((stride, "played round, judged green"), (1.4 * stride, "played round, judged red: ")):
        assert run("edit", takes, tmp_path / "out.bvh", "--trim", f"0:{to_s}", "--loop") == 0
        assert told in capsys.readouterr().out
    assert run("edit", takes, tmp_path / "out.bvh", "--trim", f"0:{stride}") == 0
    assert "judged" not in capsys.readouterr().out
