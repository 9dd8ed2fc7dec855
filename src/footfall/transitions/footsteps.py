"""Footsteps: what each foot does from the motion that is left to the one that is entered, planned as plain data.

A foot that stands in both may be *held*: it stays where it is and leaves the floor when the target lifts it; its
offset from the target's own place is gone when the target sets it down again. Any other foot *steps*: it is lifted,
swings and lands where and when the target stands on it, never sooner than a human step takes. The target is placed on
the floor so that this costs least: on a foot that stands, on both, or where the root's velocities lead.

Frames are counted from the departure (0); the target's frame at the departure is its entry less the length.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.kinematics.floor_align import FloorTransform
from footfall.transitions.foot_paths import FootPaths, spans

AFTER_S = 1.2  # how long after the transition feet may still be on their way
STEP_S, STEP_S_M = 0.32, 0.25  # a step takes this long, and so much longer a metre
SWIFT_M_S2 = 16.0  # acceleration that reaching a place may cost a foot
SWING_M_S2 = 25.0  # and turning a swing into another
SWING_S = 0.12  # a foot that swings anyway takes at least this long to another place
REST_S = 0.1  # a foot that is set down stands at least this long
SOON_S = 0.3  # a swinging foot that lands within this may be held where it lands
SETTLED_M = 0.012  # a ball this near to where it stands has come to rest
FAR_M = 0.35  # feet are not held farther from the target's place
TURN_RAD = 0.6  # nor turned more
LIFTS_S = (0.0, 0.08, 0.16, 0.26, 0.36, 0.46, 0.6)  # when a standing foot may begin to step
BEHIND_M, LEFT_BEHIND = 0.55, 10.0  # a foot that stands farther from the body holds it back: what a metre more costs
NEVER = 1 << 30
GENTLE = 7.5  # largest acceleration of a gentle (septic) change by 1 m in 1 s


class FootTrack(NamedTuple):
    """One foot's way, in frames after the departure."""

    held: bool
    lift: int  # last frame of its old place
    land: int  # first frame that is the target's own; NEVER for a foot that stays where it is
    old_last: int  # the left motion is followed up to here, then it stays
    new_first: int  # the target is followed from here, before that it waits
    place: tuple[float, float, float]  # where the placed target has the ball in the contact that is held
    offset: tuple[float, float, float]  # how far from there it is held
    rest: tuple[int, int]  # from when on it stands quite still, and when it is let go
    turn: float  # and turned, radians
    low_start: bool  # it leaves the floor at the lift
    low_end: bool  # it lands on a foot of the target that already stands
    cost: float
    note: str


class FootPlan(NamedTuple):
    """Both feet and the place of the target."""

    tracks: tuple[FootTrack, FootTrack]
    placement: FloorTransform
    length: int  # frames of the transition
    end: int  # frame from which on everything is the target's own
    cost: float


class Ends(NamedTuple):
    """The two motions around a join: frames of both from the departure on."""

    old: FootPaths
    new: FootPaths
    leave: int  # frame of old at the departure
    enter: int  # frame of new at the end of the transition
    length: int
    late: tuple[float, float] = (0.0, 0.0)  # how far, in frames, the departure and the entry truly lie after those
    calm: float = 1.0  # how much slower than usual steps are: among people who stand, nobody hurries

    @property
    def start(self) -> int:
        """The new motion's frame at the departure."""
        return self.enter - self.length

    @property
    def horizon(self) -> int:
        wanted = self.length + round(self.calm * AFTER_S * self.old.fps)
        return min(wanted, len(self.old.down) - 1 - self.leave, len(self.new.down) - 1 - self.start)


def step_frames(distance: float, fps: float, swings: bool = False) -> int:
    """How many frames a step over a distance takes; a foot that swings anyway needs only time to change its way."""
    least = SWING_S if swings else STEP_S + STEP_S_M * distance
    return int(np.ceil(fps * max(least, np.sqrt(GENTLE * distance / SWIFT_M_S2))))


def plan(ends: Ends, natural: FloorTransform) -> FootPlan:
    """The cheapest way over every placement worth trying; `natural` is where the velocities lead."""
    stands = _stands(ends)
    plans = (_plan_at(ends, stands, placement, natural) for placement in _placements(ends, stands, natural))
    return min(plans, key=lambda p: p.cost)


def plan_at(ends: Ends, placement: FloorTransform, natural: FloorTransform) -> FootPlan:
    """The cheapest way with the target placed so; what is farther from `natural` costs more."""
    return _plan_at(ends, _stands(ends), placement, natural)


Stands = list[tuple[list["Contact"], list["Contact"]]]  # of each foot: contacts of old and of new


def _stands(ends: Ends) -> Stands:
    return [
        (_contacts(ends, ends.old, ends.leave, foot), _contacts(ends, ends.new, ends.start, foot)) for foot in (0, 1)
    ]


def _placements(ends: Ends, stands: Stands, natural: FloorTransform) -> Iterator[FloorTransform]:
    """Where the velocities lead; with a standing foot, or both, on its own place."""
    yield natural
    pairs = []
    for foot in (0, 1):
        match = _same_contact(*stands[foot], ends.old.fps)
        if match is not None:
            pairs.append((match[0], natural.points(match[1])))
    for here, there in pairs:
        yield _moved(natural, here - there)
    if len(pairs) == 2:
        (p0, q0), (p1, q1) = pairs
        line, wanted = (q1 - q0), (p1 - p0)
        turn = np.arctan2(wanted[0], wanted[2]) - np.arctan2(line[0], line[2])
        turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
        turned = FloorTransform(np.asarray(turn), np.zeros(3)).after(natural)
        middle = 0.5 * (p0 + p1) - 0.5 * sum(turned.points(natural.inverse().points(q)) for q in (q0, q1))
        if abs(turn) < 1.0:
            yield _moved(turned, middle)


def _moved(placement: FloorTransform, by: np.ndarray) -> FloorTransform:
    return placement._replace(shift=placement.shift + by * np.array([1.0, 0.0, 1.0]))


class Contact(NamedTuple):
    """One time a foot stands, in frames after the departure."""

    first: int
    last: int
    rest: int  # from this frame on its ball is where it stands: before, the foot is still coming down
    place: np.ndarray  # (3,) of the ball at rest, as the clip has it


def _same_contact(old: list[Contact], new: list[Contact], fps: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Where a foot stands (in old, in new) that stands in both during the transition."""
    now = next((c for c in old if c.first <= round(SOON_S * fps)), None)
    if now is None:
        return None
    for contact in new:
        both = max(contact.first, now.first, 0)
        if contact.last >= both + round(REST_S * fps) and contact.first <= max(now.last, 0):
            return now.place, contact.place
    return None


def _contacts(ends: Ends, paths: FootPaths, zero: int, foot: int) -> list[Contact]:
    """Contacts that are not over at the departure; one that has begun before keeps its start."""
    found = []
    for a, b in spans(paths.down[:, foot]):
        if b <= zero or a > zero + ends.horizon + ends.length:
            continue
        start = max(a, zero)
        ball = paths.ball[start : min(b, start + round(paths.fps)) + 1, foot]
        place = np.median(ball[len(ball) // 6 : max(len(ball) - len(ball) // 6, 1)], axis=0)
        still = np.flatnonzero(np.abs(ball - place).max(axis=1) < SETTLED_M)
        found.append(Contact(a - zero, b - zero, start - zero + (int(still[0]) if len(still) else 0), place))
    return found


class _Placed(NamedTuple):
    """One placement of the target, and what of it is asked over and over."""

    ends: Ends
    placement: FloorTransform
    ball: np.ndarray  # (horizon + 1, 2, 3) of the placed target, from the departure on


def _plan_at(ends: Ends, stands: Stands, placement: FloorTransform, natural: FloorTransform) -> FootPlan:
    ball = placement.points(ends.new.ball[ends.start : ends.start + ends.horizon + 1])
    choices = [list(_tracks(_Placed(ends, placement, ball), foot, *stands[foot])) for foot in (0, 1)]
    flies = np.asarray(~ends.old.down[ends.leave : ends.leave + ends.horizon + 1].any(axis=1))
    flies &= np.arange(len(flies)) <= ends.length
    flies |= ~ends.new.down[ends.start : ends.start + ends.horizon + 1].any(axis=1)
    best: tuple[float, tuple[FootTrack, FootTrack]] | None = None
    for left, right in product(*choices):
        cost = left.cost + right.cost
        if best is not None and cost >= best[0]:
            continue
        aloft = slice(max(left.lift, right.lift) + 1, min(left.land, right.land))  # off the floor with both feet
        cost += 8.0 * float((~flies[aloft]).sum()) / ends.old.fps
        if best is None or cost < best[0]:
            best = cost, (left, right)
    assert best is not None  # a foot can always step late
    cost, tracks = best
    end = max(ends.length, *(t.land for t in tracks))
    gap = placement.points(ends.new.root[ends.enter]) - natural.points(ends.new.root[ends.enter])
    seconds = ends.length / ends.old.fps
    drift = 5.8 * float(np.linalg.norm(gap)) / seconds**2  # m/s² that going astray costs the body
    turn = abs(float(placement.turn - natural.turn))
    return FootPlan(tracks, placement, ends.length, end, cost + 0.12 * drift + 0.5 * turn / seconds)


def _tracks(placed: _Placed, foot: int, old: list[Contact], new: list[Contact]) -> Iterator[FootTrack]:
    """Every way a foot may go."""
    now = old[0] if old and old[0].first <= 0 else None
    soon = old[0] if old and old[0].first <= round(SOON_S * placed.ends.old.fps) else None
    if soon is not None:
        yield from _holds(placed, foot, soon, new)
    yield from _steps(placed, foot, now, new)


def _holds(placed: _Placed, foot: int, old: Contact, new: list[Contact]) -> Iterator[FootTrack]:
    ends, placement = placed.ends, placed.placement
    fps = ends.old.fps
    for i, (first, last, rest, stood) in enumerate(new):
        if first > max(old.last, old.first + round(0.1 * fps)) or last < max(old.first, 0) + round(REST_S * fps):
            continue
        place = placement.points(stood)
        offset = (old.place - place) * np.array([1.0, 0.0, 1.0])
        far = float(np.hypot(offset[0], offset[2]))
        land = new[i + 1].first if i + 1 < len(new) else NEVER
        if far > FAR_M or (land < NEVER and land - last < 0.6 * step_frames(far, fps)):
            continue
        at_old, at_new = ends.leave + min(old.rest, old.last), ends.start + min(rest, last)
        turn = _yaw_between(ends.new.foot[at_new, foot], ends.old.foot[at_old, foot])
        turn = (turn - float(placement.turn) + np.pi) % (2.0 * np.pi) - np.pi
        if abs(turn) > TURN_RAD:
            continue
        waits = max(0, last - old.last) / fps  # kept down longer than the left motion had it
        long = 1.0 if land == NEVER else min(1.0, max(0.0, last / fps - 0.5))  # a crooked stand is seen
        cost = (1.0 + 3.0 * long) * far / 0.12 + (1.0 + long) * abs(turn) / 0.6 + 0.7 * min(waits, 1.0)
        note = f"held {100.0 * far:.0f} cm from the target's place" + ("" if land < NEVER else ", to the end")
        still = max(old.rest, 0), min(last, max(ends.length, old.rest) + round(fps))
        yield FootTrack(
            True, last, land, old.last, rest, _tuple(place), _tuple(offset), still, turn, False, False, cost, note
        )


def _steps(placed: _Placed, foot: int, now: Contact | None, new: list[Contact]) -> Iterator[FootTrack]:
    ends = placed.ends
    fps = ends.old.fps
    lifts = (
        [0]
        if now is None
        else sorted({min(round(ends.calm * s * fps), now.last) for s in LIFTS_S} | {min(now.last, round(fps))})
    )
    for lift in lifts:
        free = now is None or lift == now.last
        at = ends.old.ball[ends.leave + (lift if now is not None else 0), foot]
        landed = False
        for first, last, _, _ in new:
            if last <= lift or first > ends.horizon:
                continue
            there = placed.ball[min(max(first, lift) + 2, last, ends.horizon), foot]
            far = float(np.hypot(there[0] - at[0], there[2] - at[2]))
            off, need = far, round(ends.calm * step_frames(far, fps))
            if free:  # both swing: what counts is how far apart their ways are, and how differently fast
                off, faster = _apart(placed, foot, lift)
                off = min(far, off)
                need = max(step_frames(off, fps, True), int(np.ceil(fps * 2.5 * faster / SWING_M_S2)))
            land = max(first, lift + need)
            stands = last - land
            if land > ends.horizon or stands < round(REST_S * fps):
                continue
            late = max(0, land - max(first, 0)) / fps / ends.calm
            early = 0.0 if now is None else (now.last - lift) / fps
            swing = (land - lift) / fps
            hurry = GENTLE * off / swing**2
            cost = 0.7 + 1.5 * late + 0.3 * min(early, 1.0) + 0.015 * hurry + 0.8 * max(0.0, swing - 0.7 * ends.calm)
            cost += 0.0 if now is None else LEFT_BEHIND * max(0.0, _behind(placed, at, lift) - BEHIND_M)
            note = f"steps {100.0 * far:.0f} cm in {swing:.2f} s"
            yield _step(lift, land, free, now is not None, late > 0.0, cost, note)
            landed = True
            break
        if not landed:  # the target never stands on it, or not for long enough: the foot joins it in its swing
            land = min(max(ends.length, lift + round(0.3 * fps)), ends.horizon)
            cost = 6.0 if any(c.last > lift for c in new) else 1.5
            yield _step(lift, land, free, now is not None, False, cost, "joins the target's swing")


def _step(lift: int, land: int, free: bool, low_start: bool, low_end: bool, cost: float, note: str) -> FootTrack:
    """A step; free: the left motion lifts the foot itself, and is followed on."""
    at = (0.0, 0.0, 0.0)
    return FootTrack(False, lift, land, NEVER if free else lift, 0, at, at, (0, 0), 0.0, low_start, low_end, cost, note)


def _behind(placed: _Placed, at: np.ndarray, k: int) -> float:
    """How far the body is from a foot that still stands at frame k, metres over the floor."""
    ends = placed.ends
    share, k = min(k / max(ends.length, 1), 1.0), min(k, ends.horizon)
    new = placed.placement.points(ends.new.root[ends.start + k])
    body = (1.0 - share) * ends.old.root[ends.leave + k] + share * new
    return float(np.hypot(body[0] - at[0], body[2] - at[2]))


def _apart(placed: _Placed, foot: int, lift: int) -> tuple[float, float]:
    """How far apart two swinging feet are a moment after the lift, metres, and their speeds, m/s."""
    ends = placed.ends
    fps, step = ends.old.fps, max(1, round(0.03 * ends.old.fps))
    k = [min(lift + round(0.1 * fps) + by, ends.horizon) for by in (-step, 0, step)]
    apart = [ends.old.ball[ends.leave + n, foot] - placed.ball[n, foot] for n in k]  # (3,) each
    speed = (apart[2] - apart[0]) * fps / max(1, k[2] - k[0])
    return float(np.hypot(apart[1][0], apart[1][2])), float(np.hypot(speed[0], speed[2]))


def _yaw_between(a: np.ndarray, b: np.ndarray) -> float:
    """The turn about the vertical from one foot to another, radians."""
    q = rotation.twist(rotation.multiply(b, rotation.conjugate(a)), rotation.UP)
    return float(rotation.log(q)[1])


def _tuple(v: np.ndarray) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
