"""A motion of joint positions alone: what HumanML3D, positions-only npz and their like hand over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.skeleton import Skeleton
from footfall.io.raw import RawMotion, Reading
from footfall.kinematics.from_positions import body_of_positions

LEAST_SIZE = 1e-6  # units: a body smaller than this is a point
FAR, TOO_FAR = 0.02, 0.1  # share of the body's size, in the median, that is told of, and that is no body. By eye
AXES = {"x": 0, "y": 1, "z": 2}


def motion_of_positions(
    reading: Reading,
    body: Skeleton,
    positions: np.ndarray,
    fps: Inferred,
    stands_along_y: bool,
    up: str | None = None,
    cure: str = "",
) -> RawMotion:
    """Constant bones laid onto positions (T, J, 3); how near they come is told, and what no body does is refused.

    `body` gives names, tree and directions at rest. stands_along_y: at rest it stands along Y, faces +Z and has
    straight limbs, as SMPL's does; its rest pose is stood along `up`, or along the axis that the positions stand along.
    """
    size = float(np.median(np.ptp(positions, axis=1).max(axis=1)))
    if not size > LEAST_SIZE:
        raise reading.fail("", "a body with an extent", "joints that are all in one place", cure)
    fitted = body_of_positions(body, positions, hinged=stands_along_y)
    typical, worst = float(np.median(fitted.distance)), float(fitted.distance.max())
    told = f"positions alone: joints on bones of constant length lie {typical / size:.2%} of the body's size from the "
    told += f"file's in the median, {worst / size:.1%} at most; twists of straight limbs are not in the file"
    if typical > TOO_FAR * size:
        raise reading.fail("", "the joints of a body, whose bones keep their length", f"{typical / size:.0%} off", cure)
    if typical > FAR * size:
        reading.warn("", told)
    rest = fitted.skeleton.rest.copy()
    if stands_along_y:
        rest[0] = rotation.between(rotation.UP, _up(reading.options.up or up, fitted.skeleton, positions))
    inferred = {
        "fps": fps,
        "rotations": Inferred("fitted", told, round(max(0.1, 0.9 - 10.0 * typical / size), 3)),
    }
    return RawMotion(replace(fitted.skeleton, rest=rest), float(fps.value), fitted.pose, inferred=inferred)


def _up(told: str | None, skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
    """The axis that the body stands along: what is told, or from ankles to head over all frames."""
    given = (told or "").lower()
    if given.lstrip("-") in AXES:
        return (-1.0 if given[0] == "-" else 1.0) * np.eye(3)[AXES[given.lstrip("-")]]
    roles = skeleton.roles
    if roles.head is None or roles.left_ankle is None or roles.right_ankle is None:
        return rotation.UP
    along = (2.0 * positions[:, roles.head] - positions[:, roles.left_ankle] - positions[:, roles.right_ankle]).mean(0)
    axis = int(np.abs(along).argmax())
    return np.sign(along[axis]) * np.eye(3)[axis] if along[axis] else rotation.UP
