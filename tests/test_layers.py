"""The architecture as a test: imports go down and never in a circle, and light commands stay light."""

from __future__ import annotations

import subprocess
import sys

import pytest
from code_figures import PACKAGE, cycle_text, cycles, doubled_class_names, files, imports, lines_by_room, wide_functions

import footfall

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
    ("live", "timeline", "augment"),
    ("graph.build",),
    ("render",),
    ("studio",),
    ("cli",),
]
RANK = {package: rank for rank, row in enumerate(LAYERS) for package in row}
FACADE = "core/clip.py"  # Clip's verbs reach up on purpose, inside methods only: see docs/architecture.md
HEAVY = ("numba", "scipy", "matplotlib", "PIL")
WIDE_FUNCTIONS = 0
DOUBLED_CLASS_NAMES = 0
NUMBA_AT_TOP = {  # all other modules let core/kernels.py import numba at the first call of a kernel
    "core/references.py": "a reference's type must exist before the kernels that take one",
    "io/bvh_scan_kernels.py": "an intrinsic is declared while the module is read; imported for long files only",
}


def rank_of(parts: list[str]) -> int:
    """The row a module is in, by the longest name that has one ("graph.build" before "graph")."""
    return RANK.get(".".join(parts[1:3]), RANK.get(parts[1], -1))


FILES = [p for p in files() if p.parent != PACKAGE]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    here = path.relative_to(PACKAGE)
    rank = rank_of(["footfall", *here.with_suffix("").parts])
    for found in imports(path):
        parts = found.module.split(".")
        assert parts[0] != "footfall_lab", f"{here}:{found.line} imports the lab"
        if parts[0] != "footfall" or len(parts) < 2:
            continue
        if here.as_posix() == FACADE and (found.in_function or found.for_types):
            continue
        assert rank_of(parts) <= rank, f"{here}:{found.line} imports {found.module}, which lies above it"


def test_no_module_imports_itself_through_others():
    found = [cycle_text(chain) for chain in cycles()]
    assert not found, "import cycles (imports inside functions count):\n" + "\n".join(found)


def test_a_cycle_is_found_and_named(tmp_path):
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "hall.py").write_text("from house import attic\n")
    (package / "attic.py").write_text("def climb():\n    from .stairs import step\n")
    (package / "stairs.py").write_text("from house.hall import door\n")
    (package / "garden.py").write_text(
        "from typing import TYPE_CHECKING\nimport house.hall\nif TYPE_CHECKING:\n    import house.shed\n"
    )
    (package / "shed.py").write_text("import house.garden\n")
    [chain] = cycles(package)
    assert cycle_text(chain, package) == (
        "house.attic → house.stairs (attic.py:2) → house.hall (stairs.py:1) → house.attic (hall.py:1)"
    )


def test_wide_functions_become_fewer(record_property):
    found = wide_functions()
    record_property("wide_functions", len(found))
    assert_ratchet("WIDE_FUNCTIONS", WIDE_FUNCTIONS, found)


def test_doubled_class_names_become_fewer(record_property):
    found = [f"{name}: {', '.join(places)}" for name, places in doubled_class_names().items()]
    record_property("doubled_class_names", len(found))
    assert_ratchet("DOUBLED_CLASS_NAMES", DOUBLED_CLASS_NAMES, found)


def assert_ratchet(name, allowed, found):
    """As many as the number here says: more are refused, and fewer become the new number."""
    assert len(found) <= allowed, f"{len(found)} where {name} allows {allowed}:\n" + "\n".join(found)
    assert len(found) == allowed, f"only {len(found)} are left; write that number as {name} in tests/test_layers.py"


def test_code_lines_are_reported(record_property):
    rooms = lines_by_room()
    print(sum(rooms.values()), "code lines:", rooms)
    for room, lines in {"all": sum(rooms.values()), **rooms}.items():
        record_property(f"code_lines_{room}", lines)


def test_nothing_depends_on_what_was_imported_before():
    mention = {p.relative_to(PACKAGE).as_posix() for p in files() if "sys.modules" in p.read_text("utf-8")}
    assert mention <= {"core/callable_package.py"}, "what runs must not depend on sys.modules"


def test_numba_is_imported_when_a_kernel_is_first_called():
    eager = {
        path.relative_to(PACKAGE).as_posix()
        for path in files()
        for found in imports(path)
        if found.module.split(".")[0] == "numba" and not found.in_function and not found.for_types
    }
    assert eager <= set(NUMBA_AT_TOP), "mark kernels with @kernel of core/kernels.py instead"


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
