"""Build a folder's library: what footfall knows about its recordings, computed once and kept."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._library import cluster_option, filling, library_options, tell_bad
from footfall.cli._many import BAD_INPUT, PARTIAL
from footfall.cli._options import character_option

if TYPE_CHECKING:
    from footfall.library.build import BuildReport
    from footfall.library.index_file import Index


@click.group(name="library")
def command() -> None:
    """Libraries: what footfall knows of a folder's recordings, kept for find, match, lint, analyze, check and graph.

    \b
    Example:  footfall library build takes
    """


@command.command(name="build")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--beside", is_flag=True, help="Keep the index in FOLDER/.footfall, where every machine finds it.")
@character_option("Body that moments are compared on", default="adult", show_default=True)
@click.option("--check", is_flag=True, help="Also compare every stored array with its checksum.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of sentences.")
@library_options
@cluster_option
def build(
    folder: Path, beside: bool, character: str, check: bool, as_json: bool, index: Path | None, jobs: int | None,
    cluster: str | None,
) -> int:  # fmt: skip
    """Compute everything footfall knows about a FOLDER's recordings, once, and keep it.

    That is: what the reader inferred, contacts, phases, cycles, actions, quality, traits for lint, fingerprints of
    moments for find and match, and what a graph can be made of. Only new or changed files are read. You may stop it at
    any moment; the next run continues from there.

    \b
    Example:  footfall library build takes
              footfall library build takes --jobs 4
              footfall library build takes --cluster local:4
              footfall library build /shared/takes --beside --cluster tcp://scheduler:8786
    """
    from footfall.library.build import BESIDE, update
    from footfall.library.index_file import Index

    if beside and index is not None:
        raise click.UsageError("--beside and --index both say where the index is kept; give one")
    if beside and folder.is_dir():
        index = folder / BESIDE
    start = time.perf_counter()
    with filling(index, jobs, {}, cluster) as settings:
        from footfall.library.build import place_of

        settings = settings._replace(place=index or place_of(folder))
        report = update(folder, every_facet(character), settings, mend=check)
    assert settings.place is not None
    found = Index(settings.place)
    told = _told(folder, found, report, settings.place)
    bad = sorted({**dict(found.problems("facts")), **dict(report.lost)}.items())
    tell_bad(bad)
    if as_json:
        click.echo(json.dumps({**told, "errors": [{"file": file, "error": why} for file, why in bad]}))
    else:
        _show(folder, told, len(bad), time.perf_counter() - start)
    if not bad:
        return 0
    return PARTIAL if told["clips"] else BAD_INPUT


def every_facet(character: str) -> list[Any]:
    """All that any command keeps of a file."""
    from footfall.graph.build.recording_scan import recording_facet
    from footfall.library.facts import facts_facet, quality_facet
    from footfall.library.kept_traits import traits_facet
    from footfall.library.moments import moments_facet
    from footfall.retarget.character import character as character_of

    return [facts_facet(), quality_facet(), traits_facet(), moments_facet(character_of(character)), recording_facet()]


def _told(folder: Path, index: Index, report: BuildReport, place: Path) -> dict[str, Any]:
    clips = index.clips("facts")
    types = Counter(clip.told["analysis"]["type"] if "analysis" in clip.told else "unknown" for clip in clips)
    return {
        "folder": str(folder),
        "index": str(place),
        "files": report.files,
        "read": report.read,
        "moved": report.moved,
        "gone": report.gone,
        "clips": len(clips),
        "seconds": round(sum(clip.told["read"]["duration_s"] for clip in clips), 3),
        "types": dict(sorted(types.items())),
        "bytes": sum(path.stat().st_size for path in place.iterdir()),
    }


def _show(folder: Path, told: dict[str, Any], bad: int, took_s: float) -> None:
    unused = f", {bad} could not be used" if bad else ""
    click.echo(f"{click.style(str(folder), bold=True)}: {told['clips']} clips of {told['files']} files{unused}")
    changes = [f"{told['read']} files read", *(f"{told[k]} {k}" for k in ("moved", "gone") if told[k])]
    click.echo(f"  {', '.join(changes)} in {took_s:.1f} s")
    click.echo(
        f"  {told['seconds'] / 60.0:.1f} minutes of motion: " + ", ".join(f"{n} {t}" for t, n in told["types"].items())
    )
    click.echo(f"  {told['bytes'] / 1e6:.1f} MB in {told['index']}")
