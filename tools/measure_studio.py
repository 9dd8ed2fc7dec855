"""Measure the studio as a person meets it, in a real browser: how soon it shows a figure, how soon a drag is answered.

    python tools/measure_studio.py [--size 1280x720] [--moves 150] [--first [N]] [--only drag blend live joins film]
                                   [--clips FIRST SECOND]

Prints one line a figure. Needs chromium and playwright; figures are wall-clock, so a busy machine shows in them (the
load is printed). Drags are timed from the pointer event to the stage drawn with the answer, on a timeline of a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import browser_studio as b

MINUTE = ["walk:cycles=4", "kick", "running-kick", "walk:cycles=4", "wave", "run:cycles=3", "stop"] * 3
STEP_PX, STEP_MS = 2, 33
PARTS = ("drag", "blend", "live", "joins", "film")
FILM_S = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--moves", type=int, default=150)
    parser.add_argument(
        "--first", type=int, nargs="?", const=1, help="Only first starts, with nothing compiled yet; how many."
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="What is measured; all by default.")
    parser.add_argument("--clips", nargs=2, type=Path, help="Two captures for the map of joins; two walks by default.")
    options = parser.parse_args()
    why_not = b.why_not()
    if why_not:
        raise SystemExit(f"cannot measure: {why_not}")
    wide, high = (int(part) for part in options.size.split("x"))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, page {wide}x{high}, drawn in software")
    if options.first:
        for _ in range(options.first):
            measure_first_start((wide, high))
        return
    with tempfile.TemporaryDirectory() as folder, b.browser() as chromium:
        work = Path(folder) / "work"
        with b.studio(work) as first:  # warms caches and compiled kernels
            b.open_page(chromium, first).context.close()
        write_minute(work)
        began = time.perf_counter()
        with b.studio(work) as process:
            page = b.open_page(chromium, process, (wide, high))
            page.wait_for_selector("body[data-ready='1']")
            print(f"from `footfall studio` to a figure on the stage: {time.perf_counter() - began:.1f} s")
            if "drag" in options.only:
                measure_drag(page, options.moves)
            if "blend" in options.only:
                measure_blend(page, options.moves)
            if "live" in options.only:
                measure_live(page)
            if "joins" in options.only:
                measure_joins(page, options.clips or write_walks(work))
            if "film" in options.only:
                measure_film(page, work)


def measure_first_start(size: tuple[int, int]) -> None:
    """From the command to a figure that has moved, where no kernel was compiled before."""
    moved = """() => {
        const pose = [...(window.__footfall?.stage?.actors ?? new Map()).values()][0]?.pose;
        const now = pose ? [...pose.slice(0, 3)].join() : '';
        window.firstPose ||= now;
        return now !== '' && now !== window.firstPose;
    }"""
    with tempfile.TemporaryDirectory() as folder, b.browser() as chromium:
        os.environ["NUMBA_CACHE_DIR"] = f"{folder}/kernels"
        page = chromium.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
        page.set_default_timeout(b.WAIT_MS)
        began = time.perf_counter()
        with b.studio(Path(folder) / "work", Path(folder) / "cache") as process:
            answered = time.perf_counter()
            page.goto(f"{process.address}/?token={b.TOKEN}")
            page.wait_for_function(moved)
            now = time.perf_counter()
            print(
                f"first start to a moving figure: {now - began:.1f} s, of it {now - answered:.1f} s after it listened"
            )


def write_minute(work: Path) -> None:
    """A project of about a minute."""
    clips = [{"clip": name, "start_s": "asap"} for name in MINUTE]
    (work / "minute.footfall.json").write_text(json.dumps({"tracks": [{"name": "Hero", "clips": clips}]}))


def measure_drag(page: Any, moves: int) -> None:
    """Drag a clip in the middle to and fro."""
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_label("Path to open").fill("minute.footfall.json")
    page.get_by_label("Path to open").press("Enter")
    page.wait_for_function("n => document.querySelectorAll('.tl-lane [data-clip]').length === n", arg=len(MINUTE))
    b.made(page)
    page.keyboard.press("k")  # stop, if it plays
    page.wait_for_timeout(500)
    length = max(b.span(one)[1] for one in b.clips(page).all())
    block = b.clips(page).nth(len(MINUTE) // 2)
    block.scroll_into_view_if_needed()
    x, y = b.middle(block)
    lane = page.get_by_label("Playhead").bounding_box()
    page.mouse.click(x + 30, lane["y"] + 8)  # the playhead beside it: its pose changes
    page.evaluate("() => { __footfall.lastDragMs.length = 0; __footfall.previewMs.length = 0; }")
    page.mouse.move(x, y)
    page.mouse.down()
    for n in range(moves):
        page.mouse.move(x + 8 + STEP_PX * abs((n % 60) - 30), y)
        page.wait_for_timeout(STEP_MS)
    page.wait_for_function("() => __footfall.lastDragMs.length > 0")
    drawn, took = page.evaluate("() => [[...__footfall.lastDragMs], [...__footfall.previewMs]]")
    page.keyboard.press("Escape")
    page.mouse.up()
    print(
        f"drag to pose on a timeline of {length:.0f} s: {figures(drawn)} (of it the studio's answer: {figures(took)})"
    )


def measure_blend(page: Any, moves: int) -> None:
    """Drag the handle of two spaces, and how soon their first map is there."""
    page.get_by_role("tab", name="Blend space").click()
    for space, parameter in (("walk", "speed"), ("reach", "z")):
        page.get_by_role("combobox", name="Blend space").select_option(space)
        page.get_by_label(f"Achieved {parameter}", exact=True).filter(has_text=".").wait_for()
        page.wait_for_function("() => document.querySelectorAll('.blend-method[data-mapped]').length === 5")
        page.wait_for_timeout(500)
        box = page.get_by_role("group", name="Examples").bounding_box()
        x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
        page.evaluate("() => { __footfall.blendMs.length = 0; }")
        page.mouse.move(x, y)
        page.mouse.down()
        for n in range(moves):
            page.mouse.move(x + 70 * np.sin(n / 7), y + 40 * np.sin(n / 5))
            page.wait_for_timeout(STEP_MS)
        page.mouse.up()
        print(f"handle of {space} to the figure redrawn: {figures(page.evaluate('() => [...__footfall.blendMs]'))}")
        page.get_by_role("combobox", name="Blend space").select_option("strafe")  # so that the next opens anew
        page.get_by_label("Achieved side", exact=True).filter(has_text=".").wait_for()
    print(f"maps, asked for to the first picture: {figures(page.evaluate('() => [...__footfall.mapMs]'))}")


def measure_live(page: Any) -> None:
    """From a key to the first frame that knows of it."""
    page.get_by_role("tab", name="Live").click()
    page.get_by_role("button", name="Forward").wait_for(timeout=400_000)
    found = []
    for _ in range(12):
        for key in ("w", "a"):
            page.keyboard.down(key)
            page.wait_for_timeout(250)
            page.keyboard.up(key)
            page.wait_for_timeout(250)
            said = page.get_by_role("group", name="Response").inner_text().split("\n")[-1]
            found.append(float(said.split()[0]) if said[0].isdigit() else np.nan)
    print(f"live, from the hand to the frame that knows of it: {figures(found)}")


def write_walks(work: Path) -> list[Path]:
    """Two walks of about ten seconds."""
    import footfall as ff

    found = []
    for name, turn in (("first", 20.0), ("second", -20.0)):
        clip = ff.motion("walk", cycles=10, turn=turn)
        clip = clip.with_pose(clip.pose, is_loop=False).trim(0.0, 10.0 - 0.1)
        found.append(ff.save(clip, work.parent / f"{name}.bvh"))
    return found


def measure_joins(page: Any, clips: list[Path]) -> None:
    """Two clips that were not read yet: from choosing them to the maps, and to every join."""
    for file in clips:
        page.get_by_role("tab", name="Arrange").click()
        b.upload(page, file)
        page.get_by_role("listitem", name=file.stem, exact=True).first.wait_for()
    page.get_by_role("tab", name="Joins").click()
    page.get_by_text("of them are believable").wait_for()
    page.get_by_label("First clip", exact=True).select_option(label=clips[0].stem)
    began = time.perf_counter()
    page.get_by_label("Second clip", exact=True).select_option(label=clips[1].stem)
    page.wait_for_selector(".join-map[data-fine]:has(.map-spot)")
    coarse = time.perf_counter() - began
    page.wait_for_selector(".join-map[data-fine='1']")
    fine = time.perf_counter() - began
    page.wait_for_function(
        "() => document.querySelectorAll('.card:not(.waits):not([data-grade=unknown])').length === 6"
    )
    print(f"two clips chosen to the coarse and the fine map: {coarse:.2f}, {fine:.2f} s; every method joined: "
          f"{time.perf_counter() - began:.2f} s")  # fmt: skip


def measure_film(page: Any, work: Path) -> None:
    """From the click on Export to a film of ten seconds that is downloaded."""
    page.get_by_role("tab", name="Arrange").click()
    b.new_project(page)
    for name in ("walk (cycles 4)", "running-kick", "walk (cycles 4)"):
        b.add(page, name)
    b.made(page)
    sheet = b.export_sheet(page, "mp4")
    sheet.get_by_label("To second").fill(str(FILM_S))
    began = time.perf_counter()
    film = b.downloaded(page, sheet.get_by_role("button", name="Export file"), work.parent / "film.mp4")
    print(f"a film of {FILM_S:g} s, from the click to the file: {time.perf_counter() - began:.1f} s, "
          f"{film.stat().st_size / 1e3:.0f} kB")  # fmt: skip


def figures(values: list[float]) -> str:
    known = np.array([value for value in values if np.isfinite(value)])
    if len(known) == 0:
        return "nothing measured"
    return f"median {np.median(known):.0f} ms, 90 % {np.percentile(known, 90):.0f} ms, {len(known)} times"


if __name__ == "__main__":
    main()
