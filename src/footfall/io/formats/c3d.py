"""C3D marker captures (.c3d): a clip of the body that wears Plug-in Gait's or CMU's markers.

The file is read by `io/c3d_points.py`; joint centres are found by `io/marker_body.py` and get bones of constant length.
Any other set of markers gives its points (`ff.load_markers`), and a sentence that says which markers are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.errors import ReadError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.c3d_points import C3dPoints, read_points
from footfall.io.marker_body import MARKERS, TIPS, Named, joint_centres, marker_body, name_markers
from footfall.io.plain_file import is_file
from footfall.io.positions_motion import motion_of_positions
from footfall.io.raw import RawMotion, Reading, ReadOptions

READS = (".c3d",)
MOST_UNSEEN = 0.5  # share of the frames; a marker seen in fewer is missing. By eye
TOLD_UNSEEN = 0.02  # share of the frames that are filled in before it is told
TOLD_MARKERS = 8  # names in a message
MILLIMETRE = 0.001  # metres: the unit where a file names none


@dataclass(frozen=True)
class Markers:
    """Points of a capture in metres, Y up; nan where one was not seen."""

    names: tuple[str, ...]
    positions: np.ndarray  # (T, M, 3)
    fps: float
    warnings: tuple[str, ...] = ()


def load_markers(path: str | Path, unit_m: float | None = None, up: str | None = None) -> Markers:
    """The labelled points of a C3D file, whatever they are: names, positions (T, M, 3) in metres, Y up, and the rate.

    unit_m and up ("z") are the file's own word unless given.
    """
    reading = Reading(Path(path), ReadOptions(unit_m=unit_m, up=up))
    if not is_file(reading.path):
        raise ReadError(reading.path, "", "a C3D file", "nothing at that path")
    points = read_points(reading)
    axis = (up or points.up or "z").lower()
    sign, letter = (-1.0 if axis.startswith("-") else 1.0), axis.lstrip("-")
    if letter not in ("x", "y", "z"):
        raise reading.fail("", "an up axis x, y or z", repr(up))
    turn = rotation.between(sign * rotation.AXES[letter.upper()], rotation.UP)
    places = rotation.rotate(turn, points.positions * _unit(reading, points))
    return Markers(points.names, places, points.fps, tuple(reading.warnings))


def read(reading: Reading) -> list[RawMotion]:
    """A motion for every subject whose markers are all there."""
    points = read_points(reading)
    seen = ~np.isnan(points.positions[..., 0])
    kept = np.flatnonzero(seen.mean(axis=0) >= 1.0 - MOST_UNSEEN)
    subjects = name_markers([points.names[i] for i in kept])
    whole = {who: named for who, named in subjects.items() if not named.missing}
    if not whole:
        raise _too_few(reading, points, [*subjects.values()])
    motions = []
    for who, named in whole.items():
        columns = {marker: int(kept[number]) for marker, number in named.points.items()}
        motions.append(_motion(reading, points, columns))
        motions[-1].name = who if len(whole) > 1 else ""
    return motions


def _too_few(reading: Reading, points: C3dPoints, subjects: list[Named]) -> ReadError:
    """What the subject with the most markers lacks."""
    best = min(subjects, key=lambda named: len(named.missing), default=Named({}, tuple(m[0] for m in MARKERS.values())))
    more = f" and {len(best.missing) - TOLD_MARKERS} more" if len(best.missing) > TOLD_MARKERS else ""
    found = f"no {', '.join(best.missing[:TOLD_MARKERS])}{more} among its {len(points.names)} markers"
    cure = "ff.load_markers gives the points as they are"
    return reading.fail("", "the full-body markers of Plug-in Gait or CMU", found, cure)


def _motion(reading: Reading, points: C3dPoints, columns: dict[str, int]) -> RawMotion:
    centres = joint_centres(_filled_markers(reading, points, columns))
    body = marker_body()
    positions = np.stack([centres[name] for name in body.names], axis=1)
    if not np.isfinite(positions).all():
        raise reading.fail("", "markers that lie apart from each other", "some that do not")
    fps = Inferred(points.fps, "the file says so", 1.0)
    raw = motion_of_positions(reading, body, positions, fps, stands_along_y=True, up=points.up)
    raw.skeleton, raw.pose = _without_tips(raw.skeleton, raw.pose)
    raw.unit_m, raw.up = 1.0, None if reading.options.up else points.up
    reach = raw.inferred["rotations"].how.removeprefix("positions alone: ")
    raw.inferred["rotations"] = Inferred("solved from markers", f"joint centres by published rules; {reach}", 0.7)
    set_name = "CMU" if "FWT" in points.names[columns["LASI"]].upper() else "Plug-in Gait"
    raw.inferred["markers"] = Inferred(f"{set_name}: {len(points.names)} markers", "names of the points", 0.95)
    return raw


def _unit(reading: Reading, points: C3dPoints) -> float:
    return reading.options.unit_m or points.unit_m or MILLIMETRE


def _filled_markers(reading: Reading, points: C3dPoints, columns: dict[str, int]) -> dict[str, np.ndarray]:
    """Every marker the solve asks for, in metres, gaps filled; long gaps are told of."""
    markers, gaps = {}, {}
    for marker, column in columns.items():
        places = points.positions[:, column]
        seen = ~np.isnan(places[:, 0])
        markers[marker] = _filled(places, seen) * _unit(reading, points)
        gaps[points.names[column]] = 1.0 - float(seen.mean())
    unseen = {name: share for name, share in gaps.items() if share > TOLD_UNSEEN}
    if unseen:
        listed = ", ".join(f"{name} {share:.0%}" for name, share in list(unseen.items())[:TOLD_MARKERS])
        reading.warn("", f"markers unseen for a part of the time, filled in along straight lines: {listed}")
    return markers


def _filled(places: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """(T, 3) with gaps along straight lines; beyond the first and last sight the place is held."""
    if seen.all():
        return places
    times, there = np.arange(len(places)), np.flatnonzero(seen)
    return np.stack([np.interp(times, there, places[there, k]) for k in range(3)], axis=-1)


def _without_tips(skeleton: Skeleton, pose: Pose) -> tuple[Skeleton, Pose]:
    """The body without the points that only said how it turns; finger markers stay as ends of the hands."""
    joints = [j for j, name in enumerate(skeleton.names) if not name.endswith(TIPS)]
    place = {j: i for i, j in enumerate(joints)}
    ends = [(place[int(p)], o) for p, o in zip(skeleton.end_parents, skeleton.end_offsets, strict=True)]
    ends += [
        (place[int(skeleton.parents[j])], skeleton.offsets[j]) for j, n in enumerate(skeleton.names) if "finger" in n
    ]
    body = Skeleton(
        tuple(skeleton.names[j] for j in joints),
        np.array([place.get(int(skeleton.parents[j]), -1) for j in joints]),
        skeleton.offsets[joints],
        skeleton.rest[joints],
        np.array([joint for joint, _ in ends]),
        np.array([offset for _, offset in ends]),
    )
    return body, Pose(pose.root_pos, pose.rot[:, joints])
