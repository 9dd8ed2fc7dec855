"""Characters as people bring them: what is no person is refused for what it is, odd rigs and proportions are moved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gltf_make import Maker, Plain
from helpers import run_cli

import footfall as ff
from footfall.analysis.floor import find_floor
from footfall.core.errors import SkeletonError
from footfall.core.skeleton import Skeleton
from footfall.feet.stand import leg_extents
from footfall.retarget.character import CharacterWarning, character

ANIMALS = [
    ("characters", "mesh2motion_fox-dog.glb", "stands on four legs"),
    ("characters", "mesh2motion_bird-eagle.glb", "has wings and no arms"),
    ("characters", "mesh2motion_kaiju-t-rex.glb", "has front and back legs"),
    ("mocap", "gltf/Fox.glb", "stands on four legs"),
]
ODD = [
    ("mocap", "gltf/RobotExpressive.glb"),
    ("characters", "mesh2motion_human-bunny.glb"),
    ("characters", "kaykit_Rogue.glb"),
]


@pytest.fixture(scope="module")
def folders(characters: Path, mocap: Path) -> dict[str, Path]:
    return {"characters": characters, "mocap": mocap}


# --- what is no person -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("folder", "name", "reason"), ANIMALS)
def test_animals_are_refused_for_what_they_are(folders, tmp_path, capsys, folder, name, reason):
    path = folders[folder] / name
    with pytest.raises(SkeletonError, match=rf"{path.name}: it {reason}.*--character-role"):
        ff.retarget("walk", path)
    assert run_cli("convert", "walk", tmp_path / "out.glb", "--character", path) == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "out.glb").exists()


def chair(names: bool) -> Maker:
    """A seat with a back and four legs of two bones, rigged."""
    corners = [("front", "L", 0.2, 0.2), ("front", "R", -0.2, 0.2), ("back", "L", 0.2, -0.2), ("back", "R", -0.2, -0.2)]
    nodes: list[dict] = [{"name": "seat", "translation": [0.0, 0.45, 0.0], "children": [1]}]
    nodes.append({"name": "rest", "translation": [0.0, 0.4, -0.2]})
    for where, side, x, z in corners:
        nodes[0]["children"].append(len(nodes))
        called = f"leg_{where}_{{}}_{side}" if names else f"part_{len(nodes)}_{{}}"
        nodes.append({"name": called.format("a"), "translation": [x, 0.0, z], "children": [len(nodes) + 1]})
        nodes.append({"name": called.format("b"), "translation": [0.0, -0.2, 0.0]})
    maker = Maker(nodes)
    maker.skin(list(range(len(nodes))))
    return maker


@pytest.mark.parametrize(("names", "reason"), [(True, "has front and back legs"), (False, "left_hip")])
def test_a_rigged_chair_is_no_person(tmp_path, names, reason):
    path = chair(names).save(tmp_path / "chair.glb")
    with pytest.raises(SkeletonError, match=rf"chair\.glb: .*{reason}"):
        ff.retarget("walk", path)


def test_a_mesh_without_a_skeleton_is_told(tmp_path):
    path = Maker([{"name": "statue"}]).save(tmp_path / "statue.glb")
    with pytest.raises(SkeletonError, match="a body of 1 joint: this is no rigged character"):
        ff.retarget("walk", path)


# --- what is understood too little -----------------------------------------------------------------------------------
def legs_only(names: bool) -> Skeleton:
    rows = [("hips", "", (0.0, 0.9, 0.0)), ("spine", "hips", (0.0, 0.2, 0.0))]
    for side, x in (("left", 0.1), ("right", -0.1)):
        parts = (
            [f"{side}_{part}" for part in ("thigh", "shin", "foot")] if names else [f"{side[0]}{i}" for i in range(3)]
        )
        for name, above, place in zip(
            parts, ["hips", *parts], [(x, 0, 0), (0, -0.42, 0.01), (0, -0.4, -0.01)], strict=False
        ):
            rows.append((name, above, place))
    return Skeleton.of_rows(rows, [("spine", (0.0, 0.3, 0.0))])


def test_a_doubtful_character_is_warned_of_and_a_vague_one_refused():
    named, vague = legs_only(True), legs_only(False)
    assert 0.4 <= named.roles.confidence < 0.6
    assert vague.roles.confidence < 0.4
    with pytest.warns(CharacterWarning, match=r"understood: .*left_hip=left_thigh.*--character-role"):
        ff.retarget("walk", named)
    with pytest.raises(SkeletonError, match=r"confidence 0\.\d+ .*understood: .*left_hip=.*--character-role"):
        ff.retarget("walk", vague)
    said = vague.with_roles(left_hip="l0", left_knee="l1", left_ankle="l2")
    assert ff.retarget("walk", said).frames


def test_joints_of_a_character_can_be_named(mocap, tmp_path, capsys):
    hero = mocap / "gltf" / "mesh2motion_human-male.glb"
    out = tmp_path / "out.npz"
    asked = ["convert", "walk", out, "--character", hero]
    assert run_cli(*asked, "--character-role", "head=neck_01", "--character-role", "left_toe=ball_l") == 0
    assert run_cli(*asked, "--character-role", "head=nobody") == 2
    assert "no joint 'nobody'" in capsys.readouterr().err
    assert run_cli("convert", "walk", out, "--character-role", "head=neck_01") == 2
    assert "give --character too" in capsys.readouterr().err
    body = character(f"{hero}:head=neck_01").skeleton
    assert body.names[body.roles.head] == "neck_01"


# --- odd rigs and proportions ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("folder", "name"), ODD)
def test_odd_bodies_walk_with_knees_ahead_feet_down_and_legs_as_straight(folders, folder, name):
    walk = ff.motion("walk")
    clip = ff.retarget(walk, folders[folder] / name)
    body, roles, leg = clip.skeleton, clip.skeleton.roles, clip.skeleton.leg_length
    for side in ("left", "right"):
        hip, knee, ankle = (clip.positions[:, j] for j in roles.joints(side, "hip", "knee", "ankle"))
        down = (ankle - hip) / np.linalg.norm(ankle - hip, axis=-1, keepdims=True)
        before = (knee - hip) - ((knee - hip) * down).sum(axis=-1, keepdims=True) * down
        assert before[:, 2].min() > -0.02 * leg, f"{side} knee bends backwards"
    floors = find_floor(clip)
    over = [foot.over_skin for foot in character(folders[folder] / name).feet]
    assert abs(floors.left - over[0]) < 0.02 * leg
    assert abs(floors.right - over[1]) < 0.02 * leg
    stands = np.stack([walk.contacts.left_heel, walk.contacts.right_heel], 1)
    ours, theirs = leg_extents(body, clip.positions), leg_extents(walk.skeleton, walk.positions)
    assert stands.mean() > 0.25
    assert np.median((theirs - ours)[stands]) < 0.01  # legs stand as straight as the source's
    assert (theirs - ours)[stands].max() < 0.06


def test_a_robots_feet_are_moved_as_their_own_nodes(mocap, tmp_path):
    path = mocap / "gltf" / "RobotExpressive.glb"
    own = ff.load(path, "Walking")
    assert any("hang beside the legs" in line for line in own.warnings)
    assert own.skeleton.roles.confidence >= 0.6
    clip = ff.retarget("walk", path)
    file = Plain(ff.save(clip, tmp_path / "out.glb"))
    tracks = file.tracks(len(file.json["animations"]) - 1)
    ankle = clip.skeleton.roles.left_ankle
    node = clip.skeleton.rig.nodes[ankle]
    assert file.json["nodes"][file.parent[node]]["name"] == "Bone"  # in the file it still hangs from the root
    assert len(tracks[node, "translation"][0]) == clip.frames
    for frame in (0, 40, 90):
        there = file.world(node, tracks, float(np.float32(frame / clip.fps)))[:3, 3]
        assert np.allclose(there, clip.positions[frame, ankle], atol=1e-4)


# --- units and travel ------------------------------------------------------------------------------------------------
def test_a_body_of_167_metres_is_taken_to_be_in_centimetres(tmp_path):
    walk = ff.motion("walk")
    ff.save(walk, tmp_path / "plain.glb")
    file = Plain(tmp_path / "plain.glb")
    maker = Maker(
        [{**node, "translation": [100 * x for x in node.get("translation", [0, 0, 0])]} for node in file.json["nodes"]]
    )
    maker.json["nodes"] = [{k: v for k, v in n.items() if k not in ("mesh", "skin")} for n in maker.json["nodes"]]
    maker.skin(list(range(len(walk.skeleton))))
    path = maker.save(tmp_path / "giant.glb")
    giant = ff.load(path)
    assert giant.skeleton.height == pytest.approx(walk.skeleton.height, rel=0.02)
    assert any("taken to be in cm" in line for line in giant.warnings)
    assert ff.load(path, unit_m=1.0).skeleton.height > 100.0
    clip = ff.retarget("walk", path)
    back = Plain(ff.save(clip, tmp_path / "out.glb"))
    there = back.world(0, back.tracks(0), 0.0)[:3, 3]
    assert np.allclose(there, 100.0 * clip.positions[0, 0], atol=0.01)  # in the file's own units
    assert ff.load(tmp_path / "out.glb").skeleton.height == pytest.approx(walk.skeleton.height, rel=0.02)


def test_a_walk_on_the_spot_gets_its_travel_back(characters, tmp_path, capsys):
    rogue = characters / "kaykit_Rogue.glb"
    assert run_cli("edit", rogue, tmp_path / "out.npz", "--animation", "Walking_A", "--root-motion") == 0
    before, after = ff.load(rogue, "Walking_A"), ff.load(tmp_path / "out.npz")
    way = np.linalg.norm(after.root_motion.position[-1] - after.root_motion.position[0])
    assert np.linalg.norm(before.root_motion.position[-1] - before.root_motion.position[0]) < 0.05
    assert way > 1.0 * after.skeleton.leg_length * after.duration  # a leg length a second and more
    assert run_cli("edit", "walk", tmp_path / "walk.npz", "--root-motion") == 0
    assert "is not on the spot" in capsys.readouterr().err
