"""Find the clips of a folder that will not blend well together; say why, and what cures it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._library import filling, library_options, tell_bad
from footfall.cli._many import BAD_INPUT, PARTIAL
from footfall.cli._options import character_option, reading_among, reading_options

if TYPE_CHECKING:
    from footfall.analysis.compatibility import Finding
    from footfall.analysis.traits import Traits
    from footfall.library.lint import LintedFile, LintReport

PAIRS = 20  # shown unless --all
WORST = 100  # pairs listed by --json of a large folder, unless --all
ALL = 64  # clips: of so few every pair is compared, and listed
FOUND = 1  # exit code with --fail


@click.command(name="lint")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object: files, groups, findings.")
@click.option("--all", "everything", is_flag=True, help=f"Show every pair, not only the {PAIRS} nearest to blending.")
@click.option("--fail", is_flag=True, help="Exit with status 1 if anything is found.")
@character_option("Compare the clips as they are on one body")
@library_options
@reading_options
def command(
    folder: Path, as_json: bool, everything: bool, fail: bool, character: str | None, index: Path | None,
    jobs: int | None, **reading: Any,
) -> int:  # fmt: skip
    """Say which clips of a folder blend badly with each other, why, and what cures it.

    Groups that blend well come first, then faults of single files, then pairs, those with the fewest faults first.
    Subfolders are included; every animation of a file is a clip of its own. With over 64 clips, each is compared with
    those most like it. For every clip, the JSON says what it blends with best, or what is nearest and the cure.

    \b
    Example:  footfall lint takes
              footfall lint --json takes > lint.json
              footfall lint takes --character adult    what is left once all have one body
    """
    from footfall.library.lint import lint_folder

    with filling(index, jobs, reading_among(reading)) as settings:
        report = lint_folder(folder, character, settings)
    tell_bad((file.name, file.problem) for file in report.files if file.problem)
    failed = sum(bool(file.problem) for file in report.files)
    if as_json:
        click.echo(json.dumps(_told(folder, report, everything)))
    else:
        _show(folder, report, failed, everything)
    if failed:
        return PARTIAL if report.clips else BAD_INPUT
    return FOUND if fail and report.compared.findings else 0


def _told(folder: Path, report: LintReport, everything: bool) -> dict[str, Any]:
    """The object of --json; it grows with the number of clips."""
    compared = report.compared
    partners = {told.name: told for told in compared.clips}
    files = []
    for file in report.files:
        facts = _facts(file)
        if file.traits is not None:
            told = partners[file.name]
            facts |= {"partners": told.partners, "nearest": [asdict(f) for f in told.nearest]}
        files.append(facts)
    bad = _bad_pairs(compared.findings)
    keys = list(bad) if everything or len(report.clips) <= ALL else _worst(bad)
    findings = [f for f in compared.findings if not f.b] + [f for key in keys for f in bad[key]]
    order = {clip.name: k for k, clip in enumerate(report.clips)}
    findings.sort(key=lambda f: (order[f.a], order.get(f.b, -1)))
    return {
        "folder": str(folder),
        "files": files,
        "groups": compared.groups,
        "compared": len(compared.pairs),
        "findings": [{**asdict(f), "b": f.b or None} for f in findings],
    }


def _bad_pairs(findings: list[Finding]) -> dict[tuple[str, str], list[Finding]]:
    pairs: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.b:
            pairs.setdefault((finding.a, finding.b), []).append(finding)
    return pairs


def _worst(bad: dict[tuple[str, str], list[Finding]]) -> list[tuple[str, str]]:
    """Of pairs that are alike enough to be compared, those with the most faults."""
    return sorted(bad, key=lambda key: -len(bad[key]))[:WORST]


def _facts(file: LintedFile) -> dict[str, Any]:
    clip = file.traits
    if clip is None:
        return {"file": file.name, "error": file.problem}
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
        "repairs": file.repairs,
    }


def _show(folder: Path, report: LintReport, failed: int, everything: bool) -> None:
    bold, clips, compared = {"bold": True}, report.clips, report.compared
    pairs = _bad_pairs(compared.findings)
    bad = sorted(pairs, key=lambda key: _distance(pairs[key]))
    total = len(clips) * (len(clips) - 1) // 2
    unread = f", {failed} could not be used" if failed else ""
    those = f"{total} pairs" if len(compared.pairs) == total else f"{len(compared.pairs)} pairs worth comparing"
    click.echo(f"{click.style(str(folder), **bold)}: {len(clips)} clips{unread}; {len(bad)} of {those} blend badly")
    _show_groups(clips, compared.groups)
    counts = Counter(f.kind for f in compared.findings)
    if counts:
        click.echo(click.style("\nFaults", **bold) + "  " + ", ".join(f"{k} {n}" for k, n in counts.most_common()))
    for told in compared.clips:
        if told.faults:
            _show_findings(told.name, told.faults)
    if bad:
        click.echo(click.style("\nPairs", **bold) + ", the fewest faults first")
    for key in bad if everything else bad[:PAIRS]:
        _show_findings(f"{key[0]}  ×  {key[1]}", pairs[key])
    if len(bad) > PAIRS and not everything:
        click.echo(f"… and {len(bad) - PAIRS} more pairs: --all shows them; --json tells what each clip blends with")
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
