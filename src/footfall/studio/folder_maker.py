"""A folder made playable beside the studio: a process of its own builds the graph of its recordings.

It reports its progress, then what it found, row by row, each with a few poses to look at.

`python -m footfall.studio.folder_maker FOLDER GRAPH` reads what is wanted as JSON from its input and writes lines of
JSON. Building takes a second or two a recording, on all cores: in a thread it would hold every drag back, and could not
be ended.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.graph.build.build import BuildWork
from footfall.graph.build.build_file import ActionRow, BuildFile, CycleRow, load_build
from footfall.graph.build.build_report import summary
from footfall.graph.build.built_graph import built_parts, save_built
from footfall.io.load import load_all
from footfall.kinematics.fk import world_positions
from footfall.kinematics.root import floor_root
from footfall.retarget.one_body import AVERAGE
from footfall.studio.edits import sentence

POSES = 4  # of a row's picture
MOST_ROWS = 240  # shown; those used come first
STAGES = {"reading": (0.0, 0.5), "cutting": (0.5, 0.65), "edges": (0.65, 0.95)}  # shares of the work; by eye
OTHER_STAGE = (0.5, 0.95)
Say = Callable[[dict[str, Any]], None]


def make(folder: Path, graph: Path, used: Sequence[int] | None, onto: str, say: Say) -> None:
    """Build the folder's graph, or what its build file says with only the rows of these numbers used, and show it.

    say is given what happens, as plain data: {"text", "share"}, and at last {"rows", "told", "left_out"}.
    """
    plan = None if used is None else ticked(load_build(graph), set(used))
    work = BuildWork(follow=lambda some, what: _followed(some, what, say))
    parts = built_parts(folder, plan, onto, work)
    build = save_built(parts, folder, graph)
    say({"text": "taking pictures", "share": 0.96})
    say(shown(folder, build))


def shown(folder: Path, build: BuildFile) -> dict[str, Any]:
    """What was found, for people."""
    left = [[file, why] for file, why in build.left_out]
    return {"rows": found_rows(folder, build), "told": summary(build), "left_out": left}


def shown_rows(build: BuildFile) -> list[CycleRow | ActionRow]:
    """What can be ticked, in the order its numbers count."""
    return [*build.cycles, *build.actions]


def ticked(build: BuildFile, used: set[int]) -> BuildFile:
    """The build file with only these rows used; what is made of a row that is not goes with it."""
    count = len(build.cycles)
    cycles = tuple(_used(row, n in used) for n, row in enumerate(build.cycles))
    actions = tuple(_used(row, n + count in used) for n, row in enumerate(build.actions))
    on = {row.key for row in cycles if row.use}
    labels = {row.label for row in cycles if row.use}
    turned = tuple(replace(row, use=row.use and row.key in on) for row in build.turned)
    changes = tuple(replace(row, use=row.use and {row.before, row.after} <= labels) for row in build.changes)
    return replace(build, cycles=cycles, actions=actions, turned=turned, changes=changes)


def _used(row: Any, use: bool) -> Any:
    return replace(row, use=use, why="" if use else row.why or "switched off")


def found_rows(folder: Path, build: BuildFile) -> list[dict[str, Any]]:
    """Every row that can be ticked, with stick figures."""
    rows = list(enumerate(shown_rows(build)))
    rows.sort(key=lambda one: not one[1].use)
    found, clips = [], {}
    for number, row in sorted(rows[:MOST_ROWS], key=lambda one: (one[1].file, one[1].start_s)):
        if (row.file, row.clip) not in clips:
            clips = {(row.file, row.clip): _clip_of(folder, row.file, row.clip)}  # one at a time in memory
        clip = clips[row.file, row.clip]
        measured = row.measured if isinstance(row, CycleRow) else {}
        found.append({
            "id": number, "kind": "cycle" if isinstance(row, CycleRow) else "action", "label": row.label,
            "file": row.file, "startS": row.start_s, "endS": row.end_s, "use": row.use, "why": row.why,
            "speedMS": measured.get("speed", 0.0), "turnDegS": measured.get("turn", 0.0),
            "figures": [] if clip is None else stick_figures(clip, row.start_s, row.end_s),
        })  # fmt: skip
    return sorted(found, key=lambda one: (one["kind"] != "cycle", one["label"], not one["use"], one["id"]))


def _clip_of(folder: Path, file: str, name: str) -> Clip | None:
    try:
        clips = load_all(folder / file)
    except FootfallError:
        return None
    return next((clip for clip in clips if clip.name == name), clips[0] if clips else None)


def stick_figures(clip: Clip, start_s: float, end_s: float) -> list[list[int]]:
    """Poses from start to end seen from the right: of each bone x, y of both ends, in centimetres, y up.

    Each figure stands where its pelvis is ahead of the others'; the page moves them apart.
    """
    times = np.linspace(start_s, max(start_s, end_s - 1.0 / clip.fps), POSES)
    pose = clip.sample(times)
    places = world_positions(clip.skeleton, pose)  # (POSES, J, 3)
    heading = float(floor_root(clip.skeleton, pose)[1][0])
    ahead = places[..., 2] * np.cos(heading) + places[..., 0] * np.sin(heading)
    ahead = ahead - ahead[:, :1]
    skeleton = clip.skeleton
    fingers = set(skeleton.roles.fingers)
    bones = [
        (j, int(p)) for j, p in enumerate(skeleton.parents) if p > 0 and j not in fingers and int(p) not in fingers
    ]
    flat = np.round(100.0 * np.stack([ahead, places[..., 1]], axis=-1)).astype(int)
    return [[int(v) for j, p in bones for v in (*flat[k, j], *flat[k, p])] for k in range(POSES)]


def _followed(some: Sequence[Any], what: str, say: Say) -> Iterator[Any]:
    """Goes through jobs and tells how far it is."""
    low, high = STAGES.get(what, OTHER_STAGE)
    total = max(len(some), 1)
    for n, one in enumerate(some):
        say({"text": f"{what} {n + 1} of {total}", "share": round(low + (high - low) * n / total, 3)})
        yield one


def _main(arguments: Sequence[str], given: TextIO, told: TextIO) -> int:
    def say(what: dict[str, Any]) -> None:
        told.write(json.dumps(what) + "\n")
        told.flush()

    folder, graph = Path(arguments[0]), Path(arguments[1])
    wanted = json.loads(given.read())
    try:
        if wanted.get("look"):
            say(shown(folder, load_build(graph)))
        else:
            make(folder, graph, wanted.get("used"), wanted.get("onto") or AVERAGE, say)
    except FootfallError as error:
        say({"problem": sentence(error)})
    return 0


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # the studio comes first
    sys.exit(_main(sys.argv[1:], sys.stdin, sys.stdout))
