"""Joins: excess acceleration, in m/s²: how much more joints accelerate than in the sources at that time.

From 0.1 s before to 0.6 s after a join, for every joint of the body but fingers: |second difference of position| fps²
minus the largest value of that joint within ±0.1 s of the same clip time in any source; the maximum. It is 0 where
nothing changed. Up to 40 is clean, above 120 is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.once import once
from footfall.core.skeleton import Skeleton, readonly

if TYPE_CHECKING:
    from footfall.core.clip import Clip

CLEAN, VISIBLE = 40.0, 120.0  # m/s²: by eye; at 132 captured seams eased crossfades have a median of 0, linear 197
BEFORE_S, AFTER_S = 0.1, 0.6  # of a join: where it is looked at
AROUND_S = 0.1  # of the same time in a source: where the largest value is allowed
QUANTILE = 0.999  # of an example's accelerations, where no source frame is known

TimeMap = Callable[[np.ndarray], np.ndarray]  # times of the result -> times of a source, seconds


class Excess(NamedTuple):
    """The worst of a join."""

    value: float  # m/s², 0 or more
    joint: str  # empty where nothing exceeds its sources
    time_s: float


@once
def accelerations(clip: Clip) -> np.ndarray:
    """(T-2, J) m/s², |second difference| of every joint at frames 1 … T-2."""
    if clip.frames < 3:
        return np.zeros((0, len(clip.skeleton)))
    return np.linalg.norm(np.diff(clip.positions, n=2, axis=0), axis=-1) * clip.fps**2


@once
def _at_rate(clip: Clip, fps: float) -> Clip:
    """Second differences depend on the step they are taken over; a clip is compared with many results."""
    return clip.resample(fps)


def measured_joints(clip: Clip) -> np.ndarray:
    """Every joint of the body but fingers, whose captures flip too often to judge a join by."""
    return _body_joints(clip.skeleton)


@once
def _body_joints(skeleton: Skeleton) -> np.ndarray:
    """Joints that have a role, what carries them and what they carry, except beyond wrists.

    Left out with the fingers are their tips, and what a rig keeps beside the body: targets of hands and feet, poles of
    knees and elbows, controls. Nobody sees those.
    """
    roles, parents = skeleton.roles, skeleton.parents
    wrists = {j for j in (roles.left_wrist, roles.right_wrist) if j is not None}
    found = sorted(set(roles.of_joints()) - set(roles.fingers))
    carried, carries = (np.isin(np.arange(len(skeleton)), found) for _ in range(2))
    for j, above in enumerate(parents.tolist()[1:], start=1):
        carried[j] |= carried[above] and above not in wrists and j not in roles.fingers
    for j in range(len(skeleton) - 1, 0, -1):
        carries[parents[j]] |= carries[j]
    return readonly(np.flatnonzero(carried | carries), int)


def excess_acceleration(out: Clip, join_s: float, sources: Sequence[tuple[Clip, float | TimeMap]]) -> Excess:
    """Worst excess around a join. Each source comes with its time in the result: the second at which it starts there,
    or a function from times of the result to times of the source."""
    return _worst(out, *_against_sources(out, join_s, sources))


def excess_curve(
    out: Clip, join_s: float, sources: Sequence[tuple[Clip, float | TimeMap]]
) -> tuple[np.ndarray, np.ndarray]:
    """(T,) times around a join and (T,) the excess of the joint that has most of it then, 0 or more."""
    times, ours, allowed = _against_sources(out, join_s, sources)
    return times, (ours - allowed)[:, measured_joints(out)].max(axis=1, initial=0.0)


def _against_sources(
    out: Clip, join_s: float, sources: Sequence[tuple[Clip, float | TimeMap]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times around a join, (T, J) accelerations then, and what the sources allow."""
    times, ours = _window(out, join_s)
    allowed = np.full(ours.shape, -np.inf)
    for source, mapping in sources:
        _same_joints(out, source)
        source_times = mapping(times) if callable(mapping) else times - mapping
        allowed = np.maximum(allowed, largest_near(source, out.fps, source_times))
    nowhere = ~np.isfinite(allowed)
    if nowhere.any() and sources:  # frames that belong to no source: all that the sources ever do counts
        allowed = np.where(nowhere, _usual([source for source, _ in sources], out.fps), allowed)
    return times, ours, allowed


def excess_throughout(out: Clip, source: Clip, mapping: TimeMap) -> Excess:
    """Worst excess over a whole clip that was made of one source, frame by frame; mapping as for a join."""
    _same_joints(out, source)
    times = out.times[1:-1]
    return _worst(out, times, accelerations(out), largest_near(source, out.fps, mapping(times)))


def excess_of_stream(out: Clip, examples: Sequence[Clip], join_s: float | None = None) -> Excess:
    """For streams without a source frame: against the 99.9 % quantile of each joint over the examples.

    Around one join, or over the whole clip when none is given.
    """
    for example in examples:
        _same_joints(out, example)
    if join_s is None:
        times, ours = out.times[1:-1], accelerations(out)
    else:
        times, ours = _window(out, join_s)
    return _worst(out, times, ours, np.broadcast_to(_usual(examples, out.fps), ours.shape))


def _window(out: Clip, join_s: float) -> tuple[np.ndarray, np.ndarray]:
    times = out.times[1:-1]
    slack = 1e-6 / out.fps
    inside = (times >= join_s - BEFORE_S - slack) & (times <= join_s + AFTER_S + slack)
    return times[inside], accelerations(out)[inside]


def largest_near(source: Clip, fps: float, times: np.ndarray) -> np.ndarray:
    """(len(times), J) largest acceleration of a source within ±0.1 s; -inf where it has no such time."""
    source = _at_rate(source, fps)
    values = accelerations(source)
    own = source.times[1:-1]
    slack = AROUND_S + 1e-6 / fps
    first, last = np.searchsorted(own, times - slack), np.searchsorted(own, times + slack)
    result = np.full((len(times), len(source.skeleton)), -np.inf)
    for i, (a, b) in enumerate(zip(first, last, strict=True)):
        if a < b:
            result[i] = values[a:b].max(axis=0)
    return result


def _usual(examples: Sequence[Clip], fps: float) -> np.ndarray:
    """(J,) 99.9 % quantile of each joint's acceleration over clips."""
    values = np.concatenate([accelerations(_at_rate(example, fps)) for example in examples])
    if not len(values):
        raise ParameterError("no source has the three frames an acceleration takes: nothing to compare with")
    return np.quantile(values, QUANTILE, axis=0)


def _worst(out: Clip, times: np.ndarray, ours: np.ndarray, allowed: np.ndarray) -> Excess:
    joints = measured_joints(out)
    if not ours.size:
        return Excess(0.0, "", 0.0)
    excess = (ours - allowed)[:, joints]
    frame, column = np.unravel_index(int(excess.argmax()), excess.shape)
    if not excess[frame, column] > 0.0:
        return Excess(0.0, "", 0.0)
    return Excess(float(excess[frame, column]), out.skeleton.names[joints[column]], float(times[frame]))


def _same_joints(out: Clip, source: Clip) -> None:
    if out.skeleton.names != source.skeleton.names:
        raise ParameterError(
            f"{source.name or 'a source'} has other joints than {out.name or 'the result'}; retarget it onto the same "
            "body before comparing accelerations"
        )
