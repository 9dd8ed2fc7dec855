"""Say what a motion file holds, what was concluded about it, and how surely.

One JSON line a file with --json; otherwise a short text for people.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import ClipFile, shown
from footfall.cli._many import each_file
from footfall.cli._options import reading_among, reading_options

if TYPE_CHECKING:
    from footfall.core.clip import Clip

FEW = 4  # numbers that are shown one by one


@click.command(name="info")
@click.argument("files", nargs=-1, required=True, type=ClipFile())
@click.option("--json", "as_json", is_flag=True, help="One JSON line a file.")
@reading_options
def command(files: tuple[Path, ...], as_json: bool, **reading: Any) -> int:
    """Say what motion files hold, what was concluded about them, and how surely.

    FILES may also be built-in motions.

    \b
    Example:  footfall info walk.bvh kick.glb
              footfall info --json take_01.amc --skeleton 01.asf
    """
    options = reading_among(reading)

    def show(path: Path) -> None:
        from footfall.motions.library import open_clips

        facts = describe(path, open_clips(path, **options))
        click.echo(json.dumps(facts, allow_nan=False) if as_json else _text(facts))

    return each_file(files, show)


def describe(path: Path, clips: list[Clip]) -> dict[str, Any]:
    """Everything known about a file, ready for JSON; the first animation stands for the file."""
    import numpy as np

    clip = clips[0]
    animated = [c for c in clips if c.frames]
    inferred = {k: {"value": v.value, "how": v.how, "confidence": round(v.confidence, 2)}
                for k, v in clip.source.inferred.items() if k != "roles"}  # fmt: skip
    return {
        "file": shown(path),
        "format": clip.source.format,
        "frames": clip.frames,
        "fps": clip.fps,
        "duration_s": round(clip.duration, 6),
        "joints": len(clip.skeleton),
        "names": list(clip.skeleton.names),
        "animations": len(animated),
        "clips": [{"name": c.name, "frames": c.frames, "duration_s": round(c.duration, 6)} for c in animated],
        "finite": all(bool(np.isfinite(x).all()) for x in clip.pose if x is not None),
        "root_pos_0": [round(float(x), 9) for x in clip.pose.root_pos[0]] if clip.frames else None,
        "height_m": round(clip.skeleton.height, 4),
        "roles": _roles(clip),
        "inferred": {**inferred, **_floor(clip)},
        "warnings": list(clip.warnings),
        "repairs": list(clip.repairs),
    }


def _roles(clip: Clip) -> dict[str, Any]:
    names, roles = clip.skeleton.names, clip.skeleton.roles
    found: dict[str, Any] = {}
    for role, value in vars(roles).items():
        if isinstance(value, tuple):
            found[role] = [names[j] for j in value]
        elif isinstance(value, int) and not isinstance(value, bool):
            found[role] = names[value]
    return {**found, "confidence": round(roles.confidence, 2), "how": roles.how}


def _floor(clip: Clip) -> dict[str, Any]:
    """Height of the floor under each foot, as a reader's conclusion; nothing where there are no feet."""
    from footfall.analysis.floor import find_floor
    from footfall.core.errors import SkeletonError

    if not clip.frames:
        return {}
    try:
        floor = find_floor(clip)
    except SkeletonError:
        return {}
    value = {"left": round(floor.left, 4), "right": round(floor.right, 4)}
    return {"floor": {"value": value, "how": floor.how, "confidence": round(floor.confidence, 2)}}


def _text(facts: dict[str, Any]) -> str:
    many = f", {facts['animations']} animations" if facts["animations"] > 1 else ""
    lines = [
        click.style(facts["file"], bold=True),
        f"  {facts['frames']} frames at {facts['fps']:g} fps = {facts['duration_s']:.2f} s, {facts['joints']} joints, "
        f"height {facts['height_m']:.2f} m{many}",
    ]
    if many:
        lines.append("  " + ", ".join(f"{c['name']} {c['duration_s']:.2f} s" for c in facts["clips"]))
    for key, found in facts["inferred"].items():
        lines.append(f"  {key:10} {_shown(key, found['value'])}  ({found['how']}; {found['confidence']:.0%} sure)")
    roles = facts["roles"]
    count = sum(isinstance(joint, str) for joint in roles.values()) - 1  # all but "how"
    lines.append(f"  {'roles':10} {count} found  ({roles['how']}; {roles['confidence']:.0%} sure)")
    lines += [click.style("  warning    ", fg="yellow") + text for text in facts["warnings"]]
    lines += [click.style("  repaired   ", fg="cyan") + text for text in facts["repairs"]]
    return "\n".join(lines)


def _shown(key: str, value: Any) -> str:
    if key == "floor":
        return ", ".join(f"{foot} {height:+.3f} m" for foot, height in value.items())
    if isinstance(value, tuple) and len(value) > FEW:
        return f"{len(value)} numbers"
    return f"{value:g}" if isinstance(value, float) else str(value)
