"""Joining: what is kept of both clips bit for bit, what the report says, and what is refused."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from bodies import along_bones

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import state_of
from footfall.joins.departure import from_state
from footfall.joins.join import join
from footfall.joins.transition import methods

FPS = 60.0


@cache
def clip(name: str, **parameters: float) -> Clip:
    return ff.motion(name, **parameters).resample(FPS)


@cache
def walk_to_kick() -> Clip:
    return join(clip("walk", cycles=2), clip("kick"))


def test_what_is_left_is_kept_bit_for_bit() -> None:
    a, out = clip("walk", cycles=2), walk_to_kick()
    assert out.report is not None
    count = round(out.report.joins[0].start_s * FPS) + 1
    assert count > 10
    assert (out.pose.root_pos[:count] == a.pose.root_pos[:count]).all()
    assert (np.abs(out.pose.rot[:count]) == np.abs(a.pose.rot[:count])).all()  # q and -q are one rotation
    assert a.duration - out.report.joins[0].start_s <= 1.6 + 1e-9


def test_the_target_is_played_as_it_is_once_the_feet_have_arrived() -> None:
    b, out = clip("kick"), walk_to_kick()
    assert out.report is not None
    assert out.report.provenance is not None
    last = out.report.joins[-1]
    entered_s = last.clip_times_s[-1][-1]
    assert entered_s <= 1.5 + 1e-9
    moved = np.flatnonzero(out.report.provenance.correction_m > 0.0)
    first = max(round(last.end_s * FPS), int(moved[-1]) + 1 if len(moved) else 0)
    own = b.sample(np.arange(first, out.frames) / FPS - last.end_s + entered_s)
    assert len(own.root_pos) > 10
    joints = np.arange(1, len(b.skeleton))
    assert rotation.angle_between(out.pose.rot[first:, joints], own.rot[:, joints]).max() < 1e-9
    assert np.ptp(out.pose.root_pos[first:, 1] - own.root_pos[:, 1]) < 1e-9


def test_no_frame_jumps() -> None:
    out = walk_to_kick()
    step = np.linalg.norm(np.diff(out.positions, axis=0), axis=-1).max(axis=1) * FPS
    fastest = max(
        np.linalg.norm(np.diff(c.positions, axis=0), axis=-1).max() * FPS for c in (clip("walk"), clip("kick"))
    )
    assert step.max() < 1.1 * fastest


def test_the_report_tells_the_whole_story() -> None:
    out = walk_to_kick()
    report = out.report
    assert report is not None
    assert [s.kind for s in report.segments if s.kind != "bridge"] == ["clip", "transition", "clip"]
    assert report.segments[0].start_s == 0.0
    assert report.segments[-1].end_s == pytest.approx(out.duration)
    for before, after in zip(report.segments, report.segments[1:], strict=False):
        assert before.end_s == pytest.approx(after.start_s)
    made = next(s for s in report.joins if s.kind == "transition")
    assert made.method == "auto"
    assert "left foot" in made.reason
    assert "right foot" in made.reason
    assert made.rejected
    assert all(r.reason for r in made.rejected)
    assert made.phases is not None
    assert {"skate_ratio", "excess_m_s2", "knee_ratio"} <= set(report.quality)
    json.dumps(report.to_json())
    assert report.provenance is not None
    assert len(report.provenance.clip) == out.frames


@pytest.mark.parametrize("name", list(methods()))
def test_every_method_joins_with_its_feet_planned(name: str) -> None:
    a, b = clip("walk", cycles=2), clip("kick")
    out = join(a, b, name, at_s=1.0)
    assert out.report is not None
    assert (out.pose.root_pos[:60] == a.pose.root_pos[:60]).all()
    assert np.isfinite(out.pose.rot).all()
    assert out.report.quality["skate_ratio"] < 3.0


def test_feet_are_left_alone_when_asked() -> None:
    a, b = clip("walk", cycles=2), clip("stand")
    plain = join(a, b, "crossfade", at_s=1.0, foot_lock=False)
    kept = join(a, b, "crossfade", at_s=1.0)
    assert plain.report is not None
    assert kept.report is not None
    assert plain.report.provenance is not None
    assert plain.report.provenance.correction_m.max() == 0.0
    assert kept.report.quality["skate_cm_s"] < plain.report.quality["skate_cm_s"]


def test_times_that_are_asked_for_are_kept() -> None:
    out = join(clip("walk", cycles=2), clip("kick"), at_s=1.2, enter_s=0.5, length_s=0.4)
    assert out.report is not None
    made = out.report.joins[0]
    assert made.start_s == pytest.approx(1.2)
    assert made.end_s - made.start_s == pytest.approx(0.4)
    assert made.clip_times_s[-1][-1] == pytest.approx(0.5)


def test_a_run_takes_the_steps_it_needs_to_stand() -> None:
    out = join(clip("run", speed=4.0, cycles=2), clip("stand"))
    assert out.report is not None
    assert "slows from 4.0" in next(s.reason for s in out.report.joins if s.kind == "bridge")
    speed = np.linalg.norm(out.root_motion.velocity, axis=-1)
    slower = -np.diff(speed[::24]) * FPS / 24  # over two fifths of a second
    assert slower.max() < 5.0  # m/s²: nobody is stopped by a wall


def test_from_any_state_into_the_clip_that_suits_best() -> None:
    walk = clip("walk")
    state = state_of(walk, 0.4)
    departure = from_state(walk.skeleton, state, FPS)
    out = join(departure, [clip("bow"), walk])
    assert (out.pose.rot[0] == rotation.normalize(state.pose.rot)).all()
    assert out.report is not None
    assert out.report.joins[0].clips[-1] == "walk"


def test_a_loop_is_left_after_as_many_rounds_as_asked() -> None:
    walk = clip("walk")
    at_s = 2.5 * walk.duration
    out = join(walk, clip("stand"), at_s=round(at_s * FPS) / FPS)
    assert out.report is not None
    assert out.report.joins[0].start_s == pytest.approx(at_s, abs=1.0 / FPS)


def test_a_body_without_legs_is_blended() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]]))
    rot = np.tile(rotation.IDENTITY, (40, 2, 1))
    other = np.tile(rotation.axis_angle(rotation.AXES["X"], 0.5), (40, 2, 1))
    root = np.zeros((40, 3))
    a, b = (Clip(skeleton, FPS, ff.Pose(root, r)) for r in (rot, other))
    out = join(a, b)
    assert out.report is not None
    assert out.report.joins[0].method == "crossfade"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"method": "magic"}, "magic"),
        ({"at_s": 99.0}, "99"),
        ({"enter_s": 99.0}, "99"),
        ({"length_s": -1.0}, "more than 0"),
        ({"b": []}, "no clip"),
        ({"wobble": 3}, "wobble"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(changes: dict[str, object], word: str) -> None:
    arguments: dict[str, object] = {"a": clip("kick"), "b": clip("stand"), **changes}
    with pytest.raises(FootfallError, match=word):
        join(**arguments)  # type: ignore[arg-type]


def test_another_body_is_refused() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]]))
    other = Clip(skeleton, FPS, ff.Pose(np.zeros((5, 3)), np.tile(rotation.IDENTITY, (5, 2, 1))))
    with pytest.raises(FootfallError, match="retarget"):
        join(clip("kick"), other)


def test_a_target_of_another_body_is_put_on_the_body_that_is_left():
    from footfall.retarget.retarget import retarget

    walk, child = ff.motion("walk"), retarget(ff.motion("kick"), "adult:1.2")
    out = ff.join(walk, child, "inertialize", at_s=0.6)
    assert out.skeleton is walk.skeleton
    last = out.positions[-1]
    assert 1.3 < last[:, 1].max() < 1.8  # as tall as the walker, in a fighting stance


def test_a_join_is_the_same_on_a_rig_whose_joints_lie_along_their_bones() -> None:
    clips = clip("kick"), clip("stand")
    made = join(*clips), join(*(along_bones(one) for one in clips))
    reasons = [one.report.joins[0].reason for one in made if one.report]
    assert "steps" in reasons[0]
    assert reasons[0] == reasons[1]
    assert np.abs(made[1].positions - made[0].positions).max() < 1e-6
