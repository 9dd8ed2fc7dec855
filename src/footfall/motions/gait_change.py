"""Starts, stops and changes of gait: one motion from standing, walking or running to another of them.

Speed and turn follow a quintic (C2) from the old value to the new one while the feet keep stepping; a start leaves from
two standing feet, a stop brings them together again. Before and after the change the motion is the steady one, so that
a change shares its key times with what it connects.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import locomotion as loco
from footfall.motions.body import adult
from footfall.motions.foot_path import Step

STAND_HALF = 0.09  # half the distance between standing ankles
CALM = 0.35  # seconds of standing kept before a start and after a stop
LONG = 60.0  # seconds: a standing foot has stood "always"
DOUBLE = 0.04  # gait phase just after a strike: both feet are down, a walk can begin or end here


@dataclass(frozen=True)
class Gait:
    """A steady way of moving: "stand", "walk" or "run", at m/s and rad/s."""

    type: str
    speed: float = 0.0
    turn: float = 0.0

    @property
    def run(self) -> float:
        return float(self.type == "run")

    @property
    def stands(self) -> bool:
        return self.type == "stand"

    @property
    def stride(self) -> float:
        return float(loco.stride_time(np.array(self.speed), np.array(self.run)))


def gait_change(before: Gait, after: Gait, name: str = "") -> Clip:
    """A clip that starts in one gait and ends in the other."""
    natural = 0.7 + 0.3 * abs(after.speed - before.speed)
    change_s = _landing(before, after, natural) if after.stands else natural
    path, duration = _path(before, after, change_s)
    pose, steps = loco.walk_along(path, _steps(path, before, after))
    inside = (path.t > -1e-9) & (path.t < duration + 1e-9)
    events = loco.contact_events(steps, float(path.t[inside][-1]))
    return Clip(adult(), loco.FPS, pose.at(inside), name=name or f"{before.type}_to_{after.type}", events=events)


def _path(before: Gait, after: Gait, change_s: float) -> tuple[loco.Path, float]:
    lead = CALM if before.stands else before.stride
    tail = CALM + 0.5 if after.stands else after.stride
    duration = lead + change_s + tail
    t = np.arange(round(-2.5 * loco.FPS), round((duration + 2.5) * loco.FPS) + 1) / loco.FPS
    mix = _ease((t - lead) / change_s)
    runs = (after.run if before.stands else before.run, before.run if after.stands else after.run)
    speed, turn, run = (a + (b - a) * mix for a, b in ((before.speed, after.speed), (before.turn, after.turn), runs))
    active = np.ones(len(t))
    if before.stands:
        active *= _ease((t - lead + 0.35) / 0.6)
    if after.stands:
        active *= 1.0 - _ease((t - lead - 0.3 * change_s) / (0.7 * change_s + 0.3))
    phase = DOUBLE if before.stands else 0.0
    return loco.travel(t, speed, 0.0 * t, turn, run, phase, active), duration


def _landing(before: Gait, after: Gait, natural: float) -> float:
    """The length of a stop, near the natural one, at whose end both feet have just come down."""
    lengths = np.linspace(0.75, 1.6, 35) * natural
    ends = np.array([_path(before, after, x)[0].phase[-1] for x in lengths])
    miss = np.abs((ends - DOUBLE + 0.25) % 0.5 - 0.25)
    return float(lengths[np.argmin(miss + 0.02 * np.abs(lengths / natural - 1.0))])


def _ease(u: np.ndarray) -> np.ndarray:
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10.0 - 15.0 * u + 6.0 * u**2)


def _steps(path: loco.Path, before: Gait, after: Gait) -> loco.Steps:
    """The steps of the gait, with standing feet side by side where there is no gait."""
    plans: loco.Steps = (loco.plan_steps(path, right=False), loco.plan_steps(path, right=True))
    for plan, right in zip(plans, (False, True), strict=True):
        if before.stands:
            plan.insert(0, _first(path, right))
        if after.stands:
            _come_to_rest(path, plan, right)
    return plans


def _first(path: loco.Path, right: bool) -> Step:
    """The foot that has stood all along, until its first swing."""
    strike = -0.5 if right else 0.0
    gait = loco.step_at(path, strike + 1.0, right)  # how this foot leaves the floor one cycle later
    down = _phase_at(path, gait.end_s) - (strike + 1.0)
    end = float(np.interp(strike + down, path.phase, path.t))
    heel_up = float(np.interp(strike + down * gait.flat_to, path.phase, path.t))
    x, z, yaw = _beside(path, 0, right)
    start = end - LONG
    return Step(start, end, x, z, yaw, 0.0, gait.pitch_out, 0.01, (max(heel_up, end - 0.6) - start) / LONG)


def _come_to_rest(path: loco.Path, plan: list[Step], right: bool) -> None:
    """The last step of a foot stays, beside the other one."""
    x, z, yaw = _beside(path, -1, right)
    last = plan[-1]
    flat = (last.flat_s[0] - last.start_s) / LONG
    plan[-1] = Step(last.start_s, last.start_s + LONG, x, z, yaw, last.pitch_in, 0.0, flat, 0.999)


def _beside(path: loco.Path, index: int, right: bool) -> tuple[float, float, float]:
    """Place and yaw of a standing foot, where the body is at the path's start or end."""
    sign, heading = (-1.0 if right else 1.0), float(path.heading[index])
    where = path.position[index] + rotation.rotate(rotation.yaw(heading), np.array([sign * STAND_HALF, 0.0, 0.0]))
    return float(where[0]), float(where[2]), heading + sign * loco.TOE_OUT


def _phase_at(path: loco.Path, time: float) -> float:
    return float(np.interp(time, path.t, path.phase))
