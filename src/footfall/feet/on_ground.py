"""On ground: a finished clip put on slopes, stairs and rough floor, its feet planned on it and its body with them.

Feet are locked where they stand, every stance is set on the ground (`ground_steps`), swings pass over what lies between
(`ground_swing`), the body follows its feet and the legs are bent to them by the one leg solver. Steps take longer where
people take longer. A clip made on a level floor is itself on level ground. docs/ground.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.analysis.ground_seen import find_ground
from footfall.core import rotation
from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.report import Report
from footfall.core.roles import SIDES
from footfall.feet.ground_feet import with_toes
from footfall.feet.ground_legs import legs_on
from footfall.feet.ground_path import start_and_way
from footfall.feet.ground_steps import Footfall
from footfall.feet.ground_work import GroundWork, prepared
from footfall.kinematics.ground import Ground
from footfall.quality.ground_contact import SolePoints, sole_points


def on_ground(clip: Clip, ground: Ground) -> Clip:
    """The clip on a ground, as if it had been made there; a ground made by name lies ahead of where it begins."""
    return put_on_ground(clip, ground).clip


class PutClip(NamedTuple):
    """A clip on a ground, and how it came there."""

    clip: Clip
    ground: Ground  # where it lies
    falls: list[Footfall]
    times: np.ndarray  # (T,) seconds of the first clip at each frame
    soles: SolePoints  # of the feet, for measures


def put_on_ground(clip: Clip, ground: Ground) -> PutClip:
    """The same with all that was planned."""
    if clip.frames < 2:
        return PutClip(clip, ground, [], clip.times, sole_points(clip))
    ground = ground.ahead_of(*start_and_way(clip))
    if ground.is_level and find_ground(clip).kind == "level":
        raised = _raised(clip, float(ground.heights(0.0, 0.0)))
        return PutClip(raised, ground, [], clip.times, sole_points(clip))
    work = prepared(clip, ground)
    pose = with_toes(work, legs_on(work))
    moved = clip.with_pose(fix_signs(pose), is_loop=False, events=_moved_events(clip, work.times))
    soles = sole_points(work.clip, work.rest_m)
    return PutClip(replace(moved, report=_report(clip, work)), ground, work.falls, work.times, soles)


def _raised(clip: Clip, height: float) -> Clip:
    """The clip on a level floor at a height."""
    if height == 0.0:
        return clip
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + height * rotation.UP))


def _moved_events(clip: Clip, times: np.ndarray) -> tuple[Event, ...]:
    """The clip's events at the times of the result."""
    frames = np.arange(len(times)) / clip.fps
    return tuple(
        Event(e.name, float(np.interp(e.start_s, times, frames)), float(np.interp(e.end_s, times, frames)))
        for e in clip.events
    )


def _report(clip: Clip, work: GroundWork) -> Report:
    """What was made of the clip: the ground, every footfall, and what had to change."""
    steps = [
        {
            "foot": SIDES[f.stance.foot],
            "strike_s": round(work.frame_of(f.stance.start_s) / work.fps, 3),
            "place_m": [round(float(x), 3) for x in f.ball],
            "rise_cm": round(100.0 * f.rise_m, 1),
            "stride_ratio": round(f.stride, 2),
            "supported": round(f.supported, 2),
        }
        for f in work.falls
    ]
    ratios = [f.stride for f in work.falls[1:]] or [1.0]
    told = {
        "name": work.ground.name,
        "ground": work.ground.text,
        "duration_ratio": round((len(work.times) - 1) / max(clip.frames - 1, 1), 3),
        "stride_ratio": [round(min(ratios), 2), round(max(ratios), 2)],
        "steps": steps,
    }
    base = clip.report or Report(())
    return replace(base, ground=told, provenance=None)
