"""Pairs of motions joined by several methods at the same moments, and how lively the joins are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.align.tables import describe, entries_of, frame_at, pinned_frame
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.joins.assemble import AssembledJoin, assemble
from footfall.joins.departure import Departure, leaving
from footfall.joins.measure import measure
from footfall.joins.transition import TransitionRequest, method
from footfall.quality.jerk import jerk_ratio

LENGTH_S = 0.45
LEFT_AT = 0.4  # of its duration a motion is left
ROOM_S = 0.2  # before its end, the last moment at which a motion is entered
QUICK_HZ = 3.0
AROUND_S = 1.0  # of the motions on either side, so that the filter's ends are far away

NEAR = 6  # frames around a join in which the sources' own steps are looked at

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "by-example": ("by-example", {}),
    "a window a joint": ("by-example", {"windows": "joint"}),
    "linear crossfade": ("crossfade", {"shape": "linear"}),
    "eased crossfade": ("crossfade", {"shape": "ease"}),
    "inertialize": ("inertialize", {}),
}
TAKES = (
    "walk_straight/02_01", "walk_straight/07_01", "walk_straight/35_01", "walk_straight/16_21", "run_straight/02_03",
    "run_straight/09_01", "run_straight/16_35", "run_turn/16_37", "jump/13_39", "jump/16_01", "kick/74_03",
    "punch/02_05",
)  # fmt: skip

_energies: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


class Joined(NamedTuple):
    """One pair by one method."""

    left: str
    target: str
    way: str
    energy: float  # above 3 Hz, over that of the sources
    skate: float  # over the sources'
    locked: float  # the same once footsteps are planned
    jerk: float  # over the sources'
    excess: float  # m/s²
    step: float  # rad/s, of a joint's angular velocity at the two joins, beyond what the sources do there


def seven() -> list[Clip]:
    """Seven built-in motions, as many as the thesis has."""
    from footfall.motions.library import motion

    gaits = [motion("walk", speed=1.3), motion("run", speed=3.0)]
    return gaits + [motion(name) for name in ("jump", "kick", "skip", "punch", "wave")]


def takes(folder: Path) -> list[Clip]:
    """Twelve captured takes of one body, those that are there."""
    from footfall.io.load import load

    paths = [folder / "cmu_bvh" / f"{name}.bvh" for name in TAKES]
    return [load(path) for path in paths if path.is_file()]


def moments(left: Clip, target: Clip, pinned: bool) -> tuple[Departure, float]:
    """Where a pair is joined: the departure and the time of entry, the same for every method."""
    departure = leaving(left, round(LEFT_AT * left.duration * left.fps) / left.fps)
    start = pinned_frame(target) if pinned else None
    row = frame_at(describe(left, None), departure.at_s + LENGTH_S)
    enter_s = (int(entries_of(left, target)[row]) if start is None else start) / target.fps
    return departure, enter_s if target.is_loop else min(enter_s, max(target.duration - ROOM_S, 0.0))


def joins(clips: Sequence[Clip], pinned: bool, ways: Iterable[str] = tuple(METHODS)) -> Iterable[Joined]:
    """All ordered pairs by all methods."""
    for left, target in permutations(clips, 2):
        departure, enter_s = moments(left, target, pinned)
        for way in ways:
            yield joined(departure, target, enter_s, way)


def joined(departure: Departure, target: Clip, enter_s: float, way: str) -> Joined:
    """One pair by one method, measured."""
    from footfall.joins.join import join

    left = departure.clip
    assert left is not None
    name, options = METHODS[way]
    made = method(name).transition(departure, target, TransitionRequest(LENGTH_S, enter_s, options=options))
    whole = assemble(departure, target, made)
    sources = [(left, whole.join_s - departure.at_s), (target, whole.end_s - enter_s)]
    raw = measure(whole.clip, whole.join_s + 1.0 / departure.fps, sources)
    stepped = join(departure, target, name, length_s=LENGTH_S, enter_s=enter_s, **options)
    assert stepped.report is not None
    return Joined(
        left.name,
        target.name,
        way,
        energy_ratio(departure, target, enter_s, whole),
        raw.skate_ratio,
        stepped.report.quality["skate_ratio"],
        jerk_ratio(whole.clip, whole.join_s + 1.0 / departure.fps, [left, target]),
        raw.excess_m_s2,
        velocity_step(departure, target, enter_s, whole),
    )


# --- liveliness --------------------------------------------------------------------------------------------------


def energy_ratio(departure: Departure, target: Clip, enter_s: float, whole: AssembledJoin) -> float:
    """Energy above 3 Hz of the join's frames over the mean of the motions' own around the same frames.

    Energy is the square of the joints' angular velocities, filtered over the whole clip, summed over joints. Around:
    what the left motion goes on to do, and what the target did before it was entered, or the nearest there is.
    """
    fps, left = departure.fps, departure.clip
    assert left is not None
    count = round((whole.end_s - whole.join_s) * fps)
    first = round(whole.join_s * fps)
    here = quick_energy(whole.clip)[first : first + count].mean()
    spans = [(left, departure.at_s), (target, enter_s - count / fps)]
    there = [_span(clip.resample(fps) if clip.fps != fps else clip, t, count).mean() for clip, t in spans]
    return float(here / max(np.mean(there), 1e-12))


def _span(clip: Clip, start_s: float, count: int) -> np.ndarray:
    """Energies of count frames of a clip from a time on; of a loop, going round."""
    energy, first = quick_energy(clip), round(start_s * clip.fps)
    if clip.is_loop:
        return energy[np.arange(first, first + count) % (clip.frames - 1)]
    first = max(0, min(first, len(energy) - count))
    return energy[first : first + count]


def quick_energy(clip: Clip) -> np.ndarray:
    """(T - 1,) rad²/s², the squares of angular velocities above 3 Hz, summed over joints; a loop's, round and round."""
    if clip not in _energies:
        from scipy.signal import butter, sosfiltfilt

        pad = round(AROUND_S * clip.fps)
        rot = clip.sample(np.arange(-pad, clip.frames + pad) / clip.fps).rot if clip.is_loop else clip.pose.rot
        turns = rotation.log(rotation.multiply(rotation.conjugate(rot[:-1]), rot[1:])) * clip.fps
        sections = butter(2, QUICK_HZ, "high", fs=clip.fps, output="sos")
        quick = sosfiltfilt(sections, turns, axis=0, padlen=min(pad, len(turns) - 1))
        energy = (quick**2).sum(axis=(1, 2))
        _energies[clip] = energy[pad : pad + clip.frames - 1] if clip.is_loop else energy
    return _energies[clip]


def velocity_step(departure: Departure, target: Clip, enter_s: float, whole: AssembledJoin) -> float:
    """Largest step of a joint's angular velocity at the two joins, beyond its source's own around there, rad/s."""
    fps, left = whole.clip.fps, departure.clip
    assert left is not None
    ours = _steps(whole.clip)
    beyond = 0.0
    for source, t_s, join_s in ((left, departure.at_s, whole.join_s), (target, enter_s, whole.end_s)):
        around = _steps(source.with_pose(source.sample(t_s + np.arange(-NEAR, NEAR + 1) / fps), fps=fps, is_loop=False))
        k = round(join_s * fps) - 2  # step k is at frame k + 2
        if 0 <= k < len(ours):
            beyond = max(beyond, float((ours[k] - around.max(axis=0)).max()))
    return beyond


def _steps(clip: Clip) -> np.ndarray:
    """(T - 4, J) rad/s, at frames 2 … T - 3: by how much the angular velocity after a frame, from the parabola through
    it and the two next, differs from that before it. Accelerations, and their steps, are no part of it."""
    rot = clip.pose.rot
    turns = rotation.log(rotation.multiply(rotation.conjugate(rot[:-1]), rot[1:])) * clip.fps
    return 0.5 * np.linalg.norm(np.diff(turns, n=3, axis=0), axis=-1)
