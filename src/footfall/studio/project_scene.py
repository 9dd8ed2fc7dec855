"""The scene of a project: the ground under its take, where its characters are on it, and walks drawn for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.feet.ground_path import start_and_way
from footfall.graph.graph import Graph
from footfall.kinematics.ground import Ground
from footfall.kinematics.root import floor_root
from footfall.retarget.character import character
from footfall.studio import messages as m
from footfall.studio.edits import Root, finite, sentence
from footfall.studio.ground_shape import ground_shape
from footfall.studio.grounding import Grounded, Grounding, raised
from footfall.studio.grounds import Grounds
from footfall.studio.path_walk import walk_along
from footfall.studio.synthesis import TakeDone
from footfall.timeline.recent import Recent

KEPT_GROUNDS = 4  # that undoing may come back to
AROUND_M = 6.0  # metres of ground beyond where anybody goes
ROUND_M = 4.0  # metres: the ground is drawn anew when the take has grown by as much


class ProjectScene:
    """Ground, places and walks of the open project. On the loop, but for `open` and `walk`."""

    def __init__(
        self, grounds: Grounds, broadcast: Callable[[m.ToPage], None], put: Callable[[Grounded], None]
    ) -> None:
        self._grounds, self._broadcast = grounds, broadcast
        self._grounding = Grounding(put)
        self._open: Recent[str, Ground | None] = Recent(KEPT_GROUNDS)
        self._level: dict[int, Clip] = {}  # the take on the level floor, by track
        self._starts_s: dict[int, float] = {}
        self._drawn: tuple[object, ...] = ()
        self.ground: Ground | None = None
        self.message = m.TakeGround(None)

    def stop(self) -> None:
        self._grounding.stop()

    def open(self, name: str) -> Ground | None:
        """A ground by name or file; a FootfallError where there is none."""
        return self._open.get(name, lambda: self._grounds.open(name))

    def taken(self, done: TakeDone, name: str) -> TakeDone:
        """A take as it is shown first, its bodies raised to the ground; they are put on it soon."""
        self._level = dict(done.clips)
        self._starts_s = {view.id: view.start_s for view in done.message.tracks}
        try:
            self.ground = self.open(name)
        except FootfallError as error:
            self.ground = None
            self._broadcast(m.Problem("stage", f"the project's ground cannot be had: {sentence(error)}"))
        self._draw(name)
        if self.ground is None or not done.clips:
            return done
        self._grounding.put(done.revision, self._level, self._starts_s, self.ground)
        return replace(done, frames={track: self.shown(data) for track, data in done.frames.items()}, grounded=False)

    def shown(self, data: bytes) -> bytes:
        """Poses as they are shown before their feet are put on the ground."""
        return data if self.ground is None else raised(data, self.ground)

    def _draw(self, name: str) -> None:
        """Tell the pages of the ground around the take, where that is not what they have."""
        places = [clip.pose.root_pos[:, [0, 2]] for clip in self._level.values()] if self.ground is not None else []
        if not places:
            key: tuple[object, ...] = ()
        else:
            low, high = np.min([p.min(axis=0) for p in places], axis=0), np.max([p.max(axis=0) for p in places], axis=0)
            x, z = (ROUND_M * np.round(0.5 * (low + high) / ROUND_M)).tolist()
            reach = ROUND_M * math.ceil((0.5 * float((high - low).max()) + AROUND_M + ROUND_M) / ROUND_M)
            key = name, x, z, reach
        if key == self._drawn:
            return
        self._drawn = key
        shape = None if self.ground is None or not key else ground_shape(self.ground, x, z, reach).view()
        self.message = m.TakeGround(shape)
        self._broadcast(self.message)

    # --- where characters are -----------------------------------------------------------------------------------------
    def root_at(self, track: int, at_s: float) -> Root | None:
        """Where a character is at a second of the timeline."""
        clip = self._level.get(track)
        if clip is None:
            return None
        frame = min(max(round((at_s - self._starts_s.get(track, 0.0)) * clip.fps), 0), clip.frames - 1)
        position, heading = floor_root(clip.skeleton, clip.pose.at(frame))
        return _root(position, float(heading))

    def begins(self, track: int) -> Root | None:
        """Where a character begins, and the way it goes."""
        clip = self._level.get(track)
        return None if clip is None else _root(*start_and_way(clip))

    def walk(self, graph: Graph, asked: m.DrawWalk, track: m.DocumentTrack | None) -> Clip:
        """The walk that was drawn, as a clip; on a track that has clips it goes on from where they end."""
        if not graph.types:
            raise ParameterError("the graph has no motion to walk by")
        clip = None if track is None else self._level.get(track.id)
        legs = clip.skeleton.leg_length if clip is not None else _legs(track)
        scale = 1.0 if legs is None else graph.skeleton.leg_length / legs  # another body takes its own steps along it
        start = None
        if clip is not None:
            position, heading = floor_root(clip.skeleton, clip.pose.at(-1))
            start = _root(position, float(heading))
            start = start[0] * scale, start[1] * scale, start[2]
        points = [(scale * finite("x", x), scale * finite("z", z)) for x, z in asked.points]
        return walk_along(graph, points, asked.motion, scale * finite("speed", asked.speed), start)


def _legs(track: m.DocumentTrack | None) -> float | None:
    return character(track.character).leg_length if track is not None and track.character else None


def _root(position: np.ndarray, heading: float) -> Root:
    return round(float(position[0]), 4), round(float(position[2]), 4), round(math.degrees(heading), 3)
