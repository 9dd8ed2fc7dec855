"""Step search: the cheapest plan of both feet, over every placement of the target that is worth trying.

The target is placed where the root's velocities lead, with a standing foot on its own place, or with both. At each
placement every way that either foot may go is tried (`step_ways`); the cheapest two that go together win. Nothing here
is fused or reordered: ways that cost the same must stay a tie, which the first wins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel, part, read_only
from footfall.feet.foot_paths import FootPaths
from footfall.feet.limits import STEP_LIFTS_S, STEP_REST_S, STEP_SETTLED_M, STEP_SOON_S
from footfall.feet.step_plan import COLUMNS, COST, LAND, LIFT, JoinEnds, StepPlan, unpacked
from footfall.feet.step_ways import AT, CONTACT, COSTS, EXACT, FIRST, LAST, STILL, carried, find_ways, rounded
from footfall.kinematics.floor_align import FloorTransform

DRIFT = 5.8  # largest acceleration of a quintic change by 1 m in 1 s, m/s²
SETTLING = 6  # one part in so many of a contact, at either end, does not count for where it stands
TURNED_MOST_RAD = 1.0  # the target is not turned farther to bring both feet onto their places. By eye, on pairs


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
