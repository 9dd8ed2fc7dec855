"""Splitting, rippling and markers: what they make of a document, and of the take."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_edits import context
from read_frames import Frame
from running_session import Page, run, small

from footfall.core.errors import ParameterError
from footfall.studio import history
from footfall.studio import messages as m
from footfall.studio.edits import Context, apply
from footfall.studio.project import OpenProject, from_timeline, to_timeline
from footfall.studio.studio import Studio
from footfall.timeline.file import timeline_of, to_plain


def clip(number: int, start_s: float | None, key: str = "walk", **how: object) -> m.PlacedClip:
    return m.PlacedClip(number, key, start_s, **how)  # type: ignore[arg-type]


def asked(document: m.Document, spans: dict[int, tuple[float, float]]) -> Context:
    made = context(document, {n: a for n, (a, _) in spans.items()})
    made.ends_s = {n: b for n, (_, b) in spans.items()}
    return made


def test_a_clip_is_split_at_a_second_of_the_timeline() -> None:
    document = m.Document((m.DocumentTrack(1, clips=(clip(2, 1.0, speed=2.0, trim_s=(0.5, 4.5)), clip(3, None))),))
    out = apply(document, m.SplitClip(2, 1.5), asked(document, {2: (1.0, 3.0), 3: (3.0, 4.0)}))
    first, rest, after = out.tracks[0].clips
    assert (first.id, first.start_s, first.trim_s) == (2, 1.0, (0.5, 1.5))
    assert (rest.start_s, rest.trim_s, rest.speed) == (None, (1.5, 4.5), 2.0)
    assert rest.id not in (1, 2, 3)
    assert after.id == 3


@pytest.mark.parametrize("at_s", [0.5, 1.0, 1.001, 3.0, 9.0, float("nan")])
def test_a_clip_is_split_inside_only(at_s: float) -> None:
    document = m.Document((m.DocumentTrack(1, clips=(clip(2, 1.0),)),))
    with pytest.raises(ParameterError):
        apply(document, m.SplitClip(2, at_s), asked(document, {2: (1.0, 3.0)}))


def test_removing_with_ripple_closes_the_gap() -> None:
    clips = (clip(2, 0.0), clip(3, 2.0), clip(4, None), clip(5, 6.0))
    document = m.Document((m.DocumentTrack(1, clips=clips), m.DocumentTrack(9, clips=(clip(10, 7.0),))))
    spans = {2: (0.0, 2.0), 3: (2.0, 3.5), 4: (3.5, 5.0), 5: (6.0, 7.0), 10: (7.0, 8.0)}
    out = apply(document, m.RemoveClips((3,), ripple=True), asked(document, spans))
    assert [(c.id, c.start_s) for c in out.tracks[0].clips] == [(2, 0.0), (4, None), (5, 4.5)]
    assert out.tracks[1].clips[0].start_s == 7.0  # others stay
    plain = apply(document, m.RemoveClips((3,)), asked(document, spans))
    assert [c.start_s for c in plain.tracks[0].clips] == [0.0, None, 6.0]


def test_trimming_along_moves_what_follows() -> None:
    document = m.Document((m.DocumentTrack(1, clips=(clip(2, 0.0), clip(3, 4.0), clip(4, 6.0))),))
    spans = {2: (0.0, 3.0), 3: (4.0, 5.0), 4: (6.0, 7.0)}
    out = apply(document, m.TrimClip(2, (0.0, 2.0), None, (3, 4)), asked(document, spans))
    assert [c.start_s for c in out.tracks[0].clips] == [0.0, 3.0, 5.0]


def test_markers_are_kept_in_files_and_histories() -> None:
    document = m.Document((m.DocumentTrack(1, clips=(clip(2, 0.0),)),))
    out = apply(document, m.SetMarkers((m.TimeMarker(3.0, "kick\n here"), m.TimeMarker(-1.0))), context(document))
    assert [(x.at_s, x.name) for x in out.markers] == [(0.0, ""), (3.0, "kick here")]
    project = OpenProject(out)
    project.edit(m.SetMarkers(()), context(out))
    again = history.unpack(history.pack(project, 0.0), lambda key, animation: key)
    assert again.document.markers == ()
    assert again.done[-1].document.markers == out.markers
    assert again.saved_document.markers == out.markers
    timeline, _ = to_timeline(out, project.kept, str)
    assert from_timeline(timeline_of(to_plain(timeline)), lambda key, animation: key)[0].markers == out.markers


def test_a_split_clip_looks_as_before_and_has_no_join(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        project = await small(studio, page)
        walk = project.document.tracks[0].clips[0]
        take = await page.next(m.Take, lambda one: one.revision == project.revision)
        frame: Frame = await page.next(Frame)
        view = take.tracks[0].clips[0]
        at_s = 0.5 * (view.start_s + view.end_s)
        await studio.handle(page, m.Edit(m.SplitClip(walk.id, at_s)))
        made = await page.next(m.Take, lambda one: one.revision > take.revision)
        after: Frame = await page.next(Frame)
        np.testing.assert_allclose(after.poses, frame.poses, atol=1e-4)
        first, rest, kick = made.tracks[0].clips
        assert (first.start_s, rest.end_s) == pytest.approx((view.start_s, view.end_s), abs=0.02)
        assert first.end_s == pytest.approx(rest.start_s) == pytest.approx(at_s, abs=0.02)
        assert [(j.before, j.after) for j in made.tracks[0].joins] == [(rest.id, kick.id)]
        feet = [(round(first.start_s + p.start_s, 2), p.phase) for p in first.phases]
        assert feet == [
            (t, p) for t, p in ((round(view.start_s + x.start_s, 2), x.phase) for x in view.phases) if t < at_s
        ]
        await studio.handle(page, m.ReportJoin(rest.id, kick.id))
        assert (await page.next(m.Job, lambda job: job.state in ("done", "failed"))).state == "done"

    run(tmp_path, act)
