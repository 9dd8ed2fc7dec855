"""Notebooks without Jupyter: run their cells one after the other, and lay what they say out as a page.

A notebook is plain JSON. Its code cells are run in one set of names; what they print, the value of a last line and
every picture that a last line shows are kept. The tests run the notebooks through the same code.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from made_once import ROOT, made_once


class CellOutput(NamedTuple):
    """What one code cell gave."""

    printed: str
    value: str  # repr of the last line, where it is an expression
    html: str  # what a notebook would show of it
    png: bytes


class NotebookPage(NamedTuple):
    """A notebook as Markdown, and its pictures by name."""

    text: str
    pictures: dict[str, bytes]


def cells(path: Path) -> list[tuple[str, str]]:
    """(kind, source) of every cell; kind is "markdown" or "code"."""
    book = json.loads(path.read_text("utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in book["cells"]]


def run_notebook(path: Path) -> list[CellOutput]:
    """Run every code cell, in a folder of its own."""
    names: dict[str, Any] = {"__name__": "__notebook__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="footfall-notebook-") as folder:
        os.chdir(folder)
        try:
            return [_run(source, names, path.name) for kind, source in cells(path) if kind == "code"]
        finally:
            os.chdir(before)


def _run(source: str, names: dict[str, Any], where: str) -> CellOutput:
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, where, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    return CellOutput(said.getvalue(), "" if value is None else repr(value), _html(value), _png(value))


def _html(value: Any) -> str:
    show = getattr(value, "_repr_html_", None)
    return str(show()) if show else ""


def _png(value: Any) -> bytes:
    """A figure of matplotlib or a picture of pillow."""
    if not (hasattr(value, "savefig") or hasattr(value, "save")):
        return b""
    file = io.BytesIO()
    if hasattr(value, "savefig"):
        value.savefig(file, dpi=90, bbox_inches="tight")
        import matplotlib.pyplot as plt

        plt.close(value)
    else:
        value.save(file, "PNG")
    return file.getvalue()


def notebook_page(path: Path, run: bool = True) -> NotebookPage:
    """The page of a notebook, with what its cells say when they are run now."""
    source = path.read_text("utf-8")
    kept = made_once(f"notebook {source}", lambda: [_as_json(o) for o in run_notebook(path)]) if run else None
    outputs = iter([_from_json(o) for o in kept] if kept else [])
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for kind, text in cells(path):
        if kind == "markdown":
            parts.append(text)
            continue
        parts.append(f"```{{ .python }}\n{text.rstrip()}\n```")
        output = next(outputs, CellOutput("", "", "", b""))
        parts += _shown(output, path.stem, pictures)
    where = path.relative_to(ROOT).as_posix()
    parts.insert(
        1,
        f"This page is a notebook that was run when the site was built: [download it]({path.name}), or open `{where}`.",
    )
    return NotebookPage("\n\n".join(parts) + "\n", pictures)


def _shown(output: CellOutput, stem: str, pictures: dict[str, bytes]) -> list[str]:
    parts = [f"```{{ .text }}\n{output.printed.rstrip()}\n```"] if output.printed.strip() else []
    if output.png:
        name = f"{stem}_{hashlib.sha256(output.png).hexdigest()[:8]}.png"
        pictures[name] = output.png
        parts.append(f"![What the cell above draws]({name})")
    elif output.html:
        parts.append("*In a notebook, the moving figure is here.*")
    elif output.value:
        parts.append(f"```{{ .text }}\n{output.value}\n```")
    return parts


def _as_json(output: CellOutput) -> list[str]:
    return [output.printed, output.value, output.html[:1], output.png.hex()]


def _from_json(kept: list[str]) -> CellOutput:
    return CellOutput(kept[0], kept[1], kept[2], bytes.fromhex(kept[3]))
