"""What Contribute says about adding a file is true: one new file, and all else knows it.

The file is the code block of the page, put into a copy of the product.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "contribute"


def first_block(page: str) -> str:
    found = re.search(r"^```python\n(.*?)^```$", (PAGES / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of the product with the files of the pages added, and nothing else changed."""
    folder = tmp_path_factory.mktemp("checkout")
    half_written = ("*.tmp.*", "*.pyc.*")  # kernels that are compiled go along, so that none is compiled once more
    shutil.copytree(
        ROOT / "src" / "footfall", folder / "footfall", ignore=shutil.ignore_patterns("page", *half_written)
    )
    (folder / "footfall/joins/methods/smoothstep.py").write_text(first_block("add_a_method.md"), "utf-8")
    (folder / "footfall/io/formats/joints.py").write_text(first_block("add_a_format.md"), "utf-8")
    return folder


def run(checkout: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    paths = [str(checkout), str(ROOT / "tools" / "docsite")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=cwd or checkout, env=environment, capture_output=True, text=True, check=False)


def test_the_command_line_knows_the_method(checkout, tmp_path):
    words = ["-m", "footfall", "join", "walk:cycles=2", "kick", "-o", "out.npz", "--at", "1.4", "--report", "out.json"]
    done = run(checkout, *words, "--method", "smoothstep", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"method": "smoothstep"' in (tmp_path / "out.json").read_text().replace('":"', '": "')
    refused = run(checkout, *words, "--method", "smothstep", cwd=tmp_path)
    assert refused.returncode == 2
    assert "smoothstep" in refused.stderr


def test_the_reference_knows_it(checkout):
    done = run(checkout, "-c", "import choices_page; print(choices_page.choices_page())")
    assert "| `smoothstep` | A crossfade whose weight is the cubic smoothstep" in done.stdout, done.stderr
    assert "| `joints` | Joints (.joints)" in done.stdout


@pytest.mark.slow
def test_the_contract_tests_know_it(checkout):
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "smoothstep"]
    done = run(checkout, *words, "tests/joins/test_methods_contract.py", cwd=ROOT)
    found = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout[-3000:]
    assert found
    assert int(found[1]) > 15


def test_the_format_is_written_and_read(checkout, tmp_path):
    for words in (("convert", "walk", "walk.joints"), ("convert", "walk.joints", "walk.bvh"), ("info", "walk.joints")):
        done = run(checkout, "-m", "footfall", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    (tmp_path / "bad.joints").write_text('{"names": ["a"]}')
    refused = run(checkout, "-m", "footfall", "info", "bad.joints", cwd=tmp_path)
    assert "bad.joints" in refused.stdout + refused.stderr
    assert "Traceback" not in refused.stderr
