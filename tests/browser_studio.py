"""A real studio in a process of its own and a real browser looking at it, for tests, measurements and pictures."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TOKEN = "browser-test-token-0123456789-0123456789"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE = float(os.environ.get("FOOTFALL_PATIENCE", "1"))  # times as long is waited where a machine is very busy
START_S = 120.0 * PATIENCE
WAIT_MS = 90_000.0 * PATIENCE  # machines that test are busy and draw in software
GRAPH_MS = 400_000.0 * PATIENCE  # the first character needs its graph worked out and its kernels compiled


def why_not() -> str:
    """Why there can be no browser test here; empty: there can."""
    from footfall.studio.front_page import DIST

    if CHROMIUM is None:
        return "no chromium on this machine"
    if not (DIST / "index.html").is_file():
        return "the studio's page has not been built"
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        return "playwright is not installed"
    return ""


def marks(kind: str) -> list[Any]:
    """The pytestmark of a file of browser tests: slow or long, and skipped where there can be none."""
    import pytest

    missing = why_not()
    return [getattr(pytest.mark, kind), pytest.mark.skipif(bool(missing), reason=missing or "it runs")]


class Process:
    """`footfall studio` on a folder; it can be killed and started again on its port."""

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.folder, self.cache = folder, cache
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.running: subprocess.Popen[bytes] | None = None
        self.log = folder.parent / f"{folder.name}.log"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "footfall", "studio", str(self.folder), "--no-browser"]
        command += ["--port", str(self.port), "--token", TOKEN]
        environment = dict(os.environ)
        if self.cache is not None:
            environment["FOOTFALL_CACHE"] = str(self.cache)
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        ends = time.monotonic() + START_S
        while time.monotonic() < ends:
            if self.running.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"the studio did not start:\n{self.log.read_text(errors='replace')[-3000:]}")

    def kill(self) -> None:
        """kill -9: nothing is put in order."""
        if self.running is not None:
            self.running.send_signal(signal.SIGKILL)
            self.running.wait()

    def stop(self) -> None:
        if self.running is None or self.running.poll() is not None:
            return
        self.running.send_signal(signal.SIGINT)
        try:
            self.running.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()


@contextmanager
def studio(folder: Path, cache: Path | None = None) -> Iterator[Process]:
    """A running studio."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Process(folder, cache)
    made.start()
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def browser() -> Iterator[Any]:
    """A chromium that draws in software."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield made
        finally:
            made.close()


@contextmanager
def own_page(folder: Path, size: tuple[int, int] = (1120, 720)) -> Iterator[Any]:
    """A studio on a folder and a page of it with a new project; nothing may go wrong in the page."""
    with studio(folder) as process, browser() as chromium:
        made = open_page(chromium, process, size)
        new_project(made)
        yield made
        assert made.wrong == []


def open_page(
    chromium: Any, process: Process, size: tuple[int, int] = (1120, 720), theme: str = "dark", tour: bool = False
) -> Any:
    """The studio's page with its first take drawn, paused; errors of its scripts are kept in `page.wrong`."""
    context = chromium.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, accept_downloads=True
    )
    page = context.new_page()
    if not tour:
        page.add_init_script("localStorage.setItem('footfall.studio.tour', '1')")
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{process.address}/?token={TOKEN}")
    settled(page)
    return page


def settled(page: Any) -> None:
    """Wait until what is arranged can be seen, and hold the playing that begins with it."""
    page.wait_for_function("() => ['saved', 'changed'].includes(document.querySelector('.saved')?.dataset.state)")
    busy = "document.querySelector('.tl-content').ariaBusy !== 'false'"
    page.wait_for_function(f"() => !({busy}) || document.body.dataset.ready === '1'")
    pause(page)  # a figure that moves in software leaves a busy machine little for the studio
    page.wait_for_function(f"() => !({busy})")
    if clips(page).count() == 0:
        return
    page.wait_for_selector("body[data-ready='1']")
    page.wait_for_timeout(300)
    pause(page)


def pause(page: Any) -> None:
    """Hold the take, where it plays."""
    button = page.get_by_role("button", name="Pause", exact=True)
    if button.count():
        button.first.click()


def new_project(page: Any) -> None:
    """An empty timeline, by the menu."""
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="New an empty timeline").click()
    page.get_by_text("Drag a clip here, or press D for a demo").wait_for()


def add(page: Any, name: str) -> None:
    """A library item put on the timeline by its button; waits until it lies there."""
    before = clips(page).count()
    page.get_by_label("Search clips").fill(name)
    page.get_by_role("button", name=f"Add {name} to the timeline", exact=True).click()
    page.wait_for_function("n => document.querySelectorAll('.tl-lane [data-clip]:not(.lifted)').length > n", arg=before)
    page.get_by_label("Search clips").fill("")


def clips(page: Any) -> Any:
    return page.locator(".tl-lane [data-clip]:not(.lifted)")


def clip(page: Any, name: str, nth: int = 0) -> Any:
    """A clip on the timeline by its accessible name."""
    return page.get_by_role("button", name=re.compile(rf"^{re.escape(name)}, [\d.]+ to [\d.]+ s, track ")).nth(nth)


def span(block: Any) -> tuple[float, float]:
    """Start and end in seconds, as the clip's name says."""
    found = re.search(r", ([\d.]+) to ([\d.]+) s", block.get_attribute("aria-label"))
    assert found, block.get_attribute("aria-label")
    return float(found[1]), float(found[2])


def made(page: Any) -> None:
    """Wait until the take is of what is arranged, with its joins measured."""
    page.wait_for_function(
        """() => {
            const blocks = [...document.querySelectorAll('.tl-lane [data-clip]')];
            const joins = [...document.querySelectorAll('.join:not([data-kind=composition])')];
            return document.querySelector('.tl-content').ariaBusy === 'false'
                && blocks.every((one) => !one.classList.contains('unplanned'))
                && joins.every((one) => one.dataset.grade !== 'unknown');
        }"""
    )


def drag(page: Any, start: tuple[float, float], end: tuple[float, float], steps: int = 12, drop: bool = True) -> None:
    """Press, move in steps, and let go."""
    page.mouse.move(*start)
    page.mouse.down()
    for n in range(1, steps + 1):
        share = n / steps
        page.mouse.move(start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
        page.wait_for_timeout(16)
    page.wait_for_timeout(150)
    if drop:
        page.mouse.up()


def middle(block: Any) -> tuple[float, float]:
    """A point of a clip that is neither an edge nor under a join's badge."""
    box = block.bounding_box()
    return box["x"] + 0.4 * box["width"], box["y"] + 0.6 * box["height"]


def upload(page: Any, *paths: Path, to: str = "Files to upload") -> None:
    """Files given to the library, or to the shelf: to="Characters to upload"."""
    page.get_by_label(to).set_input_files([str(path) for path in paths])


def put_at(page: Any, name: str, second: float) -> None:
    """A clip as soon as possible after the one before is put at a second by hand, in the inspector."""
    clip(page, name).click()
    inspector = page.get_by_role("region", name="Inspector").last
    inspector.get_by_text("As soon as possible").click()
    inspector.get_by_label("Start in seconds").fill(str(second))
    inspector.get_by_label("Start in seconds").press("Enter")


def export_sheet(page: Any, format: str) -> Any:
    """The export sheet, opened, with its format chosen."""
    page.get_by_role("button", name="Export", exact=True).click()
    sheet = page.get_by_role("dialog", name="Export sheet")
    sheet.get_by_label("Format").select_option(format)
    return sheet


def exported(page: Any, path: Path, *ticked: str) -> Path:
    """The take as the export sheet writes it, in the format of the file's ending."""
    sheet = export_sheet(page, path.suffix[1:])
    for text in ticked:
        sheet.get_by_label(text).check()
    return downloaded(page, sheet.get_by_role("button", name="Export file"), path)


def downloaded(page: Any, button: Any, path: Path) -> Path:
    """What comes when a button is pressed."""
    with page.expect_download() as coming:
        button.click()
    coming.value.save_as(path)
    return path


def doing(page: Any, pattern: str) -> None:
    """Wait until the live character says that it does this."""
    page.locator(".live-doing").filter(has_text=re.compile(pattern)).wait_for()
