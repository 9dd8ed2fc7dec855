"""The moments of a folder of recordings that are most like one moment of a clip."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._many import PARTIAL
from footfall.cli._options import read_options, reading_options

if TYPE_CHECKING:
    from footfall.align.index import BadFile, Moment, MomentIndex
    from footfall.core.clip import Clip
    from footfall.retarget.character import Character

COUNT = 8


@click.command(name="find")
@click.argument("moment", metavar="CLIP@TIME")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-n", "--count", type=click.IntRange(1, 1000), default=COUNT, show_default=True, help="How many.")
@click.option("--mirror", is_flag=True, help="Also moments whose mirror image is like it.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="PNG", help="The moment and those found, drawn.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: query, moments, errors.")
@click.option("--animation", metavar="NAME|NUMBER", help="Which animation of CLIP, where it holds several.")
@click.option(
    "--character", metavar="FILE|NAME", default="adult", show_default=True,
    help="Body that all are compared on: adult, adult:1.2 (metres) or a file.",
)  # fmt: skip
@click.option("--index", type=click.Path(path_type=Path), metavar="FILE", help="Where the folder's index is kept.")
@reading_options
def command(
    moment: str, folder: Path, count: int, mirror: bool, picture: Path | None, as_json: bool, animation: str | None,
    character: str, index: Path | None, **reading: Any,
) -> int:  # fmt: skip
    """Find the moments of a folder's recordings that are most like one: the same pose, moving the same way.

    CLIP is a file or a built-in motion, TIME is in seconds. Recordings of any format and body are compared on one body;
    the distance is how far its points are apart on average over a sixth of a second, in cm. What a folder holds is kept
    in an index, so that a second search reads only files that have changed.

    \b
    Example:  footfall find kick.bvh@0.8 takes --picture like.png
              footfall find walk:speed=1.2@0.5 takes --mirror -n 20
              footfall find --json take.bvh@3.2 takes > like.json
    """
    from footfall.align.index import nearest
    from footfall.cli._clips import read_clip
    from footfall.core.errors import ReadError
    from footfall.retarget.character import character as character_of

    source, t_s = _moment(moment)
    options = read_options(**reading)
    clip = read_clip(source, animation, **options)
    body = character_of(character)
    searched = [(clip, False), (clip.mirror(), True)] if mirror else [(clip, False)]
    queries = _queries(searched, t_s, body)
    found_index, bad = _index(folder, body, index, options)
    if not found_index.files:
        raise ReadError(folder, "", "a motion that can be used", f"none among {len(bad)} files")
    found = nearest(found_index, queries, count, leave_out=_itself(source, clip, folder, t_s))
    if as_json:
        click.echo(json.dumps(_told(source, t_s, clip, folder, found_index, found, bad)))
    else:
        _show(source, t_s, folder, found_index, found, bad)
    if picture is not None:
        _draw(picture, clip, t_s, body, folder, found, options)
    return PARTIAL if bad else 0


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


def _queries(searched: Sequence[tuple[Clip, bool]], t_s: float, body: Character) -> list[tuple[Any, bool]]:
    from footfall.align.features import points_of
    from footfall.align.index import query_row

    points = points_of(body.skeleton)
    return [(query_row(clip, t_s, body, points), mirrored) for clip, mirrored in searched]


def _index(
    folder: Path, body: Character, path: Path | None, options: dict[str, Any]
) -> tuple[MomentIndex, list[BadFile]]:
    """The folder's index, brought up to date and kept; each file that cannot be used is told."""
    from rich.console import Console
    from rich.progress import Progress

    from footfall.align.index import build_index
    from footfall.align.index_file import index_path, load_index, save_index
    from footfall.core.errors import FootfallError

    where = path or index_path(folder)
    old = None
    if where.exists():
        try:
            old = load_index(where)
        except FootfallError as error:
            if path is not None and not _is_npz(where):
                raise  # not ours: never write over a person's file
            click.echo(f"footfall: {error}; built again", err=True)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:

        def each(items: Sequence[Path]) -> Iterable[Path]:
            return bar.track(items, description="reading")

        index, bad, read = build_index(folder, body, old, options, each)
    for file in bad:
        click.echo(f"footfall: {file.file}: {file.why.removeprefix(f'{Path(file.file).name}:').strip()}", err=True)
    if index.files and (read or old is None or len(old.files) != len(index.files)):
        _keep(lambda: save_index(index, where), asked=path is not None)
    return index, bad


def _keep(save: Callable[[], None], asked: bool) -> None:
    """Where nobody asked for the index to be kept, a folder that cannot be written to is no error."""
    from footfall.core.errors import WriteError

    try:
        save()
    except WriteError:
        if asked:
            raise


def _is_npz(path: Path) -> bool:
    return path.suffix.lower() == ".npz"


def _itself(source: Path, clip: Clip, folder: Path, t_s: float) -> tuple[str, str, float] | None:
    """File, clip and time of the query, where the folder holds it."""
    if not source.is_file():
        return None
    try:
        name = source.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return None
    return name, clip.name, t_s


def _told(
    source: Path,
    t_s: float,
    clip: Clip,
    folder: Path,
    index: MomentIndex,
    found: Sequence[Moment],
    bad: Sequence[BadFile],
) -> dict[str, Any]:
    moments = [
        {
            "file": m.file,
            "clip": m.clip or None,
            "time_s": round(m.t_s, 4),
            "distance_cm": round(100.0 * m.distance_m, 3),
            "mirrored": m.mirrored,
            "what": m.what,
        }
        for m in found
    ]
    return {
        "query": {"clip": str(source), "animation": clip.name, "time_s": t_s},
        "folder": str(folder),
        "files": len(index.files),
        "frames": index.frames,
        "moments": moments,
        "errors": [{"file": b.file, "error": b.why} for b in bad],
    }


def _show(
    source: Path, t_s: float, folder: Path, index: MomentIndex, found: Sequence[Moment], bad: Sequence[BadFile]
) -> None:
    unused = f", {len(bad)} could not be used" if bad else ""
    head = click.style(f"{source} at {t_s:g} s", bold=True)
    click.echo(f"{head}: {index.frames} moments of {len(index.files)} files in {folder}{unused}")
    names = [f"{m.file}#{m.clip}" if m.clip else m.file for m in found]
    wide = max((len(name) for name in names), default=4)
    click.echo(click.style(f"  {'file':{wide}}  {'time':>8}  {'distance':>9}  what it is", bold=True))
    for name, m in zip(names, found, strict=True):
        note = " (mirrored)" if m.mirrored else ""
        click.echo(f"  {name:{wide}}  {m.t_s:6.2f} s  {100.0 * m.distance_m:6.1f} cm  {m.what}{note}")


def _draw(
    target: Path, clip: Clip, t_s: float, body: Character, folder: Path, found: Sequence[Moment],
    options: dict[str, Any],
) -> None:  # fmt: skip
    from footfall.align.index import LEAST, on_body
    from footfall.io.load import load_all
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
    click.echo(f"{target}: the moment and {len(cells)} like it", err=True)


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
