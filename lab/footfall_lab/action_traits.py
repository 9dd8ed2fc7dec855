"""Traits of an action on any body: how far a limb extends, how fast, for how long, and what trunk and other arm do.

Lengths are in limb lengths, angles in degrees; used to compare with captures and to fit key poses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.limb_signals import LimbMotion, limb_signals
from footfall.core import rotation
from footfall.core.clip import Clip

BEFORE_S, AFTER_S = 0.7, 0.5  # of the apex: what belongs to it, wind-up and recoil included
SWING_S = 0.4  # before the apex, in which the largest speed is looked for
NEAR_S = 0.1  # either side of the apex, in which the limb is longest
HALF = 0.5  # of the way out: a limb farther than this is out


class ActionTraits(NamedTuple):
    """One action around its apex."""

    extension: float  # limb lengths, hip to ankle or shoulder to wrist
    speed: float  # limb lengths a second, of ankle or wrist against the pelvis, largest on the way out
    out_s: float  # seconds the limb is more than half way out
    pelvis_deg: float  # between the least and the largest yaw of the hips
    shoulders_deg: float  # the same of the line from shoulder to shoulder
    lean_deg: float  # pelvis to neck against the plumb line at the apex
    other_arm: float  # arm lengths, how far the other wrist goes, seen from the shoulders


def action_traits(clip: Clip, at_s: float, limb: str, side: str) -> ActionTraits:
    """Traits of the action at at_s; limb: "arm" or "leg"."""
    signals, fps = limb_signals(clip), clip.fps
    own = _side(signals.arms if limb == "arm" else signals.legs, side)
    other = _side(signals.arms, "left" if side == "right" else "right")
    at = round(at_s * fps)
    window = slice(max(at - round(BEFORE_S * fps), 0), at + round(AFTER_S * fps) + 1)
    near = slice(max(at - round(NEAR_S * fps), 0), at + round(NEAR_S * fps) + 1)
    swing = slice(max(at - round(SWING_S * fps), 0), at + round(0.5 * NEAR_S * fps) + 1)
    hips, shoulders = (_yaw(clip, part)[window] for part in ("hip", "shoulder"))
    seen = rotation.rotate(rotation.yaw(-np.radians(_yaw(clip, "shoulder"))), _from_shoulder(clip, other.side))
    return ActionTraits(
        float(own.stretch[near].max()),
        float(own.speed[swing].max()),
        _out_s(own.place, at, fps),
        float(np.ptp(hips)),
        float(np.ptp(shoulders)),
        float(lean_deg(clip)[at]),
        float(np.linalg.norm(np.ptp(seen[window], axis=0)) / other.length),
    )


def lean_deg(clip: Clip) -> np.ndarray:
    """(T,) degrees between the line from the pelvis to the shoulders' middle and the plumb line."""
    roles, places = clip.skeleton.roles, clip.positions
    up = 0.5 * (places[:, roles.left_shoulder] + places[:, roles.right_shoulder]) - places[:, roles.pelvis]
    return np.degrees(np.arctan2(np.hypot(up[:, 0], up[:, 2]), up[:, 1]))


def _side(limbs: tuple[LimbMotion, ...], side: str) -> LimbMotion:
    return next(limb for limb in limbs if limb.side == side)


def _yaw(clip: Clip, part: str) -> np.ndarray:
    """(T,) degrees that the line from the right joint to the left one has turned to the left."""
    roles, places = clip.skeleton.roles, clip.positions
    line = places[:, getattr(roles, f"left_{part}")] - places[:, getattr(roles, f"right_{part}")]
    return np.degrees(np.unwrap(np.arctan2(-line[:, 2], line[:, 0])))


def _from_shoulder(clip: Clip, side: str) -> np.ndarray:
    roles, places = clip.skeleton.roles, clip.positions
    return np.asarray(places[:, getattr(roles, f"{side}_wrist")] - places[:, getattr(roles, f"{side}_shoulder")])


def _out_s(place: np.ndarray, at: int, fps: float) -> float:
    """Seconds around the apex in which the limb's end is nearer to its place there than to where it came from."""
    window = slice(max(at - round(BEFORE_S * fps), 0), at + round(AFTER_S * fps) + 1)
    away = np.linalg.norm(place - place[at], axis=-1)
    far = away > HALF * away[window].max()
    before, after = np.flatnonzero(far[:at]), np.flatnonzero(far[at:])
    first = before[-1] + 1 if len(before) else 0
    last = at + after[0] if len(after) else len(place)
    return float((last - first) / fps)


def bend_traits(clip: Clip) -> dict[str, float]:
    """Of a body that bends and comes up, or sits: how far and how long the trunk leans, how far the hips go down."""
    lean, pelvis = lean_deg(clip), clip.positions[:, clip.skeleton.roles.pelvis, 1]
    upright = float(min(lean[0], lean[-1]))
    out = np.flatnonzero(lean > upright + HALF * (lean.max() - upright))
    return {
        "lean": float(lean.max()),
        "seconds bent": float((out[-1] - out[0] + 1) / clip.fps),
        "hips down": float(np.ptp(pelvis) / clip.skeleton.leg_length),
    }


def turn_traits(clip: Clip) -> dict[str, float]:
    """Of a body that turns: degrees within the fastest second, and how far the shoulders are ahead of the hips."""
    hips, shoulders, second = _yaw(clip, "hip"), _yaw(clip, "shoulder"), round(clip.fps)
    turned = hips[second:] - hips[:-second]
    fastest = int(np.abs(turned).argmax())
    ahead = (shoulders - hips)[fastest : fastest + second] * np.sign(turned[fastest])
    return {"degrees in a second": float(np.abs(turned).max()), "shoulders ahead": float(ahead.max())}
