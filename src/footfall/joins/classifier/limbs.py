"""Limbs and degrees of freedom: what of a body the entry classifier looks at, and how a state becomes numbers.

A degree of freedom (DOF) is one component of a joint's rotation vector about the joint's mean in the motion entered;
the pelvis adds two of tilt (where up points, seen from it) and one of height, in leg lengths. Legs, arms and trunk are
the limbs; fingers and helper joints have no say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.roles import ARM, LEG, SIDES
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import State
from footfall.kinematics.fk import world_transforms_of

PARTS = (*LEG, *ARM, "spine", "neck", "head", "tilt", "height")
MOST = 400  # frames a mean is taken over
STEP_S = 1e-4  # rates of the pelvis are differences over this


class Numbers(NamedTuple):
    """A state as the classifier sees it (the paper's I and S); leading batch axes."""

    value: np.ndarray  # (..., D) radians; height in leg lengths
    rate: np.ndarray  # (..., D) a second


@dataclass(frozen=True, eq=False)
class Layout:
    """Which joints are looked at, limb by limb; DOF 3 k .. 3 k + 2 are joint k's, the last three the pelvis's."""

    skeleton: Skeleton
    limbs: tuple[str, ...]  # names; the last is the trunk
    joints: np.ndarray  # (J',) joint of every three DOFs
    parts: tuple[str, ...]  # (D,) part of every DOF: "hip", "tilt", …
    bounds: np.ndarray  # (limbs + 1,) first DOF of each limb, and their number
    unit_m: float  # what a height of 1 is: the length of a leg


@dataclass(frozen=True, eq=False)
class Reference:
    """About what the DOFs of one motion are measured."""

    layout: Layout
    mean: np.ndarray  # (J', 4) each joint's mean rotation
    up: np.ndarray  # (3,) mean direction of up, in the pelvis's frame
    across: np.ndarray  # (2, 3) two directions at right angles to it: the axes of tilt


def layout_of(skeleton: Skeleton) -> Layout:
    """The limbs of a body; one without roles is all trunk."""
    roles = skeleton.roles
    named: dict[str, list[tuple[int, str]]] = {}
    for kind, parts in (("leg", LEG), ("arm", ARM)):
        for side in SIDES:
            found = [(getattr(roles, f"{side}_{part}"), part) for part in parts]
            named[f"{side} {kind}"] = [(joint, part) for joint, part in found if joint is not None]
    trunk = [(j, "spine") for j in roles.spine] + [(j, "neck") for j in roles.neck]
    trunk += [(roles.head, "head")] if roles.head is not None else []
    if not any(named.values()) and not trunk:
        trunk = [(j, "spine") for j in range(1, len(skeleton))]
    named = {limb: joints for limb, joints in named.items() if joints} | {"trunk": trunk}
    joints = [joint for limb in named.values() for joint, _ in limb]
    of_dofs = [part for limb in named.values() for _, part in limb for _ in range(3)]
    ends = np.cumsum([3 * len(limb) for limb in named.values()])
    legs = roles.left_ankle is not None and roles.right_ankle is not None
    return Layout(
        skeleton,
        tuple(named),
        np.array(joints, int),
        (*of_dofs, "tilt", "tilt", "height"),
        np.array([0, *ends[:-1], ends[-1] + 3], int),
        skeleton.leg_length if legs else max(0.5 * skeleton.height, 1e-3),
    )


def reference_of(clip: Clip) -> Reference:
    """Mean rotations and mean tilt of a motion."""
    layout = layout_of(clip.skeleton)
    last = clip.frames - 1 if clip.is_loop and clip.frames > 1 else clip.frames  # a loop's last frame is its first
    some = clip.pose.at(slice(0, last, max(1, clip.frames // MOST)))
    mean = rotation.average(some.rot[:, layout.joints], axis=0)
    _, up = pelvis_up(clip.skeleton, some)
    total = up.sum(axis=0)
    size = float(np.linalg.norm(total))
    middle = total / size if size > 1e-6 else rotation.UP
    first = np.cross(middle, np.eye(3)[np.abs(middle).argmin()])
    first /= np.linalg.norm(first)
    return Reference(layout, mean, middle, np.stack([first, np.cross(middle, first)]))


def pelvis_up(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Height (...) of the pelvis in metres and the direction of up (..., 3) in its frame."""
    pelvis = skeleton.roles.pelvis
    if pelvis == 0:
        place, turn = pose.root_pos, pose.rot[..., 0, :]
    else:
        places, turns = world_transforms_of(skeleton, pose, [pelvis])
        place, turn = places[..., 0, :], turns[..., 0, :]
    return place[..., 1], rotation.rotate(rotation.conjugate(turn), rotation.UP)


def numbers(reference: Reference, state: State) -> Numbers:
    """Values and rates of every DOF of states with any batch axes."""
    joints = reference.layout.joints
    turned = rotation.multiply(rotation.conjugate(reference.mean), state.pose.rot[..., joints, :])
    vector = rotation.log(turned)
    rate = rotation.log_rate(vector, state.spin[..., joints, :])
    pelvis = pelvis_numbers(reference, state)
    flat = (*vector.shape[:-2], 3 * len(joints))
    return Numbers(
        np.concatenate([vector.reshape(flat), pelvis.value], axis=-1),
        np.concatenate([rate.reshape(flat), pelvis.rate], axis=-1),
    )


def pelvis_numbers(reference: Reference, state: State) -> Numbers:
    """The pelvis's three: tilt about two axes, and height."""
    before, now, after = (_pelvis(reference, state, dt) for dt in (-0.5 * STEP_S, 0.0, 0.5 * STEP_S))
    return Numbers(now, (after - before) / STEP_S)


def _pelvis(reference: Reference, state: State, dt: float) -> np.ndarray:
    """(..., 3) the state's tilt and height, dt seconds on."""
    pose = state.pose
    if dt:
        rot = rotation.multiply(pose.rot, rotation.exp(dt * state.spin))
        pose = pose._replace(root_pos=pose.root_pos + dt * state.velocity, rot=rot)
    layout = reference.layout
    height, up = pelvis_up(layout.skeleton, pose)
    tilt = rotation.log(rotation.between(np.broadcast_to(reference.up, up.shape), up)) @ reference.across.T
    return np.concatenate([tilt, height[..., None] / layout.unit_m], axis=-1)
