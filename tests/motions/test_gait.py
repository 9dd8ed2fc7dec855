"""Built-in walks, runs and changes of gait: feet that stay put, human joint ranges, exact parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.errors import ParameterError
from footfall.kinematics.fk import end_positions, world_transforms
from footfall.motions import gait_sets
from footfall.motions.body import BALL_HEIGHT, LEG, adult
from footfall.motions.library import motion, motion_names
from footfall_lab.truth import known_key_times, known_phases, known_spans

SETS = {
    "walks": gait_sets.walks,
    "runs": gait_sets.runs,
    "park_runs": gait_sets.park_runs,
    "locomotion": gait_sets.locomotion,
    "transitions": gait_sets.transitions,
    "strafes": gait_sets.strafes,
    "crouch_walks": gait_sets.crouch_walks,
}


@pytest.fixture(scope="module", params=list(SETS))
def examples(request):
    return SETS[request.param]()


def contact_points(clip):
    """World paths (T, 3) of what can touch the floor, lowered to the sole: heels, balls and toe tips."""
    body = clip.skeleton
    positions, rotations = world_transforms(body, clip.pose)
    ends = end_positions(body, positions, rotations)
    points = {}
    for side in ("left", "right"):
        foot, toe = body.index(f"{side.title()}Foot"), body.index(f"{side.title()}ToeBase")
        points[f"{side}_heel"] = ends[:, list(body.end_parents).index(foot)]
        points[f"{side}_toe"] = positions[:, toe] - np.array([0, BALL_HEIGHT, 0])
        points[f"{side}_tip"] = ends[:, list(body.end_parents).index(toe)] - np.array([0, 0.005, 0])
    return points


def test_set_sizes():
    sizes = {name: len(make()) for name, make in SETS.items()}
    assert sizes == {"walks": 13, "runs": 13, "park_runs": 9, "locomotion": 20, "transitions": 24, "strafes": 8,
                     "crouch_walks": 7}  # fmt: skip


def test_planted_feet_do_not_move_and_nothing_sinks(examples):
    for clip in examples:
        points = contact_points(clip)
        for event in clip.events:
            on = (clip.times >= event.start_s - 1e-9) & (clip.times <= event.end_s + 1e-9)
            path = points[event.name][on]
            assert np.ptp(path, axis=0).max() < 1e-3, (clip.name, clip.parameters, event)
            assert np.abs(path[:, 1]).max() < 1e-3
        for name, path in points.items():
            assert path[:, 1].min() > -2e-3, (clip.name, clip.parameters, name)


def test_legs_never_overstretch_or_bend_backwards(examples):
    body = adult()
    for clip in examples:
        p = clip.positions
        for side in ("Left", "Right"):
            hip, knee, ankle = (p[:, body.index(side + j)] for j in ("UpLeg", "Leg", "Foot"))
            assert (np.linalg.norm(ankle - hip, axis=1) / LEG).max() < 0.9975
            thigh_turn = world_transforms(body, clip.pose)[1][:, body.index(side + "UpLeg")]
            bend = rotation.rotate(rotation.conjugate(thigh_turn), ankle - knee)
            assert bend[:, 2].max() < 0  # the shank lies behind the thigh's line: +Z would be a knee bent forward


SMOOTH = [("walk", {"speed": 1.7}), ("walk", {"speed": 0.8, "turn": 90.0}), ("run", {"speed": 3.5}),
          ("run", {"speed": 5.0, "turn": 60.0}), ("walk_side", {}), ("start", {}), ("stop", {"gait": "run"}),
          ("walk_to_run", {}), ("skip", {}), ("crouch_walk", {}), ("strafe", {}),
          ("strafe", {"side": -1.5})]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), SMOOTH)
def test_acceleration_is_continuous(name, parameters, monkeypatch):
    """C2: sampled four times as finely, the largest change of acceleration between frames shrinks with the step.

    A jump of acceleration would keep its size however fine the sampling.
    """
    changes = []
    for fps in (240.0, 960.0):
        monkeypatch.setattr("footfall.motions.locomotion.FPS", fps)
        acceleration = np.diff(motion(name, **parameters).positions, 2, axis=0) * fps**2
        changes.append(np.linalg.norm(np.diff(acceleration, axis=0), axis=-1).max())
    assert changes[1] < 0.5 * changes[0]


def test_loops_close_exactly_and_cover_their_parameters():
    for clip in (*gait_sets.walks(), *gait_sets.runs(), *gait_sets.locomotion()):
        first, last = clip.pose.rot[0].copy(), clip.pose.rot[-1]
        turn = rotation.yaw(np.radians(clip.parameters["turn"]) * clip.duration)
        first[0] = rotation.multiply(turn, first[0])
        assert rotation.angle_between(first, last).max() < 1e-6
        middle = 0.5 * (clip.positions[:, adult().index("LeftUpLeg")] + clip.positions[:, adult().index("RightUpLeg")])
        way = (middle[-1] - middle[0])[[0, 2]]
        speed, omega = (
            np.hypot(clip.parameters["speed"], clip.parameters["side"]),
            np.radians(clip.parameters["turn"]),
        )
        half = 0.5 * omega * clip.duration
        chord = speed * clip.duration * np.sinc(half / np.pi)  # the arc's chord: the body leans inside its path
        radius = abs(speed / omega) if abs(omega) > 1e-6 else np.inf
        assert abs(np.linalg.norm(way) - chord) < 0.02 * chord + 0.35 * chord / radius


# Sagittal ranges over the cycle, degrees, mean and sd. Walking: young adults, treadmill, 1.25 m/s (Fukuchi, Fukuchi &
# Duarte 2018, PeerJ 6:e4640); running at 3.5 m/s: regular runners (Fukuchi, Fukuchi & Duarte 2017, PeerJ 5:e3298, data
# version 5, n = 39). Range of the mean curve; sd of the range from the sds at its extremes, sqrt(sd_max^2 + sd_min^2).
PUBLISHED = {
    ("walk", 1.4): {"hip": (40.4, 9.5), "knee": (62.3, 4.9), "ankle": (25.3, 7.1)},
    ("run", 3.5): {"hip": (59.0, 6.3), "knee": (95.9, 11.6), "ankle": (45.1, 6.1)},
}


def sagittal_ranges(clip):
    """Hip, knee and ankle ranges of the left leg in degrees."""
    body = clip.skeleton
    p, w = world_transforms(body, clip.pose)
    hip, knee, ankle, foot = (body.index(f"Left{j}") for j in ("UpLeg", "Leg", "Foot", "Foot"))
    thigh = rotation.rotate(rotation.conjugate(w[:, 0]), p[:, knee] - p[:, hip])
    shank = p[:, knee] - p[:, ankle]
    inside = ((p[:, hip] - p[:, knee]) * -shank).sum(1)
    lengths = np.linalg.norm(p[:, hip] - p[:, knee], axis=1) * np.linalg.norm(shank, axis=1)
    leg_on_foot = rotation.rotate(rotation.conjugate(w[:, foot]), shank)
    return {
        "hip": np.ptp(np.degrees(np.arctan2(thigh[:, 2], -thigh[:, 1]))),
        "knee": np.ptp(np.degrees(np.arccos(inside / lengths))),
        "ankle": np.ptp(np.degrees(np.arctan2(leg_on_foot[:, 2], leg_on_foot[:, 1]))),
    }


@pytest.mark.parametrize(("gait", "speed"), list(PUBLISHED))
def test_joint_ranges_are_within_two_sd_of_published_ones(gait, speed):
    ours = sagittal_ranges(motion(gait, speed=speed))
    for joint, (mean, sd) in PUBLISHED[gait, speed].items():
        assert abs(ours[joint] - mean) <= 2 * sd, (joint, ours)


def test_walks_always_have_a_foot_down_and_runs_fly():
    for speed in (0.6, 1.0, 1.4, 1.9):
        assert "NS" not in known_phases(motion("walk", speed=speed, cycles=2))
    for speed in (2.2, 3.5, 5.0):
        phases = known_phases(motion("run", speed=speed, cycles=2))
        assert "DS" not in phases
        assert (phases == "NS").mean() > 0.3


def test_key_times_alternate_between_the_feet():
    strikes = [k.foot for k in known_key_times(motion("walk", cycles=4)) if k.event == "strike"]
    assert all(a != b for a, b in pairwise(strikes))
    assert len(strikes) >= 6


def test_a_start_begins_and_a_stop_ends_standing():
    for gait in ("walk", "run"):
        start, stop = motion("start", gait=gait), motion("stop", gait=gait)
        for clip, where in ((start, 0), (stop, -1)):
            assert all(
                known_spans(clip, foot)[where][0 if where == 0 else 1] in (0.0, clip.duration)
                for foot in ("left", "right")
            )
            speed = np.linalg.norm(clip.root_motion.velocity, axis=1)
            assert speed[where] < 0.05


def test_backward_walking_moves_backward():
    clip = motion("walk_back", speed=0.9)
    facing = rotation.rotate(rotation.yaw(clip.root_motion.heading), np.array([0, 0, 1.0]))
    assert ((clip.root_motion.velocity * facing).sum(1) < 0).mean() > 0.95
    assert clip.parameters["speed"] == -0.9


def test_the_same_call_gives_the_same_bytes():
    a, b = motion("walk", speed=1.23, turn=17.0), motion("walk", speed=1.23, turn=17.0)
    assert a.pose.rot.tobytes() == b.pose.rot.tobytes()


def test_examples_differ_from_each_other():
    """Seeded variation: two walkers at one speed are not copies."""
    from footfall.motions.locomotion import some_style, steady

    a, b = steady(1.4, style=some_style(1)), steady(1.4, style=some_style(2))
    assert a.frames != b.frames or np.abs(a.positions - b.positions).max() > 0.005


def test_every_motion_is_described_made_by_default_and_named_as_it_is_called():
    for name, summary in motion_names().items():
        assert len(summary) > 20, name
        clip = motion(name)
        assert clip.frames > 30
        assert clip.name == name
        assert clip.events, name
        assert np.isfinite(clip.positions).all()


@pytest.mark.parametrize("cycles", [0, -3, 10**8])
def test_a_loop_has_a_sensible_number_of_cycles(cycles: int) -> None:
    with pytest.raises(ParameterError, match="cycles must be 1 to"):
        motion("walk", cycles=cycles)


@pytest.mark.parametrize(
    ("name", "asked"), [("walk", {"speed": 99.0}), ("walk", {"speed": -3.0}), ("run", {"speed": 30.0}),
                        ("walk", {"side": 9.0}), ("run", {"turn": 2000.0})]
)  # fmt: skip
def test_what_nobody_could_go_at_is_refused_in_a_sentence(name, asked):
    with pytest.raises(ParameterError, match=f"{next(iter(asked))} of a {name} is"):
        motion(name, **asked)


@pytest.mark.parametrize(("run", "walk"), [(2.5, 1.7), (3.0, 2.0), (3.5, 1.1), (3.87, 1.68), (5.0, 1.7)])
def test_a_run_becomes_a_walk_without_sinking(run, walk):
    """A foot that landed in the run used to stand as long as in a walk, and the pelvis fell by up to 60 cm."""
    clip = motion("run-to-walk", run=run, walk=walk)
    both = motion("run", speed=run), motion("walk", speed=walk)
    lows = [float(c.positions[:, c.skeleton.roles.pelvis, 1].min()) for c in (clip, *both)]
    assert lows[0] > min(lows[1:]) - 0.04
