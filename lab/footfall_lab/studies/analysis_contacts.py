"""Contacts against known truth and under change: how exactly strikes and offs are found, and how steadily.

Built-in walks and runs have contacts that are known exactly; captures have none, but copies of a capture at another
frame rate, with noise, mirrored or of another size must give the same events, and human gait has known shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose

Spans = dict[str, list[tuple[float, float]]]
FEET = ("left", "right")
TOLERANCE_S = 0.025
PAIRED_S = 0.12  # events further apart are not the same event
MARGIN_S = 0.05  # nearer to a clip's end an event is half seen
CUT_S = 0.02  # an edge at a clip's end is no event: the contact is cut there (copies may end half a frame apart)
TURNS = (-90.0, -30.0, 0.0, 45.0, 90.0)
GAITS = [("walk", s, t) for s in (0.5, 0.8, 1.1, 1.4, 1.7, 2.0) for t in TURNS] + [
    ("run", s, t) for s in (2.0, 2.7, 3.5, 4.5, 5.5) for t in TURNS
]
ADULT_M = 1.75  # height of the built-in body
CONDITIONS = [  # frames a second, noise in metres, body height in metres
    (120.0, 0.0, 1.75), (60.0, 0.0, 1.75), (30.0, 0.0, 1.75), (120.0, 0.0, 0.9), (30.0, 0.0, 2.0),
    (120.0, 0.005, 1.75), (60.0, 0.005, 1.75), (30.0, 0.002, 1.75),
    (120.0, 0.005, 0.9), (60.0, 0.005, 0.9), (30.0, 0.002, 0.9), (60.0, 0.005, 2.0),
]  # fmt: skip
TAKES = (
    "cmu_bvh/walk_*/*.bvh",
    "cmu_bvh/run_*/*.bvh",
    "bandai_namco/*_walk*.bvh",
    "bandai_namco/*_run_*.bvh",
    "bandai_namco/*_dash_*.bvh",
)


class Row(NamedTuple):
    """One measurement."""

    what: str
    events: int
    within: float  # share of the events found within 25 ms
    missed: int
    invented: int
    note: str = ""

    def __str__(self) -> str:
        counts = (
            f"{self.events:5d} events, {self.within:6.1%} within 25 ms, {self.missed} missed, {self.invented} invented"
        )
        return f"{self.what:34s} {counts}  {self.note}"


class Take(NamedTuple):
    """What the contacts of one captured take say of its gait."""

    what: str
    steps: int
    alternate: int  # of them by the other foot than the step before
    pairs: int  # steps that have a step before
    down: float | None  # median share of a cycle that a foot is down; None without a whole cycle
    both: float  # share of the take in which both are

    def __str__(self) -> str:
        down = "  --  " if self.down is None else f"{self.down:6.1%}"
        order = f"{self.alternate} of {self.pairs} alternate"
        return f"{self.what:54s} {self.steps:3d} steps, {order}, down {down}, both {self.both:.1%}"


class Errors(NamedTuple):
    """Found events against true ones."""

    late_s: list[float]  # of the paired ones
    missed: int
    invented: int

    @property
    def events(self) -> int:
        return len(self.late_s) + self.missed

    @property
    def within(self) -> int:
        return sum(abs(e) <= TOLERANCE_S for e in self.late_s)


def run(progress: Callable[[str], None] = print, captures: Path | None = None) -> list[Row | Take]:
    """All measurements; those on captures only where a folder of them is given."""
    rows: list[Row | Take] = []
    for fps, noise_m, height_m in CONDITIONS:
        rows.append(truth_row(fps, noise_m, height_m))
        progress(str(rows[-1]))
    if captures is not None:
        for row in capture_rows(captures):
            rows.append(row)
            progress(str(row))
    return rows


def truth_row(fps: float, noise_m: float, height_m: float, gaits: Iterable[tuple[str, float, float]] = GAITS) -> Row:
    """Built-in gaits at one frame rate, noise and body height, against what is known of them."""
    from footfall.motions.library import motion
    from footfall_lab.truth import known_spans

    total, strikes, offs = Errors([], 0, 0), [], []
    for seed, (name, speed, turn) in enumerate(gaits):
        clip = scaled(motion(name, speed=speed, turn=turn, cycles=3), height_m / ADULT_M).resample(fps)
        if noise_m:
            clip = noisy(clip, noise_m, seed)
        true = {foot: known_spans(clip, foot) for foot in FEET}
        by_edge = [compare(true, found_spans(clip), clip.duration, edge) for edge in (0, 1)]
        strikes += by_edge[0].late_s
        offs += by_edge[1].late_s
        total = added(total, *by_edge)
    note = f"median strike {1000 * np.median(strikes):+.0f} ms, off {1000 * np.median(offs):+.0f} ms"
    what = f"built-in {fps:.0f} fps {1000 * noise_m:.0f} mm {height_m:g} m"
    return Row(what, total.events, total.within / total.events, total.missed, total.invented, note)


def capture_rows(folder: Path) -> Iterator[Row | Take]:
    """Changed copies of captured walks and runs against the originals; then what is known of human gait."""
    from footfall.io.load import load

    clips = {str(p.relative_to(folder)): load(p) for pattern in TAKES for p in sorted(folder.glob(pattern))}
    found = {name: found_spans(clip) for name, clip in clips.items()}
    for what, change in COPIES.items():
        total, same = Errors([], 0, 0), 0
        for name, clip in clips.items():
            copy = found_spans(change(clip))
            if what == "mirrored":
                copy = {"left": copy["right"], "right": copy["left"]}
            by_edge = [compare(found[name], copy, clip.duration, edge) for edge in (0, 1)]
            total = added(total, *by_edge)
            same += by_edge[0].missed == by_edge[0].invented == 0
        note = f"{same} of {len(clips)} takes have the same strikes"
        yield Row(f"captures, {what}", total.events, total.within / total.events, total.missed, total.invented, note)
    for name, clip in clips.items():
        yield gait_take(name, clip, found[name])


def gait_take(name: str, clip: Clip, spans: Spans) -> Take:
    """Do strikes alternate, how long is a foot down, how long are both."""
    alternate, pairs = alternating(spans)
    duty = duty_factors(spans)
    both = sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in spans["left"] for b in spans["right"])
    steps = sum(map(len, spans.values()))
    return Take(name, steps, alternate, pairs, float(np.median(duty)) if duty else None, both / clip.duration)


def found_spans(clip: Clip) -> Spans:
    return {foot: clip.contacts.spans(foot) for foot in FEET}


def compare(true: Spans, found: Spans, duration_s: float, edge: int) -> Errors:
    """Starts (edge 0) or ends (1) of contacts, paired each with its nearest; those near the clip's ends left out."""
    late: list[float] = []
    missed = invented = 0
    for foot in FEET:
        every = [span[edge] for span in true[foot]]
        inside = [t for t in every if MARGIN_S < t < duration_s - MARGIN_S]
        left = [span[edge] for span in found[foot] if CUT_S < span[edge] < duration_s - CUT_S]
        for t in inside:
            nearest = min(left, key=lambda x: abs(x - t), default=np.inf)
            if abs(nearest - t) < PAIRED_S:
                left.remove(nearest)
                late.append(nearest - t)
            else:
                missed += 1
        ends = [0.0, duration_s, *(t for t in every if t not in inside)]
        invented += sum(min(abs(x - t) for t in ends) > MARGIN_S + TOLERANCE_S for x in left)
    return Errors(late, missed, invented)


def added(*parts: Errors) -> Errors:
    return Errors([e for p in parts for e in p.late_s], sum(p.missed for p in parts), sum(p.invented for p in parts))


def alternating(spans: Spans) -> tuple[int, int]:
    """How many steps are taken by the other foot than the step before, and how many there are."""
    strikes = sorted((start, foot) for foot in FEET for start, _ in spans[foot] if start > 0.03)
    pairs = list(pairwise(foot for _, foot in strikes))
    return sum(a != b for a, b in pairs), len(pairs)


def duty_factors(spans: Spans) -> list[float]:
    """Share of each full cycle, strike to strike of one foot, that it is down."""
    return [
        (a[1] - a[0]) / (b[0] - a[0])
        for foot in FEET
        for a, b in pairwise(span for span in spans[foot] if span[0] > 0.03)
    ]


def scaled(clip: Clip, factor: float) -> Clip:
    """The same motion of a body of another size, in the same time."""
    if factor == 1.0:
        return clip
    pos = None if clip.pose.pos is None else clip.pose.pos * factor
    pose = Pose(clip.pose.root_pos * factor, clip.pose.rot, pos)
    return clip.with_pose(pose, skeleton=clip.skeleton.transformed(rotation.IDENTITY, factor))


def noisy(clip: Clip, sigma_m: float, seed: int = 0) -> Clip:
    """White noise in every frame, as markers have it: ankles and toes shake by about sigma_m along each level axis.

    Half of the power moves the whole body, half turns the legs at the hips; as much again turns the feet at the ankles.
    """
    rng = np.random.default_rng(seed)
    share = sigma_m / np.sqrt(2.0)
    roles, rest = clip.skeleton.roles, clip.skeleton.rest_positions
    rot = clip.pose.rot.copy()

    def shake(joint: int, angle: float) -> None:
        rot[:, joint] = rotation.multiply(rot[:, joint], rotation.exp(rng.normal(0.0, angle, (len(rot), 3))))

    for side in FEET:
        hip, ankle, toe = (getattr(roles, f"{side}_{part}") for part in ("hip", "ankle", "toe"))
        shake(hip, share / clip.skeleton.leg_length)
        if toe is not None:
            shake(ankle, share / float(np.linalg.norm(rest[toe] - rest[ankle])))
    root = clip.pose.root_pos + rng.normal(0.0, share, clip.pose.root_pos.shape)
    return clip.with_pose(clip.pose._replace(root_pos=root, rot=rotation.continuous_signs(rot)))


COPIES: dict[str, Callable[[Clip], Clip]] = {
    "60 fps": lambda clip: clip.resample(60.0),
    "30 fps": lambda clip: clip.resample(30.0),
    "2 mm noise": lambda clip: noisy(clip, 0.002),
    "mirrored": lambda clip: clip.mirror(),
    "half the size": lambda clip: scaled(clip, 0.5),
    "1.2 times the size": lambda clip: scaled(clip, 1.2),
}
