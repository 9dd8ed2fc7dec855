"""Find the moments in a folder of recordings that are most like one moment of a clip."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._library import filling, library_options, tell_bad
from footfall.cli._many import PARTIAL
from footfall.cli._options import character_option, reading_among, reading_options
from footfall.cli._out import check_picture, picture_option
from footfall.cli._read import read_clip
from footfall.core.errors import one_line

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.library.find import FoundMoments
    from footfall.library.moments import Moment
    from footfall.retarget.character import Character

COUNT = 8  # moments that are told unless more are asked for


@click.command(name="find")
@click.argument("moment", metavar="CLIP@TIME")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-n", "--count", type=click.IntRange(1, 1000), default=COUNT, show_default=True, help="Number of moments."
)
@click.option("--mirror", is_flag=True, help="Also find moments whose mirror image is similar.")
@picture_option("The moment and those found, drawn.", "-o")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: query, moments, errors.")
@click.option("--animation", metavar="NAME|NUMBER", help="Which animation of CLIP, where it holds several.")
@character_option("Body that all are compared on", default="adult", show_default=True)
@library_options
@reading_options
def command(
    moment: str, folder: Path, count: int, mirror: bool, picture: Path | None, as_json: bool, animation: str | None,
    character: str, index: Path | None, jobs: int | None, **reading: Any,
) -> int:  # fmt: skip
    """Find the moments of a folder's recordings that are most like one: the same pose, moving the same way.

    CLIP is a file or a built-in motion, TIME is in seconds. Recordings of any format and body are compared on one body;
    the distance is the mean distance of its points over a sixth of a second, in cm. The folder's index is kept, so
    that a second search reads only files that have changed.

    \b
    Example:  footfall find kick.bvh@0.8 takes --picture like.png
              footfall find walk:speed=1.2@0.5 takes --mirror -n 20
              footfall find --json take.bvh@3.2 takes > like.json
    """
    from footfall.library.find import find_in, in_folder, query_rows
    from footfall.retarget.character import character as character_of

    source, t_s = _moment(moment)
    options = reading_among(reading)
    check_picture(picture)
    clip = read_clip(source, animation, **options)
    body = character_of(character)
    queries = query_rows(clip, t_s, body, mirror)
    with filling(index, jobs, options) as settings:
        found = find_in(folder, body, queries, count, in_folder(source, clip, folder, t_s), settings)
    tell_bad(found.bad)
    if as_json:
        query = {"clip": str(source), "animation": clip.name, "time_s": t_s}
        click.echo(json.dumps({"query": query, **_told(folder, found)}))
    else:
        _show(source, t_s, folder, found)
    if picture is not None:
        _draw(picture, clip, t_s, body, folder, found.moments, options)
    return PARTIAL if found.bad else 0


def _moment(text: str) -> tuple[Path, float]:
    """ "walk.bvh@1.2" as a path and seconds."""
    name, at, time = text.rpartition("@")
    try:
        t_s = float(time.removesuffix("s"))
    except ValueError:
        t_s = math.nan
    if not (at and name and 0.0 <= t_s < 1e9):
        raise click.BadParameter(f"{text!r}: write CLIP@TIME, a clip and seconds in it, as in walk.bvh@1.2")
    return Path(name), t_s


def _told(folder: Path, found: FoundMoments) -> dict[str, Any]:
    moments = [
        {
            "file": m.file,
            "clip": m.clip or None,
            "time_s": round(m.t_s, 4),
            "distance_cm": round(100.0 * m.distance_m, 3),
            "mirrored": m.mirrored,
            "what": m.what,
        }
        for m in found.moments
    ]
    return {
        "folder": str(folder),
        "files": found.files,
        "frames": found.frames,
        "moments": moments,
        "errors": [{"file": file, "error": why} for file, why in found.bad],
    }


def _show(source: Path, t_s: float, folder: Path, found: FoundMoments) -> None:
    unused = f", {len(found.bad)} could not be used" if found.bad else ""
    head = click.style(f"{source} at {t_s:g} s", bold=True)
    click.echo(f"{head}: {found.frames} moments of {found.files} files in {folder}{unused}")
    names = [f"{m.file}#{m.clip}" if m.clip else m.file for m in found.moments]
    wide = max((len(name) for name in names), default=4)
    click.echo(click.style(f"  {'file':{wide}}  {'time':>8}  {'distance':>9}  what it is", bold=True))
    for name, m in zip(names, found.moments, strict=True):
        note = " (mirrored)" if m.mirrored else ""
        click.echo(f"  {name:{wide}}  {m.t_s:6.2f} s  {100.0 * m.distance_m:6.1f} cm  {m.what}{note}")


def _draw(
    target: Path, clip: Clip, t_s: float, body: Character, folder: Path, found: Sequence[Moment],
    options: dict[str, Any],
) -> None:  # fmt: skip
    from footfall.io.load import load_all
    from footfall.library.moments import LEAST, on_body
    from footfall.render.film import save_png
    from footfall.render.moments import Picture, moment_sheet

    cells = []
    read: dict[tuple[str, str], Clip] = {}
    for m in found:
        if (m.file, m.clip) not in read:
            clips = [c for c in load_all(folder / m.file, **options) if c.frames >= LEAST]
            read[m.file, m.clip] = on_body(next((c for c in clips if c.name == m.clip), clips[0]), body)
        like = read[m.file, m.clip]
        note = f"{100.0 * m.distance_m:.1f} cm{', mirrored' if m.mirrored else ''}"
        name = f"{Path(m.file).stem} {m.clip}".strip()
        cells.append(Picture(like.mirror() if m.mirrored else like, m.t_s, f"{_short(name)}  {m.t_s:.2f} s", note))
    query = Picture(on_body(clip, body), t_s, f"{_short(clip.name)}  {t_s:.2f} s", "looked for")
    save_png(moment_sheet(query, cells), target)
    click.echo(one_line(f"{target}: the moment and {len(cells)} like it"), err=True)


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
