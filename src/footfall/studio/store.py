"""Store: project files on disk, so that nothing is ever half written, overwritten unseen, or lost when power goes.

A save writes beside the file and puts it in its place in one step, the one before staying as .bak. A file that changed
meanwhile is not overwritten: ours goes beside it. What is not saved yet lies in an autosave file of this process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from footfall.core.errors import FootfallError, ParameterError, WriteError
from footfall.io.cache_folder import cache_folder, forget_old
from footfall.io.plain_file import is_file, is_folder, is_there, read_json, read_plain
from footfall.io.save import TEMPORARY, atomic_write
from footfall.studio.security import safe_join
from footfall.timeline.file import MOST_BYTES, load_timeline, to_plain
from footfall.timeline.model import Timeline, TimelineTrack

HIDDEN = ".footfall"
READS, WRITES = (".json", ".toml"), ".json"
MOST_FILES, LOOKED_AT = 500, 65_536  # project files listed; bytes in which the word tracks must stand
MOST_LEFT = 20  # pieces of unsaved work that nobody asked for; older ones go
MOST_AUTOSAVE = 64_000_000  # bytes: twice what a history may hold
MOST_NOTE = 4096  # bytes of a lock, or of the name of the last project
EDITS_A_START = 100_000  # revisions one studio may use: more than anybody edits between two starts
DAMAGED = "damaged"  # folder of what lay among our files and could not be read
STALE_S = 60.0  # an unfinished temporary file older than this was left by a process that was killed


class Conflict(FootfallError):
    """The file on disk is not the one that was opened; both versions are kept."""


@dataclass(frozen=True)
class Recoverable:
    """Work that was not saved when a studio ended."""

    path: Path
    data: bytes
    when_s: float


@dataclass(frozen=True)
class Read:
    """A project file as it was read."""

    path: Path
    timeline: Timeline
    mark: str | None  # hash of its bytes


class Store:
    """The folder of projects, and the one that is open."""

    def __init__(self, folder: Path | None) -> None:
        self.has_folder = folder is not None
        self.folder = Path(folder).resolve() if folder is not None else Path.home() / "footfall"
        self.private = self.folder / HIDDEN if folder is not None else cache_folder() / "studio" / "autosave"
        self._own_autosave = self._new_autosave()
        self._aside: set[Path] = set()  # what this process did not save of projects it has left
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

    def recent(self) -> list[tuple[str, float]]:
        """The same with when each was changed, the newest first."""
        every = [(name, _changed_s(self.folder / name)) for name in self.files()]
        return sorted(every, key=lambda pair: -pair[1])

    def path_of(self, name: str) -> Path:
        """A path inside the folder; anything else is refused."""
        path = safe_join(self.folder, name)
        if path.suffix.lower() not in READS:
            raise ParameterError(f"a project is a {' or '.join(READS)} file, not {name!r}")
        return path

    def read(self, name: str) -> Read:
        """A project's file; the one that is open stays so."""
        path = self.path_of(name)
        mark = _hash(path)  # before reading: what changes from here on is a conflict
        return Read(path, load_timeline(path), mark)

    def hold(self, path: Path, mark: str | None) -> str | None:
        """From now on this project is open, as its file was when it had this mark; a warning where others have it."""
        warning = self._take_lock(path)
        self._mark = (path, mark)
        return warning

    def open(self, name: str) -> tuple[Timeline, str | None]:
        """Read a project and hold it; the second is a warning where another studio has it open."""
        found = self.read(name)
        return found.timeline, self.hold(found.path, found.mark)

    @property
    def mark(self) -> str | None:
        """The hash of the open file, as it was last read or written."""
        return self._mark[1] if self._mark else None

    def holds(self, name: str, timeline: Timeline) -> bool:
        """Whether a file is just what saving this timeline would write."""
        path = self.path_of(name)
        return _hash(path) == hashlib.sha256(project_bytes(timeline, path, self.folder)).hexdigest()

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
            ours = next(p for p in _numbered(path.with_name(f"{path.stem}.conflict{WRITES}")) if not os.path.lexists(p))
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
            name = read_plain(self.private / "last", MOST_NOTE, "a project's name").decode()
            return name if is_file(self.path_of(name)) else None
        except (UnicodeDecodeError, FootfallError):
            return None

    def first_revision(self) -> int:
        """A number above every one that earlier studios of this folder gave: pages stay open meanwhile, and compare."""
        note = self.private / "revision"
        try:
            before = int(read_plain(note, MOST_NOTE, "a number")[:20])
        except (ValueError, FootfallError):
            before = 0
        now = (before + EDITS_A_START) % 2**31 if before >= 0 else 0
        with contextlib.suppress(WriteError):  # a folder that cannot be written to has pages of one studio only
            atomic_write(note, str(now).encode())
        return now

    # --- autosave -----------------------------------------------------------------------------------------------------
    def autosave(self, data: bytes) -> None:
        """Keep what is not saved yet."""
        atomic_write(self._own_autosave, data)
        _sync_folder(self._own_autosave.parent)

    def forget_autosave(self) -> None:
        """Everything is saved."""
        self._own_autosave.unlink(missing_ok=True)

    def set_aside(self) -> Path | None:
        """Another project is opened: what was not saved of this one stays to be recovered after this process.

        Gives the file that keeps it, where there is something.
        """
        aside = None
        if self._own_autosave.exists():
            aside = self._own_autosave
            self._aside.add(aside)
            self._own_autosave = self._new_autosave()
            for left in sorted((*self._aside, *self._left_by_others()), key=_changed_s)[:-MOST_LEFT]:
                left.unlink(missing_ok=True)
                self._aside.discard(left)
        return aside

    def take_back(self, aside: Path | None) -> None:
        """What was set aside is open again: its file is no longer kept for another."""
        if aside in self._aside:
            self._aside.discard(aside)
            aside.unlink(missing_ok=True)

    def recoverable(self) -> Recoverable | None:
        """The newest work a studio of this folder left behind that is not running any more."""
        for path in sorted(self._left_by_others(), key=_changed_s, reverse=True):
            with contextlib.suppress(FootfallError):
                return Recoverable(path, read_plain(path, MOST_AUTOSAVE, "unsaved work"), _changed_s(path))
        return None

    def set_damaged_aside(self, is_usable: Callable[[bytes], object]) -> list[str]:
        """What lies among our files and is none of them is moved to a folder beside them; a sentence for each.

        is_usable: reads an autosave's bytes, or fails with a FootfallError.
        """
        told = []
        if is_there(self.private) and not is_folder(self.private):
            told += self._moved(self.private, self.private.with_name(f"{self.private.name}-{DAMAGED}"), "no folder")
        for path in self._left_by_others():
            try:
                is_usable(read_plain(path, MOST_AUTOSAVE, "unsaved work"))
            except FootfallError as error:
                told += self._moved(path, self.private / DAMAGED / path.name, str(error))
        return told

    def _moved(self, path: Path, to: Path, why: str) -> list[str]:
        try:
            to.parent.mkdir(parents=True, exist_ok=True)
            to = next(free for free in _numbered(to) if not os.path.lexists(free))
            path.rename(to)
        except OSError as error:
            return [f"{path.name} cannot be used ({why}), nor moved away: {error.strerror or error}"]
        return [f"{path.name} cannot be used ({why}); it is kept as {to.relative_to(self.private.parent).as_posix()}"]

    def _left_by_others(self) -> list[Path]:
        """Autosaves of processes that have ended; one of our own number did too, for we know our own files."""
        own = {*self._aside, self._own_autosave}
        every = [(path, _pid_of(path.stem)) for path in self.private.glob("autosave-*.json") if path not in own]
        return [path for path, pid in every if pid == os.getpid() or not _is_alive(pid)]

    def forget(self, left: Recoverable) -> None:
        """What was left behind was taken up, or thrown away."""
        with contextlib.suppress(OSError):  # somebody else removed it, or put a folder there
            left.path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove temporary files that killed processes left."""
        for folder in (self.private, self.folder):
            forget_old(folder, TEMPORARY, STALE_S)

    def _new_autosave(self) -> Path:
        """A name no file has: numbers of processes come again, after a restart and in containers."""
        return self.private / f"autosave-{time.time_ns()}-{os.getpid()}.json"

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
    if is_there(path):
        atomic_write(path.with_name(path.name + ".bak"), read_plain(path, MOST_BYTES, "a project"))
    atomic_write(path, data)
    _sync_folder(path.parent)


def project_bytes(timeline: Timeline, path: Path, folder: Path) -> bytes:
    """The file of a timeline; clips in the folder are named from where the file lies."""

    def named(clip: object) -> object:
        if not isinstance(clip, str) or not Path(clip).is_absolute():
            return clip
        inside = Path(clip).is_relative_to(folder) and path.is_relative_to(folder)
        return Path(os.path.relpath(clip, path.parent)).as_posix() if inside else clip

    def track_named(track: TimelineTrack) -> TimelineTrack:
        clips = tuple(replace(clip, clip=named(clip.clip)) for clip in track.clips)  # type: ignore[arg-type]
        layers = tuple(replace(layer, clip=named(layer.clip)) for layer in track.layers)  # type: ignore[arg-type]
        return replace(track, clips=clips, layers=layers, character=named(track.character))  # type: ignore[arg-type]

    spaces = tuple(replace(space, clips=tuple(named(clip) for clip in space.clips)) for space in timeline.spaces)  # type: ignore[misc]
    tracks = tuple(track_named(track) for track in timeline.tracks)
    plain = to_plain(replace(timeline, tracks=tracks, spaces=spaces, ground=named(timeline.ground)))  # type: ignore[arg-type]
    return json.dumps(plain, indent=2).encode() + b"\n"


def _hash(path: Path) -> str | None:
    """The hash of a file's bytes; None where there is no file."""
    if not is_there(path):
        return None
    return hashlib.sha256(read_plain(path, MOST_BYTES, "a project")).hexdigest()


def _is_project(path: Path, folder: Path) -> bool:
    if any(part.startswith(".") for part in path.relative_to(folder).parts) or ".conflict" in path.stem:
        return False
    try:
        if not stat.S_ISREG((about := path.stat()).st_mode) or about.st_size > MOST_BYTES:
            return False
        if not path.resolve().is_relative_to(folder):
            return False  # a link that leads out of the folder
        with path.open("rb") as file:
            return b"tracks" in file.read(LOOKED_AT)
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """The renaming itself on disk; where folders cannot be opened there is nothing to do."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _holder(lock: Path) -> int | None:
    try:
        told = read_json(lock, MOST_NOTE, "a lock")
    except FootfallError:
        return None
    pid = told.get("pid") if isinstance(told, dict) else None
    return pid if isinstance(pid, int) and not isinstance(pid, bool) else None


def _changed_s(path: Path) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _numbered(path: Path) -> Iterator[Path]:
    """The path itself, then with -2, -3, … before its ending."""
    yield path
    yield from (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 1_000_000))


def _pid_of(stem: str) -> int:
    number = stem.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


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
    except (ProcessLookupError, OverflowError):  # no process, or no number of one
        return False
    except PermissionError:
        return True
    return True
