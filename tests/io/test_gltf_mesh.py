"""Meshes of glTF files: strips and fans, many influences, parts that hang rigidly, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_make import Maker, posed

from footfall.core.errors import ReadError
from footfall.io.load import load

QUAD = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)


def body(**primitive: Any) -> Maker:
    """Two joints, 1 m apart, the second turning a quarter about z; a quad follows them by halves."""
    maker = Maker([{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}, {"mesh": 0, "skin": 0}])
    inverse = np.tile(np.eye(4), (2, 1, 1))
    inverse[1, 1, 3] = -1
    maker.skin([0, 1], inverse)
    half = np.sqrt(0.5)
    maker.animate((1, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, half, half]]))
    attributes = {"POSITION": maker.accessor(QUAD)}
    attributes["JOINTS_0"] = maker.accessor(np.tile([0, 1, 0, 0], (4, 1)), "<u1")
    attributes["WEIGHTS_0"] = maker.accessor(np.tile([255, 255, 0, 0], (4, 1)), "<u1", normalized=True)
    maker.json["meshes"] = [{"primitives": [{"attributes": attributes, **primitive}]}]
    return maker


def attributes(maker: Maker) -> dict[str, int]:
    return maker.json["meshes"][0]["primitives"][0]["attributes"]


@pytest.mark.parametrize(
    ("mode", "triangles"),
    [(4, [[0, 1, 2]]), (5, [[0, 1, 2], [1, 3, 2]]), (6, [[1, 2, 0], [2, 3, 0]])],
)
def test_lists_strips_and_fans(tmp_path: Path, mode: int, triangles: list[list[int]]) -> None:
    skin = load(body(mode=mode).save(tmp_path / "a.glb"), clean=False).skin
    assert skin.triangles.tolist() == triangles


def test_lines_and_single_points_are_no_mesh(tmp_path: Path) -> None:
    assert load(body(mode=1).save(tmp_path / "a.glb")).skin is None
    maker = body()
    maker.json["meshes"][0]["primitives"][0]["indices"] = maker.accessor([0, 1], "<u2")
    assert load(maker.save(tmp_path / "b.glb")).skin is None


def test_weights_that_do_not_sum_to_one_are_normalised_and_followed(tmp_path: Path) -> None:
    clip = load(body(mode=5).save(tmp_path / "a.glb"), clean=False)
    assert np.allclose(clip.skin.weights.sum(axis=1), 1)
    turned = np.stack([1 - QUAD[:, 1], QUAD[:, 0] + 1, QUAD[:, 2]], axis=1)  # about the second joint
    assert np.allclose(posed(clip, clip.frames - 1), 0.5 * (QUAD + turned), atol=1e-6)


def test_of_eight_influences_the_strongest_four_are_kept(tmp_path: Path) -> None:
    maker = body(mode=5)
    weights = np.tile([0.1, 0.02, 0.02, 0.02], (4, 1))
    attributes(maker)["WEIGHTS_0"] = maker.accessor(weights)
    attributes(maker)["JOINTS_1"] = maker.accessor(np.ones((4, 4)), "<u2")
    attributes(maker)["WEIGHTS_1"] = maker.accessor(np.tile([0.4, 0.3, 0.2, 0.01], (4, 1)))
    skin = load(maker.save(tmp_path / "a.glb"), clean=False).skin
    assert np.allclose(skin.weights, np.tile([0.4, 0.3, 0.2, 0.1], (4, 1)))
    assert skin.joints.tolist() == [[1, 1, 1, 0]] * 4


def test_a_part_under_a_joint_follows_it_rigidly(tmp_path: Path) -> None:
    maker = body()
    maker.json["nodes"][1]["children"] = [3]
    maker.json["nodes"].append({"mesh": 1, "translation": [0, 0, 2], "scale": [2, 2, 2]})
    maker.json["meshes"].append({"primitives": [{"attributes": {"POSITION": maker.accessor(QUAD)}, "mode": 5}]})
    maker.json["meshes"][0]["primitives"] = []
    clip = load(maker.save(tmp_path / "a.glb"), clean=False)
    expected = np.stack([-2 * QUAD[:, 1], 2 * QUAD[:, 0] + 1, 0 * QUAD[:, 2] + 2], axis=1)
    assert np.allclose(posed(clip, clip.frames - 1), expected, atol=1e-6)


def test_what_cannot_be_used_is_left_out_with_a_warning(tmp_path: Path) -> None:
    unbound = body()
    del attributes(unbound)["WEIGHTS_0"]
    draco = body(extensions={"KHR_draco_mesh_compression": {}})
    for maker, words in ((unbound, "without joints and weights"), (draco, "Draco")):
        clip = load(maker.save(tmp_path / "a.glb"))
        assert clip.skin is None
        assert any(words in w for w in clip.warnings)
    weightless = body()
    attributes(weightless)["WEIGHTS_0"] = weightless.accessor(np.zeros((4, 4)))
    clip = load(weightless.save(tmp_path / "a.glb"))
    assert clip.skin.weights[:, 0].tolist() == [1, 1, 1, 1]
    assert any("without any weight" in w for w in clip.warnings)


@pytest.mark.parametrize(
    ("attribute", "values", "dtype", "words"),
    [
        ("JOINTS_0", np.full((4, 4), 2), "<u1", "joint numbers below 2"),
        ("JOINTS_0", np.zeros((3, 4)), "<u1", "4 entries"),
        ("JOINTS_0", np.zeros((4, 4)), "<f4", "unsigned integers"),
        ("JOINTS_0", np.zeros((4, 3)), "<u1", "VEC4"),
    ],
)
def test_joints_that_do_not_fit_are_refused(
    tmp_path: Path, attribute: str, values: np.ndarray, dtype: str, words: str
) -> None:
    maker = body()
    attributes(maker)[attribute] = maker.accessor(values, dtype)
    with pytest.raises(ReadError, match=words):
        load(maker.save(tmp_path / "a.glb"))


def test_corners_beyond_the_vertices_are_refused(tmp_path: Path) -> None:
    maker = body()
    maker.json["meshes"][0]["primitives"][0]["indices"] = maker.accessor([0, 1, 4], "<u1")
    with pytest.raises(ReadError, match=r"/meshes/0/primitives/0/indices: expected indices below 4"):
        load(maker.save(tmp_path / "a.glb"))
