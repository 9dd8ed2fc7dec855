"""Foot paths: where the feet of a clip are, frame by frame and a little beyond its ends, as joins ask for them.

A loop goes round; other clips are led on with dying velocities, feet that stand at an end stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.analysis.contacts import runs
from footfall.analysis.foot_points import BALL_UP, foot_points
from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import COAST_RAD, State, coast, state_of
from footfall.feet.leg_solve import leg_joints, world_legs
from footfall.feet.limits import JOIN_REST_S, JOIN_SOONEST_REST_S, STEP_SINKS_M, STEP_STANDS_LOW_M, STEP_STANDS_SLOW_M_S
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.root import floor_root

BEYOND_S = 1.6  # seconds that the ends are led on: the longest usual transition, and steps after it
SPARE_S = 0.5  # seconds more than a transition lasts, for the steps after it. By eye
KNEE_LEFT = 0.6  # share of its bend that a knee may be led on towards straight. By eye, on pairs
# Limits of feet beyond a clip's ends. Origin "pairs": by eye, on joins of captured and built-in clips.


@dataclass(frozen=True, eq=False)
class FootPaths:
    """Frames from BEYOND_S before a clip's start to BEYOND_S after its end; axis 1 is left, right."""

    skeleton: Skeleton
    fps: float
    lead: int  # frames before the clip's first
    frames: int  # of the clip itself
    pose: Pose  # (T,)
    ankle: np.ndarray  # (T, 2, 3) world
    foot: np.ndarray  # (T, 2, 4) world rotations of the ankle joints
    ball: np.ndarray  # (T, 2, 3) world
    ball_at: np.ndarray  # (2, 3) the ball in the ankle's frame
    down: np.ndarray  # (T, 2) bool
    root: np.ndarray  # (T, 3) floor position
    heading: np.ndarray  # (T,) radians

    def index(self, time_s: float) -> int:
        """The frame nearest to a clip time."""
        return self.lead + round(time_s * self.fps)


def foot_paths(clip: Clip, fps: float, length_s: float = 0.0) -> FootPaths:
    """Paths at a frame rate, led on far enough for a transition of length_s; kept for as long as the clip is."""
    return _of_clip(clip, fps, _beyond(length_s))


def _beyond(length_s: float) -> float:
    return BEYOND_S * max(1.0, float(np.ceil((length_s + SPARE_S) / BEYOND_S)))


@once
def _of_clip(clip: Clip, fps: float, beyond_s: float) -> FootPaths:
    same = clip if abs(clip.fps - fps) < 1e-9 else clip.resample(fps)
    lead = round(beyond_s * fps)
    last = max(same.frames - 1, 0)
    times = np.arange(-lead, last + lead + 1) / fps
    if same.is_loop and last:
        long = same.with_pose(fix_signs(same.sample(times)), is_loop=False, events=())
        down = np.stack([long.contacts.left, long.contacts.right], axis=1)
        return _paths_of(long, lead, same.frames, down)
    first, end = (state_of(same, t) for t in (0.0, same.duration))
    back = State(first.pose, -first.velocity, -first.spin)
    own = np.stack([same.contacts.left, same.contacts.right], axis=1)
    low = np.minimum(BALL_UP * same.skeleton.leg_length, _toe_heights(same.skeleton, same.pose).min(axis=0))
    before, after = (
        _led_on(same.skeleton, state, np.arange(1, lead + 1) / fps, np.where(own[edge].any(), -np.inf, low))
        for state, edge in ((back, 0), (end, -1))
    )
    before = before.at(slice(None, None, -1))
    parts = [before, same.pose, after]
    root_pos, rot = (np.concatenate([getattr(p, key) for p in parts]) for key in ("root_pos", "rot"))
    pos = None if same.pose.pos is None else np.concatenate([p.pos for p in parts if p.pos is not None])
    long = same.with_pose(Pose(root_pos, rotation.continuous_signs(rot), pos), events=())
    down = np.concatenate([np.repeat(own[:1], lead, axis=0), own, np.repeat(own[-1:], lead, axis=0)])
    return _standing_beyond(_paths_of(long, lead, same.frames, down))


def _led_on(skeleton: Skeleton, state: State, t_s: np.ndarray, least: np.ndarray) -> Pose:
    """Poses (K,) of a state that coasts; a clip cut in mid-air does not stop rising or falling all at once, but falls
    no farther than the floor: toes stay over heights `least` (2,), -inf where a foot stands, without a jerk."""
    pose = coast(state, t_s, _most_turns(skeleton, state.pose))
    root_pos, speed, rest = np.array(pose.root_pos), float(state.velocity[1]), JOIN_REST_S
    over = (_toe_heights(skeleton, pose) - least).min(axis=1)  # (K,)
    if speed < 0.0 and np.isfinite(over).all():
        rest = float(np.clip(over.min() / -speed, JOIN_SOONEST_REST_S, JOIN_REST_S))
    moved = rest * -np.expm1(-t_s / rest) * speed
    short = max(0.0, -float((over + moved).min()))  # legs that stretch on reach down by themselves
    root_pos[:, 1] += moved + short * np.expm1(-t_s / JOIN_REST_S) ** 2
    return pose._replace(root_pos=root_pos)


def _toe_heights(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """(K, 2) of toe joints, or of ankles where there are none."""
    joints = leg_joints(skeleton)[:, 2].tolist()
    toes = (skeleton.roles.left_toe, skeleton.roles.right_toe)
    joints = [ankle if toe is None else toe for ankle, toe in zip(joints, toes, strict=True)]
    return world_transforms_of(skeleton, pose, joints)[0][..., 1]


def _most_turns(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """(J,) about how far joints may be led on from a pose: knees not past straight."""
    most = np.full(len(skeleton), COAST_RAD)
    legs = world_legs(skeleton, pose)
    thigh, shin = legs.knee - legs.hip, legs.ankle - legs.knee
    straight = (thigh * shin).sum(axis=-1) / np.maximum(
        np.linalg.norm(thigh, axis=-1) * np.linalg.norm(shin, axis=-1), 1e-9
    )
    most[leg_joints(skeleton)[:, 1]] = np.minimum(COAST_RAD, KNEE_LEFT * np.arccos(np.clip(straight, -1.0, 1.0)))
    return most


def state_paths(skeleton: Skeleton, state: State, fps: float, length_s: float = 0.0) -> FootPaths:
    """Paths of a bare state as it coasts: it is one frame, and its feet stand where they are low and slow."""
    lead = round(_beyond(length_s) * fps)
    pose = coast(state, np.arange(lead + 1) / fps)
    clip = Clip(skeleton, fps, pose, name="departure")
    points = foot_points(clip)
    height = points.sole[0, :, :2, 1].min(axis=-1)
    speed = np.linalg.norm(np.diff(points.toe[:2], axis=0)[0], axis=-1) * fps
    stands = (height <= height.min() + STEP_STANDS_LOW_M) & (speed < STEP_STANDS_SLOW_M_S)
    paths = _paths_of(clip, 0, 1, np.repeat(stands[None], lead + 1, axis=0))
    return _standing_beyond(paths)


def _paths_of(clip: Clip, lead: int, frames: int, down: np.ndarray) -> FootPaths:
    legs, points = world_legs(clip.skeleton, clip.pose), foot_points(clip)
    ball = points.sole[:, :, 1]
    inside = slice(lead, lead + frames)
    local = rotation.rotate(rotation.conjugate(legs.foot[inside]), (ball - legs.ankle)[inside])
    at = np.median(local, axis=0)
    ball = legs.ankle + rotation.rotate(legs.foot, at)
    root, heading = floor_root(clip.skeleton, clip.pose)
    return FootPaths(
        clip.skeleton,
        clip.fps,
        lead,
        frames,
        clip.pose,
        legs.ankle,
        legs.foot,
        ball,
        at,
        down,
        root,
        np.unwrap(heading),
    )


def _standing_beyond(paths: FootPaths) -> FootPaths:
    """Feet that are down at an end of the clip stay there."""
    _stays(paths, paths.lead, -1, paths.lead)
    return standing_after(paths)


def standing_after(paths: FootPaths) -> FootPaths:
    """Feet that are down at the clip's last frame stay there; changed in place."""
    last = paths.lead + paths.frames - 1
    _stays(paths, last, 1, len(paths.down) - 1 - last)
    return paths


def _stays(paths: FootPaths, edge: int, step: int, beyond: int) -> None:
    """Feet that are down at an end of the clip come to rest there from what little speed they have."""
    for foot in (0, 1):
        rest = edge + step * np.arange(1, beyond + 1)
        if not (beyond and paths.down[edge, foot] and paths.down[rest, foot].all()):  # a join may still have it step
            continue
        on = JOIN_REST_S * paths.fps * -np.expm1(-np.arange(1, beyond + 1) / (JOIN_REST_S * paths.fps))  # frames
        inner = edge - step if paths.frames > 1 else edge
        along = np.stack([on, _lowered(paths, foot, edge, inner, on), on], axis=1)  # (K, 3)
        for part in (paths.ankle, paths.ball):
            part[rest, foot] = part[edge, foot] + along * (part[edge, foot] - part[inner, foot])
        rate = rotation.log(rotation.multiply(paths.foot[edge, foot], rotation.conjugate(paths.foot[inner, foot])))
        paths.foot[rest, foot] = rotation.multiply(rotation.exp(on[:, None] * rate), paths.foot[edge, foot])


def _lowered(paths: FootPaths, foot: int, edge: int, inner: int, on: np.ndarray) -> np.ndarray:
    """The frames (K,) that a standing foot still sinks or rises for; fewer where it would sink into the floor, as one
    does that is led back from a clip which begins as it jumps off."""
    height = paths.ball[:, foot, 1]
    inside = slice(paths.lead, paths.lead + paths.frames)
    lowest = min(BALL_UP * paths.skeleton.leg_length, float(height[inside].min())) - STEP_SINKS_M
    speed = float(height[inner] - height[edge]) * paths.fps
    if speed * JOIN_REST_S <= height[edge] - lowest:
        return on
    rest = paths.fps * max(JOIN_SOONEST_REST_S, float(height[edge] - lowest) / speed)
    return np.asarray(rest * -np.expm1(-np.arange(1, len(on) + 1) / rest))


def spans(down: np.ndarray) -> list[tuple[int, int]]:
    """(first, last) frames of each contact of one foot (T,)."""
    return [(a, b - 1) for a, b in runs(down)]
