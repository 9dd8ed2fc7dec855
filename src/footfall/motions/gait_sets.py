"""Sets of gait examples that blend spaces, graphs and studies are made of; every walker differs a little.

Turns are in degrees a second to the left, speeds in m/s. The same call always gives the same clips.
"""

from __future__ import annotations

from dataclasses import replace

from footfall.core.clip import Clip
from footfall.motions.clips import crouch_walk, strafe
from footfall.motions.gait_change import gait, gait_change
from footfall.motions.locomotion import some_style, steady

WALKS = [(0.5, 0), (0.9, 0), (1.3, 0), (1.7, 0), (2.0, 0), (0.8, 45), (0.8, -45), (1.4, 45), (1.4, -45),
         (0.7, 90), (0.7, -90), (1.2, 90), (1.2, -90)]  # fmt: skip
RUNS = [(2.0, 0), (2.9, 0), (3.7, 0), (4.6, 0), (5.5, 0), (2.6, 45), (2.6, -45), (4.0, 45), (4.0, -45),
        (2.3, 90), (2.3, -90), (3.2, 90), (3.2, -90)]  # fmt: skip
# the nine runs of Park et al. 2004, experiment 1: straight, right and left at three speeds
PARK_RUNS = [(0.3, 3), (0.1, -56), (0.3, 55), (2.6, 6), (2.6, -94), (2.6, 97), (5.2, 4), (5.3, -124), (5.3, 129)]
# forward x turn x side, slow walk to jog
LOCOMOTION = [(0.6, 0, 0.0), (0.7, 60, 0.2), (0.7, -60, -0.2), (0.8, 0, 0.5), (0.8, 0, -0.5), (1.0, 40, -0.3),
              (1.0, -40, 0.3), (1.2, 0, 0.0), (1.2, 80, 0.0), (1.2, -80, 0.0), (1.4, 30, 0.4), (1.4, -30, -0.4),
              (1.6, 0, 0.3), (1.6, 0, -0.3), (1.8, 60, 0.1), (1.8, -60, -0.1), (2.0, 0, 0.0), (2.2, 30, 0.2),
              (2.2, -30, -0.2), (2.5, 0, 0.0)]  # fmt: skip
JOG_FROM = 2.1  # m/s: faster examples of the locomotion set jog

STRAFES = (-1.5, -1.1, -0.7, -0.4, 0.4, 0.7, 1.1, 1.5)
CROUCHED = [(0.4, 0), (0.8, 0), (1.2, 0), (0.6, 45), (0.6, -45), (1.0, 45), (1.0, -45)]


def strafes() -> list[Clip]:
    """8 side speeds, both ways."""
    return [replace(strafe.make(side), name=f"strafe-{i:02d}") for i, side in enumerate(STRAFES)]


def crouch_walks() -> list[Clip]:
    """7 walks in a crouch over speed and turn."""
    made = [crouch_walk.make(v, turn) for v, turn in CROUCHED]
    return [replace(clip, name=f"crouch-walk-{i:02d}") for i, clip in enumerate(made)]


def walks() -> list[Clip]:
    """13 walks over speed and turn."""
    return [_steady(v, turn, 0.0, False, seed) for seed, (v, turn) in enumerate(WALKS)]


def runs() -> list[Clip]:
    """13 runs over speed and turn."""
    return [_steady(v, turn, 0.0, True, 100 + seed) for seed, (v, turn) in enumerate(RUNS)]


def park_runs() -> list[Clip]:
    """The 9 runs of Park et al. 2004, experiment 1."""
    return [_steady(v, turn, 0.0, True, 200 + seed) for seed, (v, turn) in enumerate(PARK_RUNS)]


def locomotion() -> list[Clip]:
    """20 examples over forward speed, turn and side speed, from slow walk to jog."""
    return [_steady(v, turn, side, v >= JOG_FROM, 300 + seed) for seed, (v, turn, side) in enumerate(LOCOMOTION)]


def transitions() -> list[Clip]:
    """24 changes of gait: for each of the 6 edges of stand, walk and run, 4 combinations of their parameters."""
    corners = {
        "stand": [(0.0, 0.0)] * 4,
        "walk": [(0.8, -30.0), (0.8, 30.0), (1.6, -30.0), (1.6, 30.0)],
        "run": [(2.4, -30.0), (2.4, 30.0), (4.0, 30.0), (4.0, -30.0)],
    }
    clips = []
    for before in corners:
        for after in corners:
            if before != after:
                pairs = zip(corners[before], corners[after], strict=True)
                clips += [gait_change(gait(before, *a), gait(after, *b)) for a, b in pairs]
    return clips


def _steady(speed: float, turn: float, side: float, run: bool, seed: int) -> Clip:
    return steady(speed, turn, side, run, style=some_style(seed))
