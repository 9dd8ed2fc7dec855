"""Entry classifier: where in a motion a figure in any state should enter it (Polichroniadis & Dodgson 1999).

Three levels. *Limb*: the key whose angles are nearest, or the next one if the velocities say that it is being left.
*Co-ordination*: the most confident limb proposes its key to the others, who accept where that costs little.
*Refinement*: every DOF estimates how long before its limb's key it is. All times go round on a loop.

In the paper's words: `front_s` is Front, where the motion is entered; `laggard_s` is Furthest; `time_s` are the t_d.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.kernels import kernel, part
from footfall.core.once import once_per_pair
from footfall.edit.coast import State
from footfall.joins.classifier.entry_parameters import ClassifierParameters, PackedParameters, choose
from footfall.joins.classifier.entry_table import EntryTable, table_of
from footfall.joins.classifier.limbs import DofNumbers, numbers

SHORTEST_S, LONGEST_S = 0.1, 0.8  # of a blend: by eye
STILL = 0.05  # rad/s: a DOF that moves less than this on the way to a key cannot tell the time: by eye
LITTLE = 1e-9  # added to every weight, so that DOFs without one still tell the time of a limb where none has any
ALWAYS = (0.0, float("inf"))


class ClassifiedEntry(NamedTuple):
    """Where to enter, for a batch of states (...)."""

    key: np.ndarray  # (..., limbs) the key each limb is heading for
    time_s: np.ndarray  # (..., D) where each DOF is, in the motion's time
    front_s: np.ndarray  # (...) the foremost: the motion is entered here
    laggard_s: np.ndarray  # (...) the hindmost
    length_s: np.ndarray  # (...) how long the blend takes
    score: np.ndarray  # (...) rad²: how far from the limbs' keys, weighted mean square, plus the pelvis's own
    leader: np.ndarray  # (...) the most confident limb

    def at(self, index: int | np.ndarray | slice) -> ClassifiedEntry:
        """One entry, or some, of a batch."""
        return ClassifiedEntry(*(values[index] for values in self))


def classify(
    state: State,
    target: Clip | EntryTable,
    parameters: ClassifierParameters | str | None = None,
    window_s: tuple[float, float] = ALWAYS,
) -> ClassifiedEntry:
    """Where states (...) should enter a motion; window_s bounds where entry is allowed, in the motion's time."""
    table = target if isinstance(target, EntryTable) else table_of(target)
    return classify_numbers(table, numbers(table.reference, state), _packed(table, choose(parameters)), window_s)


def enter_any(
    state: State, targets: Sequence[Clip | EntryTable], parameters: ClassifierParameters | str | None = None
) -> tuple[np.ndarray, ClassifiedEntry]:
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
    return best, ClassifiedEntry(*chosen)


def classify_numbers(
    table: EntryTable, given: DofNumbers, how: PackedParameters, window_s: tuple[float, float] = ALWAYS
) -> ClassifiedEntry:
    """Where states that are given as DOF values and rates (..., D) should enter a motion."""
    batch, dofs = given.value.shape[:-1], given.value.shape[-1]
    value, rate = given.value.reshape(-1, dofs), given.rate.reshape(-1, dofs)
    count = len(value)
    key, leader = np.empty((count, len(table.reference.layout.limbs)), np.int64), np.empty(count, np.int64)
    front_s, laggard_s, length_s, score = np.empty((4, count))
    found = ClassifiedEntry(key, np.empty((count, dofs)), front_s, laggard_s, length_s, score, leader)
    _classify(value, rate, table.packed, how, allowed_keys(table, window_s), window_s, found)
    if len(batch) == 1:
        return found
    return ClassifiedEntry(*(values.reshape(batch + values.shape[1:]) for values in found))


def allowed_keys(table: EntryTable, window_s: tuple[float, float]) -> np.ndarray:
    """(K,) keys that may be headed for: the way to them meets the window; the nearest one if none does."""
    if window_s == ALWAYS:
        return table.every_key
    low, high = window_s
    end, start = table.key_s, table.key_s - table.gap_s
    met = (end >= low) & (start <= high)
    if table.loop:  # the way to the first key begins before the loop's end
        met |= (end + table.duration_s >= low) & (start + table.duration_s <= high)
    if not met.any():
        met[np.abs(table.key_s - np.clip(table.key_s, low, high)).argmin()] = True
    return met


@once_per_pair
def _packed(table: EntryTable, parameters: ClassifierParameters) -> PackedParameters:
    return parameters.packed(table.reference.layout.parts)


# --- kernels ----------------------------------------------------------------------------------------------------------
# table is an entry_table.PackedTable, how the parameters for its DOFs; limb l has DOFs bounds[l] to bounds[l + 1].


@kernel
def _classify(value: Any, rate: Any, table: Any, how: Any, allowed: Any, window_s: Any, out: Any) -> None:
    """All three levels for every state, value and rate (N, D), one after the other; fills out (a ClassifiedEntry)."""
    bounds = table.bounds
    limbs, keys, dofs = len(bounds) - 1, len(table.key_s), value.shape[1]
    total = np.zeros(limbs)
    for limb in range(limbs):
        for d in range(bounds[limb], bounds[limb + 1]):
            total[limb] += how.position[d]
    score_p = np.empty((limbs, keys))
    for n in range(len(value)):
        key, time = out.key[n], out.time_s[n]
        _limb_keys(value[n], rate[n], table, how, total, allowed, score_p, key)
        out.leader[n] = _co_ordinate(table, how, total, score_p, key)
        _refine(value[n], rate[n], table, how, key, time)
        front, laggard = _ends(time, table.duration_s, table.loop)
        if window_s[0] > 0.0 or window_s[1] < np.inf:
            front = _into_window(front, window_s, table.duration_s, table.loop)
        behind = (front - laggard) % table.duration_s if table.loop else front - laggard
        out.front_s[n], out.laggard_s[n] = front, laggard
        out.length_s[n] = min(max(behind, SHORTEST_S), LONGEST_S)
        near = 0.0
        for limb in range(limbs):
            for d in range(bounds[limb], bounds[limb + 1]):
                near += how.position[d] * (value[n, d] - table.value[key[limb], d]) ** 2
        out.score[n] = near / total.sum()
        # The pelvis counts as much as all the rest: a figure that lies straight has the joints of one that stands.
        for d in range(dofs - 3, dofs):
            out.score[n] += (value[n, d] - table.value[key[limbs - 1], d]) ** 2


@part
def _limb_keys(value: Any, rate: Any, table: Any, how: Any, total: Any, allowed: Any, score_p: Any, key: Any) -> None:
    """Level 1: each limb's nearest key i, or i + 1 where the velocity is rather that of the way to it."""
    keys, bounds = len(allowed), table.bounds
    for limb in range(len(total)):
        share = 1.0 / total[limb] if how.per_limb and total[limb] > 0.0 else 1.0
        near, least = -1, np.inf
        for i in range(keys):
            score = 0.0
            for d in range(bounds[limb], bounds[limb + 1]):
                score += how.position[d] * (value[d] - table.value[i, d]) ** 2
            score_p[limb, i] = score * share
            if allowed[i] and (near < 0 or score_p[limb, i] < least):
                near, least = i, score_p[limb, i]
        after = (near + 1) % keys if table.loop else min(near + 1, keys - 1)
        here, there = 0.0, 0.0
        for d in range(bounds[limb], bounds[limb + 1]):
            here += how.velocity[d] * (rate[d] - table.diff[near, d]) ** 2
            there += how.velocity[d] * (rate[d] - table.diff[after, d]) ** 2
        key[limb] = after if there < here and allowed[after] else near


@part
def _co_ordinate(table: Any, how: Any, total: Any, score_p: Any, key: Any) -> Any:
    """Level 2: keys after the most confident limb has proposed its own; returns that limb."""
    leader = -1
    for limb in range(len(total)):
        if total[limb] > 0.0 and (leader < 0 or score_p[limb, key[limb]] < score_p[leader, key[leader]]):
            leader = limb
    proposed = key[leader]
    for limb in range(len(total)):
        apart = abs(table.key_s[key[limb]] - table.key_s[proposed])
        if table.loop:
            apart = min(apart, table.duration_s - apart)
        loss = score_p[limb, proposed] - score_p[limb, key[limb]]
        # A limb without weights has no view of its own.
        if total[limb] <= 0.0 or (apart > how.min_gap_s and loss < how.accept_loss):
            key[limb] = proposed
    return leader


@part
def _refine(value: Any, rate: Any, table: Any, how: Any, key: Any, time: Any) -> None:
    """Level 3: where each DOF is on the way to its limb's key; one that hardly moves takes its limb's time.

    That is what the limb's moving DOFs say on average, by their weights; the key's own where none moves.
    """
    frames, bounds = len(table.frame_rate), table.bounds
    for limb in range(len(bounds) - 1):
        i = key[limb]
        trust, told = 0.0, 0.0
        for d in range(bounds[limb], bounds[limb + 1]):
            speed = abs(table.diff[i, d])
            if speed < STILL:
                time[d] = -1.0  # marks a DOF that waits for its limb's time
                continue
            early = min(abs(value[d] - table.value[i, d]) / speed, table.gap_s[i])
            t = table.key_s[i] - early
            if table.loop:
                t = t % table.duration_s
            x = min(max(t, 0.0), table.duration_s) * table.fps
            f = min(int(x), max(frames - 2, 0))
            a, b = table.frame_rate[f, d], table.frame_rate[min(f + 1, frames - 1), d]
            slope = a + (x - f) * (b - a)
            early = min(early + how.catch_up_s * min(1.0, abs(rate[d] - slope) / speed), table.gap_s[i])
            time[d] = early
            trust += how.position[d] + LITTLE
            told += (how.position[d] + LITTLE) * early
        mean = told / trust if trust > 0.0 else 0.0
        for d in range(bounds[limb], bounds[limb + 1]):
            t = table.key_s[i] - (mean if time[d] < 0.0 else time[d])
            time[d] = t % table.duration_s if table.loop else t


@kernel
def _ends(time: Any, duration: Any, loop: Any) -> Any:
    """Front and laggard: latest and earliest; on a loop the ends of the smallest arc that holds all times."""
    if not loop:
        return time.max(), time.min()
    ordered = np.sort(time)
    last = len(ordered) - 1
    widest, front, laggard = -1.0, ordered[last], ordered[0]
    for k in range(last + 1):
        gap = ordered[k + 1] - ordered[k] if k < last else ordered[0] + duration - ordered[last]
        if gap > widest:
            widest, front, laggard = gap, ordered[k], ordered[(k + 1) % (last + 1)]
    return front, laggard


@part
def _into_window(t: Any, window_s: Any, duration: Any, loop: Any) -> Any:
    """A time moved to the nearer end of the window where it lies outside; never beyond the motion."""
    low = min(max(window_s[0], 0.0), duration)
    high = max(min(window_s[1], duration), low)
    if not loop or low <= t <= high:
        return min(max(t, low), high)
    to_low, to_high = abs(t - low) % duration, abs(t - high) % duration
    return low if min(to_low, duration - to_low) <= min(to_high, duration - to_high) else high
