"""Writing glTF: what is written comes back, to other readers too, and nothing of the user's is overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from gltf_make import Plain, clips, pack, unpack
from helpers import random_clip, walking_clip
from hypothesis import given

from footfall.core import rotation
from footfall.core.clip import Clip, Skin
from footfall.core.errors import ParameterError, UnknownName, WriteError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.capsule_body import capsule_body
from footfall.io.load import load
from footfall.io.save import save

OLD = Path(__file__).parent / "old"


@given(clips())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, clip: Clip) -> None:
    path = tmp_path_factory.mktemp("glb") / "a.glb"
    save(clip, path)
    back = load(path)
    assert back.skeleton.names == clip.skeleton.names
    assert (back.frames, back.fps, back.name) == (clip.frames, clip.fps, clip.name)
    assert (back.is_loop, back.events) == (clip.is_loop, clip.events)
    assert np.array_equal(back.skeleton.parents, clip.skeleton.parents)
    assert np.allclose(back.skeleton.offsets, clip.skeleton.offsets, rtol=0, atol=1e-9)
    assert rotation.angle_between(back.skeleton.rest, clip.skeleton.rest).max() < 1e-7
    assert np.array_equal(back.skeleton.end_offsets, clip.skeleton.end_offsets)
    assert np.array_equal(back.skeleton.end_parents, clip.skeleton.end_parents)
    assert (back.source.unit_m, back.source.world_from_file) == (0.0564, (0.6, 0.8, 0.0, 0.0))
    assert (back.source.format, back.source.path) == ("bvh", "y.bvh")
    assert (back.pose.pos is None) == (clip.pose.pos is None or clip.frames == 0)
    assert back.warnings == ()
    if clip.frames:
        assert np.abs(back.positions - clip.positions).max() < 1e-5
        assert rotation.angle_between(back.pose.rot, clip.pose.rot).max() < 1e-5


def test_reading_does_not_need_the_extras(tmp_path: Path) -> None:
    """Another program sees the same motion: strip our extras and read as a stranger's file."""
    clip = random_clip(np.random.default_rng(3), 40)
    save(clip, tmp_path / "a.glb")
    document, data = unpack((tmp_path / "a.glb").read_bytes())
    del document["extras"]
    (tmp_path / "b.glb").write_bytes(pack(document, data))
    back = load(tmp_path / "b.glb", clean=False)
    assert (back.fps, back.frames) == (30, 40)
    assert np.abs(back.positions - clip.positions).max() < 1e-5
    plain = Plain(tmp_path / "a.glb")
    there = [plain.world(j, plain.tracks(0), 7 / 30)[:3, 3] for j in range(len(clip.skeleton))]
    assert np.abs(there - clip.positions[7]).max() < 1e-5


def test_a_clip_s_own_mesh_is_written_and_read_back(tmp_path: Path) -> None:
    clip = walking_clip()
    body = capsule_body(clip)
    skin = Skin(body.vertices, body.triangles, body.joints, body.weights, body.inverse_bind, (0.1, 0.5, 0.9))
    save(clip.with_pose(clip.pose, skin=skin), tmp_path / "a.glb")
    back = load(tmp_path / "a.glb").skin
    assert np.allclose(back.vertices, skin.vertices, atol=1e-6)
    assert np.array_equal(back.triangles, skin.triangles)
    assert np.allclose(back.inverse_bind, skin.inverse_bind, atol=1e-6)
    assert np.allclose(back.color, skin.color)
    assert np.array_equal(back.joints[:, 0], skin.joints[:, 0])


def test_a_file_edited_elsewhere_is_read_as_any_other(tmp_path: Path) -> None:
    save(walking_clip(), tmp_path / "a.glb")
    document, data = unpack((tmp_path / "a.glb").read_bytes())
    document["nodes"][2]["name"] = "renamed"
    (tmp_path / "b.glb").write_bytes(pack(document, data))
    clip = load(tmp_path / "b.glb")
    assert "renamed" in clip.skeleton.names
    assert any("changed since" in w for w in clip.warnings)


@pytest.mark.parametrize(
    "change",
    [
        {"fps": 0},
        {"fps": "x"},
        {"frames": 2**40},
        {"events": 3},
        {"end_parents": [99]},
        {"source": None},
        {"version": 2},
        {"roles": {"left_knee": "nobody"}},
        {"roles": {"tail": "Hips"}},
    ],
)
def test_extras_that_make_no_sense_are_not_believed(tmp_path: Path, change: dict[str, object]) -> None:
    save(walking_clip(), tmp_path / "a.glb")
    document, data = unpack((tmp_path / "a.glb").read_bytes())
    document["extras"]["footfall"].update(change)
    (tmp_path / "b.glb").write_bytes(pack(document, data))
    clip = load(tmp_path / "b.glb", clean=False)
    assert any("/extras/footfall" in w for w in clip.warnings)
    assert np.abs(clip.positions - walking_clip().positions).max() < 1e-5


def test_the_sidecar_says_what_the_extras_say_and_replaces_only_its_own_kind(tmp_path: Path) -> None:
    clip = walking_clip()
    path = tmp_path / "walk.glb"
    save(clip, path)
    assert not (tmp_path / "walk.json").exists()
    save(clip, path, sidecar=True)
    save(clip, path, sidecar=True)
    beside = json.loads((tmp_path / "walk.json").read_text("utf-8"))
    assert beside == unpack(path.read_bytes())[0]["extras"]
    told = beside["footfall"]
    assert (told["version"], told["frames"], told["joints"]) == (1, clip.frames, list(clip.skeleton.names))
    assert np.allclose(told["root_motion"]["position"], clip.root_motion.position, atol=1e-5)
    assert told["contacts"]["left_heel"] == [
        [pytest.approx(a), pytest.approx(b)] for a, b in clip.contacts.spans("left_heel")
    ]
    (tmp_path / "walk.json").write_text('{"tracks": []}')
    before = path.read_bytes()
    with pytest.raises(WriteError, match=r"walk\.json"):
        save(clip.trim(0, 0.5), path, sidecar=True)
    assert (tmp_path / "walk.json").read_text() == '{"tracks": []}'
    assert path.read_bytes() == before


def test_a_body_without_feet_is_written_without_contacts(tmp_path: Path) -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    clip = Clip(skeleton, 30, Pose(np.zeros((5, 3)), np.tile(rotation.IDENTITY, (5, 2, 1))))
    save(clip, tmp_path / "a.glb")
    assert "contacts" not in unpack((tmp_path / "a.glb").read_bytes())[0]["extras"]["footfall"]


def test_roles_given_by_hand_come_back(tmp_path: Path) -> None:
    clip = walking_clip()
    other = clip.skeleton.with_roles(head="Neck")
    save(Clip(other, clip.fps, clip.pose), tmp_path / "a.glb")
    assert load(tmp_path / "a.glb").skeleton.role_overrides == other.role_overrides


def test_a_mesh_of_another_skeleton_is_replaced_by_a_body(tmp_path: Path) -> None:
    clip = walking_clip()
    skin = capsule_body(clip)
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    pose = Pose(np.zeros((5, 3)), np.tile(rotation.IDENTITY, (5, 2, 1)))
    save(Clip(skeleton, 30, pose, skin=skin), tmp_path / "a.glb")
    assert load(tmp_path / "a.glb").skin.joints.max() < 2


def test_unknown_options_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="sidecar"):
        save(walking_clip(), tmp_path / "a.glb", sidecars=True)
    with pytest.raises(ParameterError, match="fps"):
        load(OLD / "clip_v1.glb", fps=0)


def test_writing_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save(walking_clip(), tmp_path / f"{name}.glb")
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_files_of_schema_version_1_stay_readable() -> None:
    clip = load(OLD / "clip_v1.glb")
    assert (clip.name, clip.fps, clip.frames, clip.is_loop) == ("old", 25, 5, True)
    assert clip.skeleton.names == ("hips", "knee", "foot")
    assert [tuple(e) for e in clip.events] == [("hit", 0.04, 0.08)]
    assert (clip.source.format, clip.source.unit_m) == ("bvh", 0.01)
    assert np.allclose(clip.skeleton.end_offsets, [[0, 0, 0.1]])
    frames = np.arange(5.0)
    assert np.allclose(clip.pose.root_pos, np.stack([0.1 * frames, 1 + 0 * frames, 0.2 * frames], axis=1))
    assert rotation.angle_between(clip.pose.rot[4, 2], rotation.exp(np.array([1.2, 0, 0.2]))) < 1e-6
    assert clip.warnings == ()
