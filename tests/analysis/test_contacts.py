"""Contacts: known ones are found, at any size, rate and speed; captures give human gait."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers import footprints, still_clip, walking_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.contacts import Contacts, find_contacts, hysteresis, runs, without_flicker
from footfall.analysis.hinge import hinges
from footfall.core.errors import ParameterError
from footfall.feet.join_legs import knee_poles, legs_of
from footfall.feet.leg_solve import LegTargets, solve_legs
from footfall.motions.library import motion
from footfall_lab.studies import analysis_contacts as study
from footfall_lab.truth import known_spans

TOLERANCE_S = 0.08  # a foot lifts off so gently in walking_clip that its first moments are slow and low


@settings(max_examples=40)
@given(
    st.floats(0.4, 1.4),
    st.sampled_from([24.0, 30.0, 60.0, 120.0, 240.0]),
    st.floats(0.5, 1.6),
    st.floats(-3, 3),
)
def test_planted_feet_are_found(speed, fps, scale, heading):
    clip = walking_clip(speed=speed, fps=fps, scale=scale, heading=heading, cycles=2.8)
    found, truth = find_contacts(clip), footprints(clip)
    for side in ("left", "right"):
        true_spans = runs(getattr(truth, side))
        spans = found.spans(side)
        assert len(spans) == len(true_spans)
        for (start, end), (a, b) in zip(spans, true_spans, strict=True):
            assert start == pytest.approx(a / fps, abs=TOLERANCE_S + 1 / fps)
            assert end == pytest.approx((b - 1) / fps, abs=TOLERANCE_S + 1 / fps)
        assert (getattr(found, side) | ~getattr(truth, side)).mean() > 0.97  # nothing planted is missed


def test_standing_is_one_long_contact():
    found = still_clip(frames=30, fps=30).contacts
    assert found.left.all()
    assert found.right_heel.all()
    assert found.spans("left_toe") == [(0.0, 29 / 30)]


@pytest.mark.parametrize(("height", "stands"), [(0.0, True), (0.02, True), (0.07, False), (0.14, False)])
def test_a_foot_held_up_beside_one_that_stands_does_not_stand(height, stands):
    stand = motion("stand").resample(60)
    places, _ = legs_of(stand.skeleton, stand.pose)
    seconds = np.arange(stand.frames) / stand.fps
    share = np.clip(np.minimum(seconds - 1.2, 2.8 - seconds) / 0.3, 0.0, 1.0)
    ankle, turn = np.array(places[:, :, 2]), np.zeros((stand.frames, 2, 4))
    ankle[:, 0, 1] += height * share
    turn[..., 0] = 1.0
    targets = LegTargets(np.zeros((stand.frames, 3)), ankle, turn, knee_poles(places, stand.fps))
    held = stand.with_pose(solve_legs(stand.skeleton, stand.pose, targets), is_loop=False).contacts
    middle = (seconds > 1.6) & (seconds < 2.4)
    assert held.right.all()
    assert held.left[middle].all() == stands
    assert held.left[middle].any() == stands
    assert held.left[0]
    assert held.left[-1]


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_short_clips(frames):
    assert still_clip(frames=frames).contacts.left.shape == (frames,)


def test_moving_the_whole_scene_changes_nothing():
    clip = walking_clip(cycles=3)
    moved = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + [3.0, -0.07, 11.0]))
    for part in ("left_heel", "left_toe", "right_heel", "right_toe"):
        assert np.array_equal(getattr(clip.contacts, part), getattr(moved.contacts, part))


def test_the_foot_must_be_named_right():
    with pytest.raises(ParameterError, match="left or right"):
        still_clip(frames=3).contacts.spans("both")


@given(st.lists(st.floats(0, 3), max_size=60))
def test_hysteresis_holds_every_sure_frame_and_no_unsure_span(score):
    score = np.array(score)
    down = hysteresis(score, enter=1.0, leave=2.0)
    assert down[score <= 1.0].all()
    assert not down[score >= 2.0].any()
    for start, stop in runs(down):
        assert (score[start:stop] <= 1.0).any()


@given(st.lists(st.booleans(), max_size=80), st.integers(1, 8))
def test_no_flicker_is_left(flags, shortest):
    clean = without_flicker(np.array(flags, bool), shortest)
    for value in (True, False):
        for start, stop in runs(clean == value):
            assert stop - start >= shortest or start == 0 or stop == len(flags)


def test_exact_times_agree_with_the_flags_and_parts_make_the_foot():
    clip = motion("walk", speed=1.3, cycles=2).resample(30)
    found = clip.contacts
    for part in ("left", "left_heel", "left_toe", "right", "right_heel", "right_toe"):
        inside = np.zeros(clip.frames, bool)
        for start, end in found.spans(part):
            inside |= (clip.times >= start - 1e-6) & (clip.times <= end + 1e-6)
        assert np.array_equal(inside, getattr(found, part))
    for side in ("left", "right"):
        heel, toe = found.spans(f"{side}_heel"), found.spans(f"{side}_toe")
        for start, end in found.spans(side):
            own = [s for s in heel + toe if s[0] >= start - 1e-9 and s[1] <= end + 1e-9]
            assert min(s[0] for s in own) == start
            assert max(s[1] for s in own) == end


@pytest.mark.parametrize("speed", [0.8, 1.4, 2.0])
def test_heels_land_first_and_toes_leave_last(speed):
    clip = motion("walk", speed=speed, cycles=3)
    known = {name: [(e.start_s, e.end_s) for e in clip.events if e.name == name] for name in ("left_heel", "left_toe")}
    for name, spans in known.items():
        found = [span for span in clip.contacts.spans(name) if span[0] < clip.duration - 0.05]
        spans = [span for span in spans if span[0] < clip.duration - 0.05]
        assert len(found) == len(spans)
        for (a, b), (c, d) in zip(found, spans, strict=True):
            # heels rise and balls come down so gently that their own moments are soft
            assert a == pytest.approx(c, abs=0.025 if name == "left_heel" else 0.08)
            assert b == pytest.approx(d, abs=0.025 if name == "left_toe" else 0.15)


@settings(max_examples=60)
@given(
    st.floats(0.02, 0.05),
    st.floats(0.0, 0.3),
    st.floats(10.0, 80.0),
    st.booleans(),
    st.sampled_from([120.0, 150.0, 240.0]),
)
def test_a_hinge_is_found_below_the_frame(after_crossing, level, steepness, landing, rate):
    t = np.arange(0, 0.6, 1 / rate)
    bend = 0.3137
    ahead = (bend - t) if landing else (t - bend)
    speed = level + steepness * np.maximum(ahead, 0.0)
    crossing = round((bend - after_crossing if landing else bend + after_crossing) * rate)
    found = hinges(speed, np.array([crossing]), rate, 0.06, 0.12, landing)
    assert found[0] / rate == pytest.approx(bend, abs=0.0025)


BUILT_IN = [
    ("walk", 0.6, 60.0),
    ("walk", 1.2, 0.0),
    ("walk", 1.9, -40.0),
    ("run", 2.3, -80.0),
    ("run", 3.2, 0.0),
    ("run", 5.2, 50.0),
]


@pytest.mark.parametrize("height_m", [0.9, 2.0])
@pytest.mark.parametrize(("fps", "noise_m"), [(120.0, 0.0), (30.0, 0.0), (60.0, 0.005), (30.0, 0.002)])
def test_known_strikes_and_offs_are_found(fps, noise_m, height_m):
    row = study.truth_row(fps, noise_m, height_m, BUILT_IN)
    assert row.events > 60
    assert row.missed == row.invented == 0
    assert row.within >= (0.9 if noise_m else 0.99)  # of few events; the study has 95 % of many


def test_comparing_counts_what_is_missed_and_invented():
    true = {"left": [(1.0, 1.5), (2.0, 2.5)], "right": []}
    found = {"left": [(1.01, 1.5), (3.0, 3.3)], "right": [(0.5, 0.7)]}
    assert study.compare(true, found, 4.0, edge=0) == ([pytest.approx(0.01)], 1, 2)


def test_noise_reaches_the_feet():
    clip = motion("walk", cycles=3)
    shaken = study.noisy(clip, 0.005).positions - clip.positions
    for joint in ("LeftFoot", "RightToeBase"):
        at = shaken[:, clip.skeleton.index(joint)]
        assert np.sqrt((at**2).mean(axis=0))[[0, 2]] == pytest.approx(0.005, rel=0.4)


@pytest.mark.parametrize("name", ["stand", "start", "stop", "kick", "walk-side", "turn-in-place"])
def test_other_motions_have_their_known_steps(name):
    clip = motion(name)
    true = {foot: known_spans(clip, foot) for foot in study.FEET}
    for edge in (0, 1):
        errors = study.compare(true, study.found_spans(clip), clip.duration, edge)
        assert errors.missed == errors.invented == 0
        assert all(abs(e) < 0.05 for e in errors.late_s)


def test_a_foot_held_up_is_not_down():
    clip = motion("kick")
    kicked = [f for f in study.FEET if len(clip.contacts.spans(f)) == 2]
    assert len(kicked) == 1
    assert not getattr(clip.contacts, kicked[0])[clip.frames // 2 - 3 : clip.frames // 2].any()


def _cycles(found: Contacts) -> list[float]:
    """Share of each full cycle that a foot is down; a contact the clip begins with has no strike."""
    shares = []
    for flags in (found.left, found.right):
        strikes = [start for start, _ in runs(flags) if start > 2]
        shares += [float(flags[a:b].mean()) for a, b in pairwise(strikes)]
    return shares


@pytest.mark.parametrize(
    ("takes", "low", "high"),
    [
        (["cmu_bvh/walk_straight/02_01.bvh", "cmu_bvh/walk_straight/35_01.bvh"], 0.57, 0.67),
        (["bandai_namco/dataset-1_walk_normal_001.bvh"], 0.55, 0.67),
        (["cmu_bvh/run_straight/16_35.bvh", "cmu_bvh/run_straight/09_01.bvh"], 0.25, 0.42),
        (["bandai_namco/dataset-2_run_normal_001.bvh"], 0.25, 0.42),
    ],
)
def test_captures_give_human_gait(mocap, takes, low, high):
    from footfall.io.load import load

    for take in takes:
        found = load(mocap / take).contacts
        assert low <= np.median(_cycles(found)) <= high
        strikes = sorted([(s, "L") for s, _ in runs(found.left)] + [(s, "R") for s, _ in runs(found.right)])
        feet = [foot for start, foot in strikes if start > 2]
        assert len(feet) > 2
        assert all(a != b for a, b in pairwise(feet)), f"{take}: {feet}"
        if high < 0.5:
            assert (found.left & found.right).mean() < 0.02  # a run has no double support


COPIED = ["cmu_bvh/walk_turn/16_17.bvh", "cmu_bvh/run_straight/35_17.bvh", "bandai_namco/dataset-1_walk_normal_001.bvh"]


@pytest.mark.parametrize("copy", study.COPIES)
def test_copies_of_captures_have_the_same_events(mocap, copy):
    from footfall.io.load import load

    total = study.Errors([], 0, 0)
    for take in COPIED:
        clip = load(mocap / take)
        changed = study.found_spans(study.COPIES[copy](clip))
        if copy == "mirrored":
            changed = {"left": changed["right"], "right": changed["left"]}
        parts = [study.compare(study.found_spans(clip), changed, clip.duration, edge) for edge in (0, 1)]
        total = study.added(total, *parts)
    assert total.missed + total.invented <= 1
    assert total.within >= 0.95 * total.events


@pytest.mark.slow
def test_all_captured_gaits(mocap):
    rows = list(study.capture_rows(mocap))
    for row in rows:
        if isinstance(row, study.Row):
            assert row.within >= 0.95, str(row)
            assert row.missed + row.invented <= 0.02 * row.events, str(row)
    takes = [row for row in rows if isinstance(row, study.Take)]
    assert sum(t.alternate for t in takes) >= 0.98 * sum(t.pairs for t in takes)
    runs_ = [t for t in takes if "run_" in t.what or "_run" in t.what]
    assert all(t.both <= 0.01 for t in runs_)
    assert 0.25 <= np.median([t.down for t in runs_ if t.down]) <= 0.40
    walks = [t.down for t in takes if t not in runs_ and t.down]
    assert 0.58 <= np.median(walks) <= 0.66
