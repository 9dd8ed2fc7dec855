"""Motion matching: the frame of a database that fits best what is asked for is looked up ten times a second and played.

hero = ff.MotionMatching("takes")            # a folder of recordings; or "builtin"
pose = hero.step(1 / 60, type="walk", speed=1.4, turn=20)

Clavet 2016, Holden et al. 2020: the query is the pose that plays now, as its features tell it, and the path that was
asked for over the next second. The switch is inertialized (Bollo 2018): the new frames play at once, and what the pose
differed by dies away. Same steps as `Controller`, no graph and no labels: the modern baseline to compare it with.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.align.features import AHEAD_S
from footfall.align.nearest import boxes, nearest
from footfall.core import rotation
from footfall.core.errors import ParameterError, UnknownName, finite_number
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.live_body import held_feet, live_body
from footfall.joins.methods.inertialize import MOST_M_S2, MOST_RAD_S2, quintic
from footfall.live.matching_database import FPS, NEVER, TYPES, MatchingDatabase, database_of
from footfall.live.matching_offset import Inertia
from footfall.live.matching_pose import DatabaseMoment, FootContacts, live_pose, sample
from footfall.parametric.arc_root import moved, travel_between

# By eye, on the comparison with the transition graph (`footfall compare`), unless another origin is given.
EVERY_S = 0.1  # between searches; as Holden et al. 2020
BLEND_S = 0.35  # in which what a switch leaves dies away
CURVE_S = 1.0 / 120.0  # steps in which that is worked out, once a switch
EASE_S = 0.25  # time constant with which the path asked for takes up speed and turn
SAME_S = 0.2  # a frame this near to the one that plays is no other
BETTER, AT_LEAST = 0.9, 0.05  # of the cost of going on, and less by this: what a switch must fall below
OTHER_TYPE = 4.0  # added to the cost of frames of another type
LARGE_SPEED, LARGE_TURN = 0.25, 15.0  # m/s, °/s: a request that changes by more is searched for at once
FASTER = 0.12  # play up to so much faster or slower to meet a speed
TURN_MORE = 0.2  # rad/s: and turn by so much more or less to meet a turn
FOLLOW_S = 0.2  # time constant of both
END_S = 0.06  # before the end of a take something else must play
JUMP_M = 0.3  # a root put farther than this from where it was going is somewhere else: feet let go
LONGEST_STEP_S = 0.05  # a longer step is gone in pieces
LEAST_STEP_S = 1e-5  # a shorter one is gone together with the next; by eye
MOST_STEP_S = 600.0  # a longer one is refused as a mistake
MOVES = 0.3  # m/s: a slower body is not played faster or turned more
_STRETCH = 1.0 / 30.0  # in which the path that is asked for is added up
_TIMES = (np.arange(round(AHEAD_S[-1] / _STRETCH)) + 0.5) * _STRETCH
_AT = np.array([round(t / _STRETCH) - 1 for t in AHEAD_S])


class MatchingState(NamedTuple):
    """Where a character is."""

    time_s: float
    clip: str
    clip_s: float  # time in it
    type: str  # what was asked for; empty where only speed and turn were
    asked: dict[str, float]
    achieved: dict[str, float]
    cost: float  # of the frame that plays, at the last search
    searches: int
    switches: int


class MotionMatching:
    """A live character driven by motion matching: the frame of a database that fits best, looked up again and again.

    What it does depends only on its state and on the commands it was given.
    """

    def __init__(
        self, source: MatchingDatabase | str | Path = "builtin", type: str | None = None, x: float = 0.0,
        z: float = 0.0, heading: float = 0.0, foot_lock: bool = True,
    ) -> None:  # fmt: skip
        """Standing (or in `type`) at a place and heading (radians) on the floor.

        source: a folder of recordings, a database made before (many characters can share one), or "builtin".
        """
        database = source if isinstance(source, MatchingDatabase) else database_of(source)
        self.database = database
        self.time_s = 0.0
        self.heading, self.point = (
            finite_number("heading", heading),
            complex(finite_number("z", z), finite_number("x", x)),
        )
        self.searches = self.switches = 0
        self.cost = 0.0
        self._low, self._high = boxes(database.rows)
        self._body = live_body(database.skeleton, database.sole_joints, database.sole, database.standing)
        self._feet = held_feet(len(database.skeleton))
        self._lock = foot_lock
        self._type = ""
        self._speed: float | None = None
        self._turn = self._side = 0.0
        self._searched = (0.0, 0.0, 0.0, "")  # what was asked for at the last search
        self._since = math.inf
        self._owed_s = 0.0  # of steps that were too short to be gone
        self._faster, self._more = 1.0, 0.0
        self._curve = np.zeros((1, len(database.skeleton) + 1, 3))
        self._nothing = self._curve[0]
        self._inertia: Inertia | None = None
        self._shown: list[tuple[int, float, np.ndarray, float]] = []  # frame, share of the next, offset, step
        self._frame, self._u = self._start(type or ("stand" if "stand" in database.types else database.types[0])), 0.0
        self._type = "" if type is None else self._known(type)
        self._rate = database.rate[self._frame].astype(float)

    # --- what people ask ------------------------------------------------------------------------------------------
    def step(
        self, dt: float, type: str | None = None, speed: float | None = None, turn: float | None = None,
        side: float | None = None, urgent: bool = False, root: tuple[float, float, float] | None = None,
    ) -> Pose:  # fmt: skip
        """Advance by dt seconds and return the pose in the world.

        type, speed (m/s), turn (°/s to the left) and side (m/s to the left) hold until they are given anew. urgent:
        search now. root: put the character there, x, z (metres) and heading (radians).
        """
        if not 0.0 <= dt <= MOST_STEP_S:
            raise ParameterError(f"a step lasts 0 to {MOST_STEP_S:g} s, got {dt}")
        if type is not None:
            self._type = self._known(type)
        self._speed = self._speed if speed is None else finite_number("speed", speed)
        self._turn = self._turn if turn is None else finite_number("turn", turn)
        self._side = self._side if side is None else finite_number("side", side)
        if urgent:
            self._since = math.inf
        self._owed_s += dt
        dt, self._owed_s = (self._owed_s, 0.0) if self._owed_s >= LEAST_STEP_S else (0.0, self._owed_s)
        pieces = max(1, math.ceil(dt / LONGEST_STEP_S - 1e-9))
        for _ in range(pieces):
            self._advance(dt / pieces)
        if root is not None:
            x, z, heading = (finite_number("root", v) for v in root)
            if abs(complex(z, x) - self.point) > JUMP_M:
                self._feet.let_go()
            self.point, self.heading = complex(z, x), heading
        return self._pose(dt)

    @property
    def state(self) -> MatchingState:
        """Where the character is now."""
        d = self.database
        clip = int(np.searchsorted(d.first, self._frame, side="right")) - 1
        forward, left, turn = self._rate.tolist()
        ahead, side, asked_turn = self._asked()
        return MatchingState(
            self.time_s, d.clips[clip], float(self._frame - d.first[clip] + self._u) / FPS, self._type,
            {"speed": ahead, "turn": math.degrees(asked_turn), "side": side},
            {"speed": forward, "turn": math.degrees(turn), "side": left},
            self.cost, self.searches, self.switches,
        )  # fmt: skip

    @property
    def position(self) -> np.ndarray:
        """(3,) where the floor frame is."""
        return np.array([self.point.imag, 0.0, self.point.real])

    @property
    def down(self) -> list[list[bool]]:
        """[left, right][heel, ball] on the floor."""
        return self.database.down[self._frame].tolist()

    @property
    def skeleton(self) -> Skeleton:
        """Whose poses `step` returns."""
        return self.database.skeleton

    @property
    def nbytes(self) -> int:
        """Memory of the database and of what the character keeps."""
        own = [self._low, self._high, self._curve, *self._feet, *self._body]
        return self.database.nbytes + sum(a.nbytes for a in own)

    def place(self, x: float, z: float, heading: float) -> None:
        """Put the character somewhere else; its feet let go of where they stood."""
        self.point, self.heading = (
            complex(finite_number("z", z), finite_number("x", x)),
            finite_number("heading", heading),
        )
        self._feet.let_go()

    # --- requests -------------------------------------------------------------------------------------------------
    def _known(self, type: str) -> str:
        if type not in self.database.types:
            raise UnknownName("type of motion", type, self.database.types)
        return type

    def _asked(self) -> tuple[float, float, float]:
        """Forward and left m/s, turn rad/s."""
        if self._type == "stand":
            return 0.0, 0.0, math.radians(self._turn)
        if self._speed is None:
            return (self.database.usual_speed(self._type) if self._type else 0.0), self._side, math.radians(self._turn)
        return self._speed, self._side, math.radians(self._turn)

    def _changed(self) -> bool:
        """Whether much else is asked for than at the last search."""
        speed, side, turn = self._asked()
        old = self._searched
        return (
            math.hypot(speed - old[0], side - old[1]) > LARGE_SPEED
            or abs(turn - old[2]) > math.radians(LARGE_TURN)
            or self._type != old[3]
        )

    def _start(self, type: str) -> int:
        """A frame to begin with: of that type, the calmest."""
        d = self.database
        some = np.flatnonzero(d.group == TYPES.index(self._known(type)))
        rate = d.rate[some]
        cost = np.abs(rate[:, 0] - np.median(rate[:, 0])) if type != "stand" else np.abs(rate).sum(axis=1)
        return int(some[int(cost.argmin())])

    # --- time -----------------------------------------------------------------------------------------------------
    def _advance(self, dt: float) -> None:
        d = self.database
        self._since += dt
        ending = float(d.left_s[self._frame]) <= END_S
        if self._since >= EVERY_S - 1e-9 or ending or self._changed():
            self._search(ending)
        start, heading = self.point, self.heading
        self._follow(dt)
        left = dt * FPS * self._faster
        while left > 0.0:
            part = min(left, 1.0 - self._u)
            self._travel(d.travel[self._frame] * part)
            self._u += part
            left -= part
            if self._u >= 1.0 - 1e-9:
                after = int(d.after[self._frame])
                self._frame, self._u = after, 0.0
                if after == int(d.after[after]):
                    break  # the end of a take: its last pose holds until the next search finds another
        self.heading += self._more * dt
        if self._inertia is not None:
            self._travel(self._inertia.travel(dt))
            self._inertia.age += dt
            self._inertia = None if self._inertia.over else self._inertia
        self.time_s += dt
        if dt > 0.0:
            self._rate = np.array(travel_between(start, heading, self.point, self.heading)) / dt
        if abs(self.heading) > 1e3:
            self.heading = math.remainder(self.heading, 2.0 * math.pi)

    def _travel(self, travel: np.ndarray) -> None:
        self.point, self.heading = moved(self.point, self.heading, travel)

    def _follow(self, dt: float) -> None:
        """Play a little faster or turn a little more, towards what is asked for; never where nothing moves."""
        ahead, side, turn = self._asked()
        forward, left, turning = self.database.rate[self._frame].tolist()
        speed = math.hypot(forward, left)
        goal, more = 1.0, 0.0
        if speed > MOVES:
            goal = min(max(math.hypot(ahead, side) / speed, 1.0 - FASTER), 1.0 + FASTER)
            more = min(max(turn - turning, -TURN_MORE), TURN_MORE)
        near = -math.expm1(-dt / FOLLOW_S)
        self._faster += near * (goal - self._faster)
        self._more += near * (more - self._more)

    # --- searching ------------------------------------------------------------------------------------------------
    def _query(self) -> np.ndarray:
        """The features of what plays now, with the path that is asked for."""
        d = self.database
        query = d.rows[self._frame].copy()
        path = wanted_path(self._rate, np.array(self._asked()))
        query[: len(d.scale)] = (path - d.middle) * d.scale
        return query

    def _search(self, ending: bool) -> None:
        d = self.database
        query = self._query()
        penalty = np.zeros(NEVER + 1, np.float32)
        penalty[NEVER] = np.inf
        if self._type in ("walk", "run"):
            penalty[TYPES.index("run" if self._type == "walk" else "walk")] = OTHER_TYPE
        group = int(d.group[self._frame])
        step = d.rows[self._frame] - query
        now = float(step @ step) + float(penalty[group] if group < NEVER else 0.0)
        limit = math.inf if ending else BETTER * now - AT_LEAST
        best, cost = nearest(d.rows, self._low, self._high, query, penalty, d.group, -1, limit)
        self._searched = (*self._asked(), self._type)
        self._since = 0.0
        self.searches += 1
        self.cost = now
        if best >= 0 and (ending or not self._near(best)):
            self.cost = float(cost)
            self._switch(int(best))

    def _near(self, frame: int) -> bool:
        """Whether a frame is about the one that plays."""
        d, apart = self.database, int(SAME_S * FPS)
        if abs(frame - self._frame) <= apart:
            return True
        if math.isfinite(float(d.left_s[frame])):
            return False
        clip = int(np.searchsorted(d.first, frame, side="right")) - 1
        a, b = int(d.first[clip]), int(d.first[clip + 1])
        return a <= self._frame < b and (b - a) - abs(frame - self._frame) <= apart

    def _switch(self, frame: int) -> None:
        """Play another frame; what the pose shown differs by dies away."""
        d = self.database
        old_rate = self._rate
        self._frame, self._u = frame, 0.0
        self.switches += 1
        if len(self._shown) < 2:
            return
        rate = d.rate[frame] * np.array([self._faster, self._faster, 1.0]) + np.array([0.0, 0.0, self._more])
        old, last = self._shown
        old_pose, shown = (self._floor_pose(*at[:3]) for at in (old, last))
        new_frames = (self._before(frame), frame, int(d.after[frame]))
        new_old, new, new_next = (self._floor_pose(k, 0.0, self._nothing) for k in new_frames)
        before = _earlier(shown, old_pose, shown, 1.0 / (FPS * last[3]))
        new_before = _earlier(new, new_old, new_next, 0.5)  # velocity from both sides
        self._inertia = Inertia(before, shown, new_before, new, 1.0 / FPS, old_rate - rate, BLEND_S)
        times = np.arange(int(BLEND_S / CURVE_S) + 2) * CURVE_S
        turn = quintic(self._inertia.turn, self._inertia.turn_rate, BLEND_S, times, MOST_RAD_S2)
        place = quintic(self._inertia.place, self._inertia.place_rate, BLEND_S, times, MOST_M_S2)
        self._curve = np.concatenate([turn, place[:, None]], axis=1)

    def _before(self, frame: int) -> int:
        """The frame before one that can be entered; a loop's last is before its first."""
        d = self.database
        if frame > 0 and d.after[frame - 1] == frame:
            return frame - 1
        return int(d.first[np.searchsorted(d.first, frame, side="right")]) - 1

    # --- poses ----------------------------------------------------------------------------------------------------
    def _pose(self, dt: float) -> Pose:
        d, feet, body = self.database, self._feet, self._body
        offset = self._left()
        if dt > 0.0 or not self._shown:
            self._shown = [*self._shown[-1:], (self._frame, self._u, offset, max(dt, 1e-3))]
        else:
            self._shown[-1] = (self._frame, self._u, offset, self._shown[-1][3])
        root = np.array([self.point.imag, self.point.real, self.heading])
        place, turns = np.empty(3), np.empty((len(d.skeleton), 4))
        contacts = FootContacts(d.down[self._frame], d.soon[self._frame], self._inertia is not None, self._lock)
        live_pose(self._moment(self._frame, self._u, offset), contacts, root, body, feet, dt, place, turns)
        return Pose(place, turns)

    def _moment(self, frame: int, share: float, offset: np.ndarray) -> DatabaseMoment:
        return DatabaseMoment(
            self.database.rot, self.database.root, frame, int(self.database.after[frame]), share, offset
        )

    def _floor_pose(self, frame: int, share: float, offset: np.ndarray) -> Pose:
        """The pose on the floor frame: a share of the way from a frame to the next, with an offset on it."""
        root, rot = np.empty(3), np.empty((len(self.skeleton), 4))
        sample(self._moment(frame, share, offset), rot, root)
        return Pose(root, rot)

    def _left(self) -> np.ndarray:
        """(J + 1, 3) what is left of the last switch's offset."""
        if self._inertia is None:
            return self._nothing
        at = self._inertia.age / CURVE_S
        i = int(at)
        if i + 1 >= len(self._curve):
            return self._nothing
        u = at - i
        return (1.0 - u) * self._curve[i] + u * self._curve[i + 1]


def wanted_path(now: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """(12,) left and ahead at AHEAD_S, then the facing's left and ahead, of a body that takes up another speed.

    now, goal (3,): forward and left m/s, turn rad/s; what differs dies away exponentially.
    """
    rate = goal + np.exp(-_TIMES / EASE_S)[:, None] * (now - goal)  # (K, 3) at the middle of every stretch
    heading = np.cumsum(rate[:, 2]) * _STRETCH
    middle = heading - 0.5 * _STRETCH * rate[:, 2]
    points = np.cumsum((rate[:, 0] + 1j * rate[:, 1]) * np.exp(1j * middle)) * _STRETCH
    there, facing = points[_AT], heading[_AT]
    path = np.stack([there.imag, there.real], axis=1).ravel()
    return np.concatenate([path, np.stack([np.sin(facing), np.cos(facing)], axis=1).ravel()])


def _earlier(now: Pose, before: Pose, after: Pose, share: float) -> Pose:
    """The pose from which one comes to now by `share` of what leads from before to after."""
    back = rotation.log(rotation.multiply(rotation.conjugate(after.rot), before.rot))
    rot = rotation.multiply(now.rot, rotation.exp(share * back))
    return Pose(now.root_pos + share * (before.root_pos - after.root_pos), rot)
