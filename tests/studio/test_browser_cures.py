"""What a new user stumbled over, in a real browser: keys after a click, overlays, leaving unsaved work, red joins."""

from __future__ import annotations

import re
from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("slow")


def test_space_after_add_plays(page: Any) -> None:
    page.get_by_label("Search clips").fill("walk")
    page.get_by_role("button", name="Add walk to the timeline", exact=True).click()
    b.clip(page, "walk").wait_for()
    b.made(page)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    assert b.clips(page).count() == 1


def test_space_presses_a_button_that_tab_has_reached(page: Any) -> None:
    page.get_by_label("Search clips").fill("stand")
    page.get_by_label("Search clips").focus()
    while page.evaluate("() => document.activeElement.textContent") != "Add":
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    b.clip(page, "stand").wait_for()


def test_escape_closes_the_help_and_lets_go_of_a_clip(page: Any) -> None:
    b.add(page, "walk")
    b.made(page)
    page.get_by_role("button", name="Legend").click()
    page.get_by_role("heading", name="Shortcuts").wait_for()
    assert page.get_by_text("steps are put in between").is_visible()  # the letters are explained
    assert page.get_by_role("heading", name="Mouse").is_visible()
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Shortcuts").wait_for(state="detached")
    before = b.span(b.clip(page, "walk"))
    b.clip(page, "walk").click()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+ArrowRight")  # the playhead's, not the clip's
    page.wait_for_function("() => document.querySelector('.transport .clock').textContent !== '00:00.00'")
    assert b.span(b.clip(page, "walk")) == before
    assert "add walk" in page.get_by_role("button", name="Undo", exact=True).get_attribute("title")


def test_undo_in_the_search_box_takes_back_what_was_done(page: Any) -> None:
    search = page.get_by_label("Search clips")
    search.fill("walk")
    page.get_by_role("button", name="Add walk to the timeline", exact=True).click()
    b.clip(page, "walk").wait_for()
    search.focus()
    page.keyboard.press("Control+z")
    page.get_by_text("Drag a clip here, or press D for a demo").wait_for()
    assert search.input_value() == "walk"


def test_deleting_everything_leaves_an_empty_stage(page: Any) -> None:
    b.add(page, "walk")
    b.made(page)
    b.clip(page, "walk").click()
    page.keyboard.press("Space")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.get_by_text("Drag a clip here, or press D for a demo").wait_for()
    page.wait_for_function("() => window.__footfall.stage.figures === 0")
    page.get_by_role("button", name="Play", exact=True).wait_for()  # nothing plays


def test_two_clips_laid_over_another_lie_below_each_other(page: Any) -> None:
    b.add(page, "walk (cycles 4)")
    b.made(page)
    box = b.clip(page, "walk (cycles 4)").bounding_box()
    page.get_by_label("Search clips").fill("wave")
    for nth in range(2):
        item = page.get_by_role("listitem", name="wave", exact=True).bounding_box()
        b.drag(page, (item["x"] + 60, item["y"] + 8), (box["x"] + 0.25 * box["width"], box["y"] + 20))
        b.clip(page, "wave", nth).wait_for()
        b.made(page)
    upper, lower = (b.clip(page, "wave", nth).bounding_box() for nth in range(2))
    assert abs(upper["x"] - lower["x"]) < 40  # one above the other
    assert abs(upper["y"] - lower["y"]) >= min(upper["height"], lower["height"])


def test_new_says_what_was_not_saved_and_brings_it_back(page: Any) -> None:
    b.add(page, "kick")
    b.new_project(page)
    page.get_by_text("What was here before is not saved.").wait_for()
    page.get_by_role("button", name="Bring it back").click()
    b.clip(page, "kick").wait_for()


def test_a_frozen_run_is_red_and_its_cure_makes_it_believable(page: Any) -> None:
    """A gap in which the figure would stop dead in mid-run: seen red, its cure clicked, red no more."""
    b.add(page, "run (cycles 3)")
    b.add(page, "kick")
    b.made(page)
    inspector = page.get_by_role("region", name="Inspector").last
    b.put_at(page, "kick", b.span(b.clip(page, "run (cycles 3)"))[1] + 0.5)
    badge = page.get_by_role("button", name=re.compile(r"^Join run \(cycles 3\) to kick: .*, poor$"))
    badge.wait_for()
    badge.click()
    for cure in ("Close the gap", "Fill with idle"):
        inspector.get_by_role("button", name=cure).wait_for()
    inspector.get_by_role("button", name="Fill with idle").click()
    b.clip(page, "stand").wait_for()
    b.made(page)
    assert page.get_by_role("button", name=re.compile("^Join .*, poor$")).count() == 0
    assert page.get_by_role("button", name=re.compile("^Join .*, (good|fair)$")).count() == 2


def test_boxes_show_what_plays_under_the_librarys_names(page: Any) -> None:
    for name in ("walk", "running-kick", "kick"):
        b.add(page, name)
    b.made(page)
    page.get_by_role("button", name=re.compile("^Join running-kick to kick: ")).wait_for()  # not running_kick
    for name in ("running-kick", "kick"):
        block = b.clip(page, name)
        start, end = b.span(block)
        shown = float(block.locator(".clip-length").get_attribute("data-text").split()[0])
        said = re.search(r"plays ([\d.]+) s of it", block.get_attribute("title"))
        dropped = 0.0 if said else 0.05  # less is not worth a word
        assert shown == pytest.approx(float(said[1]) if said else end - start, abs=0.06 + dropped)
    shapes = page.evaluate("() => [...document.querySelectorAll('.clip-body')].map((one) => one.style.clipPath)")
    slanted = sum(shape.startswith("polygon") for shape in shapes)
    assert slanted >= 1  # it comes or goes while the other does
    assert page.locator(".clip-rest:visible").count() == slanted
