"""The studio: how soon a drag is answered, how punctual live poses are with many pages, and what it keeps in memory.

The server and its pages are processes of their own on the loopback. Lateness is judged on a quiet machine only: the
load is told beside it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from footfall_lab.bench import timeline
from footfall_lab.bench._loop_trace import CAUSES, Pause, stalls
from footfall_lab.bench._measure import Row
from footfall_lab.bench._studio_server import TOKEN

DRAG_MS, LATE_MS, SLOPE_MB_MIN, DEAF_MB = 50.0, 8.0, 1.0, 5.0  # limits
MISSED = 1e-3  # of all poses, likewise
SOCKETS, RATE = 50, 60.0
TRACED = "pauses.json"  # of the server's loop, in its folder
MOST_TOLD = 5  # stalls without a cause
WARM_S = 2.0  # of every socket's frames are not counted


def run(seconds: float = 30.0) -> list[Row]:
    """Every figure of this benchmark; seconds: how long the live characters run."""
    seconds = min(max(seconds, 6.0), 180.0)
    rows = drag_rows()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            pages(server, 1, 3.0)  # graph and kernels are there from here on
            rows += live_rows(server, seconds)
            rows += live_rows(server, min(seconds, 30.0), deaf=True)
            rows += live_rows(server, min(seconds, 30.0), drags=True)
        finally:
            server.end()
        rows += stall_rows(server)
    return rows


# --- drags ------------------------------------------------------------------------------------------------------------


class Page:
    """Where a studio's answers go."""

    def __init__(self) -> None:
        self.previews: asyncio.Queue[float] = asyncio.Queue()

    def send(self, message: Any) -> None:
        if type(message).__name__ == "Preview":
            self.previews.put_nowait(time.perf_counter())

    def send_frame(self, kind: int, track: int, data: bytes) -> None:
        """Poses are counted by the message that follows them."""


def drag_rows() -> list[Row]:
    """From the message that comes in to the preview that goes out, on a timeline of a minute."""
    times, cpu = asyncio.run(_drags())
    median, worst = float(np.median(times)), max(times)
    return [
        Row("a drag on a timeline of a minute, message in to preview out", f"{median:.1f} ms median",
            f"at most {DRAG_MS:g} ms", median <= DRAG_MS),
        Row(f"the slowest of these {len(times)} drags", f"{worst:.1f} ms"),
        Row("CPU time of a drag", f"{cpu:.1f} ms mean"),
    ]  # fmt: skip


async def _drags() -> tuple[list[float], float]:
    from footfall.studio import messages as m
    from footfall.studio.project import opened
    from footfall.studio.studio import Studio

    placed = timeline.one_minute().timeline
    with tempfile.TemporaryDirectory() as folder:
        studio, page = Studio(Path(folder)), Page()
        await studio.start()
        studio.files.show(opened(placed, studio.names.key_of))
        await studio.join(page)
        await studio.take_of_now(measured=True)
        clips = studio.project.document.tracks[0].clips
        times: list[float] = []
        began_cpu = time.process_time()
        for index in range(2, len(clips) - 1, 3):
            start_s = clips[index].start_s
            for move in timeline.MOVES_S:
                assert start_s is not None
                began = time.perf_counter()
                drag = m.Drag(m.MoveClip(clips[index].id, start_s + move), len(times), start_s + 0.1)
                await studio.handle(page, drag)
                times.append(1e3 * (await page.previews.get() - began))
        cpu = 1e3 * (time.process_time() - began_cpu) / len(times)
        await studio.stop()
    return times, cpu


# --- live characters --------------------------------------------------------------------------------------------------


class Server:
    """A studio in a process of its own; its memory is looked at all the time."""

    def __init__(self, folder: str) -> None:
        self._traced = Path(folder) / TRACED
        code = [sys.executable, "-m", "footfall_lab.bench._studio_server", folder, str(self._traced)]
        self.process = subprocess.Popen(code, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.memory_mb: list[tuple[float, float]] = []  # second, resident
        self.seen: dict[str, Any] = {}  # by pages that only steered
        self._is_over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    def _look(self) -> None:
        page = os.sysconf("SC_PAGE_SIZE") / 1e6
        while not self._is_over.wait(0.5):
            try:
                size = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
            except (OSError, IndexError, ValueError):
                return  # no such file here, or the server is gone
            self.memory_mb.append((time.perf_counter(), size * page))

    @property
    def cpu_s(self) -> float:
        """CPU seconds so far; 0 where the machine does not tell."""
        try:
            found = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def queued_s(self) -> float:
        """Seconds that its loop was ready to run, and other processes had the processors; 0 where nobody tells."""
        try:
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0

    def end(self) -> None:
        """Closing its input ends it."""
        self._is_over.set()
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(20.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def pauses(self) -> list[Pause]:
        """Of its loop, once it has ended; none where it had to be killed."""
        return [Pause(*one) for one in json.loads(self._traced.read_text())] if self._traced.exists() else []


def pages(server: Server, count: int, seconds: float, deaf: bool = False, drags: bool = False) -> dict[str, Any]:
    """What pages in another process saw."""
    given = [str(server.port), TOKEN, str(count), str(seconds), str(int(deaf)), str(int(drags))]
    done = subprocess.run(
        [sys.executable, "-m", "footfall_lab.bench._studio_clients", *given], stdout=subprocess.PIPE, check=True,
        timeout=seconds + 600.0,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def live_rows(server: Server, seconds: float, deaf: bool = False, drags: bool = False) -> list[Row]:
    """Punctuality of live poses, and what memory does meanwhile."""
    began, cpu, queued = time.perf_counter(), server.cpu_s, server.queued_s
    found = pages(server, SOCKETS, seconds, deaf, drags)
    if not (deaf or drags):
        server.seen = found
    frames = [np.array(socket) for socket in found["frames"]]
    late = np.concatenate([lateness_ms(socket)[:, 1] for socket in frames])
    missed = sum(int(np.diff(socket[:, 0]).sum()) - (len(socket) - 1) for socket in frames)
    whole = sum(len(socket) for socket in frames)
    p50, p99, worst = np.quantile(late, [0.5, 0.99, 1.0])
    load = os.getloadavg()[0]
    name = f"{SOCKETS} live characters in {SOCKETS} sockets, {seconds:g} s"
    name += ", one page more that never reads" if deaf else ""
    name += ", one page more that drags without a pause" if drags else ""
    figure = f"p50 {p50:.1f}, p99 {p99:.1f}, worst {worst:.1f} ms (load {load:.1f})"
    cpu = 1e6 * (server.cpu_s - cpu) / whole
    waited = (server.queued_s - queued) / (time.perf_counter() - began)
    rows = [
        Row(f"{name}: lateness", figure, f"p99 at most {LATE_MS:g} ms, quiet machine", bool(p99 <= LATE_MS)),
        Row(
            "of these poses not sent because the loop was late",
            f"{missed} of {whole}",
            f"at most {100 * MISSED:g} %, quiet machine",
            missed <= MISSED * whole,
        ),
        Row("of the time the server's loop waited for a processor that others had", f"{100 * waited:.1f} %"),
        Row("CPU time of the server a pose sent, everything counted", f"{cpu:.0f} µs"),
    ]
    if not drags:  # which fill what is remembered of joins, up to its limit
        rows += _memory(server, began, deaf)
    if found["drags_ms"]:
        rows.append(Row("that page's drags, round trip", f"{np.median(found['drags_ms']):.1f} ms median"))
    return rows


def lateness_ms(frames: np.ndarray) -> np.ndarray:
    """Of frames (K, 2) number and second of arrival: (N, 2) that second, and how much later than the most punctual."""
    number, arrived = frames[:, 0], frames[:, 1]
    late = arrived - number / RATE
    kept = arrived > arrived[0] + WARM_S
    return np.stack([arrived[kept], 1e3 * (late[kept] - late[kept].min())], axis=1)


def stall_rows(server: Server) -> list[Row]:
    """Every time that poses came late: how often, by what cause, and what no cause was found for."""
    late = np.concatenate([lateness_ms(np.array(socket)) for socket in server.seen["frames"]])
    found = stalls(late, server.pauses(), [Pause(*one) for one in server.seen["pauses"]])
    unexplained = [one for one in found if not one.cause]
    rows = [
        Row(
            f"times that poses came over {LATE_MS:g} ms late; without a cause that was found",
            f"{len(found)}; {len(unexplained)}", "each explained", not unexplained,
        )
    ]  # fmt: skip
    for cause in CAUSES:
        some = [one for one in found if one.cause == cause]
        if some:
            worst = max(some, key=lambda one: one.late_ms)
            told = ", ".join(f"{name} {ms:.0f}" for name, ms in worst.parts_ms.items() if ms >= 1.0)
            rows.append(Row(f"of these by: {cause}", f"{len(some)}; worst {worst.late_ms:.0f} ms, in ms: {told}"))
    for one in unexplained[:MOST_TOLD]:
        rows.append(
            Row("no cause found", f"{one.late_ms:.1f} ms, {one.poses} poses, {100 * one.share:.0f} % explained")
        )
    return rows


def _memory(server: Server, began: float, deaf: bool) -> list[Row]:
    """Growth of the server's memory since a moment, by least squares over its last two thirds."""
    seen = np.array([(t, mb) for t, mb in server.memory_mb if t >= began])
    if len(seen) < 12:
        return []
    later = seen[len(seen) // 3 :]
    slope = float(np.polyfit(later[:, 0] - later[0, 0], later[:, 1], 1)[0]) * 60.0
    rose = float(later[:, 1].max() - later[0, 1])
    what = f"memory of the server {later[-1, 1]:.0f} MB, slope over the last {later[-1, 0] - later[0, 0]:.0f} s"
    if deaf:
        return [
            Row(
                f"{what}; most above", f"{slope:+.1f} MB/min; {rose:.1f} MB", f"at most {DEAF_MB:g} MB", rose <= DEAF_MB
            )
        ]
    return [Row(what, f"{slope:+.1f} MB/min", f"at most {SLOPE_MB_MIN:g} MB/min", slope <= SLOPE_MB_MIN)]
