"""Step search: the cheapest plan of both feet, over every placement of the target that is worth trying.

The target is placed where the root's velocities lead, with a standing foot on its own place, or with both. At each
placement every contact that may hold a foot and every moment at which it may step is tried; the cheapest two ways that
go together win. Nothing here is fused or reordered: ways that cost the same must stay a tie, which the first wins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel, part, read_only
from footfall.feet.foot_paths import FootPaths
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
from footfall.feet.step_plan import (
    COLUMNS,
    COST,
    FAR,
    HELD,
    LAND,
    LET_GO,
    LIFT,
    LOW_END,
    LOW_START,
    NEVER,
    NEW_FIRST,
    OFFSET,
    OLD_LAST,
    PLACE,
    REST,
    TURN,
    JoinEnds,
    StepPlan,
    unpacked,
)
from footfall.kinematics.floor_align import FloorTransform

FIRST, LAST, STILL, AT = 0, 1, 2, 3  # columns of a contact: frames, from when on it is at rest; AT takes three
CONTACT = 6
GENTLE = 7.5  # largest acceleration of a gentle (septic) change by 1 m in 1 s, m/s²
DRIFT = 5.8  # largest acceleration of a quintic change by 1 m in 1 s, m/s²
SETTLING = 6  # one part in so many of a contact, at either end, does not count for where it stands
TURNED_MOST_RAD = 1.0  # the target is not turned farther to bring both feet onto their places. By eye, on pairs
LATE_S = 0.1  # seconds that a contact may begin after the old one has ended, and still hold its foot. By eye, on pairs
SHORT_SWING = 0.6  # of a step's frames: what is left to swing after a foot was held, at least. By eye, on pairs
APART_S, APART_STEP_S = 0.1, 0.03  # seconds after the lift at which swings are compared, and to either side. By eye
TURNS_SWING = 2.5  # m/s² that evening out speeds which differ by 1 m/s asks for within 1 s. By eye, on pairs
INTO_SWING_S = 0.3  # seconds in which a foot that finds no contact joins the target's swing. By eye, on pairs
STEADY_FRAMES = 2  # after a contact's first frame its ball is where it will stand
EXACT: dict[str, Any] = {"fastmath": False}


class StepCosts(NamedTuple):
    """What each part of a plan costs. By eye, on joins of captured and built-in clips."""

    held_far_m: float = 0.12  # metres off the target's place that cost 1
    held_far_long: float = 3.0  # so many times more where the foot is held long: a crooked stand is seen
    held_turn_rad: float = 0.6  # radians of turn that cost 1
    held_turn_long: float = 1.0
    held_long_from_s: float = 0.5  # held longer than this is long, fully so a second later
    held_waits: float = 0.7  # a second kept down longer than the left motion had it, at most a second's worth
    step: float = 0.7  # any step
    late: float = 1.5  # a second that it lands after the target's foot
    early: float = 0.3  # a second that it leaves before the left motion lifts it, at most a second's worth
    hurry: float = 0.015  # one m/s² of the swing
    slow: float = 0.8  # a second that the swing takes longer than slow_from_s
    slow_from_s: float = 0.7
    left_behind: float = 10.0  # a metre that a standing foot is farther from the body than STEP_BEHIND_M
    too_late: float = 6.0  # no contact that is left can be reached in time
    only_swings: float = 1.5  # the target does not stand on this foot any more
    floating: float = 8.0  # a second with both feet off the floor where neither motion is
    drift: float = 0.12  # one m/s² by which the body is led astray from where the velocities lead
    turned: float = 0.5  # one rad/s by which it is turned astray


COSTS = StepCosts()


class _Feet(NamedTuple):
    """What is asked of one motion."""

    ball: Any  # (T, 2, 3)
    foot: Any  # (T, 2, 4)
    root: Any  # (T, 3)
    down: Any  # (T, 2)


class _Join(NamedTuple):
    """JoinEnds as kernels have it."""

    old: _Feet
    new: _Feet
    leave: int  # frame of old at the departure
    start: int  # frame of new at the departure
    length: int
    horizon: int
    fps: float
    calm: float


def plan(ends: JoinEnds, natural: FloorTransform) -> StepPlan:
    """The cheapest plan over every placement worth trying; `natural` is where the velocities lead."""
    return _plan(ends, natural, np.empty((0, 4)))


def plan_at(ends: JoinEnds, placement: FloorTransform, natural: FloorTransform) -> StepPlan:
    """The cheapest plan with the target placed so; what is farther from `natural` costs more."""
    return _plan(ends, natural, _floor(placement)[None])


def _plan(ends: JoinEnds, natural: FloorTransform, tried: np.ndarray) -> StepPlan:
    fps, feet, floor = ends.old.fps, np.empty((2, COLUMNS)), np.empty(4)
    times = int(ends.leave), int(ends.start), int(ends.length), int(ends.horizon), float(fps), float(ends.calm)
    cost = search(_Join(_feet(ends.old), _feet(ends.new), *times), _floor(natural), tried, feet, floor)
    left, right = (unpacked(row, fps) for row in feet.tolist())
    end = max(ends.length, left.land, right.land)
    return StepPlan((left, right), FloorTransform(floor[0], floor[1:]), ends.length, end, cost)


def _feet(paths: FootPaths) -> _Feet:
    return _Feet(read_only(paths.ball), read_only(paths.foot), read_only(paths.root), paths.down)


def _floor(placement: FloorTransform) -> np.ndarray:
    """(4,) turn, and shift along x, y, z."""
    return np.array([float(placement.turn), *placement.shift])


@part(**EXACT)
def rounded(x: float) -> int:
    return int(np.rint(x))


@part(**EXACT)
def carried(floor: Any, p: Any) -> Any:
    """x and z of a point of the target placed by floor (4,)."""
    cosine, sine = np.cos(floor[0]), np.sin(floor[0])
    return cosine * p[0] + sine * p[2] + floor[1], cosine * p[2] - sine * p[0] + floor[3]


@part(**EXACT)
def median(x: Any, scratch: Any) -> float:
    """Of x (N,), few."""
    for i in range(len(x)):
        j, value = i, x[i]
        while j > 0 and scratch[j - 1] > value:
            scratch[j] = scratch[j - 1]
            j -= 1
        scratch[j] = value
    middle = len(x) // 2
    return scratch[middle] if len(x) % 2 else 0.5 * (scratch[middle - 1] + scratch[middle])


@part(**EXACT)
def find_contacts(feet: Any, foot: int, zero: int, until: int, fps: float, scratch: Any, out: Any) -> int:
    """Contacts of one foot into out (C, CONTACT), and how many: those that are not over at the departure, frame zero,
    and begin by frame until; one that has begun before keeps its start."""
    count, begin = 0, -1
    for n in range(len(feet.down) + 1):
        if n < len(feet.down) and feet.down[n, foot]:
            begin = n if begin < 0 else begin
            continue
        if begin < 0:
            continue
        a, b, begin = begin, n - 1, -1
        if b <= zero or a > until:
            continue
        start = max(a, zero)
        end = min(b, start + rounded(fps)) + 1
        skip = (end - start) // SETTLING
        for c in range(3):
            out[count, AT + c] = median(feet.ball[start + skip : max(end - skip, start + 1), foot, c], scratch)
        still = start
        for k in range(start, end):
            off = 0.0
            for c in range(3):
                off = max(off, abs(feet.ball[k, foot, c] - out[count, AT + c]))
            if off < STEP_SETTLED_M:
                still = k
                break
        out[count, FIRST], out[count, LAST], out[count, STILL] = a - zero, b - zero, still - zero
        count += 1
    return count


@part(**EXACT)
def shared_contact(old: Any, new: Any, fps: float) -> int:
    """The target's contact during which the foot stands in both motions; -1: there is none."""
    if len(old) == 0 or old[0, FIRST] > rounded(STEP_SOON_S * fps):
        return -1
    for i in range(len(new)):
        both = max(new[i, FIRST], max(old[0, FIRST], 0.0))
        if new[i, LAST] >= both + rounded(STEP_REST_S * fps) and new[i, FIRST] <= max(old[0, LAST], 0.0):
            return i
    return -1


@part(**EXACT)
def find_placements(old: Any, new: Any, shared: Any, natural: Any, out: Any) -> int:
    """Placements worth trying into out (4, 4), and how many: the natural one, each foot on its place, both.

    old and new (2, C, CONTACT); shared (2,) the target's contacts that both motions stand on, or -1.
    """
    count = 1
    for c in range(4):
        out[0, c] = natural[c]
    for foot in range(2):
        if shared[foot] >= 0:
            x, z = carried(natural, new[foot, shared[foot], AT:])
            out[count, 0], out[count, 2] = natural[0], natural[2]
            out[count, 1] = natural[1] + (old[foot, 0, AT] - x)
            out[count, 3] = natural[3] + (old[foot, 0, AT + 2] - z)
            count += 1
    if count < 3:
        return count
    x0, z0 = carried(natural, new[0, shared[0], AT:])
    x1, z1 = carried(natural, new[1, shared[1], AT:])
    wanted = np.arctan2(old[1, 0, AT] - old[0, 0, AT], old[1, 0, AT + 2] - old[0, 0, AT + 2])
    turn = wanted - np.arctan2(x1 - x0, z1 - z0)
    turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
    if not abs(turn) < TURNED_MOST_RAD:
        return count
    cosine, sine = np.cos(turn), np.sin(turn)
    x, z = 0.5 * (x0 + x1), 0.5 * (z0 + z1)
    shift_x, shift_z = cosine * natural[1] + sine * natural[3], cosine * natural[3] - sine * natural[1]
    out[count, 0], out[count, 2] = natural[0] + turn, natural[2]
    out[count, 1] = shift_x + 0.5 * (old[0, 0, AT] + old[1, 0, AT]) - (cosine * x + sine * z)
    out[count, 3] = shift_z + 0.5 * (old[0, 0, AT + 2] + old[1, 0, AT + 2]) - (cosine * z - sine * x)
    return count + 1


@part(**EXACT)
def step_frames(distance: float, fps: float, swings: bool) -> int:
    """How many frames a step over a distance takes; a foot that swings anyway needs only time to change its way."""
    least = STEP_SWING_S if swings else STEP_S + STEP_S_M * distance
    return int(np.ceil(fps * max(least, np.sqrt(GENTLE * distance / STEP_REACH_M_S2))))


@part(**EXACT)
def yaw_between(new: Any, old: Any) -> float:
    """The turn about the vertical from one rotation (4,) to another, radians."""
    w = old[0] * new[0] + old[1] * new[1] + old[2] * new[2] + old[3] * new[3]
    y = -old[0] * new[2] + old[1] * new[3] + old[2] * new[0] - old[3] * new[1]
    sign = -1.0 if w < 0.0 else 1.0
    return 2.0 * np.arctan2(sign * y, sign * w)


@part(**EXACT)
def find_holds(foot: int, old: Any, new: Any, floor: Any, join: Any, out: Any) -> int:
    """Every way to hold a foot where contact old (CONTACT,) has it, into out (M, COLUMNS), and how many."""
    count, fps = 0, join.fps
    for i in range(len(new)):
        first, last, rest = new[i, FIRST], new[i, LAST], new[i, STILL]
        if first > max(old[LAST], old[FIRST] + rounded(LATE_S * fps)):
            continue
        if last < max(old[FIRST], 0.0) + rounded(STEP_REST_S * fps):
            continue
        x, z = carried(floor, new[i, AT:])
        off_x, off_z = old[AT] - x, old[AT + 2] - z
        far = np.hypot(off_x, off_z)
        land = new[i + 1, FIRST] if i + 1 < len(new) else float(NEVER)
        if far > STEP_HELD_FAR_M or (land < NEVER and land - last < SHORT_SWING * step_frames(far, fps, False)):
            continue
        at_old, at_new = join.leave + int(min(old[STILL], old[LAST])), join.start + int(min(rest, last))
        turn = yaw_between(join.new.foot[at_new, foot], join.old.foot[at_old, foot]) - floor[0]
        turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
        if abs(turn) > STEP_HELD_TURN_RAD:
            continue
        waits = max(0.0, last - old[LAST]) / fps
        long = 1.0 if land == NEVER else min(1.0, max(0.0, last / fps - COSTS.held_long_from_s))
        cost = (1.0 + COSTS.held_far_long * long) * far / COSTS.held_far_m
        cost += (1.0 + COSTS.held_turn_long * long) * abs(turn) / COSTS.held_turn_rad
        cost += COSTS.held_waits * min(waits, 1.0)
        way = out[count]
        way[HELD], way[LIFT], way[LAND], way[OLD_LAST], way[NEW_FIRST] = 1.0, last, land, old[LAST], rest
        way[REST], way[LET_GO] = max(old[STILL], 0.0), min(last, max(float(join.length), old[STILL]) + rounded(fps))
        way[TURN], way[LOW_START], way[LOW_END], way[COST], way[FAR] = turn, 0.0, 0.0, cost, far
        level = new[i, AT + 1] + floor[2]
        up = old[AT + 1] - level if land < NEVER else 0.0  # floors slope: until it lifts, it stays as high as it stands
        way[PLACE], way[PLACE + 1], way[PLACE + 2] = x, level, z
        way[OFFSET], way[OFFSET + 1], way[OFFSET + 2] = off_x, up, off_z
        count += 1
    return count


@part(**EXACT)
def swings_apart(foot: int, lift: int, floor: Any, join: Any) -> Any:
    """How far apart two swinging feet are a moment after the lift, metres, and how much their speeds differ, m/s."""
    fps, last, old, new = join.fps, join.horizon, join.old.ball, join.new.ball
    step, middle = max(1, rounded(APART_STEP_S * fps)), lift + rounded(APART_S * fps)
    before, now, then = min(middle - step, last), min(middle, last), min(middle + step, last)
    x0, z0 = carried(floor, new[join.start + before, foot])
    x1, z1 = carried(floor, new[join.start + now, foot])
    x2, z2 = carried(floor, new[join.start + then, foot])
    a, b, c = old[join.leave + before, foot], old[join.leave + now, foot], old[join.leave + then, foot]
    rate = fps / max(1, then - before)
    far = np.hypot(b[0] - x1, b[2] - z1)
    return far, rate * np.hypot((c[0] - x2) - (a[0] - x0), (c[2] - z2) - (a[2] - z0))


@part(**EXACT)
def body_away(at: Any, k: int, floor: Any, join: Any) -> float:
    """How far the body is from a foot that still stands at frame k, metres over the floor."""
    share, k = min(k / max(join.length, 1), 1.0), min(k, join.horizon)
    x, z = carried(floor, join.new.root[join.start + k])
    old = join.old.root[join.leave + k]
    return np.hypot((1.0 - share) * old[0] + share * x - at[0], (1.0 - share) * old[2] + share * z - at[2])


@part(**EXACT)
def find_lifts(left: float, fps: float, calm: float, out: Any) -> int:
    """When a foot may begin to step, in order, each once; left: the last frame of its contact, -1 where it swings."""
    if left < 0.0:
        out[0] = 0
        return 1
    count = 0
    for i in range(len(STEP_LIFTS_S) + 1):
        at = rounded(fps) if i == len(STEP_LIFTS_S) else rounded(calm * STEP_LIFTS_S[i] * fps)
        at = int(min(float(at), left))
        j = count
        while j > 0 and out[j - 1] > at:
            j -= 1
        if j > 0 and out[j - 1] == at:
            continue
        for k in range(count, j, -1):
            out[k] = out[k - 1]
        out[j] = at
        count += 1
    return count


@part(**EXACT)
def put_step(way: Any, lift: int, land: int, left: float, late: bool, cost: float, far: float) -> None:
    """A step; where the left motion lifts the foot itself, or swings it, it is followed on."""
    for c in range(COLUMNS):
        way[c] = 0.0
    free = left < 0.0 or lift == left
    way[LIFT], way[LAND], way[OLD_LAST] = lift, land, NEVER if free else lift
    way[LOW_START], way[LOW_END], way[COST], way[FAR] = 1.0 if left >= 0.0 else 0.0, 1.0 if late else 0.0, cost, far


@part(**EXACT)
def find_landing(foot: int, lift: int, left: float, new: Any, floor: Any, join: Any, way: Any) -> bool:
    """The first contact of the target that a foot lifted then can reach; False: there is none."""
    fps, calm, horizon, stands = join.fps, join.calm, join.horizon, left >= 0.0
    at = join.old.ball[join.leave + (lift if stands else 0), foot]
    for i in range(len(new)):
        first, last = int(new[i, FIRST]), int(new[i, LAST])
        if last <= lift or first > horizon:
            continue
        steady = min(max(first, lift) + STEADY_FRAMES, min(last, horizon))
        x, z = carried(floor, join.new.ball[join.start + steady, foot])
        far = np.hypot(x - at[0], z - at[2])
        off, need = far, rounded(calm * step_frames(far, fps, False))
        if not stands or lift == left:  # both swing: what counts is how far apart their ways are, and their speeds
            off, faster = swings_apart(foot, lift, floor, join)
            off = min(far, off)
            need = max(step_frames(off, fps, True), int(np.ceil(fps * TURNS_SWING * faster / STEP_SWING_M_S2)))
        land = max(first, lift + need)
        if land > horizon or last - land < rounded(STEP_REST_S * fps):
            continue
        late = max(0, land - max(first, 0)) / fps / calm
        early = (left - lift) / fps if stands else 0.0
        swing = (land - lift) / fps
        cost = COSTS.step + COSTS.late * late + COSTS.early * min(early, 1.0)
        cost += COSTS.hurry * (GENTLE * off / (swing * swing))
        cost += COSTS.slow * max(0.0, swing - COSTS.slow_from_s * calm)
        if stands:
            cost += COSTS.left_behind * max(0.0, body_away(at, lift, floor, join) - STEP_BEHIND_M)
        put_step(way, lift, land, left, late > 0.0, cost, far)
        return True
    return False


@part(**EXACT)
def find_ways(foot: int, old: Any, new: Any, floor: Any, join: Any, lifts: Any, out: Any) -> int:
    """Every way a foot may go, into out (M, COLUMNS), and how many; old and new (C, CONTACT) its contacts."""
    fps, count = join.fps, 0
    if len(old) > 0 and old[0, FIRST] <= rounded(STEP_SOON_S * fps):
        count = find_holds(foot, old[0], new, floor, join, out)
    left = old[0, LAST] if len(old) > 0 and old[0, FIRST] <= 0.0 else -1.0
    for i in range(find_lifts(left, fps, join.calm, lifts)):
        lift = int(lifts[i])
        if not find_landing(foot, lift, left, new, floor, join, out[count]):
            # the target never stands on it, or not for long enough: the foot joins it in its swing
            missed = False
            for k in range(len(new)):
                missed = missed or new[k, LAST] > lift
            land = min(max(join.length, lift + rounded(INTO_SWING_S * fps)), join.horizon)
            put_step(out[count], lift, land, left, False, COSTS.too_late if missed else COSTS.only_swings, -1.0)
        count += 1
    return count


@part(**EXACT)
def cheapest(lefts: Any, rights: Any, grounded: Any, fps: float, best: Any) -> float:
    """What the cheapest two ways that go together cost, their rows into best (2,): off the floor with both feet costs
    extra, unless either motion is."""
    last, each, least = len(grounded) - 1, COSTS.floating / fps, np.inf
    for i in range(len(lefts)):
        for j in range(len(rights)):
            cost = lefts[i, COST] + rights[j, COST]
            if cost >= least:
                continue
            first = int(min(max(lefts[i, LIFT], rights[j, LIFT]) + 1.0, float(last)))
            end = int(min(min(lefts[i, LAND], rights[j, LAND]), float(last)))
            if end > first:
                cost += each * (grounded[end] - grounded[first])
            if cost < least:
                least, best[0], best[1] = cost, i, j
    return least


@part(**EXACT)
def count_grounded(join: Any, out: Any) -> None:
    """How many frames before each at least one foot of either motion should be down: out (horizon + 2,)."""
    out[0] = 0
    for k in range(len(out) - 1):
        old, new = join.old.down[join.leave + k], join.new.down[join.start + k]
        flies = k <= join.length and not (old[0] or old[1])
        flies = flies or not (new[0] or new[1])
        out[k + 1] = out[k] + (0 if flies else 1)


@part(**EXACT)
def astray(place: Any, natural: Any, join: Any) -> float:
    """What it costs the body to arrive at a placement instead of the natural one."""
    root, seconds = join.new.root[join.start + join.length], join.length / join.fps
    x, z = carried(place, root)
    wanted_x, wanted_z = carried(natural, root)
    drift = DRIFT * np.hypot(x - wanted_x, z - wanted_z) / (seconds * seconds)
    return COSTS.drift * drift + COSTS.turned * abs(place[0] - natural[0]) / seconds


@kernel(**EXACT)
def search(join: Any, natural: Any, given: Any, feet: Any, floor: Any) -> float:
    """The cheapest plan: its ways into feet (2, COLUMNS), its placement into floor (4,); what it costs.

    natural (4,): turn and shift; given (P, 4): the placements to try, none for all worth trying.
    """
    most = 2 + max(len(join.old.down), len(join.new.down)) // 2
    old, new, scratch = np.empty((2, most, CONTACT)), np.empty((2, most, CONTACT)), np.empty(rounded(join.fps) + 2)
    olds, news, shared = np.empty(2, np.int64), np.empty(2, np.int64), np.empty(2, np.int64)
    reach = join.horizon + join.length
    for foot in range(2):
        olds[foot] = find_contacts(join.old, foot, join.leave, join.leave + reach, join.fps, scratch, old[foot])
        news[foot] = find_contacts(join.new, foot, join.start, join.start + reach, join.fps, scratch, new[foot])
        shared[foot] = shared_contact(old[foot, : olds[foot]], new[foot, : news[foot]], join.fps)
    tried, grounded = np.empty((4, 4)), np.empty(join.horizon + 2, np.int64)
    count = find_placements(old, new, shared, natural, tried)
    count_grounded(join, grounded)
    found, best = np.empty((2, most + len(STEP_LIFTS_S) + 1, COLUMNS)), np.empty(2, np.int64)
    lifts, least = np.empty(len(STEP_LIFTS_S) + 1), np.inf
    for p in range(len(given) if len(given) else count):
        place = given[p] if len(given) else tried[p]
        cost = astray(place, natural, join)
        if cost >= least:  # feet cost something too
            continue
        lefts = find_ways(0, old[0, : olds[0]], new[0, : news[0]], place, join, lifts, found[0])
        if cost + found[0, :lefts, COST].min() >= least:
            continue
        rights = find_ways(1, old[1, : olds[1]], new[1, : news[1]], place, join, lifts, found[1])
        cost = cheapest(found[0, :lefts], found[1, :rights], grounded, join.fps, best) + cost
        if cost < least:
            least = cost
            for c in range(COLUMNS):
                feet[0, c], feet[1, c] = found[0, best[0], c], found[1, best[1], c]
            for c in range(4):
                floor[c] = place[c]
    return least
