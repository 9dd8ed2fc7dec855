"""Broken BVH files of every kind: they are read, or refused with one line; nothing else, and soon."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fuzz import mutations, survives

from footfall.core.errors import ReadError
from footfall.io import bvh_motion
from footfall.io.formats import bvh
from footfall.io.raw import Reading, ReadOptions

SEED = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 10.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 -1e-3
    }
  }
  JOINT Leg
  {
    OFFSET 5 -2 0
    CHANNELS 4 Yposition Xrotation Zrotation Yrotation
  }
}
MOTION
Frames: 6
Frame Time: 0.0333333
""" + b"".join(b"%d 90.25 -1.5e1 10 20 %d 1 2 3 -4 5.125 -6 7\n" % (i, 350 + 7 * i) for i in range(6))


def outcome(path: Path) -> tuple[object, ...]:
    """Everything that can be told about reading a file, for comparing engines."""
    reading = Reading(path, ReadOptions())
    try:
        motions = bvh.read(reading)
    except ReadError as error:
        return (str(error),)
    for motion in motions:
        assert np.isfinite(motion.pose.root_pos).all()
        assert np.isfinite(motion.skeleton.offsets).all()
        np.testing.assert_allclose((motion.pose.rot**2).sum(axis=-1), 1.0, atol=1e-9)
    return (*reading.warnings, *((m.skeleton.names, m.pose.rot.shape, m.fps) for m in motions))


@pytest.mark.parametrize("seed", range(4))
def test_mutations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Both engines say the same of every broken file, to the letter."""
    path = tmp_path / "broken.bvh"
    told: dict[bool, tuple[object, ...]] = {}
    for data in mutations(SEED, 300, seed):
        for compiled in (False, True):
            monkeypatch.setattr(bvh_motion, "COMPILED_FROM", 0 if compiled else 1 << 40)
            survives(lambda p, compiled=compiled: told.update({compiled: outcome(p)}), data, path, ReadError)
        assert told[False] == told[True], data


def test_mutations_are_neither_all_harmless_nor_all_fatal(tmp_path: Path) -> None:
    path = tmp_path / "broken.bvh"
    read = sum(survives(lambda p: bvh.read(Reading(p, ReadOptions())), data, path) for data in mutations(SEED, 300, 9))
    assert 5 < read < 270


def test_every_cut(tmp_path: Path) -> None:
    """The file ends after each of its bytes."""
    path = tmp_path / "cut.bvh"
    motion_starts = SEED.index(b"0.0333333") + 1
    for end in range(len(SEED)):
        path.write_bytes(SEED[:end])
        told = outcome(path)
        if end < motion_starts:
            assert len(told) == 1
            assert str(told[0]).startswith("cut.bvh:line ")


@pytest.mark.long
def test_the_catalogue_of_bad_files(badfiles: Path, tmp_path: Path) -> None:
    """The shared set of malformed files, each with what a good reader does with it."""
    subprocess.run([sys.executable, badfiles / "generate.py", tmp_path], check=True, capture_output=True)
    cases = json.loads((tmp_path / "expectations.json").read_text())["files"]
    for name, case in cases.items():
        if not name.endswith(".bvh"):
            continue
        reading = Reading(tmp_path / name, ReadOptions())
        motions, said = [], ""
        try:
            motions = bvh.read(reading)
            found = "accept_with_warning" if reading.warnings else "accept"
        except ReadError as error:
            found, said = "reject", str(error)
        if said:
            assert name in said
            assert not case.get("line") or f"line {case['line']}:" in said, said
        assert found in (case["expect"], *(case.get("also_ok") or ())), (name, found, reading.warnings)
        if motions and "joints" in (case.get("facts") or {}):
            assert len(motions[0].skeleton) == case["facts"]["joints"]
            assert np.isin(len(motions[0].pose.rot), case["facts"]["frames"])
