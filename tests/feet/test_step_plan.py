"""Footsteps: held feet stay, stepping feet clear the floor and land where the target has them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from bodies import along_bones
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.core.clip import Clip
from footfall.core.easing import gentle
from footfall.core.pose import Pose
from footfall.feet.foot_paths import BEYOND_S, foot_paths
from footfall.feet.step_following import follow_steps, followed, lead_foot, toward_balls
from footfall.feet.step_plan import NEVER, JoinEnds, StepPlan
from footfall.feet.step_search import plan, plan_at
from footfall.feet.step_ways import step_frames
from footfall.joins.departure import leaving
from footfall.joins.gentle_blend import blended
from footfall.kinematics.floor_align import FloorTransform

FPS = 60.0


@cache
def still(name: str, **parameters: float) -> Clip:
    clip = ff.motion(name, **parameters).resample(FPS)
    return clip.with_pose(clip.pose, is_loop=False)


def ends_of(a: Clip, b: Clip, leave_s: float, enter_s: float, length_s: float = 0.5) -> JoinEnds:
    old, new = foot_paths(a, FPS), foot_paths(b, FPS)
    return JoinEnds(old, new, old.index(leave_s), new.index(enter_s), round(length_s * FPS))


def placed(metres: float) -> FloorTransform:
    return FloorTransform(np.zeros(()), np.array([0.0, 0.0, metres]))


def frames_of(a: Clip, b: Clip, ends: JoinEnds, found: StepPlan, count: int) -> Clip:
    """Frames after the departure: a blend, then the target, feet as planned."""
    made = blended(leaving(a, (ends.leave - ends.old.lead) / FPS), b, ends, found).pose
    after = found.placement.pose(ends.new.pose.at(slice(ends.enter + 1, ends.start + 1 + count)))
    whole = Pose(*(np.concatenate([getattr(made, key), getattr(after, key)]) for key in ("root_pos", "rot")))
    return Clip(ends.new.skeleton, FPS, follow_steps(ends, found, whole))


def balls(clip: Clip, ends: JoinEnds) -> np.ndarray:
    """(T, 2, 3) from the joints themselves."""
    roles = clip.skeleton.roles
    assert roles.left_toe is not None
    assert roles.right_toe is not None
    return clip.positions[:, [roles.left_toe, roles.right_toe]]


@given(st.floats(0.0, 3.0), st.floats(0.0, 3.0), st.floats(24.0, 120.0))
def test_farther_steps_take_longer_and_none_is_hurried(a: float, b: float, fps: float) -> None:
    near, far = sorted((a, b))
    assert step_frames.py_func(near, fps, False) <= step_frames.py_func(far, fps, False)
    assert step_frames.py_func(near, fps, False) >= 0.3 * fps


def test_gentle_is_flat_to_the_third_derivative_at_both_ends() -> None:
    h = 1e-3
    for edge, side in ((0.0, 1.0), (1.0, -1.0)):
        values = gentle(edge + side * h * np.arange(5))
        assert np.abs(np.diff(values, 1)[0]) < 1e-9
        assert np.abs(np.diff(values, 3)[0] / h**3) < 2.0  # 35 · 24 · 1.5 h at most
    assert gentle(np.array([-1.0, 0.0, 0.5, 1.0, 2.0])) == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


def test_feet_that_stand_in_both_stay_where_they_are() -> None:
    a, b = still("stand"), still("wave")
    ends = ends_of(a, b, 2.0, 0.8)
    found = plan(ends, placed(0.01))
    assert all(track.held for track in found.feet)
    made = frames_of(a, b, ends, found, 60)
    stood = ends.old.ball[ends.leave]
    assert np.abs(balls(made, ends) - stood)[..., [0, 2]].max() < 1e-3


def test_feet_far_from_their_place_step_one_after_the_other_and_land_on_it() -> None:
    a, b = still("stand"), still("wave")
    ends = ends_of(a, b, 2.0, 0.8)
    found = plan_at(ends, placed(0.25), placed(0.25))
    left, right = found.feet
    assert [left.held, right.held] == [False, False]
    first, second = sorted((left, right), key=lambda t: t.lift)
    assert first.land <= second.lift + 1  # one foot always stands
    count = found.end + 12
    made = frames_of(a, b, ends, found, count)
    where = balls(made, ends)
    for foot, track in enumerate(found.feet):
        k = np.arange(1, count + 1)
        own = found.placement.points(ends.new.ball[ends.start + k, foot])
        assert np.abs(where[:, foot] - own)[k >= track.land].max() < 1e-3
        assert np.abs((where[:, foot] - ends.old.ball[ends.leave, foot])[k <= track.lift]).max(initial=0.0) < 1e-3


def test_a_step_is_high_while_it_is_fast() -> None:
    ends = ends_of(still("stand"), still("wave"), 2.0, 0.8)
    found = plan_at(ends, placed(0.3), placed(0.3))
    for foot in (0, 1):
        ball = np.empty((found.end, 3))
        lead_foot(followed(ends, found), foot, ball, np.empty((found.end, 4)))
        speed = np.linalg.norm(np.diff(ball, axis=0)[:, [0, 2]], axis=-1) * FPS
        height = ball[1:, 1] - ball[0, 1]
        assert speed.max() > 0.5
        assert height[speed > 0.4].min() > 0.01
        assert 0.03 < height.max() < 0.07  # captured steps of 0.2 to 0.5 m: 3.6 cm at the median, 6.9 in 90 %


def test_a_step_is_the_same_whichever_axis_of_a_foot_is_up() -> None:
    clips, steps = (still("stand"), still("wave")), []
    for a, b in (clips, tuple(along_bones(clip) for clip in clips)):
        ends = ends_of(a, b, 2.0, 0.8)
        found = plan_at(ends, placed(0.3), placed(0.3))
        steps.append(frames_of(a, b, ends, found, found.end).positions)
    assert np.abs(steps[1] - steps[0]).max() < 1e-9


def test_a_rig_that_rests_on_its_toes_tips_its_feet_no_farther_than_twice() -> None:
    skeleton = still("stand").skeleton
    ahead = toward_balls(skeleton, np.array([[0.0, -0.1, 0.0], [0.0, -0.1, 1e-12]]))
    assert np.linalg.norm(ahead, axis=-1) == pytest.approx(2.0)
    assert np.isfinite(toward_balls(skeleton, np.zeros((2, 3)))).all()


def test_the_target_is_placed_on_a_foot_that_stands() -> None:
    walk = still("walk", cycles=3)
    ends = ends_of(walk, walk, 1.0, 1.4, 0.4)  # the walk into itself, thrown off its way by 9 cm
    found = plan(ends, placed(0.09))
    assert any(track.held for track in found.feet)
    assert np.linalg.norm(found.placement.shift) < 0.01
    for track in found.feet:
        if track.held and track.land < NEVER:
            assert np.linalg.norm(track.offset) < 0.35
            assert track.land > track.lift
    assert found.end < NEVER


def test_feet_that_stand_at_an_end_go_on_standing_beyond_it() -> None:
    stand = still("stand")
    paths = foot_paths(stand, FPS)
    lead = round(BEYOND_S * FPS)
    assert paths.lead == lead
    assert paths.down.all()
    assert np.abs(np.diff(paths.ball[-lead:, :, :], axis=0)).max() < 1e-3


def test_a_loop_goes_round_beyond_its_ends() -> None:
    walk = ff.motion("walk").resample(FPS)
    paths = foot_paths(walk, FPS)
    period = walk.frames - 1
    now, later = (paths.down[start : start + 20] for start in (paths.lead, paths.lead + period))
    assert (now == later).mean() > 0.9
    step = np.linalg.norm(np.diff(paths.root, axis=0), axis=-1) * FPS
    assert step.min() > 1.0  # it never stops


def test_everything_after_the_plan_is_left_alone() -> None:
    ends = ends_of(still("stand"), still("wave"), 2.0, 0.8)
    found = plan_at(ends, placed(0.25), placed(0.25))
    count = found.end + 20
    pose = found.placement.pose(ends.new.pose.at(slice(ends.start + 1, ends.start + 1 + count)))
    done = follow_steps(ends, found, pose)
    assert (done.rot[found.end :] == pose.rot[found.end :]).all()
    assert (done.root_pos[found.end :] == pose.root_pos[found.end :]).all()
