"""Cleaning: injected glitches are repaired to the truth, all else stays bit for bit, and motion is left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bodies import body
from hypothesis import assume, given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.clean import KINDS, clean
from footfall.kinematics.clean_steps import big_steps, step_limit

SKELETON, INDEX = body()
JOINTS = len(SKELETON)
FPS = st.sampled_from([30.0, 60.0, 100.0, 120.0, 240.0])


def smooth_motion(seed: int, fps: float, seconds: float = 1.5, speed: float = 1.0) -> Pose:
    """Joints swinging at up to 2 Hz and 40 degrees, the root walking."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * fps))[:, None, None] / fps
    hz, phase = speed * rng.uniform(0.2, 2.0, (JOINTS, 3)), rng.uniform(0, 6.28, (JOINTS, 3))
    rot = rotation.exp(rng.uniform(0.05, 0.4, (JOINTS, 3)) * np.sin(6.28 * hz * t + phase))
    root = np.stack([np.sin(t[:, 0, 0]), 0.9 + 0.03 * np.sin(12 * t[:, 0, 0]), 1.4 * t[:, 0, 0]], axis=-1)
    return Pose(root, rotation.continuous_signs(rot))


def error_degrees(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(rotation.angle_between(a, b).max()))


def with_turn(pose: Pose, joint: int, frames: slice, turn: np.ndarray) -> Pose:
    rot = pose.rot.copy()
    rot[frames, joint] = rotation.multiply(rot[frames, joint], turn)
    return pose._replace(rot=rotation.continuous_signs(rot))


def unit(seed: int) -> np.ndarray:
    axis = np.random.default_rng(seed).normal(size=3)
    return axis / np.linalg.norm(axis)


@given(seed=st.integers(0, 10**6), fps=FPS)
def test_smooth_motion_comes_back_as_the_same_object(seed: int, fps: float) -> None:
    pose = smooth_motion(seed, fps)
    fixed, told = clean(SKELETON, fps, pose)
    assert fixed is pose
    assert told == ()


@given(
    seed=st.integers(0, 10**6),
    joint=st.integers(0, JOINTS - 1),
    fps=FPS,
    degrees=st.floats(30.0, 140.0),
    seconds=st.floats(0.2, 0.6),
)
def test_a_fast_kick_is_motion(seed: int, joint: int, fps: float, degrees: float, seconds: float) -> None:
    """A swing of up to 140 degrees and back within 0.2 s: up to 70 degrees a frame, and none of it may change."""
    pose = smooth_motion(seed, fps)
    t = np.arange(len(pose.rot)) / fps - 0.7
    swing = np.radians(degrees) * np.where(np.abs(t) < seconds / 2, np.cos(np.pi * t / seconds) ** 2, 0.0)
    rot = pose.rot.copy()
    rot[:, joint] = rotation.multiply(rot[:, joint], rotation.axis_angle(unit(seed), swing))
    pose = pose._replace(rot=rotation.continuous_signs(rot))
    fixed, told = clean(SKELETON, fps, pose)
    assert fixed is pose, told


@given(
    seed=st.integers(0, 10**6),
    joint=st.integers(0, JOINTS - 1),
    fps=FPS,
    share=st.floats(0.0, 1.0),
    length_s=st.floats(0.0, 0.045),
    at=st.floats(0.2, 0.8),
)
def test_a_spike_is_repaired_and_nothing_else_changes(
    seed: int, joint: int, fps: float, share: float, length_s: float, at: float
) -> None:
    truth = smooth_motion(seed, fps)
    # clearly over the limit, whatever the joint itself does meanwhile
    low = min(max(3.5 * step_limit(fps), np.radians(35.0)), np.radians(165.0))
    size = low + share * (np.radians(178.0) - low)
    first, count = int(at * len(truth.rot)), max(1, round(length_s * fps))
    broken = with_turn(truth, joint, slice(first, first + count), rotation.axis_angle(unit(seed), size))
    fixed, told = clean(SKELETON, fps, broken)
    assert len(told) == 1
    assert told[0].startswith(SKELETON.names[joint])
    assert f"frame{'s' if count > 1 else ''} {first}" in told[0]
    assert error_degrees(fixed.rot, truth.rot) < 6.0
    same = np.ones(fixed.rot.shape[:2], bool)
    same[first : first + count, joint] = False
    aligned = rotation.nearest_sign(fixed.rot, broken.rot)
    assert np.array_equal(aligned[same], broken.rot[same])
    assert fixed.root_pos is broken.root_pos
    again, _ = clean(SKELETON, fps, fixed)
    assert again is fixed


@given(seed=st.integers(0, 10**6), joint=st.integers(1, JOINTS - 1), fps=st.sampled_from([60.0, 120.0]),
       ramp=st.integers(0, 4))  # fmt: skip
def test_a_joint_that_flips_over_for_a_while_is_turned_back(seed: int, joint: int, fps: float, ramp: int) -> None:
    """Half a turn reached over a few frames, kept for 0.3 to 0.6 s, and undone: the motion inside is kept."""
    truth = smooth_motion(seed, fps, seconds=2.0)
    rng, ramp = np.random.default_rng(seed), min(ramp, round(fps / 30))
    first, count = round(0.5 * fps), int(rng.uniform(0.3, 0.6) * fps)
    profile = np.zeros(len(truth.rot))
    profile[first : first + count] = 1.0
    for k in range(1, ramp + 1):
        profile[first - k] = profile[first + count - 1 + k] = 1 - k / (ramp + 1)
    rot = truth.rot.copy()
    rot[:, joint] = rotation.multiply(rot[:, joint], rotation.axis_angle(unit(seed), np.radians(176.0) * profile))
    broken = truth._replace(rot=rotation.continuous_signs(rot))
    fixed, told = clean(SKELETON, fps, broken)
    assert told
    assert all(sentence.startswith(SKELETON.names[joint]) for sentence in told)
    assert error_degrees(fixed.rot, truth.rot) < 25.0  # what the joint did during the two flips is lost
    untouched = np.r_[0 : first - ramp - 1, first + count + ramp + 1 : len(rot)]
    assert error_degrees(fixed.rot[untouched], truth.rot[untouched]) == pytest.approx(0.0, abs=1e-6)
    again, _ = clean(SKELETON, fps, fixed)
    assert again is fixed


def test_a_flip_that_never_comes_back_turns_the_shorter_side() -> None:
    truth, fps, joint = smooth_motion(3, 120.0), 120.0, INDEX["left_thumb0"]
    broken = with_turn(truth, joint, slice(130, None), rotation.axis_angle(unit(3), np.pi - 0.02))
    fixed, told = clean(SKELETON, fps, broken)
    assert len(told) == 1
    assert "flipped by 1" in told[0]
    assert "frames 130 to 179" in told[0]
    assert np.array_equal(fixed.rot[:130], broken.rot[:130])
    assert error_degrees(fixed.rot, truth.rot) < 6.0


@given(seed=st.integers(0, 10**6), fps=st.sampled_from([30.0, 60.0, 120.0]))
def test_an_invented_t_pose_first_frame_is_replaced(seed: int, fps: float) -> None:
    truth = smooth_motion(seed, fps)
    rng = np.random.default_rng(seed)
    away = np.zeros((JOINTS, 3))
    for role in ("left_shoulder", "right_shoulder", "left_hip", "right_knee", "spine1", "left_elbow", "neck0", "head"):
        away[INDEX[role]] = 1.3 * unit(int(rng.integers(10**6)))
    truth = truth._replace(rot=rotation.continuous_signs(rotation.multiply(rotation.exp(away), truth.rot)))
    rot = truth.rot.copy()
    rot[0] = SKELETON.rest
    broken = truth._replace(rot=rotation.continuous_signs(rot))
    fixed, told = clean(SKELETON, fps, broken)
    assert len(told) == 1
    assert "invented T-pose" in told[0]
    assert len(fixed.rot) == len(broken.rot)
    assert error_degrees(fixed.rot[:1], truth.rot[:1]) < 3000.0 / fps**1.5  # a frame of extrapolated acceleration
    assert np.array_equal(rotation.nearest_sign(fixed.rot[1:], broken.rot[1:]), broken.rot[1:])
    assert np.linalg.norm(fixed.root_pos[0] - truth.root_pos[0]) < 0.02
    assert clean(SKELETON, fps, fixed)[0] is fixed


def test_stale_first_frames_with_the_body_elsewhere_are_replaced() -> None:
    truth, other = smooth_motion(1, 120.0), smooth_motion(2, 120.0, speed=0.2)
    turn = rotation.exp(np.full(3, 0.4))
    rot, root = truth.rot.copy(), truth.root_pos.copy()
    rot[:4] = rotation.multiply(turn, other.rot[:4])
    root[:4] += np.array([2.0, 0.1, -1.0])
    broken = Pose(root, rotation.continuous_signs(rot))
    fixed, told = clean(SKELETON, 120.0, broken)
    assert len(told) == 1
    assert "frames 0 to 3 are not part of the take" in told[0]
    assert np.abs(fixed.root_pos[:4] - truth.root_pos[:4]).max() < 0.01
    assert error_degrees(fixed.rot, truth.rot) < 6.0


@given(seed=st.integers(0, 10**6), fps=FPS, metres=st.floats(1.2, 5.0), at=st.floats(0.2, 0.8))
def test_a_root_that_leaves_and_returns_is_interpolated(seed: int, fps: float, metres: float, at: float) -> None:
    truth = smooth_motion(seed, fps)
    first = int(at * len(truth.root_pos))
    count = 1 + seed % max(1, round(0.05 * fps))
    root = truth.root_pos.copy()
    root[first : first + count] += metres * unit(seed)
    broken = truth._replace(root_pos=root)
    fixed, told = clean(SKELETON, fps, broken)
    assert len(told) == 1
    assert "away and back" in told[0]
    assert SKELETON.names[0] in told[0]
    assert np.abs(fixed.root_pos - truth.root_pos).max() < 0.03
    assert fixed.rot is broken.rot


def test_a_teleport_is_reported_and_kept() -> None:
    pose = smooth_motion(5, 120.0)
    root = pose.root_pos.copy()
    root[90:] += 3.0
    broken = pose._replace(root_pos=root)
    fixed, told = clean(SKELETON, 120.0, broken)
    assert fixed is broken
    assert len(told) == 1
    assert "kept" in told[0]
    assert "frame 89" in told[0]


def test_a_pelvis_with_its_own_position_is_watched_too() -> None:
    skeleton, _ = body()
    names = ("joint_Root", *skeleton.names)
    offsets = np.concatenate([np.zeros((1, 3)), skeleton.offsets])
    rooted = type(skeleton)(names, np.array([-1, *(skeleton.parents + 1)]), offsets)
    motion = smooth_motion(7, 30.0)
    rot = np.concatenate([np.tile(rotation.IDENTITY, (len(motion.rot), 1, 1)), motion.rot], axis=1)
    pos = np.tile(offsets, (len(rot), 1, 1))
    pos[:, 1] = motion.root_pos
    pos[20, 1] += 2.0
    pose = Pose(np.zeros((len(rot), 3)), rot, pos)
    fixed, told = clean(rooted, 30.0, pose)
    assert fixed.pos is not None
    assert np.abs(fixed.pos[20, 1] - motion.root_pos[20]).max() < 0.03
    assert len(told) == 1
    assert told[0].startswith(skeleton.names[0])


def test_a_jump_that_stays_is_eased() -> None:
    truth, joint = smooth_motion(9, 120.0), INDEX["left_toe"]
    broken = with_turn(truth, joint, slice(90, None), rotation.axis_angle(unit(9), np.radians(35.0)))
    fixed, told = clean(SKELETON, 120.0, broken)
    steps = np.degrees(rotation.angle_between(fixed.rot[1:, joint], fixed.rot[:-1, joint]))
    assert steps.max() < 12.0
    assert "eased" in told[0]
    assert np.array_equal(fixed.rot[:87], broken.rot[:87])
    assert np.array_equal(fixed.rot[94:], broken.rot[94:])


def test_a_joint_that_jumps_in_the_last_frame_is_carried_on() -> None:
    truth, joint = smooth_motion(11, 120.0), INDEX["right_wrist"]
    broken = with_turn(truth, joint, slice(-1, None), rotation.axis_angle(unit(1), np.radians(44.0)))
    fixed, told = clean(SKELETON, 120.0, broken)
    assert len(told) == 1
    assert "carried on" in told[0]
    assert error_degrees(fixed.rot, truth.rot) < 3.0


@pytest.mark.parametrize("kind", ["spikes", "root"])
def test_each_kind_can_be_switched_off(kind: str) -> None:
    pose = smooth_motion(13, 120.0)
    if kind == "root":
        root = pose.root_pos.copy()
        root[60] += 1.0
        pose = pose._replace(root_pos=root)
    else:
        pose = with_turn(pose, 3, slice(60, 61), rotation.axis_angle(unit(2), 1.0))
    off = set(KINDS) - {"root": {"root"}, "spikes": {"spikes", "flips", "jumps"}}[kind]
    assert clean(SKELETON, 120.0, pose, off) == (pose, ())
    assert clean(SKELETON, 120.0, pose)[0] is not pose


@given(seed=st.integers(0, 10**6), frames=st.integers(0, 30), fps=FPS)
def test_noise_is_survived_and_stays_finite(seed: int, frames: int, fps: float) -> None:
    rng = np.random.default_rng(seed)
    rot = rotation.normalize(rng.normal(size=(frames, JOINTS, 4)))
    pose = Pose(rng.normal(size=(frames, 3)), rotation.continuous_signs(rot))
    before = pose.rot.copy()
    fixed, told = clean(SKELETON, fps, pose)
    assert fixed.rot.shape == pose.rot.shape
    assert np.isfinite(fixed.rot).all()
    assert np.isfinite(fixed.root_pos).all()
    assert np.allclose(np.linalg.norm(fixed.rot, axis=-1), 1.0)
    assert all("\n" not in sentence for sentence in told)
    assert np.array_equal(pose.rot, before)  # inputs are never written to


@given(seed=st.integers(0, 10**6), fps=FPS)
def test_the_cheap_look_finds_exactly_the_joints_with_a_large_step(seed: int, fps: float) -> None:
    rng = np.random.default_rng(seed)
    angle = np.cumsum(rng.normal(size=(600, 5)) * rng.uniform(0.01, 0.4, 5), axis=0)
    rot = rotation.axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    sizes = rotation.angle_between(rot[1:], rot[:-1]).max(axis=0)
    assume((np.abs(sizes - step_limit(fps)) > 1e-6).all())
    assert big_steps(rot, fps).tolist() == np.flatnonzero(sizes > step_limit(fps)).tolist()


@given(st.integers(0, 99), FPS, st.sampled_from([0.0, 5.0, 60.0, 179.0]))
def test_a_known_largest_step_changes_nothing_but_the_time(seed: int, fps: float, degrees: float) -> None:
    """Neither where it is small enough to spare the look nor where it is not, nor after the start was replaced."""
    pose = smooth_motion(seed, fps)
    rot = pose.rot.copy()
    rot[0] = SKELETON.rest
    turn = rotation.exp(np.radians([0.0, degrees, 0.0]))
    for given_pose in (with_turn(pose, 3, slice(9, 11), turn), pose._replace(rot=rotation.continuous_signs(rot))):
        largest = float(rotation.angle_between(given_pose.rot[1:], given_pose.rot[:-1]).max())
        expected, told = clean(SKELETON, fps, given_pose)
        found, same = clean(SKELETON, fps, given_pose, largest_step=largest)
        np.testing.assert_array_equal(found.rot, expected.rot)
        assert same == told


def test_clean_captures_are_left_alone(mocap: Path) -> None:
    from footfall.io.load import load

    for path in sorted(mocap.glob("bandai_namco/*.bvh")):
        assert load(path).repairs == (), path.name


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("cmu_bvh/walk_straight/02_01.bvh", "whole body: frame 0 is an invented T-pose"),
        ("cmu_bvh/run_straight/104_04.bvh", "LeftFoot"),
        ("cmu_bvh/kick/74_05.bvh", "RightFoot"),
        ("cmu_bvh/stand_idle/111_28.bvh", "flipped by"),
        ("oddball/cmu_glitch/07_12.bvh", "whole body: frames 0 to 1 are an invented T-pose"),
        ("oddball/cmu_glitch/09_10.bvh", "whole body: frames 0 to 4 are an invented T-pose"),
    ],
)
def test_captured_glitches_are_repaired(mocap: Path, file: str, expected: str) -> None:
    from footfall.io.load import load

    clip, raw = load(mocap / file), load(mocap / file, clean=False)
    assert any(expected in sentence for sentence in clip.repairs), clip.repairs
    assert len(clip) == len(raw)
    assert raw.repairs == ()
    steps = np.degrees(rotation.angle_between(clip.pose.rot[1:], clip.pose.rot[:-1]))
    assert steps.max() < 25.5
    assert np.linalg.norm(np.diff(clip.pose.root_pos, axis=0), axis=1).max() < 0.1
