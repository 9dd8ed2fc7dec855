"""`footfall convert --onto`: another body by name or file, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.cli import main
from footfall.motions.body import adult


def run(*args):
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in args])
    return stop.value.code


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    ff.save(ff.motion("walk"), path)
    return path


def test_onto_a_name_scales_the_way_unless_metres_are_asked_for(walk, tmp_path):
    assert run("convert", walk, tmp_path / "near.npz", "--onto", "adult:1.2") == 0
    assert run("convert", walk, tmp_path / "far.npz", "--onto", "adult:1.2", "--metres") == 0
    first, near, far = ff.load(walk), ff.load(tmp_path / "near.npz"), ff.load(tmp_path / "far.npz")
    ways = [np.linalg.norm(c.root_motion.position[-1] - c.root_motion.position[0]) for c in (first, near, far)]
    assert near.skeleton.height == pytest.approx(1.2, abs=0.01)
    assert ways[1] == pytest.approx(ways[0] * 1.2 / adult().height, abs=0.01)
    assert ways[2] == pytest.approx(ways[0], abs=0.01)
    assert (near.frames, near.fps) == (first.frames, first.fps)


def test_onto_a_file_takes_its_joints(walk, tmp_path, mocap):
    target = mocap / "gltf" / "mesh2motion_human-male.glb"
    assert run("convert", walk, tmp_path / "hero.glb", "--onto", target) == 0
    hero = ff.load(tmp_path / "hero.glb")
    assert set(hero.skeleton.names) == set(ff.load(target).skeleton.names)
    assert hero.skin is not None
    assert np.isfinite(hero.positions).all()


def test_what_cannot_be_is_one_line(walk, tmp_path, capsys):
    out = tmp_path / "out.bvh"
    assert run("convert", walk, out, "--onto", "hero") == 2
    assert "did you mean adult" in capsys.readouterr().err
    assert run("convert", walk, out, "--onto", tmp_path / "none.glb") == 2
    assert run("convert", walk, out, "--metres") == 2
    assert "--onto" in capsys.readouterr().err
    assert not out.exists()
