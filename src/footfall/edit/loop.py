"""Looping: the end of a clip eased onto its start, so that it repeats without a seam.

What start and end differ by, once turn and travel are taken off, is split: half is added at each end and decays into
the clip along a quintic that also carries half of the difference in velocity (offsets added at both ends, after
D. Holden, "Creating Looping Animations from Motion Capture", 2022; the decay is the quintic of Bollo's
inertialization, GDC 2018). Beyond the eased ends the clip is not touched, and a clip that repeats already is returned
as it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.sample import cycle, need_frames
from footfall.edit.smooth import close_loop
from footfall.kinematics.fk import world_transforms
from footfall.kinematics.floor_align import between_roots

EASE_S = 0.5  # seconds at either end that are bent: by eye
NATURAL = 1.5  # a step of velocity at the seam up to this many times what is usual in the clip is left alone: by eye


def loop(clip: Clip, ease_s: float = EASE_S) -> Clip:
    """The clip with its first and last ease_s seconds (at most half of it each) bent to meet; marked as a loop."""
    need_frames(clip, at_least=4, what="looped")
    if not (np.isfinite(ease_s) and ease_s > 0):
        raise ParameterError(f"the time to ease over must be a positive number of seconds, not {ease_s}")
    if clip.is_loop:
        return clip
    clip = travel_on_first_joint(clip)
    once, turn = cycle(clip), rotation.yaw(cycle(clip).turn)
    # the last frames as seen from the start: start and end are compared there
    pose, back = clip.pose, once.inverse().pose(clip.pose.at(slice(-3, None)))
    ease = LoopEase.of(clip, min(ease_s, 0.5 * clip.duration))
    eased = Pose(
        _ease_positions(ease, pose.root_pos, back.root_pos, turn),
        _ease_rotations(ease, pose.rot, back.rot, turn),
        None if pose.pos is None or back.pos is None else _ease_positions(ease, pose.pos, back.pos, None),
    )
    return clip.with_pose(close_loop(eased, once.pose(eased.at(0))), is_loop=True)


class LoopEase(NamedTuple):
    """How a correction at either end decays into the clip: quintics of unit value, and of unit slope, there."""

    fps: float
    start_value: np.ndarray  # (T,)
    start_slope: np.ndarray
    end_value: np.ndarray
    end_slope: np.ndarray

    @classmethod
    def of(cls, clip: Clip, over_s: float) -> LoopEase:
        return cls(clip.fps, *_decay(clip.times, over_s), *_decay(clip.duration - clip.times, over_s))

    def corrections(self, gap: np.ndarray, kink: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Offsets (T, …) near the start and near the end that close a gap and a step of velocity, start - end.

        gap and kink (…): in value, and in value per frame. Each end takes half; at the end time runs the other way.
        """
        start_value, start_slope, end_value, end_slope = (x.reshape(-1, *([1] * gap.ndim)) for x in self[1:])
        value, slope = 0.5 * gap, 0.5 * kink * self.fps
        return -(start_value * value + start_slope * slope), end_value * value - end_slope * slope


def _ease_rotations(ease: LoopEase, rot: np.ndarray, back: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Rotations (T, J, 4) corrected in their parents' frames; joint 0, in the world, is turned with the end."""
    gap = rotation.log(rotation.multiply(rot[0], rotation.conjugate(back[-1])))
    at_start, at_end = ease.corrections(gap, kink(turn_steps(rot), turn_steps(back)))
    at_end[:, 0] = rotation.rotate(turn, at_end[:, 0])
    return rotation.normalize(rotation.multiply(rotation.exp(at_start + at_end), rot))


def _ease_positions(ease: LoopEase, x: np.ndarray, back: np.ndarray, turn: np.ndarray | None) -> np.ndarray:
    """Positions (T, …, 3) corrected; turn is that of the end where they are in the world, None in parents' frames."""
    at_start, at_end = ease.corrections(x[0] - back[-1], kink(np.diff(x, axis=0), np.diff(back, axis=0)))
    return x + at_start + (at_end if turn is None else rotation.rotate(turn, at_end))


def travel_on_first_joint(clip: Clip) -> Clip:
    """The same motion with its travel carried by joint 0, where it was carried by a pelvis further down.

    Some captures keep joint 0 at the origin and move the hips inside it; repeating them needs a body that moves as one.
    """
    pelvis = clip.skeleton.roles.pelvis
    if pelvis == 0:
        return clip
    root = clip.root_motion
    carry = between_roots(root.position[0], root.heading[0], root.position, root.heading)
    first = carry.pose(clip.pose.at(np.zeros(clip.frames, int)))
    apart = np.linalg.norm(first.root_pos[-1] - clip.pose.root_pos[-1])
    if apart < 0.02 and rotation.angle_between(first.rot[-1, 0], clip.pose.rot[-1, 0]) < 0.05:
        return clip  # joint 0 came along by itself; easing closes what is left
    return with_first_joint(clip, first.root_pos, first.rot[:, 0])


def first_joint_under_body(clip: Clip) -> Clip:
    """The same motion with joint 0 under the pelvis and turning with the body, in every clip alike.

    Where the pelvis hangs below another joint, captures differ in where they leave that; mixed, bodies fly apart.
    """
    pelvis = clip.skeleton.roles.pelvis
    if pelvis == 0 or not clip.frames:
        return clip
    rest, root = clip.skeleton.rest_world[1][0], clip.root_motion
    return with_first_joint(clip, root.position, rotation.multiply(rotation.yaw(root.heading), rest))


def with_first_joint(clip: Clip, places: np.ndarray, new_root: np.ndarray) -> Clip:
    """The same motion with joint 0 over places (T, 3) on the floor and turned by new_root (T, 4)."""
    positions, rotations = world_transforms(clip.skeleton, clip.pose)
    children = np.flatnonzero(clip.skeleton.parents == 0)
    rot = np.array(clip.pose.rot)
    pos = np.array(np.broadcast_to(clip.skeleton.offsets, positions.shape) if clip.pose.pos is None else clip.pose.pos)
    new_pos = places * [1.0, 0.0, 1.0] + clip.pose.root_pos * [0.0, 1.0, 0.0]
    undo = rotation.conjugate(new_root)[:, None]
    rot[:, 0] = new_root
    rot[:, children] = rotation.multiply(undo, rotations[:, children])
    pos[:, children] = rotation.rotate(undo, positions[:, children] - new_pos[:, None])
    return clip.with_pose(Pose(new_pos, rotation.continuous_signs(rot), pos))


def _decay(t: np.ndarray, over: float) -> tuple[np.ndarray, np.ndarray]:
    """Quintics (T,) of time from an end: one from value 1, one from slope 1; both 0, and smooth, beyond `over`."""
    u = np.clip(t / over, 0.0, 1.0)
    rest = (1.0 - u) ** 3
    return rest * (1.0 + 3.0 * u + 6.0 * u**2), over * u * rest * (1.0 + 3.0 * u)


def turn_steps(rot: np.ndarray) -> np.ndarray:
    """(T-1, …, 3) rotation vectors, in the parent's frame, from each frame to the next."""
    return rotation.log(rotation.multiply(rot[1:], rotation.conjugate(rot[:-1])))


def kink(steps: np.ndarray, back_steps: np.ndarray) -> np.ndarray:
    """(…, 3) step of velocity at the seam, per frame, that the motion itself does not explain.

    steps (T-1, …, 3) from frame to frame, back_steps the last two as seen from the start. A motion that goes on across
    the seam changes its velocity there as it does in the frames beside it, give or take what is usual in the clip.
    """
    beside = 0.5 * ((steps[1] - steps[0]) + (back_steps[-1] - back_steps[-2]))
    extra = (steps[0] - back_steps[-1]) - beside
    size = np.linalg.norm(extra, axis=-1, keepdims=True)
    usual = np.zeros_like(size)
    if len(steps) > 3:
        usual = np.quantile(np.linalg.norm(np.diff(steps, n=3, axis=0), axis=-1, keepdims=True), 0.95, axis=0)
    # eased in from 0 to all between once and twice that, so that no clip sits on an edge
    return extra * np.clip(size / np.maximum(NATURAL * usual, 1e-12) - 1.0, 0.0, 1.0)
