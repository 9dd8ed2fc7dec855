"""Chains of joints: a spine or neck of any number of joints turned as one of another number is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from footfall.core import rotation
from footfall.core.skeleton import Skeleton
from footfall.retarget.rest_match import local_vector


def bone_shares(skeleton: Skeleton, chain: Sequence[int], end: int | None) -> np.ndarray:
    """(N,) how far up the chain the middle of each joint's bone lies: 0 for the first, 1 for the last.

    The bone of a joint ends at the next one, that of the last at `end` (None: it has no bone).
    """
    joints = [*chain, *([] if end is None else [end])]
    bones = np.linalg.norm(np.diff(skeleton.rest_positions[joints], axis=0), axis=-1)
    bones = bones if end is not None else np.append(bones, 0.0)
    middle = np.cumsum(bones) - 0.5 * bones
    span = middle[-1] - middle[0]
    if not span > 1e-9:
        return np.linspace(0.0, 1.0, len(chain))
    return (middle - middle[0]) / span


def along_chain(turns: np.ndarray, shares: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Turns (..., N, 4) given at shares (N,) of a chain, rising from 0 to 1, at other shares: (..., M, 4).

    Chains of as many joints are taken joint by joint; in others each joint takes the turn the source has at the same
    share of the length, between two joints by slerp. First and last always agree.
    """
    if len(shares) == len(wanted):
        return turns
    if len(shares) == 1:
        return np.repeat(turns, len(wanted), axis=-2)
    upper = np.clip(np.searchsorted(shares, wanted, side="left"), 1, len(shares) - 1)
    gap = np.maximum(shares[upper] - shares[upper - 1], 1e-12)
    part = np.clip((wanted - shares[upper - 1]) / gap, 0.0, 1.0)
    return rotation.slerp(turns[..., upper - 1, :], turns[..., upper, :], part)


def neutral_bones(skeleton: Skeleton, neutral: np.ndarray, chain: Sequence[int]) -> np.ndarray:
    """(N-1, 3) bones between the joints of a chain in the common pose whose rotations are neutral (J, 4)."""
    return np.stack([rotation.rotate(neutral[a], local_vector(skeleton, a, b)) for a, b in pairwise(chain)])


def same_curve(turns: np.ndarray, bones: np.ndarray, found: np.ndarray, new_bones: np.ndarray) -> np.ndarray:
    """The turns `found` (T, M, 4) of a chain, those between its ends swung so that it runs as the source's does.

    turns (T, N, 4) and bones (N-1, 3) are the source's, new_bones (M-1, 3) the chain's own, both in the common pose.
    Each bone points the way the source's line goes over the same share of its length, seen from the straight line
    between its ends: zigzags of a rest pose are not the body's. Both ends keep their turns: a neck brings the head to
    its place, the head itself looks where it did.
    """
    first = turns[:, :1]
    line = np.concatenate(
        [np.zeros((len(turns), 1, 3)), np.cumsum(rotation.rotate(turns[:, 1:-1], bones[1:]), axis=1)], axis=1
    )
    at, wanted_at = _shares(bones[1:]), _shares(new_bones[1:])
    points = np.stack([_on_line(line, at, share) for share in wanted_at], axis=1)
    across = rotation.between(bones[1:].sum(axis=0), new_bones[1:].sum(axis=0))  # between the two straight lines
    across = rotation.multiply(first, rotation.multiply(across, rotation.conjugate(first)))
    wanted = rotation.rotate(across, np.diff(points, axis=1))
    ours = rotation.rotate(found[:, 1:-1], new_bones[1:])
    swung = rotation.multiply(rotation.between(ours, wanted), found[:, 1:-1])
    return np.concatenate([found[:, :1], swung, found[:, -1:]], axis=1)


def _shares(bones: np.ndarray) -> np.ndarray:
    """(N+1,) how far along a line of bones (N, 3) its joints lie, 0 to 1; evenly where bones have no length."""
    length = np.linalg.norm(bones, axis=-1)
    if not length.sum() > 1e-9:
        return np.linspace(0.0, 1.0, len(bones) + 1)
    return np.concatenate([[0.0], np.cumsum(length) / length.sum()])


def _on_line(line: np.ndarray, at: np.ndarray, share: float) -> np.ndarray:
    """(T, 3) where lines through points (T, N, 3) at shares (N,) are at another share."""
    upper = int(np.clip(np.searchsorted(at, share, side="left"), 1, len(at) - 1))
    part = (share - at[upper - 1]) / max(float(at[upper] - at[upper - 1]), 1e-12)
    return np.asarray(line[:, upper - 1] + np.clip(part, 0.0, 1.0) * (line[:, upper] - line[:, upper - 1]))
