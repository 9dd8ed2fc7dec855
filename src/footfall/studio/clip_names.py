"""Names of clips: what a project calls a clip, the library's key of it, and which files a project may read at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall.core.errors import FootfallError, ParameterError
from footfall.retarget.character import BODIES
from footfall.studio.edits import within_limits
from footfall.studio.library import Library
from footfall.studio.project import OpenProject
from footfall.timeline.model import Layer, Timeline

MISSING = "missing:"  # before the name of a clip that a project names and the library does not have


class ClipNames:
    """The names of one library's clips; may be asked on any thread."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def key_of(self, entry: str, animation: str | None) -> str:
        """The library's key of what a project names; what it does not have keeps its name and says so on its track."""
        try:
            return self.library.key_of(entry, animation)
        except FootfallError:
            return MISSING + entry

    def entry(self, key: str) -> str:
        """Where the synthesis reads a clip from."""
        if key.startswith(MISSING):
            name = Path(key.removeprefix(MISSING)).name
            raise ParameterError(f"{name} is not in the studio's folder; put it there, or take the clip off the track")
        path = self.library.path(key)
        return self.library.entry(key) if path is None else str(path)

    def written(self, key: str) -> str:
        """What a project file calls a clip."""
        return key.removeprefix(MISSING) if key.startswith(MISSING) else self.entry(key)

    def checked(self, timeline: Timeline) -> Timeline:
        """A timeline that reads no file a stranger's project should not: layers and bodies come from the folder too."""
        for track in timeline.tracks:
            self._check_reads(track.layers, track.character)
        return timeline

    def checked_all(self, project: OpenProject) -> OpenProject:
        """The same for work that was left behind, with all that undoing would show: the folder may be a stranger's."""
        for track in {track for document in project.documents() for track in within_limits(document).tracks}:
            self._check_reads((), track.character)
        for layers in project.kept.layers.values():
            self._check_reads(layers, None)
        return project

    def _check_reads(self, layers: Sequence[Layer], character: str | None) -> None:
        for layer in layers:
            self.library.key_of(str(layer.clip))
        shelf = self.library.characters
        if character and character.partition(":")[0] not in BODIES:
            if Path(character).is_absolute() and Path(character).resolve().is_relative_to(shelf.resolve()):
                return
            self.library.key_of(character)
