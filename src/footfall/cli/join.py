"""Join two motions into one, feet on the floor, by a method you choose or the best of several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from footfall.cli._busy import busy
from footfall.cli._clip_argument import ClipFile, completed
from footfall.cli._ground import ground_option, put_on
from footfall.cli._library import filling, library_options
from footfall.cli._options import SECONDS, character_option, pair, reading_among, reading_options
from footfall.cli._out import (
    FILMS,
    check_file,
    check_motion,
    check_picture,
    out_option,
    picture_option,
    say_verdict,
    write_clip,
    write_report,
    writing_options,
)
from footfall.cli._read import read_clip
from footfall.core import registry

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.core.report import Segment

FAMILY = "footfall.joins.methods"  # named here too: importing it takes longer than showing --help may


class _Methods(click.ParamType):
    """Names of transition methods, one or several with commas."""

    name = "method"

    def __init__(self, several: bool = False) -> None:
        self.several = several

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        known = registry.members(FAMILY)
        names = [n.strip() for n in str(value).split(",") if n.strip()] if self.several else [str(value)]
        for name in names:
            if name not in known:
                self.fail(f"no method {name!r}; there are {', '.join(known)}", param, ctx)
        return list(dict.fromkeys(names)) if self.several else names[0]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return completed(FAMILY, incomplete)


@click.command(name="join")
@click.argument("first", metavar="A", type=ClipFile(), required=False)
@click.argument("second", metavar="B", type=ClipFile(), required=False)
@click.option(
    "--from", "reported", type=click.Path(path_type=Path), metavar="FILE", help="Make a join that the studio reported."
)
@out_option("A motion file, or a film: .mp4, .gif.")
@click.option(
    "--method", type=_Methods(), metavar="M", help="Transition method (default: auto, the best of all it tries)."
)
@click.option("--compare", type=_Methods(True), metavar="M,M,M", help="Compare several methods side by side.")
@click.option("--at", "at_s", type=SECONDS, metavar="S", help="Leave A at this second.")
@click.option("--length", "length_s", type=SECONDS, metavar="S", help="Length of the transition in seconds.")
@click.option("--enter", "enter_s", type=SECONDS, metavar="S", help="Second of B at which the transition ends.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the method: shape=linear.")
@click.option("--no-foot-lock", is_flag=True, help="Only blend: plan no steps, lock no feet.")
@click.option(
    "--with",
    "donors",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Recordings that may lead from A to B, where that is better.",
)
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="JSON", help="Write how the join was made and how good it is."
)
@picture_option("Poses, foot tracks, joint curves.")
@character_option("Put both on this body")
@ground_option("Put what is joined on a ground")
@library_options
@reading_options
@writing_options
def command(first: Path | None, second: Path | None, out: Path | None, **asked: Any) -> None:
    """Join motion B to motion A.

    A and B are files or built-in motions; where their bodies differ B is put on A's. A loop may be left after any
    number of rounds. With --from, both come from a file that the studio's "Report this join" made, and are tried again.
    Without --at, --length and --enter the method chooses. With --compare, OUT is one motion for each
    method, its name added to OUT's, or one film of all. With --with, a stretch of a recording of FOLDER is put between
    the two where the judge prefers that; the folder's library says which are tried.

    \b
    Example:  footfall join walk.bvh kick.bvh -o out.glb
              footfall join walk kick -o out.bvh --method by-example --at 2.6 --report out.json
              footfall join run.bvh sit.bvh -o out.bvh --with takes
              footfall join walk:cycles=2 kick --compare crossfade,inertialize,by-example -o film.mp4 --picture x.png
    """
    reading = reading_among(asked)
    _check(out, first, second, asked)
    methods = asked["compare"] or [asked["method"] or "auto"]
    with busy() as tell:
        clips = (
            _reported(asked["reported"])
            if asked["reported"]
            else _read(first, second, asked["character"], reading, tell)
        )
        joined = {}
        for method in methods if asked["donors"] is None else ():
            tell(f"joining by {method}")
            joined[method] = _join(*clips, method, asked)
    if asked["donors"] is not None:
        joined["auto"] = _join_with(*clips, asked, reading)
    _show(joined)
    joined = {method: put_on(clip, asked["ground"])[0] for method, clip in joined.items()}
    _write(joined, clips, out, asked)


def _check(out: Path | None, first: Path | None, second: Path | None, asked: Mapping[str, Any]) -> None:
    """What can be said before any work is done."""
    if asked["reported"] and first is not None:
        raise click.UsageError("--from brings both motions: leave A and B out")
    if not asked["reported"] and second is None:
        raise click.UsageError("two motions are joined: give A and B, or --from FILE")
    if asked["donors"] and (
        asked["compare"] or asked["options"] or asked["no_foot_lock"] or asked["method"] not in (None, "auto")
    ):
        raise click.UsageError("with --with, auto chooses how: leave --method, --compare and its options out")
    if asked["compare"] and asked["method"]:
        raise click.UsageError("--compare names the methods itself: leave --method out")
    if out is None and not any(asked[n] for n in ("report", "picture", "compare")):
        raise click.UsageError("nowhere to put the result: give -o OUT, --picture PNG or --report JSON")
    check_picture(asked["picture"], plotted=True)
    check_file(asked["report"])
    check_motion(out, *(path for path in (first, second) if path is not None), others=FILMS)


def _reported(path: Path) -> tuple[Clip, Clip]:
    """Both clips of a reported join; what the studio said of it is told first."""
    from footfall.studio.join_report import read_report

    found = read_report(path)
    join = found.told.join
    said = f"; a viewer would say: {join.seen}" if join.seen else ""
    click.echo(f"{found.told.first} to {found.told.second}, in the studio: {join.kind}, {join.grade}{said}")
    return found.first, found.second


def _read(
    first: Path | None, second: Path | None, character: str | None, reading: dict[str, Any], tell: Any
) -> tuple[Clip, Clip]:
    """Both clips on one body: B on A's, or both on a character's."""
    assert first is not None
    assert second is not None
    tell("reading")
    a, b = read_clip(first, **reading), read_clip(second, **reading)
    from footfall.retarget.one_body import one_body, same_body

    if character is None and same_body(a.skeleton, b.skeleton):
        return a, b
    tell(f"putting {'both' if character else b.name or second.name} on {character or 'the body of A'}")
    a, b = one_body([a, b], a if character is None else character).clips
    return a, b


def _join(a: Clip, b: Clip, method: str, asked: Mapping[str, Any]) -> Clip:
    from footfall.joins.join import join

    pairs = (pair(text, "KEY=VALUE, as in shape=linear", "--option") for text in asked["options"])
    options = {key: _value(value) for key, value in pairs}
    wanted = {name: asked[name] for name in ("at_s", "length_s", "enter_s")}
    return join(a, b, method, **wanted, foot_lock=not asked["no_foot_lock"], **options)


def _join_with(a: Clip, b: Clip, asked: Mapping[str, Any], reading: dict[str, Any]) -> Clip:
    """The same by way of a folder's recordings; a bar shows while their library is filled."""
    from footfall.joins.join import join
    from footfall.joins.through_donor import DonorFolder

    wanted = {name: asked[name] for name in ("at_s", "length_s", "enter_s")}
    with filling(asked["index"], asked["jobs"], reading) as settings:
        return join(a, b, **wanted, donors=DonorFolder(asked["donors"], settings))


def _value(text: str) -> Any:
    """A number where it reads as one, else the word."""
    try:
        return float(text)
    except ValueError:
        return text


def _show(joined: Mapping[str, Clip]) -> None:
    """The figures of every join, units in the header, and below them why it was made so."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("method", style="bold", no_wrap=True)
    for title in ("left at\ns", "length\ns", "entry\ns", "skate\n× sources", "excess\nm/s²", "knee\n× sources"):
        table.add_column(title, justify="right", no_wrap=True)
    why = Table.grid(padding=(0, 2, 0, 0))
    why.add_column(style="bold", no_wrap=True)
    for method, clip in joined.items():
        for n, segment in enumerate(clip.report.joins if clip.report else ()):
            name = method if n == 0 else ""
            table.add_row(name, *_cells(segment))
            why.add_row(name, Text(segment.reason))  # Text, not markup: names of clips may hold brackets
    console = Console()
    console.print(table)
    console.print(why)
    console.print()
    for method, clip in joined.items():
        say_verdict(clip, f"{method}, " if len(joined) > 1 else "")


def _cells(segment: Segment) -> list[str]:
    entry = segment.clip_times_s[-1][-1] if segment.clip_times_s else None
    values = [segment.start_s, segment.end_s - segment.start_s, entry]
    values += [segment.quality.get(key) for key in ("skate_ratio", "excess_m_s2", "knee_ratio")]
    return ["–" if v is None else f"{v:.0f}" if n == 4 else f"{v:.2f}" for n, v in enumerate(values)]


def _write(joined: Mapping[str, Clip], clips: tuple[Clip, Clip], out: Path | None, asked: Mapping[str, Any]) -> None:
    """Everything that was asked for, each with a line that says what it is."""
    if out is not None:
        _write_motion(joined, out, bool(asked["compare"]))
    if asked["report"]:
        reports = {method: clip.report.to_json() for method, clip in joined.items() if clip.report}
        told = {"joins": reports} if asked["compare"] else next(iter(reports.values()))
        write_report(told, asked["report"], "what was joined, how and how well")
    if asked["picture"]:
        from footfall.render.compare_joins import picture_joins

        with busy() as tell:
            tell("drawing")
            picture_joins(joined, clips, asked["picture"])
        click.echo(f"{asked['picture']}: poses, foot tracks and joint curves")


def _write_motion(joined: Mapping[str, Clip], out: Path, several: bool) -> None:
    """The joined motions, or a film of them."""
    if out.suffix.lower() in FILMS:
        from footfall.render.compare_joins import film_joins

        film_joins(joined, out)
        click.echo(f"{out}: {out.stat().st_size / 1000:.0f} kB")
        return
    for method, clip in joined.items():
        path = out.with_stem(f"{out.stem}_{method}") if several else out
        write_clip(clip, path)
        click.echo(f"{path}: {clip.frames} frames at {clip.fps:g} fps, {len(clip.skeleton)} joints")
