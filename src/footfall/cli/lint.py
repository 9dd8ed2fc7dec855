"""Which clips of a folder will not blend well together, why, and what cures it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._many import BAD_INPUT, PARTIAL
from footfall.cli._options import read_options, reading_options

if TYPE_CHECKING:
    from footfall.analysis.compatibility import Finding
    from footfall.analysis.traits import Traits
    from footfall.retarget.character import Character

PAIRS = 20  # shown unless --all
FOUND = 1  # exit code with --fail


@click.command(name="lint")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object: files, groups, findings.")
@click.option("--all", "everything", is_flag=True, help=f"Show every pair, not only the {PAIRS} nearest to blending.")
@click.option("--fail", is_flag=True, help="Exit with 1 when anything is found.")
@click.option(
    "--character", metavar="FILE|NAME", help="Compare the clips as they are on one body: a file, adult, adult:1.2."
)
@reading_options
def command(folder: Path, as_json: bool, everything: bool, fail: bool, character: str | None, **reading: Any) -> int:
    """Tell which clips of a folder blend badly with each other, why, and what cures it.

    Groups that blend well come first, then faults of single files, then pairs, those with the fewest faults first.
    Files in folders below count too; every animation of a file is a clip of its own.

    \b
    Example:  footfall lint takes
              footfall lint --json takes > lint.json
              footfall lint takes --character adult    what is left once all have one body
    """
    from footfall.analysis.compatibility import groups, lint

    clips, files = _read(folder, character, read_options(**reading))
    findings = lint(clips)
    together = groups(clips, findings)
    failed = sum("error" in file for file in files)
    if as_json:
        told = [{**asdict(f), "b": f.b or None} for f in findings]
        click.echo(json.dumps({"folder": str(folder), "files": files, "groups": together, "findings": told}))
    else:
        _show(folder, clips, failed, together, findings, everything)
    if failed:
        return PARTIAL if clips else BAD_INPUT
    return FOUND if fail and findings else 0


def _read(folder: Path, onto: str | None, options: dict[str, Any]) -> tuple[list[Traits], list[dict[str, Any]]]:
    """Every clip of a folder, analysed once; a file that cannot be read or analysed is told and left out."""
    from rich.console import Console
    from rich.progress import Progress

    from footfall.core.errors import FootfallError
    from footfall.io.folder import SHARED, motion_files

    paths = motion_files(folder)
    body = _body(onto)
    clips: list[Traits] = []
    files: list[dict[str, Any]] = []
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        for path in bar.track(paths, description="reading"):
            name = path.relative_to(folder).as_posix()
            try:
                found = _clips_of(path, name, body, options)
            except FootfallError as error:
                if path.suffix.lower() not in SHARED:
                    files.append({"file": name, "error": " ".join(str(error).split())})
                    console.print(f"footfall: {name}: {files[-1]['error']}", markup=False, soft_wrap=True)
                continue
            clips += [clip for clip, _ in found]
            files += [facts for _, facts in found]
    return clips, files


def _body(onto: str | None) -> Character | None:
    from footfall.retarget.character import character

    return None if onto is None else character(onto)


def _clips_of(
    path: Path, name: str, body: Character | None, options: dict[str, Any]
) -> list[tuple[Traits, dict[str, Any]]]:
    from footfall.analysis.summary import analyze
    from footfall.analysis.traits import traits
    from footfall.io.load import load_all
    from footfall.retarget.retarget import retarget

    moving = [clip for clip in load_all(path, **options) if clip.frames]
    found = []
    for clip in moving:
        clip = clip if body is None else retarget(clip, body)
        own = name if len(moving) == 1 else f"{name}#{clip.name}"
        clip_traits = traits(clip, analyze(clip), own)
        found.append((clip_traits, _facts(clip_traits, clip.repairs)))
    return found


def _facts(clip: Traits, repairs: Sequence[str]) -> dict[str, Any]:
    return {
        "file": clip.name,
        "type": clip.type,
        "direction": clip.direction,
        "start_foot": clip.start_foot or None,
        "steps": clip.steps,
        "duration_s": round(clip.duration_s, 4),
        "stride_s": round(clip.stride_s, 4) or None,
        "fps": clip.fps,
        "height_m": round(clip.height_m, 4),
        "repairs": len(repairs),
    }


def _show(
    folder: Path,
    clips: list[Traits],
    failed: int,
    together: list[list[str]],
    findings: list[Finding],
    everything: bool,
) -> None:
    bold = {"bold": True}
    pairs: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        pairs.setdefault((finding.a, finding.b), []).append(finding)
    alone = [key for key in pairs if not key[1]]
    bad = sorted((key for key in pairs if key[1]), key=lambda key: _distance(pairs[key]))
    total = len(clips) * (len(clips) - 1) // 2
    unread = f", {failed} could not be used" if failed else ""
    click.echo(
        f"{click.style(str(folder), **bold)}: {len(clips)} clips{unread}; {len(bad)} of {total} pairs blend badly"
    )
    _show_groups(clips, together)
    counts = Counter(f.kind for f in findings)
    if counts:
        click.echo(click.style("\nFaults", **bold) + "  " + ", ".join(f"{k} {n}" for k, n in counts.most_common()))
    for key in alone:
        _show_findings(key[0], pairs[key])
    if bad:
        click.echo(click.style("\nPairs", **bold) + ", the fewest faults first")
    for key in bad if everything else bad[:PAIRS]:
        _show_findings(f"{key[0]}  ×  {key[1]}", pairs[key])
    if len(bad) > PAIRS and not everything:
        click.echo(f"… and {len(bad) - PAIRS} more pairs: --all shows them, --json lists them")
    sys.stdout.flush()


def _distance(findings: list[Finding]) -> tuple[bool, int]:
    """How far a pair is from blending: another motion is never cured, the rest by what it takes."""
    return any(f.kind in ("type", "direction") for f in findings), len(findings)


def _show_groups(clips: list[Traits], together: list[list[str]]) -> None:
    kinds = {c.name: f"{c.type} {c.direction}".strip() for c in clips}
    click.echo(click.style("\nGroups that blend well", bold=True) + ("" if together else ": none"))
    for group in together:
        kind = Counter(kinds[name] for name in group).most_common(1)[0][0]
        head = click.style(f"  {len(group):3} {kind:14} ", fg="green")
        click.echo(head + "  ".join(group))
    grouped = {name for group in together for name in group}
    loners = [c.name for c in clips if c.name not in grouped]
    if loners:
        click.echo(click.style(f"  {len(loners):3} {'with none':14} ", fg="yellow") + "  ".join(loners))


def _show_findings(title: str, findings: list[Finding]) -> None:
    click.echo(click.style(title, bold=True))
    for f in findings:
        click.echo(f"  {click.style(f'{f.kind:12}', fg='yellow')} {f.why}")
        click.echo(f"  {'':12} {click.style('cure', fg='green')}: {f.cure}")
