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
    uneven_floors,
    usual_steps,
)
from footfall.graph.build.recording_cuts import RecordingCut
from footfall.graph.build.turned_examples import turned, wanted_turns
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import ParametricMotion, build

ORDER = ("stand", "walk", "run", "back", "side")
Key = tuple[str, str, float, float, bool]
NOTHING = LoopMeasures(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # before it is measured


@dataclass(frozen=True, eq=False)
class NodeExample:
    """An example of a node: where it comes from, the loop, how well it closes, and what is measured of it."""

    at: int  # the number of its row
    row: CycleRow | TurnedRow
    loop: Clip
    quality: LoopQuality
    own: LoopMeasures = NOTHING


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


def _candidates(out: MadeNodes, label: str, cuts: Mapping[Key, RecordingCut]) -> list[NodeExample]:
    """Rows of a label that are used and could be cut; the others are told why not."""
    found = []
    for k, row in enumerate(out.cycles):
        if row.label != label or not row.use:
            continue
        cut = cuts[(*row.key, True)]
        if cut.clip is None or cut.quality is None:
            out.cycles[k] = refused(row, cut.why)
        else:
            found.append(NodeExample(k, row, cut.clip, cut.quality))
    return found


def _kept(out: MadeNodes, found: Sequence[NodeExample], why: Sequence[str]) -> list[NodeExample]:
    """What nothing speaks against; rows of the others say why."""
    for example, reason in zip(found, why, strict=True):
        if reason:
            out.cycles[example.at] = refused(example.row, reason)
    return [example for example, reason in zip(found, why, strict=True) if not reason]


def _measured(out: MadeNodes, found: Sequence[NodeExample]) -> list[NodeExample]:
    """The examples with what was measured on their loops, which their rows tell."""
    told = []
    for example in found:
        own = _measures(example.row.label, example.loop, example.quality)
        out.cycles[example.at] = row = _telling(example.row, own, example.quality)
        told.append(replace(example, row=row, own=own))
    return told


def _make_stand(out: MadeNodes, cuts: Mapping[Key, RecordingCut]) -> None:
    found = _measured(out, _candidates(out, "stand", cuts))
    if not found:
        return
    best = best_stand([e.own for e in found], [e.loop.duration for e in found])
    why = ["" if k == best else "another stretch of standing is used" for k in range(len(found))]
    out.examples["stand"] = _kept(out, found, why)
    out.nodes["stand"] = build([found[best].loop], "stand", "stand", "ends")


def _make_gait(out: MadeNodes, label: str, cuts: Mapping[Key, RecordingCut], exact: bool) -> None:
    found = _candidates(out, label, cuts)
    found = _measured(out, _kept(out, found, usual_steps([e.loop for e in found])))
    if not exact:
        found = _kept(out, found, odd_postures([e.loop for e in found]))
        found = _kept(out, found, uneven_floors([e.loop for e in found]))
        found = _kept(out, found, drifts([e.own for e in found]))
        found = _kept(out, found, choose([e.own for e in found]))
    if not found:
        return
    every = [*found, *_bent(out, label, found, cuts, exact)]
    both = [c for e in every for c in ((e.loop, mirrored(e.loop)) if _both(e) else (e.loop,))]
    out.nodes[label] = gait_node(label, both)
    if not out.nodes[label].parameter_names:
        out.nodes[label] = gait_node(label, [every[0].loop])
    out.examples[label] = every


def _bent(
    out: MadeNodes, label: str, found: Sequence[NodeExample], cuts: Mapping[Key, RecordingCut], exact: bool
) -> list[NodeExample]:
    """Turned examples: those that are wanted, or those that the rows ask for."""
    if not exact:
        table = [(e.own.speed, e.own.turn) for e in found]
        for of, turn in wanted_turns(table, [abs(complex(e.own.speed, e.own.side)) for e in found]):
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
            own = _measures(label, loop, quality)
            reason = "" if exact else choose([own])[0]
            row = _telling(row, own, quality)
        out.turned[k] = refused(row, reason) if reason else row
        if not reason:
            made.append(NodeExample(k, row, loop, quality, own))
    return made


def _both(example: NodeExample) -> bool:
    return not isinstance(example.row, CycleRow) or example.row.mirrored


def _measures(label: str, loop: Clip, quality: LoopQuality) -> LoopMeasures:
    gait = (0.0, 0.0, 0.0)
    if label != "stand":
        gait = measured(build([loop], "locomotion", "")).parameters[0].tolist()
    return LoopMeasures(*gait, quality.closing_deg, quality.closed_slide_cm_s, quality.excess_m_s2)


def _telling(row: Any, own: LoopMeasures, quality: LoopQuality) -> Any:
    """The row with what was measured on its loop, on the graph's body."""
    gait = {} if row.label == "stand" else {"speed": own.speed, "side": own.side}
    if isinstance(row, CycleRow) and gait:
        gait["turn"] = own.turn
    return replace(row, measured={**gait, **quality._asdict()})
