"""Made changes: from gait to gait where no change was recorded, made by footfall's own gait generator.

A start, a stop or a change of gait (`motions.gait_change`) at corners of what both nodes can do, put on the graph's
body: steps planted, speed eased. They are examples of an edge like recorded ones, and are told as made. A walk
backward begins as a walk that stops, seen from its end, and ends as one that starts (Winter 1989).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.graph.coverage import coverage_of
from footfall.motions.body import adult
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.retarget.character import Character
from footfall.retarget.retarget import retarget

KINDS = ("stand", "walk", "run")  # what the generator can do
BACK = "back"  # and this, from and to standing
INSIDE = 0.15  # of the range: corners lie this far inside it; by eye
MOST_TURN = 30.0  # °/s at the corners; by eye
Corner = tuple[float, float]  # speed, turn
SPEEDS = {"walk": (0.5, 2.0), "run": (2.0, 5.5)}  # m/s that the generator goes well at


def corners(motion: ParametricMotion) -> list[Corner]:
    """Four (speed, turn) inside what a node can do."""
    if motion.name == "stand":
        return [(0.0, 0.0)] * 4
    names = motion.parameter_names
    low = high = float(motion.travel[-1, 0, 0] / motion.key_times[0, -1])
    if "speed" in names:
        v = motion.parameters[:, names.index("speed")]
        low, high = float(v.min()), float(v.max())
    inside = INSIDE * (high - low)
    found = []
    for speed in (low + inside, high - inside):
        most = 0.0
        if "turn" in names:
            asked = [{"speed": speed, "turn": MOST_TURN}.get(n, 0.0) for n in names]
            most = abs(coverage_of(motion.parameters).nearest(asked)[0][names.index("turn")])
        found += [(speed, -most), (speed, most)]
    return found


def made_changes(before: ParametricMotion, after: ParametricMotion, body: Character, fps: float) -> list[Clip]:
    """Changes between two nodes at their corners, on the body; none where the generator cannot do a gait."""
    if not _can_do(before.name, after.name):
        return []
    scale = body.leg_length / adult().leg_length
    found: list[Clip] = []
    seen = set()
    for k, (a, b) in enumerate(_pairs(corners(before), corners(after))):
        asked = [*_asked(before, a), *_asked(after, b)]
        if tuple(asked) in seen:  # nodes that are not steered by speed have fewer corners
            continue
        seen.add(tuple(asked))
        ends = [_gait(motion.name, *at, scale) for motion, at in ((before, a), (after, b))]
        backward = BACK in (before.name, after.name)
        clip = _from_its_end(gait_change(ends[1], ends[0])) if backward else gait_change(ends[0], ends[1])
        clip = clip if clip.fps <= fps else clip.resample(fps)
        made = retarget(clip, body)
        known: dict[str, float] = {}
        for at, gait in zip(("before", "after"), ends, strict=True):
            speed, turn = gait.speed * scale, float(np.degrees(gait.turn))
            known |= {f"speed_{at}": speed, f"turn_{at}": turn, f"side_{at}": 0.0}
            if backward:
                known |= {f"speed_{at}": -speed, f"turn_{at}": -turn}
        found.append(replace(made, name=f"{before.name} to {after.name} made {k + 1}", parameters=known))
    return found


def _pairs(first: list[Corner], last: list[Corner]) -> list[tuple[Corner, Corner]]:
    """Corners of two nodes between which changes are made: slow to slow and fast to fast; and where they brake, also
    slow to fast and fast to slow, or a fast run would not brake down to a slow walk. Changes that speed up by so much
    more than others share too few steps with them."""
    found = [*zip(first, last, strict=True)]
    if last[-1][0] < first[0][0]:
        found += zip(first, last[2:] + last[:2], strict=True)
    return found


def _can_do(before: str, after: str) -> bool:
    """Whether the generator has a change from one kind to another."""
    return (before in KINDS and after in KINDS) or {before, after} == {"stand", BACK}


def _from_its_end(clip: Clip) -> Clip:
    """The clip played backward."""
    events = tuple(Event(e.name, clip.duration - e.end_s, clip.duration - e.start_s) for e in reversed(clip.events))
    return clip.with_pose(clip.pose.at(slice(None, None, -1)), events=events)


def _asked(motion: ParametricMotion, at: tuple[float, float]) -> list[float]:
    """What a corner asks of a node, in its own parameters."""
    values = dict(zip(("speed", "turn"), at, strict=True))
    return [round(values.get(name, 0.0), 6) for name in motion.parameter_names]


def _gait(label: str, speed: float, turn_deg_s: float, scale: float) -> SteadyGait:
    """A gait of the generator's own body, whose legs are 1 / scale as long; a walk backward, seen from its end."""
    if label == "stand":
        return SteadyGait("stand")
    if label == BACK:
        label, speed, turn_deg_s = "walk", -speed, -turn_deg_s
    low, high = SPEEDS[label]
    return SteadyGait(label, min(max(speed / scale, low), high), float(np.radians(turn_deg_s)))
