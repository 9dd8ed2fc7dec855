"""One joint turned away for a few frames and back: replaced by the shortest turn between its good neighbours.

A spike is a first and a last step too large to be motion, with the frames before and after close to each other and at
least one sharp corner: a kick or a punch swings out and back too, but roundly. Small ones last at most 0.05 s; ankles
and thumbs that flip over may take 0.25 s to come back.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.kinematics.clean_start import backwards
from footfall.kinematics.clean_steps import bad_steps, edge_frames, moment, step_limit

RETURN = 0.5  # a spike comes back to within this share of its size
SMALL_S = 0.05  # longest spike
LARGE, LARGE_S = np.radians(60.0), 0.25  # … but one this large, a joint that flips over, may last longer
ABRUPT = 0.75  # its sharpest corner (second difference) over its size: 2 for one frame, 1 for a plateau, 0.1 for a kick
HALF_TURN = np.radians(150.0)  # nobody turns a joint this far and back in LARGE_S, however smoothly


def repair_spikes(q: np.ndarray, fps: float) -> tuple[np.ndarray, list[str]]:
    """One joint's rotations (T, 4) without spikes, and what was found, in words; the same array when none was."""
    bad, _ = bad_steps(q, fps)
    found: list[str] = []
    if not len(bad):
        return q, found
    q = q.copy()
    longest, short = max(1, round(LARGE_S * fps)), max(1, round(SMALL_S * fps))
    used = -1
    for i, start in enumerate(bad.tolist()):
        if start <= used:
            continue
        ends = [int(b) for b in bad[i + 1 :] if b - start <= longest]
        best = _best_return(q, start, ends, short, fps)
        if best is not None:
            end, size = best
            share = np.arange(1, end - start + 1) / (end - start + 1)
            q[start + 1 : end + 1] = rotation.slerp(q[start], q[end + 1], share)
            found.append(
                f"{moment(start + 1, end, fps)} turned up to {np.degrees(size):.0f}° away and back; interpolated"
            )
            used = end
    _repair_edges(q, fps, found)
    return (rotation.continuous_signs(q) if found else q), found


def _best_return(q: np.ndarray, start: int, ends: list[int], short: int, fps: float) -> tuple[int, float] | None:
    """The bad step at which the joint comes back best, and how far away it was (radians)."""
    best, best_ratio = None, RETURN
    for end in ends:
        share = np.arange(1, end - start + 1) / (end - start + 1)
        bridge = rotation.slerp(q[start], q[end + 1], share)
        away = float(rotation.angle_between(bridge, q[start + 1 : end + 1]).max())
        if away < step_limit(fps) or (away < LARGE and end - start > short):
            continue
        if away < HALF_TURN and _sharpest(q[start - 1 if start else 0 : end + 3]) < ABRUPT * away:
            continue
        ratio = float(rotation.angle_between(q[start], q[end + 1])) / away
        if ratio < best_ratio:
            best, best_ratio = (end, away), ratio
    return best


def _sharpest(q: np.ndarray) -> float:
    """Largest change of the step from one frame to the next, radians: q (N, 4)."""
    turns = rotation.log(rotation.multiply(rotation.conjugate(q[:-1]), q[1:]))
    return float(np.linalg.norm(np.diff(turns, axis=0), axis=-1).max())


def _repair_edges(q: np.ndarray, fps: float, found: list[str]) -> None:
    """A jump in the first or last moments has no way back: the frames beyond it are carried on from inside."""
    edge, frames = edge_frames(fps), len(q)
    if frames < 2 * edge + 4:
        return
    bad, sizes = bad_steps(q, fps)
    large = [int(t) for t in bad if sizes[t] > 2.0 * step_limit(fps)]
    if first := [t for t in large if t < edge]:
        good = max(first) + 1
        q[:good] = backwards(q[good], q[good + 1], np.arange(good, 0, -1.0), fps)
        size = np.degrees(sizes[good - 1])
        found.append(f"{moment(0, good - 1, fps)} {size:.0f}° from what follows; carried backwards")
    if last := [t for t in large if t >= frames - 1 - edge]:
        good = min(last)
        beyond = np.arange(1.0, frames - good)
        q[good + 1 :] = backwards(q[good], q[good - 1], beyond, fps)
        size = np.degrees(sizes[good])
        found.append(f"{moment(good + 1, frames - 1, fps)} {size:.0f}° from what precedes; carried on")
