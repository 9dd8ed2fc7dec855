"""What a clip of a timeline is made of: on one body, on the floor, and travelling."""

from __future__ import annotations

import numpy as np

import footfall as ff


def test_a_walk_on_the_spot_travels() -> None:
    walk = ff.motion("walk", speed=1.3, cycles=4)
    there, here = (ff.timeline([clip, "stand"]).render() for clip in (walk, walk.in_place()))
    assert abs(there.duration - here.duration) < 0.3
    gone = [np.linalg.norm(np.ptp(take.pose.root_pos[:, [0, 2]], axis=0)) for take in (there, here)]
    assert abs(gone[1] / gone[0] - 1.0) < 0.05
