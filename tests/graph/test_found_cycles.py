"""Cycles found in takes: repaired stretches are told, changes are cut where labels change, loops close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Event
from footfall.graph.build.closed_loops import PARTS, close_cycle, loop_spans
from footfall.graph.build.found_cycles import find_gaits, glitch_in, glitches
from footfall.graph.build.found_edges import find_changes
from footfall.graph.build.gait_nodes import MOST_CYCLES, LoopMeasures, choose, uneven_floors, unlike, usual_steps
from footfall.graph.build.turned_examples import turned, wanted_turns
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import build


@pytest.fixture(scope="module")
def walk():
    return replace(ff.motion("walk", speed=1.3, cycles=4), is_loop=False, events=(), parameters={})


def test_a_cycle_that_limps_is_told_and_stops_no_other(walk):
    """Its mirror image steps in another order, so it could not be blended with it."""
    good = ff.motion("walk", speed=1.3)
    others = [e for e in good.events if e.name != "right_toe"]
    landed = next(e for e in reversed(good.events) if e.name == "right_toe").start_s
    limps = replace(
        good, events=(*others, Event("right_toe", landed, good.duration - 0.08))
    )  # off before the other lands
    why = usual_steps([good, limps, good])
    assert why[0] == why[2] == ""
    assert why[1] == "its left foot lands and leaves in another order than its right one"
    assert all(usual_steps([limps]))


@pytest.mark.parametrize(("off_m", "told"), [(-0.04, "4 cm lower"), (0.03, "3 cm higher"), (0.015, ""), (0.0, "")])
def test_a_cycle_on_another_floor_is_told_and_left_out(off_m, told):
    loops = [ff.motion("walk", speed=speed) for speed in (0.8, 1.0, 1.2, 1.4, 1.6)]
    pose = loops[2].pose
    loops[2] = loops[2].with_pose(pose._replace(root_pos=pose.root_pos + [0.0, off_m, 0.0]))
    why = uneven_floors(loops)
    assert told in why[2]
    assert bool(why[2]) == bool(told)
    assert not any(why[:2] + why[3:])
    assert not any(uneven_floors(loops[:4]))  # of so few it cannot be told which floor is the usual one


def test_a_repair_of_a_limb_spoils_the_cycle_it_is_in_and_no_other(walk):
    knee = walk.skeleton.names[walk.skeleton.roles.left_knee]
    toe = walk.skeleton.names[walk.skeleton.roles.left_toe]
    told = (
        f"{knee}: frames 100 to 130 (0.83 to 1.08 s) turned up to 90° away and back; interpolated",
        f"{toe}: frames 200 to 230 (1.67 to 1.92 s) turned up to 90° away and back; interpolated",
        f"{knee}: frame 300 (2.50 s) turned up to 12° away and back; interpolated",
    )
    bad = glitches(replace(walk, repairs=told))
    assert glitch_in(bad, 0.5, 1.5).startswith(f"glitch: {knee}")
    assert glitch_in(bad, 1.5, 2.4) == ""  # toes are not judged
    assert glitch_in(bad, 2.2, 3.2) == ""  # a single frame is mended without a trace


def test_a_joint_that_jumps_is_a_glitch_though_nobody_repaired_it(walk):
    knee, frame = walk.skeleton.roles.left_knee, walk.frames // 2
    rot = np.array(walk.pose.rot)
    rot[frame, knee] = rotation.multiply(rot[frame, knee], rotation.axis_angle(np.array([1.0, 0, 0]), np.array(1.2)))
    jumped = walk.with_pose(walk.pose._replace(rot=rot))
    assert glitches(walk) == []
    assert glitch_in(glitches(jumped), frame / walk.fps - 0.3, frame / walk.fps + 0.3)


def test_frames_that_are_no_part_of_a_take_are_not_used(walk):
    told = "whole body: frames 0 to 3 are not part of the take (88° from frame 4); frame 4 on was carried backwards"
    bad = glitches(replace(walk, repairs=(told,)))
    assert "begins" in glitch_in(bad, 0.0, 1.0)
    assert glitch_in(bad, 4 / walk.fps, 1.0) == ""


def test_a_change_runs_from_the_last_cycle_to_the_stand(walk):
    clip = replace(gait_change(SteadyGait("walk", 1.6), SteadyGait("stand")), events=())
    found = find_changes(clip, find_gaits(clip))
    assert [(c.before, c.after) for c in found] == [("walk", "stand")]
    assert found[0].parameters["speed_before"] == pytest.approx(1.6, abs=0.25)
    assert found[0].end_s <= clip.duration + 1e-6
    assert find_changes(walk, find_gaits(walk)) == []


def test_a_cut_cycle_closes_and_knows_its_contacts(walk):
    gaits = [g for g in find_gaits(walk) if not g.why]
    spans = {part: walk.contacts.spans(part) for part in PARTS}
    loop, quality = close_cycle(walk, spans, gaits[0].start_s, gaits[0].end_s, "x")
    assert loop.is_loop
    assert quality.closed_deg < 0.5
    assert {e.name for e in loop.events} == set(PARTS)
    assert all(0.0 <= e.start_s < loop.duration and e.end_s - e.start_s <= loop.duration for e in loop.events)


def test_a_contact_cut_by_the_end_of_the_take_lasts_as_long_as_the_one_before():
    spans = {part: [] for part in PARTS} | {"left_toe": [(0.0, 0.4), (1.0, 1.2)]}
    # the second contact begins inside the cycle from 0.2 to 1.2, where the take ends
    assert loop_spans(spans, 0.2, 1.0, 1.2)["left_toe"] == [(pytest.approx(0.8), pytest.approx(1.2))]


def test_of_cycles_that_do_the_same_the_cleanest_is_chosen():
    rows = [
        LoopMeasures(1.2, 3.0, 0.0, 12.0, 0.1, 5.0),
        LoopMeasures(1.21, -3.0, 0.0, 4.0, 0.1, 5.0),
        LoopMeasures(1.6, 0.0, 0.0, 9.0, 0.1, 5.0),
        LoopMeasures(0.9, 0.0, 0.0, 2.0, 0.1, 500.0),
    ]
    why = choose(rows)
    assert [bool(w) for w in why] == [True, False, False, True]
    assert "cleaner" in why[0]
    assert "throws" in why[3]
    assert (
        sum(not w for w in choose([LoopMeasures(0.1 * k, 0.0, 0.0, 1.0, 0.0, 0.0) for k in range(60)])) == MOST_CYCLES
    )


@pytest.mark.parametrize("name", ["run", "walk-back"])
def test_a_straight_loop_can_be_made_to_turn(name):
    loop = ff.motion(name)
    made, quality = turned(loop, 50.0, "made")
    speed, turn, _ = measured(build([made], "locomotion", "")).parameters[0]
    own, _, _ = measured(build([loop], "locomotion", "")).parameters[0]
    assert turn == pytest.approx(50.0, abs=2.0)
    assert speed == pytest.approx(own, rel=0.2)
    assert quality.closed_deg < 1.0
    assert quality.closed_slide_cm_s < 2.0


def test_turns_are_wanted_only_where_nobody_turns():
    table = [(1.0, 0.0), (1.5, 2.0), (2.0, 0.0)]
    speeds = [row[0] for row in table]
    bare = wanted_turns(table, speeds)
    assert {w.of for w in bare} == {0, 1, 2}
    assert all(w.turn > 0.0 for w in bare)
    assert wanted_turns([*table, (1.0, 75.0), (1.0, -37.0)], [*speeds, 1.0, 1.0]) == [w for w in bare if w.of]
    assert wanted_turns([(1.0, 60.0)], [1.0]) == []


def test_of_many_of_a_kind_the_most_unlike_are_used():
    rng = np.random.default_rng(3)
    many = [{"speed_before": s, "turn_before": 0.0, "speed_after": s} for s in rng.uniform(1.0, 2.0, 60)]
    many[7] = {"speed_before": 4.0, "turn_before": 0.0, "speed_after": 1.0}
    many[41] = {"speed_before": 1.0, "turn_before": 90.0, "speed_after": 1.0}
    kept = unlike(many, 10)
    assert len(set(kept)) == 10
    assert {7, 41} <= set(kept)
    assert kept == sorted(kept) == unlike(many, 10)
    speeds = np.array([own["speed_before"] for own in many])
    chosen = speeds[[k for k in kept if k not in (7, 41)]]
    gaps = np.abs(speeds[:, None] - chosen).min(axis=1)
    assert np.delete(gaps, [7, 41]).max() < 0.2  # eight of them cover a metre a second
    assert unlike(many[:9], 10) == list(range(9))
    assert len(set(unlike([{"speed_before": 1.0}] * 30, 10))) == 10
