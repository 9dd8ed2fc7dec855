"""Acceleration bound: joints come within what they may do, feet that stand stay, and what is within stays as it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.feet import acceleration_bound
from footfall.feet.acceleration_bound import Bound, _solve_banded, within_bound
from footfall.feet.leg_model import ANKLES, PELVIS, UNKNOWNS, LegWork, leg_model, moved_legs
from footfall.feet.leg_solve import LegTargets, world_legs
from footfall.kinematics.fk import world_transforms_of

HELD = 1e4  # how firmly a standing ankle is held


@pytest.fixture(scope="module")
def walk() -> ff.Clip:
    return ff.motion("walk", speed=1.3, cycles=2)


def legs_at(clip: ff.Clip, ankle: np.ndarray | None = None) -> LegWork:
    """The legs of a clip on their own ankles, or on others."""
    legs = world_legs(clip.skeleton, clip.pose)
    turn = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (clip.frames, 2, 4))
    ankle = legs.ankle if ankle is None else ankle
    targets = LegTargets(np.zeros((clip.frames, 3)), ankle, turn, legs.knee - legs.hip)
    return LegWork.of(clip.skeleton, clip.pose, targets, tuple(range(len(clip.skeleton))))


def bound_of(clip: ff.Clip, more_m_s2: float) -> Bound:
    """As hard as joints ever do in the clip, and more; everything may be moved."""
    accel = np.linalg.norm(np.diff(clip.positions, n=2, axis=0), axis=-1)
    most = np.broadcast_to(accel.max(axis=0) + more_m_s2 / clip.fps**2, (clip.frames, len(clip.skeleton)))
    ankles = np.ones((clip.frames, 2, 3))
    return Bound(most, np.inf, np.zeros(clip.frames), np.inf, ankles, np.full((clip.frames, 2), -np.inf))


def accelerations(clip: ff.Clip, pose) -> np.ndarray:
    places = world_transforms_of(clip.skeleton, pose, range(len(clip.skeleton)))[0]
    return np.linalg.norm(np.diff(places, n=2, axis=0), axis=-1)


def test_what_is_within_its_bounds_stays_as_it_is(walk):
    pose, moves = within_bound(legs_at(walk), bound_of(walk, 1.0), walk.fps)
    assert not moves.any()
    assert np.abs(pose.rot - walk.pose.rot).max() < 1e-12


@given(st.integers(20, 60), st.sampled_from([0, 1]), st.floats(0.01, 0.03))
@settings(max_examples=8, deadline=None)
def test_an_ankle_that_jumps_for_a_frame_is_smoothed_and_a_foot_that_stands_stays(frame, side, jump_m):
    clip = ff.motion("walk", speed=1.3, cycles=2)
    legs = world_legs(clip.skeleton, clip.pose)
    ankle = np.array(legs.ankle)
    ankle[frame, side, 1] += jump_m
    bound = bound_of(clip, 10.0)
    stands = np.ones((clip.frames, 2), bool)
    stands[frame - 12 : frame + 13, side] = False
    held = bound._replace(ankles=np.where(stands[..., None], HELD, bound.ankles))
    work = legs_at(clip, ankle)
    before = (accelerations(clip, moved_legs(work, np.zeros((clip.frames, UNKNOWNS)))) - bound.most[1:-1]).max()
    pose, moves = within_bound(work, held, clip.fps)
    after = (accelerations(clip, pose) - bound.most[1:-1]).max()
    assert before > 15.0 / clip.fps**2
    assert after < 3.1 / clip.fps**2  # as near as is looked for
    assert np.abs(moves[:, ANKLES].reshape(-1, 2, 3)[stands]).max() < 1e-3
    assert np.abs(moves[:, PELVIS]).max() < jump_m


def test_a_long_clip_is_done_in_pieces_that_meet_without_a_jump(walk, monkeypatch):
    ankle = np.array(world_legs(walk.skeleton, walk.pose).ankle)
    ankle[[30, 90, 150], 0, 1] += 0.03
    monkeypatch.setattr(acceleration_bound, "PIECE", 60)
    work, bound = legs_at(walk, ankle), bound_of(walk, 10.0)
    pieces = acceleration_bound._pieces(work, bound)
    pose, moves = within_bound(work, bound, walk.fps)
    assert len(pieces) > 2
    assert [a for a, _ in pieces[1:]] == [b for _, b in pieces[:-1]]
    assert (accelerations(walk, pose) - bound.most[1:-1]).max() < 3.1 / walk.fps**2
    assert max(np.abs(moves[a - 1 : a + 1]).max() for a, _ in pieces[1:]) < 1e-5


def test_feet_are_not_lowered_below_their_floor(walk):
    ankle = np.array(world_legs(walk.skeleton, walk.pose).ankle)
    ankle[40, 0, 1] += 0.03
    floor = np.full((walk.frames, 2), -0.002)
    _, moves = within_bound(legs_at(walk, ankle), bound_of(walk, 10.0)._replace(floor=floor), walk.fps)
    _, free = within_bound(legs_at(walk, ankle), bound_of(walk, 10.0), walk.fps)
    assert free[:, 4].min() < -0.008
    assert moves[:, 4].min() > -0.004


def test_a_knee_that_turns_too_fast_is_slowed(walk):
    turns = np.diff(leg_model(legs_at(walk), np.zeros((walk.frames, UNKNOWNS))).knees, axis=0)
    wanted = 0.9 * float(np.abs(turns).max())
    work = legs_at(walk)
    _, moves = within_bound(work, bound_of(walk, 30.0)._replace(knee=wanted), walk.fps)
    assert np.abs(np.diff(leg_model(work, moves).knees, axis=0)).max() < 1.02 * wanted


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_joints_follow_moves_as_the_model_says(seed):
    clip = ff.motion("walk", speed=1.3)
    rng = np.random.default_rng(seed)
    work = legs_at(clip)
    at = 0.01 * rng.normal(size=(clip.frames, UNKNOWNS))
    at[:, 1] -= 0.1  # knees bent: those of a straight leg jump
    step = 1e-4 * rng.normal(size=(clip.frames, UNKNOWNS))
    here, there = leg_model(work, at), leg_model(work, at + step)
    told, moved = np.einsum("tjiu,tu->tji", here.follow, step), there.places - here.places
    assert np.abs(moved - told).max() < 0.01 * np.abs(moved).max()
    told, bent = np.einsum("tsu,tu->ts", here.bend, step), there.knees - here.knees
    assert np.abs(bent - told).max() < 0.01 * np.abs(bent).max()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_banded_systems_are_solved(seed):
    rng = np.random.default_rng(seed)
    count, width = 40, 9
    root = np.tril(np.triu(rng.normal(size=(count, count)), -(width - 1) // 2))
    full = root @ root.T + 3.0 * np.eye(count)
    right = rng.normal(size=count)
    lower = np.zeros((count, width))
    for i in range(count):
        for j in range(max(0, i - width + 1), i + 1):
            lower[i, i - j] = full[i, j]
    solved = right.copy()
    _solve_banded(lower, solved)
    assert np.allclose(solved, np.linalg.solve(full, right), atol=1e-9)
