"""ff.find: the moments of a folder's recordings that are most like one moment of a clip (align/index.py)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from footfall.align.features import points_of
from footfall.align.index import BadFile, Each, Moment, MomentIndex, build_index, nearest, query_row
from footfall.align.index_file import index_path, load_index, save_index
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ReadError, WriteError, WrongType
from footfall.io.load import reading_options
from footfall.io.plain_file import is_file, is_there
from footfall.motions.library import ClipLike, open_clip
from footfall.retarget.character import Body, Character
from footfall.retarget.character import character as character_of

COUNT = 8  # moments that are told unless more are asked for


def find(
    clip: ClipLike,
    at_s: float,
    folder: str | Path,
    count: int = COUNT,
    mirror: bool = False,
    character: Body = "adult",
    index: str | Path | None = None,
    **options: Any,
) -> list[Moment]:
    """The moments of a folder's recordings most like one moment of a clip: the same pose, moving the same way.

    >>> import footfall as ff, tempfile
    >>> takes = tempfile.mkdtemp()
    >>> _ = ff.save(ff.motion("kick"), f"{takes}/kick.bvh")
    >>> best = ff.find("kick", 0.5, takes, count=1)[0]
    >>> print(f"{best.file} at {best.t_s:.1f} s")
    kick.bvh at 0.5 s

    clip: a clip, a file or a built-in motion; a file of the folder is not its own answer. mirror: also moments whose
    mirror image is like it. character: the body that all are compared on. index: the file the folder's index is kept
    in (default: in footfall's cache). options: how files are read, as for `load`. Files that cannot be used are left
    out with a warning.
    """
    if not isinstance(folder, str | Path):
        raise WrongType("a folder of recordings", folder)
    if not isinstance(at_s, int | float):
        raise WrongType("a time in seconds", at_s)
    folder, body, opened = Path(folder), character_of(character), open_clip(clip, **options)
    rows = query_rows(opened, at_s, body, mirror)
    kept_in = None if index is None else Path(index)
    found, _ = folder_index(folder, body, kept_in, options, told=lambda text: warnings.warn(text, stacklevel=4))
    own = None if isinstance(clip, Clip) else in_folder(Path(clip), opened, folder, at_s)
    return nearest(found, rows, count, leave_out=own)


def query_rows(clip: Clip, at_s: float, body: Character, mirror: bool = False) -> list[tuple[Any, bool]]:
    """The rows of a moment to look for on a body, each with whether it is mirrored."""
    points = points_of(body.skeleton)
    searched = [(clip, False), (clip.mirror(), True)] if mirror else [(clip, False)]
    return [(query_row(each, at_s, body, points), mirrored) for each, mirrored in searched]


def folder_index(
    folder: Path,
    body: Character,
    path: Path | None = None,
    options: dict[str, Any] | None = None,
    each: Each = iter,
    told: Callable[[str], None] = lambda text: None,
) -> tuple[MomentIndex, list[BadFile]]:
    """The index of a folder, brought up to date and kept, and the files that could not be used.

    path: where it is kept (default: in the cache, where a failure to write is no error). each: goes through the files
    that are read, as a progress bar does. told: gets a sentence for every file that could not be used, and where an
    index on disk had to be built again.
    """
    read_as = vars(reading_options(options or {}))
    where = path or index_path(folder)
    old = None
    if is_there(where):
        try:
            old = load_index(where)
        except FootfallError as error:
            if path is not None and path.suffix.lower() != ".npz":
                raise  # not ours: never write over a person's file
            told(f"{error}; built again")
    index, bad, read = build_index(folder, body, old, read_as, each)
    for file in bad:
        told(f"{file.file}: {file.why.removeprefix(f'{Path(file.file).name}:').strip()}")
    if index.files and (read or old is None or len(old.files) != len(index.files)):
        try:
            save_index(index, where)
        except WriteError:
            if path is not None:
                raise
    if not index.files:
        raise ReadError(folder, "", "a motion that can be used", f"none among {len(bad)} files")
    return index, bad


def in_folder(source: Path, clip: Clip, folder: Path, at_s: float) -> tuple[str, str, float] | None:
    """File, clip and time of a moment, where the folder holds it."""
    if not is_file(source):
        return None
    try:
        name = source.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return None
    return name, clip.name, at_s
