"""Folders of recordings: which files in them are motions, and a mark of each file's content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from footfall.core.clip import Clip
from footfall.core.errors import ReadError
from footfall.io.companions import companions
from footfall.io.load import load_all, readable
from footfall.io.plain_file import is_folder, is_there

SHARED = (".txt", ".json", ".asf")  # what else has these endings is no motion, and no fault


def motion_files(folder: Path) -> list[Path]:
    """Files whose ending footfall reads, in folders below too, hidden ones left out, in order."""
    if not is_folder(folder):
        raise ReadError(
            folder, "", "a folder of motion files", "a file" if is_there(folder) else "nothing at that path"
        )
    paths = list(_motion_files(folder, set(readable())))
    if not paths:
        raise ReadError(folder, "", "motion files in it", "none")
    return paths


def _motion_files(folder: Path, known: set[str]) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:  # in the order of paths, without comparing paths
            entries = sorted(found, key=lambda entry: os.path.normcase(entry.name))
    except OSError:  # not ours to look into
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _motion_files(folder / entry.name, known)
            elif os.path.splitext(entry.name)[1].lower() in known and entry.is_file():
                yield folder / entry.name
        except OSError:  # a link in a circle
            continue


def names_in(folder: Path, paths: Sequence[Path]) -> list[str]:
    """Paths of files below a folder as they are kept: from there, with / between; `relative_to`, thousands at once."""
    start = "" if str(folder) == "." else os.path.join(folder, "")
    if not all(str(path).startswith(start) for path in paths):
        raise ValueError(f"a path outside {folder}")
    return [str(path)[len(start) :].replace(os.sep, "/") for path in paths]


def moving_clips(path: Path, least: int, **options: Any) -> list[Clip]:
    """The clips of a file that move, of so many frames or more; an error that says why there are none.

    Of a file with several animations, single poses are no motions. options are those of `load_all`.
    """
    return moving(load_all(path, **options), path, least)


def moving(clips: Sequence[Clip], path: Path, least: int) -> list[Clip]:
    """Of a file's clips those that move, as `moving_clips` gives them."""
    found = [clip for clip in clips if clip.frames >= least]
    if not found:
        most = max((clip.frames for clip in clips), default=0)
        raise ReadError(path, "", f"a motion of {least} frames or more", f"{most} frame(s)" if most else "a skeleton")
    return found


def content_hash(path: Path) -> str:
    """A mark that changes with a file's bytes, and with those of the files it is read with."""
    found = hashlib.blake2b(digest_size=16)
    try:
        for file in [path, *companions(path)]:
            with file.open("rb") as data:
                found.update(hashlib.file_digest(data, "blake2b").digest())
    except OSError as error:
        raise ReadError(path, "", "a file you may read", error.strerror or str(error)) from error
    return found.hexdigest()
