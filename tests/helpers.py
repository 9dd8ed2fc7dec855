"""Synthetic bodies and motions whose contacts, speeds and slides are known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton

THIGH, SHIN, ANKLE_HEIGHT, TOE_HEIGHT = 0.42, 0.44, 0.08, 0.02  # metres: legs of 0.86 m, hip to ankle
HIP_HALF_WIDTH, FOOT_LENGTH = 0.09, 0.14
BOB, SURGE = 0.015, 0.01  # metres the pelvis of walking_clip moves up and down, and ahead of its mean and back
DUTY = 0.62  # share of a cycle each foot of walking_clip stands

JOINTS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (  # name, parent, offset
    ("Hips", "", (0.0, 0.94, 0.0)),
    ("Spine", "Hips", (0.0, 0.10, 0.0)),
    ("Spine1", "Spine", (0.0, 0.12, 0.0)),
    ("Spine2", "Spine1", (0.0, 0.12, 0.0)),
    ("Neck", "Spine2", (0.0, 0.16, 0.0)),
    ("Head", "Neck", (0.0, 0.09, 0.01)),
    ("LeftShoulder", "Spine2", (0.05, 0.12, 0.0)),
    ("LeftArm", "LeftShoulder", (0.12, 0.0, 0.0)),
    ("LeftForeArm", "LeftArm", (0.28, 0.0, 0.0)),
    ("LeftHand", "LeftForeArm", (0.25, 0.0, 0.0)),
    ("RightShoulder", "Spine2", (-0.05, 0.12, 0.0)),
    ("RightArm", "RightShoulder", (-0.12, 0.0, 0.0)),
    ("RightForeArm", "RightArm", (-0.28, 0.0, 0.0)),
    ("RightHand", "RightForeArm", (-0.25, 0.0, 0.0)),
    ("LeftUpLeg", "Hips", (HIP_HALF_WIDTH, 0.0, 0.0)),
    ("LeftLeg", "LeftUpLeg", (0.0, -THIGH, 0.0)),
    ("LeftFoot", "LeftLeg", (0.0, -SHIN, 0.0)),
    ("LeftToeBase", "LeftFoot", (0.0, TOE_HEIGHT - ANKLE_HEIGHT, FOOT_LENGTH)),
    ("RightUpLeg", "Hips", (-HIP_HALF_WIDTH, 0.0, 0.0)),
    ("RightLeg", "RightUpLeg", (0.0, -THIGH, 0.0)),
    ("RightFoot", "RightLeg", (0.0, -SHIN, 0.0)),
    ("RightToeBase", "RightFoot", (0.0, TOE_HEIGHT - ANKLE_HEIGHT, FOOT_LENGTH)),
)
ENDS = {
    "Head": (0.0, 0.18, 0.0),
    "LeftHand": (0.18, 0.0, 0.0),
    "RightHand": (-0.18, 0.0, 0.0),
    "LeftToeBase": (0.0, 0.0, 0.07),
    "RightToeBase": (0.0, 0.0, 0.07),
}
ROLES = {
    "pelvis": "Hips",
    **{
        f"{side}_{role}": f"{side.title()}{joint}"
        for side in ("left", "right")
        for role, joint in (("hip", "UpLeg"), ("knee", "Leg"), ("ankle", "Foot"), ("toe", "ToeBase"))
    },
}


@cache
def humanoid(scale: float = 1.0) -> Skeleton:
    """A body of 22 joints with Mixamo-like names in a T-pose, facing +Z, 1.76 m tall at scale 1."""
    names = [name for name, _, _ in JOINTS]
    return Skeleton(
        tuple(names),
        np.array([names.index(parent) if parent else -1 for _, parent, _ in JOINTS]),
        np.array([offset for _, _, offset in JOINTS]) * scale,
        end_parents=np.array([names.index(name) for name in ENDS]),
        end_offsets=np.array(list(ENDS.values())) * scale,
        role_overrides=ROLES,
    )


def still_clip(frames: int = 60, fps: float = 60.0, skeleton: Skeleton | None = None) -> Clip:
    """The rest pose, held."""
    skeleton = skeleton or humanoid()
    root = np.tile(skeleton.offsets[0], (frames, 1))
    return Clip(skeleton, fps, Pose(root, np.tile(skeleton.rest, (frames, 1, 1))), name="still")


def random_clip(rng: np.random.Generator, frames: int, fps: float = 30.0, step: float = 0.2) -> Clip:
    """Every joint wanders: no symmetry and no structure, for laws that must hold for any motion."""
    skeleton = humanoid()
    start = rotation.exp(rng.normal(scale=0.5, size=(1, len(skeleton), 3)))
    rot = np.empty((frames, len(skeleton), 4))
    for i in range(frames):
        turn = rotation.exp(rng.normal(scale=step, size=(len(skeleton), 3)))
        rot[i] = rotation.normalize(rotation.multiply(turn, rot[i - 1] if i else start[0]))
    root = skeleton.offsets[0] + np.cumsum(rng.normal(scale=0.02, size=(frames, 3)), axis=0)
    return Clip(skeleton, fps, Pose(root, rotation.continuous_signs(rot)), name="random")


class Footprints(NamedTuple):
    """What is true of a walking_clip: when each foot stands flat."""

    left: np.ndarray  # (T,) bool
    right: np.ndarray


def walking_clip(
    speed: float = 1.3,
    cycles: float = 2.0,
    cycle_s: float = 1.1,
    fps: float = 60.0,
    heading: float = 0.0,
    slide: float = 0.0,
    scale: float = 1.0,
    duty: float = DUTY,
) -> Clip:
    """A flat-footed walk along its heading: feet planted exactly, or sliding at `slide` m/s while they stand.

    Whole numbers of cycles give a perfect loop (up to the floor transform). The body is `scale`
    times humanoid(), and so are its speed and slide.
    """
    skeleton = humanoid(scale)
    frames = round(cycles * cycle_s * fps) + 1
    t = np.arange(frames) / fps
    phase = t / cycle_s
    half_stance = 0.5 * duty * speed * cycle_s + 0.5 * abs(slide) * cycle_s + SURGE
    highest = np.sqrt(max((0.98 * (THIGH + SHIN)) ** 2 - half_stance**2, 0.0)) + ANKLE_HEIGHT
    root = np.stack(
        [
            np.zeros(frames),
            highest - BOB + BOB * np.cos(4 * np.pi * phase),
            speed * t + SURGE * np.sin(4 * np.pi * phase),
        ],
        axis=-1,
    )
    rot = np.tile(skeleton.rest, (frames, 1, 1))
    for side, shift in (("Left", 0.0), ("Right", 0.5)):
        ankle = _ankle_path(phase + shift, speed * cycle_s, duty, slide * cycle_s)
        ankle[:, 2] -= speed * cycle_s * shift
        _pose_leg(skeleton, rot, side, root, ankle)
        swing = 0.3 * np.sin(2 * np.pi * (phase + shift))
        down = rotation.axis_angle(rotation.AXES["Z"], -1.3 if side == "Left" else 1.3)
        arm = rotation.multiply(rotation.axis_angle(rotation.AXES["X"], swing), down)
        rot[:, skeleton.index(f"{side}Arm")] = arm
    root *= scale
    turn = rotation.yaw(heading)
    rot[:, 0] = rotation.multiply(turn, rot[:, 0])
    pose = Pose(rotation.rotate(turn, root), rotation.continuous_signs(rot))
    return Clip(skeleton, fps, pose, name="walk")


def footprints(clip: Clip, cycle_s: float = 1.1, duty: float = DUTY) -> Footprints:
    """Frames of a walking_clip in which each foot stands."""
    phase = clip.times / cycle_s
    return Footprints((phase % 1.0) <= duty, ((phase + 0.5) % 1.0) <= duty)


def _ankle_path(phase: np.ndarray, stride: float, duty: float, slide: float) -> np.ndarray:
    """(T, 3) ankle of one foot: strides at whole phases, standing for `duty`, then swung forward."""
    cycle, u = np.floor(phase), phase % 1.0
    swing = np.clip((u - duty) / (1.0 - duty), 0.0, 1.0)
    ease = swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2)
    stand = np.minimum(u, duty) * slide * (1.0 - ease)
    lift = 0.12 * (16.0 * swing**2 * (1.0 - swing) ** 2)
    ahead = 0.5 * duty * stride  # the body passes over a planted foot in the middle of its stance
    return np.stack([np.zeros_like(u), ANKLE_HEIGHT + lift, ahead + (cycle + ease) * stride + stand], axis=-1)


def _pose_leg(skeleton: Skeleton, rot: np.ndarray, side: str, root: np.ndarray, ankle: np.ndarray) -> None:
    """Hip, knee and a level foot in the leg's vertical plane, by the law of cosines."""
    down, ahead = root[:, 1] - ankle[:, 1], ankle[:, 2] - root[:, 2]
    reach = np.hypot(down, ahead)
    if (reach > 0.999 * (THIGH + SHIN)).any():
        raise ValueError("the stride is too long for the legs; walk slower or step faster")
    line = np.arctan2(ahead, down)  # forward lean of the line hip-ankle
    at_hip = np.arccos((THIGH**2 + reach**2 - SHIN**2) / (2.0 * THIGH * reach))
    at_knee = np.pi - np.arccos((THIGH**2 + SHIN**2 - reach**2) / (2.0 * THIGH * SHIN))
    hip, knee = -(line + at_hip), at_knee  # a turn about +X swings a hanging leg backward
    for joint, angle in (("UpLeg", hip), ("Leg", knee), ("Foot", -(hip + knee))):
        rot[:, skeleton.index(f"{side}{joint}")] = rotation.axis_angle(rotation.AXES["X"], angle)


def feet(clip: Clip, names: Sequence[str] = ("LeftToeBase", "RightToeBase")) -> np.ndarray:
    """(T, len(names), 3) positions of joints by name."""
    return clip.positions[:, clip.skeleton.indices(names)]


def run_cli(*args: object) -> int:
    """Exit code of a footfall command, run in this process."""
    from footfall.cli import main

    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in args])
    return int(stop.value.code or 0)
