"""A character placed on the floor: its take begins there, it is undone, saved, opened and recovered as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_edits import context
from read_frames import Frame
from running_session import Page, run, short_demo, small

from footfall.core.errors import FootfallError
from footfall.kinematics.root import floor_root
from footfall.studio import frames, history
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.edits import apply
from footfall.studio.project import OpenProject, from_timeline
from footfall.studio.studio import Studio
from footfall.timeline.model import FloorGoal, Timeline, TimelineClip, TimelineTrack

PLACE = (2.0, -1.5, 90.0)


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_module, "demo", short_demo)


def test_a_take_begins_where_its_character_was_put(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Edit(m.PlaceTrack(1, PLACE), "place the character"))
        take = await studio.take_of_now()
        position, heading = floor_root(take.clips[1].skeleton, take.clips[1].pose.at(0))
        np.testing.assert_allclose(position[[0, 2]], PLACE[:2], atol=1e-3)
        assert np.degrees(float(heading)) == pytest.approx(PLACE[2], abs=0.1)
        page.told.clear()
        await studio.handle(page, m.Drag(m.PlaceTrack(1, (5.0, 0.0, 0.0)), 3, 0.0))
        frame = await page.next(Frame, lambda one: one.kind == frames.PREVIEW)
        assert frame.poses[0, 0, 0] == pytest.approx(5.0, abs=0.2)
        await studio.handle(page, m.Save("placed.json"))
        await studio.handle(page, m.New())
        await studio.handle(page, m.Open("placed.json"))
        assert studio.project.document.tracks[0].place == PLACE
        await studio.handle(page, m.Edit(m.PlaceTrack(1, None)))
        assert studio.project.document.tracks[0].place is None
        await studio.handle(page, m.Undo())
        assert studio.project.document.tracks[0].place == PLACE

    run(tmp_path, act)


def test_places_are_kept_with_unsaved_work_and_half_a_place_of_a_file_stays() -> None:
    track = TimelineTrack((TimelineClip("walk"),), start=FloorGoal((1.0, 2.0)))
    timeline = Timeline((track, TimelineTrack((TimelineClip("walk"),), start=FloorGoal((1.0, 2.0), 30.0))))
    document, kept = from_timeline(timeline, lambda text, animation: text)
    assert [one.place for one in document.tracks] == [None, (1.0, 2.0, 30.0)]
    project = OpenProject(document, kept)
    again = project.timeline(lambda key: key)
    assert [one.start for one in again.tracks] == [FloorGoal((1.0, 2.0)), FloorGoal((1.0, 2.0), 30.0)]
    back = history.unpack(history.pack(project, 0.0), lambda text, animation: text)
    assert back.document == document


def test_nonsense_places_are_refused_and_turns_are_within_one_round() -> None:
    document = m.Document((m.DocumentTrack(1, "Hero"),))
    for wrong in ((np.nan, 0.0, 0.0), (1e6, 0.0, 0.0), (0.0, -1e6, 0.0), (0.0, 0.0, np.inf)):
        with pytest.raises(FootfallError):
            apply(document, m.PlaceTrack(1, wrong), context(document))
    turned = apply(document, m.PlaceTrack(1, (0.0, 0.0, 370.0)), context(document))
    assert turned.tracks[0].place == (0.0, 0.0, 10.0)
