"""Journeys of a new user in a real browser, the first by the keyboard alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import browser_studio as b
import numpy as np
import pytest

import footfall as ff
from footfall.studio.join_report import read_report

pytestmark = b.marks("slow")


def tab_to(page: Any, label: str, most: int = 160) -> None:
    """Tab until what has the focus is called so."""
    name = "() => { const at = document.activeElement; return at.getAttribute('aria-label') ?? at.textContent; }"
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(name) == label:
            return
    raise AssertionError(f"Tab does not reach {label}")


def taken_by_keys(page: Any, hero: Path, clips: list[Path], out: Path) -> ff.Clip:
    """Own character and recordings by the keyboard alone: previewed, joined, exported with the skin."""
    # a file dialog is the browser's own and has no keys to test: the files are given to it
    b.upload(page, *clips)
    b.upload(page, hero, to="Characters to upload")
    page.get_by_role("listitem", name=clips[-1].stem, exact=True).wait_for()
    page.get_by_role("button", name=f"Use {hero.stem}").wait_for()
    for nth, clip in enumerate(clips, 1):
        page.keyboard.press("/")
        page.keyboard.press("Control+a")
        page.keyboard.type(clip.stem)
        tab_to(page, clip.stem)
        page.keyboard.press("Enter")  # it is shown
        page.get_by_role("button", name="Hold the preview").wait_for()
        page.keyboard.press("Enter")  # and inserted
        page.wait_for_function("(n) => document.querySelectorAll('.tl-lane [data-clip]').length === n", arg=nth)
    tab_to(page, f"Use {hero.stem}")
    page.keyboard.press("Enter")
    page.wait_for_function("n => document.querySelector('[aria-label=Undo]').title.includes(n)", arg=f"by {hero.stem}")
    b.made(page)
    page.wait_for_function("() => window.__footfall.stage.skins === 1")
    page.get_by_role("button", name=re.compile(f"^Join {clips[0].stem} to {clips[1].stem}: ")).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+e")
    page.get_by_role("dialog", name="Export sheet").wait_for()
    tab_to(page, "Export file")
    with page.expect_download() as coming:
        page.keyboard.press("Enter")
    coming.value.save_as(out)
    clip = ff.load(out)
    assert clip.skin is not None
    assert np.isfinite(clip.positions).all()
    assert np.ptp(clip.pose.root_pos[:, [0, 2]], axis=0).max() > 1.0  # it walked
    return clip


def test_own_character_and_recordings_by_keyboard_alone(page: Any, tmp_path: Path, blender: Path) -> None:
    """The take is read back by footfall and by Blender."""
    hero = ff.save(ff.retarget(ff.motion("stand"), "adult:1.4"), tmp_path / "myhero.glb")
    walk = ff.save(ff.retarget(ff.motion("walk", cycles=3), "adult:1.6").resample(30.0), tmp_path / "mywalk.bvh")
    stop = ff.save(ff.retarget(ff.motion("stop"), "adult:1.6").resample(30.0), tmp_path / "mystop.bvh")
    clip = taken_by_keys(page, hero, [walk, stop], tmp_path / "take.glb")
    assert clip.skeleton.height == pytest.approx(1.4, abs=0.08)
    look = "import bpy, sys; bpy.ops.import_scene.gltf(filepath=sys.argv[1]); "
    look += "print('meshes', len(bpy.data.meshes), len(bpy.data.actions))"
    done = subprocess.run([blender, "-c", look, tmp_path / "take.glb"], capture_output=True, text=True, check=False)
    assert re.search(r"meshes [1-9]\d* [1-9]", done.stdout), done.stderr[-500:]


@pytest.mark.long
def test_a_real_character_and_captures_by_keyboard_alone(
    page: Any, tmp_path: Path, mocap: Path, characters: Path
) -> None:
    """A textured GLB with animations of its own, and two captures on another body."""
    hero = characters / "kaykit_Rogue.glb"
    captures = [mocap / "cmu_bvh" / name for name in ("walk_straight/104_35.bvh", "kick/143_24.bvh")]
    clip = taken_by_keys(page, hero, captures, tmp_path / "take.glb")
    assert clip.duration > 10.0
    assert set(clip.skeleton.names) >= set(ff.load(hero).skeleton.names)


def test_a_bad_join_is_seen_cured_and_reported(page: Any, tmp_path: Path) -> None:
    """A stop in mid-run is red; it is reported, its cure is clicked, and it is red no more."""
    b.add(page, "run (cycles 3)")
    b.add(page, "kick")
    b.made(page)
    inspector = page.get_by_role("region", name="Inspector").last
    b.put_at(page, "kick", b.span(b.clip(page, "run (cycles 3)"))[1] + 0.5)
    page.get_by_role("button", name=re.compile(r"^Join run \(cycles 3\) to kick: .*, poor$")).click()
    button = inspector.get_by_role("button", name="Report this join")
    report = read_report(b.downloaded(page, button, tmp_path / "bad.join.zip"))
    assert report.told.join.grade == "poor"
    assert report.told.join.seen
    inspector.get_by_role("button", name="Close the gap").click()
    page.get_by_role("button", name=re.compile(r"^Join run \(cycles 3\) to kick: .*, (good|fair)$")).wait_for()


def test_two_captures_are_compared_and_the_best_moment_is_taken_over(page: Any, mocap: Path) -> None:
    """Uploaded, joined by every method, a moment of the map clicked, and what was seen there is on the timeline."""
    files = [mocap / "cmu_bvh" / name for name in ("walk_straight/104_35.bvh", "kick/143_24.bvh")]
    b.upload(page, *files)
    for file in files:
        page.get_by_role("listitem", name=file.stem, exact=True).wait_for()
    page.get_by_role("tab", name="Joins").click()
    page.get_by_label("First clip", exact=True).select_option(label="104_35")
    page.get_by_label("Second clip", exact=True).select_option(label="143_24")
    moments = page.get_by_role("group", name="Map of moments")
    moments.get_by_text("of them are believable").wait_for()  # every moment has been judged
    methods = ("auto", "by-example", "classifier", "crossfade", "dead-blend", "inertialize")
    for method in methods:
        page.get_by_role("group", name=re.compile(rf"^{method}: (good|fair|poor), ")).wait_for()
    good = moments.get_by_role("button", name=re.compile(r"^Moment \d+: .*: believable")).last
    told = re.search(r"leave at ([\d.]+) s, enter at ([\d.]+) s", good.get_attribute("aria-label"))
    assert told
    good.click()
    auto = page.get_by_role("group", name=re.compile("^auto: (good|fair), believable"))
    auto.get_by_text(f"{told[1]} → {told[2]} s").wait_for()
    page.wait_for_function("() => [...document.querySelectorAll('.card')].every((one) => !one.matches('.waits'))")
    page.get_by_role("button", name="Use auto in the timeline").click()
    taken = b.clip(page, "104 35 to 143 24 auto")
    taken.wait_for()
    b.made(page)
    start, end = b.span(taken)
    lasts = float(told[1]) + 0.4 + ff.load(files[1]).duration - float(told[2])
    assert end - start == pytest.approx(lasts, abs=0.15)
