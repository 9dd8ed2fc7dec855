"""The clips that can be used: built-in motions, the folder's files, uploads and recordings; each appears once known.

A clip's key is the text of a built-in motion ("walk:speed=0.8"), or made from where its file lies, so it holds from one
start to the next. Nobody outside names files by path: keys do.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import re
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, ReadError, UnknownName
from footfall.io.cache_folder import cache_folder
from footfall.io.companions import companions
from footfall.io.folder import content_hash, motion_files
from footfall.io.load import load_all, readable
from footfall.io.plain_file import is_file
from footfall.io.save import save
from footfall.motions.library import motion_names, named_motion
from footfall.studio.describe import THUMB_FPS, Answer, Described, DescribeRequest, describe, take_poses
from footfall.studio.describer import Describer, remember, remembered
from footfall.studio.folder_facts import FolderFacts
from footfall.studio.messages import LibraryItem, SkeletonView
from footfall.studio.security import safe_join, safe_name

LOG = logging.getLogger("footfall.studio")
FIRST = ("walk", "run", "stand", "start", "stop")  # what nearly everything is made of
MORE_MOTIONS = (  # useful ones beside the plain ones
    "walk:cycles=4", "walk:speed=0.8", "walk:turn=40,cycles=3", "walk:turn=-40,cycles=3", "run:cycles=3",
)  # fmt: skip
MOST_HELD = 512 << 20  # bytes of clips kept in memory
MOST_POSES = 2_000_000  # joints times frames of one answer
MOST_DIGITS = 3  # of how often a built-in motion repeats itself
_COUNT = re.compile(r"\b(cycles|swings)\s*=\s*([^,]*)")
BUILT_IN, UPLOADS, RECORDINGS = "built-in", "uploads", "recordings"
CHARACTERS = "characters"  # a folder of bodies, not of motions


@dataclass(frozen=True)
class LibraryEntry:
    """Where one clip comes from."""

    key: str
    name: str
    group: str
    motion: str = ""  # text of a built-in motion
    path: Path | None = None
    number: int = 0  # of a file's animations
    animation: str | None = None  # its name, where a file has several
    file: str = ""  # its file's name, where that has several


class Library:
    """All clips by key. Safe to use from several threads; on_added is called on the library's own."""

    def __init__(
        self,
        folder: Path | None = None,
        on_added: Callable[[LibraryItem], None] | None = None,
        motions: Sequence[str] | None = None,  # built-in ones to begin with; all by default
    ) -> None:
        self.folder = None if folder is None else Path(folder).resolve()
        self._on_added = on_added
        kept = self.folder if self.folder is not None else cache_folder().resolve() / "studio"
        self.uploads, self.recordings, self.characters = kept / UPLOADS, kept / RECORDINGS, kept / CHARACTERS
        self._entries: dict[str, LibraryEntry] = {}
        self._items: dict[str, LibraryItem] = {}
        self._clips: OrderedDict[str, tuple[object, Clip]] = OrderedDict()  # newest use last, with a mark of the file
        self._lock = threading.Lock()
        self.naming = threading.Lock()  # held from choosing a file's name until there is such a file
        self._later: deque[LibraryEntry] = deque()  # what is to be found out about; guarded by the lock
        self._describer = Describer()
        self._facts = None if self.folder is None else FolderFacts(self.folder)
        self._thread: threading.Thread | None = None
        self._is_over = False
        first = [name for name in FIRST if name in motion_names()]
        every = (*first, *(name for name in motion_names() if name not in first), *MORE_MOTIONS)
        for text in every if motions is None else motions:
            self._enter(_motion_entry(text))

    # --- its life -----------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """What was known before is there at once; the rest is worked out in the background."""
        if self._thread is not None:
            return
        rest = [entry for entry in list(self._entries.values()) if not self._recall(entry)]
        self._thread = threading.Thread(target=self._look_at_folder, args=(rest,), name="library", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._is_over = True
        self._describer.stop()
        if self._thread is not None:
            self._thread.join(5.0)

    # --- what it holds ------------------------------------------------------------------------------------------------
    def items(self) -> tuple[LibraryItem, ...]:
        """Everything known so far, in the order in which it was entered."""
        with self._lock:
            return tuple(self._items[key] for key in self._entries if key in self._items)

    def clip(self, key: str) -> Clip:
        """The clip itself; a file that changed since is read again."""
        entry = self._entry(key)
        mark = None if entry.path is None else _file_mark(entry.path)
        with self._lock:
            held = self._clips.get(key)
            if held is not None and held[0] == mark:
                self._clips.move_to_end(key)
                return held[1]
        clip = _made(entry)
        with self._lock:
            self._clips[key] = (mark, clip)
            self._clips.move_to_end(key)
            while len(self._clips) > 1 and sum(_size(c) for _, c in self._clips.values()) > MOST_HELD:
                self._clips.popitem(last=False)
        return clip

    def entry(self, key: str) -> str:
        """What a timeline file holds for it: a built-in's text, or a path, relative where it lies in the folder."""
        entry = self._entry(key)
        if entry.path is None:
            return entry.motion
        if self.folder is not None and entry.path.is_relative_to(self.folder):
            return entry.path.relative_to(self.folder).as_posix()
        return str(entry.path)

    def path(self, key: str) -> Path | None:
        """Its file; None for a built-in motion."""
        return self._entry(key).path

    def animation(self, key: str) -> str | None:
        """Which of its file's animations it is, where there are several."""
        return self._entry(key).animation

    def key_of(self, entry: str, animation: str | None = None) -> str:
        """The key of what a timeline file holds: a built-in's text, or a file of the folder, the uploads or recordings.

        What was not known is entered. A file elsewhere is refused: a project from a stranger must not read it.
        """
        if entry in self._entries:
            return entry
        if entry.partition(":")[0].replace("_", "-") in motion_names():
            _check_counts(entry)
            self._add_later(_motion_entry(entry))
            return entry
        path = self._own_file(entry)
        for known in list(self._entries.values()):
            if known.path == path and (animation is None or animation in (known.animation, known.name)):
                return known.key
        if not is_file(path):
            raise ReadError(path, "", "a motion file", "nothing at that path")
        found = self._file_entry(path)
        if animation is not None:
            raise UnknownName(f"animation of {path.name}", animation, [])
        self._add_later(found)
        return found.key

    # --- pictures of a clip -------------------------------------------------------------------------------------------
    def poses(self, key: str, fps: float = THUMB_FPS) -> bytes:
        """Poses as a take frame: a small picture's (the first seconds, made before), or of all the clip if faster."""
        if fps <= THUMB_FPS:
            return self._described(key).poses
        clip = self.clip(key)
        most = MOST_POSES / max(clip.frames, 1) / len(clip.skeleton)
        return take_poses(clip, min(fps, clip.fps, max(clip.fps * most, 1.0)))

    def skeleton(self, key: str) -> SkeletonView | None:
        """The body to draw it with."""
        return self._described(key).skeleton

    # --- new ones -----------------------------------------------------------------------------------------------------
    def add_clip(self, clip: Clip, name: str) -> LibraryItem:
        """A recording: written to a file beside the uploads, and entered."""
        with self.naming:
            path = free_path(self.recordings, f"{plain_name(name)}.npz")
            save(replace(clip, name=path.stem), path)
        made = describe(replace(clip, name=path.stem))
        remember(DescribeRequest(file=str(path)), Answer((made,)))
        entry = self._file_entry(path)
        return self._added(entry, _item(entry, made))

    def add_file(self, path: Path) -> tuple[LibraryItem, ...]:
        """A file that was put into the uploads; one that cannot be used is an error, and the caller's to remove."""
        answer = self._describer.ask(DescribeRequest(file=str(path)))
        problems = [answer.problem, *(d.item.problem for d in answer.clips)]
        if not answer.clips or all(problems[1:]):
            said = next((p for p in problems if p), f"{path.name} is no motion file that footfall reads")
            raise ParameterError(said)
        return tuple(self._add_all(self._file_entry(path), answer))

    def upload_path(self, name: str) -> Path:
        """Where an upload of this name goes: a plain name with an ending that footfall reads."""
        path = safe_name(self.uploads, name)
        if path.suffix.lower() == ".fbx" and ".fbx" not in readable():
            raise ParameterError(f"{name!r} is FBX, which is not read here; open it in Blender and export it as GLB")
        if path.suffix.lower() not in readable():
            raise ParameterError(f"{name!r} is no motion file; give one of {' '.join(sorted(readable()))}")
        return path

    def known_upload(self, path: Path) -> tuple[LibraryItem, ...]:
        """The items of an upload that holds just what a file does; none where there is no such upload."""
        size, mark = path.stat().st_size, content_hash(path)
        with self._lock:
            entries = [entry for entry in self._entries.values() if entry.group == UPLOADS and entry.path is not None]
        same = {
            entry.path
            for entry in entries
            if entry.path is not None and is_file(entry.path) and entry.path.stat().st_size == size
            and content_hash(entry.path) == mark
        }  # fmt: skip
        with self._lock:
            return tuple(self._items[e.key] for e in entries if e.path in same and e.key in self._items)

    def together(self, key: str) -> tuple[str, ...]:
        """The keys of all clips that lie in the file of one."""
        path = self._entry(key).path
        return tuple(e.key for e in list(self._entries.values()) if path is not None and e.path == path)

    def remove(self, key: str) -> None:
        """Forget a clip that was uploaded or recorded here, and its file with all that is in it."""
        entry = self._entry(key)
        if entry.path is None or entry.group not in (UPLOADS, RECORDINGS):
            raise ParameterError(f"{entry.name} was not uploaded here; remove its file from the folder yourself")
        keys = self.together(key)
        entry.path.unlink(missing_ok=True)
        with self._lock:
            for each in keys:
                for kept in (self._entries, self._items, self._clips):
                    kept.pop(each, None)

    # --- inside -------------------------------------------------------------------------------------------------------
    def _entry(self, key: str) -> LibraryEntry:
        found = self._entries.get(key)
        if found is None:
            raise UnknownName("clip", key[:100], list(self._entries))
        return found

    def _enter(self, entry: LibraryEntry) -> None:
        with self._lock:
            self._entries.setdefault(entry.key, entry)

    def _own_file(self, text: str) -> Path:
        for root in (self.folder, self.uploads, self.recordings):
            if root is None:
                continue
            try:
                inside = Path(text).relative_to(root).as_posix() if Path(text).is_absolute() else text
                return safe_join(root, inside)
            except (ValueError, ParameterError):
                continue
        raise ParameterError(f"{text!r} is neither a built-in motion nor a file of the studio's folder; copy it there")

    def _file_entry(self, path: Path) -> LibraryEntry:
        """A file's first clip."""
        roots = [(self.uploads, UPLOADS), (self.recordings, RECORDINGS)]
        if self.folder is not None:
            below = path.relative_to(self.folder).parent.as_posix() if path.is_relative_to(self.folder) else ""
            roots.append((self.folder, self.folder.name if below in ("", ".") else below))
        root, group = next((r, g) for r, g in roots if path.is_relative_to(r))
        inside = f"{group if root in (self.uploads, self.recordings) else ''}/{path.relative_to(root).as_posix()}"
        mark = hashlib.blake2b(inside.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
        return LibraryEntry(f"file-{mark}", path.stem, group, path=path)

    def _described(self, key: str) -> Described:
        entry = self._entry(key)
        answer = self._describer.ask(_request(entry))
        if entry.number >= len(answer.clips):
            raise ParameterError(answer.problem or f"{entry.name} is no motion any more")
        return answer.clips[entry.number]

    def _recall(self, entry: LibraryEntry) -> bool:
        """Whether it was described before, and is now in the list without being told of."""
        answer = remembered(_request(entry))
        if answer is None or not answer.clips:
            return False
        with self._lock:
            self._items[entry.key] = _item(entry, answer.clips[0])
        return True

    def _look_at_folder(self, rest: Sequence[LibraryEntry]) -> None:
        """In the background: built-in motions that are not known yet, what the folder's index knows, then the rest."""
        if self._facts is not None:
            self._facts.load()
        self._look(itertools.chain(rest, self._unknown()))
        if self._facts is not None:
            self._facts.save()

    def _unknown(self) -> Iterator[LibraryEntry]:
        """Files that the folder's index does not know; those it knows are told of first."""
        unknown = []
        for entry in self._files():
            if self._is_over:
                return
            items = self._facts.items(entry.path) if self._facts and entry.path else ()
            if items:
                self._add_all(entry, Answer(tuple(Described(item, b"", None) for item in items)))
            else:
                unknown.append(entry)
        yield from unknown

    def _look(self, entries: Iterable[LibraryEntry]) -> None:
        """In the background: clips that are not known yet, told of one by one."""
        for entry in entries:
            if self._is_over:
                return
            try:
                self._look_at(entry)
            except Exception:
                LOG.exception("library: %s", entry.name)

    def _look_at(self, entry: LibraryEntry) -> None:
        facts, path = self._facts, entry.path
        mark = facts.mark(path) if facts is not None and path is not None else None
        answer = self._describer.ask(_request(entry))
        if self._is_over:
            return
        if facts is not None and path is not None and mark is not None:
            facts.keep(path, mark, answer)
        if answer.problem is not None:
            LOG.warning("library: %s cannot be used: %s", entry.name, answer.problem)
        if answer.clips or answer.problem is not None:
            self._add_all(entry, answer)

    def _files(self) -> Iterator[LibraryEntry]:
        """An entry for every motion file of the folder, the uploads and the recordings."""
        roots = (self.uploads, self.recordings) if self.folder is None else (self.folder,)
        for root in roots:
            try:
                every = (p for p in motion_files(root) if not p.is_relative_to(self.characters))
                files = (p for p in every if p.suffix.lower() != ".asf" and stays_in(p, root))
                yield from (self._file_entry(p) for p in files)
            except FootfallError:  # no such folder yet, or nothing in it
                continue

    def _add_later(self, entry: LibraryEntry) -> None:
        """Enter it now, and find out about it in the background."""
        self._enter(entry)
        with self._lock:
            self._later.append(entry)
            is_first = len(self._later) == 1
        if is_first:
            threading.Thread(target=self._look_at_later, name="library-later", daemon=True).start()

    def _look_at_later(self) -> None:
        """One thread for all of them: a project may name thousands."""
        while True:
            self._look((self._later[0],))
            with self._lock:
                self._later.popleft()
                if not self._later or self._is_over:
                    return

    def _add_all(self, first: LibraryEntry, answer: Answer) -> list[LibraryItem]:
        if not answer.clips:
            problem = LibraryItem(first.key, first.name, first.group, "", 0.0, 0.0, 0.0, False, (), answer.problem)
            return [self._added(first, problem)]
        several = len(answer.clips) > 1
        made = []
        for number, described in enumerate(answer.clips):
            called = described.item.name or str(number)
            entry = first if not several else replace(
                first,
                key=first.key if number == 0 else f"{first.key}.{number}",
                name=called, number=number, animation=called, file=first.path.name if first.path else "",
            )  # fmt: skip
            made.append(self._added(entry, _item(entry, described)))
        return made

    def _added(self, entry: LibraryEntry, item: LibraryItem) -> LibraryItem:
        with self._lock:
            self._entries[entry.key] = entry
            self._items[entry.key] = item
        if self._on_added is not None:
            self._on_added(item)
        return item


def _check_counts(motion: str) -> None:
    """A stranger's project must not have a walk of a million cycles made."""
    for name, value in _COUNT.findall(motion):
        if len(value) > MOST_DIGITS:
            raise ParameterError(f"{name} of a built-in motion has at most {MOST_DIGITS} digits here, not {value[:20]}")


def _motion_entry(text: str) -> LibraryEntry:
    name, _, parameters = text.partition(":")
    shown = name if not parameters else f"{name} ({parameters.replace('=', ' ').replace(',', ', ')})"
    return LibraryEntry(text, shown, BUILT_IN, motion=text)


def _request(entry: LibraryEntry) -> DescribeRequest:
    return DescribeRequest(motion=entry.motion) if entry.path is None else DescribeRequest(file=str(entry.path))


def _item(entry: LibraryEntry, described: Described) -> LibraryItem:
    return msgspec.structs.replace(
        described.item, key=entry.key, name=entry.name, group=entry.group, file=entry.file,
        removable=entry.group in (UPLOADS, RECORDINGS),
    )  # fmt: skip


def _made(entry: LibraryEntry) -> Clip:
    if entry.path is None:
        clip = named_motion(entry.motion)
        if clip is None:
            raise UnknownName("built-in motion", entry.motion, motion_names())
        return clip
    clips = load_all(entry.path)
    if entry.number >= len(clips):
        raise ParameterError(
            f"{entry.path.name} has {len(clips)} animations; there is no number {entry.number} any more"
        )
    return clips[entry.number]


def _file_mark(path: Path) -> object:
    try:
        about = path.stat()
    except OSError as error:
        raise ReadError(path, "", "a file you may read", error.strerror or str(error)) from error
    return about.st_mtime_ns, about.st_size


def _size(clip: Clip) -> int:
    return clip.pose.rot.nbytes * 3  # with what is derived from it: positions, contacts


def stays_in(path: Path, root: Path) -> bool:
    """Whether a file, and what it is read with, lie below a folder when links are followed: others are not shown.

    A link in a folder from a stranger could lead to any file of this machine, and an error would show its first line.
    """
    try:
        # The reader of glTF itself opens nothing outside the file's folder.
        files = [path, *companions(path)] if path.suffix.lower() == ".amc" else [path]
        return all(file.resolve().is_relative_to(root.resolve()) for file in files)
    except (OSError, RuntimeError):  # links in a circle
        return False


def plain_name(text: str) -> str:
    """A name for a file, out of a name people gave."""
    kept = "".join(c if c.isalnum() or c in " -_" else "-" for c in text).strip(" -_")
    return kept[:60] or "clip"


def free_path(folder: Path, name: str) -> Path:
    """That name in a folder, or with a number where it is taken."""
    path = safe_name(folder, name)
    for number in range(2, 10_000):
        if not path.exists():
            return path
        path = safe_name(folder, f"{Path(name).stem}-{number}{Path(name).suffix}")
    raise ParameterError(f"there are too many files named {name!r}; remove some")
