"""Packs: what the JSON says is what the animations do, and a graph's pack lists every edge."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers import run_cli

import footfall as ff
from footfall.graph.pack import make_pack, save_pack
from footfall.io.load import load_all
from footfall.kinematics.floor_align import FloorTransform
from footfall.parametric.builtin_sets import parametric_set


@pytest.fixture(scope="module")
def walks():
    return make_pack([parametric_set("walk"), ff.motion("kick")], "adult")


@pytest.fixture(scope="module")
def both(walks, tmp_path_factory):
    """The pack with travel and without: JSON and clips by name."""
    folder = tmp_path_factory.mktemp("pack")
    out = []
    for name, in_place in (("kept.glb", False), ("spot.glb", True)):
        data = save_pack(walks, folder / name, in_place)
        assert json.loads((folder / name).with_suffix(".json").read_text("utf-8")) == data
        out.append((data, {clip.name: clip for clip in load_all(folder / name)}))
    return out


def test_the_json_has_every_field_that_the_script_for_godot_reads(both):
    script = (Path(__file__).resolve().parents[2] / "examples" / "godot" / "footfall_pack.gd").read_text("utf-8")
    read = set(re.findall(r'\["(\w+)"\]', script)) - {"from", "to"}  # of edges, which only packs of graphs have
    data = both[0][0]
    written = {*data, *data["animations"][0], *data["nodes"][0], *data["nodes"][0]["points"][0]}
    assert len(read) > 5
    assert read <= written


def test_every_example_is_an_animation_at_its_place_in_the_blend_space(both):
    data, clips = both[0]
    walk = parametric_set("walk")
    assert [entry["animation"] for entry in data["animations"]] == list(clips)
    node = data["nodes"][0]
    assert (node["node"], node["loop"], node["parameters"]) == ("walk", True, list(walk.parameter_names))
    assert np.allclose([point["position"] for point in node["points"]], walk.parameters, atol=1e-5)
    assert [n["loop"] for n in data["nodes"]] == [True, False]


def test_travel_put_back_gives_the_clip_with_it(both):
    (kept, with_it), (spot, without) = both
    assert (kept["root_motion"], spot["root_motion"]) == ("kept", "taken out")
    for entry in spot["animations"]:
        t, x, z, turn = np.array(entry["travel"]).T
        still, going = without[entry["animation"]], with_it[entry["animation"]]
        assert np.allclose(t, still.times, atol=1e-5)
        moved = FloorTransform(np.radians(turn), np.stack([x, 0 * x, z], axis=-1)).pose(still.pose)
        assert np.allclose(moved.root_pos, going.pose.root_pos, atol=1e-4)


def test_a_loop_on_the_spot_ends_where_it_began_and_goes_at_its_speed(both):
    data, clips = both[1]
    for entry in data["animations"]:
        clip = clips[entry["animation"]]
        if not entry["loop"]:
            continue
        assert clip.is_loop
        assert np.abs(clip.positions[-1] - clip.positions[0]).max() < 1e-4
        assert np.hypot(*entry["velocity_mps"]) == pytest.approx(abs(entry["parameters"]["speed"]), abs=0.03)
        assert entry["turn_degps"] == pytest.approx(entry["parameters"]["turn"], abs=0.5)
        assert len(entry["sync_s"]) == 5
        assert {key["foot"] for key in entry["strikes"]} == {"left", "right"}


def test_a_graphs_pack_lists_every_edge(small, tmp_path):
    graph = small
    data = save_pack(make_pack([graph], "adult"), tmp_path / "graph.glb")
    assert {(edge["from"], edge["to"]) for edge in data["edges"]} == set(graph.edges)
    names = {entry["animation"] for entry in data["animations"]}
    for edge in data["edges"]:
        ways = graph.edges[edge["from"], edge["to"]]
        assert len(edge["animations"]) == sum(len(way.motion) for way in ways if way.motion is not None)
        assert set(edge["animations"]) <= names
    assert {node["node"] for node in data["nodes"]} == set(graph.nodes)


def test_the_command_returns_the_characters_file(characters, tmp_path):
    rogue = characters / "kaykit_Rogue.glb"
    out = tmp_path / "rogue_pack.glb"
    assert run_cli("pack", "walk", "kick", "-o", out, "--character", rogue) == 0
    data = json.loads(out.with_suffix(".json").read_text("utf-8"))
    names = [clip.name for clip in load_all(out)]
    assert len(names) == 76 + len(data["animations"])
    assert {entry["animation"] for entry in data["animations"]} <= set(names)
    assert run_cli("pack", "nonsense", "-o", out) == 2
    assert run_cli("pack", "walk", "-o", tmp_path / "x.bvh") == 2
