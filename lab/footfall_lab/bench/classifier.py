"""Entry classifier: microseconds for one state, milliseconds for ten thousand, against plain numpy."""

from __future__ import annotations

from footfall.edit.coast import State
from footfall.joins.classifier.entry_classifier import classify
from footfall.joins.classifier.entry_table import table_of
from footfall.joins.methods import classifier
from footfall.joins.transition import TransitionRequest
from footfall.motions.library import motion
from footfall_lab.bench._measure import Row, median_s
from footfall_lab.oracles.entry_classifier import plain_classify
from footfall_lab.random_states import random_states

MANY = 10_000
ONE_US, MANY_S = 100.0, 0.2


def run() -> list[Row]:
    """Every figure of this benchmark."""
    from footfall.joins.departure import from_state

    clip = motion("walk")
    table, states = table_of(clip), random_states(MANY, 0)
    single = State(states.pose.at(0), states.velocity[0], states.spin[0])
    one = 1e6 * median_s(lambda: classify(single, table), repeats=201)
    one_plain = 1e6 * median_s(lambda: plain_classify(single, table), repeats=51)
    many = median_s(lambda: classify(states, table))
    many_plain = median_s(lambda: plain_classify(states, table), repeats=3)
    departure = from_state(clip.skeleton, single)
    whole = 1e3 * median_s(lambda: classifier.transition(departure, clip, TransitionRequest()), repeats=31)
    made = 1e3 * median_s(lambda: table_of(clip.with_pose(clip.pose)), repeats=3)
    body = f"{len(clip.skeleton)} joints, {len(table.key_s)} keys"
    return [
        Row(f"one state, {body}", f"{one:.0f} µs", f"at most {ONE_US:.0f} µs", one <= ONE_US),
        Row("the same in plain numpy", f"{one_plain:.0f} µs, {one_plain / one:.1f} times as long"),
        Row(f"{MANY} states in one call", f"{1e3 * many:.0f} ms", f"at most {MANY_S:g} s", many <= MANY_S),
        Row("the same in plain numpy", f"{1e3 * many_plain:.0f} ms, {many_plain / many:.1f} times as long"),
        Row("a whole transition: entry, placement, blend", f"{whole:.1f} ms"),
        Row("a motion's table, made once (keys, means, velocities)", f"{made:.0f} ms"),
    ]
