"""Random documents and changes of them for the studio's tests; some changes make sense, some do not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import strategies as st

from footfall.studio import messages as m
from footfall.studio.edits import Context
from footfall.studio.grounds import Grounds

CLIPS = ("walk", "kick", "run", "wave", "stand", "stop")
METHODS = ("", "transition", "connection", "adaptation")


def context(document: m.Document, starts_s: Mapping[int, float] | None = None, next_id: int = 0) -> Context:
    """What an edit may ask about."""
    used = [n for t in document.tracks for n in (t.id, *(c.id for c in t.clips))]
    return Context(
        CLIPS.__contains__, max([next_id, *(n + 1 for n in used), 1]), starts_s or {}, characters=("adult",),
        root_at=lambda track, at_s: (float(track), at_s, 30.0), check_ground=Grounds(None).open,
    )  # fmt: skip


def random_document(seed: int) -> m.Document:
    """A few tracks of a few clips."""
    rng = np.random.default_rng(seed)
    number, tracks = 1, []
    for _ in range(rng.integers(0, 4)):
        clips = []
        own, number = number, number + 1
        for _ in range(rng.integers(0, 6)):
            start = None if rng.random() < 0.5 else round(float(rng.uniform(0, 10)), 3)
            clips.append(m.PlacedClip(number, str(rng.choice(CLIPS)), start, repeat=int(rng.integers(1, 4))))
            number += 1
        tracks.append(m.DocumentTrack(own, f"track {own}", None, tuple(clips)))
    return m.Document(tuple(tracks))


def changes(document: m.Document) -> st.SearchStrategy[m.Change]:
    """Changes of a document, from every kind, with numbers that are there and some that are not."""
    clip_ids = [c.id for t in document.tracks for c in t.clips] or [1]
    track_ids = [t.id for t in document.tracks] or [1]
    clip = st.one_of(st.sampled_from(clip_ids), st.integers(-2, 60))
    track = st.one_of(st.sampled_from(track_ids), st.integers(-2, 60))
    seconds = st.floats(-5.0, 5000.0) | st.floats()
    maybe_s, maybe_track = st.none() | seconds, st.none() | track
    key = st.sampled_from(CLIPS) | st.text(max_size=5)
    marker = st.builds(m.TimeMarker, seconds, st.text(max_size=90))
    pair = st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 3.0)) | st.tuples(seconds, seconds)
    return st.one_of(
        st.builds(m.AddClip, key, maybe_track, maybe_s),
        st.builds(m.MoveClip, clip, maybe_s, maybe_track),
        st.builds(m.TrimClip, clip, st.none() | pair, maybe_s),
        st.builds(
            m.ChangeClip, clip, st.none() | st.floats(), st.none() | st.booleans(), st.none() | st.integers(-1, 200),
            st.none() | st.sampled_from(METHODS) | st.text(max_size=4),
        ),
        st.builds(m.DuplicateClip, clip),
        st.builds(m.RemoveClips, st.lists(clip, max_size=4).map(tuple)),
        st.builds(m.RemoveClips, st.lists(clip, max_size=4).map(tuple), st.booleans()),
        st.builds(m.SplitClip, clip, seconds),
        st.builds(m.SetMarkers, st.lists(marker, max_size=4).map(tuple)),
        st.builds(m.FillGap, clip),
        st.builds(m.AddTrack, st.text(max_size=90), st.none() | st.sampled_from(["adult", "", "x"])),
        st.builds(m.ChangeTrack, track, st.none() | st.text(max_size=90), st.none() | st.sampled_from(["adult", ""])),
        st.builds(m.RemoveTrack, track),
        st.builds(m.SetGround, st.sampled_from(["", "stairs:15x35", "slope:-3~1,2,3", "moon"]) | st.text(max_size=5)),
        st.builds(m.MeetTracks, track, track, seconds, st.floats(0.1, 3.0) | st.floats()),
        st.builds(m.KeepSpace, st.builds(m.OwnSpace, st.text(max_size=90), st.lists(key, max_size=4).map(tuple))),
        st.builds(m.ForgetSpace, st.text(max_size=3)),
        st.builds(m.PlaceTrack, track, st.none() | st.tuples(st.floats(), st.floats(-50, 50), st.floats(-400, 400))),
    )  # fmt: skip


def random_change(document: m.Document, rng: np.random.Generator) -> m.Change:
    """A change that makes sense, quickly."""
    clips = [c.id for t in document.tracks for c in t.clips]
    tracks = [t.id for t in document.tracks]
    kinds = ["add", "track"] + (["clip"] * 6 if clips else []) + (["change track"] if tracks else [])
    kind = rng.choice(kinds)
    if kind == "add":
        start = None if rng.random() < 0.5 else float(rng.uniform(0, 20))
        return m.AddClip(
            str(rng.choice(CLIPS)), int(rng.choice(tracks)) if tracks and rng.random() < 0.9 else None, start
        )
    if kind == "track":
        return m.AddTrack(f"track {rng.integers(100)}") if len(tracks) < 6 else m.RemoveTrack(int(rng.choice(tracks)))
    if kind == "change track" and rng.random() < 0.3:
        return m.PlaceTrack(int(rng.choice(tracks)), tuple(float(v) for v in rng.uniform(-9, 9, 3)))
    if kind == "change track":
        return m.ChangeTrack(int(rng.choice(tracks)), f"name {rng.integers(100)}")
    clip = int(rng.choice(clips))
    first = float(rng.uniform(0, 1))
    return [
        m.MoveClip(clip, float(rng.uniform(-1, 20)), int(rng.choice(tracks)) if rng.random() < 0.3 else None),
        m.MoveClip(clip, None),
        m.TrimClip(clip, (first, first + float(rng.uniform(0.1, 2.0))), None),
        m.ChangeClip(clip, speed=float(rng.uniform(0.5, 2.0)), mirror=bool(rng.random() < 0.5)),
        m.ChangeClip(clip, repeat=int(rng.integers(1, 5)), method=str(rng.choice(METHODS))),
        m.DuplicateClip(clip) if len(clips) < 40 else m.RemoveClips(tuple(clips[:20])),
        m.RemoveClips((clip,), bool(rng.random() < 0.5)),
        m.SetMarkers((m.TimeMarker(float(rng.uniform(0, 20)), "here"),)),
    ][int(rng.integers(8))]
