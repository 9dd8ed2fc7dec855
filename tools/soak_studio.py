"""Half an hour of edits in a real browser: what the studio and its page keep in memory.

    python tools/soak_studio.py [--minutes 30] [--every 2]

A person's edits by keys and buttons, one every two seconds: clips are added, moved, split, mirrored, taken back and
deleted. Prints the studio's resident memory and the page's script heap (garbage collected first) once a minute, and the
slope of both over the last two thirds.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import browser_studio as b

CLIPS = ("walk", "kick", "run", "wave", "stand", "stop")
MOST = 10  # clips on the timeline before all of them are deleted
WARM = 1 / 3  # of the time until caches are full, by eye: the slope is of what comes after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=2.0, help="Seconds from one edit to the next.")
    options = parser.parse_args()
    why_not = b.why_not()
    if why_not:
        raise SystemExit(f"cannot measure: {why_not}")
    with tempfile.TemporaryDirectory() as folder, b.browser() as chromium, b.studio(Path(folder) / "work") as process:
        page = b.open_page(chromium, process)
        b.new_project(page)
        assert process.running is not None
        rows = list(soaked(page, process.running.pid, options.minutes, options.every))
        assert page.wrong == [], page.wrong
    seen = np.array(rows)  # minute, edits, studio and page in MB
    later = seen[seen[:, 0] >= WARM * options.minutes]
    for name, column in (("the studio", 2), ("the page's scripts", 3)):
        slope = np.polyfit(later[:, 0], later[:, column], 1)[0]
        print(f"{name}: {later[0, column]:.0f} MB after {later[0, 0]:.0f} minutes, {later[-1, column]:.0f} at the end, "
              f"{slope:+.2f} MB a minute")  # fmt: skip


def soaked(page: Any, pid: int, minutes: float, every_s: float) -> Iterator[tuple[float, int, float, float]]:
    """Edit until the time is over; yields minute, edits so far, and both memories in MB."""
    heap = page.context.new_cdp_session(page)
    heap.send("Performance.enable")
    began = time.monotonic()
    told = 0
    for done, edit in enumerate(itertools.cycle(edits(page)), 1):
        edit()
        minute = (time.monotonic() - began) / 60.0
        if minute >= told:
            told += 1
            row = (minute, done, studio_mb(pid), page_mb(heap))
            print(f"minute {minute:4.1f}, {done} edits: studio {row[2]:.0f} MB, page {row[3]:.1f} MB "
                  f"(load {os.getloadavg()[0]:.1f})", flush=True)  # fmt: skip
            yield row
        if minute >= minutes:
            return
        page.wait_for_timeout(max(1e3 * (every_s * done - 60.0 * minute), 0.0))


def edits(page: Any) -> list[Callable[[], Any]]:
    """What a person does again and again; the last clears the timeline once it is full."""
    names = itertools.cycle(CLIPS)

    def add() -> None:
        b.add(page, next(names))

    def pull() -> None:
        x, y = b.middle(b.clips(page).last)
        b.drag(page, (x, y), (x + 40, y))

    def split() -> None:
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("s")

    def clear() -> None:
        if b.clips(page).count() > MOST:
            page.keyboard.press("Control+a")
            page.keyboard.press("Delete")
            page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 0")

    def key(keys: str) -> Callable[[], None]:
        return lambda: page.keyboard.press(keys)

    return [add, add, pull, key("m"), split, key("Control+z"), key("Control+y"), key("Control+d"), clear]


def studio_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def page_mb(heap: Any) -> float:
    heap.send("HeapProfiler.collectGarbage")
    found = {one["name"]: one["value"] for one in heap.send("Performance.getMetrics")["metrics"]}
    return float(found["JSHeapUsedSize"]) / 1e6


if __name__ == "__main__":
    main()
