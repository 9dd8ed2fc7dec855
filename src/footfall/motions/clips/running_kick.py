"""A run that ends in a kick with the right foot, and stands: approach speed in m/s, height of the kick in metres."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.motions import locomotion as loco
from footfall.motions.body import ANKLE_HEIGHT, LEG
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.motions.rig import hip_positions

REACH = 0.93  # of the leg: the kicking leg stays a little bent


def make(speed: float = 2.6, height: float = 0.85) -> Clip:
    def kick(feet: loco.Feet, pelvis: np.ndarray, turn: np.ndarray) -> tuple[loco.Feet, np.ndarray]:
        left, right = feet
        share = _last_swing(right.ankle)
        hump = 64.0 * (share * (1.0 - share)) ** 3
        forward = rotation.rotate(turn, np.array([0.0, 0.0, 1.0])) * np.array([1.0, 0.0, 1.0])
        target = right.ankle + hump[:, None] * (1.1 * forward + (height - 0.15) * rotation.UP)
        hip = hip_positions(pelvis, turn)[1]
        away = target - hip
        length = np.linalg.norm(away, axis=1, keepdims=True)
        limit = REACH * LEG
        # only what the kick adds is limited: before and after it the leg may be as long as it was
        held = hip + away * np.minimum(1.0, limit / length)
        ankle = np.where(
            hump[:, None] > 0, target + (held - target) * np.minimum(1.0, 4.0 * hump)[:, None], right.ankle
        )
        return (left, right._replace(ankle=ankle, pitch=right.pitch + 0.2 * hump)), pelvis

    clip = gait_change(SteadyGait("run", speed), SteadyGait("stand"), name="running_kick", alter=kick)
    foot = clip.positions[:, clip.skeleton.names.index("RightFoot"), 1]
    apex = int(foot.argmax()) / clip.fps
    return replace(clip, events=(*clip.events, Event("apex", apex, apex)))


def _last_swing(ankle: np.ndarray) -> np.ndarray:
    """(T,) 0 to 1 through the foot's last time in the air, 0 elsewhere."""
    air = np.flatnonzero(np.linalg.norm(np.diff(ankle[:, [0, 2]], axis=0, prepend=ankle[:1, [0, 2]]), axis=1) > 5e-3)
    share = np.zeros(len(ankle))
    end = air[-1]
    start = end
    while start > 0 and ankle[start - 1, 1] > ANKLE_HEIGHT + 0.005:
        start -= 1
    share[start : end + 1] = np.linspace(0.0, 1.0, end + 1 - start)
    return share
