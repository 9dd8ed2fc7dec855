"""Blend clips by parameters: a walk at any speed and turn, a reach to any point."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from footfall.cli._busy import busy, progress
from footfall.cli._ground import ground_option, put_on
from footfall.cli._options import RATE, SECONDS, character_option, pair
from footfall.cli._out import (
    check_outputs,
    draw_strip,
    out_option,
    picture_option,
    write_clip,
    write_report,
    writing_options,
)

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.parametric.blend_space import BlendSpace

SHOWN = 6  # weights


@click.command(name="blend")
@click.argument("nodes", metavar="NODE...", nargs=-1, required=True)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter: speed=1.4, turn=20, x=0.3.")
@click.option("--seconds", type=SECONDS, metavar="S", help="Duration (default: one cycle, or the whole action).")
@click.option("--by", metavar="NAMES", help="Parameters to blend by, as in speed,turn (default: those that differ).")
@click.option("--method", help="Weight method (default: smooth-inverse, where parameters are measured).")
@click.option(
    "--beyond",
    type=click.Choice(["extrapolate", "clamp"]),
    default="extrapolate",
    show_default=True,
    help="Outside the examples: extrapolate, or stay at their edge.",
)
@click.option("--sync", type=click.Choice(["events", "strikes", "ends"]), help="What is aligned in time.")
@click.option("--all-cycles", is_flag=True, help="Use every good cycle of a recording, not only the best.")
@character_option("Body to put all clips on", "--onto")
@ground_option("Put the result on a ground")
@click.option("--fps", type=RATE, metavar="F", help="Frame rate (default: the examples').")
@click.option("--no-lock", is_flag=True, help="Do not lock the feet.")
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="JSON", help="Write what was asked for, made and blended."
)
@out_option()
@picture_option()
@writing_options
def command(
    nodes: tuple[str, ...],
    settings: tuple[str, ...],
    seconds: float | None,
    by: str | None,
    method: str | None,
    beyond: str,
    sync: str | None,
    all_cycles: bool,
    character: str | None,
    ground: str | None,
    fps: float | None,
    no_lock: bool,
    report: Path | None,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Blend example clips into one with the parameters asked for, and write it to OUT.

    NODE is a built-in set (walk, run, locomotion, reach, punch, kick, jump, stand), a folder of clips, or several
    files or built-in motions. Without OUT, PNG or JSON, list the examples and what can be set. Three
    parameters of your own clips are solved once, in up to a minute, and kept.

    \b
    Example:  footfall blend walk --set speed=1.4 --set turn=20 --seconds 6 -o walk.glb
              footfall blend takes/ --by speed,turn
    """
    from footfall.parametric.blend_space import BlendWarning, blend_space

    check_outputs(out, picture=picture, files=(report,))
    wanted = dict(_setting(text) for text in settings)
    names = tuple(n.strip() for n in by.split(",")) if by else None
    with busy() as tell:
        tell("blending")
        cycles = "all" if all_cycles else "best"
        given = nodes[0] if len(nodes) == 1 else list(nodes)
        space = blend_space(given, names, method, sync=sync, character=character, cycles=cycles)
        if out is None and picture is None and report is None:
            _tell(space)
            space.vector(wanted)
            return
    space = _prepared(space)
    with busy() as tell, warnings.catch_warnings():
        tell("blending")
        warnings.simplefilter("ignore", BlendWarning)  # told below
        clip = space(seconds=seconds, fps=fps, lock=not no_lock, beyond=beyond, **wanted)
    _tell_made(space, clip, out)
    made, under = put_on(clip, ground)
    if out is not None:
        write_clip(made, out)
    if report is not None and made.report is not None:
        write_report(made.report.to_json(), report, "what was asked, made and blended")
    draw_strip(made, picture, ground=under)


def _prepared(space: BlendSpace) -> BlendSpace:
    """With the smooth inverse; a progress bar where it has to be solved."""
    if not space.note:
        return space
    with progress() as bar:
        task = bar.add_task("solving the weights, once", total=1.0)
        return space.prepare(lambda share: bar.update(task, completed=share))


def _tell_made(space: BlendSpace, clip: Clip, out: Path | None) -> None:
    assert clip.report is not None
    made = clip.report.segments[0]
    length = f"{clip.frames} frames at {clip.fps:g} fps, {clip.duration:.2f} s"
    click.echo(f"{out or clip.name}: {length}")
    for name, asked in made.asked.items():
        click.echo(f"  {name}: asked {_shown(asked)}, made {_shown(made.achieved[name])}")
    weights = zip(space.motion.examples, clip.report.provenance.weight[0], strict=True)  # type: ignore[union-attr]
    shown = sorted(weights, key=lambda item: -abs(item[1]))[:SHOWN]
    click.echo("made of " + ", ".join(f"{name}: {w:.2f}" for name, w in shown if abs(w) >= 0.005))
    for line in clip.warnings:
        click.secho(f"warning: {line}", fg="yellow", err=True)


def _tell(space: BlendSpace) -> None:
    motion = space.motion
    click.echo(f"{motion.name}: {len(motion)} examples, {motion.kind}, key times: {', '.join(motion.marks)}")
    for name, (low, high) in space.ranges.items():
        click.echo(f"  --set {name}={low:.3g} … {high:.3g}")
    for name, row in zip(motion.examples, motion.parameters, strict=True):
        values = ", ".join(f"{n} {round(v, 6):.3g}" for n, v in zip(motion.parameter_names, row, strict=True))
        click.echo(f"  {name}: {values}")
    for name in space.left_out:
        click.echo(f"  {name}: left out, its feet strike and leave in another order")


def _shown(value: float) -> str:
    return f"{round(value, 4) + 0.0:.4g}"  # a zero has no sign


def _setting(text: str) -> tuple[str, float]:
    form = "NAME=VALUE, as in speed=1.4"
    name, value = pair(text, form, "--set")
    try:
        return name, float(value)
    except ValueError:
        raise click.BadParameter(f"{text!r}: write {form}", param_hint="--set") from None
