"""Nodes of a built graph: the rows of a build file, with what was cut out of recordings for them, by label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.graph.build.build_file import BuildFile, CycleRow, TurnedRow, refused
from footfall.graph.build.closed_loops import LoopQuality
from footfall.graph.build.gait_nodes import (
    LoopMeasures,
    best_stand,
    choose,
    drifts,
    gait_node,
    mirrored,
    odd_postures,
    stand_node,
    usual_steps,
)
from footfall.graph.build.recording_cuts import RecordingCut
from footfall.graph.build.turned_examples import turned, wanted_turns
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import ParametricMotion, build

ORDER = ("stand", "walk", "run", "back", "side")
Key = tuple[str, str, float, float, bool]


@dataclass(frozen=True, eq=False)
class NodeExample:
    """An example of a node: where it comes from, the loop, how well it closes."""

    row: CycleRow | TurnedRow
    loop: Clip
    quality: LoopQuality


@dataclass(eq=False)
class MadeNodes:
    """Nodes by label, their examples before mirroring, and all rows as they came out."""

    nodes: dict[str, ParametricMotion] = field(default_factory=dict)
    examples: dict[str, list[NodeExample]] = field(default_factory=dict)
    cycles: list[CycleRow] = field(default_factory=list)
    turned: list[TurnedRow] = field(default_factory=list)


def make_nodes(told: BuildFile, cuts: Mapping[Key, RecordingCut], exact: bool) -> MadeNodes:
    """Nodes of all labels. exact: what the rows say is used, no more and no less; else what goes best."""
    out = MadeNodes(cycles=list(told.cycles), turned=list(told.turned))
    labels = {row.label for row in told.cycles if row.use}
    for label in sorted(labels, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
        _make_stand(out, cuts) if label == "stand" else _make_gait(out, label, cuts, exact)
    return out


def _candidates(out: MadeNodes, label: str, cuts: Mapping[Key, RecordingCut]) -> tuple[list[int], list[NodeExample]]:
    """Rows of a label that are used and could be cut; the others are told why not."""
    at, found = [], []
    for k, row in enumerate(out.cycles):
        if row.label != label or not row.use:
            continue
        cut = cuts[(*row.key, True)]
        if cut.clip is None or cut.quality is None:
            out.cycles[k] = refused(row, cut.why)
            continue
        at.append(k)
        found.append(NodeExample(row, cut.clip, cut.quality))
    return at, found


def _drop(out: MadeNodes, at: list[int], some: list[Any], why: Sequence[str]) -> tuple[list[int], list[Any]]:
    """What is left of candidates; rows of the others say why."""
    for k, reason in zip(at, why, strict=True):
        if reason:
            out.cycles[k] = refused(out.cycles[k], reason)
    return [k for k, r in zip(at, why, strict=True) if not r], [x for x, r in zip(some, why, strict=True) if not r]


def _kept(
    out: MadeNodes, at: list[int], found: list[NodeExample], rows: list[LoopMeasures], why: Sequence[str]
) -> tuple[list[int], list[NodeExample], list[LoopMeasures]]:
    """What nothing speaks against, with what was measured of it."""
    rows = [row for row, reason in zip(rows, why, strict=True) if not reason]
    at, found = _drop(out, at, found, why)
    return at, found, rows


def _make_stand(out: MadeNodes, cuts: Mapping[Key, RecordingCut]) -> None:
    at, found = _candidates(out, "stand", cuts)
    if not found:
        return
    rows = [_row(0.0, 0.0, 0.0, e.quality) for e in found]
    for k, row in zip(at, rows, strict=True):
        out.cycles[k] = _measured(out.cycles[k], row, found[at.index(k)].quality)
    best = best_stand(rows, [e.loop.duration for e in found])
    at, found = _drop(
        out, at, found, ["" if k == best else "another stretch of standing is used" for k in range(len(at))]
    )
    out.nodes["stand"] = stand_node([found[0].loop])
    out.examples["stand"] = [replace(found[0], row=out.cycles[at[0]])]


def _make_gait(out: MadeNodes, label: str, cuts: Mapping[Key, RecordingCut], exact: bool) -> None:
    at, found = _candidates(out, label, cuts)
    at, found = _drop(out, at, found, usual_steps([e.loop for e in found]))
    if not found:
        return
    rows = [_of(e.loop, e.quality) for e in found]
    for k, row, example in zip(at, rows, found, strict=True):
        out.cycles[k] = _measured(out.cycles[k], row, example.quality)
    if not exact:
        at, found, rows = _kept(out, at, found, rows, odd_postures([e.loop for e in found]))
        at, found, rows = _kept(out, at, found, rows, drifts(rows))
        at, found, rows = _kept(out, at, found, rows, choose(rows))
    if not found:
        return
    found = [replace(e, row=out.cycles[k]) for k, e in zip(at, found, strict=True)]
    bent = _bent(out, label, found, rows, cuts, exact)
    loops = [e.loop for e in (*found, *bent)]
    both = [c for e in (*found, *bent) for c in ((e.loop, mirrored(e.loop)) if _both(e) else (e.loop,))]
    out.nodes[label] = gait_node(label, both)
    if not out.nodes[label].parameter_names:
        out.nodes[label] = gait_node(label, loops[:1])
    out.examples[label] = [*found, *bent]


def _bent(
    out: MadeNodes,
    label: str,
    found: list[NodeExample],
    rows: list[LoopMeasures],
    cuts: Mapping[Key, RecordingCut],
    exact: bool,
) -> list[NodeExample]:
    """Turned examples: those that are wanted, or those that the rows ask for."""
    if not exact:
        table = [(row.speed, row.turn) for row in rows]
        for of, turn in wanted_turns(table, [abs(complex(row.speed, row.side)) for row in rows]):
            base = found[of].row
            out.turned.append(TurnedRow(base.file, base.start_s, base.end_s, base.clip, True, "", label, turn))
    made = []
    for k, row in enumerate(out.turned):
        if row.label != label or not row.use:
            continue
        cut = cuts[(*row.key, True)]
        try:
            if cut.clip is None:
                raise FootfallError(cut.why)
            loop, quality = turned(cut.clip, row.turn, f"{row.name} turned {row.turn:g}")
            reason = usual_steps([found[0].loop, found[0].loop, loop])[-1]
        except FootfallError as error:
            reason = " ".join(str(error).split())
        if not reason:
            own = _of(loop, quality)
            reason = "" if exact else choose([own])[0]
            row = _measured(row, own, quality)
        out.turned[k] = refused(row, reason) if reason else row
        if not reason:
            made.append(NodeExample(row, loop, quality))
    return made


def _both(example: NodeExample) -> bool:
    return not isinstance(example.row, CycleRow) or example.row.mirrored


def _of(loop: Clip, quality: LoopQuality) -> LoopMeasures:
    speed, turn, side = measured(build([loop], "locomotion", "")).parameters[0].tolist()
    return _row(speed, turn, side, quality)


def _row(speed: float, turn: float, side: float, quality: LoopQuality) -> LoopMeasures:
    return LoopMeasures(speed, turn, side, quality.closing_deg, quality.closed_slide_cm_s, quality.excess_m_s2)


def _measured(row: Any, own: LoopMeasures, quality: LoopQuality) -> Any:
    """The row with what was measured on its loop, on the graph's body."""
    gait = {} if row.label == "stand" else {"speed": own.speed, "side": own.side}
    if isinstance(row, CycleRow) and gait:
        gait["turn"] = own.turn
    return replace(row, measured={**gait, **quality._asdict()})
