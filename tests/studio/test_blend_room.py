"""The blend space tab's server: handles answered newest first, maps of every method, own spaces, clips kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from read_frames import Frame
from running_session import Page, run, short_demo

import footfall as ff
from footfall.kinematics.fk import world_positions
from footfall.parametric import play
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.blend_room import BUILT_IN
from footfall.studio.studio import Studio
from footfall.weights.weights import methods


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_module, "demo", short_demo)


def test_a_request_is_answered_with_poses_that_are_the_blends(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.BlendOpen("walk"))
        opened = await page.next(m.BlendSpaceOpened)
        assert opened.parameters == ("speed", "turn")
        assert opened.units == ("m/s", "°/s")
        assert opened.is_loop
        await studio.handle(page, m.BlendAsk("walk", "smooth-inverse", (1.3, 15.0), 7))
        frame = await page.next(Frame, lambda one: one.kind == frames.BLEND)
        answer = await page.next(m.BlendAnswer)
        assert (frame.serial, answer.serial) == (7, 7)
        assert answer.achieved == pytest.approx((1.3, 15.0), rel=1e-3)
        assert sum(answer.weights) == pytest.approx(1.0, abs=1e-3)
        space = ff.blend_space("walk")
        w = space.answers(np.array([1.3, 15.0])).weights[0]
        assert answer.key_times_s[-1] == pytest.approx(play.duration(space.motion, w), abs=1e-3)
        half = len(frame.poses) // 2
        t = half / (len(frame.poses) - 1)
        local = world_positions(space.motion.skeleton, space.motion.local_pose(t, w))
        np.testing.assert_allclose(frame.poses[half, :-1, :3], local, atol=1e-3)
        end = play.round_of(space.motion, w)
        np.testing.assert_allclose(frame.poses[-1, -1, :3], end.shift, atol=1e-3)

    run(tmp_path, act)


def test_of_many_requests_the_newest_is_answered_and_nobody_waits(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        for serial in range(60):
            await studio.handle(page, m.BlendAsk("reach", "smooth-inverse", (0.2, 1.2, 0.01 * serial), serial))
        await page.next(m.BlendAnswer, lambda one: one.serial == 59)
        assert len(page.of(m.BlendAnswer)) == 0
        page.told.clear()
        await studio.handle(page, m.BlendAsk("reach", "rbf", (0.2, 1.2, 0.4), 60))
        await page.next(m.BlendAnswer, lambda one: one.serial == 60)

    run(tmp_path, act)


def test_maps_of_every_method_come_the_chosen_one_first_and_a_newer_wish_ends_them(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.BlendMaps("reach", "smooth-inverse", (0.0, 1.2, 0.4), 1))
        await studio.handle(page, m.BlendMaps("walk", "knn", (1.2, 0.0), 2))
        await page.next(m.BlendMapping, lambda one: one.serial == 2 and one.share == 1.0)
        assert not page.of(m.BlendMap) or page.of(m.BlendMap)[0].serial == 2

    async def whole(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.BlendMaps("walk", "knn", (1.2, 0.0), 3))
        found: list[m.BlendMap] = []
        while {one.method for one in found if one.is_last} != set(methods()):
            found.append(await page.next(m.BlendMap))
        assert found[0].method == "knn"
        assert all(len(one.weights) == 13 for one in found)
        assert all(len(one.error) == len(one.kappa) == one.rows * one.columns for one in found)
        means = {one.method: one.mean_error for one in found if one.is_last}
        assert means["smooth-inverse"] < 0.1 * min(means["rbf"], means["knn"])
        sizes = [one.rows for one in found if one.method == "inverse-blending"]
        assert sizes == sorted(sizes)
        assert len(sizes) > 1
        assert all(one.flow for one in found if one.is_last)

    run(tmp_path, act)
    run(tmp_path, whole)


def test_maps_wait_while_the_handle_moves(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.BlendMaps("walk", "knn", (1.2, 0.0), 1))
        await page.next(m.BlendMap)
        for serial in range(30):
            await studio.handle(page, m.BlendAsk("walk", "knn", (1.0 + 0.02 * serial, 0.0), serial))
            await asyncio.sleep(0.03)
        assert len(page.of(m.BlendMap)) <= 1  # the one that was nearly done
        await page.next(m.BlendMapping, lambda one: one.share == 1.0)  # they go on once it rests

    run(tmp_path, act)


def test_an_own_space_is_made_told_and_used_and_what_cannot_be_is_said(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        for name, clips in (
            ("walk", ("walk", "run")),
            ("", ("walk", "run")),
            ("one", ("walk",)),
            ("x", ("no", "such")),
        ):
            await studio.handle(page, m.BlendMake(name, clips))
            problem = await page.next(m.Problem)
            assert problem.where == "blend", problem
        keys = tuple(studio.library.key_of(f"walk:speed={speed}") for speed in (0.8, 1.2, 1.6))
        await studio.handle(page, m.BlendMake("mine", keys))
        assert (await page.next(m.Job, lambda one: one.state == "done")).label == "Blend space mine"
        assert (await page.next(m.BlendSpaces)).own == ("mine",)
        opened = await page.next(m.BlendSpaceOpened)
        assert opened.parameters == ("speed",)
        assert [example.values[0] for example in opened.examples] == pytest.approx([0.8, 1.2, 1.6], abs=0.05)
        await studio.handle(page, m.BlendKeep("mine", "smooth-inverse", (1.0,), 3.0))
        kept = await page.next(m.BlendKept)
        clip = studio.library.clip(kept.key)
        assert clip.duration == pytest.approx(3.0, abs=0.05)
        assert np.linalg.norm(clip.pose.root_pos[-1] - clip.pose.root_pos[0]) == pytest.approx(3.0, abs=0.2)

    run(tmp_path, act)


@pytest.mark.parametrize(
    "message",
    [
        m.BlendOpen("no such"), m.BlendOpen("stand"), m.BlendAsk("walk", "no such", (1.0, 0.0), 0),
        m.BlendAsk("walk", "rbf", (1.0,), 0), m.BlendMaps("walk", "rbf", (1.0, 2.0, 3.0), 0),
        m.BlendKeep("walk", "rbf", (1.0, 0.0), 1e6), m.BlendKeep("walk", "rbf", (), None),
    ],
    ids=str,
)  # fmt: skip
def test_nonsense_is_said_where_it_happened(tmp_path: Path, message: m.ToServer) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, message)
        assert (await page.next(m.Problem)).where == "blend"

    run(tmp_path, act)


def test_a_page_that_leaves_ends_its_maps(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await studio.handle(page, m.BlendMaps("walk", "inverse-blending", (1.2, 0.0), 1))
        await page.next(m.BlendMap)
        await studio.handle(page, m.BlendClose())
        await asyncio.sleep(0.5)
        page.told.clear()
        await asyncio.sleep(1.0)
        assert page.of(m.BlendMap) == page.of(m.BlendMapping) == []

    run(tmp_path, act)


def test_every_built_in_space_opens(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        for name in BUILT_IN:
            await studio.handle(page, m.BlendOpen(name))
            opened = await page.next(m.BlendSpaceOpened)
            assert opened.space == name
            assert len(opened.low) == len(opened.parameters) > 0
            middle = tuple(0.5 * (a + b) for a, b in zip(opened.low, opened.high, strict=True))
            await studio.handle(page, m.BlendAsk(name, "smooth-inverse", middle, 1))
            await page.next(m.BlendAnswer)

    run(tmp_path, act)
