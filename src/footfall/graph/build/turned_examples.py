"""Turned examples: loops that follow a curve, made from straight ones where no turn was recorded.

A straight loop is played round several times, laid along an arc of the radius that its speed and the wanted turn ask
for (`retarget.trajectory`: feet planted, the body leaning into the bend), and its middle round is closed again. Such
examples are made, not recorded, and say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.analysis.gait import GRAVITY
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.closed_loops import LoopQuality, close_cycle, played_round
from footfall.retarget.trajectory import along_path, arc_path

# By eye.
ROUNDS = 5  # a loop is laid along the arc so often; the middle one is taken
MOST_TURN = 75.0  # °/s
MOST_LEAN_DEG = 21.0  # that a person leans into a bend
MOST_LEAN = np.tan(np.radians(MOST_LEAN_DEG)) * GRAVITY  # m/s² of centripetal acceleration that goes with it
NEAR = 0.25  # of a node's ranges: a recorded example this near makes a made one needless
LEAST_RANGE = 0.4  # m/s: the range of speeds is taken to be no less
STRAIGHT = 12.0  # °/s: a loop that turns less is straight
SLOWEST = 0.1  # m/s, for telling a turn from a centripetal acceleration
LEAST_TURN, LEAST_WAY = 1e-3, 0.1  # rad/s and m: a loop that turns or goes less cannot be laid along an arc
PAST_END = 1.2  # of a loop's length, of the arc it is laid along


class WantedTurn(NamedTuple):
    """A turned example to be made: of which straight one, and how much it turns."""

    of: int
    turn: float  # °/s


def turned(loop: Clip, turn_deg_s: float, name: str) -> tuple[Clip, LoopQuality]:
    """A loop that turns by so much as it goes; its speed along the path stays."""
    long = played_round(loop, ROUNDS)
    path = long.root_motion.position
    length = float(np.linalg.norm(path[-1] - path[0]))  # of a straight loop
    rate = np.radians(turn_deg_s)
    if not (abs(rate) > LEAST_TURN and length > LEAST_WAY):
        raise ParameterError(f"{name}: only a loop that goes somewhere can be made to turn, and by more than nothing")
    way = path[-1] - path[0]
    bent = along_path(
        long, arc_path(length / long.duration / rate, PAST_END * length, heading=np.arctan2(way[0], way[2]))
    )
    middle = ROUNDS // 2 * loop.duration
    found, quality = close_cycle(bent, known_contacts(long), middle, middle + loop.duration, name)
    return replace(found, parameters={}), quality


def wanted_turns(table: Sequence[tuple[float, float]], along: Sequence[float]) -> list[WantedTurn]:
    """Turns to the left that a node lacks, of rows (speed, turn) of its recorded examples; all are mirrored later.

    along: speed over the floor of each, which limits how hard it can turn. Of straight examples the slowest, the
    fastest and one in the middle are turned, by half and by all that a person would lean into.
    """
    rows = np.array(table, float)
    straight = [k for k in range(len(rows)) if abs(rows[k, 1]) < STRAIGHT]
    rows[:, 1] = np.abs(rows[:, 1])  # what turns to the right does so to the left when mirrored
    if not straight:
        return []
    order = sorted(straight, key=lambda k: (rows[k, 0], k))
    chosen = sorted({order[0], order[len(order) // 2], order[-1]}, key=order.index)
    reach = max(float(np.ptp(rows[:, 0])), LEAST_RANGE) * NEAR
    found = []
    for k in chosen:
        most = min(MOST_TURN, float(np.degrees(MOST_LEAN / max(along[k], SLOWEST))))
        for turn in (0.5 * most, most):
            far = np.hypot((rows[:, 0] - rows[k, 0]) / reach, (rows[:, 1] - turn) / (NEAR * most))
            beyond = (np.abs(rows[:, 0] - rows[k, 0]) < reach) & (rows[:, 1] > turn)
            if far.min() > 1.0 and not (beyond.any() and turn < most):
                found.append(WantedTurn(k, round(turn, 1)))
    return found
