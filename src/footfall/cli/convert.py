"""Any readable motion format to any writable one (BVH, GLB, npz)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._options import RATE, character_option, reading_among, reading_options
from footfall.cli._out import (
    check_outputs,
    draw_strip,
    picture_option,
    target_argument,
    target_of,
    write_clip,
    writing_options,
)
from footfall.cli._read import read_clip, read_clips
from footfall.core.errors import one_line

if TYPE_CHECKING:
    from footfall.core.clip import Clip

ONE_FILE = (".glb", ".fbx")  # formats that hold several animations


@click.command(name="convert")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@target_argument
@click.option("--fps", type=RATE, help="Resample to this frame rate.")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@click.option("--all", "everything", is_flag=True, help="Every animation: in one .glb or .fbx, else a file each.")
@character_option("Put the motion on another body", "--onto")
@picture_option()
@click.option("--metres", is_flag=True, help="With --character: travel as many metres, not as many leg lengths.")
@click.option("--no-sidecar", is_flag=True, help="Write a .glb without the .json of contacts and events beside it.")
@reading_options
@writing_options
def command(
    source: Path,
    target: Path | None,
    out: Path | None,
    fps: float | None,
    animation: str | None,
    everything: bool,
    character: str | None,
    picture: Path | None,
    metres: bool,
    no_sidecar: bool,
    **reading: Any,
) -> None:
    """Convert a motion file: joint names, frame rate and frame count are kept unless told otherwise.

    IN is a file or a built-in motion, with parameters after a colon.

    \b
    Example:  footfall convert walk.bvh walk.glb
              footfall convert 02_01.amc 02_01.bvh --fps 30
              footfall convert robot.glb robot.bvh --animation Walking
              footfall convert walk.bvh -o walk.glb --character hero.glb
    """
    options = reading_among(reading)
    if metres and character is None:
        raise click.UsageError("--metres says how far a motion travels on another body: give --character (--onto) too")
    target = target_of(target, out)
    check_outputs(target, source, picture=picture)
    clips = read_clips(source, **options) if everything else [read_clip(source, animation, **options)]
    if character is not None:
        from footfall.retarget.character import character as character_of
        from footfall.retarget.retarget import retarget

        body = character_of(character)
        clips = [retarget(clip, body, metres=metres) for clip in clips]
    made = [clip.resample(fps) for clip in clips] if fps else clips
    several = everything and target.suffix.lower() in ONE_FILE
    for group in [made] if several else [[clip] for clip in made]:
        path = _named(target, group[0].name) if everything and not several else target
        _write(group, path, not no_sidecar, {"replace": True} if several and character is None else {})
    for clip in made:
        for warning in clip.warnings:
            click.echo(one_line(f"{source.name}: {warning}"), err=True)
        draw_strip(clip, _named(picture, clip.name) if picture and everything else picture)


def _write(clips: list[Clip], path: Path, sidecar: bool, options: dict[str, bool]) -> None:
    """One file, and a line that says what it is."""
    is_glb = path.suffix.lower() == ".glb"
    write_clip(clips, path, **options, **({"sidecar": sidecar} if is_glb else {}))
    beside = f", and {path.with_suffix('.json').name}" if is_glb and sidecar else ""
    first = clips[0]
    what = f"{first.frames} frames at {first.fps:g} fps" if len(clips) == 1 else f"{len(clips)} animations"
    click.echo(f"{path}{beside}: {what}, {len(first.skeleton)} joints")


def _named(path: Path, name: str) -> Path:
    """The path with a clip's name added to its own."""
    return path.with_stem(f"{path.stem}_{_file_name(name)}")


def _file_name(name: str) -> str:
    """A clip's name made safe as part of a file name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._") or "clip"
