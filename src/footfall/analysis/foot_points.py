"""Foot points: what of a body touches the floor, found on any skeleton.

Skeletons rarely have a heel. The ankle joint is no substitute: it drops when the heel strikes and rises with the heel
while the ball still stands. So the sole is worked out once per clip: where the foot stands still, the heel lies under
and behind the ankle, and the toe tip ahead of the toe joint; both then move with the foot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.on_the_spot import Belt, find_belt
from footfall.core import rotation
from footfall.core.errors import SkeletonError
from footfall.core.once import once
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms_of

if TYPE_CHECKING:
    from footfall.core.clip import Clip

# the sole in shares of the leg (hip to ankle), of an average adult (Drillis & Contini 1966)
HEEL_BACK = 0.06  # heel behind the ankle
BALL_AHEAD = 0.157  # toe joint ahead of the ankle, where a skeleton has none
BALL_UP = 0.025  # toe joint over the sole
TOE_LENGTH = 0.09  # toe joint to where the toes leave the floor last
ANKLE_UP = (0.04, 0.14)  # least and most that an ankle can be over the sole
STUB = 0.02  # shorter end sites say nothing
STILL = 0.15  # share of all frames, the slowest of the ankle, in which the foot is taken to rest
# In shares of the leg over the lowest tenth of its rests, an ankle is raised: a foot on the bar of a stool, or on its
# toes, rests as well but is not flat. Among takes of one person who sits and stands, the ankle's height over the ball
# has a standard deviation of 0.7 and 0.5 cm (left, right); without this, of 2.1 and 2.0.
RAISED = 0.03
FEW = 3  # frames: fewer tell nothing


class FootPoints(NamedTuple):
    """World positions of feet over time; axis 1 is left, right."""

    heel: np.ndarray  # (T, 2, 3) ankle joints
    toe: np.ndarray  # (T, 2, 3) toe joints; where there are none the tip of the ankle's bone, else the ankle
    lowest: np.ndarray  # (T, 2, 3) of ankle, toe and toe tips, the one that is lowest while the foot is slow
    sole: np.ndarray  # (T, 2, 3, 3) axis 2: heel, ball and tip of the sole, estimated where the skeleton has none
    pelvis: np.ndarray  # (T, 3)
    belt: Belt | None = None  # of a walk or run on the spot: what carries its feet back

    def travelling(self) -> FootPoints:
        """The same over the floor that the feet stand on: on the spot, with the travel that the body lacks."""
        return self if self.belt is None else self.moved(self.belt.travel)

    def moved(self, by: np.ndarray) -> FootPoints:
        """All points moved by (T, 3) metres."""
        heel, toe, lowest = (path + by[:, None] for path in (self.heel, self.toe, self.lowest))
        return FootPoints(heel, toe, lowest, self.sole + by[:, None, None], self.pelvis + by, self.belt)


class _Foot(NamedTuple):
    """One foot of a clip: joints' paths (T, 3), their rotations (T, 4), and end sites."""

    ankle: np.ndarray
    ankle_rot: np.ndarray
    toe: np.ndarray | None
    toe_rot: np.ndarray
    ankle_ends: list[np.ndarray]
    toe_ends: list[np.ndarray]


@once
def foot_points(clip: Clip) -> FootPoints:
    """Points of both feet over time; kept for as long as the clip is, since every foot measure asks."""
    skeleton, roles = clip.skeleton, clip.skeleton.roles
    feet = _feet(skeleton)
    hips = [j for j in (roles.left_hip, roles.right_hip) if j is not None]
    joints = [roles.pelvis, *hips, *(j for foot in feet for j in foot if j is not None)]
    places, turns = world_transforms_of(skeleton, clip.pose, joints)
    at = {j: (np.ascontiguousarray(places[:, i]), np.ascontiguousarray(turns[:, i])) for i, j in enumerate(joints)}
    ahead = np.cross(at[hips[0]][0] - at[hips[1]][0], rotation.UP) if len(hips) == 2 else rotation.rotate(
        at[roles.pelvis][1], rotation.AXES["Z"]
    )  # fmt: skip
    pelvis, leg = at[roles.pelvis][0], skeleton.leg_length
    belt = find_belt(pelvis, _joints_of_feet(at, feet), clip.fps, leg)
    if belt is not None:  # feet are slow, and flat, where the belt carries them
        at = {j: (place + belt.travel, turn) for j, (place, turn) in at.items()}
    heel, toe, lowest, soles = [], [], [], []
    for ankle, toe_joint in feet:
        foot = _foot(skeleton, at, ankle, toe_joint)
        tips = [*foot.ankle_ends, *foot.toe_ends]
        toe_path = foot.toe if foot.toe is not None else (tips or [foot.ankle])[0]
        candidates = [foot.ankle, toe_path, *tips]
        heel.append(foot.ankle)
        toe.append(toe_path)
        lowest.append(min(candidates, key=lambda path: stance_height(path, clip.fps, leg)))
        soles.append(_sole(foot, ahead, clip.fps, leg))
    there = FootPoints(np.stack(heel, 1), np.stack(toe, 1), np.stack(lowest, 1), np.stack(soles, 1), pelvis, belt)
    return there if belt is None else there.moved(-belt.travel)._replace(pelvis=pelvis)


def _joints_of_feet(at: dict[int, tuple[np.ndarray, np.ndarray]], feet: list[tuple[int, int | None]]) -> np.ndarray:
    """(T, 2, 2, 3) ankle and toe joints; of a foot without toes the ankle twice."""
    return np.stack([np.stack([at[a][0], at[a if t is None else t][0]], axis=1) for a, t in feet], axis=1)


def _feet(skeleton: Skeleton) -> list[tuple[int, int | None]]:
    """(ankle, toe or None) of the left and the right foot."""
    roles = skeleton.roles
    if roles.left_ankle is None or roles.right_ankle is None:
        raise SkeletonError(
            "this skeleton has no two feet footfall can find, so contacts and foot quality cannot be told; name them: "
            "skeleton.with_roles(left_ankle=…, right_ankle=…)"
        )
    return [(roles.left_ankle, roles.left_toe), (roles.right_ankle, roles.right_toe)]


def _foot(skeleton: Skeleton, at: dict[int, tuple[np.ndarray, np.ndarray]], ankle: int, toe: int | None) -> _Foot:
    def ends(joint: int) -> list[np.ndarray]:
        place, turn = at[joint]
        offsets = skeleton.end_offsets[skeleton.end_parents == joint]
        return [place + rotation.rotate(turn, offset) for offset in offsets]

    place, turn = at[ankle]
    if toe is None:
        return _Foot(place, turn, None, turn, ends(ankle), [])
    return _Foot(place, turn, *at[toe], ends(ankle), ends(toe))


def _sole(foot: _Foot, ahead: np.ndarray, fps: float, leg: float) -> np.ndarray:
    """(T, 3, 3) heel, ball and tip of one sole."""
    if not len(foot.ankle):
        return np.zeros((0, 3, 3))
    flat = _flat_frames(foot.ankle, fps, leg)
    long_ends = [e for e in foot.ankle_ends if np.linalg.norm(e[0] - foot.ankle[0]) > STUB * leg]
    forward = _forward(foot, long_ends, ahead, flat, leg)  # (F, 3)

    def along(path: np.ndarray) -> float:  # how far ahead of the ankle, while flat
        return float(np.median(((path - foot.ankle)[flat] * forward).sum(axis=-1)))

    def carried(turn: np.ndarray, base: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """(T, 3) a point that lies at base + offset (F, 3) while flat, and turns with a joint."""
        local = np.median(rotation.rotate(rotation.conjugate(turn[flat]), offset), axis=0)
        return base + rotation.rotate(turn, local)

    ball = foot.toe
    if ball is None:
        ball = max((e for e in long_ends if along(e) > 0.05 * leg), key=along, default=None)
    if ball is None:
        ball = carried(foot.ankle_rot, foot.ankle, BALL_AHEAD * leg * forward - ANKLE_UP[0] * leg * rotation.UP)
    over_ball = float(np.median((foot.ankle - ball)[flat, 1]))
    drop = np.clip(over_ball + BALL_UP * leg, ANKLE_UP[0] * leg, ANKLE_UP[1] * leg)
    heels = [e for e in long_ends if along(e) < 0.3 * along(ball) and np.median((ball - e)[flat, 1]) > -0.03 * leg]
    heel = heels[0] if heels else None
    if heel is None:
        heel = carried(foot.ankle_rot, foot.ankle, -HEEL_BACK * leg * forward - drop * rotation.UP)
    # toes bend, but captured toe joints turn little and noisily: take the middle of bent and stiff toes
    stiff = carried(foot.ankle_rot, ball, TOE_LENGTH * leg * forward)
    tips = [e for e in foot.toe_ends if np.linalg.norm(e[0] - ball[0]) > STUB * leg]
    bent = tips[0] if tips else carried(foot.toe_rot, ball, 0.8 * TOE_LENGTH * leg * forward)
    return np.stack([heel, ball, 0.5 * (stiff + bent)], axis=1)


def _flat_frames(ankle: np.ndarray, fps: float, leg: float) -> np.ndarray:
    """Frames in which the foot stands flat: those of its rests in which the ankle is low."""
    rests = _rests(ankle, fps)
    height = ankle[rests, 1]
    low = height <= np.quantile(height, 0.1) + RAISED * leg
    return np.asarray(rests[low]) if low.sum() >= FEW else rests  # of a few frames, one is no better than another


def _rests(ankle: np.ndarray, fps: float) -> np.ndarray:
    """Frames in which the ankle is slowest."""
    count = max(min(FEW, len(ankle)), int(STILL * len(ankle)))
    if count == len(ankle):
        return np.arange(count)
    reach = max(1, round(0.03 * fps))  # noise is no speed: compare places some hundredths of a second apart
    before, after = np.arange(len(ankle)) - reach, np.arange(len(ankle)) + reach
    far = ankle[np.minimum(after, len(ankle) - 1)] - ankle[np.maximum(before, 0)]
    speed = (far * far).sum(axis=-1)
    return np.argpartition(speed, count)[:count]


def _forward(foot: _Foot, ends: list[np.ndarray], ahead: np.ndarray, flat: np.ndarray, leg: float) -> np.ndarray:
    """(F, 3) level unit vectors along the foot while it is flat; along the body where the foot does not say."""
    level = np.array([1.0, 0.0, 1.0])
    points = [foot.toe] if foot.toe is not None else ends
    options = [((p - foot.ankle)[flat] * level) for p in points]
    options = [v for v in options if np.median(np.linalg.norm(v, axis=-1)) > 0.05 * leg]
    body = ahead[flat] * level
    if foot.toe is None:  # an end site may be a heel: only what points ahead shows the way
        options = [v for v in options if np.median((v * body).sum(axis=-1)) > 0]
    best = max(options, key=lambda v: float(np.median(np.linalg.norm(v, axis=-1))), default=body)
    return best / np.maximum(np.linalg.norm(best, axis=-1, keepdims=True), 1e-9)


def carried_soles(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Joints (2, 3) that carry heel, ball and tip of both feet, and where these lie in their frames (2, 3, 3)."""
    joints = [(ankle, ankle, ankle if toe is None else toe) for ankle, toe in _feet(clip.skeleton)]
    places, turns = world_transforms_of(clip.skeleton, clip.pose, [joint for foot in joints for joint in foot])
    shape = (clip.frames, 2, 3)
    away = foot_points(clip).sole - places.reshape(*shape, 3)
    local = rotation.rotate(rotation.conjugate(turns.reshape(*shape, 4)), away)
    return np.array(joints, np.int64), np.median(local, axis=0)


LOW = 0.10  # of the leg: above a point's lowest 5 % by less than this it may be standing
SLOWEST = 0.3  # share of the low moments, the slowest, that are taken for standing
ENOUGH = 2500  # frames that tell a height as well as ten times as many


def stance_height(path: np.ndarray, fps: float, leg: float) -> float:
    """Median height of a point (T, 3) while it stands; NaN-free, 0 for no frames."""
    return float(np.median(standing_heights(path, fps, leg))) if len(path) else 0.0


def standing_heights(path: np.ndarray, fps: float, leg: float) -> np.ndarray:
    """Heights (N,) of a point (T, 3) while it is low and at its slowest; of long takes every few frames are judged."""
    if len(path) < 3:
        return path[:, 1]
    every = max(1, len(path) // ENOUGH)
    here = np.arange(0, len(path), every)
    step = path[np.minimum(here + 1, len(path) - 1)] - path[np.maximum(here - 1, 0)]
    speed = np.sqrt((step * step).sum(axis=-1)) * (0.5 * fps)
    speed[[0, -1]] *= np.where((here[[0, -1]] == 0) | (here[[0, -1]] == len(path) - 1), 2.0, 1.0)  # one-sided there
    height = path[here, 1]
    low = height <= np.quantile(height, 0.05) + LOW * leg
    return height[low & (speed <= np.quantile(speed[low], SLOWEST))]
