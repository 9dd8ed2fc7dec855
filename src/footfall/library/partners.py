"""Partners: which pairs of a large library are worth comparing, and groups that blend, without looking at all pairs.

Clips in which everything is equal that has no degrees (type, direction, start foot, steps, order of events, body, frame
rate) are in one *kind*; only within a kind can clips blend. A clip is compared with its nearest neighbours in its kind,
which may be its partners, and with its nearest of its type, from which the least cure leads to a blend. Near is told by
poses at equal phases and by length, in the few directions in which the library's clips differ most (principal
components), with k-d trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.analysis.compatibility import LENGTH_RATIO, Finding, all_pairs, body_codes, groups, lint
from footfall.analysis.traits import Traits

ALL = 64  # clips: of so few all pairs are compared
IN_KIND, OF_TYPE = 16, 4  # neighbours compared: recall of the 10 nearest partners over 0.98 (tests)
TOLD = 10  # partners that are told of a clip
PHASES = slice(0, None, 6)  # of the poses kept: five
COMPONENTS = 8  # directions in which neighbours are sought
LENGTH_WEIGHT = 4.0  # a clip twice as long is so far away; poses of different walks are about 1 apart
BLOCK = 4096  # pairs compared at once
ROUNDS = 8  # groups made of one kind at most


class ClipPartners(NamedTuple):
    """What lint says of one clip."""

    name: str
    partners: list[str]  # clips it blends with, the most alike first
    faults: list[Finding]  # of its own
    nearest: list[Finding]  # where it has no partner: what keeps it from the clip that takes the least cure


class Compared(NamedTuple):
    """A library's clips compared."""

    findings: list[Finding]
    groups: list[list[str]]  # names of clips that blend well with each other, the largest group first
    clips: list[ClipPartners]
    pairs: np.ndarray  # (M, 2) that were compared


def compare(clips: Sequence[Traits]) -> Compared:
    """All pairs of a few clips, or those that are worth it of many."""
    vectors = pose_vectors(clips)
    if len(clips) <= ALL:
        pairs = all_pairs(len(clips))
        findings = lint(clips, pairs)
        return Compared(findings, groups(clips, findings, pairs), _per_clip(clips, findings, pairs, vectors), pairs)
    kinds = kinds_of(clips)
    pairs = near_pairs(clips, kinds, vectors)
    findings = lint(clips, pairs)
    return Compared(findings, kind_groups(clips, kinds), _per_clip(clips, findings, pairs, vectors), pairs)


def pose_vectors(clips: Sequence[Traits]) -> np.ndarray:
    """(N, D) poses at five phases, and the length; what a body lacks is 0."""
    if not clips:
        return np.zeros((0, 1))
    poses = np.stack([clip.poses[PHASES] for clip in clips]).astype(np.float32)
    poses = np.nan_to_num(np.where(poses[..., :1] < 0.0, -poses, poses))
    length = np.log2([max(clip.stride_s or clip.duration_s, 1e-3) for clip in clips])
    return np.column_stack([poses.reshape(len(clips), -1), LENGTH_WEIGHT * length])


def kinds_of(clips: Sequence[Traits]) -> np.ndarray:
    """(N,) numbers, equal for clips of one kind."""
    known: dict[object, int] = {}
    told = (
        (c.type, c.effector, c.direction, c.start_foot, c.steps, c.structure, c.matching, body, round(c.fps))
        for c, body in zip(clips, body_codes(clips).tolist(), strict=True)
    )  # fmt: skip
    return np.array([known.setdefault(kind, len(known)) for kind in told], int)


def near_pairs(clips: Sequence[Traits], kinds: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(M, 2) pairs worth comparing, i < j, in order; their number grows with that of clips, not with its square."""
    middle = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(middle.T @ middle)
    places = middle @ directions[:, -COMPONENTS:]
    types = np.unique([clip.type for clip in clips], return_inverse=True)[1]
    found = [_neighbours(places, kinds, IN_KIND), _neighbours(places, types, OF_TYPE)]
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def _neighbours(places: np.ndarray, codes: np.ndarray, count: int) -> np.ndarray:
    """(M, 2) each place with its nearest of the same code."""
    from scipy.spatial import cKDTree

    order = np.argsort(codes, kind="stable")
    pairs = [np.zeros((0, 2), int)]
    for members in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        if len(members) > 1:
            near = cKDTree(places[members]).query(places[members], min(count + 1, len(members)))[1]
            both = np.stack([np.repeat(members, near.shape[1]), members[near.ravel()]], axis=1)
            pairs.append(both[both[:, 0] != both[:, 1]])
    return np.concatenate(pairs)


def kind_groups(clips: Sequence[Traits], kinds: np.ndarray) -> list[list[str]]:
    """Groups of clips of one kind, each around the clip of middle length, with which all others of it blend well."""
    length = np.array([clip.stride_s or clip.duration_s for clip in clips])
    order = np.lexsort((length, kinds))
    left = [m for m in np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1) if len(m) > 1]
    found: list[list[str]] = []
    for _ in range(ROUNDS):
        leaders = [(int(m[len(m) // 2]), m) for m in left]
        pairs = [
            sorted((leader, int(i)))
            for leader, members in leaders
            for i in members
            if i != leader and max(length[i], length[leader]) <= np.sqrt(LENGTH_RATIO) * min(length[i], length[leader])
        ]
        some = np.array(sorted(pairs), int).reshape(-1, 2)
        bad = {(f.a, f.b) for f in lint(clips, some) if f.b} | {f.a for f in lint(clips, some[:0])}
        good: dict[int, set[int]] = {}
        for i, j in some.tolist():
            a, b = clips[i].name, clips[j].name
            if (a, b) not in bad and a not in bad and b not in bad:
                good.setdefault(i, {i}).add(j)
                good.setdefault(j, {j}).add(i)
        taken: set[int] = set()
        for leader, _members in leaders:
            group = good.get(leader, set())
            taken |= group | {leader}
            if group:
                found.append([clips[i].name for i in sorted(group)])
        left = [rest for _, m in leaders if len(rest := m[~np.isin(m, list(taken))]) > 1]
        if not left:
            break
    return sorted(found, key=lambda group: (-len(group), group))


def _per_clip(
    clips: Sequence[Traits], findings: Sequence[Finding], pairs: np.ndarray, vectors: np.ndarray
) -> list[ClipPartners]:
    index = {clip.name: i for i, clip in enumerate(clips)}
    alone: dict[int, list[Finding]] = {}
    faults: dict[tuple[int, int], list[Finding]] = {}
    for finding in findings:
        i = index[finding.a]
        if finding.b:
            faults.setdefault((i, index[finding.b]), []).append(finding)
        else:
            alone.setdefault(i, []).append(finding)
    some = np.array_split(pairs, len(pairs) // BLOCK + 1)  # all at once would take most of the memory
    apart = np.concatenate([np.linalg.norm(vectors[p[:, 0]] - vectors[p[:, 1]], axis=1) for p in some])
    good: list[list[tuple[float, int]]] = [[] for _ in clips]
    best: list[tuple[int, float, tuple[int, int]] | None] = [None] * len(clips)
    for (i, j), distance in zip(pairs.tolist(), apart.tolist(), strict=True):
        wrong = len(faults.get((i, j), ()))
        for one, other in ((i, j), (j, i)):
            if not wrong and not alone.get(other):
                good[one].append((distance, other))
            elif best[one] is None or (wrong, distance, (i, j)) < best[one]:
                best[one] = wrong, distance, (i, j)
    return [
        ClipPartners(
            clip.name, [clips[j].name for _, j in sorted(good[i])[:TOLD]], alone.get(i, []),
            [] if good[i] or best[i] is None else faults.get(best[i][2], []),  # type: ignore[index]
        )
        for i, clip in enumerate(clips)
    ]  # fmt: skip
