"""Whole timelines: continuous, repeatable, made again only where they changed, and placed where they were asked to."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import FootfallError, ParameterError
from footfall.kinematics.root import floor_root
from footfall.timeline import evaluate
from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.model import FloorGoal, Layer, Marker, Timeline, TimelineClip, TimelineTrack
from footfall.timeline.windows import ABSORBED_S
from footfall_lab.studies.oshita2008_random import draw, judge

FPS = 60.0


def row_of(*clips, **track) -> Timeline:
    entries = tuple(c if isinstance(c, TimelineClip) else TimelineClip(c) for c in clips)
    return Timeline((TimelineTrack(entries, **track),), fps=FPS)


@pytest.fixture(scope="module")
def pool():
    names = ("walk:cycles=2", "run:cycles=2", "jump", "kick", "stand", "wave", "skip", "turn-in-place")
    from footfall.motions.library import open_clip

    return [open_clip(name).resample(FPS) for name in names]


@pytest.mark.parametrize("seed", [0, 3, 5, 8])
def test_any_timeline_gives_a_whole_motion(pool, seed, few_ways):
    judged = judge(timeline(draw(pool, seed)))
    assert judged.finite
    assert judged.whole
    assert judged.frozen_s == 0.0
    for join in judged.joins:
        assert join.excess_m_s2 < 200.0  # a jump of a centimetre in one frame is 36 m/s² here, one of 10 cm 360


def test_the_rows_of_a_take_are_its_frames_without_gap(few_ways):
    arranged = timeline(row_of("walk:cycles=2", "kick", "stand"))
    made = arranged.synthesized()[0]
    frame = 0
    for row in made.rows:
        assert row.first == frame
        assert len(row.pose.root_pos) == row.end - row.first
        frame = row.end
    assert frame == arranged.render(measured=False).frames


def test_outside_of_joins_every_frame_is_a_clips_own_moved_over_the_floor(few_ways):
    arranged = timeline(row_of("walk:cycles=3", "kick"))
    take, made = arranged.render(), arranged.synthesized()[0]
    for row in made.rows:
        if len(row.pieces) == 1:
            piece = made.plan.pieces[row.pieces[0]]
            own = made.placements[row.pieces[0]].pose(piece.clip.sample(row.times_s[0]))
            np.testing.assert_allclose(take.pose.root_pos[row.first : row.end], own.root_pos, atol=1e-9)
            apart = rotation.angle_between(take.pose.rot[row.first : row.end], own.rot)
            assert apart.max() < 1e-6
            assert (take.report.provenance.correction_m[row.first : row.end] == 0.0).all()
    joined = [s for s in take.report.segments if s.kind not in ("clip", "wait")]
    assert joined
    assert take.report.provenance.correction_m.max() > 0.01  # feet were planned, and that is told
    np.testing.assert_allclose(take.report.provenance.weight.sum(axis=1), 1.0)


def test_the_same_timeline_gives_the_same_bytes_here_and_in_another_process():
    code = (
        "import hashlib; from footfall.timeline.arrangement import timeline;"
        "from footfall.timeline.model import *;"
        "line = Timeline((TimelineTrack(tuple(map(TimelineClip, ('walk', 'kick')))),), fps=60.0);"
        "p = timeline(line).render(measured=False).pose;"
        "print(hashlib.sha256(p.root_pos.tobytes() + p.rot.tobytes()).hexdigest())"
    )
    seen = {_digest(timeline(row_of("walk", "kick")))}
    arranged = timeline(row_of("kick", "walk"))  # and by way of another arrangement
    seen.add(_digest(arranged.with_timeline(row_of("walk", "kick"))))
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen == {other.stdout.strip()}


def _digest(arranged: Arrangement) -> str:
    pose = arranged.render(measured=False).pose
    return hashlib.sha256(pose.root_pos.tobytes() + pose.rot.tobytes()).hexdigest()


def test_a_drag_makes_only_the_joins_beside_it_again(monkeypatch):
    names = ["stand", "walk:cycles=3", "stand", "kick", "stand", "walk:cycles=3", "stand"]
    arranged = timeline(replace(row_of(*names), options={"rules": True}))
    starts = arranged.plan()[0].starts_s
    fixed = row_of(*(TimelineClip(n, s) for n, s in zip(names, starts, strict=True)))
    arranged = arranged.with_timeline(fixed)
    arranged.render(measured=False)
    made = []
    original = evaluate.evaluate_join
    monkeypatch.setattr(
        "footfall.timeline.synthesis.evaluate_join", lambda a, b, *rest: made.append(a.name) or original(a, b, *rest)
    )
    arranged.with_timeline(fixed).render(measured=False)
    assert made == []
    clips = fixed.tracks[0].clips
    moved = (*clips[:3], replace(clips[3], start_s=clips[3].start_s + 0.1), *clips[4:])
    arranged.with_timeline(replace(fixed, tracks=(TimelineTrack(moved),))).render(measured=False)
    assert 1 <= len(made) <= 3


def test_a_dragged_timeline_is_the_same_bytes_as_a_fresh_one():
    names = ["walk:cycles=3", "wave", "stop", "kick", "walk:cycles=2", "jump", "walk-back:cycles=2"]
    starts = [0.0, 0.7, 3.1, 5.4, 6.6, 8.5, 10.0]
    dragged = timeline(row_of(*(TimelineClip(n, s) for n, s in zip(names, starts, strict=True))))
    rng = np.random.default_rng(11)
    for _ in range(5):
        i = int(rng.integers(1, len(names)))
        starts[i:] = [s + float(rng.uniform(-0.25, 0.3)) for s in starts[i : i + 1]] + starts[i + 1 :]
        line = row_of(*(TimelineClip(n, s) for n, s in zip(names, starts, strict=True)))
        dragged = dragged.with_timeline(line)
        assert _digest(dragged) == _digest(timeline(line))
    assert _digest(dragged) == _digest(dragged.with_timeline(line))


def test_a_wave_moved_with_its_walk_is_the_same_wave():
    def take(start: float, before: str):
        line = row_of(
            TimelineClip(before, 0.0), TimelineClip("walk:cycles=8", start), TimelineClip("wave", start + 3.5)
        )
        return timeline(line).render(measured=False)

    early, late = take(2.2, "stand"), take(2.7, "stand")
    a, b = early.pose.rot[round(5.2 * FPS) :], late.pose.rot[round(5.7 * FPS) :]
    joints = [j for j in range(len(early.skeleton)) if j != 0]
    assert np.array_equal(np.abs(a[:, joints]), np.abs(b[:, joints]))


def test_a_gap_in_the_papers_rules_is_a_wait_that_is_marked():
    line = row_of(TimelineClip("stand", 0.0, trim_s=(0.0, 1.0)), TimelineClip("kick", 2.5))
    segments = timeline(replace(line, options={"paper": True})).render(measured=False).report.segments
    wait = next(s for s in segments if s.kind == "wait")
    assert wait.end_s == pytest.approx(2.5)
    assert wait.end_s - wait.start_s > ABSORBED_S


def test_goals_place_the_take(few_ways):
    line = row_of("walk:cycles=2", "stand", start=FloorGoal((1.0, 2.0), 90.0))
    take = timeline(line).render(measured=False)
    position, heading = floor_root(take.skeleton, take.pose.at(0))
    np.testing.assert_allclose(position[[0, 2]], [1.0, 2.0], atol=1e-6)
    assert np.degrees(heading) == pytest.approx(90.0, abs=1e-4)
    line = row_of("walk:cycles=2", "stand", goal=FloorGoal((-1.0, 0.5), -45.0))
    take = timeline(line).render(measured=False)
    position, heading = floor_root(take.skeleton, take.pose.at(-1))
    np.testing.assert_allclose(position[[0, 2]], [-1.0, 0.5], atol=1e-6)
    assert np.degrees(heading) == pytest.approx(-45.0, abs=1e-4)


def test_markers_tie_two_characters_together(few_ways):
    tracks = row_of("walk:cycles=2", "punch").tracks + row_of("stand", "kick").tracks
    line = Timeline(tracks, (Marker((0, 1), (1, 1), (0.4, 0.6)),), fps=FPS)
    arranged = timeline(line)
    plans = arranged.plan()
    assert plans[0].starts_s[1] + 0.4 == pytest.approx(plans[1].starts_s[1] + 0.6, abs=0.5 / FPS + 1e-9)
    assert len(arranged.renders(measured=False)) == 2
    with pytest.raises(ParameterError, match="clip 7 of track 1"):
        timeline(replace(line, markers=(Marker((0, 1), (1, 7)),))).plan()


def test_clips_of_other_skeletons_come_onto_the_tracks_body(few_ways):
    small = _scaled(ff.motion("kick"), 0.7)
    take = timeline(row_of("walk:cycles=2", TimelineClip(small), "stand")).render(measured=False)
    walk = ff.motion("walk")
    assert take.skeleton.names == walk.skeleton.names
    np.testing.assert_allclose(take.skeleton.offsets, walk.skeleton.offsets)
    assert np.isfinite(take.positions).all()


def _scaled(clip, by: float):
    skeleton = replace(clip.skeleton, offsets=clip.skeleton.offsets * by)
    return replace(clip, skeleton=skeleton, pose=clip.pose._replace(root_pos=clip.pose.root_pos * by))


def test_a_loop_is_repeated_and_other_clips_are_not():
    once = timeline(row_of("walk")).render(measured=False)
    thrice = timeline(row_of(TimelineClip("walk", repeat=3))).render(measured=False)
    assert thrice.duration == pytest.approx(3 * once.duration, abs=2 / FPS)
    with pytest.raises(ParameterError, match="no loop"):
        timeline(row_of(TimelineClip("kick", repeat=2))).render()


def test_a_layer_turns_only_its_joints():
    plain = timeline(row_of("stand")).render(measured=False)
    layer = Layer("wave", 0.3, ("right arm",))
    take = timeline(row_of("stand", layers=(layer,))).render(measured=False)
    turned = rotation.angle_between(take.pose.rot, plain.pose.rot).max(axis=0)
    arm = plain.skeleton.roles.right_shoulder
    other = plain.skeleton.roles.left_shoulder
    assert turned[arm] > 0.5
    assert turned[other] < 1e-6
    np.testing.assert_allclose(take.pose.rot[0], plain.pose.rot[0])


def test_ff_timeline_can_be_called_before_and_after_its_modules_are_imported():
    code = (
        "import footfall as ff; a = ff.timeline(['stand']); import footfall.timeline.file; b = ff.timeline(['stand'])"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import footfall.timeline.model; import footfall as ff; assert ff.timeline(['stand']).plan()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_and_clips_that_are_not_there_are_said_so():
    with pytest.raises(ParameterError, match="at least one clip"):
        timeline([])
    with pytest.raises(FootfallError, match="nowhere"):
        timeline(["nowhere.bvh"]).render()


def test_real_captures_in_a_row(mocap):
    takes = ("walk_straight/16_21", "kick/143_24")
    entries = tuple(TimelineClip(str(mocap / "cmu_bvh" / f"{t}.bvh"), trim_s=(0.02, 3.0)) for t in takes)
    take = timeline(Timeline((TimelineTrack(entries, character="adult"),), fps=FPS)).render()
    assert np.isfinite(take.pose.rot).all()
    assert take.report.quality["excess_m_s2"] < 120.0
