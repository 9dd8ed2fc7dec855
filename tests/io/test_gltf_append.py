"""A character's own file comes back: motion is added to it, and everything else stays where it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_make import Maker, Plain, unpack
from helpers import run_cli
from hypothesis import given, settings
from hypothesis import strategies as st
from outside import in_blender, in_three, validated

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import WriteError
from footfall.core.pose import Pose
from footfall.io.load import load_all
from footfall.io.save import SaveWarning

NEAR_M = 0.004  # what another program may be off
HUMANOIDS = [  # folder, file, one of its own animations as Blender calls it
    ("characters", "kaykit_Rogue.glb", "Walking_A"),
    ("characters", "mesh2motion_human-bunny.glb", ""),
    ("mocap", "gltf/CesiumMan.glb", "Anim_0"),
    ("mocap", "gltf/RobotExpressive.glb", "Walking"),
    ("mocap", "gltf/mannequiny-0.3.0.glb", "run"),
    ("mocap", "gltf/mesh2motion_human-male.glb", ""),
    ("mocap", "gltf/mesh2motion_rig-human.glb", ""),
]


@pytest.fixture(scope="module")
def folders(characters: Path, mocap: Path) -> dict[str, Path]:
    return {"characters": characters, "mocap": mocap}


@pytest.fixture(scope="module")
def returned(folders, tmp_path_factory) -> dict[str, tuple[Path, Clip, Path]]:
    """Every humanoid's file, a walk on it, and the file with that walk added."""
    walk, out = ff.motion("walk"), {}
    for folder, name, _ in HUMANOIDS:
        path = folders[folder] / name
        clip = ff.retarget(walk, path)
        out[name] = path, clip, ff.save(clip, tmp_path_factory.mktemp("back") / "back.glb")
    return out


def in_file_space(clip: Clip) -> np.ndarray:
    """(T, J, 3) positions in the units and axes of the character's file."""
    rig = clip.skeleton.rig
    back = rotation.conjugate(np.array(rig.world_from_file))
    return rotation.rotate(back, clip.positions) / rig.unit_m


def grown(before: Any, after: Any, place: str = "") -> list[str]:
    """Places where `after` is more than `before` with arrays longer at their ends and keys that are new."""
    if isinstance(before, dict) and isinstance(after, dict):
        lost = [f"{place}/{key} is gone" for key in before.keys() - after.keys()]
        return lost + [
            t for key in before.keys() & after.keys() for t in grown(before[key], after[key], f"{place}/{key}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(after) >= len(before):
        return [t for i, old in enumerate(before) for t in grown(old, after[i], f"{place}/{i}")]
    return [] if before == after else [place]


# --- files made here -------------------------------------------------------------------------------------------------
def small_rig(seed: int, matrices: bool = False) -> Maker:
    """A tree of joints under nodes that turn, move and scale it, with an animation and a camera of its own."""
    rng = np.random.default_rng(seed)
    count, above = int(rng.integers(2, 9)), 2

    def transform(scale: np.ndarray) -> dict[str, Any]:
        turn = rotation.normalize(rng.normal(size=4))
        if matrices:
            full = np.eye(4)
            full[:3, :3], full[:3, 3] = rotation.to_matrix(turn) * scale, rng.normal(size=3)
            return {"matrix": full.T.reshape(-1).tolist()}
        x, y, z, w = turn[[1, 2, 3, 0]].tolist()
        return {"translation": rng.normal(size=3).tolist(), "rotation": [x, y, z, w], "scale": scale.tolist()}

    nodes = [
        {"name": f"above {i}", "children": [i + 1], **transform(np.exp(rng.normal(scale=0.4, size=3)))}
        for i in range(above)
    ]
    for j in range(count):
        scale = np.exp(rng.normal(scale=0.3, size=3)) if rng.random() < 0.5 else np.ones(3)
        nodes.append({"name": f"joint {j}", **transform(scale)})
        if j:
            nodes[above + int(rng.integers(0, j))].setdefault("children", []).append(above + j)
    nodes.append({"name": "camera", "camera": 0})
    maker = Maker(nodes)
    maker.json["scenes"] = [{"nodes": [0, len(nodes) - 1]}]
    maker.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}]
    maker.json["extras"] = {"someone": "else's"}
    maker.skin(list(range(above, above + count)))
    if not matrices:
        turns = rotation.normalize(rng.normal(size=(3, 4)))
        maker.animate((above, "rotation", [0.0, 0.5, 1.0], turns), name="own")
    return maker


def random_motion(skeleton, seed: int, frames: int = 5) -> Clip:
    rng = np.random.default_rng(seed)
    joints = len(skeleton)
    turns = rotation.exp(rng.normal(size=(frames, joints, 3)))
    pos = rng.normal(size=(frames, joints, 3)) if seed % 2 else None
    return Clip(skeleton, 30.0, Pose(rng.normal(size=(frames, 3)), turns, pos), name="new")


@settings(max_examples=60)
@given(st.integers(0, 2**31), st.booleans())
def test_a_plain_evaluation_of_the_file_puts_every_joint_where_the_clip_has_it(tmp_path_factory, seed, matrices):
    folder = tmp_path_factory.mktemp("rig")
    path = small_rig(seed, matrices).save(folder / "rig.glb")
    clip = random_motion(ff.load(path).skeleton, seed)
    out = folder / "out.glb"
    if matrices:
        with pytest.warns(SaveWarning, match="had a matrix"):
            ff.save(clip, out)
    else:
        ff.save(clip, out)
    file = Plain(out)
    tracks = file.tracks(len(file.json["animations"]) - 1)
    expected = in_file_space(clip)
    for frame in range(clip.frames):
        there = [
            file.world(node, tracks, float(np.float32(frame / clip.fps)))[:3, 3] for node in clip.skeleton.rig.nodes
        ]
        assert np.allclose(there, expected[frame], atol=1e-4 * (1.0 + np.abs(expected).max()))


@given(st.integers(0, 2**31))
def test_the_old_file_is_the_beginning_of_the_new_one(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("rig")
    path = small_rig(seed).save(folder / "rig.glb")
    ff.save(random_motion(ff.load(path).skeleton, seed), folder / "out.glb")
    (before, data), (after, more) = unpack(path.read_bytes()), unpack((folder / "out.glb").read_bytes())
    assert more[: len(data)] == data
    assert grown(before, after) == ["/buffers/0/byteLength"]
    assert [a["name"] for a in after["animations"]] == ["own", "new"]


def test_a_name_that_is_taken_gets_a_number_or_is_replaced(tmp_path):
    path = small_rig(3).save(tmp_path / "rig.glb")
    first, second = (random_motion(ff.load(path).skeleton, seed) for seed in (3, 4))
    once = ff.save(first, tmp_path / "once.glb")
    on = ff.load(once).skeleton
    twice = ff.save(Clip(on, 30.0, second.pose, name="new"), tmp_path / "twice.glb")
    assert [c.name for c in load_all(twice)] == ["own", "new", "new 2"]
    instead = ff.save(Clip(on, 30.0, second.pose, name="new"), tmp_path / "instead.glb", replace=True)
    assert [c.name for c in load_all(instead)] == ["own", "new"]
    assert np.allclose(ff.load(instead).positions, second.positions, atol=1e-4)
    assert np.allclose(ff.load(twice, "new").positions, first.positions, atol=1e-4)


def test_what_was_added_last_is_what_is_read(tmp_path):
    path = small_rig(5).save(tmp_path / "rig.glb")
    clip = random_motion(ff.load(path).skeleton, 5)
    loop = clip.with_pose(clip.pose, is_loop=True, events=(ff.Event("clap", 0.1, 0.1),))
    back = ff.load(ff.save(loop, tmp_path / "out.glb"))
    assert (back.name, back.fps, back.frames, back.is_loop, back.events) == ("new", 30.0, 5, True, loop.events)
    assert np.allclose(back.positions, clip.positions, atol=1e-5)
    assert ff.load(tmp_path / "out.glb", 0).name == "own"


def test_several_clips_go_into_one_file_with_or_without_the_characters(tmp_path):
    path = small_rig(7).save(tmp_path / "rig.glb")
    skeleton = ff.load(path).skeleton
    clips = [Clip(skeleton, 30.0, random_motion(skeleton, s).pose, name=n) for s, n in ((1, "a"), (2, "b"), (3, "a"))]
    assert [c.name for c in load_all(ff.save(clips, tmp_path / "pack.glb"))] == ["own", "a", "b", "a 2"]
    bare = load_all(ff.save(clips, tmp_path / "bare.glb", bare=True))
    assert [c.name for c in bare] == ["a", "b", "a_2"]
    for clip, back in zip(clips, bare, strict=True):
        assert np.allclose(back.positions, clip.positions, atol=1e-4)
    with pytest.raises(ff.FootfallError, match="holds one clip"):
        ff.save(clips, tmp_path / "pack.bvh")
    with pytest.raises(WriteError, match="different bodies"):
        ff.save([clips[0], ff.motion("walk")], tmp_path / "pack.glb")


def test_a_gltf_with_files_beside_it_becomes_one_file(tmp_path):
    maker = small_rig(9)
    maker.json["images"] = [{"uri": "skin.png"}, {"uri": "gone.png"}]
    (tmp_path / "rig.gltf").write_bytes(maker.gltf("rig.bin"))
    (tmp_path / "rig.bin").write_bytes(bytes(maker.data))
    (tmp_path / "skin.png").write_bytes(b"a picture")
    clip = random_motion(ff.load(tmp_path / "rig.gltf").skeleton, 9)
    with pytest.warns(SaveWarning, match="gone.png"):
        ff.save(clip, tmp_path / "elsewhere" / "out.glb")
    after, data = unpack((tmp_path / "elsewhere" / "out.glb").read_bytes())
    assert data[: len(maker.data)] == bytes(maker.data)
    assert "uri" not in after["buffers"][0]
    assert after["images"] == [{"uri": "data:image/png;base64,YSBwaWN0dXJl"}, {"uri": "gone.png"}]
    assert np.allclose(ff.load(tmp_path / "elsewhere" / "out.glb").positions, clip.positions, atol=1e-4)


def test_a_file_that_is_gone_or_another_is_told(tmp_path):
    path = small_rig(11).save(tmp_path / "rig.glb")
    clip = random_motion(ff.load(path).skeleton, 11)
    maker = small_rig(11)
    maker.json["nodes"][2]["name"] = "another"
    maker.save(path)
    with pytest.raises(WriteError, match=r"rig\.glb: the character's file has changed.*--bare"):
        ff.save(clip, tmp_path / "out.glb")
    path.unlink()
    with pytest.raises(WriteError, match="cannot be read any more"):
        ff.save(clip, tmp_path / "out.glb")
    assert ff.load(ff.save(clip, tmp_path / "out.glb", bare=True)).frames == clip.frames


# --- real characters -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [name for _, name, _ in HUMANOIDS])
def test_nothing_of_a_real_character_is_lost(returned, validator, name):
    path, clip, back = returned[name]
    (before, data), (after, more) = unpack(path.read_bytes()), unpack(back.read_bytes())
    assert more[: len(data)] == data
    assert grown(before, after) == ["/buffers/0/byteLength"]
    assert np.abs(ff.load(back).positions - clip.positions).max() < 1e-4
    assert validated(validator, back)["numErrors"] <= validated(validator, path)["numErrors"]


@pytest.mark.parametrize("name", [name for _, name, _ in HUMANOIDS])
def test_three_plays_it_as_we_do(returned, name):
    _, clip, back = returned[name]
    frames = [0, clip.frames // 3, clip.frames // 2, clip.frames - 1]
    joints = [j for j, node in enumerate(clip.skeleton.rig.nodes) if node >= 0]
    nodes = [clip.skeleton.rig.nodes[j] for j in joints]
    theirs = in_three(back, "walk", [f / clip.fps for f in frames], nodes)
    off = np.linalg.norm(theirs - in_file_space(clip)[frames][:, joints], axis=-1).max()
    assert off < NEAR_M / clip.skeleton.rig.unit_m


@pytest.mark.slow
def test_blender_plays_it_on_the_original_armature_and_the_old_clips_too(returned, blender, tmp_path):
    jobs, asked = [], []
    for _, name, own in HUMANOIDS:
        path, clip, back = returned[name]
        frames = [0, clip.frames // 3, clip.frames // 2, clip.frames - 1]
        jobs.append({"file": str(back), "frames": frames, "animation": "walk", "fps": clip.fps})
        asked.append((name, clip, frames))
        if own:
            jobs += [{"file": str(f), "frames": [1, 5, 9], "animation": own, "fps": 24.0} for f in (path, back)]
    answers = iter(in_blender(blender, tmp_path, jobs))
    for (name, clip, frames), (_, _, own) in zip(asked, HUMANOIDS, strict=True):
        theirs, bones = next(answers)
        shared = [bone for bone in bones if bone in clip.skeleton.names]
        assert len(shared) == len([n for n in clip.skeleton.rig.nodes if n >= 0]), name
        ours = in_file_space(clip)[frames][:, clip.skeleton.indices(shared)]
        off = np.linalg.norm(ours - theirs[:, [bones.index(b) for b in shared]], axis=-1).max()
        assert off < NEAR_M / clip.skeleton.rig.unit_m, name
        if own:
            (before, bones), (after, again) = next(answers), next(answers)
            assert bones == again
            assert np.abs(before - after).max() < 1e-5, (name, own)


# --- every command that writes ---------------------------------------------------------------------------------------
@pytest.mark.long
def test_every_command_returns_the_characters_file(characters, tmp_path):
    rogue = characters / "kaykit_Rogue.glb"
    before, _ = unpack(rogue.read_bytes())
    commands = {
        "convert": ["convert", "walk"],
        "edit": ["edit", "walk", "--in-place"],
        "join": ["join", "walk", "stand", "--method", "inertialize"],
        "synth": ["synth", "walk", "stand"],
        "blend": ["blend", "walk", "--set", "speed=1.3"],
    }
    for name, command in commands.items():
        out = tmp_path / f"{name}.glb"
        assert run_cli(*command, "-o", out, "--character", rogue) == 0, name
        after, _ = unpack(out.read_bytes())
        assert grown(before, after) == ["/buffers/0/byteLength"], name
        assert len(after["animations"]) == len(before["animations"]) + 1, name
    assert run_cli("convert", "walk", "-o", tmp_path / "bare.glb", "--character", rogue, "--bare") == 0
    bare, _ = unpack((tmp_path / "bare.glb").read_bytes())
    assert len(bare["animations"]) == 1
    again = ["convert", "walk", "-o", tmp_path / "again.glb", "--character", tmp_path / "convert.glb"]
    assert run_cli(*again, "--replace") == 0
    after, _ = unpack((tmp_path / "again.glb").read_bytes())
    assert len(after["animations"]) == len(before["animations"]) + 1
    assert run_cli(*again) == 0
    names = [a["name"] for a in unpack((tmp_path / "again.glb").read_bytes())[0]["animations"]]
    assert names[-2:] == ["walk", "walk 2"]


@pytest.mark.parametrize("change", [(b'"fps":30.0', b'"fps":-3.0'), (b'"version":1', b'"version":7')])
def test_notes_of_an_added_animation_that_make_no_sense_are_left_out(tmp_path, change):
    path = small_rig(13).save(tmp_path / "rig.glb")
    out = ff.save(random_motion(ff.load(path).skeleton, 13), tmp_path / "out.glb")
    out.write_bytes(out.read_bytes().replace(*change))
    clip = ff.load(out, "new")
    assert (clip.frames, clip.fps) == (5, 30.0)  # as any other animation is read
    assert any("/animations/1/extras/footfall" in line for line in clip.warnings)
