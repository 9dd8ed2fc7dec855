"""What a made motion shows: which clip at which of its times, frame by frame; where one gives way to the next.

A seam is the first frame that is no longer the earlier clip's own pose, told by the distances between its joints, so
that it does not matter where on the floor the clip was put.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.core.once import once

if TYPE_CHECKING:
    from footfall.core.clip import Clip

SAME_POSE_M = 0.01  # distances between joints that differ by less are the same pose (docs/believable.md)
KEY_ROLES = ("pelvis", "head", "left_wrist", "right_wrist", "left_elbow", "right_elbow", "left_knee", "right_knee",
             "left_ankle", "right_ankle")  # fmt: skip
ALONE = 1e-6  # less than all of the weight
BEFORE_S = 0.1  # a seam is looked at from this long before it
AFTER_S = 2.5  # until this long after it,
AROUND_S = 0.5  # and what is near it is filtered and differentiated with so much around it
SETTLED_S = 0.6  # or this long after the first frame that is the later clip's own pose again, whichever is later


class ShownClip(NamedTuple):
    """One clip of a made motion."""

    clip: Clip  # on the body of the result
    time_s: np.ndarray  # (T,) which of its times each frame of the result shows; NaN where it shows none
    weight: np.ndarray  # (T,) its share of each frame
    asked: bool = False  # its beginning or end was cut by hand: what is lost of it is told, not judged
    filler: bool = False  # put in between to wait or to lead over: nothing of it needs to be kept

    @property
    def leads(self) -> np.ndarray:
        """(T,) frames that show it with more than half the weight."""
        return (self.weight > 0.5) & np.isfinite(self.time_s)


class Seam(NamedTuple):
    """Where one clip gives way to the next, in frames of the result."""

    before: int  # index of the earlier clip
    after: int  # index of the later clip
    first: int  # the first frame that is no longer the earlier clip's pose
    settled: int  # the first frame from which on it is the later clip's pose
    start: int  # of the window that is judged
    end: int  # past its last frame


@once
def joint_distances(clip: Clip) -> np.ndarray:
    """(T, P) distances between pairs of the joints a pose is told by, in metres."""
    roles = clip.skeleton.roles
    joints = [j for j in (getattr(roles, name) for name in KEY_ROLES) if j is not None]
    places = clip.positions[:, joints]
    a, b = np.triu_indices(len(joints), 1)
    found: np.ndarray = np.linalg.norm(places[:, a] - places[:, b], axis=-1)
    return found


def own_pose(out: Clip, shown: ShownClip) -> np.ndarray:
    """(T,) frames of the result that are the clip's own pose."""
    ours, theirs = joint_distances(out), joint_distances(shown.clip)
    same = np.zeros(out.frames, bool)
    here = np.flatnonzero(np.isfinite(shown.time_s))
    x = np.clip(shown.time_s[here] * shown.clip.fps, 0.0, len(theirs) - 1.0)
    i = np.minimum(x.astype(int), max(len(theirs) - 2, 0))
    j = np.minimum(i + 1, len(theirs) - 1)
    expected = theirs[i] + (x - i)[:, None] * (theirs[j] - theirs[i])
    same[here] = np.abs(ours[here] - expected).max(axis=1, initial=0.0) <= SAME_POSE_M
    return same


def find_seams(out: Clip, shown: Sequence[ShownClip]) -> list[Seam]:
    """The seams between clips that follow each other, in order of the result's time."""
    follow = [k for k in sorted(range(len(shown)), key=lambda k: _middle(shown[k])) if shown[k].leads.any()]
    firsts, settles = [], []
    for a, b in itertools.pairwise(follow):
        handover = _handover(shown[a], shown[b])
        mine, theirs = own_pose(out, shown[a]), own_pose(out, shown[b])
        before = np.flatnonzero(mine[: handover + 1])
        firsts.append(int(before[-1]) + 1 if len(before) else _gives_way(shown[a], handover))
        other = np.flatnonzero(~theirs[handover:])
        leads = np.flatnonzero(shown[b].leads)
        run = theirs[handover : leads[-1] + 1]
        settled = handover + (int(np.argmax(run)) if run.any() else len(run))
        settles.append(max(settled, firsts[-1]) if len(other) else max(handover, firsts[-1]))
    found = []
    for k, (a, b) in enumerate(itertools.pairwise(follow)):
        until = firsts[k + 1] if k + 1 < len(firsts) else out.frames
        start = max(firsts[k] - round(BEFORE_S * out.fps), 0)
        end = max(firsts[k] + round(AFTER_S * out.fps), settles[k] + round(SETTLED_S * out.fps)) + 1
        found.append(Seam(a, b, firsts[k], settles[k], start, max(min(end, until), min(firsts[k] + 2, out.frames))))
    return found


class SeamPart(NamedTuple):
    """The frames of a result that show the two clips of a seam, as if they were all of it."""

    out: Clip
    clips: tuple[ShownClip, ShownClip]
    seam: Seam
    own: slice  # of its frames that show no other clip


def part_of(out: Clip, shown: Sequence[ShownClip], seams: Sequence[Seam], n: int) -> SeamPart:
    """What is around one of the seams, from where the seam before is over until the next begins: what other clips do
    elsewhere, and how high their floors are, says nothing about it."""
    seam, around = seams[n], round(AROUND_S * out.fps)
    leads = int(np.flatnonzero(shown[seam.before].leads)[0])
    first = (seams[n - 1].settled if seams[n - 1].settled <= seam.start - around else leads) if n else 0
    last = max(seams[n + 1].first, seam.end) + around if n + 1 < len(seams) else out.frames
    first, last = max(min(first, seam.start), 0), min(last, out.frames)
    own = slice(0, (max(seams[n + 1].first, seam.end) if n + 1 < len(seams) else out.frames) - first)
    if (first, last) == (0, out.frames):
        return SeamPart(out, (shown[seam.before], shown[seam.after]), seam, own)
    inside = slice(first, last)
    a, b = (
        one._replace(time_s=one.time_s[inside], weight=one.weight[inside])
        for one in (shown[seam.before], shown[seam.after])
    )
    moved = [x - first for x in seam[2:]]
    return SeamPart(
        out.with_pose(out.pose.at(inside), events=(), is_loop=False), (a, b), Seam(seam.before, seam.after, *moved), own
    )


def _middle(shown: ShownClip) -> float:
    leads = np.flatnonzero(shown.leads)
    return float(leads.mean()) if len(leads) else np.inf


def _gives_way(shown: ShownClip, handover: int) -> int:
    """The first frame that is not a clip's alone any more, of one that is never its own pose: the seam into it may hold
    a foot beside its place to the clip's end."""
    alone = np.flatnonzero((shown.weight[: handover + 1] >= 1.0 - ALONE) & np.isfinite(shown.time_s[: handover + 1]))
    return int(alone[-1]) + 1 if len(alone) else int(np.flatnonzero(shown.leads)[0])


def _handover(a: ShownClip, b: ShownClip) -> int:
    """The frame at which the later clip takes the lead."""
    mine, theirs = np.flatnonzero(a.leads), np.flatnonzero(b.leads)
    later = theirs[theirs > mine.mean()]
    return int(later[0]) if len(later) else int(theirs[0])
