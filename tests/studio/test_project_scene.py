"""The scene of a project: two who meet, a walk drawn on the floor, a ground under the take; saved and undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_edits import context
from running_session import Page, run, short_demo
from small_graph import tiny_graph

import footfall as ff
from footfall.core.errors import FootfallError
from footfall.graph.graph import Graph
from footfall.kinematics.root import floor_root
from footfall.quality.ground_contact import ground_contact
from footfall.studio import history
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.floor_edits import apply
from footfall.studio.grounding import in_its_time, raised
from footfall.studio.path_walk import even_line, walk_along
from footfall.studio.project import OpenProject, from_timeline, to_timeline
from footfall.studio.studio import Studio
from footfall.timeline.file import load_timeline, save_timeline

STRAIGHT = [(0.0, 0.1 * n) for n in range(60)]


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_module, "demo", short_demo)


@pytest.fixture(scope="module")
def small() -> Graph:
    return tiny_graph()


# --- meeting ----------------------------------------------------------------------------------------------------------


def test_two_characters_meet_at_a_marker_and_face_each_other(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.New())
        first = studio.project.document.tracks[0].id
        await studio.handle(page, m.Edit(m.AddClip("walk", first)))
        await studio.handle(page, m.Edit(m.AddClip("walk")))
        second = studio.project.document.tracks[1].id
        await studio.take_of_now()
        for at_s in (0.7, 4.0):  # within both takes, and after both have ended
            await studio.handle(page, m.Edit(m.MeetTracks(first, second, at_s, 1.5)))
            take = await studio.take_of_now()
            places, ways = [], []
            for track in (first, second):
                clip, start = take.clips[track], next(v.start_s for v in take.message.tracks if v.id == track)
                assert start - 1e-6 <= at_s <= start + clip.duration + 1.5 / clip.fps
                place, heading = floor_root(
                    clip.skeleton, clip.pose.at(min(round((at_s - start) * clip.fps), clip.frames - 1))
                )
                places.append(place[[0, 2]])
                ways.append([np.sin(heading), np.cos(heading)])
            apart = places[1] - places[0]
            assert np.linalg.norm(apart) == pytest.approx(1.5, abs=0.02)
            assert np.dot(ways[0], apart) == pytest.approx(1.5, abs=0.03)  # each looks at the other
            assert np.dot(ways[1], -apart) == pytest.approx(1.5, abs=0.03)
        await studio.handle(page, m.Undo())
        await studio.handle(page, m.Undo())
        assert studio.project.document.tracks[1].place is None

    run(tmp_path, act)


@pytest.mark.parametrize("change", [
    m.MeetTracks(1, 1, 1.0), m.MeetTracks(1, 9, 1.0), m.MeetTracks(1, 3, np.nan), m.MeetTracks(1, 3, 1.0, 1e9),
    m.SetGround("moon"), m.KeepSpace(m.OwnSpace("", ("walk", "run"))), m.KeepSpace(m.OwnSpace("mine", ("walk",))),
    m.KeepSpace(m.OwnSpace("mine", ("walk", "no such"))),
])  # fmt: skip
def test_what_cannot_be_is_said_in_a_sentence(change: m.Change) -> None:
    two = m.Document((m.DocumentTrack(1, clips=(m.PlacedClip(2, "walk"),)), m.DocumentTrack(3)))
    asked = context(two)
    asked.check_ground = ff.ground
    with pytest.raises(FootfallError) as error:
        apply(two, change, asked)
    assert "\n" not in str(error.value)


# --- drawn walks ------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=2, max_size=30))
def test_a_line_is_made_even_and_keeps_its_ends(points: list[tuple[float, float]]) -> None:
    if np.linalg.norm(np.diff(points, axis=0), axis=-1).sum() < 0.7:
        points = [*points, (points[-1][0] + 1.0, points[-1][1])]
    line = even_line(points)
    np.testing.assert_allclose(line[[0, -1]], np.array(points)[[0, -1]], atol=2e-4)  # nearer points are one
    gaps = np.linalg.norm(np.diff(line, axis=0), axis=-1)
    assert gaps.max() < 0.8
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    assert (line >= low - 1e-9).all()
    assert (line <= high + 1e-9).all()


def test_a_trembling_hand_draws_a_straight_line() -> None:
    chance = np.random.default_rng(0)
    drawn = np.array(STRAIGHT) + chance.normal(0.0, 0.02, (60, 2))
    turns = np.diff(np.unwrap(np.arctan2(*np.diff(even_line([tuple(p) for p in drawn]), axis=0).T)))
    assert np.abs(turns).max() < np.radians(6.0)


def test_a_drawn_curve_is_walked(small: Graph) -> None:
    angle = np.linspace(0.0, np.pi / 2, 50)
    points = [(4.0 - 4.0 * np.cos(a), 4.0 * np.sin(a)) for a in angle]  # a quarter of a circle to the left
    clip = walk_along(small, points, "walk", 1.2, None)
    place = clip.root_motion.position[:, [0, 2]]
    off = np.abs(np.linalg.norm(place - [4.0, 0.0], axis=-1) - 4.0)
    inside = (place[:, 1] > 0.3) & (place[:, 0] < 3.7)
    assert off[inside].max() < 0.25
    np.testing.assert_allclose(place[-1], points[-1], atol=0.4)
    for wrong in ({"motion": "fly"}, {"speed": 99.0}, {"points": points[:1]}):
        asked = {"points": points, "motion": "walk", "speed": 1.2, **wrong}
        with pytest.raises(FootfallError):
            walk_along(small, asked["points"], asked["motion"], asked["speed"], None)


def test_a_drawn_walk_lands_on_a_track_and_goes_on_from_its_end(tmp_path: Path, small: Graph) -> None:
    async def act(studio: Studio, page: Page) -> None:
        async def graph(name: str = "builtin") -> Graph:
            return small

        studio.live.graph = graph  # type: ignore[method-assign]
        await studio.handle(page, m.New())
        track = studio.project.document.tracks[0].id
        await studio.handle(page, m.DrawWalk(tuple((2.0, 1.0 + 0.1 * n) for n in range(30)), track=track))
        take = await studio.take_of_now()
        place = take.clips[track].root_motion.position
        np.testing.assert_allclose(place[0, [0, 2]], (2.0, 1.0), atol=0.25)
        np.testing.assert_allclose(place[-1, [0, 2]], (2.0, 3.9), atol=0.4)
        end = place[-1]
        await studio.handle(
            page, m.DrawWalk(tuple((2.0 + 0.1 * n, float(end[2]) + 0.1 * n) for n in range(25)), track=track)
        )
        take = await studio.take_of_now()
        assert len(studio.project.document.tracks[0].clips) == 2
        place = take.clips[track].root_motion.position
        np.testing.assert_allclose(place[-1, [0, 2]], (4.4, end[2] + 2.4), atol=0.6)
        page.told.clear()
        await studio.handle(page, m.DrawWalk(((0.0, 0.0), (0.0, 0.1))))
        assert "draw another" in (await page.next(m.Problem)).text

    run(tmp_path, act)


# --- ground and spaces ------------------------------------------------------------------------------------------------


def test_a_climb_keeps_the_times_of_the_take_and_stands_on_the_stairs() -> None:
    clip = ff.motion("walk", speed=1.2, cycles=3).resample(60.0)
    ground = ff.ground("stairs:15x35~0,0,0")
    put = in_its_time(clip, ground)
    assert (put.frames, put.fps) == (clip.frames, clip.fps)
    assert put.pose.root_pos[-1, 1] - put.pose.root_pos[0, 1] > 0.4
    assert ground_contact(put, ground).deepest_cm < 3.0


def test_a_ground_is_under_the_take_saved_opened_undone_and_recovered(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.New())
        track = studio.project.document.tracks[0].id
        await studio.handle(page, m.Edit(m.AddClip("walk", track)))
        await studio.handle(page, m.Edit(m.PlaceTrack(track, (1.0, 2.0, 90.0))))
        await studio.take_of_now()
        page.told.clear()
        await studio.handle(page, m.Edit(m.SetGround("slope:12")))
        name = studio.project.document.ground
        assert name.startswith("slope:12~1,2,9")  # laid before the character
        assert (await page.next(m.TakeGround)).shape is not None
        take = await studio.take_of_now()
        clip = take.clips[track]
        assert clip.pose.root_pos[-1, 1] > clip.pose.root_pos[0, 1] + 0.1
        assert ground_contact(clip, ff.ground(name)).deepest_cm < 3.0
        await studio.handle(page, m.Edit(m.KeepSpace(m.OwnSpace("gaits", ("walk", "run")))))
        assert studio.blend.names().own == ("gaits",)
        await studio.handle(page, m.Save("climb.json"))
        back = history.unpack(history.pack(studio.project, 0.0), studio.names.key_of)
        assert back.document == studio.project.document
        await studio.handle(page, m.New())
        assert studio.blend.names().own == ()
        await studio.handle(page, m.Open("climb.json"))
        assert studio.project.document.ground == name
        assert studio.project.document.spaces == (m.OwnSpace("gaits", ("walk", "run")),)
        assert studio.blend.names().own == ("gaits",)
        await studio.handle(page, m.Edit(m.SetGround("")))
        take = await studio.take_of_now()
        assert take.clips[track].pose.root_pos[-1, 1] < take.clips[track].pose.root_pos[0, 1] + 0.1
        await studio.handle(page, m.Undo())
        assert studio.project.document.ground == name

    run(tmp_path, act)


def test_poses_are_raised_by_the_height_under_them() -> None:
    from footfall.studio import frames

    rows = np.zeros((2, 3, 7), np.float32)
    rows[1, :, 2] = 5.0
    data = frames.encode(frames.TAKE, 1, 1, rows, 60.0, 0.0)
    up = np.frombuffer(raised(data, ff.ground("slope:10~0,0,0")), "<f4", 42, frames.HEADER.size).reshape(2, 3, 7)
    np.testing.assert_allclose(up[:, :, 1], [[0.0] * 3, [0.5] * 3], atol=1e-6)


def test_a_timeline_file_holds_ground_and_spaces(tmp_path: Path) -> None:
    document = m.Document(
        (m.DocumentTrack(1, clips=(m.PlacedClip(2, "walk"),)),),
        (),
        "stairs:15x35~0,0,0",
        (m.OwnSpace("a", ("walk", "run")),),
    )
    timeline = OpenProject(document).timeline(str)
    save_timeline(timeline, tmp_path / "take.json")
    again = load_timeline(tmp_path / "take.json")
    assert (again.ground, again.spaces) == (timeline.ground, timeline.spaces)
    assert from_timeline(again, lambda entry, _: entry)[0] == document
    (tmp_path / "file.json").write_text('{"tracks": [{"clips": ["walk"]}], "ground": "step.obj"}')
    assert load_timeline(tmp_path / "file.json").ground == str(tmp_path / "step.obj")
    for wrong in ('"ground": 7', '"spaces": [{"name": "a", "clips": 3}]', '"spaces": [{"clips": []}]'):
        (tmp_path / "wrong.json").write_text(f'{{"tracks": [{{"clips": ["walk"]}}], {wrong}}}')
        with pytest.raises(FootfallError):
            load_timeline(tmp_path / "wrong.json")
    assert to_timeline(document, OpenProject(document).kept, str)[0].ground == document.ground
