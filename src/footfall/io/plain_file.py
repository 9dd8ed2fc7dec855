"""Files that may be anything: whether one exists, and its bytes, without waiting on a pipe or filling the memory.

A path from a stranger, or a folder that was damaged, can name a pipe, a device, a link to one, or a sparse file of many
gigabytes. Everything small that footfall reads as a whole (projects, graphs, autosaves, settings) is read here.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from footfall.core.errors import ReadError
from footfall.io.raw import Reading, ReadOptions
from footfall.io.text import parse_json


def is_there(path: str | Path) -> bool:
    """Whether anything has this name; a name no system could have, too long for one, is not there."""
    return _mode(path) is not None


def is_file(path: str | Path) -> bool:
    """Whether it is a plain file, or a link to one."""
    mode = _mode(path)
    return mode is not None and stat.S_ISREG(mode)


def is_folder(path: str | Path) -> bool:
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _mode(path: str | Path) -> int | None:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):  # ValueError: a NUL in it, or half a character
        return None


def read_plain(path: Path, most_bytes: int, what: str) -> bytes:
    """All bytes of a plain file; ReadError where it is none, or larger than most_bytes. what: "a timeline file"."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ReadError(path, "", what, "a folder, a pipe or a device")
        # it may have become a pipe since: then opening must not wait for somebody to write into it
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ReadError(path, "", what, "a folder, a pipe or a device")
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise ReadError(path, "", what, (error.strerror or str(error)).lower()) from error
    except ValueError:
        raise ReadError(path, "", what, "a name no file can have") from None
    if len(data) > most_bytes:
        raise ReadError(path, "", f"{what} of at most {max(most_bytes // 1_000_000, 1)} MB", "a larger one")
    return data


def read_json(path: Path, most_bytes: int, what: str) -> Any:
    """A small JSON file in UTF-8, as its standard has it: without NaN."""
    data = read_plain(path, most_bytes, what).removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(path, f"byte {error.start}", f"{what} in UTF-8", "other bytes") from None
    return parse_json(Reading(path, ReadOptions()), text, what=f"{what} as JSON")
