"""Upsampling: more frames a second by cubic splines through the frames there are.

Straight lines between the frames of a take at 30 fps, played at 60, have twice the acceleration of the take at every
other frame and none between: limbs twitch. A cubic spline has a continuous acceleration, and the frames lie on it.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs, frame_rate
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.resample import resample

LEAST = 4  # frames that a cubic spline needs


def upsample(clip: Clip, fps: float) -> Clip:
    """The clip at a higher frame rate, its joints accelerating smoothly; frames that fall on frames are kept.

    Whole frames of the higher rate that the clip's length holds: its last ones may come a part of a frame sooner.
    """
    if frame_rate(fps, "a frame rate") < clip.fps:
        raise ParameterError(f"upsampling to {fps:g} fps needs a clip of fewer than its {clip.fps:g} fps")
    if fps == clip.fps or clip.frames < LEAST:
        return resample(clip, fps)
    at = np.arange(int(clip.duration * fps + 1e-6) + 1) * (clip.fps / fps)  # in frames of the clip
    pose = fix_signs(clip.pose)
    rot = rotation.normalize(_through(pose.rot, at))
    pos = None if pose.pos is None else _through(pose.pos, at)
    return clip.with_pose(fix_signs(Pose(_through(pose.root_pos, at), rot, pos)), fps=fps)


def _through(values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Values (T, ...) at frame numbers (K,), on the cubic spline through them; those of whole frames as they are."""
    from scipy.interpolate import CubicSpline

    out = np.asarray(CubicSpline(np.arange(len(values)), values)(at))
    whole = np.abs(at - np.round(at)) < 1e-9
    out[whole] = values[np.round(at[whole]).astype(int)]
    return out
