"""Draw a picture or a film of motions: png, gif or mp4."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from footfall.cli._clip_argument import ClipFile
from footfall.cli._ground import ground_option, ground_under
from footfall.cli._library import many_options
from footfall.cli._made import each_pair
from footfall.cli._many import FilePair, format_option, is_many
from footfall.cli._options import RATE, SECONDS, Number, character_option, reading_among, reading_options
from footfall.cli._out import FILMS, PICTURES, check_picture, out_option
from footfall.cli._read import read_clip

STILL_S = 1.0  # a longer clip is drawn as a strip of poses


@click.command(name="render")
@click.argument("files", metavar="FILE... [OUT]", nargs=-1, required=True, type=ClipFile())
@out_option("Picture or film to write: .png, .gif, .mp4.")
@click.option("--size", metavar="WxH", help="Pixels of the picture, or of each panel (default 640x480).")
@click.option("--fps", type=RATE, default=25.0, show_default=True, help="Frames per second of a film.")
@click.option("--at", "at_s", type=SECONDS, metavar="S", help="Draw the one frame at this second (png).")
@click.option("--poses", type=click.IntRange(1, 60), metavar="N", help="Draw this many poses (png).")
@click.option("--from", "start_s", type=SECONDS, default=0.0, metavar="S", help="Start at this second.")
@click.option("--to", "end_s", type=SECONDS, metavar="S", help="End at this second.")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@click.option("--side-by-side", is_flag=True, help="One labelled panel for each file instead of one floor for all.")
@click.option("--camera", type=click.Choice(["follow", "fixed"]), default="follow", show_default=True)
@click.option("--azimuth", type=Number(), metavar="DEG", help="0 sees the face, 90 the left side (default -40).")
@click.option("--elevation", type=Number(), metavar="DEG", help="Height of the camera, 0 to 85 (default 14).")
@click.option(
    "--distance", type=Number(), metavar="M", help="Metres from camera to character (default: everything in view)."
)
@click.option("--no-trail", is_flag=True, help="Leave out the path on the floor.")
@click.option("--figure", is_flag=True, help="Draw a plain figure, not the character's own skin.")
@click.option("--no-contacts", is_flag=True, help="Leave out the prints of planted feet.")
@click.option("--clock", is_flag=True, help="Write the time into the corner of a film.")
@character_option("Body to draw all on")
@ground_option("Draw the ground they stand on")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@format_option
@many_options
@reading_options
def command(files: tuple[Path, ...], out: Path | None, **options: Any) -> int:
    """Draw motions as a picture (png) or a film (gif, mp4).

    FILE may also be a built-in motion; OUT comes last, or as -o OUT. A png of a clip of more than a second shows its
    poses along the path; --at gives a single frame. Several files are several characters on one floor, or panels with
    --side-by-side. For a folder, or a glob in quotes, every file is drawn, and OUT is a folder.

    \b
    Example:  footfall render walk.bvh walk.gif
              footfall render walk.bvh walk.png --at 1.2 --theme dark
              footfall render raw.bvh cleaned.bvh -o compare.mp4 --side-by-side
              footfall render takes -o pictures --format png
    """

    options["reading"] = reading_among(options)
    if out is None and len(files) < 2:
        raise click.UsageError("nowhere to put the picture: give FILE and OUT, or FILE -o OUT")
    *sources, target = files if out is None else (*files, out)
    kinds = (*PICTURES, *FILMS)
    if any(is_many(source) for source in sources):
        if len(sources) > 1:
            raise click.UsageError("of several sources no one may be a folder or a glob; draw that alone")
        return each_pair(sources[0], target, partial(_draw_pair, options), options, kinds)
    check_picture(target, kinds=kinds)
    _draw(sources, target, options)
    return 0


def _draw_pair(options: dict[str, Any], pair: FilePair) -> None:
    pair.target.parent.mkdir(parents=True, exist_ok=True)
    _draw([pair.source.path], pair.target, options)


def _draw(sources: list[Path], target: Path, options: dict[str, Any]) -> None:
    size = _size(options["size"])
    clips = [read_clip(f, options["animation"], **options["reading"]) for f in sources]
    if options["character"] is not None:
        from footfall.retarget.one_body import one_body

        clips = one_body(clips, options["character"]).clips
    if options["figure"]:
        clips = [replace(clip, skin=None) for clip in clips]
    if target.suffix.lower() in PICTURES:
        _picture(clips, target, size, options)
    else:
        from footfall.render.film import render_film

        scenes = _scenes(clips, options)
        render_film(
            scenes, target, size or (640, 480), options["fps"], options["start_s"], options["end_s"],
            clock=options["clock"], progress=True,
        )  # fmt: skip
    click.echo(f"{target}: {target.stat().st_size / 1000:.0f} kB")


def _picture(clips: list[Any], target: Path, size: tuple[int, int] | None, options: dict[str, Any]) -> None:
    """A strip of poses for one longer clip, else one frame."""
    import numpy as np

    from footfall.render.film import render_still, save_png
    from footfall.render.sheet import render_strip, strip_camera, strip_times

    clip, at_s = clips[0], options["at_s"]
    if len(clips) > 1 or at_s is not None or (clip.duration <= STILL_S and not options["poses"]):
        t = at_s if at_s is not None else 0.5 * clip.duration
        save_png(render_still(_scenes(clips, options), t, size or (640, 480)), target)
        return
    part, end_s = clip, clip.duration if options["end_s"] is None else options["end_s"]
    if options["start_s"] != 0.0 or options["end_s"] is not None:
        part = clip.trim(options["start_s"], end_s)
    times = np.linspace(0.0, part.duration, options["poses"]) if options["poses"] else strip_times(part)
    ground = ground_under(clip, options["ground"])
    picture = render_strip(
        part, times, size, options["theme"], _camera(strip_camera(part, ground), options),
        trail=not options["no_trail"], contacts=not options["no_contacts"], ground=ground,
    )  # fmt: skip
    save_png(picture, target)


def _scenes(clips: list[Any], options: dict[str, Any]) -> list[Any]:
    """One scene for all clips, or one for each."""
    from footfall.render.camera import Camera
    from footfall.render.scene import Actor, Scene, arranged

    shared = {
        "theme": options["theme"],
        "camera": _camera(Camera(options["camera"]), options),
        "trail": not options["no_trail"],
        "contacts": not options["no_contacts"],
        "ground": ground_under(clips[0], options["ground"]),
    }
    if options["side_by_side"]:
        return [Scene([Actor(c)], title=c.name, **shared) for c in clips]
    return [Scene(arranged([Actor(c, label=c.name if len(clips) > 1 else "") for c in clips]), **shared)]


def _camera(camera: Any, options: dict[str, Any]) -> Any:
    """The camera with whatever angles and distance were asked for."""
    given = {n: options[n] for n in ("azimuth", "elevation", "distance") if options[n] is not None}
    return replace(camera, **given)


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise click.BadParameter(f"{text!r}: write WIDTHxHEIGHT in pixels, as in 640x480", param_hint="--size")
    return int(width), int(height)
