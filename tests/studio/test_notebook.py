"""clip.show(): the HTML holds everything, the figure moves in a real browser, and names cannot break out."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import ParameterError
from footfall.studio import notebook

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PLAIN = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def test_without_the_page_a_strip_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "stage_script", lambda: None)
    view = ff.motion("walk").show()
    assert view._repr_html_() is None
    png = view._repr_png_()
    assert png is not None
    assert png.startswith(b"\x89PNG")


def test_html_needs_nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "stage_script", lambda: "run()</script>")
    page = notebook.clip_page([replace(ff.motion("kick"), name="</script><b>kick")], "run()</script>")
    assert page.count("</script") == 2  # its own two ends; none out of a name or of the code
    html = ff.motion("kick").show(height=300)._repr_html_()
    assert html is not None
    assert html.startswith('<iframe sandbox="allow-scripts"')
    assert "height:300px" in html
    assert "<script" not in html  # it is all inside the frame's attribute


def test_long_clips_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MOST_BYTES", 40_000)
    text = notebook._frame_text(ff.motion("walk", cycles=6), 0)
    assert 20_000 < len(text) * 3 / 4 < 60_000


def test_wrong_options_are_refused() -> None:
    clip = ff.motion("walk")
    with pytest.raises(ParameterError, match="theme is one of"):
        clip.show(theme="pink")
    with pytest.raises(ParameterError, match="height is"):
        clip.show(height=3)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    if notebook.stage_script() is None:
        pytest.skip("the page has not been built")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=PLAIN)
        yield opened
        opened.close()


def picture(frame: Any) -> np.ndarray:
    from PIL import Image

    shot = frame.locator(".view").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), float)


@pytest.mark.slow
def test_figure_moves_in_a_browser(browser: Any) -> None:
    clip = replace(ff.motion("walk", cycles=2), name="<img src=x onerror=window.bad=1>")
    html = clip.show(height=320, theme="dark")._repr_html_()
    page = browser.new_page(viewport={"width": 480, "height": 360})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.append(request.url) if request.url.startswith("http") else None)
    page.set_content(f"<body>{html}</body>")
    frame = page.frames[1]
    frame.wait_for_selector("body[data-ready]", timeout=60_000)
    frame.wait_for_function("Number(document.querySelector('input').value) > 0.1", timeout=60_000)  # plays by itself
    shots = []
    for time_s in ("0.2", "0.2", "0.6"):
        frame.get_by_label("Time").fill(time_s)
        frame.wait_for_timeout(3000)  # the camera comes to rest
        shots.append(picture(frame))
    still, again, moved = shots
    assert np.abs(still - again).max() < 3.0  # nothing moves on its own once paused
    assert (np.abs(moved - still).max(axis=2) > 25.0).sum() > 300  # pixels of limbs that went elsewhere
    assert frame.get_by_text("onerror").count() == 1  # the name is shown as text
    assert frame.evaluate("window.bad") is None
    assert frame.get_by_label("Play", exact=True).count() == 1
    assert errors == []
    page.close()
