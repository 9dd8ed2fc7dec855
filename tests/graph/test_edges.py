"""Edges: one structure for all takes, shared with the nodes at both ends."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.closed_loops import flags
from footfall.graph.build.found_edges import edge_of
from footfall.graph.build.graph_edges import choose_edge
from footfall.graph.build.made_changes import made_changes
from footfall.graph.edges import build_edges, supports
from footfall.motions.body import adult
from footfall.motions.library import motion
from footfall.parametric import play
from footfall.parametric.parametric_motion import build
from footfall.parametric.structure import StructureError
from footfall.quality.slide import slide

PAIRS = [("stand", "walk"), ("stand", "run"), ("walk", "stand"), ("walk", "run"), ("run", "stand"), ("run", "walk")]


def test_supports_of_nodes(small):
    assert supports(small.nodes["walk"].motion) == ("both", "left", "both", "right")
    assert supports(small.nodes["run"].motion) == ("left", "air", "right", "air")
    assert supports(small.nodes["stand"].motion) == ("stand",)


@pytest.mark.parametrize("pair", PAIRS)
def test_an_edge_has_one_structure_and_a_mirrored_twin(small, pair):
    edge, twin = small.edges[pair]
    for e in (edge, twin):
        motion = e.motion
        assert len(motion) == 4
        assert not motion.is_loop
        assert (np.diff(motion.key_times, axis=1) > 0.0).all()
        assert e.shared_before >= 1
        assert e.shared_after >= 1
        assert e.shared_before + e.shared_after <= len(motion.marks) - 1
    turns = [k for k, name in enumerate(edge.motion.parameter_names) if name.startswith("turn")]
    rows = {tuple(np.round(r, 6)) for r in edge.motion.parameters}
    mirrored = twin.motion.parameters.copy()
    mirrored[:, turns] *= -1.0
    assert rows == {tuple(np.round(r, 6)) for r in mirrored}


@pytest.mark.parametrize("pair", [p for p in PAIRS if p[0] != "stand"])
def test_the_twins_of_an_edge_share_the_whole_cycle_of_the_node_they_leave(small, pair):
    cycle = len(supports(small.nodes[pair[0]].motion))
    held = {(e.leave_at + k) % cycle for e in small.edges[pair] for k in range(e.shared_before)}
    assert held == set(range(cycle))


@pytest.mark.parametrize("pair", PAIRS)
def test_contacts_of_edge_and_node_agree_where_they_are_shared(small, pair):
    """In the middle of every shared stretch the same feet are down in both, at every example."""

    def feet(motion, weights, y):
        pieces = len(motion.marks) - 1
        found = []
        for side in ("left", "right"):
            spans = [np.tensordot(weights, motion.contacts[f"{side}_{part}"], axes=1) * pieces
                     for part in ("heel", "toe") if f"{side}_{part}" in motion.contacts]  # fmt: skip
            rounds = (y, y + pieces) if motion.is_loop else (y,)
            found.append(any(a <= t < b for span in spans for a, b in span for t in rounds))
        return found

    for edge in small.edges[pair]:
        begin = len(edge.motion.marks) - 1 - edge.shared_after
        shared = [(edge.before, edge.leave_at, 0, edge.shared_before)]
        shared.append((edge.after, edge.enter_at, begin, edge.shared_after))
        for name, at, first, count in shared:
            node = small.nodes[name].motion
            usual = np.full(len(node), 1.0 / len(node))
            for k in range(count):
                theirs = feet(node, usual, (at + k) % (len(node.marks) - 1) + 0.5)
                for example in np.eye(len(edge.motion)):
                    assert feet(edge.motion, example, first + k + 0.5) == theirs


@pytest.mark.parametrize("pair", PAIRS)
def test_a_change_lies_on_its_carrier_where_the_nodes_do_that_it_joins(small, pair):
    """Else a body that arrives would be drawn ahead or to a side while both are blended: into a turn, by 7 cm."""
    for edge in small.edges[pair]:
        node, change = small.nodes[edge.after].motion, edge.motion
        pieces = len(change.marks) - 1
        y = np.linspace(pieces - edge.shared_after, pieces, 41)
        same = (edge.enter_at + y - y[0]) / (len(node.marks) - 1)
        for example, row in zip(np.eye(len(change)), change.parameters, strict=True):
            weights = node.weights(row[len(row) - len(node.parameter_names) :])[0]
            off = change.local_pose(y / pieces, example).root_pos - node.local_pose(same % 1.0, weights).root_pos
            assert np.abs(off[:, [0, 2]].mean(axis=0)).max() < 0.01  # metres; 0.07 where it was under the pelvis


@pytest.mark.parametrize("pair", PAIRS)
def test_the_carrier_of_a_change_goes_as_evenly_as_a_body_does(small, pair):
    """What comes next takes the carrier's velocity over: a jerk of it would be one of the whole body."""
    for edge in small.edges[pair]:
        motion, pieces = edge.motion, len(edge.motion.marks) - 1
        grid = np.linspace(0.0, pieces, motion.cells + 1)
        for k in range(len(motion)):
            seconds = np.diff(np.interp(grid, np.arange(pieces + 1), motion.key_times[k]))
            speed = np.hypot(*np.diff(motion.travel[:, k, :2], axis=0).T) / seconds
            push = np.abs(np.diff(speed)) / (0.5 * (seconds[1:] + seconds[:-1]))
            assert push.max() < 100.0  # m/s²; up to 750 where it was moved within one short stretch


@pytest.mark.parametrize("pair", PAIRS)
def test_feet_of_a_change_that_turns_stay_where_they_stand_on_its_carrier(small, pair):
    """The carrier lies beside the body, so it goes another way round a turn: the body goes as the take does."""
    motion = small.edges[pair][0].motion
    for weights in np.eye(len(motion)):
        times = np.arange(0.0, play.duration(motion, weights), 1.0 / 60.0)
        clip = Clip(motion.skeleton, 60.0, play.play(motion, weights, times).pose)
        spans = play.contact_spans(motion, weights, float(times[-1]))
        for side in ("left", "right"):
            toe = clip.positions[:, getattr(motion.skeleton.roles, f"{side}_toe")][:, [0, 2]]
            for start, end in spans[f"{side}_toe"]:
                stood = toe[(times > start + 0.05) & (times < end - 0.05)]
                assert len(stood) < 2 or np.linalg.norm(np.ptp(stood, axis=0)) < 0.02  # metres


def test_made_changes_brake_from_a_fast_run_to_a_slow_walk(small):
    """With fast to fast and slow to slow alone, a run of 4 m/s would end in a walk that is a third too fast."""
    walk, run = (small.nodes[name].motion for name in ("walk", "run"))
    made = made_changes(run, walk, adult(), 60.0)
    of = np.array([[clip.parameters[f"speed_{at}"] for at in ("before", "after")] for clip in made])
    spread = of - of.mean(axis=0)
    assert len(made) == 8
    assert abs(np.corrcoef(spread.T)[0, 1]) < 0.1
    assert {clip.parameters["turn_before"] > 0.0 for clip in made} == {True, False}
    assert len(made_changes(walk, run, adult(), 60.0)) == 4  # those that speed up would share too few steps


def test_takes_that_begin_elsewhere_are_refused(small, changes):
    clips = changes["stand", "walk"]
    with pytest.raises(StructureError, match="share no steps"):
        build_edges(
            small.nodes["run"].motion, small.nodes["stand"].motion, changes["stand", "walk"],
            [{"speed_before": 1.0, "turn_before": 0.0}] * 4,
        )  # fmt: skip
    with pytest.raises(ParameterError, match="speed_after"):
        build_edges(small.nodes["stand"].motion, small.nodes["walk"].motion, clips, [{}] * 4)


def test_walks_backward_are_begun_and_ended_in_steps_where_no_take_shows_it():
    stand = build([motion("stand")], "stand", "stand", "ends")
    back = build([motion("walk-back", speed=0.9)], "locomotion", "back")
    for before, after in ((stand, back), (back, stand)):
        made = made_changes(before, after, adult(), 60.0)
        ways = edge_of(before, after, [(clip, clip.parameters) for clip in made]).ways
        assert all(way.motion is not None for way in ways)
        for clip in made:
            gone = np.diff(clip.root_motion.position[:, 2])
            assert (gone < 0.002).all()  # metres a frame: never ahead
            ends = abs(gone[:6].mean()) * 60.0, abs(gone[-6:].mean()) * 60.0
            assert ends[:: -1 if before is back else 1] == pytest.approx((0.0, 0.9), abs=0.2)
            assert slide(clip, flags(clip, known_contacts(clip))).mean_cm_s < 1.0


def test_a_stretch_that_lasts_no_time_in_one_take_can_be_blended(small, changes):
    """Where a foot lands as the other lifts, a stretch of a frame in one take and of a step in another was gone at five
    times the body's speed."""
    before, after = small.nodes["walk"].motion, small.nodes["run"].motion
    clips = list(changes["walk", "run"])
    given = [clip.parameters for clip in clips]
    clips[0] = clips[0].with_pose(clips[0].pose, events=tuple(sooner(e, clips[0]) for e in clips[0].events))
    for edge in build_edges(before, after, clips, given):
        assert np.diff(edge.motion.key_times, axis=1).min() > 0.03


def sooner(event, clip):
    """A foot that leaves while the other stands does so as soon as that has landed."""
    other = "right" if event.name.startswith("left") else "left"
    lands = [e.start_s for e in clip.events if e.name == f"{other}_heel" and 0.0 < event.end_s - e.start_s < 0.3]
    return event._replace(end_s=lands[0] + 0.004) if event.name.endswith("toe") and lands else event


def test_an_edge_that_sinks_into_a_lunge_is_not_taken(small):
    """Of a change whose pelvis falls and one that stays up, the one that stays up is taken; alone, it is made live."""
    run, walk = small.nodes["run"].motion, small.nodes["walk"].motion
    fine = motion("run-to-walk", run=3.0, walk=1.4)
    low = fine.pose.root_pos - np.outer(0.3 * np.sin(np.linspace(0.0, np.pi, fine.frames)) ** 2, [0.0, 1.0, 0.0])
    sunk = fine.with_pose(fine.pose._replace(root_pos=low), name="sunk")
    usual = np.full(len(fine.skeleton), 100.0)
    takes = [(clip, clip.parameters) for clip in (sunk, motion("run-to-walk", run=2.8, walk=1.3))]
    chosen = choose_edge(run, walk, takes[:1], takes[1:], usual, 60.0)
    assert chosen.way == "made"
    assert chosen.quality.dip_cm < 4.0
    assert "sinks" in chosen.refused[0]
    assert choose_edge(run, walk, takes[:1], [], usual, 60.0).way == "on the fly"
