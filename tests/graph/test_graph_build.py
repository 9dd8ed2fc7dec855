"""Graphs built from folders: labels, reasons, mirrored nodes, edges, build files and the cache, on built-in motions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import ParameterError, ReadError
from footfall.graph.build.build_file import load_build, text_of
from footfall.graph.build.build_report import as_csv, loop_rows, page, summary
from footfall.graph.build.built_graph import built_parts, graph_in, is_untouched, save_built
from footfall.io.save import save
from footfall.live.controller import Controller
from footfall.motions.gait_change import SteadyGait, gait_change

pytestmark = pytest.mark.slow  # a whole graph is built


def put(folder, name, clip):
    save(replace(clip, events=(), parameters={}), folder / name)


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    """Recordings without a word about what they are, from walks to a stop; a character and a broken file among them."""
    folder = tmp_path_factory.mktemp("takes")
    for k, (speed, turn) in enumerate([(0.8, 0.0), (1.5, 0.0), (1.1, 45.0)]):
        put(folder, f"a{k}.bvh", ff.motion("walk", speed=speed, turn=turn, cycles=3))
    for k, speed in enumerate([2.6, 3.6]):
        put(folder, f"b{k}.bvh", ff.motion("run", speed=speed, cycles=3))
    put(folder, "deep/c.npz", ff.motion("stand"))
    put(folder, "d.bvh", gait_change(SteadyGait("walk", 1.6), SteadyGait("stand")))
    save(replace(ff.motion("stand"), pose=ff.motion("stand").pose.at(slice(0, 0))), folder / "hero.glb")
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT x\n{")
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTFALL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def parts(takes, cache):
    return built_parts(takes)


@pytest.fixture(scope="module")
def graph(parts):
    return graph_in(parts)


def used(build, label):
    return [row for row in build.cycles if row.use and row.label == label]


def test_every_label_is_what_the_take_is(parts):
    kinds = {"a": "walk", "b": "run", "d": "walk"}
    rows = [row for row in parts.build.cycles if row.use and row.label != "stand"]
    assert {row.label for row in rows} == {"walk", "run"}
    assert all(row.label == kinds[row.file[0]] for row in rows)
    assert [row.file for row in used(parts.build, "stand")] in (["deep/c.npz"], ["d.bvh"])


def test_what_is_not_used_says_why_and_a_bad_file_is_left_out(parts):
    assert all(row.why for row in parts.build.rows() if not row.use)
    assert not any(row.why for row in parts.build.rows() if row.use)
    assert [file for file, _ in parts.build.left_out] == ["broken.bvh"]
    assert "expected" in parts.build.left_out[0][1]


def test_nodes_turn_to_both_sides_alike(graph):
    assert graph.types == ("stand", "walk", "run")
    for name in ("walk", "run"):
        table = graph.nodes[name].motion.parameters
        assert graph.nodes[name].motion.parameter_names == ("speed", "turn")
        flipped = table * [1.0, -1.0]
        nearest = np.abs(table[:, None] - flipped[None]).max(axis=-1).min(axis=1)
        assert nearest.max() < 0.1
        assert table[:, 1].max() > 50.0  # no run turned: it was made to


def test_turned_examples_are_told_as_made(parts):
    assert {row.label for row in parts.build.turned} >= {"run"}
    assert any("made to turn" in line for line in summary(parts.build))


def test_loops_close_and_feet_keep_their_place(parts):
    for row in parts.build.cycles:
        if row.use:
            assert row.measured["closed_deg"] < 1.0
            assert row.measured["closed_slide_cm_s"] < 2.0
            assert row.measured["missed"] >= 0.0
    for line in summary(parts.build):
        if "recorded cycle" in line:
            assert "believable" in line


def test_all_changes_between_the_gaits_are_there_and_the_recorded_stop_is_used(parts, graph):
    assert set(graph.edges) == {(a, b) for a in graph.types for b in graph.types if a != b}
    stop = next(e for e in parts.build.edges if (e.before, e.after) == ("walk", "stand"))
    assert stop.way.startswith("recorded")
    assert any(name.startswith("d@") for name in stop.examples)
    assert all(0.0 <= e.measured["over_40_m_s2"] <= 0.05 for e in parts.build.edges)


def test_a_character_can_be_driven(graph):
    hero = Controller(graph)
    for _ in range(150):
        pose = hero.step(1 / 60, type="walk", speed=1.2, turn=20)
    assert hero.state.node == "walk"
    assert np.isfinite(pose.rot).all()
    assert np.hypot(*hero.position[[0, 2]]) > 1.0


def test_the_build_file_reads_back_as_it_was(parts, takes, tmp_path):
    build = save_built(parts, takes, tmp_path / "my.graph")
    again = load_build(tmp_path / "my.graph")
    assert text_of(again) == text_of(build)
    assert again.folder_beside(tmp_path / "my.graph").resolve() == takes.resolve()
    assert is_untouched(tmp_path / "my.graph")
    found = ff.graph(tmp_path / "my.graph")
    assert repr(found.nodes["walk"].motion) == repr(graph_in(parts).nodes["walk"].motion)


def test_rows_are_obeyed_and_others_stay_out(parts, takes, cache):
    build = parts.build
    slow = min(used(build, "walk"), key=lambda row: row.measured["speed"])
    rows = tuple(replace(row, use=row.use and row.label != "run" and row.key != slow.key) for row in build.cycles)
    bent = tuple(replace(row, use=False) for row in build.turned)
    plan = replace(build, cycles=rows, turned=bent, changes=(), actions=())
    again = built_parts(takes, plan)
    assert [node["name"] for node in again.told["nodes"]] == ["stand", "walk"]
    names = next(node for node in again.told["nodes"] if node["name"] == "walk")["examples"]
    assert slow.name not in names
    wanted = {row.name for row in used(build, "walk")} - {slow.name}
    assert {name.removesuffix(" mirrored") for name in names} == wanted
    assert any(name.endswith(" mirrored") for name in names)
    assert len(again.build.cycles) == len(build.cycles)


def test_the_same_folder_gives_the_same_bytes_and_the_second_time_reads_no_take(parts, takes, tmp_path, monkeypatch):
    save_built(parts, takes, tmp_path / "a.graph")
    monkeypatch.setattr("footfall.graph.build.build.build_graph", None)  # not called: all is in the cache
    save_built(built_parts(takes), takes, tmp_path / "b.graph")
    assert (tmp_path / "a.graph").read_bytes() == (tmp_path / "b.graph").read_bytes()
    assert (tmp_path / "a.graph.npz").read_bytes() == (tmp_path / "b.graph.npz").read_bytes()


def test_a_changed_build_file_must_be_built_again(parts, takes, tmp_path):
    path = tmp_path / "my.graph"
    save_built(parts, takes, path)
    path.write_text(path.read_text().replace('"label": "run"', '"label": "jog"'))
    with pytest.raises(ReadError, match="footfall graph build my"):
        ff.graph(path)


def test_a_folder_in_which_nobody_goes_says_what_is_missing(tmp_path, cache):
    put(tmp_path, "kick.bvh", ff.motion("kick").trim(0.3, 0.9))
    with pytest.raises(ParameterError, match="no gait cycle or standing"):
        built_parts(tmp_path)


def test_the_report_names_every_loop(parts):
    rows = loop_rows(parts.build)
    assert len(rows) == len(parts.build.cycles) + len(parts.build.turned)
    assert as_csv(rows).decode().count("\n") == len(rows) + 1
    text = page(parts.build, "my <graph>", [])
    assert "my &lt;graph&gt;" in text
    assert "broken.bvh" in text
    assert json.loads(json.dumps(rows)) == rows
