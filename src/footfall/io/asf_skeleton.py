"""Acclaim skeleton files (.asf), parsed: bones parent first, as they are in the file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from footfall.core.skeleton import MAX_JOINTS
from footfall.io.raw import Reading
from footfall.io.text import number, read_text, shown, split_lines

INCH = 0.0254
DOFS = ("tx", "ty", "tz", "rx", "ry", "rz", "l")
MAX_ASF = 64 << 20  # bytes
ORDERS = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"}

Lines = list[tuple[int, list[str]]]  # line number and words


@dataclass(frozen=True)
class Bone:
    """One entry of an ASF; the root is one with length 0."""

    name: str
    direction: tuple[float, float, float] = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)  # angles about x, y and z, in the file's unit
    axis_order: str = "XYZ"  # the first is applied first
    dofs: tuple[str, ...] = ()  # in the order of the values of an AMC line
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the root


@dataclass
class Asf:
    """A skeleton file: bones parent first, the root at 0."""

    bones: list[Bone] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    length: float = 1.0
    degrees: bool = True

    @property
    def angle(self) -> float:
        return np.pi / 180.0 if self.degrees else 1.0

    @property
    def unit_m(self) -> float | None:
        """CMU's convention: a unit is 1/length inches; a length of 1 says nothing."""
        return INCH / self.length if self.length != 1.0 else None


def read_asf(reading: Reading) -> Asf:
    size = reading.path.stat().st_size
    if size > MAX_ASF:
        raise reading.fail("", f"a skeleton below {MAX_ASF >> 20} MB", f"{size >> 20} MB")
    sections = _sections(reading)
    for name in ("root", "bonedata", "hierarchy"):
        if name not in sections:
            raise reading.fail("", f"a section :{name}", f"only {' '.join(':' + shown(s)[1:-1] for s in sections)}")
    asf = Asf()
    for line, words in sections.get("units", ()):
        key = words[0].lower()
        if key == "length" and len(words) > 1:
            asf.length = number(reading, line, words[1], "a length factor")
            if not asf.length > 0:
                raise reading.fail(line, "a length factor above 0", words[1])
        if key == "angle" and len(words) > 1:
            asf.degrees = is_degrees(reading, line, words[1])
    bones = {"root": _read_root(reading, sections["root"])}
    for bone in _read_bones(reading, sections["bonedata"]):
        bones[bone.name] = bone
    parent_of = _read_hierarchy(reading, sections["hierarchy"], bones)
    _order_bones(reading, asf, bones, parent_of)
    return asf


def _sections(reading: Reading) -> dict[str, Lines]:
    """Lines below each :keyword, without comments, in words."""
    sections: dict[str, Lines] = {}
    current: Lines | None = None
    for i, text in enumerate(split_lines(read_text(reading)), start=1):
        words = text.split("#", 1)[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            current = sections.setdefault(words[0][1:].lower(), [])
        elif current is None:
            raise reading.fail(i, "a section that starts with ':'", shown(text.strip()))
        else:
            current.append((i, words))
    return sections


def is_degrees(reading: Reading, line: int, word: str) -> bool:
    if word.lower().startswith("deg"):
        return True
    if word.lower().startswith("rad"):
        return False
    raise reading.fail(line, "deg or rad", shown(word))


def _triple(reading: Reading, line: int, words: list[str]) -> tuple[float, float, float]:
    if len(words) < 4:
        raise reading.fail(line, f"three numbers after {words[0]}", f"{len(words) - 1}")
    x, y, z = (number(reading, line, w) for w in words[1:4])
    return x, y, z


def _axis_order(reading: Reading, line: int, word: str) -> str:
    if word.upper() not in ORDERS:
        raise reading.fail(line, "an order such as XYZ", shown(word))
    return word.upper()


def _dofs(reading: Reading, line: int, words: list[str]) -> tuple[str, ...]:
    dofs = tuple(w.lower() for w in words[1:])
    unknown = [d for d in dofs if d not in DOFS]
    if unknown or len(set(dofs)) != len(dofs):
        raise reading.fail(line, f"each of {' '.join(DOFS)} at most once", shown(" ".join(words[1:])))
    if "l" in dofs:
        reading.warn(line, "bones that change length (dof l) keep their length")
    return dofs


def _read_root(reading: Reading, lines: Lines) -> Bone:
    root = Bone("root", dofs=("tx", "ty", "tz", "rx", "ry", "rz"))
    for line, words in lines:
        key = words[0].lower()
        if key == "order":
            root = replace(root, dofs=_dofs(reading, line, words))
        elif key == "axis" and len(words) > 1:
            root = replace(root, axis_order=_axis_order(reading, line, words[1]))
        elif key == "position":
            root = replace(root, position=_triple(reading, line, words))
        elif key == "orientation":
            root = replace(root, axis=_triple(reading, line, words))
    return root


def _read_bones(reading: Reading, lines: Lines) -> list[Bone]:
    """The bones, their keys in any order; keys that do not shape the motion (id, limits, masses) are passed over."""
    bones: list[Bone] = []
    names: set[str] = {"root"}
    bone: Bone | None = None
    for line, words in lines:
        key = words[0].lower()
        if key == "begin":
            bone = Bone("")
        elif bone is None:
            raise reading.fail(line, "begin", shown(words[0]))
        elif key == "end":
            if not bone.name or bone.name in names:
                raise reading.fail(line, "a bone with a name of its own", shown(bone.name))
            names.add(bone.name)
            bones.append(bone)
            bone = None
        elif key == "name" and len(words) > 1:
            bone = replace(bone, name=words[1])
        elif key == "direction":
            bone = replace(bone, direction=_triple(reading, line, words))
        elif key == "length" and len(words) > 1:
            bone = replace(bone, length=number(reading, line, words[1]))
            if bone.length < 0.0:
                raise reading.fail(line, "a bone's length of 0 or more", shown(words[1]))
        elif key == "axis":
            order = _axis_order(reading, line, words[4] if len(words) > 4 else "XYZ")
            bone = replace(bone, axis=_triple(reading, line, words), axis_order=order)
        elif key == "dof":
            bone = replace(bone, dofs=_dofs(reading, line, words))
    if bone is not None:
        raise reading.fail(lines[-1][0], "end of the last bone", "the end of :bonedata")
    if len(bones) >= MAX_JOINTS:
        raise reading.fail("", f"at most {MAX_JOINTS} bones", f"{len(bones)}")
    return bones


def _read_hierarchy(reading: Reading, lines: Lines, bones: dict[str, Bone]) -> dict[str, str]:
    """Parent of every bone but the root."""
    parent_of: dict[str, str] = {}
    for line, words in lines:
        if len(words) == 1 and words[0].lower() in ("begin", "end"):
            continue
        parent = words[0]
        for name in words:
            if name not in bones:
                raise reading.fail(line, "bones of :bonedata", shown(name))
        for child in words[1:]:
            if child in parent_of or child == "root":
                raise reading.fail(line, "one parent for each bone", f"a second one for {shown(child)}")
            parent_of[child] = parent
    return parent_of


def _order_bones(reading: Reading, asf: Asf, bones: dict[str, Bone], parent_of: dict[str, str]) -> None:
    """Bones depth first from the root; whatever the root does not reach is an error."""
    children: dict[str, list[str]] = {}
    for child, parent in parent_of.items():
        children.setdefault(parent, []).append(child)
    stack: list[tuple[str, int]] = [("root", -1)]
    while stack:
        name, parent_index = stack.pop()
        stack += [(child, len(asf.bones)) for child in reversed(children.get(name, ()))]
        asf.bones.append(bones[name])
        asf.parents.append(parent_index)
    if len(asf.bones) != len(bones):
        lost = sorted(set(bones) - {b.name for b in asf.bones})
        raise reading.fail("", "every bone below root in :hierarchy", f"not {', '.join(map(shown, lost[:5]))}")
