"""Floor heights: right for any height, per foot, without assuming y = 0."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import ANKLE_HEIGHT, TOE_HEIGHT, humanoid, still_clip, walking_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.floor import find_floor, foot_points
from footfall.analysis.foot_points import carried_soles
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.motions.library import motion


@settings(max_examples=40)
@given(st.floats(-2, 2), st.floats(0.5, 1.5), st.sampled_from([30.0, 60.0, 120.0]))
def test_known_heights_are_found(height, scale, fps):
    clip = walking_clip(scale=scale, fps=fps)
    clip = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + [0, height, 0]))
    floor = find_floor(clip)
    assert floor.heel == pytest.approx((ANKLE_HEIGHT * scale + height,) * 2, abs=1e-3)
    assert floor.toe == pytest.approx((TOE_HEIGHT * scale + height,) * 2, abs=1e-3)
    assert floor.height == pytest.approx(TOE_HEIGHT * scale + height, abs=1e-3)
    assert floor.confidence > 0.9


def test_each_foot_has_its_own():
    """One leg longer than the other: its foot stands lower."""
    body = humanoid()
    offsets = body.offsets.copy()
    offsets[body.index("LeftLeg"), 1] -= 0.03
    skeleton = Skeleton(
        body.names,
        body.parents,
        offsets,
        end_parents=body.end_parents,
        end_offsets=body.end_offsets,
        role_overrides=body.role_overrides,
    )
    floor = find_floor(still_clip(skeleton=skeleton))
    assert floor.right - floor.left == pytest.approx(0.03)


def test_a_foot_that_never_comes_down_is_not_believed():
    clip = still_clip()
    rot = clip.pose.rot.copy()
    hip, knee = clip.skeleton.index("LeftUpLeg"), clip.skeleton.index("LeftLeg")
    rot[:, hip] = rotation.axis_angle(rotation.AXES["X"], -1.2)
    rot[:, knee] = rotation.axis_angle(rotation.AXES["X"], 1.2)
    clip = clip.with_pose(clip.pose._replace(rot=rot))
    assert clip.positions[0, clip.skeleton.index("LeftFoot"), 1] > 0.3
    assert find_floor(clip).left == pytest.approx(TOE_HEIGHT)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_few_frames_are_enough(frames):
    assert find_floor(still_clip(frames=frames)).height == pytest.approx(TOE_HEIGHT)


def test_without_toes_the_ankle_serves():
    body = humanoid()
    keep = [j for j, name in enumerate(body.names) if "Toe" not in name]
    index = {j: i for i, j in enumerate(keep)}
    names = [body.names[j] for j in keep]
    skeleton = Skeleton(
        tuple(names),
        np.array([index.get(int(body.parents[j]), -1) for j in keep]),
        body.offsets[keep],
        role_overrides={r: n for r, n in body.role_overrides.items() if n in names},
    )
    points = foot_points(still_clip(frames=4, skeleton=skeleton))
    assert np.array_equal(points.toe, points.heel)


def test_no_feet_and_no_frames_are_said():
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    clip = Clip(skeleton, 30, Pose(np.zeros((3, 3)), np.tile(rotation.IDENTITY, (3, 2, 1))))
    with pytest.raises(SkeletonError, match="no two feet"):
        find_floor(clip)
    with pytest.raises(ParameterError, match="only a skeleton"):
        find_floor(still_clip(frames=0))


def test_a_heel_is_where_the_skeleton_has_one_and_estimated_where_not():
    """Of the built-in body with and without its heel end sites, both heels move alike."""
    from footfall.motions.body import adult
    from footfall.motions.library import motion

    clip = motion("walk", speed=1.3, cycles=2)
    body = adult()
    keep = np.array([body.names[j] not in ("LeftFoot", "RightFoot") for j in body.end_parents])
    bare = Skeleton(
        body.names, body.parents, body.offsets, end_parents=body.end_parents[keep], end_offsets=body.end_offsets[keep]
    )
    without = Clip(bare, clip.fps, clip.pose)
    known, estimated = foot_points(clip).sole[:, :, 0], foot_points(without).sole[:, :, 0]
    assert np.median(np.linalg.norm(known - estimated, axis=-1)) < 0.03
    assert np.quantile(known[..., 1], 0.2) == pytest.approx(0.0, abs=0.005)  # the heel end site lies on the sole
    for side in ("left", "right"):
        a, b = clip.contacts.spans(side), without.contacts.spans(side)
        assert np.array(a) == pytest.approx(np.array(b), abs=0.03)


@pytest.mark.parametrize("pitch_deg", [0.0, 25.0, 45.0])
def test_feet_that_rest_on_their_toes_do_not_change_the_sole(pitch_deg):
    """Two seconds flat, five on the toes: the heel lies where it lies in the flat ones."""
    flat = motion("stand").resample(60).trim(0.0, 2.0)
    joints = flat.skeleton.roles
    rot = np.array(flat.sample(np.linspace(0.0, 2.0, 301)).rot)
    root = np.array(flat.sample(np.linspace(0.0, 2.0, 301)).root_pos)
    for ankle in (joints.left_ankle, joints.right_ankle):
        rot[:, ankle] = rotation.multiply(
            rot[:, ankle], rotation.axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(pitch_deg))
        )
    high = flat.with_pose(Pose(root, rot), is_loop=False)
    ball = [foot_points(clip).toe[..., 1].min() for clip in (flat, high)]
    root[:, 1] += ball[0] - ball[1]  # its toes stand where the flat ones do
    both = Pose(np.concatenate([flat.pose.root_pos, root]), np.concatenate([flat.pose.rot, rot]))
    _, alone = carried_soles(flat)
    _, mixed = carried_soles(flat.with_pose(both, is_loop=False))
    assert mixed[:, 0] == pytest.approx(alone[:, 0], abs=0.004)
