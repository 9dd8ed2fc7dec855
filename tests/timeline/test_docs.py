"""The examples of docs/timeline.md and of examples/ do what they say."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

from footfall.timeline.arrangement import timeline

ROOT = Path(__file__).resolve().parents[2]


def test_every_example_of_the_page():
    result = doctest.testfile(str(ROOT / "docs" / "timeline.md"), module_relative=False, verbose=False)
    assert result.attempted > 12
    assert result.failed == 0


def test_the_script_and_the_timeline_file(tmp_path):
    out = tmp_path / "take.bvh"
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "timeline.py", out], capture_output=True, text=True, check=True
    )
    assert "adaptation" in done.stdout
    assert out.stat().st_size > 10_000
    kinds = {s.kind for s in timeline(ROOT / "examples" / "take.toml").render(measured=False).report.segments}
    assert {"clip", "composition"} <= kinds
