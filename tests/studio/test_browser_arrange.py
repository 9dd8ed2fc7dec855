"""The Arrange tab in a real browser: everything is found by what a person sees, and done by clicks, drags and keys."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import browser_studio as b
import numpy as np

import footfall as ff

pytestmark = b.marks("slow")


def test_a_new_user_makes_and_exports_a_take(page: Any, tmp_path: Path) -> None:
    """Walk, kick, running kick, then a wave while walking; exported as GLB and read back."""
    for name in ("walk", "kick", "running-kick", "walk (cycles 4)"):
        b.add(page, name)
    b.made(page)
    page.get_by_label("Search clips").fill("wave")
    last = b.clip(page, "walk (cycles 4)")
    last.scroll_into_view_if_needed()
    box, item = last.bounding_box(), page.get_by_role("listitem", name="wave", exact=True).bounding_box()
    b.drag(page, (item["x"] + 60, item["y"] + 8), (box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"]))
    page.get_by_role("button", name="Join walk (cycles 4) to wave: composition, unknown").wait_for()
    b.made(page)
    assert page.get_by_role("button", name=re.compile("^Join walk to kick: ")).count() == 1
    take_s = max(b.span(one)[1] for one in b.clips(page).all())

    clip = ff.load(b.exported(page, tmp_path / "take.glb"))
    assert abs(clip.duration - take_s) < 0.15  # the names of clips give tenths
    assert np.isfinite(clip.positions).all()
    travelled = clip.pose.root_pos[-1] - clip.pose.root_pos[0]
    assert np.hypot(travelled[0], travelled[2]) > 3.0  # it walked and ran
    assert clip.pose.root_pos[:, 1].min() > 0.5  # and fell into no floor


def test_dragging_moves_snaps_and_can_be_taken_back(page: Any) -> None:
    b.add(page, "walk")
    b.add(page, "kick")
    b.made(page)
    kick = b.clip(page, "kick")
    before = b.span(kick)
    x, y = b.middle(kick)
    b.drag(page, (x, y), (x + 160, y), drop=False)
    page.locator(".clip.lifted").wait_for()
    page.wait_for_function("() => window.__footfall.lastDragMs.length > 0")
    page.keyboard.press("Escape")
    page.mouse.up()
    page.locator(".clip.lifted").wait_for(state="detached")
    assert b.span(kick) == before

    b.drag(page, (x, y), (x + 160, y))
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('move kick')")
    b.made(page)
    assert b.span(kick)[0] > before[0] + 0.3
    kick.dblclick(position={"x": 20, "y": 20})  # as soon as possible again
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('as soon as possible')")
    b.made(page)
    assert b.span(kick) == before
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('add')")
    b.made(page)
    assert b.span(kick) == before


def test_trimming_duplicating_and_deleting(page: Any) -> None:
    b.add(page, "walk (cycles 4)")
    b.made(page)
    walk = b.clip(page, "walk (cycles 4)")
    whole = b.span(walk)
    box = walk.bounding_box()
    edge = (box["x"] + box["width"] - 3, box["y"] + 20)
    b.drag(page, edge, (edge[0] - 0.4 * box["width"], edge[1]))
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('trim the end')")
    b.made(page)
    assert b.span(walk)[1] < 0.75 * whole[1]
    walk.click()
    page.keyboard.press("Control+d")
    b.clip(page, "walk (cycles 4)", 1).wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.get_by_text("Drag a clip here, or press D for a demo").wait_for()
    page.keyboard.press("Control+z")
    b.clip(page, "walk (cycles 4)", 1).wait_for()
    assert b.clips(page).count() == 2


def test_the_inspector_explains_a_join_and_changes_its_method(page: Any) -> None:
    b.add(page, "walk")
    b.add(page, "kick")
    b.made(page)
    badge = page.get_by_role("button", name=re.compile("^Join walk to kick: "))
    kind = badge.get_attribute("aria-label").split(": ")[1].split(",")[0]
    badge.click()
    inspector = page.get_by_role("region", name="Inspector").last
    for text in ("Why", "Foot skate", "Jump", "Method"):
        inspector.get_by_text(text, exact=True).wait_for()
    other = "adaptation" if kind != "adaptation" else "connection"
    inspector.get_by_label("Method of this join").select_option(other)
    page.wait_for_function(f"() => document.querySelector('[aria-label=Undo]').title.includes('by {other}')")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name=re.compile(f"^Join walk to kick: {kind}")).wait_for()


def test_the_inspector_changes_a_clip(page: Any) -> None:
    b.add(page, "walk")
    b.made(page)
    b.clip(page, "walk").click()
    inspector = page.get_by_role("region", name="Inspector").last
    inspector.get_by_label("Repeat").fill("3")
    inspector.get_by_label("Repeat").press("Enter")
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('play walk 3 times')")
    b.made(page)
    long = b.span(b.clip(page, "walk"))[1]
    inspector.get_by_label("Speed").fill("2")
    inspector.get_by_label("Speed").press("Enter")
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('walk at 2')")
    b.made(page)
    assert abs(b.span(b.clip(page, "walk"))[1] - long / 2) < 0.11


def test_saving_opening_and_the_saved_dot(page: Any, process: b.Process) -> None:
    b.add(page, "walk")
    page.get_by_text("never saved", exact=True).wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_label("Save as").fill("mine")
    page.get_by_label("Save as").press("Enter")
    page.get_by_text("saved", exact=True).wait_for()
    written = next(process.folder.glob("mine*.json"))
    assert [entry["clip"] for entry in json.loads(written.read_text())["tracks"][0]["clips"]] == ["walk"]
    b.new_project(page)
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_label("Path to open").fill(written.name)
    page.get_by_label("Path to open").press("Enter")
    b.clip(page, "walk").wait_for()


def test_a_reload_loses_nothing(page: Any) -> None:
    b.add(page, "walk")
    b.add(page, "kick")
    b.made(page)
    kick = b.clip(page, "kick")
    x, y = b.middle(kick)
    b.drag(page, (x, y), (x + 90, y), drop=False)  # in mid-drag
    page.reload()
    b.settled(page)
    b.clip(page, "kick").wait_for()
    assert b.clips(page).count() == 2
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 1")


def test_two_pages_see_each_others_edits(page: Any, chromium: Any, process: b.Process) -> None:
    other = b.open_page(chromium, process)
    b.add(page, "walk")
    b.clip(other, "walk").wait_for()
    other.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("Drag a clip here, or press D for a demo").wait_for()
    assert other.wrong == []
    other.context.close()


def test_a_killed_studio_comes_back_with_everything(page: Any, process: b.Process) -> None:
    b.add(page, "walk")
    b.add(page, "kick")
    b.made(page)
    page.wait_for_timeout(1500)  # unsaved work is kept within a second
    process.kill()
    page.get_by_text("reconnecting…").wait_for()
    process.start()
    page.wait_for_function("() => document.querySelector('.saved')?.dataset.state !== 'offline'")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 2")
    assert b.clip(page, "walk").count() == b.clip(page, "kick").count() == 1
