"""A second opinion: Blender's own importers must put every joint where we put it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from outside import in_blender

import footfall as ff

BVH = [
    "cmu_bvh/walk_straight/02_01.bvh",
    "cmu_bvh/walk_straight/07_01.bvh",
    "cmu_bvh/run_straight/09_01.bvh",
    "cmu_bvh/jump/16_01.bvh",
    "cmu_bvh/kick/74_03.bvh",
    "cmu_bvh/walk_turn/16_11.bvh",
    "cmu_bvh/transition/104_06.bvh",
    "cmu_bvh/transition/127_04.bvh",
    "bandai_namco/dataset-1_walk_normal_001.bvh",
    "bandai_namco/dataset-1_dash_normal_001.bvh",
    "bandai_namco/dataset-1_kick_normal_001.bvh",
    "bandai_namco/dataset-2_walk-turn-left_normal_001.bvh",
    "smartbody/catching_Far_Left.bvh",
    "smartbody/swatting_SwatUp_Left.bvh",
    "oddball/wild/mixamorig_freebvh.bvh",
    "oddball/wild/mocapbank_crlf.bvh",
    "oddball/wild/daz_mixed_orders_pirouette.bvh",
    "oddball/wild/pybvh_bvh_test1.bvh",
]
GLTF = [
    ("gltf/RobotExpressive.glb", "Walking"),
    ("gltf/mannequiny-0.3.0.glb", "run"),
    ("gltf/CesiumMan.glb", ""),
    ("gltf/Fox.glb", "Walk"),
]
# formats Blender does not read: what we export of them must open there and agree
EXPORTS = [
    ("cmu_asfamc/02_01.amc", ".bvh"),
    ("cmu_asfamc/02_01.amc", ".glb"),
    ("deepmimic/humanoid3d_walk.txt", ".glb"),
    ("npz/WalkingStickLeft_BR.npz", ".bvh"),
    ("cmu_bvh/walk_straight/07_01.bvh", ".glb"),
    ("bandai_namco/dataset-1_walk_normal_001.bvh", ".glb"),
]
USD = ["cmu_bvh/walk_straight/02_01.bvh", "bandai_namco/dataset-1_kick_normal_001.bvh", "gltf/RobotExpressive.glb"]

pytestmark = pytest.mark.slow


def worst_share_of_height(clip: ff.Clip, frames: list[int], theirs: np.ndarray, names: list[str]) -> float:
    """Largest distance between the two opinions, over the body's height."""
    ours = clip.positions[frames]
    shared = [n for n in names if n in clip.skeleton.names]
    assert len(shared) >= 0.8 * len(clip.skeleton), "Blender knows too few of our joints"
    difference = ours[:, clip.skeleton.indices(shared)] - theirs[:, [names.index(n) for n in shared]]
    size = np.ptp(clip.skeleton.rest_positions, axis=0).max()
    return float(np.linalg.norm(difference, axis=-1).max() / max(size, 1e-9))


def some_frames(clip: ff.Clip) -> list[int]:
    return sorted({0, clip.frames // 3, clip.frames // 2, clip.frames - 1})


def in_file_units(path: Path) -> ff.Clip:
    """Our reading with nothing settled: the file's own unit and axes."""
    return ff.load(path, clean=False, unit_m=1.0, up="y", facing="z")


def test_bvh_agrees_with_blender(blender, mocap, tmp_path):
    clips = [in_file_units(mocap / name) for name in BVH]
    jobs = [{"file": str(mocap / n), "frames": some_frames(c)} for n, c in zip(BVH, clips, strict=True)]
    for name, clip, job, (theirs, names) in zip(BVH, clips, jobs, in_blender(blender, tmp_path, jobs), strict=True):
        assert worst_share_of_height(clip, job["frames"], theirs, names) < 1e-4, name


def test_gltf_agrees_with_blender(blender, mocap, tmp_path):
    clips = [ff.load(mocap / n, animation=a or 0, clean=False) for n, a in GLTF]
    jobs = [
        {
            "file": str(mocap / n),
            "frames": some_frames(c),
            "animation": a,
            "fps": c.fps,
            "start_s": c.source.inferred["start"].value,
        }
        for (n, a), c in zip(GLTF, clips, strict=True)
    ]
    for (name, _), clip, job, (theirs, names) in zip(
        GLTF, clips, jobs, in_blender(blender, tmp_path, jobs), strict=True
    ):
        assert worst_share_of_height(clip, job["frames"], theirs, names) < 1e-4, name


def test_what_we_write_opens_in_blender(blender, mocap, tmp_path):
    clips, jobs = [], []
    for i, (name, suffix) in enumerate(EXPORTS):
        clip = ff.load(mocap / name)
        clip = clip.trim(0, min(2.0, clip.duration))
        path = tmp_path / f"export_{i}{suffix}"
        ff.save(clip, path)
        clips.append(in_file_units(path) if suffix == ".bvh" else clip)
        jobs.append({"file": str(path), "frames": some_frames(clip), "fps": clip.fps})
    for (name, suffix), clip, job, (theirs, names) in zip(
        EXPORTS, clips, jobs, in_blender(blender, tmp_path, jobs), strict=True
    ):
        assert worst_share_of_height(clip, job["frames"], theirs, names) < 1e-4, (name, suffix)


def test_usd_opens_in_blender(blender, mocap, tmp_path):
    pytest.importorskip("pxr", reason="no usd-core: pip install 'footfall[usd]', and run this again")
    clips, jobs = [], []
    for i, name in enumerate(USD):
        clip = ff.load(mocap / name, clean=False)
        clip = clip.trim(0, min(2.0, clip.duration))
        path = ff.save(clip, tmp_path / f"export_{i}.{'usda' if i else 'usdc'}")
        again = ff.load(path, clean=False, facing="z")  # as we read it: names are those USD takes
        np.testing.assert_allclose(again.positions, clip.positions, atol=1e-5)
        clips.append(again)
        jobs.append({"file": str(path), "frames": some_frames(clip), "fps": clip.fps})
    for name, clip, job, (theirs, names) in zip(USD, clips, jobs, in_blender(blender, tmp_path, jobs), strict=True):
        assert worst_share_of_height(clip, job["frames"], theirs, names) < 1e-3, name
