"""From targets to a pose of the built-in body: pelvis, spine, arms and planted feet to local rotations."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.fk import local_rotations, world_positions
from footfall.kinematics.mass import adult_segments, mass_weights
from footfall.kinematics.two_bone_ik import TwoBone, two_bone_ik
from footfall.motions.body import HIP_DROP, HIP_HALF, LEG, SHANK, THIGH, adult
from footfall.motions.clearance import foot_rotation
from footfall.motions.foot_path import FootPath

SPINE = (("Spine", 0.35), ("Spine1", 0.7), ("Spine2", 1.0))  # how much of the chest's turn each joint has made
MAX_EXTENSION = 0.995  # hip to ankle over leg length: straighter knees turn so fast that they look like pops


class Upper(NamedTuple):
    """Upper body over time, all quaternions (T, 4)."""

    chest: np.ndarray  # against the pelvis
    head: np.ndarray  # against the chest
    left_arm: np.ndarray  # against the chest, from a T-pose
    left_forearm: np.ndarray  # against the upper arm
    right_arm: np.ndarray
    right_forearm: np.ndarray


@cache
def _mass_weights() -> np.ndarray:
    names = adult().names
    return mass_weights(adult_segments(names), range(len(names)))


def center_of_mass(pose: Pose) -> np.ndarray:
    """(..., 3) of the built-in body in poses (...)."""
    return np.einsum("j,...jc->...c", _mass_weights(), world_positions(adult(), pose))


def hip_positions(pelvis: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left and right hip joints (T, 3) of a pelvis at (T, 3) turned by (T, 4)."""
    left, right = (rotation.rotate(turn, np.array([side * HIP_HALF, -HIP_DROP, 0.0])) for side in (1, -1))
    return pelvis + left, pelvis + right


def chest_frame(pelvis: np.ndarray, turn: np.ndarray, chest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the chest joint is (T, 3) and its world rotation (T, 4)."""
    body = adult()
    world = rotation.multiply(turn, chest)
    place, carried = pelvis, turn
    for joint, share in SPINE:
        place = place + rotation.rotate(carried, body.offsets[body.names.index(joint)])
        carried = rotation.slerp(turn, world, share)
    return place, world


def reachable_pelvis(
    pelvis: np.ndarray, turn: np.ndarray, feet: tuple[FootPath, FootPath], fps: float, extension: float = MAX_EXTENSION
) -> np.ndarray:
    """The pelvis lowered, smoothly and the least needed, so that both ankles are within reach of their legs."""
    from scipy.ndimage import gaussian_filter1d, minimum_filter1d

    room = np.full(len(pelvis), np.inf)
    for hip, foot in zip(hip_positions(pelvis, turn), feet, strict=True):
        flat = ((hip - foot.ankle)[:, [0, 2]] ** 2).sum(axis=1)
        highest = foot.ankle[:, 1] + np.sqrt(np.maximum((extension * LEG) ** 2 - flat, 0.0))
        room = np.minimum(room, highest - hip[:, 1])
    sigma = 0.025 * fps
    # the smoothed running minimum lies below the bound everywhere: the window covers the kernel's support
    lower = gaussian_filter1d(minimum_filter1d(np.minimum(room, 0.0), int(8 * sigma) | 1), sigma, truncate=4.0)
    return pelvis + lower[:, None] * rotation.UP


def solve(
    pelvis: np.ndarray,
    turn: np.ndarray,
    upper: Upper,
    feet: tuple[FootPath, FootPath],
    poles: tuple[np.ndarray, np.ndarray],
    shoulders: tuple[np.ndarray, np.ndarray] | None = None,
) -> Pose:
    """Poses (T,) of the built-in body; poles (T, 3): where each knee points.

    shoulders (T, 4): shoulder girdles against the chest; by default they follow the arms a little.
    """
    body = adult()
    world = np.tile(rotation.IDENTITY, (len(pelvis), len(body), 1))
    index = {name: i for i, name in enumerate(body.names)}

    def put(joint: str, q: np.ndarray) -> None:
        world[:, index[joint]] = q

    put("Hips", turn)
    chest = rotation.multiply(turn, upper.chest)
    for joint, share in SPINE:
        put(joint, rotation.slerp(turn, chest, share))
    head = rotation.multiply(chest, upper.head)
    put("Neck", rotation.slerp(chest, head, 0.5))
    put("Head", head)
    for i, (side, arm, forearm) in enumerate(
        (("Left", upper.left_arm, upper.left_forearm), ("Right", upper.right_arm, upper.right_forearm))
    ):
        world_arm = rotation.multiply(chest, arm)
        if shoulders is None:
            put(f"{side}Shoulder", rotation.slerp(chest, world_arm, 0.12))
        else:
            put(f"{side}Shoulder", rotation.multiply(chest, shoulders[i]))
        put(f"{side}Arm", world_arm)
        put(f"{side}ForeArm", rotation.multiply(world_arm, forearm))
        put(f"{side}Hand", rotation.multiply(world_arm, forearm))
    for side, hip, foot, pole in zip(("Left", "Right"), hip_positions(pelvis, turn), feet, poles, strict=True):
        thigh, shank = leg(hip, foot.ankle, pole)
        put(f"{side}UpLeg", thigh)
        put(f"{side}Leg", shank)
        put(f"{side}Foot", foot_rotation(foot.yaw, foot.pitch))
        put(f"{side}ToeBase", foot_rotation(foot.yaw, foot.pitch + foot.toe_bend))
    return Pose(pelvis, rotation.continuous_signs(local_rotations(body.parents, world)))


def leg(hip: np.ndarray, ankle: np.ndarray, pole: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World rotations (T, 4) of thigh and shank; the knee bends towards the pole."""
    solved = bent_limb(hip, ankle, pole, THIGH, SHANK, soft_from=MAX_EXTENSION)
    left = rotation.cross(solved.mid - hip, solved.end - solved.mid)
    left /= np.linalg.norm(left, axis=-1, keepdims=True)
    return _bone(left, solved.mid - hip), _bone(left, solved.end - solved.mid)


def bent_limb(
    start: np.ndarray, target: np.ndarray, pole: np.ndarray, upper: float, lower: float, soft_from: float
) -> TwoBone:
    """A limb of two bones from start (T, 3) to target (T, 3), its knee or elbow on the pole's side."""
    aim = target - start
    aim = aim / np.linalg.norm(aim, axis=-1, keepdims=True)
    across = pole - (pole * aim).sum(axis=-1, keepdims=True) * aim
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    offset = 0.8 * min(upper, lower)  # any bent limb of the right lengths will do, towards the pole
    middle = start + offset * across + np.sqrt(upper**2 - offset**2) * aim
    end = middle - offset * across + np.sqrt(lower**2 - offset**2) * aim
    return two_bone_ik(start, middle, end, target, soft_from=soft_from, max_extension=0.999)


def _bone(left: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Rotation whose -Y is the bone's direction and whose +X is the hinge axis."""
    y = -down / np.linalg.norm(down, axis=-1, keepdims=True)
    x = left - (left * y).sum(axis=-1, keepdims=True) * y
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return rotation.from_matrix(np.stack([x, y, rotation.cross(x, y)], axis=-1))
