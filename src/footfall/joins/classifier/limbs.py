"""Limbs and degrees of freedom: what of a body the entry classifier looks at, and how a state becomes numbers.

A degree of freedom (DOF) is one component of a joint's rotation vector about the joint's mean in the motion entered;
the pelvis adds two of tilt (where up points, seen from it) and one of height, in leg lengths. Legs, arms and trunk are
the limbs; fingers and helper joints have no say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.kernels import kernel, part
from footfall.core.pose import Pose
from footfall.core.roles import ARM, LEG, SIDES
from footfall.core.rotation_kernels import add_scaled, conjugate, cross, dot, log, log_rate, multiply, quaternion
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import State
from footfall.kinematics.fk import world_transforms_of

PARTS = (*LEG, *ARM, "spine", "neck", "head", "tilt", "height")
MOST = 400  # frames a mean is taken over, about: of a longer motion every second, third, … counts
STEP_S = 1e-4  # seconds: rates of the pelvis are differences over this


class DofNumbers(NamedTuple):
    """A state as the classifier sees it (the paper's I and S); leading batch axes."""

    value: np.ndarray  # (..., D) radians; height in leg lengths
    rate: np.ndarray  # (..., D) a second


@dataclass(frozen=True, eq=False)
class LimbLayout:
    """Which joints are looked at, limb by limb; DOF 3 k .. 3 k + 2 are joint k's, the last three the pelvis's."""

    skeleton: Skeleton
    limbs: tuple[str, ...]  # names; the last is the trunk
    joints: np.ndarray  # (J',) joint of every three DOFs
    parts: tuple[str, ...]  # (D,) part of every DOF: "hip", "tilt", …
    bounds: np.ndarray  # (limbs + 1,) first DOF of each limb, and their number
    unit_m: float  # what a height of 1 is: the length of a leg


@dataclass(frozen=True, eq=False)
class DofReference:
    """About what the DOFs of one motion are measured."""

    layout: LimbLayout
    mean: np.ndarray  # (J', 4) each joint's mean rotation
    up: np.ndarray  # (3,) mean direction of up, in the pelvis's frame
    across: np.ndarray  # (2, 3) two directions at right angles to it: the axes of tilt


def layout_of(skeleton: Skeleton) -> LimbLayout:
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
    return LimbLayout(
        skeleton,
        tuple(named),
        np.array(joints, int),
        (*of_dofs, "tilt", "tilt", "height"),
        np.array([0, *ends[:-1], ends[-1] + 3], int),
        skeleton.leg_length if legs else max(0.5 * skeleton.height, 1e-3),
    )


def reference_of(clip: Clip) -> DofReference:
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
    return DofReference(layout, mean, middle, np.stack([first, np.cross(middle, first)]))


def pelvis_up(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Height (...) of the pelvis in metres and the direction of up (..., 3) in its frame."""
    pelvis = skeleton.roles.pelvis
    if pelvis == 0:
        place, turn = pose.root_pos, pose.rot[..., 0, :]
    else:
        places, turns = world_transforms_of(skeleton, pose, [pelvis])
        place, turn = places[..., 0, :], turns[..., 0, :]
    return place[..., 1], rotation.rotate(rotation.conjugate(turn), rotation.UP)


def numbers(reference: DofReference, state: State) -> DofNumbers:
    """Values and rates of every DOF of states with any batch axes."""
    layout, batch = reference.layout, state.velocity.shape[:-1]
    joints = state.spin.shape[-2]
    rot = np.ascontiguousarray(state.pose.rot, float).reshape(-1, joints, 4)
    spin = np.ascontiguousarray(state.spin, float).reshape(-1, joints, 3)
    pelvis = np.empty((len(rot), 2, 3))
    if layout.skeleton.roles.pelvis == 0:
        height, lift = (x.reshape(-1, 3)[:, 1] for x in (state.pose.root_pos, state.velocity))
        _root_numbers(rot[:, 0], spin[:, 0], height, lift, reference.up, reference.across, layout.unit_m, pelvis)
    else:
        moved = [pelvis_up(layout.skeleton, _later(state, dt)) for dt in (-0.5 * STEP_S, 0.0, 0.5 * STEP_S)]
        up = np.stack([up.reshape(-1, 3) for _, up in moved], axis=1)
        height = np.stack([height.ravel() for height, _ in moved], axis=1)
        _moved_numbers(up, height, reference.up, reference.across, layout.unit_m, pelvis)
    value, rate = np.empty((len(rot), len(layout.parts))), np.empty((len(rot), len(layout.parts)))
    _state_numbers(rot, spin, pelvis, layout.joints, reference.mean, value, rate)
    return DofNumbers(value.reshape(*batch, -1), rate.reshape(*batch, -1))


def _later(state: State, dt: float) -> Pose:
    """The pose dt seconds on."""
    pose = state.pose
    rot = rotation.multiply(pose.rot, rotation.exp(dt * state.spin))
    return pose._replace(root_pos=pose.root_pos + dt * state.velocity, rot=rot)


# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def _state_numbers(rot: Any, spin: Any, pelvis: Any, joints: Any, mean: Any, value: Any, rate: Any) -> None:
    """Fill value and rate (N, D): rotation vectors about the means (J', 4), and their rates; then the pelvis's.

    rot (N, J, 4), spin (N, J, 3), pelvis (N, 2, 3) values and rates, joints (J',).
    """
    last = 3 * len(joints)
    for n in range(len(rot)):
        for k in range(len(joints)):
            j = joints[k]
            v = log(multiply(conjugate(quaternion(mean[k])), quaternion(rot[n, j])))
            v_rate = log_rate(v, (spin[n, j, 0], spin[n, j, 1], spin[n, j, 2]))
            for d in range(3):
                value[n, 3 * k + d], rate[n, 3 * k + d] = v[d], v_rate[d]
        for d in range(3):
            value[n, last + d], rate[n, last + d] = pelvis[n, 0, d], pelvis[n, 1, d]


@kernel
def _root_numbers(turn: Any, spin: Any, height: Any, lift: Any, up: Any, across: Any, unit_m: float, out: Any) -> None:
    """Fill out (N, 2, 3) where the pelvis is joint 0: tilt and height, and their rates by differences over STEP_S.

    turn (N, 4), spin (N, 3), height and lift (N,); up turns against the spin, by the series to second order.
    """
    for n in range(len(turn)):
        w, x, y, z = quaternion(turn[n])
        # up seen from the pelvis: second row of its rotation matrix
        now = (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x))
        s = (spin[n, 0], spin[n, 1], spin[n, 2])
        once = cross(now, s)
        twice = cross(once, s)
        h = 0.5 * STEP_S
        before = add_scaled(add_scaled(now, once, -h), twice, 0.5 * h * h)
        after = add_scaled(add_scaled(now, once, h), twice, 0.5 * h * h)
        _put_tilts(_tilt(before, up, across), _tilt(now, up, across), _tilt(after, up, across), out[n])
        out[n, 0, 2], out[n, 1, 2] = height[n] / unit_m, lift[n] / unit_m


@kernel
def _moved_numbers(ups: Any, height: Any, up: Any, across: Any, unit_m: float, out: Any) -> None:
    """Fill out (N, 2, 3) from up (N, 3, 3) and height (N, 3) of the pelvis before, now and after."""
    for n in range(len(ups)):
        u = ups[n]
        _put_tilts(_tilt(u[0], up, across), _tilt(u[1], up, across), _tilt(u[2], up, across), out[n])
        out[n, 0, 2], out[n, 1, 2] = height[n, 1] / unit_m, (height[n, 2] - height[n, 0]) / STEP_S / unit_m


@part
def _put_tilts(before: Any, now: Any, after: Any, out: Any) -> None:
    for a in range(2):
        out[0, a], out[1, a] = now[a], (after[a] - before[a]) / STEP_S


@part
def _tilt(v: Any, up: Any, across: Any) -> Any:
    """The rotation vector from the mean direction of up to v, along both axes of tilt."""
    m = (up[0], up[1], up[2])
    axis = cross(m, v)
    sine = np.sqrt(dot(axis, axis))
    scale = np.arctan2(sine, dot(m, v)) / sine if sine > 1e-12 else 1.0
    return scale * dot(across[0], axis), scale * dot(across[1], axis)
