"""What we write, judged by the Khronos glTF-Validator: no errors and no warnings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import humanoid, random_clip, walking_clip
from outside import validated

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.load import load
from footfall.io.save import save

WORST = 1  # severities: 0 error, 1 warning, 2 information, 3 hint


def issues(validator: Path, clip: Clip, path: Path, **options: object) -> list[dict[str, object]]:
    save(clip, path, **options)
    return [m for m in validated(validator, path)["messages"] if m["severity"] <= WORST]


def chain(joints: int, frames: int) -> Clip:
    rng = np.random.default_rng(joints)
    skeleton = Skeleton(
        tuple(f"link {j}" for j in range(joints)), np.arange(-1, joints - 1), rng.normal(size=(joints, 3))
    )
    rot = rotation.exp(rng.normal(size=(frames, joints, 3)))
    return Clip(skeleton, 30.0, Pose(rng.normal(size=(frames, 3)), rot))


def synthetic() -> dict[str, Clip]:
    walk = walking_clip()
    wander = random_clip(np.random.default_rng(1), 30)
    stretched = np.tile(wander.skeleton.offsets, (30, 1, 1)) * np.linspace(1, 1.2, 30)[:, None, None]
    far = walk.pose._replace(root_pos=walk.pose.root_pos + [9000.0, 0.0, -500.0])
    empty = Pose(np.zeros((0, 3)), np.zeros((0, 22, 4)))
    return {
        "chain": chain(40, 12),
        "many_joints": chain(300, 2),
        "one_joint": chain(1, 5),
        "one_frame": chain(5, 1),
        "no_frames": Clip(humanoid(), 30.0, empty, name="rest"),
        "with_pos": wander.with_pose(wander.pose._replace(pos=stretched)),
        "with_loop": walk.with_pose(walk.pose, is_loop=True, events=(Event("clap “quoted”", 0.1, 0.2),)),
        "far_away": walk.with_pose(far),
    }


@pytest.mark.parametrize("name", list(synthetic()))
def test_synthetic_clips_validate(validator: Path, tmp_path: Path, name: str) -> None:
    assert issues(validator, synthetic()[name], tmp_path / "a.glb") == []


def test_a_skeleton_without_a_mesh_validates(validator: Path, tmp_path: Path) -> None:
    assert issues(validator, walking_clip(), tmp_path / "a.glb", mesh=False) == []


@pytest.mark.parametrize("file", ["cmu_bvh/walk_straight/02_02.bvh", "bandai_namco/dataset-1_bow_normal_001.bvh"])
def test_captures_validate(validator: Path, mocap: Path, tmp_path: Path, file: str) -> None:
    assert issues(validator, load(mocap / file), tmp_path / "a.glb") == []


@pytest.mark.parametrize("file", ["CesiumMan", "RobotExpressive", "mesh2motion_human-male"])
def test_meshes_read_from_other_files_validate(validator: Path, mocap: Path, tmp_path: Path, file: str) -> None:
    assert issues(validator, load(mocap / "gltf" / f"{file}.glb"), tmp_path / "a.glb", bare=True) == []


def test_the_validator_does_find_faults(validator: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    save(walking_clip(), path)
    path.write_bytes(path.read_bytes().replace(b'"VEC4"', b'"VEC3"'))
    assert validated(validator, path)["numErrors"] > 0
