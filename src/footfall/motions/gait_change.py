"""Starts, stops and changes of gait: one motion from standing, walking or running to another of them.

Speed and turn go smoothly from the old value to the new one while the feet keep stepping; a start leaves from two
standing feet, a stop brings them together again. Before and after the change the motion is the steady one, so that
a change shares its key times with what it connects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease, level_ease
from footfall.motions import locomotion as loco
from footfall.motions.body import adult
from footfall.motions.foot_path import PlantedStep

STAND_HALF = 0.09  # half the distance between standing ankles
CALM = 0.35  # seconds of standing kept before a start and after a stop
LONG = 60.0  # seconds: a standing foot has stood "always"
MIDDLE = 0.25  # gait phase at which the left foot stands under the body: a walk begins and ends there (or at 0.75)
# A change takes as long as a body needs that is pushed no harder than one is believed to be (docs/believable.md: 4 m/s²
# over 0.4 s). A body that brakes is pushed as hard for most of it; one that starts leans into it first.
BRAKE_M_S2, PULL_M_S2 = 2.5, 2.3  # m/s² on average; fitted on the built-in changes, tools: `footfall study live`
RAMP = 0.3  # of a change that brakes, in which its push comes, and goes. By eye
SHORTEST_S, LEAN_S = 0.65, 0.3  # seconds at least; and more, to come to run. By eye
# Seconds in which a run becomes a walk whose legs would be drawn down by walking sooner, until so long after it has
# slowed down; and metres by which such a pelvis is lower than in both gaits (docs/believable.md). Fitted: no dip
WALKS_S, LATER_S, DIP_M = 0.4, 0.1, 0.04
LIFT = 0.03  # gait phase before and after which the other foot leaves or lands beside it


@dataclass(frozen=True)
class SteadyGait:
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


def gait(kind: str, speed: float = 0.0, turn: float = 0.0) -> SteadyGait:
    """The same with its turn in degrees a second."""
    return SteadyGait(kind, speed, float(np.radians(turn)))


def gait_change(before: SteadyGait, after: SteadyGait, name: str = "", alter: loco.Alter | None = None) -> Clip:
    """A clip that starts in one gait and ends in the other; alter as in locomotion.walk_along.

    A run walks as soon as it may: while it brakes, or, where that draws the body down, only when it has.
    """
    made = _change(before, after, alter, later_s=0.0)
    if before.run and not after.stands and _sinks(made, before.stride, after.stride):
        made = _change(before, after, alter, LATER_S)
    parameters = {
        f"{key}_{when}": value
        for when, gait in (("before", before), ("after", after))
        for key, value in (("speed", gait.speed), ("turn", float(np.degrees(gait.turn))))
    }
    return replace(made, name=name or f"{before.type}_to_{after.type}", parameters=parameters)


def _change(before: SteadyGait, after: SteadyGait, alter: loco.Alter | None, later_s: float) -> Clip:
    path, duration = _path(before, after, later_s)
    pose, steps = loco.walk_along(path, _steps(path, before, after), alter=alter)
    inside = (path.t > -1e-9) & (path.t < duration + 1e-9)
    events = loco.contact_events(steps, float(path.t[inside][-1]))
    return Clip(adult(), loco.FPS, pose.at(inside), events=events)


def _sinks(clip: Clip, lead_s: float, tail_s: float) -> bool:
    """Whether a body is lower in a change than in a step of the gaits before and after it."""
    high = clip.pose.root_pos[:, 1]
    first, last = round(0.5 * lead_s * clip.fps), round(0.5 * tail_s * clip.fps)
    return bool(high.min() < min(high[:first].min(), high[-last:].min()) - DIP_M)


def _path(before: SteadyGait, after: SteadyGait, later_s: float) -> tuple[loco.TravelPath, float]:
    change_s = max(SHORTEST_S, _seconds(before, after))
    lead = CALM if before.stands else before.stride
    tail = CALM + 0.5 if after.stands else after.stride + later_s
    times = lead, change_s, tail, later_s
    if after.stands:  # the change begins in the step from which it ends with one foot under the body
        ends = float(_travelled(before, after, times).phase[-1])
        lead += before.stride * ((MIDDLE - ends) % 0.5)
    return _travelled(before, after, (lead, *times[1:])), lead + change_s + tail


def _seconds(before: SteadyGait, after: SteadyGait) -> float:
    """How long a change of speed takes."""
    if after.speed < before.speed:
        return (before.speed - after.speed) / BRAKE_M_S2
    return (after.speed - before.speed) / PULL_M_S2 + (LEAN_S if after.run else 0.0)


def _travelled(before: SteadyGait, after: SteadyGait, times: tuple[float, float, float, float]) -> loco.TravelPath:
    """The way of a change; times: seconds before it, of it and after it, and after it until a run has become a walk."""
    lead, change_s, tail, later_s = times
    t = np.arange(round(-2.5 * loco.FPS), round((lead + change_s + tail + 2.5) * loco.FPS) + 1) / loco.FPS
    gone = (t - lead) / change_s
    mix = level_ease(gone, RAMP) if after.speed < before.speed else ease(gone)
    speed, turn = (a + (b - a) * mix for a, b in ((before.speed, after.speed), (before.turn, after.turn)))
    # walking fast overstretches the legs: running begins early in the change, and ends late
    early = ease(mix / 0.4) if after.run else 1.0 - ease((1.0 - mix) / 0.4)
    if later_s > 0.0:
        early = ease(1.0 + (t - lead - change_s - later_s) / WALKS_S)
    run = before.run + (after.run - before.run) * early
    phase = MIDDLE - 0.05 if before.stands else 0.0
    return replace(loco.travel(t, speed, 0.0 * t, turn, run, phase), runs_off=later_s > 0.0)


def _steps(path: loco.TravelPath, before: SteadyGait, after: SteadyGait) -> loco.Steps:
    """The steps of the gait, with standing feet side by side where there is no gait."""
    plans: loco.Steps = (loco.plan_steps(path, right=False), loco.plan_steps(path, right=True))
    for plan, right in zip(plans, (False, True), strict=True):
        if before.stands:
            plan.insert(0, _first(path, right))
        if after.stands:
            _come_to_rest(path, plan, right)
    return plans


def _first(path: loco.TravelPath, right: bool) -> PlantedStep:
    """The foot that has stood all along, until its first swing: the right one goes first."""
    usual = loco.step_at(path, 0.5 if right else 1.0, right)  # how this foot leaves the floor a cycle later
    down = float(np.interp(usual.end_s, path.t, path.phase)) - (0.5 if right else 1.0)
    leaves = path.phase[0] + LIFT if right else down
    heel_up = path.phase[0] if right else down * usual.flat_to
    end, rise = (float(np.interp(p, path.phase, path.t)) for p in (leaves, heel_up))
    start = end - LONG
    share = (min(max(rise, end - 0.5), end - 0.15) - start) / LONG
    x, z, yaw = _beside(path, 0, right)
    return PlantedStep(start, end, x, z, yaw, 0.0, usual.pitch_out * (0.6 if right else 1.0), 0.01, share)


def _come_to_rest(path: loco.TravelPath, plan: list[PlantedStep], right: bool) -> None:
    """The last step stays under the body; the other foot lands beside it, early and gently."""
    x, z, yaw = _beside(path, -1, right)
    under = (path.phase[-1] % 1.0 >= 0.5) == right
    last = plan[-1]
    if under:
        flat = (last.flat_s[0] - last.start_s) / LONG
        plan[-1] = PlantedStep(last.start_s, last.start_s + LONG, x, z, yaw, last.pitch_in, 0.0, flat, 0.999)
    else:
        lands = float(np.interp(path.phase[-1] - LIFT, path.phase, path.t))
        plan.append(PlantedStep(lands, lands + LONG, x, z, yaw, 0.5 * last.pitch_in, 0.0, 0.2 / LONG, 0.999))


def _beside(path: loco.TravelPath, index: int, right: bool) -> tuple[float, float, float]:
    """Place and yaw of a standing foot, where the body is at the path's start or end."""
    sign, heading = (-1.0 if right else 1.0), float(path.heading[index])
    where = path.position[index] + rotation.rotate(rotation.yaw(heading), np.array([sign * STAND_HALF, 0.0, 0.0]))
    return float(where[0]), float(where[2]), heading + sign * loco.TOE_OUT
