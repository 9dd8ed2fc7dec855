"""A first start in a real browser: a figure moves before anything is compiled; old tabs say how to come back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("slow")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A page of a studio that has compiled nothing yet, as soon as it answers."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    with b.studio(tmp_path / "work", tmp_path / "cache") as process, b.browser() as chromium:
        made = chromium.new_context(viewport={"width": 1120, "height": 720}).new_page()
        made.set_default_timeout(b.WAIT_MS)
        made.process = process
        made.goto(f"{process.address}/?token={b.TOKEN}")
        yield made


def test_a_figure_moves_while_kernels_are_compiled(page: Any) -> None:
    page.wait_for_selector("body[data-ready='1']")
    moved = """() => {
        const pose = [...window.__footfall.stage.actors.values()][0]?.pose;
        const now = pose ? [...pose.slice(0, 3)].join() : '';
        const before = window.firstPose ??= now;
        return now !== '' && now !== before;
    }"""
    page.wait_for_function(moved)
    assert page.locator(".tl-content").get_attribute("aria-busy") == "true"  # nothing was made yet
    b.clip(page, "running-kick").wait_for()  # and the timeline says what moves
    assert page.locator(".clip.unplanned").count() == 0
    page.get_by_text("Preparing once: compiling").wait_for()


def test_an_old_tab_says_how_to_come_back(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page.get_by_role("button", name="Export", exact=True).wait_for()
    page.process.kill()
    page.get_by_text("start it again with “footfall studio” and open the link it prints").wait_for()
    monkeypatch.setattr(b, "TOKEN", "another-token-0123456789-0123456789")
    page.process.start()
    page.get_by_text("Open the link it printed in its terminal").wait_for()
