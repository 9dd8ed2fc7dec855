"""The study of requests: its own measures against hand-made clips, and one small run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall_lab.studies import blend_accuracy
from footfall_lab.studies.blend_accuracy import LIMITS, ask, misses, requests, steady_motion


@pytest.mark.parametrize(("speed", "turn"), [(1.3, 0.0), (1.0, 60.0), (0.8, -85.0)])
def test_a_known_walk_is_measured_as_it_is_known(speed, turn):
    ahead, left, turned = steady_motion(ff.motion("walk", speed=speed, turn=turn))
    assert ahead == pytest.approx(speed, rel=0.01)
    assert left == pytest.approx(0.0, abs=0.03)
    assert turned == pytest.approx(turn, abs=0.5)


def test_requests_lie_inside_and_come_again():
    space = ff.blend_space("jump")
    first, again = requests(space, 30), requests(space, 30)
    np.testing.assert_array_equal(first, again)
    assert space.answers(first).inside.all()
    assert np.ptp(first[:, 0]) > 0.5


def test_a_clip_that_was_moved_misses_by_as_much():
    space = ff.blend_space("punch")
    p = requests(space, 1)[0]
    clip = space(x=p[0], y=p[1], z=p[2])
    assert misses(space, clip, p)["place"] < 0.002
    moved = replace(clip, pose=clip.pose._replace(root_pos=clip.pose.root_pos + [0.0, 0.0, 0.05]))
    assert misses(space, moved, p)["place"] == pytest.approx(0.05, abs=0.002)


@pytest.mark.parametrize(("space", "what"), [("turn", "angle"), ("sit-down", "seat"), ("stand-up", "seat")])
def test_turns_and_seats_are_measured_on_the_body(space, what):
    made = ff.blend_space(space)
    p = made.motion.parameters[2]
    clip = made(**dict(zip(made.motion.parameter_names, p.tolist(), strict=True)))
    assert misses(made, clip, p)[what] < 1e-3
    assert misses(made, clip, p + 0.1)[what] == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize("name", ["kick", "run"])
def test_some_requests_are_met(name):
    found = ask(ff.blend_space(name), 4)
    assert all(values.max() <= LIMITS[what][1] for what, values in found.off.items())
    assert found.warned == 0
    assert len(found.stray_deg) == 4


@pytest.mark.slow
def test_a_small_run_writes_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr(blend_accuracy, "SETS", {name: blend_accuracy.SETS[name] for name in ("jump", "stand")})
    monkeypatch.setattr(blend_accuracy, "QUICK_REQUESTS", 3)
    rows = blend_accuracy.run(tmp_path, True, lambda text: None)
    assert [row.what for row in rows] == [
        "jump: landing missed by", "jump: height missed by", "jump: the body", "jump: ready after", "stand: ready after"
    ]  # fmt: skip
    page = (tmp_path / "blend_accuracy.html").read_text()
    assert page.count("data:image/png;base64,") == 1
    assert "by rbf" in (tmp_path / "blend_accuracy.csv").read_text()
