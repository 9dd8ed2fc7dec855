"""Entry classifier: where in a motion a figure in any state should enter it (Polichroniadis & Dodgson 1999).

Three levels. *Limb*: the key whose angles are nearest, or the next one if the velocities say that it is being left.
*Co-ordination*: the most confident limb proposes its key to the others, who accept where that costs little.
*Refinement*: every DOF estimates how long before its limb's key it is. All times go round on a loop.

In the paper's words: `front_s` is Front, where the motion is entered; `laggard_s` is Furthest; `time_s` are the t_d.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.edit.coast import State
from footfall.joins.classifier.entry_parameters import Parameters, choose
from footfall.joins.classifier.entry_table import EntryTable, table_of
from footfall.joins.classifier.limbs import Numbers, numbers

SHORTEST_S, LONGEST_S = 0.1, 0.8  # of a blend
STILL = 0.05  # rad/s: a DOF that moves less than this on the way to a key cannot tell the time
MANY = 2000  # states from which on compiling is worth it
ALWAYS = (0.0, float("inf"))


class Entry(NamedTuple):
    """Where to enter, for a batch of states (...)."""

    key: np.ndarray  # (..., limbs) the key each limb is heading for
    time_s: np.ndarray  # (..., D) where each DOF is, in the motion's time
    front_s: np.ndarray  # (...) the foremost: the motion is entered here
    laggard_s: np.ndarray  # (...) the hindmost
    length_s: np.ndarray  # (...) how long the blend takes
    score: np.ndarray  # (...) rad²: how far from the limbs' keys, weighted mean square, plus the pelvis's own
    leader: np.ndarray  # (...) the most confident limb

    def at(self, index: int | np.ndarray | slice) -> Entry:
        """One entry, or some, of a batch."""
        return Entry(*(part[index] for part in self))


def classify(
    state: State,
    target: Clip | EntryTable,
    parameters: Parameters | str | None = None,
    window_s: tuple[float, float] = ALWAYS,
    compiled: bool | None = None,
) -> Entry:
    """Where states (...) should enter a motion; window_s bounds where entry is allowed, in the motion's time.

    compiled: with the compiled twin; by default for many states, and where the compiler is loaded anyway.
    """
    table = target if isinstance(target, EntryTable) else table_of(target)
    chosen = choose(parameters)
    if compiled is None:
        compiled = "numba" in sys.modules or state.velocity.size // 3 >= MANY
    if compiled:
        from footfall.joins.classifier.entry_compiled import classify_states

        return classify_states(table, state, chosen, window_s)
    return classify_numbers(table, numbers(table.reference, state), chosen, window_s)


def enter_any(
    state: State, targets: Sequence[Clip | EntryTable], parameters: Parameters | str | None = None
) -> tuple[np.ndarray, Entry]:
    """Which motion of a set of one body's each state is nearest to, (...) index, and where it enters that one.

    A set is how a figure gets up: a looped walk, crouch to walk, lying to crouch.
    """
    if not targets:
        raise ParameterError("there is no motion to enter; give one or more")
    entries = [classify(state, target, parameters) for target in targets]
    best = np.argmin(np.stack([entry.score for entry in entries]), axis=0)  # (...)
    chosen = []
    for parts in zip(*entries, strict=True):
        stacked = np.stack(parts)  # (targets, ..., more)
        index = best.reshape(1, *best.shape, *(1,) * (stacked.ndim - 1 - best.ndim))
        chosen.append(np.take_along_axis(stacked, index, axis=0)[0])
    return best, Entry(*chosen)


def classify_numbers(table: EntryTable, given: Numbers, parameters: Parameters, window_s: tuple[float, float]) -> Entry:
    """The readable classifier: states as DOF values and rates (..., D)."""
    batch = given.value.shape[:-1]
    value, rate = (x.reshape(-1, x.shape[-1]) for x in given)
    bounds = table.reference.layout.bounds
    weight_p, weight_v = parameters.weights(table.reference.layout.parts)
    allowed = allowed_keys(table, window_s)
    score_p = _limb_scores(value, table.value, weight_p, bounds)  # (N, limbs, K)
    score_v = _limb_scores(rate, table.diff, weight_v, bounds)
    total = np.add.reduceat(weight_p, bounds[:-1])  # (limbs,)
    mute = total <= 0.0
    if parameters.per_limb:
        score_p = score_p / np.where(mute, 1.0, total)[:, None]
    key = _limb_keys(table, score_p, score_v, allowed)
    key, leader = _co_ordinate(table, key, np.where(mute[:, None], np.inf, score_p), mute, parameters)
    time = _refine(table, value, rate, key, weight_p, parameters.catch_up_s)
    front, laggard = _ends(table, time)
    front = into_window(table, front, window_s)
    behind = np.mod(front - laggard, table.duration_s) if table.loop else front - laggard
    score = _score(table, value, key, weight_p)
    found = Entry(key, time, front, laggard, np.clip(behind, SHORTEST_S, LONGEST_S), score, leader)
    return Entry(*(part.reshape(batch + part.shape[1:]) for part in found))


def allowed_keys(table: EntryTable, window_s: tuple[float, float]) -> np.ndarray:
    """(K,) keys that may be headed for: the way to them meets the window; the nearest one if none does."""
    low, high = window_s
    end, start = table.key_s, table.key_s - table.gap_s
    met = (end >= low) & (start <= high)
    if table.loop:  # the way to the first key begins before the loop's end
        met |= (end + table.duration_s >= low) & (start + table.duration_s <= high)
    if not met.any():
        met[np.abs(table.key_s - np.clip(table.key_s, low, high)).argmin()] = True
    return met


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
    table: EntryTable, key: np.ndarray, score_p: np.ndarray, mute: np.ndarray, parameters: Parameters
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
    accepts = mute | ((apart > parameters.min_gap_s) & (loss < parameters.accept_loss))
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
    early = early + catch_up_s * np.minimum(1.0, np.abs(rate - table.slope(arrival - early)) / speed)
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
