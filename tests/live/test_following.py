"""Paths are followed and points are reached."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.errors import ParameterError, ReadError
from footfall.live.drive import path_errors, read_script
from footfall.live.path_following import Waypoint, path_of, read_path
from footfall_lab.studies.park2004_chase import chased
from footfall_lab.studies.park2004_path import followed, s_curve


def test_a_path_is_even_and_knows_its_bend():
    path = s_curve(3.0)
    steps = np.abs(np.diff(path.points))
    assert np.ptp(steps) < 0.002
    assert path.length == pytest.approx(6.0 * np.pi, rel=0.01)
    middle = len(path.points) // 4
    assert abs(path.curvature[middle]) == pytest.approx(1.0 / 3.0, rel=0.1)
    assert path.offset(path.points[middle] + 0.2 * 1j * np.exp(1j * path.headings[middle]), middle) == pytest.approx(
        0.2
    )


def test_a_curve_is_followed_to_its_end(small):
    path = s_curve(2.5)
    driven = followed(small, path)
    assert path_errors(driven, path.points).mean() < 0.06
    assert driven.states[-1].node == "stand"
    end = driven.roots[-1, 1] + 1j * driven.roots[-1, 0]
    assert abs(end - path.points[-1]) < 0.5


def test_a_jumping_point_is_reached(small):
    _, goals = chased(small, 1, 40.0)
    assert len(goals) >= 4
    assert all(goal.reached and goal.turned < 1.75 for goal in goals)


def test_paths_that_are_none():
    with pytest.raises(ParameterError, match="two points"):
        path_of([Waypoint(0.0, 0.0, "walk", 1.0)])
    with pytest.raises(ParameterError, match="apart"):
        path_of([Waypoint(0.0, 0.0, "walk", 1.0)] * 2)


BAD_SCRIPTS = {
    "": "empty",
    "t_s,type\n0,walk\n": "line 1",
    "t_s,type,speed,turn\n": "rows",
    "t_s,type,speed,turn\n0,walk,1\n": "line 2",
    "t_s,type,speed,turn\n0,walk,nan,0\n": "line 2.*speed",
    "t_s,type,speed,turn\n# a note\n0,walk,1,0\n\n-1,walk,1,0\n": "line 5.*rise",
    "t_s,type,speed,turn\n0,hover,1,0\n": "line 2.*hover",
}


@pytest.mark.parametrize("text", BAD_SCRIPTS)
def test_a_bad_script_is_refused_by_line(small, tmp_path, text):
    path = tmp_path / "script.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=BAD_SCRIPTS[text]):
        read_script(path, small)


def test_bad_paths_are_refused_by_line(small, tmp_path):
    path = tmp_path / "path.csv"
    path.write_text("x,z,type,speed\n0,0,walk,1\n0,0,walk,1\n")
    with pytest.raises(ReadError, match="line 3"):
        read_path(path, small)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReadError, match="UTF-8"):
        read_path(path, small)
    path.write_text("x,z,type,speed\n0,0,walk,1\n0,4,walk,1\n3,7,run,3\n")
    assert read_path(path, small).types[-1] == "run"
