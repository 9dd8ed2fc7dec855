"""Reading and writing glTF: against plain evaluation of real files, oracles, and a round trip of random bodies."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from gltf_make import Maker, Plain, posed
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

from footfall.core import rotation
from footfall.core.errors import ReadError
from footfall.io.gltf_animation import AnimationChannel, evaluate, frame_rate, key_times
from footfall.io.load import load, load_all

TURN = [0.0, 0.0, np.sin(0.2), np.cos(0.2)]  # xyzw, 0.4 rad about z


def chain(count: int = 3, **root: object) -> Maker:
    """Nodes 0 … count-1, each 1 m above the one before, skinned."""
    nodes = [{"name": f"j{i}", "translation": [0, float(i > 0), 0], "children": [i + 1]} for i in range(count)]
    del nodes[-1]["children"]
    nodes[0].update(root)
    maker = Maker(nodes)
    maker.skin(list(range(count)))
    return maker


# --- real files -----------------------------------------------------------------------------------------------
CAPTURES = ["CesiumMan", "Fox", "RobotExpressive", "mannequiny-0.3.0"]


@pytest.mark.parametrize("name", CAPTURES)
def test_joint_positions_are_those_of_a_plain_evaluation(mocap: Path, name: str) -> None:
    path = mocap / "gltf" / f"{name}.glb"
    plain, clips = Plain(path), load_all(path, clean=False)
    assert len(clips) == len(plain.json["animations"])
    for number in {0, len(clips) // 2, len(clips) - 1}:
        clip, tracks = clips[number], plain.tracks(number)
        turn = np.array(clip.source.world_from_file)
        nodes = {n.get("name"): i for i, n in reversed(list(enumerate(plain.json["nodes"])))}
        start = clip.source.inferred["start"].value
        for frame in {0, clip.frames // 3, clip.frames - 1}:
            for j in range(0, len(clip.skeleton), 4):
                there = plain.world(nodes[clip.skeleton.names[j]], tracks, start + frame / clip.fps)[:3, 3]
                size = clip.skeleton.height
                expected = rotation.rotate(turn, there)
                assert np.allclose(clip.positions[frame, j], expected, rtol=0, atol=3e-5 * size)


@pytest.mark.parametrize("name", CAPTURES)
def test_the_mesh_moves_as_the_specification_says(mocap: Path, name: str) -> None:
    path = mocap / "gltf" / f"{name}.glb"
    plain, clip = Plain(path), load_all(path, clean=False)[0]
    node = next(n for n in plain.json["nodes"] if "skin" in n)
    skin = plain.json["skins"][node["skin"]]
    primitive = plain.json["meshes"][node["mesh"]]["primitives"][0]["attributes"]
    frame, tracks = clip.frames // 2, plain.tracks(0)
    time = clip.source.inferred["start"].value + frame / clip.fps
    inverse = np.swapaxes(plain.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4), 1, 2)
    m = np.array([plain.world(j, tracks, time) for j in skin["joints"]]) @ inverse
    pick = np.arange(0, len(plain.array(primitive["POSITION"])), 37)
    v = np.c_[plain.array(primitive["POSITION"])[pick], np.ones(len(pick))]
    joints, weights = (plain.array(primitive[k])[pick] for k in ("JOINTS_0", "WEIGHTS_0"))
    there = sum(weights[:, k, None] * np.einsum("vij,vj->vi", m[joints[:, k].astype(int)], v)[:, :3] for k in range(4))
    # vertices are found by place: parts are merged in the order of the nodes
    ours = posed(clip, frame)
    expected = rotation.rotate(np.array(clip.source.world_from_file), there / weights.sum(axis=1, keepdims=True))
    distance = np.linalg.norm(ours[:, None] - expected[None], axis=-1).min(axis=0)
    # mannequiny scales its joints by up to 3 % while it moves, which a rigid skeleton cannot
    tolerance = 0.01 if name.startswith("mannequiny") else 1e-4
    assert distance.max() < tolerance * clip.skeleton.height


def test_rest_poses_of_real_files_stand(mocap: Path) -> None:
    for name in ("CesiumMan", "mannequiny-0.3.0", "mesh2motion_human-male", "mesh2motion_rig-human"):
        clip = load(mocap / "gltf" / f"{name}.glb")
        rest, roles = clip.skeleton.rest_positions, clip.skeleton.roles
        assert clip.source.inferred["rest"].value == "bind"
        assert rest[roles.head, 1] > rest[roles.pelvis, 1] > rest[roles.left_ankle, 1] + 0.3
        assert abs(rest[roles.left_wrist, 1] - rest[roles.right_wrist, 1]) < 0.02


def test_files_without_motion_give_a_skeleton(mocap: Path) -> None:
    clip = load(mocap / "gltf" / "mesh2motion_rig-human.glb")
    assert clip.frames == 0
    assert len(clip.skeleton) == 66
    assert any("no animation" in w for w in clip.warnings)


# --- interpolation against other formulas -----------------------------------------------------------------------
times_of_keys = st.lists(st.floats(0.01, 2.0), min_size=1, max_size=6).map(lambda gaps: np.cumsum([0.1, *gaps]))


@given(times_of_keys, st.integers(0, 2**31))
def test_linear_rotations_are_slerp(times: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = Rotation.random(len(times), random_state=seed)
    channel = AnimationChannel(0, "rotation", "LINEAR", times, keys.as_quat()[:, [3, 0, 1, 2]])
    query = rng.uniform(times[0], times[-1], 20)
    ours = Rotation.from_quat(evaluate(channel, query)[:, [1, 2, 3, 0]])
    assert (ours * Slerp(times, keys)(query).inv()).magnitude().max() < 2e-4  # a key attracts within 1 µs


@given(times_of_keys, st.integers(0, 2**31))
def test_cubic_splines_are_hermite_segments(times: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(len(times), 3, 3))
    channel = AnimationChannel(0, "translation", "CUBICSPLINE", times, values)
    for i in range(len(times) - 1):
        span = times[i : i + 2]
        segment = CubicHermiteSpline(span, values[i : i + 2, 1], [values[i, 2], values[i + 1, 0]])
        query = np.linspace(*span, 7)[1:-1]
        assert np.allclose(evaluate(channel, query), segment(query), atol=1e-4)


def test_cubic_rotations_are_unit_and_exact_at_keys() -> None:
    rng = np.random.default_rng(0)
    times = np.array([0.0, 0.5, 1.1])
    values = rng.normal(size=(3, 3, 4))
    values[:, 1] = rotation.normalize(values[:, 1])
    channel = AnimationChannel(0, "rotation", "CUBICSPLINE", times, values)
    out = evaluate(channel, np.linspace(0, 1.1, 100))
    assert np.allclose(np.linalg.norm(out, axis=1), 1)
    assert np.allclose(evaluate(channel, times), values[:, 1])


def test_steps_hold_until_the_next_key_and_ends_are_held() -> None:
    channel = AnimationChannel(0, "translation", "STEP", np.array([1.0, 2.0]), np.array([[1.0, 0, 0], [2.0, 0, 0]]))
    out = evaluate(channel, np.array([0.0, 1.0, 1.999, 2.0, 9.0]))[:, 0]
    assert out.tolist() == [1, 1, 1, 2, 2]


def test_a_frame_time_within_rounding_of_a_key_is_on_it() -> None:
    fps = 120.0
    exact = np.arange(20_000) / fps
    channel = AnimationChannel(
        0, "translation", "STEP", exact.astype(np.float32).astype(float), np.arange(20_000.0)[:, None]
    )
    assert (evaluate(channel, exact)[:, 0] == np.arange(20_000)).all()


@pytest.mark.parametrize(
    ("times", "fps", "sure"),
    [
        (np.arange(50) / 24, 24.0, True),
        (1 / 30 + np.arange(9) / 30, 30.0, True),
        (np.arange(90) * 1001 / 30000, 30000 / 1001, True),
        (np.array([0, 3, 4, 9, 17, 30]) / 30, 30.0, False),
        (np.array([0, 5, 6, 7, 12, 18, 31]) / 25, 25.0, False),
        (np.array([0.0, 5.0]), 24.0, False),
        (np.array([0.7]), 30.0, False),
        (np.sort(np.random.default_rng(1).uniform(0, 9, 60)), 30.0, False),
    ],
)
def test_frame_rates(times: np.ndarray, fps: float, sure: bool) -> None:
    keys = times.astype(np.float32).astype(float)
    found = frame_rate(key_times([AnimationChannel(0, "translation", "LINEAR", keys, np.zeros((len(keys), 3)))]))
    assert found.value == pytest.approx(fps)
    assert (found.confidence == 1.0) == sure


def test_a_given_rate_is_used(tmp_path: Path) -> None:
    maker = chain()
    maker.animate((0, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]]))
    clip = load(maker.save(tmp_path / "a.glb"), fps=60)
    assert (clip.fps, clip.frames) == (60, 61)
    assert np.allclose(clip.positions[30, 0], [1.5, 0, 0])


# --- structure --------------------------------------------------------------------------------------------------
def test_scaled_turned_and_matrix_nodes_above_the_skeleton_are_folded_in(tmp_path: Path) -> None:
    # armature: 0.01 scale, Z up, moved; its parent is a matrix node of scale 2
    nodes = [
        {"name": "top", "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1], "children": [1]},
        {"name": "arm", "rotation": [-np.sqrt(0.5), 0, 0, np.sqrt(0.5)], "scale": [0.01] * 3, "children": [2]},
        {"name": "hips", "translation": [0, 0, 100], "children": [3]},
        {"name": "head", "translation": [0, 0, 50]},
    ]
    maker = Maker(nodes)
    maker.skin([2, 3])
    maker.animate((2, "translation", [0, 1], [[0, 0, 100], [0, -100, 100]]))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("hips", "head")
    assert np.allclose(clip.positions[0], [[1, 2, 0], [1, 3, 0]])
    assert np.allclose(clip.positions[-1], [[1, 2, 2], [1, 3, 2]])
    assert clip.pose.pos is None
    assert clip.warnings == ()


def test_joints_come_parent_first_and_nodes_between_them_are_kept(tmp_path: Path) -> None:
    nodes = [
        {"name": "tip", "translation": [0, 1, 0]},
        {"name": "between", "translation": [0, 1, 0], "rotation": TURN, "children": [0]},
        {"name": "root", "translation": [0, 1, 0], "children": [1, 3]},
        {"name": "tip_end", "translation": [0, 0.25, 0]},
    ]
    maker = Maker(nodes)
    maker.json["scenes"] = [{"nodes": [2]}]
    maker.skin([0, 2])
    maker.animate((1, "rotation", [0, 1], [TURN, [0, 0, 0, 1]]))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("root", "between", "tip")
    assert clip.skeleton.parents.tolist() == [-1, 0, 1]
    assert np.allclose(clip.positions[0, 2], [-np.sin(0.4), 2 + np.cos(0.4), 0])
    assert np.allclose(clip.positions[-1, 2], [0, 3, 0])
    assert clip.skeleton.end_parents.tolist() == [0]
    assert np.allclose(clip.skeleton.end_offsets, [[0, 0.25, 0]])


def test_two_trees_under_one_skin_get_a_root(tmp_path: Path) -> None:
    nodes = [{"name": "a", "translation": [1, 0, 0]}, {"name": "b", "translation": [0, 2, 0]}]
    maker = Maker(nodes)
    maker.skin([0, 1])
    maker.animate((1, "translation", [0, 1], [[0, 2, 0], [0, 3, 0]]))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("root", "a", "b")
    assert np.allclose(clip.positions[-1, 1:], [[1, 0, 0], [0, 3, 0]])


def test_the_larger_of_two_characters_is_read(tmp_path: Path) -> None:
    maker = chain(3)
    maker.json["nodes"] += [{"name": "prop", "children": [4]}, {"name": "prop_tip"}]
    maker.skin([3, 4])
    maker.animate((0, "translation", [0, 1], np.zeros((2, 3))))
    maker.animate((3, "translation", [0, 1], np.zeros((2, 3))), name="of the prop")
    clips = load_all(maker.save(tmp_path / "a.glb"))
    assert [c.skeleton.names for c in clips] == [("j0", "j1", "j2")]
    assert any("2 characters" in w for w in clips[0].warnings)
    assert any("moves no joint" in w for w in clips[0].warnings)


def test_without_a_skin_the_animated_nodes_and_what_hangs_from_them_are_the_skeleton(tmp_path: Path) -> None:
    maker = chain(4)
    del maker.json["skins"]
    maker.animate((1, "rotation", [0, 1], [TURN, TURN]))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("j1", "j2", "j3")
    assert clip.name == "animation_0"


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    maker = chain(4)
    for node in maker.json["nodes"][1:]:
        node["name"] = "bone"
    maker.json["nodes"][0]["name"] = ""
    maker.animate((0, "translation", [0, 1], np.zeros((2, 3))))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("node_0", "bone", "bone_2", "bone_3")
    assert any("share names" in w for w in clip.warnings)


def test_scale_in_the_chain_moves_joints_exactly_and_is_reported(tmp_path: Path) -> None:
    maker = chain(3, scale=[2, 3, 1])
    maker.animate((1, "scale", [0, 1], [[1, 1, 1], [1, 2, 1]]))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert np.allclose(clip.positions[:, 1], [0, 3, 0])
    assert np.allclose(clip.positions[[0, -1], 2], [[0, 6, 0], [0, 9, 0]])
    assert any("not uniform" in w for w in clip.warnings)
    assert any("animated scale" in w for w in clip.warnings)


def test_bones_that_stretch_keep_positions_and_others_do_not(tmp_path: Path) -> None:
    maker = chain(3)
    maker.animate((1, "translation", [0, 1], [[0, 1, 0], [0, 1, 0]]), name="still")
    maker.animate((1, "translation", [0, 1], [[0, 1, 0], [0, 1.5, 0]]), name="stretch")
    still, stretch = load_all(maker.save(tmp_path / "a.glb"))
    assert still.pose.pos is None
    assert np.allclose(stretch.positions[-1, 2], [0, 2.5, 0])


def test_the_bind_pose_is_the_rest_pose(tmp_path: Path) -> None:
    maker = chain(3)
    del maker.json["skins"]
    inverse = np.tile(np.eye(4), (3, 1, 1))
    inverse[:, 1, 3] = [0, -1, -2]
    maker.skin([0, 1, 2], inverse)
    maker.json["nodes"][1]["rotation"] = TURN  # shown bent by default, bound straight
    maker.animate((1, "rotation", [0, 1], [TURN, TURN]))
    clip = load(maker.save(tmp_path / "a.glb"))
    assert np.allclose(clip.skeleton.rest_positions, [[0, 0, 0], [0, 1, 0], [0, 2, 0]])
    assert np.allclose(clip.positions[0, 2], [-np.sin(0.4), 1 + np.cos(0.4), 0])
    del maker.json["skins"][0]["inverseBindMatrices"]
    unbound = load(maker.save(tmp_path / "b.glb"))
    assert np.allclose(unbound.skeleton.rest_positions, unbound.positions[0])


# --- accessors --------------------------------------------------------------------------------------------------
def test_normalised_strided_and_sparse_values(tmp_path: Path) -> None:
    maker = chain(3)
    times = maker.accessor([0, 1])
    turns = maker.accessor([[0, 0, 32767, 0], [0, 0, 0, -32768]], "<i2", normalized=True)
    spread = np.zeros((2, 5), "<f4")
    spread[:, 1:4] = [[1, 2, 3], [4, 5, 6]]
    view = maker.view(spread.tobytes(), byteStride=20)
    maker.json["accessors"].append(
        {"bufferView": view, "byteOffset": 4, "componentType": 5126, "count": 2, "type": "VEC3"}
    )
    strided = len(maker.json["accessors"]) - 1
    sparse = {
        "count": 1,
        "indices": {"bufferView": maker.view(np.array([1], "<u2").tobytes()), "componentType": 5123},
        "values": {"bufferView": maker.view(np.array([7, 8, 9], "<f4").tobytes())},
    }
    maker.json["accessors"].append({"componentType": 5126, "count": 2, "type": "VEC3", "sparse": sparse})
    samplers = [{"input": times, "output": out} for out in (strided, turns, strided + 1)]
    targets = [(0, "translation"), (0, "rotation"), (2, "translation")]
    channels = [{"sampler": k, "target": {"node": n, "path": p}} for k, (n, p) in enumerate(targets)]
    maker.json["animations"] = [{"samplers": samplers, "channels": channels}]
    clip = load(maker.save(tmp_path / "a.gltf"))
    assert np.allclose(clip.positions[[0, -1], 0], [[1, 2, 3], [4, 5, 6]])
    assert np.allclose(np.abs(clip.pose.rot[[0, -1], 0]), [[0, 0, 0, 1], [1, 0, 0, 0]])
    assert np.allclose(clip.pose.pos[[0, -1], 2], [[0, 0, 0], [7, 8, 9]])


def test_external_buffers_only_from_the_same_folder(tmp_path: Path) -> None:
    maker = chain(2)
    maker.animate((0, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]]))
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "my data.bin").write_bytes(maker.data)
    (tmp_path / "secret.bin").write_bytes(maker.data)
    file = folder / "a.gltf"
    file.write_bytes(maker.gltf("my%20data.bin"))
    assert load(file).frames > 1
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    os.mkfifo(folder / "pipe.bin")
    for uri in (
        "../secret.bin",
        "%2e%2e/secret.bin",
        "link.bin",
        "pipe.bin",
        str(tmp_path / "secret.bin"),
        "file:secret.bin",
        "http://localhost/x",
        "a\\..\\b.bin",
        "x//y",
        "C:x",
        "none.bin",
        "a\0b",
        ".",
    ):
        file.write_bytes(maker.gltf(uri))
        with pytest.raises(ReadError, match=r"a\.gltf:/buffers/0/uri"):
            load(file)


def test_long_motions_from_few_keys_are_refused_before_allocating(tmp_path: Path) -> None:
    maker = chain(3)
    maker.animate((0, "translation", [0, 9e8], np.zeros((2, 3))))
    with pytest.raises(ReadError, match="frames in proportion"):
        load(maker.save(tmp_path / "a.glb"))


def test_deep_chains_are_read_without_recursion(tmp_path: Path) -> None:
    maker = chain(3000)
    maker.animate((0, "rotation", [0, 0.1], [TURN, TURN]))
    clip = load(maker.save(tmp_path / "a.glb"), clean=False)
    assert len(clip.skeleton) == 3000
    assert np.linalg.norm(clip.positions[0, -1]) == pytest.approx(2999)
