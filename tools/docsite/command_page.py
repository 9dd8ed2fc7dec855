"""The page of all commands: what each is for, an example with its real output, and all its options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from made_once import made_once

from footfall.cli import LAB, every_command, group

# What is typed before the examples: a folder of clips, a script of commands.
PREPARED = (
    "footfall convert walk:cycles=3 walk.bvh",
    "footfall convert kick kick.bvh",
    "footfall convert walk:speed=0.8,cycles=3 takes/slow.bvh",
    "footfall convert walk:speed=1.5,cycles=3 takes/quick.bvh",
    "footfall convert stand takes/still.npz",
)
SCRIPT = "t_s,type,speed,turn\n0,walk,1.2,0\n2,walk,1.2,30\n4,stand,0,0\n"
# One example of every command, each run when the site is built and in the tests.
EXAMPLES = {
    "analyze": "footfall analyze walk.bvh",
    "augment": "footfall augment takes -o more --recipe mirror,retime*2",
    "blend": "footfall blend walk --set speed=1.4 --set turn=20 --seconds 2 -o turn.bvh",
    "check": "footfall check walk.bvh",
    "convert": "footfall convert walk.bvh walk.glb --fps 30",
    "crowd": "footfall crowd builtin -n 10 --seconds 2 -o crowd.npz",
    "demo": "footfall demo -o demo",
    "edit": "footfall edit walk.bvh mirrored.bvh --trim 0.5:2 --mirror",
    "find": "footfall find walk.bvh@0.5 takes -n 3",
    "graph build": "footfall graph build takes -o my.graph",
    "info": "footfall info walk.bvh",
    "join": "footfall join walk.bvh kick.bvh -o out.glb",
    "library build": "footfall library build takes",
    "lint": "footfall lint takes",
    "match": "footfall match walk.bvh takes -n 3",
    "pack": "footfall pack walk stand -o pack.glb",
    "render": "footfall render walk.bvh walk.png",
    "studio": "footfall studio takes",
    "synth": "footfall synth walk:cycles=3 kick stand -o take.glb",
    "walk": "footfall walk builtin commands.csv -o hero.glb",
}
NOT_RUN = {"studio": "it serves a page until it is stopped", "demo": "it takes a minute"}
COLUMNS = 88  # of the terminal that outputs are written for: as wide as the page
LONGEST_LINES = 24  # of an output that is shown whole


def command_page(run: bool = True) -> str:
    parts = [
        "# Commands",
        "Every command has `--help`; this page is made from it, and the output under each example is what came out "
        "when the site was built. Clips may be files in any [format](../formats/index.md), or names of "
        "[built-in motions](choices.md#built-in-motions) such as `walk:speed=1.2,turn=30`. The examples begin with:",
        "```{ .sh }\n" + "\n".join(PREPARED) + "\n```",
        "and a file `commands.csv`:",
        "```{ .csv }\n" + SCRIPT + "```",
    ]
    said = outputs() if run else {}
    for name, command in sorted(all_commands().items()):
        parts.append(section(name, command, said.get(name, "")))
    parts.append("## Commands of the lab")
    parts.append("`pip install ./lab` in a checkout adds them: they measure footfall and are no part of it.")
    parts.append("\n".join(["| command | what it does |", "|---|---|", *(f"| `{k}` | {v} |" for k, v in LAB.items())]))
    return "\n\n".join(parts) + "\n"


def all_commands() -> dict[str, click.Command]:
    """Every command of the product by what is typed for it."""
    return {name: command for name, command in every_command().items() if name not in LAB}


def section(name: str, command: click.Command, said: str) -> str:
    """One command: its own words, the example with what it says, its options folded away."""
    about, options = help_of(name, command)
    parts = [f"## {name}", about, f"```{{ .sh }}\n{EXAMPLES[name]}\n```"]
    if said:
        parts.append(f"```{{ .text }}\n{said.rstrip()}\n```")
    elif name in NOT_RUN:
        parts.append(f"Not run here: {NOT_RUN[name]}.")
    folded = "\n".join(f"    {line}".rstrip() for line in options.splitlines())
    parts.append(f'??? note "Options of `{name}`"\n\n    ```{{ .text }}\n{folded}\n    ```')
    return "\n\n".join(parts)


def help_of(name: str, command: click.Command) -> tuple[str, str]:
    """What the help says before its examples, as running text, and its table of options."""
    parent = click.Context(group, info_name="footfall")
    context = click.Context(command, info_name=name, parent=parent, max_content_width=COLUMNS, terminal_width=COLUMNS)
    text = command.get_help(context)
    options = text[text.index("\nOptions:") + 1 :] if "\nOptions:" in text else ""
    told = (command.help or "").replace("\b", "").split("Example")[0]
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", told)]
    return "\n\n".join(escaped(part) for part in paragraphs if part), options


def escaped(text: str) -> str:
    """Of what Markdown would take for its own."""
    return re.sub(r"([*_<>\[\]])", r"\\\1", text)


def outputs() -> dict[str, str]:
    """What every example says, all run in one folder."""
    lines = [*PREPARED, *(line for name, line in EXAMPLES.items() if name not in NOT_RUN)]
    made: dict[str, str] = made_once(f"commands at {COLUMNS} " + "\n".join([*lines, SCRIPT]), run_all)
    return made


def run_all() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="footfall-examples-") as folder:
        Path(folder, "commands.csv").write_text(SCRIPT, "utf-8")
        for line in PREPARED:
            run_line(line, folder)
        return {name: run_line(line, folder) for name, line in EXAMPLES.items() if name not in NOT_RUN}


def run_line(line: str, folder: str) -> str:
    """What one command says, on a narrow terminal that knows no colours."""
    words = [sys.executable, "-m", "footfall", *shlex.split(line)[1:]]
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{line} ends with {done.returncode}: {done.stderr.strip()}")
    return shortened(done.stdout + done.stderr)


def shortened(text: str) -> str:
    lines = text.splitlines()
    if len(lines) <= LONGEST_LINES:
        return text
    return "\n".join([*lines[:LONGEST_LINES], f"… and {len(lines) - LONGEST_LINES} lines more"])
