"""Easing of parameters: a live character approaches what is asked of it within its limits, without a jerk."""

from __future__ import annotations

import math
from typing import Any

from footfall.core.kernels import kernel

# A critically damped approach: the rate aimed for is QUICK times what is left, and is taken up with the time constant
# SLOW. 98 % of a small change is done after 0.7 s. By eye.
QUICK, SLOW = 4.0, 0.0625  # 1/s and s
ARRIVED, AT_REST = 1e-7, 1e-6  # of the limit: a parameter nearer than this and slower than this has arrived


@kernel(_nrt=False)
def ease_parameters(goal: Any, p: Any, rate: Any, limit: Any, keep: float, dt: float) -> None:
    """Parameters p (d,) and their rates dt seconds on, in place: towards a goal (d,), no faster than limits (d,).

    keep: `kept(dt)`, what is left of a rate after dt.
    """
    for i in range(len(p)):
        far = goal[i] - p[i]
        wanted = min(max(far * QUICK, -limit[i]), limit[i])
        new = wanted + (rate[i] - wanted) * keep
        moved = wanted * dt + (rate[i] - wanted) * SLOW * (1.0 - keep)
        arrived = abs(far) < ARRIVED * limit[i] and abs(new) < AT_REST * limit[i]
        if arrived or (abs(moved) > abs(far) and moved * far > 0.0):  # a long step must not pass the goal
            p[i], rate[i] = goal[i], 0.0
        else:
            p[i], rate[i] = p[i] + moved, new


@kernel(_nrt=False)
def kept(dt: float) -> float:
    """What is left of a rate that is given up, after dt seconds."""
    return math.exp(-dt / SLOW)
