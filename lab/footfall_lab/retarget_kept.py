"""Retargeting measured: what another body kept of a clip, from contact times to where hands, feet and head are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.floor import find_floor
from footfall.core.clip import Clip
from footfall.core.roles import SIDES
from footfall.quality.skate import LEAST_CM_S, skate
from footfall.retarget.character import Character

ENDS = ("head", "left_wrist", "right_wrist", "left_ankle", "right_ankle")
LATE = 1.0 + 1e-6  # frames by which a contact's edge may move


class RetargetKept(NamedTuple):
    """What became of a clip on another body."""

    skate_ratio: float  # over the source's, taken as at least 1 cm/s
    floor_m: float  # how far what the worse foot stands on is from height 0
    edges: int  # strikes and offs of the source
    edges_kept: int  # of these, within one frame on the target
    edges_paired: int  # of contacts that meet one contact of the target and it only them: none split, joined or lost
    edges_exact: int  # of these, within one frame
    knee_back: float  # degrees the knees bend backwards, at most; 0: never


def kept(source: Clip, out: Clip, target: Character) -> RetargetKept:
    """The source and what retargeting onto the target made of it."""
    floor = find_floor(out)
    off = [floor.left - target.feet[0].over_skin, floor.right - target.feet[1].over_skin]
    moved, paired = edge_moves(source, out)
    return RetargetKept(
        skate(out) / max(skate(source), LEAST_CM_S),
        float(np.abs(off).max()),
        len(moved),
        int((moved <= LATE).sum()),
        int(paired.sum()),
        int((moved[paired] <= LATE).sum()),
        float(np.degrees(np.arcsin(np.clip(max(0.0, -knee_bend(out).min()), 0.0, 1.0)))),
    )


def edge_moves(source: Clip, out: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(N,) frames by which each strike and off of the source moved, infinite where the contact is no more; and (N,)
    whether the contact meets one of the target's that meets no other."""
    moved, paired = [], []
    for side in SIDES:
        ours, theirs = source.contacts.spans(side), out.contacts.spans(side)
        for span in ours:
            meets = [other for other in theirs if _meet(span, other)]
            alone = len(meets) == 1 and sum(_meet(meets[0], other) for other in ours) == 1
            for edge in (0, 1):
                moved.append(min((abs(span[edge] - other[edge]) * source.fps for other in meets), default=np.inf))
                paired.append(alone)
    return np.array(moved), np.array(paired, bool)


def _meet(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a[0] <= b[1] and a[1] >= b[0]


def knee_bend(clip: Clip) -> np.ndarray:
    """(T, 2) sine of the knees' bend about the line of the hips; negative is backwards."""
    roles, at = clip.skeleton.roles, clip.positions
    left = at[:, roles.left_hip] - at[:, roles.right_hip]
    left = left / np.linalg.norm(left, axis=-1, keepdims=True)
    out = []
    for side in SIDES:
        hip, knee, ankle = (at[:, getattr(roles, f"{side}_{part}")] for part in ("hip", "knee", "ankle"))
        bones = np.linalg.norm(knee - hip, axis=-1) * np.linalg.norm(ankle - knee, axis=-1)
        out.append((np.cross(knee - hip, ankle - knee) * left).sum(axis=-1) / bones)
    return np.stack(out, axis=1)


def end_gaps(a: Clip, b: Clip) -> dict[str, float]:
    """Metres between hands, feet and head of two clips of one body, the most over time; by role."""
    joints = {role: getattr(a.skeleton.roles, role) for role in ENDS}
    return {
        role: float(np.linalg.norm(a.positions[:, j] - b.positions[:, j], axis=-1).max())
        for role, j in joints.items()
        if j is not None
    }
