"""The entry classifier in plain numpy: the oracle of joins/classifier/entry_classifier.py and of its numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.edit.coast import State
from footfall.joins.classifier.entry_classifier import (
    ALWAYS,
    LONGEST_S,
    SHORTEST_S,
    STILL,
    ClassifiedEntry,
    allowed_keys,
)
from footfall.joins.classifier.entry_parameters import ClassifierParameters, PackedParameters, choose
from footfall.joins.classifier.entry_table import EntryTable, table_of
from footfall.joins.classifier.limbs import STEP_S, DofNumbers, DofReference, pelvis_up


def plain_classify(
    state: State,
    target: Clip | EntryTable,
    parameters: ClassifierParameters | str | None = None,
    window_s: tuple[float, float] = ALWAYS,
) -> ClassifiedEntry:
    """What `classify` gives."""
    table = target if isinstance(target, EntryTable) else table_of(target)
    how = choose(parameters).packed(table.reference.layout.parts)
    return classify_numbers(table, numbers(table.reference, state), how, window_s)


def classify_numbers(
    table: EntryTable, given: DofNumbers, how: PackedParameters, window_s: tuple[float, float]
) -> ClassifiedEntry:
    """States as DOF values and rates (..., D)."""
    batch = given.value.shape[:-1]
    value, rate = (x.reshape(-1, x.shape[-1]) for x in given)
    bounds = table.reference.layout.bounds
    weight_p, weight_v = how.position, how.velocity
    allowed = allowed_keys(table, window_s)
    score_p = _limb_scores(value, table.value, weight_p, bounds)  # (N, limbs, K)
    score_v = _limb_scores(rate, table.diff, weight_v, bounds)
    total = np.add.reduceat(weight_p, bounds[:-1])  # (limbs,)
    mute = total <= 0.0
    if how.per_limb:
        score_p = score_p / np.where(mute, 1.0, total)[:, None]
    key = _limb_keys(table, score_p, score_v, allowed)
    key, leader = _co_ordinate(table, key, np.where(mute[:, None], np.inf, score_p), mute, how)
    time = _refine(table, value, rate, key, weight_p, how.catch_up_s)
    front, laggard = _ends(table, time)
    front = into_window(table, front, window_s)
    behind = np.mod(front - laggard, table.duration_s) if table.loop else front - laggard
    score = _score(table, value, key, weight_p)
    found = ClassifiedEntry(key, time, front, laggard, np.clip(behind, SHORTEST_S, LONGEST_S), score, leader)
    return ClassifiedEntry(*(part.reshape(batch + part.shape[1:]) for part in found))


def numbers(reference: DofReference, state: State) -> DofNumbers:
    """Values and rates of every DOF of states with any batch axes."""
    joints = reference.layout.joints
    turned = rotation.multiply(rotation.conjugate(reference.mean), state.pose.rot[..., joints, :])
    vector = rotation.log(turned)
    rate = rotation.log_rate(vector, state.spin[..., joints, :])
    pelvis = pelvis_numbers(reference, state)
    flat = (*vector.shape[:-2], 3 * len(joints))
    return DofNumbers(
        np.concatenate([vector.reshape(flat), pelvis.value], axis=-1),
        np.concatenate([rate.reshape(flat), pelvis.rate], axis=-1),
    )


def pelvis_numbers(reference: DofReference, state: State) -> DofNumbers:
    """The pelvis's three: tilt about two axes, and height."""
    before, now, after = (_pelvis(reference, state, dt) for dt in (-0.5 * STEP_S, 0.0, 0.5 * STEP_S))
    return DofNumbers(now, (after - before) / STEP_S)


def _pelvis(reference: DofReference, state: State, dt: float) -> np.ndarray:
    """(..., 3) the state's tilt and height, dt seconds on."""
    pose = state.pose
    if dt:
        rot = rotation.multiply(pose.rot, rotation.exp(dt * state.spin))
        pose = pose._replace(root_pos=pose.root_pos + dt * state.velocity, rot=rot)
    layout = reference.layout
    height, up = pelvis_up(layout.skeleton, pose)
    tilt = rotation.log(rotation.between(np.broadcast_to(reference.up, up.shape), up)) @ reference.across.T
    return np.concatenate([tilt, height[..., None] / layout.unit_m], axis=-1)


def into_window(table: EntryTable, t_s: np.ndarray, window_s: tuple[float, float]) -> np.ndarray:
    """Times moved to the nearer end of the window where they lie outside; never beyond the motion."""
    low, high = max(window_s[0], 0.0), min(window_s[1], table.duration_s)
    low = min(low, table.duration_s)
    high = max(high, low)
    if not table.loop:
        return np.clip(t_s, low, high)
    to_low, to_high = (np.abs(_around(t_s - edge, table.duration_s)) for edge in (low, high))
    return np.where((t_s >= low) & (t_s <= high), t_s, np.where(to_low <= to_high, low, high))


def _limb_scores(x: np.ndarray, keys: np.ndarray, weight: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """(N, limbs, K) sums over each limb's DOFs of weight (x - key)²."""
    scores = np.empty((len(x), len(bounds) - 1, len(keys)))
    for limb, (a, b) in enumerate(pairwise(bounds)):
        apart = x[:, None, a:b] - keys[None, :, a:b]
        scores[:, limb] = (apart * apart) @ weight[a:b]
    return scores


def _limb_keys(table: EntryTable, score_p: np.ndarray, score_v: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Level 1, (N, limbs): the nearest key i, or i + 1 where the velocity is rather that of the way to it."""
    near = np.where(allowed, score_p, np.inf).argmin(axis=-1)
    last = len(table.key_s) - 1
    after = (near + 1) % (last + 1) if table.loop else np.minimum(near + 1, last)
    v_near, v_after = (np.take_along_axis(score_v, i[..., None], axis=-1)[..., 0] for i in (near, after))
    return np.where((v_after < v_near) & allowed[after], after, near)


def _co_ordinate(
    table: EntryTable, key: np.ndarray, score_p: np.ndarray, mute: np.ndarray, how: PackedParameters
) -> tuple[np.ndarray, np.ndarray]:
    """Level 2: keys (N, limbs) after the most confident limb has proposed its own; and that limb (N,)."""
    own = np.take_along_axis(score_p, key[..., None], axis=-1)[..., 0]  # (N, limbs)
    leader = own.argmin(axis=-1)
    proposed = np.take_along_axis(key, leader[:, None], axis=1)  # (N, 1)
    there = np.take_along_axis(score_p, np.broadcast_to(proposed, key.shape)[..., None], axis=-1)[..., 0]
    apart = np.abs(table.key_s[key] - table.key_s[proposed])
    if table.loop:
        apart = np.abs(_around(apart, table.duration_s))
    loss = np.where(mute, 0.0, there - np.where(mute, 0.0, own))  # a limb without weights has no view of its own
    accepts = mute | ((apart > how.min_gap_s) & (loss < how.accept_loss))
    return np.where(accepts, proposed, key), leader


def _refine(
    table: EntryTable, value: np.ndarray, rate: np.ndarray, key: np.ndarray, weight_p: np.ndarray, catch_up_s: float
) -> np.ndarray:
    """Level 3, (N, D): where each DOF is on the way to its limb's key; one that hardly moves takes its limb's time."""
    bounds = table.reference.layout.bounds
    limb = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    i, d = key[:, limb], np.arange(value.shape[1])  # (N, D)
    speed = np.abs(table.diff[i, d])
    still = speed < STILL
    speed = np.where(still, 1.0, speed)
    arrival, gap = table.key_s[i], table.gap_s[i]
    early = np.minimum(np.abs(value - table.value[i, d]) / speed, gap)  # seconds before the key
    early = early + catch_up_s * np.minimum(1.0, np.abs(rate - _slope(table, arrival - early)) / speed)
    early = np.minimum(early, gap)
    # what the limb's moving DOFs say on average, by their weights (equally where all weights are 0); the key if none
    trust = np.where(still, 0.0, weight_p + 1e-9)
    sums = np.add.reduceat(trust, bounds[:-1], axis=1)
    mean = np.add.reduceat(trust * early, bounds[:-1], axis=1) / np.where(sums > 0.0, sums, 1.0)
    time = arrival - np.where(still, mean[:, limb], early)
    return np.mod(time, table.duration_s) if table.loop else time


def _score(table: EntryTable, value: np.ndarray, key: np.ndarray, weight_p: np.ndarray) -> np.ndarray:
    """(N,) rad²: weighted mean square distance of all DOFs to their keys, plus the pelvis's square distance.

    The pelvis counts as much as all the rest: a figure that lies straight has the joints of one that stands.
    """
    of_dof = np.repeat(key, np.diff(table.reference.layout.bounds), axis=1)  # (N, D)
    apart = (value - table.value[of_dof, np.arange(value.shape[1])]) ** 2
    return apart @ weight_p / weight_p.sum() + apart[:, -3:].sum(axis=1)


def _ends(table: EntryTable, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Front and laggard (N,): latest and earliest; on a loop the ends of the smallest arc that holds all times."""
    if not table.loop:
        return time.max(axis=1), time.min(axis=1)
    ordered = np.sort(time, axis=1)
    gaps = np.diff(ordered, axis=1, append=ordered[:, :1] + table.duration_s)  # after each, to the next one round
    widest = gaps.argmax(axis=1)
    rows = np.arange(len(time))
    return ordered[rows, widest], ordered[rows, (widest + 1) % time.shape[1]]


def _around(x: np.ndarray, period: float) -> np.ndarray:
    """x brought into [-period / 2, period / 2) by whole periods."""
    return np.mod(x + 0.5 * period, period) - 0.5 * period


def _slope(table: EntryTable, t_s: np.ndarray) -> np.ndarray:
    """M'(t)[d] at a time for each DOF, t_s (N, D), straight between frames."""
    d = np.arange(t_s.shape[1])
    return np.stack([at_times(table, table.frame_rate[:, k : k + 1], t_s[:, k])[:, 0] for k in d], axis=1)


def at_times(table: EntryTable, of_frames: np.ndarray, t_s: np.ndarray) -> np.ndarray:
    """(N, D) frame_value or frame_rate at times (N,), straight between frames; on a loop times go round."""
    t_s = np.mod(t_s, table.duration_s) if table.loop else t_s
    x = np.clip(t_s, 0.0, table.duration_s) * table.fps
    last = len(table.frame_rate) - 1
    i = np.minimum(x.astype(int), max(last - 1, 0))
    return of_frames[i] + (x - i)[:, None] * (of_frames[np.minimum(i + 1, last)] - of_frames[i])
