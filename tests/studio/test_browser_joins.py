"""The Joins tab in a real browser: two clips by every method, the map of moments, and taking a join over."""

from __future__ import annotations

import re
from typing import Any

import browser_studio as b

import footfall as ff

pytestmark = b.marks("slow")
METHODS = ("auto", "by-example", "classifier", "crossfade", "dead-blend", "inertialize")


def card(page: Any, method: str) -> Any:
    """The card of a method that has been made."""
    return page.get_by_role("group", name=re.compile(rf"^{method}: (good|fair|poor), "))


def compare(page: Any, first: str, second: str) -> None:
    """Choose two clips, and wait until every method has joined them."""
    page.get_by_role("tab", name="Joins").click()
    page.get_by_label("First clip", exact=True).select_option(label=first)
    page.get_by_label("Second clip", exact=True).select_option(label=second)
    made(page)


def made(page: Any) -> None:
    """Wait until all joins that were asked for are there."""
    page.wait_for_function(
        """() => {
            const cards = [...document.querySelectorAll('.card')];
            return cards.length > 0 && cards.every((one) => !one.classList.contains('waits')
                && !one.ariaLabel.endsWith('being made')) && window.__footfall.lineup.figures === cards.length;
        }"""
    )


def test_every_method_is_seen_side_by_side_and_in_step(page: Any) -> None:
    compare(page, "walk (cycles 4)", "kick")
    for method in METHODS:
        assert card(page, method).is_visible()
        assert card(page, method).locator(".card-verdict").text_content()
    page.get_by_role("button", name="Pause the joins").click()
    scrub = page.get_by_role("slider", name="Seconds after the first clip is left")
    scrub.fill("0.5")
    page.get_by_text("+0.50 s").wait_for()
    page.keyboard.press("Escape")
    page.locator(".card-view").first.click()  # the focus leaves the slider
    page.get_by_role("button", name="Play the joins in step").click()
    page.wait_for_function("() => !document.querySelector('.joins-transport .clock').textContent.includes('0.50')")
    for curve in ("Skate", "Push", "Acceleration"):
        drawn = page.get_by_role("img", name=f"{curve} of every method over time")
        assert drawn.locator("polyline").count() == len(METHODS)
    assert page.get_by_role("button", name="Pause the joins").is_visible()
    seats = "[...window.__footfall.lineup.seats.values()]"
    paths = page.evaluate(f"() => {seats}.map((one) => [one.prints.mesh.count, one.trails.group.children.length])")
    assert len(paths) == len(METHODS)
    assert all(prints >= 2 and lines >= 2 for prints, lines in paths)  # where feet stood, and the ways they took
    page.get_by_label("Ghost of the first").uncheck()
    page.wait_for_timeout(200)


def test_a_moment_is_clicked_on_the_map_dragged_and_lengthened(page: Any) -> None:
    compare(page, "walk (cycles 4)", "kick")
    field = page.get_by_role("group", name="Map of moments")
    page.wait_for_selector(".join-map[data-fine='1']")
    field.get_by_text("of them are believable").wait_for()  # the judge has seen every spot
    spots = field.get_by_role("button", name=re.compile("^Moment "))
    assert spots.count() >= 3
    last = spots.last
    told = re.search(r"leave at ([\d.]+) s, enter at ([\d.]+) s", last.get_attribute("aria-label"))
    assert told
    last.click()
    page.get_by_text(f"{told[1]} → {told[2]} s").first.wait_for()
    made(page)
    assert page.locator(".card-moment").all_text_contents() == [f"{told[1]} → {told[2]} s"] * len(METHODS)
    box = field.get_by_role("img").bounding_box()
    b.drag(page, (box["x"] + 40, box["y"] + 40), (box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]))
    made(page)
    assert f"{told[1]} →" not in page.locator(".card-moment").first.text_content()
    before = page.locator(".card-moment").first.text_content()
    page.get_by_role("slider", name="Leave the first clip at").fill("1.5")
    page.get_by_text(re.compile(r"^1\.50 → ")).first.wait_for()
    made(page)
    assert page.locator(".card-moment").first.text_content() != before
    page.get_by_role("slider", name="Length of the transition").fill("0.8")
    page.get_by_text("0.80 s", exact=True).first.wait_for()
    made(page)
    assert page.get_by_role("slider", name="Length of the transition").input_value() == "0.8"


def test_every_method_may_choose_its_own_moment(page: Any) -> None:
    compare(page, "walk", "kick")
    page.get_by_role("button", name="Let each choose").click()
    made(page)
    assert len(set(page.locator(".card-moment").all_text_contents())) > 1  # they do not agree


def test_a_join_is_taken_over_into_the_timeline(page: Any) -> None:
    compare(page, "walk", "kick")
    page.get_by_role("button", name="Use crossfade in the timeline").click()
    b.clip(page, "walk to kick crossfade").wait_for()
    b.made(page)
    assert page.get_by_role("tab", name="Arrange").get_attribute("aria-selected") == "true"
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 0")


def test_keys_of_the_tab_edit_nothing_unseen(page: Any) -> None:
    b.add(page, "walk")
    b.clip(page, "walk").click()
    page.keyboard.press("4")
    made(page)
    page.get_by_role("button", name="Pause the joins").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play the joins in step").wait_for()
    page.keyboard.press("Delete")
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert b.clips(page).count() == 1


def test_which_clips_blend_and_a_cure_is_a_click_away(page: Any, process: b.Process) -> None:
    for name, clip in {"mywalk": ff.motion("walk"), "mymirrored": ff.motion("walk").mirror()}.items():
        b.upload(page, ff.save(clip, process.folder.parent / f"{name}.npz"))
        page.get_by_role("listitem", name=name, exact=True).wait_for()
    page.get_by_role("tab", name="Joins").click()
    page.get_by_role("group", name="Compare").get_by_role("button", name="Library").click()
    page.get_by_label("Clips of").select_option("uploads")
    page.get_by_text("2 clips, 0 pairs blend").wait_for()
    page.get_by_role("button", name=re.compile("^(mywalk and mymirrored|mymirrored and mywalk): start-foot$")).click()
    detail = page.get_by_role("region", name="The pair")
    assert detail.get_by_text("first strikes:").is_visible()
    detail.get_by_role("button", name="Make “mymirrored mirrored”").click()
    page.get_by_label("Clips of").select_option("every clip")
    cell = page.get_by_role(
        "button", name=re.compile("^(mywalk and mymirrored mirrored|mymirrored mirrored and mywalk): blend$")
    )
    cell.click()
    detail.get_by_text("These two blend").wait_for()
    detail.get_by_role("button", name="Compare joins: mywalk → mymirrored mirrored").click()
    made(page)
    assert (
        page.get_by_label("Second clip", exact=True).locator("option:checked").text_content() == "mymirrored mirrored"
    )
