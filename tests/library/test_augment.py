"""Augmenting: variants that are what they say, a manifest that tells every frame, the same again, and going on."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from helpers import run_cli as run
from hypothesis import given
from hypothesis import strategies as st

from footfall.augment.manifest import TIME_S, WEIGHT, stretches
from footfall.augment.recipe import recipe_counts
from footfall.core.errors import ParameterError
from footfall.io.load import load
from footfall.io.save import save
from footfall.motions.library import motion


@pytest.fixture
def takes(tmp_path):
    for speed in (1.1, 1.4):
        save(motion("walk", speed=speed), tmp_path / "takes" / f"walk{speed}.npz")
    save(motion("kick"), tmp_path / "takes" / "kick.npz")
    return tmp_path / "takes"


def table(folder):
    with (folder / "manifest.csv").open() as file:
        return list(csv.DictReader(file))


def bytes_in(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*") if p.is_file()}


def test_variants_are_what_the_manifest_says(takes, tmp_path, capsys):
    out = tmp_path / "out"
    assert run("augment", takes, "-o", out, "--recipe", "mirror,retime,retarget", "--keep-all") == 0
    rows = {(row["source"], row["kind"]): row for row in table(out)}
    assert len(rows) == 9
    source = load(takes / "walk1.1.npz")
    mirrored = load(out / rows["walk1.1.npz", "mirror"]["file"])
    np.testing.assert_allclose(mirrored.mirror().positions, source.positions, atol=1e-4)
    retimed = rows["walk1.1.npz", "retime"]
    assert 0.85 <= float(retimed["speed"]) <= 1.15
    clip = load(out / retimed["file"])
    assert clip.frames - 1 == int(retimed["last_frame"])
    for share in (0.3, 0.7):  # a frame is the source's at the time the row tells
        frame = round(share * (clip.frames - 1))
        t = float(retimed["start_s"]) + frame / (clip.frames - 1) * (
            float(retimed["end_s"]) - float(retimed["start_s"])
        )
        np.testing.assert_allclose(clip.pose.rot[frame], source.sample(t).rot, atol=2e-2)
    assert load(out / rows["kick.npz", "retarget"]["file"]).skeleton.height == pytest.approx(1.55, abs=0.02)
    assert {row["grade"] for row in rows.values()} <= {"green", "amber", "red"}
    assert "9 clips of 3 files" in capsys.readouterr().out


@pytest.mark.slow
def test_blends_and_joins_tell_all_their_sources(takes, tmp_path):
    out = tmp_path / "out"
    assert run("augment", takes, "-o", out, "--recipe", "blend,join", "--keep-all", "--jobs", 1) == 0
    rows = table(out)
    blend = [row for row in rows if row["kind"] == "blend"]
    assert {row["source"] for row in blend} == {"walk1.1.npz", "walk1.4.npz"}
    for name in {row["file"] for row in rows}:
        own = [row for row in rows if row["file"] == name]
        total = np.zeros(load(out / name).frames)
        for row in own:
            first, last = int(row["first_frame"]), int(row["last_frame"])
            total[first : last + 1] += np.linspace(
                float(row["start_weight"]), float(row["end_weight"]), last - first + 1
            )
        np.testing.assert_allclose(total, 1.0, atol=0.03)
    assert not (out / "kick_npz_blend.npz").exists()  # nothing blends with it


def test_the_same_seed_makes_the_same_on_any_number_of_processes(takes, tmp_path):
    for name, jobs, seed in (("one", 1, 3), ("two", 2, 3), ("other", 1, 4)):
        assert run("augment", takes, "-o", tmp_path / name, "--recipe", "retime*2", "--jobs", jobs, "--seed", seed) == 0
    one = bytes_in(tmp_path / "one")
    assert one == bytes_in(tmp_path / "two")
    assert one["manifest.csv"] != (tmp_path / "other" / "manifest.csv").read_bytes()


def test_only_what_is_missing_is_made(takes, tmp_path):
    out = tmp_path / "out"
    args = ("augment", takes, "-o", out, "--recipe", "mirror", "--jobs", 1)
    assert run(*args) == 0
    before = {p: p.stat().st_mtime_ns for p in out.glob("*.npz")}
    whole = (out / "manifest.csv").read_bytes()
    gone = sorted(before)[0]
    gone.unlink()
    (out / "manifest.csv").unlink()
    assert run(*args) == 0
    assert {p for p in before if p.stat().st_mtime_ns != before[p]} == {gone}
    assert (out / "manifest.csv").read_bytes() == whole


def test_what_nobody_believes_is_left_out_and_told(takes, tmp_path, monkeypatch):
    from footfall.quality import alone

    monkeypatch.setitem(alone.USUAL, "turning_deg_s", 0.0)
    monkeypatch.setattr("footfall.augment.variants.WORSE", 0.5)
    out = tmp_path / "out"
    assert run("augment", takes, "-o", out, "--recipe", "mirror", "--jobs", 1) == 0
    rows = table(out)
    left = [row for row in rows if row["kept"] == "0"]
    assert left
    assert all(row["grade"] == "red" and "turning" in row["why"] for row in left)
    assert all((out / row["file"]).exists() == (row["kept"] == "1") for row in rows)


def test_mistakes_are_told_in_a_line(takes, tmp_path, capsys):
    out = tmp_path / "out"
    assert run("augment", takes, "-o", out, "--recipe", "mirrored") == 2
    assert run("augment", takes, "-o", takes / "more") == 2
    assert run("augment", takes, "-o", out, "--format", "doc") == 2
    assert capsys.readouterr().err.count("\n") == 3
    with pytest.raises(ParameterError, match="without a count"):
        recipe_counts("mirror*2")


@given(st.lists(st.tuples(st.floats(0.0, 5.0), st.floats(0.0, 1.0)), min_size=1, max_size=60))
def test_stretches_tell_every_frame(values):
    time_s, weight = np.array(values).T
    covered = np.zeros(len(values), int)
    for first, last in stretches(time_s, weight):
        covered[first : last + 1] += 1
        share = np.linspace(0.0, 1.0, last - first + 1)
        for x, most in ((time_s, TIME_S), (weight, WEIGHT)):
            line = x[first] + share * (x[last] - x[first])
            assert np.abs(line - x[first : last + 1]).max() <= most + 1e-9
    np.testing.assert_array_equal(covered, weight > 1e-4)
