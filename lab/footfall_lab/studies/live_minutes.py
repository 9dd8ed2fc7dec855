"""Random minutes: a character driven by random requests, and what a viewer would object to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.closed_loops import flags
from footfall.graph.graph import Graph
from footfall.live.drive import DriveResult, by_commands, drive
from footfall.quality.body_signals import body_signals
from footfall.quality.joins import CLEAN, accelerations, measured_joints
from footfall.quality.momentum import change, inside, push
from footfall.quality.slide import slide
from footfall_lab.bench._measure import Row
from footfall_lab.studies.graph_drive import random_commands
from footfall_lab.studies.live_urgent import example_clips

PUSH, CHANGE, MORE = 10.0, 4.0, 1.3  # m/s², m/s², times the examples': the limits of docs/believable.md
KEPT = 0.995  # of the frames
MET, REACHED = 0.1, 0.95  # of what was asked for; of the requests
SETTLED_S = 2.5  # after a request it should be met
SLIDE_CM_S, WORST = 2.0, 120.0
LEAST_CLEAN = 0.99


class Minute(NamedTuple):
    """One drive."""

    push: np.ndarray  # (T,) m/s²
    change: np.ndarray  # (T,) m/s²
    excess: np.ndarray  # (T,) m/s²
    found_slide: float  # cm/s, by contacts found in the motion
    own_slide: float  # cm/s, by those the character means
    asked: int  # requests within what the node covers that were given time
    met: int


def limits(graph: Graph) -> tuple[float, float]:
    """The largest push and change of velocity that a viewer believes of this graph, by its examples."""
    found = []
    for clip in example_clips(graph, rounds=3.0):
        signals = body_signals(clip)
        found.append((float(inside(push(signals), clip.fps).max()), float(inside(change(signals), clip.fps).max())))
    pushes, changes = np.array(found).T
    return max(PUSH, MORE * float(pushes.max())), max(CHANGE, MORE * float(np.quantile(changes, 0.95)))


def minute(graph: Graph, seed: int, seconds: float, usual: np.ndarray, fps: float = 60.0) -> Minute:
    """A character driven by random commands for so long."""
    commands = random_commands(graph, seed, seconds)
    driven = drive(graph, by_commands(commands), seconds, fps)
    clip = driven.clip
    signals = body_signals(clip)
    excess = (accelerations(clip) - usual)[:, measured_joints(clip)].max(axis=1)
    own = slide(clip, flags(clip, known_contacts(clip))).mean_cm_s
    asked, met = _requests(graph, driven, [c.t_s for c in commands])
    return Minute(inside(push(signals), fps), inside(change(signals), fps), np.maximum(excess, 0.0),
                  slide(clip).mean_cm_s, own, asked, met)  # fmt: skip


def _requests(graph: Graph, driven: DriveResult, times: Sequence[float]) -> tuple[int, int]:
    """Requests that had SETTLED_S before the next and lie within what their node covers; how many were met."""
    states = driven.states
    when = np.array([s.time_s for s in states])
    asked = met = 0
    for start, end in zip(times, [*times[1:], when[-1]], strict=True):
        if end - start < SETTLED_S or end > when[-1]:
            continue
        k = int(np.searchsorted(when, end - 1e-6)) - 1
        span = [s for s in states[max(k - 30, 0) : k + 1] if s.time_s > start]
        last = span[-1]
        if last.clamped or "speed" not in last.aimed:
            continue
        asked += 1
        speed = float(np.mean([s.achieved["speed"] for s in span]))
        met += not last.edge and abs(speed - last.aimed["speed"]) <= MET * max(abs(last.aimed["speed"]), 0.5)
    return asked, met


def rows(name: str, graph: Graph, found: Sequence[Minute]) -> list[Row]:
    """What the minutes came to."""
    most_push, most_change = limits(graph)
    pushes, changes = (np.concatenate([getattr(m, key) for m in found]) for key in ("push", "change"))
    excess = np.concatenate([m.excess for m in found])
    kept = float((pushes <= most_push).mean()), float((changes <= most_change).mean())
    clean = float((excess <= CLEAN).mean())
    slides = float(np.mean([m.found_slide for m in found])), float(np.mean([m.own_slide for m in found]))
    asked, met = sum(m.asked for m in found), sum(m.met for m in found)
    return [
        Row(f"{name}: frames whose push is believed (<= {most_push:.1f} m/s²)",
            f"{100 * kept[0]:.2f} %, worst {pushes.max():.1f}",
            ">= 99.5 %", kept[0] >= KEPT),
        Row(f"{name}: frames whose change of velocity over 0.4 s is (<= {most_change:.1f} m/s²)",
            f"{100 * kept[1]:.2f} %, worst {changes.max():.1f}", ">= 99.5 %", kept[1] >= KEPT),
        Row(f"{name}: slide by contacts found, by those meant", f"{slides[0]:.1f}, {slides[1]:.1f} cm/s",
            "<= 2 cm/s", max(slides) <= SLIDE_CM_S),
        Row(f"{name}: requests met within 10 % of {asked}", f"{100 * met / max(asked, 1):.0f} %", ">= 95 %",
            met >= REACHED * asked),
        Row(f"{name}: clean frames, worst excess acceleration", f"{100 * clean:.2f} %, {excess.max():.0f} m/s²",
            ">= 99 %, <= 120", clean >= LEAST_CLEAN and excess.max() <= WORST),
    ]  # fmt: skip
