"""Oracle of step plans: the search of `feet.step_search` written once more over numpy arrays and plain numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import atan2, ceil, cos, hypot, inf, sin, sqrt
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.feet.foot_paths import FootPaths, spans
from footfall.feet.limits import (
    STEP_BEHIND_M,
    STEP_HELD_FAR_M,
    STEP_HELD_TURN_RAD,
    STEP_LIFTS_S,
    STEP_REACH_M_S2,
    STEP_REST_S,
    STEP_S,
    STEP_S_M,
    STEP_SETTLED_M,
    STEP_SOON_S,
    STEP_SWING_M_S2,
    STEP_SWING_S,
)
from footfall.feet.step_plan import NEVER, JoinEnds, PlannedFoot, StepPlan
from footfall.kinematics.floor_align import FloorTransform


def step_frames(distance: float, fps: float, swings: bool = False) -> int:
    """How many frames a step over a distance takes; a foot that swings anyway needs only time to change its way."""
    least = STEP_SWING_S if swings else STEP_S + STEP_S_M * distance
    return ceil(fps * max(least, sqrt(7.5 * distance / STEP_REACH_M_S2)))


def plan(ends: JoinEnds, natural: FloorTransform) -> StepPlan:
    """The cheapest way over every placement worth trying; `natural` is where the velocities lead."""
    view = _view(ends)
    best: StepPlan | None = None
    for placement in _placements(view, natural):
        found = _plan_at(view, placement, natural, inf if best is None else best.cost)
        best = found if best is None or (found is not None and found.cost < best.cost) else best
    assert best is not None  # whatever is placed naturally can be stepped onto
    return best


def plan_at(ends: JoinEnds, placement: FloorTransform, natural: FloorTransform) -> StepPlan:
    """The cheapest way with the target placed so; what is farther from `natural` costs more."""
    found = _plan_at(_view(ends), placement, natural, inf)
    assert found is not None
    return found


Point = list[float]  # x, y, z


class _View(NamedTuple):
    """What is asked of both motions over and over, from the departure on, as plain numbers: single ones are taken out
    of arrays slowly."""

    ends: JoinEnds
    horizon: int
    stands: list[tuple[list[Contact], list[Contact]]]  # of each foot: contacts of old and of new
    old_ball: list[list[Point]]  # [frame][foot]
    new_ball: list[list[Point]]
    old_root: list[Point]
    new_root: list[Point]
    grounded: list[int]  # how many frames before each at least one foot of either motion should be down
    turns: dict[tuple[int, int, int], float]  # between feet that stand, found so far


def _view(ends: JoinEnds) -> _View:
    horizon = ends.horizon
    old, new = (slice(at, at + horizon + 1) for at in (ends.leave, ends.start))
    flies = np.asarray(~ends.old.down[old].any(axis=1))
    flies &= np.arange(len(flies)) <= ends.length
    flies |= ~ends.new.down[new].any(axis=1)
    stands = [
        (
            _contacts(ends, horizon, ends.old, ends.leave, foot),
            _contacts(ends, horizon, ends.new, ends.start, foot),
        )
        for foot in (0, 1)
    ]
    return _View(
        ends,
        horizon,
        stands,
        ends.old.ball[old].tolist(),
        ends.new.ball[new].tolist(),
        ends.old.root[old].tolist(),
        ends.new.root[new].tolist(),
        [0, *np.cumsum(~flies).tolist()],
        {},
    )


def _placements(view: _View, natural: FloorTransform) -> Iterator[FloorTransform]:
    """Where the velocities lead; with a standing foot, or both, on its own place."""
    yield natural
    pairs = []
    for foot in (0, 1):
        match = _same_contact(*view.stands[foot], view.ends.old.fps)
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
    now = next((c for c in old if c.first <= round(STEP_SOON_S * fps)), None)
    if now is None:
        return None
    for contact in new:
        both = max(contact.first, now.first, 0)
        if contact.last >= both + round(STEP_REST_S * fps) and contact.first <= max(now.last, 0):
            return now.place, contact.place
    return None


def _contacts(ends: JoinEnds, horizon: int, paths: FootPaths, zero: int, foot: int) -> list[Contact]:
    """Contacts that are not over at the departure; one that has begun before keeps its start."""
    found = []
    for a, b in spans(paths.down[:, foot]):
        if b <= zero or a > zero + horizon + ends.length:
            continue
        start = max(a, zero)
        ball = paths.ball[start : min(b, start + round(paths.fps)) + 1, foot]
        place = _median(ball[len(ball) // 6 : max(len(ball) - len(ball) // 6, 1)])
        still = np.abs(ball - place).max(axis=1) < STEP_SETTLED_M
        found.append(Contact(a - zero, b - zero, start - zero + int(still.argmax()), place))
    return found


def _median(rows: np.ndarray) -> np.ndarray:
    """np.median of rows (N, 3), which is slow for few."""
    rows, middle = np.sort(rows, axis=0), len(rows) // 2
    return np.asarray(rows[middle] if len(rows) % 2 else 0.5 * (rows[middle - 1] + rows[middle]))


class _Placed(NamedTuple):
    """One placement of the target."""

    view: _View
    turn: float
    cosine: float
    sine: float
    shift: Point

    def point(self, p: Point) -> tuple[float, float]:
        """x and z of a point of the target."""
        x, z = p[0], p[2]
        return self.cosine * x + self.sine * z + self.shift[0], self.cosine * z - self.sine * x + self.shift[2]


def _placed(view: _View, placement: FloorTransform) -> _Placed:
    turn = float(placement.turn)
    return _Placed(view, turn, cos(turn), sin(turn), placement.shift.tolist())


def _plan_at(view: _View, placement: FloorTransform, natural: FloorTransform, most: float) -> StepPlan | None:
    """The cheapest way at a placement; None where none can cost less than `most`."""
    ends, turn = view.ends, float(placement.turn)
    placed, root = _placed(view, placement), ends.new.root[ends.enter].tolist()
    (x, z), (wanted_x, wanted_z) = placed.point(root), _placed(view, natural).point(root)
    seconds = ends.length / ends.old.fps
    drift = 5.8 * hypot(x - wanted_x, z - wanted_z) / seconds**2  # m/s² that going astray costs the body
    astray = 0.12 * drift + 0.5 * abs(turn - float(natural.turn)) / seconds
    if astray >= most:  # feet cost something too
        return None
    lefts = list(_tracks(placed, 0, *view.stands[0]))
    if astray + min(track.cost for track in lefts) >= most:
        return None
    rights = list(_tracks(placed, 1, *view.stands[1]))
    cost, tracks = _cheapest(view, lefts, rights)
    end = max(ends.length, *(t.land for t in tracks))
    return StepPlan(tracks, placement, ends.length, end, cost + astray)


def _cheapest(
    view: _View, lefts: list[PlannedFoot], rights: list[PlannedFoot]
) -> tuple[float, tuple[PlannedFoot, PlannedFoot]]:
    """The cheapest two ways that go together: off the floor with both feet costs extra, unless either motion is."""
    grounded, last, each = view.grounded, len(view.grounded) - 1, 8.0 / view.ends.old.fps
    best: tuple[float, tuple[PlannedFoot, PlannedFoot]] | None = None
    for left, right in product(lefts, rights):
        cost = left.cost + right.cost
        if best is not None and cost >= best[0]:
            continue
        first, end = min(max(left.lift, right.lift) + 1, last), min(left.land, right.land, last)
        if end > first:
            cost += each * (grounded[end] - grounded[first])
        if best is None or cost < best[0]:
            best = cost, (left, right)
    assert best is not None  # a foot can always step late
    return best


def _tracks(placed: _Placed, foot: int, old: list[Contact], new: list[Contact]) -> Iterator[PlannedFoot]:
    """Every way a foot may go."""
    now = old[0] if old and old[0].first <= 0 else None
    soon = old[0] if old and old[0].first <= round(STEP_SOON_S * placed.view.ends.old.fps) else None
    if soon is not None:
        yield from _holds(placed, foot, soon, new)
    yield from _steps(placed, foot, now, new)


def _holds(placed: _Placed, foot: int, old: Contact, new: list[Contact]) -> Iterator[PlannedFoot]:
    ends = placed.view.ends
    fps = ends.old.fps
    for i, (first, last, rest, stood) in enumerate(new):
        if first > max(old.last, old.first + round(0.1 * fps)) or last < max(old.first, 0) + round(STEP_REST_S * fps):
            continue
        x, z = placed.point(stood.tolist())
        land = new[i + 1].first if i + 1 < len(new) else NEVER
        up = float(old.place[1]) - (float(stood[1]) + placed.shift[1]) if land < NEVER else 0.0
        offset = float(old.place[0]) - x, up, float(old.place[2]) - z
        far = hypot(offset[0], offset[2])
        if far > STEP_HELD_FAR_M or (land < NEVER and land - last < 0.6 * step_frames(far, fps)):
            continue
        at_old, at_new = ends.leave + min(old.rest, old.last), ends.start + min(rest, last)
        turn = (_yaw_between(placed.view, foot, at_new, at_old) - placed.turn + np.pi) % (2.0 * np.pi) - np.pi
        if abs(turn) > STEP_HELD_TURN_RAD:
            continue
        waits = max(0, last - old.last) / fps  # kept down longer than the left motion had it
        long = 1.0 if land == NEVER else min(1.0, max(0.0, last / fps - 0.5))  # a crooked stand is seen
        cost = (1.0 + 3.0 * long) * far / 0.12 + (1.0 + long) * abs(turn) / 0.6 + 0.7 * min(waits, 1.0)
        still = max(old.rest, 0), min(last, max(ends.length, old.rest) + round(fps))
        place = x, float(stood[1]) + placed.shift[1], z
        yield PlannedFoot(True, last, land, old.last, rest, still, turn, False, False, place, offset, cost, far, fps)


def _steps(placed: _Placed, foot: int, now: Contact | None, new: list[Contact]) -> Iterator[PlannedFoot]:
    view = placed.view
    ends, horizon, fps = view.ends, view.horizon, view.ends.old.fps
    lifts = (
        [0]
        if now is None
        else sorted({min(round(ends.calm * s * fps), now.last) for s in STEP_LIFTS_S} | {min(now.last, round(fps))})
    )
    least = round(STEP_REST_S * fps)
    for lift in lifts:
        free = now is None or lift == now.last
        at = _standing(view, foot, lift if now is not None else 0)
        landed = False
        for first, last, _, _ in new:
            if last <= lift or first > horizon:
                continue
            x, z = placed.point(view.new_ball[min(max(first, lift) + 2, last, horizon)][foot])
            far = hypot(x - at[0], z - at[2])
            off, need = far, round(ends.calm * step_frames(far, fps))
            if free:  # both swing: what counts is how far apart their ways are, and how differently fast
                off, faster = _apart(placed, foot, lift)
                off = min(far, off)
                need = max(step_frames(off, fps, True), ceil(fps * 2.5 * faster / STEP_SWING_M_S2))
            land = max(first, lift + need)
            if land > horizon or last - land < least:
                continue
            late = max(0, land - max(first, 0)) / fps / ends.calm
            early = 0.0 if now is None else (now.last - lift) / fps
            swing = (land - lift) / fps
            hurry = 7.5 * off / swing**2
            cost = 0.7 + 1.5 * late + 0.3 * min(early, 1.0) + 0.015 * hurry + 0.8 * max(0.0, swing - 0.7 * ends.calm)
            cost += 0.0 if now is None else 10.0 * max(0.0, _behind(placed, at, lift) - STEP_BEHIND_M)
            yield _step(lift, land, free, now is not None, late > 0.0, cost, far, fps)
            landed = True
            break
        if not landed:  # the target never stands on it, or not for long enough: the foot joins it in its swing
            land = min(max(ends.length, lift + round(0.3 * fps)), horizon)
            cost = 6.0 if any(c.last > lift for c in new) else 1.5
            yield _step(lift, land, free, now is not None, False, cost, -1.0, fps)


def _standing(view: _View, foot: int, k: int) -> Point:
    """Where a ball of the left motion is at a frame; one that stands may do so beyond the horizon."""
    if k <= view.horizon:
        return view.old_ball[k][foot]
    return list(view.ends.old.ball[view.ends.leave + k, foot].tolist())


def _step(
    lift: int, land: int, free: bool, low_start: bool, low_end: bool, cost: float, far: float, fps: float
) -> PlannedFoot:
    """A step; free: the left motion lifts the foot itself, and is followed on."""
    at, last = (0.0, 0.0, 0.0), NEVER if free else lift
    return PlannedFoot(False, lift, land, last, 0, (0, 0), 0.0, low_start, low_end, at, at, cost, far, fps)


def _behind(placed: _Placed, at: Point, k: int) -> float:
    """How far the body is from a foot that still stands at frame k, metres over the floor."""
    view = placed.view
    share, k = min(k / max(view.ends.length, 1), 1.0), min(k, view.horizon)
    x, z = placed.point(view.new_root[k])
    old = view.old_root[k]
    return hypot((1.0 - share) * old[0] + share * x - at[0], (1.0 - share) * old[2] + share * z - at[2])


def _apart(placed: _Placed, foot: int, lift: int) -> tuple[float, float]:
    """How far apart two swinging feet are a moment after the lift, metres, and their speeds, m/s."""
    view, fps = placed.view, placed.view.ends.old.fps
    step = max(1, round(0.03 * fps))
    k = [min(lift + round(0.1 * fps) + by, view.horizon) for by in (-step, 0, step)]
    apart = []
    for n in k:
        (x, z), old = placed.point(view.new_ball[n][foot]), view.old_ball[n][foot]
        apart.append((old[0] - x, old[2] - z))
    rate = fps / max(1, k[2] - k[0])
    return hypot(*apart[1]), rate * hypot(apart[2][0] - apart[0][0], apart[2][1] - apart[0][1])


def _yaw_between(view: _View, foot: int, new: int, old: int) -> float:
    """The turn about the vertical from the target's foot at one frame to the left motion's at another, radians."""
    if (foot, new, old) not in view.turns:
        w, x, y, z = view.ends.new.foot[new, foot].tolist()
        turn = rotation.product(tuple(view.ends.old.foot[old, foot].tolist()), (w, -x, -y, -z))
        sign = -1.0 if turn[0] < 0.0 else 1.0
        view.turns[foot, new, old] = 2.0 * atan2(sign * turn[2], sign * turn[0])  # of its twist about the vertical
    return view.turns[foot, new, old]
