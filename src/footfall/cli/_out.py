"""What a command writes: -o and --picture, checked before any work is done; motions, reports and pictures as files."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import OneOf

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.kinematics.ground import Ground

PICTURES, FILMS = (".png",), (".gif", ".mp4")
MOTION = "File to write, in the format its name asks for: .bvh, .glb, .npz, .npy, .usda, .fbx."
STREAM, STREAM_FORMAT = "-", "bvh"  # OUT on the standard output, and the format it has unless told
FORMATS = "footfall.io.formats"  # named here too: importing it takes longer than showing --help may
STRIP = "Draw the poses along the path."


def out_option(help: str = MOTION, metavar: str = "OUT", **more: Any) -> Callable[..., Any]:
    """-o OUT, given to the command as `out`."""
    return click.option("-o", "--out", metavar=metavar, type=click.Path(path_type=Path), help=help, **more)


def picture_option(help: str = STRIP, *others: str) -> Callable[..., Any]:
    """--picture PNG, given to the command as `picture`; others are further spellings."""
    names = (*others, "--picture", "picture")
    return click.option(*names, metavar="PNG", type=click.Path(path_type=Path), help=help)


def writing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--bare and --replace, for `write_clip` to find: what becomes of the file that a character came from."""

    def noted(context: click.Context, option: click.Parameter, value: bool) -> None:
        context.meta[f"footfall.{option.name}"] = value

    for option in (
        click.option("--bare", is_flag=True, expose_value=False, callback=noted,
                     help="A plain .glb, not the character's own file with the motion added."),
        click.option("--replace", is_flag=True, expose_value=False, callback=noted,
                     help="Replace an animation of the same name in the character's file."),
    ):  # fmt: skip
        command = option(command)
    return command


def writing_among() -> dict[str, bool]:
    """What --bare and --replace say, to be sent along to another process."""
    context = click.get_current_context(silent=True)
    return {name: context.meta.get(f"footfall.{name}", False) for name in ("bare", "replace")} if context else {}


def write_clip(clip: Clip | Sequence[Clip], path: Path, format: str | None = None, **options: Any) -> None:
    """Write a motion as --bare and --replace say."""
    from footfall.io.save import save

    if path.suffix.lower() in (".glb", ".fbx"):
        options = writing_among() | options
    save(clip, path, format, **options)


def target_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """OUT as the last argument, or as -o OUT, and --format as `layout`; `target_of` says which it was."""
    command = out_option()(command)
    told = "Where endings are shared, OUT is - or a folder: amass, bvh, gltf, npz, usd … (- alone is BVH)."
    kind = OneOf(FORMATS, "format", "WRITES")
    command = click.option("--format", "layout", metavar="NAME", type=kind, help=told)(command)
    return click.argument("target", metavar="[OUT]", required=False, type=click.Path(path_type=Path))(command)


def target_of(target: Path | None, out: Path | None) -> Path:
    """The file to write, however it was given."""
    if target is not None and out is not None:
        raise click.UsageError(f"OUT is given twice, as {target} and as -o {out}; leave one out")
    found = out or target
    if found is None:
        raise click.UsageError("nowhere to put the result: give -o OUT")
    return found


def check_outputs(
    motion: Path | None,
    *sources: Path,
    picture: Path | None,
    plotted: bool = False,
    files: tuple[Path | None, ...] = (),
    stream: bool = False,
) -> None:
    """Refuse a motion made of sources, a picture or other files that could not be written; stream: it may be -."""
    if not (stream and str(motion) == STREAM):
        check_motion(motion, *sources)
    check_picture(picture, plotted)
    for path in files:
        check_file(path)


def check_motion(path: Path | None, *sources: Path, others: tuple[str, ...] = ()) -> None:
    """Refuse what cannot be written as a motion or as one of the other kinds (".mp4"), or would overwrite a source."""
    from footfall.io.load import writable

    if path is None:
        return
    for source in sources:
        not_onto_itself(source, path)
    kinds = [*sorted(writable()), *others]
    if path.suffix.lower() not in kinds:
        raise click.UsageError(f"{path.name}: cannot write {path.suffix!r}; use one of {' '.join(kinds)}")
    if path.suffix.lower() == ".fbx":
        from footfall.io.formats.fbx import blender_python

        blender_python()
    check_file(path)


def check_picture(path: Path | None, plotted: bool = False, kinds: tuple[str, ...] = PICTURES) -> None:
    """Refuse what cannot be written as a picture; plotted: by matplotlib, which must be there."""
    from footfall.core.errors import ParameterError, need

    if path is None:
        return
    if path.suffix.lower() not in kinds:
        listed = " or ".join(filter(None, [", ".join(kinds[:-1]), kinds[-1]]))
        raise ParameterError(f"{path.name}: a picture is written as {listed}")
    if plotted:
        need("matplotlib", "plot")
    check_file(path)


def check_file(path: Path | None) -> None:
    """Refuse a file that could not be written; nothing is written yet."""
    from footfall.core.errors import WriteError, need

    if path is None:
        return
    if path.is_dir():
        raise WriteError(f"{path}: could not be written: it is a folder; name a file in it")
    if path.suffix.lower() == ".mp4":
        need("imageio_ffmpeg", "video")
    check_folder(path.parent)


def check_folder(folder: Path | None) -> None:
    """Refuse a folder that could not be written into, or not be made; nothing is made yet."""
    from tempfile import TemporaryFile

    from footfall.core.errors import WriteError

    if folder is None:
        return
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        raise WriteError(f"{folder}: could not be written: {there} is no folder")
    try:
        with TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise WriteError(f"{folder}: could not be written: {error.strerror or error}") from error


def not_onto_itself(source: Path, target: Path) -> None:
    """Refuse to write the result over the file it is made from."""
    if source.exists() and target.exists() and source.samefile(target):
        raise click.UsageError(f"IN and OUT are the same file, {source}; give OUT another name")


def draw_strip(clip: Clip, picture: Path | None, beside: Path | None = None, ground: Ground | None = None) -> None:
    """The poses of a motion along its path, where a picture is asked for; beside: where the motion itself went."""
    if picture is None:
        return
    from footfall.render.film import save_png
    from footfall.render.sheet import render_strip

    save_png(render_strip(clip, ground=ground), picture)
    click.echo(f"{picture}: poses along the path", err=str(beside) == STREAM)


def save_motion(clip: Clip, path: Path, layout: str | None = None, **options: Any) -> None:
    """Write a motion, and a line that says what it is; on the standard output only the motion."""
    if str(path) == STREAM:
        send_motion(clip, layout or STREAM_FORMAT)
        return
    write_clip(clip, path, format=layout, **options)
    click.echo(f"{path}: {clip.frames} frames at {clip.fps:g} fps, {clip.duration:.2f} s")


def send_motion(clip: Clip, layout: str) -> None:
    """A motion on the standard output, whole or not at all."""
    from tempfile import TemporaryDirectory

    from footfall.core import registry
    from footfall.core.errors import UnknownName
    from footfall.io.save import save

    written = {key: m.constants["WRITES"][0] for key, m in registry.members(FORMATS).items() if "WRITES" in m.constants}
    if layout not in written:
        raise UnknownName("format to write", layout, written)
    with TemporaryDirectory(prefix="footfall-stdout-") as folder:
        made = save(clip, Path(folder) / f"stdout{written[layout]}", format=layout)
        sys.stdout.buffer.write(made.read_bytes())
        sys.stdout.buffer.flush()


def plain(value: Any) -> Any:
    """The same data as every reader of JSON takes it: numbers it does not have are null, tuples are lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def write_report(data: Any, path: Path, what: str) -> None:
    """Write data as JSON, and a line that says what it is."""
    from footfall.io.save import atomic_write

    atomic_write(path, (json.dumps(plain(data), indent=1, allow_nan=False) + "\n").encode())
    click.echo(f"{path}: {what}")


def say_verdict(clip: Clip, of: str = "") -> None:
    """One line: the judge's grade and the first thing a viewer would say of each red join, where it was judged; and one
    with what starts by hand leave no time for."""
    from footfall.quality.verdict import in_a_line

    line = in_a_line(clip.report) if clip.report else ""
    if line:
        click.echo(f"{of}judged {line}")
    by_hand = clip.report.judgement.get("by_hand") if clip.report else None
    if by_hand:
        click.echo(f"{of}start times by hand leave too little time: {', '.join(by_hand)}")
