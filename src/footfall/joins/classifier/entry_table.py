"""Entry table: a motion as the classifier needs it, its keys, the ways between them and its velocities, made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from footfall.analysis.keyframes import find_keyframes
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.edit.coast import state_of
from footfall.edit.sample import need_frames
from footfall.joins.classifier.limbs import Reference, numbers, reference_of

_tables: WeakKeyDictionary[Clip, EntryTable] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class EntryTable:
    """Key_i of a motion M with M, Diff and M' as numbers; on a loop index 0 follows the last."""

    reference: Reference
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

    def slope(self, t_s: np.ndarray) -> np.ndarray:
        """M'(t)[d] at a time for each DOF, t_s (..., D), straight between frames."""
        i, after, u = self._between(t_s)
        d = np.arange(self.frame_rate.shape[1])
        a, b = self.frame_rate[i, d], self.frame_rate[after, d]
        return a + u * (b - a)

    def at(self, of_frames: np.ndarray, t_s: np.ndarray) -> np.ndarray:
        """(N, D) frame_value or frame_rate at times (N,), straight between frames."""
        i, after, u = self._between(t_s)
        return of_frames[i] + u[:, None] * (of_frames[after] - of_frames[i])

    def _between(self, t_s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The frames before and after times, and the way between them; on a loop times go round."""
        t_s = np.mod(t_s, self.duration_s) if self.loop else t_s
        x = np.clip(t_s, 0.0, self.duration_s) * self.fps
        last = len(self.frame_rate) - 1
        i = np.minimum(x.astype(int), max(last - 1, 0))
        return i, np.minimum(i + 1, last), x - i


def table_of(clip: Clip, keyframes: Sequence[float] | None = None) -> EntryTable:
    """The table of a motion, kept with it; keyframes: times in seconds, instead of the turning points found."""
    need_frames(clip, what="entered")
    if keyframes is not None:
        return _make(clip, _checked(clip, keyframes))
    if clip not in _tables:
        _tables[clip] = _make(clip, np.array([key.t_s for key in find_keyframes(clip)]))
    return _tables[clip]


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
