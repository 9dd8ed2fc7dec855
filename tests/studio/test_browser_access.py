"""The page for everybody, in a real browser: the tour, a narrow window, contrast and names by axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import browser_studio as b
import pytest

from footfall.studio.front_page import DIST

SETTLED = """() => Promise.all(document.getAnimations()
    .filter((a) => a.effect.getTiming().iterations !== Infinity).map((a) => a.finished.catch(() => null)))"""
AXE = DIST.parent / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = b.marks("slow")


def test_the_tour_comes_once_and_again_when_asked_for(chromium: Any, process: b.Process) -> None:
    page = b.open_page(chromium, process, tour=True)
    tour = page.get_by_role("dialog", name="Tour")
    for text in ("Click a clip to see it move", "green, amber or red", "Export writes"):
        tour.get_by_text(text).wait_for()
        tour.get_by_role("button", name="Next").or_(tour.get_by_role("button", name="Done")).click()
    tour.wait_for(state="detached")
    page.reload()
    b.settled(page)
    assert tour.count() == 0
    page.get_by_role("button", name="Shortcuts").click()
    page.get_by_role("button", name="Show the tour again").click()
    tour.get_by_role("button", name="Skip the tour").click()
    tour.wait_for(state="detached")
    page.context.close()


def test_a_window_of_800_pixels_is_usable(chromium: Any, process: b.Process) -> None:
    page = b.open_page(chromium, process, (800, 600))
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 800
    for role, name in (
        ("button", "Export"),
        ("button", "Save"),
        ("button", "Undo"),
        ("tab", "Live"),
        ("button", "Play"),
    ):
        box = page.get_by_role(role, name=name, exact=True).first.bounding_box()
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= 800, name
    stage = page.get_by_label("Stage").last.bounding_box()
    assert stage["width"] > 300
    b.new_project(page)
    b.add(page, "walk")
    b.made(page)
    page.context.close()


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm ci in the page's folder")
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_serious(chromium: Any, process: b.Process, theme: str) -> None:
    page = b.open_page(chromium, process, theme=theme)
    b.new_project(page)
    for name in ("walk", "kick", "run"):
        b.add(page, name)
    b.made(page)
    script = Path(AXE).read_text("utf-8")
    found = []

    def look(where: str) -> None:
        page.evaluate(script)
        page.evaluate(SETTLED)  # a colour on its way to another has neither's contrast
        results = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        found.extend(
            f"{where}: {one['id']} ({one['impact']}): {node['html'][:120]} {node['failureSummary'][:200]}"
            for one in results["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        )

    page.get_by_role("button", name="Marker", exact=True).click()
    page.get_by_role("button", name="Marker 1 at 0.00 s").wait_for()
    look("a take")
    page.locator(".badge").first.click()
    look("a join")
    b.clips(page).first.click()
    look("a clip")
    page.get_by_role("listitem", name="kick", exact=True).click()
    page.get_by_role("button", name="Hold the preview").wait_for()
    look("a preview")
    page.keyboard.press("Escape")
    for name in ("Open", "Export", "Shortcuts"):
        page.get_by_role("button", name=name, exact=True).click()
        look(name)
        page.keyboard.press("Escape")
    page.get_by_role("tab", name="Joins").click()
    page.get_by_text("of them are believable").wait_for()
    look("two clips by every method")
    page.get_by_role("group", name="Compare").get_by_role("button", name="Library").click()
    page.get_by_text("pairs blend").wait_for()
    look("which clips blend")
    page.get_by_role("tab", name="Blend space").click()
    page.get_by_label("Achieved speed", exact=True).filter(has_text=".").wait_for()
    look("a blend space")
    page.get_by_role("button", name="New from clips…").click()
    look("a new blend space")
    page.keyboard.press("Escape")
    assert found == [], "\n".join(found)
    page.context.close()
