"""Put many motions on your character, in its own file, with a JSON for engines and a page that plays them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._busy import busy, progress
from footfall.cli._options import RATE, character_option
from footfall.cli._out import check_outputs, out_option

if TYPE_CHECKING:
    from footfall.graph.pack import Pack


@click.command(name="pack")
@click.argument("parts", metavar="GRAPH|NODE|CLIP...", nargs=-1, required=True)
@out_option("The .glb to write; a .json of the same name goes beside it.", "PACK", required=True)
@character_option("The character, whose own file comes back with the motions added", default="adult", show_default=True)
@click.option("--in-place", is_flag=True, help="Remove travel from the animations; the JSON holds it.")
@click.option("--fps", type=RATE, default=30.0, show_default=True, help="Frames per second of the animations.")
@click.option(
    "--page", type=click.Path(path_type=Path), metavar="HTML", help="Also write one HTML page that plays the pack."
)
def command(parts: tuple[str, ...], out: Path, character: str, in_place: bool, fps: float, page: Path | None) -> None:
    """Put all loops, actions and edges of motions on a character, as named animations in one file.

    GRAPH is a graph's file, a folder of recordings or builtin; NODE a built-in set (walk, run, kick …); CLIP a file or
    a built-in motion. The JSON has blend positions, speeds, strikes, phases, travel, and which edge leads where.

    \b
    Example:  footfall pack walk run --character hero.glb -o hero_pack.glb --page hero.html
              footfall pack builtin --character hero.glb -o hero_pack.glb --in-place
    """
    from footfall.graph.pack import save_pack

    check_outputs(out, picture=None, files=(page, out.with_suffix(".json")))
    made = _made(parts, character, fps)
    data = save_pack(made, out, in_place)
    count, edges = len(data["animations"]), len(data["edges"])
    click.echo(f"{out}, and {out.with_suffix('.json').name}: {count} animations, {edges} edges")
    if page is not None:
        from footfall.studio.pack_page import write_page

        with busy() as tell:
            tell("writing the page")
            write_page(made, page)
        click.echo(f"{page}: plays it in a browser; arrow keys steer")


def _made(parts: tuple[str, ...], character: str, fps: float) -> Pack:
    from footfall.graph.pack import make_pack

    with busy() as tell:
        tell("reading")
        found = [_opened(part) for part in parts]
    with progress() as bar:
        return make_pack(found, character, fps, lambda jobs: bar.track(jobs, description="putting on the character"))


def _opened(part: str) -> Any:
    """A graph, a parametric motion or a clip."""
    from footfall.parametric.builtin_sets import SETS, parametric_set

    path = Path(part)
    if not path.exists() and part in SETS:
        return parametric_set(part)
    if part == "builtin" or path.is_dir() or path.suffix.lower() in (".graph", ".json"):
        from footfall.graph.build.open_graph import graph

        return graph(part)
    from footfall.motions.library import open_clip

    return open_clip(path)
