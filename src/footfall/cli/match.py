"""Find the best places to leave a clip and enter a recording of a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._library import filling, library_options, tell_bad
from footfall.cli._many import PARTIAL
from footfall.cli._options import character_option, reading_among, reading_options
from footfall.cli._read import read_clip

if TYPE_CHECKING:
    from footfall.library.match import FoundPlaces

COUNT = 10  # places that are told unless more are asked for


@click.command(name="match")
@click.argument("clip", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-n", "--count", type=click.IntRange(1, 1000), default=COUNT, show_default=True, help="Number of places.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: clip, places, errors.")
@click.option("--animation", metavar="NAME|NUMBER", help="Which animation of CLIP, where it holds several.")
@character_option("Body that all are compared on", default="adult", show_default=True)
@library_options
@reading_options
def command(
    clip: Path, folder: Path, count: int, as_json: bool, animation: str | None, character: str, index: Path | None,
    jobs: int | None, **reading: Any,
) -> int:  # fmt: skip
    """Find when to leave CLIP and where to enter any recording of FOLDER, cheapest first.

    The cost is the mean distance of the body's points over a sixth of a second, in cm: what a join there has to
    bridge. The folder's library answers; new files of the folder are read first.

    \b
    Example:  footfall match walk.bvh takes
              footfall match --json walk:speed=1.2,cycles=3 takes -n 20 > places.json
    """
    from footfall.library.find import in_folder
    from footfall.library.match import match_in
    from footfall.retarget.character import character as character_of

    options = reading_among(reading)
    opened = read_clip(clip, animation, **options)
    own = in_folder(clip, opened, folder, 0.0)
    with filling(index, jobs, options) as settings:
        found = match_in(folder, opened, character_of(character), count, own and own[:2], settings)
    tell_bad(found.bad)
    if as_json:
        click.echo(json.dumps(_told(clip, folder, found)))
    else:
        _show(clip, folder, found)
    return PARTIAL if found.bad else 0


def _told(clip: Path, folder: Path, found: FoundPlaces) -> dict[str, Any]:
    places = [
        {
            "file": p.file,
            "clip": p.clip or None,
            "leave_s": round(p.leave_s, 4),
            "enter_s": round(p.enter_s, 4),
            "cost_cm": round(100.0 * p.cost_m, 3),
            "what": p.what,
        }
        for p in found.places
    ]
    errors = [{"file": file, "error": why} for file, why in found.bad]
    return {"clip": str(clip), "folder": str(folder), "clips": found.clips, "places": places, "errors": errors}


def _show(clip: Path, folder: Path, found: FoundPlaces) -> None:
    unused = f", {len(found.bad)} files could not be used" if found.bad else ""
    click.echo(
        f"{click.style(str(clip), bold=True)}: {found.frames} moments of {found.clips} clips in {folder}{unused}"
    )
    names = [f"{p.file}#{p.clip}" if p.clip else p.file for p in found.places]
    wide = max((len(name) for name in names), default=4)
    click.echo(click.style(f"  {'leave at':>9}  {'enter':{wide}}  {'at':>8}  {'cost':>8}  what it is", bold=True))
    for name, p in zip(names, found.places, strict=True):
        click.echo(f"  {p.leave_s:7.2f} s  {name:{wide}}  {p.enter_s:6.2f} s  {100.0 * p.cost_m:5.1f} cm  {p.what}")
