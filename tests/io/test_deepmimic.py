"""DeepMimic: joints against plain matrices, uneven frames, loops, captures, and files that are something else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fuzz import mutations, survives
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from footfall.core import rotation
from footfall.core.errors import ReadError
from footfall.io.load import read_raw
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.kinematics.fk import end_positions, world_positions, world_transforms

# where each body's numbers start in a frame, in the order the format gives them
QUATERNIONS = {
    "root": 4, "chest": 8, "neck": 12, "right_hip": 16, "right_ankle": 21, "right_shoulder": 25, "left_hip": 30,
    "left_ankle": 35, "left_shoulder": 39,
}  # fmt: skip
ANGLES = {"right_knee": 20, "right_elbow": 29, "left_knee": 34, "left_elbow": 43}


def random_frames(seed: int, n: int, durations: np.ndarray | float = 1 / 30) -> np.ndarray:
    rng = np.random.default_rng(seed)
    frames = rng.normal(size=(n, 44))
    for column in QUATERNIONS.values():
        frames[:, column : column + 4] = rotation.normalize(frames[:, column : column + 4])
    frames[:, 0] = durations
    frames[-1, 0] = 0.0
    return frames


def text_of(frames: np.ndarray, loop: str = "none") -> str:
    return json.dumps({"Loop": loop, "Frames": frames.tolist()}, indent=1)


def read(folder: Path, text: str, name: str = "m.txt", **options: object) -> RawMotion:
    (folder / name).write_text(text)
    return read_raw(Reading(folder / name, ReadOptions(**options)))[0]  # type: ignore[arg-type]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 3))
def test_joints_match_plain_matrices(tmp_path_factory: pytest.TempPathFactory, seed: int, n: int) -> None:
    frames = random_frames(seed, n)
    raw = read(tmp_path_factory.mktemp("dm"), text_of(frames))
    got = world_positions(raw.skeleton, raw.pose)
    assert len(raw.skeleton) == 15
    for f, row in enumerate(frames):
        world: dict[int, np.ndarray] = {}
        for j, (name, parent) in enumerate(zip(raw.skeleton.names, raw.skeleton.parents, strict=True)):
            local = np.eye(4)
            if name in QUATERNIONS:
                w, x, y, z = row[QUATERNIONS[name] : QUATERNIONS[name] + 4]
                local[:3, :3] = Rotation.from_quat([x, y, z, w]).as_matrix()
            elif name in ANGLES:
                local[:3, :3] = Rotation.from_euler("z", row[ANGLES[name]]).as_matrix()
            local[:3, 3] = row[1:4] if parent < 0 else raw.skeleton.offsets[j]
            world[j] = local if parent < 0 else world[int(parent)] @ local
            np.testing.assert_allclose(got[f, j], world[j][:3, 3], atol=1e-9)


def test_even_frames_give_their_rate_and_stay_as_they_are(tmp_path: Path) -> None:
    frames = random_frames(0, 6, 0.033332)
    raw = read(tmp_path, text_of(frames), name="m.json")
    assert raw.fps == pytest.approx(1 / 0.033332)
    np.testing.assert_array_equal(raw.pose.root_pos, frames[:, 1:4])
    assert (raw.unit_m, raw.up) == (1.0, "y")
    assert read(tmp_path, text_of(frames), fps=24.0).fps == 24.0


def test_uneven_frames_are_resampled_along_the_same_motion(tmp_path: Path) -> None:
    durations = np.array([0.1, 0.1, 0.1, 0.25, 0.1, 0.05, 0.1, 0.0])
    frames = random_frames(1, 8, durations)
    raw = read(tmp_path, text_of(frames))
    times = np.concatenate([[0.0], np.cumsum(durations[:-1])])
    assert raw.fps == pytest.approx(10.0)
    assert len(raw.pose.root_pos) == 9
    assert "resampled" in raw.inferred["fps"].how
    even = np.arange(9) / 10.0
    for k in range(3):
        np.testing.assert_allclose(raw.pose.root_pos[:, k], np.interp(even, times, frames[:, 1 + k]), atol=1e-9)
    chest = Slerp(times, Rotation.from_quat(frames[:, [9, 10, 11, 8]]))(even).as_quat()[:, [3, 0, 1, 2]]
    away = rotation.angle_between(raw.pose.rot[:, raw.skeleton.index("chest")], chest)
    assert away.max() < 1e-6


def test_a_loop_repeats_its_first_pose(tmp_path: Path) -> None:
    frames = random_frames(2, 5)
    assert not read(tmp_path, text_of(frames, "wrap")).is_loop
    assert "wrap" in read(tmp_path, text_of(frames, "wrap")).inferred["loop"].how
    frames[-1, 4:] = frames[0, 4:]
    assert read(tmp_path, text_of(frames, "wrap")).is_loop
    assert not read(tmp_path, text_of(frames, "none")).is_loop


def test_lengths_of_quaternions_are_reported(tmp_path: Path) -> None:
    frames = random_frames(3, 3)
    frames[1, 8:12] *= 1.5
    reading = Reading(tmp_path / "m.txt", ReadOptions())
    reading.path.write_text(text_of(frames))
    (raw,) = read_raw(reading)
    np.testing.assert_allclose(np.linalg.norm(raw.pose.rot, axis=-1), 1.0, atol=1e-12)
    assert reading.warnings == ["frame 1: quaternion of chest has length 1.5: made unit length"]


@pytest.mark.parametrize("take", ["walk", "run"])
def test_a_real_take_walks_forward_on_bent_knees(mocap: Path, take: str) -> None:
    raw = read_raw(Reading(mocap / "deepmimic" / f"humanoid3d_{take}.txt", ReadOptions()))[0]
    positions, rotations = world_transforms(raw.skeleton, raw.pose)
    joint = dict(zip(raw.skeleton.names, np.moveaxis(positions, 1, 0), strict=True))
    assert joint["root"][-1, 0] > 1.0  # X is forward
    for side, sign in (("right", 1), ("left", -1)):
        assert (sign * (joint[f"{side}_shoulder"] - joint["root"])[:, 2] > 0.05).all()  # and right is +Z
        hip, knee, ankle = (joint[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        bend = np.cross(knee - hip, ankle - knee)[:, 2]  # about Z, negative: heel behind the knee
        assert bend.mean() < -0.01
    tips = end_positions(raw.skeleton, positions, rotations)[:, 1:, 1]
    assert -0.06 < tips.min() < 0.06


BAD = {
    "empty": ("", "line 1: expected JSON"),
    "a list": ("[1, 2]", 'a list "Frames", found a list'),
    "other keys": ('{"asset": {"version": "2.0"}}', "found the keys 'asset'"),
    "no frames": ('{"Frames": []}', "DeepMimic motion"),
    "width": ('{"Frames": [[1, 2, 3]]}', "frame 0: expected 44 numbers .*found 3 values"),
    "not a row": ('{"Frames": [5]}', "frame 0: expected 44 numbers .*found a int"),
    "text": (json.dumps({"Frames": [["x"] * 44]}), "frame 0: expected numbers below"),
    "truth": (json.dumps({"Frames": [[True] * 44]}), "frame 0: expected numbers below"),
    "nan": ('{"Frames": [[NaN]]}', "NaN, which JSON does not have"),
    "huge": (json.dumps({"Frames": [[1e300] * 44]}), "frame 0: expected numbers below 1e\\+09"),
    "overflow": ('{"Frames": [[' + ", ".join(["1e999"] * 44) + "]]}", "frame 0: expected numbers below"),
    "big integer": ('{"Frames": [' + "9" * 5000 + "]}", "plain JSON"),
    "deep": ("[" * 200_000, "JSON"),
    "zeros": (json.dumps({"Frames": [[0.1] + [0.0] * 43] * 2}), "a unit quaternion for root"),
    "no time": (text_of(random_frames(0, 3, 0.0)), "frame 0: expected a duration above 0"),
    "absurd rate": (text_of(random_frames(0, 3, 1e-9)), "a duration in seconds"),
    "absurd length": (text_of(random_frames(0, 5, np.array([0.001, 0.001, 0.001, 1e6, 0.0]))), "at most 1000000"),
    "cut": (text_of(random_frames(0, 3))[:-200], r"line \d+: expected JSON"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(tmp_path: Path, case: str) -> None:
    text, message = BAD[case]
    with pytest.raises(ReadError, match=message):
        read(tmp_path, text)


def test_broken_copies_only_give_read_errors(tmp_path: Path) -> None:
    data = json.dumps({"Loop": "wrap", "Frames": random_frames(0, 3).round(3).tolist()}).encode()
    read = 0
    for broken in mutations(data, 300):
        read += survives(lambda p: read_raw(Reading(p, ReadOptions())), broken, tmp_path / "x.txt", ReadError)
    assert 0 < read < 300
