"""Root on its arc: where a body is, split into steady travel and the small sway about it.

Travel is that of a frame on the floor, its carrier: the arc of Park et al. 2004, eq. 1, gone at a constant rate, for a
loop; the smoothed path for a take that goes somewhere; a frame at rest for an action on the spot. The carrier faces as
the body does, not along the path, so that walking sideways or backwards is travel like any other, and the travel of
examples can be blended as numbers: forward, to the left, and turn. The blend of sways then lies about any trajectory.

A body that leans into a turn has its pelvis inside the circle its feet go round. Speeds of feet blend well, those of
pelvises then do not, since speed is turn times radius; so the carrier runs under the feet, and the pelvis beside it.
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

import numpy as np

from footfall.analysis.apex import start_frame
from footfall.analysis.arc import at_times, fit_heading, fit_path, floor_plane, unit_arc
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.floor_align import FloorTransform
from footfall.kinematics.root import floor_root
from footfall.parametric.structure import FEET, AlignedExample, foot_spans

# Standard deviation: takes the sway of a stride off a path; by eye. With 0.2 s, a body that lands from a leap is told
# to be slower than it is, and stops where it could walk on
SMOOTH_S = 0.35
# A body that is slower than this, over so many seconds, does not sway in strides: its carrier comes to rest with it,
# and does not draw it on for half a second after it has stopped, nor ahead before it starts; by eye
REST_M_S, REST_S = 0.6, 0.12


class Carrier(NamedTuple):
    """The frame that carries an example, at some of its times."""

    frame: FloorTransform  # (T,) from the frame at its first time to the world
    travel: np.ndarray  # (T, 3) metres forward and to the left, radians turned, since the first time
    pelvis: complex = 0j  # where the arc of the pelvis lies beside the carrier: metres forward + i to the left


def carrier(example: AlignedExample, times_s: np.ndarray, travels: bool, own_frame: bool = False) -> Carrier:
    """The carrier of an example at times from its first key time to its last.

    travels: of a take that is no loop, whether it goes somewhere; own_frame: an action is given in the world's frame,
    not in that of the pelvis at its start.
    """
    if example.clip.is_loop:
        return _on_arc(example, times_s)
    if travels:
        return _on_path(example.clip, times_s)
    still = FloorTransform(np.array(0.0), np.zeros(3)) if own_frame else start_frame(example.clip)
    frame = FloorTransform(np.full(len(times_s), still.turn), np.tile(still.shift, (len(times_s), 1)))
    return Carrier(frame, np.zeros((len(times_s), 3)))


def on_carrier(pose: Pose, carried: Carrier) -> Pose:
    """Poses (T,) as seen from the carrier."""
    return carried.frame.inverse().pose(pose)


def moved(position: complex, heading: float, travel: np.ndarray) -> tuple[complex, float]:
    """A floor frame after travelling (3,) forward, left and turn along an arc; the floor as z + ix.

    `path_of` for one step, in plain floats: a live stream takes it every frame.
    """
    forward, left, turn = travel.tolist()
    half = 0.5 * turn
    sinc = math.sin(half) / half if abs(half) > 1e-6 else 1.0 - half * half / 6.0
    return position + sinc * complex(forward, left) * cmath.exp(1j * (heading + half)), heading + turn


def travel_between(start: complex, heading: float, end: complex, new_heading: float) -> tuple[float, float, float]:
    """Forward, left and turn from one floor frame to another, as seen half-way through the turn."""
    turn = new_heading - heading
    middle = heading + 0.5 * turn
    gone = (end - start) * complex(math.cos(middle), -math.sin(middle))
    return gone.real, gone.imag, turn


def path_of(travel: np.ndarray, position: complex = 0j, heading: float = 0.0) -> FloorTransform:
    """(T,) frames along successive travels (T - 1, 3), from a first one; every piece is an arc of its own."""
    headings = heading + np.concatenate([[0.0], np.cumsum(travel[:, 2])])
    steps = (travel[:, 0] + 1j * travel[:, 1]) * unit_arc(travel[:, 2], np.ones(len(travel)))
    points = position + np.concatenate([[0.0], np.cumsum(steps * np.exp(1j * headings[:-1]))])
    return frames_at(points, headings)


def frames_at(points: np.ndarray, headings: np.ndarray) -> FloorTransform:
    """Floor frames at complex points z + ix (...), facing headings (...)."""
    points = np.asarray(points)
    return FloorTransform(np.asarray(headings), np.stack([points.imag, np.zeros(points.shape), points.real], axis=-1))


def _on_arc(example: AlignedExample, times_s: np.ndarray) -> Carrier:
    """Constant speed and turn that close exactly with the loop, under the feet."""
    clip, begin, length = example.clip, example.key_times[0], example.duration
    u = np.linspace(0.0, 1.0, max(round(length * clip.fps), 8) + 1)
    pose = clip.sample(begin + length * u)
    position, heading = floor_root(clip.skeleton, pose)
    points, heading = floor_plane(position), np.unwrap(heading)
    theta = float(heading[-1] - heading[0])
    facing = float(fit_heading(heading - theta * u, example.strides)[0])
    start = complex(fit_path(points, theta, example.strides).start)
    # one round takes the body from points[0], heading[0] to points[-1], heading[-1]; it must do so to the carrier too
    end = points[-1] + (start - points[0]) * np.exp(1j * theta)
    chord = (end - start) * np.exp(-1j * facing) / unit_arc(theta, np.array(1.0))
    feet = _under(
        example, pose, begin + length * u, start + chord * unit_arc(theta, u) * np.exp(1j * facing), facing + theta * u
    )
    start, chord = start + feet * np.exp(1j * facing), chord + 1j * theta * feet  # the same turn, another radius
    v = (times_s - begin) / length
    travel = v[:, None] * np.array([chord.real, chord.imag, theta])
    where = start + chord * unit_arc(theta, v) * np.exp(1j * facing)
    return Carrier(frames_at(where, facing + theta * v), travel, -feet)


def _under(
    example: AlignedExample, pose: Pose, times_s: np.ndarray, points: np.ndarray, heading: np.ndarray
) -> complex:
    """Where feet stand on average, forward + i to the left, as seen from a frame at points (T,) with heading (T,)."""
    skeleton, length = example.clip.skeleton, example.duration
    stood = []
    for side in FEET:
        toe, ankle = getattr(skeleton.roles, f"{side}_toe"), getattr(skeleton.roles, f"{side}_ankle")
        foot = ankle if toe is None else toe
        if foot is None:
            continue
        seen = (floor_plane(world_transforms_of(skeleton, pose, [foot])[0][:, 0]) - points) * np.exp(-1j * heading)
        spans = [(a + k * length, b + k * length) for a, b in foot_spans(example.contacts, side) for k in (-1, 0)]
        down = [seen[(times_s >= a) & (times_s <= b)] for a, b in spans]
        down = [part for part in down if len(part)] or [seen]
        stood.append(np.concatenate(down).mean())
    return complex(np.mean(stood)) if stood else 0j


def _on_path(clip: Clip, times_s: np.ndarray) -> Carrier:
    """The path and heading of the body, both smoothed over a stride, as travel of a frame that turns with it."""
    from scipy.ndimage import gaussian_filter1d

    def smooth(x: np.ndarray) -> np.ndarray:
        return np.asarray(gaussian_filter1d(x, SMOOTH_S * clip.fps, mode="nearest"))

    root = clip.root_motion
    turn_rate = smooth(np.diff(root.heading) * clip.fps)
    facing = smooth(root.heading - np.concatenate([[0.0], np.cumsum(turn_rate)]) / clip.fps).mean()
    heading = facing + np.concatenate([[0.0], np.cumsum(turn_rate)]) / clip.fps
    points = floor_plane(root.position)
    local = np.diff(points) * clip.fps * np.exp(-1j * 0.5 * (heading[1:] + heading[:-1]))
    speed = smooth(local.real) + 1j * smooth(local.imag)
    speed *= ease(np.abs(gaussian_filter1d(local, REST_S * clip.fps, mode="nearest")) / REST_M_S)
    steps = np.stack([speed.real, speed.imag, turn_rate], axis=-1) / clip.fps
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    along = np.stack([at_times(total[:, k], clip.fps, times_s) for k in range(3)], axis=-1)
    first = complex(at_times(points, clip.fps, times_s[:1])[0])
    start = float(at_times(heading, clip.fps, times_s[:1])[0])
    return Carrier(path_of(np.diff(along, axis=0), first, start), along - along[0])
