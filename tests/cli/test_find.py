"""footfall find: the table, JSON, pictures, bad files survived, and an index that is kept."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers import run_cli as run

from footfall.io.save import save
from footfall.motions.library import motion


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("takes")
    save(motion("walk", speed=1.2), folder / "walk.bvh")
    save(motion("kick"), folder / "actions" / "kick.bvh")
    save(motion("stand"), folder / "stand.npz")
    return folder


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "caches"))
    return tmp_path / "caches"


def test_people_see_a_table(folder, capsys):
    assert run("find", "kick@0.5", folder, "-n", 3) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert "3 files" in lines[0]
    assert err == ""
    assert lines[1].split() == ["file", "time", "distance", "what", "it", "is"]
    assert len(lines) == 5
    assert lines[2].split()[:5] == ["actions/kick.bvh", "0.50", "s", "0.0", "cm"]


def test_json(folder, capsys):
    assert run("find", "--json", "walk:speed=1.3@0.4", folder, "--mirror") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["query"] == {"clip": "walk:speed=1.3", "animation": "walk", "time_s": 0.4}
    assert (told["files"], told["errors"]) == (3, [])
    assert set(told["moments"][0]) == {"file", "clip", "time_s", "distance_cm", "mirrored", "what"}
    assert told["moments"][0]["file"] == "walk.bvh"
    assert told["moments"][0]["what"].startswith("walk forward, 1.")
    assert len(told["moments"]) == 8
    assert any(m["mirrored"] for m in told["moments"])


def test_a_moment_of_the_folder_is_not_its_own_answer(folder, capsys):
    assert run("find", "--json", f"{folder / 'walk.bvh'}@0.5", folder) == 0
    moments = json.loads(capsys.readouterr().out)["moments"]
    assert all(m["file"] != "walk.bvh" or abs(m["time_s"] - 0.5) >= 0.3 - 1e-6 for m in moments)


def test_bad_files_are_named_and_the_rest_goes_on(folder, tmp_path, capsys):
    mine = tmp_path / "takes"
    save(motion("walk"), mine / "walk.bvh")
    (mine / "bad.bvh").write_text("HIERARCHY\nnothing")
    (mine / "cut.glb").write_bytes(b"glTF")
    assert run("find", "walk@0.2", mine) == 3
    out, err = capsys.readouterr()
    assert "2 could not be used" in out
    assert len(err.splitlines()) == 2
    assert all(line.startswith("footfall: ") for line in err.splitlines())
    assert "bad.bvh" in err
    assert "cut.glb" in err
    assert "Traceback" not in err


def test_the_index_is_kept_and_read_again(folder, caches, capsys, monkeypatch):
    assert run("find", "walk@0.2", folder) == 0
    first = capsys.readouterr().out
    (kept,) = caches.glob("libraries/*/library.sqlite")
    from footfall.library import facets

    def never(*args, **kwargs):
        raise AssertionError("a file that has not changed was read again")

    monkeypatch.setattr(facets, "content_hash", never)
    assert run("find", "walk@0.2", folder) == 0
    assert capsys.readouterr().out == first
    monkeypatch.undo()
    monkeypatch.setenv("FOOTFALL_CACHE", str(caches))
    kept.write_text("no index")
    assert run("find", "walk@0.2", folder) == 0
    out, err = capsys.readouterr()
    assert out == first
    assert "made again" in err


def test_a_file_of_a_person_is_never_written_over(folder, tmp_path, capsys):
    notes = tmp_path / "notes.txt"
    notes.write_text("precious")
    assert run("find", "walk@0.2", folder, "--index", notes) == 2
    assert notes.read_text() == "precious"
    assert "notes.txt" in capsys.readouterr().err


def test_picture(folder, tmp_path, capsys):
    from PIL import Image

    target = tmp_path / "like.png"
    assert run("find", "kick@0.5", folder, "-n", 5, "--mirror", "--picture", target) == 0
    picture = np.asarray(Image.open(target).convert("RGB")).astype(float)
    assert picture.shape == (602, 5 * 250 + 8, 3)
    cells = [picture[60:260, 252 * k + 5 : 252 * k + 245] for k in range(5)]
    assert all(cell.std() > 8.0 for cell in cells)  # a figure in each
    assert np.abs(cells[0] - cells[1]).mean() > 0.5  # the query has a colour of its own
    assert str(target) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("walk",), "CLIP@TIME"),
        (("walk@soon",), "CLIP@TIME"),
        (("walk@-1",), "CLIP@TIME"),
        (("walk@99",), "give a time in it"),
        (("wlak@0.1",), "did you mean walk"),
    ],
)
def test_mistakes_are_told_in_a_line(folder, capsys, args, says):
    assert run("find", *args, folder) == 2
    err = capsys.readouterr().err
    assert says in err
    assert len(err.splitlines()) == 1


def test_empty_folders_and_none(tmp_path, capsys):
    assert run("find", "walk@0.2", tmp_path / "nowhere") == 2
    (tmp_path / "empty").mkdir()
    assert run("find", "walk@0.2", tmp_path / "empty") == 2
    assert capsys.readouterr().err.count("\n") == 2
    (tmp_path / "empty" / "bad.bvh").write_text("no")
    assert run("find", "walk@0.2", tmp_path / "empty") == 2
