"""Frames against forward kinematics done the long way, and against damage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_frames import decode
from scipy.spatial.transform import Rotation

from footfall.motions.library import motion
from footfall.studio import frames


def test_take_frame_reads_back_as_world_poses() -> None:
    clip = motion("walk").trim(0.0, 0.2)
    rows = frames.world_rows(clip.skeleton, clip.pose)
    back = decode(frames.encode(frames.TAKE, 7, 3, rows, clip.fps, 1.5))
    assert (back.kind, back.serial, back.track, back.live) == (frames.TAKE, 7, 3, None)
    assert (back.fps, back.start_s) == (clip.fps, 1.5)
    assert back.poses.shape == (clip.frames, len(clip.skeleton), 7)
    at = 5  # the chain of one frame by scipy, root to joint
    turns: list[Rotation] = []
    for j, parent in enumerate(clip.skeleton.parents):
        local = Rotation.from_quat(np.roll(clip.pose.rot[at, j], -1))
        place = clip.pose.root_pos[at]
        if parent >= 0:
            place = back.poses[at, parent, :3] + turns[parent].apply(clip.skeleton.offsets[j].copy())
            local = turns[parent] * local
        turns.append(local)
        np.testing.assert_allclose(back.poses[at, j, :3], place, atol=1e-5)
        assert abs(np.dot(back.poses[at, j, 3:], local.as_quat())) == pytest.approx(1.0, abs=1e-6)


def test_live_frame_carries_echo_and_meters() -> None:
    tail = frames.LiveTail(1234567.875, 2.5, 0.25)
    row = np.arange(21.0).reshape(3, 7)
    back = decode(frames.encode_live(99, 0, row, 60.0, 1.65, tail))
    assert back.live == tail
    assert back.serial == 99
    np.testing.assert_array_equal(back.poses[0], row)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_damaged_frames_are_refused(noise: bytes, cut: int) -> None:
    whole = frames.encode(frames.PREVIEW, 1, 1, np.zeros((1, 4, 7), np.float32), 60.0, 0.0)
    for data in (noise, whole[: min(cut, len(whole) - 1)], whole + noise + b"x"):
        with pytest.raises(ValueError, match="frame"):
            decode(data)
