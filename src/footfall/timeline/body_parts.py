"""Body parts: groups of joints with common names (left arm, spine, legs), found from the skeleton's roles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.core.errors import UnknownName
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import with_descendants

GROUPS = ("left arm", "right arm", "arms", "spine", "head", "upper body", "left leg", "right leg", "legs", "pelvis")


def joints_of(skeleton: Skeleton, names: Sequence[str]) -> np.ndarray:
    """Sorted indices of joints given by name or by group; all of them where no name is given."""
    if not names:
        return np.arange(len(skeleton))
    found: set[int] = set()
    for name in names:
        if name in skeleton.names:
            found.add(skeleton.names.index(name))
        elif name in GROUPS:
            found.update(group(skeleton, name))
        else:
            raise UnknownName("joint or group of joints", name, [*GROUPS, *skeleton.names])
    return np.array(sorted(found), dtype=int)


def group(skeleton: Skeleton, name: str) -> list[int]:
    """Joints of one of GROUPS; empty where the body has no such part."""
    roles = skeleton.roles
    if name in ("left arm", "right arm"):
        side = name.split()[0]
        clavicle, shoulder = getattr(roles, f"{side}_clavicle"), getattr(roles, f"{side}_shoulder")
        return _below(skeleton, clavicle if clavicle is not None else shoulder)
    if name in ("left leg", "right leg"):
        return _below(skeleton, getattr(roles, f"{name.split()[0]}_hip"))
    if name in ("arms", "legs"):
        return sorted(joint for side in ("left", "right") for joint in group(skeleton, f"{side} {name[:-1]}"))
    if name == "spine":
        return list(roles.spine)
    if name == "head":
        top = roles.neck[0] if roles.neck else roles.head
        return _below(skeleton, top)
    if name == "pelvis":
        return [roles.pelvis]
    return sorted({*group(skeleton, "arms"), *group(skeleton, "spine"), *group(skeleton, "head")})


def _below(skeleton: Skeleton, top: int | None) -> list[int]:
    """A joint and all that hang from it."""
    return [] if top is None else with_descendants(skeleton.parents, [top])
