"""Standing: what fills a gap between clips, so that no character freezes.

Where a clip beside the gap stands for a while, that is played to and fro for as long as it takes: a stand has no
direction in time, and feet that rest stay where they are. Otherwise the built-in stand, which breathes and shifts its
weight. It lasts longer than the gap, in few lengths: while a clip is dragged the same stand serves every gap.
"""

from __future__ import annotations

import numpy as np

from footfall.analysis.contacts import runs
from footfall.analysis.content import actions_of
from footfall.core.clip import Clip, fix_signs
from footfall.core.once import once, once_for_some
from footfall.feet.join_legs import legs_of
from footfall.timeline.arranged_clip import ArrangedClip, phases_of

GAP_S = 0.75  # seconds between two clips that are filled with standing; a shorter gap is filled by the blend. By eye
SPARE_S = 2.0  # seconds that a stand lasts longer than its gap, for the joins. By eye
UNIT_S = 12.0  # seconds of the shortest stand that is made; longer ones are twice, four times … as long. By eye
LEAST_S = 1.5  # seconds of standing in a clip that are worth being played to and fro. By eye
TURN_S = 0.1  # seconds in which the clock turns round at either end. By eye
# Standing, in a capture: both feet down and,
SLOW_M_S = 0.1  # a pelvis slower than this (docs/believable.md),
CALM_M_S = 0.3  # hands slower than this. By eye, on captured stands
STRAIGHT = 0.94  # of the leg's length from hip to ankle. By eye, on captured stands
HANG = 0.3  # of the leg's length that wrists are lower than shoulders: a T-pose is no stand. By eye
SMOOTH_S = 0.2  # seconds over which speeds are means
ALIVE_M_S = 0.004  # a joint must be faster than this on average: a pose that is held is no stand. By eye


def stand_length(gap_s: float) -> int:
    """How many units of standing a gap asks for: a power of two."""
    units = int(np.ceil((gap_s + SPARE_S) / UNIT_S))
    return 1 << max(units - 1, 0).bit_length()


def found_standing(previous: ArrangedClip, following: ArrangedClip, seconds: float) -> ArrangedClip | None:
    """Standing of the clips beside a gap, from whichever stands longer, at second 0; None where neither does."""
    found = [(standing_stretch(piece.clip), piece) for piece in (previous, following)]
    stretch, piece = max(found, key=lambda pair: pair[0][1] - pair[0][0] if pair[0] else 0.0)
    clip = to_and_fro(piece.clip, seconds, piece is previous) if stretch else None
    return ArrangedClip(clip, 0.0, f"standing of {piece.name}", filler=True) if clip else None


@once_for_some(4)
def to_and_fro(clip: Clip, seconds: float, backward: bool) -> Clip | None:
    """The standing of a clip, played to and fro for some seconds; backward: from its end on, so that it follows the
    clip. None where it does not stand on both feet all along."""
    stretch = standing_stretch(clip)
    if stretch is None:
        return None
    length = stretch[1] - stretch[0]
    t = np.arange(round(seconds * clip.fps) + 1) / clip.fps
    out = stretch[0] + folded(t + (length if backward else 0.0), length)
    made = clip.with_pose(fix_signs(clip.sample(out)), is_loop=False, events=())
    return made if all(phase.label == "DS" for phase in phases_of(made)) else None


def folded(t_s: np.ndarray, length_s: float) -> np.ndarray:
    """Times (N,) to and fro between 0 and length_s, at rate 1 but where they turn: there the rate changes evenly."""
    half = 0.5 * TURN_S
    away = np.abs(np.mod(t_s + half, 2.0 * length_s) - length_s)  # from the far end
    near, far = (np.where(x < half, 0.5 * (x * x / half + half), x) for x in (length_s - away, away))
    return np.where(away < 0.5 * length_s, length_s - far, near)


@once
def standing_stretch(clip: Clip) -> tuple[float, float] | None:
    """The longest time, from and to in seconds, in which a clip stands at ease; None where it does not for long."""
    stands = runs(_stands(clip))
    first, end = max(stands, key=lambda run: run[1] - run[0], default=(0, 0))
    if (end - 1 - first) / clip.fps < LEAST_S:
        return None
    moved = np.linalg.norm(np.diff(clip.positions[first:end], axis=0), axis=-1).mean(axis=0) * clip.fps
    return (first / clip.fps, (end - 1) / clip.fps) if moved.max() > ALIVE_M_S else None


def _stands(clip: Clip) -> np.ndarray:
    """(T,) frames at which a clip stands at ease."""
    roles, places, leg = clip.skeleton.roles, clip.positions, clip.skeleton.leg_length
    arms = [(getattr(roles, f"{s}_shoulder"), getattr(roles, f"{s}_wrist")) for s in ("left", "right")]
    stands = clip.contacts.left & clip.contacts.right & (_speed(clip, roles.pelvis) < SLOW_M_S)
    legs = legs_of(clip.skeleton, clip.pose)[0]
    stands &= (np.linalg.norm(legs[:, :, 0] - legs[:, :, 2], axis=-1) > STRAIGHT * leg).all(axis=1)
    for shoulder, wrist in arms:
        if shoulder is not None and wrist is not None:
            stands &= (places[:, shoulder, 1] - places[:, wrist, 1] > HANG * leg) & (_speed(clip, wrist) < CALM_M_S)
    for action in actions_of(clip):
        stands[round(max(action.first_s, 0.0) * clip.fps) : round(action.last_s * clip.fps) + 1] = False
    return np.asarray(stands)


def _speed(clip: Clip, joint: int) -> np.ndarray:
    """(T,) speed of a joint, m/s, a mean over SMOOTH_S."""
    from scipy.ndimage import uniform_filter1d

    moved = np.linalg.norm(np.gradient(clip.positions[:, joint], axis=0), axis=-1) * clip.fps
    found: np.ndarray = uniform_filter1d(moved, max(1, round(SMOOTH_S * clip.fps)), mode="nearest")
    return found
