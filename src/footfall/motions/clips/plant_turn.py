"""A run that turns on its feet: it brakes, turns by angle degrees (to the left) and runs off again, at speed m/s."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.integrate import cumulative_trapezoid

from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.motions import locomotion as loco
from footfall.motions.body import adult

CYCLES = 3  # strides that braking, turning and running off take: two feet planted for each third of the turn
SLOWEST_M_S = 0.7  # in the middle of the turn; a foot is planted ahead of the body and pushes it back. By eye
STRIDE_S = 0.6  # of the quick steps in the middle. By eye
BEGINS = 0.15  # gait phase at its start and end: there the hips face ahead on average, before and after. Measured
WAITS = 0.16  # share of that time at either end in which it only brakes or speeds up. By eye


def make(speed: float = 3.2, angle: float = 150.0) -> Clip:
    if not (1.8 <= speed <= 5.0 and 1.0 <= abs(angle) <= 200.0):
        got = f"{speed:g} m/s and {angle:g} degrees"
        raise ParameterError(f"a run of 1.8 to 5 m/s turns by 1 to 200 degrees either way, got {got}")
    stride = float(loco.stride_time(np.array(speed), np.array(1.0)))
    pace = 1.0 / stride, 1.0 / STRIDE_S - 1.0 / stride  # cycles a second of the run, and more of them in the middle
    change_s = CYCLES / (pace[0] + 0.5 * pace[1])
    duration = 2.0 * stride + change_s
    t = np.arange(round(-2.5 * loco.FPS), round((duration + 2.5) * loco.FPS) + 1) / loco.FPS
    share = (t - stride) / change_s
    slow = ease(2.0 * np.minimum(share, 1.0 - share))
    turned = np.radians(angle) * ease((share - WAITS) / (1.0 - 2.0 * WAITS))
    path = loco.travel(t, speed - (speed - SLOWEST_M_S) * slow, 0.0 * t, np.gradient(turned, t), 1.0 + 0.0 * t)
    phase = cumulative_trapezoid(pace[0] + pace[1] * slow, t, initial=0.0)
    path = replace(path, phase=BEGINS + phase - np.interp(0.0, t, phase))
    pose, steps = loco.walk_along(path)
    inside = (t > -1e-9) & (t < duration + 1e-9)
    events = loco.contact_events(steps, float(t[inside][-1]))
    return Clip(adult(), loco.FPS, pose.at(inside), name="plant_turn", events=events,
                parameters={"speed": speed, "angle": angle})  # fmt: skip
