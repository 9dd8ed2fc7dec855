"""The Joins tab's side of the session: joins by all methods, the map of moments, and taking one over."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from read_frames import Frame
from running_session import Page, run, small

from footfall.joins.join import join, on_one_body
from footfall.joins.transition import methods
from footfall.motions.library import motion
from footfall.studio import frames
from footfall.studio import join_messages as jm
from footfall.studio import messages as m
from footfall.studio.join_compare import JoinedClips, Moment, comparing, mapping, prepared
from footfall.studio.studio import Studio


@pytest.fixture(scope="module")
def pair() -> JoinedClips:
    return prepared(motion("walk", cycles=2), motion("kick"))


def test_every_method_joins_at_the_moment_that_was_asked(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.CompareJoins("walk", "kick", 7, (), 0.8, 0.5, 0.4))
        told = await page.next(m.JoinedPair)
        names = [one.name for one in told.methods]
        assert set(names) == set(methods())
        assert names[0] == "auto"
        for number, name in enumerate(names):
            frame: Frame = await page.next(Frame)
            made = await page.next(m.JoinMade)
            assert (made.serial, made.number, made.method, made.problem) == (7, number, name, None)
            assert (frame.kind, frame.serial, frame.track) == (frames.JOIN, 7, number)
            assert made.end_s - made.join_s == pytest.approx(0.4, abs=0.02)
            assert (made.leave_s, made.enter_s) == pytest.approx((0.8, 0.5), abs=0.02)
            assert frame.start_s <= made.join_s < frame.start_s + len(frame.poses) / frame.fps
            assert made.grade in ("good", "fair", "poor")
            assert (made.grade == "poor") == bool(made.seen)
            assert made.curves is not None
            assert len(made.curves.skate_cm_s) == len(made.curves.push_m_s2) == len(frame.poses)

    run(tmp_path, act)


def test_what_is_told_is_what_a_join_gives(pair: JoinedClips) -> None:
    asked = jm.CompareJoins("walk", "kick", 1, ("crossfade",))
    answers = [x for some in comparing(pair, asked, Moment(0.8, 0.5, 0.4)) for x in some]
    (made,) = (x for x in answers if isinstance(x, jm.JoinMade))
    clip = join(motion("walk", cycles=2), motion("kick"), "crossfade", at_s=0.8, enter_s=0.5, length_s=0.4)
    assert clip.report is not None
    assert made.seen == tuple(clip.report.judgement["reasons"])
    excess = next(figure for figure in made.figures if figure.name == "excess")
    assert made.curves is not None
    assert max(made.curves.excess_m_s2) <= excess.value + 0.5  # the judge may look at finer frames than are drawn


def test_a_map_is_coarse_first_and_its_spots_are_its_valleys(pair: JoinedClips) -> None:
    asked = jm.MapJoins("walk", "kick", 3, 0.4)
    coarse, fine = (x for some in mapping(pair, asked) for x in some)
    assert isinstance(coarse, jm.JoinMap)
    assert isinstance(fine, jm.JoinMap)
    assert (coarse.is_fine, fine.is_fine) == (False, True)
    assert coarse.rows * coarse.columns < fine.rows * fine.columns
    cells = np.frombuffer(fine.cells, np.uint8).reshape(fine.rows, fine.columns)
    assert cells.min() == 0
    best = fine.spots[0]
    row = round((best.leave_s - fine.leave_s[0]) / (fine.leave_s[1] - fine.leave_s[0]) * (fine.rows - 1))
    column = round((best.enter_s - fine.enter_s[0]) / (fine.enter_s[1] - fine.enter_s[0]) * (fine.columns - 1))
    assert cells[row, column] == 0
    assert [spot.unlike_cm for spot in fine.spots] == sorted(spot.unlike_cm for spot in fine.spots)
    first, second = on_one_body(motion("walk", cycles=2), motion("kick"))
    assert fine.leave_s[1] == pytest.approx(first.duration, abs=0.05)
    assert fine.enter_s[1] == pytest.approx(second.duration, abs=0.05)


def test_a_clip_is_most_like_itself_along_the_diagonal() -> None:
    """Leaving at t and entering the same clip at t + length is no join at all."""
    walk = motion("walk", cycles=3)
    walk = walk.with_pose(walk.pose, is_loop=False)
    *_, fine = (x for some in mapping(prepared(walk, walk), jm.MapJoins("a", "b", 1, 0.4)) for x in some)
    assert isinstance(fine, jm.JoinMap)
    assert fine.spots[0].unlike_cm < 1.0
    assert fine.spots[0].enter_s - fine.spots[0].leave_s == pytest.approx(0.4, abs=0.04)


def test_spots_are_judged_after_the_map(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.MapJoins("walk", "kick", 5, 0.4))
        found = await page.next(m.JoinMap, lambda one: one.is_fine)
        judged = await page.next(m.JoinSpots, lambda one: all(spot.grade != "unknown" for spot in one.spots))
        assert judged.serial == 5
        assert [(s.leave_s, s.enter_s) for s in judged.spots] == [(s.leave_s, s.enter_s) for s in found.spots]
        assert all(bool(spot.seen) == (spot.grade == "poor") for spot in judged.spots)

    run(tmp_path, act)


def test_only_the_newest_is_made(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        for serial in range(12):
            await studio.handle(page, m.CompareJoins("walk", "kick", serial, ("crossfade",), 0.6, 0.5, 0.3))
        await page.next(m.JoinMade, lambda one: one.serial == 11)
        assert len({one.serial for one in page.of(m.JoinMade)}) == 0
        await studio.leave(page)
        await asyncio.sleep(0.5)
        assert page.of(m.JoinMade) == []

    run(tmp_path, act)


def test_a_join_is_taken_over_as_a_clip(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        project = await small(studio, page)
        track = project.document.tracks[0].id
        await studio.handle(page, m.UseJoin("walk", "kick", "inertialize", 0.8, 0.5, 0.4, track))
        placed = studio.project.document.tracks[0].clips
        assert len(placed) == 3
        item = next(one for one in studio.library.items() if one.key == placed[-1].clip)
        assert item.name == "walk to kick inertialize"
        assert item.group == "recordings"
        whole = join("walk", "kick", "inertialize", at_s=0.8, enter_s=0.5, length_s=0.4)
        assert item.seconds == pytest.approx(whole.duration, abs=0.05)
        await studio.handle(page, m.Undo())
        assert len(studio.project.document.tracks[0].clips) == 2

    run(tmp_path, act)


@pytest.mark.parametrize(
    "message",
    [
        m.CompareJoins("no such", "kick", 1),
        m.CompareJoins("walk", "kick", 1, ("no such",), float("inf")),
        m.MapJoins("walk", "no such", 1),
        m.UseJoin("walk", "kick", "no such"),
        m.UseJoin("walk", "kick", "crossfade", -5.0, 0.5, 0.4),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(tmp_path: Path, message: m.ToServer) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, message)
        assert (await page.next(m.Problem)).where == "joins"

    run(tmp_path, act)
