"""Live characters: every kernel against its readable twin, and what must hold for any request."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.kernels import kernel
from footfall.core.pose import Pose
from footfall.feet import live_lock as live_feet
from footfall.feet.leg_kernels import LegPose
from footfall.feet.limits import LIVE_FAR_M, LIVE_NEAR_M, LIVE_SUNK_M
from footfall.feet.live_lock import FootHold, HoldLimits, Soles
from footfall.kinematics.fk import world_transforms_of
from footfall.live.frame import pose_rows
from footfall.parametric import canonical_time, sampling
from footfall.parametric.arc_root import frames_at
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.parametric_motion import with_weights
from footfall_lab.oracles import plain_frame
from footfall_lab.oracles.character import (
    advance,
    advance_all,
    crowd,
    evaluate,
    go,
    land,
    pack,
    pose,
    step,
    travel,
    weights_of,
)

DT = 1.0 / 60.0


@pytest.fixture(scope="module")
def motions():
    return [with_weights(parametric_set(name)) for name in ("walk", "run", "stand")]


@pytest.fixture(scope="module")
def packed(motions):
    return pack(motions)


def angles(a, b):
    return rotation.angle_between(rotation.normalize(a), rotation.normalize(b))


def some_weights(rng, count, width, rows):
    """Weights that sum to 1, some negative."""
    w = np.zeros((rows, width))
    w[:, :count] = rng.dirichlet(np.ones(count), rows) * 1.4 - 0.4 / count
    return w


def mixed(packed, motions):
    """Six characters: walks, runs, one standing, two on the way from a walk to a run."""
    here = crowd(packed, 6)
    here.motion[:] = [[0, 1], [0, 1], [1, 0], [2, 0], [0, 1], [0, 1]]
    here.share[4:] = 0.8, 0.3
    here.wanted[:, 0, :2], here.wanted[:, 1, :2] = (1.3, 8.0), (2.6, -10.0)
    here.wanted[2, 0, :2] = 3.1, 20.0
    here.t[:] = np.linspace(0.0, 0.9, 6)[:, None]
    here.root[:] = [[k, -k, 0.7 * k] for k in range(6)]
    return here


# --- tables ----------------------------------------------------------------------------------------------------------


def test_packed_memory_is_what_the_tables_hold(packed, motions):
    joints = 24  # 22, padded
    rows = sum((m.cells + 1) * len(m) for m in motions)
    assert packed.tables.rows.nbytes == pytest.approx(4 * rows * (3 * joints + 8), rel=1e-2)
    assert packed.tables.nbytes < 1.2 * (packed.tables.rows.nbytes + packed.tables.mean.nbytes) + 1e5
    assert packed.names == ("walk", "run", "stand")
    assert packed.tables.rows.ctypes.data % 64 == packed.tables.mean.ctypes.data % 64 == 0


def test_soles_stand_on_the_floor(packed):
    heel, ball, tip = packed.tables.body.standing.T
    assert np.abs(heel).max() < 0.002
    assert (ball > tip).all()
    assert (ball < 0.04).all()
    assert (tip > -0.002).all()


@pytest.mark.parametrize(
    ("change", "error", "why"),
    [
        ({"time": "gamma"}, ParameterError, "log-rate"),
        ({"offsets": np.zeros(1)}, ParameterError, "slide"),
    ],
)
def test_what_cannot_be_packed_is_said(motions, change, error, why):
    with pytest.raises(error, match=why):
        pack([motions[0], replace(motions[1], **change)])


def test_another_body_is_refused(motions):
    skeleton = motions[1].skeleton
    other = replace(skeleton, offsets=skeleton.offsets * 1.1)
    with pytest.raises(SkeletonError, match="another body"):
        pack([motions[0], replace(motions[1], skeleton=other)])
    with pytest.raises(ParameterError, match="nothing to pack"):
        pack([])


# --- weights, clock --------------------------------------------------------------------------------------------------


def test_weights_are_those_of_the_fit(packed, motions, rng):
    for k, motion in enumerate(motions[:2]):
        low, high = motion.parameters.min(axis=0), motion.parameters.max(axis=0)
        p = rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low), (200, 2))
        found = weights_of(packed, np.full(200, k), p)
        assert found[:, : len(motion)] == pytest.approx(motion.weights(p), abs=1e-5)
        assert not found[:, len(motion) :].any()
        assert weights_of(packed, np.full(13, k), motion.parameters)[:, :13] == pytest.approx(np.eye(13), abs=1e-5)
    assert weights_of(packed, np.array([2]), np.zeros((1, 0)))[0, 0] == 1.0


def test_examples_alike_share_their_weight(motions):
    walk = motions[0]
    parameters = walk.parameters.copy()
    parameters[4] = parameters[3]
    with pytest.warns(UserWarning, match="merged"):
        twice = with_weights(replace(walk, parameters=parameters, fitted=None))
    p = parameters[[3, 7]]
    assert weights_of(pack([twice]), np.zeros(2), p)[:, :13] == pytest.approx(twice.weights(p), abs=1e-5)


@given(st.integers(0, 2), st.floats(0.0, 1.0), st.floats(0.0, 3.0), st.integers(0, 2**32 - 1))
def test_clock_is_that_of_canonical_time(packed, motions, k, t, dt, seed):
    motion = motions[k]
    w = some_weights(np.random.default_rng(seed), len(motion), packed.width, 1)
    end, laps, rate = advance(packed, np.array([k]), np.array([t]), w, dt)
    blended = motion.blended_rates(w[0, : len(motion)])
    stretches = canonical_time.advance(t, dt, blended, motion.is_loop)
    wanted = sum(b - a for a, b in stretches)
    assert end[0] - t + laps[0] == pytest.approx(wanted, abs=2e-6 * (1.0 + wanted))
    assert 0.0 <= end[0] <= 1.0
    assert np.isclose(rate[0], blended, rtol=1e-5).any()


def test_key_times_are_met_exactly(packed, motions):
    walk = motions[0]
    w = np.zeros((1, packed.width))
    w[0, 5] = 1.0
    t, laps = np.zeros(1), 0
    for k, length in enumerate(np.diff(walk.key_times[5])):
        t, more, _ = advance(packed, np.zeros(1), t, w, length)
        laps += more[0]
        assert t[0] == pytest.approx((k + 1) / 4, abs=1e-6)


def test_travel_is_that_of_the_motion(packed, motions, rng):
    walk = motions[0]
    w = some_weights(rng, 13, packed.width, 30)
    a, b, laps = rng.random(30), rng.random(30), rng.integers(0, 3, 30)
    found = travel(packed, np.zeros(30), a, b, laps, w)
    for n in range(30):
        v = w[n, :13]
        wanted = walk.travelled(b[n], v) - walk.travelled(a[n], v) + laps[n] * walk.travelled(1.0, v)
        assert found[n] == pytest.approx(wanted, abs=1e-5)


# --- poses -----------------------------------------------------------------------------------------------------------


@kernel(_nrt=False)
def each(s, x, cosine, sinc, logarithm):
    for i in range(len(s)):
        cosine[i], sinc[i], logarithm[i] = sampling.cosine(s[i]), sampling.sinc(s[i]), sampling.logarithm(x[i])


def test_series_are_good_to_float32():
    h, w = np.linspace(0.0, math.pi, 500), np.cos(np.linspace(1e-4, 0.5 * math.pi, 500))
    found = np.empty((3, 500))
    each((h * h).astype(np.float32), (1.0 - w).astype(np.float32), *found)
    for ours, wanted in zip(found, (np.cos(h), np.sinc(h / math.pi), np.arccos(w) / np.sqrt(1.0 - w * w)), strict=True):
        assert ours == pytest.approx(wanted, abs=1e-6)


def test_one_layer_is_the_motion_itself(packed, motions, rng):
    for k, motion in enumerate(motions):
        w = some_weights(rng, len(motion), packed.width, 40)
        t = rng.uniform(-0.1, 1.1, 40)
        t[:2] = 0.0, 1.0
        root = rng.normal(size=(40, 3)) * [3.0, 3.0, 2.0]
        both = np.stack([w, w], axis=1)
        rot, place = evaluate(packed, np.full((40, 2), k), np.stack([t, t], 1), both, np.ones(40), root)
        local = motion.local_pose(t, w[:, : len(motion)])
        wanted = frames_at(root[:, 1] + 1j * root[:, 0], root[:, 2]).pose(local)
        assert angles(rot, wanted.rot).max() < 2e-5
        assert place == pytest.approx(wanted.root_pos, abs=2e-6)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.9, 1.0])
def test_two_layers_are_a_slerp(packed, motions, rng, share):
    w, v = some_weights(rng, 13, packed.width, 20), some_weights(rng, 13, packed.width, 20)
    t, u = rng.random((2, 20))
    rot, place = evaluate(
        packed, np.array([0, 1]), np.stack([t, u], 1), np.stack([w, v], 1), np.full(20, share), np.zeros((20, 3))
    )
    a, b = motions[0].local_pose(t, w[:, :13]), motions[1].local_pose(u, v[:, :13])
    wanted = rotation.slerp(a.rot, b.rot, np.full(a.rot.shape[:-1], 1.0 - share))
    assert angles(rot, wanted).max() < 2e-5
    assert place == pytest.approx(share * a.root_pos + (1.0 - share) * b.root_pos, abs=2e-6)


# --- the whole frame -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", [False, True])
def test_frames_are_those_of_the_twin(packed, motions, lock):
    ours, twin = mixed(packed, motions), mixed(packed, motions)
    for k in range(70):
        for here in (ours, twin):
            here.wanted[0, 0, 0] = 1.3 + 0.4 * math.sin(0.1 * k)
            here.floor[:2] = 0.1 if k > 30 else 0.0
        step(packed, ours, DT, lock)
        plain_frame.step(packed, motions, twin, DT, lock)
        for name in ("hold", "down", "laps"):
            assert (getattr(ours, name) == getattr(twin, name)).all(), name
    for name in ("t", "root", "weights", "rate", "lift", "grip", "held", "offset", "root_pos"):
        assert getattr(ours, name) == pytest.approx(getattr(twin, name), abs=2e-5), name
    assert ours.positions == pytest.approx(twin.positions, abs=2e-5)
    assert angles(ours.rot, twin.rot).max() < 1e-4


@settings(max_examples=25)
@given(seed=st.integers(0, 100_000), violent=st.floats(0.0, 1.0))
def test_a_foot_is_held_as_by_the_twin(packed, seed, violent):
    """Contacts that know nothing of the pose, feet that plunge and jump: kernel and twin do the same."""
    rng = np.random.default_rng(seed)
    ours, twin = crowd(packed, 1), crowd(packed, 1)
    floor = rng.uniform(-0.05, 0.05)
    ours.floor[:] = twin.floor[:] = floor
    sole = np.array([[0.0, 0.0, -0.05], [0.0, 0.0, 0.15], [0.0, 0.0, 0.22]])
    place, speed, down = np.array([0.0, 0.1, 0.0]), np.zeros(3), np.zeros(2, bool)
    for _ in range(60):
        speed = 0.8 * speed + violent * rng.normal(size=3) - np.array([0.0, 2.0 * (place[1] - 0.05), 0.0])
        place = place + speed * DT
        points = place + rotation.rotate(rotation.exp(np.array([0.4 * rng.normal(), 0.0, 0.0])), sole)
        if rng.random() < 0.2:
            down = rng.random(2) < 0.5
        for here in (ours, twin):
            here.down[0, 0] = down
        heights = points[:, 1] - floor
        plain_frame._held(twin, 0, 0, points, heights, 0.0, DT)
        ours.hold[0, 0] = hold_foot(points, points[:, 1], floor, down, ours.rows, DT)
        assert ours.hold[0, 0] == twin.hold[0, 0]
        for name in ("held", "offset", "speed", "slip", "was"):
            np.testing.assert_allclose(getattr(ours, name)[0, 0], getattr(twin, name)[0, 0], atol=1e-9, err_msg=name)


@kernel
def hold_foot(points, heights, ground, down, here, dt):
    """One foot of the first of a crowd; the kernel takes places as tuples."""
    p = (
        (points[0, 0], points[0, 1], points[0, 2]),
        (points[1, 0], points[1, 1], points[1, 2]),
        (points[2, 0], points[2, 1], points[2, 2]),
    )
    high = (heights[0], heights[1], heights[2])
    foot = FootHold(here.held[0, 0], here.offset[0, 0], here.speed[0, 0], here.slip[0, 0], here.was[0, 0])
    return live_feet.hold_one(
        Soles(p, high, ground), down, here.hold[0, 0], foot, HoldLimits(LIVE_NEAR_M, LIVE_FAR_M, LIVE_SUNK_M), dt
    )


@kernel
def knee_of(places, turns, ahead, out):
    """Where the kernel has a knee; places (3, 3), turns (3, 4) of hip, knee and ankle."""
    p0, p1, p2 = (
        (places[0, 0], places[0, 1], places[0, 2]),
        (places[1, 0], places[1, 1], places[1, 2]),
        (places[2, 0], places[2, 1], places[2, 2]),
    )
    q = (turns[0, 0], turns[0, 1], turns[0, 2], turns[0, 3])
    leg = live_feet.knee_ahead(LegPose(p0, p1, p2, q, q, q, q, q, q), (ahead[0], ahead[1], ahead[2]))
    out[0], out[1], out[2] = leg[1]


def test_no_foot_is_thrown_by_its_contacts(packed):
    """A foot in fast flight that is said to stand is braked, one held too far is drawn along, none is jerked."""
    here = crowd(packed, 1)
    offsets, dt, x, at = [], DT, 0.0, []
    for k in range(60):
        x += 3.0 * dt
        points = np.array([[x, 0.0, -0.05], [x, 0.0, 0.15], [x, 0.0, 0.22]])
        down = np.array([k >= 20, k >= 20])
        here.hold[0, 0] = hold_foot(points, points[:, 1], 0.0, down, here.rows, dt)
        offsets.append(here.offset[0, 0, 0])
        at.append(x + offsets[-1])
    jerk = np.abs(np.diff(at, n=2)) / dt**2
    assert jerk.max() < live_feet.LIVE_BRAKE_M_S2 + 1e-6
    assert max(np.abs(offsets)) < LIVE_FAR_M


def test_a_foot_that_lands_in_flight_is_braked_though_another_part_of_it_takes_over(packed):
    """Its ball is held, and a frame later its heel is lower: what was still gliding glides on."""
    here = crowd(packed, 1)
    x, at = 0.0, []
    for k in range(40):
        x += 4.0 * DT if k < 22 else 0.0
        rolls = -0.01 if k >= 21 else 0.006  # metres that the heel is over the ball
        points = np.array([[x, rolls, -0.05], [x, 0.0, 0.15], [x, 0.002, 0.22]])
        here.hold[0, 0] = hold_foot(points, points[:, 1], 0.0, np.array([k >= 20, k >= 20]), here.rows, DT)
        at.append(x + here.offset[0, 0, 0])
        assert here.hold[0, 0] == (-1 if k < 20 else 1 if k == 20 else 0)
    assert np.abs(np.diff(at, n=2)).max() / DT**2 < live_feet.LIVE_BRAKE_M_S2 + 1e-6
    assert at[-1] == pytest.approx(at[-2], abs=1e-6)  # and it comes to rest


def test_a_foot_that_rolls_off_over_its_tip_stays_by_its_ball(packed):
    """The tip of stiff toes goes under the floor as the heel rises, and draws back; the ball stands and does not."""
    here = crowd(packed, 1)
    at, held = [], []
    for k in range(30):
        rolls = 0.04 * max(k - 5, 0)  # radians about the ball
        tip = [0.0, -0.07 * math.sin(rolls), 0.15 + 0.07 * math.cos(rolls)]
        points = np.array([[0.0, 0.2 * math.sin(rolls), 0.15 - 0.2 * math.cos(rolls)], [0.0, 0.0, 0.15], tip])
        here.hold[0, 0] = hold_foot(points, points[:, 1], 0.0, np.array([k < 5, True]), here.rows, DT)
        held.append(int(here.hold[0, 0]))
        at.append(points[1] + here.offset[0, 0])
    assert (held[0], held[-1]) == (0, 2)
    assert np.ptp(np.array(at)[:, 2]) < 1e-3  # the tip draws back by 12 mm
    assert at[-1][1] > 0.04  # and is kept out of the floor


def test_knees_bent_backward_are_mirrored(packed, motions):
    """Hip and ankle stay, the knee goes to the side of the toes, as by the twin, and an ahead one stays as it is."""
    local = motions[2].local_pose(0.0, np.ones(1))
    roles = packed.skeleton.roles
    for degrees in (-12.0, 0.0, 20.0):
        rot = np.array(local.rot)
        for joint in (roles.left_knee, roles.right_knee):
            rot[joint] = rotation.axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(degrees))
        pose = Pose(local.root_pos, rot)
        ahead = plain_frame.knees_ahead(packed, pose)
        joints = [roles.left_hip, roles.left_knee, roles.left_ankle, roles.left_toe]
        before, after = (world_transforms_of(packed.skeleton, p, joints)[0] for p in (pose, ahead))
        np.testing.assert_allclose(after[[0, 2, 3]], before[[0, 2, 3]], atol=1e-9)
        line = (before[0] + before[2]) / 2.0
        foot = world_transforms_of(packed.skeleton, pose, joints)[1]
        toes, found = rotation.rotate(foot[2], packed.tables.body.sole[0, 1]), np.empty(3)
        knee_of(before[:3], foot[:3], toes, found)
        np.testing.assert_allclose(found, after[1], atol=1e-9)
        if degrees < 0.0:
            assert before[1, 2] < line[2] < after[1, 2]
        elif degrees > 0.0:
            np.testing.assert_allclose(after, before, atol=1e-12)


def test_halves_make_a_whole(packed, motions):
    whole, halves = mixed(packed, motions), mixed(packed, motions)
    for _ in range(5):
        step(packed, whole, DT)
        go(packed, halves, DT)
        pose(packed, halves, DT)
    assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(whole, halves, strict=True))


def test_one_character_is_a_crowd_of_one(packed, motions):
    many = mixed(packed, motions)
    step(packed, many, DT)
    for n in range(6):
        one, every = crowd(packed, 1), mixed(packed, motions)
        for name in ("motion", "share", "wanted", "floor", "t", "root"):
            getattr(one, name)[:] = getattr(every, name)[n : n + 1]
        step(packed, one, DT)
        assert np.array_equal(one.rot[0], many.rot[n])
        assert np.array_equal(one.positions[0], many.positions[n])


@pytest.mark.usefixtures("nobody_else_works")  # tracemalloc is switched on and off
def test_steps_allocate_nothing(packed, motions):
    here = crowd(packed, 1000)
    step(packed, here, DT)
    tracemalloc.start()
    advance_all(here.handle, 1000, DT)
    pose_rows(here.handle, 0, 1000, here.shown, DT, True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000


def test_held_feet_stay_where_they_are(packed):
    """A walk that changes its speed and turn all the time: what stands moves by less than the eye can see."""
    here, tables = crowd(packed, 1), packed.tables
    slid, frames = [], 0
    before, place = np.full(2, -1), np.zeros((2, 3))
    for k in range(240):
        here.wanted[0, 0, :2] = 1.2 + 0.3 * math.sin(0.03 * k), 25.0 * math.sin(0.02 * k)
        step(packed, here, DT)
        found, turns = world_transforms_of(
            packed.skeleton, Pose(here.root_pos[0], here.rot[0].astype(float)), tables.body.sole_joints.ravel().tolist()
        )
        points = found.reshape(2, 3, 3) + rotation.rotate(turns.reshape(2, 3, 4), tables.body.sole)
        for side in range(2):
            hold = here.hold[0, side]
            if hold >= 0:
                now = points[side, hold]
                if hold == before[side]:
                    slid.append(np.linalg.norm((now - place[side])[[0, 2]]))
                place[side] = now
                frames += 1
        before = here.hold[0].copy()
    assert frames > 240
    assert len(slid) > 200
    assert np.mean(slid) / DT < 0.003  # m/s
    assert np.quantile(slid, 0.95) / DT < 0.01


def test_raised_ground_raises_body_and_feet(packed):
    here, level = crowd(packed, 1), crowd(packed, 1)
    here.floor[:] = 0.15
    for c in (here, level):
        c.wanted[:, 0, 0] = 1.3
        for _ in range(150):
            step(packed, c, DT)
    assert here.positions[0] - level.positions[0] == pytest.approx(np.tile([0.0, 0.15, 0.0], (22, 1)), abs=2e-3)


def test_characters_that_are_put_elsewhere_leave_no_foot_behind(packed):
    here = crowd(packed, 2)
    here.wanted[:, 0, 0] = 1.3
    for _ in range(30):
        step(packed, here, DT)
    here.root[:, 0] += 50.0
    land(here, np.array([0]))
    step(packed, here, DT)
    apart = np.linalg.norm(here.positions - here.root_pos[:, None], axis=-1).max(axis=1)
    assert apart[0] < 1.5
    assert np.abs(here.offset[0]).max() < 0.05 < np.abs(here.offset[1]).max()


@settings(max_examples=60)
@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4), st.floats(0.0, 2.0), st.floats(0.0, 1.0))
def test_any_request_gives_a_whole_body(packed, asked, dt, share):
    here = crowd(packed, 2)
    here.motion[:], here.share[:] = [0, 1], share
    here.wanted[:, :, :2] = np.reshape(asked, (2, 2))
    for _ in range(3):
        t, laps = here.t.copy(), here.laps.copy()
        step(packed, here, dt)
        assert (here.t + here.laps >= t + laps).all()
    assert np.isfinite(here.positions).all()
    assert np.isfinite(here.rot).all()
    assert np.linalg.norm(here.rot, axis=-1) == pytest.approx(1.0, abs=1e-5)


def test_what_is_no_number_does_no_harm(packed):
    here = crowd(packed, 1)
    here.wanted[:], here.t[:] = np.nan, np.nan
    for _ in range(3):
        step(packed, here, DT)
    assert not np.isfinite(here.positions).all()


@pytest.mark.parametrize("dt", [-1.0, 61.0, math.nan])
def test_steps_of_no_length_are_refused(packed, dt):
    with pytest.raises(ParameterError, match="a step lasts"):
        step(packed, crowd(packed, 1), dt)


def test_motions_that_do_not_exist_are_refused(packed):
    here = crowd(packed, 2)
    here.motion[1, 1] = 3
    with pytest.raises(ParameterError, match="character 1 plays motion"):
        step(packed, here, DT)
    with pytest.raises(ParameterError, match="motions are 0 to 2"):
        weights_of(packed, np.array([-1]), np.zeros((1, 2)))
    assert np.isnan(weights_of(packed, np.array([0]), np.full((1, 2), np.nan))).all()
