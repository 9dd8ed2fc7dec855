"""Compiled planning of footsteps: the cheapest way of both feet over every placement of the target.

The readable twin, used as its oracle, is `feet.footsteps.plan`; the constants below are its own, and a test
holds them together. Nothing here is fused or reordered: ways that cost the same must stay a tie, which the first wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.feet.join_feet import (
    COLUMNS,
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
)

STEP_S, STEP_S_M, SWIFT_M_S2, SWING_M_S2, SWING_S = 0.32, 0.25, 16.0, 25.0, 0.12  # as feet.footsteps, all of
REST_S, SOON_S, SETTLED_M, FAR_M, TURN_RAD = 0.1, 0.3, 0.012, 0.35, 0.6  # these
LIFTS_S = (0.0, 0.08, 0.16, 0.26, 0.36, 0.46, 0.6)
BEHIND_M, LEFT_BEHIND, GENTLE = 0.55, 10.0, 7.5

COST, FAR = COLUMNS, COLUMNS + 1  # of a way, after the columns of a packed track; FAR is -1 for a foot that never lands
WAY = COLUMNS + 2
FIRST, LAST, STILL, AT = 0, 1, 2, 3  # columns of a contact; AT takes three
CONTACT = 6
EXACT: dict[str, Any] = {"fastmath": False}


@part(**EXACT)
def rounded(x: float) -> int:
    return int(np.rint(x))


@part(**EXACT)
def carried(floor: Any, p: Any) -> Any:
    """x and z of a point of the target placed by floor (4,): turn, and shift along x, y, z."""
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
def contacts(down: Any, ball: Any, foot: int, zero: int, until: int, fps: float, scratch: Any, out: Any) -> int:
    """footsteps._contacts of one foot into out (C, CONTACT); how many."""
    count, begin = 0, -1
    for n in range(len(down) + 1):
        if n < len(down) and down[n, foot]:
            begin = n if begin < 0 else begin
            continue
        if begin < 0:
            continue
        a, b, begin = begin, n - 1, -1
        if b <= zero or a > until:
            continue
        start = max(a, zero)
        end = min(b, start + rounded(fps)) + 1
        skip = (end - start) // 6
        for c in range(3):
            out[count, AT + c] = median(ball[start + skip : max(end - skip, start + 1), foot, c], scratch)
        still = start
        for k in range(start, end):
            off = 0.0
            for c in range(3):
                off = max(off, abs(ball[k, foot, c] - out[count, AT + c]))
            if off < SETTLED_M:
                still = k
                break
        out[count, FIRST], out[count, LAST], out[count, STILL] = a - zero, b - zero, still - zero
        count += 1
    return count


@part(**EXACT)
def same_contact(old: Any, olds: int, new: Any, news: int, fps: float) -> int:
    """The target's contact during which the foot stands in both (footsteps._same_contact); -1: there is none."""
    if olds == 0 or old[0, FIRST] > rounded(SOON_S * fps):
        return -1
    for i in range(news):
        both = max(new[i, FIRST], max(old[0, FIRST], 0.0))
        if new[i, LAST] >= both + rounded(REST_S * fps) and new[i, FIRST] <= max(old[0, LAST], 0.0):
            return i
    return -1


@part(**EXACT)
def placements(old: Any, new: Any, same: Any, natural: Any, out: Any) -> int:
    """footsteps._placements into out (4, 4); old and new (2, C, CONTACT), same (2,) the contacts shared, or -1."""
    count = 1
    for c in range(4):
        out[0, c] = natural[c]
    for foot in range(2):
        if same[foot] >= 0:
            x, z = carried(natural, new[foot, same[foot], AT:])
            out[count, 0], out[count, 2] = natural[0], natural[2]
            out[count, 1] = natural[1] + (old[foot, 0, AT] - x)
            out[count, 3] = natural[3] + (old[foot, 0, AT + 2] - z)
            count += 1
    if count < 3:
        return count
    x0, z0 = carried(natural, new[0, same[0], AT:])
    x1, z1 = carried(natural, new[1, same[1], AT:])
    wanted = np.arctan2(old[1, 0, AT] - old[0, 0, AT], old[1, 0, AT + 2] - old[0, 0, AT + 2])
    turn = wanted - np.arctan2(x1 - x0, z1 - z0)
    turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
    if not abs(turn) < 1.0:
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
    least = SWING_S if swings else STEP_S + STEP_S_M * distance
    return int(np.ceil(fps * max(least, np.sqrt(GENTLE * distance / SWIFT_M_S2))))


@part(**EXACT)
def yaw_between(new: Any, old: Any) -> float:
    """The turn about the vertical from one rotation (4,) to another, radians."""
    w = old[0] * new[0] + old[1] * new[1] + old[2] * new[2] + old[3] * new[3]
    y = -old[0] * new[2] + old[1] * new[3] + old[2] * new[0] - old[3] * new[1]
    sign = -1.0 if w < 0.0 else 1.0
    return 2.0 * np.arctan2(sign * y, sign * w)


@part(**EXACT)
def holds(
    foot: int, old: Any, new: Any, news: int, floor: Any, old_feet: Any, new_feet: Any, spans: Any, fps: float, out: Any
) -> int:
    """footsteps._holds into out (M, WAY); spans: frames of old and of new at the departure, length, horizon."""
    count = 0
    for i in range(news):
        first, last, rest = new[i, FIRST], new[i, LAST], new[i, STILL]
        if first > max(old[LAST], old[FIRST] + rounded(0.1 * fps)):
            continue
        if last < max(old[FIRST], 0.0) + rounded(REST_S * fps):
            continue
        x, z = carried(floor, new[i, AT:])
        off_x, off_z = old[AT] - x, old[AT + 2] - z
        far = np.hypot(off_x, off_z)
        land = new[i + 1, FIRST] if i + 1 < news else float(NEVER)
        if far > FAR_M or (land < NEVER and land - last < 0.6 * step_frames(far, fps, False)):
            continue
        at_old, at_new = spans[0] + int(min(old[STILL], old[LAST])), spans[1] + int(min(rest, last))
        turn = yaw_between(new_feet[at_new, foot], old_feet[at_old, foot]) - floor[0]
        turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
        if abs(turn) > TURN_RAD:
            continue
        waits = max(0.0, last - old[LAST]) / fps
        long = 1.0 if land == NEVER else min(1.0, max(0.0, last / fps - 0.5))
        cost = (1.0 + 3.0 * long) * far / 0.12 + (1.0 + long) * abs(turn) / 0.6 + 0.7 * min(waits, 1.0)
        way = out[count]
        way[HELD], way[LIFT], way[LAND], way[OLD_LAST], way[NEW_FIRST] = 1.0, last, land, old[LAST], rest
        way[REST], way[LET_GO] = max(old[STILL], 0.0), min(last, max(float(spans[2]), old[STILL]) + rounded(fps))
        way[TURN], way[LOW_START], way[LOW_END], way[COST], way[FAR] = turn, 0.0, 0.0, cost, far
        way[PLACE], way[PLACE + 1], way[PLACE + 2] = x, new[i, AT + 1] + floor[2], z
        way[OFFSET], way[OFFSET + 1], way[OFFSET + 2] = off_x, 0.0, off_z
        count += 1
    return count


@part(**EXACT)
def apart(foot: int, lift: int, floor: Any, old_ball: Any, new_ball: Any, spans: Any, fps: float) -> Any:
    """How far apart two swinging feet are a moment after the lift, metres, and their speeds (footsteps._apart)."""
    step, middle = max(1, rounded(0.03 * fps)), lift + rounded(0.1 * fps)
    before, now, then = min(middle - step, spans[3]), min(middle, spans[3]), min(middle + step, spans[3])
    x0, z0 = carried(floor, new_ball[spans[1] + before, foot])
    x1, z1 = carried(floor, new_ball[spans[1] + now, foot])
    x2, z2 = carried(floor, new_ball[spans[1] + then, foot])
    a, b, c = old_ball[spans[0] + before, foot], old_ball[spans[0] + now, foot], old_ball[spans[0] + then, foot]
    rate = fps / max(1, then - before)
    far = np.hypot(b[0] - x1, b[2] - z1)
    return far, rate * np.hypot((c[0] - x2) - (a[0] - x0), (c[2] - z2) - (a[2] - z0))


@part(**EXACT)
def behind(at: Any, k: int, floor: Any, old_root: Any, new_root: Any, spans: Any) -> float:
    """How far the body is from a foot that still stands at frame k (footsteps._behind)."""
    share, k = min(k / max(spans[2], 1), 1.0), min(k, spans[3])
    x, z = carried(floor, new_root[spans[1] + k])
    old = old_root[spans[0] + k]
    return np.hypot((1.0 - share) * old[0] + share * x - at[0], (1.0 - share) * old[2] + share * z - at[2])


@part(**EXACT)
def lifts_of(stands: bool, last: float, fps: float, calm: float, out: Any) -> int:
    """When a foot may begin to step, in order, each once."""
    if not stands:
        out[0] = 0
        return 1
    count = 0
    for i in range(len(LIFTS_S) + 1):
        at = rounded(fps) if i == len(LIFTS_S) else rounded(calm * LIFTS_S[i] * fps)
        at = int(min(float(at), last))
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
def put_step(way: Any, lift: int, land: int, free: bool, stood: bool, late: bool, cost: float, far: float) -> None:
    for c in range(WAY):
        way[c] = 0.0
    way[LIFT], way[LAND], way[OLD_LAST] = lift, land, NEVER if free else lift
    way[LOW_START], way[LOW_END], way[COST], way[FAR] = 1.0 if stood else 0.0, 1.0 if late else 0.0, cost, far


@part(**EXACT)
def landing(
    foot: int, lift: int, free: bool, stands: bool, left: float, new: Any, news: int, floor: Any, old_ball: Any,
    old_root: Any, new_ball: Any, new_root: Any, spans: Any, fps: float, calm: float, way: Any,
) -> bool:  # fmt: skip
    """The first contact of the target that a foot lifted then can reach; False: there is none."""
    at, horizon, least = old_ball[spans[0] + (lift if stands else 0), foot], spans[3], rounded(REST_S * fps)
    for i in range(news):
        first, last = int(new[i, FIRST]), int(new[i, LAST])
        if last <= lift or first > horizon:
            continue
        x, z = carried(floor, new_ball[spans[1] + min(max(first, lift) + 2, min(last, horizon)), foot])
        far = np.hypot(x - at[0], z - at[2])
        off, need = far, rounded(calm * step_frames(far, fps, False))
        if free:
            off, faster = apart(foot, lift, floor, old_ball, new_ball, spans, fps)
            off = min(far, off)
            need = max(step_frames(off, fps, True), int(np.ceil(fps * 2.5 * faster / SWING_M_S2)))
        land = max(first, lift + need)
        if land > horizon or last - land < least:
            continue
        late = max(0, land - max(first, 0)) / fps / calm
        early = (left - lift) / fps if stands else 0.0
        swing = (land - lift) / fps
        hurry = GENTLE * off / (swing * swing)
        cost = 0.7 + 1.5 * late + 0.3 * min(early, 1.0) + 0.015 * hurry + 0.8 * max(0.0, swing - 0.7 * calm)
        if stands:
            cost += LEFT_BEHIND * max(0.0, behind(at, lift, floor, old_root, new_root, spans) - BEHIND_M)
        put_step(way, lift, land, free, stands, late > 0.0, cost, far)
        return True
    return False


@part(**EXACT)
def ways(
    foot: int, old: Any, olds: int, new: Any, news: int, floor: Any, old_ball: Any, old_feet: Any, old_root: Any,
    new_ball: Any, new_feet: Any, new_root: Any, spans: Any, fps: float, calm: float, lifts: Any, out: Any,
) -> int:  # fmt: skip
    """Every way a foot may go (footsteps._tracks) into out (M, WAY)."""
    count = 0
    if olds > 0 and old[0, FIRST] <= rounded(SOON_S * fps):
        count = holds(foot, old[0], new, news, floor, old_feet, new_feet, spans, fps, out)
    stands = olds > 0 and old[0, FIRST] <= 0.0
    left = old[0, LAST] if stands else 0.0
    horizon, after = spans[3], False
    for i in range(lifts_of(stands, left, fps, calm, lifts)):
        lift = int(lifts[i])
        free = not stands or lift == left
        if not landing(
            foot, lift, free, stands, left, new, news, floor, old_ball, old_root, new_ball, new_root, spans, fps, calm,
            out[count],
        ):  # fmt: skip
            after = False
            for k in range(news):
                after = after or new[k, LAST] > lift
            land = min(max(spans[2], lift + rounded(0.3 * fps)), horizon)
            put_step(out[count], lift, land, free, stands, False, 6.0 if after else 1.5, -1.0)
        count += 1
    return count


@part(**EXACT)
def cheapest(lefts: Any, left_count: int, rights: Any, right_count: int, grounded: Any, fps: float, best: Any) -> float:
    """The cheapest two ways that go together (footsteps._cheapest), their rows into best (2,)."""
    last, each, least = len(grounded) - 1, 8.0 / fps, np.inf
    for i in range(left_count):
        for j in range(right_count):
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
def fill_grounded(old_down: Any, new_down: Any, spans: Any, out: Any) -> None:
    """How many frames before each at least one foot of either motion should be down: out (horizon + 2,)."""
    out[0] = 0
    for k in range(len(out) - 1):
        n, m = spans[0] + k, spans[1] + k
        flies = k <= spans[2] and not (old_down[n, 0] or old_down[n, 1])
        flies = flies or not (new_down[m, 0] or new_down[m, 1])
        out[k + 1] = out[k] + (0 if flies else 1)


@kernel(**EXACT)
def plan(
    old_ball: Any, old_feet: Any, old_root: Any, old_down: Any, new_ball: Any, new_feet: Any, new_root: Any,
    new_down: Any, spans: Any, fps: float, calm: float, natural: Any, tracks: Any, floor: Any,
) -> float:  # fmt: skip
    """The cheapest plan: its ways into tracks (2, WAY), its placement into floor (4,); what it costs.

    spans (4,): frames of the old and of the new motion at the departure, length and horizon; natural (4,): turn and
    shift.
    """
    most = 2 + max(len(old_down), len(new_down)) // 2
    old, new, scratch = np.empty((2, most, CONTACT)), np.empty((2, most, CONTACT)), np.empty(rounded(fps) + 2)
    olds, news, same = np.empty(2, np.int64), np.empty(2, np.int64), np.empty(2, np.int64)
    reach = spans[3] + spans[2]
    for foot in range(2):
        olds[foot] = contacts(old_down, old_ball, foot, spans[0], spans[0] + reach, fps, scratch, old[foot])
        news[foot] = contacts(new_down, new_ball, foot, spans[1], spans[1] + reach, fps, scratch, new[foot])
        same[foot] = same_contact(old[foot], olds[foot], new[foot], news[foot], fps)
    tried, grounded = np.empty((4, 4)), np.empty(spans[3] + 2, np.int64)
    fill_grounded(old_down, new_down, spans, grounded)
    found, lifts, best = np.empty((2, most + len(LIFTS_S) + 1, WAY)), np.empty(len(LIFTS_S) + 1), np.empty(2, np.int64)
    root, seconds, least = new_root[spans[1] + spans[2]], spans[2] / fps, np.inf
    wanted_x, wanted_z = carried(natural, root)
    for p in range(placements(old, new, same, natural, tried)):
        place = tried[p]
        x, z = carried(place, root)
        drift = 5.8 * np.hypot(x - wanted_x, z - wanted_z) / (seconds * seconds)
        astray = 0.12 * drift + 0.5 * abs(place[0] - natural[0]) / seconds
        if astray >= least:
            continue
        counts = (0, 0)
        cheap = np.inf
        for foot in range(2):
            count = ways(
                foot, old[foot], olds[foot], new[foot], news[foot], place, old_ball, old_feet, old_root, new_ball,
                new_feet, new_root, spans, fps, calm, lifts, found[foot],
            )  # fmt: skip
            counts = (count, 0) if foot == 0 else (counts[0], count)
            if foot == 0:
                for i in range(count):
                    cheap = min(cheap, found[0, i, COST])
                if astray + cheap >= least:
                    break
        if counts[1] == 0:
            continue
        cost = cheapest(found[0], counts[0], found[1], counts[1], grounded, fps, best) + astray
        if cost < least:
            least = cost
            for c in range(WAY):
                tracks[0, c], tracks[1, c] = found[0, best[0], c], found[1, best[1], c]
            for c in range(4):
                floor[c] = place[c]
    return least
