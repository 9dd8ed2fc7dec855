"""Between standing and sitting, on a chair or on the floor: the trunk bends over the feet, hips go back and down.

While the feet carry, the pelvis is where the body balances over them; near the seat it goes to its place there. How
hips and chest bend over time is read off captured sitting down and rising (75_17, 13_01), with a straighter back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.core.errors import ParameterError
from footfall.motions import action, arms, rig, starts
from footfall.motions.keyframes import curve
from footfall.motions.rolling_feet import contact_spans, rolling_foot

PELVIS = 0.09  # metres of the pelvis joint over what it sits on
LOW, HIGH = 0.3, 0.65  # metres, seats of chairs
SEATED_BACK, FLOOR_BACK = 0.40, 0.47  # metres of the pelvis behind the ankles: on a chair, on the floor
DEEP = 0.6  # metres the pelvis sinks in the captured take that the angles below are from
ON_THIGHS = (0.04, -0.62, 0.52)  # arm lengths, wrists from their shoulders when sitting on a chair
BESIDE = (0.3, -0.82, 0.02)  # and on the floor, hands beside the hips
AHEAD = (0.02, -0.5, 0.72)  # and ahead, for balance, on the way up from the floor
# share of the time; how far down; pelvis pitch and chest pitch, degrees
SITTING = ((0.0, 0.0, 0.0, 3.0), (0.13, 0.02, 7.0, 11.0), (0.3, 0.2, 22.0, 28.0), (0.5, 0.62, 25.0, 36.0),
           (0.68, 0.95, 8.0, 32.0), (0.82, 1.0, -6.0, 24.0), (1.0, 1.0, -14.0, 13.0))  # fmt: skip
RISING = ((0.0, 1.0, -14.0, 13.0), (0.2, 1.0, 2.0, 28.0), (0.38, 0.95, 18.0, 34.0), (0.55, 0.66, 22.0, 30.0),
          (0.74, 0.22, 14.0, 18.0), (0.9, 0.02, 3.0, 7.0), (1.0, 0.0, 0.0, 3.0))  # fmt: skip
FROM_FLOOR = ((0.0, 1.0, -18.0, 20.0), (0.14, 1.0, -14.0, 32.0), (0.34, 0.72, -6.0, 41.0), (0.48, 0.62, 10.0, 34.0),
              (0.7, 0.32, 21.0, 18.0), (0.88, 0.05, 6.0, 8.0), (1.0, 0.0, 0.0, 3.0))  # fmt: skip
HEELS = 0.42  # radians heels lift when a squat is deepest, on the way up from the floor


@dataclass(frozen=True)
class Seat:
    """What is sat on, how the trunk goes, and when."""

    height: float  # metres
    keys: tuple[tuple[float, float, float, float], ...]
    duration_s: float
    loose: tuple[float, float]  # shares of the time: from when to when the pelvis goes to the seat, or leaves it
    hands: tuple[float, float, float]  # when seated
    back: float = SEATED_BACK
    heels: float = 0.0

    @property
    def rises(self) -> bool:
        return self.keys[0][1] > 0.5


def check_height(height: float) -> None:
    """Refuse what is no chair."""
    if not LOW <= height <= HIGH:
        raise ParameterError(f"height must be {LOW:g} to {HIGH:g} m, got {height:g}")


def seat_clip(name: str, seat: Seat, parameters: dict[str, float], rng: np.random.Generator) -> Clip:
    """Sitting down or rising; the time on the seat is an event named seat."""
    start = starts.relaxed(width=rng.uniform(1.15, 1.45))
    end = action.on_frame(seat.duration_s)
    t = action.frames(end)
    plan, pitch = _plan(start, seat, t, end)
    turn = action.turned(plan.turn)
    balanced = action.settle(plan, action.ROUNDS, bounded=True)
    seated = np.array([0.0, seat.height + PELVIS, -seat.back])
    carried = _carried(seat, t, end)[:, None]
    pelvis = balanced + carried * (seated - balanced)
    pelvis = rig.reachable_pelvis(pelvis, turn, plan.feet(pelvis, turn), action.FPS)
    pose = action.compose(plan, pelvis, turn, plan.feet(pelvis, turn))
    on = np.flatnonzero(carried[:, 0] > 1.0 - 1e-9)
    events = [Event("seat", float(t[on[0]]), float(t[on[-1]]))]
    for side, stand in zip(("left", "right"), start.stands, strict=True):
        events += contact_spans(side, [stand], t, pitch)
    return action.clip_of_pose(pose, name, events, parameters)


def _plan(start: starts.Start, seat: Seat, t: np.ndarray, end: float) -> tuple[action.Plan, np.ndarray]:
    """The plan of a body that balances all along, and the pitch (T,) of both feet."""
    shares, down, hips, chest = (np.array(row) for row in zip(*seat.keys, strict=True))
    sink = start.pelvis[1] - seat.height - PELVIS
    bend = np.clip(sink / DEEP, 0.5, 1.2)
    sunk, pitched, curled = (
        curve(list(zip(end * shares, values, strict=True)), t)
        for values in (sink * down, np.where(hips > 0.0, bend, 1.0) * hips, 3.0 + bend * (chest - 3.0))
    )
    zero = np.zeros(len(t))
    plan = start.plan(t)
    at_seat = curve(list(zip(end * shares, down**2, strict=True)), t)
    rest = action.toward(start.left.rest, arms.SHOULDER + arms.ARM * np.array(seat.hands), at_seat)
    pitch = zero
    if seat.heels:
        middle = curve([(0.2 * end, 0.0), (0.42 * end, 1.0), (0.75 * end, 0.0)], t)
        pitch = -seat.heels * middle
        ahead = np.broadcast_to(arms.SHOULDER + arms.ARM * np.array(AHEAD), rest.shape)
        rest = rest + middle[:, None] * (ahead - rest)
    hand = replace(start.left, rest=rest, hangs=0.75)
    feet = tuple(rolling_foot([stand], t, pitch) for stand in start.stands)
    return replace(
        plan,
        pelvis=plan.pelvis - np.column_stack([zero, sunk, zero]),
        turn=np.column_stack([zero, pitched, zero]),
        chest=np.column_stack([zero, curled, zero]),
        mass=np.tile(start.balance[[0, 2]], (len(t), 1)) + np.column_stack([zero, 0.1 * np.abs(pitch)]),
        left=hand,
        right=hand,
        feet=lambda *_: (feet[0], feet[1]),
    ), pitch


def _carried(seat: Seat, t: np.ndarray, end: float) -> np.ndarray:
    """(T,) how much the seat has of the weight."""
    first, last = (end * share for share in seat.loose)
    return curve([(first, 1.0), (last, 0.0)] if seat.rises else [(first, 0.0), (last, 1.0)], t)
