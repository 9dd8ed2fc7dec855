"""Faults injected, not hoped for: every write, fsync and rename of what footfall saves fails in turn.

A disk that is full or broken is told of in one sentence; a process that is killed can tell nothing. Either way each
file is the old one or the new one, whole, files that belong together belong together, and nothing half is left behind.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import walking_clip

import footfall as ff
from footfall.cli._out import write_report
from footfall.core.errors import FootfallError
from footfall.graph.build import built_graph
from footfall.graph.build.build_file import load_build
from footfall.graph.graph_file import packed_graph
from footfall.io.save import TEMPORARY
from footfall.studio.store import Store
from footfall.timeline.file import load_timeline, save_timeline
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

OLD_GRAPH = Path(__file__).parents[1] / "graph" / "old"
CALLS = ("fsync", "replace", "rename", "unlink", "chmod", "open", "mkdir")  # of os


class Killed(BaseException):
    """The process has ended: nothing catches this."""


class Faults:
    """Counts what is done to the disk, and fails or ends at one of them."""

    def __init__(self, at: int = 0, error: int = 0) -> None:
        self.count, self.at, self.error, self.is_dead = 0, at, error, False
        self.failed = ""  # what failed

    def step(self, what: str) -> None:
        """Before something is done to the disk."""
        if self.is_dead:
            raise Killed
        self.count += 1
        if self.count != self.at:
            return
        self.failed = what
        if not self.error:
            self.is_dead = True
            raise Killed
        raise OSError(self.error, os.strerror(self.error))

    def install(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Watch what is done below a folder."""

        def ours(args: tuple[Any, ...]) -> bool:
            return any(isinstance(a, int) or str(folder) in str(a) for a in args[:2])

        for name in CALLS:
            real = getattr(os, name)

            def watched(*args: Any, _real: Any = real, _name: str = name, **more: Any) -> Any:
                writes = _name != "open" or (len(args) > 1 and args[1] & (os.O_WRONLY | os.O_RDWR))
                if ours(args) and writes:
                    self.step(_name)
                return _real(*args, **more)

            monkeypatch.setattr(os, name, watched)
        opened = io.open

        def opening(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
            if any(c in mode for c in "wax+") and not isinstance(file, int) and str(folder) in os.fspath(file):
                self.step("open")
                return _Watched(opened(file, mode, *args, **more), self)
            return opened(file, mode, *args, **more)

        monkeypatch.setattr(io, "open", opening)


class _Watched:
    """A file whose writes are counted; the one that fails has written half."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def write(self, data: Any) -> Any:
        try:
            self._faults.step("write")
        except BaseException:
            self._file.write(data[: len(data) // 2])
            self._file.flush()
            raise
        return self._file.write(data)

    def writelines(self, lines: Any) -> None:
        self.write("".join(lines))

    def __enter__(self) -> _Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class Saved(NamedTuple):
    """Something that is saved: how, of an old (0) or a new (1) content, and which of them is read back."""

    write: Callable[[Path, int], object]
    read: Callable[[Path], int]


def timeline(number: int) -> Timeline:
    return Timeline((TimelineTrack((TimelineClip("walk"),), name=f"version {number}"),))


def small(number: int) -> Any:
    return replace(ff.graph(OLD_GRAPH / "small.json"), name=f"version {number}")


def save_clip(suffix: str) -> Saved:
    made = [walking_clip(cycles=cycles, fps=30.0) for cycles in (0.3, 0.4)]
    frames = [clip.frames for clip in made]
    return Saved(
        lambda folder, number: ff.save(made[number], folder / f"a{suffix}"),
        lambda folder: frames.index(ff.load(folder / f"a{suffix}").frames),
    )


def write_project(folder: Path, number: int) -> None:
    store = Store(folder)
    if (folder / "p.json").exists():
        store.open("p.json")
    store.save(timeline(number), "p.json")


def write_built(folder: Path, number: int) -> None:
    plan = replace(load_build(OLD_GRAPH / "built.graph"), told=f"version {number}")
    parts = built_graph.BuiltParts(plan, *packed_graph(small(number).parts))
    built_graph.save_built(parts, folder, folder / "a.graph")


def version(text: str) -> int:
    return int(text.rpartition(" ")[2])


SAVED = {
    "bvh": save_clip(".bvh"),
    "glb": save_clip(".glb"),
    "npz": save_clip(".npz"),
    "timeline": Saved(
        lambda folder, number: save_timeline(timeline(number), folder / "t.json"),
        lambda folder: version(load_timeline(folder / "t.json").tracks[0].name),
    ),
    "project": Saved(write_project, lambda folder: version(load_timeline(folder / "p.json").tracks[0].name)),
    "graph": Saved(
        lambda folder, number: small(number).save(folder / "a.json"),
        lambda folder: version(ff.graph(folder / "a.json").name),
    ),
    "built graph": Saved(write_built, lambda folder: version(ff.graph(folder / "a.graph").name)),
    "report": Saved(
        lambda folder, number: write_report({"version": number}, folder / "r.json", "a report"),
        lambda folder: int((folder / "r.json").read_text().partition(": ")[2].partition("\n")[0]),
    ),
}


def with_faults(saved: Saved, folder: Path, faults: Faults) -> str:
    """The new content saved over the old one; what was said of it."""
    saved.write(folder, 0)
    with pytest.MonkeyPatch.context() as monkeypatch:
        faults.install(monkeypatch, folder)
        try:
            saved.write(folder, 1)
        except FootfallError as error:
            return str(error)
        except Killed:
            return "killed"
    return ""


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, 0], ids=["full", "broken", "killed"])
@pytest.mark.parametrize("kind", SAVED)
def test_every_step_of_saving_fails_in_turn(kind: str, error: int, tmp_path: Path) -> None:
    saved, clean = SAVED[kind], Faults()
    (tmp_path / "clean").mkdir()
    assert with_faults(saved, tmp_path / "clean", clean) == ""
    assert clean.count >= 4  # made, written, synced, renamed
    seen, failed = set(), set()
    for at in range(1, clean.count + 1):
        folder = tmp_path / str(at)
        folder.mkdir()
        faults = Faults(at, error)
        told = with_faults(saved, folder, faults)
        failed.add(faults.failed)
        found = saved.read(folder)
        seen.add(found)
        left = list(folder.rglob(TEMPORARY))
        if error:
            assert told or found == 1, at  # done, or told
            assert not left or faults.failed == "unlink", (at, left)
        assert found == 1 or told, at
        saved.write(folder, 1)  # and it can be saved again
        assert saved.read(folder) == 1
    assert 0 in seen
    assert {"write", "fsync", "replace"} <= failed
