"""Streams: stateless, always forward, the same whatever the step."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.errors import FootfallError
from footfall.motions.library import motion
from footfall.parametric import canonical_time, play
from footfall.parametric.arc_root import frames_at
from footfall.parametric.blend_space import blend_space
from footfall.parametric.builtin_sets import parametric_set
from footfall_lab.oracles import plain_blend


@pytest.fixture(scope="module")
def walk():
    return blend_space("walk")


def test_a_stream_is_the_clip_it_would_make(walk):
    clip = walk(seconds=3.0, fps=60.0, lock=False, speed=1.2, turn=25.0)
    stream = walk.stream()
    stream.ask(speed=1.2, turn=25.0)
    poses = [stream.pose()] + [stream.step(1.0 / 60.0) for _ in range(clip.frames - 1)]
    root = np.stack([pose.root_pos for pose in poses])
    rot = np.stack([pose.rot for pose in poses])
    assert root == pytest.approx(clip.pose.root_pos, abs=1e-9)
    assert rotation.angle_between(rot, clip.pose.rot).max() < 1e-7


def test_the_step_does_not_matter(walk):
    ends = []
    for fps in (15.0, 60.0, 240.0):
        stream = walk.stream()
        for _ in range(round(2.0 * fps)):
            pose = stream.step(1.0 / fps, speed=0.9, turn=-50.0)
        ends.append((stream.t, stream.heading, *stream.position, *pose.root_pos))
    assert np.ptp(np.array(ends), axis=0).max() < 1e-9


def changing_stream(space, seconds):
    """(worst rad against a fresh evaluation, least Δt, worst rad of the incremental scheme) of a stream at 60 Hz."""
    motion, rng = space.motion, np.random.default_rng(3)
    stream = space.stream()
    low, high = motion.parameters.min(axis=0), motion.parameters.max(axis=0)
    worst, apart, before = 0.0, 0.0, None
    for k in range(round(seconds * 60.0)):
        if k % 20 == 0:
            speed, turn = rng.uniform(low, high)
        pose = stream.step(1.0 / 60.0, speed=speed, turn=turn)
        if k % 50 == 0:
            w = space.answers(np.array([speed, turn])).weights[0]
            fresh = motion.local_pose(stream.t, w)
            head = rotation.multiply(rotation.yaw(stream.heading), fresh.rot[0])
            worst = max(worst, float(rotation.angle_between(pose.rot[1:], fresh.rot[1:]).max()))
            worst = max(worst, float(rotation.angle_between(pose.rot[0], head)))
        if k < 600:
            before = plain_blend.incremental(before, motion.example_rotations(stream.t), stream.weights)
            apart = max(apart, float(rotation.angle_between(before[1:], pose.rot[1:]).max()))
    return worst, apart, stream


def test_a_stream_is_a_fresh_evaluation_at_every_moment(walk):
    worst, apart, stream = changing_stream(walk, 20.0)
    assert worst < 1e-9
    assert 0.0 < apart < 0.05  # the incremental scheme depends on its history
    assert stream.rounds > 5


@pytest.mark.long
def test_so_it_is_after_an_hour(walk):
    worst, _, stream = changing_stream(walk, 3600.0)
    assert worst < 1e-9
    assert stream.rounds > 1000


def test_frames_are_those_of_the_plain_blend(walk, rng):
    stream, same = walk.stream(1.0, 2.0, 0.3), walk.stream(1.0, 2.0, 0.3, compiled=True)
    for _ in range(100):
        ask = {"speed": float(rng.uniform(0.2, 2.5)), "turn": float(rng.uniform(-120, 120))}
        dt = float(rng.uniform(0.0, 0.2))
        pose = stream.step(dt, **ask)
        assert np.array_equal(pose.rot, same.step(dt, **ask).rot)
        frame = frames_at(np.array(complex(stream.position[2], stream.position[0])), np.array(stream.heading))
        plain = frame.pose(plain_blend.local_pose(walk.motion, stream.t, stream.weights))
        assert pose.root_pos == pytest.approx(plain.root_pos, abs=1e-9)
        assert rotation.angle_between(pose.rot, plain.rot).max() < 1e-7


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_time_never_stops_or_runs_back(walk, count):
    """Random steps, most far outside the examples."""
    motion, rng = walk.motion, np.random.default_rng(0)
    t, least = 0.0, np.inf
    for begin in range(0, count, 100_000):
        size = (min(count - begin, 100_000), 2)
        p = motion.parameters.mean(axis=0) + 5.0 * rng.normal(size=size) * np.ptp(motion.parameters, axis=0)
        gamma = canonical_time.blended_rates(canonical_time.gamma_weights(p, motion.parameters), motion.rates, "gamma")
        assert gamma.min() > 0.0
        for rate in motion.blended_rates(motion.weights(p)):
            steps = canonical_time.advance(t, 1.0 / 60.0, rate, True)
            least = min(least, sum(s.end - s.start for s in steps))
            t = steps[-1].end
    assert least > 0.0


def test_cadence_between_examples_follows_their_trend(walk):
    motion = walk.motion
    straight = np.flatnonzero(np.abs(motion.parameters[:, 1]) < 1.0)
    straight = straight[np.argsort(motion.parameters[straight, 0])]
    at, cycle = motion.parameters[straight, 0], motion.key_times[straight, -1]
    speeds = np.linspace(at[0], at[-1], 200)
    weights = motion.weights(np.column_stack([speeds, np.zeros(200)]))
    seconds = canonical_time.blended_key_times(motion.blended_rates(weights))[:, -1]
    trend = np.exp(np.interp(speeds, at, np.log(cycle)))
    assert np.abs(seconds / trend - 1.0).max() < 0.03
    assert (np.diff(seconds) < 0.0).all()


def test_an_action_comes_to_its_end_and_stays():
    space = blend_space([motion("wave")], kind="take")
    stream = space.stream()
    for _ in range(400):
        pose = stream.step(1.0 / 30.0)
    assert stream.done
    assert stream.t == 1.0
    again = stream.step(0.5)
    assert (again.rot == pose.rot).all()


def test_unknown_parameters_and_bad_steps_are_refused(walk):
    stream = walk.stream()
    with pytest.raises(FootfallError, match="speed"):
        stream.step(0.1, sped=1.0)
    with pytest.raises(FootfallError, match="finite"):
        stream.step(0.1, speed=float("nan"))
    for dt in (-0.1, float("nan"), 1e9):
        with pytest.raises(FootfallError, match="a step lasts"):
            stream.step(dt)
    assert stream.parameters.keys() == {"speed", "turn"}
    assert stream.achieved.keys() == {"speed", "turn"}


def test_a_standing_stream_stays_where_it_is():
    space = blend_space("stand")
    assert parametric_set("stand").is_loop
    stream = space.stream()
    for _ in range(300):
        stream.step(1.0 / 30.0)
    assert np.linalg.norm(stream.position) < 1e-3
    assert play.duration(space.motion, np.ones(1)) == pytest.approx(4.0)
