"""Trim, loop, mirror, smooth, speed up or put a clip on the floor."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import ClipFile
from footfall.cli._library import many_options
from footfall.cli._made import each_made
from footfall.cli._many import FilePair, newer_option
from footfall.cli._options import RATE, Number, character_option, reading_among, reading_options
from footfall.cli._out import (
    STREAM,
    draw_strip,
    picture_option,
    save_motion,
    target_argument,
    target_of,
    writing_among,
    writing_options,
)
from footfall.cli._read import read_clip

if TYPE_CHECKING:
    from footfall.core.clip import Clip

EDITS = (
    "trim",
    "with_travel",
    "speed",
    "mirror",
    "smooth",
    "floor",
    "loop",
    "in_place",
    "resample",
)  # of a clip, in this order


@click.command(name="edit")
@click.argument("source", metavar="IN", type=ClipFile())
@target_argument
@click.option("--trim", metavar="A:B", help="Keep seconds A to B; omit either for the clip's own start or end.")
@click.option("--speed", type=Number(), metavar="X", help="Play X times as fast.")
@click.option("--mirror", is_flag=True, help="Exchange left and right.")
@click.option("--smooth", is_flag=True, help="Remove jitter.")
@click.option("--cutoff", type=Number(), metavar="HZ", help="With --smooth: cut-off frequency (default 6 Hz).")
@click.option("--floor", is_flag=True, help="Make the feet stand at height 0.")
@click.option("--loop", is_flag=True, help="Ease the end onto the start, so that the clip repeats without a seam.")
@click.option("--in-place", is_flag=True, help="Remove travel over the floor.")
@click.option(
    "--root-motion", "with_travel", is_flag=True, help="Give a walk on the spot the travel that its feet imply."
)
@click.option("--fps", "resample", type=RATE, metavar="F", help="Resample to this frame rate.")
@character_option("Put the motion on another body")
@picture_option()
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@newer_option
@many_options
@reading_options
@writing_options
def command(source: Path, target: Path | None, out: Path | None, **asked: Any) -> int:
    """Edit one clip and write it to OUT, in the format OUT's name asks for.

    IN is a file or a built-in motion. Whatever the order of the options, edits are applied in this one: body, trim,
    root motion, speed, mirror, smooth, floor, loop, in place, frame rate. For a folder, or a glob in quotes, every
    file is edited, and OUT is a folder.

    \b
    Example:  footfall edit walk.bvh cycle.glb --trim 0.5:1.6 --loop --floor
              footfall edit kick.bvh -o kick_left.bvh --mirror --speed 0.8
              footfall edit takes -o mirrored --mirror
    """

    if asked["cutoff"] is not None and not asked["smooth"]:
        raise click.UsageError("--cutoff says how to smooth; give --smooth as well")
    asked["reading"], asked["writing"] = reading_among(asked), writing_among()
    return each_made(source, target_of(target, out), partial(edit_file, asked), asked)


def edit_file(asked: dict[str, Any], pair: FilePair) -> None:
    """Edit one file as asked."""
    clip = read_clip(pair.source.path, asked["animation"], **asked["reading"])
    if asked["character"] is not None:
        from footfall.retarget.retarget import retarget

        clip = retarget(clip, asked["character"])
    seam = ""
    for verb in EDITS:
        given = asked[verb] if verb != "smooth" or asked["cutoff"] is None else asked["cutoff"]
        if given is None or given is False:
            continue
        arguments = () if given is True else parse_span(given, clip.duration) if verb == "trim" else (given,)
        before, clip = clip, getattr(clip, verb)(*arguments)
        if verb == "loop":
            seam = judged_seam(clip, before)
        if verb == "with_travel" and clip is before:
            click.echo(f"footfall: {pair.source.name} is not on the spot; its travel is left as it is", err=True)
    is_own = pair.target.suffix.lower() in (".glb", ".fbx")
    save_motion(clip, pair.target, asked["layout"], **(asked["writing"] if is_own else {}))
    if seam:
        click.echo(f"played round, judged {seam}", err=str(pair.target) == STREAM)
    draw_strip(clip, asked["picture"], pair.target)


def judged_seam(loop: Clip, before: Clip) -> str:
    """Grade and first reason of where a loop goes round; empty where there is nothing to judge by."""
    from footfall.quality.loop_seam import judged_loop

    found = judged_loop(loop, before)
    if found is None:
        return ""
    return f"{found.grade}: {found.reasons[0]}" if found.reasons else found.grade


def parse_span(text: str, duration_s: float) -> tuple[float, float]:
    """Two times from "A:B", "A:" or ":B", in seconds."""
    start, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return float(start) if start.strip() else 0.0, float(end) if end.strip() else duration_s
    except ValueError:
        raise click.BadParameter(
            f"{text!r}: write two times in seconds as A:B, as in 0.5:3 (the clip is {duration_s:g} s long)",
            param_hint="--trim",
        ) from None
