"""`footfall demo` leaves files that open and a report that links only to what is there."""

from __future__ import annotations

import re

import pytest

import footfall as ff
from footfall.cli import main
from footfall.render import sheet


def test_demo_makes_what_its_report_shows(tmp_path, capsys, monkeypatch, few_ways):
    whole = sheet.contact_sheet  # six motions show that there is one: drawing all takes seconds
    monkeypatch.setattr(sheet, "contact_sheet", lambda clips: whole(dict(list(clips.items())[:6])))
    with pytest.raises(SystemExit) as stop:
        main(["demo", "-o", str(tmp_path / "out"), "--quick"])
    assert stop.value.code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    linked = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(linked) > 8
    for name in linked:
        assert (tmp_path / "out" / name).stat().st_size > 500
    assert ff.load(tmp_path / "out" / "walk.glb").skin is not None
    assert "report.html" in capsys.readouterr().out
