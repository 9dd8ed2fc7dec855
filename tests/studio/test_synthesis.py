"""The synthesis worker: previews are what the edit then gives, one bad track harms no other, the newest drag wins."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from read_frames import decode

from footfall.core.errors import ParameterError
from footfall.studio import frames, synthesis
from footfall.studio import messages as m
from footfall.studio.edits import Context, apply
from footfall.studio.project import TimelineRest, from_timeline
from footfall.studio.synthesis import Arranged, PreviewDone, Synthesis, TakeDone
from footfall.timeline.arrangement import Arrangement
from footfall.timeline.model import FloorGoal, Layer, Marker, Timeline, TimelineClip, TimelineTrack

FPS = 30.0
HERO = m.DocumentTrack(1, "Hero", None, (m.PlacedClip(2, "walk", repeat=2), m.PlacedClip(3, "kick")))
RIVAL = m.DocumentTrack(4, "Rival", None, (m.PlacedClip(5, "stand"),))
TWO = m.Document((HERO, RIVAL))


class Worker:
    """A synthesis whose answers wait in line."""

    def __init__(self) -> None:
        self.told: queue.SimpleQueue[TakeDone | PreviewDone] = queue.SimpleQueue()
        self.of = Synthesis(self.told.put)

    def take(
        self, document: m.Document, revision: int = 1, kept: TimelineRest | None = None, entry: Any = str
    ) -> TakeDone:
        self.of.take(Arranged(document, kept or TimelineRest(fps=FPS), entry), revision)
        return self.next(TakeDone, lambda done: done.revision == revision)

    def preview(self, document: m.Document, playhead_s: float = 1.0, serial: int = 1) -> PreviewDone:
        drag = m.Drag(m.DuplicateClip(3), serial, playhead_s)
        self.of.drag("page", Arranged(document, KEPT, str), drag, 3)
        return self.next(PreviewDone)

    def next(self, kind: Any, fits: Any = lambda done: True) -> Any:
        while True:
            done = self.told.get(timeout=120.0)
            if isinstance(done, kind) and fits(done):
                return done


KEPT = TimelineRest(fps=FPS)


@pytest.fixture(scope="module")
def running() -> Iterator[Worker]:
    worker = Worker()
    worker.of.start()
    yield worker
    worker.of.stop()


@pytest.fixture
def worker(running: Worker) -> Worker:
    """Nothing of an earlier test waits any more."""
    running.take(m.Document(), 10**6)
    while not running.told.empty():
        running.told.get()
    return running


def moved(start_s: float) -> m.Document:
    return apply(TWO, m.MoveClip(3, start_s), Context(lambda key: True, 100, {2: 0.0, 3: 2.2}))


def test_a_take_has_views_poses_and_bodies_and_then_grades(worker: Worker) -> None:
    first = worker.take(TWO, 7)
    assert [t.id for t in first.message.tracks] == [1, 4]
    assert all(t.problem is None for t in first.message.tracks)
    assert first.message.duration_s == max(t.end_s for t in first.message.tracks)
    for track in (1, 4):
        frame = decode(first.frames[track])
        assert (frame.kind, frame.serial, frame.track, frame.fps) == (frames.TAKE, 7, track, FPS)
        np.testing.assert_allclose(frame.poses[..., :3], first.clips[track].positions, atol=1e-5)
    assert first.message.tracks[0].joins[0].grade == "unknown"
    assert all(first.message.skeletons)
    graded = worker.next(TakeDone)
    assert graded.measured
    assert graded.frames == {}
    join = graded.message.tracks[0].joins[0]
    assert join.grade in ("good", "fair", "poor")
    whole = Arrangement(
        Timeline((TimelineTrack((TimelineClip("walk", repeat=2), TimelineClip("kick"))),), fps=FPS)
    ).render()
    assert whole.report is not None
    (seam,) = whole.report.judgement["seams"]
    assert join.skate_ratio == pytest.approx(seam["figures"]["skate"]["value"], abs=1e-3)
    assert join.excess_m_s2 == pytest.approx(seam["figures"]["excess"]["value"], abs=1e-2)
    assert join.grade == {"green": "good", "amber": "fair", "red": "poor"}[seam["grade"]]
    assert join.seen == next(iter(seam["reasons"]), "")


def test_a_preview_is_what_the_edit_then_gives(worker: Worker) -> None:
    worker.take(TWO)
    for serial, (start, playhead) in enumerate([(2.2, 2.1), (2.5, 2.4), (3.4, 3.0), (0.3, 0.7)]):
        document = moved(start)
        preview = worker.preview(document, playhead, serial)
        assert preview.message.serial == serial
        take = worker.take(document, 100 + serial)
        assert preview.message.tracks == take.message.tracks
        assert preview.message.duration_s == take.message.duration_s
        for track, data in preview.frames.items():
            shown, whole = decode(data), decode(take.frames[track])
            at = round((shown.start_s - whole.start_s) * FPS)
            assert (
                abs(shown.start_s - np.clip(playhead, whole.start_s, None)) <= 0.51 / FPS or at == len(whole.poses) - 1
            )
            np.testing.assert_array_equal(shown.poses[0], whole.poses[at])


def test_the_newest_drag_wins(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    worker.take(TWO)
    begun, go_on = threading.Event(), threading.Event()
    plain = synthesis.MadeTrack.frame_at

    def slow(self: synthesis.MadeTrack, kind: int, serial: int, t_s: float) -> bytes:
        begun.set()
        assert go_on.wait(30.0)
        return plain(self, kind, serial, t_s)

    monkeypatch.setattr(synthesis.MadeTrack, "frame_at", slow)
    for serial in range(20):
        drag = m.Drag(m.DuplicateClip(3), serial, 0.0)
        worker.of.drag("page", Arranged(moved(2.2 + 0.01 * serial), KEPT, str), drag, 3)
        if serial == 0:
            assert begun.wait(30.0)
    go_on.set()
    assert [worker.next(PreviewDone).message.serial for _ in range(2)] == [0, 19]
    worker.of.drag("page", Arranged(TWO, KEPT, str), m.Drag(m.DuplicateClip(3), 20, 0.0), 3)
    assert worker.next(PreviewDone).message.serial == 20


def test_pages_that_drag_at_once_are_all_answered(worker: Worker) -> None:
    for page in ("a", "b", "c"):
        worker.of.drag(page, Arranged(moved(2.5), KEPT, str), m.Drag(m.DuplicateClip(3), 1, 0.0), 3)
    assert {worker.next(PreviewDone).client for _ in range(3)} == {"a", "b", "c"}


def test_a_clip_that_cannot_be_read_is_a_problem_of_its_track_only(worker: Worker, tmp_path: Path) -> None:
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY nonsense")
    broken = replace_clip(TWO, 5, str(bad))
    done = worker.take(broken, 3)
    hero, rival = done.message.tracks
    assert hero.problem is None
    assert set(done.frames) == {1}
    assert rival.problem is not None
    assert "bad.bvh" in rival.problem
    assert "\n" not in rival.problem
    assert [c.id for c in rival.clips] == [5]
    preview = worker.preview(broken)
    assert [bool(t.problem) for t in preview.message.tracks] == [False, True]

    def entry(key: str) -> str:
        raise ParameterError("it is not in the folder")

    gone = worker.take(TWO, 4, entry=entry)
    assert [t.problem for t in gone.message.tracks] == ["it is not in the folder"] * 2
    assert worker.take(TWO, 5).message.tracks[1].problem is None


def test_other_failures_are_told_without_a_trace_and_the_worker_lives_on(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr(synthesis.MadeTrack, "rows", property(fails))
        done = worker.take(moved(2.9), 3)
    assert all("ZeroDivisionError" in str(t.problem) and "\n" not in str(t.problem) for t in done.message.tracks)
    assert all(t.problem is None for t in worker.take(moved(2.9), 4).message.tracks)


@pytest.mark.parametrize(
    ("clip", "says"),
    [
        (m.PlacedClip(5, "kick", repeat=3), "no loop"),
        (m.PlacedClip(5, "walk", trim_s=(50.0, 60.0)), "lasts"),
        (m.PlacedClip(5, "walk:speed=nonsense"), "number"),
        (m.PlacedClip(5, "no-such-motion"), "no-such-motion"),
        (m.PlacedClip(5, "walk", repeat=1000, speed=0.1), "at most"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_made_says_why(worker: Worker, clip: m.PlacedClip, says: str) -> None:
    done = worker.take(m.Document((HERO, m.DocumentTrack(4, "Rival", None, (clip,)))), 9)
    assert done.message.tracks[0].problem is None
    assert says in str(done.message.tracks[1].problem)


def test_a_wait_of_hours_is_refused_before_it_is_made(worker: Worker) -> None:
    far = m.DocumentTrack(1, "Hero", None, (m.PlacedClip(2, "walk", 0.0), m.PlacedClip(3, "kick", 1e8)))
    assert "at most" in str(worker.take(m.Document((far,)), 2).message.tracks[0].problem)


def test_empty_tracks_and_documents_are_no_problem(worker: Worker) -> None:
    done = worker.take(m.Document((m.DocumentTrack(8, "Nobody"), RIVAL)), 2)
    assert [(t.id, t.problem) for t in done.message.tracks] == [(8, None), (4, None)]
    assert set(done.frames) == {4}
    assert worker.take(m.Document(), 3).message.duration_s == 0.0


def test_layers_goals_and_markers_are_made_as_the_timeline_has_them(worker: Worker) -> None:
    timeline = Timeline(
        (
            TimelineTrack(
                (TimelineClip("walk", repeat=2), TimelineClip("kick")), goal=FloorGoal((1.0, -2.0), 30.0), name="Hero"
            ),
            TimelineTrack((TimelineClip("stand", 0.0),), layers=(Layer("wave", 1.0, ("right arm",)),), name="Rival"),
        ),
        (Marker((0, 1), (1, 0), (0.2, 0.5)),),
        FPS,
    )
    document, kept = from_timeline(timeline, lambda entry, animation: entry)
    done = worker.take(document, 5, kept)
    whole = Arrangement(timeline)
    for track, clip, plan in zip(done.message.tracks, whole.renders(measured=False), whole.plan(), strict=True):
        assert track.problem is None
        assert track.start_s == pytest.approx(plan.pieces[0].start_s, abs=1e-4)
        frame = decode(done.frames[track.id])
        assert frame.start_s == pytest.approx(plan.pieces[0].start_s, abs=1e-5)
        np.testing.assert_allclose(frame.poses[..., :3], clip.positions, atol=1e-4)


def test_a_marker_holds_beside_a_track_that_cannot_be_made(worker: Worker, tmp_path: Path) -> None:
    tracks = tuple(
        TimelineTrack((TimelineClip(clip, 0.0),), name=clip) for clip in ("walk", str(tmp_path / "no.bvh"), "stand")
    )
    timeline = Timeline(tracks, (Marker((0, 2), (0, 0), (0.5, 0.0)), Marker((0, 1), (0, 0))), FPS)
    document, kept = from_timeline(timeline, lambda entry, animation: entry)
    views = worker.take(document, 5, kept).message.tracks
    assert [bool(v.problem) for v in views] == [False, True, False]
    assert views[2].start_s == pytest.approx(0.5)


def test_a_failure_of_all_is_answered_too(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(Synthesis, "_tracks", fails)
        assert all("ZeroDivisionError" in str(t.problem) for t in worker.take(TWO, 3).message.tracks)
        assert isinstance(worker.preview(TWO, serial=8).message, m.Problem)


def test_the_frame_rate_is_the_highest_of_what_can_be_read(worker: Worker, tmp_path: Path) -> None:
    kept = replace(KEPT, fps=None)
    done = worker.take(replace_clip(TWO, 5, str(tmp_path / "missing.bvh")), 5, kept)
    assert decode(done.frames[1]).fps == 120.0


def replace_clip(document: m.Document, clip: int, key: str) -> m.Document:
    tracks = []
    for track in document.tracks:
        clips = tuple(msgspec.structs.replace(c, clip=key) if c.id == clip else c for c in track.clips)
        tracks.append(msgspec.structs.replace(track, clips=clips))
    return m.Document(tuple(tracks))


def test_the_end_does_not_wait_for_a_take(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, release = threading.Event(), threading.Event()

    def slow(worker: Synthesis, asked: object) -> None:
        begun.set()
        release.wait(8.0)

    monkeypatch.setattr(Synthesis, "_make_take", slow)
    worker = Synthesis(lambda done: None)
    worker.start()
    worker.take(Arranged(m.Document(), TimelineRest(), str), 1)
    assert begun.wait(20.0)
    worker.stop()
    thread = worker._worker._thread
    assert thread is not None
    assert thread.is_alive()
    release.set()
    thread.join(20.0)
    assert not thread.is_alive()
