"""The take that is shown before anything is compiled is of the demo, and whole."""

from __future__ import annotations

import numpy as np

from footfall.studio import first_take, frames
from footfall.studio.library import Library
from footfall.studio.project import demo, opened


def test_it_is_of_the_demo_as_it_is_arranged_now() -> None:
    take = first_take.read()
    assert take is not None
    project = opened(demo(), Library(None).key_of)
    assert take.document == project.document, "run: python tools/make_first_take.py"
    assert [clip.id for clip in take.track.clips] == [clip.id for clip in project.document.tracks[0].clips]


def test_its_poses_are_a_figure_that_moves_on_the_floor() -> None:
    take = first_take.read()
    assert take is not None
    rows = first_take.rows_of(take)
    assert np.isfinite(rows).all()
    assert np.abs(np.linalg.norm(rows[..., 3:], axis=-1) - 1.0).max() < 1e-3
    assert rows[..., 1].min() > -0.05
    assert np.ptp(rows[:, 0, 2]) + np.ptp(rows[:, 0, 0]) > 5.0  # it walks
    step_m = np.linalg.norm(np.diff(rows[..., :3], axis=0), axis=-1) * take.fps
    assert step_m.max() < 12.0  # nothing jumps


def test_what_is_packed_is_what_is_read(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    take = first_take.read()
    assert take is not None
    rows = first_take.rows_of(take)
    again = first_take.packed(take.document, take.track, take.skeleton, rows, take.fps, 3)
    monkeypatch.setattr(first_take, "FILE", tmp_path / "take.bin")
    (tmp_path / "take.bin").write_bytes(again)
    found = first_take.read()
    assert found is not None
    assert np.abs(first_take.rows_of(found) - rows).max() < 1e-4
    message, poses = first_take.shown(found, 7)
    assert message.revision == 7
    assert len(poses) == frames.HEADER.size + rows.nbytes
    (tmp_path / "take.bin").write_bytes(again[:100])
    assert first_take.read() is None  # a damaged file is no reason not to start
