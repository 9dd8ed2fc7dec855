"""Features of moments: positions and velocities of body points and the path ahead, in the body's own frame.

Positions are seen from the floor under the pelvis, turned with the hips. Over the short window of `align.distance`
points go p + v t, so the mean square of a difference is |Δp|² + τ² |Δv|², with τ² the mean square time of the window:
one row of positions and velocities tells what a whole cloud of frames does. The path ahead is that of a smoothed frame
on the floor, as in Clavet 2016 and Holden et al. 2020, so that the sway of single steps is no turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.align.distance import CloudWindow, frame_count, positions_at
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.skeleton import Skeleton
from footfall.edit.sample import need_frames
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.root import floor_root

AHEAD_S = (1.0 / 3.0, 2.0 / 3.0, 1.0)  # seconds, where the path is looked at: published (Holden et al. 2020)
ROLES = (
    "pelvis", "head", "left_elbow", "right_elbow", "left_wrist", "right_wrist", "left_knee", "right_knee",
    "left_ankle", "right_ankle", "left_toe", "right_toe",
)  # fmt: skip
PATH_S, FACING_S = 0.12, 0.3  # Gaussians' widths: take steps off the path, the hips' swing off the heading; by eye
BEYOND_S = 1.5  # a path is carried on this far past a clip's ends, with the speed it has there: more than AHEAD_S
END_S = 0.15  # that speed is measured over this long: by eye


class SmoothFloorPath(NamedTuple):
    """A smooth frame on the floor that goes with a body, from `lead` frames before a clip to as many after it."""

    points: np.ndarray  # (lead + n + lead,) complex z + ix, metres
    heading: np.ndarray  # (lead + n + lead,) radians, continuous
    lead: int

    @property
    def inside(self) -> slice:
        return slice(self.lead, len(self.points) - self.lead)


class Features(NamedTuple):
    """Of every frame of a clip; a loop's last frame, which is its first again, is left out."""

    position: np.ndarray  # (n, P, 3) metres: left, up, ahead of the floor under the pelvis
    velocity: np.ndarray  # (n, P, 3) m/s in the world, along the same axes
    path: np.ndarray  # (n, 3, 4) the floor path at AHEAD_S: left, ahead, and the heading's left, ahead
    speed: np.ndarray  # (n, 3) forward m/s, left m/s, turn rad/s of the floor path


def points_of(skeleton: Skeleton) -> tuple[str, ...]:
    """Roles of ROLES that a skeleton has."""
    return tuple(role for role in ROLES if getattr(skeleton.roles, role) is not None)


def joint_of(skeleton: Skeleton, role: str) -> int:
    """The joint of a role; a body without it cannot be compared."""
    joint = getattr(skeleton.roles, role)
    if joint is None:
        raise ParameterError(f"this body has no {role}, which comparing it takes; name it: with_roles({role}=…)")
    return int(joint)


def features(clip: Clip, points: tuple[str, ...] | None = None) -> Features:
    """Features of every frame; points are all those of ROLES the body has, unless some are named."""
    need_frames(clip, 2, "compared")
    roles = points_of(clip.skeleton) if points is None else points
    joints = [joint_of(clip.skeleton, role) for role in roles]
    n, fps = frame_count(clip), clip.fps
    frames = np.arange(-1, n + 1)
    pose = clip.sample(frames / fps)  # a loop goes round; else the ends repeat
    places = world_transforms_of(clip.skeleton, pose, joints)[0]  # (n + 2, P, 3)
    span = np.full(n, 2.0)
    if not clip.is_loop:
        span[[0, -1]] = 1.0  # one-sided at the ends
    velocity = (places[2:] - places[:-2]) * (fps / span)[:, None, None]
    floor, heading = floor_root(clip.skeleton, pose.at(slice(1, -1)))
    back = rotation.yaw(-heading)[:, None]
    path = floor_path(clip)
    return Features(
        rotation.rotate(back, places[1:-1] - floor[:, None]),
        rotation.rotate(back, velocity),
        _ahead(path, fps),
        _speeds(path, fps),
    )


def metric_rows(clip: Clip, points: tuple[str, ...] | None = None) -> np.ndarray:
    """(n, 6 P) float32: x, y, z of every point, centred on their floor mean, then of τ times its velocity.

    Both are means over the window around a frame. In metres over the root of P, so that `row_distances` of two rows are
    those of their moments.
    """
    need_frames(clip, 2, "compared")
    window = CloudWindow()
    roles = points_of(clip.skeleton) if points is None else points
    joints = np.array([joint_of(clip.skeleton, role) for role in roles])
    w, t = window.weights, window.offsets_s
    tau = float(np.sqrt((w * t * t).sum()))
    n = frame_count(clip)
    places = positions_at(clip, np.arange(n)[:, None] / clip.fps + t, joints)  # (n, W, P, 3)
    position = np.einsum("w,nwpd->npd", w, places)
    position -= position.mean(axis=1, keepdims=True) * np.array([1.0, 0.0, 1.0])
    velocity = np.einsum("w,nwpd->npd", w * t / max(tau, 1e-9), places)
    rows = np.concatenate([position.reshape(n, -1), velocity.reshape(n, -1)], axis=1) / np.sqrt(len(joints))
    return rows.astype(np.float32)


def row_distances(rows: np.ndarray, row: np.ndarray) -> np.ndarray:
    """(n,) metres: of rows to one row, the least over turns about the vertical and shifts on the floor.

    That of `align.distance`, Σ |p|² + Σ |p'|² - 2 Σ y y' - 2 |Σ (x + iz)* (x' + iz')|, over places and velocities.
    """
    a, b = rows.astype(float).reshape(len(rows), -1, 3), row.astype(float).reshape(-1, 3)
    squares = np.einsum("npd,npd->n", a, a) + (b * b).sum()
    floor = (a[..., 0] - 1j * a[..., 2]) @ (b[:, 0] + 1j * b[:, 2])
    return np.sqrt(np.maximum(squares - 2.0 * a[..., 1] @ b[:, 1] - 2.0 * np.abs(floor), 0.0))


def floor_path(clip: Clip) -> SmoothFloorPath:
    """Position and heading of the body, smoothed; past a clip's ends it goes on as it went there."""
    n, fps = frame_count(clip), clip.fps
    lead = int(np.ceil(BEYOND_S * fps))
    if clip.is_loop:
        position, heading = floor_root(clip.skeleton, clip.sample(np.arange(-lead, n + lead) / fps))
        points, heading = position[:, 2] + 1j * position[:, 0], np.unwrap(heading)
    else:
        position, heading = floor_root(clip.skeleton, clip.pose)
        points = _carried_on(position[:, 2] + 1j * position[:, 0], lead, fps)
        heading = _carried_on(np.unwrap(heading), lead, fps)
    smooth = _smooth(points.real, PATH_S * fps) + 1j * _smooth(points.imag, PATH_S * fps)
    return SmoothFloorPath(smooth, _smooth(heading, FACING_S * fps), lead)


def _carried_on(values: np.ndarray, lead: int, fps: float) -> np.ndarray:
    """Values (n,) with `lead` more at either end, on straight lines."""
    some = min(len(values) - 1, max(1, round(END_S * fps)))
    steps = np.arange(1, lead + 1)
    first, last = (values[some] - values[0]) / some, (values[-1] - values[-1 - some]) / some
    return np.concatenate([values[0] - first * steps[::-1], values, values[-1] + last * steps])


def _smooth(values: np.ndarray, sigma: float) -> np.ndarray:
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(values, sigma, mode="nearest"))


def _ahead(path: SmoothFloorPath, fps: float) -> np.ndarray:
    """(n, 3, 4)."""
    here = np.arange(path.lead, len(path.points) - path.lead)
    out = np.empty((len(here), len(AHEAD_S), 4))
    back = np.exp(-1j * path.heading[here])
    for k, ahead_s in enumerate(AHEAD_S):
        x = here + ahead_s * fps
        i = x.astype(int)
        u = x - i
        point = path.points[i] + u * (path.points[i + 1] - path.points[i])
        turn = path.heading[i] + u * (path.heading[i + 1] - path.heading[i]) - path.heading[here]
        step = (point - path.points[here]) * back
        out[:, k] = np.stack([step.imag, step.real, np.sin(turn), np.cos(turn)], axis=-1)
    return out


def _speeds(path: SmoothFloorPath, fps: float) -> np.ndarray:
    """(n, 3)."""
    here = np.arange(path.lead, len(path.points) - path.lead)
    step = (path.points[here + 1] - path.points[here - 1]) * (0.5 * fps) * np.exp(-1j * path.heading[here])
    turn = (path.heading[here + 1] - path.heading[here - 1]) * (0.5 * fps)
    return np.stack([step.real, step.imag, turn], axis=-1)
