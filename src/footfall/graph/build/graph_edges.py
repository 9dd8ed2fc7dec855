"""Edges of a built graph: recorded changes where they work well, made ones elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.graph.build.found_edges import BuiltEdge, ChangeTake, edge_of
from footfall.graph.build.made_changes import made_changes
from footfall.graph.build.tried_edges import MOST_DIP_CM, EdgeQuality, try_edge
from footfall.graph.edges import Edge
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.retarget.character import Character
from footfall.weights.examples import WeightsWarning

GAITS = ("stand", "walk", "run")  # each of them can be entered from each other
GOOD = EdgeQuality(0.04, 120.0, 2.5, MOST_DIP_CM)  # a recorded change that keeps these comes before a made one; by eye
FADE_S = 0.5  # in which a change that has to be made on the fly is over, about
SLOW = 1.15  # times as long as a made change: a recorded one that takes longer was done at leisure; by eye
LATE_CM_S = 2.0  # cm/s of slide that a second counts for, where one change is taken before another; by eye. With 0.5
# one take of 2.3 s was now and then taken for all starts of a run, whose feet slid a tenth of a cm/s less
Pair = tuple[str, str]


class ChosenEdge(NamedTuple):
    """An edge, what it is made of and how it goes."""

    ways: tuple[Edge, ...]
    way: str  # recorded, recorded and made, made, on the fly
    examples: tuple[str, ...]
    quality: EdgeQuality
    used: tuple[int, ...]  # recorded takes in it
    refused: Mapping[int, str]  # and why the others are not


def pairs_of(labels: Sequence[str]) -> list[Pair]:
    """Edges that a graph of these nodes has: among stand, walk and run all; of others, from and to standing."""
    found = [(a, b) for a in labels for b in labels if a != b and a in GAITS and b in GAITS]
    others = [label for label in labels if label not in GAITS]
    home = "stand" if "stand" in labels else next((label for label in labels if label in GAITS), None)
    for label in others:
        if home is not None:
            found += [(home, label), (label, home)]
    if home is None:
        found += [(a, b) for a in others for b in others if a != b]
    return found


def graph_edges(
    nodes: Mapping[str, ParametricMotion],
    takes: Mapping[Pair, Sequence[ChangeTake]],
    usual: Mapping[str, np.ndarray],
    body: Character,
    fps: float,
    follow: Callable[[Sequence[Pair]], Iterable[Pair]] = iter,
) -> dict[Pair, ChosenEdge]:
    """The edges between nodes. usual: what the joints of each node's recorded loops accelerate by."""
    found = {}
    for pair in follow(pairs_of(list(nodes))):
        before, after = nodes[pair[0]], nodes[pair[1]]
        accelerations = np.maximum(usual[pair[0]], usual[pair[1]])
        made: list[ChangeTake] = [(clip, clip.parameters) for clip in made_changes(before, after, body, fps)]
        found[pair] = choose_edge(before, after, list(takes.get(pair, ())), made, accelerations, fps)
    return found


def choose_edge(
    before: ParametricMotion,
    after: ParametricMotion,
    recorded: list[ChangeTake],
    made: list[ChangeTake],
    usual: np.ndarray,
    fps: float,
) -> ChosenEdge:
    """Recorded changes, filled up with made ones whose steps agree, where they go well and are no slower; else made
    ones, if those go better or come sooner. Where all of them sink into a lunge, the change is made on the fly, if that
    sinks less."""
    count = len(recorded)
    options: list[tuple[BuiltEdge, EdgeQuality, int]] = []
    refused: dict[int, str] = {}
    if recorded:
        both = edge_of(before, after, [*recorded, *made], lead=count)
        if both.used:
            options.append((both, try_edge(before, after, both.ways, usual, fps), count))
        refused = {k: why for k, why in both.refused.items() if k < count}
    with warnings.catch_warnings():  # corners of nodes that share a speed are merged, as they should be
        warnings.simplefilter("ignore", WeightsWarning)
        only = edge_of(before, after, made)
    at_leisure = only.ways[0].motion is not None and options and _seconds(options[0][0]) > SLOW * _seconds(only)
    if not options or not _good(options[0][1]) or at_leisure:
        options.append((only, try_edge(before, after, only.ways, usual, fps), 0))
    if all(quality.dip_cm > MOST_DIP_CM for _, quality, _ in options):
        none = edge_of(before, after, [])
        options.append((none, try_edge(before, after, none.ways, usual, fps), 0))
    best = min(range(len(options)), key=lambda k: (options[k][1].cost + LATE_CM_S * _seconds(options[k][0]), k))
    chosen, quality, own = options[best]
    takes = [*recorded, *made] if own else made
    used = tuple(k for k in chosen.used if k < own)
    for k in range(count):
        if k not in used and k not in refused:
            refused[k] = _worse(options[0][1] if options[0][2] else None)
    names = tuple(takes[k][0].name for k in chosen.used)
    is_made = any(k >= own for k in chosen.used)
    way = "on the fly" if not names else "made" if not used else "recorded and made" if is_made else "recorded"
    return ChosenEdge(chosen.ways, way, names, quality, used, refused)


def _seconds(edge: BuiltEdge) -> float:
    """How long an edge takes, a mean of its examples."""
    motion = edge.ways[0].motion
    return FADE_S if motion is None else float(motion.key_times[:, -1].mean())


def _good(quality: EdgeQuality) -> bool:
    return all(a <= b for a, b in zip(quality, GOOD, strict=True))


def _worse(quality: EdgeQuality | None) -> str:
    if quality is None:
        return "its steps are not those of the gaits it joins"
    return (
        "a made change goes better or sooner: this one throws a joint by "
        f"{quality.worst_m_s2:.0f} m/s² more than examples do, its feet slide at {quality.slide_cm_s:.1f} cm/s, "
        f"its pelvis sinks {quality.dip_cm:.0f} cm"
    )
