"""The studio starts over any content of its hidden folder, says what it could not use, and keeps it."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fuzz import mutations
from running_session import Page, short_demo

from footfall.studio import history
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.project import OpenProject, opened
from footfall.studio.store import HIDDEN
from footfall.studio.studio import Studio

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links")
WAIT_S = 60.0  # a start that takes longer has been held up
SPARSE_BYTES = 30 << 30
DEEP = 200_000


def good() -> bytes:
    """Unsaved work as a studio leaves it."""
    project: OpenProject = opened(short_demo(), lambda entry, animation: entry)
    project.next_id = 7
    return history.pack(project, 1000.0)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(SPARSE_BYTES)


def of_bytes(data: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data) and None  # type: ignore[func-returns-value]


def in_another_time(path: Path) -> None:
    path.write_bytes(good())
    os.utime(path, (2e11, 2e11))


DAMAGE: dict[str, Callable[[Path], None]] = {
    "bytes that are no text": of_bytes(b'{"version": 1, "when_s": "\xff\xfe"}'),
    "nesting without end": of_bytes(b"[" * DEEP),
    "nesting inside": of_bytes(good().replace(b'"base":', b'"base":' + b"[" * 5000 + b"]" * 5000 + b',"other":', 1)),
    "a number of 5000 digits": of_bytes(good().replace(b'"version":1', b'"version":' + b"1" * 5000)),
    "nothing": of_bytes(b""),
    "a name": of_bytes(b"fight.json"),
    "30 GB of nothing": sparse,
    "a pipe": lambda path: os.mkfifo(path),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a folder": lambda path: path.mkdir(),
    "another time": in_another_time,
}
NAMES = ("autosave-1-0.json", "autosave-1-².json", "autosave-.json", f"autosave-{'9' * 200}.json", "last", "revision")


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_module, "demo", short_demo)


def start(folder: Path) -> tuple[m.Welcome, list[str]]:
    """A page's welcome, and what it is told of damage."""

    async def session() -> Page:
        studio, page = Studio(folder, ()), Page()
        async with asyncio.timeout(WAIT_S):
            await studio.start()
            await studio.join(page)
            await studio.handle(page, m.Edit(m.AddTrack("x")))
            assert page.of(m.Project)[-1].document.tracks[-1].name == "x"
            await studio.stop()
        return page

    page = asyncio.run(session())
    return page.of(m.Welcome)[0], [problem.text for problem in page.of(m.Problem)]


@pytest.mark.parametrize("name", NAMES)
def test_a_single_damaged_file(tmp_path: Path, name: str) -> None:
    for number, (kind, damage) in enumerate(DAMAGE.items()):
        folder = tmp_path / str(number)
        (folder / HIDDEN).mkdir(parents=True)
        path = folder / HIDDEN / name
        damage(path)
        before = path.lstat()
        welcome, told = start(folder)
        if not name.startswith("autosave"):
            continue
        if kind == "another time":
            assert welcome.recoverable
            assert path.exists()
        else:
            aside = folder / HIDDEN / "damaged" / name
            assert (stat.S_IFMT(aside.lstat().st_mode), aside.lstat().st_size) == (
                stat.S_IFMT(before.st_mode), before.st_size,
            ), kind  # fmt: skip
            assert any(name in text and f"{HIDDEN}/damaged/{name}" in text for text in told), (kind, told)


@pytest.mark.parametrize("kind", [kind for kind in DAMAGE if "folder" not in kind])
def test_the_hidden_folder_is_no_folder(tmp_path: Path, kind: str) -> None:
    DAMAGE[kind](tmp_path / HIDDEN)
    was_there = os.path.exists(tmp_path / HIDDEN)
    start(tmp_path)
    assert os.path.lexists(tmp_path / f"{HIDDEN}-damaged") or not was_there


def test_good_work_is_found_behind_damaged_work(tmp_path: Path) -> None:
    (tmp_path / HIDDEN).mkdir()
    (tmp_path / HIDDEN / "autosave-1-0.json").write_bytes(good())
    os.utime(tmp_path / HIDDEN / "autosave-1-0.json", (1e9, 1e9))
    (tmp_path / HIDDEN / "autosave-2-0.json").write_bytes(b"{")
    welcome, told = start(tmp_path)
    assert welcome.recoverable
    assert len(told) == 1


def mutated_folder(folder: Path, rng: np.random.Generator) -> None:
    """A hidden folder with some files, each damaged in some way or another."""
    (folder / HIDDEN).mkdir(parents=True)
    names = [*NAMES, "lock-0123456789abcdef", "damaged", ".x.json.abcdefgh.part"]
    for name in rng.choice(names, int(rng.integers(1, 5)), replace=False):
        path = folder / HIDDEN / str(name)
        if rng.random() < 0.5:
            damage = DAMAGE[list(DAMAGE)[int(rng.integers(len(DAMAGE)))]]
            damage(path)
        else:
            path.write_bytes(next(mutations(good(), 2, int(rng.integers(1 << 30)))))


def start_over_mutated_folders(folder: Path, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(count):
        made = folder / str(number)
        mutated_folder(made, rng)
        start(made)


def test_mutated_folders(tmp_path: Path) -> None:
    start_over_mutated_folders(tmp_path, 20, seed=1)


@pytest.mark.long
def test_many_mutated_folders(tmp_path: Path) -> None:
    start_over_mutated_folders(tmp_path, 500, seed=2)
