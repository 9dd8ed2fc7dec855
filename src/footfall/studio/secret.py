"""The studio's token, kept while it runs: it outlives a crash, so that open pages come back, but not a clean end."""

from __future__ import annotations

import html
import os
import re
import stat
from pathlib import Path

from footfall.core.errors import WriteError
from footfall.io.cache_folder import cache_folder
from footfall.studio.security import new_token

SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")  # as new_token makes them


def secret_file(port: int) -> Path:
    return cache_folder() / "studio" / f"secret-{port}"


def take_up(port: int, given: str = "") -> str:
    """The token for a port: the given one, that of a studio which crashed there, or a new one; it is written down.

    Only one process can hold the port, so the file of a port belongs to whoever holds it.
    """
    path = secret_file(port)
    token = given or _left_behind(path) or new_token()
    try:
        _write_private(path, token)
    except OSError as error:
        raise WriteError(f"{path}: the studio's key could not be written: {error.strerror or error}") from error
    return token


def give_up(port: int) -> None:
    """A clean end: the token is worth nothing from now on."""
    secret_file(port).unlink(missing_ok=True)
    page_file(port).unlink(missing_ok=True)


def page_file(port: int) -> Path:
    return cache_folder() / "studio" / f"open-{port}.html"


def write_page(port: int, link: str) -> Path:
    """A page only its owner can read that leads to a link: the command line of a browser, which everybody on the
    machine can read, then holds the name of a file and no key."""
    path = page_file(port)
    text = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={html.escape(link)}">'
    _write_private(path, text)
    return path


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii", errors="replace") as file:
        file.write(text)


def _left_behind(path: Path) -> str:
    """The token of a studio that was not ended cleanly; empty where there is none, or others could have read it."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        own = not hasattr(os, "getuid") or (facts.st_uid == os.getuid() and stat.S_IMODE(facts.st_mode) == 0o600)
        text = file.read(100).decode("ascii", "replace")
    return text if own and stat.S_ISREG(facts.st_mode) and SHAPE.fullmatch(text) else ""
