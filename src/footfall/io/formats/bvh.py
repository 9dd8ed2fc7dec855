"""Biovision Hierarchy (.bvh): a skeleton and Euler angles as text, any channel layout; see docs/formats/bvh.md."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ReadError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.bvh_hierarchy import BvhTree, parse_hierarchy
from footfall.io.bvh_motion import MotionHeader, is_large, line_text, read_header, read_rows, stream_rows
from footfall.io.bvh_rows import Rows, layout_of
from footfall.io.raw import RawMotion, Reading
from footfall.io.text import decode, shown, split_lines

READS = (".bvh",)
WRITES = (".bvh",)
WRITE_OPTIONS = ("order", "unit_m")

# two patterns, because one that begins with a set of characters is searched for three times as fast
_MOTION_AT_ONCE = re.compile(rb"([ \t]*motion[ \t]*)(?=[\r\n]|\Z)", re.IGNORECASE)
_MOTION = re.compile(rb"[\r\n]([ \t]*motion[ \t]*)(?=[\r\n]|\Z)", re.IGNORECASE)
HEAD = 1 << 16  # bytes in which a large file should come to its rows
MARGIN = 128  # bytes behind the text: more than footfall.io.bvh_scan.MARGIN
STILL = 1e-6  # of the body's size: a position channel that stays within it is a bone, not a motion


def read(reading: Reading) -> list[RawMotion]:
    """One motion a ROOT."""
    motions = _read_clean(reading)
    if motions is not None:
        return motions
    data, end = _bytes(reading.path)
    motion = _MOTION_AT_ONCE.match(data) or _MOTION.search(data)
    hierarchy = decode(reading, bytes(data[: motion.start(1) if motion else end]))
    trees = parse_hierarchy(reading, hierarchy)
    if motion is None:
        raise reading.fail(len(split_lines(hierarchy)), "MOTION", "the end of the file")
    header = read_header(reading, data, motion.end(1), end)
    trees = _characters(reading, trees, data, header)
    width = sum(tree.width for tree in trees)
    if width == 0:
        raise reading.fail(trees[0].line, "at least one channel", "joints without any")
    rows = read_rows(reading, data, end, header, layout_of([j for t in trees for j in t.joints], width))
    return _motions(trees, rows, header)


def _read_clean(reading: Reading) -> list[RawMotion] | None:
    """A large file of one character without any fault, never held in memory as a whole; None for every other file.

    What is wrong with a file is for `read` to say, which then begins again.
    """
    if not is_large(reading) or not hasattr(os, "preadv"):
        return None
    noted = len(reading.warnings)
    with reading.path.open("rb", buffering=0) as file:
        end = os.fstat(file.fileno()).st_size
        data = file.read(HEAD)
        motion = _MOTION_AT_ONCE.match(data) or _MOTION.search(data)
        try:
            if motion is not None:
                trees = parse_hierarchy(reading, decode(reading, data[: motion.start(1)]))
                header = read_header(reading, data, motion.end(1), len(data))
                if len(trees) == 1 and trees[0].width and header.start < len(data):
                    layout = layout_of(trees[0].joints, trees[0].width)
                    rows = stream_rows(file.fileno(), end, header, layout)
                    if rows is not None and os.fstat(file.fileno()).st_size == end:
                        return _motions(trees, rows, header)
        except ReadError:
            pass
    del reading.warnings[noted:]
    return None


def write(clip: Clip, path: Path, **options: Any) -> None:
    """Write a clip; options: order ("ZXY"), unit_m (metres per unit)."""
    from footfall.io.bvh_writer import write_bvh

    write_bvh(clip, path, **options)


def _bytes(path: Path) -> tuple[memoryview, int]:
    """The file, and where its last line ends: a line end always follows, and a margin that scanners may read.

    A buffer of numpy's gets large pages, unlike bytes, and is spared the copy that adding a margin to bytes would take.
    """
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        buffer = np.empty(size + MARGIN, np.uint8)
        view, read = memoryview(buffer), 0  # type: ignore[arg-type]
        while read < size and (count := file.readinto(view[read:size])):
            read += count
        if more := file.read():  # it grew meanwhile, or has no size to tell
            buffer = np.frombuffer(buffer[:read].tobytes() + more + bytes(MARGIN), np.uint8).copy()
            read += len(more)
    buffer[read:] = ord("\n")
    ended = read > 0 and buffer[read - 1] in b"\r\n"
    return memoryview(buffer), read - 1 if ended else read  # type: ignore[arg-type]


def _characters(reading: Reading, trees: list[BvhTree], data: memoryview, header: MotionHeader) -> list[BvhTree]:
    """The trees that the rows have columns for: all of them, or (as some exporters write) only the first."""
    if len(trees) == 1:
        return trees
    line, name = trees[1].line, shown(trees[1].joints[0].name)
    first_row = re.compile(rb"[ \t\r\n]*").match(data, header.start)
    values = len(line_text(data, first_row.end() if first_row else header.start).split())
    if values == trees[0].width:
        reading.warn(line, f"a second ROOT {name} that the rows have no values for; ignored")
        return trees[:1]
    reading.warn(line, f"a second ROOT {name}: each of the {len(trees)} ROOTs is read as a motion of its own")
    return trees


def _motions(trees: list[BvhTree], rows: Rows, header: MotionHeader) -> list[RawMotion]:
    motions: list[RawMotion] = []
    largest = None if rows.least is None else 2.0 * math.acos(min(rows.least, 1.0))
    joint, column = 0, 0
    for number, tree in enumerate(trees, 1):
        joints = len(tree.joints)
        columns = sum(not c.turns for j in tree.joints for c in j.channels or ())
        rot = rows.rot if len(trees) == 1 else rows.rot[:, joint : joint + joints].copy()
        skeleton, pose = _posed(tree, rows.moves[:, column : column + columns], rot)
        name = tree.joints[0].name if len(trees) > 1 else ""
        if name in (m.name for m in motions):
            name = f"{name} {number}"
        inferred = {"fps": header.inferred}
        motions.append(
            RawMotion(skeleton, header.fps, pose, name, inferred=inferred, continuous=True, largest_step=largest)
        )
        joint, column = joint + joints, column + columns
    return motions


def _posed(tree: BvhTree, moves: np.ndarray, rot: np.ndarray) -> tuple[Skeleton, Pose]:
    """Position channels replace the OFFSET's components; those that never change become part of the skeleton."""
    offsets = tree.offsets()
    slots = [(j, c.axis) for j, x in enumerate(tree.joints) for c in x.channels or () if not c.turns]
    joint, axis = np.array(slots, int).reshape(-1, 2).T
    frames, at_root = len(moves), joint == 0
    root_pos = np.empty((frames, 3))
    root_pos[:] = offsets[0]
    root_pos[:, axis[at_root]] = moves[:, at_root]
    pos = None
    if frames and not at_root.all():
        low, high = moves.min(axis=0), moves.max(axis=0)
        still = high - low <= STILL * max(np.abs(offsets).max(), np.abs(moves[0, ~at_root]).max())
        moving = np.unique(joint[~still & ~at_root])
        fold = ~at_root & ~np.isin(joint, moving)
        offsets[joint[fold], axis[fold]] = (0.5 * (low + high))[fold]
        if len(moving):
            pos = np.empty((frames, len(offsets), 3))
            pos[:] = offsets
            pos[:, 0] = root_pos
            slides = np.isin(joint, moving)
            pos[:, joint[slides], axis[slides]] = moves[:, slides]
    for part in (root_pos, rot, pos):
        if part is not None:
            part.flags.writeable = False  # nobody else holds it: a clip then needs no copy
    names, parents = tuple(j.name for j in tree.joints), np.array([j.parent for j in tree.joints])
    ends = np.array([e.offset for e in tree.ends], float).reshape(-1, 3)
    owners = np.array([e.parent for e in tree.ends], np.int32)
    return Skeleton(names, parents, offsets, end_parents=owners, end_offsets=ends), Pose(root_pos, rot, pos)
