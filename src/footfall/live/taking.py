"""Taking a pose: what a character needs to go on from a state that it was not in, checked and seen from its carrier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.core import rotation
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.root import floor_root
from footfall.live.inertia import STEP_S
from footfall.parametric.arc_root import frames_at

UPRIGHT = 0.5  # cosine: a head that is not this much above the pelvis, of their distance, is no standing body's. By eye
LOW = 0.45  # of the height at rest: a pelvis that is lower sits or lies. By eye
FACE_DOWN = -0.3  # upward part of where the pelvis faces: below, a body lies on its front. By eye
GET_UP = ("get-up", "get_up", "get up")  # names of actions that begin on the floor
HELP = "get up first: give the graph a clip that gets up as an action, or blend to a pose that stands"


def checked_pose(
    skeleton: Skeleton, pose: Pose, velocity: Sequence[float], spin: np.ndarray | None
) -> tuple[Pose, np.ndarray, np.ndarray]:
    """Pose, velocity (3,) and spin (J, 3) that a character can go on from, or a sentence that says why not."""
    if not isinstance(pose, Pose):
        raise ParameterError(f"what is taken is a Pose, such as hero.step returns, got {type(pose).__name__}")
    joints = len(skeleton)
    place, turns = np.asarray(pose.root_pos, float), np.asarray(pose.rot, float)
    moving = np.asarray(velocity, float)
    spins = np.zeros((joints, 3)) if spin is None else np.asarray(spin, float)
    if place.shape != (3,) or turns.shape != (joints, 4) or moving.shape != (3,) or spins.shape != (joints, 3):
        raise ParameterError(
            f"a pose of {joints} joints is taken with a velocity (3,) and spins ({joints}, 3), got rotations "
            f"{turns.shape}, {moving.shape} and {spins.shape}"
        )
    if not all(np.isfinite(x).all() for x in (place, turns, moving, spins)):
        raise ParameterError("a pose, its velocity and its spins must be finite numbers")
    if not (np.linalg.norm(turns, axis=-1) > 1e-6).all():
        raise ParameterError("the rotations of a pose are unit quaternions, got one of length 0")
    return Pose(place, rotation.normalize(turns)), moving, spins


def lies(skeleton: Skeleton, pose: Pose, can_get_up: bool) -> bool:
    """Whether a body lies or sits on the floor; one that nothing in a graph is near to is refused.

    can_get_up: there is an action that begins on the floor, face up or sitting.
    """
    roles = skeleton.roles
    if roles.pelvis is None or roles.head is None:
        return False
    (pelvis, head), turns = world_transforms_of(skeleton, pose, [roles.pelvis, roles.head])
    up = head - pelvis
    if up[1] >= UPRIGHT * np.linalg.norm(up) and pelvis[1] >= LOW * skeleton.height * 0.5:
        return False
    rest = skeleton.rest_world[1][roles.pelvis]
    facing = rotation.rotate(rotation.multiply(turns[0], rotation.conjugate(rest)), rotation.AXES["Z"])
    if can_get_up and pelvis[1] < LOW * skeleton.height and facing[1] > FACE_DOWN:
        return True
    raise ParameterError(f"the pose lies or is upside down, and nothing in the graph is near it; {HELP}")


def on_floor(
    skeleton: Skeleton, pose: Pose, velocity: np.ndarray, spin: np.ndarray
) -> tuple[np.ndarray, Pose, Pose, tuple[float, float, float]]:
    """x, z and heading of the carrier under a pose; the pose and the one STEP_S before it as seen from the carrier;
    and forward and left m/s and turn rad/s."""
    position, heading = floor_root(skeleton, Pose(pose.root_pos[None], pose.rot[None]))
    point, facing = complex(position[0, 2], position[0, 0]), float(heading[0])
    local = frames_at(np.array(point), np.array(facing)).inverse().pose(pose)
    back = rotation.exp(-STEP_S * spin)
    before = Pose(local.root_pos - np.array([0.0, STEP_S * velocity[1], 0.0]), rotation.multiply(local.rot, back))
    going = complex(velocity[2], velocity[0]) * np.exp(-1j * facing)
    return np.array([point.imag, point.real, facing]), local, before, (going.real, going.imag, 0.0)
