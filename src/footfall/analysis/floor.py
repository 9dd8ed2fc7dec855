"""Floor: how high each foot stands, from its own slow and low moments; y = 0 is never taken for granted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.core import rotation
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LOW = 0.10  # of the leg: above a point's lowest 5 % by less than this it may be standing
SLOWEST = 0.3  # share of the low moments, the slowest, that are taken for standing
SURE = 0.02  # of the leg: heights that spread this much while standing leave little trust in their median
APART = 0.15  # of the leg: feet that seem to stand further apart in height do not both stand

_points: WeakKeyDictionary[Clip, FootPoints] = WeakKeyDictionary()


class FootPoints(NamedTuple):
    """World positions of what touches the floor; axis 1 is left, right."""

    heel: np.ndarray  # (T, 2, 3) ankle joints: skeletons rarely have heels
    toe: np.ndarray  # (T, 2, 3) toe joints; where there are none the tip of the ankle's bone, else the ankle
    lowest: np.ndarray  # (T, 2, 3) of ankle, toe and toe tips, the one that is lowest while the foot is slow


class Floor(NamedTuple):
    """Heights, in metres, at which each foot stands; pairs are left, right."""

    left: float  # of the foot's lowest point (ankle, toe or toe tip) while it stands: the floor under that foot
    right: float
    heel: tuple[float, float]  # of the ankle joints
    toe: tuple[float, float]  # of the toe joints
    how: str
    confidence: float  # 0 to 1, falling with the spread of heights while standing

    @property
    def height(self) -> float:
        """One floor for the whole clip: the mean of both feet."""
        return 0.5 * (self.left + self.right)


def foot_points(clip: Clip) -> FootPoints:
    """Heels and toes of both feet over time; kept for as long as the clip is, since every foot measure asks."""
    if clip not in _points:
        _points[clip] = _find_points(clip)
    return _points[clip]


def _find_points(clip: Clip) -> FootPoints:
    skeleton = clip.skeleton
    _, rotations = world_transforms(skeleton, clip.pose)
    heel, toe, lowest = [], [], []
    for ankle, toe_joint in _feet(skeleton):
        ankle_path = clip.positions[:, ankle]
        foot = [joint for joint in (ankle, toe_joint) if joint is not None]
        tips = [_end(clip, rotations, int(e)) for e in np.flatnonzero(np.isin(skeleton.end_parents, foot))]
        toe_path = clip.positions[:, toe_joint] if toe_joint is not None else (tips or [ankle_path])[0]
        candidates = [ankle_path, toe_path, *tips]
        heel.append(ankle_path)
        toe.append(toe_path)
        lowest.append(min(candidates, key=lambda path: _stance_height(path, clip.fps, skeleton.leg_length)))
    return FootPoints(np.stack(heel, 1), np.stack(toe, 1), np.stack(lowest, 1))


def find_floor(clip: Clip) -> Floor:
    """Where heels, toes and the lowest points of the feet rest: the median height of each while slow and low."""
    if clip.frames == 0:
        raise ParameterError(f"{clip.name or 'this clip'} holds only a skeleton, no frames, so it stands nowhere")
    points, leg = foot_points(clip), clip.skeleton.leg_length
    found = []
    for paths in points:
        left, right = (_stance_height(paths[:, foot], clip.fps, leg) for foot in (0, 1))
        if abs(left - right) > APART * leg:  # one foot never comes down: the other knows the floor
            left = right = min(left, right)
        found.append((left, right))
    heel, toe, lowest = found
    spread = max(_stance_spread(points.lowest[:, foot], clip.fps, leg) for foot in (0, 1))
    confidence = float(np.exp(-spread / (SURE * leg))) * (1.0 if clip.frames >= 3 else 0.3)
    return Floor(*lowest, heel, toe, "median height of each foot while low and slow", confidence)


def _feet(skeleton: Skeleton) -> list[tuple[int, int | None]]:
    """(ankle, toe or None) of the left and the right foot."""
    roles = skeleton.roles
    if roles.left_ankle is None or roles.right_ankle is None:
        raise SkeletonError(
            "this skeleton has no two feet footfall can find, so contacts and foot quality cannot be told; name them: "
            "skeleton.with_roles(left_ankle=…, right_ankle=…)"
        )
    return [(roles.left_ankle, roles.left_toe), (roles.right_ankle, roles.right_toe)]


def _end(clip: Clip, rotations: np.ndarray, e: int) -> np.ndarray:
    """(T, 3) path of one end site."""
    joint = clip.skeleton.end_parents[e]
    return clip.positions[:, joint] + rotation.rotate(rotations[:, joint], clip.skeleton.end_offsets[e])


def _stance_height(path: np.ndarray, fps: float, leg: float) -> float:
    """Median height of a point (T, 3) while it stands."""
    return float(np.median(_standing(path, fps, leg)))


def _stance_spread(path: np.ndarray, fps: float, leg: float) -> float:
    """Median distance of those heights from their median."""
    heights = _standing(path, fps, leg)
    return float(np.median(np.abs(heights - np.median(heights))))


def _standing(path: np.ndarray, fps: float, leg: float) -> np.ndarray:
    """Heights (N,) of a point (T, 3) while it is low and at its slowest."""
    height = path[:, 1]
    if len(path) < 3:
        return height
    speed = np.linalg.norm(np.gradient(path, 1.0 / fps, axis=0), axis=-1)
    low = height <= np.quantile(height, 0.05) + LOW * leg
    return height[low & (speed <= np.quantile(speed[low], SLOWEST))]
