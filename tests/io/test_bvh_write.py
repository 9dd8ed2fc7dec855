"""Writing BVH: what is written reads back as the same motion, whatever the body's rest pose, order or unit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.core import rotation
from footfall.core.clip import Clip, Source
from footfall.core.errors import ParameterError, UnknownName, WriteError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.bvh_writer import ORDERS, continuous_euler, file_names, frame_time, zero_at_rest
from footfall.io.formats import bvh
from footfall.io.load import read_raw
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.io.save import save
from footfall.kinematics.fk import end_positions, world_transforms


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    """Any tree of 1 to 12 joints in any parent-first order, resting anyhow, some joints sliding."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    joints, frames = draw(st.integers(1, 12)), draw(st.sampled_from([0, 1, 2, 7]))
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    ends = rng.integers(0, joints, draw(st.integers(0, 4)))
    turned = draw(st.booleans())
    skeleton = Skeleton(
        tuple(f"j{j}" for j in range(joints)),
        parents,
        rng.normal(0, 0.3, (joints, 3)) * rng.integers(0, 2, (joints, 1)),
        Rotation.random(joints, rng=rng).as_quat()[:, [3, 0, 1, 2]] if turned else None,  # type: ignore[arg-type]
        ends,
        rng.normal(0, 0.1, (len(ends), 3)),
    )
    rot = Rotation.random(frames * joints, rng=rng).as_quat().reshape(frames, joints, 4)[..., [3, 0, 1, 2]]
    pos = None
    if draw(st.booleans()):
        slides = rng.integers(0, 2, (joints, 1))
        pos = skeleton.offsets + 0.01 + rng.normal(0, 0.1, (frames, joints, 3)) * slides
    fps = draw(st.one_of(st.sampled_from([24.0, 29.97, 30.0, 59.94, 60.0, 119.9, 120.0]), st.floats(1.0, 1000.0)))
    return Clip(skeleton, fps, Pose(rng.normal(0, 2, (frames, 3)), rot, pos))


def back(clip: Clip, path: Path, **options: object) -> RawMotion:
    bvh.write(clip, path, **options)
    (motion,) = bvh.read(Reading(path, ReadOptions()))
    return motion


@settings(max_examples=60)  # each one waits for the disk
@given(clips(), st.sampled_from(ORDERS), st.sampled_from([None, 1.0, 0.001, 0.0564]))
def test_every_joint_and_end_site_comes_back(
    tmp_path_factory: pytest.TempPathFactory, clip: Clip, order: str, unit_m: float | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "back.bvh"
    motion = back(clip, path, order=order, unit_m=unit_m)
    assert motion.fps == pytest.approx(clip.fps, rel=3e-7)  # exact, but for rates a hair off a common one
    assert sorted(motion.skeleton.names) == sorted(clip.skeleton.names)
    unit = 0.01 if unit_m is None else unit_m
    index = motion.skeleton.indices(clip.skeleton.names)
    positions, rotations = world_transforms(motion.skeleton, motion.pose)
    expected, turned = world_transforms(clip.skeleton, clip.pose)
    np.testing.assert_allclose(positions[:, index] * unit, expected, atol=1e-5)
    ends = end_positions(motion.skeleton, positions, rotations) * unit
    for e, end in enumerate(np.moveaxis(end_positions(clip.skeleton, expected, turned), 1, 0)):
        joint = index[clip.skeleton.end_parents[e]]
        there = [ends[:, k] for k in np.flatnonzero(motion.skeleton.end_parents == joint)]
        assert any(np.allclose(end, found, atol=1e-5) for found in there)
    # the written zero pose is the rest pose
    rest = clip.skeleton.rest_positions - clip.skeleton.rest_positions[0]
    written = motion.skeleton.rest_positions[index] - motion.skeleton.rest_positions[index[0]]
    if clip.pose.pos is None:
        np.testing.assert_allclose(written * unit, rest, atol=1e-5)


@given(clips())
def test_zero_at_rest_moves_no_joint(clip: Clip) -> None:
    skeleton, pose = zero_at_rest(clip.skeleton, clip.pose)
    np.testing.assert_array_equal(skeleton.rest, np.tile(rotation.IDENTITY, (len(skeleton), 1)))
    np.testing.assert_allclose(
        world_transforms(skeleton, pose)[0], world_transforms(clip.skeleton, clip.pose)[0], atol=1e-12
    )
    np.testing.assert_allclose(skeleton.rest_positions, clip.skeleton.rest_positions, atol=1e-12)


@given(st.floats(1.0, 1000.0))
def test_frame_rates_survive_bit_for_bit(fps: float) -> None:
    from footfall.io.bvh_motion import _inverse

    assert _inverse(frame_time(fps)) == fps


def test_a_smooth_turn_gives_smooth_angles() -> None:
    """Through gimbal lock, past half turns and around several times: no angle jumps."""
    t = np.linspace(0, 4 * np.pi, 2000)[:, None]
    for order in ORDERS:
        i, j, k = ("XYZ".index(a) for a in order)
        turns = np.zeros((2000, 3, 3))
        turns[:, 0, j] = 1.0 * t[:, 0]  # straight through both locks
        turns[:, 1, i] = 0.8 * t[:, 0]
        turns[:, 2, k] = -0.9 * t[:, 0]
        q = rotation.exp(turns)
        q[1000, 0] = rotation.from_euler(np.array([0.0, 0.5 * np.pi, 0.0]), order)  # exactly locked
        angles = continuous_euler(q, order)
        np.testing.assert_allclose(rotation.angle_between(rotation.from_euler(angles, order), q), 0, atol=1e-7)
        steps = np.abs(np.diff(np.delete(angles, 1000, axis=0), axis=0))
        assert steps.max() < 0.05


def test_locked_frames_keep_the_third_angle() -> None:
    for order in ORDERS:
        for b in (90.0, -90.0):
            given_angles = np.radians(
                [[20.0, 70.0 * np.sign(b), 30.0], [21.0, b, 30.0], [22.0, 70.0 * np.sign(b), 30.0]]
            )
            angles = continuous_euler(rotation.from_euler(given_angles, order)[:, None], order)[:, 0]
            np.testing.assert_allclose(angles, given_angles, atol=1e-6)


def two_joints(**changes: object) -> Clip:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, 0.5, 0]]))
    pose = Pose(np.ones((2, 3)), np.tile(rotation.IDENTITY, (2, 2, 1)))
    return replace(Clip(skeleton, 30.0, pose), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (Source(), 100.0),
        (Source(format="bvh", unit_m=1.0), 1.0),
        (Source(format="bvh", unit_m=0.0254), 1 / 0.0254),
        (Source(format="amc", unit_m=0.056444), 1 / 0.056444),
    ],
)
def test_units(tmp_path: Path, source: Source, expected: float) -> None:
    motion = back(two_joints(source=source), tmp_path / "a.bvh")
    np.testing.assert_allclose(motion.pose.root_pos, expected, rtol=1e-6)


def test_only_joints_that_slide_get_position_channels(tmp_path: Path) -> None:
    clip = two_joints()
    still = np.broadcast_to(clip.skeleton.offsets + 0.25, (2, 2, 3))
    bvh.write(clip.with_pose(clip.pose._replace(pos=still)), tmp_path / "a.bvh")
    text = (tmp_path / "a.bvh").read_text()
    assert text.count("CHANNELS 6") == 1
    assert "OFFSET 25.0000000 75.0000000 25.0000000" in text
    sliding = still + np.array([0.0, 0.01])[:, None, None]
    bvh.write(clip.with_pose(clip.pose._replace(pos=sliding)), tmp_path / "a.bvh")
    assert (tmp_path / "a.bvh").read_text().count("CHANNELS 6") == 2


def test_every_leaf_has_an_end_site(tmp_path: Path) -> None:
    motion = back(two_joints(), tmp_path / "a.bvh")
    assert motion.skeleton.names == ("a", "b")
    assert motion.skeleton.end_parents.tolist() == [1]
    np.testing.assert_array_equal(motion.skeleton.end_offsets, [[0, 0, 0]])


@settings(max_examples=25)  # each one waits for the disk
@given(st.lists(st.text(min_size=0, max_size=8), min_size=1, max_size=6, unique=True))
def test_names_come_back_as_written(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    joints = len(names)
    skeleton = Skeleton(tuple(names), np.arange(-1, joints - 1), np.zeros((joints, 3)))
    clip = Clip(skeleton, 30.0, Pose(np.zeros((1, 3)), np.tile(rotation.IDENTITY, (1, joints, 1))))
    path = tmp_path_factory.getbasetemp() / "names.bvh"
    bvh.write(clip, path)
    reading = Reading(path, ReadOptions())
    (motion,) = bvh.read(reading)
    assert list(motion.skeleton.names) == file_names(skeleton.names)
    assert reading.warnings == []


def test_ordinary_names_are_kept() -> None:
    names = ("Hips", "Left Up Leg", "mixamorig:Hips", "Rücken", "a.b-c_d")
    assert file_names(names) == list(names)
    assert file_names(("a\nb", "a\tb", "", " x ")) == ["a_b", "a_b_2", "joint", "x"]


def test_bad_options(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="order must be one of XYZ"):
        bvh.write(two_joints(), tmp_path / "a.bvh", order="XYX")
    with pytest.raises(ParameterError, match="unit_m must be a number of metres"):
        bvh.write(two_joints(), tmp_path / "a.bvh", unit_m=0.0)
    with pytest.raises(UnknownName, match=r"no option of writing \.bvh 'ordre'; did you mean order"):
        save(two_joints(), tmp_path / "a.bvh", ordre="XYZ")
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(WriteError):
        bvh.write(two_joints(), tmp_path / "folder" / "a.bvh")


def test_captures_round_trip(mocap: Path, tmp_path: Path) -> None:
    from footfall.io.load import load

    for name in (
        "cmu_bvh/kick/143_24.bvh",
        "bandai_namco/dataset-1_dash_normal_001.bvh",
        "oddball/wild/daz_mixed_orders_pirouette.bvh",
    ):
        clip = load(mocap / name)
        bvh.write(clip, tmp_path / "a.bvh")
        again = load(tmp_path / "a.bvh", clean=False)
        assert again.skeleton.names == clip.skeleton.names
        assert again.fps == clip.fps
        np.testing.assert_allclose(again.positions, clip.positions, atol=1e-5)


def test_the_reader_hands_over_what_a_clip_need_not_copy(tmp_path: Path) -> None:
    motion = back(two_joints(), tmp_path / "a.bvh")
    clip = Clip(motion.skeleton, motion.fps, motion.pose)
    assert clip.pose.rot is motion.pose.rot
    (again,) = read_raw(Reading(tmp_path / "a.bvh", ReadOptions()))
    np.testing.assert_array_equal(again.pose.rot, clip.pose.rot)
