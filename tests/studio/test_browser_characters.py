"""One's own character in a real browser: put on the shelf, seen with its skin, chosen for a track, and exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser_studio as b
import pytest

import footfall as ff

pytestmark = b.marks("slow")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with b.own_page(tmp_path_factory.mktemp("characters") / "work") as made:
        yield made


def test_a_character_is_worn_by_a_track_and_exported(page: Any, tmp_path: Path) -> None:
    hero = ff.save(ff.retarget(ff.motion("stand"), "adult:1.3"), tmp_path / "hero.glb")
    (tmp_path / "broken.glb").write_bytes(b"glTF")
    b.upload(page, tmp_path / "broken.glb", hero, to="Characters to upload")
    page.get_by_role("list", name="Characters on their way").get_by_text("broken.glb").wait_for()
    use = page.get_by_role("button", name="Use hero")
    use.wait_for()
    page.get_by_role("list", name="Characters", exact=True).get_by_text("1.30 m").wait_for()
    page.wait_for_selector(".shelf-picture img")  # a picture with its skin
    b.add(page, "walk")
    b.made(page)
    use.click()
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('by hero')")
    b.made(page)
    page.wait_for_function("() => window.__footfall.stage.skins === 1")
    shown = page.get_by_label("Character of track Hero")
    assert shown.evaluate("(one) => one.selectedOptions[0].textContent") == "hero"
    clip = ff.load(b.exported(page, tmp_path / "take.glb"))
    assert clip.skin is not None
    assert clip.skeleton.height == pytest.approx(1.3, abs=0.06)
    assert clip.duration > 0.9


def test_a_character_is_dragged_onto_a_track(page: Any) -> None:
    item = page.get_by_role("listitem", name="tall adult, 1.95 m")
    item.scroll_into_view_if_needed()
    box, name = item.bounding_box(), page.get_by_label("Name of track Hero").bounding_box()
    b.drag(page, (box["x"] + 60, box["y"] + 8), (name["x"] + 20, name["y"] + 8))
    page.wait_for_function("() => document.querySelector('.track-character').value === 'adult:1.95'")
    b.made(page)
    page.wait_for_function("() => window.__footfall.stage.skins === 0")
