"""Options and helpers that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

MOST = 1e6  # of any number that is typed: seconds, metres, degrees and frames a second stay far below


class Number(click.FloatRange):
    """A finite number in a range: click's own takes nan into every one."""

    name = "number"

    def __init__(self, low: float = -MOST, high: float = MOST) -> None:
        super().__init__(low, high)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no finite number.", param, ctx)
        return float(super().convert(number, param, ctx))


SECONDS = Number(0.0, MOST)
RATE = Number(1e-3, MOST)  # frames a second, as clips have them
UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}


def character_option(help: str = "Body to put it on", *others: str, **more: Any) -> Callable[..., Any]:
    """--character FILE|NAME, given to the command as `character`; others are further spellings.

    --character-role ROLE=JOINT comes with it: what it says is added to the file's name, as `character` understands it.
    """
    help = f"{help}: a file, adult, adult:1.2 (metres), smpl, smplh."

    def with_roles(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
        roles = context.meta.get("footfall.character_roles", ())
        if roles and value is None:
            raise click.UsageError("--character-role names joints of a character: give --character too")
        for role in roles:
            pair(role, "ROLE=JOINT, as in left_hip=thigh_L", "--character-role")
        return f"{value}:{','.join(roles)}" if roles and value else value

    def noted(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> None:
        context.meta["footfall.character_roles"] = value

    given = click.option(
        "--character", *others, "character", metavar="FILE|NAME", help=help, callback=with_roles, **more
    )
    roles = click.option("--character-role", multiple=True, metavar="ROLE=JOINT", is_eager=True, expose_value=False,
                         callback=noted, help="Name a joint of the character: left_hip=thigh_L.")  # fmt: skip
    return lambda command: given(roles(command))


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What a person may say about the files they give; all default to: find out, and report how."""
    for option in (
        click.option("--role", "roles", multiple=True, metavar="ROLE=JOINT", help="Name a joint: left_knee=shin_L."),
        click.option("--skeleton", type=click.Path(path_type=Path), help="The .asf that belongs to an .amc."),
        click.option("--up", type=click.Choice(["x", "y", "z", "-x", "-y", "-z"]), help="The file's up axis."),
        click.option(
            "--facing", type=click.Choice(["z", "-z", "x", "-x"]), help="Direction in which the rest pose faces."
        ),
        click.option("--unit", metavar="UNIT", help=f"The file's unit: {', '.join(UNITS)}, or metres as a number."),
        click.option("--fps-in", type=RATE, metavar="F", help="The file's frame rate, where it is missing or wrong."),
        click.option("--no-clean", is_flag=True, help="Do not repair glitches."),
        click.option("--strict", is_flag=True, help="Refuse a faulty file instead of warning."),
    ):
        command = option(command)
    return command


def reading_among(asked: dict[str, Any]) -> dict[str, Any]:
    """What `reading_options` gave, taken out of all that was asked, as arguments for footfall.load."""
    unit = asked.pop("unit")
    given = {
        "roles": dict(pair(role, "ROLE=JOINT, as in left_knee=shin_L", "--role") for role in asked.pop("roles")),
        "unit_m": None if unit is None else _metres(unit),
        "fps": asked.pop("fps_in"),
        "clean": not asked.pop("no_clean"),
    }
    return given | {name: asked.pop(name) for name in ("skeleton", "up", "facing", "strict")}


def pair(text: str, form: str, option: str) -> tuple[str, str]:
    """What stands before and after the first =, or a sentence that says what form is expected."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not (key and equals):
        raise click.BadParameter(f"{text!r}: write {form}", param_hint=option)
    return key, value


def _metres(text: str) -> float:
    if text in UNITS:
        return UNITS[text]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 1e-6 <= value <= 1e4:
        raise click.BadParameter(f"{text!r}: use {', '.join(UNITS)} or a number of metres", param_hint="--unit")
    return value
