"""A leap out of a run, from the left foot onto the right, and on: speed in m/s, height (m) risen after take-off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.integrate import cumulative_trapezoid

from footfall.core.clip import Clip, Event
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.motions import locomotion as loco
from footfall.motions.body import adult

DIP_S = 0.34  # seconds before take-off and after landing in which the body sinks and rises. By eye
BEGINS = 0.15  # gait phase at its start and end: there the hips face ahead on average, before and after. Measured
FOLLOWS = 0.5  # share of the flight in which feet take up its rise, and give it up. By eye


def make(speed: float = 3.2, height: float = 0.2) -> Clip:
    if not (1.8 <= speed <= 5.5 and 0.05 <= height <= 0.5):
        got = f"{speed:g} m/s and {height:g} m"
        raise ParameterError(f"a leap out of a run of 1.8 to 5.5 m/s rises 0.05 to 0.5 m, got {got}")
    pace = 1.0 / float(loco.stride_time(np.array(speed), np.array(1.0)))
    down = float(loco.duty(np.array(speed), np.array(1.0)))  # of a cycle that the left foot stands before it leaps
    off, flight = (1.0 + down - BEGINS) / pace, 2.0 * np.sqrt(2.0 * height / loco.GRAVITY)
    usual = (0.5 - down) / pace  # seconds that a step of the run flies
    flight = max(flight, usual)
    duration = off + flight + (1.5 + BEGINS) / pace
    t = np.arange(round(-2.5 * loco.FPS), round((duration + 2.5) * loco.FPS) + 1) / loco.FPS
    share = (t - off) / flight
    slower = 1.5 * (1.0 - usual / flight) * 4.0 * np.clip(share * (1.0 - share), 0.0, None)  # legs wait for the floor
    path = loco.travel(t, speed + 0.0 * t, 0.0 * t, 0.0 * t, 1.0 + 0.0 * t)
    phase = cumulative_trapezoid(pace * (1.0 - slower), t, initial=0.0)
    path = replace(path, phase=BEGINS + phase - np.interp(0.0, t, phase))

    def leap(feet: loco.Feet, pelvis: np.ndarray, turn: np.ndarray) -> tuple[loco.Feet, np.ndarray]:
        more = 0.5 * loco.GRAVITY * (flight - usual)  # m/s upward at take-off, more than a step of the run has
        flies = np.clip(share, 0.0, 1.0)
        rise = more * flight * flies * (1.0 - flies)
        before, after = (np.clip(1.0 + x / DIP_S, 0.0, 1.0) for x in (t - off, off + flight - t))
        dip = more * DIP_S * (before**2 * (before - 1.0) + after**2 * (after - 1.0))
        up = rise * ease(flies / FOLLOWS) * ease((1.0 - flies) / FOLLOWS)
        raised = np.stack([0.0 * t, up, 0.0 * t], axis=-1)
        left, right = (foot._replace(ankle=foot.ankle + raised) for foot in feet)
        return (left, right), pelvis + np.stack([0.0 * t, rise + dip, 0.0 * t], axis=-1)

    pose, steps = loco.walk_along(path, alter=leap)
    inside = (t > -1e-9) & (t < duration + 1e-9)
    apex = off + 0.5 * flight
    events = (*loco.contact_events(steps, float(t[inside][-1])), Event("apex", apex, apex))
    return Clip(adult(), loco.FPS, pose.at(inside), name="running_jump", events=events,
                parameters={"speed": speed, "height": height})  # fmt: skip
