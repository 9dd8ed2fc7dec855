"""Ground steps: where each footfall of a clip lands on a ground, as plain data.

Every stance of the clip may be set at any place along the clip's own way. The cheapest row of places is found by
dynamic programming: a sole wholly on its tread, strides as the clip has them or shorter where the ground asks for it,
no step higher than people step. docs/ground.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.foot_points import foot_points
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.roles import SIDES
from footfall.feet import limits
from footfall.feet.ground_path import GroundPath
from footfall.feet.lock_plan import LockPlan
from footfall.kinematics.ground import Ground, GroundError


class GroundStance(NamedTuple):
    """One foot standing in the clip, from strike to lift-off."""

    foot: int  # 0 left, 1 right
    start_s: float
    end_s: float
    ball: np.ndarray  # (3,) where its ball stands
    line: np.ndarray  # (3,) from heel to ball, while flat
    toes_m: float  # from the ball to the tip
    middle_s: float  # its middle; of one that the clip's end cuts, where that would be


class Footfall(NamedTuple):
    """A stance, and where it is put on the ground."""

    stance: GroundStance
    way_s: float  # the moment of the way that it is put at
    ball: np.ndarray  # (3,) where the ball stands on the ground
    turn: np.ndarray  # (4,) world rotation of the foot against the clip's
    rise_m: float  # over the footfall before
    stride: float  # of the clip's own step, along the way; 1 where it is the same
    supported: float  # share of the sole that the ground carries
    slope: float  # rise of the ground for each metre along the foot
    yaw: float  # radians it is turned by about the vertical


def stances_of(clip: Clip, plan: LockPlan) -> list[GroundStance]:
    """Every stance of a clip whose feet are locked by a plan, in order of their middles."""
    sole = foot_points(clip).sole  # (T, 2, 3, 3)
    found = []
    for foot, side in enumerate(SIDES):
        for start, end in _together([(start, end) for _, start, end, _ in plan.windows(side)], sole[:, foot], clip.fps):
            held = [lock for lock in plan.locks if lock.foot == side and start - 1e-9 <= lock.start_s <= end]
            place = {lock.part: np.array(lock.place) for lock in held}
            frames = slice(round(start * clip.fps), round(end * clip.fps) + 1)
            points = _flattest(sole[frames, foot])
            line = points[1] - points[0]
            if "heel" in place and "toe" in place:
                line = place["toe"] - place["heel"]
            ball = place["toe"] if "toe" in place else place["heel"] + line
            toes_m = float(np.linalg.norm(points[2] - points[1]))
            found.append(GroundStance(foot, start, end, ball, line, toes_m, 0.5 * (start + end)))
    return sorted(_whole(found, clip), key=lambda s: s.middle_s)


def _whole(stances: list[GroundStance], clip: Clip) -> list[GroundStance]:
    """Stances whose middles are those of whole ones, as long as others are, where an end of the clip cuts them."""
    first, last = 0.5 / clip.fps, clip.duration - 0.5 / clip.fps
    whole = [s.end_s - s.start_s for s in stances if s.start_s > first and s.end_s < last]
    if not whole:
        return stances
    half = 0.5 * float(np.median(whole))
    found = []
    for stance in stances:
        middle = stance.middle_s
        if stance.start_s <= first:
            middle = min(middle, stance.end_s - half)
        if stance.end_s >= last:
            middle = max(middle, stance.start_s + half)
        found.append(stance._replace(middle_s=middle))
    return found


def _together(spans: list[tuple[float, float]], sole: np.ndarray, fps: float) -> list[tuple[float, float]]:
    """Spans (seconds) of a foot (T, 3, 3), joined where it goes nowhere between them: it pivots or flickers."""
    found: list[tuple[float, float]] = []
    for start, end in spans:
        if found and start - found[-1][1] <= limits.GROUND_SAME_S:
            here, there = (sole[min(round(t * fps), len(sole) - 1), 1] for t in (found[-1][1], start))
            if np.linalg.norm(there - here) < limits.GROUND_SAME_M:
                found[-1] = (found[-1][0], end)
                continue
        found.append((start, end))
    return found


def _flattest(points: np.ndarray) -> np.ndarray:
    """(3, 3) heel, ball and tip of the frame (T, 3, 3) in which heel and ball are nearest to level."""
    return points[int(np.abs(points[:, 1, 1] - points[:, 0, 1]).argmin())]


LOOKS_AHEAD = 30  # places in half a second of the way that are looked at for what stops a clip


class GroundSearch(NamedTuple):
    """What a search for places needs besides the stances."""

    ground: Ground
    path: GroundPath
    rest_m: float  # height of a ball over the sole
    runs: bool


def plan_footfalls(stances: list[GroundStance], search: GroundSearch) -> list[Footfall]:
    """The cheapest places for all stances, in their order."""
    if not stances:
        return []
    path, most = search.path, _highest(search)
    grid = path.places()
    total: np.ndarray | None = None
    choices: list[tuple[np.ndarray, _Fit]] = []
    back: list[np.ndarray] = []
    for n, stance in enumerate(stances):
        way = _within(grid, path, stances, n)
        fit = _fits(stance, way, search)
        cost = fit.cost
        if not n:
            off = path.at("along_m", way) - path.at("along_m", stance.middle_s)
            cost = cost + limits.GROUND_FIRST * (off / limits.GROUND_FIRST_M) ** 2
        else:
            before, was = choices[-1]
            assert total is not None
            reached, pointers = _cheapest_steps(search, stances[n - 1 : n + 1], (before, way), (was, fit), total)
            back.append(pointers)
            cost = cost + reached
        if not np.isfinite(cost).any():
            raise _no_way(stance, fit, search, most, choices[-1][1] if choices else None)
        choices.append((way, fit))
        total = cost
    assert total is not None
    picks = [int(total.argmin())]
    for pointers in back[::-1]:
        picks.append(int(pointers[picks[-1]]))
    falls = _told(stances, choices, picks[::-1], search)
    _check_way(falls, search)
    return falls


def _check_way(falls: list[Footfall], search: GroundSearch) -> None:
    """Refuse a row of footfalls that marks time before something in its way."""
    path = search.path
    for n in range(1, len(falls) - limits.GROUND_MARKS_TIME + 1):
        row = falls[n : n + limits.GROUND_MARKS_TIME]
        level = all(abs(f.rise_m) < limits.GROUND_STEP_UP_M for f in row)
        if not level or float(np.mean([f.stride for f in row])) >= limits.GROUND_MARKING:
            continue
        ways = np.arange(row[-1].way_s, row[-1].way_s + 1.0, 0.5 / LOOKS_AHEAD)
        x, z = path.at("x", ways), path.at("z", ways)
        ahead = search.ground.heights(x, z, path.at("height", row[-1].way_s))
        step = np.abs(np.diff(ahead, prepend=ahead[0]))
        stops = np.isnan(ahead) | (step > _highest(search))
        if not stops.any():  # it could be taken: the clip itself has little room before it
            return
        k = int(stops.argmax())
        at = f"x {x[k]:.2f}, z {z[k]:.2f} m"
        if np.isnan(ahead[k]):
            raise GroundError(f"{search.ground.name} is in the way at {at}: it ends, or has a hole there")
        raise GroundError(
            f"{search.ground.name} is in the way at {at}: it rises or falls by {100 * step[k]:.0f} cm at once; "
            f"{'a run' if search.runs else 'a walk'} steps {100 * _highest(search):.0f} cm at most"
        )


def _highest(search: GroundSearch) -> float:
    return limits.GROUND_RUN_RISE_M if search.runs else limits.GROUND_RISE_M


def _within(grid: np.ndarray, path: GroundPath, stances: list[GroundStance], n: int) -> np.ndarray:
    """Moments of the way that stance n may be put at: its own, and those from shortened to lengthened strides."""
    own, first = stances[n].middle_s, stances[0].middle_s
    gone = float(path.at("along_m", own) - path.at("along_m", first))
    least = path.at("along_m", first) - limits.GROUND_FIRST_M + limits.GROUND_SHORTEST * max(gone, 0.0) + min(gone, 0.0)
    most = path.at("along_m", own) + limits.GROUND_FIRST_M + limits.GROUND_AHEAD_M
    along = path.at("along_m", grid)
    return np.sort(np.concatenate([[own], grid[(along >= least) & (along <= most)]]))


class _Fit(NamedTuple):
    """How a sole lies at candidate places (K,)."""

    cost: np.ndarray
    ball: np.ndarray  # (K, 3)
    pitch: np.ndarray  # rise for each metre from heel to tip
    roll: np.ndarray  # rise for each metre to the left
    supported: np.ndarray
    yaw: np.ndarray


SOLE_AT = np.array([-1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.34, 0.67, 1.0])  # along the sole: heel -1, ball 0, tip 1


def _fits(stance: GroundStance, way: np.ndarray, search: GroundSearch) -> _Fit:
    """The sole of a stance at candidate moments of the way (K,): how it is pitched, and what carries it."""
    ground, path = search.ground, search.path
    level = np.array([stance.line[0], 0.0, stance.line[2]])
    length = max(float(np.linalg.norm(level)), 1e-6)
    yaw = path.turn(stance.middle_s, way)
    ball = path.carried(np.broadcast_to(stance.ball, (len(way), 3)), stance.middle_s, way)
    ahead = rotation.rotate(rotation.yaw(yaw), level / length)  # (K, 3)
    left = np.cross(rotation.UP, ahead)
    at = np.where(SOLE_AT < 0.0, SOLE_AT * length, SOLE_AT * stance.toes_m)  # (9,) metres from the ball
    near = path.at("height", way)[:, None, None]
    sides = limits.GROUND_SOLE_HALF_M * np.array([-1.0, 0.0, 1.0])
    spots = ball[:, None, None] + at[:, None, None] * ahead[:, None, None] + sides[:, None] * left[:, None, None]
    under = ground.heights(spots[..., 0], spots[..., 2], near)  # (K, 9, 3)
    beyond = (
        ball[:, None]
        + np.array([at[0] - limits.GROUND_EDGE_M, at[-1] + limits.GROUND_EDGE_M])[:, None] * (ahead[:, None])
    )
    over = ground.heights(beyond[..., 0], beyond[..., 2], near[:, 0])  # (K, 2)
    across = under[:, 5, 2] - under[:, 5, 0]
    roll = np.where(np.abs(across) < limits.GROUND_FLAT_M, across, 0.0) / (2.0 * limits.GROUND_SOLE_HALF_M)
    rolled = under - roll[:, None, None] * sides
    highest = np.where(np.isnan(rolled), -np.inf, rolled).max(axis=2)  # what a sole's edges stand on carries it too
    pitch, base = _pitch(np.where(np.isnan(under[:, :, 1]), np.nan, highest), at)
    gap = base[:, None] + pitch[:, None] * at - np.where(np.isnan(under[:, :, 1]), -np.inf, under[:, :, 1])
    side_gap = (base[:, None] + pitch[:, None] * at)[..., None] + roll[:, None, None] * sides - under
    side_gap = np.where(np.isnan(side_gap), np.inf, side_gap)
    hangs = np.clip(np.abs(side_gap) / limits.GROUND_FLAT_M, 0.0, 1.0) ** 2
    edge = base[:, None] + pitch[:, None] * np.array([at[0], at[-1]]) - over
    close = np.where(np.isnan(edge), 1.0, np.clip(np.abs(edge) / limits.GROUND_FLAT_M, 0.0, 1.0) ** 2)
    cost = limits.GROUND_HANGS * hangs.mean(axis=(1, 2)) + limits.GROUND_CLOSE * close.mean(axis=1)
    cost = cost + limits.GROUND_TILT * pitch**2
    place = np.column_stack([ball[:, 0], base + search.rest_m, ball[:, 2]])
    carries = (gap[:, [0, 1, 5, 8]] < np.inf).sum(axis=1) >= 2
    cost = np.where(np.isfinite(base) & carries & ~np.isnan(under[:, 5, 1]), cost, np.inf)
    supported = (np.abs(gap) < limits.GROUND_FLAT_M).mean(axis=1)
    return _Fit(cost, place, pitch, roll, supported, yaw)


def _pitch(under: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of soles over heights (K, 9): the pitch that leaves least of them in the air, and how high the ball's place is.

    Nothing of the ground comes through the sole.
    """
    heights = np.where(np.isnan(under), -np.inf, under)
    options: list[np.ndarray] = [np.zeros(len(under))]
    for a, b in ((0, 5), (0, 8), (5, 8), (1, 6)):
        with np.errstate(invalid="ignore"):
            rise = (heights[:, b] - heights[:, a]) / (at[b] - at[a])
        options.append(np.where(np.abs(rise) <= limits.GROUND_PITCH, rise, 0.0))
    best_cost, best = np.full(len(under), np.inf), np.zeros((2, len(under)))
    for pitch in options:
        base = (heights - pitch[:, None] * at).max(axis=1)
        with np.errstate(invalid="ignore"):  # where there is no ground at all
            gaps = np.minimum(base[:, None] + pitch[:, None] * at - heights, 2.0 * limits.GROUND_FLAT_M)
        cost = gaps.sum(axis=1) + 1e-3 * np.abs(pitch)
        better = cost < best_cost - 1e-9
        best_cost = np.where(better, cost, best_cost)
        best = np.where(better, np.stack([pitch, base]), best)
    return best[0], np.where(np.isfinite(best[1]), best[1], np.nan)


def _cheapest_steps(
    search: GroundSearch,
    pair: list[GroundStance],
    ways: tuple[np.ndarray, np.ndarray],
    fits: tuple[_Fit, _Fit],
    total: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """What it costs (L,) to come to each place of a stance, and from which of the one before (L,); inf where none can.

    total (K,): what it costs to come to the places before. Only those are looked at that a step leads from.
    """
    path, runs = search.path, search.runs
    own = step_along(path, *pair)
    shortest = limits.GROUND_RUN_SHORTEST if runs else limits.GROUND_SHORTEST
    low, high = sorted((shortest * own, limits.GROUND_LONGEST * own))
    low, high = low - limits.GROUND_SLACK_M, high + limits.GROUND_SLACK_M
    was, here = _moved(path, pair[0], ways[0]), own + _moved(path, pair[1], ways[1])
    first, last = np.searchsorted(was, here - high), np.searchsorted(was, here - low, side="right")
    at = first[:, None] + np.arange(max(int((last - first).max(initial=0)), 1))
    inside, at = at < last[:, None], np.minimum(at, len(was) - 1)
    cost = _step_costs(own, here[:, None] - was[at], fits[1].ball[:, None, 1] - fits[0].ball[at, 1], runs)
    reached = np.where(inside, total[at] + cost, np.inf)
    best = reached.argmin(axis=1)[:, None]
    return np.take_along_axis(reached, best, axis=1)[:, 0], np.take_along_axis(at, best, axis=1)[:, 0]


def _step_costs(own: float, step: np.ndarray, rise: np.ndarray, runs: bool) -> np.ndarray:
    """What steps (...) cost that go and rise so many metres where the clip goes `own`; inf where nobody could."""
    usual = max(abs(own), limits.GROUND_STRIDE_M)
    grade = rise / np.maximum(np.abs(step), 0.5 * usual)
    wanted = own * gait_factor(grade, runs)
    cost = (
        limits.GROUND_STRIDE * ((step - wanted) / usual) ** 2 + limits.GROUND_RISES * (rise / limits.GROUND_STEP_M) ** 4
    )
    most = limits.GROUND_RUN_RISE_M if runs else limits.GROUND_RISE_M
    return np.where(np.abs(rise) <= most, cost, np.inf)


def step_along(path: GroundPath, before: GroundStance, stance: GroundStance) -> float:
    """Metres along the way of the clip from one foot that stands to the next."""
    body = float(path.at("along_m", stance.middle_s) - path.at("along_m", before.middle_s))
    return body + ahead_of(stance, path, stance.middle_s) - ahead_of(before, path, before.middle_s)


def ahead_of(stance: GroundStance, path: GroundPath, time_s: float) -> float:
    """Metres along the way that a foot stands ahead of the body, at a clip time."""
    heading = float(path.at("heading", time_s))
    dx, dz = stance.ball[0] - float(path.at("x", time_s)), stance.ball[2] - float(path.at("z", time_s))
    return float(dx * np.sin(heading) + dz * np.cos(heading))


def _moved(path: GroundPath, stance: GroundStance, way: np.ndarray | float) -> np.ndarray:
    """Metres along the way that a stance is moved to be at moments of it."""
    return np.asarray(path.at("along_m", way) - path.at("along_m", stance.middle_s))


def gait_factor(grade: np.ndarray, runs: bool) -> np.ndarray:
    """Share of its stride that a gait keeps on a grade; its pace keeps the same share, and its speed their product.

    Tobler 1993, walking speed over grade, as far as it falls below that on the level.
    """
    steep = np.maximum(np.abs(grade + limits.GROUND_EASIEST) - limits.GROUND_EASIEST, 0.0)
    factor = np.exp(-0.5 * limits.GROUND_TOBLER * np.minimum(steep, limits.GROUND_STEEPEST))
    return np.asarray(1.0 - (1.0 - factor) * (limits.GROUND_RUN_SLOWS if runs else 1.0))


def _no_way(stance: GroundStance, fit: _Fit, search: GroundSearch, most: float, was: _Fit | None) -> GroundError:
    """Why a stance can be put nowhere, as a sentence."""
    x, _, z = stance.ball
    foot = SIDES[stance.foot]
    at = f"the {foot} foot {stance.start_s:.1f} s into the clip, about x {x:.2f}, z {z:.2f} m"
    if not np.isfinite(fit.cost).any():
        return GroundError(f"{search.ground.name} has no ground for {at}: it ends, or has a hole there")
    if was is not None:
        good = np.isfinite(fit.cost)
        rises = fit.ball[good, 1][:, None] - was.ball[np.isfinite(was.cost), 1]
        rise = float(np.abs(rises).min())
        if rise > most:
            how = "a run" if search.runs else "a walk"
            return GroundError(
                f"{search.ground.name} rises or falls by {100 * rise:.0f} cm at once for {at}; {how} steps "
                f"{100 * most:.0f} cm at most"
            )
    told = "a run has no strides short enough for it; give a walk" if search.runs else "no stride fits it"
    return GroundError(f"{search.ground.name} cannot be stepped on by {at}: {told}")


def _told(
    stances: list[GroundStance], choices: list[tuple[np.ndarray, _Fit]], picks: list[int], search: GroundSearch
) -> list[Footfall]:
    """The chosen places as footfalls."""
    found: list[Footfall] = []
    path = search.path
    for n, (stance, (way, fit), k) in enumerate(zip(stances, choices, picks, strict=True)):
        stride, rise = 1.0, 0.0
        if n:
            before = found[-1]
            own = step_along(path, stances[n - 1], stance)
            step = own + _moved(path, stance, way[k]) - _moved(path, before.stance, before.way_s)
            stride = step / own if abs(own) > limits.GROUND_STRIDE_M else 1.0
            rise = float(fit.ball[k, 1] - before.ball[1])
        turn = _tilt(stance, float(fit.yaw[k]), float(fit.pitch[k]), float(fit.roll[k]), search.rest_m)
        slope, held = float(fit.pitch[k]), float(fit.supported[k])
        found.append(Footfall(stance, float(way[k]), fit.ball[k], turn, rise, stride, held, slope, float(fit.yaw[k])))
    return found


def _tilt(stance: GroundStance, yaw: float, pitch: float, roll: float, rest_m: float) -> np.ndarray:
    """(4,) the world rotation that lays a foot, as it stands in the clip, along the ground."""
    turned = rotation.rotate(rotation.yaw(yaw), stance.line)
    level = np.array([turned[0], 0.0, turned[2]])
    length = float(np.linalg.norm(level))
    if length < 1e-6:
        return rotation.yaw(yaw)
    # on level ground the line from heel to ball climbs by the ball's height over the sole
    along = level / length + (pitch + rest_m / length) * rotation.UP
    tilted = rotation.between(turned, along)
    rolled = rotation.axis_angle(level / length, float(np.arctan(roll)))
    return rotation.multiply(rolled, rotation.multiply(tilted, rotation.yaw(yaw)))
