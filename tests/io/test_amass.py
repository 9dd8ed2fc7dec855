"""AMASS: joints against the SMPL formula with matrices, every layout, and files that are not quite AMASS."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from fuzz import mutations, survives
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.core.errors import ParameterError, ReadError, UnknownName
from footfall.io.formats.amass import stand_in
from footfall.io.load import read_raw
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.kinematics.fk import world_positions

WIDTHS = {66: 22, 72: 24, 156: 52, 165: 55}


def arrays(width: int = 156, frames: int = 4, seed: int = 0, **changes: object) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    made = {
        "poses": rng.normal(size=(frames, width)), "trans": rng.normal(size=(frames, 3)), "betas": np.zeros(16),
        "gender": np.array("male"), "mocap_framerate": np.array(120.0),
    }  # fmt: skip
    made.update(changes)  # type: ignore[arg-type]
    return {k: v for k, v in made.items() if v is not None}


def read(folder: Path, data: dict[str, np.ndarray], **options: object) -> RawMotion:
    np.savez(folder / "a.npz", **data)
    return read_raw(Reading(folder / "a.npz", ReadOptions(**options)))[0]  # type: ignore[arg-type]


@given(seed=st.integers(0, 2**32 - 1), width=st.sampled_from(sorted(WIDTHS)))
def test_joints_follow_the_smpl_formula(tmp_path_factory: pytest.TempPathFactory, seed: int, width: int) -> None:
    """World transform of a joint: its parent's, times [R | J - J_parent]; the pelvis stands at J_0, then trans."""
    data = arrays(width, frames=2, seed=seed)
    raw = read(tmp_path_factory.mktemp("amass"), data)
    skeleton, pelvis = stand_in(width)
    got = world_positions(raw.skeleton, raw.pose)
    for f in range(2):
        turns = Rotation.from_rotvec(data["poses"][f].reshape(-1, 3)).as_matrix()
        world: list[np.ndarray] = []
        for j, parent in enumerate(skeleton.parents):
            local = np.eye(4)
            local[:3, :3] = turns[j]
            local[:3, 3] = pelvis if parent < 0 else skeleton.offsets[j]
            world.append(local if parent < 0 else world[parent] @ local)
        places = np.array([m[:3, 3] for m in world]) + data["trans"][f]
        np.testing.assert_allclose(got[f], places, atol=1e-9)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_layout_is_a_plausible_body(width: int) -> None:
    skeleton, _ = stand_in(width)
    assert len(skeleton) == WIDTHS[width]
    at = dict(zip(skeleton.names, skeleton.rest_positions, strict=True))
    for name in skeleton.names:  # Z up, left at +X: the right side is the mirror image of the left
        if name.startswith("left_"):
            np.testing.assert_allclose(at[name] * [-1, 1, 1], at[name.replace("left_", "right_")], atol=1e-12)
            assert at[name][0] > 0
    crown, toe = skeleton.end_rest_positions[:2]
    assert 1.6 < crown[2] - toe[2] < 1.8
    assert at["left_foot"][1] < at["left_ankle"][1]  # feet point to -Y: forward in a file that stands along Z
    assert len(skeleton.end_parents) == (13 if width >= 156 else 5)
    if width >= 156:
        assert skeleton.names[-15:-12] == ("right_index1", "right_index2", "right_index3")
        assert skeleton.names[-3:] == ("right_thumb1", "right_thumb2", "right_thumb3")


def test_a_standing_file_stands_after_loading(tmp_path: Path) -> None:
    poses = np.zeros((5, 156))
    poses[:, 0] = np.pi / 2
    np.savez(tmp_path / "a.npz", **arrays(poses=poses, trans=np.zeros((5, 3))))
    clip = ff.load(tmp_path / "a.npz")
    head, foot = (clip.positions[0, clip.skeleton.index(n)] for n in ("head", "left_foot"))
    assert head[1] - foot[1] > 1.4
    assert abs(head - foot)[[0, 2]].max() < 0.2
    np.testing.assert_allclose(clip.skeleton.rest_positions[:, 1] - clip.skeleton.rest_positions[0, 1],
                               clip.positions[0, :, 1] - clip.positions[0, 0, 1], atol=1e-9)  # fmt: skip


def test_it_says_what_it_did_not_use(tmp_path: Path) -> None:
    reading = Reading(tmp_path / "a.npz", ReadOptions())
    np.savez(reading.path, **arrays())
    (raw,) = read_raw(reading)
    assert "betas" in raw.inferred["body"].how
    assert raw.inferred["layout"].value == "SMPL+H"
    assert (raw.unit_m, raw.up) == (1.0, "z")
    assert reading.warnings == []


@pytest.mark.parametrize("key", ["mocap_framerate", "mocap_frame_rate", "fps"])
def test_rate_keys(tmp_path: Path, key: str) -> None:
    data = arrays(mocap_framerate=None)
    data[key] = np.array([60])
    assert read(tmp_path, data).fps == 60.0
    assert read(tmp_path, data, fps=30.0).fps == 30.0


def test_joints_may_have_an_axis_of_their_own(tmp_path: Path) -> None:
    data = arrays(66)
    flat = read(tmp_path, data).pose.rot
    np.testing.assert_array_equal(read(tmp_path, {**data, "poses": data["poses"].reshape(4, 22, 3)}).pose.rot, flat)


def test_no_translation_is_a_warning(tmp_path: Path) -> None:
    reading = Reading(tmp_path / "a.npz", ReadOptions())
    np.savez(reading.path, **arrays(trans=None))
    assert read_raw(reading)[0].pose.batch == (4,)
    assert reading.warnings == ["no trans: the body stays in place"]


BAD = {
    "no rate": (dict(mocap_framerate=None), "a frame rate .*fps=120"),
    "rate not a number": (dict(mocap_framerate=np.array(np.nan)), "mocap_framerate: expected finite"),
    "two rates": (dict(mocap_framerate=np.array([1.0, 2.0])), "one positive number"),
    "width": (dict(poses=np.zeros((4, 157))), r"66 .*72 .*156 .*165 .*found shape \(4, 157\)"),
    "transposed": (dict(poses=np.zeros((156, 4))), r"found shape \(156, 4\)"),
    "one number": (dict(poses=np.array(1.0)), r"found shape \(\)"),
    "three axes": (dict(poses=np.zeros((4, 52, 2))), "found shape"),
    "text": (dict(poses=np.full((4, 156), "0.1")), "poses: expected an array of numbers, found dtype <U3"),
    "pickle": (dict(poses=np.array([{}], dtype=object)), "pickled objects, which are never loaded"),
    "nan": (dict(poses=np.full((4, 156), np.nan)), r"poses\[0, 0\]: expected finite"),
    "huge": (dict(trans=np.full((4, 3), 1e12)), r"trans\[0, 0\]: expected finite numbers below"),
    "frames differ": (dict(trans=np.zeros((3, 3))), r"trans: expected shape \(4, 3\)"),
    "no frames": (dict(poses=np.zeros((0, 156)), trans=np.zeros((0, 3))), "at least one frame"),
    "no poses": (dict(poses=None), "poses .* found the arrays trans, betas, gender, mocap_framerate"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(tmp_path: Path, case: str) -> None:
    changes, message = BAD[case]
    with pytest.raises(ReadError, match=message):
        read(tmp_path, arrays(**changes))


def test_broken_copies_only_give_read_errors(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays(66))
    read = 0
    for broken in mutations(buffer.getvalue(), 250):
        read += survives(lambda p: read_raw(Reading(p, ReadOptions())), broken, tmp_path / "x.npz", ReadError)
    assert 0 < read < 250


# --- writing ----------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1))
def test_what_was_read_is_written_back(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Rotations, travel, rate, betas and gender of an SMPL+H file; angles below half a turn are the same vectors."""
    folder, rng = tmp_path_factory.mktemp("amass"), np.random.default_rng(seed)
    data = arrays(poses=rng.uniform(-1.7, 1.7, (4, 156)), betas=rng.normal(size=16), gender=np.array("female"))
    np.savez(folder / "a.npz", **data)
    ff.save(ff.load(folder / "a.npz", clean=False), folder / "b.npz", format="amass")
    with np.load(folder / "b.npz") as made:
        assert set(made) == {*data, "dmpls"}
        for name in ("poses", "trans", "betas", "mocap_framerate"):
            np.testing.assert_allclose(made[name], data[name], atol=1e-9)
            assert made[name].shape == data[name].shape
        assert made["gender"] == "female"
        assert made["dmpls"].shape == (4, 8)


@pytest.mark.parametrize("width", WIDTHS)
def test_smaller_and_larger_bodies_are_written_as_smpl_h(tmp_path: Path, width: int) -> None:
    data = arrays(width, poses=np.random.default_rng(1).uniform(-1, 1, (4, width)))
    np.savez(tmp_path / "a.npz", **data)
    ff.save(ff.load(tmp_path / "a.npz", clean=False), tmp_path / "b.npz", format="amass")
    with np.load(tmp_path / "b.npz") as made:
        np.testing.assert_allclose(made["poses"][:, :66], data["poses"][:, :66], atol=1e-9)
        hands = data["poses"][:, -90:] if width >= 156 else 0.0
        np.testing.assert_allclose(made["poses"][:, 66:], np.broadcast_to(hands, (4, 90)), atol=1e-9)


def test_any_body_gets_there_by_a_retarget(tmp_path: Path) -> None:
    """The sentence names the way, the way works, and what is written stands where the clip stood."""
    walk = ff.motion("walk")
    with pytest.raises(ParameterError, match=r'ff.retarget\(clip, "smplh"\)'):
        ff.save(walk, tmp_path / "a.npz", format="amass")
    there = ff.retarget(walk, "smplh")
    ff.save(there, tmp_path / "a.npz", format="amass", betas=[0.5] * 10, gender="male")
    back = ff.load(tmp_path / "a.npz", clean=False)
    np.testing.assert_allclose(back.positions, there.positions, atol=1e-9)
    assert back.source.inferred["betas"].value == (0.5,) * 10 + (0.0,) * 6


def test_betas_outlive_editing_and_our_own_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **arrays(poses=np.zeros((30, 156)), trans=np.zeros((30, 3)), betas=np.arange(16.0)))
    edited = ff.load(tmp_path / "a.npz").trim(0.0, 0.1).mirror()
    ff.save(edited, tmp_path / "own.npz")
    ff.save(ff.load(tmp_path / "own.npz"), tmp_path / "b.npz", format="amass")
    with np.load(tmp_path / "b.npz") as made:
        np.testing.assert_array_equal(made["betas"], np.arange(16.0))


def test_the_usual_npz_is_footfalls_own(tmp_path: Path) -> None:
    ff.save(ff.motion("walk"), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as made:
        assert "footfall" in made
    with pytest.raises(UnknownName, match="did you mean amass"):
        ff.save(ff.motion("walk"), tmp_path / "a.npz", format="amas")
    with pytest.raises(ParameterError, match="neutral, female, male"):
        ff.save(ff.retarget(ff.motion("walk"), "smplh"), tmp_path / "b.npz", format="amass", gender="x")
