"""Feet of actions: where each stands and when, how it rolls on ball or heel meanwhile, and its way through the air.

One pitch curve runs through the whole action. While a foot stands, its ankle follows from the pitch: with the heel up
it turns about the ball, with the toes up about the heel, so that the point in contact is exactly still. In the air the
ankle follows keys; the first and last of them carry the place, velocity and acceleration of the standing foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import runs
from footfall.core import rotation
from footfall.core.clip import Event
from footfall.motions.clearance import lift, sole_points, standing_ankle
from footfall.motions.foot_path import FootPath
from footfall.motions.keyframes import Key, curve, rates_at

ALWAYS = 1e6  # seconds: a foot that stands at the clip's start or end has no earlier or later step
TOUCHES = 1e-3  # radians of pitch up to which a heel or toe counts as down: a fifth of a millimetre


class Stand(NamedTuple):
    """A foot on the floor: from when to when, the ankle's place when flat, the way it points (radians)."""

    x: float
    z: float
    yaw: float
    start_s: float = -ALWAYS
    end_s: float = ALWAYS


def rolling_foot(
    stands: Sequence[Stand],
    t: np.ndarray,
    pitch: np.ndarray,
    flights: Sequence[Sequence[Key]] = (),
    carrier: np.ndarray | None = None,
) -> FootPath:
    """The foot over time; flights: for each gap between two stands, the keys of the ankle in the air (may be none).

    carrier (T, 3): keys are relative to it; a hip that flies takes its foot along.
    """
    carrier = np.zeros((len(t), 3)) if carrier is None else carrier
    ankle, yaw = np.zeros((len(t), 3)), np.full(len(t), stands[0].yaw)
    for stand in stands:
        on = (t >= stand.start_s) & (t <= stand.end_s)
        ankle[on] = standing_ankle(stand.x, stand.z, stand.yaw, pitch[on])
        yaw[on] = stand.yaw
    for (before, after), keys in zip(pairwise(stands), flights, strict=True):
        air = (t > before.end_s) & (t < after.start_s)
        ends = [
            Key(time, *rates_at(standing_ankle(stand.x, stand.z, stand.yaw, pitch) - carrier, t, time))
            for stand, time in ((before, before.end_s), (after, after.start_s))
        ]
        ankle[air] = carrier[air] + curve([ends[0], *keys, ends[1]], t[air])
        turn = rotation.wrapped(after.yaw - before.yaw)
        yaw[air] = before.yaw + curve([(before.end_s, 0.0), (after.start_s, turn)], t[air])
    return FootPath(ankle, yaw, pitch, np.maximum(-pitch, 0.0) * _toes_down(stands, t))


def clear_of_floor(foot: FootPath, t: np.ndarray, start_s: float, end_s: float) -> FootPath:
    """The foot raised where its sole would graze the floor, between two times: of leaving, in the air, of landing."""
    air = (t > start_s) & (t < end_s)
    ankle = foot.ankle.copy()
    ankle[air, 1] += lift(t[air], np.array([start_s, end_s]), sole_points(*(part[air] for part in foot)))
    return foot._replace(ankle=ankle)


def _toes_down(stands: Sequence[Stand], t: np.ndarray, ease_s: float = 0.16) -> np.ndarray:
    """(T,) 1 while the foot stands (toes stay on the floor), easing to 0 in the air."""
    share = np.zeros(len(t))
    for stand in stands:
        away = np.maximum(np.maximum(stand.start_s - t, t - stand.end_s), 0.0)
        share = np.maximum(share, curve([(0.0, 1.0), (ease_s, 0.0)], away))
    return share


def contact_spans(side: str, stands: Sequence[Stand], t: np.ndarray, pitch: np.ndarray) -> list[Event]:
    """The known contacts of one side's heel and toe, as named spans."""
    standing = np.zeros(len(t), bool)
    for stand in stands:
        standing |= (t >= stand.start_s - 1e-9) & (t <= stand.end_s + 1e-9)
    events = []
    for part, down in (("heel", standing & (pitch > -TOUCHES)), ("toe", standing & (pitch < TOUCHES))):
        for start, end in runs(down):
            events.append(Event(f"{side}_{part}", float(t[start]), float(t[end - 1])))
    return events
