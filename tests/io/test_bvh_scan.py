"""The compiled scanner: number by number against float(), row by row against its readable twin and scipy."""

from __future__ import annotations

import os
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.core import rotation
from footfall.io import bvh_rows
from footfall.io import bvh_scan as scan
from footfall.io import bvh_scan_kernels as scan_kernels
from footfall.io.bvh_hierarchy import BvhChannel, Joint
from footfall.io.text import LARGEST, NUMBER


def compiled(data: bytes, start: int, end: int, layout: bvh_rows.RowLayout) -> bvh_rows.Rows:
    return scan.scan_poses(data, start, end, layout)


def from_file(data: bytes, start: int, rows: int, layout: bvh_rows.RowLayout) -> bvh_rows.Rows | None:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        return scan.scan_file(file.fileno(), start, len(data), rows, layout)


ENGINES = (bvh_rows.scan_plain, compiled)
PLACES = bvh_rows.layout_of([Joint("r", -1, 1, channels=[BvhChannel(i, False, i) for i in range(3)])], 3)


def turning(joints: int) -> bvh_rows.RowLayout:
    """Joints with three turns each."""
    channels = [[BvhChannel(3 * i + k, True, k) for k in range(3)] for i in range(joints)]
    return bvh_rows.layout_of([Joint(f"j{i}", i - 1, 1, channels=c) for i, c in enumerate(channels)], 3 * joints)


# --- numbers ----------------------------------------------------------------------------------------------------------
def numbers() -> st.SearchStrategy[str]:
    values = st.floats(-1e6, 1e6)
    shapes = st.sampled_from(
        ["{!r}", "{:.4f}", "{:.6e}", "{:.25f}", "{:+.3E}", "{:.0f}.", "{:g}", "{:.12f}000000000000"]
    )
    return st.builds(str.format, shapes, values)


@given(
    st.lists(numbers(), min_size=3, max_size=30), st.sampled_from([" ", "\t", "  "]), st.sampled_from(["\n", "\r\n"])
)
def test_numbers_are_read_as_python_reads_them(words: list[str], gap: str, end: str) -> None:
    rows = [words[i : i + 3] for i in range(0, len(words) - 2, 3)]
    data = end.join(gap.join(row) for row in rows).encode()
    expected = np.array(rows, float)
    for engine in ENGINES:
        found = engine(data, 0, len(data), PLACES)
        assert found.stop == len(data)
        np.testing.assert_allclose(found.moves, expected, rtol=1e-15, atol=1e-290)


def plain_decimals() -> st.SearchStrategy[str]:
    """Decimal numbers without exponent, of up to 15 digits: float() and one division both round once."""
    whole = st.tuples(st.sampled_from(["", "-", "+"]), st.text("0123456789", max_size=9)).map("".join)
    part = st.one_of(st.just(""), st.text("0123456789", max_size=15).map(".".__add__))
    return st.builds(lambda a, b: a + b[: 16 - len(a)], whole, part).filter(NUMBER.fullmatch)


@given(st.lists(plain_decimals(), min_size=1, max_size=20), st.integers(0, 9))
def test_plain_decimals_are_read_to_the_last_bit(words: list[str], before: int) -> None:
    """Whatever stands around it, and wherever in a block of rows it stands."""
    words = ["1.25"] * 3 * before + words + ["-0"] * (-len(words) % 3)
    data = "\n".join(" ".join(words[i : i + 3]) for i in range(0, len(words), 3)).encode()
    values = compiled(data, 0, len(data), PLACES).moves.ravel()
    expected = np.array([float(word) for word in words])
    np.testing.assert_array_equal(values.view(np.int64), expected.view(np.int64))


@given(st.lists(st.text("0123456789.-+eE,x\x00\x0b\xa0", min_size=1, max_size=20), min_size=1, max_size=6))
def test_what_is_no_number_is_not_read(words: list[str]) -> None:
    """A word among good ones stops the scan exactly if it is no number, or no sane one."""
    for word in words:
        rows = [b"1.5 2.5 3.5"] * 9 + [b"4.5 " + word.encode("latin-1") + b" 5.5"] + [b"6 7 8"] * 3
        data = b"\n".join(rows)
        good = NUMBER.fullmatch(word) is not None and abs(float(word)) < LARGEST
        assert compiled(data, 0, len(data), PLACES).stop == (len(data) if good else data.index(b"4.5 ")), word


def test_many_short_words_in_few_bytes() -> None:
    data = b"1 2 3\n" * 100 + b"4 5\n"
    found = compiled(data, 0, len(data), PLACES)
    assert found.moves.tolist() == [[1, 2, 3]] * 100
    assert found.stop == 600
    wide = b"1 " * 5000
    assert compiled(wide, 0, len(wide), PLACES).stop == 0


# --- rotations --------------------------------------------------------------------------------------------------------
@given(st.data())
def test_any_channel_layout_against_scipy(data: st.DataObject) -> None:
    """Position and rotation channels in any order and number; angles of any size."""
    joints: list[Joint] = []
    width = 0
    for j in range(data.draw(st.integers(1, 5))):
        kinds = data.draw(st.permutations([(t, a) for t in (True, False) for a in range(3)]))
        kinds = kinds[: data.draw(st.integers(1, 6))]
        joints.append(Joint(f"j{j}", j - 1, 1, channels=[BvhChannel(width + i, *kind) for i, kind in enumerate(kinds)]))
        width += len(kinds)
    angle = st.one_of(st.floats(-1e5, 1e5), st.sampled_from([0.0, 90.0, -180.0, 359.999999, 720.0, 999999.75]))
    frames = data.draw(st.integers(1, 12))
    values = np.array(data.draw(st.lists(angle, min_size=frames * width, max_size=frames * width))).reshape(-1, width)
    text = "\n".join(" ".join(map(repr, row)) for row in values.tolist()).encode()
    layout = bvh_rows.layout_of(joints, width)
    for engine in ENGINES:
        rows = engine(text, 0, len(text), layout)
        np.testing.assert_allclose(rows.moves, values[:, layout.moves], rtol=1e-15, atol=1e-290)
        for j, joint in enumerate(joints):
            turns = [c for c in joint.channels or () if c.turns]
            order = "".join("XYZ"[c.axis] for c in turns) or "X"
            angles = np.fmod(values[:, [c.column for c in turns]], 720.0) if turns else np.zeros((frames, 1))
            # scipy loses what np.radians rounds off, so the oracle gets angles within two turns
            expected = Rotation.from_euler(order, angles, degrees=True).as_matrix().reshape(-1, 3, 3)
            np.testing.assert_allclose(rotation.to_matrix(rows.rot[:, j]), expected, atol=1e-12)


def test_half_turns_are_exact() -> None:
    degrees = np.concatenate([np.linspace(-1500, 1500, 10_001), [1e8 + 0.25, -123456789.5, 90.0, 45.0, 0.0]])
    cosine, sine = degrees.copy(), np.zeros(len(degrees))
    scan_kernels.half_turns(cosine, sine)
    half = np.radians(np.fmod(degrees, 720.0)) / 2
    np.testing.assert_allclose(cosine, np.cos(half), atol=1.2e-15)
    np.testing.assert_allclose(sine, np.sin(half), atol=1.2e-15)


# --- pieces -----------------------------------------------------------------------------------------------------------
def wandering(rows: int, end: str) -> tuple[list[str], bytes]:
    """Angles of four joints that wander through ±180 degrees: lines, and a text of them."""
    angles = np.cumsum(np.random.default_rng(1).normal(0, 40, (rows, 12)), axis=0)
    lines = [" ".join(f"{x:.3f}" for x in row) for row in (angles + 180.0) % 360.0 - 180.0]
    return lines, end.join(lines).encode()


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("chunk", [1, 1000])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\n \n"])
def test_pieces_fit_together(monkeypatch: pytest.MonkeyPatch, cores: int, chunk: int, end: str) -> None:
    """Blank lines leave gaps and wrapped angles flip signs at the seams; neither may show."""
    monkeypatch.setattr(scan, "CHUNK", chunk)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    lines, text = wandering(200, end)
    layout = turning(4)
    plain, rows = (engine(text, 0, len(text), layout) for engine in ENGINES)
    assert len(rows.rot) == 200
    np.testing.assert_allclose(rows.rot, plain.rot, atol=1e-12)
    products = (rows.rot[1:] * rows.rot[:-1]).sum(axis=-1)
    assert (products >= 0).all()
    assert rows.least == pytest.approx(products.min(), abs=1e-14)
    broken = end.join([*lines[:150], "oops", *lines[150:]]).encode()
    stops = [engine(broken, 0, len(broken), layout).stop for engine in ENGINES]
    assert stops == [broken.index(b"oops")] * 2


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("close", [True, False])
def test_a_file_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch, cores: int, end: str, close: bool) -> None:
    monkeypatch.setattr(scan, "CHUNK", 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    _, text = wandering(300, end)
    text = b"head\n" + text + (end.encode() if close else b"")
    whole, pieces = compiled(text, 5, len(text), turning(4)), from_file(text, 5, 300, turning(4))
    assert pieces is not None
    np.testing.assert_array_equal(pieces.rot, whole.rot)
    np.testing.assert_array_equal(pieces.moves, whole.moves)
    assert pieces.least == pytest.approx(whole.least, abs=1e-15)


def test_a_file_that_is_not_as_declared_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "CHUNK", 1000)
    lines, text = wandering(300, "\n")
    layout = turning(4)
    assert from_file(text, 0, 300, layout) is not None
    assert from_file(text, 0, 299, layout) is None
    assert from_file(text, 0, 301, layout) is None
    assert from_file(text, 0, 2, layout) is None  # far more rows than there is room for
    assert from_file("\n".join([*lines[:150], "oops", *lines[151:]]).encode(), 0, 300, layout) is None
    assert from_file(text[:-20], 0, 300, layout) is None
    assert from_file(text + b"\n" * 1000, 0, 300, layout) is None
    monkeypatch.setattr(scan, "CHUNK", 50)  # shorter than a line
    assert from_file(text, 0, 300, layout) is None


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    _, text = wandering(300, "\n")
    path = tmp_path / "rows"
    path.write_bytes(text[:3000])
    with path.open("rb") as file:
        assert scan.scan_file(file.fileno(), 0, len(text), 300, turning(4)) is None


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(scan, "CHUNK", 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    path = tmp_path / "rows"
    path.write_bytes(wandering(300, "\n")[1])
    with path.open("rb") as file:
        number = file.fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        scan.scan_file(number, 0, 20_000, 300, turning(4))


@given(st.lists(st.sampled_from([b"1", b" ", b"\t", b"\n", b"\r", b"\r\n", b"22222222222222222222"]), max_size=200))
def test_lines_are_counted(parts: list[bytes]) -> None:
    data = b"".join(parts)
    text = np.frombuffer(data + b"\n" * scan_kernels.MARGIN, np.uint8)
    assert scan_kernels.count_lines(text, 0, len(data)) == len((data + b"\n").splitlines())
    starts = [0]
    while starts[-1] <= len(data):
        starts.append(int(scan_kernels.next_line(text, starts[-1], len(data))))
    for a, b in pairwise(starts[:-1]):
        assert data[a:b].splitlines(keepends=True) == [data[a:b]]
