"""Random timelines: clips thrown onto a track in every awkward way, and what came out, measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.core.report import Segment
    from footfall.timeline.arrangement import Arrangement
    from footfall.timeline.synthesis import SynthesizedTrack

FPS = 60.0
BUILT_IN = (
    "walk:cycles=2", "walk:speed=0.7,turn=25,cycles=2", "walk:speed=1.8,cycles=2", "run:cycles=3", "walk-back:cycles=2",
    "run:speed=4.5,turn=-20,cycles=2", "walk-side:cycles=2", "jump", "kick", "punch", "reach", "running-kick", "stand",
    "wave", "bow", "skip", "turn-in-place", "start", "stop", "run-to-walk", "walk-to-run",
)  # fmt: skip
TAKES = (
    "walk_straight/02_01", "walk_straight/07_04", "walk_straight/35_01", "walk_turn/16_17", "walk_turn/16_11",
    "run_straight/09_01", "run_straight/35_17", "run_turn/127_11", "jump/13_39", "jump/16_03", "kick/143_24",
    "punch/143_23", "stand_idle/111_28", "wave_gesture/113_27", "walk_backward/113_01", "transition/143_02",
)  # fmt: skip
LONGEST_S = 4.0  # of a clip that is drawn: longer takes are cut to a random part of this length
REACH_S = 0.6  # after a join: what still belongs to it
STILL = 0.05  # of the sources' mean joint speed: slower is frozen
JUMP = 2.0  # times the fastest that a joint of any source moves, and 3 m/s more: faster is a jump


@dataclass(frozen=True)
class JudgedJoin:
    """One join of a take, measured from its begin to 0.6 s after its end."""

    kind: str
    clips: tuple[str, ...]
    phases: tuple[str, str] | None
    asap: bool
    length_s: float
    hold_s: float
    skate_ratio: float
    skate_of_sources: float  # the same ratio of the clips alone, played as they are at those times
    excess_m_s2: float
    excess_joint: str
    sunk_cm: float  # under the floor of the result, where it is worst against
    sunk_allowed_cm: float  # 1 cm, or what a clip that is played there sinks under that same floor
    reason: str


@dataclass(frozen=True)
class Judged:
    """One timeline."""

    name: str
    finite: bool
    whole: bool  # no joint jumps
    frozen_s: float  # seconds that move less than a twentieth of their sources, and say nothing of a hold
    joins: tuple[JudgedJoin, ...] = field(default=())


def built_in_pool() -> list[Clip]:
    """The built-in motions that timelines are drawn from."""
    from footfall.motions.library import open_clip

    return [open_clip(name).resample(FPS) for name in BUILT_IN]


def captured_pool(folder: Path, progress: Callable[[str], None] = lambda text: None) -> list[Clip]:
    """Captured takes on one body."""
    from footfall.io.load import load
    from footfall.retarget.retarget import retarget

    clips = []
    for path in (folder / "cmu_bvh" / f"{take}.bvh" for take in TAKES):
        if path.is_file():
            progress(f"{path.parent.name} {path.stem} onto one body")
            clip = load(path)
            clips.append(replace(retarget(clip.trim(1.0 / clip.fps).resample(FPS), "adult"), name=_label(path)))
    return clips


def _label(path: Path) -> str:
    return f"{path.parent.name}_{path.stem}"


def draw(pool: Sequence[Clip], seed: int) -> Timeline:
    """A random track of two to five clips: gaps, overlaps, covers, tiny clips, flights, mirrored, sped and trimmed."""
    rng = np.random.default_rng([2008, seed])
    entries: list[TimelineClip] = []
    end = 0.0  # about where the last one ends, for starts that lie awkwardly to it
    for _ in range(int(rng.integers(2, 6))):
        source = pool[int(rng.integers(len(pool)))]
        trim = _trim(rng, source)
        speed = float(rng.choice([1.0, 1.0, 1.0, 0.8, 1.25]))
        length = (trim[1] - trim[0] if trim else source.duration) / speed
        start: float | str = "asap"
        if entries and rng.random() < 0.4:
            start = round(max(0.0, end + float(rng.choice([rng.uniform(0.0, 0.6), -rng.uniform(0.1, 1.2)]))), 3)
        mirror = bool(rng.random() < 0.3)
        entries.append(TimelineClip(source, start, trim, speed, mirror))  # type: ignore[arg-type]
        end = (start if isinstance(start, float) else end) + length
    return Timeline((TimelineTrack(tuple(entries)),), fps=FPS)


def _trim(rng: np.random.Generator, source: Clip) -> tuple[float, float] | None:
    """None, a random half or more, five frames, or the middle of a flight."""
    how = rng.random()
    whole = source.duration
    if how < 0.06:
        start = float(rng.uniform(0.0, max(0.0, whole - 5.0 / FPS)))
        return round(start, 3), round(start + 4.0 / FPS, 3) + 1e-6
    if how < 0.12:
        flight = _flight(source)
        if flight is not None:
            return flight
    if how < 0.4 or whole > LONGEST_S:
        length = min(LONGEST_S, float(rng.uniform(0.5, 1.0)) * whole)
        start = float(rng.uniform(0.0, whole - length))
        return round(start, 3), round(start + length, 3)
    return None


def _flight(source: Clip) -> tuple[float, float] | None:
    """Part of a phase without contact."""
    from footfall.timeline.arranged_clip import phases_of

    phases = [p for p in phases_of(source) if p.label == "NS" and p.end_s - p.start_s > 0.15]
    return (round(phases[0].start_s + 0.02, 3), round(phases[0].end_s - 0.02, 3)) if phases else None


def judge(arranged: Arrangement, name: str = "") -> Judged:
    """Render a one-track timeline and measure everything that was made."""
    clip = arranged.render(measured=False)
    finite = bool(np.isfinite(clip.pose.rot).all() and np.isfinite(clip.pose.root_pos).all())
    plan = arranged.plan()[0]
    sources = [piece.clip for piece in (*plan.pieces, *(overlay.piece for overlay in plan.overlays))]
    speed = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1) * clip.fps
    usual = max(float((np.linalg.norm(np.diff(c.positions, axis=0), axis=-1) * c.fps).max()) for c in sources)
    whole = bool(speed.max() <= JUMP * usual + 3.0)
    asap = all(entry.start_s == "asap" for entry in arranged.timeline.tracks[0].clips)
    joins = _judged_joins(arranged, clip, asap)
    return Judged(name, finite, whole, _frozen_s(arranged, clip), joins)


def _judged_joins(arranged: Arrangement, clip: Clip, asap: bool) -> tuple[JudgedJoin, ...]:
    from footfall.joins.measure import SUNK_CM
    from footfall.timeline.measure_joins import quality_at

    made = arranged.synthesized()[0]
    found = []
    for i, (join, evaluated) in enumerate(zip(made.plan.joins, made.evaluated, strict=True)):
        row = next((r for r in made.rows if r.pieces == (i, i + 1)), None)
        if row is None:
            continue
        begin, end = row.first / clip.fps, row.end / clip.fps
        starts = np.arange(begin, max(end + REACH_S - 1.0, begin) + 1e-6, 0.5)
        parts = [quality_at(clip, made, float(t)) for t in starts]
        worst = max(parts, key=lambda q: q.excess_m_s2)
        deep = max(parts, key=lambda q: q.sunk_cm - max(SUNK_CM, q.sunk_source_cm))
        found.append(
            JudgedJoin(
                join.kind,
                (made.plan.pieces[i].name, made.plan.pieces[i + 1].name),
                join.phases,
                asap,
                end - begin,
                0.0 if evaluated.hold_s is None else evaluated.hold_s[1] - evaluated.hold_s[0],
                max(q.skate_ratio for q in parts),
                max(_own_skate(made, float(t)) for t in starts),
                worst.excess_m_s2,
                f"{worst.excess_joint} at {worst.excess_s:.2f} s",
                deep.sunk_cm,
                max(SUNK_CM, deep.sunk_source_cm),
                f"{join.reason}; left foot {evaluated.notes[0]}, right foot {evaluated.notes[1]}",
            )
        )
    return tuple(found)


def _own_skate(made: SynthesizedTrack, join_s: float) -> float:
    """What the skate ratio would be if every clip skated just as it does by itself at the times it is played: clips
    that stand before clips that walk have a ratio of 2 with no fault of the join."""
    from footfall.quality.skate import AFTER_S, BEFORE_S, LEAST_CM_S, skate, skate_window
    from footfall.timeline.measure_joins import sources_between

    sources = sources_between(made, join_s - BEFORE_S, join_s + AFTER_S)
    here = [skate_window(source, float(at(np.array([join_s]))[0])) for source, at in sources]
    return max(here, default=0.0) / max(float(np.mean([skate(source) for source, _ in sources])), LEAST_CM_S)


def _frozen_s(arranged: Arrangement, clip: Clip) -> float:
    """Seconds, stepped by a quarter, in which the figure moves less than 5 % of what its sources do on average, outside
    of stretches that are one clip's own and of marked holds."""
    made = arranged.synthesized()[0]
    segments: Sequence[Segment] = clip.report.segments if clip.report else ()
    holds = [(s.start_s, s.end_s) for s in segments if s.kind == "wait"]
    speed = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).mean(axis=-1) * clip.fps  # (T-1,)
    means = [float((np.linalg.norm(np.diff(p.clip.positions, axis=0), axis=-1) * clip.fps).mean())
             for p in made.plan.pieces]  # fmt: skip
    pieces = np.full((clip.frames, 2), -1)
    for row in made.rows:
        pieces[row.first : row.end, : len(row.pieces)] = row.pieces
    step, window, frozen = round(clip.fps / 4), round(clip.fps), 0.0
    for first in range(0, len(speed) - window + 1, step):
        used = {int(i) for i in np.unique(pieces[first : first + window]) if i >= 0}
        start, end = first / clip.fps, (first + window) / clip.fps
        marked = any(a < end and b > start for a, b in holds)
        own = len(used) == 1  # a clip may well stand still by itself
        if not (marked or own) and speed[first : first + window].mean() < STILL * min(means[i] for i in used):
            frozen += 0.25
    return frozen
