"""Toe bend: toes bend up where they would go into the floor, as a foot rolls off over its ball.

Captured toes turn little and noisily: a foot that rolls off drives their stiff tip centimetres into the floor. Kept out
of it, the whole foot is raised and its ball glides; with toes that bend the ball stays where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import in_spans
from footfall.analysis.foot_points import carried_soles
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.feet import limits
from footfall.feet.gentle import frames_to
from footfall.feet.pelvis_reach import low_pass
from footfall.kinematics.fk import world_transforms_of

STEEPEST = 0.9  # sine of the steepest that toes are
ROUNDS = 3  # of bending toes: bent up, their tip is over other ground
LONG_ENOUGH_M = 0.01  # metres from the ball to the tip: shorter toes have none to bend
Spans = Mapping[str, Sequence[tuple[float, float]]]


def bend_toes(clip: Clip, spans: Spans) -> Clip:
    """The clip with toes that lie on the floor while they are down, as they do where their foot stands flat, and are
    never below it; in the swing they are as captured.

    spans: when heels and toes are down, seconds.
    """
    joints, local = carried_soles(clip)
    last = clip.frames - 1
    frames = np.arange(-last, 2 * last + 1) % last if clip.is_loop and last > 1 else np.arange(clip.frames)
    begin = 0 if len(frames) == clip.frames else last  # a loop three times: what is before its start is its end
    pose, rot = clip.pose.at(frames), np.array(clip.pose.rot)
    reach = max(round(limits.TOES_S * clip.fps), 1)
    for side, name in enumerate(SIDES):
        heel, down = (in_spans(clip.times, spans[f"{name}_{part}"]) for part in ("heel", "toe"))
        toe, tip = int(joints[side, 2]), local[side, 2]
        if not (heel & down).any() or toe == joints[side, 0] or np.linalg.norm(tip) < LONG_ENOUGH_M:
            continue
        toes = _toes(clip.skeleton, clip.pose, toe, tip)
        level = float(np.median((toes.place + toes.along)[heel & down, 1]))
        toes = _toes(clip.skeleton, pose, toe, tip)
        lies = _to_height(toes, np.full(len(frames), level))
        held = ease(1.0 - frames_to(down[frames]) / max(limits.TOES_EASE_S * clip.fps, 1.0))
        bend = np.maximum(low_pass((held * lies)[:, None], reach)[:, 0], np.maximum(lies, 0.0))
        turned = _bent(toes, bend)
        rot[:, toe] = rotation.nearest_sign(turned[begin : begin + clip.frames], rot[:, toe])
    return clip.with_pose(clip.pose._replace(rot=rot))


class _Toes(NamedTuple):
    """Toes of one foot over T frames."""

    place: np.ndarray  # (T, 3) of their joint
    turn: np.ndarray  # (T, 4) its rotation, world
    over: np.ndarray  # (T, 4) that of the foot
    along: np.ndarray  # (T, 3) from the joint to their tip


def _toes(skeleton: Skeleton, pose: Pose, toe: int, tip: np.ndarray) -> _Toes:
    places, turns = world_transforms_of(skeleton, pose, [toe, int(skeleton.parents[toe])])
    return _Toes(places[:, 0], turns[:, 0], turns[:, 1], rotation.rotate(turns[:, 0], tip))


def _to_height(toes: _Toes, height: np.ndarray) -> np.ndarray:
    """(T,) radians by which toes bend up, or down, so that their tip is at a height (T,), as far as they reach."""
    length = np.maximum(np.linalg.norm(toes.along, axis=-1), 1e-6)
    wanted = np.arcsin(np.clip((height - toes.place[:, 1]) / length, -STEEPEST, STEEPEST))
    return np.asarray(wanted - np.arcsin(np.clip(toes.along[:, 1] / length, -1.0, 1.0)))


def _bent(toes: _Toes, bend: np.ndarray) -> np.ndarray:
    """(T, 4) local rotations of toes bent up by angles (T,)."""
    axis = np.cross(toes.along, rotation.UP)
    axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
    return rotation.multiply(
        rotation.conjugate(toes.over), rotation.multiply(rotation.axis_angle(axis, bend), toes.turn)
    )


def toes_over(
    skeleton: Skeleton, pose: Pose, toe: int, tip: np.ndarray, least: Callable[[np.ndarray], np.ndarray]
) -> Pose:
    """Poses (T,) with a toe joint bent up where its tip, which lies at `tip` in its frame, would be too low.

    least: heights (T,) that tips (T, 3) are to have, -inf where any will do.
    """
    toes = _toes(skeleton, pose, toe, tip)
    turned = rotation.multiply(rotation.conjugate(toes.over), toes.turn)
    for _ in range(ROUNDS):
        world = rotation.multiply(toes.over, turned)
        short = least(toes.place + rotation.rotate(world, tip)) - toes.place[:, 1] - toes.along[:, 1]
        soft = limits.TOES_M * np.logaddexp(0.0, short / limits.TOES_M)
        soft = np.where(short < -6.0 * limits.TOES_M, 0.0, soft)
        turned = _bent(toes, np.maximum(_to_height(toes, toes.place[:, 1] + toes.along[:, 1] + soft), 0.0))
    rot = np.array(pose.rot)
    rot[:, toe] = rotation.nearest_sign(turned, rot[:, toe])
    return pose._replace(rot=rot)
