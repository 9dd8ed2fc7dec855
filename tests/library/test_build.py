"""A library brought up to date: what is read again and what is not, what is kept, and what damage does to it."""

from __future__ import annotations

import os
import shutil
import sqlite3

import numpy as np
import pytest

from footfall.core.errors import WriteError
from footfall.io.load import load
from footfall.io.save import save
from footfall.library.build import BESIDE, Settings, place_of, update, with_library
from footfall.library.facts import facts_facet, quality_facet
from footfall.library.index_file import Index, array_bytes, ordered_dump
from footfall.library.index_tables import ARRAYS, TABLE, LibraryDamaged
from footfall.library.index_writer import IndexWriter
from footfall.library.kept_traits import traits_facet
from footfall.library.moments import moments_facet
from footfall.motions.library import motion
from footfall.retarget.character import character

BODY = character("adult")
FACETS = [facts_facet(), traits_facet(), moments_facet(BODY)]


def filled(folder, place, facets=FACETS, **settings):
    return update(folder, facets, Settings(place=place, **settings))


def content(place):
    return ordered_dump(place), array_bytes(place)


def test_every_facet_of_every_clip_is_kept(takes, tmp_path):
    report = filled(takes, tmp_path / "place", [*FACETS, quality_facet()])
    assert (report.files, report.read) == (4, 4)
    index = Index(tmp_path / "place")
    clips = index.clips("facts")
    assert [c.file for c in clips] == ["actions/kick.bvh", "walk.bvh"]
    clip = load(takes / "walk.bvh")
    down = index.column("facts", "down").of(1)
    np.testing.assert_array_equal(down[:, 0], clip.contacts.left_heel)
    told = clips[1].told
    assert told["analysis"]["type"] == "walk"
    assert told["analysis"]["phases"]
    assert told["read"]["inferred"]["floor"]["value"].keys() == {"left", "right"}
    assert [name for name, _ in index.problems("facts")] == ["bad.bvh"]  # the notes are no fault
    assert "line" in index.problems("facts")[0][1]
    assert index.clips("quality")[0].told["verdict"]


def test_only_what_changed_is_read_again(takes, tmp_path):
    mine, place = tmp_path / "takes", tmp_path / "place"
    shutil.copytree(takes, mine)
    assert filled(mine, place).read == 4
    assert filled(mine, place).read == 0
    os.utime(mine / "walk.bvh")  # another time, the same content
    assert filled(mine, place).read == 0
    before = content(place)
    (mine / "walk.bvh").rename(mine / "renamed.bvh")
    report = filled(mine, place)
    assert (report.read, report.moved, report.gone) == (0, 1, 0)
    assert [c.file for c in Index(place).clips("facts")] == ["actions/kick.bvh", "renamed.bvh"]
    (mine / "renamed.bvh").rename(mine / "walk.bvh")
    filled(mine, place)
    assert content(place) == before
    save(motion("walk", speed=1.6), mine / "walk.bvh")
    assert filled(mine, place).read == 1
    (mine / "actions" / "kick.bvh").unlink()
    assert filled(mine, place).gone == 1
    assert [c.file for c in Index(place).clips("moments " + FACETS[2].variant)] == ["walk.bvh"]


def test_a_file_that_moved_and_was_copied_is_in_the_library_twice(takes, tmp_path):
    mine, place = tmp_path / "takes", tmp_path / "place"
    shutil.copytree(takes, mine)
    filled(mine, place)
    shutil.copy(mine / "walk.bvh", mine / "a.bvh")
    (mine / "walk.bvh").rename(mine / "b.bvh")
    filled(mine, place)
    assert [c.file for c in Index(place).clips("traits")] == ["a.bvh", "actions/kick.bvh", "b.bvh"]


def test_another_facet_of_known_files_leaves_the_others_alone(takes, tmp_path):
    place = tmp_path / "place"
    filled(takes, place, FACETS[:1])
    told = Index(place).clips("facts")
    assert filled(takes, place, FACETS).read == 4
    assert Index(place).clips("facts") == told
    whole = tmp_path / "whole"
    filled(takes, whole, FACETS)
    assert content(place) == content(whole)


def test_what_was_known_of_other_content_is_forgotten(takes, tmp_path):
    mine, place = tmp_path / "takes", tmp_path / "place"
    shutil.copytree(takes, mine)
    filled(mine, place, FACETS)
    save(motion("stand"), mine / "walk.bvh")
    filled(mine, place, FACETS[:1])
    assert [c.file for c in Index(place).clips("traits")] == ["actions/kick.bvh"]


def test_many_processes_make_the_same_bytes_as_one(takes, tmp_path):
    mine = tmp_path / "takes"
    for k in range(9):
        save(motion("walk", speed=1.0 + 0.1 * k), mine / f"{k}.bvh")
    filled(mine, tmp_path / "one", jobs=1)
    small = pytest.MonkeyPatch()
    small.setattr("footfall.library.build.BATCH_FILES", 2)
    with small.context():
        filled(mine, tmp_path / "two", jobs=2)
    small.undo()
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_columns_lie_in_one_piece(takes, tmp_path):
    filled(takes, tmp_path)
    index = Index(tmp_path)
    rows = index.column(FACETS[2].key, "rows")
    assert rows.whole().base is not None  # no copy: the memory of the file
    assert len(rows.data) == rows.starts[-1] == len(rows.of(0)) + len(rows.of(1))


def test_one_array_is_that_of_its_column_and_damage_of_it_is_seen(takes, tmp_path):
    filled(takes, tmp_path)
    index, facet = Index(tmp_path), FACETS[2].key
    for name in ("rows", "keys", "speed", "down"):
        column = index.column(facet, name)
        assert index.rows_in(facet, name) == column.starts[-1]
        clips = [clip[:2] for clip in index.names(facet)]
        for k, one in reversed(list(enumerate(index.arrays(facet, name, clips)))):
            np.testing.assert_array_equal(one, column.of(k))
    assert index.rows_in(facet, "no such") == 0
    with pytest.raises(LibraryDamaged):
        index.arrays(facet, "rows", [("no such file", 0)])
    arrays = next(tmp_path.glob(ARRAYS.format("*")))
    arrays.write_bytes(bytes(255 - byte for byte in arrays.read_bytes()))
    with pytest.raises(LibraryDamaged, match="other bytes"):
        Index(tmp_path).arrays(facet, "rows", [("walk.bvh", 0)])


def test_arrays_are_laid_in_order_once_and_after_every_change(takes, tmp_path, monkeypatch):
    looked, settle = [], IndexWriter._settle
    monkeypatch.setattr(IndexWriter, "_settle", lambda writer: (looked.append(1), settle(writer))[1])
    mine, place = tmp_path / "takes", tmp_path / "place"
    shutil.copytree(takes, mine)
    filled(mine, place)
    filled(mine, place)
    assert len(looked) == 1
    save(motion("kick"), mine / "a.bvh")
    with IndexWriter(place) as writer:  # as if the next build had been killed before it laid them
        writer.forget(["walk.bvh"])
    filled(mine, place)
    assert len(looked) == 2
    filled(mine, tmp_path / "fresh")
    assert content(place) == content(tmp_path / "fresh")


@pytest.mark.parametrize("harm", ["tables", "no tables", "arrays", "short", "schema", "none"])
def test_damage_is_said_and_mended(takes, tmp_path, harm):
    place, said = tmp_path / "place", []
    filled(takes, place)
    whole = content(place)
    arrays = next(place.glob(ARRAYS.format("*")))
    if harm == "tables":
        data = bytearray((place / TABLE).read_bytes())
        data[100:2000] = bytes(1900)
        (place / TABLE).write_bytes(data)
    elif harm == "no tables":
        (place / TABLE).write_text("no tables at all, and long enough to be looked at as some" * 40)
    elif harm == "arrays":
        data = bytearray(arrays.read_bytes())
        data[len(data) // 2] ^= 255
        arrays.write_bytes(data)
    elif harm == "short":
        arrays.write_bytes(arrays.read_bytes()[:-10])
    elif harm == "schema":
        with sqlite3.connect(place / TABLE) as db:
            db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    settings = Settings(place=place, told=said.append)
    clips, _ = with_library(takes, FACETS, read_all, settings)
    assert clips == 2
    assert content(place) == whole
    assert len(said) == (0 if harm == "none" else 1)
    assert all("made again" in text for text in said)


def read_all(index):
    for facet, names in (("facts", ["down"]), ("traits", ["poses", "rest", "segments"])):
        for name in names:
            index.column(facet, name).whole()
    for name in ("rows", "keys", "speed", "down"):
        index.column(FACETS[2].key, name).whole()
    return len(index.clips("facts"))


def test_a_folder_of_a_person_is_no_place(takes, tmp_path):
    (tmp_path / "letter.txt").write_text("precious")
    with pytest.raises(WriteError, match=r"letter\.txt"):
        filled(takes, tmp_path)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(WriteError, match="file"):
        with_library(takes, FACETS, read_all, Settings(place=tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "precious"


def test_the_place_is_one_a_folder_and_beside_it_by_choice(tmp_path, cache):
    a, b = tmp_path / "x" / "a", tmp_path / "y" / "a"
    for folder in (a, b):
        folder.mkdir(parents=True)
    assert place_of(a) != place_of(b)
    assert place_of(a).is_relative_to(cache)
    (a / BESIDE).mkdir(parents=True)
    assert place_of(a) == a / BESIDE


def test_without_a_cache_it_works_all_the_same(takes, tmp_path, monkeypatch):
    (tmp_path / "full").write_text("")
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "full"))
    assert with_library(takes, FACETS, read_all)[0] == 2


def test_no_index_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(LibraryDamaged, match="no tables"):
        Index(tmp_path)


def test_bodies_and_ways_of_reading_have_facets_of_their_own():
    keys = [moments_facet(BODY), moments_facet(character("adult:1.2")), moments_facet(BODY, {"clean": False})]
    assert len({facet.key for facet in keys}) == 3
    assert moments_facet(BODY, {"clean": True, "roles": {}, "fps": None}).key == keys[0].key
