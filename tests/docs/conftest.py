"""The files that documentation speaks of, made from built-in motions: captures, a character, scripts, folders."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from c3d_make import standing_c3d
from few_ways import few_ways
from gltf_make import pack, unpack
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.core.clip import Clip
from footfall.graph.builtin import cached_path

__all__ = ["few_ways", "inputs", "workplace"]
MOTIONS = {  # as files that know no more than a capture does
    "walk.bvh": ("walk", {"cycles": 3}),
    "kick.bvh": ("kick", {}),
    "take.bvh": ("walk", {"cycles": 4, "turn": 20}),
    "slow.bvh": ("walk", {"speed": 1.0}),
    "fast.bvh": ("walk", {"speed": 1.6}),
    "raw.bvh": ("walk", {}),
    "cleaned.bvh": ("walk", {}),
    "morning.bvh": ("kick", {}),
    "evening.bvh": ("wave", {}),
    "walk.npz": ("walk", {}),
    "hero.glb": ("stand", {}),
}
FOLDER = {  # a few recordings: enough for a graph that stands and walks
    "slow.bvh": ("walk", {"speed": 0.8, "cycles": 3}),
    "quick.bvh": ("walk", {"speed": 1.5, "cycles": 3}),
    "still.npz": ("stand", {}),
}
WALKS = {name: given for name, given in FOLDER.items() if given[0] == "walk"}
COMMANDS = "t_s,type,speed,turn\n0,walk,1.2,0\n1,walk,1.2,20\n2,stand,0,0\n"
PATH = "x,z,type,speed\n0,0,walk,1.2\n0,2,walk,1.2\n1,3,walk,1.2\n"


@pytest.fixture(scope="session")
def inputs(tmp_path_factory) -> Path:
    """A folder with every file that a page reads."""
    folder = tmp_path_factory.mktemp("inputs")
    _save_all(MOTIONS, folder)
    _save_all(FOLDER, folder / "my-clips")
    _save_all(FOLDER, folder / "takes")
    _save_all(WALKS, folder / "walks")
    (folder / "commands.csv").write_text(COMMANDS)
    (folder / "path.csv").write_text(PATH)
    _save_robot(folder / "robot.glb")
    _save_dance(folder / "dance.bvh")
    (folder / "trial.c3d").write_bytes(standing_c3d())
    _save_acclaim(ff.motion("walk").resample(30), folder / "02.asf", folder / "02_01.amc")
    return folder


@pytest.fixture
def workplace(inputs, tmp_path, monkeypatch) -> Path:
    """A fresh copy of the inputs to work in, and a cache of its own; a built-in graph that is there already is used."""
    folder = tmp_path / "work"
    shutil.copytree(inputs, folder)
    cache = tmp_path / "cache"
    cache.mkdir()
    for path in cached_path().parent.glob(f"{cached_path().stem}.*"):  # built once, by whoever needed it first
        shutil.copy(path, cache)
    monkeypatch.setenv("FOOTFALL_CACHE", str(cache))
    monkeypatch.chdir(folder)
    return folder


def _save_all(motions: dict[str, tuple[str, dict]], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, (motion, parameters) in motions.items():
        ff.save(replace(ff.motion(motion, **parameters), events=(), parameters={}), folder / name)


def _save_robot(path: Path) -> None:
    """A file of two animations."""
    ff.save(ff.motion("walk"), path)
    document, data = unpack(path.read_bytes())
    [walking] = document["animations"]
    document["animations"] = [{**walking, "name": "Walking"}, {**walking, "name": "Strolling"}]
    path.write_bytes(pack(document, data))


def _save_dance(path: Path) -> None:
    """A body whose joints have a modelling program's names."""
    ff.save(ff.motion("turn-in-place"), path)
    text = path.read_text()
    roles = ff.motion("turn-in-place").skeleton
    for role, name in (("left_toe", "L_ball"), ("left_knee", "shin_L")):
        text = text.replace(f"JOINT {roles.names[getattr(roles.roles, role)]}\n", f"JOINT {name}\n")
    path.write_text(text)


def _save_acclaim(clip: Clip, asf: Path, amc: Path) -> None:
    """A clip as skeleton and motion: every joint is a bone without length, led to by one that only has length."""
    body, names = clip.skeleton, clip.skeleton.names
    bones, links = [], []
    for j in range(1, len(names)):
        length = float(np.linalg.norm(body.offsets[j]))
        way = body.offsets[j] / length if length else np.array([0.0, 0.0, 1.0])
        parent = names[body.parents[j]] if body.parents[j] else "root"
        bones.append(_bone(f"{names[j]}Twist", way, length / 0.0254, ""))
        bones.append(_bone(names[j], np.array([0.0, 0.0, 1.0]), 0.0, "    dof rx ry rz\n"))
        links += [f"    {parent} {names[j]}Twist", f"    {names[j]}Twist {names[j]}"]
    asf.write_text(
        ":version 1.10\n:name walker\n:units\n  mass 1.0\n  length 1.0\n  angle deg\n"
        ":root\n  order TX TY TZ RX RY RZ\n  axis XYZ\n  position 0 0 0\n  orientation 0 0 0\n"
        ":bonedata\n" + "".join(bones) + ":hierarchy\n  begin\n" + "\n".join(links) + "\n  end\n"
    )
    angles = Rotation.from_quat(clip.pose.rot.reshape(-1, 4)[:, [1, 2, 3, 0]]).as_euler("xyz", degrees=True)
    angles = angles.reshape(len(clip), -1, 3)
    rows = [":FULLY-SPECIFIED", ":DEGREES"]
    for frame in range(len(clip)):
        rows += [str(frame + 1), "root " + _numbers([*clip.pose.root_pos[frame] / 0.0254, *angles[frame, 0]])]
        rows += [f"{names[j]} " + _numbers(angles[frame, j]) for j in range(1, len(names))]
    amc.write_text("\n".join(rows) + "\n")


def _bone(name: str, way: np.ndarray, length: float, dof: str) -> str:
    return (
        f"  begin\n    id 1\n    name {name}\n    direction {_numbers(way)}\n    length {length:.6f}\n"
        f"    axis 0 0 0 XYZ\n{dof}  end\n"
    )


def _numbers(values) -> str:
    return " ".join(f"{value:.6f}" for value in values)
