"""Continues the first motion from its last pose and velocities alone while the target fades in.

Holden 2023, "Dead Blending": every joint goes on with its velocity, which dies away, and that guess is crossfaded with
the target. Where a joint is moving towards the target anyway its velocity is let live longer, where it moves away it
is stopped soon. The whole body keeps its speed over the floor and its turning: it is heavier than a limb.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.coast import most_spin
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import options, settle
from footfall.joins.transition import Transition, TransitionRequest
from footfall.kinematics.pose_blend import between, blend, turns

OPTIONS = {"halflife_s": 0.08}
SHORTEST_S, LONGEST_S = 0.04, 0.5  # seconds: halflife of a velocity that leads away, and with far to go. By eye
LEAST_SPEED = 1e-3  # rad/s or m/s: slower joints stand
FARTHEST, FARTHEST_TURN = 1.5, np.pi  # rad (height: m) that momentum alone takes a joint, and the body. By eye


def transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition:
    """Carry the departure on and fade to the target. Option halflife_s: how soon velocities halve, by default."""
    halflife_s = options(request, "dead-blend", OPTIONS)["halflife_s"]
    if not (isinstance(halflife_s, int | float) and 0.0 < halflife_s < float("inf")):
        raise ParameterError(f"dead-blend: halflife_s is a positive number of seconds, not {halflife_s!r}")
    setting = settle(departure, target, request)
    first = setting.arriving(np.zeros(1)).at(0)
    carried = extrapolate(departure, first, setting.times_s, float(halflife_s))
    weight = ease(setting.progress)
    pose = blend(departure.skeleton, carried, setting.arriving(), weight)
    note = f"the departure carried on by its velocities, the target faded in over {setting.length_s:.2f} s"
    tracks = setting.tracks(departure, weight)
    return Transition("dead-blend", pose, setting.enter_s, setting.placement, tracks, note)


def extrapolate(departure: Departure, goal: Pose, times_s: np.ndarray, halflife_s: float) -> Pose:
    """Poses (K,) of the departure's state left to its velocities; goal is the target's pose at the departure."""
    state = departure.state
    at, spin = state.pose.rot, most_spin(state.spin)
    whole = rotation.rotate(at[0], spin[0])  # the root's spin in the world
    upright = whole * rotation.UP
    spin = np.concatenate([rotation.rotate(rotation.conjugate(at[:1]), (whole - upright)[None]), spin[1:]])
    wanted = turns(between(at, goal.rot)[None])[0]  # (J, 3) what each joint must turn by
    rot = rotation.multiply(at, rotation.exp(reach(spin, wanted, times_s, halflife_s)))
    turn_rate = float(np.linalg.norm(upright)) / FARTHEST_TURN
    rot[:, 0] = rotation.multiply(rotation.exp(dying(upright, turn_rate, times_s)), rot[:, 0])
    moved = times_s[:, None] * state.velocity
    moved[:, 1] = reach(state.velocity[1:2], (goal.root_pos - state.pose.root_pos)[1:2], times_s, halflife_s)[:, 0]
    pos = None if state.pose.pos is None else np.broadcast_to(state.pose.pos, (len(times_s), *state.pose.pos.shape))
    return Pose(state.pose.root_pos + moved, rotation.normalize(rot), pos)


def reach(velocity: np.ndarray, wanted: np.ndarray, times_s: np.ndarray, halflife_s: float) -> np.ndarray:
    """(K, ...) how far a velocity (...) gets in times (K,) while it dies away.

    Its halflife grows with the time it would need for the way wanted (...), and is the shortest where it leads away.
    """
    slow = np.abs(velocity) < LEAST_SPEED
    needed_s = np.where(slow, 0.0, wanted / np.where(slow, 1.0, velocity))
    towards = needed_s > 0.0
    rate = np.log(2.0) / np.where(towards, np.clip(needed_s, halflife_s, max(halflife_s, LONGEST_S)), SHORTEST_S)
    return dying(velocity, np.maximum(rate, np.abs(velocity) / FARTHEST), times_s)


def dying(velocity: np.ndarray, rate: np.ndarray | float, times_s: np.ndarray) -> np.ndarray:
    """(K, ...) integral over times (K,) of velocity (...) times exp(-rate t)."""
    t = times_s.reshape(-1, *(1,) * velocity.ndim)
    x = np.maximum(rate * t, 1e-12)
    return velocity * t * (-np.expm1(-x) / x)
