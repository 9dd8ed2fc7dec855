"""The describing process: asked, ended when it takes too long, its answers remembered on disk by content."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

import footfall
from footfall.core.errors import FootfallError
from footfall.io.cache_folder import cache_folder, forget_old
from footfall.io.folder import content_hash
from footfall.io.plain_file import read_plain
from footfall.io.save import atomic_write
from footfall.studio.describe import Answer, DescribeRequest

MOST_ANSWER = 200_000_000  # bytes
LIMIT_S = 120.0  # for one file
OLD_S = 60 * 86400.0  # answers not written for so long are removed
SOURCES = ("core", "io", "kinematics", "analysis", "motions", "edit", "library")  # packages an answer depends on
OWN_SOURCES = ("describe.py", "frames.py", "figures.py")


class Describer:
    """Answers of a second process, one at a time; may be asked on any thread."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self.limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None  # ends the process; called at the latest when nobody holds self
        self._asking = threading.Lock()  # one question at a time
        self._changing = threading.Lock()  # no process is started while the describer stops
        self._is_over = False

    def ask(self, request: DescribeRequest) -> Answer:
        """The answer to a request: from the disk where the same was asked before, else from the process."""
        known = remembered(request)
        if known is not None:
            return known
        with self._asking:
            found = self._asked(request)
        if found is None:
            return Answer(problem=f"It took longer than {self.limit_s:g} s, or more memory than there is, to read it.")
        if not self._is_over:
            remember(request, found)
            forget_old(_answers(), "*", OLD_S)  # their file or the code that gave them is gone
        return found

    def stop(self) -> None:
        """End the process, whatever it is doing; no other is started."""
        self._is_over = True
        self._kill()

    def _asked(self, request: DescribeRequest) -> Answer | None:
        process = self._started()
        if process is None:
            return None
        timer = threading.Timer(self.limit_s, self._kill)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            process.stdin.flush()
            size = int.from_bytes(process.stdout.read(8), "little")
            data = process.stdout.read(size)
            return msgspec.msgpack.decode(data, type=Answer) if size and len(data) == size else None
        except (OSError, ValueError):  # it was killed: by us, or by the system for its memory
            return None
        finally:
            timer.cancel()
            timer.join()  # until its thread is gone it would keep the describer alive
            if process.poll() is not None:
                self._kill()

    def _started(self) -> subprocess.Popen[bytes] | None:
        with self._changing:
            if self._process is None and not self._is_over:
                command = [sys.executable, "-P", "-m", "footfall.studio.describe"]  # nothing of the current folder
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                self._end = weakref.finalize(self, _end, self._process)
            return self._process

    def _kill(self) -> None:
        with self._changing:
            self._process = None
            self._end()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what it still held cannot be delivered
            pipe.close()  # type: ignore[union-attr]


# --- remembered answers -----------------------------------------------------------------------------------------------


def remembered(request: DescribeRequest) -> Answer | None:
    """The answer to the same content by the same version of the code, if there is one."""
    try:
        return answer_of(read_plain(_file(request), MOST_ANSWER, "an answer"))
    except FootfallError:
        return None


def answer_of(data: bytes) -> Answer | None:
    """An answer as it was kept; None where it is not whole."""
    try:
        return msgspec.msgpack.decode(data, type=Answer)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors, and so is text that is none
        return None


def remember(request: DescribeRequest, found: Answer) -> None:
    """Keep an answer on disk; where the cache cannot be written, nothing is kept."""
    try:
        atomic_write(_file(request), msgspec.msgpack.encode(found))
    except FootfallError:
        return


def _answers() -> Path:
    return cache_folder() / "studio" / "library"


def _file(request: DescribeRequest) -> Path:
    content = content_hash(Path(request.file)) if request.file else request.motion
    name = Path(request.file).name if request.file else ""  # the reader may take a clip's name from it
    what = "body" if request.body else ""
    mark = hashlib.blake2b("\0".join((code_mark(), content, name, what)).encode(), digest_size=16).hexdigest()
    return _answers() / f"{mark}.msgpack"


@cache
def code_mark() -> str:
    """A mark that changes with the code an answer depends on."""
    root = Path(footfall.__file__).parent
    facts = [footfall.__version__]
    files = [path for package in SOURCES for path in sorted((root / package).rglob("*.py"))]
    for path in (*files, *(root / "studio" / name for name in OWN_SOURCES)):
        about = os.stat(path)
        facts.append(f"{path.name} {about.st_size} {about.st_mtime_ns}")
    return hashlib.blake2b("\n".join(facts).encode(), digest_size=16).hexdigest()
