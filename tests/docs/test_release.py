"""What a release says of itself agrees: versions, figures of the README, the files that go with it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import footfall

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_one_version():
    packages = [tomllib.loads((ROOT / path).read_text("utf-8")) for path in ("pyproject.toml", "lab/pyproject.toml")]
    assert {package["project"]["version"] for package in packages} == {footfall.__version__}
    assert f"version: {footfall.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"## {footfall.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_figures_of_the_readme_are_those_of_the_results():
    """Every number of the comparison stands in docs/results.md, beside the command that made it."""
    table = README.split("## How it compares")[1].split("\n## ")[0]
    cells = [row.split("|")[-3:-1] for row in table.splitlines() if row.startswith("| ") and "instead" not in row]
    numbers = {number for row in cells for cell in row for number in re.findall(r"\d+(?:\.\d+)?(?: of \d+)?", cell)}
    results = (ROOT / "docs" / "results.md").read_text("utf-8")
    assert len(numbers) > 10
    missing = {one for one in numbers if not re.search(rf"(?<![\d.]){re.escape(one)}(?![\d.]\d)", results)}
    assert not missing


def test_the_readme_is_short_and_its_picture_small():
    assert len(README.splitlines()) <= 80
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(pictures) == 1
    assert (ROOT / pictures[0]).stat().st_size <= 300_000


def test_the_readme_shows_two_commands_and_five_things():
    before, things = README.split("## Five things")
    (commands,) = re.findall(r"```sh\n(.*?)```", before, re.DOTALL)
    assert len(commands.splitlines()) == 2
    (program,) = re.findall(r"```python\n(.*?)```", things, re.DOTALL)
    assert re.findall(r"# (\d) ", program) == list("12345")


def test_the_readme_names_formats_that_there_are():
    (told,) = re.findall(r"It reads ([^.]+)\.", README)
    files = {path.stem for path in (ROOT / "src" / "footfall" / "io" / "formats").glob("*.py")}
    named = [re.sub(r"\W", "_", name.lower()) for name in re.split(r", | and ", told)]
    assert len(named) > 8
    assert not [name for name in named if not any(name == file or name.startswith(f"{file}_") for file in files)]


def test_continuous_integration_runs_the_same_command():
    """Where there are workflows they call dev.py, which is what people run, too."""
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
    for system in ("ubuntu-latest", "macos-latest", "windows-latest"):
        assert system in workflow
    known = set(re.findall(r'add_parser\(\s*"(\w+)"', (ROOT / "dev.py").read_text("utf-8")))
    run = re.findall(r"- run: (.+)", workflow)
    assert run
    assert all(line.split()[:2] == ["python", "dev.py"] and line.split()[2] in known for line in run)
