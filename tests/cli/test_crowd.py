"""footfall crowd: characters that keep apart, the same for a seed, as arrays, a scene or a film."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import run_cli as run

import footfall as ff


def arrays(path):
    with np.load(path) as found:
        return {name: found[name] for name in found.files}


def test_a_crowd_keeps_apart_and_is_the_same_for_a_seed(graph_file, tmp_path):
    paths = [tmp_path / name for name in ("a.npz", "b.npz", "c.npz")]
    for path, seed in zip(paths, (3, 3, 4), strict=True):
        assert run("crowd", graph_file, "-n", "16", "--seconds", "6", "--seed", seed, "--side", "9", "-o", path) == 0
    a, b, c = map(arrays, paths)
    assert a["rot"].shape == (181, 16, len(a["names"]), 4)
    assert a["rot"].tobytes() == b["rot"].tobytes()
    assert a["root_pos"].tobytes() != c["root_pos"].tobytes()
    for found in (a, c):
        floor = found["root_pos"][:, :, [0, 2]]
        apart = np.linalg.norm(floor[:, :, None] - floor[:, None], axis=-1) + 9.0 * np.eye(16)
        assert apart.min() > 0.35  # pelvises, which sway; the carriers keep 0.6 m
        assert np.linalg.norm(floor[-1] - floor[0], axis=-1).mean() > 1.0


def test_all_go_round_the_goals(graph_file, tmp_path):
    goals, out = tmp_path / "goals.csv", tmp_path / "out.npz"
    goals.write_text("x,z\n0,4\n0,-4\n")
    assert run("crowd", graph_file, "-n", "1", "--seconds", "40", "--goals", goals, "-o", out) == 0
    floor = arrays(out)["root_pos"][:, 0, [0, 2]]
    for goal in ((0.0, 4.0), (0.0, -4.0)):
        assert np.linalg.norm(floor - goal, axis=1).min() < 1.2


def test_a_scene_holds_every_character(graph_file, tmp_path):
    out = tmp_path / "crowd.glb"
    assert run("crowd", graph_file, "-n", "3", "--seconds", "1", "-o", out) == 0
    clip = ff.load(out)
    assert clip.frames == 31
    assert sum(name.endswith("Hips") for name in clip.skeleton.names) >= 1


def test_wrong_words(graph_file, tmp_path, capsys):
    assert run("crowd", graph_file, "-o", tmp_path / "x.bvh") == 2
    assert run("crowd", graph_file, "-n", "50", "--side", "2", "-o", tmp_path / "x.npz") == 2
    assert "need a square" in capsys.readouterr().err


def test_crowds_that_cannot_be_are_one_sentence():
    with pytest.raises(ff.FootfallError, match="at least one"):
        ff.Crowd(None, 0)


def test_a_gpu_that_is_not_there_is_one_sentence(graph_file, tmp_path, capsys):
    from footfall.core.errors import FootfallError
    from footfall.live.gpu.cuda import cuda_torch

    try:
        cuda_torch()
    except FootfallError:
        assert run("crowd", graph_file, "-n", "2", "--device", "cuda", "-o", tmp_path / "crowd.npz") == 2
        assert "torch" in capsys.readouterr().err
        return
    assert run("crowd", graph_file, "-n", "2", "--seconds", "1", "--device", "cuda", "-o", tmp_path / "crowd.npz") == 0
