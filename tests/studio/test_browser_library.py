"""The library in a real browser: clips looked at before they are used, a part inserted, tags, favourites, names."""

from __future__ import annotations

from typing import Any

import browser_studio as b

pytestmark = b.marks("slow")


def look_at(page: Any, name: str) -> Any:
    page.get_by_role("listitem", name=name, exact=True).click()
    preview = page.get_by_role("group", name="Preview")
    preview.get_by_role("button", name="Hold the preview").wait_for()
    return preview


def rows(page: Any) -> list[str]:
    return page.evaluate("() => [...document.querySelectorAll('.library-clip')].filter((r) => r.offsetParent)"
                         ".map((r) => r.querySelector('.clip-title').textContent)")  # fmt: skip


def test_a_click_plays_a_clip_and_a_part_of_it_is_inserted(page: Any) -> None:
    b.add(page, "walk")
    b.made(page)
    preview = look_at(page, "wave")
    page.wait_for_function("() => window.__footfall.stage.figures === 1")
    second = preview.get_by_label("Second of the clip")
    before = second.input_value()
    page.wait_for_function(
        "(before) => document.querySelector('.audition input[type=range]').value !== before", arg=before
    )
    page.get_by_role("button", name="Hold the preview").click()
    second.fill("0.5")
    page.keyboard.press("i")
    second.fill("2.25")
    page.keyboard.press("o")
    preview.get_by_text("part 0.50–2.25 s").wait_for()
    page.keyboard.press("Enter")
    preview.wait_for(state="hidden")
    b.clip(page, "wave").wait_for()
    b.made(page)
    b.clip(page, "wave").click()
    assert page.get_by_label("Trim from").input_value() == "0.50"
    assert page.get_by_label("Trim to").input_value() == "2.25"
    page.keyboard.press("Escape")
    look_at(page, "kick")
    page.keyboard.press("Escape")
    page.get_by_role("group", name="Preview").wait_for(state="hidden")


def test_clips_like_a_moment_come_by_how_like_they_are(page: Any) -> None:
    look_at(page, "walk")
    page.get_by_role("button", name="More like this").click()
    page.get_by_text("Like walk", exact=True).wait_for()
    found = rows(page)
    assert found[0] == "walk"
    # the preview plays on, so the moment asked for is any of the walk's: what walks then is liker than what stands
    assert any(word in found[1] for word in ("walk", "stop", "start"))
    assert not {"bow", "kick", "punch", "wave"} & set(found)
    page.get_by_role("button", name="All clips again").click()
    assert len(rows(page)) > len(found)
    page.keyboard.press("Escape")


def test_tags_sorting_favourites_and_names(page: Any) -> None:
    page.get_by_role("group", name="Tags").get_by_role("button", name="jump", exact=True).click()
    assert "jump" in rows(page)
    assert "bow" not in rows(page)
    page.get_by_role("group", name="Tags").get_by_role("button", name="jump", exact=True).click()
    page.get_by_label("Sort clips by").select_option("By name")
    assert rows(page) == sorted(rows(page), key=str.lower)
    page.get_by_role("listitem", name="kick", exact=True).hover()
    page.get_by_role("button", name="Favourite: kick", exact=True).click()
    page.get_by_role("button", name="Favourites only").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.library-clip')].filter((r) => r.offsetParent).length === 1"
    )
    assert rows(page) == ["kick"]
    page.get_by_role("button", name="Favourites only").click()
    preview = look_at(page, "bow")
    preview.get_by_label("Name of the clip").fill("deep bow")
    preview.get_by_label("Name of the clip").press("Enter")
    page.get_by_role("listitem", name="deep bow", exact=True).wait_for()
    page.reload()
    b.settled(page)
    page.get_by_role("listitem", name="deep bow", exact=True).wait_for()  # kept with the folder
    b.add(page, "deep bow")
    b.clip(page, "deep bow").wait_for()
    preview = look_at(page, "deep bow")
    preview.get_by_label("Name of the clip").fill("")
    preview.get_by_label("Name of the clip").press("Enter")
    page.get_by_role("listitem", name="bow", exact=True).wait_for()  # its own name again
    page.get_by_role("button", name="Favourite: kick", exact=True).click()
