"""Acclaim skeleton (.asf) and motion (.amc), as of the CMU motion capture database.

A bone of an ASF is a direction and a length in the world of its zero pose; its motion turns it about axes given for
each bone (C): in the zero pose's frame that is C M C^-1, M being the turns of the bone's degrees of freedom, the
first listed applied first. So the skeleton's rest rotations are identities, joint j stands at its bone's start
(the end of the parent's bone), and forward kinematics is exact. Reference: Acclaim's "ASF and AMC file formats"
as documented by Lander 1998, "Working with Motion Capture File Formats".
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.asf_skeleton import Asf, Bone, is_degrees, read_asf
from footfall.io.companions import asf_beside, asf_of
from footfall.io.raw import RawMotion, Reading
from footfall.io.text import INTEGER, LARGEST, number, read_text, shown, split_lines

READS = (".asf", ".amc")
FPS = 120.0  # what CMU documents; the files do not say


@dataclass(frozen=True)
class Amc:
    """A motion file: one row of values a frame, columns as in the skeleton's bones and their dofs."""

    values: np.ndarray  # (T, sum of dofs)
    degrees: bool | None
    fps: float | None


def read(reading: Reading) -> list[RawMotion]:
    if reading.path.suffix.lower() == ".asf":
        asf = read_asf(reading)
        skeleton = _skeleton(asf)
        nothing = Pose(np.zeros((0, 3)), np.zeros((0, len(skeleton), 4)))
        fps = Inferred(FPS, "a skeleton without motion; what CMU documents", 0.1)
        return [_raw(reading, asf, skeleton, nothing, None, fps)]
    path = _find_asf(reading)
    side = Reading(path, reading.options)
    asf = read_asf(side)
    reading.warnings += [f"{path.name}: {warning}" for warning in side.warnings]
    amc = _read_amc(reading, asf)
    angle = asf.angle if amc.degrees is None else (np.pi / 180.0 if amc.degrees else 1.0)
    pose = _pose(asf, amc.values, angle)
    fps = Inferred(FPS, "AMC files do not say; what CMU documents", 0.5)
    return [_raw(reading, asf, _skeleton(asf), pose, amc.fps, fps)]


def _raw(
    reading: Reading, asf: Asf, skeleton: Skeleton, pose: Pose, stated: float | None, assumed: Inferred
) -> RawMotion:
    """The caller's frame rate, or the file's, or the assumed one."""
    fps, inferred = reading.options.fps or stated, {}
    if fps is None:
        fps, inferred = assumed.value, {"fps": assumed}
    return RawMotion(skeleton, fps, pose, unit_m=asf.unit_m, inferred=inferred)


# --- poses ----------------------------------------------------------------------------------------------------
def _skeleton(asf: Asf) -> Skeleton:
    ends = np.array([np.array(b.direction) * b.length for b in asf.bones])  # (J, 3)
    offsets = ends[np.maximum(asf.parents, 0)]
    offsets[0] = asf.bones[0].position
    leaves = np.array(sorted(set(range(len(asf.bones))) - set(asf.parents)), dtype=np.int32)
    names = tuple(b.name for b in asf.bones)
    return Skeleton(names, np.array(asf.parents), offsets, end_parents=leaves, end_offsets=ends[leaves])


def _pose(asf: Asf, values: np.ndarray, angle: float) -> Pose:
    """Poses of all frames, one vectorised step a bone."""
    frames = len(values)
    rot = np.tile(rotation.IDENTITY, (frames, len(asf.bones), 1))
    moves = np.zeros((frames, len(asf.bones), 3))
    start = 0
    for j, bone in enumerate(asf.bones):
        columns = dict(zip(bone.dofs, range(start, start + len(bone.dofs)), strict=True))
        start += len(bone.dofs)
        to_world = _axes(bone, asf.angle)
        turns = [d for d in bone.dofs if d[0] == "r"]
        if j == 0:  # the root's values come in the file's order, but turn in the order of its axis
            turns.sort(key=lambda d: bone.axis_order.index(d[1].upper()))
        if turns:
            order = "".join(d[1].upper() for d in reversed(turns))
            motion = rotation.from_euler(values[:, [columns[d] for d in reversed(turns)]] * angle, order)
            rot[:, j] = rotation.multiply(rotation.multiply(to_world, motion), rotation.conjugate(to_world))
        for k, dof in enumerate(("tx", "ty", "tz")):
            if dof in columns:
                moves[:, j, k] = values[:, columns[dof]]
        if j > 0:  # a bone slides along its own axes, the root along the world's
            moves[:, j] = rotation.rotate(to_world, moves[:, j])
    offsets = _skeleton(asf).offsets
    pos = offsets + moves if any(d[0] == "t" for b in asf.bones[1:] for d in b.dofs) else None
    return Pose(offsets[0] + moves[:, 0], rot, pos)


def _axes(bone: Bone, angle: float) -> np.ndarray:
    """C: the bone's own axes in the zero pose (4,)."""
    order = bone.axis_order[::-1]
    return rotation.from_euler(np.array([bone.axis["XYZ".index(a)] for a in order]) * angle, order)


# --- .amc -----------------------------------------------------------------------------------------------------
def _find_asf(reading: Reading) -> Path:
    """The caller's skeleton, or the .asf beside the motion: same name, same number prefix, or the only one."""
    given = reading.options.skeleton
    if given is not None:
        if given.suffix.lower() != ".asf" or not given.is_file():
            raise reading.fail("", "the skeleton given to be an .asf file", shown(str(given), 200))
        return given
    path = asf_of(reading.path)
    if path is not None:
        return path
    beside = asf_beside(reading.path.parent)
    found = f"{len(beside)} .asf files, none named like it" if beside else "none"
    raise reading.fail("", "the .asf skeleton of this motion beside it", found, "an .asf is needed: skeleton=FILE")


class _Frames:
    """The rows of an AMC as they are read: a flat array, nan where nothing was said."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.blank = array("d", [np.nan]) * width
        self.values = array("d")
        self.numbers: list[int] = []
        self.lines: list[int] = []  # where each frame starts

    def begin(self, frame: int, line: int) -> None:
        self.values.extend(self.blank)
        self.numbers.append(frame)
        self.lines.append(line)

    def drop_last(self) -> None:
        self.numbers.pop()
        self.lines.pop()
        del self.values[len(self.numbers) * self.width :]


def _read_amc(reading: Reading, asf: Asf) -> Amc:
    columns, width = {}, 0
    for bone in asf.bones:
        columns[bone.name] = (width, width + len(bone.dofs))
        width += len(bone.dofs)
    text = split_lines(read_text(reading))
    while text and not text[-1].strip():
        text.pop()
    frames = _Frames(width)
    degrees: bool | None = None
    fps: float | None = None
    for i, line in enumerate(text, start=1):
        words = line.split()
        if not words or words[0][0] == "#":
            continue
        if words[0] in columns:
            if not _take(reading, frames, i, line, words, columns[words[0]], last=i == len(text)):
                break
        elif INTEGER.fullmatch(words[0]) and len(words) == 1:
            frames.begin(int(words[0]), i)
        elif words[0][0] == ":":
            key = words[0][1:].lower()
            if key.startswith(("deg", "rad")):
                degrees = is_degrees(reading, i, key)
            elif key == "samples-per-second" and len(words) > 1:
                fps = number(reading, i, words[1], "frames a second")
                if not 0 < fps <= 1e5:
                    raise reading.fail(i, "frames a second above 0", words[1])
        elif i == len(text) and frames.lines and any(name.startswith(words[0]) for name in columns):
            _drop_cut(reading, frames, i)
        else:
            raise reading.fail(i, "a frame number or a bone of the skeleton", shown(words[0]))
    return Amc(_whole_frames(reading, asf, frames, text), degrees, fps)


def _take(
    reading: Reading, frames: _Frames, i: int, line: str, words: list[str], columns: tuple[int, int], last: bool
) -> bool:
    """One bone's values into the last frame; False when the file was cut in this line and the frame is dropped."""
    start, stop = columns
    if not frames.lines:
        raise reading.fail(i, "a frame number before the first bone", shown(words[0]))
    if len(words) - 1 != stop - start:
        if last and len(words) - 1 < stop - start:
            _drop_cut(reading, frames, i)
            return False
        found = f"{len(words) - 1}"
        raise reading.fail(i, f"{stop - start} values for {shown(words[0])}, as its dof says", found)
    try:
        base = len(frames.values) - frames.width
        frames.values[base + start : base + stop] = array("d", map(float, words[1:]))
    except ValueError:
        if last:
            _drop_cut(reading, frames, i)
            return False
        _check_numbers(reading, i, words)
    if "_" in line or not line.isascii():  # float() takes 1_0 and digits of other scripts
        _check_numbers(reading, i, words)
    return True


def _check_numbers(reading: Reading, line: int, words: list[str]) -> None:
    for word in words[1:]:
        number(reading, line, word)


def _drop_cut(reading: Reading, frames: _Frames, line: int) -> None:
    reading.warn(line, f"the file ends inside frame {frames.numbers[-1]}, which is left out")
    frames.drop_last()


def _whole_frames(reading: Reading, asf: Asf, frames: _Frames, text: list[str]) -> np.ndarray:
    """(T, width) values, all there and finite; a bone no frame speaks of keeps its zero pose."""
    if frames.lines and _is_cut(frames):
        _drop_cut(reading, frames, len(text))
    if not frames.lines:
        raise reading.fail("", "at least one whole frame", "none")
    values = np.frombuffer(frames.values).reshape(-1, frames.width).copy()
    owner = np.repeat(np.arange(len(asf.bones)), [len(b.dofs) for b in asf.bones])
    silent = np.isnan(values).all(axis=0)
    for j in np.unique(owner[silent]):
        name = asf.bones[j].name
        if _line_of(frames, text, 0, name) is None:
            reading.warn("", f"no frame moves {name}: it keeps its zero pose")
            values[:, owner == j] = 0.0
    bad = ~(np.abs(values) < LARGEST)  # also true for nan
    if bad.any():
        frame, column = (int(x) for x in np.argwhere(bad)[0])
        name = asf.bones[owner[column]].name
        line = _line_of(frames, text, frame, name)
        if line is not None:
            _check_numbers(reading, line, text[line - 1].split())
        raise reading.fail(frames.lines[frame], f"values for {name} in frame {frames.numbers[frame]}", "none")
    jumps = np.flatnonzero(np.diff(frames.numbers) != 1)
    if len(jumps):
        a, b = frames.numbers[jumps[0]], frames.numbers[jumps[0] + 1]
        more = f" (and {len(jumps) - 1} more such places)" if len(jumps) > 1 else ""
        reading.warn(frames.lines[jumps[0] + 1], f"frame {b} follows frame {a}{more}: read as neighbours")
    return values


def _is_cut(frames: _Frames) -> bool:
    """The last frame lacks bones that the one before it has."""
    missing = np.isnan(np.frombuffer(frames.values).reshape(-1, frames.width)[-2:])
    return bool((missing[-1] & ~missing[0]).any())


def _line_of(frames: _Frames, text: list[str], frame: int, name: str) -> int | None:
    """Number of the line where a frame speaks of a bone."""
    stop = frames.lines[frame + 1] if frame + 1 < len(frames.lines) else len(text) + 1
    for line in range(frames.lines[frame] + 1, stop):
        if text[line - 1].split()[:1] == [name]:
            return line
    return None
