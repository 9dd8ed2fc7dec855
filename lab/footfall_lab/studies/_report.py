"""The page a study writes: a table of figures with their limits, and pictures inside the file itself."""

from __future__ import annotations

import base64
import csv
import html
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footfall_lab.bench._measure import Row

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:66rem;margin:2rem auto;padding:0 1rem;color:#223}
img{max-width:100%} figure{margin:1.5rem 0} table{border-collapse:collapse;margin:1rem 0;font-size:.92em}
td,th{padding:.3rem .8rem;text-align:left;border-bottom:1px solid #dde;vertical-align:top}
.ok{color:#1a7f37;font-weight:600} .missed{color:#b42318;font-weight:600}"""


def page(title: str, about: str, rows: Sequence[Row], pictures: Sequence[tuple[str, bytes]]) -> str:
    """A whole HTML page; pictures are (title, PNG)."""
    body = "".join(
        f"<tr><td>{html.escape(r.what)}</td><td>{html.escape(r.value)}</td><td>{html.escape(r.limit)}</td>{_mark(r.ok)}</tr>"
        for r in rows
    )
    figures = "".join(
        f'<figure><img alt="{html.escape(name)}" src="data:image/png;base64,{base64.b64encode(png).decode()}"></figure>'
        for name, png in pictures
    )
    head = "".join(f"<th>{h}</th>" for h in ("what", "measured", "should be", ""))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{html.escape(title)}</h1><p>{html.escape(about)}</p>"
        f"<table><tr>{head}</tr>{body}</table>{figures}</html>"
    )


def rows_csv(rows: Sequence[Row]) -> bytes:
    """The same table for a spreadsheet."""
    table = StringIO()
    writer = csv.writer(table)
    writer.writerow(["what", "measured", "should be", "ok"])
    writer.writerows([r.what, r.value, r.limit, "" if r.ok is None else int(r.ok)] for r in rows)
    return table.getvalue().encode()


def _mark(ok: bool | None) -> str:
    word = {True: "ok", False: "missed", None: ""}[ok]
    return f'<td class="{word}">{word}</td>'
