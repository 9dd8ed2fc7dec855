"""`footfall convert`: what is kept, and round trips through every writable format."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import run_cli as run

import footfall as ff
from footfall.io.load import load_all
from footfall.motions.library import motion


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    ff.save(motion("walk"), path)
    return path


def assert_same(a: ff.Clip, b: ff.Clip) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert (a.frames, a.fps) == (b.frames, b.fps)
    assert np.abs(a.positions - b.positions).max() < 1e-5


@pytest.mark.parametrize("way", [[".bvh"], [".glb", ".bvh"], [".npz", ".bvh"], [".glb", ".npz", ".bvh"]])
def test_round_trips_keep_positions_names_and_times(walk, way, tmp_path):
    path = walk
    for i, suffix in enumerate(way):
        target = tmp_path / f"step_{i}{suffix}"
        assert run("convert", path, target) == 0
        path = target
    assert_same(ff.load(walk), ff.load(path))


CAPTURES = [
    "cmu_bvh/walk_straight/07_01.bvh",
    "cmu_bvh/kick/74_03.bvh",
    "bandai_namco/dataset-1_walk_normal_001.bvh",
    "bandai_namco/dataset-1_dash_normal_001.bvh",
    "smartbody/catching_Far_Left.bvh",
    "oddball/wild/daz_mixed_orders_pirouette.bvh",
    "oddball/wild/mixamorig_freebvh.bvh",
    "oddball/wild/pybvh_bvh_test1.bvh",
    "oddball/derived/millimetres_exponents__02_01.bvh",
]


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("way", [[], [".glb"], [".npz"]], ids=["bvh", "glb", "npz"])
def test_captures_survive_round_trips(mocap, name, way, tmp_path):
    first = ff.load(mocap / name)
    clip = first
    for i, suffix in enumerate([*way, ".bvh"]):
        clip = ff.load(ff.save(clip, tmp_path / f"step_{i}{suffix}"), clean=False)
    assert_same(first, clip)


def test_fps_is_changed_only_when_asked(walk, tmp_path, capsys):
    assert run("convert", walk, tmp_path / "slow.bvh", "--fps", "30") == 0
    slow, first = ff.load(tmp_path / "slow.bvh"), ff.load(walk)
    assert slow.fps == 30.0
    assert abs(slow.duration - first.duration) <= 0.5 / 30
    assert "30 fps" in capsys.readouterr().out


def test_one_or_all_animations_of_a_file(mocap, tmp_path):
    robot = mocap / "gltf" / "RobotExpressive.glb"
    assert run("convert", robot, tmp_path / "walking.bvh", "--animation", "Walking") == 0
    assert run("convert", robot, tmp_path / "robot.npz", "--all") == 0
    assert len(list(tmp_path.glob("robot_*.npz"))) == 14
    assert run("convert", robot, tmp_path / "none.bvh", "--animation", "Walkin") == 2
    assert run("convert", robot, tmp_path / "robot.glb", "--all", "--fps", "20") == 0
    back = load_all(tmp_path / "robot.glb")  # its own file, each animation in its old place
    assert [clip.name for clip in back] == [clip.name for clip in load_all(robot)]
    assert {clip.fps for clip in back} == {20.0}
    assert run("convert", robot, tmp_path / "adult.glb", "--all", "--onto", "adult") == 0
    assert len(load_all(tmp_path / "adult.glb")) == 14


def test_a_failed_write_leaves_the_old_file(walk, tmp_path, capsys):
    target = tmp_path / "keep.bvh"
    target.write_text("precious")
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY nonsense")
    assert run("convert", broken, target) == 2
    assert target.read_text() == "precious"
    assert run("convert", walk, tmp_path / "walk.docx") == 2
    assert ".docx" in capsys.readouterr().err


def test_every_command_takes_one_animation_of_many(mocap, tmp_path):
    robot = mocap / "gltf" / "RobotExpressive.glb"
    assert (
        run("render", robot, tmp_path / "walking.png", "--at", "0.2", "--size", "64x64", "--animation", "Walking") == 0
    )
    assert run("check", "--json", robot, "--animation", "10") == 0
    assert run("analyze", "--json", robot, "--animation", "Nothing") == 2
