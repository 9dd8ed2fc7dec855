"""Actions asked for while a character goes: how soon their apex comes, and whether the body stands still before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.parametric import play
from footfall.quality.body_signals import body_signals
from footfall.quality.joins import accelerations, measured_joints
from footfall.quality.momentum import change, push
from footfall_lab.bench._measure import Row

DT = 1.0 / 60.0
ACTIONS = ("kick", "punch", "jump")
AFTER_S = 4.0  # that is looked at
SETTLE_S = (0.8, 2.2)  # before the press, at random
SPEEDS = (0.7, 1.7)  # m/s of walks
LATE_S, OFTEN = 0.6, 0.9  # the apex comes at most so much later than the action's own, in so many presses
STOPPED = "after a stop"
STILL_M_S, STILL_S = 0.1, 0.25  # a pelvis that is slower for longer has stopped


class Pressed(NamedTuple):
    """One action asked for in a walk."""

    action: str
    way: str
    late_s: float  # of the apex, after the action's own time to it
    still_s: float  # the longest time in which the pelvis was all but still, from the press to the next step after it
    deep_cm: float
    excess: float
    push: float
    change: float


def apex_of(clip: Clip, action: str) -> float:
    """Seconds to the apex of an action: the highest foot, the highest pelvis, the hand that is farthest out."""
    roles, at = clip.skeleton.roles, clip.positions
    if action == "jump":
        return float(at[:, roles.pelvis, 1].argmax()) * DT
    both = (roles.left_ankle, roles.right_ankle) if action == "kick" else (roles.left_wrist, roles.right_wrist)
    joints = [j for j in both if j is not None]
    if action == "kick":
        return float(at[:, joints, 1].max(axis=1).argmax()) * DT
    hands = at[:, joints] - at[:, None, roles.pelvis]
    return float(np.linalg.norm(hands[..., [0, 2]], axis=-1).max(axis=1).argmax()) * DT


def own_apex(graph: Graph, action: str) -> float:
    """Seconds from an action's start to its apex, at the mean of its examples."""
    motion = graph.nodes[action].motion
    weights = np.full(len(motion), 1.0 / len(motion))
    times = np.arange(0.0, play.duration(motion, weights), DT)
    return apex_of(Clip(graph.skeleton, 1.0 / DT, play.play(motion, weights, times).pose), action)


def pressed(graph: Graph, action: str, rng: np.random.Generator, usual: np.ndarray) -> Pressed:
    """A walk at random, and an action asked for at a random moment of it."""
    hero = Controller(graph, "walk")
    hero.ask(speed=float(rng.uniform(*SPEEDS)), turn=float(rng.uniform(-30.0, 30.0)))
    for _ in range(round(rng.uniform(*SETTLE_S) / DT)):
        hero.step(DT)
    hero.act(action)
    poses, deep = [], []
    for _ in range(round(AFTER_S / DT)):
        poses.append(hero.step(DT))
        deep.append(-100.0 * float(hero.soles[1].min()))
    clip = Clip(graph.skeleton, 1.0 / DT, Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses])))
    excess = (accelerations(clip) - usual)[:, measured_joints(clip)].max()
    way = next((c.way for c in hero.changes if c.after == action), "never")
    signals = body_signals(clip)
    return Pressed(action, way, apex_of(clip, action) - own_apex(graph, action), still(clip), max(deep), float(excess),
                   float(push(signals).max()), float(change(signals).max()))  # fmt: skip


def still(clip: Clip) -> float:
    """The longest time, seconds, in which the pelvis is all but still."""
    speed = np.linalg.norm(np.diff(clip.positions[:, clip.skeleton.roles.pelvis][:, [0, 2]], axis=0), axis=1) / DT
    longest = now = 0
    for slow in speed < STILL_M_S:
        now = now + 1 if slow else 0
        longest = max(longest, now)
    return longest * DT


def presses(graph: Graph, count: int, seed: int, usual: np.ndarray) -> list[Pressed]:
    """So many presses, actions in turn."""
    rng = np.random.default_rng(seed)
    known = [name for name in ACTIONS if name in graph.actions]
    return [pressed(graph, known[k % len(known)], rng, usual) for k in range(count if known else 0)]


def rows(name: str, found: Sequence[Pressed]) -> list[Row]:
    """What the presses came to."""
    told = []
    for action in dict.fromkeys(p.action for p in found):
        own = [p for p in found if p.action == action]
        late = np.array([p.late_s for p in own])
        often, stops = float((late <= LATE_S).mean()), sum(p.still_s > STILL_S or p.way == STOPPED for p in own)
        ways = {way: sum(p.way == way for p in own) for way in dict.fromkeys(p.way for p in own)}
        told += [
            Row(f"{name}: {action} from a walk: apex at most {LATE_S} s later than its own, median, worst",
                f"{100 * often:.0f} % of {len(own)}, {np.median(late):+.2f} s, {late.max():+.2f} s",
                ">= 90 %", often >= OFTEN),
            Row(f"{name}: {action} from a walk: full stops; how", f"{stops}; {_words(ways)}", "0", stops == 0),
            Row(f"{name}: {action} from a walk: deepest, excess acceleration (worst, 95 %), push and change (95 %)",
                f"{max(p.deep_cm for p in own):.1f} cm, {max(p.excess for p in own):.0f}, "
                f"{np.quantile([p.excess for p in own], .95):.0f} m/s², {np.quantile([p.push for p in own], .95):.1f}, "
                f"{np.quantile([p.change for p in own], .95):.1f} m/s²", "told"),
        ]  # fmt: skip
    return told


def _words(ways: dict[str, int]) -> str:
    return ", ".join(f"{count} {way}" for way, count in ways.items())
