"""Gait cycles at a clip's end: the stride a body was in when its recording stopped, closed to a loop.

A body goes on as it went: the last stride that meets itself again is looped, or the last step and its mirror image.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.once import once_for_some
from footfall.edit.loop import loop
from footfall.edit.mirror import mirror
from footfall.edit.mirrored_loop import mirrored_loop, onto
from footfall.feet.foot_paths import foot_paths
from footfall.joins.candidates import features, mirrored_features

# All by eye, on captured walks and runs, unless said otherwise.
END_S = 0.35  # seconds of the clip's end in which its last stride may end
STRIDE_S = (0.5, 1.5)  # seconds that a stride lasts; a step lasts half of that
LOST, MIRRORED = 0.03, 0.02  # metres of difference that a second lost, or the use of a mirror image, counts as
APART_M = 0.3  # metres, root mean square over joints: a stride whose ends differ by more is none; straight gaits close
# at 0.01 to 0.06, turns and sprints at 0.1 to 0.25
SLOWEST_M_S = 0.5  # m/s: a slower body has no gait to go on in
OWN_SHARE = (0.6, 1.6)  # speed of the stride over that of the clip's end
LEAST_FPS = 10.0  # frames a second that a stride is told from
EVERY_S = 1.0 / 60.0  # seconds between the ends that are tried


class GaitCycle(NamedTuple):
    """A loop that goes on from a clip at a time."""

    loop: Clip  # its first frame lies on the clip's at end_s
    end_s: float
    speed_m_s: float  # of the body along its path
    apart_m: float  # how well the stride closes


@once_for_some(4)
def end_cycle(clip: Clip, before_s: float = 0.0) -> GaitCycle | None:
    """The stride that a clip ends in, or that it is in some seconds before; None where it has none, or the body hardly
    moves."""
    if clip.is_loop or clip.fps < LEAST_FPS or clip.frames < round(0.5 * STRIDE_S[0] * clip.fps) + 4:
        return None
    found = _nearest(clip, round(before_s * clip.fps))
    if found is None:
        return None
    apart, start, end, mirrored = found
    if apart > APART_M:
        return None
    stride = clip.with_pose(clip.pose.at(slice(start, end + 1)), events=())
    closed = onto(mirrored_loop(mirror(stride)) if mirrored else loop(stride), clip, end)
    travel = float(np.linalg.norm(closed.root_motion.position[-1] - closed.root_motion.position[0]))
    path = np.diff(closed.root_motion.position, axis=0)
    speed = max(travel, 0.9 * float(np.linalg.norm(path, axis=-1).sum())) / closed.duration
    own = float(np.linalg.norm(_end_velocity(clip, end)))
    if own < SLOWEST_M_S or not OWN_SHARE[0] <= speed / own <= OWN_SHARE[1]:
        return None
    return GaitCycle(closed, end / clip.fps, speed, apart)


def _end_velocity(clip: Clip, frame: int) -> np.ndarray:
    """(3,) of the floor root over the 0.3 s before a frame."""
    first = max(0, frame - round(0.3 * clip.fps))
    position = clip.root_motion.position
    return np.asarray((position[frame] - position[first]) * clip.fps / max(frame - first, 1))


def _nearest(clip: Clip, before: int) -> tuple[float, int, int, bool] | None:
    """(difference, first frame, last frame, mirrored) of the stride or step that closes best, so many frames before the
    clip's end."""
    fps, last = clip.fps, clip.frames - 1 - before
    paths = foot_paths(clip, fps)
    own, other, lead = features(paths), mirrored_features(paths), paths.lead
    every = max(1, round(EVERY_S * fps))
    best: tuple[float, float, int, int, bool] | None = None
    for mirrored, rows, share in ((False, own, 1.0), (True, other, 0.5)):
        short, long = (round(share * s * fps) for s in STRIDE_S)
        for end in range(last, max(last - round(END_S * fps), short), -every):
            starts = np.arange(max(end - long, 0), end - short + 1)
            if not len(starts):
                continue
            apart = np.linalg.norm(rows[lead + starts] - own[lead + end], axis=1)
            k = int(apart.argmin())
            cost = float(apart[k]) + LOST * (last - end) / fps + MIRRORED * mirrored
            if best is None or cost < best[0]:
                best = cost, float(apart[k]), int(starts[k]), end, mirrored
    return None if best is None else best[1:]
