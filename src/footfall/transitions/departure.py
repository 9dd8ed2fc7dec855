"""Departure: what a transition starts from, a clip at a time or any pose with velocities (a ragdoll, a user's pose)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.sample import need_frames

COAST_S = 0.2  # time constant with which the velocities of a bare state, or past a clip's end, die away
COAST_RAD, SLACK = 0.4, 0.25  # a joint that would turn farther is slowed, and stops this share beyond
MOST_RAD_S = 40.0  # no joint of a body turns faster; glitches and thrown ragdolls do


class State(NamedTuple):
    """A pose and its velocities; leading batch axes allowed, one figure is ()."""

    pose: Pose
    velocity: np.ndarray  # (..., 3) m/s, of the root in the world
    spin: np.ndarray  # (..., J, 3) rad/s, in each joint's own frame: rot(t) = rot(0) exp(spin t)


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


def state_of(clip: Clip, t_s: np.ndarray | float) -> State:
    """Pose and velocities of a clip at times (...), by differences over one frame (one-sided at the ends)."""
    t_s = np.asarray(t_s, float)
    half = 0.5 / clip.fps
    before, after = t_s - half, t_s + half
    if not clip.is_loop:
        before, after = np.clip(before, 0.0, clip.duration), np.clip(after, 0.0, clip.duration)
    span = np.maximum(after - before, 1e-9)
    a, b = clip.sample(before), clip.sample(after)
    velocity = (b.root_pos - a.root_pos) / span[..., None]
    spin = rotation.log(rotation.multiply(rotation.conjugate(a.rot), b.rot)) / span[..., None, None]
    return State(clip.sample(t_s), velocity, spin)


def coast(state: State, t_s: np.ndarray, most_rad: np.ndarray | None = None) -> Pose:
    """Poses (K,) of one state left to itself for times t_s (K,): its velocities die away exponentially.

    most_rad (J,): about how far each joint may turn meanwhile, so that no knee is carried past straight by its swing.
    """
    reach = COAST_S * (1.0 - np.exp(-np.maximum(t_s, 0.0) / COAST_S))  # (K,) integral of exp(-t / COAST_S)
    turn = reach[:, None, None] * most_spin(state.spin)
    far = np.maximum(np.linalg.norm(turn, axis=-1, keepdims=True), 1e-9)
    most = (np.full(len(state.pose.rot), COAST_RAD) if most_rad is None else np.maximum(most_rad, 1e-6))[:, None]
    more = np.maximum(far - most, 0.0)
    turn = turn * (np.minimum(far, most) + SLACK * most * np.tanh(more / (SLACK * most))) / far
    rot = rotation.multiply(state.pose.rot, rotation.exp(turn))
    root_pos = state.pose.root_pos + reach[:, None] * state.velocity * np.array([1.0, 0.0, 1.0])
    pos = None if state.pose.pos is None else np.broadcast_to(state.pose.pos, (len(reach), *state.pose.pos.shape))
    return Pose(root_pos, rot, pos)


def most_spin(spin: np.ndarray) -> np.ndarray:
    """The same spins (..., 3), none faster than a body's joints turn."""
    speed = np.linalg.norm(spin, axis=-1, keepdims=True)
    return spin * np.minimum(1.0, MOST_RAD_S / np.maximum(speed, 1e-9))
