"""Traits: what decides whether a clip blends with another, computed once so that pairs are cheap to compare."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.roles import ARM, LEG, SIDES
from footfall.kinematics.fk import world_transforms_of
from footfall.quality.report import find_fast_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.analysis.cycles import Cycle
    from footfall.analysis.key_times import KeyTime
    from footfall.analysis.summary import Analysis
    from footfall.core.clip import Clip
    from footfall.core.skeleton import Skeleton

GAITS = ("walk", "run")
SINGLE = ("pelvis", "head", *(f"{side}_{part}" for side in SIDES for part in (*LEG, *ARM)))  # roles of one joint
TURNING = tuple(role for role in SINGLE if "toe" not in role)  # toes are small, and captures track them badly
SEGMENTS = tuple((f"{s}_{a}", f"{s}_{b}") for s in SIDES for limb in (LEG, ARM) for a, b in pairwise(limb))
SAMPLES = 25  # poses of a clip that are compared
STRIKE = "first foot strike"
SEAM = 0.12  # of a loop's step: a strike this near its end is the one it begins with
HEIGHT_M = (0.8, 2.6)  # sole to crown: people, children and cartoon figures lie within
UNSURE = 0.5  # confidence in a unit below which a person should look


@dataclass(frozen=True)
class Traits:
    """One clip, as blending sees it."""

    name: str
    type: str
    direction: str  # empty where it goes nowhere
    effector: str  # what an action is done with: right_wrist, left_ankle, …; empty for gaits
    start_foot: str  # of the first strike; empty where there is none
    steps: int  # strikes; in a loop, those of one round
    structure: tuple[str, ...]  # order of strikes and offs, told from the foot that strikes first
    start_s: float  # of the first strike
    duration_s: float
    stride_s: float  # of its cycles, median; 0 where it has none
    fps: float
    height_m: float
    leg_m: float
    joints: int
    names: tuple[str, ...]  # joint of each of SINGLE; empty where the body has none
    segments: np.ndarray  # (len(SEGMENTS),) lengths over the leg's; NaN where missing
    rest: np.ndarray  # (len(SEGMENTS), 3) directions in the rest pose; NaN where missing
    matching: tuple[str, ...]  # clips in which this is equal are at the same phase in each of `poses`
    poses: np.ndarray  # (SAMPLES, len(TURNING), 4) local rotations, the pelvis without its heading; NaN where missing
    unit_doubt: str  # in words; empty where the unit is believable
    glitch: str  # the worst one, in words; empty where there is none
    ground: str = ""  # what a gait was made on, in words; empty on a level floor, and of what is no gait


def traits(clip: Clip, analysis: Analysis, name: str) -> Traits:
    """Everything the pairwise checks need to know about a clip."""
    skeleton = clip.skeleton
    strikes = _strikes(clip, analysis)
    structure = _structure(analysis, strikes)
    knots, matching = _knots(clip, analysis, structure)
    start_s, start_foot = strikes[0] if strikes else (0.0, "")
    places = {role: getattr(skeleton.roles, role) for role in SINGLE}
    return Traits(
        name=name,
        type=analysis.gait.type,
        direction=analysis.gait.direction,
        effector="" if analysis.apex is None else analysis.apex.effector,
        start_foot=start_foot,
        steps=len(strikes),
        structure=structure,
        start_s=start_s,
        duration_s=clip.duration,
        stride_s=float(np.median([c.end_s - c.start_s for c in analysis.cycles])) if analysis.cycles else 0.0,
        fps=clip.fps,
        height_m=skeleton.height,
        leg_m=skeleton.leg_length,
        joints=len(skeleton),
        names=tuple("" if j is None else skeleton.names[j] for j in places.values()),
        segments=_segments(skeleton),
        rest=_rest_directions(skeleton),
        matching=matching,
        poses=_poses(clip, knots),
        unit_doubt=_unit_doubt(clip),
        glitch=_glitch(clip),
        ground=_ground(analysis),
    )


def _strikes(clip: Clip, analysis: Analysis) -> list[tuple[float, str]]:
    """(time, foot) of every step; a loop's first strike may lie on its seam, where it counts once, at its start."""
    found = [(k.t_s, k.foot) for k in analysis.key_times if k.event == "strike"]
    if not (analysis.is_loop and analysis.gait.type in GAITS):
        return found
    near = SEAM * clip.duration / max(len(found), 1)
    wrapped = [(t - clip.duration if t > clip.duration - near else t, foot) for t, foot in found]
    for foot in SIDES:
        spans = clip.contacts.spans(foot)
        begins_down = bool(spans) and spans[0][0] <= 1e-6
        ends_down = bool(spans) and spans[-1][1] >= clip.duration - 1e-6 and spans[-1][0] <= clip.duration - near
        if begins_down and not ends_down and not any(abs(t) <= near for t, f in wrapped if f == foot):
            wrapped.append((0.0, foot))
    return sorted(wrapped)


def _structure(analysis: Analysis, strikes: list[tuple[float, str]]) -> tuple[str, ...]:
    """Order of events: of one stride where the clip strides (the usual one), else of the whole clip."""
    if analysis.gait.type in GAITS and analysis.cycles:
        seen = [_stride_order(_inside(analysis, c), c.start_foot) for c in analysis.cycles]
        return max(sorted(set(seen)), key=seen.count)
    first = strikes[0][1] if strikes else "left"
    return _order(analysis.key_times, first)


def _inside(analysis: Analysis, cycle: Cycle) -> list[KeyTime]:
    return [k for k in analysis.key_times if cycle.start_s + 1e-6 < k.t_s < cycle.end_s - 1e-6]


def _order(events: Sequence[KeyTime], first: str) -> tuple[str, ...]:
    return tuple(f"{'first' if k.foot == first else 'other'} foot {k.event}" for k in events)


def _stride_order(events: Sequence[KeyTime], first: str) -> tuple[str, ...]:
    """The order after the first foot's strike, which a loop of one stride may hold anywhere."""
    order = _order(events, first)
    at = order.index(STRIKE) if STRIKE in order else -1
    return order[at + 1 :] + order[: max(at, 0)]


def _knots(clip: Clip, analysis: Analysis, structure: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Times between which phase is taken to run evenly, and what another clip must share for them to correspond."""
    if analysis.gait.type in GAITS:
        for cycle in sorted(analysis.cycles, key=lambda c: (c.start_foot, c.start_s)):  # left ones first
            strikes = [k for k in _inside(analysis, cycle) if k.event == "strike" and k.foot != cycle.start_foot]
            if len(strikes) == 1:
                return np.array([cycle.start_s, strikes[0].t_s, cycle.end_s]), ("stride", cycle.start_foot)
    inside = [k.t_s for k in analysis.key_times]
    feet = tuple(k.foot for k in analysis.key_times[:1])
    return np.array([0.0, *inside, clip.duration]), (analysis.gait.type, *feet, *structure)


def _poses(clip: Clip, knots: np.ndarray) -> np.ndarray:
    """(SAMPLES, len(TURNING), 4) at even steps of phase."""
    roles = clip.skeleton.roles
    t = np.interp(np.linspace(0.0, 1.0, SAMPLES), np.linspace(0.0, 1.0, len(knots)), knots)
    x = np.clip(t * clip.fps, 0.0, clip.frames - 1.0)
    i = np.minimum(x.astype(int), clip.frames - 2)
    rot = rotation.slerp(clip.pose.rot[i], clip.pose.rot[i + 1], (x - i)[:, None])
    _, turns = world_transforms_of(clip.skeleton, Pose(clip.pose.root_pos[i], rot), [roles.pelvis])
    heading = np.interp(t, clip.times, clip.root_motion.heading)
    found = np.full((SAMPLES, len(TURNING), 4), np.nan)
    for k, role in enumerate(TURNING):
        joint = getattr(roles, role)
        if joint is not None:
            found[:, k] = rot[:, joint]
    found[:, TURNING.index("pelvis")] = rotation.multiply(rotation.yaw(-heading), turns[:, 0])
    return found


def _segments(skeleton: Skeleton) -> np.ndarray:
    return np.linalg.norm(_bones(skeleton), axis=-1) / skeleton.leg_length


def _rest_directions(skeleton: Skeleton) -> np.ndarray:
    bones = _bones(skeleton)
    length = np.linalg.norm(bones, axis=-1, keepdims=True)
    return np.where(length > 1e-6, bones / np.maximum(length, 1e-6), np.nan)


def _bones(skeleton: Skeleton) -> np.ndarray:
    """(len(SEGMENTS), 3) from joint to joint in the rest pose; NaN where the body lacks either."""
    found = np.full((len(SEGMENTS), 3), np.nan)
    for k, roles in enumerate(SEGMENTS):
        a, b = (getattr(skeleton.roles, role) for role in roles)
        if a is not None and b is not None:
            found[k] = skeleton.rest_positions[b] - skeleton.rest_positions[a]
    return found


def _unit_doubt(clip: Clip) -> str:
    height, unit = clip.skeleton.height, clip.source.inferred.get("units")
    if not HEIGHT_M[0] <= height <= HEIGHT_M[1]:
        return f"its body is {height:.2f} m tall"
    if unit is not None and unit.confidence < UNSURE:
        return f"its unit was taken to be {unit.value}, {unit.confidence:.0%} sure ({unit.how})"
    return ""


def _ground(analysis: Analysis) -> str:
    if analysis.gait.type not in GAITS or analysis.ground.kind == "level":
        return ""
    return analysis.ground.in_words()


def _glitch(clip: Clip) -> str:
    turns, count = find_fast_turns(clip)
    if not turns:
        return ""
    more = f", one of {count} such frames" if count > 1 else ""
    return f"{turns[0].joint} turns {turns[0].degrees:.0f}° in one frame at {turns[0].time_s:.2f} s{more}"
