"""The planner decides as the paper's tables and eq. 1 say, and always says why."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.analysis.content import ContentBounds
from footfall.analysis.phases import Phase
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.asap import LONGEST_HOLD_S, as_soon_as_possible
from footfall.timeline.conditions import METHODS, ORDER, allowed, fits, scales
from footfall.timeline.planner import ADAPT_S, PlanOptions, plan_join, plan_joins

# Oshita 2008, tables 1 to 3, written out again as sets: the code has them as rows of signs
TRANSITION = {("NS", "NS"), ("NS", "RS"), ("NS", "LS"), ("RS", "NS"), ("RS", "RS"), ("LS", "NS"), ("LS", "LS")}
CONNECTION = {("NS", "RS"), ("NS", "LS"), ("NS", "DS"), ("RS", "RS"), ("RS", "DS"), ("LS", "LS"), ("LS", "DS")}
ADAPTATION = {("DS", "RS"), ("DS", "LS"), ("DS", "DS")}
TABLES = {"transition": TRANSITION, "connection": CONNECTION, "adaptation": ADAPTATION}


class Fake(ArrangedClip):
    """A piece of known phases: the planner asks for little else."""

    bounds = actions = foot_actions = apexes = ContentBounds(np.inf, -np.inf)  # nothing of it must be shown
    method = None

    def __init__(self, *phases: tuple[str, float], start_s: float = 0.0) -> None:
        edges = np.cumsum([0.0, *(length for _, length in phases)])
        found = tuple(Phase(x, float(a), float(b)) for (x, _), a, b in zip(phases, edges[:-1], edges[1:], strict=True))
        object.__setattr__(self, "start_s", start_s)
        object.__setattr__(self, "name", "kick")
        object.__setattr__(self, "_phases", found)

    @property
    def end_s(self) -> float:
        return self.start_s + self._phases[-1].end_s

    @property
    def phases(self) -> tuple[Phase, ...]:
        return tuple(Phase(p.label, p.start_s + self.start_s, p.end_s + self.start_s) for p in self._phases)


@pytest.mark.parametrize(("method", "previous", "following"), list(itertools.product(METHODS, ORDER, ORDER)))
def test_every_pair_of_phases_is_decided_as_the_tables_say(method, previous, following):
    assert allowed(method, previous, following) == ((previous, following) in TABLES[method])


@pytest.mark.parametrize(("previous", "following"), list(itertools.product(ORDER, ORDER)))
def test_two_single_phases_get_the_best_method_the_tables_allow(previous, following):
    pair = (previous, following)
    overlapping = plan_join(Fake((previous, 0.5)), Fake((following, 0.5), start_s=0.1), 0.0)
    assert overlapping.kind == next((m for m in METHODS if pair in TABLES[m]), "fallback")
    apart = plan_join(Fake((previous, 0.5)), Fake((following, 0.5), start_s=0.9), 0.0)  # too far for a transition
    assert apart.kind == next((m for m in METHODS[1:] if pair in TABLES[m]), "fallback")


def test_conditions_of_a_transition_at_their_limits():
    previous = Phase("RS", 0.0, 1.0)
    assert fits(previous, Phase("RS", 0.2, 1.2))
    assert not fits(previous, Phase("RS", 0.5, 1.5))  # exactly s_max: the paper's condition is strict
    assert not fits(previous, Phase("RS", -0.3, 0.7))  # exactly s_min
    assert fits(previous, Phase("RS", 0.5 - 1e-9, 1.5 - 1e-9))
    assert not fits(previous, Phase("RS", 1.0, 1.2))  # the next phase would take 6 times its time
    assert scales(previous, Phase("RS", 0.2, 1.2)) == pytest.approx((1.2, 1.2))


def test_of_several_transitions_the_one_that_keeps_most_of_the_previous_clip_is_taken():
    walk = Fake(("RS", 0.4), ("DS", 0.1), ("LS", 0.4), ("DS", 0.1), ("RS", 0.4))
    join = plan_join(walk, Fake(("RS", 0.4), ("DS", 0.1), ("LS", 0.4), start_s=1.05), 0.0)
    assert (join.kind, join.begin_s, join.end_s) == ("transition", pytest.approx(1.0), pytest.approx(1.45))


def test_a_connection_waits_only_where_the_next_phase_has_not_begun():
    jump = Fake(("DS", 0.3), ("NS", 0.4))
    waiting = plan_join(jump, Fake(("DS", 0.5), start_s=1.0), 0.0)
    assert (waiting.kind, waiting.reach_s, waiting.end_s) == ("connection", pytest.approx(0.7), pytest.approx(1.0))
    assert waiting.hold_s == pytest.approx(0.3)
    inside = plan_join(jump, Fake(("DS", 0.5), start_s=0.6), 0.0)
    assert (inside.enter_s, inside.hold_s) == (pytest.approx(0.7), 0.0)


def test_adaptation_changes_at_most_half_a_second_of_the_previous_clip():
    kick = Fake(("LS", 0.6), ("DS", 2.0))
    join = plan_join(kick, Fake(("DS", 0.5), ("RS", 0.4), start_s=2.6), 0.0)
    assert join.kind == "adaptation"
    assert join.leave_s - join.begin_s == pytest.approx(ADAPT_S)
    assert [r.method for r in join.rejected] == ["transition", "connection"]
    assert "freeze for 2.00 s" in join.rejected[1].reason
    assert plan_join(kick, Fake(("DS", 0.5), start_s=2.6), 0.0, PlanOptions(paper=True)).kind == "connection"
    late = plan_join(kick, Fake(("DS", 0.5), start_s=3.0), 0.0)
    assert late.hold_s == pytest.approx(0.4)


def test_a_kick_is_not_cut_before_its_apex_while_there_is_another_way():
    kick = Fake(("DS", 0.4), ("LS", 0.6), ("DS", 0.2))
    walk = Fake(("DS", 0.2), ("LS", 0.5), start_s=1.2)
    assert plan_join(kick, walk, 0.0).kind == "connection"
    for name in ("bounds", "actions", "foot_actions", "apexes"):
        object.__setattr__(kick, name, ContentBounds(np.inf, 0.85))
    join = plan_join(kick, walk, 0.0)
    assert (join.kind, join.begin_s) == ("adaptation", pytest.approx(1.0))
    assert plan_join(kick, walk, 0.0, PlanOptions(paper=True)).kind == "connection"
    early = Fake(("LS", 0.5), start_s=0.45)  # starts in the middle of the kick: nothing else is left
    assert plan_join(kick, early, 0.0).kind == "transition"


def test_a_preferred_method_comes_first_where_its_conditions_hold():
    previous, following = Fake(("RS", 0.5)), Fake(("RS", 0.5), start_s=0.1)
    for wish, kind in ((None, "transition"), ("connection", "connection"), ("adaptation", "transition")):
        object.__setattr__(following, "method", wish)
        assert plan_join(previous, following, 0.0).kind == kind


phases = st.lists(st.tuples(st.sampled_from(ORDER), st.floats(0.03, 2.0)), min_size=1, max_size=6)


@given(tracks=st.lists(st.tuples(phases, st.floats(-1.0, 3.0)), min_size=2, max_size=6))
def test_joins_of_any_track_follow_each_other_in_time_and_say_why(tracks):
    pieces, start = [], 0.0
    for chosen, gap in tracks:
        piece = Fake(*chosen, start_s=start)
        pieces.append(piece)
        start = max(start, piece.end_s + gap)
    joins = plan_joins(pieces)
    assert len(joins) == len(pieces) - 1
    for join, (previous, following) in zip(joins, itertools.pairwise(pieces), strict=True):
        assert join.begin_s <= join.leave_s + 1e-9
        assert join.begin_s < join.end_s + 1e-9
        assert join.begin_s >= previous.start_s - 1e-9
        assert join.end_s >= following.start_s - 1e-9
        assert join.reason
        assert all(r.reason for r in join.rejected)
    for first, second in itertools.pairwise(joins):
        assert second.begin_s >= first.end_s - 1e-9


@pytest.mark.parametrize("first", ["walk", "kick", "jump", "stand", "run"])
@pytest.mark.parametrize("second", ["walk-back", "running-kick", "wave", "punch"])
def test_as_soon_as_possible_never_waits_long_and_finds_a_rule_for_built_in_motions(first, second):
    previous, following = ArrangedClip(ff.motion(first), 2.0, first), ArrangedClip(ff.motion(second), 0.0, second)
    found = as_soon_as_possible(previous, following, 2.0)
    assert found.join.kind in METHODS
    assert found.join.hold_s <= LONGEST_HOLD_S
    assert found.lost_s <= previous.clip.duration + following.clip.duration
    again = plan_join(previous, following.at(found.start_s), 2.0)
    assert again == found.join


def test_phases_that_fit_but_for_their_lengths_meet_at_their_own_rate():
    previous, flight = Fake(("DS", 0.5), ("LS", 0.6)), Fake(("NS", 0.07), start_s=1.05)
    join = plan_join(previous, flight, 0.0)
    assert (join.kind, join.own_rate, join.phases) == ("transition", True, ("LS", "NS"))
    assert "meet as they are" in join.reason
    assert any("stretched" in r.reason for r in join.rejected)
    assert join.shifted(1.0).own_rate
    assert plan_join(previous, flight, 0.0, PlanOptions(paper=True)).kind == "fallback"
    late = Fake(("NS", 0.07), start_s=2.0)  # nothing there to meet
    assert plan_join(previous, late, 0.0).kind == "fallback"
