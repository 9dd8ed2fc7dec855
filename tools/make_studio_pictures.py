"""Take the pictures of docs/studio.md from a running studio in a real browser.

    python tools/make_studio_pictures.py docs/images [--only live blend]

Needs chromium and playwright. Reduced to 256 colours, which keeps each below 200 kB.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

import footfall as ff
from footfall.io.save import atomic_write

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import browser_studio as b

SIZE = (1280, 800)
COLOURS = 256
SETTLE_MS = 4000  # until feet are on the ground and the camera is at rest
SHOT_MS = 180_000.0
FINER = """(ratio) => {
    for (const seen of [__footfall.stage, __footfall.lineup]) {
        const renderer = seen?.drawing?.renderer;
        if (!renderer) continue;
        renderer.plainRatio ??= renderer.setPixelRatio;
        renderer.plainRatio(ratio);
        renderer.setPixelRatio = ratio === 1 ? renderer.plainRatio : () => undefined;
        seen.resize?.();
        seen.invalidate();
    }
}"""


def main() -> None:
    """Write studio_*.png."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("docs/images"))
    parser.add_argument("--only", nargs="+", choices=list(SCENES), default=list(SCENES), help="Some of them.")
    options = parser.parse_args()
    why_not = b.why_not()
    if why_not:
        raise SystemExit(f"no pictures: {why_not}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        takes = Path(folder) / "takes"
        write_takes(takes)
        with b.studio(takes) as process, b.browser() as chromium:
            for name in options.only:
                page = b.open_page(chromium, process, SIZE, "light" if name in LIGHT else "dark")
                SCENES[name](page, options.out)
                page.context.close()


def write_takes(folder: Path) -> None:
    """A folder as somebody may have it: a few recordings, of which a character can be made."""
    folder.mkdir(parents=True)
    ff.save(ff.motion("stand"), folder / "idle.bvh")
    for speed in (0.9, 1.4):
        ff.save(ff.motion("walk", speed=speed, cycles=4).resample(30.0), folder / f"walk {speed}.bvh")
    ff.save(ff.motion("kick").resample(30.0), folder / "high kick.bvh")


def arranged(page: Any, out: Path) -> None:
    """The demo, with the inspector on a join."""
    b.made(page)
    page.wait_for_timeout(3000)  # thumbnails
    page.get_by_role("button", name="Show the join walk to kick").click()
    page.wait_for_timeout(1500)
    take(page, out / "studio_arrange.png")


def dragged(page: Any, out: Path) -> None:
    """A clip in the air: where it would land, and what its joins become."""
    b.made(page)
    page.wait_for_timeout(3000)
    kick = b.clip(page, "kick")
    x, y = b.middle(kick)
    b.drag(page, (x, y), (x + 26, y), steps=14, drop=False)
    page.wait_for_timeout(1500)
    take(page, out / "studio_drag.png")
    page.keyboard.press("Escape")
    page.mouse.up()


def steered(page: Any, out: Path) -> None:
    """A character that walks a curve."""
    page.get_by_role("tab", name="Live").click()
    page.get_by_role("button", name="Forward").wait_for(timeout=b.GRAPH_MS)
    page.keyboard.down("w")
    page.keyboard.down("a")
    page.locator(".live-doing").filter(has_text="walk ·").wait_for()
    page.wait_for_timeout(2500)
    take(page, out / "studio_live.png", is_live=True)
    page.keyboard.up("a")
    page.keyboard.up("w")
    page.get_by_label("Ground", exact=True).select_option(label="stairs up, 15 × 35 cm")
    page.wait_for_function("() => __footfall.stage.onGround && __footfall.stage.actors.get(-1)?.pose")
    page.keyboard.down("w")
    page.wait_for_function("() => __footfall.stage.actors.get(-1).place.y > 1.2")
    page.wait_for_timeout(1000)
    take(page, out / "studio_live_ground.png", is_live=True)


def drawn(page: Any, out: Path) -> None:
    """A walk drawn on the floor, then stairs under it."""
    b.new_project(page)
    page.get_by_role("button", name="Draw a walk").click()
    box = page.get_by_label("Stage").last.bounding_box()
    x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.8 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    for n in range(1, 36):
        page.mouse.move(x + 9 * n, y - 70 * math.sin(n / 12))
    page.mouse.up()
    page.wait_for_function("() => document.querySelectorAll('.tl-lane [data-clip]').length === 1", timeout=b.GRAPH_MS)
    b.made(page)
    page.get_by_label("Ground of the take").select_option(label="stairs up, 15 × 35 cm")
    page.wait_for_function("() => __footfall.stage.onGround")
    page.wait_for_function(
        "() => { const t = [...__footfall.stage.takes.values()][0]; return t.poses.at(-7 * t.joints + 1) > 1.2; }"
    )
    page.keyboard.press("Home")
    for _ in range(90):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(SETTLE_MS)
    take(page, out / "studio_ground.png")


def compared(page: Any, out: Path) -> None:
    """Two clips by every method, and which clips blend."""
    page.get_by_role("tab", name="Joins").click()
    page.get_by_label("First clip", exact=True).select_option(label="walk (cycles 4)")
    page.get_by_label("Second clip", exact=True).select_option(label="kick")
    page.get_by_text("of them are believable").wait_for()
    page.get_by_role("button", name="Let each choose").click()
    page.wait_for_timeout(500)
    page.wait_for_function("() => [...document.querySelectorAll('.card')].every((one) => !one.matches('.waits'))")
    page.get_by_role("button", name="Pause the joins").click()
    page.get_by_role("slider", name="Seconds after the first clip is left").fill("0.3")
    page.wait_for_timeout(1000)
    take(page, out / "studio_joins.png")
    page.get_by_role("group", name="Compare").get_by_role("button", name="Library").click()
    page.get_by_text("pairs blend").wait_for(timeout=b.GRAPH_MS)
    page.get_by_role("button", name="walk-side and walk: ").or_(
        page.get_by_role("button", name="walk and start: ")
    ).first.click()
    page.wait_for_timeout(500)
    take(page, out / "studio_library_map.png")


def blended(page: Any, out: Path) -> None:
    """A walk between its examples, with the maps of every method."""
    page.get_by_role("tab", name="Blend space").click()
    page.get_by_role("combobox", name="Map").select_option("error")
    page.get_by_role("radio", name="rbf").click()
    page.wait_for_function("() => document.querySelectorAll('.blend-method[data-mapped]').length === 5")
    box = page.get_by_role("group", name="Examples").bounding_box()
    x, y = box["x"] + 0.45 * box["width"], box["y"] + 0.5 * box["height"]
    b.drag(page, (x, y), (x - 60, y - 14))
    page.wait_for_timeout(1500)
    take(page, out / "studio_blend.png")


def previewed(page: Any, out: Path) -> None:
    """A clip of the library that is looked at, with a part marked."""
    b.made(page)
    page.wait_for_timeout(3000)
    page.get_by_role("listitem", name="jump", exact=True).click()
    page.get_by_role("button", name="Hold the preview").click()
    second = page.get_by_role("group", name="Preview").get_by_label("Second of the clip")
    second.fill("0.3")
    page.keyboard.press("i")
    second.fill("1.4")
    page.keyboard.press("o")
    second.fill("0.8")
    page.wait_for_timeout(1500)
    take(page, out / "studio_preview.png")


def dressed(page: Any, out: Path) -> None:
    """One's own character on a track, and the export sheet."""
    b.new_project(page)
    with tempfile.TemporaryDirectory() as folder:
        hero = ff.save(ff.retarget(ff.motion("stand"), "adult:1.4"), Path(folder) / "hero.glb")
        b.upload(page, hero, to="Characters to upload")
        page.get_by_role("button", name="Use hero").wait_for()
    for name in ("walk", "kick", "wave"):
        b.add(page, name)
    b.made(page)
    page.get_by_role("button", name="Use hero").click()
    page.wait_for_function("() => window.__footfall.stage.skins === 1")
    b.made(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Use hero").scroll_into_view_if_needed()
    b.export_sheet(page, "glb")
    page.wait_for_timeout(SETTLE_MS)
    take(page, out / "studio_character.png")


def cured(page: Any, out: Path) -> None:
    """A red join and its cures."""
    b.new_project(page)
    b.add(page, "run (cycles 3)")
    b.add(page, "kick")
    b.made(page)
    b.put_at(page, "kick", b.span(b.clip(page, "run (cycles 3)"))[1] + 0.5)
    page.get_by_role("button", name=re.compile(r"^Join run \(cycles 3\) to kick: .*, poor$")).click()
    page.wait_for_timeout(1500)
    take(page, out / "studio_cures.png")


def gathered(page: Any, out: Path) -> None:
    """A folder made playable."""
    page.get_by_role("tab", name="Live").click()
    page.get_by_role("button", name="Make my folder playable…").click()
    page.get_by_role("button", name="Find motions and build").click()
    rows = page.get_by_role("group", name="What was found").get_by_role("checkbox")
    rows.first.wait_for(timeout=b.GRAPH_MS)
    page.get_by_role("button", name="Forward").wait_for(timeout=b.GRAPH_MS)
    page.wait_for_timeout(1500)
    take(page, out / "studio_folder.png", is_live=True)


def take(page: Any, path: Path, is_live: bool = False) -> None:
    """The page as a screen with a GPU shows it: software smooths no edges, so it draws twice as fine for a moment; not
    who is steered, whose meters would show how long that takes."""
    if not is_live:
        page.evaluate(FINER, 2)
        page.wait_for_timeout(2000)
    picture = Image.open(BytesIO(page.screenshot(timeout=SHOT_MS))).convert("RGB")
    if not is_live:
        page.evaluate(FINER, 1)
    small = BytesIO()
    picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE).save(
        small, format="png", optimize=True
    )
    atomic_write(path, small.getvalue())
    print(f"{path}: {len(small.getvalue()) / 1000:.0f} kB")


SCENES: dict[str, Callable[[Any, Path], None]] = {
    "arrange": arranged, "preview": previewed, "drag": dragged, "cures": cured, "live": steered, "folder": gathered,
    "character": dressed, "joins": compared, "blend": blended, "ground": drawn,
}  # fmt: skip
LIGHT = ("drag",)


if __name__ == "__main__":
    main()
