"""Store: project files on disk, so that nothing is ever half written, overwritten unseen, or lost when power goes.

A save writes beside the file and puts it in its place in one step, the one before staying as .bak. A file that changed
meanwhile is not overwritten: ours goes beside it. What is not saved yet lies in an autosave file of this process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from footfall.core.errors import FootfallError, ParameterError, ReadError, WriteError
from footfall.io.cache_folder import cache_folder
from footfall.io.save import atomic_write
from footfall.studio.security import safe_join
from footfall.timeline.file import MOST_BYTES, load_timeline, to_plain
from footfall.timeline.model import Timeline, Track

HIDDEN = ".footfall"
READS, WRITES = (".json", ".toml"), ".json"
MOST_FILES, LOOKED_AT = 500, 65_536  # project files listed; bytes in which the word tracks must stand
STALE_S = 60.0  # an unfinished temporary file older than this was left by a process that was killed


class Conflict(FootfallError):
    """The file on disk is not the one that was opened; both versions are kept."""


@dataclass(frozen=True)
class Recoverable:
    """Work that was not saved when a studio ended."""

    path: Path
    data: bytes
    when_s: float


class Store:
    """The folder of projects, and the one that is open."""

    def __init__(self, folder: Path | None) -> None:
        self.has_folder = folder is not None
        self.folder = Path(folder).resolve() if folder is not None else Path.home() / "footfall"
        self.private = self.folder / HIDDEN if folder is not None else cache_folder() / "studio" / "autosave"
        self._lock: Path | None = None
        self._mark: tuple[Path, str | None] | None = None  # of the open file: what it held when last read or written

    # --- projects -----------------------------------------------------------------------------------------------------
    def files(self) -> tuple[str, ...]:
        """Project files of the folder, relative to it."""
        found: list[str] = []
        if not self.folder.is_dir():
            return ()
        for path in sorted(self.folder.rglob("*")):
            if path.suffix.lower() in READS and len(found) < MOST_FILES and _is_project(path, self.folder):
                found.append(path.relative_to(self.folder).as_posix())
        return tuple(found)

    def path_of(self, name: str) -> Path:
        """A path inside the folder; anything else is refused."""
        path = safe_join(self.folder, name)
        if path.suffix.lower() not in READS:
            raise ParameterError(f"a project is a {' or '.join(READS)} file, not {name!r}")
        return path

    def open(self, name: str) -> tuple[Timeline, str | None]:
        """Read a project; the second is a warning where another studio has it open."""
        path = self.path_of(name)
        mark = _hash(path)  # before reading: what changes from here on is a conflict
        timeline = load_timeline(path)
        warning = self._take_lock(path)
        self._mark = (path, mark)
        return timeline, warning

    def close(self) -> None:
        """No project is open any more."""
        self._mark = None
        self._leave_lock()

    def save(self, timeline: Timeline, name: str) -> Path:
        """Write a project in one step; Conflict where the file is not what it was when it was read."""
        path = self.path_of(name)
        path = path.with_suffix(WRITES)
        if not timeline.tracks:
            raise ParameterError("there is nothing to save yet; put a clip on the timeline first")
        data = project_bytes(timeline, path, self.folder)
        now = _hash(path)
        known = self._mark[1] if self._mark and self._mark[0] == path else None
        if now is not None and known is None:
            raise Conflict(f"there is a {path.name} already; choose another name, or open that one first")
        if now is not None and now != known:
            ours = path.with_name(f"{path.stem}.conflict{WRITES}")
            atomic_write(ours, data)
            raise Conflict(f"{path.name} was changed by something else; yours was written to {ours.name} beside it")
        write_project(path, data)
        self._take_lock(path)
        self._mark = (path, hashlib.sha256(data).hexdigest())
        return path

    def remember(self, name: str) -> None:
        """This project is opened at the next start."""
        with contextlib.suppress(WriteError):  # a convenience only
            atomic_write(self.private / "last", name.encode())

    def last(self) -> str | None:
        """The project that was open last, if it is still there."""
        try:
            name = (self.private / "last").read_bytes().decode()
            return name if self.path_of(name).is_file() else None
        except (OSError, UnicodeDecodeError, FootfallError):
            return None

    # --- autosave -----------------------------------------------------------------------------------------------------
    def autosave(self, data: bytes) -> None:
        """Keep what is not saved yet."""
        atomic_write(self._own_autosave, data)
        _sync_folder(self._own_autosave.parent)

    def forget_autosave(self) -> None:
        """Everything is saved."""
        self._own_autosave.unlink(missing_ok=True)

    def set_aside(self) -> None:
        """Another project is opened: what was not saved of this one stays to be recovered after this process."""
        own = self._own_autosave
        if own.exists():
            own.replace(own.with_name(f"autosave-{time.time_ns()}-{os.getpid()}.json"))

    def recoverable(self) -> Recoverable | None:
        """The newest work a studio of this folder left behind that is not running any more."""
        found: list[Recoverable] = []
        for path in self.private.glob("autosave-*.json"):
            if path != self._own_autosave and not _is_alive(_pid_of(path.stem)):
                try:
                    found.append(Recoverable(path, path.read_bytes(), path.stat().st_mtime))
                except OSError:
                    continue
        return max(found, key=lambda r: r.when_s, default=None)

    def forget(self, left: Recoverable) -> None:
        """What was left behind was taken up, or thrown away."""
        left.path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove temporary files that killed processes left."""
        for folder in (self.private, self.folder):
            for path in folder.glob(".*.part") if folder.is_dir() else ():
                try:
                    if time.time() - path.stat().st_mtime > STALE_S:
                        path.unlink(missing_ok=True)
                except OSError:
                    continue

    @property
    def _own_autosave(self) -> Path:
        return self.private / f"autosave-{os.getpid()}.json"

    # --- locks --------------------------------------------------------------------------------------------------------
    def _take_lock(self, path: Path) -> str | None:
        """Say that we have a project open; a warning where another living process says so already."""
        mark = hashlib.sha256(str(path).encode()).hexdigest()[:16]
        lock = self.private / f"lock-{mark}"
        if self._lock not in (None, lock):
            self._leave_lock()
        holder = _holder(lock)
        if holder is not None and holder != os.getpid() and _is_alive(holder):
            return f"{path.name} is open in another studio (process {holder}); what it saves will not be overwritten"
        try:
            atomic_write(lock, json.dumps({"pid": os.getpid(), "file": path.name}).encode())
            self._lock = lock
        except WriteError:
            return None  # a folder that cannot be written to needs no lock
        return None

    def _leave_lock(self) -> None:
        if self._lock is not None and _holder(self._lock) == os.getpid():
            self._lock.unlink(missing_ok=True)
        self._lock = None


def write_project(path: Path, data: bytes) -> None:
    """The file in one step, the one before as .bak; after a crash it is the old or the new, whole."""
    if path.exists():
        try:
            before = path.read_bytes()
        except OSError as error:
            raise WriteError(f"{path}: could not be read before writing it: {error.strerror or error}") from error
        atomic_write(path.with_name(path.name + ".bak"), before)
    atomic_write(path, data)
    _sync_folder(path.parent)


def project_bytes(timeline: Timeline, path: Path, folder: Path) -> bytes:
    """The file of a timeline; clips in the folder are named from where the file lies."""

    def named(clip: object) -> object:
        if not isinstance(clip, str) or not Path(clip).is_absolute():
            return clip
        inside = Path(clip).is_relative_to(folder) and path.is_relative_to(folder)
        return Path(os.path.relpath(clip, path.parent)).as_posix() if inside else clip

    def track_named(track: Track) -> Track:
        clips = tuple(replace(clip, clip=named(clip.clip)) for clip in track.clips)  # type: ignore[arg-type]
        layers = tuple(replace(layer, clip=named(layer.clip)) for layer in track.layers)  # type: ignore[arg-type]
        return replace(track, clips=clips, layers=layers, character=named(track.character))  # type: ignore[arg-type]

    plain = to_plain(replace(timeline, tracks=tuple(track_named(track) for track in timeline.tracks)))
    return json.dumps(plain, indent=2).encode() + b"\n"


def _hash(path: Path) -> str | None:
    """Of a file's bytes; None where there is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ReadError(path, "", f"a project of at most {MOST_BYTES // 1_000_000} MB", "a larger file")
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ReadError(path, "", "a file you may read", error.strerror or str(error)) from error


def _is_project(path: Path, folder: Path) -> bool:
    if any(part.startswith(".") for part in path.relative_to(folder).parts) or path.stem.endswith(".conflict"):
        return False
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return False
        with path.open("rb") as file:
            return b"tracks" in file.read(LOOKED_AT)
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """The renaming itself on disk; where folders cannot be opened there is nothing to do."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _holder(lock: Path) -> int | None:
    try:
        return int(json.loads(lock.read_bytes())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _pid_of(stem: str) -> int:
    number = stem.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def _is_alive(pid: int) -> bool:
    """Whether there is a process of this number."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, pid)  # may be asked about; nothing is sent to it
        if handle:
            ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
