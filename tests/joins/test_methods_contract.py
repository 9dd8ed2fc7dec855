"""What every transition method promises, checked on every file of the family."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from few_ways import trying_few
from helpers import humanoid
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import State, state_of
from footfall.joins.departure import Departure, from_state, leaving
from footfall.joins.transition import Transition, TransitionRequest, method, methods

METHODS = list(methods())
PAIRS = [("walk", "kick"), ("walk", "run"), ("kick", "jump"), ("jump", "walk"), ("stand", "punch")]
FINE_FPS = 1000.0  # continuity is judged on frames this close together

each_method = pytest.mark.parametrize("name", METHODS)
each_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)


@pytest.fixture(autouse=True, scope="module")
def any_way_will_do() -> Iterator[None]:
    """What is promised holds for every way that a method tries, not only for the best of dozens."""
    with trying_few():
        yield


@cache
def motion(name: str) -> Clip:
    return ff.motion(name)


@cache
def clip(name: str) -> Clip:
    return motion(name).resample(60.0)


def run(name: str, departure: Departure, target: Clip, **request: object) -> Transition:
    return method(name).transition(departure, target, TransitionRequest(**request))  # type: ignore[arg-type,no-any-return]


def apart(a: Pose, b: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Metres of the root and the largest angle of a joint between poses."""
    return np.linalg.norm(a.root_pos - b.root_pos, axis=-1), rotation.angle_between(a.rot, b.rot).max(axis=-1)


def is_sound(t: Transition, departure: Departure, target: Clip) -> None:
    """Finite, unit, named, accounted for, and ending on the target's own pose."""
    frames = len(t.pose.root_pos)
    assert frames >= 1
    assert t.pose.rot.shape == (frames, len(departure.skeleton), 4)
    assert np.isfinite(t.pose.root_pos).all()
    assert np.isfinite(t.pose.rot).all()
    assert np.allclose(np.linalg.norm(t.pose.rot, axis=-1), 1.0, atol=1e-9)
    goal = t.placement.pose(target.sample(t.enter_s))
    metres, radians = apart(t.pose.at(-1), goal)
    assert metres < 1e-9
    assert radians < 1e-7
    assert float(np.abs(np.asarray(t.placement.shift)[..., 1])) == 0.0
    assert t.method in METHODS
    assert t.note
    assert all(len(track.time_s) == len(track.weight) == frames for track in t.tracks)
    total = sum(track.weight for track in t.tracks)
    assert np.allclose(total, 1.0)
    assert all((track.weight >= -1e-12).all() for track in t.tracks)


@each_method
@each_pair
def test_ends_on_the_target_and_accounts_for_every_frame(name: str, pair: tuple[str, str]) -> None:
    departure, target = leaving(clip(pair[0]), 0.5), clip(pair[1])
    is_sound(run(name, departure, target), departure, target)


def rates(a: Pose, b: Pose, step_s: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of the root and spins of the joints from one pose to the next."""
    turned = rotation.log(rotation.multiply(rotation.conjugate(a.rot), b.rot))
    return (b.root_pos - a.root_pos) / step_s, turned / step_s


@each_method
@each_pair
def test_no_step_in_pose_or_velocity_at_either_end(name: str, pair: tuple[str, str]) -> None:
    left, target = motion(pair[0]), motion(pair[1])  # 120 frames a second, lines between them
    departure = leaving(left, 0.5, fps=FINE_FPS)
    t = run(name, departure, target, length_s=0.4, enter_s=0.45)
    first = rates(departure.state.pose, t.pose.at(0), 1 / FINE_FPS)
    last = rates(t.pose.at(-2), t.pose.at(-1), 1 / FINE_FPS)
    for found, source, at_s, turn in ((first, left, 0.5, 0.0), (last, target, 0.45, float(t.placement.turn))):
        before, at, after = (source.sample(at_s + step / source.fps) for step in (-1, 0, 1))
        sides = [rates(before, at, 1 / source.fps), rates(at, after, 1 / source.fps)]
        for which, tolerance in ((0, 0.1), (1, 1.0)):  # m/s of the root, rad/s of the joints
            low, high = (side[which] for side in sides)
            mean = 0.5 * (low + high)
            mean = rotation.rotate(rotation.yaw(turn), mean) if which == 0 else mean
            own = 0.5 * np.linalg.norm(high - low, axis=-1)  # the clip's own step from line to line
            assert (np.linalg.norm(found[which] - mean, axis=-1) <= own + tolerance).all()


@each_method
@pytest.mark.parametrize("length_s", [2 / 60, 0.1, 0.35, 1.0])
def test_length_is_honoured(name: str, length_s: float) -> None:
    t = run(name, leaving(clip("walk"), 0.5), clip("kick"), length_s=length_s)
    assert len(t.pose.root_pos) == round(length_s * 60)


@each_method
@pytest.mark.parametrize("target", ["kick", "run"])
def test_entry_is_honoured(name: str, target: str) -> None:
    for enter_s in (0.0, 0.2, 0.6):
        t = run(name, leaving(clip("walk"), 0.5), clip(target), length_s=0.3, enter_s=enter_s)
        assert t.enter_s == pytest.approx(enter_s, abs=0.5 / 60)


@each_method
def test_entry_stays_in_its_window(name: str) -> None:
    for window_s in ((0.6, 0.8), (0.0, 0.1), (0.25, 0.25)):
        t = run(name, leaving(clip("walk"), 0.5), clip("kick"), length_s=0.4, window_s=window_s)
        assert window_s[0] - 1e-9 <= t.enter_s <= window_s[1] + 1e-9


@each_method
def test_same_question_same_answer_and_nothing_is_changed(name: str) -> None:
    left, target = clip("walk"), clip("kick")
    state = state_of(left, 0.3)
    parts = (state.pose.root_pos, state.pose.rot, state.velocity, state.spin, target.pose.root_pos, target.pose.rot)
    kept = [np.array(part) for part in parts]
    first, second = (run(name, from_state(left.skeleton, state), target, length_s=0.3) for _ in range(2))
    assert np.array_equal(first.pose.rot, second.pose.rot)
    assert np.array_equal(first.pose.root_pos, second.pose.root_pos)
    assert all(np.array_equal(part, before) for part, before in zip(parts, kept, strict=True))


@each_method
def test_does_not_depend_on_where_the_world_is(name: str) -> None:
    from footfall.kinematics.floor_align import FloorTransform

    move = FloorTransform(np.array(2.2), np.array([40.0, 0.0, -7.0]))
    left, target = clip("walk"), clip("kick")
    moved = left.with_pose(move.pose(left.pose))
    here = run(name, leaving(left, 0.5), target, length_s=0.3, enter_s=0.4)
    there = run(name, leaving(moved, 0.5), target, length_s=0.3, enter_s=0.4)
    metres, radians = apart(move.pose(here.pose), there.pose)
    assert metres.max() < 1e-6
    assert radians.max() < 1e-6


@each_method
def test_tiny_clips(name: str) -> None:
    left, target = clip("walk"), clip("kick")
    for a, b in ((left.trim(0.0, 0.0), target), (left, target.trim(0.0, 0.0)), (left, target.trim(0.0, 0.05))):
        departure = leaving(a)
        is_sound(run(name, departure, b, length_s=0.3), departure, b)


@each_method
def test_an_empty_target_and_another_body_are_refused_in_a_sentence(name: str) -> None:
    departure, target = leaving(clip("walk"), 0.5), clip("kick")
    with pytest.raises(FootfallError, match=r"^[^\n]+$"):
        run(name, departure, target.with_pose(target.pose.at(slice(0, 0))))
    with pytest.raises(FootfallError, match=r"^[^\n]+$"):
        run(name, departure, Clip(humanoid(), 60.0, Pose(np.zeros((5, 3)), np.tile(rotation.IDENTITY, (5, 22, 1)))))
    with pytest.raises(ParameterError, match="kick"):
        run(name, departure, target, enter_s=50.0)


@each_method
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1), spin=st.sampled_from([0.0, 3.0, 200.0]), turn=st.floats(-7.0, 7.0))
def test_starts_from_any_state(name: str, seed: int, spin: float, turn: float) -> None:
    """Thrown, lying, upside down, knotted: any pose with any velocities of the body the target is for."""
    rng, target = np.random.default_rng(seed), clip("kick")
    joints = len(target.skeleton)
    rot = rotation.multiply(target.pose.rot[0], rotation.exp(rng.normal(size=(joints, 3))))
    rot[0] = rotation.multiply(rotation.yaw(turn), rot[0])
    state = State(Pose(rng.normal(size=3), rot), 3.0 * rng.normal(size=3), spin * rng.normal(size=(joints, 3)))
    departure = from_state(target.skeleton, state, fps=60.0)
    t = run(name, departure, target, length_s=0.5)
    is_sound(t, departure, target)
    steps = rotation.angle_between(np.concatenate([rot[None], t.pose.rot])[:-1], t.pose.rot)
    assert steps.max() < 1.2  # radians a frame: 40 of a second is the most a body's joints turn, the way itself pi


ANY_BODY = {"crossfade", "inertialize", "dead-blend"}  # the others may ask for a body with legs


@each_method
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), joints=st.integers(1, 7), frames=st.integers(1, 25))
def test_any_skeleton_works_or_is_refused_in_a_sentence(name: str, seed: int, joints: int, frames: int) -> None:
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    body = Skeleton(tuple(f"joint{j}" for j in range(joints)), parents, rng.normal(size=(joints, 3)))
    start, rate = rng.normal(size=(2, joints, 3))
    t = np.arange(frames) / 30.0
    rot = rotation.multiply(rotation.exp(start), rotation.exp(t[:, None, None] * rate))
    target = Clip(body, 30.0, Pose(t[:, None] * rng.normal(size=3), rot), name="odd")
    state = State(
        Pose(rng.normal(size=3), rotation.exp(2.0 * rng.normal(size=(joints, 3)))),
        rng.normal(size=3),
        5.0 * rng.normal(size=(joints, 3)),
    )
    departure = from_state(body, state, fps=60.0)
    try:
        made = run(name, departure, target, length_s=0.25)
    except FootfallError:
        if name in ANY_BODY:
            raise
        return
    is_sound(made, departure, target)
