"""Projects that earlier studios saved still open, and are saved as they were."""

from __future__ import annotations

import shutil
from pathlib import Path

from footfall.studio.library import Library
from footfall.studio.project import opened
from footfall.studio.store import Store

OLD = Path(__file__).parent / "old" / "project_v1.json"


def test_a_project_of_version_1(tmp_path: Path) -> None:
    shutil.copy(OLD, tmp_path)
    store, library = Store(tmp_path), Library(tmp_path, motions=("walk",))
    assert store.files() == (OLD.name,)
    timeline, warning = store.open(OLD.name)
    assert warning is None
    project = opened(timeline, library.key_of)
    assert [track.name for track in project.document.tracks] == ["hero", ""]
    assert [len(track.clips) for track in project.document.tracks] == [4, 1]
    store.save(project.timeline(library.entry), OLD.name)
    assert (tmp_path / OLD.name).read_bytes() == OLD.read_bytes()
    store.close()
