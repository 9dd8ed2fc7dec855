"""The page: its types hold, it bundles, and what is packed of it is right with and without npm."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "src" / "footfall" / "studio" / "page"
MOST_SCRIPT = 900_000  # bytes of the page's script, three.js and all
NOWHERE = "http://127.0.0.1:9/"  # nothing listens there


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def node(hook: ModuleType) -> list[str]:
    """The command for node, with the page's packages in place."""
    tools = hook.find_node()
    if tools is None:
        pytest.skip("there is no Node.js")
    if not (PAGE / "node_modules" / "typescript").is_dir():
        done = subprocess.run([*tools[1], "ci", *hook.NPM_OPTIONS], cwd=PAGE, capture_output=True, check=False)
        if done.returncode:
            pytest.skip("npm reaches no registry")
    return list(tools[0])


def test_types_check(node: list[str]) -> None:
    done = subprocess.run(
        [*node, "node_modules/typescript/bin/tsc", "--noEmit"], cwd=PAGE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_bundle_builds(node: list[str], hook: ModuleType, tmp_path: Path) -> None:
    env = {**os.environ, "FOOTFALL_PAGE_DIST": str(tmp_path)}
    done = subprocess.run([*node, "build.mjs"], cwd=PAGE, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(hook.BUILT)
    html = (tmp_path / "index.html").read_text("utf-8")
    assert 'name="footfall-token"' in html
    for address in re.findall(r'(?:src|href)="([^"]+)"', html):
        assert address.startswith(("/assets/", "data:"))  # nothing is fetched from elsewhere
    for name in ("app.js", "stage.js"):
        code = (tmp_path / name).read_text("utf-8")
        assert "SPDX-License-Identifier" in code  # three.js asks that its licence line stays
        assert len(code.encode()) <= MOST_SCRIPT


def test_names_are_only_ever_text() -> None:
    """Nothing of the page's own code turns a string into markup or code."""
    unsafe = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|new Function|srcdoc)\b")
    for path in [*(PAGE / "src").rglob("*.ts"), *(PAGE / "src").rglob("*.html")]:
        assert not unsafe.search(path.read_text("utf-8")), path.name


def copy_of_page(to: Path) -> Path:
    return Path(shutil.copytree(PAGE, to / "page", ignore=shutil.ignore_patterns("node_modules", "dist")))


def pretend_built(page: Path, hook: ModuleType) -> None:
    (page / "dist").mkdir()
    for name in hook.BUILT:
        (page / "dist" / name).write_text(name)
    (page / "dist" / hook.STAMP).write_text(hook.fingerprint(page))


def test_built_again_only_when_sources_changed(hook: ModuleType, tmp_path: Path) -> None:
    page = copy_of_page(tmp_path)
    assert not hook.is_current(page)
    pretend_built(page, hook)
    assert hook.is_current(page)
    style = page / "src" / "style.css"
    style.touch()
    style.write_bytes(style.read_bytes().replace(b"\n", b"\r\n"))  # as git does on Windows
    assert hook.is_current(page)
    style.write_text(style.read_text("utf-8") + "\n/* more */\n", "utf-8")
    assert not hook.is_current(page)
    (page / "dist" / "app.js").unlink()
    assert not hook.is_built(page)


def copy_of_project(to: Path) -> Path:
    """As much of the project as a wheel of the studio needs."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, to)
    package = to / "src" / "footfall"
    ignore = shutil.ignore_patterns("node_modules", "dist", "__pycache__")
    shutil.copytree(ROOT / "src" / "footfall" / "studio", package / "studio", ignore=ignore)
    shutil.copy(ROOT / "src" / "footfall" / "__init__.py", package)
    return package / "studio" / "page"


def build_wheel(project: Path, **env: str) -> tuple[list[str], str]:
    """Names in the wheel, and what building it said."""
    pytest.importorskip("hatchling")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"],
        cwd=project, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (project / "out").glob("*.whl")
    return zipfile.ZipFile(wheel).namelist(), done.stdout + done.stderr


def test_wheel_builds_without_npm(tmp_path: Path) -> None:
    copy_of_project(tmp_path)
    names, said = build_wheel(tmp_path, npm_config_registry=NOWHERE, npm_config_cache=str(tmp_path / "npm"))
    assert "The studio's page was not built" in said
    assert "All else installs" in said
    assert "footfall/studio/server.py" in names
    assert not [name for name in names if "/page/" in name]


def test_wheel_holds_the_page_and_not_its_sources(hook: ModuleType, tmp_path: Path) -> None:
    page = copy_of_project(tmp_path)
    pretend_built(page, hook)
    (page / "node_modules" / "three").mkdir(parents=True)
    (page / "node_modules" / "three" / "index.js").write_text("")
    names, said = build_wheel(tmp_path, npm_config_registry=NOWHERE)
    assert "not built" not in said  # it is there already: npm is not asked
    shown = {name.removeprefix("footfall/studio/page/") for name in names if "/page/" in name}
    assert shown == {f"dist/{name}" for name in (*hook.BUILT, hook.STAMP)}
