"""Preparing: a clip of the timeline, read and put on the track's body once, with its own edits applied.

The edits are the travel that it lacks, and whatever the timeline says: trimmed, repeated, mirrored, sped up."""

from __future__ import annotations

import os
from weakref import ref

import numpy as np

from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import ParameterError
from footfall.core.skeleton import Skeleton
from footfall.edit.floor import floor
from footfall.edit.loop import first_joint_under_body
from footfall.edit.sample import need_frames
from footfall.edit.travel import with_travel
from footfall.motions.library import open_clip
from footfall.retarget.one_body import same_body
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.model import Layer, TimelineClip, TimelineTrack
from footfall.timeline.recent import Recent

Key = tuple[object, ...]
KEPT = 32  # prepared clips, a MB each: every step of a drag that trims makes one
KEPT_PER_CLIP = 4  # of a long timeline, with what fills its gaps
READ = 8  # clips that are held as they were read, beside as many as a timeline has: steps that fill gaps, undone clips


class Workshop:
    """Reads and prepares clips and remembers them: a drag must not read a file again."""

    def __init__(self, clean: bool = True) -> None:
        self._clean = clean
        self._read: Recent[Key, Clip] = Recent(READ)
        self._made: Recent[Key, Clip] = Recent(KEPT)
        self._bodies: dict[str, Skeleton] = {}

    def make_room(self, clips: int) -> None:
        """For a timeline of so many clips: none of them is prepared twice."""
        self._made.most = max(self._made.most, KEPT_PER_CLIP * clips)
        self._read.most = max(self._read.most, READ + clips)

    def clip(self, what: str | Clip, animation: str | None = None) -> Clip:
        """A clip from memory as it is, a file, or a built-in motion."""
        if isinstance(what, Clip):
            return what
        key = (what, animation, _changed(what))
        return self._read.get(key, lambda: open_clip(what, animation, clean=self._clean))

    def body(self, track: TimelineTrack) -> tuple[Skeleton, Clip | None]:
        """The track's skeleton, and the clip that shows how it is held: the character's, or the first clip's own."""
        if track.character is None:
            first = self.clip(track.clips[0].clip, track.clips[0].animation)
            return first.skeleton, first
        if track.character not in self._bodies:
            from footfall.retarget.character import character

            self._bodies[track.character] = character(track.character).skeleton
        return self._bodies[track.character], None

    def pieces(self, track: TimelineTrack, fps: float) -> list[ArrangedClip]:
        """Every entry of a track as a piece at second 0; a file is looked at once."""
        body = self.body(track)[0]
        read: dict[tuple[object, ...], Clip] = {}
        found = []
        for entry in track.clips:
            what = (entry.clip if isinstance(entry.clip, str) else id(entry.clip), entry.animation)
            if what not in read:
                read[what] = self.clip(entry.clip, entry.animation)
            found.append(self._piece(entry, read[what], body, track, fps))
        return found

    def _piece(
        self, entry: TimelineClip, source: Clip, body: Skeleton, track: TimelineTrack, fps: float
    ) -> ArrangedClip:
        key = (ref(source), track.character, ref(body), entry.trim_s, entry.speed, entry.mirror, entry.repeat, fps)
        clip = self._made.get(key, lambda: self._prepared(source, entry, track, fps))
        start = entry.trim_s[0] if entry.trim_s else 0.0
        return ArrangedClip(clip, 0.0, source.name, start, entry.speed, entry.method)

    def piece(self, entry: TimelineClip, track: TimelineTrack, fps: float) -> ArrangedClip:
        """One entry, on the track's body, as a piece at second 0."""
        return self._piece(entry, self.clip(entry.clip, entry.animation), self.body(track)[0], track, fps)

    def layer(self, layer: Layer, track: TimelineTrack, fps: float) -> Clip:
        """A layer's clip on the track's body."""
        return self.piece(TimelineClip(layer.clip, 0.0), track, fps).clip

    def _prepared(self, source: Clip, entry: TimelineClip, track: TimelineTrack, fps: float) -> Clip:
        clip = _repeated(with_travel(source), entry.repeat)
        if entry.trim_s is not None:
            end = min(entry.trim_s[1], clip.duration)
            if entry.trim_s[0] >= clip.duration:
                raise ParameterError(
                    f"{source.name}: trim_s starts at {entry.trim_s[0]:g} s, but the clip lasts {clip.duration:.2f} s"
                )
            clip = clip.trim(entry.trim_s[0], end)
        need_frames(clip, 2, "put on a timeline")
        if entry.mirror:
            clip = clip.mirror()
        clip = first_joint_under_body(floor(self._on_body(clip, track))).resample(fps)
        clip = clip.speed(entry.speed) if entry.speed != 1.0 else clip
        return clip.with_pose(clip.pose, is_loop=False)

    def _on_body(self, clip: Clip, track: TimelineTrack) -> Clip:
        skeleton, shown = self.body(track)
        if same_body(clip.skeleton, skeleton):
            return clip
        from footfall.retarget.retarget import retarget

        return retarget(clip, track.character if track.character is not None else shown or skeleton)


def _changed(what: str) -> float:
    """When a file was last written: a file that changed is read again."""
    try:
        return os.stat(what).st_mtime
    except (OSError, ValueError):  # a built-in motion, or nothing that could be a file
        return 0.0


def _repeated(clip: Clip, rounds: int) -> Clip:
    """A loop played several times; other clips only once."""
    if rounds == 1:
        return clip
    if not clip.is_loop:
        raise ParameterError(f"{clip.name or 'this clip'} is no loop and cannot be repeated; make it one: edit --loop")
    last = (clip.frames - 1) * rounds
    pose = fix_signs(clip.sample(np.arange(last + 1) / clip.fps))
    return clip.with_pose(pose, is_loop=False, events=())
