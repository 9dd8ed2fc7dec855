"""ASF/AMC: forward kinematics against plain 4x4 matrices, CMU captures against their BVH, and broken files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz import mutations, survives
from hypothesis import given
from hypothesis import strategies as st

from footfall.core.errors import ReadError
from footfall.io.load import read_raw
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.kinematics.fk import end_positions, world_positions, world_transforms

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")

ASF = """# a comment
:version 1.10
:name TEST
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  begin of nothing
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 0 -1 0
     length 4
     axis 0 0 20 XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
  begin
     id 2
     name shin
     direction 0 -1 0
     length 3
     axis 0 0 20 XYZ
     dof rx
  end
:hierarchy
  begin
    root thigh
    thigh shin
  end
"""
AMC = """#!OML:ASF test
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 90 0
thigh 10 20 30
shin 40
2
root 1 2 4 0 0 0
thigh 0 0 0
shin 90
3
root 1 2 5 0 0 0
thigh 0 0 0
shin 0
"""


def read(folder: Path, asf: str = ASF, amc: str | bytes = AMC, name: str = "a_01.amc", **options: object) -> RawMotion:
    raw, _ = read_with_warnings(folder, asf, amc, name, **options)
    return raw


def read_with_warnings(
    folder: Path, asf: str = ASF, amc: str | bytes = AMC, name: str = "a_01.amc", **options: object
) -> tuple[RawMotion, list[str]]:
    (folder / "a.asf").write_bytes(asf.encode())
    (folder / name).write_bytes(amc if isinstance(amc, bytes) else amc.encode())
    reading = Reading(folder / name, ReadOptions(**options))  # type: ignore[arg-type]
    return read_raw(reading)[0], reading.warnings


# --- an independent, plain implementation -----------------------------------------------------------------------
def turn(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    m = np.eye(4)
    i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
    m[i, i], m[i, j], m[j, i], m[j, j] = c, -s, s, c
    return m


def shift(v: np.ndarray) -> np.ndarray:
    m = np.eye(4)
    m[:3, 3] = v
    return m


def successive(letters: str, angles: list[float]) -> np.ndarray:
    """The first letter's turn applied first."""
    m = np.eye(4)
    for letter, angle in zip(letters, angles, strict=True):
        m = turn(letter, angle) @ m
    return m


class Body:
    """A random Acclaim body and motion, as text and as 4x4 matrices."""

    def __init__(self, seed: int, bones: int, frames: int) -> None:
        rng = np.random.default_rng(seed)
        self.in_degrees, self.frames = bool(rng.integers(2)), frames
        self.factor = np.pi / 180 if self.in_degrees else 1.0
        self.bones = [self._bone(rng, i) for i in range(bones)]
        self.parents = [int(rng.integers(-1, i)) for i in range(bones)]
        self.root_order = list(rng.permutation(["TX", "TY", "TZ", "RX", "RY", "RZ"]))
        self.root_axis = str(rng.choice(ORDERS))
        self.orientation, self.position = self._angles(rng, 3), rng.normal(size=3)
        self.motion = [[self._values(rng, b["dof"]) for b in self.bones] for _ in range(frames)]
        self.root_motion = [self._values(rng, [d.lower() for d in self.root_order]) for _ in range(frames)]
        self.rng = rng

    def _angles(self, rng: np.random.Generator, n: int) -> list[float]:
        return [float(x) for x in rng.uniform(-3, 3, n) / self.factor]

    def _values(self, rng: np.random.Generator, dofs: list[str]) -> list[float]:
        return [self._angles(rng, 1)[0] if d[0] == "r" else float(rng.normal()) for d in dofs]

    def _bone(self, rng: np.random.Generator, i: int) -> dict:
        dofs = list(rng.permutation(["rx", "ry", "rz", "tx", "ty", "tz"]))[: int(rng.integers(0, 5))]
        if rng.random() < 0.6:
            dofs = [d for d in dofs if d[0] == "r"]
        return {
            "name": f"Bone_{i}", "direction": rng.normal(size=3), "length": float(rng.uniform(0, 3)),
            "axis": self._angles(rng, 3), "order": str(rng.choice(ORDERS)), "dof": [str(d) for d in dofs],
        }  # fmt: skip

    def asf(self) -> str:
        unit = "deg" if self.in_degrees else "rad"
        out = [":units", "\tlength\t0.45", f" angle {unit} # comment", ":root", " order " + " ".join(self.root_order)]
        out += [f" axis {self.root_axis}", " position " + numbers(self.position)]
        out += [" orientation " + numbers(self.orientation), ":bonedata"]
        for i, b in enumerate(self.bones):
            keys = [f"id {i}", f"name {b['name']}", "direction " + numbers(b["direction"]), f"length {b['length']!r}"]
            keys += [f"axis {numbers(b['axis'])}  {b['order']}"] + (["dof " + " ".join(b["dof"])] if b["dof"] else [])
            out += ["begin", *(f"\t {keys[k]} " for k in self.rng.permutation(len(keys))), "end"]
        out += [":hierarchy", "begin"]
        out += [
            f"{self.bones[p]['name'] if p >= 0 else 'root'} {b['name']}"
            for p, b in zip(self.parents, self.bones, strict=True)
        ]
        return "\r\n".join([*out, "end"])

    def amc(self) -> str:
        out = [":FULLY-SPECIFIED", ":DEGREES" if self.in_degrees else ":radians"]
        for f in range(self.frames):
            rows = [f"{b['name']} {numbers(v)}" for b, v in zip(self.bones, self.motion[f], strict=True) if v]
            rows.append("root " + numbers(self.root_motion[f]))
            out += [str(f + 1), *(rows[i] for i in self.rng.permutation(len(rows)))]
        return "\n".join(out)

    def local(self, axis: list[float], order: str, dofs: list[str], values: list[float], turn_order: str) -> np.ndarray:
        """C M C^-1, translation included."""
        c = successive(order, [axis["XYZ".index(a)] * self.factor for a in order])
        given = dict(zip(dofs, values, strict=True))
        m = successive(turn_order, [given["r" + a.lower()] * self.factor for a in turn_order])
        t = shift(np.array([given.get("t" + a, 0.0) for a in "xyz"]))
        return c @ t @ m @ np.linalg.inv(c)

    def positions(self, f: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Start and end of every bone by name."""
        dofs = [d.lower() for d in self.root_order]
        values = [0.0 if d[0] == "t" else v for d, v in zip(dofs, self.root_motion[f], strict=True)]
        move = dict(zip(dofs, self.root_motion[f], strict=True))
        at = shift(self.position + np.array([move["tx"], move["ty"], move["tz"]]))
        worlds = {-1: at @ self.local(self.orientation, self.root_axis, dofs, values, self.root_axis)}
        tips = {-1: np.zeros(3)}
        starts, ends = {"root": worlds[-1][:3, 3]}, {}
        for i, b in enumerate(self.bones):
            order = "".join(d[1].upper() for d in b["dof"] if d[0] == "r")
            local = self.local(b["axis"], b["order"], b["dof"], self.motion[f][i], order)
            p = self.parents[i]
            worlds[i] = worlds[p] @ shift(tips[p]) @ local
            tips[i] = b["direction"] * b["length"]
            starts[b["name"]] = worlds[i][:3, 3]
            ends[b["name"]] = (worlds[i] @ np.array([*tips[i], 1.0]))[:3]
        return starts, ends


def numbers(values: object) -> str:
    return " ".join(repr(float(v)) for v in values)  # type: ignore[attr-defined]


@given(seed=st.integers(0, 2**32 - 1), bones=st.integers(1, 8), frames=st.integers(1, 4))
def test_kinematics_match_plain_matrices(
    tmp_path_factory: pytest.TempPathFactory, seed: int, bones: int, frames: int
) -> None:
    body = Body(seed, bones, frames)
    raw = read(tmp_path_factory.mktemp("amc"), body.asf(), body.amc())
    positions, rotations = world_transforms(raw.skeleton, raw.pose)
    tips = end_positions(raw.skeleton, positions, rotations)
    assert len(raw.skeleton) == bones + 1
    leaves = [raw.skeleton.names[j] for j in raw.skeleton.end_parents]
    assert set(leaves) == {b["name"] for i, b in enumerate(body.bones) if i not in body.parents}
    for f in range(frames):
        starts, ends = body.positions(f)
        for j, name in enumerate(raw.skeleton.names):
            np.testing.assert_allclose(positions[f, j], starts[name], atol=1e-9)
        for e, name in enumerate(leaves):
            np.testing.assert_allclose(tips[f, e], ends[name], atol=1e-9)


def test_legs_agree_with_the_bvh_of_the_same_take(mocap: Path) -> None:
    amc = read_raw(Reading(mocap / "cmu_asfamc" / "02_01.amc", ReadOptions()))[0]
    bvh = read_raw(Reading(mocap / "cmu_bvh" / "walk_straight" / "02_01.bvh", ReadOptions()))[0]
    ours, theirs = world_positions(amc.skeleton, amc.pose), world_positions(bvh.skeleton, bvh.pose)
    assert len(theirs) == len(ours) + 1  # the BVH has a T-pose in front
    assert amc.unit_m is not None
    for bone, joint in (
        ("lfoot", "LeftFoot"),
        ("rfoot", "RightFoot"),
        ("ltoes", "LeftToeBase"),
        ("rtoes", "RightToeBase"),
    ):
        a, b = ours[:, amc.skeleton.index(bone)], theirs[1:, bvh.skeleton.index(joint)]
        assert np.abs(a - b).max() * amc.unit_m < 1e-4  # metres


def test_a_skeleton_alone_has_no_frames_and_no_warnings(tmp_path: Path) -> None:
    (tmp_path / "a.asf").write_text(ASF)
    reading = Reading(tmp_path / "a.asf", ReadOptions())
    (raw,) = read_raw(reading)
    assert raw.pose.batch == (0,)
    assert raw.skeleton.names == ("root", "thigh", "shin")
    assert raw.skeleton.offsets.tolist() == [[0, 0, 0], [0, 0, 0], [0, -4, 0]]
    assert raw.skeleton.end_offsets.tolist() == [[0, -3, 0]]
    assert reading.warnings == []


def test_frame_rate_is_assumed_given_or_in_the_file(tmp_path: Path) -> None:
    raw, warnings = read_with_warnings(tmp_path)
    assert raw.fps == 120.0
    assert raw.inferred["fps"].confidence < 1.0
    assert warnings == []
    assert read(tmp_path, fps=60.0).fps == 60.0
    stated = read(tmp_path, amc=AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 30"))
    assert stated.fps == 30.0
    assert "fps" not in stated.inferred


def test_unit_comes_from_the_length_factor(tmp_path: Path) -> None:
    assert read(tmp_path).unit_m == pytest.approx(0.0254 / 0.45)
    assert read(tmp_path, ASF.replace("length 0.45", "length 1.0")).unit_m is None


def test_angle_unit_of_each_file_is_its_own(tmp_path: Path) -> None:
    radians = AMC.replace(":DEGREES", ":RADIANS")
    for degrees in ("10 20 30", "root 1 2 3 0 90 0", "shin 40", "shin 90"):
        words = degrees.split()
        keep = 4 if words[0] == "root" else 1 if words[0] == "shin" else 0
        changed = words[:keep] + [repr(float(np.radians(float(w)))) for w in words[keep:]]
        radians = radians.replace(degrees, " ".join(changed))
    np.testing.assert_allclose(read(tmp_path, amc=radians).pose.rot, read(tmp_path).pose.rot, atol=1e-12)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_tabs_and_comments(tmp_path: Path, end: str) -> None:
    odd = AMC.replace(" ", "\t").replace("\n2\n", "\n\n# between\n2  \n").replace("\n", end)
    plain = read(tmp_path)
    got = read(tmp_path, asf=ASF.replace("\n", end), amc=odd)
    np.testing.assert_array_equal(got.pose.rot, plain.pose.rot)
    np.testing.assert_array_equal(got.pose.root_pos, plain.pose.root_pos)


@pytest.mark.parametrize(
    ("motion", "skeletons", "found"),
    [
        ("x.amc", ("x.asf", "y.asf"), "x.asf"),
        ("02_01.amc", ("02.asf", "03.asf"), "02.asf"),
        ("02_01_b.amc", ("02.asf", "02_01.ASF"), "02_01.ASF"),
        ("x.amc", ("other.asf",), "other.asf"),
    ],
)
def test_motion_finds_its_skeleton(tmp_path: Path, motion: str, skeletons: tuple[str, ...], found: str) -> None:
    for name in skeletons:
        length = "7" if name == found else "8"
        (tmp_path / name).write_text(ASF.replace("length 4", f"length {length}"))
    (tmp_path / motion).write_text(AMC)
    raw = read_raw(Reading(tmp_path / motion, ReadOptions()))[0]
    assert raw.skeleton.offsets[2].tolist() == [0, -7, 0]


def test_motion_without_skeleton_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "x.amc").write_text(AMC)
    with pytest.raises(ReadError, match=r"x\.amc.*\.asf is needed"):
        read_raw(Reading(tmp_path / "x.amc", ReadOptions()))
    for name in ("y.asf", "z.asf"):
        (tmp_path / name).write_text(ASF)
    with pytest.raises(ReadError, match=r"2 \.asf files, none named like it"):
        read_raw(Reading(tmp_path / "x.amc", ReadOptions()))
    raw = read_raw(Reading(tmp_path / "x.amc", ReadOptions(skeleton=tmp_path / "z.asf")))[0]
    assert raw.pose.batch == (3,)
    with pytest.raises(ReadError, match="skeleton given"):
        read_raw(Reading(tmp_path / "x.amc", ReadOptions(skeleton=tmp_path / "no.asf")))


BAD_AMC = {
    "unknown bone": (AMC.replace("thigh 0", "thumb 0", 1), "line 10: expected a frame number or a bone.*'thumb'"),
    "too many values": (AMC.replace("shin 90", "shin 90 1"), "line 11: expected 1 values for 'shin'.*found 2"),
    "too few values": (AMC.replace("thigh 10 20 30", "thigh 10 20"), "line 6: expected 3 values"),
    "nan": (AMC.replace("shin 90", "shin nan"), "line 11: .*'nan'"),
    "infinite": (AMC.replace("shin 90", "shin 1e999"), "line 11: .*'1e999'"),
    "underscore": (AMC.replace("shin 90", "shin 9_0"), "line 11: .*'9_0'"),
    "decimal comma": (AMC.replace("shin 90", "shin 9,5"), "line 11: .*decimal comma"),
    "bone missing": (AMC.replace("shin 90\n", ""), "line 8: expected values for shin in frame 2"),
    "no frame number": (AMC.replace("\n1\n", "\n", 1), "line 4: expected a frame number before"),
    "no frames": (":DEGREES\n", "at least one whole frame"),
    "empty": ("", "at least one whole frame"),
    "rate of 0": (":SAMPLES-PER-SECOND 0\n" + AMC, "line 1: expected frames a second above 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_AMC)
def test_bad_motion_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    text, message = BAD_AMC[case]
    with pytest.raises(ReadError, match=message):
        read(tmp_path, amc=text)


BAD_ASF = {
    "empty": ("", "a section :root"),
    "no hierarchy": (ASF.split(":hierarchy")[0], "a section :hierarchy"),
    "not an asf": ("HIERARCHY\nROOT Hips\n", "line 1: expected a section"),
    "unknown bone": (ASF.replace("thigh shin", "thigh ghost"), "line 38: .*'ghost'"),
    "two parents": (ASF.replace("thigh shin", "thigh shin\nroot shin"), "line 39: .*second one for 'shin'"),
    "cycle": (ASF.replace("root thigh", "shin thigh"), "every bone below root.*'shin', 'thigh'"),
    "same name twice": (ASF.replace("name shin", "name thigh"), "line 34: expected a bone with a name of its own"),
    "no end": (ASF.replace("     dof rx\n  end\n", "     dof rx\n"), "line 33: expected end of the last bone"),
    "unknown dof": (ASF.replace("dof rx\n", "dof rw\n"), "line 33: .*'rw'"),
    "dof twice": (ASF.replace("dof rx\n", "dof rx rx\n"), "line 33: .*at most once"),
    "unknown order": (ASF.replace("20 XYZ", "20 XYX", 1), "line 21: .*'XYX'"),
    "two numbers": (ASF.replace("direction 0 -1 0", "direction 0 -1", 1), "line 19: expected three numbers"),
    "not a number": (ASF.replace("length 4", "length x"), "line 20: .*'x'"),
    "angle unit": (ASF.replace("angle deg", "angle grad"), "line 7: expected deg or rad"),
    "length factor": (ASF.replace("length 0.45", "length 0"), "line 6: .*above 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_ASF)
def test_bad_skeleton_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    text, message = BAD_ASF[case]
    (tmp_path / "bad.asf").write_text(text)
    with pytest.raises(ReadError, match=message):
        read_raw(Reading(tmp_path / "bad.asf", ReadOptions()))


@pytest.mark.parametrize(
    ("cut", "line"),
    [("shin 0\n", 14), ("thigh 0 0 0\nshin 0\n", 13), ("in 0\n", 15), ("0\n", 15), ("0 0\nshin 0\n", 14)],
)
def test_a_cut_last_frame_is_dropped_with_a_warning(tmp_path: Path, cut: str, line: int) -> None:
    assert AMC.endswith(cut)
    raw, warnings = read_with_warnings(tmp_path, amc=AMC.removesuffix(cut))
    assert raw.pose.batch == (2,)
    assert warnings == [f"line {line}: the file ends inside frame 3, which is left out"]
    with pytest.raises(ReadError, match="strict"):
        read(tmp_path, amc=AMC.removesuffix(cut), strict=True)


def test_gaps_in_frame_numbers_and_silent_bones_are_reported(tmp_path: Path) -> None:
    raw, warnings = read_with_warnings(tmp_path, amc=AMC.replace("\n3\n", "\n7\n"))
    assert raw.pose.batch == (3,)
    assert warnings == ["line 12: frame 7 follows frame 2: read as neighbours"]
    silent = "\n".join(line for line in AMC.split("\n") if not line.startswith("shin"))
    raw, warnings = read_with_warnings(tmp_path, amc=silent)
    assert warnings == ["no frame moves shin: it keeps its zero pose"]
    np.testing.assert_allclose(raw.pose.rot[:, 2], [[1, 0, 0, 0]] * 3, atol=1e-15)


def test_warnings_of_the_skeleton_name_it(tmp_path: Path) -> None:
    _, warnings = read_with_warnings(tmp_path, ASF.replace("dof rx\n", "dof rx l\n"), AMC.replace("shin ", "shin 0 "))
    assert warnings == ["a.asf: line 33: bones that change length (dof l) keep their length"]


def test_broken_copies_only_give_read_errors(tmp_path: Path) -> None:
    (tmp_path / "a.asf").write_text(ASF)

    def read_it(path: Path) -> object:
        return [world_positions(r.skeleton, r.pose) for r in read_raw(Reading(path, ReadOptions()))]

    good = sum(survives(read_it, data, tmp_path / "a_01.amc", ReadError) for data in mutations(AMC.encode(), 300))
    good += sum(survives(read_it, data, tmp_path / "b.asf", ReadError) for data in mutations(ASF.encode(), 300))
    assert 0 < good < 600
