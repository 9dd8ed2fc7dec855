"""Timeline files: what is right is read, what is wrong is named with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.core.errors import FootfallError, ParameterError, ReadError
from footfall.timeline.file import load_timeline, save_timeline, timeline_of, to_plain
from footfall.timeline.model import FloorGoal, Layer, Marker, Timeline, TimelineClip, TimelineTrack

GOOD = {
    "tracks": [
        {
            "character": "adult:1.5",
            "clips": [
                {"clip": "walk.bvh", "start_s": 0.0},
                {"clip": "kick", "start_s": "asap", "trim_s": [0.2, 1.9], "speed": 1.5, "mirror": True},
            ],
            "layers": [{"clip": "wave", "start_s": 1.0, "joints": ["left arm"], "weight": [[0, 0], [0.5, 1]]}],
            "goal": {"position": [1, 2]},
        },
        {"clips": ["stand"]},
    ],
    "markers": [{"tracks": [0, 1], "clips": [1, 0]}],
}


def test_json_and_toml_say_the_same(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    (tmp_path / "a.toml").write_text(
        """
        [[tracks]]
        character = "adult:1.5"
        goal = { position = [1, 2] }
        [[tracks.clips]]
        clip = "walk.bvh"
        start_s = 0.0
        [[tracks.clips]]
        clip = "kick"
        trim_s = [0.2, 1.9]
        speed = 1.5
        mirror = true
        [[tracks.layers]]
        clip = "wave"
        start_s = 1.0
        joints = ["left arm"]
        weight = [[0, 0], [0.5, 1]]
        [[tracks]]
        clips = ["stand"]
        [[markers]]
        tracks = [0, 1]
        clips = [1, 0]
        """
    )
    first, second = load_timeline(tmp_path / "a.json"), load_timeline(tmp_path / "a.toml")
    assert to_plain(first) == to_plain(second)
    assert first.tracks[0].clips[0].clip == str(tmp_path / "walk.bvh")  # files lie beside the timeline
    assert first.tracks[0].clips[1].clip == "kick"
    assert first.markers == (Marker((0, 1), (1, 0)),)


def test_what_is_saved_is_read_back(tmp_path):
    timeline = timeline_of(GOOD)
    save_timeline(timeline, tmp_path / "b.json")
    assert to_plain(load_timeline(tmp_path / "b.json"))["tracks"][1] == to_plain(timeline)["tracks"][1]
    assert json.loads((tmp_path / "b.json").read_text())["version"] == 1


def test_a_clip_in_memory_cannot_be_named_in_a_file(tmp_path):
    with pytest.raises(ParameterError, match=r"save it with ff\.save first"):
        save_timeline(Timeline((TimelineTrack((TimelineClip(ff.motion("stand")),)),)), tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("speed = 1.5", 'speed = "fast"'), 6, "speed: expected a number from 0.1 to 10, found 'fast'"),
        (("speed = 1.5", "sped = 1.5"), 6, "expected one of .*speed.*, found 'sped'"),
        (("start_s = 2.0", 'start_s = "soon"'), 5, 'start_s: expected a number of seconds or "asap"'),
        (("trim_s = [0, 1]", "trim_s = [1, 0]"), 7, "trim_s: expected .from, to. in seconds"),
        (('clip = "walk"', "clip = 3"), 4, 'clip: expected a file or a built-in motion, such as "walk.bvh"'),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, change, line, words):
    text = '[[tracks]]\nname = "Hero"\n[[tracks.clips]]\nclip = "walk"\nstart_s = 2.0\nspeed = 1.5\ntrim_s = [0, 1]\n'
    (tmp_path / "t.toml").write_text(text.replace(*change))
    with pytest.raises(ReadError, match=rf"t\.toml:line {line}, tracks\[0\]\.clips\[0\]\.?.*{words}"):
        load_timeline(tmp_path / "t.toml")


def test_a_mistake_in_json_is_named_with_its_line(tmp_path):
    clips = [{"clip": "walk"}, {"clip": "kick"}, {"clip": "run", "repeat": 0}]
    (tmp_path / "t.json").write_text(json.dumps({"tracks": [{"clips": clips}]}, indent=1))
    with pytest.raises(ReadError, match=r"line 13, tracks\[0\]\.clips\[2\]\.repeat: expected a whole number from 1"):
        load_timeline(tmp_path / "t.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"tracks": []}', "[" * 100_000, '{"tracks": 3}', "\x00"])
def test_no_file_breaks_the_reader(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(ReadError, match="expected"):
        load_timeline(tmp_path / "t.json")


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=4) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tracks", "clips", "clip", "start_s", "speed", "layers", "goal", "x"]), inner
        )
    ),
    max_leaves=12,
)


@given(clip=st.dictionaries(st.sampled_from(["clip", "start_s", "trim_s", "speed", "repeat", "mirror"]), values))
def test_any_data_is_a_timeline_or_one_sentence(tmp_path_factory, clip):
    path = tmp_path_factory.mktemp("any") / "t.json"
    path.write_text(json.dumps({"tracks": [{"clips": [clip]}]}))
    said = ""
    try:
        assert isinstance(load_timeline(path).tracks[0].clips[0].clip, str)
    except FootfallError as error:
        said = str(error)
    assert "\n" not in said


def test_values_out_of_range_are_refused_in_python_too():
    with pytest.raises(ParameterError, match="mode must be override or additive"):
        Layer("wave", 0.0, mode="multiply")
    with pytest.raises(ParameterError, match="fps must be"):
        Timeline((), fps=0.0)
    assert FloorGoal().position is None


CLIPS = '"tracks": [{"clips": [{"clip": "walk"}, {"clip": "kick"}]}]'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{%s, "markers": [{"tracks": [NaN, 0], "clips": [0, 0]}]}', "2 numbers"),
        ('{%s, "markers": [{"tracks": [0.5, 0], "clips": [0, 0]}]}', "whole numbers"),
        ('{%s, "markers": [{"tracks": [0, 0], "clips": [0, 1e999]}]}', "2 numbers"),
        ('{%s, "fps": ' + "1" * 5000 + "}", "sensible size"),
        ('{"tracks": [{"clips": [{"clip": "walk", "mirror": "yes"}]}]}', "true or false"),
        ('{"tracks": [{"clips": [{"clip": "walk", "animation": 3}]}]}', "a text"),
        ('{"tracks": [{"clips": [{"clip": "walk", "method": []}]}]}', "a text"),
        ('{"tracks": [{"clips": ["walk"], "layers": [{"clip": "wave", "start_s": "now"}]}]}', "a number"),
        ('{"tracks": [{"clips": ["walk"], "layers": [{"clip": "wave", "start_s": 0, "joints": [1]}]}]}', "a text"),
        ('{"tracks": [{"clips": ["walk"], "goal": {"heading_deg": "north"}}]}', "a number"),
        ('{%s, "options": {"s_min": "x"}}', "a number"),
        ('{"tracks": [{"clips": [{"clip": "walk", "speed": 1' + "0" * 4000 + "}]}]}", "a number from 0.1 to 10"),
    ],
)
def test_values_that_are_none_are_named(tmp_path, text, said):
    (tmp_path / "t.json").write_text(text.replace("%s", CLIPS))
    with pytest.raises(ReadError, match=said) as error:
        load_timeline(tmp_path / "t.json")
    assert len(str(error.value)) < 2000


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".bvh", "a\0b", "\ud800", "a/" * 3000])
def test_a_name_that_no_file_can_have_is_no_file(tmp_path, name):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"tracks": [{"clips": [name]}]}))
    with pytest.raises(FootfallError) as error:
        ff.timeline(path).render()
    assert str(error.value).isprintable()
