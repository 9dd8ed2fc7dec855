"""Clocks: which moment of each clip is played at which second of a join (Oshita 2008, sections 5.2 and 6.2).

The paper warps uniformly and weighs linearly, which breaks velocities at both ends. Here the clocks run at rate 1 at
both ends of a warp, and weights ease, so the result is continuous with its velocity; paper=True gives the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.easing import ease
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.planner import PlannedJoin, PlanOptions
from footfall.timeline.windows import BlendWindow, waits

RUN_IN_S = 0.2  # seconds over which the next clip's clock gathers speed after a wait. By eye
LEAST_S = 1e-6  # seconds: a shorter stretch counts as this long


class JoinClocks(NamedTuple):
    """At each of N output times: clip seconds of both clips, and the next one's share."""

    previous: np.ndarray  # (N,)
    following: np.ndarray  # (N,)
    weight: np.ndarray  # (N,) 0 to 1


def clocks(
    previous: ArrangedClip,
    following: ArrangedClip,
    join: PlannedJoin,
    over: BlendWindow,
    t_s: np.ndarray,
    options: PlanOptions,
) -> JoinClocks:
    """Clocks and weight of a join at timeline times t_s (N,), before, in and after it; over: when it is blended."""
    u = (t_s - over.begin_s) / max(over.end_s - over.begin_s, LEAST_S)
    weight = np.clip(u, 0.0, 1.0) if options.paper else ease(u)
    old, new = t_s, t_s
    if join.kind == "transition":
        out, rates = (join.begin_s, join.end_s), (1.0, 1.0)
        old = warp(t_s, out, (join.begin_s, join.leave_s), rates, options.paper)
        new = warp(t_s, out, (join.enter_s, join.end_s), rates, options.paper)
    elif options.paper or waits(join) > 0.0:
        new = join.enter_s + run_in(t_s - join.end_s, 0.0 if options.paper else RUN_IN_S)
    return JoinClocks(old - previous.start_s, new - following.start_s, weight)


def warp(
    t_s: np.ndarray,
    out: tuple[float, float],
    span: tuple[float, float],
    rates: tuple[float, float],
    uniform: bool = False,
) -> np.ndarray:
    """Times (N,) of a span laid over the output span `out`: a cubic with the given rates at its ends; outside it
    runs on at rate 1. Monotone while out is at most three times as long."""
    length, own = max(out[1] - out[0], LEAST_S), span[1] - span[0]
    u = np.clip((t_s - out[0]) / length, 0.0, 1.0)
    if uniform:
        inside = span[0] + own * u
    else:
        first, last = rates
        rise, fall = u * (1.0 - u) ** 2, u * u * (u - 1.0)
        inside = span[0] + own * u * u * (3.0 - 2.0 * u) + length * (rise * first + fall * last)
    return inside + np.minimum(t_s - out[0], 0.0) + np.maximum(t_s - out[1], 0.0)


def run_in(x: np.ndarray, width: float) -> np.ndarray:
    """0 up to -width/2, x from width/2 on, with a rate that rises evenly between."""
    if width <= 0.0:
        return np.maximum(x, 0.0)
    inner = np.clip(x + 0.5 * width, 0.0, width)
    return 0.5 * inner * inner / width + np.maximum(x - 0.5 * width, 0.0)
