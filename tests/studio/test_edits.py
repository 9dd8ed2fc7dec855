"""Edits: every change gives a document or one sentence, and leaves alone what it is not about."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_edits import CLIPS, changes, context, random_document

from footfall.core.errors import FootfallError
from footfall.studio import messages as m
from footfall.studio.edits import LATEST_S, MOST_CLIPS
from footfall.studio.floor_edits import apply

TWO = m.Document(
    (
        m.DocumentTrack(1, "Hero", None, (m.PlacedClip(2, "walk"), m.PlacedClip(3, "kick"), m.PlacedClip(4, "run"))),
        m.DocumentTrack(5, "Rival", None, (m.PlacedClip(6, "stand", 1.0),)),
    )
)
STARTS = {2: 0.0, 3: 2.0, 4: 3.0, 6: 1.0}


def done(change: m.Change, document: m.Document = TWO) -> m.Document:
    return apply(document, change, context(document, STARTS))


def ids(document: m.Document, track: int = 0) -> list[int]:
    return [clip.id for clip in document.tracks[track].clips]


@given(st.data())
def test_any_change_gives_a_document_or_one_sentence(data: st.DataObject) -> None:
    document = random_document(data.draw(st.integers(0, 10_000)))
    change = data.draw(changes(document))
    try:
        after = apply(document, change, context(document))
    except FootfallError as error:
        said = str(error)
    else:
        said = ""
        _check(document, change, after)
    assert "\n" not in said


def _check(document: m.Document, change: m.Change, after: m.Document) -> None:
    before = {clip.id: clip for track in document.tracks for clip in track.clips}
    numbers = [n for t in after.tracks for n in (t.id, *(c.id for c in t.clips))]
    assert len(numbers) == len(set(numbers))
    if isinstance(change, m.MeetTracks):  # moves both of its tracks in time
        return
    touched = {getattr(change, "id", None), *getattr(change, "ids", ()), *getattr(change, "along", ())}
    for track in after.tracks:
        for clip in track.clips:
            if clip.id in before and clip.id not in touched:
                assert clip == before[clip.id]
            assert clip.start_s is None or 0.0 <= clip.start_s <= LATEST_S
            assert 0.1 <= clip.speed <= 10.0
            assert clip.trim_s is None or 0.0 <= clip.trim_s[0] < clip.trim_s[1]


def test_a_clip_without_a_start_goes_to_the_end_and_one_with_a_start_where_it_falls() -> None:
    assert ids(done(m.AddClip("wave", 1))) == [2, 3, 4, 7]
    assert ids(done(m.AddClip("wave", 1, 2.5))) == [2, 3, 7, 4]
    assert ids(done(m.AddClip("wave", 1, 0.0))) == [2, 7, 3, 4]


def test_a_clip_without_a_track_gets_a_new_one() -> None:
    after = done(m.AddClip("wave"))
    assert [t.id for t in after.tracks] == [1, 5, 7]
    assert ids(after, 2) == [8]
    assert after.tracks[2].name not in ("", "Hero", "Rival")


def test_moving_past_another_clip_changes_their_order() -> None:
    after = done(m.MoveClip(3, 5.0))
    assert ids(after) == [2, 4, 3]
    assert after.tracks[0].clips[2].start_s == 5.0
    assert ids(done(m.MoveClip(3, -4.0)))[0] in (2, 3)
    assert done(m.MoveClip(3, -4.0)).tracks[0].clips[1].start_s == 0.0


def test_moving_to_another_track_and_back_to_no_time_of_its_own() -> None:
    after = done(m.MoveClip(3, None, 5))
    assert (ids(after), ids(after, 1)) == ([2, 4], [6, 3])
    assert done(m.MoveClip(6, None)).tracks[1].clips[0] == m.PlacedClip(6, "stand")


def test_trim_keeps_the_start_unless_given() -> None:
    assert done(m.TrimClip(6, (0.2, 0.9))).tracks[1].clips[0] == m.PlacedClip(6, "stand", 1.0, (0.2, 0.9))
    assert done(m.TrimClip(6, (0.2, 0.9), 1.2)).tracks[1].clips[0].start_s == 1.2
    assert done(m.TrimClip(6, None)) == TWO


def test_duplicates_follow_their_twin_and_methods_can_be_given_back() -> None:
    assert ids(done(m.DuplicateClip(3))) == [2, 3, 7, 4]
    chosen = done(m.ChangeClip(3, method="adaptation"))
    assert chosen.tracks[0].clips[1].method == "adaptation"
    assert done(m.ChangeClip(3, method=""), chosen) == TWO


@pytest.mark.parametrize(
    "change",
    [
        m.AddClip("no such clip", 1), m.AddClip("walk", 99), m.AddClip("walk", 1, math.inf), m.AddClip("walk", 1, 1e8),
        m.MoveClip(99), m.MoveClip(3, math.nan), m.MoveClip(3, 1.0, 99), m.TrimClip(3, (0.5, 0.5)),
        m.TrimClip(3, (math.nan, 1.0)), m.TrimClip(3, (1.0, 0.5)), m.ChangeClip(3, speed=0.0),
        m.ChangeClip(3, speed=math.inf), m.ChangeClip(3, repeat=0), m.ChangeClip(3, repeat=10**9),
        m.ChangeClip(3, method="magic"), m.DuplicateClip(99), m.RemoveClips(()), m.RemoveClips((99,)),
        m.AddTrack("x" * 1000), m.AddTrack("", "/etc/passwd"), m.ChangeTrack(99), m.RemoveTrack(99),
        m.ChangeTrack(1, character="nobody"),
    ],
    ids=lambda change: f"{type(change).__name__}",
)  # fmt: skip
def test_what_cannot_be_done_is_refused(change: m.Change) -> None:
    with pytest.raises(FootfallError):
        done(change)


def test_clips_that_move_along_do_so_by_as_much() -> None:
    moved = done(m.MoveClip(3, 2.5, along=(2, 6)))
    times = {clip.id: clip.start_s for track in moved.tracks for clip in track.clips}
    assert times == {2: None, 3: 2.5, 4: None, 6: 1.5}  # what follows as soon as possible does so anyway


def test_a_duplicate_goes_where_it_is_put_and_keeps_what_was_done_to_it() -> None:
    mirrored = done(m.ChangeClip(3, mirror=True, speed=1.5))
    after = done(m.DuplicateClip(3, 0.5, 5), mirrored)
    twin = after.tracks[1].clips[0]
    assert (twin.clip, twin.start_s, twin.mirror, twin.speed) == ("kick", 0.5, True, 1.5)
    assert ids(after) == ids(TWO)


def test_another_clip_in_the_place_of_one_is_used_whole() -> None:
    trimmed = done(m.TrimClip(3, (0.1, 0.4)))
    clip = done(m.ChangeClip(3, clip="walk"), trimmed).tracks[0].clips[1]
    assert (clip.id, clip.clip, clip.trim_s, clip.repeat) == (3, "walk", None, 1)
    with pytest.raises(FootfallError, match="the library has no clip"):
        done(m.ChangeClip(3, clip="nothing like it"))


def test_no_more_clips_than_a_project_has() -> None:
    most = tuple(m.PlacedClip(n, CLIPS[0]) for n in range(2, 2 + MOST_CLIPS))
    full = m.Document((m.DocumentTrack(1, "Hero", None, most),))
    with pytest.raises(FootfallError, match="at most"):
        done(m.AddClip(CLIPS[0], 1), full)
    assert len(done(m.RemoveClips((5,)), full).tracks[0].clips) == MOST_CLIPS - 1
