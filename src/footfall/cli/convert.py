"""Any readable motion format to any writable one (BVH, GLB, npz)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from footfall.cli._options import not_onto_itself, read_options, reading_options


@click.command(name="convert")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--fps", type=float, help="Resample to this frame rate.")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@click.option("--all", "everything", is_flag=True, help="Write every animation, its name added to OUT's.")
@click.option(
    "--onto", metavar="CHARACTER", help="Put the motion on another body: a file, adult, or adult:1.2 (metres)."
)
@click.option("--metres", is_flag=True, help="With --onto: travel as many metres, not as many leg lengths.")
@click.option("--no-sidecar", is_flag=True, help="Write a .glb without the .json of contacts and events beside it.")
@reading_options
def command(
    source: Path,
    target: Path,
    fps: float | None,
    animation: str | None,
    everything: bool,
    onto: str | None,
    metres: bool,
    no_sidecar: bool,
    **reading: Any,
) -> None:
    """Convert a motion file: joint names, frame rate and frame count are kept unless told otherwise.

    \b
    Example:  footfall convert walk.bvh walk.glb
              footfall convert 02_01.amc 02_01.bvh --fps 30
              footfall convert robot.glb robot.bvh --animation Walking
              footfall convert walk.bvh walk.glb --onto hero.glb
    """
    from footfall.cli._clips import read_clip
    from footfall.io.load import load_all
    from footfall.io.save import save

    options = read_options(**reading)
    if metres and onto is None:
        raise click.UsageError("--metres says how far a motion travels on another body: give --onto too")
    not_onto_itself(source, target)
    if everything:
        clips = load_all(source, **options)
        targets = [target.with_stem(f"{target.stem}_{_file_name(c.name)}") for c in clips]
    else:
        clips, targets = [read_clip(source, animation, **options)], [target]
    if onto is not None:
        from footfall.retarget.character import character
        from footfall.retarget.retarget import retarget

        body = character(onto)
        clips = [retarget(clip, body, metres=metres) for clip in clips]
    for clip, path in zip(clips, targets, strict=True):
        out = clip.resample(fps) if fps else clip
        extra = {"sidecar": not no_sidecar} if path.suffix.lower() == ".glb" else {}
        save(out, path, **extra)
        for warning in out.warnings:
            click.echo(f"{source.name}: {warning}", err=True)
        beside = f", and {path.with_suffix('.json').name}" if extra.get("sidecar") else ""
        click.echo(f"{path}{beside}: {out.frames} frames at {out.fps:g} fps, {len(out.skeleton)} joints")


def _file_name(name: str) -> str:
    """A clip's name made safe as part of a file name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._") or "clip"
