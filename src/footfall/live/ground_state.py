"""Ground state: a ground as live kernels take it, and the fields it adds to the row of every character."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.references import reference
from footfall.feet.limits import (
    LIVE_GROUND_BODY_S,
    LIVE_GROUND_BUMP_S,
    LIVE_GROUND_LEAD_S,
    LIVE_GROUND_REST_S,
    LIVE_GROUND_SETTLE_S,
    LIVE_GROUND_SLOWS_S,
    LIVE_GROUND_STANDS_S,
    LIVE_GROUND_UP_S,
)
from footfall.feet.live_body import LiveBody
from footfall.io.open_ground import ground as ground_of
from footfall.kinematics.ground import Ground, GroundError
from footfall.live.rows import CharacterRows

REST, SETTLE, BUMP, UP, BODY, LEAD, PACE, PACE_STANDS = range(8)
# time constants, by these numbers
TIMES_S = (LIVE_GROUND_REST_S, LIVE_GROUND_SETTLE_S, LIVE_GROUND_BUMP_S, LIVE_GROUND_UP_S, LIVE_GROUND_BODY_S,
           LIVE_GROUND_LEAD_S, LIVE_GROUND_SLOWS_S, LIVE_GROUND_STANDS_S)  # fmt: skip


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
    back: np.ndarray  # (N, 2, 2, 2) f64 metres x and z that it is kept out of the side of a step by, each and its speed
    rest: np.ndarray  # (N, 2, 2, 5) f64 what a foot still differs by from its plan, place and slope, and its speed
    was: np.ndarray  # (N, 2, 2) f64 x, z of the middle of a sole in the last frame, as the motion has it
    last: np.ndarray  # (N, 2, 2) f64 and on the ground
    body: np.ndarray  # (N, 2, 3) f64 what the body is moved by with its ground, and its speed
    aim: np.ndarray  # (N, 2, 3) f64 where that goes, and how fast
    shift: np.ndarray  # (N, 2, 3) f64 what the pelvis moves by so that feet reach, and its speed
    catch_s: np.ndarray  # (N, 2) f64 seconds left of a step after a motion that has gone far from its foot
    blocked: np.ndarray  # (N,) bool whether the last step could not be taken
    left_s: np.ndarray  # (N, 2) f64 seconds until a swinging foot lands
    ends: np.ndarray  # (N, 2, 3, 3) f64 heel, ball and tip as seen from the middle of their sole, in the last frame
    slow: np.ndarray  # (N, 2) f64 share of its pace that the step of a swinging foot is taken with
    pace: np.ndarray  # (N,) f64 share of its usual pace that the character goes on with now
    steps: np.ndarray  # (N,) bool whether steps lie ahead


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
        off = np.isnan(self._under())
        if off.any():
            x, z, _ = rows.root[int(off.argmax())].tolist()
            raise GroundError(f"{ground.name} has no ground where a character begins, at x {x:.2f}, z {z:.2f} m")

    def heights(self) -> np.ndarray:
        """(N,) of the ground under every character; where there is none, beyond its end, that of the body itself."""
        found = self._under()
        return np.where(np.isnan(found), self.rows.body[:, 0, 1], found)

    def _under(self) -> np.ndarray:
        """The same; NaN where there is none."""
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
        **dict.fromkeys(("begun", "blocked", "steps"), (np.bool_, ())), "flies": (np.bool_, (2,)),
        **dict.fromkeys(("gone", "wait_s", "power", "left_s", "slow", "catch_s"), (float, (2,))), "pace": (float, ()),
        "ends": (float, (2, 3, 3)),
        **dict.fromkeys(("start", "goal"), (float, (2, 7))), "rest": (float, (2, 2, 5)),
        **dict.fromkeys(("up", "was", "last"), (float, (2, 2))), "back": (float, (2, 2, 2)),
        **dict.fromkeys(("bump", "bow", "body", "aim", "shift"), (float, (2, 3))),
    }  # fmt: skip
    made = GroundRows(**{name: np.zeros((count, *shape), kind) for name, (kind, shape) in kinds.items()})
    made.pace[:] = made.slow[:] = 1.0
    return made
