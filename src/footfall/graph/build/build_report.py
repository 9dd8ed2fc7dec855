"""Build report: what a graph was made of, what was refused and why, and how good every loop and edge is."""

from __future__ import annotations

import csv
import html
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from typing import Any

from footfall.graph.build.build_file import BuildFile, CycleRow, Stretch, TurnedRow
from footfall.graph.build.gait_nodes import SAME_TURN

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem;color:#223}
img{max-width:100%} table{border-collapse:collapse;margin:1rem 0;font-size:.88em} h2{margin-top:2rem}
td,th{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #dde;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}"""
LOOP_COLUMNS = {
    "speed": "m/s", "turn": "°/s", "side": "m/s", "closing_deg": "ends apart, °", "closed_deg": "closed, °",
    "slide_cm_s": "slide recorded, cm/s", "closed_slide_cm_s": "slide closed, cm/s", "excess_m_s2": "excess, m/s²",
    "missed": "figures missed at the seam",
}  # fmt: skip


def summary(build: BuildFile) -> list[str]:
    """What people see when a graph is built."""
    lines = [build.told] if build.told else []
    for label in _labels(build):
        used = [r for r in build.cycles if r.use and r.label == label]
        bent = [r for r in build.turned if r.use and r.label == label]
        count = sum(1 + _is_mirrored(r) for r in used) + 2 * len(bent) if label != "stand" else 1
        lines.append(
            f"{label}: {_count(count, 'example')} of {_count(len(used), 'recorded cycle')}{_range(used)}{_made(bent)}"
            f"{_believed([*used, *bent])}"
        )
    for edge in build.edges:
        quality = edge.measured
        judged = (
            f"; throws joints up to {quality['worst_m_s2']:.0f} m/s² beyond the examples, slide "
            f"{quality['slide_cm_s']:.1f} cm/s"
            if "worst_m_s2" in quality
            else ""
        )
        of = f" ({_count(len(edge.examples), 'example')})" if edge.examples else ""
        lines.append(f"{edge.before} to {edge.after}: {edge.way}{of}{judged}")
    names = [r.label for r in build.actions if r.use]
    if names:
        lines.append(f"actions: {', '.join(names)}")
    lines += _missing(build)
    return [*lines, *_refusals(build)]


def _believed(rows: Sequence[CycleRow | TurnedRow]) -> str:
    """How many of the loops are believable where they go round (docs/believable.md)."""
    missed = [row.measured["missed"] for row in rows if "missed" in row.measured]
    return f"; {sum(m == 0.0 for m in missed)} of {_count(len(missed), 'seam')} believable" if missed else ""


def _is_mirrored(row: CycleRow) -> bool:
    """Whether its mirror image is an example too: that of a loop that goes quite straight does the same."""
    return row.mirrored and abs(row.measured.get("turn", 1.0)) >= SAME_TURN


def _labels(build: BuildFile) -> list[str]:
    return list(dict.fromkeys(r.label for r in sorted(build.cycles, key=lambda r: _place(r.label)) if r.use))


def _place(label: str) -> int:
    order = ("stand", "walk", "run", "back", "side")
    return order.index(label) if label in order else len(order)


def _range(rows: Sequence[CycleRow]) -> str:
    speeds = [r.measured["speed"] for r in rows if "speed" in r.measured]
    return f", {min(speeds):.2f} to {max(speeds):.2f} m/s" if speeds else ""


def _made(rows: Sequence[TurnedRow]) -> str:
    if not rows:
        return ""
    most = max(abs(r.turn) for r in rows)
    return f", and {len(rows)} made to turn by up to {most:.0f}°/s, which nobody was recorded doing"


def _missing(build: BuildFile) -> list[str]:
    """What a character of this graph cannot do, in a sentence each."""
    have = {r.label for r in build.cycles if r.use}
    words = {
        "stand": "nobody stands still: a recording of half a second of standing would let the character stop",
        "walk": "nobody walks steadily over a whole cycle: a recording of three steps would let the character walk",
        "run": "nobody runs steadily over a whole cycle: a recording of three running steps would let it run",
    }
    return [f"missing: {text}" for label, text in words.items() if label not in have]


def _refusals(build: BuildFile) -> list[str]:
    """Reasons by how often, the rows that are not used."""
    rows = [*build.cycles, *build.turned, *build.changes]
    reasons = Counter(_short(r.why) for r in rows if not r.use)
    told = [f"not used: {n} × {why}" for why, n in sorted(reasons.items(), key=lambda x: (-x[1], x[0]))]
    return [*told, *(f"left out: {file}: {why}" for file, why in build.left_out)]


def _short(why: str) -> str:
    """A reason without its numbers."""
    return why.split(":")[0].split(",")[0].strip() or "switched off"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


# --- tables ----------------------------------------------------------------------------------------------------------


def loop_rows(build: BuildFile) -> list[dict[str, Any]]:
    """Every cycle that was looked at."""
    out = []
    rows: list[CycleRow | TurnedRow] = [*build.cycles, *build.turned]
    for row in rows:
        numbers: dict[str, Any] = {k: row.measured.get(k, "") for k in LOOP_COLUMNS}
        made = ""
        if isinstance(row, TurnedRow):
            made, numbers["turn"] = "turned", row.turn
        out.append({
            "file": row.file, "clip": row.clip, "from_s": row.start_s, "to_s": row.end_s, "label": row.label,
            "made": made, "used": row.use, **numbers, "why": row.why,
        })  # fmt: skip
    return out


def edge_rows(build: BuildFile) -> list[dict[str, Any]]:
    """Every edge as it was built."""
    names = ("over_40_m_s2", "worst_m_s2", "slide_cm_s", "dip_cm")
    return [
        {"before": e.before, "after": e.after, "way": e.way, "examples": ", ".join(e.examples),
         **{n: e.measured.get(n, "") for n in names}}
        for e in build.edges
    ]  # fmt: skip


def change_rows(build: BuildFile) -> list[dict[str, Any]]:
    """Every recorded change and action that was looked at."""
    named: list[tuple[str, Stretch]] = [(f"{r.before} to {r.after}", r) for r in build.changes]
    named += [(r.label, r) for r in build.actions]
    return [
        {"what": what, "file": r.file, "from_s": r.start_s, "to_s": r.end_s, "used": r.use, "why": r.why}
        for what, r in named
    ]


def as_csv(rows: Sequence[dict[str, Any]]) -> bytes:
    """Rows as a table for a spreadsheet."""
    text = StringIO()
    if rows:
        table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return text.getvalue().encode()


def page(build: BuildFile, title: str, pictures: Sequence[tuple[str, bytes]]) -> str:
    """The whole report as one HTML page, pictures (title, PNG) inside."""
    figures = "".join(
        f'<figure><img alt="{html.escape(name)}" src="data:image/png;base64,{b64encode(png).decode()}"></figure>'
        for name, png in pictures
    )
    lines = "".join(f"<li>{html.escape(line)}</li>" for line in summary(build))
    loops = loop_rows(build)
    used = [r for r in loops if r["used"]]
    unused = [r for r in loops if not r["used"]]
    tables = "".join(
        f"<h2>{name}</h2>{_table(rows)}"
        for name, rows in (
            ("Loops that are used", used), ("Edges", edge_rows(build)), ("Changes and actions", change_rows(build)),
            ("Cycles that are not used", unused),
        )
    )  # fmt: skip
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}'
        f"</style><h1>{html.escape(title)}</h1><ul>{lines}</ul>{figures}{tables}</html>\n"
    )


def _table(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return "<p>none</p>"
    head = "".join(f"<th>{html.escape(LOOP_COLUMNS.get(k, k.replace('_', ' ')))}</th>" for k in rows[0])
    body = "".join("<tr>" + "".join(_cell(v) for v in row.values()) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="n">{value:.2f}</td>'
    return f"<td>{'yes' if value is True else '' if value is False else html.escape(str(value))}</td>"
