"""Resampling: the same motion at another frame rate."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip, Event, fix_signs, frame_rate
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.sample import need_frames, sample

MOST_POSES = 10_000_000  # joints times frames that are made of a shorter clip: some 300 MB
AT_ONCE = 500_000  # joints times frames that are sampled together


def resample(clip: Clip, fps: float) -> Clip:
    """The clip at another frame rate; frames that fall on frames are kept as they are."""
    fps = frame_rate(fps, "a frame rate")
    if fps == clip.fps:
        return clip
    return stretch(clip, clip.duration, fps)


def stretch(clip: Clip, duration_s: float, fps: float) -> Clip:
    """The clip played in duration_s at a frame rate, rounded to whole frames.

    First and last poses stay exactly where they were, so loops stay loops and the distance covered is kept; the time
    in between is scaled evenly, by at most half a frame over the whole clip more than was asked.
    """
    need_frames(clip, what="resampled")
    count = duration_s * fps
    most = max(MOST_POSES // len(clip.skeleton), 2 * clip.frames)
    if not count < most:
        raise ParameterError(f"{duration_s:g} s at {fps:g} fps is more than {most} frames; use a lower rate")
    intervals = round(count)
    if intervals == 0:
        return clip.with_pose(clip.pose.at(slice(0, 1)), fps=fps, events=_scaled(clip.events, 0.0), is_loop=False)
    x = np.arange(intervals + 1) * ((clip.frames - 1) / intervals)  # in frames of the clip
    pose = fix_signs(_sampled(clip, x / clip.fps))
    scale = intervals / fps / clip.duration if clip.duration else 0.0
    return clip.with_pose(pose, fps=fps, events=_scaled(clip.events, scale))


def _sampled(clip: Clip, t_s: np.ndarray) -> Pose:
    """Poses at many times, some at a time: what sampling all needs in between would take several times the result."""
    some = max(1, AT_ONCE // len(clip.skeleton))
    if len(t_s) <= some:
        return sample(clip, t_s)
    parts = [sample(clip, t_s[start : start + some]) for start in range(0, len(t_s), some)]
    pos = None if clip.pose.pos is None else np.concatenate([p.pos for p in parts if p.pos is not None])
    return Pose(np.concatenate([p.root_pos for p in parts]), np.concatenate([p.rot for p in parts]), pos)


def _scaled(events: tuple[Event, ...], scale: float) -> tuple[Event, ...]:
    return tuple(Event(e.name, e.start_s * scale, e.end_s * scale) for e in events)
