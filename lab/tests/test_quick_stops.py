"""Runs stopped at any moment: what is measured, on motions whose stops are known, and a small run of the study."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.clip import Clip
from footfall_lab.studies import quick_stops


def take(name: str, **parameters: float) -> Clip:
    clip = ff.motion(name, **parameters)
    return clip.with_pose(clip.pose, is_loop=False).resample(60)


def test_distance_and_time_to_standstill() -> None:
    """A stand pushed over the floor at 3 m/s for a second, then braked with 2 m/s²."""
    stand = take("stand")
    t = stand.times
    speed = np.where(t < 1.0, 3.0, np.maximum(3.0 - 2.0 * (t - 1.0), 0.0))
    root = np.array(stand.pose.root_pos)
    root[:, 2] += np.cumsum(speed) / 60.0
    clip = stand.with_pose(stand.pose._replace(root_pos=root))
    scale = 0.86 / stand.skeleton.leg_length
    stop = quick_stops.stop_after(clip, 1.0, "pushed")
    slow = 3.0 - quick_stops.STILL_M_S / scale
    assert stop.time_s == pytest.approx(slow / 2.0, abs=0.1)
    assert stop.distance_m == pytest.approx(scale * (3.0 * slow / 2.0 - (slow / 2.0) ** 2), rel=0.05)
    assert quick_stops.speed_at(clip, 0.6) == pytest.approx(3.0 * scale, rel=0.03)
    assert stop.brake_m_s2 == pytest.approx(2.0 * scale, rel=0.1)
    assert np.isnan(quick_stops.stop_after(take("run"), 0.2, "runs on").distance_m)


def test_the_study_stops_runs_and_writes_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mocap"
    folder.mkdir()
    ff.save(take("run", speed=3.0, cycles=4), folder / "run.bvh")
    ff.save(take("walk", cycles=3), folder / "walk.bvh")
    (folder / "manifest.csv").write_text("path,subject,kind\nrun.bvh,02,run_straight\nwalk.bvh,02,walk_straight\n")
    monkeypatch.setattr(quick_stops, "QUICK_MOMENTS", 2)
    rows = {row.what: row for row in quick_stops.run(tmp_path, True, lambda text: None, folder)}
    assert rows["work, 2 moments: push inside its limit"].ok
    assert rows["work, 2 moments: change inside its limit"].ok
    assert rows["work, 2 moments: stand"].value == "2 of 2"
    assert {p.suffix for p in tmp_path.glob("quick_stops.*")} == {".html", ".csv", ".json", ".png"}


def test_moments_are_of_runs_and_the_same_every_time(tmp_path: Path) -> None:
    from footfall_lab.studies.believable_takes import CapturedTake

    ff.save(take("run", speed=3.0, cycles=4), tmp_path / "run.bvh")
    ff.save(take("stand"), tmp_path / "stand.bvh")
    found = [CapturedTake(tmp_path / f"{n}.bvh", "02", k) for n, k in (("run", "run_turn"), ("stand", "run_stopped"))]
    drawn = quick_stops.draw_moments(found, 5, 1)
    assert drawn == quick_stops.draw_moments(found, 5, 1) != quick_stops.draw_moments(found, 5, 2)
    assert {take.path.stem for take, _ in drawn} == {"run"}  # who stands does not run
