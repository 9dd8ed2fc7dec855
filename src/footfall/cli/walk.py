"""Walk a character through a motion graph, by a script of commands or along a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from footfall.cli._busy import busy, progress
from footfall.cli._ground import ground_option, same_ground
from footfall.cli._options import RATE, SECONDS, character_option
from footfall.cli._out import (
    check_outputs,
    draw_strip,
    out_option,
    picture_option,
    save_motion,
    write_report,
    writing_options,
)

if TYPE_CHECKING:
    from footfall.graph.graph import Graph
    from footfall.kinematics.ground import Ground
    from footfall.live.drive import DriveResult
    from footfall.live.path_following import FollowedPath

# how a change of type was made
WAYS = {"recorded": "by its examples", "made": "on the fly", "urgent": "at once", "in stride": "in stride",
        "laid over": "laid over it", "after a stop": "after a stop that it needed",
        "for steps": "for steps lie ahead"}  # fmt: skip
AFTER_S = 2.0  # that the last command of a script is held
FALLS_CM = 10.0  # a pelvis that sinks farther below the examples is told of. By eye


@click.command(name="walk")
@click.argument("graph_name", metavar="GRAPH")
@click.argument("script", metavar="SCRIPT", type=click.Path(path_type=Path))
@out_option(required=True)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="JSON",
    help="Write what the character did, when, and how well.",
)
@picture_option()
@character_option()
@ground_option("Let it walk on a ground")
@click.option(
    "--seconds", type=SECONDS, metavar="S", help="Duration (default: to 2 s after the last row, or the path's end)."
)
@click.option("--fps", type=RATE, default=60.0, show_default=True, help="Frames per second.")
@click.option("--no-lock", is_flag=True, help="Do not lock the feet.")
@writing_options
def command(
    graph_name: str, script: Path, out: Path, report: Path | None, picture: Path | None, character: str | None,
    ground: str | None, seconds: float | None, fps: float, no_lock: bool,
) -> None:  # fmt: skip
    """Drive a character through GRAPH (a file, or builtin) as SCRIPT says, and write what it does to OUT.

    SCRIPT is a CSV file: commands over time, t_s,type,speed,turn[,side] (m/s, degrees a second to the left, m/s to the
    left), each holding until the next; or points of a path on the floor, x,z,type,speed, to walk along.

    \b
    Example:  footfall walk builtin commands.csv -o hero.glb
              footfall walk builtin path.csv -o hero.glb --report hero.json

    With --character the whole graph is put on that body, once: its walks and runs are as fast as its legs are long.

    \b
    commands.csv:  t_s,type,speed,turn
                   0,walk,1.4,0
                   3,run,3.2,-30
                   6,stand,0,0
    """
    from dataclasses import replace

    from footfall.graph.build.open_graph import graph
    from footfall.graph.on_body import graph_on
    from footfall.retarget.character import character as character_of

    check_outputs(out, script, picture=picture, files=(report,))
    with busy() as tell:
        first = "the built-in graph; the first time it is built, which takes a minute"
        tell(first if graph_name == "builtin" else "graph")
        found = graph(graph_name)
        if character is not None:
            tell("the graph on its body; the first time every motion is retargeted, which takes a minute")
            body = character_of(character)
            found = graph_on(found, body)
    path, driven, under = _drive(found, script, seconds, fps, _Standing(not no_lock, ground))
    if character is not None:
        driven = replace(driven, clip=replace(driven.clip, skin=body.skin))
    made = driven.clip
    save_motion(made, out)
    told = _told(driven, path, under)
    if under is not None and made.report is not None:
        told["ground"] = dict(made.report.ground) or {"ground": under.name, "text": under.text}
    _show(driven, told)
    if under is not None and ground is not None:
        click.echo(same_ground(under, ground))
    if report is not None:
        write_report(told, report, "what it did when, and how well")
    draw_strip(made, picture, ground=under)


class _Standing(NamedTuple):
    """How a character stands."""

    lock: bool
    ground: str | None


def _drive(
    graph: Graph, script: Path, seconds: float | None, fps: float, standing: _Standing
) -> tuple[FollowedPath | None, DriveResult, Ground | None]:
    """What a character does by a script; the path, where it is one; and the ground, where it lies."""
    from footfall.live.controller import Controller
    from footfall.live.drive import by_commands, drive, read_script
    from footfall.live.path_following import PathFollower, read_path

    if _is_path(script):
        path = read_path(script, graph)
        first = complex(path.points[0])
        heading = float(path.headings[0])
        hero = Controller(graph, None, first.imag, first.real, heading, foot_lock=standing.lock, ground=standing.ground)
        usual = path.length / max(float(path.speeds.min()), 0.4) + 4.0
        follower = PathFollower(path)
        seconds = min(usual, 3600.0) if seconds is None else seconds
        return path, drive(graph, follower.steer, seconds, fps, hero, _bar, until=follower.stands), hero.ground
    commands = read_script(script, graph)
    hero = Controller(graph, foot_lock=standing.lock, ground=standing.ground)
    steer = by_commands(commands)
    seconds = commands[-1].t_s + AFTER_S if seconds is None else seconds
    return None, drive(graph, steer, seconds, fps, hero, _bar), hero.ground


def _is_path(script: Path) -> bool:
    """Whether the first line names the columns of a path; what cannot be read is said when it is."""
    try:
        with script.open(encoding="utf-8-sig", errors="replace") as file:
            lines = (line for line in file if line.strip() and not line.startswith("#"))
            return "x" in [cell.strip() for cell in next(lines, "")[:1000].split(",")]
    except OSError:
        return False


def _bar(frames: Iterable[int]) -> Iterator[int]:
    with progress() as bar:
        yield from bar.track(list(frames), description="walking")


def _told(driven: DriveResult, path: FollowedPath | None, ground: Ground | None) -> dict[str, Any]:
    """The report as plain data."""
    from footfall.live.drive import path_errors
    from footfall.quality.ground_contact import ground_contact
    from footfall.quality.penetration import penetration
    from footfall.quality.slide import slide

    clip = driven.clip
    assert clip.report is not None
    if ground is not None:
        contact = ground_contact(clip, ground)
        quality = {"slide_cm_s": contact.slide.mean_cm_s, "deepest_cm": contact.deepest_cm}
    else:
        quality = {"slide_cm_s": slide(clip).mean_cm_s, "deepest_cm": penetration(clip).deepest_cm}
    if path is not None:
        off = path_errors(driven, path.points)
        quality |= {"path_error_mean_m": float(off.mean()), "path_error_max_m": float(off.max())}
    clamped = sum(state.clamped for state in driven.states)
    quality["clamped_share"] = clamped / max(len(driven.states), 1)
    quality["pelvis_sinks_cm"] = max(100.0 * float(driven.dips.max()), 0.0)
    return {**clip.report.to_json(), "quality": quality, "changes": [c._asdict() for c in driven.changes],
            "blocked": [{"start_s": a, "end_s": b} for a, b in driven.blocked],
            "cut_short": [{"t_s": t, "action": name} for t, name in driven.cut_short]}  # fmt: skip


def _show(driven: DriveResult, told: dict[str, Any]) -> None:
    for change in driven.changes:
        wait, took = change.begun_s - change.asked_s, change.arrived_s - change.begun_s
        click.echo(
            f"{change.begun_s:7.2f} s  {change.before} to {change.after}, {WAYS[change.way]}: "
            f"waited {wait:.2f} s, took {took:.2f} s"
        )
    for start, end in driven.blocked:
        x, z, _ = driven.roots[min(round(start * driven.clip.fps), len(driven.roots) - 1)]
        click.echo(
            f"{start:7.2f} s  at x {x:.2f}, z {z:.2f} m no step leads on: a wall, a hole or the end of the ground; "
            f"it marks time for {end - start:.1f} s"
        )
    for t, name in driven.cut_short:
        click.echo(f"{t:7.2f} s  {name} was cut short: it was left before what it is done for")
    quality = told["quality"]
    if quality["pelvis_sinks_cm"] > FALLS_CM:
        t = int(driven.dips.argmax()) / driven.clip.fps
        click.echo(f"{t:7.2f} s  the pelvis sinks {quality['pelvis_sinks_cm']:.0f} cm below what its examples have")
    text = f"slide {quality['slide_cm_s']:.2f} cm/s, deepest {quality['deepest_cm']:.2f} cm under the floor"
    if "path_error_mean_m" in quality:
        text += f", {100.0 * quality['path_error_mean_m']:.1f} cm off the path on average"
    click.echo(text)
    if quality["clamped_share"] >= 0.005:
        click.echo(
            f"beyond what the examples can do in {100.0 * quality['clamped_share']:.0f} % of the frames: limited"
        )
