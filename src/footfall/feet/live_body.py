"""The body of a live character as kernels take it: its bones, legs and soles, and what its feet hold on to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.skeleton import Skeleton
from footfall.feet.leg_solve import leg_joints
from footfall.kinematics.fk import with_descendants

UNKNOWN_KNEE = np.array([*[np.nan] * 5, 0.0])  # what `live_knee` keeps of a knee that was in no frame yet


class LiveBody(NamedTuple):
    """What never changes of a body of J joints."""

    parents: np.ndarray  # (J,) i64
    offsets: np.ndarray  # (J, 3) f32
    legs: np.ndarray  # (2, 3) i64 hip, knee, ankle of left, right; -1 where the body has no two legs
    below: np.ndarray  # (B,) i64 hips and what is below them, parent first
    sole_joints: np.ndarray  # (2, 3) i64 what carries heel, ball and tip of each foot
    sole: np.ndarray  # (2, 3, 3) f64 heel, ball and tip in its frame
    standing: np.ndarray  # (2, 3) f64 their heights while they stand


class HeldFeet(NamedTuple):
    """What the foot lock of one character carries from frame to frame, and room for one pose."""

    floor: np.ndarray  # (2,) height of the ground
    lift: np.ndarray  # (2,) height of the body as the ground has it, and its speed
    shift: np.ndarray  # (2, 3) what the pelvis is moved by so that feet reach, and its speed
    hold: np.ndarray  # (2,) i64 -1 nothing, 0 heel, 1 ball, 2 tip
    held: np.ndarray  # (2, 3) where, in the world
    offset: np.ndarray  # (2, 3)
    speed: np.ndarray  # (2, 3)
    slip: np.ndarray  # (2, 3) speed of what is held
    was: np.ndarray  # (2, 3, 3) where heel, ball and tip were in the last frame, world
    grip: np.ndarray  # (2,)
    knees: np.ndarray  # (2, 6) as `live_knee` has them
    down: np.ndarray  # (2, 2) bool, heel and toe of left and right, as they were taken
    rot: np.ndarray  # (1, J, 4) f32
    world: np.ndarray  # (J, 8) f32

    def let_go(self) -> None:
        """For a character that was put somewhere else, so that no foot stays behind."""
        self.hold[:] = -1
        self.was[:] = np.nan
        self.knees[:] = UNKNOWN_KNEE
        for state in (self.lift, self.shift, self.offset, self.speed, self.slip, self.grip):
            state[:] = 0.0


def live_body(skeleton: Skeleton, sole_joints: np.ndarray, sole: np.ndarray, standing: np.ndarray) -> LiveBody:
    """A body with two legs, ready for kernels."""
    legs = leg_joints(skeleton)
    return _body(skeleton, legs, with_descendants(skeleton.parents, legs[:, 0]), sole_joints, sole, standing)


def legless_body(skeleton: Skeleton) -> LiveBody:
    """A body whose feet cannot be locked."""
    none = np.full((2, 3), -1)
    return _body(skeleton, none, [], none, np.zeros((2, 3, 3)), np.zeros((2, 3)))


def _body(
    skeleton: Skeleton, legs: np.ndarray, below: list[int], sole_joints: np.ndarray, sole: np.ndarray,
    standing: np.ndarray,
) -> LiveBody:  # fmt: skip
    return LiveBody(
        np.asarray(skeleton.parents, np.int64),
        np.ascontiguousarray(skeleton.offsets, np.float32),
        np.asarray(legs, np.int64),
        np.array(below, np.int64),
        np.asarray(sole_joints, np.int64),
        np.array(sole, float),
        np.array(standing, float),
    )


def held_feet(joints: int) -> HeldFeet:
    """Feet that hold on to nothing yet."""
    return HeldFeet(
        floor=np.zeros(2),
        lift=np.zeros(2),
        shift=np.zeros((2, 3)),
        hold=np.full(2, -1, np.int64),
        held=np.zeros((2, 3)),
        offset=np.zeros((2, 3)),
        speed=np.zeros((2, 3)),
        slip=np.zeros((2, 3)),
        was=np.full((2, 3, 3), np.nan),
        grip=np.zeros(2),
        knees=np.tile(UNKNOWN_KNEE, (2, 1)),
        down=np.zeros((2, 2), bool),
        rot=np.zeros((1, joints, 4), np.float32),
        world=np.zeros((joints, 8), np.float32),
    )
