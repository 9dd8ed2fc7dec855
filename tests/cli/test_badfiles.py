"""The catalogue of malformed files, judged by its own checker around the real command."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_all_malformed_files_are_handled_as_they_should(badfiles, tmp_path):
    subprocess.run([sys.executable, badfiles / "generate.py", tmp_path], check=True, capture_output=True)
    command = [sys.executable, "-m", "footfall", "info", "--json", "--skeleton={partner}", "{file}"]
    done = subprocess.run(
        [sys.executable, badfiles / "check.py", tmp_path, "--", *command], capture_output=True, text=True, timeout=900
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert done.returncode == 0, "\n".join(failed) or done.stderr
    assert "104 of 104 as expected" in done.stdout
