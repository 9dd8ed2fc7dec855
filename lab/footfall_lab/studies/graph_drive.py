"""Built graphs driven at random: how hard joints are thrown and how feet slide, against the recorded examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import runs
from footfall.analysis.floor import foot_points
from footfall.core.clip import Clip, Event
from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.build_file import BuildFile
from footfall.graph.build.closed_loops import flags
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.live.drive import Command, by_commands, drive
from footfall.parametric import play
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.quality.joins import CLEAN, QUANTILE, accelerations, measured_joints
from footfall.quality.slide import LANDING, slide
from footfall_lab.bench._measure import Row

MEAN_S = 1.5  # between requests
BEYOND = 0.2  # of what a node covers: requests go this far outside
LEAST_CLEAN = 0.98
SLIDE_CM_S, SLIDE_RATIO = 2.0, 1.2


class Driven(NamedTuple):
    """One random drive."""

    excess: np.ndarray  # (T - 2,) worst joint, m/s²
    slide_cm_s: float  # with contacts found in the motion, as every stream is judged
    own_slide_cm_s: float  # with those the character itself means to keep
    tip_slide_cm_s: float  # the same, where a foot that rolls over its tip does not count as sliding
    finite: bool
    where: tuple[str, ...]  # (T - 2,) node or edge


def random_commands(graph: Graph, seed: int, seconds: float) -> list[Command]:
    """Types uniform, parameters uniform over the box of a node enlarged by a fifth, at exponential times."""
    rng = np.random.default_rng(seed)
    found, t = [], 0.0
    while t < seconds:
        name = graph.types[rng.integers(len(graph.types))]
        node = graph.nodes[name]
        low, high = node.coverage.low, node.coverage.high
        values = low - BEYOND * (high - low) + (1.0 + 2.0 * BEYOND) * (high - low) * rng.random(len(low))
        asked = dict(zip(node.motion.parameter_names, values.tolist(), strict=True))
        found.append(Command(t, name, *(asked.get(n, 0.0) for n in ("speed", "turn", "side"))))
        t += float(rng.exponential(MEAN_S))
    return found


def recorded_examples(graph: Graph, build: BuildFile, fps: float) -> dict[str, list[Clip]]:
    """The recorded loops of every node, two rounds each, with their contacts; what was made is left out."""
    names = {label: {r.name for r in build.cycles if r.use and r.label == label} for label in graph.types}
    return {label: list(_played(graph.nodes[label].motion, names[label], fps)) for label in graph.types}


def _played(motion: ParametricMotion, names: set[str], fps: float) -> Iterable[Clip]:
    for k, name in enumerate(motion.examples):
        if name.removesuffix(" mirrored") not in names and len(motion) > 1:
            continue
        weights = np.eye(len(motion))[k]
        seconds = 2.0 * float(motion.key_times[k, -1])
        times = np.arange(max(int(seconds * fps), 3)) / fps
        spans = play.contact_spans(motion, weights, float(times[-1]))
        events = tuple(Event(part, a, b) for part, some in spans.items() for a, b in some)
        yield Clip(motion.skeleton, fps, play.play(motion, weights, times).pose, name=name, events=events)


def usual_throws(examples: Iterable[Clip]) -> np.ndarray:
    """(J,) acceleration that each joint of the examples rarely passes."""
    return np.quantile(np.concatenate([accelerations(clip) for clip in examples]), QUANTILE, axis=0)


def drive_once(graph: Graph, seed: int, seconds: float, fps: float, usual: np.ndarray) -> Driven:
    """A character driven at random, measured."""
    steer = by_commands(random_commands(graph, seed, seconds))
    made = drive(graph, steer, seconds, fps, Controller(graph))
    clip = made.clip
    excess = (accelerations(clip) - usual)[:, measured_joints(clip)].max(axis=1)
    sliding = slide(clip).mean_cm_s, slide(clip, flags(clip, known_contacts(clip))).mean_cm_s, tip_slide(clip)
    where = tuple(s.edge or s.node for s in made.states[1:-1])
    return Driven(np.maximum(excess, 0.0), *sliding, bool(np.isfinite(clip.positions).all()), where)


def tip_slide(clip: Clip) -> float:
    """cm/s of the slowest of heel, ball and tip in the middle of each contact that the clip's events tell.

    `quality.slide` looks at heel and ball, so the ball of a foot that rolls off over a tip that stays counts there.
    """
    contacts, sole = flags(clip, known_contacts(clip)), foot_points(clip).sole  # sole (T, 2, 3, 3)
    found = []
    for foot, side in enumerate(("left", "right")):
        speed = np.linalg.norm(np.diff(sole[:, foot], axis=0)[..., [0, 2]], axis=-1).min(axis=1) * clip.fps * 100.0
        down = getattr(contacts, side)
        for start, stop in runs(np.asarray(down[1:] & down[:-1])):
            edge = round(LANDING * (stop - start))
            found.append(speed[start + edge : stop - edge])
    every = np.concatenate([np.zeros(0), *found])
    return float(every.mean()) if len(every) else 0.0


def drive_rows(
    name: str, graph: Graph, build: BuildFile, fps: float, seeds: Sequence[int], seconds: float
) -> list[Row]:
    """Random drives against their limits."""
    examples = recorded_examples(graph, build, fps)
    every = [clip for some in examples.values() for clip in some]
    usual = usual_throws(every)
    drives = [drive_once(graph, seed, seconds, fps, usual) for seed in seeds]
    excess = np.concatenate([d.excess for d in drives])
    clean = float((excess <= CLEAN).mean())
    minutes = len(excess) / fps / 60.0
    return [
        Row(f"{name}: {minutes:.1f} minutes at random, {fps:g} fps, all poses finite",
            str(all(d.finite for d in drives)), "True", all(d.finite for d in drives)),
        Row(f"{name}: frames with excess acceleration up to {CLEAN:g} m/s²", f"{100 * clean:.2f} %",
            f">= {100 * LEAST_CLEAN:g} %", clean >= LEAST_CLEAN),
        Row(f"{name}: worst excess acceleration, and where", _worst(drives), "told"),
        _slide_row(f"{name}: slide, worst drive, contacts found", [d.slide_cm_s for d in drives],
                   [slide(clip).mean_cm_s for clip in every]),
        _slide_row(f"{name}: slide, worst drive, contacts the character means", [d.own_slide_cm_s for d in drives],
                   [slide(clip, flags(clip, known_contacts(clip))).mean_cm_s for clip in every]),
        Row(f"{name}: the same, slowest of heel, ball and tip",
            f"{max(d.tip_slide_cm_s for d in drives):.2f} cm/s", "told"),
    ]  # fmt: skip


def _slide_row(what: str, ours: Sequence[float], examples: Sequence[float]) -> Row:
    """The worst drive against 1.2 times the examples' mean, or 2 cm/s."""
    own, most = float(np.mean(examples)), max(ours)
    limit = max(SLIDE_RATIO * own, SLIDE_CM_S)
    value = f"{most:.2f} cm/s (mean of drives {np.mean(ours):.2f}, examples {own:.2f})"
    return Row(what, value, f"<= {limit:.2g} cm/s", most <= limit)


def _worst(drives: Sequence[Driven]) -> str:
    """The worst of every node and edge, worst first."""
    most: dict[str, float] = {}
    for d in drives:
        for where, value in zip(d.where, d.excess.tolist(), strict=True):
            most[where] = max(most.get(where, 0.0), value)
    ordered = sorted(most.items(), key=lambda x: -x[1])
    return ", ".join(f"{where} {value:.0f}" for where, value in ordered[:4]) + " m/s²"
