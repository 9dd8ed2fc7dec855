"""What is easily overlooked, in a real browser: an upload cancelled, folded files, gaps, letters, the camera."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser_studio as b
import pytest

import footfall as ff
from footfall.io.save import save

pytestmark = b.marks("long")
EXTENT = """() => {
    const stage = __footfall.stage, pose = [...stage.actors.values()][0].pose;
    const found = [];
    for (let i = 0; i < pose.length; i += 7) {
        const v = stage.target.position.clone().fromArray(pose, i).project(stage.view.camera);
        found.push([(v.x + 1) / 2, (1 - v.y) / 2]);
    }
    return found;
}"""


@pytest.fixture
def stuck(page: Any) -> Iterator[None]:
    """Uploads called stuck never arrive."""
    page.route(re.compile(r"/upload\?name=stuck"), lambda route: None)
    yield
    page.unroute_all(behavior="ignoreErrors")


def test_an_upload_has_a_bar_and_can_be_cancelled(page: Any, tmp_path: Path, stuck: None) -> None:
    mark = time.time_ns()
    clip = ff.motion("bow").resample(30.0)
    files = [ff.save(clip, tmp_path / f"{name}{mark}.bvh") for name in ("stuck", "follows")]
    b.upload(page, *files)
    page.get_by_role("progressbar", name=f"Upload of {files[0].name}").wait_for()
    assert page.get_by_text(f"{files[1].name} waits").is_visible()
    page.get_by_role("button", name=f"Cancel {files[0].name}").click()
    page.get_by_text(f"{files[0].name} was cancelled.").wait_for()
    page.get_by_role("listitem", name=files[1].stem, exact=True).wait_for()  # what came after it is not held up
    assert page.get_by_role("listitem", name=files[0].stem, exact=True).count() == 0


def test_animations_of_one_file_fold_into_one_row(page: Any, tmp_path: Path) -> None:
    named = [(ff.motion("walk").resample(30.0), "stroll"), (ff.motion("kick").resample(30.0), "high kick")]
    b.upload(page, save([clip.with_pose(clip.pose, name=name) for clip, name in named], tmp_path / "moves.glb"))
    fold = page.get_by_text("moves.glb", exact=True)
    fold.wait_for()
    inside = page.get_by_role("list", name="moves.glb").get_by_role("listitem")
    assert not inside.first.is_visible()
    fold.click()
    inside.first.wait_for()
    assert inside.count() == 2
    inside.first.hover()
    inside.first.get_by_role("button", name=re.compile("^Add ")).click()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 1")
    b.made(page)


def test_a_gap_before_the_first_clip_is_exported_as_it_is_shown(page: Any, tmp_path: Path) -> None:
    b.add(page, "kick")
    b.made(page)
    whole = ff.load(b.exported(page, tmp_path / "whole.bvh"))
    b.put_at(page, "kick", 1.0)
    page.wait_for_function("() => /kick, 1\\.0 to/.test(document.querySelector('.tl-lane [data-clip]').ariaLabel)")
    b.made(page)
    later = ff.load(b.exported(page, tmp_path / "later.bvh"))
    assert later.duration == pytest.approx(whole.duration + 1.0, abs=0.05)
    assert later.fps == pytest.approx(whole.fps, abs=0.01)
    bare = ff.load(b.exported(page, tmp_path / "bare.glb", "Bare skeleton: no skin"))
    assert bare.skin is None
    assert len(bare.skeleton) == len(later.skeleton)


def test_a_clip_recorded_on_the_spot_is_given_root_motion(page: Any, tmp_path: Path) -> None:
    name = f"treadmill{time.time_ns()}"
    clip = ff.motion("walk", cycles=4)
    b.upload(
        page, ff.save(clip.with_pose(clip.pose, is_loop=False).in_place().resample(30.0), tmp_path / f"{name}.bvh")
    )
    page.get_by_role("listitem", name=name, exact=True).wait_for()
    b.add(page, name)
    b.made(page)
    b.clip(page, name).click()
    page.get_by_text("Recorded on the spot: here it is given root motion").wait_for()
    there = ff.load(b.exported(page, tmp_path / "there.bvh"))
    travelled = there.pose.root_pos[-1] - there.pose.root_pos[0]
    assert abs(travelled[2]) > 2.0  # four rounds of a walk, about 1.4 m each
    spot = ff.load(b.exported(page, tmp_path / "spot.bvh", "In place: no root motion"))
    assert abs(spot.pose.root_pos[-1] - spot.pose.root_pos[0]).max() < 0.3


def test_letters_and_figures_say_what_they_mean(page: Any) -> None:
    b.add(page, "walk")
    b.add(page, "kick")
    b.made(page)
    badge = page.get_by_role("button", name=re.compile("^Join walk to kick: "))
    kind = badge.get_attribute("aria-label").split(": ")[1].split(",")[0]
    said = badge.get_attribute("title")
    assert said.startswith(f"{kind.capitalize()} (")
    assert len(said.splitlines()) == 3  # what the letter is, why it was taken, what a viewer says
    badge.click()
    inspector = page.get_by_role("region", name="Inspector").last
    inspector.get_by_text(re.compile(r"^[\d.]+× the clips' own$")).wait_for()
    b.clip(page, "walk").click()
    inspector.get_by_label("Speed").fill("1.35")
    inspector.get_by_label("Speed").press("Enter")
    page.wait_for_function("() => document.querySelector('[aria-label=Undo]').title.includes('1.35')")
    b.made(page)
    assert b.clip(page, "walk").locator(".clip-marks").get_attribute("data-text") == "1.35×"
    assert "at 1.35 times its speed" in b.clip(page, "walk").get_attribute("title")
    page.get_by_role("button", name="Legend").click()
    for letter in ("transition", "connection", "adaptation", "bridge", "wait", "fallback"):
        assert page.get_by_role("dialog").get_by_text(letter, exact=True).first.is_visible(), letter


@pytest.mark.parametrize("body", ["adult:1.95", "adult:1.3"])
def test_the_camera_frames_a_new_body(page: Any, body: str, tmp_path: Path) -> None:
    name = f"size{time.time_ns()}"
    b.upload(page, ff.save(ff.retarget(ff.motion("wave"), body).resample(30.0), tmp_path / f"{name}.bvh"))
    page.get_by_role("listitem", name=name, exact=True).wait_for()
    b.add(page, name)
    b.made(page)
    page.wait_for_timeout(1500)  # the camera comes to rest
    seen = page.evaluate(EXTENT)
    assert all(0.02 < x < 0.98 and 0.02 < y < 0.98 for x, y in seen)
    high = max(y for _, y in seen) - min(y for _, y in seen)
    assert high > 0.35  # neither lost in the distance
