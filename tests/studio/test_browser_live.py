"""The Live tab in a real browser: steered by keys and pointer, an action, a recording that goes on the timeline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import browser_studio as b
import pytest

pytestmark = b.marks("slow")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with b.own_page(tmp_path_factory.mktemp("live") / "work", (900, 600)) as made:
        made.get_by_role("tab", name="Live").click()
        made.get_by_role("button", name="Forward").wait_for(timeout=b.GRAPH_MS)
        yield made


def test_keys_walk_run_and_stand(page: Any) -> None:
    page.keyboard.down("w")
    assert "down" in page.get_by_role("button", name="Forward").get_attribute("class")
    b.doing(page, r"^walk · [01]\.[5-9]|^walk · 1\.")
    page.keyboard.down("Shift")
    b.doing(page, r"^run ")
    page.keyboard.up("Shift")
    page.keyboard.up("w")
    b.doing(page, r"^stand · 0\.0")
    seen = page.evaluate("() => [__footfall.stage.been.points, __footfall.stage.stood.prints]")
    assert seen[0] > 5  # its path on the floor
    assert seen[1] >= 2  # and where its feet stood
    assert page.get_by_role("button", name="Keys", exact=True).get_attribute("aria-pressed") == "true"


def test_a_held_key_floods_nothing_and_is_let_go_with_the_window(page: Any) -> None:
    page.evaluate("""() => {
        const send = WebSocket.prototype.send;
        window.sent = [];
        WebSocket.prototype.send = function (data) { window.sent.push(JSON.parse(data)); send.call(this, data); };
    }""")
    for _ in range(40):  # it repeats
        page.keyboard.down("w")
    b.doing(page, r"^walk")
    steers = [{**one, "sentMs": 0} for one in page.evaluate("() => window.sent") if one["type"] == "live_steer"]
    assert len({str(one) for one in steers[2:]}) <= 1  # a wish that stays is only said again now and then
    # a hidden page: nothing is drawn, so nothing is left to a next frame
    page.evaluate("""() => {
        window.kept = requestAnimationFrame;
        window.waiting = [];  // frames that are asked for meanwhile: lost, the page would wait for them for ever
        window.requestAnimationFrame = (frame) => window.waiting.push(frame);
    }""")
    steers = "window.sent.filter((one) => one.type === 'live_steer').map((one) => one.motion)"
    page.evaluate("() => { window.sent.length = 0; dispatchEvent(new Event('blur')); }")
    sent = page.evaluate(f"() => {steers}")
    page.evaluate("() => { window.requestAnimationFrame = window.kept; window.waiting.forEach((f) => kept(f)); }")
    page.evaluate("() => __footfall.stage.invalidate()")
    assert sent == ["stand"]
    page.keyboard.up("w")
    page.get_by_label("Ground", exact=True).select_option(label="level floor")  # begins anew
    b.doing(page, r"^stand")


def test_an_action_is_done_once(page: Any) -> None:
    page.get_by_role("button", name="Do kick").click()
    b.doing(page, r"kick")
    b.doing(page, r"^stand")


def test_it_goes_where_the_pointer_is(page: Any) -> None:
    page.get_by_role("button", name="Pointer", exact=True).click()
    box = page.get_by_label("Stage").last.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.55 * box["height"])
    page.mouse.move(box["x"] + 0.22 * box["width"], box["y"] + 0.55 * box["height"])
    b.doing(page, r"^walk|^run")
    b.doing(page, r"^stand")


def test_it_walks_up_a_slope_that_is_drawn(page: Any) -> None:
    page.get_by_label("Ground", exact=True).select_option(label="slope up, 12 %")
    page.wait_for_function("() => __footfall.stage.onGround && __footfall.stage.actors.get(-1)?.pose")
    page.get_by_role("button", name="Forward").wait_for()
    low = page.evaluate("() => __footfall.stage.actors.get(-1).place.y")
    page.keyboard.down("w")
    b.doing(page, r"^walk")
    page.wait_for_function("low => __footfall.stage.actors.get(-1).place.y > low + 0.12", arg=low)
    page.keyboard.up("w")
    b.doing(page, r"^stand")
    page.get_by_label("Ground", exact=True).select_option(label="level floor")
    page.wait_for_function("() => !__footfall.stage.onGround && __footfall.stage.actors.get(-1)?.pose")


def test_graph_plane_and_meters_tell_what_happens(page: Any) -> None:
    graph = page.get_by_label("Graph builtin")
    assert graph.locator("[data-node]").count() >= 4
    page.keyboard.down("w")
    graph.locator("[data-node=walk].now").wait_for()
    page.get_by_label("Parameters of walk: speed, turn").wait_for()
    assert page.locator(".example").count() > 4
    page.keyboard.up("w")
    b.doing(page, r"^stand")
    for meter in ("Response", "Slide", "Penetration"):
        assert re.search(r"\d", page.get_by_role("group", name=meter).inner_text()), meter


def test_a_recording_lands_in_the_library_and_on_the_timeline(page: Any) -> None:
    page.get_by_role("button", name="Record", exact=True).click()
    page.keyboard.down("w")
    b.doing(page, r"^walk")
    page.wait_for_timeout(1500)
    page.keyboard.up("w")
    page.get_by_role("button", name="Stop recording").click()
    toast = page.get_by_text("was added to the library; drag it to the timeline")
    toast.wait_for()
    name = page.locator(".toast strong").inner_text()
    page.get_by_role("button", name="Go to Arrange").click()
    b.add(page, name)
    b.made(page)
    start, end = b.span(b.clips(page).first)
    assert end - start > 1.0
