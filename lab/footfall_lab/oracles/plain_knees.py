"""Plain knees: what keeps knees of live characters from jumping, in readable numpy, the oracle of `feet.live_knee`."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_solve import Legs, leg_joints
from footfall.feet.limits import (
    LEG_MAX_EXTENSION,
    LEG_SOFT_FROM,
    LIVE_KNEE_ASIDE,
    LIVE_KNEE_ASIDE_FROM_M,
    LIVE_KNEE_BRAKE_RAD_S2,
    LIVE_KNEE_FASTER,
    LIVE_KNEE_LOW_M,
    LIVE_KNEE_RAD_S,
    LIVE_KNEE_RAD_S2,
    LIVE_POLE_S,
)
from footfall.feet.live_knee import STRAIGHT
from footfall.kinematics.fk import world_transforms_of
from footfall_lab.oracles.plain_legs import soft_reach


def over_hips(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """(2, 4) world rotations of what carries the hips."""
    above = skeleton.parents[leg_joints(skeleton)[:, 0]]
    return np.asarray(world_transforms_of(skeleton, pose, above.tolist())[1])


def knee_in_time(
    legs: Legs, side: int, ankle: np.ndarray, move: np.ndarray, knees: np.ndarray, dt_s: float
) -> np.ndarray:
    """Where an ankle goes so that its leg is slowed towards full extension and its knee turns no faster than it may."""
    hip, line = legs.hip[side] + move, ankle - legs.hip[side] - move
    bones = legs.knee[side] - legs.hip[side], legs.ankle[side] - legs.knee[side]
    far, own, upper, lower = np.linalg.norm([line, legs.ankle[side] - legs.hip[side], *bones], axis=1)
    reach = float(soft_reach(far, own, upper, lower, LEG_SOFT_FROM, LEG_MAX_EXTENSION))

    def bend(distance: float) -> float:
        """Radians that a knee is bent by whose ankle is so far from its hip."""
        return float(np.arccos(np.clip((distance**2 - upper**2 - lower**2) / (2.0 * upper * lower), -1.0, 1.0)))

    wanted, animated = bend(reach), bend(own)
    before, was, turned = np.arccos(knees[0]), np.arccos(knees[1]), knees[5]
    if dt_s > 0.0 and np.isfinite(before):
        own_turn = LIVE_KNEE_FASTER * abs(animated - was)
        most = max(LIVE_KNEE_RAD_S * dt_s, own_turn)
        most = min(most, max(turned * np.sign(wanted - before), 0.0) + LIVE_KNEE_RAD_S2 * dt_s**2)
        brake = LIVE_KNEE_BRAKE_RAD_S2 * dt_s**2
        straightest = before + brake - np.sqrt(brake * (brake + 2.0 * before))
        held = min(max(wanted, before - most, min(straightest, before - own_turn)), before + most)
        if abs(held - wanted) > 1e-12:
            longer = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(held))
            line = line * min(longer, reach + LIVE_KNEE_LOW_M) / far
            drawn = max(np.hypot(*(ankle - legs.ankle[side])[[0, 2]]) - LIVE_KNEE_ASIDE_FROM_M, 0.0)
            flat = np.hypot(line[0], line[2])
            if longer > np.linalg.norm(line) and flat * drawn > 0.0:
                out = min(np.sqrt(longer**2 - line[1] ** 2), flat + LIVE_KNEE_ASIDE * drawn)
                line = line * np.array([out / flat, 1.0, out / flat])
            reach = far = float(np.linalg.norm(line))
        knees[5] = bend(reach) - before
    knees[0], knees[1] = np.cos(bend(reach)), np.cos(animated)
    return hip + line * reach / far


def knee_pole(over_hip: np.ndarray, toes: np.ndarray, knees: np.ndarray, dt_s: float) -> np.ndarray:
    """Where a straight knee bends to: as in the last frame, and little by little to where the toes point."""
    if np.isnan(knees[2]):
        return toes
    share = min(dt_s / LIVE_POLE_S, 1.0)
    return (1.0 - share) * rotation.rotate(over_hip, knees[2:5]) + share * toes / np.linalg.norm(toes)


def note_sides(legs: Legs, over_hips: np.ndarray, knees: np.ndarray) -> None:
    """Where knees point, as seen from what carries the hips; one that is straight points as it did."""
    for side in range(2):
        thigh, line = legs.knee[side] - legs.hip[side], legs.ankle[side] - legs.hip[side]
        out = thigh - line * (thigh @ line) / (line @ line)
        if np.linalg.norm(out) > STRAIGHT * np.linalg.norm(thigh):
            knees[side, 2:5] = rotation.rotate(rotation.conjugate(over_hips[side]), out / np.linalg.norm(out))
