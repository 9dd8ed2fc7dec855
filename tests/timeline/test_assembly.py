"""Strips put together; and what is remembered of a day of dragging."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform
from footfall.timeline.assembly import PoseStrip, together
from footfall.timeline.recent import Recent


def _plainly(strips: list[PoseStrip]) -> Pose:
    placed = [strip.placement.pose(strip.own) for strip in strips]
    root_pos, rot = (np.concatenate([getattr(pose, key) for pose in placed]) for key in ("root_pos", "rot"))
    return Pose(root_pos, rotation.continuous_signs(rot))


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=30)
def test_strips_are_placed_one_after_another_with_signs_that_go_on(seed: int, count: int) -> None:
    rng, pose = np.random.default_rng(seed), ff.motion("walk").pose
    strips = []
    for _ in range(count):
        first = int(rng.integers(0, len(pose.root_pos) - 4))
        part = pose.at(slice(first, int(rng.integers(first + 1, len(pose.root_pos) + 1))))
        signs = rng.choice([-1.0, 1.0], size=(1, part.rot.shape[1], 1))
        floor = FloorTransform(rng.normal(), rng.normal(size=3) * [1.0, 0.0, 1.0])
        strips.append(PoseStrip(Pose(part.root_pos, part.rot * signs), floor))
    fast, plain = together(strips), _plainly(strips)
    np.testing.assert_allclose(fast.root_pos, plain.root_pos, atol=1e-12)
    np.testing.assert_allclose(fast.rot, plain.rot, atol=1e-12)


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
