"""Actions asked for at once: whether they are done whole, from any moment of any type.

How large an action is: of a kick the height of its foot, of a jump the height of its pelvis, of others how far a hand
gets from the pelvis. It is compared with the action by itself, at the mean of its examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.parametric import play
from footfall_lab.bench._measure import Row
from footfall_lab.studies.live_urgent import DT, SETTLE_S, speed_in

AFTER_S = 4.5  # seconds that are looked at
WHOLE, OFTEN = 0.95, 0.95  # of the action's own size; of the requests


class Shown(NamedTuple):
    """One action asked for at once."""

    before: str
    action: str
    share: float  # of its own size


def size_of(clip: Clip, action: str) -> float:
    """Metres that tell how large an action is."""
    roles, at = clip.skeleton.roles, clip.positions
    if action == "jump":
        return float(at[:, roles.pelvis, 1].max())
    both = (roles.left_ankle, roles.right_ankle) if action == "kick" else (roles.left_wrist, roles.right_wrist)
    paths = at[:, [j for j in both if j is not None]]
    if action == "kick":
        return float(paths[..., 1].max())
    return float(np.linalg.norm(paths - at[:, None, roles.pelvis], axis=-1).max())


def own_size(graph: Graph, form: str, action: str) -> float:
    """Metres of an action by itself, in the form that is done out of a gait."""
    motion = graph.nodes[form].motion
    weights = np.full(len(motion), 1.0 / len(motion))
    times = np.arange(0.0, play.duration(motion, weights), DT)
    return size_of(Clip(graph.skeleton, 1.0 / DT, play.play(motion, weights, times).pose), action)


def shown(graph: Graph, count: int, seed: int) -> list[Shown]:
    """So many requests, all pairs of types and actions that have hands, feet or flight to be seen, in turn."""
    rng = np.random.default_rng(seed)
    actions = [name for name in ("kick", "punch", "jump", "wave", "reach") if name in graph.actions]
    pairs = [(a, b) for a in graph.types for b in actions]
    sizes = [own_size(graph, graph.forms.get(pair, pair[1]), pair[1]) for pair in pairs]
    turns = [k % len(pairs) for k in range(count if pairs else 0)]
    return [_shown(graph, *pairs[k], sizes[k], rng) for k in turns]


def _shown(graph: Graph, before: str, action: str, size: float, rng: np.random.Generator) -> Shown:
    hero = Controller(graph, before)
    hero.ask(speed=speed_in(graph, before, rng), turn=float(rng.uniform(-30.0, 30.0)))
    for _ in range(round(rng.uniform(*SETTLE_S) / DT)):
        hero.step(DT)
    hero.act(action, urgent=True)
    poses = [hero.step(DT) for _ in range(round(AFTER_S / DT))]
    clip = Clip(graph.skeleton, 1.0 / DT, Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses])))
    return Shown(before, action, size_of(clip, action) / size)


def rows(name: str, found: Sequence[Shown]) -> list[Row]:
    """What the requests came to."""
    if not found:
        return []
    shares = np.array([s.share for s in found])
    often, least = float((shares >= WHOLE).mean()), found[int(shares.argmin())]
    return [
        Row(f"{name}: actions asked for at once and done whole ({WHOLE:g} of their own size), of {len(found)}; least",
            f"{100 * often:.0f} %; {least.share:.2f}, {least.action} from {least.before}", ">= 95 %", often >= OFTEN)
    ]  # fmt: skip
