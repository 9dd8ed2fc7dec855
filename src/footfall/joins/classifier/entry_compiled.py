"""The entry classifier by its compiled twin: packs the arrays, and finishes what is left in numpy."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from footfall.core.pose import Pose
from footfall.edit.coast import State
from footfall.joins.classifier import classify as compiled
from footfall.joins.classifier.entry_classifier import LONGEST_S, SHORTEST_S, Entry, allowed_keys, into_window
from footfall.joins.classifier.entry_parameters import Parameters
from footfall.joins.classifier.entry_table import EntryTable
from footfall.joins.classifier.limbs import STEP_S, Numbers, Reference, pelvis_numbers

ALWAYS = (0.0, float("inf"))
_weights: WeakKeyDictionary[EntryTable, dict[int, tuple[Parameters, np.ndarray, np.ndarray]]] = WeakKeyDictionary()
MOST_KEPT = 16  # sets of parameters packed for one table


def classify_states(table: EntryTable, state: State, parameters: Parameters, window_s: tuple[float, float]) -> Entry:
    """What `entry_classifier.classify` gives, for states with any batch axes."""
    return classify_numbers(table, numbers(table.reference, state), parameters, window_s)


def classify_numbers(table: EntryTable, given: Numbers, parameters: Parameters, window_s: tuple[float, float]) -> Entry:
    """What `entry_classifier.classify_numbers` gives."""
    weights, limits = _packed(table, parameters)
    allowed = np.ones(len(table.key_s), bool) if window_s == ALWAYS else allowed_keys(table, window_s)
    return entries(table, given, weights, limits, allowed, window_s)


def entries(
    table: EntryTable,
    given: Numbers,
    weights: np.ndarray,
    limits: np.ndarray,
    allowed: np.ndarray,
    window_s: tuple[float, float] = ALWAYS,
) -> Entry:
    """The same by packed parameters: weights (2, D); limits accept_loss, min_gap_s, catch_up_s, per_limb."""
    batch, dofs = given.value.shape[:-1], given.value.shape[-1]
    value, rate = given.value.reshape(-1, dofs), given.rate.reshape(-1, dofs)
    count, bounds = len(value), table.reference.layout.bounds
    key = np.empty((count, len(bounds) - 1), np.int64)
    time, ends, leader = np.empty((count, dofs)), np.empty((count, 3)), np.empty(count, np.int64)
    compiled.classify_numbers(
        value, rate, bounds, weights, limits, allowed, table.key_s, table.gap_s, table.value, table.diff,
        table.frame_rate, table.fps, table.duration_s, table.loop, key, time, ends, leader,
    )  # fmt: skip
    front, laggard = ends[:, 0], ends[:, 1]
    if window_s != ALWAYS:
        front = into_window(table, front, window_s)
    behind = front - laggard
    if table.loop:
        behind = np.mod(behind, table.duration_s)
    length = np.minimum(np.maximum(behind, SHORTEST_S), LONGEST_S)
    found = Entry(key, time, front, laggard, length, ends[:, 2], leader)
    if len(batch) == 1:
        return found
    return Entry(*(part.reshape(batch + part.shape[1:]) for part in found))


def numbers(reference: Reference, state: State) -> Numbers:
    """What `limbs.numbers` gives."""
    layout, batch = reference.layout, state.velocity.shape[:-1]
    joints = state.spin.shape[-2]
    rot = np.ascontiguousarray(state.pose.rot, float).reshape(-1, joints, 4)
    spin = np.ascontiguousarray(state.spin, float).reshape(-1, joints, 3)
    pelvis = np.empty((len(rot), 2, 3))
    if layout.skeleton.roles.pelvis == 0:
        height, lift = (x.reshape(-1, 3)[:, 1] for x in (state.pose.root_pos, state.velocity))
        compiled.root_numbers(
            rot[:, 0], spin[:, 0], height, lift, reference.up, reference.across, layout.unit_m, STEP_S, pelvis
        )
    else:
        flat = State(_flat(state.pose), state.velocity.reshape(-1, 3), spin)
        pelvis[:, 0], pelvis[:, 1] = pelvis_numbers(reference, flat)
    value, rate = np.empty((len(rot), len(layout.parts))), np.empty((len(rot), len(layout.parts)))
    compiled.state_numbers(rot, spin, pelvis, layout.joints, reference.mean, value, rate)
    return Numbers(value.reshape(*batch, -1), rate.reshape(*batch, -1))


def pack(parameters: Parameters, parts: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Weights (2, D) and limits (4,) as the kernel takes them."""
    limits = [parameters.accept_loss, parameters.min_gap_s, parameters.catch_up_s, float(parameters.per_limb)]
    return np.stack(parameters.weights(parts)), np.array(limits)


def _packed(table: EntryTable, parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    kept = _weights.setdefault(table, {})
    found = kept.get(id(parameters))
    if found is None or found[0] is not parameters:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        found = kept[id(parameters)] = (parameters, *pack(parameters, table.reference.layout.parts))
    return found[1], found[2]


def _flat(pose: Pose) -> Pose:
    joints = pose.rot.shape[-2]
    pos = None if pose.pos is None else pose.pos.reshape(-1, joints, 3)
    return Pose(pose.root_pos.reshape(-1, 3), pose.rot.reshape(-1, joints, 4), pos)
