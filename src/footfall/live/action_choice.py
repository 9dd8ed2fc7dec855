"""Which form of an action a character does: as it is done out of its gait, and with the side that was asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping

from footfall.live.playable_graph import PlayableGraph
from footfall.live.rows import LEAVING, NODE, CharacterRows


def form_of(playable: PlayableGraph, rows: CharacterRows, n: int, k: int) -> int:
    """Action k as it is done out of the gait that a character is in, or has all but come to."""
    if rows.phase[n] in (NODE, LEAVING):
        return playable.forms.get((int(rows.node[n]), k), k)
    form = playable.forms.get((int(playable.edges.after[rows.edge[n]]), k), k)
    slowest = playable.nodes[form].coverage.low
    return form if form == k or rows.velocity[n, 0] >= slowest[0] else k


def sides_of(playable: PlayableGraph, k: int, said: Mapping[str, float]) -> tuple[int, ...]:
    """Action k and its twin, which does it with the other side; one of both where it is nearer to what was said."""
    twin = playable.passages.twins.get(k)
    if twin is None:
        return (k,)

    def off(one: int) -> float:
        node = playable.nodes[one]
        names, usual = node.motion.parameter_names, [value for _, _, value in node.usual]
        wanted = [said.get(name, value) for name, value in zip(names, usual, strict=True)]
        return math.dist(node.coverage.nearest(wanted)[0], wanted)

    far = (off(k), off(twin)) if said else (0.0, 0.0)
    return (k, twin) if abs(far[0] - far[1]) <= 1e-6 else (k if far[0] < far[1] else twin,)
