"""Driving a character by a script: commands over time in, one clip with the story of how it was made out."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import runs
from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.errors import ParameterError, ReadError, UnknownName
from footfall.core.pose import Pose
from footfall.core.report import Report, Segment
from footfall.graph.graph import Graph
from footfall.io.plain_file import read_plain
from footfall.live.controller import Controller, ControllerState, TypeChange
from footfall.live.pelvis_watch import pelvis_dips
from footfall.live.playable_graph import playable_graph

LONGEST_S = 3600.0
MOST_BYTES = 200_000_000
MOST_ROWS = 1_000_000
MOST_LETTERS = 10_000  # of a line
REASONS = {"made": "no recorded way", "urgent": "urgent", "in stride": "in stride, by the feet that stand",
           "after a stop": "after a stop that it needed", "laid over": "", "for steps": "steps lie ahead"}  # fmt: skip
EARLY = 0.05  # of an action: what is left this much before its apex is cut short; a frame of a slow film is as long
PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
SCRIPT = ("t_s", "type", "speed", "turn")
Follow = Callable[[Iterable[int]], Iterable[int]]  # goes over frames and shows how far it is


class Command(NamedTuple):
    """What is asked for from a time on."""

    t_s: float
    type: str
    speed: float
    turn: float
    side: float = 0.0


@dataclass(frozen=True, eq=False)
class DriveResult:
    """A driven character: what it did, and what it was doing at every frame."""

    clip: Clip
    states: tuple[ControllerState, ...]
    changes: tuple[TypeChange, ...]
    roots: np.ndarray  # (T, 3) x, z, heading of the carrier
    blocked: tuple[tuple[float, float], ...]  # seconds from and to, in which no step led on: it marked time
    dips: np.ndarray  # (T,) metres that the pelvis is below the lowest of its nodes' examples; negative: above
    cut_short: tuple[tuple[float, str], ...]  # seconds and names of actions that were left before their apex


def drive(
    graph: Graph,
    steer: Callable[[Controller, float], None],
    seconds: float,
    fps: float = 60.0,
    hero: Controller | None = None,
    follow: Follow = iter,
    name: str = "walk",
    until: Callable[[Controller], bool] | None = None,
) -> DriveResult:
    """Steps of 1 / fps for so many seconds; before each, steer(hero, t) may ask for what it wants.

    until: ends earlier, when this becomes true.
    """
    if not 0.0 < seconds <= LONGEST_S:
        raise ParameterError(f"a script must last more than 0 and up to {LONGEST_S:g} s, this one lasts {seconds:g}")
    if not 1.0 <= fps <= 1000.0:
        raise ParameterError(f"fps must be 1 to 1000, got {fps}")
    hero = hero or Controller(graph)
    count = round(seconds * fps) + 1
    joints = len(graph.skeleton)
    root_pos, rot, down = np.empty((count, 3)), np.empty((count, joints, 4)), np.empty((count, 4), bool)
    roots, stuck, stands = np.empty((count, 3)), np.zeros(count, bool), np.empty(count)
    states: list[ControllerState] = []
    changes: list[TypeChange] = []
    for k in follow(range(count)):
        steer(hero, k / fps)
        pose = hero.step(1.0 / fps if k else 0.0)
        root_pos[k], rot[k] = pose.root_pos, pose.rot
        down[k] = hero.feet_down.ravel()
        roots[k] = hero.point.imag, hero.point.real, hero.heading
        stuck[k], stands[k] = hero.is_blocked, hero.body_height
        states.append(hero.state)
        changes += [c for c in hero.past_changes[-4:] if c not in changes[-8:]]
        if until is not None and until(hero):
            break
    count = len(states)
    root_pos, rot, down, roots = root_pos[:count], rot[:count], down[:count], roots[:count]
    events = tuple(Event(part, a / fps, (b - 1) / fps) for i, part in enumerate(PARTS) for a, b in runs(down[:, i]))
    report = Report(tuple(_segments(states, changes, fps)), {})
    clip = Clip(graph.skeleton, fps, fix_signs(Pose(root_pos, rot)), name=name, events=events, report=report)
    blocked = tuple((a / fps, b / fps) for a, b in runs(stuck[:count]))
    heights = clip.positions[:, clip.skeleton.roles.pelvis, 1] - stands[:count]
    dips = pelvis_dips(hero.graph, states, heights, fps)
    return DriveResult(clip, tuple(states), tuple(changes), roots, blocked, dips, cut_actions(hero.graph, states))


def cut_actions(graph: Graph, states: Sequence[ControllerState]) -> tuple[tuple[float, str], ...]:
    """When which actions were left before their apex; one that the script ends in is not left."""
    playable = playable_graph(graph)
    apex: dict[str, float] = {}
    for k, span in playable.passages.spans.items():
        apex[playable.names[k]] = min(span.apex, apex.get(playable.names[k], 1.0))
    return tuple(
        (now.time_s, last.node)
        for last, now in pairwise(states)
        if now.node != last.node and last.canonical_time < apex.get(last.node, 0.0) - EARLY
    )


def by_commands(commands: Sequence[Command]) -> Callable[[Controller, float], None]:
    """Steering by commands in order of time, each holding until the next."""
    waiting = list(commands)[::-1]

    def steer(hero: Controller, t: float) -> None:
        while waiting and waiting[-1].t_s <= t + 1e-9:
            now = waiting.pop()
            hero.ask(speed=now.speed, turn=now.turn, side=now.side)
            hero.request(now.type)

    return steer


def path_errors(driven: DriveResult, points: np.ndarray) -> np.ndarray:
    """(T,) metres from the pelvis, while it is under way, to the nearest piece of a path (S,) complex z + ix."""
    place = driven.clip.root_motion.position
    going = np.array([s.phase == "node" and s.achieved["speed"] > 0.1 for s in driven.states])
    here = (place[:, 2] + 1j * place[:, 0])[going] if going.any() else (place[:, 2] + 1j * place[:, 0])
    start, step = points[:-1], np.diff(points)
    errors = np.empty(len(here))
    for k, point in enumerate(here):
        share = np.clip(((point - start) * np.conj(step)).real / np.abs(step) ** 2, 0.0, 1.0)
        errors[k] = np.abs(point - start - share * step).min()
    return errors


def _segments(states: Sequence[ControllerState], changes: Sequence[TypeChange], fps: float) -> list[Segment]:
    """Stretches in one node, and those between two."""
    inertialized = [(c.begun_s, c.after, c.way) for c in changes if c.way != "recorded"]
    found: list[Segment] = []
    start = 0
    for k in range(1, len(states) + 1):
        if k < len(states) and (states[k].node, states[k].edge) == (states[start].node, states[start].edge):
            continue
        first = states[start]
        span = start / fps, (k if k < len(states) else k - 1) / fps
        made = next(
            (way for t, node, way in inertialized if node == first.node and abs(t - first.time_s) < 1.5 / fps), ""
        )
        if first.edge:
            before, after = first.edge.split(" to ")
            careful = any(way == "for steps" and node == after and abs(t - first.time_s) < 1.5 / fps
                          for t, node, way in inertialized)  # fmt: skip
            reason = f"by the edge of the graph{', for steps lie ahead' if careful else ''}"
            found.append(Segment("transition", *span, (before, after), "recorded", reason=reason))
        else:
            reason = f"{REASONS[made]}: inertialised" if made else ""
            found.append(Segment("clip", *span, (first.node,), "inertialize" if made else "", reason=reason))
        start = k
    return found


# --- script files ----------------------------------------------------------------------------------------------------


def read_rows(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV file by column name, each with its line; blank lines and lines that begin with # are left out."""
    try:
        text = read_plain(path, MOST_BYTES, "a script, a CSV file").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(path, "", "text (a CSV file)", f"bytes that are no UTF-8: {error.reason}") from error
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    wanted = ",".join(columns)
    if not lines:
        raise ReadError(path, "", f"a header {wanted} and rows", "an empty file")
    for k, line in lines:
        if len(line) > MOST_LETTERS:
            raise ReadError(path, f"line {k}", f"at most {MOST_LETTERS} letters a line", str(len(line)))
    header = [cell.strip() for cell in lines[0][1].split(",")]
    missing = [name for name in columns if name not in header]
    extra = [name for name in header if name not in (*columns, *optional)]
    if missing or extra or len(set(header)) < len(header):
        more = f"[,{','.join(optional)}]" if optional else ""
        raise ReadError(path, f"line {lines[0][0]}", f"the header {wanted}{more}", lines[0][1].strip()[:80])
    if len(lines) < 2 or len(lines) > MOST_ROWS:
        raise ReadError(path, f"line {lines[-1][0]}", f"1 to {MOST_ROWS} rows under the header", str(len(lines) - 1))
    found = []
    for k, line in lines[1:]:  # each by itself: a quote that is not closed ends with its line
        row = next(csv.reader([line]), [])
        if len(row) != len(header):
            raise ReadError(path, f"line {k}", f"{len(header)} values", f"{len(row)}")
        found.append((k, dict(zip(header, (cell.strip() for cell in row), strict=True))))
    return found


def read_script(path: Path, graph: Graph) -> list[Command]:
    """Commands of a CSV file t_s,type,speed,turn and optionally side; times rise."""
    found: list[Command] = []
    for line, row in read_rows(path, SCRIPT, ("side",)):
        values = [number_at(path, line, row, name) for name in ("t_s", "speed", "turn")]
        side = number_at(path, line, row, "side") if "side" in row else 0.0
        if values[0] < 0.0 or (found and values[0] < found[-1].t_s):
            raise ReadError(path, f"line {line}", "times from 0 on that rise", f"{values[0]:g}")
        found.append(Command(values[0], type_at(path, line, row["type"], graph), values[1], values[2], side))
    return found


def number_at(path: Path, line: int, row: dict[str, str], name: str) -> float:
    """A finite number of a row."""
    try:
        value = float(row[name])
    except ValueError:
        value = math.nan
    if not abs(value) < 1e9:
        raise ReadError(path, f"line {line}", f"a number for {name}", repr(row[name]))
    return value


def type_at(path: Path, line: int, name: str, graph: Graph) -> str:
    """A type of motion the graph has."""
    if name not in graph.nodes:
        text = UnknownName("type of motion", name, graph.nodes).text
        raise ReadError(path, f"line {line}", f"a type of motion ({', '.join(graph.nodes)})", repr(name), text)
    return name
