"""npz files of joint positions alone: with names and parents, or with SMPL's joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import walking_clip

import footfall as ff
from footfall.core.errors import ReadError

WALK = walking_clip(cycles=1.0, fps=30.0)


def arrays(**changes: object) -> dict[str, np.ndarray]:
    made = {
        "positions": WALK.positions, "joint_names": np.array(WALK.skeleton.names), "parents": WALK.skeleton.parents,
        "fps": np.array(30.0),
    }  # fmt: skip
    made.update(changes)  # type: ignore[arg-type]
    return {k: v for k, v in made.items() if v is not None}


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("reverse", [False, True])
def test_any_named_body_is_read(up: str, reverse: bool, tmp_path: Path) -> None:
    """In any order and unit, whichever axis is up: joints come out where they were."""
    order = np.arange(len(WALK.skeleton))[:: -1 if reverse else 1]
    parents = np.where(WALK.skeleton.parents < 0, -1, np.argsort(order)[WALK.skeleton.parents])
    positions = WALK.positions[:, order] * 100.0
    positions = positions[..., [2, 0, 1]] if up == "z" else positions
    names = np.array(WALK.skeleton.names)[order]
    np.savez(tmp_path / "a.npz", **arrays(positions=positions, joint_names=names, parents=parents[order]))
    clip = ff.load(tmp_path / "a.npz", clean=False)
    ours = clip.positions[:, clip.skeleton.indices(WALK.skeleton.names)]
    np.testing.assert_allclose(ours[..., 1], WALK.positions[..., 1], atol=1e-4)
    apart = np.linalg.norm(ours[:, 1:] - ours[:, :-1], axis=-1)
    np.testing.assert_allclose(
        apart, np.linalg.norm(WALK.positions[:, 1:] - WALK.positions[:, :-1], axis=-1), atol=1e-4
    )
    assert clip.skeleton.roles.left_knee == clip.skeleton.index("LeftLeg")
    assert clip.source.inferred["units"].value == "cm"


def test_joints_without_names_are_those_of_smpl(tmp_path: Path) -> None:
    smpl = ff.retarget(WALK, "smplh")
    np.savez(tmp_path / "a.npz", joints=smpl.positions, fps=30.0)
    clip = ff.load(tmp_path / "a.npz", clean=False)
    np.testing.assert_allclose(clip.positions, smpl.positions, atol=1e-4)
    assert clip.skeleton.names == smpl.skeleton.names
    assert clip.source.inferred["joints"].value == "SMPL"


BAD = {
    "no names": (
        dict(joint_names=None, positions=np.zeros((4, 17, 3))),
        "bone_names and parent_indices, or 22, 24, 52, 55",
    ),
    "flat": (dict(positions=np.zeros((4, 66))), r"shape \(frames, joints, 3\)"),
    "no rate": (dict(fps=None), "fps=120"),
    "too few names": (dict(joint_names=np.array(["a"])), "22 names and parents"),
    "cycle": (dict(parents=np.array([-1, 2, 1, *[0] * 19])), "a tree"),
    "no frames": (dict(positions=np.zeros((0, 22, 3))), "shape"),
    "not a body": (dict(positions=np.random.default_rng(0).normal(size=(9, 22, 3))), "bones keep their length"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(case: str, tmp_path: Path) -> None:
    changes, message = BAD[case]
    np.savez(tmp_path / "a.npz", **arrays(**changes))
    with pytest.raises(ReadError, match=message):
        ff.load(tmp_path / "a.npz")
