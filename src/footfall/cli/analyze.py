"""Find the support phases, key times, type, speed and turn of motions."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from footfall.cli._clip_argument import ClipFile
from footfall.cli._folders import FolderAsking, each_or_folder
from footfall.cli._library import many_options
from footfall.cli._many import ClipSource, is_many
from footfall.cli._options import reading_among, reading_options
from footfall.cli._out import check_picture, picture_option
from footfall.cli._read import read_clip
from footfall.core.errors import FootfallError, one_line

if TYPE_CHECKING:
    from footfall.library.facets import Facet

BAR = 64  # characters of a phase bar
BLOCKS = {"LS": "▄", "RS": "▀", "DS": "█", "NS": "·"}  # told apart without colour too
MOST = 8  # key times shown of each kind


@click.command(name="analyze")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=ClipFile())
@click.option("--json", "as_json", is_flag=True, help="One JSON line per file.")
@picture_option("Draw it; one picture a file.", "-o", "--plot")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@many_options
@reading_options
def command(
    files: tuple[Path, ...], as_json: bool, picture: Path | None, animation: str | None, jobs: int | None,
    cluster: str | None, **reading: Any,
) -> int:  # fmt: skip
    """Analyse motions: support phases, foot strikes, type, speed, turn, cycles and loop.

    FILE may also be a built-in motion, with parameters after a colon, a folder (answered from its library) or a glob.
    Several files get a picture each, with the file's name added to PNG's.

    \b
    Example:  footfall analyze walk.bvh
              footfall analyze --json takes > takes.jsonl
              footfall analyze walk:speed=1.2,turn=30,cycles=3 --picture walk.png
    """
    options = reading_among(reading)
    check_picture(picture, plotted=True)
    many = len(files) > 1 or any(is_many(path) for path in files)
    job = partial(_analyzed, Asked(options, animation, picture, many))
    is_plain = picture is None and animation is None
    asking = FolderAsking(_facet, _answer, jobs, cluster, options) if is_plain else None
    return each_or_folder(files, job, partial(_show, as_json), asking, (jobs, cluster))


class Asked(NamedTuple):
    """What is asked of every file."""

    options: dict[str, Any]
    animation: str | None
    picture: Path | None
    many: bool


def _facet(options: dict[str, Any]) -> Facet:
    from footfall.library.facts import facts_facet

    return facts_facet(options)


def _analyzed(asked: Asked, source: ClipSource) -> dict[str, Any]:
    from footfall.analysis.summary import analyze

    path = source.path
    clip = read_clip(path, asked.animation, **asked.options)
    found = analyze(clip)
    if asked.picture is not None:
        from footfall.render.plot_analysis import plot_analysis

        name = f"{asked.picture.stem}_{_stem(Path(source.name))}.png"
        target = asked.picture.with_name(name) if asked.many else asked.picture
        plot_analysis(clip, found, target, title=path.name)
        click.echo(one_line(f"{target}: the picture of {path.name}"), err=True)
    return found.to_json(str(path))


def _answer(path: Path, clips: list[dict[str, Any]]) -> dict[str, Any]:
    first = clips[0]
    if "analysis" not in first:
        raise FootfallError(first["problem"])
    return {"file": str(path), **first["analysis"]}


def _show(as_json: bool, found: dict[str, Any]) -> None:
    click.echo(json.dumps(found, allow_nan=False) if as_json else _text(found))


def _stem(path: Path) -> str:
    """A file's stem; of a built-in motion its name and parameters, as a file name can hold them."""
    name = path.stem if path.suffix and "=" not in path.suffix else path.name
    return "".join(c if c.isalnum() or c in "-_.=" else "_" for c in name)


def _text(found: dict[str, Any]) -> str:
    """What people see."""
    turn = found["turn_degps"]
    way = f"turning {'left' if turn > 0 else 'right'} {abs(turn):.1f} °/s" if abs(turn) >= 0.5 else "straight"
    kind = " ".join(filter(None, [found["type"], found["direction"]]))
    belt = found["on_the_spot"]
    going = f"on the spot; the feet go at {belt['feet_mps']:.2f} m/s" if belt else f"{found['speed_mps']:.2f} m/s"
    moves = f", {going}, {way}" if found["type"] in ("walk", "run") else ""
    lines = [
        click.style(Path(found["file"]).name, bold=True),
        f"  {click.style(kind, bold=True)}{moves}  ({found['confidence']:.0%} sure: {found['how']})",
        f"  {found['frames']} frames at {found['fps']:g} fps = {found['duration_s']:.2f} s, "
        f"body {found['height_m']:.2f} m, {_cycles(found['cycles'])}, {'a loop' if found['loop'] else 'not a loop'}",
        f"  {'phases':11}{_bar(found)}",
        f"  {'':11}{_shares(found)}",
    ]
    for foot, colour in (("left", "LS"), ("right", "RS")):
        for event in ("strike", "off"):
            times = [k["t_s"] for k in found["keytimes"] if k["foot"] == foot and k["event"] == event]
            shown = "  ".join(f"{t:.3f}" for t in times[:MOST]) or "–"
            more = f" s  … {len(times) - MOST} more" if len(times) > MOST else " s" if times else ""
            label = f"{foot if event == 'strike' else '':6}{event:7}"
            lines.append(f"  {click.style(label, fg=_colours()[colour])} {shown}{more}")
    if found["ground"]["kind"] != "level":
        lines.append(f"  {'ground':11}{found['ground']['words']}")
    if found["apex"] is not None:
        lines.append(f"  {'apex':11}{found['apex']['t_s']:.2f} s, {found['apex']['effector'].replace('_', ' ')}")
    for action in found["actions"][:MOST]:
        span = f"({action['start_s']:.2f} to {action['end_s']:.2f})"
        lines.append(f"  {action['name']:11}{action['at_s']:.2f} s {span}: {action['reason']}")
    if len(found["actions"]) > MOST:
        lines.append(f"  {'':11}… {len(found['actions']) - MOST} more")
    return "\n".join(lines)


def _cycles(cycles: list[dict[str, Any]]) -> str:
    if not cycles:
        return "no cycles"
    steady = sum(c["steady"] for c in cycles)
    lengths = sorted(c["end_s"] - c["start_s"] for c in cycles)
    middle = lengths[len(lengths) // 2]
    many = len(cycles)
    return f"{many} cycle{'s' if many > 1 else ''} of {middle:.2f} s ({steady} steady)"


def _bar(found: dict[str, Any]) -> str:
    """The phases over time, in blocks: low for the left foot, high for the right, full for both."""
    colours, bar, phases = _colours(), "", found["phases"]
    for i in range(BAR):
        t = (i + 0.5) / BAR * found["duration_s"]
        label = next((p["label"] for p in phases if t <= p["end_s"]), phases[-1]["label"])
        bar += click.style(BLOCKS[label], fg=colours[label])
    return bar


def _shares(found: dict[str, Any]) -> str:
    words = {"LS": "left", "RS": "right", "DS": "both", "NS": "none"}
    total = max(found["duration_s"], 1e-9)
    spans = [(p["label"], p["end_s"] - p["start_s"]) for p in found["phases"]]
    shares = {label: sum(s for one, s in spans if one == label) / total for label in words}
    return "  ".join(
        f"{click.style(BLOCKS[label], fg=_colours()[label])} {words[label]} {share:.0%}"
        for label, share in shares.items()
        if share > 0
    )


def _colours() -> dict[str, Any]:
    from footfall.render.theme import THEMES

    theme = THEMES["dark"]  # brighter: legible on black and on white
    left, right = (tuple(int(c[k : k + 2], 16) for k in (1, 3, 5)) for c in (theme.left, theme.right))
    both = tuple((a + b) // 2 for a, b in zip(left, right, strict=True))
    return {"LS": left, "RS": right, "DS": both, "NS": (128, 128, 128)}
