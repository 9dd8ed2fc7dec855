"""Gait: whether a clip stands, walks, runs, jumps or does something else, and which way it goes.

Locomotion is told first, by strides that cover ground or by ankles that swing against each other; then walking from
running, by double support against flight and by speed against the leg's own walk-run speed (Froude number 1/2,
Alexander 1989); then jumps, by flight and rise; then standing, by how little hands, head and pelvis move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.arc import at_times, floor_plane
from footfall.analysis.base_foot import joint_paths
from footfall.analysis.cycles import Cycle, find_cycles
from footfall.analysis.floor import foot_points
from footfall.analysis.foot_signals import LEG_M
from footfall.analysis.ground_seen import find_ground
from footfall.analysis.phases import Phase, find_phases
from footfall.analysis.uneven import UNEVEN_M
from footfall.core.roles import SIDES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.analysis.contacts import Contacts
    from footfall.core.clip import Clip

TYPES = ("stand", "walk", "run", "jump", "other")
GRAVITY = 9.81  # m/s²
FROUDE = 0.5  # v²/gL at which people change from walking to running: published (Alexander 1989)
RATE_HZ = 15.0  # frames a second that are looked at: fine enough for where limbs are
# The limits below were set by eye, with the captures of the analysis study in view. Lengths are in legs.
GROUND = 0.45  # leg lengths of a typical stride, times the share of the clip in strides, that make locomotion
SWING, SWUNG = -0.6, 0.5  # or ankles this opposed over this share
SHUFFLE, STEP = -0.7, 0.5  # or, without strides seen, ankles this opposed and this far apart, leg lengths
FLIGHT_S, RISE, AIRBORNE, HIGH = 0.12, 0.08, 0.05, 0.3  # a jump: seconds, leg lengths; and its share, or its height
STILL = 0.2  # leg lengths a second, mean speed of hands and head against the body, below which it stands
PELVIS_STILL = 0.25  # leg lengths a second, of the pelvis
ON_THE_SPOT = 0.1  # walk-run speeds: slower than this it goes nowhere
FREE_FALL = 0.75  # of what gravity does to a body in the air: less is no flight
RACE = 2.2  # walk-run speeds: 4.5 m/s, as race walkers go; nobody walks faster
CLIMBS = 0.4  # share of cycles up or down that make locomotion, however short its strides
SAME_S = 0.05  # seconds: a stance that begins within this of a cycle is the one it begins with
SLIDING = 0.6  # share of time on both feet or none beyond which, on the spot, contacts are not to be trusted


@dataclass(frozen=True)
class RunScore:
    """What tells a run from a walk: differences over these add up, and a positive sum is a run. By eye."""

    support: float = 0.2  # flight less double support, shares of time
    speed: float = 0.35  # walk-run speeds beyond one
    back: float = 0.13  # share of time both feet go backward at once: walks more, runs less; on the spot only
    back_spread: float = 0.1  # of that share
    half_sure: float = 0.25  # confidence that each unit of the sum adds to a half


RUN_SCORE = RunScore()


@dataclass(frozen=True)
class ClipGait:
    """What kind of motion a clip is."""

    type: str  # stand, walk, run, jump or other
    direction: str  # forward, backward, left, right or in-place for walk and run; empty for the rest
    confidence: float  # 0 to 1
    how: str  # in words


class GaitEvidence(NamedTuple):
    """What the decision rests on; lengths in legs, speeds in legs a second, shares of 1."""

    double: float  # share of time, while striding, on both feet
    flight: float  # and on none
    stride: float  # travel of a typical cycle
    covered: float  # share of the clip in cycles
    opposed: float  # correlation of the ankles' movements against the pelvis: -1 in step, 1 together
    apart: float  # largest change of the vector between the ankles
    speed: float  # over the floor, or of the feet on the spot, in walk-run speeds
    longest_flight_s: float
    rise: float  # of the pelvis in its highest flight, over its usual height
    airborne: float  # share of the clip in free fall
    busy: float  # the fastest of hands and head, mean speed against the body
    pelvis: float  # mean speed
    climbing: float = 0.0  # share of the cycles that go up or down
    sinks: bool = False  # on the spot, lower while no foot is seen down than on one: it falls onto both


def classify(
    clip: Clip,
    contacts: Contacts | None = None,
    phases: Sequence[Phase] | None = None,
    cycles: Sequence[Cycle] | None = None,
) -> ClipGait:
    """Type and direction, from contacts and the paths of pelvis, ankles, hands and head."""
    if clip.frames < 3:
        return ClipGait("other", "", 0.0, f"{clip.frames} frame(s) do not move")
    cycles = find_cycles(clip, steady=False) if cycles is None else cycles
    phases = find_phases(clip, contacts) if phases is None else phases
    seen = evidence(clip, phases, cycles)
    sure = _locomotion(seen)
    if sure > 0:
        return _walk_or_run(clip, cycles, seen, sure)
    if seen.longest_flight_s >= FLIGHT_S and seen.rise >= RISE and (seen.airborne >= AIRBORNE or seen.rise >= HIGH):
        how = f"{seen.longest_flight_s:.2f} s in the air, the pelvis {seen.rise:.2f} legs above its usual height"
        return ClipGait("jump", "", confidence_of(seen.rise / RISE, seen.longest_flight_s / FLIGHT_S), how)
    how = f"no strides, hands and head move at {seen.busy:.2f}, the pelvis at {seen.pelvis:.2f} legs a second"
    if seen.busy < STILL and seen.pelvis < PELVIS_STILL:
        sure = confidence_of(STILL / max(seen.busy, 1e-3), PELVIS_STILL / max(seen.pelvis, 1e-3))
        return ClipGait("stand", "", sure, how)
    return ClipGait("other", "", confidence_of(max(seen.busy / STILL, seen.pelvis / PELVIS_STILL)), how)


def evidence(clip: Clip, phases: Sequence[Phase], cycles: Sequence[Cycle]) -> GaitEvidence:
    """Everything measured, in one place, for those who want to see why."""
    leg = clip.skeleton.leg_length
    from_s, to_s = (min(c.start_s for c in cycles), max(c.end_s for c in cycles)) if cycles else (0.0, clip.duration)
    double, flight = (share_of(phases, label, from_s, to_s) for label in ("DS", "NS"))
    every = max(1, round(clip.fps / RATE_HZ))
    frames = np.arange(0, clip.frames, every) if clip.frames > 3 * every else np.arange(clip.frames)
    opposed, apart = _ankles(clip, frames)
    rise, longest, flying = _flights(clip, phases)
    seconds = float(frames[-1] - frames[0]) / clip.fps
    path = floor_plane(clip.root_motion.position)[frames]
    strides = [float(np.hypot(c.travel * (c.end_s - c.start_s), _climbed(clip, c))) for c in cycles]
    striding = sum(c.end_s - c.start_s for c in cycles)
    belt = foot_points(clip).belt
    if belt is not None:
        speed = belt.speed
        strides = [speed * (c.end_s - c.start_s) for c in cycles]
    else:
        speed = sum(strides) / striding if cycles else float(np.abs(path[-1] - path[0])) / seconds
    walk_run = float(np.sqrt(FROUDE * GRAVITY * leg))
    if speed < ON_THE_SPOT * walk_run and (not cycles or double + flight > SLIDING):
        double, flight = _drawn_back(clip), 0.0  # feet that slide under a body on the spot never rest
    sinks = belt is not None and speed < RACE * walk_run and _sinks(clip, phases)
    if sinks:
        double, flight = double + flight, 0.0
    return GaitEvidence(
        double=double,
        flight=flight,
        stride=float(np.median(strides)) / leg if strides else 0.0,
        covered=_covered(cycles) / clip.duration,
        opposed=opposed,
        apart=apart,
        speed=speed / walk_run,
        longest_flight_s=longest,
        rise=rise,
        airborne=flying / clip.duration,
        busy=_busy(clip, frames),
        pelvis=float(np.abs(np.diff(path)).sum()) / seconds / leg,
        climbing=float(np.mean([_climbed(clip, c) > 0.0 for c in cycles])) if cycles else 0.0,
        sinks=sinks,
    )


def _climbed(clip: Clip, cycle: Cycle) -> float:
    """Metres that the ground rises or falls under a cycle, as on stairs and slopes; 0 on a floor."""
    heights = [
        stance.place[1]
        for stance in find_ground(clip).stances
        if min(abs(stance.start_s - cycle.start_s), abs(stance.start_s - cycle.end_s)) < SAME_S
    ]
    rise = max(heights) - min(heights) if len(heights) > 1 else 0.0
    return rise if rise > UNEVEN_M * clip.skeleton.leg_length / LEG_M else 0.0


def _locomotion(seen: GaitEvidence) -> float:
    """How sure it is that the clip walks or runs, 0 to 1; 0 is no."""
    by_stride = seen.stride * seen.covered / GROUND
    by_swing = min(seen.opposed / SWING, seen.covered / SWUNG)
    by_ankles = min(seen.opposed / SHUFFLE, seen.apart / STEP) if not seen.covered else 0.0
    by_climb = min(seen.climbing / CLIMBS, seen.covered / SWUNG)
    best = max(by_stride, by_swing, by_ankles, by_climb)
    return confidence_of(best) if best >= 1.0 else 0.0


def _walk_or_run(clip: Clip, cycles: Sequence[Cycle], seen: GaitEvidence, sure: float) -> ClipGait:
    """Positive scores run. Speed does not speak for a body on the spot, nor double support where none can be seen."""
    by = RUN_SCORE
    if seen.sinks:  # drawn by hand: its feet say nothing of speed either
        score = -seen.double / by.support
    elif seen.speed >= ON_THE_SPOT:
        score = (seen.flight - seen.double) / by.support + (seen.speed - 1.0) / by.speed
    else:
        by_back = (by.back - seen.double) / by.back_spread
        score = (seen.flight - seen.double) / by.support if seen.flight > 0.0 else by_back
    supports = f"{seen.double:.0%} of the time on both feet, {seen.flight:.0%} on none"
    how = f"{supports}, {seen.speed:.2f} of the walk-run speed"
    sure = round(min(sure, 0.5 + by.half_sure * min(abs(float(score)), 2.0)), 3)
    return ClipGait("run" if score > 0 else "walk", _direction(clip, cycles, seen), sure, how)


def _direction(clip: Clip, cycles: Sequence[Cycle], seen: GaitEvidence) -> str:
    """Which way it goes, as the body faces."""
    if seen.speed < ON_THE_SPOT or foot_points(clip).belt is not None:
        return "in-place"
    if cycles:
        velocity = sum(complex(c.speed, c.side) * (c.end_s - c.start_s) for c in cycles)
    else:
        root = clip.root_motion
        velocity = np.sum(np.diff(floor_plane(root.position)) * np.exp(-1j * root.heading[:-1]))
    quarter = round(float(np.angle(velocity)) / (0.5 * np.pi)) % 4
    return ("forward", "left", "backward", "right")[quarter]


def share_of(phases: Sequence[Phase], label: str, from_s: float, to_s: float) -> float:
    """Share of a span of time in phases of one label."""
    inside = (max(0.0, min(p.end_s, to_s) - max(p.start_s, from_s)) for p in phases if p.label == label)
    return sum(inside) / max(to_s - from_s, 1e-9)


def _covered(cycles: Sequence[Cycle]) -> float:
    """Seconds that lie in any cycle."""
    total, until = 0.0, 0.0
    for cycle in sorted(cycles, key=lambda c: c.start_s):
        total += max(0.0, cycle.end_s - max(cycle.start_s, until))
        until = max(until, cycle.end_s)
    return total


def _ankles(clip: Clip, frames: np.ndarray) -> tuple[float, float]:
    """Correlation of both ankles' floor positions against the pelvis, and how far they pass each other, in legs."""
    root = clip.root_motion
    ankles = floor_plane(foot_points(clip).heel[frames] - root.position[frames, None])
    ankles = ankles * np.exp(-1j * root.heading[frames, None])
    swing = ankles - ankles.mean(axis=0)
    size = np.sqrt((np.abs(swing) ** 2).mean(axis=0))
    both = float((swing[:, 0] * swing[:, 1].conj()).mean().real)
    between = ankles[:, 0] - ankles[:, 1]
    apart = np.hypot(np.ptp(between.real), np.ptp(between.imag)) / clip.skeleton.leg_length
    return both / max(float(size[0] * size[1]), 1e-12), float(apart)


def _flights(clip: Clip, phases: Sequence[Phase]) -> tuple[float, float, float]:
    """Largest rise of the pelvis in a flight over its median height, in legs; the longest and all flights, in seconds.

    Only free fall is flight: the pelvis must rise over the line from take-off to landing about as gravity has it,
    gT²/8. Feet that merely slide or rise on tiptoe do not pass.
    """
    height = joint_paths(clip, [clip.skeleton.roles.pelvis])[:, 0, 1]
    rise, longest, total = -np.inf, 0.0, 0.0
    for phase in phases:
        if phase.label != "NS":
            continue
        span = phase.end_s - phase.start_s
        moments = np.array([phase.start_s, 0.5 * (phase.start_s + phase.end_s), phase.end_s])
        start, middle, end = at_times(height, clip.fps, moments)
        if middle - 0.5 * (start + end) > FREE_FALL * GRAVITY * span**2 / 8.0:
            rise, longest, total = max(rise, middle), max(longest, span), total + span
    return max(0.0, float(rise - np.median(height))) / clip.skeleton.leg_length, longest, total


def _sinks(clip: Clip, phases: Sequence[Phase]) -> bool:
    """Whether the pelvis is lower with no foot down than with one: runners rise then, walkers fall onto both feet."""
    height = joint_paths(clip, [clip.skeleton.roles.pelvis])[:, 0, 1]
    inside = np.searchsorted([p.end_s for p in phases[:-1]], clip.times)
    at = np.array([p.label for p in phases])[inside]
    none, one = at == "NS", (at == "LS") | (at == "RS")
    return bool(none.any() and one.any() and height[none].mean() < height[one].mean())


def _drawn_back(clip: Clip) -> float:
    """Share of time both feet go backward under the pelvis: double support, seen where feet slide under the body."""
    root = clip.root_motion
    ankles = floor_plane(foot_points(clip).heel - root.position[:, None]) * np.exp(-1j * root.heading[:, None])
    return float((np.diff(ankles.real, axis=0) < 0.0).all(axis=1).mean())


def _busy(clip: Clip, frames: np.ndarray) -> float:
    """Mean speed against the body of the fastest of hands and head, in legs a second."""
    roles = clip.skeleton.roles
    joints = [getattr(roles, f"{side}_wrist") for side in SIDES] + [roles.head]
    found = [j for j in joints if j is not None]
    if not found:
        return 0.0
    paths = joint_paths(clip, [roles.pelvis, *found], frames)
    against = paths[:, 1:] - paths[:, :1]
    floor = floor_plane(against) * np.exp(-1j * clip.root_motion.heading[frames, None])
    steps = np.hypot(np.abs(np.diff(floor, axis=0)), np.diff(against[..., 1], axis=0))
    return float(steps.sum(axis=0).max()) * clip.fps / float(frames[-1] - frames[0]) / clip.skeleton.leg_length


def confidence_of(*ratios: float) -> float:
    """Confidence from how far, as ratios, thresholds were passed: 0.5 at 1, towards 1 beyond."""
    return round(1.0 - 0.5 / max(float(min(ratios)), 1.0) ** 2, 3)
