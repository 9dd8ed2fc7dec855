"""Centre of mass: segment masses over the body's, and where along each segment its own centre lies.

Masses and centres are published (Winter 2009, table 4.1). How the trunk is split is by eye, for two models: any
skeleton has one trunk segment from pelvis to neck; the built-in body, whose motions are balanced with it, has three.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from footfall.core.roles import SIDES, Roles

MassSegment = tuple[int, int, float, float]  # from joint, to joint, share of body mass, how far along its centre lies
TRUNK, HEAD = (0.497, 0.5), (0.081, 1.0)  # pelvis to the base of the neck; head and neck, at the head joint
UPPER_ARM, THIGH, SHANK = (0.028, 0.436), (0.100, 0.433), (0.0465, 0.433)
FOREARM_AND_HAND, FOREARM, HAND = (0.022, 0.682), (0.016, 0.43), (0.006, 1.25)
FOOT = 0.0145  # its centre lies half-way to the toe joint; at 0.4 in the built-in body

LIMBS = {
    ("shoulder", "elbow"): UPPER_ARM,
    ("elbow", "wrist"): FOREARM_AND_HAND,
    ("hip", "knee"): THIGH,
    ("knee", "ankle"): SHANK,
    ("ankle", "toe"): (FOOT, 0.5),
}
ADULT_TRUNK = (
    ("Hips", "Spine", 0.142, 0.3),
    ("Spine", "Spine1", 0.139, 0.8),
    ("Spine2", "Neck", 0.216, 0.3),
    ("Neck", "Head", 0.081, 1.6),
)
ADULT_LIMBS = (
    ("Arm", "ForeArm", *UPPER_ARM),
    ("ForeArm", "Hand", *FOREARM),
    ("ForeArm", "Hand", *HAND),
    ("UpLeg", "Leg", *THIGH),
    ("Leg", "Foot", *SHANK),
    ("Foot", "ToeBase", FOOT, 0.4),
)


def mass_segments(roles: Roles) -> list[MassSegment]:
    """Every segment of a body whose two joints it has."""
    top = roles.neck[0] if roles.neck else roles.spine[-1] if roles.spine else roles.head
    found = [(roles.pelvis, roles.pelvis if top is None else top, *TRUNK)]
    if roles.head is not None:
        found.append((roles.head, roles.head, *HEAD))
    for side in SIDES:
        for parts, (mass, along) in LIMBS.items():
            a, b = roles.joints(side, *parts)
            if a is not None and b is not None:
                found.append((a, b, mass, along))
    return found


def adult_segments(names: Sequence[str]) -> list[MassSegment]:
    """Those of the built-in body, by its joints' names."""
    rows = [*ADULT_TRUNK, *((s + a, s + b, m, x) for s in ("Left", "Right") for a, b, m, x in ADULT_LIMBS)]
    return [(names.index(a), names.index(b), mass, along) for a, b, mass, along in rows]


def mass_weights(segments: Iterable[MassSegment], joints: Sequence[int]) -> np.ndarray:
    """(len(joints),) how much the position of each joint counts in the centre of mass."""
    at, weights = {joint: i for i, joint in enumerate(joints)}, np.zeros(len(joints))
    for a, b, mass, along in segments:
        weights[at[a]] += mass * (1.0 - along)
        weights[at[b]] += mass * along
    return weights / weights.sum()
