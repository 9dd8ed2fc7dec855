"""The session: what pages are told of each other's edits, files, failures, and of work that was lost."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_edits import random_change
from read_frames import Frame
from running_session import WAIT_S, Page, run, short_demo, small

from footfall.motions.library import motion
from footfall.studio import frames, history
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.clip_names import MISSING
from footfall.studio.project import empty
from footfall.studio.studio import Studio
from footfall.timeline.file import load_timeline
from footfall.timeline.model import FloorGoal, Marker, Timeline, TimelineClip, TimelineTrack

LOSES_ALL = """
import asyncio, os, signal, sys
from pathlib import Path
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.studio import Studio

class Page:
    def send(self, message): pass
    def send_frame(self, kind, track, data): pass

async def main():
    studio, page = Studio(Path(sys.argv[1]), ("walk", "kick", "stand")), Page()
    await studio.start()
    await studio.join(page)
    await studio.handle(page, m.New())
    for clip in ("walk", "kick", "stand"):
        await studio.handle(page, m.Edit(m.AddClip(clip, 1)))
    await studio.handle(page, m.Undo())
    await asyncio.sleep(1.0)  # work is on disk within a second
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def short_start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions begin with one walk, where they are not about the demo."""
    if "demo" not in request.node.name:
        monkeypatch.setattr(studio_module, "demo", short_demo)


def test_a_page_gets_everything_and_the_demo_moves(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        assert [type(x) for x in page.told[:2]] == [m.Welcome, m.Project]
        first = await page.next(m.Take)  # the one that was prepared: nothing is compiled for it
        prepared = await page.next(Frame)
        assert first.revision == prepared.serial < studio.project.revision
        take = await page.next(m.Take)
        assert take.revision == studio.project.revision
        assert take.tracks[0].problem is None
        assert {j.kind for j in take.tracks[0].joins} >= {"composition", "transition"}
        assert take.skeletons[0].height_m > 1.5
        poses = await page.next(Frame)
        assert poses.serial == take.revision
        assert np.ptp(poses.poses[:, 0, :3], axis=0).max() > 3.0
        await studio.take_of_now(measured=True)
        late = Page()
        await studio.join(late)
        told = [type(x) for x in late.told if not isinstance(x, m.Added | m.Preparing)]  # which go to every page
        assert told == [
            m.Welcome, m.Project, m.Take, Frame, m.TakeGround, m.Characters, m.GroundList, m.Projects, m.BlendSpaces,
        ]  # fmt: skip
        assert late.told[2].skeletons[0] is not None
        assert late.told[2].tracks[0].joins[0].grade != "unknown"

    run(tmp_path, act)


def test_edits_reach_every_page_and_problems_only_the_one_who_asked(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        other = Page()
        await studio.join(other)
        made = await small(studio, page)
        assert other.of(m.Project)[-1] == made
        assert made.undo == "add clip"
        await studio.handle(page, m.Edit(m.MoveClip(999, 1.0)))
        await studio.handle(page, m.Drag(m.MoveClip(999, 1.0), 17, 0.0))
        problems = page.of(m.Problem)
        assert [(p.where, p.serial) for p in problems] == [("timeline", None), ("timeline", 17)]
        assert other.of(m.Problem) == []
        take = await other.next(m.Take, lambda t: t.revision == made.revision)
        assert [c.name for c in take.tracks[0].clips] == ["walk", "kick"]
        clip = made.document.tracks[0].clips[1].id
        page.told.clear()
        await studio.handle(page, m.Drag(m.MoveClip(clip, 2.0), 18, 1.0))
        await page.next(Frame, lambda f: f.kind == frames.PREVIEW and f.serial == 18)
        await page.next(m.Preview, lambda p: p.serial == 18)
        assert other.of(m.Preview) == []
        await studio.handle(page, m.Undo())
        await studio.handle(page, m.Undo())
        await studio.handle(page, m.Undo())
        assert page.of(m.Project)[-1].document.tracks[0].clips == ()
        assert page.of(m.Problem)[-1].text == "there is nothing to undo"
        await studio.leave(other)

    run(tmp_path, act)


def test_a_dragged_new_clip_has_the_number_it_gets(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        for change in (m.AddClip("stand", 1, 2.0), m.AddClip("stand")):
            await studio.handle(page, m.Drag(change, 1, 0.0))
            preview = await page.next(m.Preview)
            await studio.handle(page, m.Edit(change))
            project = page.of(m.Project)[-1]
            shown = {(t.id, c.id) for t in preview.tracks for c in t.clips}
            assert shown == {(t.id, c.id) for t in project.document.tracks for c in t.clips}

    run(tmp_path, act)


def test_saved_opened_and_kept_apart_from_others_changes(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save())
        assert "name" in page.of(m.Problem)[-1].text
        await studio.handle(page, m.Save("fight.json"))
        saved = page.of(m.Project)[-1]
        assert (saved.path, saved.saved) == ("fight.json", True)
        assert [c.clip for c in load_timeline(tmp_path / "fight.json").tracks[0].clips] == ["walk", "kick"]
        await studio.handle(page, m.Edit(m.ChangeTrack(1, "Ours")))
        assert not page.of(m.Project)[-1].saved
        text = (tmp_path / "fight.json").read_text()
        (tmp_path / "fight.json").write_text(text.replace("Hero", "Theirs"))
        await studio.handle(page, m.Save())
        assert "fight.conflict.json" in page.of(m.Problem)[-1].text
        assert load_timeline(tmp_path / "fight.json").tracks[0].name == "Theirs"
        assert load_timeline(tmp_path / "fight.conflict.json").tracks[0].name == "Ours"
        await studio.handle(page, m.Open("fight.json"))
        assert page.of(m.Project)[-1].document.tracks[0].name == "Theirs"
        for bad in ("../x.json", "nothing.json", "fight.txt", "\0"):
            await studio.handle(page, m.Open(bad))
            await studio.handle(page, m.Save(bad))
        assert page.of(m.Project)[-1].path in ("fight.json", "nothing.json")

    run(tmp_path, act)


def test_a_file_with_everything_and_a_missing_clip_opens_and_is_saved_as_it_was(tmp_path: Path) -> None:
    from footfall.io.save import save
    from footfall.timeline.file import save_timeline

    save(motion("walk"), tmp_path / "mine.bvh")
    timeline = Timeline(
        (
            TimelineTrack((TimelineClip("mine.bvh"), TimelineClip("walk")), goal=FloorGoal((1.0, 1.0)), name="Hero"),
            TimelineTrack((TimelineClip("gone.bvh", 1.0),), name="Rival"),
        ),
        (Marker((0, 1), (0, 0)),),
        30.0,
        {"paper": True},
    )
    save_timeline(timeline, tmp_path / "all.json")
    before = json.loads((tmp_path / "all.json").read_text())

    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.Open("all.json"))
        project = page.of(m.Project)[-1]
        assert project.document.tracks[1].clips[0].clip.startswith(MISSING)
        take = await page.next(m.Take, lambda t: t.revision == project.revision)
        assert take.tracks[0].problem is None
        assert "gone.bvh" in take.tracks[1].problem
        await studio.handle(page, m.Edit(m.ChangeTrack(project.document.tracks[0].id, "Villain")))
        await studio.handle(page, m.Save())
        before["tracks"][0]["name"] = "Villain"
        assert json.loads((tmp_path / "all.json").read_text()) == before

    run(tmp_path, act)


def test_a_project_that_reads_files_elsewhere_is_not_opened(tmp_path: Path) -> None:
    inside = tmp_path / "studio"
    inside.mkdir()
    for name, track in (
        ("layer.json", {"clips": ["walk"], "layers": [{"clip": "/etc/passwd", "start_s": 0}]}),
        ("body.json", {"clips": ["walk"], "character": "../secret.bvh"}),
    ):
        (inside / name).write_text(json.dumps({"tracks": [track]}))
    (inside / "clip.json").write_text(json.dumps({"tracks": [{"clips": ["../secret.bvh"]}]}))

    async def act(studio: Studio, page: Page) -> None:
        for name in ("layer.json", "body.json"):
            await studio.handle(page, m.Open(name))
            assert "folder" in page.of(m.Problem)[-1].text
            assert page.of(m.Project)[-1].path is None
        await studio.handle(page, m.Open("clip.json"))
        take = await page.next(m.Take, lambda t: t.tracks and t.tracks[0].problem)
        assert "secret.bvh" in take.tracks[0].problem

    run(inside, act)


def test_work_is_found_after_the_process_was_killed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LOSES_ALL, str(tmp_path)], check=False, timeout=WAIT_S)

    async def act(studio: Studio, page: Page) -> None:
        assert "unsaved work" in page.of(m.Welcome)[0].recoverable
        await studio.handle(page, m.Recover(True))
        project = page.of(m.Project)[-1]
        assert [c.clip for c in project.document.tracks[0].clips] == ["walk", "kick"]
        assert (project.saved, project.undo, project.redo) == (False, "add clip", "add clip")
        await studio.handle(page, m.Redo())
        await studio.handle(page, m.Undo())
        await studio.handle(page, m.Undo())
        assert [c.clip for c in page.of(m.Project)[-1].document.tracks[0].clips] == ["walk"]
        await studio.handle(page, m.Recover(True))
        assert "nothing to recover" in page.of(m.Problem)[-1].text
        late = Page()
        await studio.join(late)
        assert late.of(m.Welcome)[0].recoverable is None

    run(tmp_path, act)
    left = list((tmp_path / ".footfall").glob("autosave-*"))
    assert [p.stem.rpartition("-")[2] for p in left] == [str(os.getpid())]  # it was not saved at the end either


def test_thrown_away_work_is_gone(tmp_path: Path) -> None:
    (tmp_path / ".footfall").mkdir()
    (tmp_path / ".footfall" / "autosave-0.json").write_bytes(history.pack(empty(), 0.0))

    async def act(studio: Studio, page: Page) -> None:
        assert page.of(m.Welcome)[0].recoverable
        await studio.handle(page, m.Recover(False))
        assert not page.of(m.Problem)

    run(tmp_path, act)
    assert not list((tmp_path / ".footfall").glob("autosave-*"))


def test_the_project_that_was_open_last_is_opened_again(tmp_path: Path) -> None:
    async def first(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save("again.json"))

    async def second(studio: Studio, page: Page) -> None:
        assert page.of(m.Project)[0].path == "again.json"
        assert page.of(m.Welcome)[0].files == ("again.json",)

    run(tmp_path, first)
    run(tmp_path, second)
    (tmp_path / "again.json").write_text('{"tracks": ')

    async def third(studio: Studio, page: Page) -> None:
        assert page.of(m.Project)[0].path is None

    run(tmp_path, third)


def test_an_autosave_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(studio: Studio, page: Page) -> None:
        (tmp_path / ".footfall").rename(tmp_path / "away") if (tmp_path / ".footfall").exists() else None
        (tmp_path / ".footfall").write_text("a file where a folder should be")
        await studio.handle(page, m.Edit(m.AddTrack("x")))
        problem = await page.next(m.Problem)
        assert "cannot be kept" in problem.text

    run(tmp_path, act)


def test_an_export_is_of_the_newest_take(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Export("npz"))
        done = await page.next(m.Job, lambda job: job.state in ("done", "failed"))
        assert done.problem is None
        path = studio.jobs.result(done.id, done.url.rpartition("/")[2])
        assert path is not None
        from footfall.io.load import load

        take = await studio.take_of_now()
        assert load(path).frames == take.clips[1].frames
        await studio.handle(page, m.Export("glb", 99))
        assert "nothing to export" in page.of(m.Problem)[-1].text

    run(tmp_path, act)


def test_a_storm_of_edits_ends_with_the_take_of_the_last(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        rng = np.random.default_rng(2)
        for serial in range(60):
            change = random_change(studio.project.document, rng)
            await studio.handle(page, m.Drag(change, serial, 0.5))
            await studio.handle(page, m.Edit(change))
            await studio.handle(page, m.Undo() if serial % 7 == 3 else m.DragEnd())
        await studio.handle(page, m.New())
        await studio.handle(page, m.Edit(m.AddClip("walk", 1)))
        take = await asyncio.wait_for(studio.take_of_now(measured=True), WAIT_S)
        assert [c.name for c in take.message.tracks[0].clips] == ["walk"]
        assert [p.text for p in page.of(m.Problem) if "unexpectedly" in p.text] == []

    run(tmp_path, act)
