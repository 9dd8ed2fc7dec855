"""Clips on ground: soles on the surface, nothing slides or pops, and what cannot be walked on is said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

import footfall as ff
from footfall.analysis.contacts import Contacts
from footfall.analysis.ground_seen import find_ground
from footfall.core.errors import FootfallError
from footfall.core.roles import SIDES
from footfall.feet.gentle import over_obstacle
from footfall.feet.on_ground import PutClip, put_on_ground
from footfall.kinematics import ground as made
from footfall.quality.ground_contact import ground_contact
from footfall.quality.joins import VISIBLE, excess_throughout

PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")


@pytest.fixture(scope="module")
def walk() -> ff.Clip:
    return ff.motion("walk", speed=1.3, cycles=4)


def contacts_at(clip: ff.Clip, put: PutClip) -> Contacts:
    at = np.clip(np.rint(put.times * clip.fps).astype(int), 0, clip.frames - 1)
    return Contacts(clip.fps, **{p: getattr(clip.contacts, p)[at] for p in PARTS}, floor=clip.contacts.floor)


def bones(clip: ff.Clip) -> np.ndarray:
    parents = clip.skeleton.parents[1:]
    return np.linalg.norm(clip.positions[:, 1:] - clip.positions[:, parents], axis=-1)


def assert_walks_on(clip: ff.Clip, put: PutClip) -> None:
    contact = ground_contact(put.clip, put.ground, put.soles, contacts_at(clip, put))
    assert contact.deepest_cm < 0.5
    assert contact.edge_cm < 2.0
    assert contact.slide.mean_cm_s < 1.0
    assert contact.off_ground == 0
    excess = excess_throughout(put.clip, clip, lambda t: np.interp(t, put.clip.times, put.times))
    assert excess.value < VISIBLE
    assert np.abs(bones(put.clip)[0] - bones(clip)[0]).max() < 1e-6
    assert np.isfinite(put.clip.pose.rot).all()


def test_flat_ground_given_as_ground_is_the_clip_itself(walk):
    assert walk.on_ground("flat") is walk
    raised = walk.on_ground(made.level(0.5))
    assert np.array_equal(raised.pose.rot, walk.pose.rot)
    assert np.allclose(raised.pose.root_pos - walk.pose.root_pos, [0.0, 0.5, 0.0])


@given(st.floats(2.0, 20.0), st.sampled_from([-1.0, 1.0]))
@settings(max_examples=5, deadline=None)
def test_slopes(steep, way):
    grade = steep * way
    clip = ff.motion("walk", speed=1.3, cycles=3)
    put = put_on_ground(clip, ff.ground(f"slope:{grade:.2f}"))
    assert_walks_on(clip, put)
    rise = put.falls[-1].ball[1] - put.falls[0].ball[1]
    run = np.linalg.norm((put.falls[-1].ball - put.falls[0].ball)[[0, 2]])
    assert abs(rise - 0.01 * grade * run) < 0.02


@pytest.mark.parametrize("name", ["stairs:15x35", "stairs:17x28", "stairs:-16x30", "stairs:-10x40", "rough:8x4"])
def test_edges(walk, name):
    put = put_on_ground(walk, ff.ground(name))
    assert_walks_on(walk, put)
    assert np.mean([fall.supported > 0.999 for fall in put.falls]) >= 0.95  # whole soles on treads
    for fall in put.falls:  # each on the ground, sole by sole
        under = float(put.ground.heights(fall.ball[0], fall.ball[2], fall.ball[1]))
        assert 0.0 <= fall.ball[1] - under < 0.05


def test_one_foot_a_tread_and_what_changed_is_told(walk):
    put = put_on_ground(walk, ff.ground("stairs:15x35"))
    rises = [round(float(fall.rise_m), 3) for fall in put.falls]
    assert set(rises) == {0.0, 0.15}
    assert rises == sorted(rises)  # once on the stairs, every step takes the next tread
    told = put.clip.report.ground
    assert told["duration_ratio"] > 1.1
    assert told["stride_ratio"][0] < 0.6
    assert [step["foot"] for step in told["steps"]] == [SIDES[fall.stance.foot] for fall in put.falls]
    x, y, z = put.falls[-1].ball
    assert float(ff.ground(told["ground"]).heights(x, z)) == pytest.approx(y, abs=0.05)


def test_the_pelvis_goes_with_the_stairs_without_steps_of_its_own(walk):
    put = put_on_ground(walk, ff.ground("stairs:15x35"))
    height = put.clip.positions[:, put.clip.skeleton.roles.pelvis, 1]
    assert height[-1] - height[0] == pytest.approx(put.falls[-1].ball[1] - put.falls[0].ball[1], abs=0.15)
    assert np.abs(np.diff(height)).max() * put.clip.fps < 0.8  # m/s


def test_runs_take_slopes_and_refuse_stairs():
    run = ff.motion("run", cycles=3)
    assert_walks_on(run, put_on_ground(run, ff.ground("slope:8")))
    with pytest.raises(FootfallError, match="give a walk"):
        run.on_ground("stairs:15x30")


def strip_of(heights: dict[float, float], end: float = 20.0) -> made.Ground:
    """Level ground along +Z whose height changes from the given metres on; NaN is a hole."""
    z = np.arange(-5.0, end, 0.05)
    profile = np.zeros(len(z))
    for start, height in heights.items():
        profile[z >= start] = height
    return made.plates(np.tile(profile, (200, 1)), 0.05, (-5.0, -5.0))


def test_what_cannot_be_walked_is_said_in_a_sentence(walk):
    with pytest.raises(FootfallError, match="rises or falls by 200 cm at once"):
        walk.on_ground(strip_of({1.5: 2.0}))
    with pytest.raises(FootfallError, match="it ends, or has a hole there"):
        walk.on_ground(strip_of({}, end=2.0))
    with pytest.raises(FootfallError, match="no ground where the clip begins"):
        walk.on_ground(strip_of({-5.0: np.nan, 3.0: 0.0}))
    with pytest.raises(FootfallError, match="hole"):
        walk.on_ground(strip_of({1.5: np.nan, 4.5: 0.0}))


def test_a_small_hole_is_stepped_over(walk):
    holed = strip_of({1.6: np.nan, 1.75: 0.0})
    put = put_on_ground(walk, holed)
    assert all(fall.supported > 0.999 for fall in put.falls)
    assert_walks_on(walk, put)


@pytest.mark.parametrize(("hole", "is_small"), [((1.6, 1.75), True), ((1.5, 4.5), False)])
def test_a_mesh_with_a_hole_is_stepped_over_or_refused(walk, hole, is_small):
    ends = [-9.0, *hole, 20.0]
    strips = [[(-9.0, 0.0, a), (9.0, 0.0, a), (9.0, 0.0, b), (-9.0, 0.0, b)] for a, b in (ends[:2], ends[2:])]
    quad = np.array([[0, 1, 2], [0, 2, 3]])
    holed = made.mesh_ground(np.array(strips).reshape(-1, 3), np.concatenate([quad, quad + 4]))
    if not is_small:
        with pytest.raises(FootfallError, match="it ends, or has a hole there"):
            put_on_ground(walk, holed)
        return
    put = put_on_ground(walk, holed)
    assert all(fall.supported > 0.999 for fall in put.falls)
    assert_walks_on(walk, put)


def test_heights_that_are_no_numbers_are_a_hole_not_a_height(walk):
    heights = np.zeros((100, 200))
    heights[:, 65:] = np.nan  # from 1.5 m ahead
    with pytest.raises(FootfallError, match="it ends, or has a hole there"):
        walk.on_ground(made.height_field(heights, 0.1, (-5.0, -5.0)))


def test_the_level_of_a_house_that_the_walk_is_on(walk):
    square = np.array([[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]])
    floors = [np.column_stack([square[:, 0], np.full(4, y), square[:, 1]]) for y in (0.0, 2.4)]
    quad = np.array([[0, 1, 2], [0, 2, 3]])
    house = made.mesh_ground(np.concatenate(floors), np.concatenate([quad, quad + 4]))
    put = put_on_ground(walk, house)
    assert max(abs(fall.rise_m) for fall in put.falls) < 1e-6
    assert max(fall.ball[1] for fall in put.falls) < 0.1


def test_a_clip_on_stairs_read_back_is_a_walk_on_those_stairs(walk):
    for name, rise in (("stairs:15x35", 0.15), ("stairs:-17x32", 0.17)):
        seen = find_ground(walk.on_ground(name))
        assert seen.kind == "steps"
        assert seen.rise_m == pytest.approx(rise, abs=0.02)


def test_uneven_motion_is_flattened(walk):
    climbed = walk.on_ground("stairs:15x35")
    flat = climbed.on_ground("flat")
    assert find_ground(climbed).kind == "steps"
    assert find_ground(flat).kind == "level"


def test_inputs_stay_as_they_were(walk):
    before = walk.pose.rot.copy(), walk.pose.root_pos.copy()
    walk.on_ground("slope:10")
    assert np.array_equal(before[0], walk.pose.rot)
    assert np.array_equal(before[1], walk.pose.root_pos)


@given(st.integers(0, 1000))
@settings(max_examples=8, deadline=None)
def test_the_gentlest_curve_over_an_obstacle_is_the_least_one(seed):
    rng = np.random.default_rng(seed)
    count = 24
    free = np.ones(count, bool)
    free[:4] = free[-4:] = False
    least = np.where(rng.random(count) < 0.25, rng.uniform(0.0, 0.2, count), -1.0)
    found = over_obstacle(least, 1e-4, free)
    assert (found[~free] == 0.0).all()
    assert (found - least)[free].min() > -5e-3

    def cost(x: np.ndarray) -> float:
        whole = np.zeros(count)
        whole[free] = x
        return float((np.diff(whole, n=2) ** 2).sum() + 1e-4 * (whole**2).sum())

    inside = LinearConstraint(np.eye(int(free.sum())), lb=np.maximum(least, -10.0)[free])
    best = minimize(cost, np.maximum(least, 0.0)[free], constraints=[inside], method="SLSQP", options={"maxiter": 500})
    assert cost(found[free]) < 1.1 * best.fun + 1e-5
