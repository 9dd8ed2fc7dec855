"""Live characters: sixty poses a second by the clock, steered, chasing, recorded as sent."""

from __future__ import annotations

import asyncio
import json
import math
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from read_frames import Frame, decode
from running_session import run, short_demo
from small_graph import tiny_graph

from footfall.core.errors import FootfallError
from footfall.graph.graph import Graph
from footfall.kinematics.fk import world_transforms
from footfall.studio import frames, live, live_room, metronome
from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.graph_maker import GraphMaker
from footfall.studio.library import Library
from footfall.studio.live import LiveCharacter, graph_message, ready_controller
from footfall.studio.live_room import LiveRoom


class Page:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.frames: list[Frame] = []
        self.crowd: list[Frame] = []

    def send(self, message: Any) -> None:
        self.messages.append(message)

    def send_frame(self, kind: int, track: int, data: bytes) -> None:
        frame = decode(data)
        assert (kind, track) == (frame.kind, frame.track)
        assert (kind, track) in ((frames.LIVE, 0), (frames.CROWD, 0))
        (self.frames if kind == frames.LIVE else self.crowd).append(frame)

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.messages if isinstance(message, kind)]


@pytest.fixture(scope="module")
def small() -> Graph:
    return tiny_graph()


def character(graph: Graph) -> tuple[LiveCharacter, Page]:
    page = Page()
    return LiveCharacter(page, ready_controller(graph)), page


def pelvis(page: Page) -> np.ndarray:
    return np.array([frame.poses[0, 0, :3] for frame in page.frames])


def test_frames_are_the_poses_of_the_character(small: Graph) -> None:
    hero, page = character(small)
    hero.steer(m.LiveSteer("walk", 1.2, 10.0, sent_ms=4321.5))
    hero.record(True)
    for _ in range(90):
        hero.advance()
    clip = hero.record(False)
    assert clip is not None
    assert (clip.fps, clip.frames) == (60.0, 90)
    places, turns = world_transforms(clip.skeleton, clip.pose)
    sent = np.array([frame.poses[0] for frame in page.frames])
    np.testing.assert_allclose(sent[..., :3], places, atol=1e-4)
    alike = np.abs((sent[..., 3:6] * turns[..., 1:]).sum(-1) + sent[..., 6] * turns[..., 0])
    assert alike.min() > 1.0 - 1e-5
    assert [frame.serial for frame in page.frames] == list(range(1, 91))
    assert page.frames[-1].start_s == pytest.approx(1.5)
    assert page.frames[0].live is not None
    assert page.frames[0].live.echo_ms == 4321.5
    assert len(page.of(m.LiveState)) == 15


def test_steering_changes_the_motion(small: Graph) -> None:
    hero, page = character(small)
    for _ in range(60):
        hero.advance()
    assert np.ptp(pelvis(page)[:, [0, 2]], axis=0).max() < 0.05
    hero.steer(m.LiveSteer("walk", 1.5, 0.0))
    for _ in range(180):
        hero.advance()
    here = pelvis(page)
    assert np.linalg.norm((here[-1] - here[-60])[[0, 2]]) == pytest.approx(1.5, abs=0.25)
    hero.steer(m.LiveSteer(turn=60.0))
    start = hero.hero.heading
    for _ in range(60):
        hero.advance()
    assert math.degrees(hero.hero.heading - start) == pytest.approx(60.0, abs=30.0)
    state = page.of(m.LiveState)[-1]
    assert state.node == "walk"
    assert state.asked["turn"] == 60.0
    assert state.slide_cm_s < 5.0
    assert state.depth_mm < 5.0


def test_a_target_is_reached_and_steering_ends_the_chase(small: Graph) -> None:
    hero, _ = character(small)
    hero.steer(m.LiveSteer(target=(2.0, 3.0)))
    for _ in range(60 * 15):
        hero.advance()
    x, _, z = hero.hero.position
    assert math.hypot(x - 2.0, z - 3.0) < 0.7
    assert hero.state().node == "stand"
    hero.steer(m.LiveSteer("walk", 1.2, 0.0))
    for _ in range(120):
        hero.advance()
    assert hero.state().node == "walk"


def test_an_action_is_done_and_a_heap_of_them_refused(small: Graph) -> None:
    hero, page = character(small)
    hero.act("wave")
    for _ in range(60):
        hero.advance()
    assert any(state.node == "wave" for state in page.of(m.LiveState))
    while hero.hero.actions_waiting < live.MOST_ACTIONS:
        hero.act("wave")
    with pytest.raises(FootfallError, match="waiting already"):
        hero.act("wave")


@pytest.mark.parametrize("push", [(1.5, 0.0), (0.0, -1.5)])
def test_a_shove_pushes_where_the_hand_went_whichever_way_it_faces(small: Graph, push: tuple[float, float]) -> None:
    hero, page = character(small)
    hero.hero.place(0.0, 0.0, 1.0)
    for _ in range(30):
        hero.advance()
    before = pelvis(page)[-1, [0, 2]]
    hero.shove(*push)
    for _ in range(20):
        hero.advance()
    moved = pelvis(page)[-1, [0, 2]] - before
    assert np.linalg.norm(moved) > 0.1
    assert moved @ np.array(push) > 0.8 * np.linalg.norm(moved) * np.linalg.norm(push)
    with pytest.raises(FootfallError):
        hero.shove(1e300, 0.0)


@pytest.mark.parametrize(
    "asked",
    [
        m.LiveSteer("fly"), m.LiveSteer("wave"), m.LiveSteer(speed=math.nan), m.LiveSteer(speed=1e9),
        m.LiveSteer(turn=math.inf), m.LiveSteer(target=(math.nan, 0.0)), m.LiveSteer(target=(1e12, 0.0)),
    ],
)  # fmt: skip
def test_nonsense_is_refused_and_changes_nothing(small: Graph, asked: m.LiveSteer) -> None:
    hero, _ = character(small)
    before = hero.state()
    with pytest.raises(FootfallError):
        hero.steer(asked)
    assert hero.state() == before


def test_recordings_need_a_beginning_and_some_length(small: Graph) -> None:
    hero, _ = character(small)
    with pytest.raises(FootfallError, match="nothing is being recorded"):
        hero.record(False)
    hero.record(True)
    with pytest.raises(FootfallError, match="too short"):
        hero.record(False)


class Clock:
    """Time that passes only while the loop sleeps, late now and then."""

    def __init__(self, late: dict[int, float]) -> None:
        self.now, self.sleeps, self.late = 100.0, 0, late

    def perf_counter(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        self.now += seconds + self.late.get(self.sleeps, 0.0002)


def run_by(clock: Clock, hero: LiveCharacter, sleeps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Over(BaseException):
        pass

    async def sleep(seconds: float) -> None:
        if clock.sleeps >= sleeps:
            raise Over
        await clock.sleep(seconds)

    async def run() -> None:
        ticking = metronome.Metronome()
        ticking.join(hero)
        await ticking.run()

    monkeypatch.setattr(metronome.time, "perf_counter", clock.perf_counter)
    monkeypatch.setattr(metronome.asyncio, "sleep", sleep)
    with pytest.raises(Over):
        asyncio.run(run())
    monkeypatch.undo()


def test_poses_keep_to_the_clock_over_a_long_time(small: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    hero, page = character(small)
    clock = Clock({})
    run_by(clock, hero, 6000, monkeypatch)
    assert len(page.frames) == 6000  # one a tick, though every sleep was a little late
    assert clock.now - 100.0 == pytest.approx(100.0, abs=0.001)
    assert hero.missed == 0


def test_a_late_loop_skips_to_the_newest_tick_and_never_bursts(small: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    hero, page = character(small)
    hero.record(True)
    run_by(Clock({50: 0.1, 80: 60.0}), hero, 120, monkeypatch)
    serials = [frame.serial for frame in page.frames]
    assert len(serials) == 120
    jumps = np.diff(serials)
    assert jumps.min() == 1  # time never goes back
    assert sorted(jumps)[-2:] == [1, 7]  # 0.1 s were made up for; a minute asleep was not
    clip = hero.record(False)
    assert clip is not None
    assert clip.frames == serials[-1]  # what was not sent is in the recording


def test_a_page_that_falls_behind_gets_the_newest_pose_when_it_has_caught_up(small: Graph) -> None:
    hero, page = character(small)
    for _ in range(100):
        hero.advance()
    assert len(page.frames) == 100  # a page that does not say what it shows gets all
    hero.pace.seen(100)
    hero.record(True)
    for _ in range(200):
        hero.advance()
    assert [frame.serial for frame in page.frames[100:]] == list(range(101, 101 + live.MOST_AHEAD))
    told = len(page.messages)
    hero.advance(10)
    assert len(page.messages) == told  # nor words on its state, which would pile up as well
    hero.pace.seen(100 + live.MOST_AHEAD)
    hero.pace.seen(100)  # that came late
    hero.pace.seen(310)
    hero.advance()
    assert page.frames[-1].serial == 311  # not one of those it missed
    clip = hero.record(False)
    assert clip is not None
    assert clip.frames == 211  # time went on


async def _until(true: Any, seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


def test_a_page_gets_its_graph_and_poses_and_its_recording_goes_to_the_library(small: Graph, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    (tmp_path / "other.json").write_text(json.dumps({"tracks": []}))
    added: list[m.LibraryItem] = []
    library = Library(tmp_path, added.append)
    told: list[Any] = []

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, told.append), Page()
        assert room.names() == ("builtin", "small.json")
        await room.handle(page, m.LiveSteer("walk"))  # keys held before there is a character
        with pytest.raises(FootfallError):
            await room.handle(page, m.LiveAct("wave"))
        with pytest.raises(FootfallError):
            await room.handle(page, m.LiveStart("../small.json"))
        await room.handle(page, m.LiveStart("small.json"))
        shown = page.of(m.LiveGraph)[0]
        assert shown == graph_message(small, m.LiveStart("small.json"))
        await room.handle(page, m.LiveRecord(True))
        await _until(lambda: len(page.frames) >= 20)
        await room.handle(page, m.LiveRecord(False))
        assert len(added) == 1
        await room.handle(page, m.LiveStop())
        count = len(page.frames)
        await asyncio.sleep(0.1)
        assert len(page.frames) == count
        await room.handle(page, m.LiveStart("small.json"))
        await room.leave(page)
        await room.stop()

    asyncio.run(session())
    assert [job.state for job in told] == ["running", "done"]
    assert library.clip(added[0].key).frames >= 19
    library.stop()


def test_a_character_and_a_ground_are_chosen(small: Graph, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    library, told = Library(tmp_path), []

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, told.append), Page()
        for wrong in (m.LiveStart("small.json", "nobody.glb"), m.LiveStart("small.json", "", "../stairs.obj")):
            with pytest.raises(FootfallError):
                await room.handle(page, wrong)
        await room.handle(page, m.LiveStart("small.json", "adult:1.2", "stairs:15x35"))
        shown, ground = page.of(m.LiveGraph)[-1], page.of(m.LiveGroundShape)
        assert shown.skeleton.height_m == pytest.approx(1.2, abs=0.02)
        assert (shown.character, shown.ground) == ("adult:1.2", "stairs:15x35")
        assert len(ground) == 1
        assert ground[0].shape is not None
        hero = room._seats[page].hero
        assert hero.ground is not None
        await _until(lambda: len(page.of(m.LiveState)) >= 3)
        assert page.of(m.LiveState)[-1].depth_mm < 30.0  # of the stairs, not of the floor under them
        hero.place(0.0, 10.0, 0.0)  # up the stairs, beyond what was drawn
        await _until(lambda: len(page.of(m.LiveGroundShape)) == 2)
        heights = np.frombuffer(page.of(m.LiveGroundShape)[1].shape.vertices, "<f4").reshape(-1, 3)[:, 1]
        assert heights.max() > 10.0  # 20 m ahead of it
        seen = len(page.of(m.LiveState))
        await _until(lambda: len(page.of(m.LiveState)) >= seen + 3)
        assert page.of(m.LiveState)[-1].depth_mm < 30.0
        await room.handle(page, m.LiveStart("small.json"))
        assert page.of(m.LiveGroundShape)[-1].shape is None
        await room.stop()

    asyncio.run(session())
    labels = {job.label for job in told if "adult:1" in job.label}
    assert labels
    assert [job.state for job in told if "adult:1" in job.label][-1] == "done"
    library.stop()


def test_a_page_that_leaves_while_its_character_is_made_gets_none(small: Graph, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    library = Library(tmp_path)

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, lambda message: None), Page()
        starting = asyncio.create_task(room.handle(page, m.LiveStart("small.json")))
        await asyncio.sleep(0.01)
        await room.leave(page)
        await starting
        await asyncio.sleep(0.05)
        assert page.frames == []
        await room.stop()

    asyncio.run(session())
    library.stop()


def test_a_page_that_leaves_while_it_gets_another_character_has_none(small: Graph, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    library = Library(tmp_path)

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, lambda message: None), Page()
        await room.handle(page, m.LiveStart("small.json"))
        starting = asyncio.create_task(room.handle(page, m.LiveStart("small.json")))
        await asyncio.sleep(0)  # it is about to take the first one away
        await room.leave(page)
        await starting
        count = len(page.frames)
        await asyncio.sleep(0.1)
        assert len(page.frames) == count
        await room.stop()

    asyncio.run(session())
    library.stop()


@pytest.mark.parametrize("end", ["stop", "leave", "restart", "all"])
def test_a_recording_that_was_not_ended_is_kept(small: Graph, tmp_path: Path, end: str) -> None:
    small.save(tmp_path / "small.json")
    added: list[m.LibraryItem] = []
    library = Library(tmp_path, added.append)

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, lambda message: None), Page()
        await room.handle(page, m.LiveStart("small.json"))
        await room.handle(page, m.LiveRecord(True))
        await _until(lambda: len(page.frames) >= 10)
        if end == "stop":
            await room.handle(page, m.LiveStop())
        elif end == "leave":
            await room.leave(page)
        elif end == "restart":
            await room.handle(page, m.LiveStart("small.json"))
        await room.stop()

    asyncio.run(session())
    assert [item.group for item in added] == ["recordings"]
    library.stop()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_in_the_folder_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    library = Library(tmp_path)
    found: list[Any] = []
    names = threading.Thread(target=lambda: found.append(LiveRoom(library, tmp_path, print).names()), daemon=True)
    names.start()
    names.join(20.0)
    if not found:
        os.close(os.open(tmp_path / "pipe.json", os.O_WRONLY | os.O_NONBLOCK))  # let it go
    assert found == [("builtin",)]


def test_the_graph_in_advance_waits_for_quiet_and_is_read_once(
    small: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    told: list[Any] = []
    quiet = [False]
    library = Library(tmp_path)

    async def made(maker: GraphMaker, told: Any = None) -> None:
        await asyncio.sleep(0)

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, told.append), Page()
        preparing = asyncio.create_task(room.prepare(lambda: quiet[0]))
        await asyncio.sleep(0.1)
        assert not read
        quiet[0] = True
        await preparing
        await room.handle(page, m.LiveStart())
        assert read == ["builtin"]
        assert told == []  # nothing to wait for, nothing to say
        await _until(lambda: page.frames)
        await room.stop()

    monkeypatch.setattr(GraphMaker, "made", made)
    monkeypatch.setattr(live_room, "graph", lambda name: (read.append(name), small)[1])
    asyncio.run(session())
    library.stop()


def test_a_graph_that_is_being_made_tells_how_far_it_is_and_ends_with_the_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    told: list[Any] = []
    library = Library(tmp_path)

    async def session() -> None:
        room, page = LiveRoom(library, tmp_path, told.append), Page()
        starting = asyncio.create_task(room.handle(page, m.LiveStart()))
        await _until(lambda: len(told) > 3)
        process = room._maker._process
        assert process is not None
        starting.cancel()
        await room.stop()
        assert process.poll() is not None
        await asyncio.wait_for(room._maker.made(), 10.0)  # nothing is begun again

    asyncio.run(session())
    shares = [job.share for job in told]
    assert shares == sorted(shares)
    assert 0.0 < shares[-1] < 1.0
    library.stop()


def test_a_studio_prepares_after_the_first_take_and_stops_in_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def prepare(room: LiveRoom, is_quiet: Any) -> None:
        assert is_quiet()
        begun.set()
        await asyncio.sleep(1e6)

    async def act(studio: studio_module.Studio, page: Any) -> None:
        await asyncio.wait_for(begun.wait(), 60.0)

    monkeypatch.setattr(LiveRoom, "prepare", prepare)
    monkeypatch.setattr(studio_module, "PREPARE_S", 0.0)
    monkeypatch.setattr(studio_module, "demo", short_demo)
    run(tmp_path, act)


def test_a_crowd_wanders_until_it_is_sent_away(small: Graph, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")

    async def session() -> None:
        room, page = LiveRoom(Library(tmp_path), tmp_path, lambda _: None), Page()
        with pytest.raises(FootfallError):
            await room.handle(page, m.LiveCrowd(3))  # there is nobody yet
        await room.handle(page, m.LiveStart("small.json"))
        for wrong in (-1, 501, 2**31):
            with pytest.raises(FootfallError):
                await room.handle(page, m.LiveCrowd(wrong))
        await room.handle(page, m.LiveCrowd(5))
        await _until(lambda: len(page.crowd) >= 40)  # some stand for a moment first
        assert page.crowd[0].poses.shape == (5, len(small.skeleton), 3)
        far = np.linalg.norm(page.crowd[-1].poses[:, 0] - page.crowd[0].poses[:, 0], axis=-1)
        assert far.max() > 0.01
        await room.handle(page, m.LiveCrowd(0))
        count = len(page.crowd)
        await asyncio.sleep(0.2)
        assert len(page.crowd) == count
        await room.handle(page, m.LiveCrowd(2))
        await room.leave(page)
        count = len(page.crowd)
        await asyncio.sleep(0.2)
        assert len(page.crowd) == count
        await room.stop()

    asyncio.run(session())


def test_a_studio_without_a_folder_says_what_to_do(tmp_path: Path) -> None:
    async def session() -> None:
        room, page = LiveRoom(Library(tmp_path), None, lambda _: None), Page()
        for message in (m.LiveMake(), m.LiveLook()):
            with pytest.raises(FootfallError, match="footfall studio FOLDER"):
                await room.handle(page, message)
        room = LiveRoom(Library(tmp_path), tmp_path, lambda _: None)
        for message in (m.LiveMake(used=(0,)), m.LiveLook()):
            with pytest.raises(FootfallError, match="not made playable yet"):
                await room.handle(page, message)

    asyncio.run(session())
