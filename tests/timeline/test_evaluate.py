"""What joins are made of: streams led on without broken knees, footprints that move the pelvis, clocks that wait."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.feet.foot_paths import foot_paths
from footfall.feet.join_legs import knee_poles, legs_of
from footfall.feet.leg_solve import world_legs
from footfall.timeline.adaptation import moved_root
from footfall.timeline.streams import played, poses

coordinate = st.floats(-0.6, 0.6)


@pytest.mark.parametrize("start", [0.1, 0.2, 0.35, 0.5])
@pytest.mark.parametrize("name", ["run", "walk", "kick"])
def test_a_clip_cut_in_mid_swing_is_led_on_without_bending_a_knee_backward(name, start):
    clip = ff.motion(name)
    paths = foot_paths(clip.with_pose(clip.trim(start, start + 0.15).pose, is_loop=False), clip.fps)
    legs = world_legs(clip.skeleton, paths.pose)
    line = legs.ankle - legs.hip
    forward = np.cross((legs.hip[:, 0] - legs.hip[:, 1])[:, None], -line)  # left, by up
    bend = legs.knee - 0.5 * (legs.hip + legs.ankle)
    ahead = (bend * forward).sum(axis=-1) / np.linalg.norm(forward, axis=-1)  # metres
    inside = slice(paths.lead, paths.lead + paths.frames)
    assert ahead.min() >= min(ahead[inside].min(), 0.0) - 0.005


@pytest.mark.parametrize("name", ["run", "jump"])
def test_a_clip_cut_out_of_a_flight_does_not_fall_through_the_floor(name):
    from footfall.analysis.phases import find_phases

    clip = ff.motion(name).resample(60.0)
    flight = next(p for p in find_phases(clip) if p.label == "NS" and p.end_s - p.start_s > 0.1)
    cut = clip.trim(flight.start_s + 0.06, flight.end_s - 0.04)
    paths = foot_paths(cut, 60.0)
    assert not paths.down.any()
    toes = [clip.skeleton.roles.left_toe, clip.skeleton.roles.right_toe]
    led_on = cut.with_pose(paths.pose).positions[:, toes, 1]
    assert led_on.min() > min(0.0215 * clip.skeleton.leg_length / 0.86, cut.positions[:, toes, 1].min()) - 1e-3
    assert np.abs(np.diff(paths.pose.root_pos[:, 1], n=2)).max() * 60.0**2 < 200.0  # nor stop all at once


def test_frames_of_a_clip_stay_what_they_are_and_times_between_are_between():
    clip = ff.motion("kick")
    paths = foot_paths(clip, clip.fps)
    whole = poses(paths, clip.times)
    np.testing.assert_array_equal(whole.rot, paths.pose.rot[paths.lead : paths.lead + clip.frames])
    half = played(paths, clip.times[:-1] + 0.5 / clip.fps, 0)
    ends = paths.ball[paths.lead : paths.lead + clip.frames]
    np.testing.assert_allclose(half.ball, 0.5 * (ends[1:] + ends[:-1]), atol=1e-12)


@given(
    x=coordinate,
    z=coordinate,
    apart=st.floats(0.1, 0.5),
    turn=st.floats(-0.5, 0.5),
    shift=st.tuples(coordinate, coordinate),
)
def test_footprints_that_only_moved_move_the_pelvis_as_much(x, z, apart, turn, shift):
    feet = np.array([[0.5 * apart, 0.0, 0.0], [-0.5 * apart, 0.0, 0.1]])
    body = np.array([np.sin(turn), 0.0, np.cos(turn)])
    root, by = np.array([x, 0.0, z]), np.array([shift[0], 0.0, shift[1]])
    there, here = moved_root(root, feet, feet + by, body), moved_root(root, feet, feet, body)
    np.testing.assert_allclose(there - here, by, atol=1e-9)


def test_feet_that_stand_wider_keep_the_pelvis_between_them():
    feet = np.array([[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]])
    root, ahead = np.array([0.0, 0.9, 0.02]), np.array([0.0, 0.0, 1.0])
    moved = moved_root(root, feet, np.array([[0.5, 0.0, 0.0], [-0.1, 0.0, 0.0]]), ahead)
    assert moved[0] == pytest.approx(0.2, abs=0.02)
    in_line = moved_root(
        root, np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]), ahead
    )
    np.testing.assert_allclose(in_line, [0.0, 0.0, 0.12], atol=1e-9)  # singular there: by the mean of the feet's shifts


def test_a_transition_that_throws_a_limb_is_not_stretched():
    from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

    track = TimelineTrack((TimelineClip("skip", 0.0), TimelineClip("run", 1.2)))
    arranged = ff.timeline(Timeline((track,), fps=60.0))
    made = arranged.synthesized()[0]
    assert made.plan.joins[0].kind == "transition"
    assert not made.evaluated[0].warped
    assert made.evaluated[0].foretold.excess_m_s2 < 38.0
    take = arranged.render()
    join = next(s for s in take.report.segments if s.kind == "transition")
    assert "at their own rate after all" in join.reason
    assert join.quality["excess_m_s2"] < 40.0


def test_knees_are_told_to_bend_forward():
    for name in ("walk", "run", "kick"):
        clip = ff.motion(name)
        legs = world_legs(clip.skeleton, clip.pose)
        pole = knee_poles(legs_of(clip.skeleton, clip.pose)[0], clip.fps)
        bend = legs.knee - 0.5 * (legs.hip + legs.ankle)
        clear = np.linalg.norm(bend, axis=-1) > 0.05
        assert ((pole * bend).sum(axis=-1)[clear] > 0.0).all()


SOURCE = """
import sys, numpy as np, footfall as ff
pose = ff.timeline(["walk", "kick", "walk"]).render(measured=False).pose
np.savez(sys.argv[1], root_pos=pose.root_pos, rot=pose.rot)
"""


@pytest.mark.long
def test_a_take_is_the_same_whether_kernels_are_compiled_or_not(tmp_path):
    made = []
    for policy in ("compiled", "python"):
        out = tmp_path / f"{policy}.npz"
        environment = {**os.environ, "FOOTFALL_KERNELS": policy}
        subprocess.run([sys.executable, "-c", SOURCE, str(out)], env=environment, check=True)
        made.append(np.load(out))
    for key in ("root_pos", "rot"):
        assert made[0][key].shape == made[1][key].shape
        assert np.abs(made[0][key] - made[1][key]).max() < 1e-9
