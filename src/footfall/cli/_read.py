"""Clips as commands read them, with one line about what cleaning changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.core.errors import one_line

if TYPE_CHECKING:
    from footfall.core.clip import Clip


def read_clip(what: Path, animation: str | None = None, **options: Any) -> Clip:
    """A file or a built-in motion, as `open_clip` finds it."""
    from footfall.motions.library import open_clip

    clip = open_clip(what, animation, **options)
    tell_cleaning([clip], what, options)
    return clip


def read_clips(what: Path, **options: Any) -> list[Clip]:
    """Every animation of a file, or the built-in motion, as `open_clips` finds them."""
    from footfall.motions.library import open_clips

    clips = open_clips(what, **options)
    tell_cleaning(clips, what, options)
    return clips


def tell_cleaning(clips: list[Clip], what: Path, options: dict[str, Any]) -> None:
    """One line on stderr for each clip of a file that looks otherwise than its file has it."""
    cleaned = [clip for clip in clips if clip.repairs]
    if not cleaned or not what.is_file():
        return
    from footfall.io.load import load_all
    from footfall.kinematics.clean_changes import clean_changes

    found = load_all(what, **{**options, "clean": False})
    as_read = {clip.name: clip for clip in found}
    for clip in cleaned:
        before = as_read.get(clip.name)
        changes = None if before is None else clean_changes(before, clip)
        if changes is not None:
            name = f"{what.name}, {clip.name}" if len(found) > 1 else what.name
            told = f"footfall: {name}: cleaning changed {changes}; --no-clean keeps them as they are"
            click.echo(one_line(told), err=True)
