"""The built-in actions: on target, smooth, feet still, joints human, the same every time."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName
from footfall.kinematics.fk import end_positions, world_transforms
from footfall.motions import arms, sets
from footfall.motions.body import BALL_HEIGHT, LEG
from footfall.motions.keyframes import Key, curve, pulse
from footfall.motions.library import motion
from footfall.motions.rig import center_of_mass
from footfall.quality.liveliness import joint_speed
from footfall_lab.truth import known_spans

ROWS = {"reach": sets.REACH, "punch": sets.PUNCH, "kick": sets.KICK, "jump": sets.JUMP}
NAMES = {"jump": ("distance", "direction", "height")}
JOINT = {"reach": "RightHand", "punch": "RightHand", "kick": "RightFoot"}
OTHERS = {
    "stand": ("stand", {}),
    "stand-long": ("stand", {"seconds": 7.3, "seed": 4}),
    "bow": ("bow", {}),
    "bow-deep": ("bow", {"depth": 85.0, "seed": 2}),
    "wave": ("wave", {}),
    "wave-both": ("wave", {"side": "both", "swings": 2, "seed": 1}),
    "turn": ("turn-in-place", {}),
    "turn-right": ("turn-in-place", {"angle": -200.0, "seed": 3}),
    "turn-little": ("turn-in-place", {"angle": 20.0}),
    "reach-far": ("reach", {"x": -0.1, "y": 1.1, "z": 1.05, "seed": 2}),
    "reach-low-far": ("reach", {"x": -0.2, "y": 0.15, "z": 0.8}),
    "turn-180": ("turn-in-place", {"angle": 180.0, "pairs": 2, "seed": 1}),
    "pick-up": ("pick-up", {}),
    "pick-up-far": ("pick-up", {"x": 0.1, "y": 0.3, "z": 0.75, "seed": 2}),
    "pick-up-left": ("pick-up", {"x": 0.3, "y": 0.7, "z": 0.4, "side": "left", "seed": 3}),
    "sit-down": ("sit-down", {}),
    "sit-down-low": ("sit-down", {"height": 0.3, "seed": 1}),
    "stand-up": ("stand-up", {}),
    "stand-up-high": ("stand-up", {"height": 0.65, "seed": 2}),
    "get-up": ("get-up", {}),
    "get-up-quick": ("get-up", {"seed": 3}),
    "kick-left": ("kick", {"side": "left", "x": 0.1, "seed": 5}),
}
CHANGE = ("pick-up", "sit-down", "stand-up", "get-up")  # these end in another pose
CASES = [*(f"{name}-{i:02d}" for name, rows in ROWS.items() for i in range(0, len(rows), 4)), *OTHERS]


@cache
def clip_of(case: str) -> Clip:
    if case in OTHERS:
        name, parameters = OTHERS[case]
        return motion(name, **parameters)
    name, number = case.split("-")
    row = ROWS[name][int(number)]
    stays = {"steps": 0} if name == "reach" else {}  # as in the set, so that all have one structure
    return motion(name, seed=int(number), **stays, **dict(zip(NAMES.get(name, ("x", "y", "z")), row, strict=True)))


def at_apex(clip: Clip) -> int:
    return round(next(e.start_s for e in clip.events if e.name == "apex") * clip.fps)


def joint(clip: Clip, name: str) -> np.ndarray:
    return clip.positions[:, clip.skeleton.names.index(name)]


def soles(clip: Clip) -> dict[str, np.ndarray]:
    """Contact points over time, as events name them; toes as the ball's sole."""
    places, turns = world_transforms(clip.skeleton, clip.pose)
    ends = end_positions(clip.skeleton, places, turns)
    carriers = [clip.skeleton.names[j] for j in clip.skeleton.end_parents]
    found = {}
    for side in ("left", "right"):
        found[f"{side}_heel"] = ends[:, carriers.index(f"{side.title()}Foot")]
        found[f"{side}_toe"] = joint(clip, f"{side.title()}ToeBase") - BALL_HEIGHT * rotation.UP
        found[f"{side}_tip"] = ends[:, carriers.index(f"{side.title()}ToeBase")]
    return found


@pytest.mark.parametrize("case", [c for c in CASES if c.split("-")[0] in JOINT and c not in OTHERS])
def test_the_wrist_or_ankle_is_on_target_at_the_apex(case):
    clip = clip_of(case)
    target = [clip.parameters[axis] for axis in "xyz"]
    assert np.linalg.norm(joint(clip, JOINT[case.split("-")[0]])[at_apex(clip)] - target) < 0.002


@pytest.mark.parametrize("case", CASES)
def test_planted_feet_are_still_and_above_the_floor(case):
    clip, points = clip_of(case), soles(clip_of(case))
    feet = [e for e in clip.events if e.name not in ("apex", "seat")]
    assert feet
    for event in feet:
        during = (clip.times >= event.start_s - 1e-9) & (clip.times <= event.end_s + 1e-9)
        path = points[event.name][during]
        assert np.linalg.norm(path - path[0], axis=1).max() < 0.001, event
        assert abs(path[:, 1]).max() < 0.001, event
    assert min(p[:, 1].min() for p in points.values()) > -0.002


@pytest.mark.parametrize("case", CASES)
def test_acceleration_has_no_spikes(case):
    """A kink in velocity stands out by itself in one frame; what is C2 lies near the mean of its neighbours."""
    clip = clip_of(case)
    acceleration = np.diff(clip.positions, 2, axis=0) * clip.fps**2
    spike = np.linalg.norm(acceleration[1:-1] - 0.5 * (acceleration[2:] + acceleration[:-2]), axis=-1).max(axis=0)
    largest = np.linalg.norm(acceleration, axis=-1).max(axis=0)
    assert (spike < 0.4 * np.maximum(largest, 5.0)).all()
    assert largest.max() < 500.0


@pytest.mark.parametrize("case", CASES)
def test_joints_stay_within_human_range(case):
    clip = clip_of(case)
    names = clip.skeleton.names
    _, turns = world_transforms(clip.skeleton, clip.pose)
    trunk = rotation.angle_between(turns[:, 0], turns[:, names.index("Spine2")])
    neck = rotation.angle_between(turns[:, names.index("Spine2")], turns[:, names.index("Head")])
    assert np.degrees(trunk.max()) < 75.0
    assert np.degrees(neck.max()) < 75.0
    for side in ("Left", "Right"):
        hip, knee, ankle = (joint(clip, side + part) for part in ("UpLeg", "Leg", "Foot"))
        shoulder, elbow, wrist = (joint(clip, side + part) for part in ("Arm", "ForeArm", "Hand"))
        assert np.linalg.norm(ankle - hip, axis=1).max() < 0.999 * LEG
        assert np.linalg.norm(wrist - shoulder, axis=1).max() < 0.999 * arms.ARM
        assert np.degrees(angle(elbow - shoulder, wrist - elbow).max()) < 150.0
        assert np.degrees(angle(knee - hip, ankle - knee).max()) < 150.0
        # knees bend backwards only: the shank, seen from the thigh, never goes forward of it
        shank = rotation.rotate(rotation.conjugate(turns[:, names.index(f"{side}UpLeg")]), ankle - knee)
        assert shank[:, 2].max() < 1e-6
        thigh = rotation.rotate(rotation.conjugate(turns[:, 0]), knee - hip)
        assert np.degrees(np.arctan2(thigh[:, 2], -thigh[:, 1]).max()) < 145.0


ABOVE_HIPS = st.tuples(st.floats(-1.0, 1.0), st.floats(-0.95, 0.4), st.floats(-0.3, 1.0), st.floats(0.55, 1.5))


@settings(max_examples=12, deadline=None)
@given(ABOVE_HIPS.filter(lambda d: np.linalg.norm(d[:3]) > 0.3), st.integers(0, 50))
def test_nobody_bends_far_for_what_is_between_hips_and_eyes(direction, seed):
    """Within an arm and a half of the shoulder the trunk leans 20 degrees at most; a step does the rest."""
    shoulder = joint(motion("stand"), "RightArm")[0]
    x, y, z = shoulder + direction[3] * arms.ARM * np.array(direction[:3]) / np.linalg.norm(direction[:3])
    clip = motion("reach", x=x, y=float(np.clip(y, 0.92, 1.65)), z=z, seed=seed)
    up = 0.5 * (joint(clip, "LeftArm") + joint(clip, "RightArm")) - joint(clip, "Hips")
    assert np.degrees(np.arctan2(np.hypot(up[:, 0], up[:, 2]), up[:, 1])).max() < 20.0


@pytest.mark.parametrize(("y", "z", "steps"), [(1.3, 0.45, 1), (1.0, 1.1, 3), (0.15, 0.8, 3)])
def test_a_reach_steps_for_what_is_far_and_bends_its_knees_for_what_is_low(y, z, steps):
    clip = motion("reach", x=-0.2, y=y, z=z)
    assert len(known_spans(clip, "right")) == steps
    assert known_spans(clip, "left") == [(0.0, clip.duration)]
    low = joint(clip, "Hips")[:, 1].min()
    assert low < 0.6 if y < 0.3 else low > 0.7


def angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(axis=-1))


@pytest.mark.parametrize("case", [c for c in CASES if not c.startswith(("jump", "turn", "stand", *CHANGE))])
def test_actions_in_place_end_as_they_began(case):
    clip = clip_of(case)
    assert np.abs(clip.positions[0] - clip.positions[-1]).max() < 0.002
    assert np.abs(np.diff(clip.positions, axis=0))[[0, -1]].max() < 0.001


@pytest.mark.parametrize("case", [c for c in CASES if not c.startswith(("kick", "punch", "jump"))])
def test_slow_actions_keep_the_body_over_its_feet(case):
    """Where both feet stand, and nothing else carries."""
    clip, points = clip_of(case), soles(clip_of(case))
    mass = center_of_mass(clip.pose)
    shared = [share_s(e, clip) for e in clip.events if e.name == "seat"]
    down = np.zeros((clip.frames, 2), bool)
    for i, side in enumerate(("left", "right")):
        for start, end in known_spans(clip, side):
            down[:, i] |= (clip.times >= start - 1e-9) & (clip.times <= end + 1e-9)
    both = down.all(axis=1)
    for first, last in shared:
        both &= (clip.times < first) | (clip.times > last)
    corners = np.stack([points[f"{s}_{p}"] for s in ("left", "right") for p in ("heel", "tip")], axis=1)[both]
    low, high = corners.min(axis=1)[:, [0, 2]] - 0.02, corners.max(axis=1)[:, [0, 2]] + 0.02
    over = mass[both][:, [0, 2]]
    assert ((over > low) & (over < high)).all()


def share_s(seat, clip: Clip) -> tuple[float, float]:
    """A seat carries from when the body lets itself go to when it is up: less than half the time more than it is on."""
    margin = 0.35 * clip.duration
    return seat.start_s - margin, seat.end_s + margin


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith("kick")])
def test_a_kick_stands_on_one_foot_and_leans_over_it(case):
    clip = clip_of(case)
    standing, kicking = ("right", "left") if case == "kick-left" else ("left", "right")
    assert known_spans(clip, standing) == [(0.0, clip.duration)]
    (_, off), (strike, _) = known_spans(clip, kicking)
    assert off < at_apex(clip) / clip.fps < strike
    hip = joint(clip, f"{kicking.title()}UpLeg")
    knee = joint(clip, f"{kicking.title()}Leg")
    assert (knee - hip)[round(0.5 * (off * clip.fps + at_apex(clip))), 1] > -0.2  # the knee comes up first
    foot = joint(clip, f"{standing.title()}Foot")[at_apex(clip)]
    mass = center_of_mass(clip.pose)[at_apex(clip)]
    assert np.linalg.norm((mass - foot)[[0, 2]]) < 0.2


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith(("kick", "punch")) and c not in OTHERS])
def test_kicks_and_punches_land_on_a_straight_limb(case):
    clip = clip_of(case)
    ends, length = (
        (("RightUpLeg", "RightFoot"), LEG) if case.startswith("kick") else (("RightArm", "RightHand"), arms.ARM)
    )
    start, end = (joint(clip, name)[at_apex(clip)] for name in ends)
    assert np.linalg.norm(end - start) / length > 0.96


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith("punch")])
def test_a_punch_is_led_by_the_hips_and_the_other_fist_is_drawn_back(case):
    clip = clip_of(case)
    turn = {part: yaw_of(joint(clip, f"Left{part}") - joint(clip, f"Right{part}")) for part in ("UpLeg", "Arm")}
    half = {part: int(np.argmax(y > 0.5 * (y[0] + y[at_apex(clip)]))) for part, y in turn.items()}
    assert half["UpLeg"] < half["Arm"] < at_apex(clip)
    away = np.linalg.norm(joint(clip, "LeftHand") - joint(clip, "LeftArm"), axis=1)
    assert away[at_apex(clip)] < away[0] - 0.03


def yaw_of(line: np.ndarray) -> np.ndarray:
    return np.unwrap(np.arctan2(-line[:, 2], line[:, 0]))


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith("jump")])
def test_a_jump_flies_its_parabola_and_lands_where_it_should(case):
    clip = clip_of(case)
    mass = center_of_mass(clip.pose)
    for side in ("left", "right"):
        spans = known_spans(clip, side)
        assert len(spans) == 2
    off, land = spans[0][1], spans[1][0]
    air = (clip.times > off + 0.03) & (clip.times < land - 0.03)
    fall = (np.diff(mass[:, 1], 2) * clip.fps**2)[air[1:-1]]
    np.testing.assert_allclose(fall, -9.81, atol=0.6)
    over_floor = np.diff(mass[:, [0, 2]], axis=0)[air[1:]] * clip.fps
    assert np.ptp(over_floor, axis=0).max() < 0.03
    left_at = mass[round(off * clip.fps), 1]
    assert mass[:, 1].max() - left_at == pytest.approx(clip.parameters["height"], abs=0.01)
    way = rotation.rotate(rotation.yaw(np.radians(clip.parameters["direction"])), np.array([0.0, 0.0, 1.0]))
    for foot in ("LeftFoot", "RightFoot"):
        moved = joint(clip, foot)[-1] - joint(clip, foot)[0]
        np.testing.assert_allclose(moved, clip.parameters["distance"] * way, atol=1e-6)


def test_standing_is_an_exact_loop_that_breathes_and_sways():
    clip = clip_of("stand")
    assert clip.is_loop
    assert clip.duration == 4.0
    np.testing.assert_allclose(clip.pose.rot[0], clip.pose.rot[-1], atol=1e-9)
    np.testing.assert_allclose(clip.pose.root_pos[0], clip.pose.root_pos[-1], atol=1e-9)
    seam = np.vstack([clip.positions[-2:-1], clip.positions[:3]])
    assert np.abs(np.diff(seam, 2, axis=0)).max() * clip.fps**2 < 0.5
    sway = np.ptp(clip.positions[:, 0], axis=0)
    assert 0.003 < sway[0] < 0.03
    assert 0.003 < sway[2] < 0.03


@pytest.mark.parametrize(("angle", "case"), [(90.0, "turn"), (-200.0, "turn-right"), (20.0, "turn-little")])
def test_a_turn_ends_in_the_same_stance_turned(angle, case):
    clip = clip_of(case)
    turned = rotation.rotate(rotation.yaw(np.radians(angle)), clip.positions[0])
    np.testing.assert_allclose(clip.positions[-1], turned, atol=0.002)
    assert len(known_spans(clip, "left")) == len(known_spans(clip, "right")) >= 2


@pytest.mark.parametrize("name", ["kick", "punch", "reach"])
def test_the_other_side_is_the_mirror_image(name):
    x, y, z = ROWS[name][0]
    right, left = motion(name, x=x, y=y, z=z, seed=3), motion(name, x=-x, y=y, z=z, side="left", seed=3)
    flip = np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(joint(left, "LeftHand"), joint(right, "RightHand") * flip, atol=1e-9)
    assert known_spans(left, "left") == known_spans(right, "right")
    assert left.parameters == {"x": -x, "y": y, "z": z}


def test_seeds_vary_and_repeat():
    a, b, again = motion("punch", seed=1), motion("punch", seed=2), motion("punch", seed=1)
    np.testing.assert_array_equal(a.pose.rot, again.pose.rot)
    assert a.duration != b.duration
    assert np.abs(a.positions[0] - b.positions[0]).max() > 0.003


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("reach", {"y": 2.6}, "a reach cannot reach"),
        ("punch", {"z": 2.0}, "a punch cannot reach"),
        ("kick", {"y": 1.9}, "a kick cannot reach"),
        ("kick", {"z": 900000.0}, "a kick cannot reach"),
        ("jump", {"height": 3.0}, "rises 0.03 to 0.6"),
        ("bow", {"depth": 300.0}, "depth must be"),
        ("stand", {"seconds": 1e5}, "seconds must be"),
        ("turn-in-place", {"angle": 0.0}, "angle must be"),
        ("wave", {"swings": 10**9}, "swings must be"),
        ("punch", {"seed": -1}, "seed must be"),
    ],
)
def test_what_a_body_cannot_do_is_said_in_a_sentence(name, parameters, words):
    with pytest.raises(ParameterError, match=words):
        motion(name, **parameters)


def test_unknown_names_are_helped():
    with pytest.raises(UnknownName, match="left"):
        motion("kick", side="lef")
    with pytest.raises(UnknownName, match="reach"):
        sets.examples("reech")


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_example_sets_are_whole(name):
    clips = sets.examples(name)
    assert len(clips) == {"reach": 24, "punch": 20, "kick": 20, "jump": 20}[name]
    keys = NAMES.get(name, ("x", "y", "z"))
    assert [tuple(c.parameters[k] for k in keys) for c in clips] == ROWS[name]
    assert len({c.name for c in clips}) == len(clips)
    for clip in clips:
        if name in JOINT:
            target = [clip.parameters[k] for k in keys]
            assert np.linalg.norm(joint(clip, JOINT[name])[at_apex(clip)] - target) < 0.002
        assert min(p[:, 1].min() for p in soles(clip).values()) > -0.002


times = st.lists(st.floats(0.05, 1.0), min_size=1, max_size=6)


@given(times, st.integers(0, 10**6))
def test_curves_go_through_their_keys_and_are_twice_differentiable(gaps, seed):
    at = np.concatenate([[0.0], np.cumsum(gaps)])
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(len(at), 2))
    keys = [Key(s, v) for s, v in zip(at, values, strict=True)]
    np.testing.assert_allclose(curve(keys, at), values, atol=1e-9)
    h = 1e-4
    for s in at:  # acceleration is 0 at every key, from both sides, inside and outside
        near = curve(keys, s + h * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))
        left, right = near[0] - 2 * near[1] + near[2], near[2] - 2 * near[3] + near[4]
        size = np.abs(np.diff(values, axis=0)).max() / min(gaps) ** 3
        assert np.abs(np.stack([left, right])).max() / h**2 < 100 * h * size + 1e-6


def test_a_key_gives_velocity_and_acceleration_where_it_says_so():
    t = np.linspace(0.999, 1.001, 3)
    y = curve([Key(0.0, 0.0), Key(1.0, 2.0, 3.0, -9.81), Key(2.0, 0.0)], t)
    assert (y[2] - y[0]) / 0.002 == pytest.approx(3.0, abs=1e-3)
    assert (y[2] - 2 * y[1] + y[0]) / 0.001**2 == pytest.approx(-9.81, abs=0.5)


def test_a_pulse_dips_first_and_holds():
    t = np.linspace(0.0, 2.0, 401)
    y = pulse(0.2, 1.0, 1.8, t, dip=0.1, hold_s=0.2)
    assert y[0] == y[-1] == 0.0
    assert y.min() == pytest.approx(-0.1, abs=1e-6)
    assert (y[(t >= 0.9) & (t <= 1.1)] > 1.0 - 1e-12).all()


directions = st.tuples(st.floats(-0.5, 1.0), st.floats(-1.0, 1.0), st.floats(-0.3, 1.0), st.floats(0.35, 0.93))


@given(directions.filter(lambda d: np.linalg.norm(d[:3]) > 0.2), st.floats(-0.6, 0.6))
def test_arm_ik_puts_the_wrist_where_it_is_wanted(direction, swivel):
    aim = np.array(direction[:3])
    wrist = arms.SHOULDER + direction[3] * arms.ARM * aim / np.linalg.norm(aim)
    arm = arms.left_arm(wrist[None], swivel)
    elbow = arms.GIRDLE + rotation.rotate(arm.girdle[0], arms.TO_ARM)
    elbow = elbow + rotation.rotate(arm.upper[0], np.array([arms.UPPER_ARM, 0.0, 0.0]))
    world = rotation.multiply(arm.upper[0], arm.forearm[0])
    np.testing.assert_allclose(elbow + rotation.rotate(world, np.array([arms.FOREARM, 0.0, 0.0])), wrist, atol=1e-4)
    axis = rotation.log(arm.forearm[0])  # an elbow is a hinge: it bends about the arm's -Y only, and one way
    assert abs(axis[0]) < 1e-6
    assert abs(axis[2]) < 1e-6
    assert axis[1] <= 0.0


@pytest.mark.parametrize("seconds", [1.0, 4.0, 7.3, 20.0])
@pytest.mark.parametrize("seed", [0, 3])
def test_standing_is_never_still(seconds, seed):
    """The slowest quarter of a second of captured stands has 14 and 35 mm/s; half of either is passed at all times."""
    clip = motion("stand", seconds=seconds, seed=seed)
    assert joint_speed(clip).min() > 0.0175
    twice = clip.sample(np.arange(2 * (clip.frames - 1)) / clip.fps)
    assert joint_speed(clip.with_pose(twice, is_loop=False)).min() > 0.0175  # across the seam too


def test_standing_shifts_weight_from_foot_to_foot():
    clip = motion("stand", seconds=9.0)
    side = center_of_mass(clip.pose)[:, 0]
    assert 0.02 < np.ptp(side) < 0.05
    mean = side - side.mean()
    assert 3 <= np.count_nonzero(np.diff(np.sign(mean[np.abs(mean) > 0.004]))) <= 5  # two shifts there and back
