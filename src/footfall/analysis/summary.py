"""Analysis: everything footfall can find out about a clip, in one call and one line of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.analysis.additional import Additional, find_additional
from footfall.analysis.apex import Apex, find_apex
from footfall.analysis.arc import Arc, fit_arc
from footfall.analysis.base_foot import base_feet
from footfall.analysis.cycles import Cycle, Loop, find_cycles, find_loop
from footfall.analysis.foot_points import foot_points
from footfall.analysis.gait import ClipGait, classify
from footfall.analysis.ground_seen import SeenGround, find_ground
from footfall.analysis.key_times import KeyTime, find_key_times
from footfall.analysis.keyframes import Keyframe, find_keyframes
from footfall.analysis.on_the_spot import Belt
from footfall.analysis.one_shots import OneShot, find_one_shots
from footfall.analysis.phases import Phase, find_phases
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.roles import LEG, SIDES

if TYPE_CHECKING:
    from footfall.core.clip import Clip


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a clip is and does. Speeds are means over its gait cycles, or over the whole clip where there are none.

    Base feet, keyframes, the additional-motion test and the apex are worked out when first asked for.
    """

    clip: Clip
    fps: float
    frames: int
    duration_s: float
    height_m: float  # of the body, sole to crown
    phases: tuple[Phase, ...]
    key_times: tuple[KeyTime, ...]
    gait: ClipGait
    forward: float  # m/s, as the body faces; negative is backward
    side: float  # m/s to the left
    turn: float  # rad/s to the left
    arc: Arc  # of the longest stretch of whole cycles
    cycles: tuple[Cycle, ...]  # of both feet, steady or not
    loop: Loop
    is_loop: bool  # marked as one, or closes like one
    belt: Belt | None = None  # of a walk or run on the spot: what would carry its feet back

    @cached_property
    def base_feet(self) -> tuple[str | None, ...]:
        """The foot the body stands on, one a phase."""
        return tuple(base_feet(self.clip, list(self.phases)))

    @cached_property
    def keyframes(self) -> tuple[Keyframe, ...]:
        """Turning points of the limbs, and contact events."""
        return tuple(find_keyframes(self.clip, list(self.key_times)))

    @cached_property
    def additional(self) -> Additional:
        """Whether only the arms do something, which, and when."""
        return find_additional(self.clip)

    @cached_property
    def apex(self) -> Apex | None:
        """Of clips that neither stand, travel nor jump."""
        return find_apex(self.clip) if self.gait.type == "other" else None

    @cached_property
    def ground(self) -> SeenGround:
        """What it was made on: a level floor, a slope, steps or uneven ground."""
        return find_ground(self.clip)

    @cached_property
    def actions(self) -> tuple[OneShot, ...]:
        """Jumps, kicks, punches, waves and reaches in it."""
        return tuple(find_one_shots(self.clip, self.phases))

    @property
    def speed(self) -> float:
        """m/s in the direction it goes: forward, backward or sideways; over the floor where it goes nowhere."""
        along = {"forward": self.forward, "backward": -self.forward, "left": self.side, "right": -self.side}
        return along.get(self.gait.direction, float(np.hypot(self.forward, self.side)))

    def to_json(self, file: str) -> dict[str, Any]:
        """The object `footfall analyze --json` prints for a file; angles in degrees."""
        return {
            "file": file,
            "fps": self.fps,
            "frames": self.frames,
            "duration_s": short(self.duration_s),
            "height_m": short(self.height_m),
            "phases": [_told(phase, "label", "start_s", "end_s") for phase in self.phases],
            "keytimes": [_told(key, "t_s", "foot", "event") for key in self.key_times],
            "type": self.gait.type,
            "speed_mps": short(self.speed),
            "turn_degps": short(np.degrees(self.turn)),
            "loop": self.is_loop,
            "direction": self.gait.direction,
            "confidence": short(self.gait.confidence),
            "how": self.gait.how,
            "forward_mps": short(self.forward),
            "side_mps": short(self.side),
            "on_the_spot": None if self.belt is None else _belt_json(self.belt),
            "base_feet": list(self.base_feet),
            "cycles": [_cycle_json(cycle) for cycle in self.cycles],
            "keyframes_s": [short(key.t_s) for key in self.keyframes],
            "additional": _told(self.additional, "is_additional", "arms", "start_s", "end_s"),
            "apex": None if self.apex is None else _apex_json(self.apex),
            "ground": self.ground.to_json(),
            "actions": [
                _told(action, "name", "start_s", "at_s", "end_s", "side", "confidence", "reason")
                for action in self.actions
            ],
        }


def analyze(clip: Clip) -> Analysis:
    """Phases, key times, type, speed, turn, cycles, keyframes and the rest of a clip with two legs."""
    need_legs(clip)
    contacts = clip.contacts
    phases, key_times = find_phases(clip, contacts), find_key_times(clip, contacts)
    cycles = find_cycles(clip, key_times, steady=False)
    gait, loop, arc = classify(clip, contacts, phases, cycles), find_loop(clip), fit_arc(clip, key_times=key_times)
    forward, side, turn = _means(cycles) if cycles else (arc.speed, arc.side, arc.turn)
    return Analysis(
        clip=clip,
        fps=clip.fps,
        frames=clip.frames,
        duration_s=clip.duration,
        height_m=clip.skeleton.height,
        phases=tuple(phases),
        key_times=tuple(key_times),
        gait=gait,
        forward=forward,
        side=side,
        turn=turn,
        arc=arc,
        cycles=tuple(cycles),
        loop=loop,
        is_loop=clip.is_loop or loop.is_loop,
        belt=foot_points(clip).belt,
    )


def _means(cycles: list[Cycle]) -> tuple[float, float, float]:
    """Forward speed, side speed and turn over all cycles, longer ones counting for more."""
    values = np.array([(c.speed, c.side, c.turn) for c in cycles])
    forward, side, turn = np.average(values, axis=0, weights=[c.end_s - c.start_s for c in cycles])
    return float(forward), float(side), float(turn)


def need_legs(clip: Clip) -> None:
    """Refuse a clip in which no walk could be found: without two legs, or of a single frame."""
    missing = [f"{s}_{p}" for s in SIDES for p in LEG[:3] if getattr(clip.skeleton.roles, f"{s}_{p}") is None]
    if missing:
        raise SkeletonError(
            f"{clip.name or 'this clip'} cannot be analysed: its skeleton of {len(clip.skeleton)} joints has no "
            f"{', '.join(missing)} that footfall can find; name them: skeleton.with_roles({missing[0]}=…)"
        )
    if clip.frames < 2:
        raise ParameterError(
            f"{clip.name or 'this clip'} has {clip.frames} frame(s); to be analysed it needs at least 2"
        )


def _cycle_json(cycle: Cycle) -> dict[str, Any]:
    speeds = {"speed_mps": cycle.speed, "side_mps": cycle.side, "turn_degps": np.degrees(cycle.turn)}
    return {
        **_told(cycle, "start_s", "end_s", "start_foot", "steps"),
        **{name: short(value) for name, value in speeds.items()},
        "closing_error_deg": short(cycle.closing_error_deg),
        "steady": cycle.is_steady,
    }


def _belt_json(belt: Belt) -> dict[str, Any]:
    return {"feet_mps": short(belt.speed), "confidence": short(belt.confidence)}


def _apex_json(apex: Apex) -> dict[str, Any]:
    return {**_told(apex, "t_s", "effector"), "position_m": [short(x) for x in apex.position]}


def _told(found: Any, *names: str) -> dict[str, Any]:
    """Some fields of a record by name, numbers as people read them."""
    values = {name: getattr(found, name) for name in names}
    return {name: short(value) if isinstance(value, float) else value for name, value in values.items()}


def short(value: float) -> float:
    """A number as people read it: no digits beyond what is measured, no minus zero."""
    return round(float(value), 4) + 0.0
