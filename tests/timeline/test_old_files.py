"""Timeline files that earlier versions wrote still load, mean the same, and are written back as they were."""

from __future__ import annotations

from pathlib import Path

import footfall as ff
from footfall.timeline.file import load_timeline, save_timeline
from footfall.timeline.model import Goal

OLD = Path(__file__).parent / "old"


def test_a_timeline_of_version_1(tmp_path):
    line = load_timeline(OLD / "timeline_v1.json")
    hero, other = line.tracks
    assert [clip.clip for clip in hero.clips] == ["walk:cycles=2", "wave", "kick", "walk-back"]
    assert (hero.clips[0].start_s, hero.clips[1].start_s, hero.clips[2].start_s) == (0.0, 0.6, "asap")
    kick = hero.clips[2]
    assert (kick.trim_s, kick.speed, kick.mirror) == ((0.1, 1.2), 1.25, True)
    assert (hero.clips[3].repeat, hero.clips[3].method) == (2, "crossfade")
    assert (hero.character, hero.name, hero.start) == ("adult:1.6", "hero", Goal((1.0, -0.5), 90.0))
    assert (hero.layers[0].clip, hero.layers[0].joints) == ("reach", ("left arm",))
    assert other.goal == Goal((0.0, 2.0))
    assert (line.markers[0].at_s, line.fps, dict(line.options)) == ((0.2, 0.5), 30.0, {"s_min": 0.8, "paper": True})
    save_timeline(line, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (OLD / "timeline_v1.json").read_bytes()


def test_it_can_be_rendered():
    plans = ff.timeline(OLD / "timeline_v1.json").plan()
    assert [len(plan.pieces) for plan in plans] == [4, 1]
