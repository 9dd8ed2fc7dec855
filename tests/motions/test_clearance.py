"""Swinging feet pass over the floor, not along it: heel, ball and toe tip of every built-in motion."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.core.clip import Clip
from footfall.kinematics.fk import end_positions, world_transforms
from footfall.motions import clearance, gait_sets
from footfall.motions.body import ANKLE_HEIGHT, BALL_HEIGHT, TIP_HEIGHT
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.motions.library import motion, motion_names
from footfall.motions.locomotion import steady
from footfall_lab.truth import known_spans

CLEARANCE = 0.01  # metres over the middle 60 % of a swing
SLOW = 1.5  # m/s: what is lower than that moves no faster …
AROUND_S = 0.05  # … but this long after leaving and before landing

SETS = {
    "walks": gait_sets.walks,
    "runs": gait_sets.runs,
    "park_runs": gait_sets.park_runs,
    "locomotion": gait_sets.locomotion,
    "transitions": gait_sets.transitions,
    "motions": lambda: [motion(name) for name in motion_names()],
}


def sole(clip: Clip, side: str) -> np.ndarray:
    """(T, 3, 3) heel, ball and tip of one foot, at the sole."""
    body = clip.skeleton
    positions, rotations = world_transforms(body, clip.pose)
    ends = end_positions(body, positions, rotations)
    foot, toe = (body.index(f"{side.title()}{joint}") for joint in ("Foot", "ToeBase"))
    heel, tip = (ends[:, list(body.end_parents).index(joint)] for joint in (foot, toe))
    return np.stack([heel, positions[:, toe] - [0, BALL_HEIGHT, 0], tip - [0, TIP_HEIGHT, 0]], axis=1)


def swings(clip: Clip) -> Iterator[tuple[np.ndarray, float, float, np.ndarray, np.ndarray]]:
    """Times, off, strike, heights (T, 3) and horizontal speeds (T, 3) of every whole swing; loops go on."""
    for side in ("left", "right"):
        points = sole(clip, side)
        height = points[..., 1]
        speed = np.linalg.norm(np.gradient(points, 1.0 / clip.fps, axis=0)[..., [0, 2]], axis=-1)
        spans, times = known_spans(clip, side), clip.times
        if clip.is_loop:
            height, speed = (np.concatenate([x[:-1], x]) for x in (height, speed))
            times = np.concatenate([times[:-1], times + clip.duration])
            spans = spans + [(a + clip.duration, b + clip.duration) for a, b in spans]
        for (_, off), (strike, _) in pairwise(spans):
            if strike > off + 1e-6:
                yield times, off, strike, height, speed


def check(clip: Clip) -> int:
    count = 0
    for times, off, strike, height, speed in swings(clip):
        share = (times - off) / (strike - off)
        middle = (share >= 0.2) & (share <= 0.8)
        assert height[middle].min() >= CLEARANCE, (clip.name, clip.parameters, off)
        far = (times > off + AROUND_S) & (times < strike - AROUND_S)
        grazing = speed[far][height[far] < CLEARANCE]
        assert grazing.max(initial=0.0) <= SLOW, (clip.name, clip.parameters, off)
        count += 1
    return count


@pytest.mark.parametrize("name", list(SETS))
def test_feet_clear_the_floor_in_every_built_in_motion(name):
    assert sum(check(clip) for clip in SETS[name]()) >= 2 * 9


walking = st.builds(SteadyGait, st.just("walk"), st.floats(0.5, 2.0), st.floats(-1.0, 1.0))
running = st.builds(SteadyGait, st.just("run"), st.floats(1.9, 5.0), st.floats(-1.0, 1.0))
gaits = st.one_of(st.just(SteadyGait("stand")), walking, running)


@settings(max_examples=25)
@given(gaits, gaits)
def test_feet_clear_the_floor_in_any_change_of_gait(before, after):
    if before.type != after.type:
        assert check(gait_change(before, after)) >= 2


@pytest.mark.parametrize(("walk", "run"), [(1.2, 2.8), (1.4, 3.0), (1.6, 4.0)])
def test_no_swing_is_hurried_between_walking_and_running(walk, run):
    """A foot put down walking leaves when a run's would if running has begun: its swing is not cut short."""
    slow, fast = SteadyGait("walk", walk), SteadyGait("run", run)
    usual = min(strike - off for c in (steady(walk), steady(run, run=True)) for _, off, strike, *_ in swings(c))
    for clip in (gait_change(slow, fast), gait_change(fast, slow)):
        assert min(strike - off for _, off, strike, *_ in swings(clip)) > 0.85 * usual


# --- the lift itself ---------------------------------------------------------------------------------------------

FINE = np.linspace(0.0, 1.0, 241)


@cache
def bump(where: float, wide: float) -> np.ndarray:
    return np.maximum(1.0 - ((FINE - where) / wide) ** 2, 0.0) ** 2


bumps = st.tuples(st.floats(0.15, 0.85), st.floats(0.05, 0.14), st.floats(0.001, 0.05))


@given(st.lists(bumps, min_size=1, max_size=3))
def test_the_lift_is_enough_and_starts_and_ends_at_rest(rows):
    short = sum(high * bump(where, wide) for where, wide, high in rows)
    lift = clearance.raised(FINE, short)
    assert (lift >= short - 1e-9).all()
    for end in (lift[:3], lift[:-4:-1]):  # ~ u^3 there: value, rate and acceleration shrink with the step
        assert end[0] == pytest.approx(0.0, abs=1e-12)
        assert abs(end[1]) < 1e-2 * lift.max()
    assert clearance.raised(FINE, 2.0 * short) == pytest.approx(2.0 * lift, abs=1e-9)


def test_the_lift_dies_away_from_where_it_is_needed():
    lift = clearance.raised(FINE, 0.01 * bump(0.8, 0.05))
    assert lift.max() < 0.015
    assert lift[FINE < 0.4].max() < 0.0005


def test_the_lift_is_the_gentlest_one():
    """Against scipy's general solver on the same problem."""
    from scipy.optimize import minimize

    share = np.linspace(0.0, 1.0, 41)
    short = np.interp(share, FINE, 0.5 * bump(0.3, 0.1) + bump(0.75, 0.14))
    shapes = clearance._basis(share)
    root = np.linalg.inv(clearance._gentle())
    cost = root.T @ root
    other = minimize(
        lambda c: c @ cost @ c,
        np.full(shapes.shape[1], 2.0),
        jac=lambda c: 2.0 * cost @ c,
        constraints={"type": "ineq", "fun": lambda c: shapes @ c - short, "jac": lambda c: shapes},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert other.success
    assert clearance.raised(share, short) == pytest.approx(shapes @ other.x, abs=2e-3)


def test_a_foot_that_is_high_enough_is_left_alone():
    t = np.linspace(0.01, 0.39, 40)
    still = np.zeros(40)
    high = np.column_stack([still, ANKLE_HEIGHT + 0.05 + still, 3.0 * t])
    points = clearance.sole_points(high, still, still, still)
    assert points[0, :, 1] == pytest.approx(0.05)
    assert (clearance.lift(t, np.array([0.0, 0.4]), points) == 0.0).all()
    low = high - [0.0, 0.05, 0.0]
    assert clearance.lift(t, np.array([0.0, 0.4]), clearance.sole_points(low, still, still, still)).max() > 0.0125
