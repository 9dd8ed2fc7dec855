"""Departure: what a transition starts from, a clip at a time or any pose with velocities (a ragdoll, a user's pose)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import State, coast, most_spin, state_of
from footfall.edit.sample import need_frames
from footfall.feet.foot_paths import FootPaths, foot_paths, state_paths


@dataclass(frozen=True, eq=False)
class Departure:
    """Where a transition begins: time 0 of it is this state."""

    skeleton: Skeleton
    fps: float  # frame rate of what is made
    state: State
    clip: Clip | None = None  # the motion that is left, where there is one
    at_s: float = 0.0  # time of the clip that is left

    def ahead(self, t_s: np.ndarray) -> Pose:
        """Where the motion would have gone: poses t_s (K,) seconds after the departure.

        A clip's own future; past its end, and for a bare state, the velocities die away.
        """
        t_s = np.asarray(t_s, float)
        if self.clip is None:
            return coast(self.state, t_s)
        times = self.at_s + t_s
        if self.clip.is_loop or times.max(initial=0.0) <= self.clip.duration:
            return self.clip.sample(times)
        inside = times <= self.clip.duration
        pose = self.clip.sample(times)
        rest = coast(state_of(self.clip, self.clip.duration), times[~inside] - self.clip.duration)
        root_pos, rot = np.array(pose.root_pos), np.array(pose.rot)
        root_pos[~inside], rot[~inside] = rest.root_pos, rest.rot
        return pose._replace(root_pos=root_pos, rot=rot)


def leaving(clip: Clip, at_s: float | None = None, fps: float | None = None) -> Departure:
    """The departure from a clip at a time (its end by default); fps of the result, the clip's own by default."""
    need_frames(clip, what="left")
    at_s = clip.duration if at_s is None else float(at_s)
    if not (0.0 <= at_s <= clip.duration + 1e-6 or (clip.is_loop and np.isfinite(at_s))):
        raise ParameterError(
            f"cannot leave {clip.name or 'this clip'} at {at_s:g} s; give a time from 0 to {clip.duration:g} s"
        )
    return Departure(clip.skeleton, fps or clip.fps, state_of(clip, at_s), clip, at_s)


def from_state(skeleton: Skeleton, state: State, fps: float = 60.0) -> Departure:
    """The departure from any pose with velocities; no joint is believed to spin faster than a body's can."""
    if state.pose.root_pos.shape != (3,) or state.pose.rot.shape != (len(skeleton), 4):
        raise ParameterError(
            f"a state of this skeleton has a root position (3,) and rotations ({len(skeleton)}, 4), got "
            f"{state.pose.root_pos.shape} and {state.pose.rot.shape}"
        )
    numbers = (state.pose.root_pos, state.pose.rot, state.velocity, state.spin)
    if not all(np.isfinite(x).all() for x in numbers):
        raise ParameterError("a state holds a number that is not finite; give a whole pose and whole velocities")
    pose = state.pose._replace(rot=rotation.normalize(state.pose.rot))
    return Departure(skeleton, fps, state._replace(pose=pose, spin=most_spin(state.spin)))


def departing_paths(departure: Departure, length_s: float = 0.0) -> FootPaths:
    """Foot paths of the motion that is left; of a bare state, as it coasts."""
    if departure.clip is not None:
        return foot_paths(departure.clip, departure.fps, length_s)
    return state_paths(departure.skeleton, departure.state, departure.fps, length_s)
