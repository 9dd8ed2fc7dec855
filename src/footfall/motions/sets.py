"""Example sets: variations of one motion over its parameters, with fixed seeds, for parametric blending and studies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from footfall.core.clip import Clip
from footfall.core.errors import UnknownName
from footfall.motions import gait_sets
from footfall.motions.library import motion

Rows = list[tuple[float, ...]]

REACH: Rows = [  # x, y, z of the right wrist, metres
    (-0.30, 0.10, 0.35), (0.05, 0.12, 0.45), (-0.55, 0.15, 0.10), (0.30, 0.20, 0.35),
    (-0.20, 0.45, 0.55), (0.25, 0.50, 0.50), (-0.60, 0.50, 0.25), (-0.55, 0.60, -0.15),
    (-0.15, 0.80, 0.60), (0.30, 0.85, 0.45), (-0.70, 0.90, 0.15), (-0.55, 0.95, -0.25),
    (-0.20, 1.15, 0.65), (0.30, 1.20, 0.50), (-0.70, 1.25, 0.20), (-0.60, 1.30, -0.20),
    (-0.10, 1.45, 0.60), (0.35, 1.50, 0.40), (-0.70, 1.55, 0.10), (-0.45, 1.60, 0.45),
    (-0.15, 1.80, 0.30), (0.15, 1.75, 0.35), (-0.50, 1.80, 0.10), (-0.22, 1.90, 0.15),
]  # fmt: skip
PUNCH: Rows = [
    (0.00, 1.45, 0.72), (0.22, 1.45, 0.68), (-0.22, 1.45, 0.68), (0.10, 1.60, 0.66), (-0.15, 1.62, 0.64),
    (0.24, 1.58, 0.60), (-0.30, 1.55, 0.60), (0.00, 1.72, 0.58), (0.16, 1.70, 0.56), (-0.18, 1.72, 0.56),
    (0.00, 1.25, 0.74), (0.24, 1.28, 0.68), (-0.24, 1.25, 0.68), (0.10, 1.10, 0.70), (-0.12, 1.10, 0.70),
    (0.30, 1.12, 0.60), (-0.32, 1.15, 0.60), (0.00, 0.95, 0.64), (0.20, 0.98, 0.62), (-0.20, 0.98, 0.62),
]  # fmt: skip
KICK: Rows = [  # of the right ankle
    (-0.10, 0.32, 0.70), (0.15, 0.35, 0.68), (-0.32, 0.38, 0.66), (0.00, 0.50, 0.80), (0.28, 0.52, 0.72),
    (-0.28, 0.55, 0.74), (0.05, 0.70, 0.86), (0.30, 0.72, 0.76), (-0.20, 0.75, 0.84), (-0.35, 0.80, 0.74),
    (0.00, 0.90, 0.88), (0.20, 0.92, 0.84), (-0.15, 0.98, 0.88), (0.32, 1.00, 0.72), (-0.33, 1.02, 0.76),
    (0.05, 1.15, 0.84), (-0.15, 1.20, 0.82), (0.22, 1.22, 0.76), (0.00, 1.36, 0.78), (-0.25, 1.34, 0.74),
]  # fmt: skip
JUMP: Rows = [  # distance m, direction degrees to the left, height m
    (0.00, 0.0, 0.06), (0.00, 0.0, 0.15), (0.00, 0.0, 0.28), (0.00, 0.0, 0.40), (0.30, 0.0, 0.08),
    (0.35, 0.0, 0.30), (0.60, 0.0, 0.15), (0.65, 0.0, 0.35), (0.90, 0.0, 0.18), (1.20, 0.0, 0.24),
    (0.35, 60.0, 0.10), (0.40, -60.0, 0.10), (0.35, 45.0, 0.28), (0.35, -45.0, 0.28), (0.60, 60.0, 0.18),
    (0.60, -60.0, 0.18), (0.70, 30.0, 0.22), (0.70, -30.0, 0.22), (1.00, 25.0, 0.24), (1.00, -25.0, 0.24),
]  # fmt: skip

TURN: Rows = [(45.0,), (70.0,), (95.0,), (120.0,), (150.0,), (180.0,)]  # degrees to the left
TURN_PAIRS = 2  # of steps in all of them, so that they blend
SEATS: Rows = [(0.30,), (0.38,), (0.46,), (0.55,), (0.65,)]  # metres
PICK_UP: Rows = [  # x, y, z of the right wrist, metres: all within reach without a step
    (-0.30, 0.10, 0.35), (0.05, 0.12, 0.40), (-0.50, 0.15, 0.15), (0.25, 0.15, 0.35), (-0.20, 0.40, 0.50),
    (0.20, 0.45, 0.45), (-0.55, 0.45, 0.20), (-0.20, 0.70, 0.50), (0.20, 0.75, 0.45), (-0.55, 0.75, 0.20),
]  # fmt: skip


def _turns() -> list[Clip]:
    """To the left; mirror them for the right, which begins with the other foot."""
    found = [motion("turn-in-place", angle=row[0], pairs=TURN_PAIRS, seed=seed) for seed, row in enumerate(TURN)]
    return [replace(clip, name=f"turn-{seed:02d}") for seed, clip in enumerate(found)]


def _varied(name: str, parameters: tuple[str, ...], rows: Rows, **same: int) -> list[Clip]:
    """One clip a row, each with its own seed: timing, stance and style differ as between takes of one performer.

    same: parameters that all have alike.
    """
    clips = []
    for seed, row in enumerate(rows):
        clip = motion(name, seed=seed, **same, **dict(zip(parameters, row, strict=True)))
        clips.append(replace(clip, name=f"{name}-{seed:02d}"))
    return clips


SETS: dict[str, Callable[[], list[Clip]]] = {
    "reach": lambda: _varied("reach", ("x", "y", "z"), REACH, steps=0),
    "punch": lambda: _varied("punch", ("x", "y", "z"), PUNCH),
    "kick": lambda: _varied("kick", ("x", "y", "z"), KICK),
    "jump": lambda: _varied("jump", ("distance", "direction", "height"), JUMP),
    "turn": _turns,
    "sit-down": lambda: _varied("sit-down", ("height",), SEATS),
    "stand-up": lambda: _varied("stand-up", ("height",), SEATS),
    "pick-up": lambda: _varied("pick-up", ("x", "y", "z"), PICK_UP, steps=0),
    "strafe": gait_sets.strafes,
    "crouch-walk": gait_sets.crouch_walks,
    "walk": gait_sets.walks,
    "run": gait_sets.runs,
    "park-run": gait_sets.park_runs,
    "locomotion": gait_sets.locomotion,
    "transition": gait_sets.transitions,
}


def examples(name: str) -> list[Clip]:
    """The clips of a set; every one knows its parameters."""
    if name not in SETS:
        raise UnknownName("example set", name, SETS)
    return SETS[name]()
