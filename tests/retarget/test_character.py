"""Characters: by name, from files, clips and skeletons; feet, scale, the average of many."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import MIXAMO, body

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Skin
from footfall.core.errors import ParameterError, ReadError, SkeletonError, UnknownName
from footfall.core.roles import SIDES
from footfall.motions.body import ANKLE_HEIGHT, BALL_FORWARD, adult
from footfall.retarget.character import average_character, character, scaled
from footfall.retarget.rest_match import local_vector, neutral_rotations, rest_stands
from footfall.retarget.retarget import retarget


def test_the_adult_is_there_by_name_and_in_any_size():
    tall = character("adult:2.1")
    assert tall.skeleton.height == pytest.approx(2.1)
    assert character("adult").skeleton.height == pytest.approx(adult().height)
    assert tall.leg_length / character("adult").leg_length == pytest.approx(2.1 / adult().height)


@pytest.mark.parametrize("name", ["adult:tall", "adult:0", "adult:-1", "adult:nan", "adult:1e9"])
def test_heights_that_are_none_are_refused(name):
    with pytest.raises(ParameterError):
        character(name)


def test_unknown_names_and_files_are_sentences(tmp_path):
    with pytest.raises(UnknownName, match="did you mean adult"):
        character("adlt")
    with pytest.raises(ReadError):
        character(tmp_path / "none.bvh")


def test_a_file_a_clip_and_a_skeleton_are_the_same_body(tmp_path):
    walk = ff.motion("walk")
    ff.save(walk, tmp_path / "walk.bvh")
    by_file, by_clip, by_skeleton = character(tmp_path / "walk.bvh"), character(walk), character(adult())
    for other in (by_file, by_skeleton):
        assert rotation.angle_between(by_clip.neutral, other.neutral).max() < 0.02
    assert character(by_clip) is by_clip


def test_feet_of_the_adult_are_its_own():
    for foot in character("adult").feet:
        assert foot.ankle_height == pytest.approx(ANKLE_HEIGHT)
        assert foot.ball[2] == pytest.approx(BALL_FORWARD)
        assert foot.over_skin == 0.0
        level = rotation.IDENTITY
        assert foot.dip(level) == pytest.approx(0.0)
        heel_up = rotation.axis_angle(rotation.AXES["X"], 0.6)
        # rolled over the ball, the ankle rises by what the ball would have sunk
        turned = rotation.rotate(heel_up, foot.ball)
        assert foot.dip(heel_up) == pytest.approx(foot.ball[1] - turned[1])


def test_skin_under_the_joints_is_what_stands():
    skeleton = adult()
    at, joint = skeleton.rest_positions, skeleton.index("LeftFoot")
    inverse = np.tile(np.eye(4), (len(skeleton), 1, 1))
    inverse[:, :3, 3] = -at
    vertices = at[[joint, joint, joint]] + [[0, -ANKLE_HEIGHT - 0.02, 0], [0.03, 0, 0], [-0.03, 0, 0]]
    skin = Skin(vertices, np.array([[0, 1, 2]]), np.full((3, 4), joint), np.tile([1.0, 0, 0, 0], (3, 1)), inverse)
    shod = character(ff.motion("stand").with_pose(ff.motion("stand").pose, skin=skin))
    assert shod.feet[0].ankle_height == pytest.approx(ANKLE_HEIGHT + 0.02, abs=2e-3)
    assert shod.feet[0].over_skin == pytest.approx(0.02, abs=2e-3)
    assert shod.feet[1].over_skin == 0.0


def test_the_common_pose_stands_with_arms_out():
    skeleton, _ = body()
    neutral = neutral_rotations(skeleton)
    roles = skeleton.roles
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for part, end, way in (
            ("hip", "knee", [0.0, -1.0, 0.0]),
            ("knee", "ankle", [0.0, -1.0, 0.0]),
            ("shoulder", "elbow", [sign, 0.0, 0.0]),
            ("elbow", "wrist", [sign, 0.0, 0.0]),
        ):
            joint, to = getattr(roles, f"{side}_{part}"), getattr(roles, f"{side}_{end}")
            bone = rotation.rotate(neutral[joint], local_vector(skeleton, joint, to))
            assert bone / np.linalg.norm(bone) == pytest.approx(way, abs=1e-9)


def test_rest_poses_that_are_no_persons_are_known(mocap):
    assert rest_stands(adult())
    assert rest_stands(ff.load(mocap / "cmu_bvh" / "walk_straight" / "07_01.bvh").skeleton)
    assert not rest_stands(ff.load(mocap / "bandai_namco" / "dataset-1_walk_normal_001.bvh").skeleton)


def test_hinges_bend_the_right_way_where_bones_lie_along_x(mocap):
    clip = ff.load(mocap / "bandai_namco" / "dataset-1_run_normal_001.bvh")
    skeleton, neutral = clip.skeleton, neutral_rotations(clip.skeleton, clip)
    roles = skeleton.roles
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        knee, ankle = getattr(roles, f"{side}_knee"), getattr(roles, f"{side}_ankle")
        shin = rotation.rotate(neutral[knee], local_vector(skeleton, knee, ankle))
        assert shin[1] < -0.999 * np.linalg.norm(shin)
        elbow, wrist = getattr(roles, f"{side}_elbow"), getattr(roles, f"{side}_wrist")
        forearm = rotation.rotate(neutral[elbow], local_vector(skeleton, elbow, wrist))
        assert sign * forearm[0] > 0.999 * np.linalg.norm(forearm)


# --- averages -------------------------------------------------------------------------------------------------------
def test_the_average_of_one_body_in_two_sizes_lies_between():
    small, tall = scaled(adult(), 1.4), scaled(adult(), 1.8)
    mean = average_character([small, tall]).skeleton
    assert mean.height == pytest.approx(1.6, rel=1e-6)
    assert mean.leg_length == pytest.approx(0.5 * (small.leg_length + tall.leg_length))


def test_the_average_is_symmetric_and_can_be_walked_on():
    lame, index = body()
    offsets = lame.offsets.copy()
    offsets[index["left_knee"]] *= 1.1
    from dataclasses import replace

    mean = average_character([replace(lame, offsets=offsets), lame])
    at, roles = mean.skeleton.rest_positions, mean.skeleton.roles
    for part in ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist"):
        left, right = (at[getattr(roles, f"{side}_{part}")] for side in SIDES)
        assert left == pytest.approx(right * [-1.0, 1.0, 1.0])
    thigh = np.linalg.norm(mean.skeleton.offsets[roles.left_knee])
    assert thigh == pytest.approx(0.42 * 1.025)
    assert np.isfinite(retarget(ff.motion("walk"), mean).positions).all()


def test_averages_need_bodies_with_legs():
    with pytest.raises(ParameterError, match="at least one"):
        average_character([])
    legless, _ = body({k: v for k, v in MIXAMO.items() if "hip" not in k and "knee" not in k})
    with pytest.raises(SkeletonError, match="cannot average"):
        average_character([legless])
