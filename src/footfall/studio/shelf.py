"""The shelf of characters: rigged files a person put there, animated or not, beside the bodies footfall brings along.

A character's key is what a project names it by: a built-in body's name, or the path of its file in the shelf's folder.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from footfall.core.clip import Source
from footfall.core.errors import ParameterError, UnknownName
from footfall.io.folder import content_hash
from footfall.io.load import load, readable
from footfall.io.plain_file import is_file
from footfall.io.save import save
from footfall.retarget.character import BODIES
from footfall.studio.describe import Answer, Described, DescribeRequest
from footfall.studio.describer import Describer
from footfall.studio.library import Library, free_path
from footfall.studio.messages import CharacterItem, SkeletonView
from footfall.studio.security import safe_name

ENDINGS = (".glb",)  # files that hold mesh, rig and textures in one
BUILT_IN = (*BODIES, "adult:1.2", "adult:1.95")
SHOWN = {"adult": "adult, 1.75 m", "adult:1.2": "child, 1.2 m", "adult:1.95": "tall adult, 1.95 m"}
MOST_LISTED = 200
FBX = ".fbx"  # becomes a GLB on the shelf: the page draws that, and exports carry it


class Shelf:
    """All characters. May be used on any thread."""

    def __init__(self, library: Library, changed: Callable[[None], None] = lambda _: None) -> None:
        self.folder = library.characters
        self._changed = changed
        self._naming = library.naming
        self._describer = Describer()
        self._items: dict[str, CharacterItem] = {}
        self._lock = threading.Lock()

    def items(self) -> tuple[CharacterItem, ...]:
        """The built-in ones, then those of the folder by name."""
        built_in = [CharacterItem(key, SHOWN.get(key, key), 0.0) for key in BUILT_IN]
        with self._lock:
            return (*built_in, *sorted(self._items.values(), key=lambda item: item.name.lower()))

    def keys(self) -> tuple[str, ...]:
        """Of those that can be used."""
        return tuple(item.key for item in self.items() if item.problem is None)

    def start(self) -> None:
        """Find what lies in the folder, in the background: what was not looked at before may take its time."""
        threading.Thread(target=self.look, name="shelf", daemon=True).start()

    def look(self) -> None:
        """Find what lies in the folder."""
        try:
            every = sorted(p for p in self.folder.iterdir() if p.suffix.lower() in ENDINGS and is_file(p))
        except OSError:
            return
        for path in [p for p in every if not p.name.startswith(".")][:MOST_LISTED]:
            if not path.resolve().is_relative_to(self.folder.resolve()):
                continue  # a link that leads out of it
            self._enter(path, self._answer(path))

    def upload_path(self, name: str) -> Path:
        """Where a character's file of this name goes."""
        path = safe_name(self.folder, name)
        if path.suffix.lower() in ENDINGS or (path.suffix.lower() == FBX and FBX in readable()):
            return path
        raise ParameterError(f"{name!r} is no rigged GLB; export the character from Blender as GLB, mesh and rig")

    def add_file(self, part: Path, target: Path) -> CharacterItem:
        """A file that was uploaded: kept under its name, or not at all; the same content again is the same one."""
        if target.suffix.lower() == FBX:
            with tempfile.TemporaryDirectory(prefix=".fbx-", dir=self.folder) as room:
                made = _as_glb(part, Path(room) / target.name)
                return self.add_file(made, target.with_suffix(".glb"))
        mark = content_hash(part)
        for item in self.items():
            if item.key not in BUILT_IN and is_file(Path(item.key)) and content_hash(Path(item.key)) == mark:
                return item
        with self._naming:
            kept = free_path(target.parent, target.name)
            os.replace(part, kept)
        answer = self._answer(kept)
        problem = _problem(answer)
        if problem is not None:
            kept.unlink(missing_ok=True)
            raise ParameterError(problem)
        return self._enter(kept, answer)

    def remove(self, key: str) -> None:
        """Take a character off the shelf, with its file."""
        self.file(key).unlink(missing_ok=True)
        with self._lock:
            self._items.pop(key, None)
        self._changed(None)

    def holds(self, key: str) -> bool:
        return key in self._items

    def file(self, key: str) -> Path:
        """The file of one that has one."""
        if key not in self._items:
            raise UnknownName("character", key[:100], [item.name for item in self.items()])
        return Path(key)

    def by_name(self, name: str) -> CharacterItem:
        """The one whose file is called so."""
        found = next((item for item in self._items.values() if Path(item.key).name == name), None)
        if found is None:
            raise UnknownName("character", name[:100], [item.name for item in self.items()])
        return found

    def described(self, key: str) -> Described:
        """Its body and how it stands."""
        answer = self._answer(self.file(key))
        if not answer.clips:
            raise ParameterError(answer.problem or "it is no character any more")
        return answer.clips[0]

    def skeleton(self, key: str) -> SkeletonView | None:
        return self.described(key).skeleton

    def stop(self) -> None:
        self._describer.stop()

    def _answer(self, path: Path) -> Answer:
        return self._describer.ask(DescribeRequest(file=str(path), body=True))

    def _enter(self, path: Path, answer: Answer) -> CharacterItem:
        problem = _problem(answer)
        body = answer.clips[0].skeleton if answer.clips else None
        item = CharacterItem(str(path), path.stem, body.height_m if body else 0.0, problem, removable=True)
        with self._lock:
            self._items[item.key] = item
        self._changed(None)
        return item


def _as_glb(part: Path, name: Path) -> Path:
    """The character of an FBX file as a GLB without its motions; name: what it is called, in a folder of ours."""
    os.replace(part, name)
    clip = load(name)
    if clip.skin is None:
        raise ParameterError(f"{name.name} has a skeleton and no mesh bound to it; export both in one file")
    still = clip.trim(0.0, 0.0) if clip.frames else clip
    still = replace(
        still, name="character", source=Source()
    )  # the same content is the same bytes, however it is called
    return save(still, name.with_suffix(".glb"), bare=True)


def _problem(answer: Answer) -> str | None:
    if answer.problem is not None:
        return answer.problem
    return None if answer.clips else "It holds no skeleton that footfall reads."
