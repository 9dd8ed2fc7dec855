"""The simple hand: a thumb ahead and palms that face each other where arms hang, whatever a wrist's axes are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.kinematics.fk import world_transforms
from footfall.kinematics.hand_shape import HAND, hand_axes
from footfall.motions.library import motion


@cache
def standing():
    return motion("stand")


def axes_of(side: str, extra: np.ndarray, straight: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Rows along, thumb and palm in the wrist's frame, which is turned by `extra` against the skeleton's; its turn."""
    clip = standing()
    places, turns = world_transforms(clip.skeleton, clip.pose.at(slice(0, 5)))
    shoulder, elbow, wrist = (clip.skeleton.names.index(side + part) for part in ("Arm", "ForeArm", "Hand"))
    turn = rotation.multiply(turns[:, wrist], extra)
    arm = places[:, [shoulder, elbow, wrist]].copy()
    if straight:
        arm[:, 2] = arm[:, 1] + 0.8 * (arm[:, 1] - arm[:, 0])
    along = rotation.rotate(rotation.conjugate(turn[0]), arm[0, 2] - arm[0, 1])
    return hand_axes(arm, turn, along, np.tile([0.0, 0.0, 1.0], (5, 1)), side == "Left"), turn[0]


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3), st.booleans())
def test_hanging_hands_have_their_thumbs_ahead_and_their_palms_inward(turned, straight):
    for side, inward in (("Left", -1.0), ("Right", 1.0)):
        axes, turn = axes_of(side, rotation.exp(np.array(turned)), straight)
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)
        along, thumb, palm = rotation.rotate(turn, axes)
        assert along[1] < -0.8
        assert thumb[2] > 0.8
        assert inward * palm[0] > 0.8


@pytest.mark.parametrize("part", HAND)
def test_every_piece_is_thicker_than_nothing_and_not_longer_than_a_hand(part):
    assert min(part.radii) > 0.004
    assert np.abs([part.start, part.end]).max() + max(part.radii) < 0.108  # Drillis & Contini 1966, of stature
