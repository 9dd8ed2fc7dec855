"""Broken files for every reader: a few of each kind every time, very many by `python3 dev.py test --long`."""

from __future__ import annotations

from pathlib import Path

import fuzz_readers
import pytest
from fuzz_readers import CRASHERS, READERS, Reader, broken, prepared, try_one

from footfall.io.load import readable

FEW, MANY = 40, 12_000  # broken files for each reader
NAMES = {reader.name: reader for reader in READERS}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_broken_files_are_read_or_refused_in_one_sentence(reader: Reader, tmp_path: Path) -> None:
    path = prepared(reader, tmp_path)
    read = [try_one(reader, data, path) for data in broken(reader, FEW, seed=7)]
    assert len(read) == FEW
    assert not all(read) or reader.name in ("answer", "build cache", "clip notes")  # the damage is real


@pytest.mark.parametrize("path", sorted(CRASHERS.rglob("*.*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_crashed_a_reader_crashes_none_any_more(path: Path, tmp_path: Path) -> None:
    reader = NAMES[path.parent.name]
    try_one(reader, path.read_bytes(), prepared(reader, tmp_path))


def test_every_ending_that_is_read_is_broken() -> None:
    known = {reader.suffix for reader in READERS}
    known |= {".gltf", ".fbx"}  # the text of a GLB; read by another process, and broken in tests/io/test_fbx.py
    known |= {".usd", ".usda", ".usdc", ".usdz"}  # text or binary under one name, or packed; broken where usd-core is
    assert set(readable()) <= known


def test_the_limits_hold(tmp_path: Path) -> None:
    """What takes too long, or breaks, is found out."""

    def forever(path: Path) -> None:
        while True:
            pass

    slow = Reader("slow", ".txt", lambda: [b"x"], forever)
    with pytest.raises(fuzz_readers.TooLong):
        try_one(slow, b"x", tmp_path / "a.txt")
    wrong = Reader("wrong", ".txt", lambda: [b"x"], lambda path: {}["x"])
    with pytest.raises(KeyError):
        try_one(wrong, b"x", tmp_path / "a.txt")


@pytest.mark.long
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_many_broken_files(reader: Reader, tmp_path: Path) -> None:
    path = prepared(reader, tmp_path)
    for data in broken(reader, MANY, seed=1):
        try_one(reader, data, path)
