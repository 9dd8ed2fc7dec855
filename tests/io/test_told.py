"""Faults that readers survive, or refuse, and never pass over without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gltf_make import Maker
from test_asf_amc import AMC, ASF
from test_bvh import GOOD

import footfall as ff
from footfall.core.errors import ReadError

TURNED = np.tile([0.0, 0.0, 0.0, 1.0], (3, 1))


def warned(path: Path, data: str | bytes) -> str:
    """All warnings of reading it; strict reading refuses it."""
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(ReadError):
        ff.load(path, strict=True)
    return " ".join(ff.load(path).warnings)


def test_channels_that_come_after_the_children(tmp_path: Path) -> None:
    lines = GOOD.splitlines()
    channels = next(i for i, line in enumerate(lines) if "CHANNELS" in line)
    end = next(i for i, line in enumerate(lines) if line == "}")
    moved = [*lines[:channels], *lines[channels + 1 : end], lines[channels], *lines[end:]]
    assert "CHANNELS of 'Hips' come after its children" in warned(tmp_path / "a.bvh", "\n".join(moved))
    assert not ff.load(_written(tmp_path / "b.bvh", GOOD)).warnings


def test_a_bone_of_negative_length_is_refused(tmp_path: Path) -> None:
    head, bones = ASF.split(":bonedata")
    _written(tmp_path / "a.asf", f"{head}:bonedata{bones.replace('length ', 'length -', 1)}")
    with pytest.raises(ReadError, match="a bone's length of 0 or more"):
        ff.load(_written(tmp_path / "a.amc", AMC))


@pytest.mark.parametrize(
    ("node", "times", "said"),
    [
        ({"matrix": np.eye(4).ravel().tolist(), "translation": [0, 1, 0]}, [0.0, 0.1, 0.2], "both a matrix and"),
        ({"rotation": [0, 0, 0, 2]}, [0.0, 0.1, 0.2], "another length than 1"),
        ({}, [-0.2, -0.1, 0.0], "key times from -0.2 s on"),
    ],
)
def test_gltf(tmp_path: Path, node: dict[str, object], times: list[float], said: str) -> None:
    maker = Maker([{"name": "a", "children": [1]}, {"name": "b", **node, "children": [2]}, {"name": "c"}])
    maker.skin([0, 1, 2])
    maker.animate((0, "rotation", times, TURNED))
    assert said in warned(tmp_path / "a.glb", maker.glb())


def test_a_pickled_field_beside_good_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    poses = np.zeros((4, 156))
    given = dict(poses=poses, trans=np.zeros((4, 3)), mocap_framerate=60.0, gender="male")
    np.savez(path, **given)
    assert not any("pickled" in warning for warning in ff.load(path).warnings)
    np.savez(path, **given, labels=np.array([{"a": 1}], dtype=object))
    assert "labels: pickled objects" in " ".join(ff.load(path).warnings)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
