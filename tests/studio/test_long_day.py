"""A long day in short: as many edits as half an hour sees leave the studio's memory as it was."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from random_edits import random_change
from running_session import Page, run, short_demo

from footfall.studio import messages as m
from footfall.studio import studio as studio_module
from footfall.studio.live_room import LiveRoom
from footfall.studio.studio import Studio

pytestmark = pytest.mark.long
EDITS = 900  # one every two seconds, for half an hour
WARM, LOOKS = 150, 5  # edits until caches are full, and looks at the memory after that
JUDGED = 10  # of so many takes one is judged, after which freed memory is handed back
MOST_MB = 30.0  # that may be more in the last look than in the first: undo keeps documents


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async def not_now(room: LiveRoom, is_quiet: object) -> None:
        """The live graph is read once, whenever it is ready: 100 MB that are no edit's."""

    monkeypatch.setattr(studio_module, "demo", short_demo)
    monkeypatch.setattr(LiveRoom, "prepare", not_now)


def memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_half_an_hour_of_edits_leaves_memory_flat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[float] = []

    async def act(studio: Studio, page: Page) -> None:
        rng = np.random.default_rng(0)
        every = (EDITS - WARM) // (LOOKS - 1) // JUDGED * JUDGED  # each look comes after a take that was judged
        for n in range(EDITS):
            document = studio.project.document
            change = random_change(document, rng)
            if sum(len(track.clips) for track in document.tracks) > 14:
                change = m.RemoveClips(tuple(c.id for t in document.tracks for c in t.clips[:3]))
            await studio.handle(page, m.Drag(change, n, float(rng.uniform(0.0, 10.0))))
            await studio.handle(page, m.Edit(change))
            if rng.random() < 0.15:
                await studio.handle(page, m.Undo())
            await studio.take_of_now(measured=n % JUDGED == 0)
            page.told.clear()
            if n >= WARM and (n - WARM) % every == 0:
                seen.append(memory_mb())

    run(tmp_path, act)
    with capsys.disabled():
        print(f"\n{EDITS} edits, memory after {WARM} and on: {', '.join(f'{mb:.0f}' for mb in seen)} MB")
    assert len(seen) >= LOOKS - 1
    assert max(seen[-2:]) - seen[0] < MOST_MB
