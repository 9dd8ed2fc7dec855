"""What is around the clips, in a real browser: a walk drawn on the floor, stairs under it, two who meet, FBX files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("long")
ROOTS = """(track) => {
    const take = [...__footfall.stage.takes.values()][track], wide = 7 * take.joints;
    return Array.from({ length: take.frames }, (_, i) => [...take.poses.slice(i * wide, i * wide + 3)]);
}"""

TERRACE = "v -4 0 -4\nv 4 0 -4\nv 4 0 1\nv -4 0 1\nv -4 .2 1\nv 4 .2 1\nv 4 .2 20\nv -4 .2 20\nf 1 4 3 2\nf 5 8 7 6\n"
RISES = f"(() => {{ const roots = ({ROOTS})(0); return roots.at(-1)[1] - roots[0][1]; }})()"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("scene") / "work"
    folder.mkdir()
    (folder / "terrace.obj").write_text(TERRACE)
    with b.own_page(folder) as made:
        yield made


def drawn(page: Any, count: int) -> None:
    """A curve drawn on the floor, until so many clips are on the timeline."""
    page.get_by_role("button", name="Draw a walk").click()
    page.get_by_text("Press on the floor and draw").wait_for()
    box = page.get_by_label("Stage").last.bounding_box()
    x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.75 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    for n in range(1, 31):
        page.mouse.move(x + 9 * n, y - 40 * math.sin(n / 10))
    page.mouse.up()
    page.wait_for_function(
        "n => document.querySelectorAll('.tl-lane [data-clip]').length === n", arg=count, timeout=b.GRAPH_MS
    )
    b.made(page)


def test_a_line_drawn_on_the_floor_is_walked(page: Any) -> None:
    drawn(page, 1)
    assert b.span(b.clips(page).first)[1] > 1.5
    roots = page.evaluate(ROOTS, 0)
    assert math.dist(roots[0], roots[-1]) > 1.0
    page.get_by_text("walk along a path").first.wait_for()  # the library has it too


def test_stairs_are_drawn_climbed_and_undone(page: Any) -> None:
    ground = page.get_by_label("Ground of the take")
    ground.select_option(label="stairs up, 15 × 35 cm")
    page.wait_for_function("() => __footfall.stage.onGround")
    page.wait_for_function(f"() => {RISES} > 0.25")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => !__footfall.stage.onGround")
    page.wait_for_function(f"() => Math.abs({RISES}) < 0.1")
    assert ground.evaluate("(one) => one.selectedOptions[0].textContent") == "level floor"


def test_two_characters_meet_at_a_marker(page: Any) -> None:
    page.get_by_role("button", name="Add track").click()
    page.get_by_label("Name of track Rival").wait_for()
    page.keyboard.press("Escape")  # nothing is selected: the walk is for who has nothing to do
    drawn(page, 2)
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+M")
    page.get_by_role("button", name="Meet there").click()
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('meet')")
    b.made(page)
    at_s = float(page.get_by_label("Marker to meet at").input_value())
    places = page.evaluate(
        """(at) => [...__footfall.stage.takes.values()].map((take) => {
            const i = 7 * take.joints * Math.min(Math.round((at - take.startS) * take.fps), take.frames - 1);
            return [take.poses[i], take.poses[i + 2]];
        })""",
        at_s,
    )
    assert math.dist(*places) == pytest.approx(1.0, abs=0.25)  # pelvis to pelvis, with its sway


def test_fbx_files_are_clips_and_characters(page: Any, formats: Path, rigged_fbx: Path) -> None:
    b.upload(page, formats / "cmu_91_48.fbx")
    page.get_by_role("listitem", name="cmu_91_48").first.wait_for()
    b.upload(page, rigged_fbx, to="Characters to upload")
    page.get_by_role("button", name="Use robot").wait_for()
    page.wait_for_selector(".shelf-picture img")
    page.get_by_role("button", name="Use robot").click()
    b.made(page)
    page.wait_for_function("() => window.__footfall.stage.skins === 1")


def test_a_ground_of_ones_own_file_is_walked_on(page: Any) -> None:
    b.new_project(page)
    b.add(page, "walk (cycles 4)")
    b.made(page)
    page.get_by_label("Ground of the take").select_option(label="terrace.obj")
    page.wait_for_function("() => __footfall.stage.onGround")
    page.wait_for_function(f"() => {RISES} > 0.12")
    page.get_by_label("Ground of the take").select_option(label="level floor")
    page.wait_for_function(f"() => !__footfall.stage.onGround && Math.abs({RISES}) < 0.1")
