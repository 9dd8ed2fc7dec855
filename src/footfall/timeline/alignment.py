"""Alignment at a join: where on the floor the next clip must lie to follow the previous one (Oshita 2008, section 4.2).

It is turned so that the body orientations at the joined phases match, and moved so that the foot that supports in both
coincides; else the next motion's supporting foot, else the pelvis.
"""

from __future__ import annotations

import numpy as np

from footfall.analysis.base_foot import base_foot_at
from footfall.analysis.foot_points import foot_points
from footfall.analysis.orientation import orientation_at_end, orientation_at_start
from footfall.core.clip import Clip
from footfall.core.once import once
from footfall.kinematics.floor_align import FloorTransform
from footfall.timeline.arranged_clip import ArrangedClip, phases_of
from footfall.timeline.planner import PlannedJoin

SIDES = ("left", "right")
FEET = {"LS": ("left",), "RS": ("right",), "DS": ("left", "right"), "NS": ()}


def align(previous: ArrangedClip, following: ArrangedClip, join: PlannedJoin) -> FloorTransform:
    """Carries the next clip's own world into the previous clip's own world."""
    at, there = join_times(previous, following, join)
    turn = _facing_end(previous.clip, at) - _facing_start(following.clip, there)
    foot = shared_foot(previous, following, join)
    here, then = (_place(piece.clip, t, foot) for piece, t in ((previous, at), (following, there)))
    moved = FloorTransform(np.asarray(turn), np.zeros(3)).points(then)
    return FloorTransform(np.asarray(turn), (here - moved) * np.array([1.0, 0.0, 1.0]))


# a drag asks for the same moments of the same clips again and again
_facing_end, _facing_start = once(orientation_at_end), once(orientation_at_start)


@once
def _base_foot(clip: Clip, t_s: float) -> str | None:
    return base_foot_at(clip, t_s, phases_of(clip))


def join_times(previous: ArrangedClip, following: ArrangedClip, join: PlannedJoin) -> tuple[float, float]:
    """The moments of either clip, in clip seconds, that are laid over each other."""
    if join.kind == "transition":  # middle of both phases: each is the other's continuation there
        middle, other = 0.5 * (join.begin_s + join.leave_s), 0.5 * (join.enter_s + join.end_s)
        return _inside(previous, middle), _inside(following, other)
    return _inside(previous, join.leave_s), _inside(following, join.enter_s)


def shared_foot(previous: ArrangedClip, following: ArrangedClip, join: PlannedJoin) -> str | None:
    """The foot by which the clips are laid over each other; None: the pelvis."""
    before, after = (FEET[label] for label in join.phases)
    both = [foot for foot in after if foot in before] or list(after)
    if len(both) < 2:
        return both[0] if both else None
    return _base_foot(previous.clip, join_times(previous, following, join)[0]) or both[0]


def _inside(piece: ArrangedClip, t_s: float) -> float:
    return float(np.clip(piece.clip_time(t_s), 0.0, piece.clip.duration))


def _place(clip: Clip, t_s: float, foot: str | None) -> np.ndarray:
    """(3,) where a foot, or the pelvis, is at a time of the clip."""
    frame = round(t_s * clip.fps)
    if foot is None:
        return clip.root_motion.position[frame]
    return foot_points(clip).sole[frame, SIDES.index(foot), :2].mean(axis=0)  # between heel and ball
