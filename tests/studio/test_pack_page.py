"""The page of a pack, driven in a real browser: feet stay where they stand, at examples and between them."""

from __future__ import annotations

import numpy as np
import pytest
from browser_studio import CHROMIUM

from footfall.graph.pack import make_pack
from footfall.parametric.builtin_sets import parametric_set
from footfall.studio.pack_page import SCRIPT, write_page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
    pytest.mark.skipif(not SCRIPT.is_file(), reason="the page is not built: python hatch_build.py"),
]
RATE = 120.0  # steps a second
SETTLE = 400  # steps until parameters have come to what is asked
LOW_M = 0.003  # a toe this near to its lowest is down


@pytest.fixture(scope="module")
def page(request, tmp_path_factory):
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    file = tmp_path_factory.mktemp("page") / "walks.html"
    try:
        character = str(request.getfixturevalue("mocap") / "gltf" / "mesh2motion_human-male.glb")
    except pytest.skip.Exception:  # no captures here: the built-in body
        character = "adult"
    write_page(make_pack([parametric_set("walk"), parametric_set("stand")], character, 60.0), file)
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(file.as_uri())
        page.wait_for_function("window.footfall", timeout=60_000)
        yield page
        assert errors == []
        browser.close()


def walked(page, seconds: float, **asked: float) -> dict[str, np.ndarray]:
    """Places of ankles and toes (T, 3) while the character walks as asked."""
    page.evaluate("asked => { footfall.stop(); footfall.ask(asked); }", asked)
    script = "([n, dt]) => { const out = []; for (let i = 0; i < n; i++) { footfall.player.step(dt); "
    script += "out.push(footfall.player.places()); } return out; }"
    page.evaluate(script, [SETTLE, 1.0 / RATE])
    rows = page.evaluate(script, [int(seconds * RATE), 1.0 / RATE])
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@pytest.mark.parametrize(("speed", "turn"), [(1.3, 0.0), (1.1, 0.0), (1.5, 10.0), (0.7, -20.0)])
def test_feet_stay_where_they_stand(page, speed, turn):
    places = walked(page, 4.0, speed=speed, turn=turn)
    slides = []
    for side in ("left", "right"):
        toe = places[f"{side} toe"]
        low = toe[1:, 1] < toe[:, 1].min() + LOW_M
        slides.append(100.0 * RATE * np.linalg.norm(np.diff(toe[:, [0, 2]], axis=0), axis=-1)[low])
    assert min(len(found) for found in slides) > 0.2 * 4.0 * RATE
    assert np.mean(np.concatenate(slides)) < 2.0  # cm/s


def test_it_goes_as_fast_as_it_is_asked(page):
    places = walked(page, 6.0, speed=1.3, turn=0.0)
    way = places["left ankle"][-1] - places["left ankle"][0]
    assert np.linalg.norm(way) / 6.0 == pytest.approx(1.3, rel=0.1)


def test_keys_steer_and_numbers_choose(page):
    page.reload()
    page.wait_for_function("window.footfall", timeout=60_000)
    before = page.evaluate("footfall.player.asked.speed")
    page.keyboard.down("ArrowDown")
    page.wait_for_function(f"footfall.player.asked.speed < {before} - 0.1", timeout=60_000)
    page.keyboard.up("ArrowDown")
    page.keyboard.press("2")
    assert page.evaluate("footfall.player.node") == "stand"
    page.wait_for_function("document.getElementById('told').textContent.includes('2 stand')", timeout=60_000)
