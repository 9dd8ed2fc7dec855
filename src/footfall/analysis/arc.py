"""Arc: speed, turn and side speed of a motion, from an arc fitted to the pelvis's path on the floor.

Park, Shin, Kim & Shin 2004, eq. 1, as a(u) = a0 + l·u·sinc(θu/2)·(cos(φ + θu/2), sin(φ + θu/2)), u in [0, 1], which
a body at constant speed and turn follows at a constant rate, and which needs no special case at θ = 0.

The floor as a plane: a point (x, z) is the complex number z + ix. Its angle is then a heading: 0 along +Z, growing
about +Y, to the left. With c = l·exp(iφ) the arc is a(u) = a0 + c·g(u), g(u) = u·sinc(θu/2)·exp(iθu/2), linear in
a0 and c once θ is known. θ is the change of the pelvis's heading over whole gait cycles: a fit free to choose it takes
sway for turning. Sway (what the pelvis does within each cycle, in the frame that turns with the body) and the
pelvis's wagging are fitted along with the arc and the heading, so that where in a cycle the fit begins does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.key_times import KeyTime, find_key_times
from footfall.core.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.core.clip import Clip

HARMONICS = 6  # of the cycle, in sway and wagging: with 4, one cycle of a fast run is still off by 2 degrees a second
ON_THE_SPOT = 0.2  # leg lengths of travel below which a path says nothing about turning: by eye
MOST = 1500  # points of a path that are fitted: a long take has more than it needs
RIDGE = 1e-14  # lets columns of zeros pass, changes nothing else
SPIN = 4.0  # rad a cycle: a body that spins faster than this has no sway that could be told from its turning: by eye


@dataclass(frozen=True)
class Arc:
    """A path of constant speed and turn, and how well it fits."""

    start_s: float
    end_s: float
    start: tuple[float, float]  # a0: world x and z, metres, at start_s
    phi: float  # heading of the arc's tangent at start_s, radians; 0 is +Z, growing to the left
    length: float  # l, metres along the arc
    theta: float  # change of the tangent's heading from start_s to end_s, radians, positive to the left
    facing: float  # heading of the body at start_s without its wagging, radians
    speed: float  # m/s forward, as the body faces
    side: float  # m/s to the body's left
    turn: float  # rad/s, positive to the left
    residual: float  # metres, root mean square distance of the path, without its sway, from the arc
    cycles: int  # gait cycles the sway was told from; 0: no sway was taken off

    @property
    def travel(self) -> float:
        """m/s along the arc, whichever way the body faces."""
        return self.length / (self.end_s - self.start_s)


class ArcFrames(NamedTuple):
    """Where an arc is at given times; leading axes are those of the times."""

    position: np.ndarray  # (..., 3) metres, y = 0
    heading: np.ndarray  # (...) radians, of the tangent


class PathFit(NamedTuple):
    """a0, c and θ of arcs fitted to a batch of paths, with what they leave."""

    start: np.ndarray  # (...) complex
    chord: np.ndarray  # (...) complex, c = l·exp(iφ)
    theta: np.ndarray  # (...)
    residual: np.ndarray  # (...) metres


def fit_arc(
    clip: Clip, start_s: float | None = None, end_s: float | None = None, key_times: Sequence[KeyTime] | None = None
) -> Arc:
    """The arc of a clip, or of the part between two times, which should then be whole gait cycles.

    Without times it is fitted from the first strike of a foot to its last, or to the whole of a loop or of a clip
    without strides.
    """
    strikes = strike_times(clip, key_times)
    first, last = _span(clip, strikes, start_s, end_s)
    slack = 0.5 / clip.fps
    cycles = max(int(((s > first + slack) & (s <= last + slack)).sum()) for s in strikes)
    root = clip.root_motion
    t = np.linspace(first, last, min(round((last - first) * clip.fps) + 1, MOST))
    points, heading = at_times(floor_plane(root.position), clip.fps, t), at_times(root.heading, clip.fps, t)
    facing, theta = fit_heading(heading, cycles)
    fit = fit_path(points, theta, cycles)
    duration = last - first
    length, phi = float(np.abs(fit.chord)), float(np.angle(fit.chord))
    turn = float(theta if length < ON_THE_SPOT * clip.skeleton.leg_length else fit.theta) / duration
    velocity = fit.chord / duration * np.exp(-1j * facing)
    return Arc(
        start_s=first,
        end_s=last,
        start=(float(fit.start.imag), float(fit.start.real)),
        phi=phi,
        length=length,
        theta=float(fit.theta),
        facing=float(facing),
        speed=float(velocity.real),
        side=float(velocity.imag),
        turn=turn,
        residual=float(fit.residual),
        cycles=cycles,
    )


def arc_frames(arc: Arc, t_s: np.ndarray | float) -> ArcFrames:
    """Position and tangent heading on the arc at times of the clip, in seconds; beyond its ends the arc goes on."""
    u = (np.asarray(t_s, float) - arc.start_s) / (arc.end_s - arc.start_s)
    point = complex(arc.start[1], arc.start[0]) + arc.length * np.exp(1j * arc.phi) * unit_arc(arc.theta, u)
    return ArcFrames(np.stack([point.imag, np.zeros_like(u), point.real], axis=-1), arc.phi + arc.theta * u)


def floor_plane(position: np.ndarray) -> np.ndarray:
    """World points (..., 3) as complex numbers z + ix (...)."""
    return position[..., 2] + 1j * position[..., 0]


def unit_arc(theta: np.ndarray | float, u: np.ndarray) -> np.ndarray:
    """g(u): the arc of length 1 that leaves the origin at heading 0 and turns by θ. theta, u broadcast."""
    half = 0.5 * np.asarray(theta) * u
    return u * np.sinc(half / np.pi) * np.exp(1j * half)


def fit_path(points: np.ndarray, theta: np.ndarray | float, cycles: int) -> PathFit:
    """Arcs of known θ (...) fitted to paths (..., N), complex, at even steps of time over that many gait cycles."""
    theta = np.asarray(theta, float)
    centre = points.mean(axis=-1)
    u = np.linspace(0.0, 1.0, points.shape[-1])
    arc = unit_arc(theta[..., None], u)
    waves = _waves(u, cycles)
    told = np.abs(theta) < SPIN * max(cycles, 1)
    turned = waves * (told[..., None] * np.exp(1j * theta[..., None] * u))[..., None]
    columns = np.concatenate([np.ones((*arc.shape, 1)), arc[..., None], turned], axis=-1)  # (..., N, P)
    found = least_squares(columns, points - centre[..., None])
    left = points - centre[..., None] - (columns @ found[..., None])[..., 0]
    residual = np.sqrt((np.abs(left) ** 2).mean(axis=-1))
    return PathFit(found[..., 0] + centre, found[..., 1], theta, residual)


def fit_heading(heading: np.ndarray, cycles: int) -> tuple[np.ndarray, np.ndarray]:
    """Start (...) and change (...) of headings (..., N) over that many gait cycles, their wagging taken off.

    Without cycles the heading is taken to turn evenly from its first value to its last.
    """
    u = np.linspace(0.0, 1.0, heading.shape[-1])
    waves = _waves(u, cycles)
    if not waves.shape[-1]:
        change = heading[..., -1] - heading[..., 0]
        return (heading - change[..., None] * u).mean(axis=-1), change
    columns = np.concatenate([np.ones((len(u), 1)), u[:, None], waves], axis=-1)
    adjoint = columns.conj().T  # the same for the whole batch
    found = np.linalg.solve(adjoint @ columns, adjoint)[:2]  # (2, N)
    return heading @ found[0].real, heading @ found[1].real


def at_times(values: np.ndarray, fps: float, t_s: np.ndarray) -> np.ndarray:
    """Per-frame values (T,), real or complex, at times t_s (...), straight lines between frames."""
    return np.interp(t_s, np.arange(len(values)) / fps, values)


def _waves(u: np.ndarray, cycles: int) -> np.ndarray:
    """(N, 2 K) exp(±2πi·k·cycles·u), k to K: what repeats each cycle, as finely as five samples a wave can tell."""
    highest = min(HARMONICS, (len(u) - 1) // (5 * cycles)) if cycles > 0 else 0
    k = np.concatenate([np.arange(1, highest + 1), -np.arange(1, highest + 1)])
    return np.exp(2j * np.pi * cycles * np.multiply.outer(u, k))


def least_squares(columns: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(..., P) complex coefficients of columns (..., N, P) nearest to values (..., N); 0 for columns of zeros.

    By normal equations: the columns are waves and an arc of size about 1, so that squaring them costs few digits.
    """
    adjoint = np.conj(np.swapaxes(columns, -1, -2))
    square = adjoint @ columns + RIDGE * columns.shape[-2] * np.eye(columns.shape[-1])
    return np.linalg.solve(square, adjoint @ values[..., None])[..., 0]


def strike_times(clip: Clip, key_times: Sequence[KeyTime] | None) -> tuple[np.ndarray, np.ndarray]:
    """Times of the left and the right foot's strikes."""
    key_times = find_key_times(clip) if key_times is None else key_times
    left, right = ([k.t_s for k in key_times if k.event == "strike" and k.foot == foot] for foot in ("left", "right"))
    return np.array(left), np.array(right)


def _span(
    clip: Clip, strikes: tuple[np.ndarray, np.ndarray], start_s: float | None, end_s: float | None
) -> tuple[float, float]:
    """The time to fit over, checked."""
    if clip.frames < 2:
        raise ParameterError(f"{clip.name or 'this clip'} has {clip.frames} frame(s); a path needs at least 2")
    first, last = 0.0, clip.duration
    if start_s is None and end_s is None and not clip.is_loop:
        spans = [(s[0], s[-1]) for s in strikes if len(s) > 1]
        first, last = max(spans, key=lambda span: span[1] - span[0], default=(first, last))
    first, last = first if start_s is None else float(start_s), last if end_s is None else float(end_s)
    if not (first >= -1e-9 and first + 1.0 / clip.fps <= last + 1e-9 and last <= clip.duration + 1e-9):
        name = clip.name or "this clip"
        raise ParameterError(
            f"{name} lasts {clip.duration:.3f} s; an arc cannot be fitted from {first:g} to {last:g} s"
        )
    return first, last
