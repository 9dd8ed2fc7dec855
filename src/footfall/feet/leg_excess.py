"""Leg excess: where legs accelerate harder, or knees turn faster, than in the capture nearby.

The measures are those of `quality.joins` (excess acceleration) and `quality.knee`, for the joints a foot lock moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.feet.limits import LOCK_EXCESS_M_S2, LOCK_KNEE_FASTER, LOCK_KNEE_RAD_S
from footfall.kinematics.fk import world_transforms_of
from footfall.quality.joins import AROUND_S


@dataclass(frozen=True, eq=False)
class LegExcess:
    """What the legs of a clip may do, beyond which they show excess acceleration or a knee that pops."""

    clip: Clip
    joints: tuple[tuple[int, ...], ...]  # of the left and of the right leg, knee first
    limit: tuple[np.ndarray, ...]  # (T, K) m/s² for each leg
    knee_rad: float  # in a frame

    @classmethod
    def of(cls, clip: Clip) -> LegExcess:
        roles = clip.skeleton.roles
        joints = tuple(
            tuple(j for j in (getattr(roles, f"{side}_{part}") for part in ("knee", "ankle", "toe")) if j is not None)
            for side in SIDES
        )
        both = accelerations_of(clip, clip.pose, joints[0] + joints[1])
        limit = largest_near(both, int(AROUND_S * clip.fps + 1e-6)) + LOCK_EXCESS_M_S2
        fastest = max(_turns(clip.pose.rot[:, legs[0]]).max(initial=0.0) for legs in joints)
        limits = (limit[:, : len(joints[0])], limit[:, len(joints[0]) :])
        return cls(clip, joints, limits, max(LOCK_KNEE_FASTER * float(fastest), LOCK_KNEE_RAD_S / clip.fps))

    def exceeded(self, pose: Pose, where: np.ndarray) -> np.ndarray:
        """(T, 2) frames at which the left and the right leg of other poses do more, of those asked for (T,)."""
        ours = accelerations_of(self.clip, pose, self.joints[0] + self.joints[1])
        found = np.zeros((len(where), 2), bool)
        first = 0
        for side, legs in enumerate(self.joints):
            found[:, side] = (ours[:, first : first + len(legs)] > self.limit[side]).any(axis=1)
            first += len(legs)
            fast = _turns(pose.rot[:, legs[0]]) > self.knee_rad
            found[:-1, side] |= fast
            found[1:, side] |= fast
        return np.asarray(found & where[:, None])


def accelerations_of(clip: Clip, pose: Pose, joints: tuple[int, ...]) -> np.ndarray:
    """(T, K) m/s²; 0 at the first and the last frame."""
    places = world_transforms_of(clip.skeleton, pose, list(joints))[0]
    result = np.zeros(places.shape[:2])
    if len(places) > 2:
        bend = places[2:] - 2.0 * places[1:-1] + places[:-2]
        result[1:-1] = np.sqrt(np.einsum("tki,tki->tk", bend, bend)) * clip.fps**2
    return result


def largest_near(x: np.ndarray, reach: int) -> np.ndarray:
    """(T, ...) the largest of x within so many frames; by numpy, since importing scipy's filters takes 65 ms."""
    padded = np.pad(x, [(reach, reach)] + [(0, 0)] * (x.ndim - 1), mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0).max(axis=-1))


def _turns(rot: np.ndarray) -> np.ndarray:
    """(T-1,) radians turned from frame to frame by rotations (T, 4)."""
    return np.asarray(rotation.angle_between(rot[:-1], rot[1:]))
