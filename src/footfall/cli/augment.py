"""Make more clips from a folder, for training: mirrored, retimed, retargeted, blended, joined; each judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._library import cluster_option, filling, library_options, tell_bad, working
from footfall.cli._many import ClipSource, FileWork, each_file, worst
from footfall.cli._out import check_folder, out_option

if TYPE_CHECKING:
    from footfall.augment.augment import Augmented, AugmentTask

USUAL = "mirror,retime*2,retarget,blend,join"


@click.command(name="augment")
@click.argument("folder", type=click.Path(path_type=Path))
@out_option("The folder for the clips and manifest.csv.", "OUT", required=True)
@click.option("--recipe", default=USUAL, show_default=True, help="Variants of every clip, with counts.")
@click.option(
    "--format", "ending", default="npz", show_default=True, metavar="EXT", help="Format of the files written."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="Another seed gives other variants."
)
@click.option("--character", "bodies", multiple=True, metavar="FILE|NAME", help="Bodies to retarget to, in turn.")
@click.option("--keep-all", is_flag=True, help="Also keep what the judge rejects; the manifest marks it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line per file.")
@library_options
@cluster_option
def command(folder: Path, out: Path, as_json: bool, index: Path | None, jobs: int | None, **asked: Any) -> int:
    """Make variants of every clip of FOLDER: mirrored, retimed, retargeted, blended with a partner, joined.

    Every clip that is made is judged, and those a viewer would not believe are left out. manifest.csv says of every
    frame which recordings it comes from, at which times and with which weights. The same seed makes the same clips; a
    second run makes only what is missing.

    \b
    Example:  footfall augment takes -o more
              footfall augment takes -o more --recipe mirror,retime*4,join*2 --format bvh --seed 7
    """
    from footfall.augment.augment import augment_file, augment_tasks, write_manifest
    from footfall.augment.recipe import AugmentRecipe, recipe_counts
    from footfall.io.load import writable

    recipe = AugmentRecipe(recipe_counts(asked["recipe"]), seed=asked["seed"], keep_all=asked["keep_all"])
    recipe = recipe._replace(bodies=asked["bodies"]) if asked["bodies"] else recipe
    ending = f".{asked['ending'].lower().lstrip('.')}"
    if ending not in writable():
        raise click.UsageError(f"cannot write {ending!r}; use one of {' '.join(sorted(writable()))}")
    check_folder(out)
    if folder.is_dir() and out.resolve().is_relative_to(folder.resolve()):
        raise click.UsageError("OUT lies in FOLDER, so that what is made would be read again; give another")
    with filling(index, jobs, {}) as settings:
        tasks, bad = augment_tasks(folder, out, recipe, ending, settings)
    tell_bad(bad)
    done: list[Augmented] = []

    def show(result: Augmented) -> None:
        done.append(result)
        if as_json:
            click.echo(json.dumps(result._asdict()))

    with working(asked["cluster"]) as workers:
        outcome = each_file(tasks, augment_file, _source, show, FileWork(workers, jobs))
    rows = write_manifest(tasks)
    if not as_json:
        made, left = sum(r.made for r in done), sum(r.unbelievable for r in done)
        click.echo(f"{click.style(str(out), bold=True)}: {made} clips of {len(done)} files, {left} not believable")
        click.echo(f"  {out / 'manifest.csv'}: {rows} rows")
    return worst([outcome.code, len(bad)], outcome.done > 0)


def _source(task: AugmentTask) -> ClipSource:
    return ClipSource(task.folder / task.file, task.file, True)
