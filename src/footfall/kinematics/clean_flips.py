"""One joint turned by about half a turn for long, or from some frame on: turned back by the rotation of the jump.

Unlike a spike, the motion inside is good, only seen from the other side (a marker or Euler solution that flipped), so
it is kept and turned as a whole: about the joint's own axes or its parent's, whichever closes the far end and strays
less. A flip may take a few frames; those are interpolated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.kinematics.clean_steps import bad_steps, moment, runs

HALF_TURN = np.radians(150.0)  # a turn from here on, within RAMP_S, may be a flip …
CERTAIN = np.radians(160.0)  # … and is, even when the joint never flips back, once it has turned this far in all
CLOSES = np.radians(30.0)  # what may be left at the far end after turning back
RAMP_S = 0.08  # longest flip


class Flip(NamedTuple):
    """A joint flipping over between two frames that belong to either side."""

    before: int
    after: int
    turned: float  # radians, summed over the frames


def repair_flips(q: np.ndarray, fps: float) -> tuple[np.ndarray, list[str]]:
    """One joint's rotations (T, 4) with flipped stretches turned back, and what was found."""
    flips = _flips(q, fps)
    found: list[str] = []
    if not flips:
        return q, found
    q, i = q.copy(), 0
    while i < len(flips):
        first = flips[i]
        if i + 1 < len(flips) and _turn_between(q, first, flips[i + 1]):
            found.append(_told(moment(first.before + 1, flips[i + 1].after - 1, fps), first.turned))
            i += 2
            continue
        if first.turned > CERTAIN:
            found.append(_told(_turn_shorter_side(q, first, fps), first.turned))
        i += 1
    return (rotation.continuous_signs(q) if found else q), found


def _flips(q: np.ndarray, fps: float) -> list[Flip]:
    bad, sizes = bad_steps(q, fps)
    flips = []
    for a, b in runs(bad.tolist(), 2):
        turned = float(sizes[a : b + 1].sum())
        across = float(rotation.angle_between(q[a], q[b + 1]))
        if b - a <= max(1, round(RAMP_S * fps)) and turned > HALF_TURN and across > 0.4 * HALF_TURN:
            flips.append(Flip(a, b + 1, turned))
    return flips


def _told(when: str, size: float) -> str:
    return f"{when} flipped by {min(np.degrees(size), 180.0):.0f}°; turned back"


def _turn_between(q: np.ndarray, first: Flip, second: Flip) -> bool:
    """Turn the frames between two flips back (in place), both ends continuous; False if they do not close."""
    inside = slice(first.after, second.before + 1)
    share = np.arange(second.before + 1 - first.after) / max(second.before - first.after, 1)
    bridge = rotation.slerp(q[first.before], q[second.after], share)
    best, least = None, np.inf
    for own in (True, False):  # about the joint's own axes, or its parent's
        back_first = _turn_back(q[first.after], q[first.before], own)
        back_second = _turn_back(q[second.before], q[second.after], own)
        residue = float(rotation.angle_between(back_first, back_second))
        back = rotation.slerp(back_first, back_second, share)
        turned = rotation.multiply(q[inside], back) if own else rotation.multiply(back, q[inside])
        strays = residue + float(rotation.angle_between(turned, bridge).mean())  # the wrong side leads far away
        if residue < CLOSES and strays < least:
            best, least = turned, strays
    if best is None:
        return False
    q[inside] = best
    _bridge(q, first)
    _bridge(q, second)
    return True


def _turn_back(wrong: np.ndarray, right: np.ndarray, own: bool) -> np.ndarray:
    """The rotation that takes `wrong` to `right`, applied on the joint's side or on its parent's."""
    if own:
        return rotation.multiply(rotation.conjugate(wrong), right)
    return rotation.multiply(right, rotation.conjugate(wrong))


def _bridge(q: np.ndarray, flip: Flip) -> None:
    """The frames of the flip itself, interpolated (in place)."""
    inside = np.arange(flip.before + 1, flip.after)
    q[inside] = rotation.slerp(q[flip.before], q[flip.after], (inside - flip.before) / (flip.after - flip.before))


def _turn_shorter_side(q: np.ndarray, flip: Flip, fps: float) -> str:
    """Turn the shorter side of a flip that never comes back (in place); the frames changed, in words."""
    before, after = flip.before, flip.after
    if before + 1 < len(q) - after:
        q[: before + 1] = rotation.multiply(q[: before + 1], _turn_back(q[before], q[after], own=True))
        changed = moment(0, after - 1, fps)
    else:
        q[after:] = rotation.multiply(q[after:], _turn_back(q[after], q[before], own=True))
        changed = moment(before + 1, len(q) - 1, fps)
    _bridge(q, flip)
    return changed
