"""Families of methods: a member is present because its file is present.

The choices of a family (file formats, weight methods, transitions, …) are the files of its package; what each one is
comes from its first docstring line and its upper-case literals, read with `ast`, so nothing is imported until used.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .errors import UnknownName


class Member(NamedTuple):
    """One file of a family: its key ("by-example" for by_example.py), what it says it is, its literal constants."""

    key: str
    module: str
    summary: str
    constants: dict[str, Any]


@cache
def members(package: str) -> dict[str, Member]:
    """Every public module of a package, by key, in alphabetical order."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise UnknownName("package", package, [])
    found = {}
    for folder in spec.submodule_search_locations:
        for path in sorted(Path(folder).iterdir()):
            name = path.stem if path.suffix == ".py" else path.name if (path / "__init__.py").exists() else ""
            if not name or name.startswith("_"):
                continue
            tree = ast.parse((path if path.suffix == ".py" else path / "__init__.py").read_text("utf-8"))
            summary = (ast.get_docstring(tree) or "").split("\n")[0]
            key = name.replace("_", "-")
            found[key] = Member(key, f"{package}.{name}", summary, _literals(tree))
    return found


def member(package: str, key: str, kind: str) -> ModuleType:
    """The module of one member, imported now; an unknown key offers the known ones."""
    known = members(package)
    if key not in known:
        raise UnknownName(kind, key, known)
    return import_module(known[key].module)


def _literals(tree: ast.Module) -> dict[str, Any]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name.isupper():
                try:
                    found[name] = ast.literal_eval(node.value)
                except ValueError:
                    continue  # a computed constant: not part of a member's description
    return found
