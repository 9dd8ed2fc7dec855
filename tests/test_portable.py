"""What can be checked here of other systems: nothing at import that Windows or macOS lack, paths, encodings, caches."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import run_cli

from footfall.io import cache_folder

SOURCE = Path(cache_folder.__file__).parents[1]
MODULES = sorted(
    ".".join(("footfall", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if "node_modules" not in path.parts and path.stem not in ("__main__", "fbx_blender")
)
ONE_SYSTEM = ("resource", "termios", "fcntl", "pwd", "grp", "tty", "pty", "posix", "msvcrt", "winreg", "_winapi")
# tools of the standard library that need one of those themselves stay out of reach, too
IMPORT_ALL = """
import importlib, os, sys
for name in {missing!r}:
    sys.modules[name] = None
if hasattr(os, "fork"):
    del os.fork
for name in {modules!r}:
    importlib.import_module(name)
print("all")
"""


def test_every_module_can_be_imported_without_what_one_system_alone_has():
    """fork is taken away, and imports of modules that are of one system fail, as they would elsewhere."""
    missing = [name for name in ONE_SYSTEM if name not in ("posix", "pwd", "grp", "fcntl", "_winapi")]
    code = IMPORT_ALL.format(missing=missing, modules=MODULES)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "all", done.stderr[-2000:]


def trees() -> dict[str, ast.Module]:
    """Every file of the product, parsed."""
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}


def test_no_file_imports_what_one_system_alone_has_or_forks():
    wrong = []
    for name, tree in trees().items():
        at_import = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        named = {alias.name for node in at_import if isinstance(node, ast.Import) for alias in node.names}
        named |= {node.module or "" for node in at_import if isinstance(node, ast.ImportFrom)}
        wrong += [f"{name}: {one}" for one in named & set(ONE_SYSTEM)]
        for node in ast.walk(tree):
            forks = isinstance(node, ast.Attribute) and node.attr in ("fork", "forkpty")
            if forks or (isinstance(node, ast.Constant) and node.value in ("fork", "forkserver")):
                wrong.append(f"{name}:{node.lineno}")
    assert not wrong


def test_text_is_read_and_written_as_utf_8():
    """Without an encoding Windows takes the one of its language."""
    wrong = []
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            given = {keyword.arg for keyword in node.keywords}
            plain = {"read_text": 1, "write_text": 2}.get(node.func.attr)
            of_process = isinstance(node.func.value, ast.Name) and node.func.value.id == "subprocess"
            if (plain and len(node.args) < plain and "encoding" not in given) or (of_process and "text" in given):
                wrong.append(f"{name}:{node.lineno}")
    assert not wrong


@pytest.mark.parametrize(
    ("system", "variables", "wanted"),
    [
        ("linux", {"XDG_CACHE_HOME": "/there"}, "/there/footfall"),
        ("linux", {}, "/home/ada/.cache/footfall"),
        ("darwin", {}, "/home/ada/Library/Caches/footfall"),
        ("win32", {"LOCALAPPDATA": "C:/Users/ada/AppData/Local"}, "C:/Users/ada/AppData/Local/footfall/Cache"),
        ("win32", {"FOOTFALL_CACHE": "D:/cache"}, "D:/cache"),
    ],
)
def test_caches_go_where_the_system_keeps_them(system, variables, wanted, monkeypatch):
    for name in ("FOOTFALL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ada", "USERPROFILE": "/home/ada", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache_folder.sys, "platform", system)
    assert str(cache_folder.cache_folder()).replace("\\", "/") == wanted


def test_folders_with_spaces_and_letters_of_other_languages(tmp_path, monkeypatch):
    folder = tmp_path / "my clips für Ødegård 動作"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert run_cli("convert", "walk", "a walk.bvh") == 0
    assert run_cli("convert", "a walk.bvh", "out folder/a walk.glb") == 0
    assert run_cli("info", str(folder / "out folder" / "a walk.glb")) == 0
    assert run_cli("library", "build", ".") == 0


def test_a_script_without_a_guard_may_use_processes(tmp_path):
    """Processes are started anew and never forked, as on Windows; the script is not run again by them."""
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\n"
        "import footfall as ff\n"
        "for n in range(3):\n"
        "    ff.save(ff.motion('walk', speed=1.0 + 0.2 * n), f'takes/{n}.bvh')\n"
        "print(len(ff.lint('takes')))\n",
        "utf-8",
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["once", "0"], done.stderr


def test_tests_that_windows_cannot_import_are_left_out_there():
    """conftest.py names them; a helper that imports such a module counts for the tests that use it."""
    tests = Path(__file__).resolve().parent
    words = "|".join(ONE_SYSTEM)
    found = {path for path in tests.rglob("*.py") if re.search(rf"^import ({words})$", path.read_text("utf-8"), re.M)}
    helpers = {path.stem for path in found if not path.stem.startswith("test_")}
    using = rf"^(?:from|import) ({'|'.join(helpers)})\b"
    found |= {path for path in tests.rglob("test_*.py") if re.search(using, path.read_text("utf-8"), re.M)}
    named = {path.relative_to(tests.parent).as_posix() for path in found if path.stem.startswith("test_")}
    spec = importlib.util.spec_from_file_location("root_conftest", tests.parent / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert named == set(module.NOT_ON_WINDOWS)
