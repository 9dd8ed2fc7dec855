"""The library: keys that hold, files that cannot be used, what was found out before."""

from __future__ import annotations

import gc
import os
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from read_frames import decode
from running_studio import until

import footfall as ff
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.studio import describer
from footfall.studio.describe import Answer, DescribeRequest, answer
from footfall.studio.describer import Describer, remembered
from footfall.studio.library import Library, free_path, plain_name


def is_known(library: Library) -> bool:
    """Waits until everything found at the start is known."""
    assert library._thread is not None
    library._thread.join(60.0)
    return not library._thread.is_alive()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder as people have them: motions, other things, and a broken file."""
    made = tmp_path_factory.mktemp("clips")
    walk = ff.motion("walk").resample(30.0)
    ff.save(walk, made / "walk.bvh")
    (made / "sub").mkdir()
    ff.save(walk, made / "sub" / "again.npz")
    (made / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    (made / "notes.txt").write_text("not a motion")
    (made / "project.json").write_text("{}")
    (made / ".hidden").mkdir()
    ff.save(walk, made / ".hidden" / "no.bvh")
    return made


@pytest.fixture(scope="module")
def library(folder):
    told = []
    made = Library(folder, told.append, motions=("walk", "kick"))
    made.told = told
    made.start()
    assert is_known(made)
    yield made
    made.stop()


def by_name(library: Library) -> dict:
    return {item.name: item for item in library.items()}


def test_everything_is_found_and_told(library):
    items = by_name(library)
    assert set(items) == {"walk", "kick", "again", "broken"}  # two are named walk: see below
    assert sorted(i.name for i in library.items()) == ["again", "broken", "kick", "walk", "walk"]
    known = {i.key for i in library.items() if i.group == "built-in"}  # maybe from before, and then not told of
    assert {i.key for i in library.told} | known == {i.key for i in library.items()}
    assert items["again"].group == "sub"
    assert {i.group for i in library.items() if i.name == "walk"} == {"built-in", library.folder.name}
    assert items["kick"].kind == "kick"
    assert not items["kick"].is_loop
    walk = next(i for i in library.items() if i.key == "walk")
    assert (walk.kind, walk.is_loop) == ("walk", True)
    assert walk.speed_m_s == pytest.approx(1.4, abs=0.02)
    assert [p.phase for p in walk.phases if p.phase != "DS"] in (["LS", "RS"], ["RS", "LS"])
    assert walk.phases[-1].end_s == pytest.approx(walk.seconds, abs=0.002)


def test_a_broken_file_is_shown_with_its_problem(library):
    broken = by_name(library)["broken"]
    assert "broken.bvh:line" in broken.problem
    for use in (library.clip, library.poses, library.skeleton):
        with pytest.raises(FootfallError, match="broken"):
            use(broken.key)


def test_keys_go_to_entries_and_back(library):
    for item in library.items():
        entry = library.entry(item.key)
        assert library.key_of(entry) == item.key
        path = library.path(item.key)
        assert (path is None) == (item.group == "built-in")
        if path is not None:
            assert not Path(entry).is_absolute()
            assert library.key_of(str(path)) == item.key  # as a timeline file that was read names it


def test_keys_hold_from_one_start_to_the_next(library, folder):
    again = Library(folder, motions=("walk", "kick"))
    again.start()
    assert is_known(again)
    again.stop()
    assert {i.key: i for i in again.items()} == {i.key: i for i in library.items()}


def test_what_was_found_out_is_there_at_once(library, folder, monkeypatch):
    monkeypatch.setattr(Describer, "_started", lambda self: None)  # nothing can be worked out
    again = Library(folder, motions=("walk", "kick"))
    again.start()
    assert {i.key for i in again.items()} >= {"walk", "kick"}
    assert is_known(again)
    again.stop()
    assert set(again.items()) == set(library.items())
    assert again.poses("walk") == library.poses("walk")


def test_a_changed_file_is_read_again(library, folder, tmp_path):
    path = folder / "changing.bvh"
    ff.save(ff.motion("walk").resample(30.0), path)
    key = library.key_of("changing.bvh")
    first = library.clip(key)
    assert library.clip(key) is first
    ff.save(ff.motion("walk", cycles=2).resample(30.0), path)
    os.utime(path, (time.time() + 5, time.time() + 5))
    assert library.clip(key).frames > first.frames
    path.unlink()
    with pytest.raises(FootfallError):
        library.clip(key)


@pytest.mark.parametrize(
    "entry",
    ["/etc/passwd", "../walk.bvh", "sub/../../x.bvh", "C:\\walk.bvh", "//host/walk.bvh", "link.bvh", "no.bvh", ""],
)
def test_a_project_may_not_name_files_elsewhere(library, folder, tmp_path, entry):
    if not (folder / "link.bvh").is_symlink():
        ff.save(ff.motion("walk").resample(30.0), tmp_path / "outside.bvh")
        (folder / "link.bvh").symlink_to(tmp_path / "outside.bvh")
    with pytest.raises(FootfallError):
        library.key_of(entry)


def test_a_motion_with_other_parameters_is_entered(library):
    key = library.key_of("walk:speed=1.1")
    assert library.clip(key).duration > library.clip("walk").duration
    with pytest.raises(UnknownName, match="walk"):
        library.clip("wlak")
    wrong = library.key_of("walk:speeed=1")
    with pytest.raises(UnknownName, match="speed"):
        library.clip(wrong)


def test_a_recording_becomes_a_file_and_an_item(library):
    clip = ff.motion("walk").resample(60.0)
    item = library.add_clip(clip, "my <b>run</b> / 1")
    assert item.group == "recordings"
    assert item.name == "my -b-run--b- - 1"
    assert library.path(item.key).is_file()
    back = library.clip(item.key)
    assert back.frames == clip.frames
    assert library.add_clip(clip, "my <b>run</b> / 1").key != item.key
    assert decode(library.poses(item.key)).poses.shape[1] == len(clip.skeleton)


def test_several_animations_of_a_file_are_several_items(tmp_path):
    from footfall.studio.describe import Answer, describe

    made = Library(tmp_path, motions=())
    clips = [ff.motion("walk").resample(30.0), ff.motion("kick").resample(30.0)]
    path = ff.save(clips[0], tmp_path / "two.glb")
    items = made._add_all(made._file_entry(path), Answer(tuple(describe(c) for c in clips)))
    assert [(i.name, i.file) for i in items] == [("walk", "two.glb"), ("kick", "two.glb")]
    assert [made.animation(i.key) for i in items] == ["walk", "kick"]
    assert made.key_of("two.glb") == items[0].key
    assert made.key_of("two.glb", "kick") == items[1].key
    with pytest.raises(ParameterError, match="no number 1"):
        made.clip(items[1].key)  # the file has one only


def test_the_memory_for_clips_is_bounded(folder, monkeypatch):
    from footfall.studio import library as module

    made = Library(folder, motions=("walk", "kick", "stand"))
    monkeypatch.setattr(module, "MOST_HELD", 1)
    for key in ("walk", "kick", "stand"):
        made.clip(key)
    assert list(made._clips) == ["stand"]


def test_a_process_that_dies_or_hangs_costs_one_file(folder, monkeypatch, tmp_path):
    request = DescribeRequest(file=str(folder / "walk.bvh"))
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))  # nothing is remembered
    hung = Describer(limit_s=0.01)  # less than Python takes to start
    assert "took longer" in hung.ask(request).problem
    hung.limit_s = 60.0
    assert hung.ask(request).clips  # a new process
    hung._process.kill()
    motion = DescribeRequest(motion="walk")
    assert "more memory" in hung.ask(motion).problem
    assert hung.ask(request) == remembered(request)
    hung.stop()
    assert hung._process is None


def test_a_process_ends_with_its_describer(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    dropped = Describer()
    assert dropped.ask(DescribeRequest(file=str(folder / "walk.bvh"))).clips
    process = dropped._process
    del dropped
    gc.collect()
    assert process.returncode is not None


def test_no_process_is_left_when_it_starts_while_the_describer_stops(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    begun, start, started = threading.Event(), subprocess.Popen, []

    def slow(*given, **options):
        begun.set()
        time.sleep(0.3)
        started.append(start(*given, **options))
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", slow)
    asked = Describer()
    asking = threading.Thread(target=asked.ask, args=(DescribeRequest(file=str(folder / "walk.bvh")),))
    asking.start()
    begun.wait(20.0)
    asked.stop()
    asking.join(20.0)
    assert started[0].returncode is not None


def test_answers_depend_on_content_and_code(folder, monkeypatch):
    request = DescribeRequest(file=str(folder / "walk.bvh"))
    before = describer._file(request)
    (folder / "walk2.bvh").write_bytes((folder / "walk.bvh").read_bytes() + b"\n")
    assert describer._file(DescribeRequest(file=str(folder / "walk2.bvh"))) != before
    monkeypatch.setattr(describer, "code_mark", lambda: "other code")
    assert describer._file(request) != before


def test_no_stranger_s_file_raises(monkeypatch):
    def broken(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("footfall.io.load.load_all", broken)
    assert "RecursionError" in answer(DescribeRequest(file="x.bvh")).problem
    assert answer(DescribeRequest(motion="no such")).problem


def test_names_for_files(tmp_path):
    assert plain_name("../../etc") == "etc"
    assert plain_name("…") == "clip"
    assert plain_name("läuft schräg") == "läuft schräg"
    assert len(plain_name("x" * 500)) == 60
    (tmp_path / "a.npz").touch()
    assert free_path(tmp_path, "a.npz").name == "a-2.npz"


def test_nothing_in_the_current_folder_is_run(folder, monkeypatch, tmp_path):
    """`footfall studio .` in a folder from a stranger must not import what lies there."""
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name in ("msgspec", "footfall", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('run')")
    asked = Describer()
    assert asked.ask(DescribeRequest(file=str(folder / "walk.bvh"))).clips
    asked.stop()


def test_a_project_of_many_unknown_motions_starts_no_crowd_of_threads(tmp_path, monkeypatch):
    seen = []
    waiting = threading.Event()
    monkeypatch.setattr(Describer, "ask", lambda *_: (seen.append(1), waiting.wait(20.0), Answer())[-1])
    made = Library(tmp_path, motions=())
    before = threading.active_count()
    for number in range(200):
        made.key_of(f"walk:speed=1.{number:03}")
    assert threading.active_count() <= before + 2
    waiting.set()
    until(lambda: len(seen) == 200)
    made.stop()


def test_recordings_that_end_at_the_same_moment_are_both_kept(tmp_path, monkeypatch):
    from footfall.studio import library as module

    together, free_path = threading.Barrier(2), module.free_path

    def slow(*given):
        found = free_path(*given)
        with suppress(threading.BrokenBarrierError):
            together.wait(1.0)
        return found

    monkeypatch.setattr(module, "free_path", slow)
    made = Library(tmp_path, motions=())
    clips = [ff.motion("walk"), ff.motion("stand")]
    threads = [threading.Thread(target=made.add_clip, args=(clip, "recording")) for clip in clips]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    kept = [made.clip(item.key).frames for item in made.items()]
    assert sorted(kept) == sorted(clip.frames for clip in clips)
    made.stop()
