"""Show what a motion file holds, what footfall inferred about it, and how confident it is.

One JSON line a file with --json; otherwise a short text for people.
"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import ClipFile, shown
from footfall.cli._folders import FolderAsking, each_or_folder
from footfall.cli._library import many_options
from footfall.cli._options import reading_among, reading_options

if TYPE_CHECKING:
    from footfall.cli._many import ClipSource
    from footfall.library.facets import Facet

FEW = 4  # numbers that are shown one by one
INDENT = " " * 13  # where values begin in the text


@click.command(name="info")
@click.argument("files", nargs=-1, required=True, type=ClipFile())
@click.option("--json", "as_json", is_flag=True, help="One JSON line per file.")
@many_options
@reading_options
def command(files: tuple[Path, ...], as_json: bool, jobs: int | None, cluster: str | None, **reading: Any) -> int:
    """Show what motion files hold, what footfall inferred about them, and how confident it is.

    FILES may also be built-in motions, folders (answered from their libraries) and globs.

    \b
    Example:  footfall info walk.bvh kick.glb
              footfall info --json take_01.amc --skeleton 01.asf
              footfall info --json takes > takes.jsonl
    """
    from functools import partial

    options = reading_among(reading)
    asking = FolderAsking(_facet, _answer, jobs, cluster, options)
    alone = len(files) == 1 and not files[0].is_dir()
    return each_or_folder(files, partial(_describe, options), partial(_show, as_json, alone), asking)


def _facet(options: dict[str, Any]) -> Facet:
    from footfall.library.facts import facts_facet

    return facts_facet(options)


def _describe(options: dict[str, Any], source: ClipSource) -> dict[str, Any]:
    from footfall.library.facts import file_facts, reading_facts
    from footfall.motions.library import open_clips

    return file_facts(shown(source.path), [reading_facts(clip) for clip in open_clips(source.path, **options)])


def _answer(path: Path, clips: list[dict[str, Any]]) -> dict[str, Any]:
    from footfall.library.facts import file_facts

    return file_facts(str(path), [clip["read"] for clip in clips])


def _show(as_json: bool, alone: bool, facts: dict[str, Any]) -> None:
    click.echo(json.dumps(facts, allow_nan=False) if as_json else _text(facts, alone))


def _text(facts: dict[str, Any], alone: bool) -> str:
    """What a file holds; alone: it is the only one asked about, so there is room for its joints by role."""
    many = f", {facts['animations']} animations" if facts["animations"] > 1 else ""
    lines = [
        click.style(facts["file"], bold=True),
        f"  {facts['frames']} frames at {facts['fps']:g} fps = {facts['duration_s']:.2f} s, {facts['joints']} joints, "
        f"height {facts['height_m']:.2f} m{many}",
    ]
    if many:
        lines.append("  " + ", ".join(f"{c['name']} {c['duration_s']:.2f} s" for c in facts["clips"]))
    for key, found in facts["inferred"].items():
        lines.append(f"  {key:10} {_shown(key, found['value'])}  ({found['how']}; {found['confidence']:.0%} sure)")
    roles = facts["roles"]
    joints = {role: joint for role, joint in roles.items() if role != "how" and isinstance(joint, str)}
    lines.append(f"  {'roles':10} {len(joints)} found  ({roles['how']}; {roles['confidence']:.0%} sure)")
    if alone:
        lines += _indented([f"{role}={joint}" for role, joint in joints.items()])
    lines += [click.style("  warning    ", fg="yellow") + text for text in facts["warnings"]]
    lines += [click.style("  repaired   ", fg="cyan") + text for text in facts["repairs"]]
    return "\n".join(lines)


def _indented(words: list[str]) -> list[str]:
    """Words in lines under the values of the text."""
    return wrap("  ".join(words), 100, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False)


def _shown(key: str, value: Any) -> str:
    if key == "floor":  # adding 0 turns a rounded -0 into 0
        return ", ".join(f"{foot} {round(height, 3) + 0.0:+.3f} m" for foot, height in value.items())
    if isinstance(value, tuple) and len(value) > FEW:
        return f"{len(value)} numbers"
    return f"{value:g}" if isinstance(value, float) else str(value)
