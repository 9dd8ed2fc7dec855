"""The scripts and files of examples/ do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from footfall.timeline.arrangement import timeline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_timeline_script_and_the_timeline_file(tmp_path):
    out = tmp_path / "take.bvh"
    done = subprocess.run([sys.executable, EXAMPLES / "timeline.py", out], capture_output=True, text=True, check=True)
    assert "transition" in done.stdout or "bridge" in done.stdout
    assert out.stat().st_size > 10_000
    kinds = {s.kind for s in timeline(EXAMPLES / "take.toml").render(measured=False).report.segments}
    assert {"clip", "composition"} <= kinds


def test_the_character_script(tmp_path):
    subprocess.run([sys.executable, EXAMPLES / "character.py"], check=True, cwd=tmp_path)
    assert (tmp_path / "hero.glb").stat().st_size > 100_000


def test_the_keyboard_script_can_be_imported():
    subprocess.run([sys.executable, "-c", "import keyboard"], check=True, cwd=EXAMPLES)


def test_the_scripts_for_a_gpu_say_in_one_sentence_that_they_need_one():
    """They run where a GPU is; the environment is less than a hundred lines."""
    text = (EXAMPLES / "gpu_environment.py").read_text()
    assert text.count("\n") < 100
    for name in ("gpu_environment.py", "gpu_dataset.py"):
        compile((EXAMPLES / name).read_text(), name, "exec")
