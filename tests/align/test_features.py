"""Features of moments: the window distance as an oracle, and paths that are known."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import walking_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.align.distance import clouds, distances
from footfall.align.features import AHEAD_S, features, floor_path, metric_rows, points_of, row_distances
from footfall.core.errors import ParameterError
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion


def moved(clip, turn=0.7, shift=(2.0, 0.0, -1.0)):
    return clip.with_pose(FloorTransform(np.array(turn), np.array(shift)).pose(clip.pose))


@given(turn=st.floats(-3.1, 3.1), x=st.floats(-50, 50), z=st.floats(-50, 50))
def test_features_do_not_know_where_the_body_is_and_faces(turn, x, z):
    clip = walking_clip()
    a, b = features(clip), features(moved(clip, turn, (x, 0.0, z)))
    for ours, theirs in zip(a, b, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    rows, others = metric_rows(clip), metric_rows(moved(clip, turn, (x, 0.0, z)))
    assert max(row_distances(rows[k : k + 1], others[k])[0] for k in range(0, len(rows), 20)) < 1e-3


def test_rows_are_as_far_apart_as_the_clouds_of_a_window():
    """Kovar's distance of the same points, which may turn and shift as it likes, is an independent measure."""
    a, b = motion("walk", speed=1.2).resample(60), motion("walk", speed=1.5, turn=20.0).resample(60)
    points = points_of(a.skeleton)
    weights = np.zeros(len(a.skeleton))
    weights[[getattr(a.skeleton.roles, role) for role in points]] = 1.0
    kovar = np.sqrt(distances(clouds(a, joint_weights=weights), clouds(b, joint_weights=weights)))
    rows_a, rows_b = metric_rows(a), metric_rows(b)
    ours = np.stack([row_distances(rows_b, row) for row in rows_a])
    assert (ours <= kovar + 1e-4).all()  # what of a window is no straight line is left out
    np.testing.assert_allclose(ours, kovar, atol=0.006)


def test_path_of_a_steady_arc_is_that_arc():
    clip = motion("walk", speed=1.2, turn=30.0).resample(60)
    of = features(clip, ("pelvis",))
    turn = np.radians(30.0)
    for k, t in enumerate(AHEAD_S):
        facing = np.arctan2(of.path[:, k, 2], of.path[:, k, 3])
        assert facing.mean() == pytest.approx(turn * t, abs=0.02)
        chord = 2.0 * 1.2 / turn * np.sin(0.5 * turn * t)
        assert np.hypot(of.path[:, k, 0], of.path[:, k, 1]).mean() == pytest.approx(chord, rel=0.03)
    np.testing.assert_allclose(of.speed.mean(axis=0), [1.2, 0.0, turn], atol=0.04)


def test_a_loop_has_no_seam():
    clip = motion("walk", speed=1.3, turn=20.0).resample(60)
    of = features(clip)
    for values in (of.position, of.velocity, of.path, of.speed):
        inside = np.abs(np.diff(values, axis=0)).max()
        assert np.abs(values[0] - values[-1]).max() <= 1.5 * inside


def test_a_path_goes_on_past_the_ends_of_a_take():
    clip = walking_clip(speed=1.3, cycles=3.0)
    path = floor_path(clip)
    after = len(path.points) - path.lead // 2
    ahead = (path.points[after] - path.points[after - 1]).real * clip.fps
    assert ahead == pytest.approx(1.3, abs=0.3)
    assert len(path.points) == clip.frames + 2 * path.lead


def test_a_body_without_a_point_is_refused():
    with pytest.raises(ParameterError, match="no head"):
        features(_headless(), ("head",))


def _headless():
    from footfall.core.clip import Clip
    from footfall.core.pose import Pose
    from footfall.core.skeleton import Skeleton

    skeleton = Skeleton(("Hips", "A"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]]))
    return Clip(skeleton, 30.0, Pose(np.zeros((5, 3)), np.tile([1.0, 0, 0, 0], (5, 2, 1))))
