"""A smooth curve between the motions, with the details of a similar moment of either added to it.

Egbert 2005, "Real-time motion transition by example". The window of either motion whose end slopes and total change
come nearest to those of the transition gives its quick part, and cubics that meet both motions with their velocities
give the slow one. It starts on the frame of the request; velocity is continuous at both ends. Where to enter comes from
a look-up table (`align.tables`).

The thesis looks for a window for each degree of freedom. Details of different moments do not fit each other: feet and
hands shake. By default one window serves the whole body; windows="joint" and paper=True are there to compare with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.align.distance import CloudWindow, clouds, distances, frame_count
from footfall.align.tables import clouds_of, describe, entries_of, frame_at, pinned_frame
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.joins.by_example.detail_bands import bands_for, hermite, pyramid, rebuilt
from footfall.joins.by_example.example_search import (
    UnrolledMotion,
    own_window,
    search_body,
    search_components,
    search_joints,
    unrolled,
    windows,
)
from footfall.joins.by_example.parts import (
    Meeting,
    PickedWindows,
    PositionTrack,
    laid_over,
    met,
    mixed_positions,
    no_details,
)
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import entry, need_same_joints, options
from footfall.joins.transition import SourceTrack, Transition, TransitionRequest

OPTIONS = {"windows": "body", "level": None, "pinned": True, "tables": None, "paper": False}
OWN_ENTRY = ("pinned", "tables")  # options that say where the target is entered
LENGTH_S = 0.45  # of a transition nobody asked a length for: by eye
MOST_FRAMES = 10_000  # of a transition: windows of both motions must hold as many
MOST_CELLS = 16_000_000  # of a table's distances: 64 MB
PAPER_LEVEL = 3  # "about the third level usually produces the best results": published (Egbert 2005)


def transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition:
    """Options: windows ("body" or "joint"), level (1 is the smooth curve alone), pinned (non-loops begin at frame 0),
    tables (ready look-up tables), paper (per component, decimated pyramid)."""
    chosen = options(request, "by-example", OPTIONS, windows=("body", "joint"))
    need_same_joints(departure, target)
    last = _frames(request.length_s, departure.fps, chosen["paper"])
    length_s = last / departure.fps
    enter_s = enter_at(departure, target, request, length_s, chosen)
    ends = met(departure, target, enter_s, length_s, last)
    level = _level(chosen, departure.fps)
    place, rot, note = _made(departure, target, ends, enter_s, level, chosen)
    pose = Pose(place, rot, _joint_positions(departure, target, enter_s, last))
    share = np.arange(1, last + 1) / last
    times = share * length_s
    tracks = (
        SourceTrack(
            departure.clip.name or "first" if departure.clip else "departure", departure.at_s + times, 1.0 - share
        ),
        SourceTrack(target.name or "target", times + (enter_s - length_s), share),
    )
    return Transition("by-example", pose, enter_s, ends.placement, tracks, note)


def enter_at(
    departure: Departure, target: Clip, request: TransitionRequest, length_s: float, chosen: dict[str, Any]
) -> float:
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


def _made(
    departure: Departure, target: Clip, ends: Meeting, enter_s: float, level: int, chosen: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray, str]:
    """Root places (K, 3), rotations (K, J, 4) and why so."""
    last, duration_s = ends.slow.last, ends.slow.duration_s
    at_s = (departure.at_s, enter_s - duration_s)
    sources = [
        (unrolled(clip, departure.fps, level - 1, last), round(t * departure.fps), clip.name or "a motion")
        for clip, t in zip((departure.clip, target), at_s, strict=True)
        if clip is not None and level > 1
    ]
    sources = [s for s in sources if windows(s[0], last) is not None]
    if not sources:
        place, rot = laid_over(ends, no_details(last, len(ends.start.rot) + 1))
        return place, rot, f"a smooth curve of {duration_s:.2f} s; no window of the motions is long enough"
    if chosen["paper"]:
        place, rot = _by_pyramid(ends, [s[0] for s in sources], level)
        return place, rot, f"decimated pyramid, level {level}, a window for every component"
    picked, note = _picked(sources, ends.wanted, last, chosen["windows"])
    return *laid_over(ends, picked), note


def _picked(
    sources: list[tuple[UnrolledMotion, int, str]], wanted: np.ndarray, last: int, by: str
) -> tuple[PickedWindows, str]:
    """The best windows of all motions, and in words."""
    found = [w for motion, _, _ in sources if (w := windows(motion, last)) is not None]
    own = [own_window(motion, frame, last) for motion, frame, _ in sources]
    channels = len(wanted) // 9
    motions = (sources[0][0], sources[-1][0])
    details = (motions[0].detail, motions[1].detail), (motions[0].bend, motions[1].bend)
    if by == "body":
        energy = sum(float(w.whole[i]) for w, i in zip(found, own, strict=True)) / len(found)
        best = [search_body(w, wanted, energy, last) for w in found]
        pick = min(range(len(best)), key=lambda k: best[k][1])
        at = np.full(channels, best[pick][0])
        note = f"details of {sources[pick][2]} from frame {best[pick][0]} on, over {last} frames"
        return PickedWindows(*details, np.full(channels, pick == 1), at, np.full(channels, energy), True), note
    energies = np.mean([w.energy[i] for w, i in zip(found, own, strict=True)], axis=0)
    by_joint = [search_joints(w, wanted, energies, last) for w in found]
    second = by_joint[-1].cost < by_joint[0].cost
    at = np.where(second, by_joint[-1].at, by_joint[0].at)
    note = f"details of a window for every joint, over {last} frames"
    return PickedWindows(*details, second, at, energies, False), note


# --- the thesis's own way, and the rest ----------------------------------------------------------------------------


def _by_pyramid(ends: Meeting, motions: list[UnrolledMotion], level: int) -> tuple[np.ndarray, np.ndarray]:
    """Egbert's literal modification: the lowest level of the example's pyramid replaced by the curve at that rate.

    Neither value nor velocity is quite continuous at the ends; only the last frame is the target's own.
    """
    start, end, slow, last, t = ends.start, ends.end, ends.slow, ends.slow.last, ends.slow.duration_s
    found = [
        (motion, search_components(ready, ends.wanted))
        for motion in motions
        if (ready := windows(motion, last)) is not None
    ]
    second = found[-1][1].cost < found[0][1].cost  # (C, 3)
    grid = np.ix_(np.arange(second.shape[0]), np.arange(3))
    taken = [motion.curve[np.arange(last)[:, None, None] + 1 + best.at, *grid] for motion, best in found]
    example = np.where(second, taken[-1], taken[0])  # (last, C, 3): a power of two of samples
    parts = pyramid(example, level - 1)
    u = (1.0 + np.arange(len(parts[-1])) * (last / len(parts[-1]))) / last
    turns = hermite(u, np.zeros_like(slow.change), t * start.spin, slow.change, t * slow.arriving)
    place = hermite(u, start.place, t * start.velocity, end.place, t * end.velocity)
    made = rebuilt([*parts[:-1], np.concatenate([turns, place[:, None]], axis=1)])
    rot = rotation.multiply(start.rot, rotation.exp(made[:, :-1]))
    rot[-1], made[-1, -1] = end.rot, end.place
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


def _joint_positions(departure: Departure, target: Clip, enter_s: float, last: int) -> np.ndarray | None:
    """(K, J, 3) where joints have places of their own, mixed of both motions' as they go on; else None."""
    ours, theirs = departure.state.pose.pos, target.pose.pos
    if ours is None and theirs is None:
        return None
    left, fps, offsets = departure.clip, departure.fps, departure.skeleton.offsets
    if left is not None:
        ours = left.pose.pos
    here = PositionTrack(
        offsets[None] if ours is None else ours if left is not None else ours[None],
        (departure.at_s + 1.0 / fps) * left.fps if left is not None else 0.0,
        left.fps / fps if left is not None else 0.0,
        left is not None and left.is_loop,
    )
    first_s = enter_s - (last - 1) / fps
    there = PositionTrack(
        offsets[None] if theirs is None else theirs, first_s * target.fps, target.fps / fps, target.is_loop
    )
    return mixed_positions(here, there, last)
