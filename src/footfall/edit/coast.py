"""Coasting: how a pose with velocities continues when left alone: the velocities decay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose

COAST_S = 0.2  # time constant with which the velocities of a bare state, or past a clip's end, die away: by eye
COAST_RAD, SLACK = 0.4, 0.25  # a joint that would turn farther is slowed, and stops this share beyond: by eye
MOST_RAD_S = 40.0  # no joint of a body turns faster; glitches and thrown ragdolls do: by eye


class State(NamedTuple):
    """A pose and its velocities; leading batch axes allowed, one figure is ()."""

    pose: Pose
    velocity: np.ndarray  # (..., 3) m/s, of the root in the world
    spin: np.ndarray  # (..., J, 3) rad/s, in each joint's own frame: rot(t) = rot(0) exp(spin t)


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
