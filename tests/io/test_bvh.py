"""Reading BVH: every layout, every fault, and both row engines against each other and against scipy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from footfall.core import rotation
from footfall.core.errors import ReadError
from footfall.io import bvh_motion
from footfall.io.load import read_raw
from footfall.io.raw import RawMotion, Reading, ReadOptions

ROOT6 = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
TURNS = "3 Zrotation Xrotation Yrotation"
HIERARCHY = f"""HIERARCHY
ROOT Hips
{{
  OFFSET 1 2 3
  CHANNELS {ROOT6}
  JOINT Knee
  {{
    OFFSET 0 -10 0
    CHANNELS {TURNS}
    End Site
    {{
      OFFSET 0 -5 0
    }}
  }}
}}
"""
MOTION = "MOTION\nFrames: 3\nFrame Time: 0.0333333\n"
ROWS = ["0 90 0 10 20 30 1 2 3", "1 91 0 11 21 31 2 3 4", "2 92 0 12 22 32 3 4 5"]
GOOD = HIERARCHY + MOTION + "\n".join(ROWS) + "\n"
FIRST_ROW = GOOD.split("0 90 0")[0].count("\n") + 1  # line number


@pytest.fixture(params=["plain", "compiled"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of reading rows; every test that takes this runs with each."""
    monkeypatch.setattr(bvh_motion, "COMPILED_FROM", 0 if request.param == "compiled" else 1 << 40)
    return request.param


def read(tmp_path: Path, text: str | bytes, **options: object) -> tuple[list[RawMotion], list[str]]:
    path = tmp_path / "clip.bvh"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    reading = Reading(path, ReadOptions(**options))  # type: ignore[arg-type]
    return read_raw(reading), reading.warnings


def with_rows(*rows: str, frames: int | None = None) -> str:
    return HIERARCHY + MOTION.replace("3\n", f"{len(rows) if frames is None else frames}\n", 1) + "\n".join(rows) + "\n"


# --- what a file means ------------------------------------------------------------------------------------------------
def test_a_plain_file(tmp_path: Path, engine: str) -> None:
    (motion,), warnings = read(tmp_path, GOOD)
    assert warnings == []
    assert motion.skeleton.names == ("Hips", "Knee")
    assert motion.skeleton.parents.tolist() == [-1, 0]
    assert motion.skeleton.end_parents.tolist() == [1]
    np.testing.assert_array_equal(motion.skeleton.end_offsets, [[0, -5, 0]])
    np.testing.assert_array_equal(motion.pose.root_pos, [[0, 90, 0], [1, 91, 0], [2, 92, 0]])
    assert motion.pose.pos is None
    assert motion.fps == 30.0
    expected = Rotation.from_euler("ZXY", [[10, 20, 30], [11, 21, 31], [12, 22, 32]], degrees=True).as_quat()
    np.testing.assert_allclose(motion.pose.rot[:, 0], expected[:, [3, 0, 1, 2]], atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("\n", " \t\n\n"),
        ("HIERARCHY", "\ufeffHIERARCHY"),
        ("  ", "\t"),
        ("HIERARCHY", "hierarchy"),
        ("ROOT Hips\n{", "root Hips {"),
        ("JOINT Knee\n  {", "Joint Knee{"),
        ("End Site", "END SITE toe tip"),
        ("OFFSET", "offset"),
        ("Xrotation", "xROTATION"),
        ("MOTION", "  motion  "),
        ("Frame Time: ", "frame time:\t"),
        ("Frame Time: ", "FrameTime "),
        ("Frames: 3\nFrame Time: 0.0333333\n", "Frame Time: 0.0333333\nFrames: 3\n"),
        ("\n0 90 0 10", "\n+0 9.0e1 -0.0 10."),
        ("\n0 90 0 10", "\n.0 900E-1 0 00010"),
        ("\n0 90 0 10", "\n0 90.0000000000000000000000000 1e-400 10"),
    ],
)
def test_spellings_that_mean_the_same(tmp_path: Path, engine: str, old: str, new: str) -> None:
    assert old in GOOD
    (expected,), _ = read(tmp_path, GOOD)
    (motion,), warnings = read(tmp_path, GOOD.replace(old, new))
    assert warnings == []
    assert motion.skeleton.names == expected.skeleton.names
    np.testing.assert_array_equal(motion.skeleton.offsets, expected.skeleton.offsets)
    np.testing.assert_array_equal(motion.pose.root_pos, expected.pose.root_pos)
    np.testing.assert_allclose(motion.pose.rot, expected.pose.rot, atol=1e-15)


@pytest.mark.parametrize("name", ["Left Up Leg", "mixamorig:Hips", "JOINT", "End", "Motion", "Rücken", "a{b", "OFFSET"])
def test_a_name_is_the_rest_of_its_line(tmp_path: Path, name: str) -> None:
    (motion,), warnings = read(tmp_path, GOOD.replace("JOINT Knee", f"JOINT {name}"))
    assert motion.skeleton.names == ("Hips", name)
    assert warnings == []


def test_old_encodings_are_read_with_a_warning(tmp_path: Path) -> None:
    (motion,), warnings = read(tmp_path, GOOD.replace("Knee", "Rücken").encode("latin-1"))
    assert motion.skeleton.names == ("Hips", "Rücken")
    assert warnings == ["line 6: not UTF-8 text; read as latin-1"]


def test_repeated_names_are_made_unique(tmp_path: Path) -> None:
    leaf = "JOINT {}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n}}\n"
    text = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS {TURNS}\n" + "".join(map(leaf.format, ["a", "a_2", "a"]))
    (motion,), warnings = read(tmp_path, text + "}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2 3 4 5 6\n")
    assert motion.skeleton.names == ("a", "a_3", "a_2", "a_4")
    assert warnings == ["line 6: 2 joints repeat an earlier name; renamed to 'a_3', 'a_4'"]


def test_position_channels_replace_the_offset_axis_by_axis(tmp_path: Path, engine: str) -> None:
    text = GOOD.replace(f"CHANNELS {TURNS}", "CHANNELS 3 Zposition Xrotation Xposition")
    (motion,), _ = read(tmp_path, text)
    assert motion.pose.pos is not None
    np.testing.assert_array_equal(motion.pose.pos[:, 1], [[3, -10, 1], [4, -10, 2], [5, -10, 3]])
    np.testing.assert_array_equal(motion.skeleton.offsets[1], [0, -10, 0])
    expected = rotation.from_euler(np.radians([[2.0], [3.0], [4.0]]), "X")
    np.testing.assert_allclose(motion.pose.rot[:, 1], expected, atol=1e-15)


def test_positions_that_never_change_become_the_skeleton(tmp_path: Path, engine: str) -> None:
    text = HIERARCHY.replace(f"CHANNELS {TURNS}", f"CHANNELS {ROOT6}") + MOTION
    text += "0 1 2 0 0 0 7 8 9 0 0 0\n" * 3
    (motion,), _ = read(tmp_path, text)
    assert motion.pose.pos is None
    np.testing.assert_array_equal(motion.skeleton.offsets[1], [7, 8, 9])


def test_a_root_that_only_turns_stays_at_its_offset(tmp_path: Path, engine: str) -> None:
    text = HIERARCHY.replace(ROOT6, TURNS) + MOTION + "1 2 3 4 5 6\n" * 3
    (motion,), _ = read(tmp_path, text)
    np.testing.assert_array_equal(motion.pose.root_pos, [[1, 2, 3]] * 3)


def test_rotations_before_positions(tmp_path: Path, engine: str) -> None:
    text = GOOD.replace(ROOT6, "6 Zrotation Xrotation Yrotation Xposition Yposition Zposition")
    (motion,), _ = read(tmp_path, text)
    np.testing.assert_array_equal(motion.pose.root_pos[0], [10, 20, 30])
    np.testing.assert_allclose(motion.pose.rot[0, 0], rotation.from_euler(np.radians([0, 90.0, 0]), "ZXY"), atol=1e-15)


def test_two_roots_are_two_motions(tmp_path: Path, engine: str) -> None:
    second = HIERARCHY.removeprefix("HIERARCHY\n").replace("Hips", "Other")
    rows = "".join(f"{row} {row.replace('9', '5')}\n" for row in ROWS)
    motions, warnings = read(tmp_path, HIERARCHY + second + MOTION + rows)
    assert [m.name for m in motions] == ["Hips", "Other"]
    assert [m.skeleton.names[0] for m in motions] == ["Hips", "Other"]
    np.testing.assert_array_equal(motions[0].pose.root_pos[1], [1, 91, 0])
    np.testing.assert_array_equal(motions[1].pose.root_pos[1], [1, 51, 0])
    assert warnings == ["line 16: a second ROOT 'Other': each of the 2 ROOTs is read as a motion of its own"]


def test_a_second_root_without_values_is_ignored(tmp_path: Path, engine: str) -> None:
    second = HIERARCHY.removeprefix("HIERARCHY\n").replace("Hips", "Other")
    motions, warnings = read(tmp_path, HIERARCHY + second + MOTION + "\n".join(ROWS))
    assert len(motions) == 1
    assert warnings == ["line 16: a second ROOT 'Other' that the rows have no values for; ignored"]


def test_a_chain_of_thousands(tmp_path: Path, engine: str) -> None:
    joints = 3000
    body = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\nCHANNELS {TURNS}\n" for i in range(1, joints))
    text = f"HIERARCHY\nROOT j0\n{{\nOFFSET 0 0 0\nCHANNELS {ROOT6}\n{body}" + "}\n" * joints
    text += f"MOTION\nFrames: 1\nFrame Time: 0.04\n{'0 ' * (3 + 3 * joints)}\n"
    (motion,), _ = read(tmp_path, text)
    assert len(motion.skeleton) == joints
    assert motion.pose.rot.shape == (1, joints, 4)


@pytest.mark.parametrize(
    ("text", "fps"),
    [(".0083333", 120), ("0.033333", 30), ("0.0333333000", 30), ("0.0417083750417", 24000 / 1001), ("0.016667", 60),
     ("0.04", 25), ("1.000000", 1), ("0.0083333337679505348", 120), ("0.027", 1 / 0.027),
     ("0.008340283569641367806", 119.9), ("1.6666666666666667e-2", 60)],
)  # fmt: skip
def test_frame_rates(tmp_path: Path, text: str, fps: float) -> None:
    (motion,), _ = read(tmp_path, GOOD.replace("0.0333333", text))
    assert motion.fps == fps
    assert motion.inferred["fps"].value == fps
    assert text in motion.inferred["fps"].how


def test_a_given_rate_cures_a_frame_time_of_zero(tmp_path: Path) -> None:
    (motion,), _ = read(tmp_path, GOOD.replace("0.0333333", "0"), fps=50.0)
    assert motion.fps == 50.0


# --- faults that reading survives -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "frames", "warning"),
    [
        (GOOD.replace("Frames: 3", "Frames: 2"), 3, "line 17: Frames: 2, but 3 rows follow; kept 3"),
        (GOOD.replace("Frames: 3", f"Frames: {10**12}"), 3, f"line 17: Frames: {10**12}, but 3 rows follow; kept 3"),
        (GOOD[:-8], 2, "line 21: the last row is cut after 6 of 9 values; dropped"),
        (GOOD[:-2] + "-", 2, "line 21: the last row is cut after 8 of 9 values; dropped"),
        (GOOD[:-2] + "5e", 2, "line 21: the last row is cut after 8 of 9 values; dropped"),
        (GOOD + "END OF FILE\nmore\n", 3, "line 22: text after the last row ignored: 'END OF FILE'"),
        (GOOD + "\x0c\n", 3, "line 22: text after the last row ignored: '?'"),
        (with_rows(), 0, "line 17: no frames: the file holds only a skeleton"),
        (with_rows(frames=5), 0, "line 17: no frames: the file holds only a skeleton"),
        (GOOD.replace("    OFFSET 0 -5 0\n", "").replace("  OFFSET 0 -5 0\n", ""), 3,
         "line 10: an End Site without OFFSET; taken as zero"),
        (HIERARCHY.replace(f"    CHANNELS {TURNS}\n", "") + MOTION + "\n".join(row[:-6] for row in ROWS), 3,
         "line 6: no CHANNELS, so they never turn: 'Knee'"),
        (GOOD.replace("JOINT Knee", "JOINT"), 3, "line 6: a joint without a name; called 'joint2'"),
        (GOOD.replace(" 10", "\n10").replace(" 11", "\n11").replace(" 12", "\n12"), 3,
         "line 19: rows of 9 values are broken over lines; joined"),
        (HIERARCHY + MOTION + " ".join(ROWS), 3, "line 19: rows of 9 values are broken over lines; joined"),
    ],
)  # fmt: skip
def test_survived_with_a_warning(tmp_path: Path, engine: str, text: str, frames: int, warning: str) -> None:
    (motion,), warnings = read(tmp_path, text)
    assert warnings == [warning]
    assert len(motion.pose.rot) == frames
    expected = [[0, 90, 0], [1, 91, 0], [2, 92, 0]][:frames]
    np.testing.assert_array_equal(motion.pose.root_pos, np.array(expected).reshape(-1, 3))
    with pytest.raises(ReadError, match="strict reading"):
        read(tmp_path, text, strict=True)


# --- faults that it refuses -------------------------------------------------------------------------------------------
BAD = [
    ("", "clip.bvh:line 1: expected HIERARCHY, found an empty file"),
    ("\n\n  \n", "line 1: expected HIERARCHY, found an empty file"),
    ("\x00\xff\x01garbage", "line 1: expected HIERARCHY, found"),
    (GOOD.removeprefix("HIERARCHY\n"), "line 1: expected HIERARCHY, found 'ROOT Hips'"),
    ("HIERARCHY\n" + MOTION, "line 1: expected ROOT, found no joints at all"),
    (HIERARCHY, "line 15: expected MOTION, found the end of the file"),
    (GOOD[:36], "line 4: expected 1 more '}'"),
    (GOOD.replace("}\nMOTION", "MOTION"), "line 15: expected 1 more '}', found the hierarchy still open there"),
    (GOOD.replace("}\nMOTION", "}\n}\nMOTION"), "line 16: expected ROOT or MOTION, found one '}' too many"),
    (GOOD.replace("ROOT", "BONE"), "line 2: expected ROOT or MOTION, found 'BONE Hips'"),
    (GOOD.replace("ROOT Hips\n{", "ROOT Hips\n"), "line 4: expected '{', found 'OFFSET 1 2 3'"),
    (GOOD.replace("CHANNELS 3", "CHANNEL 3"), "line 9: expected OFFSET, CHANNELS, JOINT, End Site or '}', found"),
    (GOOD.replace("CHANNELS 3", "CHANNELS 4"), "line 9: expected 4 channel names after CHANNELS 4, found 3"),
    (GOOD.replace("CHANNELS 3", "CHANNELS x"), "line 9: expected the number of CHANNELS, found 'x'"),
    (GOOD.replace("CHANNELS 3", "CHANNELS -3"), "line 9: expected -3 channel names"),
    (GOOD.replace("3 Zrotation", "3 Wrotation"), "line 9: expected channels named [XYZ]position or [XYZ]rotation"),
    (GOOD.replace("3 Zrotation X", "3 Xrotation X"), "line 9: expected each channel once"),
    (GOOD.replace("OFFSET 0 -10 0", "OFFSET 0 abc 0"), "line 8: expected an OFFSET number, found 'abc'"),
    (GOOD.replace("OFFSET 0 -10 0", "OFFSET 0 inf 0"), "line 8: expected an OFFSET number, found 'inf'"),
    (GOOD.replace("OFFSET 0 -10 0", "OFFSET 0 1_0 0"), "line 8: expected an OFFSET number, found '1_0'"),
    (GOOD.replace("OFFSET 0 -10 0", "OFFSET 0 1e99 0"), "line 8: expected an OFFSET number below 1e+09, found '1e99'"),
    (GOOD.replace("OFFSET 0 -10 0", "OFFSET 0 0"), "line 8: expected 3 OFFSET values, found 2"),
    (GOOD.replace("OFFSET 0 -10 0", "OFFSET 0 0 0\nOFFSET 0 0 0"), "line 9: expected one OFFSET for 'Knee', found a"),
    (GOOD.replace("    OFFSET 0 -10 0\n", ""), "line 13: expected an OFFSET for 'Knee', found '}'"),
    (GOOD.replace("OFFSET 0 -5 0", "JOINT x"), "line 12: expected OFFSET or '}' in an End Site, found 'JOINT x'"),
    (GOOD.replace("OFFSET 0 -5 0", "CHANNELS 1 Xrotation"), "line 12: expected no CHANNELS in an End Site"),
    (GOOD.replace("Frames: 3", "Frames: -5"), "line 17: expected Frames of 0 or more, found -5"),
    (GOOD.replace("Frames: 3", "Frames: many"), "line 17: expected a whole number of Frames, found 'many'"),
    (GOOD.replace("Frames: 3\n", ""), "line 18: expected 'Frames: <number>', found '0 90 0 10 20 30 1 2 3'"),
    (GOOD.replace("Frame Time: 0.0333333\n", ""), "line 18: expected 'Frame Time: <seconds>', found '0 90"),
    (GOOD.split("Frame Time")[0], "line 17: expected 'Frame Time: <seconds>', found the end of the file"),
    (GOOD.replace("0.0333333", "0"), "line 18: expected Frame Time above 0 seconds, up to 1000, found '0' (or give"),
    (GOOD.replace("0.0333333", "-1"), "line 18: expected Frame Time above 0 seconds, up to 1000, found '-1'"),
    (GOOD.replace("0.0333333", "1e-320"), "line 18: expected Frame Time above 0 seconds"),
    (GOOD.replace("0.0333333", "0,033"), "line 18: expected Frame Time in seconds, found '0,033' (decimal comma?"),
    (with_rows(ROWS[0], ROWS[1] + " 99", ROWS[2]), f"line {FIRST_ROW + 1}: expected 9 values in the row, found 10"),
    (with_rows(ROWS[0], ROWS[1] + " 9", ROWS[2][:-2]), f"line {FIRST_ROW + 1}: expected 9 values in the row, found 10"),
    (with_rows(ROWS[0], ROWS[1][:-2], ROWS[2]), f"line {FIRST_ROW + 1}: expected 9 values in the row, found 8"),
    (with_rows(ROWS[0] + " 9", ROWS[1][:-2]), f"line {FIRST_ROW}: expected 9 values in the row, found 10"),
    (with_rows(ROWS[0] + " 9", ROWS[1] + " 9", ROWS[2][:-4]), f"line {FIRST_ROW}: expected 9 values in the row"),
    (with_rows(ROWS[0][:-2]), f"line {FIRST_ROW}: expected 9 values in the row, found 8"),
    (with_rows(ROWS[0], "", "x", ROWS[2]), f"line {FIRST_ROW + 2}: expected a number as value 1 of the row, found 'x'"),
    (GOOD.replace(" 10\n", " 10,5\n").replace("0 90", "0,5 90"), "found '0,5' (decimal comma? export it again"),
]  # fmt: skip
WORDS = ["nan", "-inf", "1.2.3", "--1", "1e", "e5", ".", "-", "+-3", "1_0", "0x10", "1e400", "1e9", "-2e9", "٣",
         "1\x0c2", "9" * 400, "1e99999999999999999999", "1d5", "1;", "#", "5-3", "1\x00"]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_refused_with_the_line(tmp_path: Path, engine: str, text: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, text.encode("latin-1", "replace") if "\xff" in text else text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("clip.bvh:line ")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_words_that_are_no_numbers(tmp_path: Path, engine: str, word: str, end: str) -> None:
    text = with_rows(ROWS[0], ROWS[1].replace(" 21 ", f" {word} "), ROWS[2]).replace("\n", end)
    with pytest.raises(ReadError, match=rf"line {FIRST_ROW + 1}: expected a number .*as value 5 of the row, found"):
        read(tmp_path, text)


def test_too_many_joints(tmp_path: Path) -> None:
    body = "JOINT j\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n" * 20_000
    with pytest.raises(ReadError, match="expected at most 20000 joints"):
        read(tmp_path, f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{body}}}\nMOTION\n")


def test_few_columns_cannot_ask_for_much_memory(tmp_path: Path, engine: str) -> None:
    body = "JOINT j\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n" * 5_000
    head = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{body}}}\nMOTION\nFrames: 9\nFrame Time: 1\n"
    with pytest.raises(ReadError, match="expected at most 100000000 joint poses"):
        read(tmp_path, head + "1\n" * 30_000)


# --- the two engines (more in tests/runtime/test_scan.py) ----------------------------------------------------------
def test_ordinary_files_do_not_import_numba(tmp_path: Path) -> None:
    path = tmp_path / "clip.bvh"
    path.write_text(with_rows(*ROWS * 1000))
    code = (
        "import sys; from pathlib import Path; from footfall.io.load import read_raw;"
        "from footfall.io.raw import Reading, ReadOptions;"
        f"read_raw(Reading(Path({str(path)!r}), ReadOptions())); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- real files -------------------------------------------------------------------------------------------------------
REFUSED = {
    "decimal_comma__02_01": 188,
    "nan_row__02_01": 218,
    "unbalanced_brace__02_01": 184,
    "zero_frame_time__02_01": 187,
}
WARNED = {"frames_header_too_big__02_01", "multi_root__02_01", "truncated_last_row__02_01", "wrapped_rows__02_01",
          "frames_header_mismatch_Up_Center", "zero_frames_CatchSkeleton"}  # fmt: skip


def test_real_captures(mocap: Path) -> None:
    paths = sorted(mocap.rglob("*.bvh"))
    assert paths
    for path in paths:
        reading = Reading(path, ReadOptions())
        if path.stem in REFUSED:
            with pytest.raises(ReadError, match=f"line {REFUSED[path.stem]}:"):
                read_raw(reading)
            continue
        for motion in read_raw(reading):
            assert np.isfinite(motion.pose.root_pos).all()
            np.testing.assert_allclose((motion.pose.rot**2).sum(axis=-1), 1.0, atol=1e-12)
        assert bool(reading.warnings) == (path.stem in WARNED), (path, reading.warnings)


def test_wrapped_rows_of_a_capture_are_the_same_motion(mocap: Path) -> None:
    folder = mocap / "oddball" / "derived"
    wrapped, whole = (
        read_raw(Reading(folder / f"{name}__02_01.bvh", ReadOptions()))[0]
        for name in ("wrapped_rows", "missing_endsites")
    )
    np.testing.assert_array_equal(wrapped.pose.root_pos, whole.pose.root_pos)
    np.testing.assert_array_equal(wrapped.pose.rot, whole.pose.rot)
