"""The architecture as a test: imports go down only, and light commands stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import footfall

PACKAGE = Path(footfall.__file__).parent
LAYERS = [  # lowest first; packages in one row may import each other
    ("core",),
    ("io", "kinematics"),
    ("analysis", "quality"),
    ("edit", "motions"),
    ("feet",),
    ("retarget", "align", "weights"),
    ("library",),
    ("joins", "parametric"),
    ("graph",),
    ("live", "timeline"),
    ("graph.build",),
    ("render",),
    ("studio",),
    ("cli",),
]
RANK = {package: rank for rank, row in enumerate(LAYERS) for package in row}
FACADE = "core/clip.py"  # Clip's verbs reach up on purpose, inside methods only: see docs/architecture.md
HEAVY = ("numba", "scipy", "matplotlib", "PIL")


def imports(path: Path) -> list[tuple[str, bool]]:
    """Every footfall package a file imports, and whether inside a function."""
    tree = ast.parse(path.read_text("utf-8"))
    deferred = {n for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:  # relative: inside its own package
                parts = path.relative_to(PACKAGE).parts[: -node.level]
                module = ".".join(["footfall", *parts, *([module] if module else [])])
            found.append((module, node in deferred))
        elif isinstance(node, ast.Import):
            found += [(alias.name, node in deferred) for alias in node.names]
    return found


def rank_of(parts: list[str]) -> int:
    """The row a module is in, by the longest name that has one ("graph.build" before "graph")."""
    return RANK.get(".".join(parts[1:3]), RANK.get(parts[1], -1))


FILES = sorted(p for p in PACKAGE.rglob("*.py") if len(p.relative_to(PACKAGE).parts) > 1)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    here = path.relative_to(PACKAGE)
    rank = rank_of(["footfall", *here.with_suffix("").parts])
    for module, deferred in imports(path):
        parts = module.split(".")
        if parts[0] not in ("footfall", "footfall_lab") or len(parts) < 2:
            continue
        if str(here) == FACADE and (deferred or module in TYPES_ONLY):
            continue
        assert parts[0] != "footfall_lab", f"{here} imports the lab"
        assert rank_of(parts) <= rank, f"{here} imports {module}, which lies above it"


TYPES_ONLY = {"footfall.analysis.contacts", "footfall.kinematics.root", "footfall.studio.notebook"}  # in the facade


def test_every_package_has_a_layer():
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    assert packages == set(RANK) & packages
    assert not packages - set(RANK)


@pytest.mark.parametrize(
    "code",
    [
        "import footfall",
        "import footfall; footfall.load",
        "from footfall.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "from footfall.cli import main\ntry: main(['info', '--help'])\nexcept SystemExit: pass",
    ],
)
def test_start_up_touches_nothing_heavy(code):
    check = f"\nimport sys; bad = [m for m in {HEAVY!r} if m in sys.modules]; assert not bad, bad"
    done = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_public_names_exist_and_only_they_are_listed():
    for name in footfall.__all__:
        assert getattr(footfall, name) is not None
    assert set(dir(footfall)) == set(footfall.__all__)
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        footfall.lod  # noqa: B018
