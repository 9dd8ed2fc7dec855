"""Convert any readable motion format to any writable one (BVH, GLB, npz)."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import ClipFile
from footfall.cli._ground import ground_option, put_on
from footfall.cli._library import many_options
from footfall.cli._made import each_made
from footfall.cli._many import FilePair, newer_option
from footfall.cli._options import RATE, character_option, reading_among, reading_options
from footfall.cli._out import (
    STREAM,
    STREAM_FORMAT,
    draw_strip,
    picture_option,
    send_motion,
    target_argument,
    target_of,
    write_clip,
    writing_among,
    writing_options,
)
from footfall.cli._read import read_clip, read_clips
from footfall.core.errors import one_line

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.kinematics.ground import Ground

ONE_FILE = (".glb", ".fbx")  # formats that hold several animations


@click.command(name="convert")
@click.argument("source", metavar="IN", type=ClipFile())
@target_argument
@click.option("--fps", type=RATE, help="Resample to this frame rate.")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@click.option(
    "--all", "everything", is_flag=True, help="Convert every animation: into one .glb or .fbx, else one file each."
)
@character_option("Put the motion on another body", "--onto")
@ground_option()
@picture_option()
@click.option("--metres", is_flag=True, help="With --character: keep the travel in metres, not in leg lengths.")
@click.option("--no-sidecar", is_flag=True, help="Write a .glb without the .json of contacts and events beside it.")
@newer_option
@many_options
@reading_options
@writing_options
def command(source: Path, target: Path | None, out: Path | None, **asked: Any) -> int:
    """Convert a motion file: joint names, frame rate and frame count are kept unless told otherwise.

    IN is a file, a built-in motion with parameters after a colon, or - for the standard input; OUT may be - too.
    For a folder, or a glob in quotes, every file is converted, and OUT is a folder; --format says into what.

    \b
    Example:  footfall convert walk.bvh walk.glb
              footfall convert 02_01.amc 02_01.bvh --fps 30
              footfall convert robot.glb robot.bvh --animation Walking
              footfall convert walk.bvh -o walk.glb --character hero.glb
              footfall convert walk.bvh - --format gltf | gzip > walk.glb.gz
              footfall convert takes -o converted --format glb --newer
              footfall convert walk.bvh climb.glb --ground stairs:15x35
    """
    asked["reading"], asked["writing"] = reading_among(asked), writing_among()
    if asked["metres"] and asked["character"] is None:
        raise click.UsageError("--metres says how far a motion travels on another body: give --character (--onto) too")
    target = target_of(target, out)
    return each_made(source, target, partial(convert_file, asked), asked)


def convert_file(asked: dict[str, Any], pair: FilePair) -> None:
    """Convert one file as asked."""
    source, target, picture, everything = pair.source.path, pair.target, asked["picture"], asked["everything"]
    options, layout = asked["reading"], asked["layout"]
    clips = read_clips(source, **options) if everything else [read_clip(source, asked["animation"], **options)]
    if asked["character"] is not None:
        from footfall.retarget.character import character as character_of
        from footfall.retarget.retarget import retarget

        body = character_of(asked["character"])
        clips = [retarget(clip, body, metres=asked["metres"]) for clip in clips]
    made = [_changed(clip, asked, target) for clip in clips]
    if str(target) == STREAM:
        if len(made) > 1:
            raise click.UsageError("--all writes several motions; - takes one")
        send_motion(made[0][0], layout or STREAM_FORMAT)
    else:
        several = everything and target.suffix.lower() in ONE_FILE
        for group in [made] if several else [[one] for one in made]:
            path = _named(target, group[0][0].name) if everything and not several else target
            options = asked["writing"] | ({"replace": True} if several and asked["character"] is None else {})
            _write([clip for clip, _ in group], path, layout, options | {"sidecar": not asked["no_sidecar"]})
    for clip, under in made:
        for warning in clip.warnings:
            click.echo(one_line(f"{source.name}: {warning}"), err=True)
        draw_strip(clip, _named(picture, clip.name) if picture and everything else picture, target, under)


def _changed(clip: Clip, asked: dict[str, Any], target: Path) -> tuple[Clip, Ground | None]:
    """The clip at the frame rate, and on the ground, that are asked for; and that ground."""
    return put_on(clip.resample(asked["fps"]) if asked["fps"] else clip, asked["ground"], target)


def _write(clips: list[Clip], path: Path, layout: str | None, options: dict[str, bool]) -> None:
    """One file, and a line that says what it is."""
    is_glb = path.suffix.lower() == ".glb"
    known = options if is_glb else {k: v for k, v in options.items() if k != "sidecar"} if _is_fbx(path) else {}
    write_clip(clips if len(clips) > 1 else clips[0], path, layout, **known)
    beside = f", and {path.with_suffix('.json').name}" if is_glb and options["sidecar"] else ""
    first = clips[0]
    what = f"{first.frames} frames at {first.fps:g} fps" if len(clips) == 1 else f"{len(clips)} animations"
    click.echo(f"{path}{beside}: {what}, {len(first.skeleton)} joints")


def _is_fbx(path: Path) -> bool:
    return path.suffix.lower() == ".fbx"


def _named(path: Path, name: str) -> Path:
    """The path with a clip's name added to its own."""
    return path.with_stem(f"{path.stem}_{_file_name(name)}")


def _file_name(name: str) -> str:
    """A clip's name made safe as part of a file name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._") or "clip"
