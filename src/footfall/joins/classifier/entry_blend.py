"""Blend into a motion at its entry: every DOF by Hermite curves through the keys it has still to pass.

A DOF that is at t_d of the motion goes through the time from t_d to the entry in the length of the blend, at its own
constant rate: it starts with the pose and velocity of the state left, passes the keys on its way (the knee bends as the
leg swings forward) and meets the motion with the motion's velocity (Polichroniadis & Dodgson 1999).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.edit.coast import State, most_spin, state_of
from footfall.joins.classifier.entry_table import EntryTable
from footfall.joins.classifier.limbs import DofNumbers, DofReference, numbers
from footfall.joins.departure import Departure
from footfall.joins.placement import place
from footfall.kinematics.floor_align import FloorTransform

CLEAR_S = 0.05  # keys nearer than this to either end are not passed: by eye


class EntryBlend(NamedTuple):
    """Frames after the departure, the last one the target's own pose, placed."""

    pose: Pose  # (K,)
    placement: FloorTransform


def blend(
    departure: Departure, target: Clip, table: EntryTable, way_s: np.ndarray, enter_s: float, frames: int
) -> EntryBlend:
    """The blend that arrives at the target's time enter_s after a number of frames.

    way_s: (D,) how much of the target's time each DOF has still to go through.
    """
    length_s = frames / departure.fps
    left = departure.state._replace(spin=most_spin(departure.state.spin))
    times = np.arange(1, frames + 1) / departure.fps
    placement = place(departure, target, enter_s, length_s)
    arrival = _placed(state_of(target, enter_s), placement)
    end = numbers(table.reference, arrival)
    start = _near(table.reference, left, end)
    curve = through_keys(table, start, end, way_s, enter_s, length_s, times)
    pose = _pose(left, arrival, table.reference, curve, length_s, times)
    pose.root_pos[-1], pose.rot[-1] = arrival.pose.root_pos, arrival.pose.rot
    if pose.pos is not None and arrival.pose.pos is not None:
        pose.pos[-1] = arrival.pose.pos
    return EntryBlend(pose, placement)


def through_keys(
    table: EntryTable,
    start: DofNumbers,
    end: DofNumbers,
    way_s: np.ndarray,
    enter_s: float,
    length_s: float,
    times: np.ndarray,
) -> np.ndarray:
    """(K, D) values of every DOF at times (K,) of the blend."""
    back = np.mod(enter_s - table.key_s, table.duration_s) if table.loop else enter_s - table.key_s  # (keys,)
    order = np.argsort(-back, kind="stable")
    safe = np.maximum(way_s, 1e-9)
    when = [length_s * (1.0 - back[k] / safe) for k in order]  # (D,) each, in blend time
    passed = [(back[k] > CLEAR_S) & (back[k] < way_s - CLEAR_S) for k in order]
    slope = [table.rate[k] * way_s / length_s for k in order]
    knots = list(zip(when, passed, table.value[order], slope, strict=True))
    s = times[:, None]
    shape = (len(times), len(way_s))
    t0, x0, m0 = np.zeros(shape), np.broadcast_to(start.value, shape), np.broadcast_to(start.rate, shape)
    t1, x1, m1 = np.full(shape, length_s), np.broadcast_to(end.value, shape), np.broadcast_to(end.rate, shape)
    for t, ok, x, m in knots:  # the last knot passed
        take = ok & (t <= s)
        t0, x0, m0 = np.where(take, t, t0), np.where(take, x, x0), np.where(take, m, m0)
    for t, ok, x, m in reversed(knots):  # the first one ahead
        take = ok & (t > s)
        t1, x1, m1 = np.where(take, t, t1), np.where(take, x, x1), np.where(take, m, m1)
    return hermite(x0, m0, x1, m1, t1 - t0, s - t0)


def hermite(
    x0: np.ndarray, m0: np.ndarray, x1: np.ndarray, m1: np.ndarray, span: np.ndarray | float, t: np.ndarray
) -> np.ndarray:
    """The cubic from x0 with slope m0 at t = 0 to x1 with slope m1 at t = span."""
    u = t / span
    rest = 1.0 - u
    return rest**2 * ((1.0 + 2.0 * u) * x0 + t * m0) + u**2 * ((3.0 - 2.0 * u) * x1 + (t - span) * m1)


def _near(reference: DofReference, state: State, end: DofNumbers) -> DofNumbers:
    """The state's numbers, each joint's vector turned the way round that is nearer to where it goes."""
    found = numbers(reference, state)
    joints = reference.layout.joints
    last = 3 * len(joints)
    vector = rotation.nearer_way(found.value[:last].reshape(-1, 3), end.value[:last].reshape(-1, 3))
    rate = rotation.log_rate(vector, state.spin[joints])
    return DofNumbers(
        np.concatenate([vector.ravel(), found.value[last:]]), np.concatenate([rate.ravel(), found.rate[last:]])
    )


def _placed(state: State, placement: FloorTransform) -> State:
    velocity = rotation.rotate(rotation.yaw(placement.turn), state.velocity)
    return State(placement.pose(state.pose), velocity, state.spin)


def _pose(
    start: State, end: State, reference: DofReference, curve: np.ndarray, length_s: float, times: np.ndarray
) -> Pose:
    """Poses (K,) of the DOFs' curves (K, D); what is no DOF goes straight to the arrival."""
    layout = reference.layout
    s = times[:, None, None]
    vector = rotation.log(rotation.multiply(rotation.conjugate(end.pose.rot), start.pose.rot))  # (J, 3)
    straight = hermite(vector, rotation.log_rate(vector, start.spin), np.zeros_like(vector), end.spin, length_s, s)
    rot = rotation.multiply(np.broadcast_to(end.pose.rot, (len(times), *end.pose.rot.shape)), rotation.exp(straight))
    turned = curve[:, : 3 * len(layout.joints)].reshape(len(times), -1, 3)
    rot[:, layout.joints] = rotation.multiply(
        np.broadcast_to(reference.mean, (*turned.shape[:2], 4)), rotation.exp(turned)
    )
    root_pos = hermite(start.pose.root_pos, start.velocity, end.pose.root_pos, end.velocity, length_s, times[:, None])
    if layout.skeleton.roles.pelvis == 0:
        root_pos[:, 1] = layout.unit_m * curve[:, -1]
    return Pose(root_pos, rot, _stretch(start.pose, end.pose, layout.skeleton.offsets, times / length_s))


def _stretch(start: Pose, end: Pose, offsets: np.ndarray, u: np.ndarray) -> np.ndarray | None:
    """(K, J, 3) positions in the parents' frames, eased from one to the other, where bones move at all."""
    if start.pos is None and end.pos is None:
        return None
    a, b = (offsets if pose.pos is None else pose.pos for pose in (start, end))
    ease = (u * u * (3.0 - 2.0 * u))[:, None, None]
    return a + ease * (b - a)
