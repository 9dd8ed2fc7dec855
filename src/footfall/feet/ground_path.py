"""Ground path: the path of a clip, so that it can be walked with other strides, and the heights along it.

The way is where the body is on the floor, without its sway, by clip time. A body or a foot that belongs to one moment
of the way can be put at another moment of it: turned and moved as the way itself turns and moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.feet.pelvis_reach import low_pass
from footfall.kinematics.ground import Ground, GroundError
from footfall.kinematics.root import root_motion

SWAY_S = 0.2  # seconds: half-width of the smoothing that takes the sway of the hips off the way. By eye
END_S = 0.5  # seconds at either end of a clip whose speed the way leads on with. By eye
BEYOND_S = 1.5  # seconds that the way leads on, straight, before and after the clip. By eye
GRAIN_M = 0.0075  # metres along the way between places a foot may be set at: soles fit treads to a centimetre
GOES_M_S = 0.4  # m/s: slower, and a body turns on the spot rather than along its way. By eye
FOLLOW_M = 0.05  # metres along the way between heights that are followed from one to the next


@dataclass(frozen=True, eq=False)
class GroundPath:
    """The way of a clip, sampled at its frames and a little beyond: fields are (N,) over `time_s`."""

    time_s: np.ndarray
    x: np.ndarray
    z: np.ndarray
    heading: np.ndarray
    turned: np.ndarray  # radians that the way itself has turned; turns on the spot are none of it
    along_m: np.ndarray  # metres gone since time 0
    height: np.ndarray  # of the ground there: the level the body walks on

    def at(self, name: str, time_s: np.ndarray | float) -> np.ndarray:
        """One of the fields at moments of the way."""
        return np.interp(time_s, self.time_s, getattr(self, name))

    def carried(self, points: np.ndarray, from_s: np.ndarray | float, to_s: np.ndarray) -> np.ndarray:
        """Points (..., 3) that belong to moments from_s (...) of the way, put at moments to_s (...)."""
        turn = self.turn(from_s, to_s)
        dx, dz = points[..., 0] - self.at("x", from_s), points[..., 2] - self.at("z", from_s)
        c, s = np.cos(turn), np.sin(turn)
        x, z = self.at("x", to_s) + c * dx + s * dz, self.at("z", to_s) - s * dx + c * dz
        return np.stack(np.broadcast_arrays(x, points[..., 1], z), axis=-1)

    def turn(self, from_s: np.ndarray | float, to_s: np.ndarray) -> np.ndarray:
        """Radians by which the way turns from one moment to another."""
        return np.asarray(self.at("turned", to_s) - self.at("turned", from_s))

    def reached(self, along_m: np.ndarray) -> np.ndarray:
        """Moments at which the way has gone so many metres."""
        grows = np.maximum.accumulate(self.along_m + 1e-9 * np.arange(len(self.along_m)))
        return np.interp(along_m, grows, self.time_s)

    def places(self) -> np.ndarray:
        """Moments of the way that lie about GRAIN_M apart."""
        span = self.along_m[-1] - self.along_m[0]
        marks = np.linspace(self.along_m[0], self.along_m[-1], max(2, int(span / GRAIN_M) + 1))
        return self.reached(marks)


def start_and_way(clip: Clip) -> tuple[np.ndarray, float]:
    """Where a clip begins on the floor (3,), and the heading of its travel, or of its body where it stays."""
    root = root_motion(clip)
    way = root.position[-1] - root.position[0]
    gone = np.linalg.norm(np.diff(root.position, axis=0), axis=-1).sum()
    if np.linalg.norm(way) > 0.5 * gone and gone > 0.3 * clip.skeleton.leg_length:
        return root.position[0], float(np.arctan2(way[0], way[2]))
    ahead = np.flatnonzero(np.linalg.norm(root.position - root.position[0], axis=-1) > clip.skeleton.leg_length)
    if len(ahead):  # a way that turns: as it begins
        way = root.position[ahead[0]] - root.position[0]
        return root.position[0], float(np.arctan2(way[0], way[2]))
    return root.position[0], float(root.heading[0])


def ground_path(clip: Clip, ground: Ground) -> GroundPath:
    """The way of a clip of two frames or more, and the level of the ground that it follows."""
    root = root_motion(clip)
    columns = np.column_stack([root.position[:, 0], root.position[:, 2], root.heading])
    beyond = max(1, round(BEYOND_S * clip.fps))
    reach = max(1, min(len(columns) - 1, round(END_S * clip.fps)))
    steps = np.arange(1, beyond + 1)[:, None] / reach
    before = columns[:1] + steps[::-1] * (columns[0] - columns[reach])
    after = columns[-1:] + steps * (columns[-1] - columns[-1 - reach])
    before[:, 2], after[:, 2] = columns[0, 2], columns[-1, 2]
    whole = low_pass(np.concatenate([before, columns, after]), max(1, round(SWAY_S * clip.fps)))
    time_s = np.arange(-beyond, len(columns) + beyond) / clip.fps
    steps_m = np.hypot(np.diff(whole[:, 0]), np.diff(whole[:, 1]))
    along = np.concatenate([[0.0], np.cumsum(steps_m)])
    along -= along[beyond]
    height = _followed(ground, whole[:, 0], whole[:, 1], along, beyond)
    goes = ease(steps_m * clip.fps / GOES_M_S)
    turned = np.concatenate([[0.0], np.cumsum(goes * np.diff(whole[:, 2]))])
    return GroundPath(time_s, whole[:, 0], whole[:, 1], whole[:, 2], turned, along, height)


def _followed(ground: Ground, x: np.ndarray, z: np.ndarray, along: np.ndarray, start: int) -> np.ndarray:
    """(N,) heights along the way, each the level that is reached from the one before; over holes as before them."""
    marks = np.flatnonzero(np.diff(np.floor(along / FOLLOW_M), prepend=-1e9) != 0)
    marks = np.union1d(marks, [start])
    height = np.full(len(marks), np.nan)
    first = int(np.searchsorted(marks, start))
    height[first] = float(ground.heights(x[start], z[start], 0.0))
    if np.isnan(height[first]):
        raise GroundError(
            f"{ground.name} has no ground where the clip begins, at x {x[start]:.2f}, z {z[start]:.2f} m: "
            "move the clip or the ground"
        )
    for order in (range(first + 1, len(marks)), range(first - 1, -1, -1)):
        last = height[first]
        for n in order:
            here = float(ground.heights(x[marks[n]], z[marks[n]], last))
            last = last if np.isnan(here) else here
            height[n] = last
    return np.interp(np.arange(len(x)), marks, height)
