"""The five data sets of the weights study: examples, what is measured on their blends, and where they are sampled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.parametric.blend_space import blend_space
from footfall.parametric.parametric_motion import ParametricMotion

SETS = ("reach", "punch", "kick", "jump", "locomotion")
ANGULAR = {"turn", "direction"}  # parameters in degrees; errors are shown in radians
SLICES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])  # of the third coordinate's range


class DataSet(NamedTuple):
    """One set of examples, ready to be weighted."""

    name: str
    motion: ParametricMotion
    axes: tuple[str, str, str]  # names of the grid's coordinates

    @property
    def parameters(self) -> np.ndarray:
        """(N, 3) of the examples, in the units blend spaces take: metres, degrees, seconds."""
        return self.motion.parameters

    def apart(self, asked: np.ndarray, achieved: np.ndarray) -> np.ndarray:
        """(Q, 3) by how much what was achieved differs, in m, rad and s; angles the shorter way round."""
        off = achieved - asked
        for k, name in enumerate(self.motion.parameter_names):
            if name in ANGULAR:
                off[:, k] = np.radians((off[:, k] + 180.0) % 360.0 - 180.0 if name == "direction" else off[:, k])
        return off


class Grid(NamedTuple):
    """Where a set is sampled: `slices` grids of m by m points."""

    points: np.ndarray  # (slices, m, m, 3) parameters
    extent: tuple[float, float, float, float]  # of the two coordinates of a slice: left, right, bottom, top
    step: tuple[float, float]  # between neighbours, in those coordinates


def data_set(name: str) -> DataSet:
    """One of SETS: the built-in blend space of this name."""
    return of_motion(name, blend_space(name).motion)


def of_motion(name: str, motion: ParametricMotion) -> DataSet:
    """A parametric motion with three measured parameters as a data set."""
    axes = ("azimuth °", "elevation °", "distance m")
    if motion.kind == "jump":
        axes = ("distance m", "direction °", "height m")
    elif motion.kind == "locomotion":
        axes = ("speed m/s", "turn °/s", "side m/s")
    return DataSet(name, motion, axes)


def sample_grid(data: DataSet, m: int, slices: np.ndarray = SLICES) -> Grid:
    """m x m points on each slice: shells round the chest for reach, punch and kick, rectangles for the others."""
    centre = chest(data.motion) if data.motion.kind == "target" else None
    own = _spherical(data.parameters, centre) if centre is not None else data.parameters
    low, high = own.min(axis=0), own.max(axis=0)
    a, b = np.linspace(low[0], high[0], m), np.linspace(low[1], high[1], m)
    c = low[2] + slices * (high[2] - low[2])
    grid = np.stack(np.broadcast_arrays(a[None, :, None], b[None, None, :], c[:, None, None]), axis=-1)
    points = _cartesian(grid, centre) if centre is not None else grid
    shown = np.array([1.0 if centre is None or "°" not in name else 180.0 / np.pi for name in data.axes[:2]])
    left, bottom = (float(x) for x in low[:2] * shown)
    right, top = (float(x) for x in high[:2] * shown)
    step = ((right - left) / (m - 1), (top - bottom) / (m - 1))
    return Grid(points, (left, right, bottom, top), step)


def chest(motion: ParametricMotion) -> np.ndarray:
    """(3,) where the chest is when an average example begins."""
    from footfall.kinematics.fk import world_transforms_of

    joint = motion.skeleton.roles.spine[-1]
    pose = motion.local_pose(0.0, np.full(len(motion), 1.0 / len(motion)))
    return np.asarray(world_transforms_of(motion.skeleton, pose, [joint])[0][0])


def _spherical(p: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(..., 3) azimuth (to the left of ahead), elevation, distance."""
    away = p - centre
    azimuth = np.arctan2(away[..., 0], away[..., 2])
    return np.stack([azimuth, np.arctan2(away[..., 1], np.hypot(away[..., 0], away[..., 2])),
                     np.linalg.norm(away, axis=-1)], axis=-1)  # fmt: skip


def _cartesian(s: np.ndarray, centre: np.ndarray) -> np.ndarray:
    azimuth, elevation, distance = np.moveaxis(s, -1, 0)
    flat = distance * np.cos(elevation)
    away = [flat * np.sin(azimuth), distance * np.sin(elevation), flat * np.cos(azimuth)]
    return centre + np.stack(away, axis=-1)
