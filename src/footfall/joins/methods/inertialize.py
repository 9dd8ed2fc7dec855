"""Only the target plays; the offset of the pose at the departure, and its velocity, decay: the usual method in games.

Bollo 2018, "Inertialization: high-performance animation transitions in Gears of War" (GDC): the offset of every joint
follows a quintic that starts with the measured offset and velocity and ends with no offset, velocity or acceleration.
Nothing of the left motion is needed but its last pose and velocities. Kind "spring" lets the offset go like a
critically damped spring instead.

Unlike Bollo, who keeps only the speed along the offset, the speed across it dies away too, so velocity has no step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.kernels import kernel, part
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import add_scaled, dot, scaled
from footfall.edit.coast import most_spin
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import TransitionSetting, options, settle
from footfall.joins.transition import Transition, TransitionRequest
from footfall.kinematics.pose_blend import between, turns

OPTIONS = {"kind": "quintic"}
STEP_S = 1e-4  # seconds over which offsets are differenced for their rate
MOST_RAD_S2, MOST_M_S2 = 150.0, 25.0  # rad/s², m/s² that the guard against overshoot may give. By eye
SOONEST_S = 1e-3  # seconds: an offset of next to nothing may be gone in no time, but not in none
STIFF = 8.0  # spring: exp(-8) (1 + 8) = 0.3 % of the offset is left at the end, and faded out
FADE = 0.4  # share of the length, at its end, over which that is faded out. By eye

ValueRate = tuple[np.ndarray, np.ndarray]


def transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition:
    """Play the target with the departure's offset dying away on top. Option kind: "quintic" or "spring"."""
    kind = options(request, "inertialize", OPTIONS, kind=("quintic", "spring"))["kind"]
    setting = settle(departure, target, request)
    decay = quintic if kind == "quintic" else spring
    times_s, length_s = setting.times_s, setting.length_s
    place, turn = _offsets(departure, setting)
    arriving = setting.arriving()
    root_pos = arriving.root_pos + decay(*place, length_s, times_s, MOST_M_S2)
    left = rotation.exp(decay(*turn, length_s, times_s, MOST_RAD_S2))  # (K, J, 4)
    rot = rotation.multiply(arriving.rot, left)
    rot[:, 0] = rotation.multiply(left[:, 0], arriving.rot[:, 0])
    rot[-1], root_pos[-1] = arriving.rot[-1], arriving.root_pos[-1]
    gone = 1.0 - decay(np.ones(1), np.zeros(1), length_s, times_s, MOST_RAD_S2)[:, 0]
    gone[-1] = 1.0
    pose = Pose(root_pos, rotation.normalize(rot), _joint_positions(departure, arriving, gone))
    note = f"the offset at the departure dies away over {length_s:.2f} s ({kind})"
    tracks = setting.tracks(departure, gone)
    return Transition("inertialize", pose, setting.enter_s, setting.placement, tracks, note)


def _offsets(departure: Departure, setting: TransitionSetting) -> tuple[ValueRate, ValueRate]:
    """Value and rate at the departure of the root's offset in metres (3,) and the joints' as rotation vectors (J, 3).

    A joint's offset comes after its rotation, in its own frame; the root's before, in the world.
    """
    steps = np.array([-STEP_S, 0.0, STEP_S])
    pose, spin = departure.state.pose, most_spin(departure.state.spin)
    ours = rotation.multiply(pose.rot, rotation.exp(steps[:, None, None] * spin))  # (3, J, 4)
    theirs = setting.arriving(steps)
    away = between(theirs.rot, ours)
    away[:, 0] = rotation.multiply(ours[:, 0], rotation.conjugate(theirs.rot[:, 0]))
    turn = turns(away)
    place = pose.root_pos + steps[:, None] * departure.state.velocity - theirs.root_pos
    return _value_and_rate(place), _value_and_rate(turn)


def _value_and_rate(x: np.ndarray) -> ValueRate:
    return x[1], (x[2] - x[0]) / (2.0 * STEP_S)


def quintic(x0: np.ndarray, v0: np.ndarray, length_s: float, times_s: np.ndarray, most: float) -> np.ndarray:
    """Offsets (K, ..., D) over time from x0 with rate v0 (..., D), nothing left after length_s or before.

    Along x0 as Bollo has it; what of v0 goes across x0 makes an excursion and comes back.
    """
    d = x0.shape[-1]
    rows = [np.zeros((x0.size // d, 3)) for _ in range(2)]
    for row, value in zip(rows, (x0, v0), strict=True):
        row[:, :d] = np.asarray(value, float).reshape(-1, d)
    out = np.empty((len(times_s), len(rows[0]), 3))
    _quintics(*rows, float(length_s), np.ascontiguousarray(times_s, float), float(most), out)
    return out[..., :d].reshape(len(times_s), *x0.shape)


@kernel(_nrt=False)
def _quintics(x0: Any, v0: Any, length_s: float, times_s: Any, most: float, out: Any) -> None:
    for k in range(len(times_s)):
        for m in range(len(x0)):
            x, v = (x0[m, 0], x0[m, 1], x0[m, 2]), (v0[m, 0], v0[m, 1], v0[m, 2])
            out[k, m, 0], out[k, m, 1], out[k, m, 2] = quintic_of(x, v, length_s, times_s[k], most)


@part
def quintic_of(x0: Any, v0: Any, length_s: float, t: float, most: float) -> Any:
    """One offset (3,) at a time, in kernels."""
    size = np.sqrt(dot(x0, x0))
    along = scaled(x0, 1.0 / max(size, 1e-12))
    speed = dot(v0, along)
    across = add_scaled(v0, along, -speed)
    sideways = np.sqrt(dot(across, across))
    there = _one_quintic(size, speed, length_s, t, most)
    aside = _one_quintic(0.0, sideways, length_s, t, most)
    return add_scaled(scaled(along, there), across, aside / max(sideways, 1e-12))


@part
def _one_quintic(x: float, v: float, length_s: float, t: float, most: float) -> float:
    """One positive offset x with rate v, over by length_s, sooner where it would pass zero; its acceleration is at most
    `most`. Before its start it goes on backward at that rate."""
    if t < 0.0:
        return x + v * t
    closing = v < -1e-9
    # Bollo: an offset that closes fast enough reaches zero at -5 x / v without passing it
    soon = 5.0 * x / -v if closing else length_s
    end = min(max(soon, max(8.0 * abs(v) / most, SOONEST_S)), length_s)
    a = max(0.0, (-8.0 * v * end - 20.0 * x) / (end * end)) if closing else -8.0 * v / end
    a = min(max(a, -most), most)
    s = min(t / end, 1.0)
    ae, ve = a * end * end, v * end
    c5, c4 = -0.5 * (ae + 6.0 * ve + 12.0 * x), 0.5 * (3.0 * ae + 16.0 * ve + 30.0 * x)
    c3 = -0.5 * (3.0 * ae + 12.0 * ve + 20.0 * x)
    return x + s * (ve + s * (0.5 * ae + s * (c3 + s * (c4 + s * c5))))


def spring(x0: np.ndarray, v0: np.ndarray, length_s: float, times_s: np.ndarray, most: float) -> np.ndarray:
    """Offsets (K, ..., D) of a critically damped spring, the little that is left at the end faded out."""
    t = times_s.reshape(-1, *(1,) * x0.ndim)
    rate = STIFF / length_s
    left = np.exp(-rate * t) * (x0 + (v0 + rate * x0) * t)
    return left * (1.0 - ease((t / length_s - 1.0 + FADE) / FADE))


def _joint_positions(departure: Departure, arriving: Pose, gone: np.ndarray) -> np.ndarray | None:
    """Where joints have places of their own, the difference in them goes as the rest does."""
    ours = departure.state.pose.pos
    if ours is None and arriving.pos is None:
        return None
    offsets = departure.skeleton.offsets
    theirs = np.broadcast_to(offsets if arriving.pos is None else arriving.pos, (len(gone), *offsets.shape))
    return theirs + (1.0 - gone)[:, None, None] * ((offsets if ours is None else ours) - theirs[0])
