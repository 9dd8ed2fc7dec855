"""Figures of the source: code lines, wide functions, class names, imports; run as a program it prints them."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "footfall"
WIDEST = 8  # parameters that a caller may give
NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Import(NamedTuple):
    """One import statement's module, by its full name."""

    module: str
    line: int
    in_function: bool
    for_types: bool  # under `if TYPE_CHECKING:`


def files(package: Path = PACKAGE) -> list[Path]:
    return sorted(p for p in package.rglob("*.py") if "node_modules" not in p.parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a file's syntax tree."""
    return list(ast.walk(tree_of(path)))


def code_lines(path: Path) -> int:
    """Lines that hold code: no blank lines, comments or docstrings."""
    docs: set[int] = set()
    for node in nodes(path):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node, clean=False) is not None:
            docs.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docs)


def lines_by_room(package: Path = PACKAGE) -> dict[str, int]:
    """Code lines of each folder directly under the package; "." holds the files beside them."""
    rooms: dict[str, int] = defaultdict(int)
    for path in files(package):
        inside = path.relative_to(package).parts
        rooms[inside[0] if len(inside) > 1 else "."] += code_lines(path)
    return dict(rooms)


def wide_functions(package: Path = PACKAGE) -> list[str]:
    """Functions with more than 8 parameters, widest first, without click commands (whose parameters are options)."""
    found = []
    for path in files(package):
        for node in nodes(path):
            if isinstance(node, Function) and not any("click" in ast.dump(d) for d in node.decorator_list):
                given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                width = len(given) - (bool(given) and given[0].arg in ("self", "cls"))
                if width > WIDEST:
                    found.append((width, f"{path.relative_to(package).as_posix()}:{node.name}"))
    return [f"{place} ({width})" for width, place in sorted(found, reverse=True)]


def doubled_class_names(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Public class names that more than one module defines, and where."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in files(package):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(package).as_posix())
    return {name: places for name, places in sorted(homes.items()) if len(set(places)) > 1}


@cache
def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for path in files(package):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(path: Path, package: Path = PACKAGE) -> list[Import]:
    """Every import of a file; `from a.b import c` counts as a.b.c where that is a module, else as a.b."""
    deferred = {n for f in nodes(path) if isinstance(f, Function) for n in ast.walk(f)}
    typing = {n for n in nodes(path) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.dump(n.test)}
    typed = {n for block in typing for child in block.body for n in ast.walk(child)}
    return [
        Import(name, node.lineno, node in deferred, node in typed)
        for node in nodes(path)
        for name in _names(node, path.relative_to(package.parent).parts[:-1], modules(package))
    ]


def _names(node: ast.AST, folder: tuple[str, ...], known: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = folder[: len(folder) - node.level + 1] if node.level else ()
        base = ".".join([*above, *([node.module] if node.module else [])])
        yield from {f"{base}.{a.name}" if f"{base}.{a.name}" in known else base for a in node.names}


def cycles(package: Path = PACKAGE, verbs: str = "footfall.core.clip") -> list[list[str]]:
    """Import cycles as chains of module names, a shortest one through each module that is in any.

    Imports inside functions count; those for types only do not, nor do the ones inside the functions of `verbs`.
    """
    edges = {
        name: sorted({
            i.module for i in imports(path, package)
            if i.module in modules(package) and i.module != name
            and not i.for_types and not (name == verbs and i.in_function)
        })
        for name, path in modules(package).items()
    }  # fmt: skip
    edges = _without_loose_ends(edges)
    found: dict[frozenset[str], list[str]] = {}
    for start in edges:
        chain = _shortest_way_round(edges, start)
        if chain:
            found.setdefault(frozenset(chain), chain)
    return list(found.values())


def _without_loose_ends(edges: dict[str, list[str]]) -> dict[str, list[str]]:
    """The same graph less all modules that import nothing that is left: what cannot be in a cycle."""
    while True:
        kept = {
            name: [t for t in there if t in edges] for name, there in edges.items() if any(t in edges for t in there)
        }
        if len(kept) == len(edges):
            return kept
        edges = kept


def _shortest_way_round(edges: dict[str, list[str]], start: str) -> list[str]:
    came_from: dict[str, str] = {}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for there in edges[here]:
            if there == start:
                chain = [here]
                while chain[-1] != start:
                    chain.append(came_from[chain[-1]])
                return chain[::-1]
            if there not in came_from:
                came_from[there] = here
                queue.append(there)
    return []


def cycle_text(chain: list[str], package: Path = PACKAGE) -> str:
    """ "a → b (a.py:3) → a (b.py:7)": who imports whom, and on which line."""
    steps = [chain[0]]
    for here, there in zip(chain, [*chain[1:], chain[0]], strict=True):
        path = modules(package)[here]
        line = next(i.line for i in imports(path, package) if i.module == there and not i.for_types)
        steps.append(f"{there} ({path.relative_to(package).as_posix()}:{line})")
    return " → ".join(steps)


def main() -> None:
    rooms = lines_by_room()
    print(f"{sum(rooms.values())} code lines in {len(files())} files")
    for room, lines in sorted(rooms.items(), key=lambda item: -item[1]):
        print(f"  {lines:6d}  {room}")
    for title, found in (
        (f"functions with more than {WIDEST} parameters", wide_functions()),
        (
            "public class names in more than one module",
            [f"{n}: {', '.join(p)}" for n, p in doubled_class_names().items()],
        ),
        ("import cycles", [cycle_text(chain) for chain in cycles()]),
    ):
        print(f"{len(found)} {title}", *found, sep="\n  ")


if __name__ == "__main__":
    sys.exit(main())
