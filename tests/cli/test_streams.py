"""Motions through pipes, and what a shell is told to complete."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from c3d_make import standing_c3d
from helpers import walking_clip

import footfall as ff
from footfall.io.sniff import ending_of

WALK = walking_clip(cycles=1.0, fps=30.0)


def footfall(
    *args: str, given: bytes = b"", folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "footfall", *args]
    return subprocess.run(command, input=given, capture_output=True, cwd=folder, env={**os.environ, **environment})


@pytest.mark.parametrize(("layout", "ending"), [("bvh", ".bvh"), ("gltf", ".glb"), ("npz", ".npz")])
def test_a_motion_goes_through_two_pipes(layout: str, ending: str, tmp_path: Path) -> None:
    """What comes out of a pipe is, byte for byte, what a file would have held."""
    source = ff.save(WALK, tmp_path / "walk.bvh")
    sent = footfall("edit", "-", "-", "--mirror", "--format", layout, given=source.read_bytes())
    assert (sent.returncode, sent.stderr) == (0, b"")
    told = footfall("info", "--json", "-", given=sent.stdout)
    assert b'"file": "-"' in told.stdout
    (tmp_path / f"piped{ending}").write_bytes(sent.stdout)
    mirrored = ff.load(source).mirror()
    np.testing.assert_allclose(ff.load(tmp_path / f"piped{ending}").positions, mirrored.positions, atol=1e-5)


def test_bvh_is_what_a_pipe_gets_unless_told() -> None:
    assert footfall("convert", "walk", "-").stdout.startswith(b"HIERARCHY")


REFUSED = {
    "nothing": (("info", "-"), b"", "found nothing"),
    "not a motion": (("info", "-"), b"hello", "found something else"),
    "broken": (("convert", "-", "-"), b"HIERARCHY\nROOT", r"stdin.bvh:line"),
    "twice": (("join", "-", "-", "-o", "out.bvh"), b"HIERARCHY", "only once"),
    "no such format": (("convert", "walk", "-", "--format", "bhv"), b"", "did you mean bvh"),
    "several": (("convert", "walk", "-", "--all", "--format", "deepmimic"), b"", "format to write"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_one_line_and_nothing_is_sent(case: str, tmp_path: Path) -> None:
    args, given, message = REFUSED[case]
    done = footfall(*args, given=given, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_formats_are_told_by_their_first_bytes(tmp_path: Path) -> None:
    for ending in (".bvh", ".glb", ".npz"):
        assert ending_of(ff.save(WALK, tmp_path / f"a{ending}").read_bytes()) == ending
    np.save(tmp_path / "a.npy", np.zeros((2, 22, 3)))
    assert ending_of((tmp_path / "a.npy").read_bytes()) == ".npy"
    assert ending_of(standing_c3d()) == ".c3d"
    assert ending_of(b'{"Loop": "wrap", "Frames": []}') == ".json"
    assert ending_of(b'{"asset": {"version": "2.0"}}') == ".gltf"
    assert ending_of(b"# comment\n:version 1.10\n:units\n") == ".asf"
    assert ending_of(b"#!OML:ASF\n:FULLY-SPECIFIED\n:DEGREES\n1\n") == ".amc"
    assert ending_of(b"#usda 1.0\n") == ".usda"
    assert ending_of(b"\xef\xbb\xbfHIERARCHY") == ".bvh"
    assert ending_of(b"hello") is None


def test_captures_are_told_by_their_first_bytes(mocap: Path) -> None:
    from footfall.io.load import readable

    told = {".txt": ".json"}  # DeepMimic's JSON under another name
    for path in sorted(mocap.rglob("*")):
        if path.is_file() and path.suffix.lower() in readable() and path.stat().st_size < 5 << 20:
            with path.open("rb") as file:
                found = ending_of(file.read(1 << 16))
            assert found == told.get(path.suffix.lower(), path.suffix.lower()), path.name


def offered(words: str, folder: Path) -> list[str]:
    """What bash would be told for a line, as its own script asks."""
    at = len(words.split(" ")) - 1
    done = footfall(folder=folder, _FOOTFALL_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(at))
    return done.stdout.decode().split()


def test_a_shell_completes_methods_and_built_in_names(tmp_path: Path) -> None:
    (tmp_path / "waltz.bvh").write_text("")
    (tmp_path / "warranty.txt.pdf").write_text("")
    assert {"plain,walk", "plain,wave", "plain,waltz.bvh"} <= set(offered("footfall join wa", tmp_path))
    assert "plain,warranty.txt.pdf" not in offered("footfall info wa", tmp_path)
    assert offered("footfall join walk kick --method cr", tmp_path) == ["plain,crossfade"]
    assert offered("footfall join walk kick --compare auto,cr", tmp_path) == ["plain,auto,crossfade"]
    assert "plain,amass" in offered("footfall convert a.bvh b.npz --format a", tmp_path)
    assert "plain,c3d" not in offered("footfall convert a.bvh b.npz --format c", tmp_path)  # which is only read
    assert offered("footfall info zz", tmp_path) == ["file,zz"]
    assert "plain,convert" in offered("footfall con", tmp_path)
