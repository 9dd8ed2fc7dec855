"""Grounds to choose from: the level floor, some by name, and the files of the studio's folder that hold one."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from pathlib import Path

from footfall.core.errors import ParameterError, UnknownName
from footfall.io.open_ground import ARRAYS, MESHES, PICTURES, ground
from footfall.io.plain_file import is_file
from footfall.kinematics.ground import Ground
from footfall.studio.message_parts import GroundItem
from footfall.studio.security import safe_join

BY_NAME = (
    GroundItem("", "level floor"),
    GroundItem("stairs:15x35", "stairs up, 15 × 35 cm"),
    GroundItem("stairs:-15x35", "stairs down, 15 × 35 cm"),
    GroundItem("slope:12", "slope up, 12 %"),
    GroundItem("slope:-12", "slope down, 12 %"),
    GroundItem("waves:10x200", "waves, 10 × 200 cm"),
    GroundItem("rough:7", "rough plates, up to 7 cm"),
)
FILES = (*MESHES, *ARRAYS, *PICTURES)  # a name that ends so is a file
ENDINGS = (".obj", ".glb", *ARRAYS, *PICTURES)
MOST_FILES = 100
MOST_LETTERS = 300  # of a ground's name
MOST_BYTES = 50_000_000  # of a file: a larger one is no ground to look at on a page
MOST_MEMBERS = 4 << 20  # bytes in which a GLB says what it holds


class Grounds:
    """The grounds of one studio; may be asked on any thread."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def items(self) -> tuple[GroundItem, ...]:
        """Those by name, then the folder's files."""
        files = itertools.islice(self._files(), MOST_FILES)
        return (*BY_NAME, *(GroundItem(str(path), name) for path, name in files))

    def open(self, name: str) -> Ground | None:
        """A ground by its name or file; None: the level floor. Nothing outside the folder is read."""
        if not name:
            return None
        if len(name) > MOST_LETTERS:
            raise ParameterError(f"a ground's name has at most {MOST_LETTERS} letters, this one {len(name)}")
        if Path(name).suffix.lower() not in FILES:
            found = ground(name)
            return None if found.is_level and not float(found.packed.numbers[4]) else found
        if self._folder is None:
            raise UnknownName("ground", name[:100], [item.key for item in BY_NAME if item.key])
        inside = Path(name).is_absolute() and Path(name).is_relative_to(self._folder)
        path = safe_join(self._folder, Path(name).relative_to(self._folder).as_posix() if inside else name)
        if is_file(path) and path.stat().st_size > MOST_BYTES:
            raise ParameterError(f"{path.name} has more than {MOST_BYTES >> 20} MB; make the ground simpler first")
        return ground(path)

    def _files(self) -> Iterator[tuple[Path, str]]:
        if self._folder is None:
            return
        for path in sorted(self._folder.rglob("*")):
            name = path.relative_to(self._folder)
            if path.suffix.lower() not in ENDINGS or any(part.startswith(".") for part in name.parts):
                continue
            if is_file(path) and path.resolve().is_relative_to(self._folder.resolve()) and _may_be_ground(path):
                yield path, name.as_posix()


def _may_be_ground(path: Path) -> bool:
    """Whether a file can be one: a GLB with meshes that is neither a character nor a motion."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return False
        if path.suffix.lower() != ".glb":
            return True
        with path.open("rb") as file:
            head = file.read(20)
            told = file.read(min(struct.unpack("<I", head[12:16])[0], MOST_MEMBERS)) if len(head) == 20 else b""
    except OSError:
        return False
    return b'"meshes"' in told and b'"skins"' not in told and b'"animations"' not in told
