"""Figures: what the page needs to draw a body of capsules, whatever skeleton it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from footfall.analysis.phases import Phase
from footfall.core.skeleton import Skeleton
from footfall.io.capsule_body import FINGER, FOOT_FRONT, HAND, LIMBS, NECK, PELVIS, TOE_TIP, WAIST
from footfall.io.conventions import SURE
from footfall.studio.messages import PhaseSpan, SkeletonView

PARTS = {
    "hip": "thigh", "knee": "shin", "ankle": "foot", "toe": "toe", "clavicle": "clavicle", "shoulder": "upper arm",
    "elbow": "forearm", "wrist": "hand",
}  # fmt: skip
# role of the joint a bone starts at -> its half width, share of the body's height
WIDTHS = {
    **{PARTS[part]: float(np.mean([*start, *end])) for part, (start, end) in LIMBS.items()},
    "foot": float(np.mean(FOOT_FRONT)),
    "toe": float(np.mean(TOE_TIP)),
    "hand": float(np.mean(HAND)),
    "pelvis": float(np.mean(PELVIS)),
    "spine": float(np.mean(WAIST)),
    "neck": float(np.mean(NECK)),
    "head": float(np.mean(NECK)),
    "finger": float(np.mean(FINGER)),
}
UNKNOWN = 0.13  # of its length: half width of a bone nobody knows
THINNEST, THICKEST = 0.004, 0.04  # of the body's height, of such bones


def skeleton_view(skeleton: Skeleton, skin: str | None = None, with_rest: bool = False) -> SkeletonView:
    """A skeleton as the page draws it."""
    roles = role_names(skeleton)
    height = max(skeleton.height, 1e-3)
    return SkeletonView(
        skeleton.names,
        tuple(int(p) for p in skeleton.parents),
        tuple(_radius(skeleton, roles, j, height) for j in range(len(skeleton))),
        roles,
        tuple(_end(skeleton, j) for j in range(len(skeleton))),
        round(float(height), 4),
        skin,
        _rest_rows(skeleton) if with_rest or skin else (),
    )


def _rest_rows(skeleton: Skeleton) -> tuple[tuple[float, ...], ...]:
    """Where each joint rests in the world: place, and rotation xyzw."""
    places, turns = skeleton.rest_world
    return tuple(
        (*(round(float(v), 6) for v in place), *(round(float(v), 7) for v in (*turn[1:], turn[0])))
        for place, turn in zip(places, turns, strict=True)
    )


def phase_spans(phases: Sequence[Phase]) -> tuple[PhaseSpan, ...]:
    """Phases as the page draws them, to a tenth of a millisecond."""
    return tuple(PhaseSpan(round(p.start_s, 4), round(p.end_s, 4), cast("Any", p.label)) for p in phases)


def role_names(skeleton: Skeleton) -> tuple[str, ...]:
    """What each joint carries: "left foot", "head", …; empty where nobody knows."""
    roles = skeleton.roles
    found = [""] * len(skeleton)
    if roles.confidence < SURE:
        return tuple(found)
    for joint, role in roles.of_joints().items():
        side, _, part = role.partition("_")
        found[joint] = f"{side} {PARTS[part]}" if part else role
    return tuple(found)


def _radius(skeleton: Skeleton, roles: tuple[str, ...], joint: int, height: float) -> float:
    """Of the capsule from the parent to the joint, metres."""
    parent = int(skeleton.parents[joint])
    if parent < 0:
        return 0.0
    role = roles[parent].removeprefix("left ").removeprefix("right ")
    if role == "pelvis" and roles[joint].endswith("thigh"):
        return round(WIDTHS["thigh"] * height, 4)
    if role == "spine" and roles[joint].endswith(("clavicle", "upper arm")):
        return round(WIDTHS["clavicle"] * height, 4)
    if role in WIDTHS:
        return round(WIDTHS[role] * height, 4)
    length = float(np.linalg.norm(skeleton.offsets[joint]))
    return round(float(np.clip(UNKNOWN * length, THINNEST * height, THICKEST * height)), 4)


def _end(skeleton: Skeleton, joint: int) -> tuple[float, float, float]:
    """Where a joint's own bone ends, in its frame, where no child does: the middle of its end sites."""
    ends = skeleton.end_offsets[skeleton.end_parents == joint]
    if (skeleton.parents == joint).any() or not len(ends):
        return (0.0, 0.0, 0.0)
    x, y, z = (round(float(v), 4) for v in ends.mean(axis=0))
    return (x, y, z)
