"""Exports: files that open again, progress, cancel, and nothing left behind."""

from __future__ import annotations

import threading
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from running_studio import until

import footfall as ff
from footfall.core.errors import FootfallError, ParameterError
from footfall.studio import exports
from footfall.studio import messages as m
from footfall.studio.exports import Jobs


@pytest.fixture
def jobs():
    told = []
    made = Jobs(told.append)
    made.told = told
    yield made
    made.stop()
    assert made._folder is None or not made._folder.exists()


@pytest.fixture(scope="module")
def walk():
    return ff.motion("walk").resample(30.0)


def states(jobs, job: int) -> list[str]:
    return [t.state for t in jobs.told if t.id == job]


def done(jobs, job: int):
    until(lambda: states(jobs, job)[-1] != "running", 60.0)
    return next(t for t in reversed(jobs.told) if t.id == job)


@pytest.mark.parametrize("format", ["glb", "bvh", "npz"])
def test_one_clip(jobs, walk, format):
    told = done(jobs, jobs.export([walk], format, "my take"))
    assert (told.state, told.share, told.url) == ("done", 1.0, f"/downloads/{told.id}/my%20take.{format}")
    back = ff.load(jobs.result(told.id, f"my take.{format}"))
    assert back.frames == walk.frames
    assert jobs.result(told.id, "other") is None
    assert jobs.result(99, f"my take.{format}") is None


def test_a_bare_skeleton_has_no_mesh_whichever_file_its_body_came_from(jobs, walk, tmp_path):
    """Not the body that is drawn for a clip without one, and not the character's own."""
    hero = ff.save(ff.retarget(ff.motion("stand"), "adult:1.3"), tmp_path / "hero.glb")
    worn = ff.retarget(walk, hero)
    assert worn.skin is not None
    for clip, count in ((walk, 1), (worn, 1), (worn, 2)):
        asked = m.Export("glb", bare=True)
        clips = [replace(exports.as_asked(clip, 0.0, asked), name=f"clip {n}") for n in range(count)]
        told = done(jobs, jobs.export(clips, "glb", "bare", bare=True))
        written = jobs.result(told.id, "bare.glb" if count == 1 else "bare.zip")
        if count == 2:
            with zipfile.ZipFile(written) as packed:
                packed.extractall(tmp_path / "parts")
        for path in [written] if count == 1 else sorted((tmp_path / "parts").iterdir()):
            back = ff.load(path)
            assert back.skin is None
            assert back.skeleton.names == clip.skeleton.names
            assert np.abs(back.positions - clip.positions).max() < 1e-4


def test_several_clips_are_a_zip_of_files_with_names_that_differ(jobs, walk, tmp_path):
    clips = [replace(walk, name=name) for name in ("Hero", "hero", "../evil", "Hero")]
    told = done(jobs, jobs.export(clips, "bvh"))
    with zipfile.ZipFile(jobs.result(told.id, "take.zip")) as packed:
        names = packed.namelist()
        packed.extractall(tmp_path)
    assert names == ["Hero.bvh", "hero-2.bvh", "evil.bvh", "Hero-3.bvh"]
    assert all(ff.load(tmp_path / name).frames == walk.frames for name in names)


@pytest.mark.slow
def test_a_film_of_all_characters(jobs, walk, monkeypatch):
    monkeypatch.setattr(exports, "FILM_SIZE", (160, 120))
    monkeypatch.setattr(exports, "SAY_S", 0.0)
    told = done(jobs, jobs.export([walk, walk], "mp4", "film"))
    assert told.state == "done"
    data = jobs.result(told.id, "film.mp4").read_bytes()
    assert data[4:8] == b"ftyp"
    shares = [t.share for t in jobs.told if t.id == told.id]
    assert shares == sorted(shares)
    assert len(shares) > 30


@pytest.mark.slow
def test_a_film_can_be_cancelled_while_it_is_made(jobs, walk, monkeypatch):
    monkeypatch.setattr(exports, "FILM_SIZE", (160, 120))
    monkeypatch.setattr(exports, "SAY_S", 0.0)
    long = ff.motion("walk", cycles=20).resample(30.0)
    job = jobs.export([long], "mp4", "film")
    until(lambda: any(0.0 < t.share < 1.0 for t in jobs.told), 60.0)
    jobs.cancel(job)
    assert done(jobs, job).state == "cancelled"
    assert jobs.result(job, "film.mp4") is None
    assert not list(jobs._folder.rglob("*.*"))
    assert done(jobs, jobs.export([walk], "bvh")).state == "done"  # the next is made


def test_one_that_waits_can_be_cancelled(jobs, walk, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(exports, "save", lambda clip, path: (go.wait(20), ff.save(clip, path))[1])
    first, second = jobs.export([walk], "bvh"), jobs.export([walk], "bvh")
    jobs.cancel(second)
    go.set()
    assert done(jobs, second).state == "cancelled"
    assert done(jobs, first).state == "done"
    with pytest.raises(FootfallError, match="no job"):
        jobs.cancel(99)


def test_failures_are_told(jobs, walk, monkeypatch):
    def full(*_: object) -> None:
        raise exports.ParameterError("The disk is full; free some space.")

    monkeypatch.setattr(exports, "save", full)
    told = done(jobs, jobs.export([walk], "bvh"))
    assert (told.state, told.problem, told.url) == ("failed", "The disk is full; free some space.", None)
    monkeypatch.setattr(exports, "save", lambda *_: 1 / 0)
    told = done(jobs, jobs.export([walk], "bvh"))
    assert told.state == "failed"
    assert "terminal" in told.problem


def test_what_cannot_be_exported(jobs, walk):
    with pytest.raises(FootfallError, match="format"):
        jobs.export([walk], "exe")
    with pytest.raises(FootfallError, match="nothing to export"):
        jobs.export([], "glb")


def test_old_results_are_removed(jobs, walk, monkeypatch):
    monkeypatch.setattr(exports, "MOST_KEPT", 2)
    made = [jobs.export([walk], "npz") for _ in range(5)]
    done(jobs, made[-1])
    until(lambda: jobs.result(made[2], "walk.npz") is None)
    assert [jobs.result(job, "walk.npz") is not None for job in made] == [False, False, False, True, True]


def test_not_too_many_wait(jobs, walk, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(exports, "save", lambda clip, path: (go.wait(20), ff.save(clip, path))[1])
    for _ in range(exports.MOST_WAITING):
        jobs.export([walk], "npz")
    with pytest.raises(FootfallError, match="waiting already"):
        jobs.export([walk], "npz")
    go.set()


def test_an_export_is_as_it_was_asked_for() -> None:
    """Frame rate, part, the wait before the track begins, in place; everything else stays as it is."""
    clip = ff.motion("walk", cycles=3).resample(60.0)
    export = partial(m.Export, "glb")
    whole = exports.as_asked(clip, 0.0, export())
    assert whole is clip
    late = exports.as_asked(clip, 1.5, export())
    assert late.duration == pytest.approx(clip.duration + 1.5, abs=1 / 60)
    assert np.ptp(late.positions[:90], axis=0).max() < 1e-9  # it waits
    assert np.abs(late.positions[90:] - clip.positions[: late.frames - 90]).max() < 1e-6
    part = exports.as_asked(clip, 0.0, export(fps=24.0, range_s=(0.5, 1.5)))
    assert (part.fps, part.frames) == (24.0, 25)
    assert np.abs(part.pose.root_pos[0] - clip.sample(0.5).root_pos).max() < 1e-9
    spot = exports.as_asked(clip, 0.0, export(in_place=True))
    assert np.ptp(spot.pose.root_pos[:, [0, 2]], axis=0).max() < 0.3
    for wrong in (export(range_s=(2.0, 1.0)), export(fps=0.0), export(fps=float("nan")), export(range_s=(0.0, 1e400))):
        with pytest.raises(ParameterError):
            exports.as_asked(clip, 0.0, wrong)
