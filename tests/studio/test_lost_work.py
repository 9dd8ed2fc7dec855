"""Work that must not be lost, offered twice, or read from where it should not: autosaves, recovery, failed openings."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from running_session import Page, run, short_demo, small

from footfall.studio import history
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.project import empty
from footfall.studio.store import Store
from footfall.studio.studio import Studio


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_module, "demo", short_demo)


def autosaves(folder: Path) -> list[Path]:
    return sorted((folder / ".footfall").glob("autosave-*"))


async def written(folder: Path) -> None:
    async with asyncio.timeout(20.0):
        while not autosaves(folder):
            await asyncio.sleep(0.02)


def test_work_of_a_dead_process_of_the_same_number_is_found_and_not_overwritten(tmp_path: Path) -> None:
    """In a container every studio has the same number."""
    (tmp_path / ".footfall").mkdir()
    left = tmp_path / ".footfall" / f"autosave-{os.getpid()}.json"
    left.write_bytes(b"of the one before")
    store = Store(tmp_path)
    found = store.recoverable()
    assert found is not None
    assert found.data == b"of the one before"
    store.autosave(b"own")
    store.set_aside()
    store.autosave(b"next")
    assert left.read_bytes() == b"of the one before"
    store.forget(found)
    assert store.recoverable() is None  # its own work is no other's


def test_what_was_taken_back_before_the_end_is_not_offered(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.Edit(m.AddTrack("x")))
        await written(tmp_path)
        await studio.handle(page, m.Undo())
        assert page.of(m.Project)[-1].saved

    run(tmp_path, act)
    assert autosaves(tmp_path) == []


def test_a_crash_between_saving_and_forgetting_offers_nothing(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save("fight.json"))
        await studio.handle(page, m.Edit(m.ChangeTrack(1, "Villain")))
        await written(tmp_path)
        kept = autosaves(tmp_path)[0].read_bytes()
        await studio.handle(page, m.Save())
        (tmp_path / ".footfall" / "autosave-0.json").write_bytes(kept)  # as if it had been killed here

    async def again(studio: Studio, page: Page) -> None:
        assert page.of(m.Project)[0].document.tracks[0].name == "Villain"
        assert page.of(m.Welcome)[0].recoverable is None

    run(tmp_path, act)
    run(tmp_path, again)
    assert autosaves(tmp_path) == []


def test_saving_while_an_autosave_is_being_written_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing, go_on = threading.Event(), threading.Event()
    autosave = Store.autosave

    def slow(store: Store, data: bytes) -> None:
        writing.set()
        go_on.wait(20.0)
        autosave(store, data)

    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await asyncio.to_thread(writing.wait, 20.0)
        saving = asyncio.create_task(studio.handle(page, m.Save("fight.json")))
        await asyncio.sleep(0.3)
        go_on.set()
        await saving
        assert page.of(m.Project)[-1].saved
        await asyncio.sleep(0.3)
        assert autosaves(tmp_path) == []

    monkeypatch.setattr(Store, "autosave", slow)
    run(tmp_path, act)


def test_the_newest_work_is_kept_when_the_studio_ends_while_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, calls = threading.Event(), []
    autosave = Store.autosave

    def slow(store: Store, data: bytes) -> None:
        calls.append(data)
        writing.set()
        if len(calls) == 1:
            time.sleep(1.0)
        autosave(store, data)

    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await asyncio.to_thread(writing.wait, 20.0)
        await studio.handle(page, m.Edit(m.ChangeTrack(1, "Newest")))

    monkeypatch.setattr(Store, "autosave", slow)
    run(tmp_path, act)
    time.sleep(1.2)
    assert [b"Newest" in path.read_bytes() for path in autosaves(tmp_path)] == [True]


def test_a_project_that_cannot_be_opened_leaves_the_open_one_to_be_saved(tmp_path: Path) -> None:
    outside = {"clips": ["walk"], "layers": [{"clip": "/etc/passwd", "start_s": 0}]}
    (tmp_path / "bad.json").write_text(json.dumps({"tracks": [outside]}))

    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save("fight.json"))
        await studio.handle(page, m.Open("bad.json"))
        assert "folder" in page.of(m.Problem)[-1].text
        page.told.clear()
        await studio.handle(page, m.Edit(m.ChangeTrack(1, "Villain")))
        await studio.handle(page, m.Save())
        assert page.of(m.Problem) == []
        assert page.of(m.Project)[-1].saved

    run(tmp_path, act)


def test_recovered_work_does_not_overwrite_what_was_saved_since(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save("fight.json"))
        await studio.handle(page, m.Edit(m.ChangeTrack(1, "Ours")))
        await written(tmp_path)

    async def again(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.Recover(True))
        assert page.of(m.Project)[-1].document.tracks[0].name == "Ours"
        await studio.handle(page, m.Save())
        assert "conflict" in page.of(m.Problem)[-1].text

    run(tmp_path, act)
    file = tmp_path / "fight.json"
    file.write_text(file.read_text().replace("Hero", "Theirs"))
    run(tmp_path, again)
    assert "Theirs" in file.read_text()
    assert "Ours" in (tmp_path / "fight.conflict.json").read_text()


@pytest.mark.parametrize("where", ["layer", "document", "undo"])
def test_recovered_work_reads_no_file_elsewhere(tmp_path: Path, where: str) -> None:
    """The folder may come from a stranger, and its hidden folder with it."""
    secret = str(tmp_path / "secret.bvh")
    project = empty()
    project.base = {"tracks": [{"clips": ["walk"], "layers": [{"clip": secret, "start_s": 0}]}]}
    packed = msgspec.json.decode(history.pack(project, 0.0))
    if where != "layer":
        packed["base"] = None
        packed["tracks"].append({"id": 1, "name": "x", "character": secret, "clips": []})
        packed["document" if where == "document" else "done"] = (
            [1] if where == "document" else [{"label": "x", "tracks": [1]}]
        )
    inside = tmp_path / "studio"
    (inside / ".footfall").mkdir(parents=True)
    (inside / ".footfall" / "autosave-0.json").write_bytes(msgspec.json.encode(packed))

    async def act(studio: Studio, page: Page) -> None:
        before = studio.project
        await studio.handle(page, m.Recover(True))
        assert "folder" in page.of(m.Problem)[-1].text
        assert studio.project is before

    run(inside, act)


def test_revisions_go_on_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that was open before a crash must not take its old take for that of the new project."""
    seen: list[int] = []

    async def act(studio: Studio, page: Page) -> None:
        for _ in range(3):
            await studio.handle(page, m.Edit(m.AddTrack("x")))
        seen.append(page.of(m.Project)[-1].revision)

    async def again(studio: Studio, page: Page) -> None:
        seen.append(page.of(m.Project)[0].revision)

    run(tmp_path, act)
    monkeypatch.setattr(time, "time", lambda: 1e9)  # the clock was put back meanwhile
    run(tmp_path, again)
    assert seen[1] > seen[0]


def test_set_aside_work_does_not_pile_up_for_ever(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(60):
        store.autosave(str(number).encode())
        store.set_aside()
    kept = {path.read_bytes() for path in autosaves(tmp_path)}
    assert b"59" in kept
    assert len(kept) <= 20


def test_the_same_tracks_with_other_layers_are_made_anew(tmp_path: Path) -> None:
    """What is remembered of one project must not stand for another's, whatever lies where in memory."""
    from footfall.studio.project import TimelineRest
    from footfall.studio.synthesis import Arranged, Synthesis
    from footfall.timeline.model import Layer

    told: list[Any] = []
    worker = Synthesis(told.append)
    document = m.Document((m.DocumentTrack(1, "Hero", None, (m.PlacedClip(2, "walk"),)),))

    def made(layers: dict[int, tuple[Layer, ...]]) -> Any:
        return worker._tracks(Arranged(document, TimelineRest(layers=layers), lambda key: key))[0]

    plain = made({})
    for _ in range(5):  # the memory of the last is used again
        assert made({1: (Layer("wave", 0.0),)}).arranged.timeline.tracks[0].layers
        assert not made({}).arranged.timeline.tracks[0].layers
    assert plain.clip.frames > 0


def test_a_project_that_would_take_all_memory_or_for_ever_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long.json").write_text(json.dumps({"tracks": [{"clips": ["walk"] * 1001}]}))
    (tmp_path / "many.json").write_text(json.dumps({"tracks": [{"clips": ["walk"]}] * 25}))
    (tmp_path / "huge.json").write_text(json.dumps({"tracks": [{"clips": ["walk:cycles=100000000"]}]}))

    async def act(studio: Studio, page: Page) -> None:
        for name in ("long.json", "many.json"):
            await studio.handle(page, m.Open(name))
            assert "at most" in page.of(m.Problem)[-1].text
        assert page.of(m.Project)[-1].path is None
        await studio.handle(page, m.Open("huge.json"))
        take = await page.next(m.Take, lambda t: t.tracks and t.tracks[0].problem)
        assert "cycles" in take.tracks[0].problem
        assert "walk:cycles=100000000" not in {item.key for item in studio.library.items()}

    run(tmp_path, act)
