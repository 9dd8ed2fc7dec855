"""Only the target plays; what the pose at the departure differs by, and its velocity, die away: the games' usual way.

Bollo 2018, "Inertialization: high-performance animation transitions in Gears of War" (GDC): the offset of every joint
follows a quintic that starts with the measured offset and velocity and ends with no offset, velocity or acceleration.
Nothing of the left motion is needed but its last pose and velocities. Kind "spring" lets the offset go like a
critically damped spring instead.

Unlike Bollo, who keeps only the speed along the offset, the speed across it dies away too, so velocity has no step.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.pose import Pose
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
    size = np.linalg.norm(x0, axis=-1, keepdims=True)
    along = x0 / np.maximum(size, 1e-12)
    speed = (v0 * along).sum(axis=-1, keepdims=True)
    across = v0 - speed * along
    sideways = np.linalg.norm(across, axis=-1, keepdims=True)
    t = times_s.reshape(-1, *(1,) * x0.ndim)
    there = _one_quintic(size, speed, length_s, t, most)
    aside = _one_quintic(np.zeros_like(size), sideways, length_s, t, most)
    return along * there + across / np.maximum(sideways, 1e-12) * aside


def _one_quintic(x: np.ndarray, v: np.ndarray, length_s: float, t: np.ndarray, most: float) -> np.ndarray:
    """One positive offset x with rate v, over by length_s, sooner where it would pass zero; its acceleration is at most
    `most`."""
    closing = v < -1e-9
    # Bollo: an offset that closes fast enough reaches zero at -5 x / v without passing it
    soon = np.where(closing, 5.0 * x / np.where(closing, -v, 1.0), length_s)
    end = np.minimum(np.maximum(soon, np.maximum(8.0 * np.abs(v) / most, SOONEST_S)), length_s)
    a = np.where(closing, np.maximum(0.0, (-8.0 * v * end - 20.0 * x) / end**2), -8.0 * v / end)
    a = np.clip(a, -most, most)
    s = np.minimum(t / end, 1.0)
    ae, ve = a * end**2, v * end
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
