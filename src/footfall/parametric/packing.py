"""Packing: parametric motions of one body into the arrays that compiled kernels read (`parametric.packed`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.analysis.contacts import in_spans
from footfall.analysis.foot_points import carried_soles, foot_points
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_solve import leg_joints
from footfall.feet.live_body import LiveBody, legless_body, live_body
from footfall.parametric.canonical_time import FASTEST, SLOWEST
from footfall.parametric.packed import NEVER, PARTS, SPARE, WIDTH, MotionTables
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.play import contact_spans, duration, play

MOST_SHOWN = 5  # examples that soles are measured on
STANDS = 0.25  # quantile of the ball's height while it is down: above, the foot rolls over its tip; by eye


def pack(motions: Sequence[ParametricMotion]) -> MotionTables:
    """All motions, nodes and edges alike, in one set of arrays."""
    if not motions:
        raise ParameterError("there is nothing to pack: give at least one parametric motion")
    for motion in motions:
        _check(motion)
        _check_same_body(motions[0], motion)
    skeleton = motions[0].skeleton
    joints = _padded(len(skeleton))
    rows = [_rows(motion, joints) for motion in motions]
    means = [_mean(motion, joints) for motion in motions]
    return MotionTables(
        rows=_aligned(np.concatenate(rows)),
        mean=_aligned(np.concatenate(means)),
        travel=np.concatenate([_travel(motion, _width(motions)) for motion in motions]),
        first_row=_starts([len(r) for r in rows]),
        first_mean=_starts([len(m) for m in means]),
        count=np.array([len(m) for m in motions], np.int64),
        cells=np.array([m.cells for m in motions], np.int64),
        pieces=np.array([m.rates.shape[1] for m in motions], np.int64),
        loops=np.array([m.is_loop for m in motions]),
        **_timing(motions),
        body=_body(skeleton, motions),
    )


def _check(motion: ParametricMotion) -> None:
    """Refuse what kernels cannot play."""
    if motion.time != "log-rate":
        raise ParameterError(f"{motion.name}: only time='log-rate' can be packed, this is {motion.time!r}")
    if motion.offsets is not None:
        raise ParameterError(f"{motion.name}: its joints slide in their parents' frames, which cannot be packed")


def _check_same_body(first: ParametricMotion, other: ParametricMotion) -> None:
    a, b = first.skeleton, other.skeleton
    if a.names != b.names or not np.array_equal(a.parents, b.parents) or np.abs(a.offsets - b.offsets).max() > 1e-5:
        raise SkeletonError(
            f"{other.name} has another body than {first.name}: retarget its clips first (footfall retarget)"
        )


def _padded(count: int) -> int:
    return count + -count % WIDTH


def _starts(sizes: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _aligned(values: np.ndarray) -> np.ndarray:
    """A float32 copy that begins on a cache line."""
    spare = 64 // 4
    flat = np.empty(values.size + spare, np.float32)
    start = -flat.ctypes.data % 64 // 4
    out = flat[start : start + values.size].reshape(values.shape)
    out[...] = values
    return out


def _rows(motion: ParametricMotion, joints: int) -> np.ndarray:
    """((G + 1) N + SPARE, 3 J' + 8)."""
    grid, count, real = motion.vectors.shape[:3]
    out = np.zeros((grid * count + SPARE, 3 * joints + 8), np.float32)
    filled = out[: grid * count].reshape(grid, count, -1)
    filled[..., : 3 * joints].reshape(grid, count, 3, joints)[..., :real] = np.moveaxis(motion.vectors, -1, -2)
    filled[..., 3 * joints : 3 * joints + 3] = motion.root
    return out


def _mean(motion: ParametricMotion, joints: int) -> np.ndarray:
    """(G + 1, 4, J'); what pads is the identity, so that nothing divides by zero."""
    out = np.zeros((motion.cells + 1, 4, joints), np.float32)
    out[:, 0] = 1.0
    out[:, :, : motion.mean.shape[1]] = np.moveaxis(motion.mean, -1, -2)
    return out


def _travel(motion: ParametricMotion, width: int) -> np.ndarray:
    """(G + 1, 3, E)."""
    out = np.zeros((motion.cells + 1, 3, width))
    out[:, :, : len(motion)] = np.moveaxis(motion.travel, -1, -2)
    return out


def _timing(motions: Sequence[ParametricMotion]) -> dict[str, np.ndarray]:
    """Rates and contacts."""
    width, most = _width(motions), max(m.rates.shape[1] for m in motions)
    spans = max((c.shape[1] for m in motions for c in m.contacts.values()), default=1)
    log_rates, bounds = np.zeros((len(motions), most, width)), np.zeros((len(motions), most, 2))
    contacts = np.empty((len(motions), width, len(PARTS), spans, 2), np.float32)
    contacts[...] = NEVER
    for k, motion in enumerate(motions):
        logs = np.log(motion.rates)  # (N, K - 1)
        log_rates[k, : logs.shape[1], : len(logs)] = logs.T
        bounds[k, : logs.shape[1], 0] = logs.min(axis=0) + np.log(SLOWEST)
        bounds[k, : logs.shape[1], 1] = logs.max(axis=0) + np.log(FASTEST)
        for p, part in enumerate(PARTS):
            if part in motion.contacts:
                found = motion.contacts[part]  # (N, S, 2)
                contacts[k, : len(found), p, : found.shape[1]] = found
    return {"log_rates": log_rates, "bounds": bounds, "spans": _aligned(contacts.reshape(len(motions), width, -1))}


def _width(motions: Sequence[ParametricMotion]) -> int:
    return _padded(max(len(m) for m in motions))


# --- feet -------------------------------------------------------------------------------------------------------------


def _body(skeleton: Skeleton, motions: Sequence[ParametricMotion]) -> LiveBody:
    """Bones, legs and soles; legs of -1 for a body without two legs, or whose motions have no contacts."""
    stepping = [m for m in motions if m.contacts]
    try:
        leg_joints(skeleton)
    except SkeletonError:
        stepping = []
    if not stepping:
        return legless_body(skeleton)
    # a gait shows a foot flat and rolling; what only stands shows less
    return live_body(skeleton, *_soles(max(stepping, key=lambda m: (m.is_loop, len(m.marks)))))


def _soles(motion: ParametricMotion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joints that carry heel, ball and tip (2, 3), where in their frames (2, 3, 3), and at what height they stand."""
    every = max(len(motion) // MOST_SHOWN, 1)
    found = [_soles_of(motion, weights) for weights in np.eye(len(motion))[::every]]
    joints, sole, standing = zip(*found, strict=True)
    return joints[0], np.median(sole, axis=0), np.median(standing, axis=0)


def _soles_of(motion: ParametricMotion, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The soles as one example shows them."""
    times = np.arange(max(int(2 * duration(motion, weights) * motion.fps), 8)) / motion.fps
    clip = Clip(motion.skeleton, motion.fps, play(motion, weights, times).pose, name=motion.name)
    points = foot_points(clip).sole  # (T, 2, 3, 3)
    spans = contact_spans(motion, weights, float(times[-1]))
    standing = np.empty((2, 3))
    for i, side in enumerate(("left", "right")):
        for k, part in enumerate(("heel", "toe", "toe")):
            some = in_spans(times, spans.get(f"{side}_{part}", ()))
            heights = points[some, i, k, 1] if some.any() else points[:, i, k, 1]
            standing[i, k] = np.quantile(heights, STANDS)
    return *carried_soles(clip), standing
