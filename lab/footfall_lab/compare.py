"""Live characters compared: several ways to drive one through the same script, and what each did with it.

Everything is measured on the poses that come out, so that any object with `step(dt, type=…, speed=…, turn=…)` can be
compared: how long until it goes as it was told, how far its feet slide, how hard its joints are thrown, what it costs.
`contest("builtin")`, or of a folder or a graph, sets a transition graph against motion matching on the same examples.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from footfall.align.features import features
from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.graph.build.open_graph import graph
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.live.drive import Command
from footfall.live.matching_database import FPS as DATABASE_FPS
from footfall.live.matching_database import (
    TYPES,
    MatchingDatabase,
    builtin_database,
    folder_database,
    matching_database,
)
from footfall.live.motion_matching import MotionMatching
from footfall.parametric.arc_root import path_of
from footfall.parametric.play import duration, play
from footfall.quality.joins import excess_of_stream
from footfall.quality.slide import slide

FPS = 60.0
WITHIN = 0.1  # of what was asked for
SPEED_M_S, TURN_DEG_S = 0.1, 8.0  # or this near, whichever is wider
HOLDS_S = 0.3  # what is reached must be kept this long
WARM_STEPS = 5  # left out of the time: the first steps compile

# stand, walk, two turns, faster, run, turn, slower, stop
STANDARD = (
    Command(0.0, "stand", 0.0, 0.0), Command(1.5, "walk", 1.3, 0.0), Command(5.0, "walk", 1.3, 45.0),
    Command(8.5, "walk", 1.3, -45.0), Command(12.0, "walk", 1.7, 0.0), Command(15.5, "run", 3.0, 0.0),
    Command(18.5, "run", 3.0, 45.0), Command(21.5, "run", 4.0, 0.0), Command(24.5, "walk", 1.3, 0.0),
    Command(28.0, "stand", 0.0, 0.0),
)  # fmt: skip
SECONDS = 31.0
AFTER_S = 3.0  # that a script goes on after its last command, so that it can be met
REQUESTS, EVERY_S = 7, 3.5  # of a random script
RANDOM = {"stand": (0.0, 0.0), "walk": (0.7, 1.8), "run": (2.3, 4.2)}  # its speeds, m/s
RANDOM_TURN = 60.0  # °/s either way
TAKE_S = 3.0  # of a graph's loops, as motion matching gets to play them
GRAPH, MATCHING = "transition graph", "motion matching"


class Live(Protocol):
    """What is compared."""

    def step(self, dt: float, type: str | None = None, speed: float | None = None, turn: float | None = None) -> Pose:
        """Go on by dt seconds."""
        ...


class ComparisonRow(NamedTuple):
    """One way, measured."""

    name: str
    requests: int
    reached: int  # of them, before the next
    response_s: float  # median of those reached, from the request until speed and turn are met
    slowest_s: float
    speed_error: float  # m/s, mean over the last half second before each next request
    turn_error: float  # °/s
    slide_cm_s: float  # mean
    slide_p95_cm_s: float
    excess: float  # m/s², the worst excess acceleration of the whole stream
    excess_joint: str
    megabytes: float
    us_a_step: float


def compare(
    controllers: Mapping[str, Live], skeleton: Skeleton, examples: Sequence[Clip],
    script: Sequence[Command] = STANDARD, seconds: float = SECONDS, fps: float = FPS,
) -> list[ComparisonRow]:  # fmt: skip
    """Drive each through the script; skeleton is theirs, examples what accelerations are compared with."""
    if not script or seconds <= script[-1].t_s:
        raise ParameterError("a script needs a command, and to go on for a while after its last")
    rows = []
    for name, hero in controllers.items():
        clip, us = driven(hero, skeleton, script, seconds, fps)
        rows.append(measured(name, clip, script, examples, us, float(getattr(hero, "nbytes", np.nan)) / 1e6))
    return rows


class Contest(NamedTuple):
    """A transition graph and a database of the same examples, on one body."""

    graph: Graph
    database: MatchingDatabase

    @property
    def types(self) -> tuple[str, ...]:
        """What both can do."""
        return tuple(name for name in self.database.types if name in self.graph.types)

    def run(self, script: Sequence[Command], seconds: float, name: str = "") -> list[ComparisonRow]:
        """Both through one script, from standing at the origin."""
        of = f", {name}" if name else ""
        heroes: dict[str, Live] = {
            f"{GRAPH}{of}": Controller(self.graph),
            f"{MATCHING}{of}": MotionMatching(self.database),
        }
        return compare(heroes, self.graph.skeleton, database_clips(self.database), script, seconds)


def contest(source: str | Path, tell: Callable[[str], None] = lambda text: None) -> Contest:
    """The contest of "builtin", of a folder of recordings, or of a graph file with its own examples."""
    if str(source) == "builtin":
        tell("the built-in graph; the first time it is built, which takes a minute")
        return Contest(graph("builtin"), builtin_database())
    tell("graph")
    found = graph(source)
    tell("database of motion matching")
    if Path(source).is_dir():
        return Contest(found, folder_database(source, onto=found.skeleton))
    return Contest(found, matching_database(graph_clips(found), mirror=False, choose=False))


def graph_clips(of: Graph, fps: float = FPS) -> list[Clip]:
    """What a graph was made of, example by example: rounds of loops, and changes; actions are left out."""
    edges = [edge.motion for ways in of.edges.values() for edge in ways if edge.motion is not None]
    made = []
    for motion in [*(node.motion for node in of.nodes.values() if not node.is_action), *edges]:
        for k, name in enumerate(motion.examples):
            weights = np.eye(len(motion))[k]
            length = duration(motion, weights)
            times = np.arange(int(max(length, TAKE_S if motion.is_loop else 0.0) * fps) + 1) / fps
            made.append(Clip(motion.skeleton, fps, fix_signs(play(motion, weights, times).pose), name=name))
    return made


def standard_script(types: Sequence[str]) -> tuple[Command, ...]:
    """The standard script without what is not there."""
    return tuple(c for c in STANDARD if c.type in types)


def random_script(seed: int, types: Sequence[str] = TYPES) -> tuple[tuple[Command, ...], float]:
    """Requests drawn at random, and how long they last: a type of those given, speed and turn evenly over RANDOM."""
    rng = np.random.default_rng(seed)
    known = [name for name in TYPES if name in types]
    found = [Command(0.0, known[0], 0.0, 0.0)]
    for k in range(REQUESTS):
        name = known[int(rng.integers(len(known)))]
        low, high = RANDOM[name]
        moves = high > 0.0
        speed, turn = (
            (float(rng.uniform(low, high)), float(rng.uniform(-1.0, 1.0)) * RANDOM_TURN) if moves else (0.0, 0.0)
        )
        found.append(Command(1.0 + EVERY_S * k, name, speed, turn))
    return tuple(found), 1.0 + EVERY_S * REQUESTS


def to_csv(rows: Sequence[ComparisonRow]) -> str:
    """The rows with all their figures."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ComparisonRow._fields)
    for row in rows:
        writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in row])
    return text.getvalue()


def driven(
    hero: Live, skeleton: Skeleton, script: Sequence[Command], seconds: float = SECONDS, fps: float = FPS
) -> tuple[Clip, float]:
    """What a character makes of a script, and the microseconds of processor time of a step, on average."""
    count = round(seconds * fps)
    root_pos, rot = np.empty((count, 3)), np.empty((count, len(skeleton), 4))
    at, begin = -1, 0.0
    for k in range(count):
        if k == min(WARM_STEPS, count - 1):
            begin = time.process_time()
        while at + 1 < len(script) and script[at + 1].t_s <= k / fps + 1e-9:
            at += 1
        now = script[max(at, 0)]
        pose = hero.step(1.0 / fps, type=now.type, speed=now.speed, turn=now.turn)
        root_pos[k], rot[k] = pose.root_pos, pose.rot
    spent = (time.process_time() - begin) / max(count - WARM_STEPS, 1)
    return Clip(skeleton, fps, fix_signs(Pose(root_pos, rot)), name="driven"), spent * 1e6


def measured(
    name: str, clip: Clip, script: Sequence[Command], examples: Sequence[Clip], us: float, megabytes: float
) -> ComparisonRow:
    """The row of a driven clip."""
    speed = features(clip, ("pelvis",)).speed  # (T, 3)
    answers = responses(speed, clip.fps, script)
    times = np.array([a.response_s for a in answers if np.isfinite(a.response_s)])
    feet, throw = slide(clip), excess_of_stream(clip, examples)
    return ComparisonRow(
        name, len(answers), len(times), float(np.median(times)) if len(times) else np.nan,
        float(times.max()) if len(times) else np.nan,
        float(np.mean([a.speed_error for a in answers])), float(np.mean([a.turn_error for a in answers])),
        feet.mean_cm_s, feet.p95_cm_s, throw.value, throw.joint, megabytes, us,
    )  # fmt: skip


class Response(NamedTuple):
    """How one request was answered."""

    response_s: float  # infinite where it was not met
    speed_error: float  # m/s, at the end
    turn_error: float  # °/s


def responses(speed: np.ndarray, fps: float, script: Sequence[Command]) -> list[Response]:
    """For every command but the first, from the path's speed (T, 3): forward m/s, left m/s, turn rad/s."""
    found = []
    ends = [c.t_s for c in script[1:]] + [len(speed) / fps]
    for now, end in list(zip(script, ends, strict=True))[1:]:
        part = speed[round(now.t_s * fps) : round(end * fps)]
        goes, turns = part[:, 0], np.degrees(part[:, 2])
        near = np.abs(goes - now.speed) <= max(WITHIN * abs(now.speed), SPEED_M_S)
        near &= np.abs(turns - now.turn) <= max(WITHIN * abs(now.turn), TURN_DEG_S)
        last = part[-round(0.5 * fps) :]
        found.append(
            Response(
                _first_kept(near, round(HOLDS_S * fps)) / fps,
                abs(float(last[:, 0].mean()) - now.speed),
                abs(float(np.degrees(last[:, 2]).mean()) - now.turn),
            )
        )
    return found


def _first_kept(near: np.ndarray, length: int) -> float:
    """The first frame from which so many in a row are near; infinite where there are none."""
    run = 0
    for k, here in enumerate(near):
        run = run + 1 if here else 0
        if run >= length:
            return float(k - length + 1)
    return np.inf


def table(rows: Sequence[ComparisonRow]) -> str:
    """The rows as a table in Markdown."""
    head = (
        "| | requests met | median s | slowest s | speed off by m/s | turn off by °/s | slide cm/s (95 %) | "
        "excess m/s² | MB | µs a step |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    lines = [
        f"| {r.name} | {r.reached} of {r.requests} | {r.response_s:.2f} | {r.slowest_s:.2f} | {r.speed_error:.2f} | "
        f"{r.turn_error:.1f} | {r.slide_cm_s:.1f} ({r.slide_p95_cm_s:.1f}) | {r.excess:.0f} {r.excess_joint} | "
        f"{r.megabytes:.1f} | {r.us_a_step:.0f} |"
        for r in rows
    ]
    return "\n".join([head, *lines])


def database_clips(database: MatchingDatabase) -> list[Clip]:
    """The clips of a database again, each from the origin; loops without their last frame, as takes."""
    made = []
    for name, a, b in zip(database.clips, database.first[:-1], database.first[1:], strict=True):
        pose = Pose(database.root[a:b].astype(float), rotation.normalize(database.rot[a:b].astype(float)))
        frames = path_of(database.travel[a : b - 1].astype(float))
        made.append(Clip(database.skeleton, DATABASE_FPS, frames.pose(pose), name=name))
    return made
