"""Graph building: from a folder of recordings, or a build file, to a motion graph that characters can be driven by.

Recordings are read and analysed, put on one body, cut into labelled cycles that are closed and mirrored, and made into
nodes; changes found in them, or made, become edges; actions are done once. Every stretch that was looked at is a row of
the build file, used or not, with the reason. The same recordings give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from footfall.core.errors import FootfallError, ParameterError
from footfall.graph.build.build_file import (
    KINDS,
    ActionRow,
    BuildFile,
    ChangeRow,
    CycleRow,
    EdgeRow,
    TurnedRow,
    refused,
)
from footfall.graph.build.found_edges import ChangeTake
from footfall.graph.build.gait_nodes import MOST_CYCLES, unlike
from footfall.graph.build.graph_edges import ChosenEdge, Pair, graph_edges
from footfall.graph.build.graph_nodes import Key, MadeNodes, make_nodes
from footfall.graph.build.recording_cuts import CutJob, RecordingCut, WantedCut, cut_file
from footfall.graph.build.recording_scan import RecordingScan, recording_facet, scans_of
from footfall.graph.build.tried_edges import usual_accelerations
from footfall.graph.edges import Edge
from footfall.graph.graph import Graph, Node
from footfall.library.build import Settings, with_library
from footfall.library.workers import Workers, in_order, workers_for
from footfall.parametric.parametric_motion import ParametricMotion, build
from footfall.retarget.character import Character, average_character, character
from footfall.retarget.one_body import AVERAGE, distinct

FPS = 60.0  # of a graph
LONGEST_S = 6.0  # of an action; by eye
TOGETHER_S = 0.05  # actions that follow so soon were done in one go; by eye
MOST_CUT = 8 * MOST_CYCLES  # cycles of a label that are cut and closed, for the best of them to be used
MOST_CHANGES = 16  # of one kind: trying which go together takes their number cubed, and more add no new way
ALONE = 6  # files: so few are cut without other processes
Follow = Callable[[Sequence[Any], str], Iterable[Any]]  # goes through jobs of which so much is told, as a bar does
T = TypeVar("T")
RowT = TypeVar("RowT", CycleRow, ChangeRow)


def plainly(jobs: Sequence[T], what: str) -> Iterable[T]:
    """Follow without showing."""
    return jobs


class BuildWork(NamedTuple):
    """Who does the work on recordings, and who follows it."""

    follow: Follow = plainly
    jobs: int | None = None  # processes, as many as there are cores unless given
    workers: Workers | None = None  # others than processes here


def scan_folder(folder: Path, work: BuildWork) -> list[RecordingScan]:
    """What a folder's library knows of its recordings, brought up to date."""
    settings = Settings(jobs=work.jobs, workers=work.workers, follow=_steps(work.follow, "reading"))
    scans, report = with_library(folder, [recording_facet()], scans_of, settings)
    lost = dict(report.lost)
    return [replace(scan, why=lost[scan.file]) if scan.file in lost else scan for scan in scans]


def _steps(follow: Follow, what: str) -> Callable[[int, int], None]:
    """A library's progress, shown as that of jobs."""
    steps: Iterator[int] | None = None
    seen = 0

    def step(done: int, total: int) -> None:
        nonlocal steps, seen
        steps = iter(follow(range(total), what)) if steps is None else steps
        for _ in range(seen, done):
            next(steps, None)
        seen = done

    return step


def build_graph(
    folder: Path, scans: Sequence[RecordingScan], plan: BuildFile | None, onto: str, work: BuildWork
) -> tuple[Graph, BuildFile]:
    """The graph of a folder's recordings, and how it came about; of a plan, as read from a build file, what it says."""
    files = {scan.file for scan in scans}
    onto = onto if plan is None else plan.character
    if plan is not None:
        used = {row.file for row in plan.rows() if row.use}
        scans = [scan for scan in scans if scan.file in used]
    told = found_rows(scans, onto) if plan is None else _checked(plan, files)
    body, words = _body(scans, told, onto)
    cuts = _cut_all(folder, scans, told, body, work)
    made = make_nodes(told, cuts, plan is not None)
    if not made.nodes:
        raise ParameterError(f"no cycle could be made into a loop; most often: {_most(made.cycles, 'no row is used')}")
    told = replace(told, cycles=tuple(made.cycles), turned=tuple(made.turned), told=words)
    usual = {label: usual_accelerations([e.loop for e in some], FPS) for label, some in made.examples.items()}
    told, edges = _with_edges(told, cuts, made, usual, body, work.follow)
    told, nodes, edges = _with_actions(told, cuts, made.nodes, edges)
    return Graph(folder.resolve().name, {n: Node(m) for n, m in nodes.items()}, edges), told


# --- what there is ---------------------------------------------------------------------------------------------------


def found_rows(scans: Sequence[RecordingScan], onto: str) -> BuildFile:
    """All rows of a folder, those used that nothing speaks against so far."""
    cycles: list[CycleRow] = []
    changes: list[ChangeRow] = []
    actions: list[ActionRow] = []
    sure: list[float] = []
    for file, clip in ((scan.file, clip) for scan in scans for clip in scan.clips):
        for g in clip.gaits:
            numbers = {"speed": g.speed, "turn": g.turn, "side": g.side, "closing_deg": g.closing_deg}
            own = {} if g.label == "stand" else numbers
            cycles.append(CycleRow(file, g.start_s, g.end_s, clip.clip, not g.why, g.why, g.label, True, own))
        for c in clip.changes:
            ends = c.before, c.after, c.parameters
            changes.append(ChangeRow(file, c.start_s, c.end_s, clip.clip, not c.why, c.why, *ends))
        for a in clip.actions:
            seconds = a.end_s - a.start_s
            why = f"lasts {seconds:.1f} s, longer than an action" if seconds > LONGEST_S else ""
            actions.append(ActionRow(file, a.start_s, a.end_s, clip.clip, not why, why, a.name, a.at_s))
            sure.append(a.confidence)
    cycles = _most_unlike(cycles, lambda row: row.label, "measured", MOST_CUT)
    changes = _most_unlike(changes, lambda row: (row.before, row.after), "parameters", MOST_CHANGES)
    actions = _clearest(actions, sure)
    left_out = tuple((scan.file, scan.why) for scan in scans if scan.why)
    return BuildFile("", onto, tuple(cycles), (), tuple(changes), tuple(actions), (), left_out)


def _most_unlike(rows: Sequence[RowT], kind: Callable[[RowT], Any], own: str, most: int) -> list[RowT]:
    """Of many rows of one kind those that differ most are used; a build file may say otherwise."""
    kinds: dict[Any, list[int]] = {}
    for k, row in enumerate(rows):
        if row.use:
            kinds.setdefault(kind(row), []).append(k)
    told = list(rows)
    for some in kinds.values():
        kept = {some[k] for k in unlike([getattr(rows[k], own) for k in some], most)}
        for k in some:
            if k not in kept:
                told[k] = refused(rows[k], f"{len(kept)} of its kind that differ more are enough")
    return told


def _clearest(rows: Sequence[ActionRow], sure: Sequence[float]) -> list[ActionRow]:
    """Of every action the one is used that is least run together with others, of these the one found most surely."""
    best: dict[str, int] = {}
    rank = [(-_run_together(row, rows), certain) for row, certain in zip(rows, sure, strict=True)]
    for k, row in enumerate(rows):
        if row.use and (row.label not in best or rank[k] > rank[best[row.label]]):
            best[row.label] = k
    return [
        refused(row, f"another {row.label} is clearer") if row.use and best[row.label] != k else row
        for k, row in enumerate(rows)
    ]


def _run_together(row: ActionRow, rows: Sequence[ActionRow]) -> int:
    """At how many of its ends another action follows at once: there it neither comes from rest nor goes back to it."""
    others = [r for r in rows if (r.file, r.clip) == (row.file, row.clip) and r is not row]
    before = any(abs(other.end_s - row.start_s) < TOGETHER_S for other in others)
    return before + any(abs(other.start_s - row.end_s) < TOGETHER_S for other in others)


def _checked(plan: BuildFile, files: set[str]) -> BuildFile:
    """A plan whose rows of files that are not there are switched off."""
    gone = "no such file in the folder"
    known: dict[str, Any] = {
        kind: tuple(refused(r, gone) if r.use and r.file not in files else r for r in getattr(plan, kind))
        for kind in KINDS
    }
    return replace(plan, **known)


def _body(scans: Sequence[RecordingScan], told: BuildFile, onto: str) -> tuple[Character, str]:
    """The body that all is put on, and which it is in words."""
    used = {(row.file, row.clip) for row in told.cycles if row.use}
    clips = [clip for scan in scans for clip in scan.clips if (scan.file, clip.clip) in used]
    skeletons = distinct([clip.skeleton for clip in clips])
    if not skeletons:
        raise ParameterError(_nothing(told, scans))
    body = average_character(skeletons) if onto == AVERAGE else character(onto)
    what = "their symmetric average" if onto == AVERAGE else body.name or onto
    legs = f"legs of {body.leg_length:.2f} m"
    people = f"{len(skeletons)} {'body' if len(skeletons) == 1 else 'bodies'}"
    words = f"{len(used)} recordings of {people} put on {what}, {body.skeleton.height:.2f} m tall with {legs}"
    return body, words


def _nothing(told: BuildFile, scans: Sequence[RecordingScan]) -> str:
    clips = sum(len(scan.clips) for scan in scans)
    if not clips:
        first = ": ".join(told.left_out[0]) if told.left_out else "no motion files"
        return f"none of the {len(scans)} files holds a motion that can be used; the first: {first}"
    most = _most(told.cycles, "nobody stands, walks or runs in them")
    return f"no gait cycle or standing in {clips} recordings that a graph could use; most often: {most}"


def _most(rows: Sequence[CycleRow], none: str) -> str:
    """The reason that most of the rows are refused for."""
    reasons = [row.why for row in rows if row.why]
    return max(sorted(set(reasons)), key=reasons.count) if reasons else none


def _cut_all(
    folder: Path, scans: Sequence[RecordingScan], told: BuildFile, body: Character, work: BuildWork
) -> dict[Key, RecordingCut]:
    """Every row that is used, cut out of its recording, by its key and whether it is a loop."""
    wanted: dict[str, dict[WantedCut, None]] = {}  # by file, each once
    for row in told.rows():
        if row.use:
            loop = isinstance(row, CycleRow | TurnedRow)
            wanted.setdefault(row.file, {})[WantedCut(row.clip, row.start_s, row.end_s, loop, row.name)] = None
    used = [scan for scan in scans if scan.file in wanted]
    jobs = [CutJob(folder, scan.file, scan.mark, body, FPS, tuple(wanted[scan.file])) for scan in used]
    found: dict[Key, RecordingCut] = {}
    workers = work.workers or workers_for(len(jobs), work.jobs, ALONE)
    try:
        for job, cuts in zip(work.follow(jobs, "cutting"), in_order(workers, cut_file, jobs), strict=True):
            for piece, cut in zip(job.pieces, cuts, strict=True):
                clip = cut.clip and replace(cut.clip, skeleton=body.skeleton)  # one skeleton for all
                found[job.file, piece.clip, piece.start_s, piece.end_s, piece.loop] = cut._replace(clip=clip)
    finally:
        if work.workers is None:
            workers.close()
    return found


# --- edges and actions -----------------------------------------------------------------------------------------------


def _with_edges(
    told: BuildFile, cuts: dict[Key, RecordingCut], made: MadeNodes, usual: dict[str, np.ndarray], body: Character,
    follow: Follow,
) -> tuple[BuildFile, dict[Pair, tuple[Edge, ...]]]:  # fmt: skip
    """Edges between all nodes, and the rows of changes as they came out."""
    rows = list(told.changes)
    takes: dict[Pair, dict[int, ChangeTake]] = {}  # by the number of their rows
    for k, row in enumerate(rows):
        if not row.use:
            continue
        cut = cuts[(*row.key, False)]
        missing = [name for name in (row.before, row.after) if name not in made.nodes]
        if cut.clip is None or missing:
            rows[k] = refused(row, cut.why or f"the graph has no {missing[0]}")
            continue
        takes.setdefault((row.before, row.after), {})[k] = cut.clip, _on_body(row, made)
    recorded = {pair: list(some.values()) for pair, some in takes.items()}
    chosen = graph_edges(made.nodes, recorded, usual, body, FPS, lambda pairs: follow(pairs, "edges"))
    for pair, some in takes.items():
        for number, k in enumerate(some):
            if pair not in chosen:
                rows[k] = refused(rows[k], "the graph goes there by way of standing")
            elif number not in chosen[pair].used:
                rows[k] = refused(rows[k], chosen[pair].refused[number])
    edges = tuple(_edge_row(pair, edge) for pair, edge in chosen.items())
    return replace(told, changes=tuple(rows), edges=edges), {pair: edge.ways for pair, edge in chosen.items()}


def _on_body(row: ChangeRow, made: MadeNodes) -> dict[str, float]:
    """A change's parameters within what its nodes can do: a start and a stop rarely reach a steady gait."""
    found = dict(row.parameters)
    for end, label in (("before", row.before), ("after", row.after)):
        motion = made.nodes[label]
        for k, name in enumerate(motion.parameter_names):
            low, high = motion.parameters[:, k].min(), motion.parameters[:, k].max()
            found[f"{name}_{end}"] = float(min(max(found.get(f"{name}_{end}", 0.0), low), high))
    return found


def _edge_row(pair: Pair, edge: ChosenEdge) -> EdgeRow:
    numbers = dict(zip(("over_40_m_s2", "worst_m_s2", "slide_cm_s", "dip_cm"), edge.quality, strict=True))
    return EdgeRow(*pair, edge.way, edge.examples, numbers)


def _with_actions(
    told: BuildFile, cuts: dict[Key, RecordingCut], nodes: dict[str, ParametricMotion],
    edges: dict[Pair, tuple[Edge, ...]],
) -> tuple[BuildFile, dict[str, ParametricMotion], dict[Pair, tuple[Edge, ...]]]:  # fmt: skip
    """Each action once, done from standing; without standing there is nowhere to do it from."""
    nodes, edges, rows = dict(nodes), dict(edges), list(told.actions)
    home = "stand" if "stand" in nodes else next(iter(nodes))
    for k, row in enumerate(rows):
        if not row.use:
            continue
        cut = cuts[(*row.key, False)]
        if cut.clip is None or row.label in nodes:
            rows[k] = refused(row, cut.why or f"another {row.label} is used")
            continue
        try:
            nodes[row.label] = build([cut.clip], "take", row.label, "ends")
        except FootfallError as error:
            rows[k] = refused(row, " ".join(str(error).split()))
            continue
        edges[home, row.label], edges[row.label, home] = (Edge(home, row.label),), (Edge(row.label, home),)
    return replace(told, actions=tuple(rows)), nodes, edges
