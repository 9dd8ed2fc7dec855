"""The classifier that tries to tell joins from captured changes: its parts against plain ways, and small runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall_lab import ridge_logistic
from footfall_lab.studies import two_sample
from footfall_lab.studies.two_sample_features import ANGULAR, FRAMES, MEASURES, OTHERS, features, signals


def take(name: str, **parameters: float) -> Clip:
    clip = ff.motion(name, **parameters)
    return clip.with_pose(clip.pose, is_loop=False).resample(60)


def test_area_is_the_share_of_pairs_in_order() -> None:
    rng = np.random.default_rng(0)
    scores, y = np.round(rng.normal(size=60), 1), (rng.uniform(size=60) < 0.4).astype(float)
    a, b = scores[y > 0.5][:, None], scores[y < 0.5][None]
    assert ridge_logistic.area(scores, y) == pytest.approx(((a > b) + 0.5 * (a == b)).mean())


def test_the_fit_is_the_least_of_its_loss() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 4))
    y = (x @ [1.0, -0.5, 0.0, 0.2] + rng.normal(size=80) > 0.7).astype(float)
    share = np.where(y > 0.5, 0.5 / y.mean(), 0.5 / (1.0 - y.mean()))

    def loss(w: np.ndarray) -> float:
        z = x @ w[:-1] + w[-1]
        return float((share * (np.logaddexp(0.0, z) - y * z)).sum() + 0.5 * (w[:-1] ** 2).sum())

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(ridge_logistic.fit(x, y), best, atol=1e-3)


def test_nothing_of_a_group_is_learnt_from_itself() -> None:
    """Rows of a group share a label and a random mark: who learns the mark gets them right, and nobody else does."""
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(60), 5)
    y = (rng.permutation(60) < 30).astype(float)[groups]
    x = rng.normal(size=(60, 12))[groups] + 0.01 * rng.normal(size=(300, 12))
    by_group = ridge_logistic.area(ridge_logistic.out_of_fold(x, y, groups), y)
    by_row = ridge_logistic.area(ridge_logistic.out_of_fold(x, y, np.arange(300)), y)
    assert abs(by_group - 0.5) < 0.15 < by_row - 0.5
    x[:, 0] += 3.0 * y
    found = ridge_logistic.area_with_interval(ridge_logistic.out_of_fold(x, y, groups), y, groups)
    assert 0.9 < found.low <= found.area <= found.high <= 1.0


def test_features_say_what_they_are_named() -> None:
    walk = take("walk", cycles=3)
    values = dict(zip((*ANGULAR, *OTHERS), features(signals(walk), 10), strict=True))
    assert len(ANGULAR) == 40
    assert len(values) == len(ANGULAR) + len(OTHERS)
    left = walk.skeleton.roles.left_elbow
    assert left is not None
    t = np.arange(walk.frames) / 60.0
    rot = np.array(walk.pose.rot)
    shake = np.sin(2.0 * np.pi * 11.0 * t)[:, None] * np.array([0.05, 0.0, 0.0])
    rot[:, left] = rotation.multiply(rot[:, left], rotation.exp(shake))
    shaken = walk.with_pose(walk.pose._replace(rot=rot))
    other = dict(zip((*ANGULAR, *OTHERS), features(signals(shaken), 10), strict=True))
    assert other["arms 8-15 Hz"] > values["arms 8-15 Hz"] + 1.0
    assert other["arms jerk"] > values["arms jerk"] + 0.5
    assert all(other[f"legs {m}"] == pytest.approx(values[f"legs {m}"]) for m in MEASURES)


def test_features_do_not_depend_on_place_and_heading() -> None:
    walk = take("walk", cycles=3)
    turn = rotation.yaw(np.array(1.0))
    root = rotation.rotate(turn, walk.pose.root_pos) + np.array([3.0, 0.0, -2.0])
    rot = np.array(walk.pose.rot)
    rot[:, 0] = rotation.multiply(turn, rot[:, 0])
    moved = walk.with_pose(walk.pose._replace(root_pos=root, rot=rot))
    np.testing.assert_allclose(features(signals(moved), 5), features(signals(walk), 5), atol=1e-6)


def test_changes_are_found_where_speed_changes() -> None:
    assert not two_sample.captured_changes(take("walk", cycles=4), "steady")
    both = ff.join(take("walk", cycles=3), take("run", cycles=3))
    assert two_sample.captured_changes(both, "changing")
    assert two_sample.captured_changes(ff.motion("kick").trim(0.0, 0.5), "short") == []


def test_a_join_is_looked_at_in_its_middle() -> None:
    a, b = take("walk", cycles=3), take("run", cycles=3)
    out = ff.join(a, b, "crossfade", at_s=2.0)
    (window,) = two_sample.join_window(out, "walk")
    (segment,) = out.report.joins  # type: ignore[union-attr]
    first = round((0.5 * (segment.start_s + segment.end_s) - 0.55) * 60.0)
    np.testing.assert_allclose(window.values, features(signals(out), first))
    assert first <= segment.start_s * 60.0 < segment.end_s * 60.0 <= first + FRAMES


def test_smoothed_windows_are_told_and_untouched_ones_are_not() -> None:
    rng = np.random.default_rng(3)
    count = len(ANGULAR) + len(OTHERS)
    changes = [two_sample.MotionWindow(rng.normal(size=count), f"take {n % 30}") for n in range(300)]
    same = [two_sample.MotionWindow(rng.normal(size=count), f"take {n % 30}") for n in range(100)]
    dull = ANGULAR.index("trunk 8-15 Hz")
    smooth = [w._replace(values=w.values - 2.0 * (np.arange(count) == dull)) for w in same]
    honest, caught = two_sample.told(same, changes), two_sample.told(smooth, changes)
    assert honest.angular.low < 0.55
    assert caught.angular.low > 0.8
    assert int(np.abs(caught.single - 0.5).argmax()) == dull
    assert caught.spreads[dull] == pytest.approx(-2.0, abs=0.4)
    assert two_sample.plotted({"same": honest, "smooth": caught})[:4] == b"\x89PNG"


def test_the_study_writes_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four built-in motions, written as captures of one half, joined in two ways."""
    folder = tmp_path / "mocap"
    folder.mkdir()
    lines = ["path,subject,kind"]
    for name, clip in {"walk": take("walk", cycles=3), "run": take("run", cycles=4), "kick": take("kick")}.items():
        ff.save(clip, folder / f"{name}.bvh")
        lines.append(f"{name}.bvh,02,{name}")
    change = ff.join(take("walk", cycles=3), take("run", cycles=3), "crossfade", at_s=2.0)
    ff.save(change, folder / "change.bvh")
    (folder / "manifest.csv").write_text("\n".join([*lines, "change.bvh,02,change"]) + "\n")
    monkeypatch.setattr(two_sample, "QUICK_PAIRS", 3)
    monkeypatch.setattr(two_sample, "WAYS", {"crossfade at the end": two_sample.WAYS["crossfade at the end"]})
    rows = two_sample.run(tmp_path, True, lambda text: None, folder)
    assert any("angular features" in row.what for row in rows)
    assert {p.suffix for p in tmp_path.glob("two_sample.*")} == {".html", ".csv", ".json", ".png"}
