"""The judge: untouched motion passes, and each fault a viewer would see is called by its name."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.feet.join_legs import knee_poles, legs_of, move_body
from footfall.feet.leg_solve import LegTargets, solve_legs
from footfall.quality.body_signals import body_signals
from footfall.quality.judge import Judgement, judge
from footfall.quality.judged_figures import FIGURES
from footfall.quality.shown import ShownClip, find_seams


def cut(clip, at=None):
    """A clip as two that follow each other perfectly."""
    frames, at = np.arange(clip.frames), clip.frames // 2 if at is None else at
    first = clip.trim(0.0, (at - 1) / clip.fps)
    second = clip.trim(at / clip.fps, clip.duration)
    before = frames < at
    return [
        ShownClip(first, np.where(before, frames / clip.fps, np.nan), before.astype(float)),
        ShownClip(second, np.where(before, np.nan, (frames - at) / clip.fps), (~before).astype(float)),
    ]


def changed(clip, root=None, rot=None):
    """The clip with other root positions or rotations."""
    pose = clip.pose
    return clip.with_pose(Pose(pose.root_pos if root is None else root, pose.rot if rot is None else rot, pose.pos))


def as_take(clip):
    return clip.with_pose(clip.pose, is_loop=False)


@pytest.fixture(scope="module")
def walk():
    return as_take(ff.motion("walk", cycles=6)).resample(60)


@pytest.fixture(scope="module")
def run():
    return as_take(ff.motion("run", cycles=8)).resample(60)


def test_untouched_motion_is_believed(walk, run):
    for clip in (walk, run):
        found = judge(clip, cut(clip))
        assert found.believable, found.reasons
        assert set(found.seams[0].figures) == set(FIGURES)


def test_the_seam_is_where_the_pose_stops_being_the_first_clips(walk):
    shown = cut(walk)
    (seam,) = find_seams(walk, shown)
    assert seam.first == walk.frames // 2
    assert seam.settled == seam.first


def failed(out, shown) -> set[str]:
    found = judge(out, shown)
    assert isinstance(found, Judgement)
    assert found.believable == (not found.failed)
    return found.failed


def test_a_floor_that_drops(walk):
    root = np.array(walk.pose.root_pos)
    root[walk.frames // 2 :, 1] -= 0.05
    assert "floor_step" in failed(changed(walk, root), cut(walk))


def test_a_stop_in_a_fifth_of_a_second(run):
    half, fps = run.frames // 2, run.fps
    root = np.array(run.pose.root_pos)
    speed = np.clip(1.0 - (np.arange(run.frames) - half) / (0.2 * fps), 0.0, 1.0)
    steps = np.diff(root[:, [0, 2]], axis=0, prepend=root[:1, [0, 2]])
    root[:, [0, 2]] = root[0, [0, 2]] + np.cumsum(steps * speed[:, None], axis=0)
    assert {"push", "change"} & failed(changed(run, root), cut(run))


def test_twice_the_speed(walk):
    half = walk.frames // 2
    root = np.array(walk.pose.root_pos)
    steps = np.diff(root[:, [0, 2]], axis=0, prepend=root[:1, [0, 2]])
    steps[half : half + 60] *= 2.0
    root[:, [0, 2]] = root[0, [0, 2]] + np.cumsum(steps, axis=0)
    assert "pelvis_speed" in failed(changed(walk, root), cut(walk))


def test_a_frozen_second(walk):
    half = walk.frames // 2
    index = np.concatenate([np.arange(half), np.full(60, half), np.arange(half, walk.frames)])
    out = walk.with_pose(walk.pose.at(index))
    first, second = cut(walk)
    late = np.arange(out.frames)
    shown = [
        ShownClip(first.clip, np.where(late < half, late / 60.0, np.nan), (late < half).astype(float)),
        ShownClip(
            second.clip, np.where(late < half, np.nan, np.maximum(late - half - 60, 0) / 60.0), (late >= half) * 1.0
        ),
    ]
    assert "alive" in failed(out, shown)


def test_a_shuffled_foot(walk):
    half = walk.frames // 2
    foot = walk.skeleton.roles.left_hip
    rot = np.array(walk.pose.rot)
    swing = np.zeros((walk.frames, 3))
    k = np.arange(60)
    swing[half : half + 60, 0] = 0.25 * np.sin(2.0 * np.pi * k / 15.0)
    rot[:, foot] = rotation.multiply(rot[:, foot], rotation.exp(swing))
    assert {"skate", "excess", "foot_speed", "knee"} & failed(changed(walk, rot=rot), cut(walk))


def test_a_sudden_jump_of_joints(walk):
    half = walk.frames // 2
    rot = np.array(walk.pose.rot)
    arm = walk.skeleton.roles.left_shoulder
    rot[half:, arm] = rotation.multiply(rot[half:, arm], rotation.exp(np.array([0.0, 0.0, 0.6])))
    assert "excess" in failed(changed(walk, rot=rot), cut(walk))


def test_a_lunge(walk):
    half = walk.frames // 2
    move = np.zeros((walk.frames, 3))
    move[half : half + 90, 1] -= 0.25 * np.sin(np.pi * np.arange(90) / 90.0) ** 2
    lunge = walk.with_pose(move_body(walk.skeleton, walk.pose, move, walk.fps))  # over feet that stay
    assert "dip" in failed(lunge, cut(walk))


def test_a_body_that_sinks_into_the_floor(walk):
    half = walk.frames // 2
    root = np.array(walk.pose.root_pos)
    root[half : half + 90, 1] -= 0.25 * np.sin(np.pi * np.arange(90) / 90.0) ** 2
    assert failed(changed(walk, root), cut(walk)) & {"floor_step", "depth", "dip"}


def test_floating(walk):
    half = walk.frames // 2
    root = np.array(walk.pose.root_pos)
    root[half : half + 60, 1] += 0.3 * np.sin(np.pi * np.arange(60) / 60.0) ** 2
    assert "flight" in failed(changed(walk, root), cut(walk))


def test_a_step_as_over_an_obstacle(walk):
    half, fps = walk.frames // 2, walk.fps
    stances = [x for x in body_signals(walk).stances if x.foot == 0 and x.end_s > half / fps]
    lift, land = round(stances[0].end_s * fps), round(stances[1].start_s * fps)
    places, _ = legs_of(walk.skeleton, walk.pose)
    ankle, turn = np.array(places[:, :, 2]), np.zeros((walk.frames, 2, 4))
    turn[..., 0] = 1.0
    for height, seen in ((0.02, False), (0.15, True)):
        raised = ankle.copy()
        raised[lift:land, 0, 1] += height * np.sin(np.pi * np.arange(land - lift) / (land - lift)) ** 2
        targets = LegTargets(np.zeros((walk.frames, 3)), raised, turn, knee_poles(places, fps))
        out = walk.with_pose(solve_legs(walk.skeleton, walk.pose, targets))
        assert ("lift" in failed(out, cut(walk, lift + 6))) == seen


def test_a_spin(walk):
    half = walk.frames // 2
    rot = np.array(walk.pose.rot)
    turn = np.clip((np.arange(walk.frames) - half) / 20.0, 0.0, 1.0) * np.pi
    rot[:, 0] = rotation.multiply(rotation.yaw(turn), rot[:, 0])
    assert "turning" in failed(changed(walk, rot=rot), cut(walk))


def test_an_arm_that_is_whipped_overhead(walk):
    half, shoulder = walk.frames // 2, walk.skeleton.roles.left_shoulder
    for seconds, seen in ((1.2, False), (0.12, True)):
        rot = np.array(walk.pose.rot)
        share = np.clip((np.arange(walk.frames) - half) / (seconds * walk.fps), 0.0, 1.0)
        up = rotation.axis_angle(np.array([1.0, 0.0, 0.0]), -2.6 * share)
        rot[:, shoulder] = rotation.multiply(up, rot[:, shoulder])
        assert ("hand_speed" in failed(changed(walk, rot=rot), cut(walk))) == seen


def test_a_body_that_turns_on_a_standing_foot():
    stand = as_take(ff.motion("stand")).resample(60)
    seconds = np.arange(stand.frames) / stand.fps
    for degrees, seen in ((20.0, False), (75.0, True)):
        turn = np.radians(degrees) * np.clip((seconds - 0.5 * stand.duration) / 1.2, 0.0, 1.0)
        rot = np.array(stand.pose.rot)
        rot[:, 0] = rotation.multiply(rotation.yaw(turn), rot[:, 0])
        foot = body_signals(stand).soles[0, 0, 1] * stand.skeleton.leg_length / 0.86  # what it turns about
        root = foot + rotation.rotate(rotation.yaw(turn), stand.pose.root_pos - foot)
        assert ("pivot" in failed(changed(stand, root, rot), cut(stand))) == seen


def test_a_jump_cut_in_flight():
    jump = as_take(ff.motion("jump", height=0.35)).resample(60)
    (seam,) = [round(jump.duration * 0.5 * 60)]
    first = jump.trim(0.0, (seam - 1) / 60.0)
    stand = as_take(ff.motion("stand")).resample(60)
    pose = Pose(
        np.concatenate([first.pose.root_pos, stand.pose.root_pos]), np.concatenate([first.pose.rot, stand.pose.rot])
    )
    out = jump.with_pose(pose)
    t = np.arange(out.frames) / 60.0
    before = t < first.frames / 60.0
    shown = [
        ShownClip(jump, np.where(before, t, np.nan), before * 1.0),
        ShownClip(stand, np.where(before, np.nan, t - first.frames / 60.0), (~before) * 1.0),
    ]
    found = judge(out, shown)
    assert "actions" in found.failed
    assert "jump" in found.reasons[0]


def test_clips_out_of_order_and_clips_that_are_lost(walk):
    first, second = cut(walk)
    assert "order" in judge(walk, [second, first]).failed
    short = ShownClip(walk, first.time_s, first.weight)
    long = walk.duration - first.clip.duration
    assert ("kept" in judge(walk, [short, second]).failed) == (long > 1.6)
    asked = short._replace(asked=True)
    assert "kept" not in judge(walk, [asked, second]).failed


def in_three(clip):
    """A clip as three that follow each other perfectly, a third of it each."""
    frames, third = np.arange(clip.frames), clip.frames // 3
    parts = []
    for first, past in ((0, third), (third, 2 * third), (2 * third, clip.frames)):
        inside = (frames >= first) & (frames < past)
        part = clip.trim(first / clip.fps, (past - 1) / clip.fps)
        parts.append(ShownClip(part, np.where(inside, (frames - first) / clip.fps, np.nan), inside.astype(float)))
    return parts


def test_a_seam_is_judged_by_what_its_own_clips_show(walk):
    """Where a later clip's floor lies says nothing about an earlier seam, and is seen at its own."""
    root, third = np.array(walk.pose.root_pos), walk.frames // 3
    root[2 * third :, 1] -= 0.05
    shown, lower = in_three(walk), changed(walk, root)
    last = changed(shown[2].clip, shown[2].clip.pose.root_pos - [0.0, 0.05, 0.0])
    whole, sunk = judge(walk, shown), judge(lower, [*shown[:2], shown[2]._replace(clip=last)])
    assert whole.believable, whole.reasons
    assert not sunk.seams[0].failed
    assert "floor_step" in sunk.seams[1].failed
    for name, figure in whole.seams[0].figures.items():
        if name != "knee":  # which is told of all frames from the seam on
            assert figure.value == pytest.approx(sunk.seams[0].figures[name].value, rel=0.05, abs=0.05), name


def test_a_clip_that_is_never_its_own_pose_is_left_where_it_gives_way(walk):
    """A join may hold a foot beside its place to the clip's end; the next seam is not where that began."""
    shown, third = in_three(walk), walk.frames // 3
    rot = np.array(walk.pose.rot)
    knee = walk.skeleton.roles.left_knee
    bent = rotation.multiply(rot[third : 2 * third, knee], rotation.exp(np.array([0.2, 0.0, 0.0])))
    rot[third : 2 * third, knee] = bent
    first, second = find_seams(changed(walk, rot=rot), shown)
    assert abs(first.first - third) <= 1
    assert abs(second.first - 2 * third) <= 1
