"""Placing a character on the floor in a real browser: its ring dragged, its arrow turned, numbers typed, undone."""

from __future__ import annotations

from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("long")
AT = """(ahead) => {
    const stage = __footfall.stage, box = stage.element.getBoundingClientRect(), at = stage.place.shown;
    const turn = at.headingDeg * Math.PI / 180;
    const v = stage.target.position.clone().set(at.x + ahead * Math.sin(turn), 0, at.z + ahead * Math.cos(turn));
    v.project(stage.view.camera);
    return [box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height];
}"""


def number(page: Any, label: str) -> float:
    return float(page.get_by_label(label, exact=True).input_value())


def begun(page: Any) -> tuple[float, float]:
    x, z = page.evaluate(
        "() => { const f = [...__footfall.stage.takes.values()][0]; return [f.poses[0], f.poses[2]]; }"
    )
    return x, z


def test_a_character_is_dragged_and_turned_on_the_floor(page: Any) -> None:
    b.add(page, "walk")
    b.made(page)
    b.clip(page, "walk").click()
    page.get_by_text("Character begins").wait_for()
    page.keyboard.press("Home")
    page.wait_for_timeout(1500)  # the camera comes to rest
    start = begun(page)
    x, y = page.evaluate(AT, 0.0)
    b.drag(page, (x, y), (x + 90, y + 20))
    first = "[...__footfall.stage.takes.values()][0].poses"
    page.wait_for_function(f"at => Math.hypot({first}[0] - at[0], {first}[2] - at[1]) > 0.2", arg=list(start))
    moved = begun(page)
    assert number(page, "Begins at x") == pytest.approx(moved[0], abs=0.2)
    assert number(page, "Begins at z") == pytest.approx(moved[1], abs=0.2)
    page.wait_for_timeout(1500)
    facing = number(page, "Begins facing")
    tip = page.evaluate(AT, 0.85)
    middle = page.evaluate(AT, 0.0)
    b.drag(page, tuple(tip), (middle[0] - 70, middle[1] + 8))
    page.wait_for_function(
        "was => Number(document.querySelector('[aria-label=\"Begins facing\"]').value) !== was", arg=facing
    )
    page.get_by_label("Begins at x", exact=True).fill("2.5")
    page.get_by_label("Begins at x", exact=True).press("Enter")
    page.wait_for_function("() => Math.abs([...__footfall.stage.takes.values()][0].poses[0] - 2.5) < 0.15")
    page.get_by_role("button", name="As its clip").click()
    page.wait_for_function("() => Math.abs([...__footfall.stage.takes.values()][0].poses[0]) < 0.5")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => Math.abs([...__footfall.stage.takes.values()][0].poses[0] - 2.5) < 0.15")
