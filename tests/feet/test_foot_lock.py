"""Foot lock: planted points stay, bones keep their length, nothing else changes, and no input breaks it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import footfall as ff
from footfall.analysis.contacts import Contacts
from footfall.analysis.foot_points import foot_points
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.kernels import kernel
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.edit.sample import cycle
from footfall.feet import foot_targets, leg_solve
from footfall.feet.foot_lock import FootLockOptions, LockPlan, foot_lock, known_contacts, plan_locks
from footfall.feet.foot_targets import lock_targets
from footfall.feet.gentle import smooth_curve, widened
from footfall.feet.leg_solve import leg_chain, solve_legs, world_legs
from footfall.feet.pelvis_reach import least_move, smooth_moves
from footfall.quality.joins import CLEAN, excess_acceleration
from footfall.quality.knee import knee_speed
from footfall.quality.slide import slide
from footfall_lab.held_feet import hold_feet
from footfall_lab.oracles import plain_legs

NOTHING = {f"{side}_{part}": [] for side in SIDES for part in ("heel", "toe")}


def sliding(clip: Clip, size: float = 0.02, rate: float = 5.0) -> Clip:
    """The clip with a body that sways over its feet, so that they slide; not a loop any more."""
    t = clip.times
    sway = size * np.stack([np.sin(rate * t), 0.3 * np.sin(1.7 * rate * t), np.cos(rate * t)], axis=-1)
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + sway), is_loop=False)


def rounds(clip: Clip, seconds: float = 3.0) -> Clip:
    """A loop as a long clip, with its events."""
    laps = int(np.ceil(seconds / clip.duration))
    events = tuple(
        e._replace(start_s=e.start_s + k * clip.duration, end_s=e.end_s + k * clip.duration)
        for k in range(laps)
        for e in clip.events
    )
    pose = clip.sample(np.arange(laps * (clip.frames - 1) + 1) / clip.fps)
    return clip.with_pose(pose, is_loop=False, events=events)


def held_distance(before: Clip, after: Clip, plan: LockPlan) -> np.ndarray:
    """Distances, in metres, of held points from their places: points carried by the feet of the result."""
    old, new, sole = (
        world_legs(before.skeleton, before.pose),
        world_legs(after.skeleton, after.pose),
        foot_points(before),
    )
    local = rotation.rotate(rotation.conjugate(old.foot)[:, :, None], sole.sole[:, :, :2] - old.ankle[:, :, None])
    points = new.ankle[:, :, None] + rotation.rotate(new.foot[:, :, None], local)
    found = [np.zeros(0)]
    for lock in plan.locks:
        span = slice(round(lock.start_s * before.fps), round(lock.end_s * before.fps) + 1)
        path = points[span, SIDES.index(lock.foot), ("heel", "toe").index(lock.part)]
        found.append(np.linalg.norm(path - lock.place, axis=-1))
    return np.concatenate(found)


def worst_excess(after: Clip, before: Clip) -> float:
    """Excess acceleration of the worst moment, m/s²."""
    moments = np.arange(0.1, max(after.duration, 0.2), 0.6)
    return max(excess_acceleration(after, float(t), [(before, 0.0)]).value for t in moments)


def bone_lengths(clip: Clip) -> np.ndarray:
    return np.linalg.norm(clip.positions[:, 1:] - clip.positions[:, clip.skeleton.parents[1:]], axis=-1)


@pytest.fixture(scope="module")
def walk() -> Clip:
    return rounds(ff.motion("walk", speed=1.3))


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("walk", {"speed": 1.4}),
        ("walk", {"speed": 0.8, "turn": 40.0}),
        ("run", {"speed": 3.0}),
        ("kick", {}),
        ("jump", {}),
    ],
)
def test_built_in_motions_are_kept(name, known):
    clip = ff.motion(name, **known)
    locked = foot_lock(clip, known_contacts(clip))
    assert any(plan_locks(clip, known_contacts(clip)).locks)
    assert np.abs(locked.positions - clip.positions).max() < 1e-3
    if name in ("walk", "run"):
        assert np.array_equal(locked.pose.rot, clip.pose.rot)


def test_a_clip_without_contacts_is_the_same_object(walk):
    assert foot_lock(walk, NOTHING) is walk
    assert foot_lock(ff.motion("walk"), NOTHING) is not None
    empty = walk.with_pose(walk.pose.at(slice(0, 0)))
    assert foot_lock(empty) is empty


def test_frames_away_from_locks_are_bit_for_bit_the_same(walk):
    clip = sliding(walk)
    contacts = {"left_toe": [(1.0, 1.3)]}
    locked = foot_lock(clip, contacts)
    reach = 0.3 + 3 * 0.08 + 0.05 + 3 * 0.04
    far = (clip.times < 1.0 - reach) | (clip.times > 1.3 + reach)
    assert far.sum() > 60
    assert (locked.pose.root_pos[far] == clip.pose.root_pos[far]).all()
    assert (locked.pose.rot[far] == clip.pose.rot[far]).all()
    upper = np.setdiff1d(np.arange(len(clip.skeleton)), leg_solve.leg_joints(clip.skeleton))
    assert (locked.pose.rot[:, upper] == clip.pose.rot[:, upper]).all()
    assert np.abs(locked.positions - clip.positions).max() > 1e-3


@given(size=st.floats(0.002, 0.06), rate=st.floats(0.5, 9.0), speed=st.sampled_from([0.8, 1.5]))
@settings(max_examples=10)
def test_planted_points_stay_and_bones_keep_their_length(size, rate, speed):
    source = rounds(ff.motion("walk", speed=speed), 2.0)
    clip = sliding(source, size, rate)
    plan = plan_locks(clip, known_contacts(source))
    locked = foot_lock(clip, known_contacts(source))
    away = held_distance(clip, locked, plan)
    assert np.quantile(away, 0.9) < 1e-3
    if size * rate**2 < 0.5:  # gentle enough, m/s², for nothing to have to give way
        assert away.max() < 3e-3
    assert worst_excess(locked, clip) < CLEAN
    assert knee_speed(locked) < 1.2 * knee_speed(clip)
    assert np.abs(bone_lengths(locked) - bone_lengths(clip)).max() < 1e-9
    assert np.isfinite(locked.pose.rot).all()
    assert np.allclose(np.linalg.norm(locked.pose.rot, axis=-1), 1.0)


def test_a_lock_stops_slide_without_pops(walk):
    clip = sliding(walk)
    contacts = known_contacts(walk)
    locked = foot_lock(clip, contacts)
    before, after = slide(clip, walk.contacts), slide(locked, walk.contacts)
    assert before.mean_cm_s > 5.0
    assert after.mean_cm_s < slide(walk).mean_cm_s + 0.3  # an ankle moves about its heel even in the clean walk
    assert worst_excess(locked, clip) < CLEAN
    assert knee_speed(locked) < 1.2 * knee_speed(clip)


def test_places_are_where_the_point_is_on_the_whole(walk):
    clip = sliding(walk)
    for lock in plan_locks(clip, known_contacts(walk)).locks:
        span = slice(round(lock.start_s * clip.fps), round(lock.end_s * clip.fps) + 1)
        path = foot_points(clip).sole[span, SIDES.index(lock.foot), ("heel", "toe").index(lock.part)]
        assert (np.array(lock.place) > path.min(axis=0) - 0.01).all()
        assert (np.array(lock.place) < path.max(axis=0) + 0.01).all()
        assert np.isclose(lock.moved_m, np.linalg.norm(path - lock.place, axis=-1).max())


def test_windows_enclose_their_locks_and_do_not_cross(walk):
    plan = plan_locks(walk, known_contacts(walk))
    for foot in SIDES:
        windows = plan.windows(foot)
        assert len(windows) >= 3
        for a, b, c, d in windows:
            assert a <= b <= c <= d
        for first, second in pairwise(windows):
            assert first[3] <= second[1] + 1e-9
            assert second[0] >= first[2] - 1e-9


def test_detected_contacts_serve_as_well_as_spans_of_them(walk):
    clip = sliding(walk, 0.01, 3.0)
    found = clip.contacts
    assert isinstance(found, Contacts)
    spans = {part: found.spans(part) for part in NOTHING}
    assert np.array_equal(foot_lock(clip).pose.rot, foot_lock(clip, spans).pose.rot)
    assert np.array_equal(foot_lock(clip).pose.rot, foot_lock(clip, found).pose.rot)


def test_a_loop_still_closes():
    clip = ff.motion("walk", speed=1.3)
    turn = 2.0 * np.pi * clip.times / clip.duration
    sway = 0.015 * np.stack([np.sin(turn), np.sin(2 * turn) / 3, np.cos(turn)], axis=-1)
    clip = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + sway))
    locked = foot_lock(clip, known_contacts(clip))
    assert locked.is_loop
    assert np.abs(locked.positions - clip.positions).max() > 1e-3
    carried, last = cycle(locked).pose(locked.pose.at(0)), locked.pose.at(-1)
    assert np.abs(carried.root_pos - last.root_pos).max() < 1e-6
    assert rotation.angle_between(carried.rot, last.rot).max() < 5e-5


def test_flatten_lays_soles_level(walk):
    tilt = rotation.axis_angle(rotation.AXES["X"], np.full(walk.frames, 0.05))
    rot = np.array(walk.pose.rot)
    ankle = walk.skeleton.roles.left_ankle
    rot[:, ankle] = rotation.multiply(rot[:, ankle], tilt)
    clip = walk.with_pose(walk.pose._replace(rot=rot))
    plan = plan_locks(clip, known_contacts(walk), options=FootLockOptions(flatten=True))
    for part in ("heel", "toe"):
        heights = [lock.place[1] for lock in plan.locks if (lock.foot, lock.part) == ("left", part)]
        assert len(heights) >= 3
        assert np.ptp(heights) < 0.004


times = st.one_of(st.floats(-5, 8), st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1e300]))
spans = st.dictionaries(st.sampled_from([*NOTHING, "tail"]), st.lists(st.tuples(times, times), max_size=6), max_size=4)


@given(spans, st.floats(0.0, 2.0), st.booleans())
@settings(max_examples=12)
def test_never_nan_for_wild_contacts(contacts, ease_s, flatten):
    clip = sliding(ff.motion("walk", speed=1.2), 0.05)
    locked = foot_lock(clip, contacts, FootLockOptions(ease_s=ease_s, flatten=flatten))
    assert np.isfinite(locked.pose.rot).all()
    assert np.isfinite(locked.pose.root_pos).all()
    assert np.abs(bone_lengths(locked) - bone_lengths(clip)).max() < 1e-6


def test_inputs_are_told_apart_from_nonsense(walk):
    with pytest.raises(ParameterError, match="ease_s must be"):
        FootLockOptions(ease_s=float("nan"))
    body = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    clip = Clip(body, 30.0, Pose(np.zeros((3, 3)), np.tile(rotation.IDENTITY, (3, 2, 1))))
    with pytest.raises(SkeletonError):
        foot_lock(clip, NOTHING)
    with pytest.raises(SkeletonError, match="are not one leg"):
        leg_solve.leg_joints(walk.skeleton.with_roles(left_knee=walk.skeleton.names[walk.skeleton.roles.head]))


# --- parts ------------------------------------------------------------------------------------------------------------
coordinate = st.floats(-1.5, 1.5)


@kernel
def least_of(c, r):
    """least_move of balls, centers (2, 3), radii (2,)."""
    return least_move((c[0, 0], c[0, 1], c[0, 2]), (c[1, 0], c[1, 1], c[1, 2]), r[0], r[1])


@given(st.lists(coordinate, min_size=6, max_size=6), st.floats(0.2, 1.2), st.floats(0.2, 1.2))
@settings(max_examples=40)
def test_least_move_is_the_nearest_point_of_both_balls(numbers, r0, r1):
    centers, radii = np.array(numbers).reshape(2, 3), np.array([r0, r1])
    found = np.array(least_of(centers, radii))
    apart = np.linalg.norm(centers[1] - centers[0])
    if apart > r0 + r1:
        miss = np.linalg.norm(found - centers, axis=-1) - radii
        assert np.allclose(miss, 0.5 * (apart - r0 - r1))
        return
    assert (np.linalg.norm(found - centers, axis=-1) <= radii + 1e-9).all()
    inside = [{"type": "ineq", "fun": lambda p, k=k: radii[k] ** 2 - ((p - centers[k]) ** 2).sum()} for k in (0, 1)]
    best = minimize(lambda p: (p**2).sum(), centers.mean(axis=0), constraints=inside, method="SLSQP")
    if best.success and all(c["fun"](best.x) > -1e-6 for c in inside):
        assert np.linalg.norm(found) <= np.linalg.norm(best.x) + 1e-4


def test_smooth_moves_reach_and_stay_zero_where_nothing_is_needed():
    t = np.arange(240)
    centers = np.zeros((240, 2, 3))
    centers[:, 0, 1] = -0.8 - 0.1 * np.exp(-(((t - 120) / 6.0) ** 2))
    centers[:, 1, 1] = -0.8
    moves = smooth_moves(centers, np.full((240, 2), 0.85), 8)
    assert (np.linalg.norm(moves[:, None] - centers, axis=-1) < 0.85 + 1e-3).all()
    assert (moves[:60] == 0).all()
    assert (moves[180:] == 0).all()
    assert np.abs(np.diff(moves, n=2, axis=0)).max() < 0.004


@given(st.integers(1, 40), st.integers(0, 10_000))
@settings(max_examples=25)
def test_smooth_curves_are_the_least_squares_they_say(count, seed):
    rng = np.random.default_rng(seed)
    asked, free = rng.normal(size=(count, 2)), rng.random(count) < 0.8
    weight, stiff = 10.0 ** rng.uniform(-3, 1, count), 10.0 ** rng.uniform(-3, 3, count)
    curve = smooth_curve(asked, weight, stiff, free)
    bend = np.diff(np.eye(count), n=2, axis=0)
    rows = np.concatenate([np.sqrt(weight)[:, None] * np.eye(count), np.sqrt(stiff[1:-1])[:, None] * bend])
    right = np.concatenate([np.sqrt(weight)[:, None] * asked, np.zeros((len(bend), 2))])
    best = np.zeros((count, 2))
    best[free] = np.linalg.lstsq(rows[:, free], right, rcond=None)[0]
    assert np.abs(curve - best).max() < 1e-6
    assert (curve[~free] == 0.0).all()


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 5))
def test_widened_masks(flags, frames):
    mask = np.array(flags, bool)
    wide = widened(mask, frames)
    for i in range(len(mask)):
        assert wide[i] == mask[max(i - frames, 0) : i + frames + 1].any()


# --- kernels and their oracles ----------------------------------------------------------------------------------------
def test_kernel_equals_its_oracle_in_any_batch_shape(walk):
    clip = sliding(walk)
    targets, _ = lock_targets(clip, plan_locks(clip, known_contacts(walk)), FootLockOptions())
    targets = targets._replace(ankle=targets.ankle + 0.2 * np.sin(np.arange(6.0)).reshape(2, 3))
    count = 120
    pose = clip.pose.at(slice(count))
    targets = type(targets)(*(x[:count] for x in targets))
    readable, solved = (solve(clip.skeleton, pose, targets) for solve in (plain_legs.solve_legs, solve_legs))
    assert np.abs(solved.root_pos - readable.root_pos).max() < 1e-12
    assert np.abs(solved.rot - readable.rot).max() < 1e-9
    crowd = [x.reshape(8, 15, *x.shape[1:]) for x in (pose.root_pos, pose.rot, *targets)]
    together = solve_legs(clip.skeleton, Pose(crowd[0], crowd[1]), type(targets)(*crowd[2:]))
    assert np.array_equal(together.rot.reshape(solved.rot.shape), solved.rot)
    alone = solve_legs(clip.skeleton, pose.at(7), type(targets)(*(x[7] for x in targets)))
    assert np.array_equal(alone.rot, solved.rot[7])


def test_bones_that_slide_are_walked_as_forward_kinematics_does(walk, rng):
    clip = sliding(walk)
    targets, _ = lock_targets(clip, plan_locks(clip, known_contacts(walk)), FootLockOptions())
    slid = clip.skeleton.offsets + 0.01 * rng.normal(size=(clip.frames, len(clip.skeleton), 3))
    pose = clip.pose._replace(pos=slid)
    readable, solved = (solve(clip.skeleton, pose, targets) for solve in (plain_legs.solve_legs, solve_legs))
    assert solved.pos is not None
    assert np.array_equal(solved.pos, slid)
    assert np.abs(solved.rot - readable.rot).max() < 1e-9
    crowd = solve_legs(
        clip.skeleton,
        Pose(*(x[:120].reshape(8, 15, *x.shape[1:]) for x in pose)),
        type(targets)(*(x[:120].reshape(8, 15, *x.shape[1:]) for x in targets)),
    )
    assert np.array_equal(crowd.rot.reshape(120, -1, 4), solved.rot[:120])


@given(st.integers(0, 10_000), st.floats(0.0, 0.6))
@settings(max_examples=25)
def test_holding_feet_of_a_crowd_equals_one_by_one(seed, size):
    rng = np.random.default_rng(seed)
    clip = ff.motion("walk", speed=1.3)
    pose = clip.pose.at(rng.integers(0, clip.frames, 6))
    legs = world_legs(clip.skeleton, pose)
    point = np.broadcast_to([0.0, -0.05, 0.1], (6, 2, 3))
    place = legs.ankle + rotation.rotate(legs.foot, point) + size * rng.normal(size=(6, 2, 3))
    weight, offset = rng.choice([0.0, 0.4, 1.0], (6, 2)), 0.1 * rng.normal(size=(6, 2, 3))
    chain = leg_chain(clip.skeleton)
    root, rot, moved = hold_feet(pose.root_pos, pose.rot, chain, point, place, weight, offset)
    readable, moved_too = plain_legs.hold_feet(clip.skeleton, pose, point, place, weight, offset)
    assert np.abs(root - readable.root_pos).max() < 1e-9
    assert np.abs(moved - moved_too).max() < 1e-12
    assert np.abs(rot - readable.rot).max() < 1e-6
    for i in range(6):
        one = hold_feet(pose.root_pos[i], pose.rot[i], chain, point[i], place[i], weight[i], offset[i])
        assert np.array_equal(one[1], rot[i])
    if size < 0.02:
        after = world_legs(clip.skeleton, Pose(root, rot))
        reached = after.ankle + rotation.rotate(after.foot, point)
        assert np.abs(reached - place)[weight == 1.0].max(initial=0.0) < 1e-3


def test_pelvis_moves_equal_their_oracle():
    t = np.arange(300)
    centers = np.zeros((300, 2, 3))
    centers[:, 0, 1] = -0.8 - 0.1 * np.exp(-(((t - 150) / 6.0) ** 2))
    centers[:, 1] = np.stack([0.1 * np.sin(t / 40.0), np.full(300, -0.8), 0.02 * np.cos(t / 7.0)], axis=-1)
    centers[:5, 0, 1] -= 0.1  # at the very beginning, where smoothing has an edge
    radii = np.full((300, 2), 0.83)
    readable, compiled = (smooth(centers, radii, 8) for smooth in (plain_legs.smooth_moves, smooth_moves))
    assert np.abs(readable).max() > 0.03
    assert np.abs(compiled - readable).max() < 1e-9
    assert (compiled[60:90] == 0.0).all()


def test_a_lock_by_the_oracles_comes_to_the_same_end(walk, monkeypatch):
    clip = sliding(walk)
    locked = foot_lock(clip, known_contacts(walk))
    monkeypatch.setattr(foot_targets, "solve_legs", plain_legs.solve_legs)
    monkeypatch.setattr(foot_targets, "smooth_moves", plain_legs.smooth_moves)
    readable = foot_lock(clip, known_contacts(walk))
    assert np.abs(locked.pose.rot - readable.pose.rot).max() < 1e-6  # running sums against convolutions
