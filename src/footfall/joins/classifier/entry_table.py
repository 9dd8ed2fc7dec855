"""Entry table: a motion as the classifier needs it, its keys, the ways between them and its velocities, made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.analysis.keyframes import find_keyframes
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.once import once
from footfall.edit.coast import state_of
from footfall.edit.sample import need_frames
from footfall.joins.classifier.limbs import DofReference, numbers, reference_of


class PackedTable(NamedTuple):
    """What kernels need of an EntryTable."""

    bounds: np.ndarray  # (limbs + 1,) first DOF of each limb, and their number
    key_s: np.ndarray
    gap_s: np.ndarray
    value: np.ndarray
    diff: np.ndarray
    frame_rate: np.ndarray
    fps: float
    duration_s: float
    loop: bool


@dataclass(frozen=True, eq=False)
class EntryTable:
    """Key_i of a motion M with M, Diff and M' as numbers; on a loop index 0 follows the last."""

    reference: DofReference
    loop: bool
    duration_s: float
    fps: float
    key_s: np.ndarray  # (K,) Key_i, in order, in [0, duration)
    gap_s: np.ndarray  # (K,) from the key before (from the start, for the first key of what is no loop)
    value: np.ndarray  # (K, D) M(Key_i)
    rate: np.ndarray  # (K, D) M'(Key_i)
    diff: np.ndarray  # (K, D) Diff(Key_i): mean rate on the way from the key before
    frame_value: np.ndarray  # (F, D) M at every frame
    frame_rate: np.ndarray  # (F, D) M' at every frame

    @cached_property
    def every_key(self) -> np.ndarray:  # (K,) bool
        return np.ones(len(self.key_s), bool)

    @cached_property
    def packed(self) -> PackedTable:
        """The table as kernels take it."""
        return PackedTable(
            self.reference.layout.bounds, self.key_s, self.gap_s, self.value, self.diff, self.frame_rate,
            float(self.fps), float(self.duration_s), bool(self.loop),
        )  # fmt: skip


def table_of(clip: Clip, keyframes: Sequence[float] | None = None) -> EntryTable:
    """The table of a motion, kept with it; keyframes: times in seconds, instead of the turning points found."""
    need_frames(clip, what="entered")
    if keyframes is not None:
        return _make(clip, _checked(clip, keyframes))
    return _table(clip)


@once
def _table(clip: Clip) -> EntryTable:
    return _make(clip, np.array([key.t_s for key in find_keyframes(clip)]))


def _checked(clip: Clip, keyframes: Sequence[float]) -> np.ndarray:
    times = np.unique(np.asarray(keyframes, float).ravel())
    end = clip.duration
    if not len(times) or not np.isfinite(times).all() or times[0] < 0.0 or times[-1] > end:
        raise ParameterError(f"keyframes are one or more times from 0 to {end:g} s, got {list(keyframes)}")
    if clip.is_loop and times[-1] == end and len(times) > 1:
        times = np.unique(np.append(times[:-1], 0.0))  # a loop's end is its start
    return times


def _make(clip: Clip, key_s: np.ndarray) -> EntryTable:
    reference = reference_of(clip)
    at_keys = numbers(reference, state_of(clip, key_s))
    at_frames = numbers(reference, state_of(clip, clip.times))
    loop = clip.is_loop and clip.duration > 0.0
    before = np.roll(key_s, 1)
    before[0] = before[0] - clip.duration if loop else 0.0
    gap = key_s - before
    diff = (at_keys.value - np.roll(at_keys.value, 1, axis=0)) / np.maximum(gap, 1e-9)[:, None]
    if not loop:
        diff[0] = at_keys.rate[0]
    return EntryTable(
        reference, loop, clip.duration, clip.fps, key_s, gap, at_keys.value, at_keys.rate, diff, *at_frames
    )
