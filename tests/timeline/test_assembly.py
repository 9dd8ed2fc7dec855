"""Strips put together, against the readable way; and what is remembered of a day of dragging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core.pose import Pose
from footfall.feet import footsteps
from footfall.joins import join_body
from footfall.kinematics.floor_align import FloorTransform
from footfall.timeline import adaptation, clocks
from footfall.timeline.assembly import Strip, together, together_plainly
from footfall.timeline.piece import Piece
from footfall.timeline.planner import PlanOptions, plan_join
from footfall.timeline.recent import Recent
from footfall.timeline.windows import Window


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=30)
def test_strips_are_put_together_as_the_readable_way_does(seed: int, count: int) -> None:
    rng, pose = np.random.default_rng(seed), ff.motion("walk").pose
    strips = []
    for _ in range(count):
        first = int(rng.integers(0, len(pose.root_pos) - 4))
        part = pose.at(slice(first, int(rng.integers(first + 1, len(pose.root_pos) + 1))))
        signs = rng.choice([-1.0, 1.0], size=(1, part.rot.shape[1], 1))
        floor = FloorTransform(rng.normal(), rng.normal(size=3) * [1.0, 0.0, 1.0])
        strips.append(Strip(Pose(part.root_pos, part.rot * signs), floor))
    fast, plain = together(strips), together_plainly(strips)
    np.testing.assert_allclose(fast.root_pos, plain.root_pos, atol=1e-12)
    np.testing.assert_allclose(fast.rot, plain.rot, atol=1e-12)


@pytest.mark.parametrize("names", [("walk", "walk-back"), ("jump", "walk"), ("stand", "kick")])
@pytest.mark.parametrize("late", [-0.2, 0.0, 0.9])
def test_clocks_are_those_of_the_readable_way(names: tuple[str, str], late: float) -> None:
    fps, options = 60.0, PlanOptions()
    one, two = (ff.motion(name).resample(fps) for name in names)
    previous = Piece(one, 0.0)
    following = Piece(two, round((one.duration + late) * fps) / fps)
    join = plan_join(previous, following, 0.0, options)
    over, frames = Window(join.begin_s - 0.1, join.end_s + 0.2), range(-7, 200)
    fast = clocks.clocks_at(previous, following, join, over, frames, fps, options)
    plain = clocks.clocks(previous, following, join, over, np.arange(-7, 200) / fps, options)
    for a, b in zip(fast, plain, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_constants_of_bodies_and_clocks_are_those_of_the_readable_twins() -> None:
    from footfall.quality import skate

    assert join_body.LEAST_S == clocks.LEAST_S
    assert (join_body.RIDGE_M, join_body.OVER_M, join_body.IN_LINE_M) == (
        adaptation.RIDGE_M,
        adaptation.OVER_M,
        adaptation.IN_LINE_M,
    )
    assert (join_body.NEVER, join_body.NEAR_M) == (footsteps.NEVER, skate.NEAR_M)


def test_what_was_not_asked_for_is_forgotten_first() -> None:
    kept: Recent[int, list[int]] = Recent(3)
    first = kept.get(1, lambda: [1])
    for key in (2, 3):
        kept.get(key, lambda key=key: [key])
    assert kept.get(1, lambda: [0]) is first  # and is now the most recent
    kept.get(4, lambda: [4])
    assert len(kept) == 3
    assert kept.get(1, lambda: [0]) is first
    assert kept.get(2, lambda: [22]) == [22]  # 2 was forgotten
