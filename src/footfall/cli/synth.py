"""Turn clips on a timeline into one motion, choosing how each pair is joined and saying why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from footfall.cli._busy import busy
from footfall.cli._ground import ground_option, put_on
from footfall.cli._options import RATE, character_option
from footfall.cli._out import (
    check_outputs,
    not_onto_itself,
    out_option,
    picture_option,
    save_motion,
    say_verdict,
    write_report,
    writing_options,
)
from footfall.cli._read import tell_cleaning

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.timeline.arrangement import Arrangement


@click.command(name="synth")
@click.argument("timeline", nargs=-1, required=True, metavar="TIMELINE", type=click.Path(path_type=Path))
@out_option(required=True)
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="JSON", help="Write how each part was made and how good it is."
)
@picture_option("Poses, phase bars and chosen segments.")
@character_option("The body of every track")
@ground_option("Put the result on a ground")
@click.option("--fps", type=RATE, help="Frame rate of the result (default: the highest of the clips).")
@click.option("--best", is_flag=True, help="Move and cut clips where that makes a better join.")
@click.option("--paper", is_flag=True, help="Apply the published rules literally: linear weights, uniform warps.")
@click.option("--rules", is_flag=True, help="Join clips by Oshita's tables, without a search.")
@click.option("--no-clean", is_flag=True, help="Do not repair glitches.")
@click.option(
    "--save", "save_as", type=click.Path(path_type=Path), metavar="JSON", help="Also write the timeline itself."
)
@writing_options
def command(
    timeline: tuple[Path, ...],
    out: Path,
    report: Path | None,
    picture: Path | None,
    character: str | None,
    ground: str | None,
    fps: float | None,
    best: bool,
    paper: bool,
    rules: bool,
    no_clean: bool,
    save_as: Path | None,
) -> None:
    """Make one motion of a TIMELINE: a file (.json, .toml), or clips in a row, each as soon as possible.

    A timeline file lists tracks of clips with times; "asap" lets footfall choose. With several tracks, OUT is one file
    a track, its number added.

    \b
    Example:  footfall synth walk kick running-kick stand -o take.glb --picture take.png
              footfall synth take.toml -o take.bvh --report take.json

    \b
    take.toml:   [[tracks]]
                 clips = ["walk", {clip = "wave", start_s = 0.5}, {clip = "kick.bvh", trim_s = [0.2, 1.9]}]
    """
    from footfall.timeline.file import save_timeline

    check_outputs(out, picture=picture, plotted=True, files=(report, save_as))
    better: list[str] = []
    with busy() as tell:
        tell("reading")
        arranged = _arranged(timeline, character, fps, {"paper": paper, "rules": rules}, not no_clean)
        if best:
            from footfall.timeline.best import changes, costs, improved

            given, arranged = arranged, improved(arranged, tell)
            better = [f"joins cost {costs(given):.1f} before, {costs(arranged):.1f} now", *changes(given, arranged)]
        tell("joining")
        clips = arranged.renders(measured=True)
    for (file, _), clip in arranged.files().items():
        tell_cleaning([clip], Path(file), {})
    _show(clips)
    for line in better:
        click.echo(line)
    clips = [put_on(clip, ground or arranged.timeline.ground)[0] for clip in clips]
    _write(arranged, clips, out)
    if report is not None:
        reports = [clip.report.to_json() for clip in clips if clip.report]
        told = reports[0] if len(reports) == 1 else {"tracks": reports}
        write_report(told, report, "what was joined, how and how well")
    if picture is not None:
        _draw(arranged, clips, picture)
    if save_as is not None:
        save_timeline(arranged.timeline, save_as)
        click.echo(f"{save_as}: the timeline")


def _arranged(
    arguments: tuple[Path, ...], character: str | None, fps: float | None, options: dict[str, bool], clean: bool
) -> Arrangement:
    """The timeline of a file, or of clips in a row, with what the options say."""
    from dataclasses import replace

    from footfall.timeline.arrangement import timeline

    arranged = timeline(arguments[0] if len(arguments) == 1 else arguments, clean=clean)
    given = arranged.timeline
    if character is not None:
        given = replace(given, tracks=tuple(replace(track, character=character) for track in given.tracks))
    asked = {name: True for name, is_asked in options.items() if is_asked}
    given = replace(given, options={**given.options, **asked})
    return arranged.with_timeline(replace(given, fps=fps if fps is not None else given.fps))


def _show(clips: list[Clip]) -> None:
    """A row a segment: what, when, of which clips, how well; and below why joins are what they are."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for title, justify in (("", "left"), ("from", "right"), ("to s", "right"), ("clips", "left"), ("phases", "left"),
                           ("skate\n× sources", "right"), ("excess\nm/s²", "right")):  # fmt: skip
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    why = Table.grid(padding=(0, 2, 0, 0))
    for clip in clips:
        for segment in clip.report.segments if clip.report else ():
            skate, excess = (segment.quality.get(key) for key in ("skate_ratio", "excess_m_s2"))
            table.add_row(
                segment.kind,
                f"{segment.start_s:.2f}",
                f"{segment.end_s:.2f}",
                Text(" → ".join(segment.clips)),
                "→".join(segment.phases) if segment.phases else "",
                "" if skate is None else f"{skate:.2f}",
                "" if excess is None else f"{excess:.0f}",
            )
            if segment.reason:
                why.add_row(f"{segment.start_s:.2f} s", segment.kind, Text(segment.reason))
    console = Console()
    console.print(table)
    console.print(why)
    console.print()
    for number, clip in enumerate(clips, 1):
        say_verdict(clip, f"track {number}, " if len(clips) > 1 else "")


def _paths(out: Path, clips: list[Clip]) -> list[Path]:
    """OUT, or one file a track."""
    if len(clips) == 1:
        return [out]
    return [out.with_stem(f"{out.stem}_{number}") for number in range(1, len(clips) + 1)]


def _write(arranged: Arrangement, clips: list[Clip], out: Path) -> None:
    sources = {entry.clip for track in arranged.timeline.tracks for entry in track.clips if isinstance(entry.clip, str)}
    for clip, path in zip(clips, _paths(out, clips), strict=True):
        for source in sources:
            not_onto_itself(Path(source), path)
        save_motion(clip, path)


def _draw(arranged: Arrangement, clips: list[Clip], picture: Path) -> None:
    from footfall.render.plot_timeline import plot_timeline

    with busy() as tell:
        tell("drawing")
        for clip, plan, path in zip(clips, arranged.plan(), _paths(picture, clips), strict=True):
            plot_timeline(clip, plan, path)
    for path in _paths(picture, clips):
        click.echo(f"{path}: poses, phases and segments")
