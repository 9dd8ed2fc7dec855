"""Files in a real browser: uploads with their refusals and warnings, the list of projects, the export sheet."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import browser_studio as b
import numpy as np
import pytest

import footfall as ff

pytestmark = b.marks("slow")


def test_uploads_come_once_and_refusals_stay_with_their_cure(page: Any, tmp_path: Path) -> None:
    mark = f"{time.time_ns()}"
    good = ff.save(ff.motion("kick").resample(30.0), tmp_path / f"good{mark}.bvh")
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT")
    (tmp_path / "notes.docx").write_bytes(b"PK")
    lines = good.read_text().splitlines()
    (tmp_path / f"short{mark}.bvh").write_text("\n".join(lines[: len(lines) - 12]))  # fewer frames than it says
    (tmp_path / f"twin{mark}.bvh").write_bytes(good.read_bytes())
    names = (good.name, "bad.bvh", "notes.docx", f"short{mark}.bvh", f"twin{mark}.bvh")
    b.upload(page, *(tmp_path / name for name in names))
    page.get_by_role("listitem", name=f"good{mark}", exact=True).wait_for()
    uploads = page.get_by_role("list", name="Uploads")
    uploads.get_by_text("notes.docx").filter(has_text=".bvh").wait_for()  # what would be accepted
    uploads.get_by_text("bad.bvh").wait_for()
    uploads.get_by_text(f"short{mark}.bvh is in the library").wait_for()
    assert page.locator(".upload[data-state=refused]").count() == 2
    warning = page.locator(".upload[data-state=warned]").inner_text()
    assert f"kept {ff.load(good).frames - 12}" in warning
    assert page.locator(".clip-warning").count() >= 1
    uploads.get_by_text(f"twin{mark}.bvh is in the library").wait_for()
    assert page.get_by_role("listitem", name=f"twin{mark}", exact=True).count() == 0  # the same content, known already
    page.get_by_role("button", name="Close the message on notes.docx").click()
    assert page.locator(".upload[data-state=refused]").count() == 1
    remove = page.get_by_role("button", name=f"Remove good{mark}")
    page.get_by_role("listitem", name=f"good{mark}", exact=True).hover()
    remove.click()
    remove.click()  # asked twice
    page.get_by_role("listitem", name=f"good{mark}", exact=True).wait_for(state="detached")


def test_open_lists_projects_with_pictures_the_newest_first(page: Any, process: b.Process) -> None:
    for name in ("older", "newer"):
        b.add(page, "walk")
        page.get_by_role("button", name="Open", exact=True).click()
        page.get_by_label("Save as").fill(name)
        page.get_by_label("Save as").press("Enter")
        page.get_by_text("saved", exact=True).wait_for()
    b.new_project(page)
    page.get_by_text("never saved", exact=True).wait_for()
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.project-item').length >= 2")
    said = page.get_by_role("group", name="Projects").get_by_role("button").all_inner_texts()
    assert [text.split()[0] for text in said[:2]] == ["newer", "older"]
    assert "2 clips" in said[0]
    assert "1 clip" in said[1]
    assert page.locator(".project-item").first.locator("canvas").count() >= 1
    page.get_by_role("group", name="Projects").get_by_role("button").first.click()
    b.clip(page, "walk", 1).wait_for()


def test_the_export_sheet(page: Any, tmp_path: Path) -> None:
    b.add(page, "walk (cycles 4)")
    b.made(page)
    sheet = b.export_sheet(page, "bvh")
    sheet.get_by_label("Frames a second").fill("25")
    sheet.get_by_label("From second").fill("1")
    sheet.get_by_label("To second").fill("3")
    sheet.get_by_label("File name").fill("my part")
    sheet.get_by_text("In place: no root motion").click()
    with page.expect_download() as coming:
        sheet.get_by_role("button", name="Export file").click()
    assert coming.value.suggested_filename == "my part.bvh"
    coming.value.save_as(tmp_path / "part.bvh")
    clip = ff.load(tmp_path / "part.bvh")
    assert clip.fps == pytest.approx(25.0, abs=0.01)
    assert clip.frames == 51
    assert np.ptp(clip.pose.root_pos[:, [0, 2]], axis=0).max() < 0.4


def test_a_film_is_downloaded_like_the_others(page: Any, tmp_path: Path) -> None:
    b.add(page, "kick")
    b.made(page)
    sheet = b.export_sheet(page, "mp4")
    sheet.get_by_label("To second").fill("0.2")
    film = b.downloaded(page, sheet.get_by_role("button", name="Export file"), tmp_path / "film.mp4")
    assert b"ftyp" in film.read_bytes()[:16]
