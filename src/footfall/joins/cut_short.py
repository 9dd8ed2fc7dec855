"""Cut short: a clip left at a given moment is continued from there as if its recording had stopped then.

What was recorded afterwards still helps: where less than a stride lies before the moment, the stride around it is found
in the whole clip and played backwards in time before the clip's start, so that there is one to go on in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.easing import ease
from footfall.core.once import once_for_some
from footfall.core.pose import Pose
from footfall.joins.bridge import LedClip
from footfall.joins.gait_cycle import END_S, STRIDE_S, GaitCycle, end_cycle
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root

MEET_S = 0.3  # seconds before the clip's start over which what is put before it is bent to meet it. By eye
BETTER_M = 0.03  # metres by which a stride of the whole clip must close better than that of its beginning. By eye


class ShortClip(NamedTuple):
    """A clip up to a moment, with what was put before its start."""

    clip: Clip
    before_s: float


@once_for_some(16)
def cut_short(source: Clip, at_s: float) -> ShortClip:
    """The clip as if it had ended then, preceded by its own gait where it would be too short to know it.

    Strides end up to END_S before that: it is cut no sooner, so that they do not end before the clip begins.
    """
    at_s = min(max(at_s, END_S), source.duration) if not source.is_loop else at_s
    count = int(np.floor(at_s * source.fps + 1e-6)) + 1
    frames = np.arange(count)
    if source.is_loop:
        more = round(STRIDE_S[1] * source.fps)
        return ShortClip(_clip(source, source.sample(np.arange(-more, count) / source.fps)), more / source.fps)
    short = _clip(source, source.pose.at(frames))
    found, own = _stride_around(source, at_s), end_cycle(short)
    if found is None or at_s >= STRIDE_S[1] or (own is not None and own.apart_m <= found.apart_m + BETTER_M):
        return ShortClip(short, 0.0)
    more = round(STRIDE_S[1] * source.fps)
    gone = _meeting(source, found.loop.sample(np.arange(-more, 1) / source.fps - found.end_s))
    return ShortClip(_clip(source, _one_after(gone, short.pose)), more / source.fps)


def _meeting(source: Clip, gone: Pose) -> Pose:
    """Frames that lead up to the clip's first: moved so that they end on it, what is left dying away before it.

    gone: one frame more than is returned, the last at the clip's first.
    """
    first, last = source.pose.at(0), gone.at(-1)
    gone = between_roots(*floor_root(source.skeleton, last), *floor_root(source.skeleton, first)).pose(gone)
    last, count = gone.at(-1), len(gone.root_pos) - 1
    share = ease(1.0 - np.arange(count, 0, -1) / source.fps / MEET_S)  # of the difference: all of it at the end
    turn = rotation.log(rotation.multiply(rotation.conjugate(last.rot), first.rot))
    rot = rotation.multiply(gone.rot[:-1], rotation.exp(share[:, None, None] * turn))
    root_pos = gone.root_pos[:-1] + share[:, None] * (first.root_pos - last.root_pos)
    return Pose(root_pos, rotation.normalize(rot), None if gone.pos is None else gone.pos[:-1])


def _stride_around(source: Clip, at_s: float) -> GaitCycle | None:
    """The stride that closes best of those that a moment is in, or that begin soon after it."""
    strides = []
    for later_s in np.arange(at_s + END_S, min(source.duration, at_s + STRIDE_S[1]) + END_S, END_S):
        last = min(round(later_s * source.fps), source.frames - 1)
        strides.append(end_cycle(_clip(source, source.pose.at(np.arange(last + 1)))))
    found = [s for s in strides if s is not None and s.end_s - s.loop.duration <= at_s]
    return min(found, key=lambda s: s.apart_m, default=None)


def led_on_from(led: LedClip, source: Clip, before_s: float) -> LedClip | None:
    """What was led on from a clip that was cut short, without what was put before it; None where nothing is left."""
    assert led.window_s is not None
    end_s = led.shown_s[1] - before_s
    if end_s <= 0.0:
        return None
    first = round(before_s * source.fps)
    clip = led.clip.with_pose(led.clip.pose.at(slice(first, None)))
    window_s = max(led.window_s[0] - before_s, 0.0), max(led.window_s[1] - before_s, 0.0)
    return led._replace(clip=clip, own=source, shown_s=(0.0, end_s), window_s=window_s)


def _clip(source: Clip, pose: Pose) -> Clip:
    return source.with_pose(fix_signs(pose), is_loop=False, events=())


def _one_after(first: Pose, second: Pose) -> Pose:
    root_pos, rot = (np.concatenate([getattr(p, key) for p in (first, second)]) for key in ("root_pos", "rot"))
    pos = None if first.pos is None or second.pos is None else np.concatenate([first.pos, second.pos])
    return Pose(root_pos, rot, pos)
