"""Projects: undo gives the same bytes, and a timeline file comes back as it was."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import msgspec
import numpy as np
import pytest
from random_edits import context, random_change

from footfall.core.errors import FootfallError
from footfall.studio import history, project
from footfall.studio import messages as m
from footfall.studio.project import OpenProject, demo, empty, opened
from footfall.timeline.file import load_timeline, save_timeline, to_plain
from footfall.timeline.model import FloorGoal, Layer, Marker, Timeline, TimelineClip, TimelineTrack

WHOLE = Timeline(
    (
        TimelineTrack(
            (
                TimelineClip("walk", repeat=2),
                TimelineClip("kick", 2.5, (0.1, 1.0), 1.25, True, 1, "adaptation"),
                TimelineClip("run:speed=3", "asap", animation="1"),
            ),
            character="adult",
            layers=(Layer("wave", 0.5, ("right arm",), "additive", ((0.0, 0.0), (0.5, 1.0))),),
            start=FloorGoal((1.0, 2.0), 90.0),
            goal=FloorGoal(None, 10.0),
            name="Hero",
        ),
        TimelineTrack((TimelineClip("stand", 1.0), TimelineClip("walk")), name="Rival"),
    ),
    (Marker((0, 1), (1, 0), (0.3, 0.2)),),
    30.0,
    {"s_min": 0.6, "paper": True},
)


def keep(entry: str, animation: str | None = None) -> str:
    return entry


def as_bytes(made: OpenProject) -> bytes:
    return msgspec.json.encode(made.document)


def edited(made: OpenProject, change: m.Change) -> None:
    made.edit(change, context(made.document, None, made.next_id))


def test_a_thousand_edits_undone_and_redone_give_the_same_bytes() -> None:
    rng = np.random.default_rng(5)
    made = opened(WHOLE, keep)
    seen = [as_bytes(made)]
    while len(made.done) < 1000:
        edited(made, random_change(made.document, rng))
        if as_bytes(made) != seen[-1]:
            seen.append(as_bytes(made))
    assert len(seen) == 1001
    for before in reversed(seen[:-1]):
        made.undo()
        assert as_bytes(made) == before
    with pytest.raises(FootfallError):
        made.undo()
    for after in seen[1:]:
        made.redo()
        assert as_bytes(made) == after
    with pytest.raises(FootfallError):
        made.redo()


def test_numbers_are_never_used_twice() -> None:
    made = empty()
    used: set[int] = set()
    for _ in range(20):
        edited(made, m.AddClip("walk", 1))
        new = made.document.tracks[0].clips[-1].id
        assert new not in used
        used.add(new)
        made.undo()


def test_a_change_that_changes_nothing_is_no_step_and_a_new_one_ends_redo() -> None:
    made = opened(WHOLE, keep)
    edited(made, m.ChangeTrack(made.document.tracks[0].id, "Hero"))
    assert not made.done
    assert made.is_saved
    edited(made, m.ChangeTrack(made.document.tracks[0].id, "Villain"))
    assert not made.is_saved
    made.undo()
    assert made.is_saved
    assert made.message().redo == "change track"
    edited(made, m.AddTrack("Third"))
    assert made.message().redo is None


def test_the_oldest_steps_are_forgotten_when_they_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "MOST_UNDO_BYTES", 20_000)
    made = empty()
    for k in range(200):
        edited(made, m.ChangeTrack(1, f"name {k}"))
    assert 1 < len(made.done) < 200
    while made.done:
        made.undo()
    assert made.document.tracks[0].name not in ("Hero", "name 0")


def test_everything_a_timeline_file_holds_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "whole.json"
    save_timeline(WHOLE, file)
    made = opened(load_timeline(file), keep)
    assert to_plain(made.timeline(keep)) == to_plain(WHOLE)
    save_timeline(made.timeline(keep), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()


def test_layers_goals_and_markers_follow_their_clips_through_edits() -> None:
    made = opened(WHOLE, keep)
    hero, rival = made.document.tracks
    edited(made, m.AddClip("wave", rival.id, 0.0))  # before the clip the marker is tied to
    edited(made, m.AddTrack("Empty"))
    after = made.timeline(keep)
    assert len(after.tracks) == 2
    marker = after.markers[0]
    assert after.tracks[marker.tracks[1]].clips[marker.clips[1]].clip == "stand"
    assert after.tracks[0].layers == WHOLE.tracks[0].layers
    edited(made, m.RemoveTrack(hero.id))
    left = made.timeline(keep)
    assert left.markers == ()
    assert left.tracks[0].goal is None
    made.undo()
    assert to_plain(made.timeline(keep)) == to_plain(after)


def test_a_clip_moved_to_another_track_unties_its_marker() -> None:
    made = opened(WHOLE, keep)
    hero, rival = made.document.tracks
    edited(made, m.MoveClip(rival.clips[0].id, None, hero.id))
    assert made.timeline(keep).markers == ()


def test_history_survives_packing() -> None:
    rng = np.random.default_rng(8)
    made = opened(WHOLE, keep)
    made.path = "whole.json"
    for _ in range(60):
        edited(made, random_change(made.document, rng))
    for _ in range(7):
        made.undo()
    data = history.pack(made, 12.0)
    back = history.unpack(data, keep)
    assert back.message() == msgspec.structs.replace(made.message(), revision=1)
    assert (back.done, back.undone, back.next_id) == (made.done, made.undone, made.next_id)
    assert to_plain(back.timeline(keep)) == to_plain(made.timeline(keep))
    assert isinstance(back.done, deque)


@pytest.mark.parametrize("cut", [0, 1, 50, -1])
def test_damaged_history_is_refused_in_a_sentence(cut: int) -> None:
    data = history.pack(opened(WHOLE, keep), 0.0)
    with pytest.raises(FootfallError):
        history.unpack(data[:cut], keep)
    lies = json.loads(data)
    lies["document"] = [999]
    with pytest.raises(FootfallError):
        history.unpack(json.dumps(lies).encode(), keep)


def test_the_demo_is_a_timeline_and_nothing_to_save() -> None:
    made = opened(demo(), keep)
    assert made.is_saved
    names = [clip.clip for clip in made.document.tracks[0].clips]
    assert names[:3] == ["walk", "kick", "running-kick"]
    assert "wave" in names
