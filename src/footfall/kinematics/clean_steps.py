"""Steps from frame to frame: which are too large to be motion. What the kinds of repair share."""

from __future__ import annotations

import numpy as np

ACCELERATION = 1250.0  # rad/s²; a joint's turning speed does not change by more within one frame and back
FLOOR = np.radians(10.0)  # smaller steps are noise, not glitches, at any frame rate
OUTLIER = 4.0  # a glitch is this many times the median step around it: fast motion is fast on both sides
EDGE_S = 0.07  # first and last moments of a clip, where a glitch has neighbours on one side only
WINDOW_S = 0.125  # half width of "around it"


def step_limit(fps: float) -> float:
    """Largest believable turn from one frame to the next and back, radians; above pi nothing is ever flagged."""
    return max(FLOOR, ACCELERATION / fps**2)


def big_steps(rot: np.ndarray, fps: float) -> np.ndarray:
    """Joints (int array) with at least one step over the limit: the cheap look that clean clips pass.

    rot (T, J, 4). In blocks, so that each product is still in the cache when it is summed.
    """
    least = np.cos(0.5 * min(step_limit(fps), np.pi))
    flat = rot.reshape(len(rot), -1)
    found = np.zeros(rot.shape[1], bool)
    ones = np.ones(4)
    for start in range(0, len(rot) - 1, 256):
        block = flat[start : start + 257]
        dots = (block[1:] * block[:-1]).reshape(-1, 4) @ ones  # (frames * J,)
        if np.abs(dots, out=dots).min() < least:
            found |= (dots.reshape(-1, rot.shape[1]) < least).any(axis=0)
    return np.flatnonzero(found)


def steps(q: np.ndarray) -> np.ndarray:
    """Turn from each frame to the next, radians: q (T, 4) -> (T - 1,). Coarse below 1e-7: only large ones matter."""
    return 2.0 * np.arccos(np.minimum(np.abs(np.einsum("tk,tk->t", q[:-1], q[1:])), 1.0))


def typical(sizes: np.ndarray, at: np.ndarray, fps: float) -> np.ndarray:
    """Median step in the window around each index of `at`; the clip is mirrored at its ends."""
    half = min(max(4, round(WINDOW_S * fps)), 4 * len(sizes))  # more than a few mirrored copies say nothing new
    padded = np.pad(sizes, half, mode="symmetric")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)[at], axis=-1)


def bad_steps(q: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Indices of steps too large to be motion, and the sizes of all steps. q (T, 4)."""
    sizes = steps(q)
    big = np.flatnonzero(sizes > step_limit(fps))
    if len(big):
        big = big[sizes[big] > OUTLIER * typical(sizes, big, fps)]
    return big, sizes


def edge_frames(fps: float) -> int:
    """How many frames count as the very start or end of a clip."""
    return max(1, round(EDGE_S * fps))


def moment(first: int, last: int, fps: float) -> str:
    """Frames and times for a sentence: "frame 12 (0.10 s)", "frames 12 to 15 (0.10 to 0.13 s)"."""
    if first == last:
        return f"frame {first} ({first / fps:.2f} s)"
    return f"frames {first} to {last} ({first / fps:.2f} to {last / fps:.2f} s)"


def runs(indices: list[int], gap: int) -> list[tuple[int, int]]:
    """First and last of each group of indices no farther apart than gap."""
    groups: list[tuple[int, int]] = []
    for t in indices:
        if groups and t - groups[-1][1] <= gap:
            groups[-1] = groups[-1][0], t
        else:
            groups.append((t, t))
    return groups
