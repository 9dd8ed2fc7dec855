"""A jump from both feet onto both: distance (m), direction (degrees to the left), height (m) risen after take-off."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.core.errors import ParameterError
from footfall.motions import action, arms, rig, starts
from footfall.motions.body import LEG
from footfall.motions.clearance import standing_ankle
from footfall.motions.keyframes import Key, curve, rates_at
from footfall.motions.locomotion import GRAVITY
from footfall.motions.rolling_feet import Stand, contact_spans, rolling_foot

FOOT_PITCH = -0.65  # of the feet as they leave and meet the floor, radians
ROLL_ARM = 0.134  # metres an ankle rises per radian then
MAX_ROLL = 13.0  # rad/s: as fast as ankles extend
OFF_LEG, LAND_LEG = 0.93, 0.905  # hip to ankle over leg length, then
STRAIGHT = 0.965  # and at most in flight
COAST = 0.42  # share of the take-off speed that pushing off and landing cover on average


@dataclass(frozen=True)
class Flight:
    """When and how fast: what follows from distance and height."""

    dip_s: float  # deepest before
    off_s: float
    land_s: float
    low_s: float  # deepest after
    end_s: float
    speed: float  # over the floor, m/s
    off_y: float  # height of the centre of mass
    land_y: float

    @property
    def up(self) -> float:
        """Speed upwards at take-off."""
        fall = self.land_s - self.off_s
        return (self.land_y - self.off_y + 0.5 * GRAVITY * fall**2) / fall


def make(distance: float = 0.6, direction: float = 0.0, height: float = 0.2, seed: int = 0) -> Clip:
    if not (0.0 <= distance <= 1.6 and 0.03 <= height <= 0.6):
        got = f"distance {distance:g} and height {height:g}"
        raise ParameterError(f"a jump covers 0 to 1.6 m and rises 0.03 to 0.6 m, got {got}")
    rng = action.random_of(seed)
    start = starts.relaxed(width=rng.uniform(1.0, 1.4))
    effort = float(np.clip(height / 0.4 + 0.35 * distance, 0.15, 1.3)) * rng.uniform(0.92, 1.08)
    along = starts.facing(direction)[[0, 2]]
    flight = _flight(start, distance * along, height, effort, 1.0 + rng.uniform(-0.1, 0.1))
    t = action.frames(flight.end_s)
    plan = _body(start, flight, t, effort)
    mass, height_track = _mass(start, flight, t, along, distance, effort)
    moved = distance * along
    stands = [
        [s._replace(end_s=flight.off_s), Stand(s.x + moved[0], s.z + moved[1], s.yaw, flight.land_s)]
        for s in start.stands
    ]
    pitch = _pitch(flight, t)

    def feet(pelvis: np.ndarray, turn: np.ndarray) -> action.Feet:
        hips = rig.hip_positions(pelvis, turn)
        left, right = (
            rolling_foot(pair, t, pitch, [_tucked(hip, pair, flight, t, effort)], carrier=hip)
            for pair, hip in zip(stands, hips, strict=True)
        )
        return left, right

    plan = replace(plan, feet=feet, mass=mass, mass_height=height_track)
    events = [e for side, s in zip(("left", "right"), stands, strict=True) for e in contact_spans(side, s, t, pitch)]
    top = action.on_frame(flight.off_s + flight.up / GRAVITY)
    known = {"distance": distance, "direction": direction, "height": height}
    return action.clip_of(plan, "jump", [*events, Event("apex", top, top)], known)


def _flight(start: starts.Start, moved: np.ndarray, height: float, effort: float, tempo: float) -> Flight:
    """Times from heights: the legs say where the body leaves and lands, gravity how long it flies."""
    rest, up = float(start.balance[1]), float(np.sqrt(2.0 * GRAVITY * height))
    dip = action.on_frame((0.37 + 0.1 * effort) * tempo)
    before = after = np.zeros(2)
    for _ in range(3):  # how far the body is ahead of the feet, how high it is then, and the speed hang together
        off_y = _height(start, _OFF, effort, OFF_LEG, before)
        land_y = _height(start, _LAND, effort, LAND_LEG, -after)
        fall = float(np.sqrt(2.0 * GRAVITY * (height + off_y - land_y)))
        push = float(np.clip(1.75 * (off_y - rest + _depth(effort)) / up, 0.24, 0.4))
        absorb = float(np.clip(1.9 * (land_y - rest + _depth(effort)) / fall, 0.17, 0.34))
        off = action.on_frame(dip + push)
        land = off + (up + fall) / GRAVITY
        velocity = moved / ((land - off) + COAST * (off - dip + absorb))
        before, after = COAST * velocity * (off - dip), COAST * velocity * absorb
    low = land + absorb
    end = action.on_frame(low + (0.45 + 0.1 * effort) * tempo)
    return Flight(dip, off, land, low, end, float(np.linalg.norm(velocity)), off_y, land_y)


def _depth(effort: float) -> float:
    """How far the centre of mass sinks before take-off and after landing."""
    return 0.09 + 0.16 * effort


@dataclass(frozen=True)
class _Key:
    """A posture of the upper body: pelvis and chest pitch, arms swung forward, out (degrees) and stretched (share)."""

    turn: float
    chest: float
    swing: float
    out: float
    stretch: float


_DIP = _Key(34.0, 14.0, -42.0, 12.0, 0.93)
_OFF = _Key(4.0, -3.0, 104.0, 16.0, 0.88)
_TOP = _Key(9.0, 4.0, 114.0, 22.0, 0.86)
_LAND = _Key(16.0, 12.0, 58.0, 24.0, 0.85)
_LOW = _Key(34.0, 14.0, 34.0, 22.0, 0.86)


def _height(start: starts.Start, key: _Key, effort: float, stretch: float, offset: np.ndarray) -> float:
    """Height of the centre of mass, offset (2,) from rest over the floor, when the longer leg is stretched so."""
    posed = _scaled(start, key, effort)
    hand = replace(start.left, rest=arms.pointing(posed.swing, posed.out, posed.stretch), hangs=0.0)
    stance = replace(start, turn=(0.0, posed.turn, 0.0), chest=(0.0, posed.chest, 0.0), left=hand, right=hand)
    one = stance.plan(np.zeros(1))
    feet = [rolling_foot([stand], np.zeros(1), np.full(1, FOOT_PITCH)) for stand in start.stands]
    one = replace(one, feet=lambda *_: (feet[0], feet[1]), mass=(start.balance[[0, 2]] + offset)[None])
    turn = action.turned(one.turn)
    for _ in range(2):
        pelvis = action.settle(one, 2, bounded=False)
        room = min(
            foot.ankle[0, 1] + np.sqrt((stretch * LEG) ** 2 - ((hip - foot.ankle)[0, [0, 2]] ** 2).sum()) - hip[0, 1]
            for hip, foot in zip(rig.hip_positions(pelvis, turn), feet, strict=True)
        )
        one = replace(one, pelvis=pelvis + room * rotation.UP)
    pose = action.compose(one, one.pelvis, turn, (feet[0], feet[1]))
    return float(rig.center_of_mass(pose)[0, 1])


def _scaled(start: starts.Start, key: _Key, effort: float) -> _Key:
    """The posture as far from rest as the effort asks for."""
    rest = _Key(0.0, start.chest[1], *_rest_arm(start))
    size = 0.55 + 0.45 * min(effort, 1.0)
    turn, chest, swing = (
        getattr(rest, part) + size * (getattr(key, part) - getattr(rest, part)) for part in ("turn", "chest", "swing")
    )
    return _Key(turn, chest, swing, key.out, key.stretch)


def _body(start: starts.Start, flight: Flight, t: np.ndarray, effort: float) -> action.Plan:
    """Trunk and arms: the arms swing back in the dip, throw up into take-off, and come down with the landing."""
    top = flight.off_s + flight.up / GRAVITY
    rest = _Key(0.0, start.chest[1], *_rest_arm(start))
    postures = [_scaled(start, key, effort) for key in (_DIP, _OFF, _TOP, _LAND, _LOW)]

    def track(name: str, late: tuple[float, ...]) -> np.ndarray:
        times = (flight.dip_s, flight.off_s, top, flight.land_s, flight.low_s)
        keys = [(s + more, getattr(k, name)) for s, more, k in zip(times, late, postures, strict=True)]
        return curve([(0.0, getattr(rest, name)), *keys, (flight.end_s, getattr(rest, name))], t)

    turn, chest = track("turn", (-0.02, 0.0, 0.0, 0.0, -0.01)), track("chest", (0.01, 0.0, 0.0, 0.0, 0.03))
    wrist = arms.pointing(*(track(n, (-0.02, 0.0, 0.0, 0.0, 0.08)) for n in ("swing", "out", "stretch")))
    still = curve([(0.0, 1.0), (0.6 * flight.dip_s, 0.0), (flight.low_s, 0.0), (flight.end_s, 1.0)], t)
    plan = start.plan(t)
    zero = np.zeros(len(t))
    hand = replace(start.left, rest=wrist, hangs=0.0, swivel=np.asarray(start.left.swivel) * still)
    return replace(
        plan, turn=np.column_stack([zero, turn, zero]), chest=np.column_stack([zero, chest, zero]),
        gaze=plan.gaze - np.array([0.0, 0.9, 0.0]), looks=0.7 * (1.0 - still), left=hand, right=hand,
    )  # fmt: skip


def _rest_arm(start: starts.Start) -> tuple[float, float, float]:
    """Swing, out (degrees) and stretch of a hanging arm."""
    x, y, z = np.asarray(start.left.rest) - arms.SHOULDER
    far = float(np.sqrt(x * x + y * y + z * z))
    return float(np.degrees(np.arctan2(z, -y))), float(np.degrees(np.arcsin(x / far))), far / arms.ARM


def _mass(
    start: starts.Start, flight: Flight, t: np.ndarray, along: np.ndarray, distance: float, effort: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where the centre of mass goes over the floor (T, 2) and how high (T,): a parabola from take-off to landing."""
    rest = start.balance
    air = flight.land_s - flight.off_s
    up, low = flight.up, rest[1] - _depth(effort)
    before = COAST * flight.speed * (flight.off_s - flight.dip_s)
    # a stronger turn at the bottom would swing above standing height before or after
    turns = [11.0 * (rest[1] - low) / s**2 for s in (flight.dip_s, flight.end_s - flight.low_s)]
    pushes = [1.1 * up / (flight.off_s - flight.dip_s), 0.9 * (GRAVITY * air - up) / (flight.low_s - flight.land_s)]
    heights = [
        Key(0.0, rest[1]), Key(flight.dip_s, low, 0.0, min(turns[0], pushes[0])),
        Key(flight.off_s, flight.off_y, up, -GRAVITY),
        Key(flight.land_s, flight.land_y, up - GRAVITY * air, -GRAVITY),
        Key(flight.low_s, low, 0.0, min(turns[1], pushes[1])),
        Key(flight.end_s, rest[1]),
    ]  # fmt: skip
    gone = [
        Key(0.0, 0.0), Key(flight.dip_s, 0.0), Key(flight.off_s, before, flight.speed, 0.0),
        Key(flight.land_s, before + flight.speed * air, flight.speed, 0.0), Key(flight.low_s, distance, 0.0),
        Key(flight.end_s, distance),
    ]  # fmt: skip
    return rest[[0, 2]] + curve(gone, t)[:, None] * along, curve(heights, t)


def _pitch(flight: Flight, t: np.ndarray) -> np.ndarray:
    """(T,) pitch of both feet: ankles stretch into take-off and give at landing, at most of the body's speed."""
    air = flight.land_s - flight.off_s
    keys = [Key(-1.0, 0.0)]
    for time, speed, sign in ((flight.off_s, flight.up, -1.0), (flight.land_s, GRAVITY * air - flight.up, 1.0)):
        rate = min(0.85 * speed / ROLL_ARM, MAX_ROLL)
        roll = float(np.clip(-FOOT_PITCH / (0.45 * rate), 0.1, 0.22))
        flat, on = Key(time + sign * roll, 0.0), Key(time, FOOT_PITCH, sign * rate, 0.0)
        beyond = min(0.06, 0.3 * air)
        stretched = Key(time - sign * beyond, FOOT_PITCH - 0.42 * rate * beyond)
        keys += [flat, on, stretched] if sign < 0 else [stretched, on, flat]
    return curve(keys, t)


def _tucked(hip: np.ndarray, stands: list[Stand], flight: Flight, t: np.ndarray, effort: float) -> list[Key]:
    """The ankle in flight, from the hip: the leg ends its stretch after take-off, tucks, and stretches to land."""
    middle = 0.5 * (flight.off_s + flight.land_s)
    pitch = _pitch(flight, t)
    air = flight.land_s - flight.off_s
    soon = min(0.075, 0.33 * air)
    ends = []
    for stand, time, later in ((stands[0], flight.off_s, soon), (stands[1], flight.land_s, -soon)):
        place, velocity, _ = rates_at(standing_ankle(stand.x, stand.z, stand.yaw, pitch) - hip, t, time)
        stretched = place + 0.45 * later * velocity
        length = float(np.linalg.norm(stretched))
        ends.append(Key(time + later, stretched * min(1.0, STRAIGHT * LEG / length)))
    tuck = Key(middle, [0.0, -(0.9 - 0.12 * min(effort, 1.0)) * LEG, -0.06])
    return [ends[0], tuck, ends[1]] if air > 0.3 else ends
