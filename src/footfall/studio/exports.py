"""Exports: takes written to files to download, in the background, one after the other, with progress and cancel."""

from __future__ import annotations

import logging
import queue
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from footfall.core.clip import Clip, frame_rate
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.io.cache_folder import cache_folder, forget_old
from footfall.io.save import save
from footfall.kinematics.ground import Ground
from footfall.studio.edits import finite
from footfall.studio.library import plain_name
from footfall.studio.messages import Export, Job

LOG = logging.getLogger("footfall.studio")
FORMATS = ("glb", "bvh", "npz", "mp4")
FILM_SIZE, LARGE_SIZE, FILM_FPS = (960, 540), (1280, 720), 30.0
LEAST_FPS, MOST_FPS = 1.0, 240.0  # of a file
MOST_KEPT = 20  # results; older ones are removed
MOST_WAITING = 8
LEFT_S = 7 * 86400.0  # a session's results that were not touched for so long are nobody's
END_S = 3.0  # that the end waits for a job to stop
SAY_S = 0.2  # between two words about progress


Writer = Callable[[Path, Callable[[float], None]], None]  # to a file, told how far it is


class Cancelled(Exception):
    """A job was told to stop."""


@dataclass
class Work:
    """One export."""

    id: int
    clips: tuple[Clip, ...]
    format: str
    name: str  # of the file
    large: bool = False  # of a film
    ground: Ground | None = None  # drawn in a film
    bare: bool = False  # no mesh, where a format would have one
    write: Writer | None = None  # in place of the clips
    stopped: threading.Event = field(default_factory=threading.Event)
    result: Path | None = None
    is_over: bool = False
    said_at: float = 0.0


class Jobs:
    """Everything being exported. `tell` gets every change of a job, on the thread of the work."""

    def __init__(self, tell: Callable[[Job], None]) -> None:
        self._tell = tell
        self._works: dict[int, Work] = {}
        self._waiting: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._count = 0
        self._folder: Path | None = None
        self._thread: threading.Thread | None = None

    def export(
        self,
        clips: Sequence[Clip],
        format: str,
        name: str = "",
        large: bool = False,
        ground: Ground | None = None,
        bare: bool = False,
    ) -> int:
        """Begin to write clips to one file: a zip where a format holds one clip and they are several."""
        if format not in FORMATS:
            raise UnknownName("format to export", format, FORMATS)
        if not clips:
            raise ParameterError("there is nothing to export yet; put a clip on the timeline first")
        ending = format if len(clips) == 1 or format == "mp4" else "zip"
        called = plain_name(name or (clips[0].name if len(clips) == 1 else "take"))
        return self._begin(Work(0, tuple(clips), format, f"{called}.{ending}", large, ground, bare))

    def write(self, name: str, writer: Writer) -> int:
        """Begin to write one file by a function."""
        return self._begin(Work(0, (), "", name, write=writer))

    def _begin(self, work: Work) -> int:
        with self._lock:
            if sum(not work.is_over for work in self._works.values()) >= MOST_WAITING:
                raise ParameterError(f"{MOST_WAITING} exports are waiting already; wait for one, or cancel it")
            self._count += 1
            work.id = self._count
            self._works[work.id] = work
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="exports", daemon=True)
                self._thread.start()
        self._say(work, 0.0)
        self._waiting.put(work)
        return work.id

    def cancel(self, job: int) -> None:
        """Stop a job; one that is over already stays as it is."""
        work = self._works.get(job)
        if work is None:
            raise UnknownName("job", str(job), [str(n) for n in self._works])
        work.stopped.set()

    def result(self, job: int, name: str) -> Path | None:
        """The file of a finished job, by the name it was given."""
        work = self._works.get(job)
        return work.result if work is not None and work.name == name else None

    def stop(self) -> None:
        """Ends all work and removes the results."""
        for work in list(self._works.values()):
            work.stopped.set()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(END_S)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    # --- on the thread of the work ------------------------------------------------------------------------------------
    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            try:
                self._write(work)
                work.is_over = True
                self._say(work, 1.0, "done")
            except Cancelled:
                self._failed(work, "cancelled", None)
            except FootfallError as error:
                self._failed(work, "failed", str(error))
            except Exception:
                LOG.exception("export %d failed", work.id)
                self._failed(work, "failed", "That failed inside the studio; the terminal says more.")
            work.clips = ()
            self._forget_old()

    def _write(self, work: Work) -> None:
        folder = self._results() / str(work.id)
        folder.mkdir()
        self._step(work, 0.0)
        target = folder / work.name
        if work.write is not None:
            work.write(target, lambda share: self._step(work, share))
        elif work.format == "mp4":
            _film(work, target, lambda share: self._step(work, share))
        elif len(work.clips) == 1:
            save(work.clips[0], target, **_options(work))
        else:
            names = _different([plain_name(clip.name) for clip in work.clips])
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
                for i, (name, clip) in enumerate(zip(names, work.clips, strict=True)):
                    part = save(clip, folder / f"{name}.{work.format}", **_options(work))
                    packed.write(part, part.name)
                    part.unlink()
                    self._step(work, (i + 1) / len(work.clips))
        self._step(work, 1.0)
        work.result = target

    def _step(self, work: Work, share: float) -> None:
        if work.stopped.is_set():
            raise Cancelled
        if time.monotonic() - work.said_at > SAY_S:
            work.said_at = time.monotonic()
            self._say(work, share)

    def _say(self, work: Work, share: float, state: str = "running", problem: str | None = None) -> None:
        url = f"/downloads/{work.id}/{quote(work.name)}" if state == "done" else None
        self._tell(Job(work.id, f"Exporting {work.name}", share, state, url, problem))  # type: ignore[arg-type]

    def _failed(self, work: Work, state: str, problem: str | None) -> None:
        work.is_over, work.result = True, None
        shutil.rmtree(self._results() / str(work.id), ignore_errors=True)
        self._say(work, 0.0, state, problem)

    def _results(self) -> Path:
        if self._folder is None:
            parent = cache_folder() / "studio" / "exports"
            parent.mkdir(parents=True, exist_ok=True)
            forget_old(parent, "session-*", LEFT_S)  # of a studio that was killed
            self._folder = Path(tempfile.mkdtemp(prefix="session-", dir=parent))
        return self._folder

    def _forget_old(self) -> None:
        with self._lock:
            over = [work for work in self._works.values() if work.is_over]
            for work in over[:-MOST_KEPT]:
                del self._works[work.id]
                shutil.rmtree(self._results() / str(work.id), ignore_errors=True)


def _options(work: Work) -> dict[str, Any]:
    """A GLB has a body to look at, and a character's own file comes back with its mesh, unless told otherwise."""
    return {"mesh": False} if work.bare and work.format == "glb" else {}


def as_asked(clip: Clip, start_s: float, asked: Export) -> Clip:
    """A track's take as an export wants it; start_s: when it begins on the timeline, before which it waits."""
    fps = frame_rate(asked.fps, "frames a second") if asked.fps is not None else clip.fps
    if not LEAST_FPS <= fps <= MOST_FPS:
        raise ParameterError(f"frames a second must be {LEAST_FPS:g} to {MOST_FPS:g}, got {fps:g}")
    first, last = asked.range_s if asked.range_s is not None else (0.0, start_s + clip.duration)
    first, last = max(0.0, finite("range", first)), min(finite("range", last), start_s + clip.duration)
    if last - first < 1.0 / fps:
        raise ParameterError("nothing lies between the two seconds that were given; choose a longer part")
    if fps != clip.fps or first > 0.0 or start_s > 0.0 or last < start_s + clip.duration - 0.5 / fps:
        times = first + np.arange(int(np.floor((last - first) * fps + 1e-6)) + 1) / fps
        pose = replace(clip, is_loop=False).sample(np.clip(times - start_s, 0.0, clip.duration))
        clip = clip.with_pose(pose, fps=fps, is_loop=False, events=())
    if asked.in_place:
        clip = clip.in_place()
    return replace(clip, skin=None) if asked.bare else clip


def _film(work: Work, target: Path, told: Callable[[float], None]) -> None:
    """All characters on one floor or ground, where the timeline put them."""
    from footfall.render.film import render_film
    from footfall.render.scene import Actor, Scene

    label = len(work.clips) > 1
    scene = Scene([Actor(clip, label=clip.name if label else "") for clip in work.clips], ground=work.ground)
    render_film(scene, target, LARGE_SIZE if work.large else FILM_SIZE, FILM_FPS, progress=told)


def _different(names: list[str]) -> list[str]:
    """The same names, told apart by a number where they are alike."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name.lower()] = seen.get(name.lower(), 0) + 1
        count = seen[name.lower()]
        found.append(name if count == 1 else f"{name}-{count}")
    return found
