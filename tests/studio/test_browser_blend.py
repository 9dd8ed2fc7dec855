"""The Blend space tab in a real browser: a handle dragged, methods compared, own spaces, a reach on the timeline."""

from __future__ import annotations

import re
from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("slow")
ALL_MAPPED = "() => document.querySelectorAll('.blend-method[data-mapped]').length === 5"
PAINTED = """(canvases) => Object.fromEntries(canvases.map((one) => [one.dataset.picture,
    one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some((value) => value > 0)]))"""
MAPS_MS = 240_000.0  # inverse blending searches for every point of its map


def open_space(page: Any, space: str, parameter: str) -> None:
    """The tab with a space, its first answer there."""
    page.get_by_role("tab", name="Blend space").click()
    page.get_by_role("combobox", name="Blend space").locator(f"option[value='{space}']").wait_for(state="attached")
    page.get_by_role("combobox", name="Blend space").select_option(space)
    page.get_by_label(f"Achieved {parameter}", exact=True).filter(has_text=re.compile(r"\d")).wait_for()


def point(page: Any, across: float, up: float) -> tuple[float, float]:
    box = page.get_by_role("group", name="Examples").bounding_box()
    return box["x"] + across * box["width"], box["y"] + (1.0 - up) * box["height"]


def asked(page: Any, parameter: str) -> float:
    return float(page.get_by_label(f"Asked {parameter}", exact=True).input_value())


def achieved(page: Any, parameter: str) -> float:
    return float(page.get_by_label(f"Achieved {parameter}", exact=True).inner_text())


def answered(page: Any) -> None:
    """Wait until the handle's newest place has been answered: the mark of what is achieved is shown again."""
    page.wait_for_function("() => document.querySelector('.blend-plane .reached-mark').style.visibility === 'visible'")
    page.wait_for_timeout(300)


def pose(page: Any) -> list[float]:
    return page.evaluate("() => [...__footfall.stage.actors.get(-2).pose]")


def test_the_figure_follows_the_handle_and_does_what_is_asked(page: Any) -> None:
    open_space(page, "walk", "speed")
    page.get_by_role("button", name="Hold the blend").click()
    page.wait_for_function("() => __footfall.stage.figures === 1")
    before = pose(page)
    b.drag(page, point(page, 0.5, 0.5), point(page, 0.62, 0.68))
    answered(page)
    speed, turn = asked(page, "speed"), asked(page, "turn")
    assert speed > 1.3
    assert turn < -5.0  # to the right in the picture is to the right of the character
    assert achieved(page, "speed") == pytest.approx(speed, abs=0.02)
    assert achieved(page, "turn") == pytest.approx(turn, abs=0.5)
    assert max(abs(x - y) for x, y in zip(pose(page), before, strict=True)) > 0.02
    weights = page.get_by_role("list", name="Weights of the examples").get_by_role("listitem")
    assert weights.count() >= 2
    told = [int(re.findall(r"(-?\d+) %", text)[0]) for text in weights.all_inner_texts()]
    assert 80 <= sum(told) <= 120
    assert page.evaluate("() => __footfall.blendMs.length") > 3


def test_it_walks_on_its_own_and_can_be_held_at_a_moment(page: Any) -> None:
    open_space(page, "walk", "speed")
    where = "() => { const a = __footfall.stage.actors.get(-2); return a?.pose ? a.place.z : 0; }"
    page.wait_for_function(f"() => ({where})() !== 0")
    first = page.evaluate(where)
    page.wait_for_function(f"z => ({where})() > z + 0.5", arg=first)
    page.get_by_role("slider", name="Moment").fill("0.25")
    page.get_by_role("button", name="Play the blend").wait_for()  # it holds


def test_methods_have_maps_and_switching_them_keeps_the_moment(page: Any) -> None:
    open_space(page, "walk", "speed")
    page.get_by_role("slider", name="Moment").fill("0.4")
    page.get_by_role("combobox", name="Map").select_option("error")
    page.get_by_role("img", name="Map of error").wait_for()
    page.wait_for_function(ALL_MAPPED, timeout=MAPS_MS)
    figures = {
        name: float(page.get_by_role("radio", name=name).inner_text().split("\n")[1].split(" %")[0])
        for name in ("barycentric", "rbf", "knn", "inverse-blending", "smooth-inverse")
    }
    assert figures["smooth-inverse"] < 0.1 * figures["barycentric"]
    for name in figures:
        pictures = page.get_by_role("radio", name=name).locator("canvas")
        assert pictures.evaluate_all(PAINTED) == {"error": True, "smoothness": True, "flow": True}, name
    page.get_by_role("combobox", name="Map").select_option("smoothness")
    page.get_by_role("img", name="Map of smoothness").wait_for()
    b.drag(page, point(page, 0.5, 0.5), point(page, 0.35, 0.35))
    answered(page)
    exact, before = achieved(page, "speed"), pose(page)
    page.get_by_role("radio", name="barycentric").click()
    assert page.get_by_role("radio", name="barycentric").get_attribute("aria-checked") == "true"
    answered(page)
    assert float(page.get_by_role("slider", name="Moment").input_value()) == pytest.approx(0.4, abs=1e-3)
    assert 0.0 < max(abs(x - y) for x, y in zip(pose(page), before, strict=True)) < 0.2  # the same moment, nearly
    assert abs(achieved(page, "speed") - exact) < 0.2
    page.get_by_role("button", name="Example walk 7", exact=True).click()
    page.get_by_role("img", name="Map of weight").wait_for()
    page.get_by_text("weight of walk 7").wait_for()


def test_a_reach_is_blended_and_lands_on_the_timeline(page: Any) -> None:
    """Journey: three parameters by handle, slider and number, then the clip in Arrange."""
    open_space(page, "reach", "z")
    page.get_by_role("button", name="Play the blend").wait_for()  # an action is held where it reaches
    b.drag(page, point(page, 0.5, 0.5), point(page, 0.56, 0.62))
    page.get_by_role("slider", name="z (m)").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_label("Asked y", exact=True).fill("1.3")
    page.get_by_label("Asked y", exact=True).press("Enter")
    answered(page)
    assert asked(page, "y") == pytest.approx(1.3)
    page.get_by_role("slider", name="Handle").focus()
    page.keyboard.press("ArrowUp")
    answered(page)
    assert asked(page, "y") > 1.31
    for name in "xyz":
        assert achieved(page, name) == pytest.approx(asked(page, name), abs=0.02)
    page.get_by_role("button", name="Put on the timeline").click()
    page.get_by_text("was put on the timeline").wait_for()
    page.get_by_role("button", name="Go to Arrange").click()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 1")
    b.made(page)
    assert b.clips(page).first.get_attribute("aria-label").startswith("reach x")
    start, end = b.span(b.clips(page).first)
    assert end - start > 1.0


def test_a_space_is_made_of_library_clips(page: Any) -> None:
    walks = ("walk", "walk (speed 0.8)", "walk (turn 40, cycles 3)", "walk (turn -40, cycles 3)")
    for name in walks:  # the form offers what is known when it is opened
        page.get_by_role("button", name=f"Add {name} to the timeline", exact=True).wait_for(state="attached")
    page.get_by_role("tab", name="Blend space").click()
    page.get_by_role("button", name="New from clips…").click()
    make = page.get_by_role("button", name="Make the space")
    assert make.is_disabled()
    page.get_by_label("Find clips to blend").fill("walk")
    for name in walks:
        page.get_by_role("group", name="Clips to blend").get_by_text(name, exact=True).click()
    page.get_by_label("Name of the space").fill("my walks")
    page.evaluate("""() => {
        const bar = document.querySelector("progress[aria-label='Drawing maps']");
        window.shares = [];
        new MutationObserver(() => { if (!bar.hidden) window.shares.push(bar.value); })
            .observe(bar, { attributes: true, attributeFilter: ["value", "hidden"] });
    }""")
    make.click()
    page.get_by_role("combobox", name="Blend space").locator("option[value='my walks']").wait_for(state="attached")
    page.wait_for_function("() => document.querySelector('select[aria-label=\"Blend space\"]').value === 'my walks'")
    page.get_by_label("Achieved speed", exact=True).filter(has_text=re.compile(r"\d")).wait_for()
    assert page.locator(".blend-example").count() == 4
    page.wait_for_function(ALL_MAPPED, timeout=MAPS_MS)
    for name in ("barycentric", "rbf", "knn", "inverse-blending", "smooth-inverse"):
        pictures = page.get_by_role("radio", name=name).locator("canvas")
        assert pictures.evaluate_all(PAINTED) == {"error": True, "smoothness": True, "flow": True}, name
    shares = page.evaluate("() => window.shares")
    assert len(set(shares)) >= 5  # told at least once for every method
    assert max(shares) > 0.8
    page.get_by_role("button", name="New from clips…").click()
    page.get_by_label("Find clips to blend").fill("kick")
    page.get_by_role("group", name="Clips to blend").get_by_text("kick", exact=True).click()
    page.get_by_label("Find clips to blend").fill("walk")
    page.get_by_role("group", name="Clips to blend").get_by_text("walk", exact=True).click()
    page.get_by_role("button", name="Make the space").click()
    page.locator(".blend-panel .problem").filter(has_text="leave it out").wait_for()  # a walk and a kick do not blend
