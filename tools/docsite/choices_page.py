"""The page of what can be chosen: every family of files with the first line of each, from core/registry.py."""

from __future__ import annotations

from typing import NamedTuple

from footfall.core.registry import members


class Family(NamedTuple):
    """A folder whose files are what people choose from."""

    package: str
    title: str
    where: str  # where a key is typed


FAMILIES = (
    Family("footfall.joins.methods", "Transition methods", "`ff.join(a, b, method=…)`, `footfall join --method`"),
    Family("footfall.weights.methods", "Weight methods", "`ff.blend_space(…, method=…)`, `footfall blend --method`"),
    Family(
        "footfall.motions.clips",
        "Built-in motions",
        "`ff.motion(…)`, and wherever a clip is: `footfall join walk kick`",
    ),
    Family("footfall.io.formats", "File formats", "chosen by the file's ending; `--format` where several share one"),
)


def choices_page() -> str:
    parts = [
        "# What can be chosen",
        "Every choice is one file of the source: its name is the choice, and its first line is the description here. "
        "[How to add one](../contribute/add_a_method.md).",
    ]
    for family in FAMILIES:
        rows = [
            f"| `{key}` | {member.summary.replace('|', '&#124;')} |" for key, member in members(family.package).items()
        ]
        folder = family.package.removeprefix("footfall.").replace(".", "/")
        parts += [
            f"## {family.title}",
            f"Given in {family.where}. One file each in `{folder}/`.",
            "\n".join(["| choice | what it is |", "|---|---|", *rows]),
        ]
    return "\n\n".join(parts) + "\n"
