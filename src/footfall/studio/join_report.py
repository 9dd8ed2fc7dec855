"""A join in one file: both clips as they were joined, when and how, what the judge said, and a short film of it.

For a person to send, and to be tried again by `footfall join --from FILE`. A zip of join.json, first.npz, second.npz
and film.mp4; nothing else in it is read.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from footfall import __version__
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, MissingExtra, ReadError
from footfall.io.load import load
from footfall.io.save import atomic_write, save
from footfall.studio.messages import JoinView

VERSION = 1
ENDING = ".join.zip"
FIRST, SECOND, TOLD, FILM = "first.npz", "second.npz", "join.json", "film.mp4"
MOST_BYTES = 64_000_000  # of one part, unpacked
AROUND_S = 0.8  # of the take, before and after the join, in the film
FILM_SIZE, FILM_FPS = (480, 270), 25.0


class JoinTold(msgspec.Struct, frozen=True):
    """What is known of the join."""

    version: int
    footfall: str
    first: str  # names of the clips
    second: str
    start_s: float  # of the second clip, seconds after the first one's first frame
    join: JoinView  # times are of the take


class JoinReport(NamedTuple):
    """A join as it was read from its file."""

    first: Clip
    second: Clip
    told: JoinTold


def write_report(
    path: Path, report: JoinReport, take: Clip, take_start_s: float, told: Callable[[float], None]
) -> None:
    """All of it to one file, without a film where none can be made; take: the track's, which begins at take_start_s."""
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        parts = [save(report.first, at / FIRST), save(report.second, at / SECOND)]
        (at / TOLD).write_bytes(msgspec.json.format(msgspec.json.encode(report.told)))
        told(0.2)
        with suppress(MissingExtra):
            parts.append(_film(at / FILM, report.told.join, take, take_start_s, told))

        def pack(part: Path) -> None:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
                for each in (at / TOLD, *parts):
                    packed.write(each, each.name)

        atomic_write(path, pack)


def _film(path: Path, join: JoinView, take: Clip, take_start_s: float, told: Callable[[float], None]) -> Path:
    from footfall.render.film import render_film
    from footfall.render.scene import Actor, Scene

    first = max(0.0, join.start_s - take_start_s - AROUND_S)
    last = min(take.duration, join.end_s - take_start_s + AROUND_S)
    progress = lambda share: told(0.2 + 0.8 * share)  # noqa: E731
    return render_film(Scene([Actor(take)]), path, FILM_SIZE, FILM_FPS, first, last, progress=progress)


def read_report(path: str | Path) -> JoinReport:
    """A file that `write_report` wrote; anything else is a ReadError."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as packed, tempfile.TemporaryDirectory() as folder:
            told = msgspec.json.decode(_part(packed, TOLD, path), type=JoinTold)
            if told.version != VERSION:
                raise ReadError(path, TOLD, f"version {VERSION}", str(told.version))
            clips = []
            for name in (FIRST, SECOND):
                at = Path(folder) / name
                at.write_bytes(_part(packed, name, path))
                clips.append(load(at))
            return JoinReport(clips[0], clips[1], told)
    except FootfallError:
        raise
    except OSError as error:
        raise ReadError(path, "", "a file you may read", error.strerror or str(error)) from error
    except (zipfile.BadZipFile, msgspec.DecodeError, ValueError, KeyError, EOFError, RuntimeError, NotImplementedError,
            RecursionError) as error:  # fmt: skip
        raise ReadError(path, "", "a join that the studio reported", str(error)[:200] or type(error).__name__) from None
    except Exception as error:  # what an unpacker finds in a stranger's bytes
        raise ReadError(path, "", "a join that the studio reported", type(error).__name__) from None


def _part(packed: zipfile.ZipFile, name: str, path: Path) -> bytes:
    about: Any = packed.getinfo(name)
    if about.file_size > MOST_BYTES:
        raise ReadError(path, name, f"at most {MOST_BYTES / 1e6:g} MB", f"{about.file_size / 1e6:g} MB")
    with packed.open(about) as part:
        data = part.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ReadError(path, name, f"at most {MOST_BYTES / 1e6:g} MB", "more")
    return data


def told_of(first: Clip, second: Clip, start_s: float, join: JoinView) -> JoinTold:
    """What a report says."""
    return JoinTold(VERSION, __version__, first.name, second.name, round(start_s, 4), join)
