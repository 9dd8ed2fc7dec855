"""Joint roles: which joint is the pelvis, a knee, a toe, …, found from names and geometry."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

SIDES = ("left", "right")


@dataclass(frozen=True)
class Roles:
    """Joint index of every role; None (or an empty chain) where the body has no such joint."""

    pelvis: int
    spine: tuple[int, ...] = ()  # from above the pelvis to the chest, bottom up
    neck: tuple[int, ...] = ()  # bottom up
    head: int | None = None
    left_hip: int | None = None
    left_knee: int | None = None
    left_ankle: int | None = None
    left_toe: int | None = None
    right_hip: int | None = None
    right_knee: int | None = None
    right_ankle: int | None = None
    right_toe: int | None = None
    left_clavicle: int | None = None
    left_shoulder: int | None = None
    left_elbow: int | None = None
    left_wrist: int | None = None
    right_clavicle: int | None = None
    right_shoulder: int | None = None
    right_elbow: int | None = None
    right_wrist: int | None = None
    fingers: tuple[int, ...] = ()  # every joint beyond a wrist
    confidence: float = 0.0
    how: str = ""

    def body_height(self, rest: np.ndarray, end_parents: np.ndarray, end_rest: np.ndarray) -> float:
        return float(np.ptp(np.concatenate([rest, end_rest]), axis=0).max()) if len(rest) else 0.0


def find_roles(
    names: Sequence[str],
    parents: np.ndarray,
    rest: np.ndarray,
    end_parents: np.ndarray,
    end_rest: np.ndarray,
    overrides: Mapping[str, str],
) -> Roles:
    """First, name-only version."""
    found: dict[str, int] = {}
    patterns = {"hip": r"upleg|thigh|femur|upperleg", "knee": r"(?<!up)leg$|shin|calf|tibia|lowerleg|knee",
                "ankle": r"foot|ankle", "toe": r"toe"}
    for j, name in enumerate(names):
        low = name.lower()
        side = "left" if re.search(r"left|^l|_l$", low) else "right" if re.search(r"right|^r|_r$", low) else ""
        for role, pattern in patterns.items():
            if side and re.search(pattern, low):
                found.setdefault(f"{side}_{role}", j)
    found.update({role: names.index(joint) for role, joint in overrides.items()})
    return Roles(**{"pelvis": 0, **found})  # type: ignore[arg-type]
