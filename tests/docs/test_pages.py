"""What pages name is there: files, modules, other pages and pictures."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "footfall"
ENTRY_POINTS = "footfall.commands"  # a group of entry points: no module
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# pages that are made when the site is built (tools/docsite); that build fails if a link to one leads nowhere
MADE = {"docs/reference/api.md", "docs/reference/commands.md", "docs/reference/choices.md", "docs/gallery.md"}
MADE |= {path.with_suffix(".md").relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("notebooks/*.ipynb")}


def test_every_file_of_the_glossary_exists():
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row)}
    assert len(named) > 40
    missing = sorted(name for name in named if not (SOURCE / name).is_file())
    assert not missing


def test_no_term_of_the_glossary_is_there_twice():
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    terms = [term for row in rows if row != "term" for term in row.split(", ")]
    assert len(terms) == len(set(terms))


def test_the_page_of_blend_spaces_names_all_of_them():
    from footfall.parametric.builtin_sets import SETS

    text = (ROOT / "docs" / "blend_spaces.md").read_text("utf-8")
    (told,) = re.findall(r"- Built-in sets: ([^.]+)\.\n", text)
    named = re.sub(r"\([^)]*\)", "", told)  # what one of them is made of
    assert sorted(name.strip() for name in named.split(",")) == sorted(SETS)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_paths_lead_somewhere(page):
    text = page.read_text("utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [link for link in links if link and not is_there(page.parent / link)]
    folders = "|".join(path.name for path in SOURCE.iterdir() if path.is_dir())
    for name in re.findall(rf"`((?:{folders}|src|tools|tests|lab|examples)/[\w/]+\.\w+)`", text):
        if not any((base / name).is_file() for base in (SOURCE, ROOT)):
            missing.append(name)
    for name in re.findall(r"`((?:footfall|footfall_lab)\.[\w.]+)", text):
        if name != ENTRY_POINTS and not is_module_or_member(name):
            missing.append(name)
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pictures_have_a_text_alternative(page):
    assert not re.findall(r"!\[\s*\]\([^)]*\)", page.read_text("utf-8"))


def test_the_first_line_of_a_module_is_a_whole_sentence():
    """It is what lists of modules show; `help` and editors, too."""
    folders = SOURCE, ROOT / "lab" / "footfall_lab"
    modules = [path for folder in folders for path in folder.rglob("*.py") if "node_modules" not in path.parts]
    told = {
        path.relative_to(ROOT).as_posix(): ast.get_docstring(ast.parse(path.read_text("utf-8"))) for path in modules
    }
    assert sum(bool(text) for text in told.values()) > 400
    assert not {
        name: text.splitlines()[0] for name, text in told.items() if text and text.splitlines()[0][-1] not in ".?"
    }


def is_there(path: Path) -> bool:
    return path.exists() or path.resolve().relative_to(ROOT).as_posix() in MADE


def is_module_or_member(name: str) -> bool:
    """`footfall.a.b` or a name that module `footfall.a` has."""
    parts = name.rstrip(".").split(".")
    base = {"footfall": ROOT / "src", "footfall_lab": ROOT / "lab"}[parts[0]]
    for length in range(len(parts), 0, -1):
        path = base.joinpath(*parts[:length])
        if path.with_suffix(".py").is_file():
            return length == len(parts) or parts[length] in path.with_suffix(".py").read_text("utf-8")
        if path.is_dir():
            return length == len(parts) or f'"{parts[length]}"' in (path / "__init__.py").read_text("utf-8")
    return False


def test_studies_and_benches_that_pages_name_can_be_run():
    from footfall.core import registry
    from footfall_lab.commands import bench, study

    known = {"study": set(study.studies()), "bench": set(registry.members(bench.FAMILY))}
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"footfall (study|bench) ([a-z][\w-]+)", text))
    assert len(named) > 15
    assert sorted(f"{kind} {name}" for kind, name in named if name not in known[kind]) == []
