"""Trajectory retargeting: the same clip along another path on the floor, feet planted, leaning into the bends.

The root is seen from the clip's own trajectory (the arc fitted to it, or its smoothed path) and put on the new one at
the same length along it, turned by the signed angle from the old tangent to the new (Park et al. 2004, eq. 20-21): the
sway about the path stays. A foot must not turn with the body while it stands, so each contact is carried over as a
whole, as it lies in the middle of its time, and swings go from one to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.arc import arc_frames, fit_arc
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.feet.stand import FeetAsked, leg_extents, legs_ahead, stand_on
from footfall.kinematics.fk import world_transforms
from footfall.kinematics.floor_align import FloorTransform, between_roots
from footfall.retarget.character import character

STEP_M = 0.01  # metres between samples of a path. By eye
MAX_PATH_M = 10_000.0  # metres: longer paths are mistakes
LEAST_RADIUS_M = 0.05  # metres: tighter arcs are mistakes
GRAVITY = 9.81  # m/s²
MAX_LEAN = np.radians(25.0)  # radians that a body leans into a bend, at most. By eye
BEND_S = 0.2  # seconds: leans follow the path's bend over about this long. By eye
SWAY_S = 0.35  # seconds: a clip that is no arc follows its root's path smoothed over about this long. By eye
POOR_FIT_M = 0.05  # metres, root mean square: an arc farther from the root is not the clip's trajectory. By eye
SLOW_M_S = 0.15  # m/s: slower roots have no direction of travel. By eye


class FloorTravel(NamedTuple):
    """A path on the floor, sampled by length; it goes on straight beyond its ends."""

    length: np.ndarray  # (N,) metres along it, rising from 0
    points: np.ndarray  # (N, 3) y = 0
    heading: np.ndarray  # (N,) of the tangent, radians, continuous

    def at(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points (T, 3) and headings (T,) at lengths s (T,)."""
        heading = np.interp(s, self.length, self.heading)
        inside = np.clip(s, 0.0, self.length[-1])
        place = np.stack([np.interp(inside, self.length, self.points[:, i]) for i in range(3)], axis=-1)
        return place + (s - inside)[:, None] * rotation.rotate(rotation.yaw(heading), rotation.AXES["Z"]), heading


def spline_path(points: np.ndarray) -> FloorTravel:
    """The smooth path through points (N, 2) x, z or (N, 3) of the floor, in metres; two of them make a line."""
    from scipy.interpolate import CubicSpline

    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all():
        raise ParameterError(f"a path is finite points (N, 2) x, z in metres, not an array of shape {points.shape}")
    flat = points if points.shape[1] == 2 else points[:, [0, 2]]
    apart = np.linalg.norm(np.diff(flat, axis=0), axis=-1)
    flat = flat[np.concatenate([[True], apart > 1e-6])] if len(flat) else flat
    chord = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(flat, axis=0), axis=-1))])
    if len(flat) < 2 or chord[-1] > MAX_PATH_M:
        raise ParameterError(
            f"a path needs two points or more that differ, and at most {MAX_PATH_M:g} m; this has {len(flat)}"
        )
    curve = CubicSpline(chord, flat, bc_type="natural")
    u = np.linspace(0.0, chord[-1], max(3, int(np.ceil(chord[-1] / STEP_M)) + 1))
    xz, tangent = curve(u), curve(u, 1)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(xz, axis=0), axis=-1))])
    place = np.stack([xz[:, 0], np.zeros(len(u)), xz[:, 1]], axis=-1)
    return FloorTravel(length, place, np.unwrap(np.arctan2(tangent[:, 0], tangent[:, 1])))


def arc_path(
    radius_m: float, length_m: float, start: tuple[float, float] = (0.0, 0.0), heading: float = 0.0
) -> FloorTravel:
    """A circular arc from start (x, z), at first towards heading (radians); a positive radius bends left, inf none."""
    if not (abs(radius_m) > LEAST_RADIUS_M and 0.0 < length_m <= MAX_PATH_M and np.isfinite([*start, heading]).all()):
        raise ParameterError(
            f"an arc needs a radius over {LEAST_RADIUS_M:g} m and a length of more than 0 to {MAX_PATH_M:g} m, not "
            f"{radius_m:g} and {length_m:g}"
        )
    s = np.linspace(0.0, length_m, max(3, int(np.ceil(length_m / STEP_M)) + 1))
    turn = s / radius_m
    chord = s * np.sinc(0.5 * turn / np.pi)  # from the start to each point, which lies at half the turn
    towards = heading + 0.5 * turn
    place = np.stack(
        [start[0] + chord * np.sin(towards), np.zeros_like(s), start[1] + chord * np.cos(towards)], axis=-1
    )
    return FloorTravel(s, place, heading + turn)


def along_path(clip: Clip, path: FloorTravel | np.ndarray, lean: bool = True) -> Clip:
    """The clip on another path: a FloorTravel, or points (N, 2) to lay a smooth one through.

    The clip keeps its speed: it goes as far along the path as it went, straight on where the path ends before.
    """
    if not clip.frames:
        raise ParameterError(f"{clip.name or 'this clip'} holds only a skeleton, no frames to put on a path")
    body = character(clip)
    new_path = path if isinstance(path, FloorTravel) else spline_path(path)
    own_place, own_heading, travelled = _own_trajectory(clip)
    place, heading = new_path.at(travelled)
    moved = between_roots(own_place, own_heading, place, heading)
    pose = moved.pose(clip.pose)
    if lean:
        pose = _leaned(clip, pose, (own_heading, heading), travelled, place)
    places, turns = world_transforms(clip.skeleton, clip.pose)
    feet = _feet_along(clip, moved, places, turns)
    thighs = [getattr(clip.skeleton.roles, f"{s}_hip") for s in SIDES]
    ahead = legs_ahead(body, world_transforms(clip.skeleton, pose)[1][:, thighs])
    pose = stand_on(body, clip.fps, pose, feet, ahead, leg_extents(clip.skeleton, places))
    pose = pose._replace(rot=rotation.continuous_signs(rotation.normalize(pose.rot)))
    parameters = {k: v for k, v in clip.parameters.items() if k != "turn"}
    return clip.with_pose(pose, is_loop=False, parameters=parameters)


def _own_trajectory(clip: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (T, 3), tangent headings (T,) and lengths travelled (T,) of the trajectory the clip itself follows."""
    root = clip.root_motion
    try:
        arc = fit_arc(clip)
    except FootfallError:  # too short or standing: no arc
        arc = None
    if arc is not None and arc.residual < POOR_FIT_M and arc.length > SLOW_M_S * (arc.end_s - arc.start_s):
        frames = arc_frames(arc, clip.times)
        speed = arc.length / (arc.end_s - arc.start_s)
        return frames.position, frames.heading, speed * clip.times
    from scipy.ndimage import gaussian_filter1d

    def smooth(values: np.ndarray) -> np.ndarray:
        if len(values) < 2:
            return values
        # goes on beyond the ends as it came, so that a steady walk stays steady up to its last frame
        pad = int(4 * SWAY_S * clip.fps) + 1
        padded = np.pad(values, [(pad, pad), (0, 0)], mode="reflect", reflect_type="odd")
        return np.asarray(gaussian_filter1d(padded, SWAY_S * clip.fps, axis=0))[pad:-pad]

    place = smooth(root.position)
    if clip.frames < 2:
        return place, root.heading, np.zeros(clip.frames)
    velocity = np.gradient(place, 1.0 / clip.fps, axis=0)
    speed = np.linalg.norm(velocity, axis=-1)
    moving = np.clip(speed / SLOW_M_S - 1.0, 0.0, 1.0)
    by_way = np.unwrap(np.arctan2(velocity[:, 0], velocity[:, 2]))
    facing = smooth(root.heading[:, None])[:, 0]
    # where the body hardly moves its way is noise: hold the angle between way and facing it had when it moved
    known = moving > 0.5
    apart = np.where(known, by_way - facing, 0.0)
    if known.any():
        apart = np.interp(np.arange(clip.frames), np.flatnonzero(known), np.unwrap(apart[known]))
    travelled = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) / clip.fps)])
    return place, facing + smooth(apart[:, None])[:, 0], travelled


def _leaned(
    clip: Clip, pose: Pose, headings: tuple[np.ndarray, np.ndarray], travelled: np.ndarray, place: np.ndarray
) -> Pose:
    """Poses tipped about the path into its bends, by the angle of weight and centripetal force, less the clip's own."""
    from scipy.ndimage import gaussian_filter1d

    if clip.frames < 2:
        return pose
    speed = np.gradient(travelled, 1.0 / clip.fps)
    angles = []
    for heading in headings:
        rate = gaussian_filter1d(np.gradient(heading, 1.0 / clip.fps), BEND_S * clip.fps, mode="nearest")
        angles.append(np.arctan(speed * rate / GRAVITY))  # v^2 / r = v times the rate of turning
    angle = np.clip(angles[1] - angles[0], -MAX_LEAN, MAX_LEAN)
    tangent = rotation.rotate(rotation.yaw(headings[1]), rotation.AXES["Z"])
    tip = rotation.axis_angle(tangent, -angle)
    rot = np.array(pose.rot)
    rot[:, 0] = rotation.multiply(tip, rot[:, 0])
    return pose._replace(root_pos=place + rotation.rotate(tip, pose.root_pos - place), rot=rot)


def _feet_along(clip: Clip, moved: FloorTransform, places: np.ndarray, turns: np.ndarray) -> FeetAsked:
    """Feet on the new path: each contact moved rigidly, swings eased from one contact's move to the next's."""
    frame = np.arange(clip.frames)
    ankles, rotations = [], []
    for side in SIDES:
        joint = getattr(clip.skeleton.roles, f"{side}_ankle")
        spans = [(a * clip.fps, b * clip.fps) for a, b in clip.contacts.spans(side)]
        stands = [(-1.0, -1.0, 0), *((a, b, round(0.5 * (a + b))) for a, b in spans)]
        stands.append((clip.frames, clip.frames, clip.frames - 1))
        starts, ends, middle = (np.array(column) for column in zip(*stands, strict=True))
        before = np.clip(np.searchsorted(starts, frame, side="right") - 1, 0, len(stands) - 2)
        gap = np.maximum(starts[before + 1] - ends[before], 1e-9)
        x = np.clip((frame - ends[before]) / gap, 0.0, 1.0)
        weight = x * x * (3.0 - 2.0 * x)
        first, second = (
            FloorTransform(moved.turn[m], moved.shift[m])
            for m in (middle[before].astype(int), middle[before + 1].astype(int))
        )
        here = places[:, joint]
        ankles.append((1.0 - weight)[:, None] * first.points(here) + weight[:, None] * second.points(here))
        turn = rotation.yaw((1.0 - weight) * first.turn + weight * second.turn)
        rotations.append(rotation.multiply(turn, turns[:, joint]))
    return FeetAsked(np.stack(ankles, axis=1), np.stack(rotations, axis=1))
