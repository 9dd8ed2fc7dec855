"""Editing on the timeline in a real browser: split, ripple, loop a range, markers, fitting, stepping by contacts."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("long")


def seconds(page: Any) -> float:
    """Where the playhead is."""
    return float(page.get_by_role("slider", name="Playhead").get_attribute("aria-valuenow"))


def at(page: Any, second: float) -> float:
    """Where a second of the timeline lies in the window, by where a clip that starts at 0 lies."""
    block = b.clips(page).first
    start, end = b.span(block)
    box = block.bounding_box()
    return box["x"] + (second - start) / (end - start) * box["width"]


def put_playhead(page: Any, second: float, shift_to: float | None = None) -> None:
    """Press on the ruler; with shift_to, drag from there with Shift."""
    box = page.get_by_role("slider", name="Playhead").bounding_box()
    y = box["y"] + box["height"] - 4
    page.mouse.move(at(page, second), y)
    if shift_to is None:
        page.mouse.down()
        page.mouse.up()
        return
    page.keyboard.down("Shift")
    b.drag(page, (at(page, second), y), (at(page, shift_to), y))
    page.keyboard.up("Shift")


def test_a_clip_is_split_at_the_playhead_and_plays_on(page: Any) -> None:
    b.add(page, "walk (cycles 4)")
    b.add(page, "kick")
    b.made(page)
    before = b.span(b.clip(page, "walk (cycles 4)"))
    put_playhead(page, 2.0)
    page.get_by_role("button", name="Split", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 3")
    b.made(page)
    first, rest = (b.span(b.clip(page, "walk (cycles 4)", n)) for n in (0, 1))
    assert first[0] == before[0]
    assert first[1] == pytest.approx(2.0, abs=0.06)
    assert rest == pytest.approx((first[1], before[1]), abs=0.03)
    assert page.get_by_role("button", name=re.compile("^Join ")).count() == 1  # none between the parts
    b.clip(page, "walk (cycles 4)", 1).click()
    page.keyboard.press("m")  # the mirrored part is a clip of its own, and joined
    page.wait_for_function("() => document.querySelectorAll('.tl-lane .join').length === 2")
    for _ in range(2):
        page.keyboard.press("Control+z")
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 2")


def test_ripple_moves_what_comes_later(page: Any) -> None:
    for name in ("walk (cycles 4)", "kick", "start"):
        b.add(page, name)
    b.made(page)
    inspector = page.get_by_role("region", name="Inspector").last
    page.get_by_role("button", name="Fit to window").click()
    page.wait_for_timeout(200)
    box = b.clip(page, "start").bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.6 * box["height"])  # its beginning is dropped
    inspector.get_by_text("As soon as possible").click()
    b.made(page)
    last, kick = b.span(b.clip(page, "start")), b.span(b.clip(page, "kick"))
    page.mouse.click(*b.middle(b.clip(page, "kick")))
    page.keyboard.press("Shift+Delete")
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 2")
    b.made(page)
    gone = min(kick[1], last[0]) - kick[0]
    assert b.span(b.clip(page, "start"))[0] == pytest.approx(last[0] - gone, abs=0.16)  # all told to 0.1 s
    page.keyboard.press("Control+z")
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 3")
    b.made(page)
    page.get_by_role("button", name="Ripple").click()
    assert page.get_by_role("button", name="Ripple").get_attribute("aria-pressed") == "true"
    x, y = b.middle(b.clip(page, "kick"))
    b.drag(page, (x, y), (x + 120, y))
    b.made(page)
    moved = b.span(b.clip(page, "kick"))[0] - kick[0]
    assert moved > 0.3
    assert b.span(b.clip(page, "start"))[0] == pytest.approx(last[0] + moved, abs=0.08)


def test_a_range_is_looped(page: Any) -> None:
    b.add(page, "walk (cycles 4)")
    b.made(page)
    put_playhead(page, 1.0, shift_to=2.0)
    page.get_by_title(re.compile(r"^Looped: ")).wait_for(state="attached")
    page.get_by_role("button", name="Play", exact=True).click()
    seen = []
    for _ in range(24):
        page.wait_for_timeout(100)
        seen.append(seconds(page))
    assert min(seen) >= 0.9
    assert max(seen) <= 2.1
    page.get_by_role("button", name="Pause", exact=True).click()
    put_playhead(page, 1.5)
    page.keyboard.press("]")
    shown = re.search(r"Looped: ([\d.]+) to ([\d.]+) s", page.locator(".tl-range").get_attribute("title"))
    assert shown
    assert float(shown[2]) == pytest.approx(1.5, abs=0.06)
    page.get_by_role("button", name="Loop all again").click()
    assert page.locator(".tl-range").is_hidden()


def test_markers_are_set_named_found_and_saved(page: Any) -> None:
    b.add(page, "walk (cycles 4)")
    b.made(page)
    for second in (1.0, 3.0):
        put_playhead(page, second)
        page.get_by_role("button", name="Marker", exact=True).click()
    flag = page.get_by_role("button", name=re.compile(r"^Marker 1 at "))
    flag.dblclick()
    page.get_by_label("Name of the marker").fill("turn")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile(r"^Marker turn at (0\.9|1\.0)\d s$")).wait_for()
    page.get_by_role("slider", name="Playhead").press("Home")
    page.keyboard.press(".")
    assert seconds(page) == pytest.approx(1.0, abs=0.06)
    page.keyboard.press(".")
    assert seconds(page) == pytest.approx(3.0, abs=0.06)
    page.keyboard.press(",")
    assert seconds(page) == pytest.approx(1.0, abs=0.06)
    page.reload()
    b.settled(page)
    page.get_by_role("button", name=re.compile("^Marker turn at ")).focus()
    page.keyboard.press("Delete")
    page.wait_for_function("() => document.querySelectorAll('.tl-flag').length === 1")
    page.keyboard.press("Control+z")
    page.get_by_role("button", name=re.compile("^Marker turn at ")).wait_for()


def test_what_is_selected_is_fitted_and_contacts_are_stepped_through(page: Any) -> None:
    b.add(page, "walk (cycles 4)")
    b.add(page, "kick")
    b.made(page)
    b.clip(page, "kick").click()
    small = b.clip(page, "kick").bounding_box()["width"]
    page.keyboard.press("Shift+F")
    page.wait_for_function(
        "was => document.querySelectorAll('.tl-lane [data-clip]')[1].getBoundingClientRect().width > 2 * was", arg=small
    )
    page.keyboard.press("Escape")
    page.keyboard.press("\\")
    page.get_by_role("slider", name="Playhead").press("Home")
    times = []
    for _ in range(4):
        page.keyboard.press("ArrowDown")
        times.append(seconds(page))
    assert times == sorted(set(times))
    assert times[0] > 0.0
    assert max(after - before for before, after in pairwise(times)) < 1.0  # a walk's feet change several times a second
    page.keyboard.press("ArrowUp")
    assert seconds(page) == times[-2]
