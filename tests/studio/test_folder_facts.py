"""The studio's folder and its library's index: what is known costs no reading, what is found out is known to all."""

from __future__ import annotations

import os
import time

import pytest

import footfall as ff
from footfall.io import folder as files
from footfall.library.build import Settings, place_of, update
from footfall.library.facts import facts_facet
from footfall.library.index_file import ordered_dump
from footfall.library.index_tables import TABLE
from footfall.library.index_writer import IndexWriter
from footfall.studio import describer, folder_facts
from footfall.studio.describer import Describer
from footfall.studio.library import Library


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def takes(tmp_path):
    """A looped walk, a kick below, a walk on the spot, and a file that is broken."""
    made = tmp_path / "takes"
    walk = ff.motion("walk", cycles=2).resample(30.0)
    ff.save(walk, made / "walk.npz")
    ff.save(ff.motion("kick").resample(30.0), made / "sub" / "kick.bvh")
    ff.save(walk.in_place(), made / "spot.npz")
    (made / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    return made


def looked(takes):
    """What a studio knows of a folder once it has looked at it."""
    library = Library(takes, motions=())
    library.start()
    library._thread.join(120.0)
    assert not library._thread.is_alive()
    library.stop()
    return {item.name: item for item in library.items()}


@pytest.fixture
def read(monkeypatch):
    """Names of files that are read while a test runs, by the studio or by its describing process."""
    seen, hashed, asked = set(), files.content_hash, Describer._asked
    for module in (describer, folder_facts):
        monkeypatch.setattr(module, "content_hash", lambda path: (seen.add(path.name), hashed(path))[1])
    monkeypatch.setattr(Describer, "_asked", lambda self, r: (seen.add(os.path.basename(r.file)), asked(self, r))[1])
    return seen


def test_a_folder_opened_again_is_not_read(takes, read):
    first = looked(takes)
    assert read >= {"walk.npz", "kick.bvh", "spot.npz", "broken.bvh"}
    read.clear()
    assert looked(takes) == first
    assert read == {"broken.bvh"}


def test_what_a_command_found_out_is_shown_as_if_the_studio_had(takes, read):
    described = looked(takes)
    (place_of(takes) / TABLE).unlink()
    update(takes, [facts_facet()], Settings(jobs=1))
    read.clear()
    assert looked(takes) == described
    assert read == {"broken.bvh"}
    assert described["spot"].on_the_spot
    assert described["kick"].tags == ("kick",)


def test_commands_find_what_the_studio_found_out(takes, tmp_path):
    looked(takes)
    report = update(takes, [facts_facet()], Settings(jobs=1))
    assert (report.files, report.read) == (4, 1)  # the broken one, which is the studio's to tell of again
    update(takes, [facts_facet()], Settings(place=tmp_path / "whole", jobs=1))
    assert ordered_dump(place_of(takes)) == ordered_dump(tmp_path / "whole")


def test_a_file_that_changed_is_read_again(takes, read):
    before = looked(takes)
    ff.save(ff.motion("run", cycles=2).resample(30.0), takes / "walk.npz")
    os.utime(takes / "walk.npz", (time.time() + 5, time.time() + 5))
    read.clear()
    after = looked(takes)
    assert read == {"walk.npz", "broken.bvh"}
    assert (before["walk"].kind, after["walk"].kind) == ("walk", "run")


def test_a_damaged_index_is_as_if_there_were_none(takes):
    first = looked(takes)
    table = place_of(takes) / TABLE
    table.write_bytes(table.read_bytes()[:5000] + b"?" * 3000)
    assert looked(takes) == first
    assert looked(takes) == first  # it was made again


def test_while_another_writes_the_studio_does_not_wait(takes):
    with IndexWriter(place_of(takes)):
        found = looked(takes)
    assert set(found) == {"walk", "kick", "spot", "broken"}
