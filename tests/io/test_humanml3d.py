"""HumanML3D's positions and vectors: read as the paper defines them, and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import ParameterError, ReadError
from footfall.io.smpl_body import smpl_body

NAMES = smpl_body(66)[0].names


@pytest.fixture(scope="module")
def turning() -> ff.Clip:
    """A walk that turns, at 20 frames a second, on the SMPL body."""
    return ff.retarget(ff.motion("walk", speed=1.3, turn=40.0), "smpl").resample(20.0)


def vectors_of(positions: np.ndarray) -> np.ndarray:
    """(T - 1, 263) features of positions (T, 22, 3), by the paper's definitions, frame by frame in plain numbers.

    Half the turn of the root, its step on the floor in the next frame's axes, its height, the other joints seen from
    the root; rotations, speeds and contacts are left at zero.
    """
    across = positions[:, NAMES.index("left_hip")] - positions[:, NAMES.index("right_hip")]
    heading = np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))
    rows = np.zeros((len(positions) - 1, 263))

    def seen(v: np.ndarray, t: int) -> np.ndarray:
        c, s = np.cos(-heading[t]), np.sin(-heading[t])
        return np.stack([c * v[..., 0] + s * v[..., 2], v[..., 1], -s * v[..., 0] + c * v[..., 2]], axis=-1)

    for t in range(len(rows)):
        step = seen(positions[t + 1, 0] - positions[t, 0], t + 1)
        rows[t, 0] = -0.5 * (heading[t + 1] - heading[t])
        rows[t, 1:3] = step[[0, 2]]
        rows[t, 3] = positions[t, 0, 1]
        rows[t, 4:67] = seen(positions[t, 1:] - positions[t, 0] * [1, 0, 1], t).ravel()
    return rows


def between_frames(positions: np.ndarray) -> np.ndarray:
    """Distances of every joint to the root's first place and first joints: the same wherever the body starts."""
    return np.linalg.norm(positions[:, :, None] - positions[:1, None, :3], axis=-1)


def test_positions_go_round(turning: ff.Clip, tmp_path: Path) -> None:
    first = ff.save(turning, tmp_path / "a.npy")
    clip = ff.load(first)
    second = np.load(ff.save(clip, tmp_path / "b.npy"))
    np.testing.assert_allclose(second, np.load(first), atol=1e-5)
    assert (clip.fps, clip.skeleton.names) == (20.0, NAMES)
    assert np.load(first).dtype == np.float32


def test_bones_that_change_are_made_constant_and_it_is_told(turning: ff.Clip, tmp_path: Path) -> None:
    """Every bone of every frame up to 4 % longer or shorter, as trackers have them: 1 cm in the median, and told."""
    rng = np.random.default_rng(3)
    positions = np.load(ff.save(turning, tmp_path / "a.npy")).astype(float)
    stretched = positions.copy()
    for j, parent in enumerate(turning.skeleton.parents[1:], start=1):
        bone = positions[:, j] - positions[:, parent]
        stretched[:, j] = stretched[:, parent] + bone * rng.uniform(0.96, 1.04, (len(bone), 1))
    np.save(tmp_path / "a.npy", stretched)
    clip = ff.load(tmp_path / "a.npy", clean=False)
    distance = np.linalg.norm(clip.positions - stretched, axis=-1)
    assert np.median(distance) < 0.01
    lengths = np.linalg.norm(clip.positions[:, 1:] - clip.positions[:, clip.skeleton.parents[1:]], axis=-1)
    np.testing.assert_allclose(lengths, np.tile(lengths[0], (len(lengths), 1)), atol=1e-9)
    told = clip.source.inferred["rotations"]
    assert "constant length" in told.how
    assert f"{np.median(distance) / np.median(np.ptp(stretched, axis=1).max(axis=1)):.2%}" in told.how


def test_vectors_are_read_as_defined(turning: ff.Clip, tmp_path: Path) -> None:
    positions = turning.positions
    np.save(tmp_path / "v.npy", vectors_of(positions).astype(np.float32))
    clip = ff.load(tmp_path / "v.npy", clean=False)
    assert clip.frames == turning.frames - 1
    np.testing.assert_allclose(between_frames(clip.positions), between_frames(positions[:-1]), atol=1e-4)
    np.testing.assert_allclose(clip.positions[..., 1], positions[:-1, :, 1], atol=1e-5)
    assert abs(clip.root_motion.heading[0]) < 1e-4
    assert "vectors" in clip.source.inferred["layout"].value


def test_vectors_made_for_training_are_refused(turning: ff.Clip, tmp_path: Path) -> None:
    vectors = vectors_of(turning.positions)
    np.save(tmp_path / "v.npy", (vectors - vectors.mean(axis=0)) / (vectors.std(axis=0) + 1e-3))
    with pytest.raises(ReadError, match=r"\* Std \+ Mean"):
        ff.load(tmp_path / "v.npy")


def test_the_body_stands_where_the_file_says_up_is(turning: ff.Clip, tmp_path: Path) -> None:
    """The same joints with Z up, told so: as if they had been Y up."""
    positions = turning.positions
    np.save(tmp_path / "y.npy", positions)
    np.save(tmp_path / "z.npy", positions[..., [2, 0, 1]])
    y, z = ff.load(tmp_path / "y.npy"), ff.load(tmp_path / "z.npy", up="z")
    np.testing.assert_allclose(z.positions[..., 1], y.positions[..., 1], atol=1e-6)
    np.testing.assert_allclose(z.skeleton.rest_positions, y.skeleton.rest_positions, atol=1e-6)


def test_rates(turning: ff.Clip, tmp_path: Path) -> None:
    """60 frames a second become 20; another rate is taken on the caller's word."""
    path = ff.save(turning.resample(60.0), tmp_path / "a.npy")
    assert len(np.load(path)) == turning.frames
    assert ff.load(path, fps=30.0).fps == 30.0
    assert ff.load(path).source.inferred["fps"].confidence < 1.0


def test_other_bodies_are_told_the_way(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r'ff.retarget\(clip, "smpl"\)'):
        ff.save(ff.motion("walk"), tmp_path / "a.npy")
    assert not (tmp_path / "a.npy").exists()


BAD = {
    "one axis": (np.zeros(263), r"found shape \(263,\)"),
    "other joints": (np.zeros((5, 17, 3)), r"22, 3\) or .*263.* found shape \(5, 17, 3\)"),
    "no frames": (np.zeros((0, 22, 3)), "at least one frame"),
    "all in one place": (np.zeros((5, 22, 3)), "all in one place"),
    "nan": (np.full((5, 22, 3), np.nan), r"\[0, 0, 0\]: expected finite"),
    "text": (np.full((5, 22, 3), "1"), "an array of numbers"),
    "pickle": (np.array({"motion": 1}, dtype=object), "pickled objects, which are never loaded .*numpy.savez"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(case: str, tmp_path: Path) -> None:
    array, message = BAD[case]
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(ReadError, match=message):
        ff.load(tmp_path / "a.npy")


@pytest.mark.parametrize("ending", ["pkl", "pickle", "pt", "pth"])
def test_pickles_are_refused_with_the_safe_way(ending: str, tmp_path: Path) -> None:
    """Also a harmless one, and without opening it."""
    (tmp_path / f"a.{ending}").write_bytes(b"cos\nsystem\n(S'echo no'\ntR.")
    with pytest.raises(ReadError, match=r"a pickle, which is never opened .*numpy.savez"):
        ff.load(tmp_path / f"a.{ending}")
