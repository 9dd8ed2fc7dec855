"""The Joins tab's side of the session: joins by all methods, the map of moments, and taking one over."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from read_frames import Frame
from running_session import Page, run, small

from footfall.joins.join import join
from footfall.joins.transition import methods
from footfall.motions.library import motion
from footfall.retarget.retarget import retarget
from footfall.studio import frames
from footfall.studio import join_messages as jm
from footfall.studio import messages as m
from footfall.studio.compatible import TraitsKept, cured
from footfall.studio.compatible import comparing as library_faults
from footfall.studio.join_compare import JoinedClips, JoinMoment, comparing, mapping, prepared
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
    answers = [x for some in comparing(pair, asked, JoinMoment(0.8, 0.5, 0.4)) for x in some]
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
    assert len(fine.spots) >= 3
    for spot in fine.spots:
        row = round((spot.leave_s - fine.leave_s[0]) / (fine.leave_s[1] - fine.leave_s[0]) * (fine.rows - 1))
        column = round((spot.enter_s - fine.enter_s[0]) / (fine.enter_s[1] - fine.enter_s[0]) * (fine.columns - 1))
        around = cells[max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3]
        assert cells[row, column] == around.min()
    assert fine.leave_s[1] == pytest.approx(pair.first.duration, abs=0.05)
    assert fine.enter_s[1] == pytest.approx(pair.second.duration, abs=0.05)


def test_a_clip_is_most_like_itself_along_the_diagonal() -> None:
    """Leaving at t and entering the same clip at t + length is no join at all."""
    walk = motion("walk", cycles=3)
    walk = walk.with_pose(walk.pose, is_loop=False)
    *_, fine = (x for some in mapping(prepared(walk, walk), jm.MapJoins("a", "b", 1, 0.4)) for x in some)
    assert isinstance(fine, jm.JoinMap)
    best = min(fine.spots, key=lambda spot: spot.unlike_cm)
    assert best.unlike_cm < 1.0
    stride_s = motion("walk").duration  # a stride is most like any other of them
    away_s = (best.enter_s - best.leave_s - 0.4) / stride_s
    assert away_s == pytest.approx(round(away_s), abs=0.04)


def test_the_first_spot_loses_little_of_either_clip() -> None:
    """A clip that goes on for long after a likely moment is not left there first."""
    walk, stand = motion("walk", cycles=6), motion("stand")
    walk = walk.with_pose(walk.pose, is_loop=False)
    *_, fine = (x for some in mapping(prepared(walk, stand), jm.MapJoins("a", "b", 1, 0.4)) for x in some)
    assert isinstance(fine, jm.JoinMap)
    assert fine.spots[0].leave_s > walk.duration - 1.6
    assert fine.spots[0].enter_s < 2.0
    assert len({(s.leave_s, s.enter_s) for s in fine.spots}) == len(fine.spots) > 3


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
        m.CureClip("walk", "no such", "fps"),
        m.CureClip("walk", "kick", "no such"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(tmp_path: Path, message: m.ToServer) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, message)
        assert (await page.next(m.Problem)).where == "joins"

    run(tmp_path, act)


def test_clips_that_blend_and_cures_of_those_that_do_not(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        left = motion("walk")
        other = left.mirror().resample(60.0)
        made = studio.library.add_clip(replace(other, name="other"), "other")
        await studio.handle(page, m.MapLibrary(("walk", made.key, "kick", "no such"), 4))
        told = await page.next(m.LibraryMap, lambda one: one.share == 1.0)
        assert set(told.keys) == {"walk", made.key, "kick"}
        assert len(told.left_out) == 1
        kinds = {(fault.a, fault.b): set() for fault in told.faults}
        for fault in told.faults:
            kinds[fault.a, fault.b].add(fault.kind)
        pair = next(key for key in kinds if set(key) == {"walk", made.key})
        assert kinds[pair] == {"start-foot", "fps"}
        for _ in range(2):  # one cure after the other, and they blend
            fault = next(fault for fault in told.faults if {fault.a, fault.b} == {"walk", made.key})
            fix = next(fix for fix in fault.fixes if fix.key == made.key)
            await studio.handle(page, m.CureClip(fix.key, fix.other, fault.kind))
            made = (await page.next(m.Added, lambda one: one.item.name.startswith("other "))).item
            await studio.handle(page, m.MapLibrary(("walk", made.key), 5))
            told = await page.next(m.LibraryMap, lambda one: one.serial == 5 and one.share == 1.0)
        assert told.faults == ()
        assert {"mirrored", "resampled"} <= set(made.name.split())

    run(tmp_path, act)


def test_every_cure_that_is_offered_can_be_done() -> None:
    """Copies of clips with one fault each, cured, have that fault no more."""
    walk = motion("walk", cycles=2)
    clips = {
        "a": walk,
        "mirrored": walk.mirror(),
        "slow": walk.speed(0.6),
        "long": motion("walk", cycles=4).with_pose(motion("walk", cycles=4).pose, is_loop=False),
        "coarse": walk.resample(30.0),
        "child": retarget(walk, "adult:1.1"),
    }
    *_, (told,) = library_faults(jm.MapLibrary(tuple(clips), 1), clips.__getitem__, str, TraitsKept())
    offered = {(fix.key, fix.other, fault.kind) for fault in told.faults for fix in fault.fixes if fix.other == "a"}
    assert {kind for _, _, kind in offered} >= {"start-foot", "length", "steps", "fps", "proportions"}
    for key, other, kind in offered:
        clips["cured"] = cured(jm.CureClip(key, other, kind), clips.__getitem__, str)
        *_, (after,) = library_faults(jm.MapLibrary((other, "cured"), 1), clips.__getitem__, str, TraitsKept())
        assert kind not in {fault.kind for fault in after.faults}, (key, kind)
