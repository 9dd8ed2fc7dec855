"""Steps between: the steps a body must take where no blend can join two motions, as a run into standing.

Nobody stops within a blend: the change of velocity that a join may ask for is limited. Beyond it the missing steps
are made (`motions.gait_change`: a start, a stop, a change of gait), put on the same body and joined in between.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from footfall.core.clip import Clip
from footfall.core.skeleton import Skeleton
from footfall.feet.foot_paths import FootPaths
from footfall.feet.limits import (
    BRIDGE_AROUND_S,
    BRIDGE_FASTEST_M_S,
    BRIDGE_HARD_M_S2,
    BRIDGE_ROUND_M_S,
    BRIDGE_RUNS_M_S,
    BRIDGE_STANDS_M_S,
    BRIDGE_STRIDE_S,
)
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.retarget.retarget import retarget


def asked_m_s2(old: FootPaths, new: FootPaths, leave: int, enter: int, length: int, turn: float) -> float:
    """The mean acceleration of the body that a transition asks for; turn is that of the target's placement."""
    change = velocity(new, enter, turn) - velocity(old, leave, 0.0)
    return float(np.linalg.norm(change)) * old.fps / length


def velocity(paths: FootPaths, frame: int, turn: float) -> np.ndarray:
    """(3,) of the floor root around a frame, m/s, without the sway of a step."""
    reach = round(BRIDGE_AROUND_S * paths.fps)
    first, last = paths.lead, paths.lead + paths.frames - 1
    a, b = (min(max(frame + s, first), last) for s in (-reach, reach))
    if b == a:
        return np.zeros(3)
    moved = (paths.root[b] - paths.root[a]) * paths.fps / (b - a)
    return FloorTransform(np.asarray(turn), np.zeros(3)).points(moved)


def missing(change_m_s: float) -> int:
    """About how many steps it takes to change speed by so much."""
    return max(1, int(np.ceil(change_m_s / BRIDGE_HARD_M_S2 / (0.5 * BRIDGE_STRIDE_S))))


def bridge(skeleton: Skeleton, before_m_s: float, after_m_s: float, fps: float) -> Clip | None:
    """The steps from one forward speed to another on this body; None where there is nothing to change."""
    speeds = [max(0.0, BRIDGE_ROUND_M_S * round(v / BRIDGE_ROUND_M_S)) for v in (before_m_s, after_m_s)]
    if speeds[0] == speeds[1] or (_gait(speeds[0]).stands and _gait(speeds[1]).stands):
        return None
    return _bridge(skeleton, speeds[0], speeds[1], fps)


@lru_cache(maxsize=64)
def _bridge(skeleton: Skeleton, before_m_s: float, after_m_s: float, fps: float) -> Clip:
    clip = gait_change(_gait(before_m_s), _gait(after_m_s)).resample(fps)
    return clip if skeleton.names == clip.skeleton.names else retarget(clip, skeleton, metres=True)


def _gait(speed: float) -> SteadyGait:
    if speed < BRIDGE_STANDS_M_S:
        return SteadyGait("stand")
    return SteadyGait("run" if speed > BRIDGE_RUNS_M_S else "walk", min(speed, BRIDGE_FASTEST_M_S))


def forward_m_s(paths: FootPaths, frame: int) -> float:
    """Speed as the body faces, m/s; negative backward."""
    ahead = np.array([np.sin(paths.heading[frame]), 0.0, np.cos(paths.heading[frame])])
    return float(velocity(paths, frame, 0.0) @ ahead)
