"""A folder made playable: rows to tick with figures, a build that does what is ticked, told and ended as a process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import ParameterError
from footfall.graph.build.build_file import ActionRow, BuildFile, ChangeRow, CycleRow, TurnedRow, load_build
from footfall.graph.build.open_graph import graph
from footfall.studio.folder_maker import POSES, stick_figures, ticked
from footfall.studio.maker_process import Ended, MakerProcess


def some_build() -> BuildFile:
    cycles = tuple(CycleRow("a.bvh", k, k + 1.0, label=label) for k, label in enumerate(("walk", "walk", "run")))
    turned = tuple(TurnedRow(c.file, c.start_s, c.end_s, label=c.label, turn=40.0) for c in cycles)
    changes = (ChangeRow("a.bvh", 0.5, 2.5, before="walk", after="run"),)
    return BuildFile("takes", "average", cycles, turned, changes, (ActionRow("b.bvh", 0.0, 1.0, label="kick"),))


def test_what_is_made_of_a_row_goes_with_it():
    build = some_build()
    found = ticked(build, {0, 1, 3})
    assert [row.use for row in found.cycles] == [True, True, False]
    assert found.cycles[2].why == "switched off"
    assert [row.use for row in found.turned] == [True, True, False]
    assert [row.use for row in found.changes] == [False]  # nothing runs any more
    assert [row.use for row in found.actions] == [True]
    back = ticked(found, {0, 1, 2, 3})
    assert [row.use for row in back.cycles] == [True, True, True]
    assert back.cycles[2].why == ""


def test_figures_are_seen_from_the_side_wherever_the_body_goes():
    walk = ff.motion("walk")
    turned = replace(walk, pose=walk.pose)
    figures = stick_figures(walk, 0.2, 0.9)
    assert len(figures) == POSES
    assert len({len(one) for one in figures}) == 1
    heights = np.array(figures[0]).reshape(-1, 4)[:, [1, 3]]
    assert 130 < heights.max() < 190  # centimetres
    assert heights.min() > -10
    wide = np.ptp(np.array(figures).reshape(POSES, -1, 4)[..., 0], axis=1).max()
    assert wide > 40  # a stride is seen
    assert stick_figures(turned, 0.2, 0.9) == figures


def maker() -> MakerProcess:
    return MakerProcess("footfall.studio.folder_maker", "it is being made already; wait for that")


@pytest.mark.slow
def test_a_folder_is_built_told_and_built_again_without_what_was_unticked(tmp_path: Path):
    for speed in (0.9, 1.4):
        ff.save(ff.motion("walk", speed=speed, cycles=4).resample(30.0), tmp_path / f"walk {speed}.bvh")
    path, told = tmp_path / "playable.graph", []

    async def act() -> None:
        making = maker()
        found = await making.run((str(tmp_path), str(path)), {}, lambda share, text: told.append((share, text)))
        used = [row["id"] for row in found["rows"] if row["use"]]
        assert {row["label"] for row in found["rows"] if row["use"]} == {"walk"}
        assert all(len(row["figures"]) == POSES for row in found["rows"])
        assert [share for share, _ in told] == sorted(share for share, _ in told)
        assert told[0][1] == "reading 1 of 2"
        assert "walk" in graph(path).types
        fast = next(row["id"] for row in found["rows"] if row["use"] and row["file"] == "walk 1.4.bvh")
        again = await making.run((str(tmp_path), str(path)), {"used": [n for n in used if n != fast]}, lambda *_: None)
        assert not next(row for row in again["rows"] if row["id"] == fast)["use"]
        assert not load_build(path).cycles[fast].use
        looked = await making.run((str(tmp_path), str(path)), {"look": True}, lambda *_: None)
        assert looked["rows"] == again["rows"]
        with pytest.raises(ParameterError):
            await making.run((str(tmp_path), str(path)), {"used": []}, lambda *_: None)

    asyncio.run(act())


@pytest.mark.slow
def test_it_can_be_ended_and_runs_once_at_a_time(tmp_path: Path):
    for n in range(6):
        ff.save(ff.motion("walk", cycles=4), tmp_path / f"walk {n}.bvh")

    async def act() -> None:
        making, begun = maker(), asyncio.Event()
        first = asyncio.create_task(making.run((str(tmp_path), str(tmp_path / "p.graph")), {}, lambda *_: begun.set()))
        await begun.wait()
        with pytest.raises(ParameterError, match="already"):
            await making.run((str(tmp_path), str(tmp_path / "p.graph")), {}, lambda *_: None)
        making.stop()
        with pytest.raises(Ended):
            await first
        assert not making.is_busy
        assert not (tmp_path / "p.graph").exists()

    asyncio.run(act())
