"""The parts of a transition by example in plain numpy: the oracle of joins/by_example/parts.py."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.edit.coast import most_spin
from footfall.joins.by_example.detail_bands import hermite
from footfall.joins.by_example.parts import MOST_GAIN, Meeting, PickedWindows, SlowCurve, TransitionEnd, rising
from footfall.joins.departure import Departure
from footfall.joins.placement import between, leaving_floor, state_at


def met(departure: Departure, target: Clip, enter_s: float, length_s: float, last: int) -> Meeting:
    """What `parts.met` gives."""
    state, there = state_at(target, enter_s)
    here = leaving_floor(departure)
    placement = between(here, there, length_s)
    pose = placement.pose(state.pose)
    velocity = rotation.rotate(rotation.yaw(placement.turn), state.velocity)
    end = TransitionEnd(pose.rot, most_spin(state.spin), pose.root_pos, velocity)
    left = departure.state
    start = TransitionEnd(left.pose.rot, most_spin(left.spin), left.pose.root_pos, left.velocity)
    heading = float(here.heading)
    headings = np.array([heading, heading + 0.5 * float(here.turn_rate + there.turn_rate) * length_s])
    change = rotation.log(rotation.multiply(rotation.conjugate(start.rot), end.rot))  # (J, 3)
    slow = SlowCurve(change, rotation.log_rate(change, end.spin), headings, length_s, last)
    into = rotation.yaw(-np.array([headings[0], headings[1], headings.mean()]))
    third = length_s / 3.0
    wanted = [
        third * np.concatenate([start.spin, rotation.rotate(into[0], start.velocity)[None]]),
        third * np.concatenate([end.spin, rotation.rotate(into[1], end.velocity)[None]]),
        np.concatenate([change, rotation.rotate(into[2], end.place - start.place)[None]]),
    ]
    return Meeting(start, end, slow, np.stack(wanted).ravel(), placement)


def still_ends(d: np.ndarray, start_slope: np.ndarray, end_slope: np.ndarray) -> np.ndarray:
    """d (K + 1, ...) less the cubic with its end values and slopes (a frame): value and slope are 0 at both ends."""
    last = len(d) - 1
    u = np.arange(last + 1) / last
    left = d - hermite(u, d[0], last * start_slope, d[-1], last * end_slope)
    left[0], left[-1] = 0.0, 0.0
    return left


def details(picked: PickedWindows, last: int) -> np.ndarray:
    """(K + 1, C, 3), as `parts.details` gives them."""
    channel = np.arange(len(picked.at))
    frames = np.arange(last + 1)[:, None] + picked.at
    parts = []
    for detail, bend in zip(picked.detail, picked.bend, strict=True):
        inside = np.minimum(frames, len(detail) - 1)  # windows of the other motion: not taken
        parts.append(still_ends(detail[inside, channel], bend[inside[0], channel], bend[inside[-1], channel]))
    quick = np.where(picked.of_second[:, None], parts[1], parts[0]) * rising(last)[:, None, None]
    energy = (np.diff(quick, axis=0) ** 2).sum(axis=(0, 2))
    if picked.grouped:
        energy = np.full_like(energy, energy.sum())
    known = energy > 1e-16
    gain = np.where(known, np.sqrt(picked.energy / np.where(known, energy, 1.0)), 1.0)
    return quick * np.clip(gain, 1.0 / MOST_GAIN, MOST_GAIN)[:, None]


def laid_over(ends: Meeting, picked: PickedWindows) -> tuple[np.ndarray, np.ndarray]:
    """What `parts.laid_over` gives."""
    start, end, slow, t = ends.start, ends.end, ends.slow, ends.slow.duration_s
    quick = details(picked, slow.last)
    u = np.arange(1, slow.last + 1) / slow.last
    turns = hermite(u, np.zeros_like(slow.change), t * start.spin, slow.change, t * slow.arriving)
    smooth = rotation.multiply(start.rot, rotation.exp(turns))
    rot = rotation.multiply(smooth, rotation.exp(quick[1:, :-1]))
    place = hermite(u, start.place, t * start.velocity, end.place, t * end.velocity)
    heading = slow.headings[0] + u * (slow.headings[1] - slow.headings[0])
    place += rotation.rotate(rotation.yaw(heading), quick[1:, -1])
    place[-1], rot[-1] = end.place, end.rot
    return place, rot
