"""A folder made playable in a real browser: found, ticked, steered, shoved, in a crowd, recorded, on the timeline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser_studio as b
import pytest

import footfall as ff

pytestmark = b.marks("long")
STEP = "v -4 0 -4\nv 4 0 -4\nv 4 0 1\nv -4 0 1\nv -4 .2 1\nv 4 .2 1\nv 4 .2 9\nv -4 .2 9\nf 1 4 3 2\nf 5 8 7 6\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("playable") / "takes"
    folder.mkdir()
    ff.save(ff.motion("stand"), folder / "stand.bvh")
    for speed in (0.9, 1.4):
        ff.save(ff.motion("walk", speed=speed, cycles=4).resample(30.0), folder / f"walk {speed}.bvh")
    (folder / "step.obj").write_text(STEP)
    with b.own_page(folder, (1200, 720)) as made:
        made.get_by_role("tab", name="Live").click()
        yield made


def place(page: Any) -> tuple[float, float]:
    at = page.evaluate("() => __footfall.stage.actors.get(-1).place")
    return at["x"], at["z"]


def test_a_folder_becomes_a_character_and_what_is_unticked_is_left_out(page: Any) -> None:
    page.get_by_role("button", name="Make my folder playable…").click()
    page.get_by_role("button", name="Find motions and build").click()
    page.get_by_role("progressbar", name="Making the folder playable").first.wait_for()
    rows = page.get_by_role("group", name="What was found").get_by_role("checkbox")
    rows.first.wait_for(timeout=b.GRAPH_MS)
    page.get_by_label("Graph", exact=True).wait_for()
    assert page.get_by_label("Graph", exact=True).input_value() == "playable.graph"
    fast = page.get_by_role("checkbox", name=re.compile(r"walk 1\.4\.bvh at"))
    used = [box for box in fast.all() if box.is_checked()]
    assert used
    for box in used:
        box.uncheck()
    page.get_by_role("button", name="Build with what is ticked").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.found-row small')].some((one) => one.textContent === 'switched off')",
        timeout=b.GRAPH_MS,
    )
    page.get_by_role("button", name="Close the folder's sheet").click()
    page.get_by_role("button", name="Forward").wait_for(timeout=b.GRAPH_MS)


def test_ones_own_character_climbs_a_ground_of_the_folder(page: Any, tmp_path: Path) -> None:
    hero = ff.save(ff.retarget(ff.motion("stand"), "adult:1.3"), tmp_path / "hero.glb")
    page.get_by_role("tab", name="Arrange").click()
    b.upload(page, hero, to="Characters to upload")
    page.get_by_role("button", name="Use hero").wait_for()
    page.get_by_role("tab", name="Live").click()
    page.get_by_label("Graph", exact=True).select_option("playable.graph")
    page.get_by_label("Character", exact=True).select_option(label="hero")
    page.get_by_label("Ground", exact=True).select_option(label="step.obj")
    there = "__footfall.stage.onGround && __footfall.stage.skins === 1 && __footfall.stage.actors.get(-1).pose"
    page.wait_for_function(f"() => {there}", timeout=b.GRAPH_MS)
    low = page.evaluate("() => __footfall.stage.actors.get(-1).place.y")
    page.keyboard.down("w")
    b.doing(page, r"^walk")
    page.wait_for_function("low => __footfall.stage.actors.get(-1).place.y > low + 0.12", arg=low)
    page.keyboard.up("w")
    b.doing(page, r"^stand")
    page.get_by_label("Character", exact=True).select_option(label="graph's own body")
    page.get_by_label("Ground", exact=True).select_option(label="level floor")
    page.wait_for_function("() => !__footfall.stage.onGround && __footfall.stage.actors.get(-1)?.pose")


def test_it_is_steered_and_shoved_by_the_mouse(page: Any) -> None:
    page.keyboard.down("w")
    b.doing(page, r"^walk")
    page.keyboard.up("w")
    b.doing(page, r"^stand")
    page.wait_for_timeout(1500)
    before = place(page)
    box = page.get_by_label("Stage").last.bounding_box()
    at = page.evaluate(
        """() => {
            const stage = __footfall.stage, box = stage.element.getBoundingClientRect();
            const p = stage.actors.get(-1).pose.slice(0, 3);
            const v = stage.target.position.clone().set(p[0], p[1], p[2]).project(stage.view.camera);
            return [box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height];
        }"""
    )
    b.drag(page, (at[0], at[1]), (min(at[0] + 260, box["x"] + box["width"] - 300), at[1] + 30), drop=True)
    now = "__footfall.stage.actors.get(-1).place"
    page.wait_for_function(f"at => Math.hypot({now}.x - at[0], {now}.z - at[1]) > 0.15", arg=list(before))
    assert page.locator(".shove").count() == 0


def test_a_crowd_comes_and_goes(page: Any) -> None:
    crowd = page.get_by_role("slider", name="Crowd")
    crowd.fill("60")
    page.wait_for_function("() => __footfall.stage.crowd.size === 60")
    seen = page.evaluate("() => __footfall.stage.crowd.mesh.instanceMatrix.version")
    page.wait_for_function("n => __footfall.stage.crowd.mesh.instanceMatrix.version > n + 3", arg=seen)
    page.get_by_text("crowd 60").wait_for()
    crowd.fill("0")
    page.wait_for_function("() => __footfall.stage.crowd.size === 0")


def test_what_it_does_is_recorded_and_lands_on_the_timeline(page: Any) -> None:
    page.get_by_role("button", name="Record", exact=True).click()
    page.keyboard.down("w")
    b.doing(page, r"^walk")
    page.wait_for_timeout(1500)
    page.keyboard.up("w")
    page.get_by_role("button", name="Stop recording").click()
    page.get_by_text("was added to the library; drag it to the timeline").wait_for()
    name = page.locator(".live .toast strong").inner_text()
    page.get_by_role("button", name="Go to Arrange").click()
    b.add(page, name)
    b.made(page)
    start, end = b.span(b.clips(page).first)
    assert end - start > 1.0
