"""--ground: the ground a motion is put on, measured against or drawn on, and a line about what that changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import STREAM

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.kinematics.ground import Ground

FORM = "FILE|stairs:15x35|slope:12"


def ground_option(help: str = "Put it on a ground") -> Callable[..., Any]:
    """--ground, given to the command as `ground`: the text."""
    return click.option("--ground", metavar=FORM, help=f"{help}: a mesh or heights, or a name.")


def put_on(clip: Clip, ground: str | None, target: Path | None = None) -> tuple[Clip, Ground | None]:
    """The clip on a ground, and the ground where it lies; as it was where none is asked for. target: where it goes."""
    if ground is None:
        return clip, None
    from footfall.feet.on_ground import put_on_ground
    from footfall.io.open_ground import ground as ground_of

    put = put_on_ground(clip, ground_of(ground))
    told = put.clip.report.ground if put.clip.report is not None else {}
    if told and put.falls:
        low, high = told["stride_ratio"]
        click.echo(
            f"on {put.ground.name}: {len(put.falls)} footfalls, steps {low:.2f} to {high:.2f} times as long as before, "
            f"the motion {told['duration_ratio']:.2f} times\n"
            f"  {same_ground(put.ground, ground)}",
            err=str(target) == STREAM,
        )
    return put.clip, put.ground


def same_ground(lies: Ground, ground: str) -> str:
    """How other commands are told of a ground that lies where a motion went."""
    return f"the same ground for other commands: --ground {lies.text or ground}"


def ground_under(clip: Clip, ground: str | None) -> Ground | None:
    """The ground that a finished clip stands on."""
    if ground is None:
        return None
    from footfall.feet.ground_path import start_and_way
    from footfall.io.open_ground import ground as ground_of

    return ground_of(ground).ahead_of(*start_and_way(clip))
