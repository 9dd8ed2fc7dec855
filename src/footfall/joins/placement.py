"""Placement: where on the floor a target must lie so that a transition of a given length arrives at it (Egbert 2005).

The root is given the constant acceleration that takes it from the departure's velocity to the target's:
p1 = p0 + v0 t + a t²/2 with a = (v1 - v0) / t, and the heading the same way from its rate of turn. The target's
velocity is turned with its new heading.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import State, state_of
from footfall.edit.sample import ON_FRAME
from footfall.joins.departure import Departure
from footfall.kinematics.floor_align import FloorTransform, between_roots
from footfall.kinematics.root import floor_root

STEP_S = 1e-3  # seconds: velocities of the floor root are differences over this, as good as those of the instant
MOST_KEPT = 20_000  # frames: states of longer clips are worked out when asked for


class FloorState(NamedTuple):
    """The floor root of one state: where, which way, how fast. Leading batch axes of the state are kept."""

    position: np.ndarray  # (..., 3) metres, y = 0
    heading: np.ndarray  # (...) radians
    velocity: np.ndarray  # (..., 3) m/s on the floor
    turn_rate: np.ndarray  # (...) rad/s


def place(departure: Departure, target: Clip, enter_s: float, length_s: float) -> FloorTransform:
    """What carries the target to where a transition of length_s should arrive at its time enter_s."""
    return between(leaving_floor(departure), state_at(target, enter_s)[1], length_s)


def leaving_floor(departure: Departure) -> FloorState:
    """The floor state at a departure."""
    state, clip = departure.state, departure.clip
    if clip is not None:
        known, floor = state_at(clip, departure.at_s)
        if np.array_equal(state.pose.root_pos, known.pose.root_pos) and np.array_equal(state.pose.rot, known.pose.rot):
            return floor
    return floor_state(departure.skeleton, state)


def state_at(clip: Clip, t_s: float) -> tuple[State, FloorState]:
    """State and floor state of a clip at a time; those of its frames are worked out once, for live use."""
    frame = round(t_s * clip.fps)
    if abs(t_s * clip.fps - frame) > ON_FRAME or not 0 <= frame < clip.frames <= MOST_KEPT:
        return _states(clip, np.asarray(t_s, float))
    state, floor = _frame_states(clip)
    velocities = state.velocity[frame], state.spin[frame]
    return State(state.pose.at(frame), *velocities), FloorState(*(part[frame] for part in floor))


@once
def _frame_states(clip: Clip) -> tuple[State, FloorState]:
    return _states(clip, clip.times)


def _states(clip: Clip, t_s: np.ndarray) -> tuple[State, FloorState]:
    state = state_of(clip, t_s)
    floor = floor_state(clip.skeleton, state)
    if state.pose.pos is not None:  # joints that travel in their parents: their speed is in no State, only in the clip
        floor = floor._replace(velocity=_travel(clip, t_s))
    return state, floor


def _travel(clip: Clip, t_s: np.ndarray) -> np.ndarray:
    """(..., 3) velocity of the floor root, by differences over one frame (one-sided at the ends)."""
    before, after = t_s - 0.5 / clip.fps, t_s + 0.5 / clip.fps
    if not clip.is_loop:
        before, after = np.clip(before, 0.0, clip.duration), np.clip(after, 0.0, clip.duration)
    a, b = (floor_root(clip.skeleton, clip.sample(t))[0] for t in (before, after))
    return (b - a) / np.maximum(after - before, 1e-9)[..., None]


def between(here: FloorState, there: FloorState, length_s: np.ndarray | float) -> FloorTransform:
    """What carries the state `there` to where the state `here` gets in length_s seconds (batch axes broadcast)."""
    length_s = np.asarray(length_s, float)
    heading = here.heading + 0.5 * (here.turn_rate + there.turn_rate) * length_s
    velocity = rotation.rotate(rotation.yaw(heading - there.heading), there.velocity)
    position = here.position + 0.5 * (here.velocity + velocity) * length_s[..., None]
    return between_roots(there.position, there.heading, position, heading)


def floor_state(skeleton: Skeleton, state: State) -> FloorState:
    """Floor position and heading of a state and the rates of both."""
    steps = np.array([-0.5, 0.0, 0.5]).reshape(3, *(1,) * len(state.pose.batch)) * STEP_S  # (3, ...)
    spun = rotation.multiply(state.pose.rot, rotation.exp(steps[..., None, None] * state.spin))
    moved = state.pose.root_pos + steps[..., None] * state.velocity
    pos = None if state.pose.pos is None else np.broadcast_to(state.pose.pos, (3, *state.pose.pos.shape))
    position, heading = floor_root(skeleton, Pose(moved, spun, pos))
    turned = (heading[2] - heading[0] + np.pi) % (2.0 * np.pi) - np.pi  # the step may cross ±π
    return FloorState(position[1], heading[1], (position[2] - position[0]) / STEP_S, turned / STEP_S)
