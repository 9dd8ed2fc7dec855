"""Live characters on a ground: frames animated on the level floor, put on what lies under and ahead of their feet.

Each foot has two planes, the one it stands on or has left, and the one it stands on or goes to (`feet.live_ground`).
When it leaves, the motion is asked where and when it will land, and again on the way; there the next plane is laid. The
body goes with its feet, led evenly from step to step, and what it falls behind the level floor by is taken off the
carrier: `rows.root` is always where the character is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.kernels import kernel, part
from footfall.core.pose import Pose
from footfall.core.references import reference
from footfall.core.rotation_kernels import minus, rotate
from footfall.feet.limits import (
    GROUND_RISE_M,
    GROUND_SAME_M,
    GROUND_SAME_S,
    LIVE_GROUND_AGAIN_S,
    LIVE_GROUND_BENT_M,
    LIVE_GROUND_BLIND_S,
    LIVE_GROUND_BODY_S,
    LIVE_GROUND_BUMP_S,
    LIVE_GROUND_CLOSE_S,
    LIVE_GROUND_DEEP_M,
    LIVE_GROUND_LATE,
    LIVE_GROUND_LEAD_S,
    LIVE_GROUND_LOW,
    LIVE_GROUND_REST_S,
    LIVE_GROUND_ROUND_M,
    LIVE_GROUND_SAME_M,
    LIVE_GROUND_SETTLE_S,
    LIVE_GROUND_SOON_S,
    LIVE_GROUND_UNEVEN,
    LIVE_GROUND_UP_S,
    LIVE_RISE_M_S,
)
from footfall.feet.live_body import LiveBody
from footfall.feet.live_ground import (
    FLAT_X,
    FLAT_Z,
    LAST,
    POWERS,
    SLOPE_X,
    SLOPE_Z,
    Step,
    X,
    Z,
    bend_onto,
    bump,
    fit_sole,
    in_the_way,
    on_plane,
    plan_step,
    put_plane,
    swung,
    tilt,
)
from footfall.feet.live_lock import LegJoints, eased, only_low, point_of
from footfall.io.open_ground import ground as ground_of
from footfall.kinematics.ground import Ground, GroundError
from footfall.kinematics.ground_kernels import PLATES, STAIRS, height_at
from footfall.live.clock import move_root
from footfall.live.easing import kept
from footfall.live.frame import (
    animate_one,
    feet_down,
    feet_of,
    go_one,
    hold_feet,
    place_root,
    show_pose,
    step_joint,
)
from footfall.live.layers import moment, sample_one
from footfall.live.rows import CharacterRows
from footfall.parametric.sampling import sum_rows, travel_at

REST, SETTLE, BUMP, UP, BODY, LEAD = range(6)
TIMES_S = (LIVE_GROUND_REST_S, LIVE_GROUND_SETTLE_S, LIVE_GROUND_BUMP_S, LIVE_GROUND_UP_S, LIVE_GROUND_BODY_S,
           LIVE_GROUND_LEAD_S)  # fmt: skip  # time constants, by these numbers
TOGETHER = 1e-6  # of canonical time: a strike that is due this soon is now
OUT_M, SIDE_M = (
    0.01,
    0.025,
)  # metres between places that a foot in the side of a step is moved to; in deeper than this. By eye
STEP_LEADS_S = 0.15  # seconds of the body's way that a landing foot is ahead of it. By eye
LIVE_STANCE_OUT_M_S = 0.2  # m/s with which a standing foot is moved out of the side of a step. By eye
NEARLY_DOWN_S = 0.02  # seconds: a foot that is said to be down but is not comes down so soon. By eye


class GroundRows(NamedTuple):
    """What of N characters a ground adds to their rows."""

    begun: np.ndarray  # (N,) bool
    flies: np.ndarray  # (N, 2) bool
    gone: np.ndarray  # (N, 2) f64 share of a swing's time that is gone
    wait_s: np.ndarray  # (N, 2) f64 until a swing looks ahead again
    start: np.ndarray  # (N, 2, 7) f64 the plane that a foot has left (`feet.live_ground`)
    goal: np.ndarray  # (N, 2, 7) f64 the plane that it stands on or goes to
    bump: np.ndarray  # (N, 2, 3) f64 metres a swing is raised by at most, as now, its speed, as is to be
    power: np.ndarray  # (N, 2) f64 how much sooner it goes up, or later down, than ahead
    up: np.ndarray  # (N, 2, 2) f64 metres a foot is kept out of the ground by, and its speed
    bow: np.ndarray  # (N, 2, 3) f64 metres x, z that its way goes aside of a straight line, half-way; and its height
    back: np.ndarray  # (N, 2, 2) f64 metres along its toes that it is kept out of the side of a step by, and its speed
    rest: np.ndarray  # (N, 2, 2, 5) f64 what a foot still differs by from its plan, place and slope, and its speed
    was: np.ndarray  # (N, 2, 2) f64 x, z of the middle of a sole in the last frame, as the motion has it
    last: np.ndarray  # (N, 2, 2) f64 and on the ground
    body: np.ndarray  # (N, 2, 3) f64 what the body is moved by with its ground, and its speed
    aim: np.ndarray  # (N, 2, 3) f64 where that goes, and how fast
    shift: np.ndarray  # (N, 2, 3) f64 what the pelvis moves by so that feet reach, and its speed
    blocked: np.ndarray  # (N,) bool whether the last step could not be taken


class GroundHandle(NamedTuple):
    """A ground and its rows as kernels take them."""

    kind: np.ndarray  # (1,) i64, and the rest of a PackedGround
    numbers: np.ndarray
    grid: np.ndarray
    first: np.ndarray
    listed: np.ndarray
    corners: np.ndarray
    chain: np.ndarray  # (C,) i64 joints from the root to the toes, parent first
    keeps: np.ndarray  # (len(TIMES_S),) what springs keep over the step that is made
    rows: GroundRows


class LiveGround:
    """A ground and what the characters of some rows know of it."""

    def __init__(self, ground: Ground, body: LiveBody, rows: CharacterRows, lock: bool) -> None:
        if ground.function is not None:
            raise ParameterError(
                "a function cannot be asked while characters run: give its heights, ff.ground(heights, cell_m=…)"
            )
        if not lock or body.legs[0, 0] < 0:
            raise ParameterError(
                "characters on a ground need feet that are locked: a body with two legs, foot_lock=True"
            )
        if ground.is_ahead:  # made by name: it lies ahead of the first character
            x, z, heading = rows.root[0].tolist()
            ground = ground.ahead_of(np.array([x, 0.0, z]), heading)
        self.ground, self.characters = ground, rows
        self.rows = new_ground_rows(len(rows.node))
        packed = ground.packed
        chain = chain_of(body)
        self.handle = reference(
            GroundHandle(np.array([packed.kind]), *packed[1:], chain, np.ones(len(TIMES_S)), self.rows)
        )
        off = np.isnan(self.heights())
        if off.any():
            x, z, _ = rows.root[int(off.argmax())].tolist()
            raise GroundError(f"{ground.name} has no ground where a character begins, at x {x:.2f}, z {z:.2f} m")

    def heights(self) -> np.ndarray:
        """(N,) of the ground under every character; NaN where there is none."""
        root = self.characters.root
        return self.ground.heights(root[:, 0], root[:, 1], np.where(self.rows.begun, self.rows.body[:, 0, 1], np.inf))

    def lift(self, n: int) -> None:
        """For a character that was put somewhere else: it stands on what is there."""
        self.rows.begun[n] = False

    def leveled(self, n: int, pose: Pose) -> Pose:
        """A pose on the ground as it would be on a level floor, for a character that goes on from it."""
        x, y, z = pose.root_pos
        self.lift(n)
        high = float(self.ground.heights(x, z, y))
        return pose._replace(root_pos=np.array([x, y - (0.0 if np.isnan(high) else high), z]))


def live_ground(source: Any, body: LiveBody, rows: CharacterRows, lock: bool) -> LiveGround | None:
    """The ground of some rows, of whatever `ff.ground` takes; None where it is one level plane at 0."""
    ground = ground_of(source)
    if ground.is_level and not float(ground.packed.numbers[4]):
        return None
    return LiveGround(ground, body, rows, lock)


def chain_of(body: LiveBody) -> np.ndarray:
    """(C,) joints from the root to the soles, parent first."""
    found = {0}
    for j in body.sole_joints.ravel().tolist() + body.legs.ravel().tolist():
        while j > 0:
            found.add(j)
            j = int(body.parents[j])
    return np.array(sorted(found), np.int64)


def new_ground_rows(count: int) -> GroundRows:
    """Characters that do not stand on the ground yet."""
    kinds: dict[str, tuple[type, tuple[int, ...]]] = {
        **dict.fromkeys(("begun", "blocked"), (np.bool_, ())), "flies": (np.bool_, (2,)),
        **dict.fromkeys(("gone", "wait_s", "power"), (float, (2,))),
        **dict.fromkeys(("start", "goal"), (float, (2, 7))), "rest": (float, (2, 2, 5)),
        **dict.fromkeys(("up", "back", "was", "last"), (float, (2, 2))),
        **dict.fromkeys(("bump", "bow", "body", "aim", "shift"), (float, (2, 3))),
    }  # fmt: skip
    return GroundRows(**{name: np.zeros((count, *shape), kind) for name, (kind, shape) in kinds.items()})


@kernel(_nrt=False)
def step_rows_on_ground(handle: Any, first: int, last: int, given: Any, shown: Any, dt: float) -> None:
    """As `frame.step_rows`, on a ground (a GroundHandle)."""
    keep = kept(dt)
    ground = (given.kind[0], given.numbers, given.grid, given.first, given.listed, given.corners)
    for i in range(len(TIMES_S)):
        given.keeps[i] = np.exp(-dt / TIMES_S[i])
    for n in range(first, last):
        go_one(handle, n, keep, dt)
        ground_one(handle, n, ground, given, shown, dt)


@kernel(_nrt=False)
def pose_rows_on_ground(handle: Any, first: int, last: int, given: Any, shown: Any, dt: float) -> None:
    """As `frame.pose_rows`, on a ground."""
    ground = (given.kind[0], given.numbers, given.grid, given.first, given.listed, given.corners)
    for i in range(len(TIMES_S)):
        given.keeps[i] = np.exp(-dt / TIMES_S[i])
    for n in range(first, last):
        ground_one(handle, n, ground, given, shown, dt)


@part
def ground_one(handle: Any, n: int, ground: Any, given: Any, shown: Any, dt: float) -> None:
    """One character's pose on the ground."""
    rows, room, body, own = handle.rows, handle.room, handle.tables.body, given.rows
    fades = animate_one(handle, n)
    soon = feet_down(handle, n)
    if fades:
        only_low(body.sole_joints, body.sole, body.standing, room.world, rows.down[n])
    hold_feet(body, feet_of(handle, n), rows.root[n], soon, dt)
    soles = sole_of(handle, n, 0), sole_of(handle, n, 1)
    if not own.begun[n]:
        begin(handle, n, ground, own, soles)
    root = (np.float64(room.world[0, 4]), np.float64(room.world[0, 5]), np.float64(room.world[0, 6]))
    looked = False
    for side in range(2):
        looked = step_foot(handle, n, ground, given, soles[side], side, dt) or looked
    if looked:  # the room was needed for another pose
        walk_chain(body, given.chain, room.turns[0], root, room)
    left = put_foot(handle, n, ground, given, soles[0], 0, dt)
    right = put_foot(handle, n, ground, given, soles[1], 1, dt)
    lead = lead_body(handle, n, given, dt)
    joints = LegJoints(body.parents, body.legs, body.sole)
    move = bend_onto(room.rot[0], room.world, joints, (left, right), lead, own.shift[n], dt)
    for j in body.below:
        step_joint(room.rot[0], body.parents[j], j, body.offsets, room.world)
    room.place[0], room.place[1], room.place[2] = rows.root[n, 0] + move[0], move[1], rows.root[n, 1] + move[2]
    show_pose(room, shown.root_pos[n], shown.rot[n])
    fall_behind(rows, n, own, lead)


@part
def walk_chain(body: Any, chain: Any, q: Any, root: Any, room: Any) -> None:
    """Rotations q (4, J') of the joints of a chain into the room, and where they are; root: (3,) where it is."""
    rot, world = room.rot[0], room.world
    for j in chain:
        for i in range(4):
            rot[j, i] = q[i, j]
    for i in range(4):
        world[0, i] = rot[0, i]
    world[0, 4], world[0, 5], world[0, 6] = root[0], root[1], root[2]
    for j in chain[1:]:
        step_joint(rot, body.parents[j], j, body.offsets, world)


@part
def sole_of(handle: Any, n: int, side: int) -> Any:
    """Middle x, z of a sole in the world as its foot is held, where it points (2), and how far heel and tip are."""
    body, world, root = handle.tables.body, handle.room.world, handle.rows.root[n]
    offset = handle.rows.offset[n, side]
    return _sole(body, world, side, root[0] + offset[0], root[1] + offset[2])


@part
def _sole(body: Any, world: Any, side: int, x: float, z: float) -> Any:
    heel = point_of(world, body.sole_joints[side, 0], body.sole[side, 0])
    ball = point_of(world, body.sole_joints[side, 1], body.sole[side, 1])
    tip = point_of(world, body.sole_joints[side, 2], body.sole[side, 2])
    ux, uz = ball[0] - heel[0], ball[2] - heel[2]
    size = max(np.sqrt(ux * ux + uz * uz), 1e-6)
    toes = np.sqrt((tip[0] - ball[0]) ** 2 + (tip[1] - ball[1]) ** 2 + (tip[2] - ball[2]) ** 2)
    foot = np.sqrt(size * size + (ball[1] - heel[1]) ** 2)
    ux, uz, half = ux / size, uz / size, 0.5 * foot  # the middle as it is when the heel stays and the foot lies flat
    high = body.standing[side]
    low = min(min(heel[1] - high[0], ball[1] - high[1]), tip[1] - high[2])
    return x + heel[0] + half * ux, z + heel[2] + half * uz, ux, uz, half, half + toes, low


@part
def begin(handle: Any, n: int, ground: Any, own: Any, soles: Any) -> None:
    """Both feet on the ground as they are."""
    high = height_at(ground, handle.rows.root[n, 0], handle.rows.root[n, 1], np.inf)
    for side in range(2):
        x, z = soles[side][0], soles[side][1]
        fit = fit_sole(ground, x, z, level_step(soles[side]), high)
        y = fit.height if fit.height == fit.height else high if high == high else 0.0
        for plane in (own.start[n, side], own.goal[n, side]):
            put_plane(plane, (x, z), (x, y, z), (fit.slope_x, fit.slope_z))
        own.flies[n, side], own.gone[n, side] = False, 1.0
        own.was[n, side, 0], own.was[n, side, 1] = x, z
        own.last[n, side, 0], own.last[n, side, 1] = x, z
        for i in range(5):
            own.rest[n, side, 0, i] = own.rest[n, side, 1, i] = 0.0
        for i in range(3):
            own.bump[n, side, i] = 0.0
        own.up[n, side, 0] = own.up[n, side, 1] = 0.0
        own.back[n, side, 0] = own.back[n, side, 1] = 0.0
        own.power[n, side] = 1.0
    target = body_goal(handle, n, own)
    for i in range(3):
        own.body[n, 0, i] = own.aim[n, 0, i] = target[i]
        own.body[n, 1, i] = own.aim[n, 1, i] = 0.0
        own.shift[n, 0, i] = own.shift[n, 1, i] = 0.0
    own.begun[n], own.blocked[n] = True, False


@part
def level_step(sole: Any) -> Any:
    """A Step of a foot that stays where it is."""
    x, z, ux, uz, heel, tip, _ = sole
    return Step(x, z, ux, uz, ux, uz, heel, tip, False, ux, uz, 0.0, 0.0, 0.0)


@part
def step_foot(handle: Any, n: int, ground: Any, given: Any, sole: Any, side: int, dt: float) -> bool:
    """Lift, look ahead or land one foot; whether the room's pose was overwritten."""
    own = given.rows
    stands, lifts = handle.rows.hold[n, side] >= 0, not own.flies[n, side]
    fade_rest(own.rest[n, side], dt, given.keeps, SETTLE if stands else REST)
    was = own.gone[n, side]
    if stands:
        if own.flies[n, side]:
            before = on_its_way(own, n, sole, side, (was, was))
            land_foot(ground, own, n, sole, side)
            differ(own, n, sole, side, before, dt)
        return False
    left_s = seconds_to_strike(handle, n, side)
    was = 0.0 if lifts else was
    blind = LIVE_GROUND_BLIND_S * (1.0 - was)
    gone = was + (1.0 - was) * dt / max(dt + (left_s if left_s >= 0.0 else blind), 1e-9)
    own.wait_s[n, side] -= dt
    looks = lifts or own.wait_s[n, side] <= 0.0
    if looks:
        before = on_its_way(own, n, sole, side, (gone, was))
        if lifts:
            put_plane(own.start[n, side], (sole[0], sole[1]), before[0], (before[0][3], before[0][4]))
            own.flies[n, side], own.gone[n, side] = True, 0.0
        own.wait_s[n, side] = LIVE_GROUND_AGAIN_S if left_s > LIVE_GROUND_CLOSE_S else 0.5 * LIVE_GROUND_AGAIN_S
        look_ahead(handle, n, ground, given, sole, side, left_s)
    own.gone[n, side] = gone
    if looks:
        differ(own, n, sole, side, (before[0], before[1], was), dt)
    return looks


@part
def on_its_way(own: Any, n: int, sole: Any, side: int, shares: Any) -> Any:
    """Where a foot is as planned, now and a frame ago, place and slope (5,) each, when these shares of its swing's time
    are gone; and the share of the frame ago."""
    at = own.was[n, side]
    return (
        now_at(own, n, (sole[0], sole[1]), side, shares[0]),
        now_at(own, n, (at[0], at[1]), side, shares[1]),
        shares[1],
    )


@part
def differ(own: Any, n: int, sole: Any, side: int, before: Any, dt: float) -> None:
    """What a new plan differs by from the one before, place and speed, is added to what dies away (Bollo 2018)."""
    after = on_its_way(own, n, sole, side, (own.gone[n, side], before[2]))
    rest = own.rest[n, side]
    for i in range(5):
        rest[0, i] += before[0][i] - after[0][i]
        if dt > 0.0:
            rest[1, i] += (before[0][i] - before[1][i] - after[0][i] + after[1][i]) / dt


@part
def land_foot(ground: Any, own: Any, n: int, sole: Any, side: int) -> None:
    """A foot that comes to stand: where it was to, or on what is under it."""
    goal, rest = own.goal[n, side], own.rest[n, side]
    place = now_at(own, n, (sole[0], sole[1]), side, own.gone[n, side])
    x, z = place[0] + rest[0, 0], place[2] + rest[0, 2]
    goal[FLAT_X], goal[FLAT_Z] = sole[0], sole[1]
    if abs(x - goal[X]) + abs(z - goal[Z]) > LIVE_GROUND_SAME_M:
        fit = fit_sole(ground, x, z, level_step(sole), place[1])
        if fit.height == fit.height:
            put_plane(goal, (sole[0], sole[1]), (x, fit.height, z), (fit.slope_x, fit.slope_z))
    for i in range(7):
        own.start[n, side, i] = goal[i]
    for i in range(3):
        own.bump[n, side, i] = 0.0
    own.flies[n, side], own.gone[n, side] = False, 1.0


@part
def now_at(own: Any, n: int, at: Any, side: int, u: float) -> Any:
    """Where the middle of a sole at x, z of the level floor is on the ground as planned (3), and its slope (2)."""
    start, goal = own.start[n, side], own.goal[n, side]
    b = on_plane(goal, at[0], at[1])
    if not own.flies[n, side]:
        return b[0], b[1], b[2], goal[SLOPE_X], goal[SLOPE_Z]
    a, turn = on_plane(start, at[0], at[1]), eased(u)
    across, up, ahead = swung(start, goal, at, u, own.power[n, side])
    y = a[1] + up * (b[1] - a[1]) + own.bump[n, side, 0] * bump(across)
    x = a[0] + across * (b[0] - a[0]) + ahead * (goal[X] - start[X])
    z = a[2] + across * (b[2] - a[2]) + ahead * (goal[Z] - start[Z])
    return (x, y, z, start[SLOPE_X] + turn * (goal[SLOPE_X] - start[SLOPE_X]),
            start[SLOPE_Z] + turn * (goal[SLOPE_Z] - start[SLOPE_Z]))  # fmt: skip


# --- looking ahead ----------------------------------------------------------------------------------------------------


@part
def coming_layer(rows: Any, n: int) -> int:
    """The layer that says what comes: the one that comes in, where there are two."""
    return rows.layers[n] - 1


@part
def seconds_to_strike(handle: Any, n: int, side: int) -> float:
    """How long until a foot comes down, by what comes in; negative where no motion tells."""
    rows, tables, spans = handle.rows, handle.tables, handle.room.spans
    v = coming_layer(rows, n)
    k = rows.motion[n, v]
    if v == 1:  # else `feet_down` has just done that
        sum_rows(tables.spans[k], np.int64(0), rows.weights[n, v], tables.count[k], spans)
    count, t, best = len(spans) // 8, rows.t[n, v], np.inf
    for which in range(2):
        for s in range(count):
            at = ((2 * side + which) * count + s) * 2
            start, end = spans[at], spans[at + 1]
            if end < start:
                continue
            for lap in range(-1, 2):
                if (lap == 0 or tables.loops[k]) and start + lap > t - TOGETHER:
                    best = min(best, start + lap - t)
                elif lap == 0 and start <= t <= end:
                    return NEARLY_DOWN_S
    return best / max(rows.rate[n, v], 1e-6) if best < np.inf else -1.0


@part
def look_ahead(handle: Any, n: int, ground: Any, given: Any, sole: Any, side: int, left_s: float) -> None:
    """Where a swinging foot will land, and the plane it lands on."""
    own, bow = given.rows, given.rows.bow[n, side]
    other, goal = own.goal[n, 1 - side], own.goal[n, side]
    if left_s >= 0.0:
        seen, way = expected(handle, n, given.chain, side, left_s)
    else:
        seen, way = guessed(handle, n, sole, LIVE_GROUND_BLIND_S * (1.0 - own.gone[n, side]))
    x, z, ux, uz, heel, tip, _ = seen
    runs = own.flies[n, 0] and own.flies[n, 1]
    if own.gone[n, side] == 0.0:
        bow[0] = bow[1] = bow[2] = 0.0
        if left_s > 2.0 * NEARLY_DOWN_S:
            half = expected(handle, n, given.chain, side, 0.5 * left_s)[0]
            bow[0], bow[1] = aside(half, own.start[n, side], (x, z))
            bow[2] = max(half[6], 0.0)
    step = Step(x, z, way[0], way[1], ux, uz, heel, tip, runs, sole[2], sole[3], bow[0], bow[1], bow[2])
    start, gone = own.start[n, side], own.gone[n, side]
    planes = start, goal
    if gone > 0.0:  # planned before: the place is kept unless another is expected by now
        moved = np.sqrt((x - goal[FLAT_X]) ** 2 + (z - goal[FLAT_Z]) ** 2)
        if moved < (4.0 if gone > LIVE_GROUND_LATE else 1.0) * LIVE_GROUND_SAME_M:
            goal[FLAT_X], goal[FLAT_Z] = x, z
            power = own.power[n, side]
            share = swung(start, goal, (sole[0], sole[1]), gone, power)[0]
            found = in_the_way(ground, planes, step, share, (power,))
            if share < LAST:
                own.bump[n, side, 2] = found[0]
            return
    far = np.sqrt((x - start[FLAT_X]) ** 2 + (z - start[FLAT_Z]) ** 2)
    if left_s < GROUND_SAME_S and far < 0.5 * GROUND_SAME_M and gone == 0.0:  # it hardly leaves
        place = on_plane(start, x, z)
        put_plane(goal, (x, z), place, (start[SLOPE_X], start[SLOPE_Z]))
        return
    own.blocked[n] = not plan_step(ground, step, other, goal)
    found = in_the_way(ground, planes, step, 0.0, POWERS)
    own.bump[n, side, 2], own.power[n, side] = found


@part
def guessed(handle: Any, n: int, sole: Any, left_s: float) -> Any:
    """A foot's sole as it lands where no motion tells: ahead of the body by what a step leads it."""
    root, velocity = handle.rows.root[n], handle.rows.velocity[n]
    c, s = np.cos(root[2]), np.sin(root[2])
    vx, vz = s * velocity[0] + c * velocity[1], c * velocity[0] - s * velocity[1]
    aside = c * (sole[0] - root[0]) - s * (sole[1] - root[1])
    far = left_s + STEP_LEADS_S
    x, z = root[0] + far * vx + c * aside, root[1] + far * vz - s * aside
    size = np.sqrt(vx * vx + vz * vz)
    way = (vx / size, vz / size) if size > 0.1 else (s, c)
    return (x, z, s, c, sole[4], sole[5], 0.0), way


@part
def aside(half: Any, start: Any, end: Any) -> Any:
    """How far aside of the line from its start (7,) to its end x, z a sole is half-way: x, z."""
    sx, sz = end[0] - start[FLAT_X], end[1] - start[FLAT_Z]
    dx, dz = half[0] - start[FLAT_X], half[1] - start[FLAT_Z]
    share = (dx * sx + dz * sz) / max(sx * sx + sz * sz, 1e-4)
    high = bump(share)
    if high < 0.2:
        return 0.0, 0.0
    return (dx - share * sx) / high, (dz - share * sz) / high


@part
def expected(handle: Any, n: int, chain: Any, side: int, left_s: float) -> Any:
    """A foot's sole as it will land by what comes in, and the direction in which the body goes until then."""
    rows, tables, room = handle.rows, handle.tables, handle.room
    v = coming_layer(rows, n)
    k, t, weights = rows.motion[n, v], rows.t[n, v], rows.weights[n, v]
    end = t + left_s * rows.rate[n, v]
    root = room.sway[0]
    for i in range(3):
        root[i] = rows.root[n, i]
    first, cells, count = tables.first_mean[k], tables.cells[k], tables.count[k]
    a = travel_at(tables.travel, first, cells, weights, count, t)
    b = travel_at(tables.travel, first, cells, weights, count, min(end, 1.0))
    move_root(root, b[0] - a[0], b[1] - a[1], b[2] - a[2])
    if end > 1.0 and tables.loops[k]:
        c = travel_at(tables.travel, first, cells, weights, count, end - 1.0)
        move_root(root, c[0], c[1], c[2])
    way_x, way_z = root[0] - rows.root[n, 0], root[1] - rows.root[n, 1]
    size = np.sqrt(way_x * way_x + way_z * way_z)
    if size < 0.02:
        way_x, way_z, size = np.sin(root[2]), np.cos(root[2]), 1.0
    sample_one(handle, k, moment(end, tables.loops[k]), weights, 1)
    q = room.turns[1]
    place = place_root(room.row, 3 * room.turns.shape[2], q, root[2])
    walk_chain(tables.body, chain, q, place, room)
    return _sole(tables.body, room.world, side, root[0], root[1]), (way_x / size, way_z / size)


# --- where feet and body are ------------------------------------------------------------------------------------------


@part
def put_foot(handle: Any, n: int, ground: Any, given: Any, sole: Any, side: int, dt: float) -> Any:
    """Where a foot's ankle is to be as seen from over the carrier, its turn, and its grip."""
    rows, body, world, own, keeps = handle.rows, handle.tables.body, handle.room.world, given.rows, given.keeps
    if own.flies[n, side]:
        spring(own.bump[n, side], own.bump[n, side, 2], dt, keeps, BUMP)
    rest = own.rest[n, side]
    plan = now_at(own, n, (sole[0], sole[1]), side, own.gone[n, side])
    place = (plan[0] + rest[0, 0], plan[1] + rest[0, 1], plan[2] + rest[0, 2])
    turn = tilt(plan[3] + rest[0, 3], plan[4] + rest[0, 4])
    offset = rows.offset[n, side]  # of the foot as it is held; the pose is as animated
    middle = (sole[0] - rows.root[n, 0] - offset[0], -offset[1], sole[1] - rows.root[n, 1] - offset[2])
    up, back = own.up[n, side], own.back[n, side]
    spring(back, 0.0, dt, keeps, UP)
    place = (place[0] + back[0] * sole[2], place[1], place[2] + back[0] * sole[3])
    now = out = 0.0
    if own.flies[n, side] or abs(rest[0, 1]) > 0.001:
        speed = (0.0, 0.0)
        if dt > 0.0 and own.flies[n, side]:
            ahead = LIVE_GROUND_SOON_S / dt
            speed = (place[0] - own.last[n, side, 0]) * ahead, (place[2] - own.last[n, side, 1]) * ahead
        moved = 0.0
        for k in range(3):
            point = rotate(turn, minus(point_of(world, body.sole_joints[side, k], body.sole[side, k]), middle))
            at = (place[0] + point[0], place[1] + point[1] - body.standing[side, k], place[2] + point[2])
            deep = height_at(ground, at[0], at[2], place[1]) - at[1]
            if deep - up[0] > SIDE_M:  # in the side of a step: the way out is the way it came
                by = way_out(ground, at, (sole[2], sole[3]), -1.0 if k > 0 else 1.0, up[0])
                if by != 0.0:
                    moved, deep = by, 0.0
            if now < deep < GROUND_RISE_M:  # what is higher is a wall
                now = deep
            soon = height_at(ground, at[0] + speed[0], at[2] + speed[1], place[1]) - at[1]
            if out < soon < GROUND_RISE_M:
                out = soon
        moved = min(max(moved, -LIVE_RISE_M_S * dt), LIVE_RISE_M_S * dt)
        back[0] += moved
        place = (place[0] + moved * sole[2], place[1], place[2] + moved * sole[3])
    elif ground[0] >= PLATES or ground[0] == STAIRS:
        stay_out(ground, own.goal[n, side], sole, (place, LIVE_STANCE_OUT_M_S * dt))
    least = min(now - LIVE_GROUND_DEEP_M, up[0] + LIVE_RISE_M_S * dt)
    spring(up, max(now, out), dt, keeps, UP)
    up[0] = max(up[0], least)
    own.was[n, side, 0], own.was[n, side, 1] = sole[0], sole[1]
    own.last[n, side, 0], own.last[n, side, 1] = place[0], place[2]
    ankle = (np.float64(world[body.legs[side, 2], 4]), np.float64(world[body.legs[side, 2], 5]),
             np.float64(world[body.legs[side, 2], 6]))  # fmt: skip
    arm = rotate(turn, minus(ankle, middle))
    target = (place[0] - rows.root[n, 0] + arm[0], place[1] + up[0] + arm[1], place[2] - rows.root[n, 1] + arm[2])
    return target, turn, rows.grip[n, side]


@part
def stay_out(ground: Any, goal: Any, sole: Any, at: Any) -> None:
    """A standing foot whose heel or tip is in the side of a step is moved out of it, its plane (7,) in place.

    at: the middle of its sole (3,), and metres that it is moved by at most.
    """
    place, most = at
    for sign in (-1.0, 1.0):
        far = sole[5] if sign < 0.0 else -sole[4]
        x, z = place[0] + far * sole[2], place[2] + far * sole[3]
        y = place[1] + far * (goal[SLOPE_X] * sole[2] + goal[SLOPE_Z] * sole[3])
        deep = height_at(ground, x, z, place[1]) - y
        if SIDE_M < deep < GROUND_RISE_M:
            by = way_out(ground, (x, y, z), (sole[2], sole[3]), sign, 0.0)
            by = min(max(by, -most), most)
            goal[X] += by * sole[2]
            goal[Z] += by * sole[3]


@part
def way_out(ground: Any, at: Any, toes: Any, sign: float, up: float) -> float:
    """Metres along the toes that a point (3,) in the side of a step must move to be out of it; 0 where that is far."""
    for k in range(1, 7):
        by = sign * k * OUT_M
        high = height_at(ground, at[0] + by * toes[0], at[2] + by * toes[1], at[1])
        if high - at[1] - up < SIDE_M:
            return by
    return 0.0


@part
def fade_rest(rest: Any, dt: float, keeps: Any, which: int) -> None:
    """What dies away (2, 5), a critically damped spring's exact step."""
    k, e = 1.0 / TIMES_S[which], keeps[which]
    for i in range(5):
        x, v = rest[0, i], rest[1, i]
        j = (v + k * x) * dt
        rest[0, i], rest[1, i] = (x + j) * e, (v - k * j) * e


@part
def spring(x: Any, goal: float, dt: float, keeps: Any, which: int) -> None:
    """A critically damped spring's exact step of x[0], with the speed x[1], to a goal."""
    k, e = 1.0 / TIMES_S[which], keeps[which]
    off, v = x[0] - goal, x[1]
    j = (v + k * off) * dt
    x[0], x[1] = goal + (off + j) * e, (v - k * j) * e


@part
def body_goal(handle: Any, n: int, own: Any) -> Any:
    """What the body is to be moved by with its feet (3,)."""
    root = handle.rows.root[n]
    x = y = z = uneven = 0.0
    high = (0.0, 0.0)
    for side in range(2):
        start, goal, u = own.start[n, side], own.goal[n, side], own.gone[n, side]
        a, b = on_plane(start, root[0], root[1]), on_plane(goal, root[0], root[1])
        x += 0.5 * (a[0] + u * (b[0] - a[0]) - root[0])
        z += 0.5 * (a[2] + u * (b[2] - a[2]) - root[1])
        here = a[1] + u * (b[1] - a[1])
        y += 0.5 * here
        high = (here, high[0])
        uneven += 0.5 * ((1.0 - u) * steepness(start) + u * steepness(goal))
    apart = high[0] - high[1]
    y -= LIVE_GROUND_BENT_M * min((uneven + abs(apart)) / LIVE_GROUND_UNEVEN, 1.0)
    y -= LIVE_GROUND_LOW * (np.sqrt(apart * apart + LIVE_GROUND_ROUND_M**2) - LIVE_GROUND_ROUND_M)
    return x, y, z


@part
def steepness(plane: Any) -> float:
    """Rise for each metre of a plane (7,)."""
    return float(np.sqrt(plane[SLOPE_X] * plane[SLOPE_X] + plane[SLOPE_Z] * plane[SLOPE_Z]))


@part
def lead_body(handle: Any, n: int, given: Any, dt: float) -> Any:
    """What the body is moved by with its ground now (3,), as springs that are led at the speed of their goals."""
    own, keep, e = given.rows, given.keeps[LEAD], given.keeps[BODY]
    goal, aim, body = body_goal(handle, n, own), own.aim[n], own.body[n]
    k = 1.0 / LIVE_GROUND_BODY_S
    for i in range(3):
        if dt > 0.0:
            aim[1, i] = keep * aim[1, i] + (1.0 - keep) * (goal[i] - aim[0, i]) / dt
        aim[0, i] = goal[i]
        ahead = goal[i] + 2.0 * LIVE_GROUND_BODY_S * aim[1, i]
        off, v = body[0, i] - ahead, body[1, i]
        j = (v + k * off) * dt
        body[0, i], body[1, i] = ahead + (off + j) * e, (v - k * j) * e
    return body[0, 0], body[0, 1], body[0, 2]


@part
def fall_behind(rows: Any, n: int, own: Any, lead: Any) -> None:
    """What a body is led over the floor by is taken off its carrier, and off all that goes with the level floor."""
    dx, dz = lead[0], lead[2]
    rows.root[n, 0] += dx
    rows.root[n, 1] += dz
    own.body[n, 0, 0] = own.body[n, 0, 2] = 0.0
    own.aim[n, 0, 0] -= dx
    own.aim[n, 0, 2] -= dz
    for side in range(2):
        rows.held[n, side, 0] += dx
        rows.held[n, side, 2] += dz
        for k in range(3):
            rows.was[n, side, k, 0] += dx
            rows.was[n, side, k, 2] += dz
        own.was[n, side, 0] += dx
        own.was[n, side, 1] += dz
        for plane in (own.start[n, side], own.goal[n, side]):
            plane[FLAT_X] += dx
            plane[FLAT_Z] += dz
