"""A smooth curve between the motions, with the details of a moment of theirs that did much the same laid over it.

Egbert 2005, "Real-time motion transition by example". The window of either motion whose end slopes and total change
come nearest to those of the transition gives its quick part, and cubics that meet both motions with their velocities
give the slow one. It starts on the frame of the request; velocity is continuous at both ends. Where to enter comes from
a look-up table (`align.tables`).

The thesis looks for a window for each degree of freedom. Details of different moments do not fit each other: feet and
hands shake. By default one window serves the whole body; windows="joint" and paper=True are there to compare with.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from footfall.align.distance import CloudWindow, clouds, distances, frame_count
from footfall.align.tables import clouds_of, describe, entries_of, frame_at, pinned_frame
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.coast import MOST_RAD_S, State, most_spin
from footfall.joins.by_example.detail_bands import bands_for, hermite, pyramid, rebuilt
from footfall.joins.by_example.example_search import (
    Unrolled,
    Wanted,
    own_window,
    search_body,
    search_components,
    search_joints,
    unrolled,
    windows,
)
from footfall.joins.by_example.parts import (
    MOST_GAIN,
    Ends,
    Picked,
    Slow,
    laid_over,
    quick_part,
    rising,
    slow_part,
)
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import entry, need_same_joints, options
from footfall.joins.placement import between, leaving_floor, state_at
from footfall.joins.transition import Request, Track, Transition
from footfall.kinematics.floor_align import FloorTransform

OPTIONS = {"windows": "body", "level": None, "pinned": True, "tables": None, "paper": False}
LENGTH_S = 0.45
MOST_FRAMES = 10_000
MOST_CELLS = 16_000_000  # of a table's distances: 64 MB
PAPER_LEVEL = 3  # "about the third level usually produces the best results"


def transition(departure: Departure, target: Clip, request: Request) -> Transition:
    """Options: windows ("body" or "joint"), level (1 is the smooth curve alone), pinned (non-loops begin at frame 0),
    tables (ready look-up tables), paper (per component, decimated pyramid)."""
    chosen = options(request, "by-example", OPTIONS, windows=("body", "joint"))
    need_same_joints(departure, target)
    last = _frames(request.length_s, departure.fps, chosen["paper"])
    length_s = last / departure.fps
    enter_s = enter_at(departure, target, request, length_s, chosen)
    compiled = "numba" in sys.modules
    ends, placement = (_meet_compiled if compiled else meet)(departure, target, enter_s, length_s, last)
    level = _level(chosen, departure.fps)
    place, rot, note = _made(departure, target, ends, enter_s, level, chosen)
    pose = Pose(place, rot, _joint_positions(departure, target, ends, enter_s))
    share = np.arange(1, last + 1) / last
    times = share * length_s
    tracks = (
        Track(departure.clip.name or "first" if departure.clip else "departure", departure.at_s + times, 1.0 - share),
        Track(target.name or "target", times + (enter_s - length_s), share),
    )
    return Transition("by-example", pose, enter_s, placement, tracks, note)


def enter_at(departure: Departure, target: Clip, request: Request, length_s: float, chosen: dict[str, Any]) -> float:
    """When the target is entered: as asked, pinned, by the table, or where it is nearest of what is allowed."""
    if request.enter_s is not None:
        return entry(target, request, 0.0)
    low, high = request.window_s
    pinned = pinned_frame(target) if chosen["pinned"] else None
    left = departure.clip
    if chosen["tables"] is not None and left is not None:
        enter_s = chosen["tables"].enter_s(left.name, departure.at_s + length_s, target.name)
    elif pinned is not None:
        return entry(target, request, pinned / target.fps)
    elif left is not None and frame_count(left) * frame_count(target) <= MOST_CELLS:
        row = frame_at(describe(left, None), departure.at_s + length_s)
        enter_s = int(entries_of(left, target)[row]) / target.fps
    else:
        enter_s = -1.0  # a bare state is in no table, and pairs of very long clips have none
    if low <= enter_s <= high and enter_s >= 0.0:
        return enter_s
    allowed = np.arange(len(clouds_of(target).square)) / target.fps
    allowed = np.where((allowed >= low) & (allowed <= high), 0.0, np.inf)
    if not np.isfinite(allowed).any():
        return entry(target, request, low)
    return int((would_be_distances(departure, target, length_s) + allowed).argmin()) / target.fps


def would_be_distances(departure: Departure, target: Clip, length_s: float) -> np.ndarray:
    """(m,) distance of every frame of the target to where the departure would have got after length_s."""
    span = CloudWindow()
    pose = departure.ahead(np.maximum(length_s + span.offsets_s, 0.0))
    step_s = span.offsets_s[1] - span.offsets_s[0]
    moment = Clip(departure.skeleton, 1.0 / step_s, pose)
    here = clouds(moment, span, dtype=np.float32)
    middle = span.samples // 2
    return distances(type(here)(*(part[middle : middle + 1] for part in here)), clouds_of(target))[0]


def meet(departure: Departure, target: Clip, enter_s: float, length_s: float, last: int) -> tuple[Ends, FloorTransform]:
    """Both ends in the world, and what carries the target there."""
    state, there = state_at(target, enter_s)
    here = leaving_floor(departure)
    placement = between(here, there, length_s)
    turned = rotation.rotate(rotation.yaw(placement.turn), state.velocity)
    end = State(placement.pose(state.pose), turned, most_spin(state.spin))
    start = departure.state._replace(spin=most_spin(departure.state.spin))
    heading = float(here.heading)
    headings = np.array([heading, heading + 0.5 * float(here.turn_rate + there.turn_rate) * length_s])
    return Ends(start, end, headings, length_s, last), placement


def _made(
    departure: Departure, target: Clip, ends: Ends, enter_s: float, level: int, chosen: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray, str]:
    """Root places (K, 3), rotations (K, J, 4) and why so."""
    compiled = "numba" in sys.modules and not chosen["paper"]
    slow, wanted = _wants(ends) if compiled else slow_part(ends)
    at_s = (departure.at_s, enter_s - ends.duration_s)
    sources = [
        (unrolled(clip, departure.fps, level - 1, ends.last), round(t * departure.fps), clip.name or "a motion")
        for clip, t in zip((departure.clip, target), at_s, strict=True)
        if clip is not None and level > 1
    ]
    sources = [s for s in sources if windows(s[0], ends.last) is not None]
    if not sources:
        quick = np.zeros((ends.last + 1, len(slow.change) + 1, 3))
        place, rot = laid_over(ends, slow, quick)
        return place, rot, f"a smooth curve of {ends.duration_s:.2f} s; no window of the motions is long enough"
    if chosen["paper"]:
        place, rot = _by_pyramid(ends, slow, wanted, [s[0] for s in sources], level)
        return place, rot, f"decimated pyramid, level {level}, a window for every component"
    picked, note = _picked(sources, wanted, chosen["windows"])
    if compiled:
        return *_compiled(ends, slow, picked), note
    place, rot = laid_over(ends, slow, quick_part(picked, ends.last))
    return place, rotation.normalize(rot), note


def _picked(sources: list[tuple[Unrolled, int, str]], wanted: Wanted, by: str) -> tuple[Picked, str]:
    """The best windows of all motions, and in words."""
    last, features = wanted.last, wanted.features
    found = [w for motion, _, _ in sources if (w := windows(motion, last)) is not None]
    own = [own_window(motion, frame, last) for motion, frame, _ in sources]
    channels = len(wanted.change)
    motions = (sources[0][0], sources[-1][0])
    if by == "body":
        energy = sum(float(w.whole[i]) for w, i in zip(found, own, strict=True)) / len(found)
        best = [search_body(w, features, energy, last) for w in found]
        pick = min(range(len(best)), key=lambda k: best[k][1])
        at = np.full(channels, best[pick][0])
        note = f"details of {sources[pick][2]} from frame {best[pick][0]} on, over {last} frames"
        return Picked(motions, np.full(channels, pick == 1), at, np.full(channels, energy), True), note
    energies = np.mean([w.energy[i] for w, i in zip(found, own, strict=True)], axis=0)
    by_joint = [search_joints(w, features, energies, last) for w in found]
    second = by_joint[-1].cost < by_joint[0].cost
    at = np.where(second, by_joint[-1].at, by_joint[0].at)
    return Picked(motions, second, at, energies, False), f"details of a window for every joint, over {last} frames"


# --- compiled ----------------------------------------------------------------------------------------------------


def _meet_compiled(
    departure: Departure, target: Clip, enter_s: float, length_s: float, last: int
) -> tuple[Ends, FloorTransform]:
    from footfall.joins.by_example.kernels import meet as compiled_meet

    (end, there), here = state_at(target, enter_s), leaving_floor(departure)
    start, rot = departure.state, np.array(end.pose.rot)
    spins = np.array(start.spin, float), np.array(end.spin)
    root, velocity, shift, headings = np.array(end.pose.root_pos), np.array(end.velocity), np.empty(3), np.empty(2)
    rates = float(here.heading), float(here.turn_rate), float(there.heading), float(there.turn_rate), length_s
    turn = compiled_meet(
        np.array(here.position), np.array(there.position), np.array(here.velocity), np.array(there.velocity), rates,
        MOST_RAD_S, root, velocity, rot, *spins, shift, headings,
    )  # fmt: skip
    pose = Pose(np.array(start.pose.root_pos, float), np.array(start.pose.rot, float), start.pose.pos)
    first = State(pose, np.array(start.velocity, float), spins[0])
    placed = State(Pose(root, rot, end.pose.pos), velocity, spins[1])
    return Ends(first, placed, headings, length_s, last), FloorTransform(np.asarray(turn), shift)


def _wants(ends: Ends) -> tuple[Slow, Wanted]:
    from footfall.joins.by_example.kernels import wants

    start, end = ends.start, ends.end
    joints = len(start.spin)
    change, arriving, wanted = np.empty((joints, 3)), np.empty((joints, 3)), np.empty((3, joints + 1, 3))
    travel = end.pose.root_pos - start.pose.root_pos
    wants(
        start.pose.rot, start.spin, start.velocity, end.pose.rot, end.spin, end.velocity, travel, ends.headings,
        ends.duration_s, ends.last, change, arriving, wanted,
    )  # fmt: skip
    return Slow(change, arriving), Wanted(wanted[0], wanted[1], wanted[2], ends.last)


def _compiled(ends: Ends, slow: Slow, picked: Picked) -> tuple[np.ndarray, np.ndarray]:
    from footfall.joins.by_example.kernels import details, frames

    start, end, (a, b) = ends.start, ends.end, picked.motions
    joints = len(start.spin)
    quick = np.empty((ends.last + 1, joints + 1, 3))
    details(
        a.detail, a.bend, b.detail, b.bend, picked.of_second, picked.at, rising(ends.last), picked.energy, MOST_GAIN,
        picked.grouped, quick,
    )  # fmt: skip
    place, rot = np.empty((ends.last, 3)), np.empty((ends.last, joints, 4))
    frames(
        start.pose.rot, start.spin, start.pose.root_pos, start.velocity, end.pose.rot, end.pose.root_pos, end.velocity,
        slow.change, slow.arriving, ends.headings, ends.duration_s, quick, place, rot,
    )  # fmt: skip
    return place, rot


# --- the thesis's own way, and the rest ----------------------------------------------------------------------------


def _by_pyramid(
    ends: Ends, slow: Slow, wanted: Wanted, motions: list[Unrolled], level: int
) -> tuple[np.ndarray, np.ndarray]:
    """Egbert's literal modification: the lowest level of the example's pyramid replaced by the curve at that rate.

    Neither value nor velocity is quite continuous at the ends; only the last frame is the target's own.
    """
    last = ends.last
    found = [
        (motion, search_components(ready, wanted.features))
        for motion in motions
        if (ready := windows(motion, last)) is not None
    ]
    second = found[-1][1].cost < found[0][1].cost  # (C, 3)
    grid = np.ix_(np.arange(second.shape[0]), np.arange(3))
    taken = [motion.curve[np.arange(last)[:, None, None] + 1 + best.at, *grid] for motion, best in found]
    example = np.where(second, taken[-1], taken[0])  # (last, C, 3): a power of two of samples
    parts = pyramid(example, level - 1)
    u = (1.0 + np.arange(len(parts[-1])) * (last / len(parts[-1]))) / last
    start, end, t = ends.start, ends.end, ends.duration_s
    turns = hermite(u, np.zeros_like(slow.change), t * start.spin, slow.change, t * slow.arriving)
    place = hermite(u, start.pose.root_pos, t * start.velocity, end.pose.root_pos, t * end.velocity)
    made = rebuilt([*parts[:-1], np.concatenate([turns, place[:, None]], axis=1)])
    rot = rotation.multiply(start.pose.rot, rotation.exp(made[:, :-1]))
    rot[-1], made[-1, -1] = end.pose.rot, end.pose.root_pos
    return made[:, -1], rot


def _frames(length_s: float | None, fps: float, paper: bool) -> int:
    wanted = LENGTH_S if length_s is None else length_s
    if wanted * fps > MOST_FRAMES:
        raise ParameterError(f"a transition by example has at most {MOST_FRAMES} frames, {wanted:g} s have more")
    frames = max(2, round(wanted * fps))
    return 2 ** max(2, round(float(np.log2(frames)))) if paper else frames


def _level(chosen: dict[str, Any], fps: float) -> int:
    """One more than the bands of detail that are kept."""
    given = chosen["level"]
    if given is None:
        # one band more than the least that holds all above 3 Hz: the filter is gentle and would give half of it only
        return PAPER_LEVEL if chosen["paper"] else bands_for(fps) + 2
    if not (isinstance(given, int) and 1 <= given <= 12):
        raise ParameterError(f"by-example: level is a whole number from 1 (no detail) to 12, not {given!r}")
    return given


def _joint_positions(departure: Departure, target: Clip, ends: Ends, enter_s: float) -> np.ndarray | None:
    """(K, J, 3) where joints have places of their own, mixed of both motions' as they go on; else None."""
    if departure.state.pose.pos is None and ends.end.pose.pos is None:
        return None
    u = np.arange(1, ends.last + 1) / ends.last
    ours = departure.ahead(u * ends.duration_s).pos
    theirs = target.sample(np.maximum(enter_s - ends.duration_s * (1.0 - u), 0.0)).pos
    shape = (ends.last, len(departure.skeleton), 3)
    a, b = (np.broadcast_to(departure.skeleton.offsets if p is None else p, shape) for p in (ours, theirs))
    return a + ease(u)[:, None, None] * (b - a)
