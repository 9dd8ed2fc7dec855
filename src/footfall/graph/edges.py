"""Edges of a motion graph: recorded changes from one motion to another, cut to the steps they share with both.

Park, Shin, Kim & Shin 2004, eq. 16-19. A change shares its first steps with the motion it leaves and its last ones with
the motion it enters. What is shared is told by support: a stretch between two key times is on both feet, the left, the
right or in the air, and stretches that follow each other as in a node's cycle are shared with it. Takes that end on the
other foot are mirrored, so that all examples of an edge have one structure; the mirrored edge leaves on the other foot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.edit.loop import travel_on_first_joint
from footfall.graph.coverage import coverage_of
from footfall.parametric.arc_root import path_of, travel_between
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import ParametricMotion, pack_examples, with_weights
from footfall.parametric.structure import FEET, AlignedExample, StructureError, foot_spans, part_contacts

# Times by eye, on the built-in changes.
TOGETHER_S = 0.06  # two feet that land or leave within this time do so at once
LEAST_S = 0.04  # a stretch: contacts are known to a frame or two, and next to nothing cannot be blended with a step
LEAST_B_S = 0.30  # of standing, blended into a change
LEAST_E_S = 0.30  # a change is blended into what it enters for at least this long
SETTLE_S = 0.5  # of standing at the end of a stop
MOVES_S = 0.35  # in which the carrier of a change goes from where one node has it to where the other does; by eye
STEADY, STEADY_M_S = 0.12, 0.06  # of the change of speed, and m/s: a stretch that differs by more belongs to it
STANDING = "stand"  # the support of a motion without steps
BEYOND = 0.2  # of the range: an edge is asked for parameters this far beyond its examples, no further; by eye


@dataclass(frozen=True, eq=False)
class Edge:
    """A way from one node to another: a recorded one, or none, where it has to be made on the fly."""

    before: str
    after: str
    motion: ParametricMotion | None = None  # None: inertialised
    leave_at: int = 0  # key time of the node before at which the edge begins
    shared_before: int = 0  # stretches between key times shared with it, from the edge's start: B
    enter_at: int = 0  # key time of the node after at which E begins
    shared_after: int = 0  # stretches shared with it, at the edge's end: E

    def __repr__(self) -> str:
        way = "made" if self.motion is None else f"{len(self.motion)} examples, {self.motion.marks[0]} first"
        return f"Edge({self.before} to {self.after}, {way})"

    @property
    def made(self) -> bool:
        return self.motion is None


@dataclass(frozen=True, eq=False)
class _Take:
    """A clip with the support of every stretch between its key times."""

    clip: Clip
    times: tuple[float, ...]  # (K,)
    support: tuple[str, ...]  # (K - 1,) of "both", "left", "right", "air", and "stand" at an end that stands


def supports(motion: ParametricMotion) -> tuple[str, ...]:
    """The support of every stretch of a node; one without steps stands."""
    if len(motion.marks) == 2:
        return (STANDING,)
    last = {foot: next((m for m in reversed(motion.marks[:-1]) if m.startswith(foot)), "") for foot in FEET}
    down = {foot: last[foot].endswith("strike") for foot in FEET}
    found = []
    for mark in motion.marks[:-1]:
        foot, what = mark.split()
        down[foot] = what == "strike"
        found.append(_support(down["left"], down["right"]))
    return tuple(found)


def build_edges(
    before: ParametricMotion, after: ParametricMotion, clips: Sequence[Clip], parameters: Sequence[Mapping[str, float]]
) -> list[Edge]:
    """The edge of recorded changes between two nodes, and its mirrored twin.

    parameters: of each clip, the parameters of both nodes by name with _before or _after.
    """
    rows = [_row(before, after, given) for given in parameters]
    stands = supports(before) == (STANDING,), supports(after) == (STANDING,)
    found = []
    for flip in (False, True):
        pairs = [(_take(clip, stands), _take(clip.mirror(), stands)) for clip in clips]
        takes, flipped = _one_structure([pair[::-1] if flip else pair for pair in pairs])
        signs = [-1.0 if flip != turned else 1.0 for turned in flipped]
        table = np.array([_signed(row, s) for row, s in zip(rows, signs, strict=True)])
        found.append(_edge(before, after, takes, table, tuple(rows[0])))
    if found[0].leave_at == found[1].leave_at and len(supports(before)) > 1:
        return found[:1]
    return found


def _row(before: ParametricMotion, after: ParametricMotion, given: Mapping[str, float]) -> dict[str, float]:
    names = [f"{n}_before" for n in before.parameter_names] + [f"{n}_after" for n in after.parameter_names]
    missing = [n for n in names if n not in given]
    if missing:
        raise ParameterError(f"a change from {before.name} to {after.name} needs its {', '.join(missing)}")
    return {n: float(given[n]) for n in names}


def _signed(row: Mapping[str, float], sign: float) -> list[float]:
    return [sign * v if n.startswith(("turn_", "side_")) else v for n, v in row.items()]


def _edge(
    before: ParametricMotion, after: ParametricMotion, takes: list[_Take], table: np.ndarray, names: tuple[str, ...]
) -> Edge:
    b0, b2, e1, e2 = _cut(takes, supports(before), supports(after), f"{before.name} to {after.name}")
    cut = [_bounded(take, b0, e2, b2) for take in takes]
    marks = ("start", *("change" for _ in range(e2 - b0 - 1)), "end")
    examples = []
    for take in cut:
        contacts = {part: tuple(spans) for part, spans in part_contacts(take.clip).items()}
        examples.append(AlignedExample(travel_on_first_joint(take.clip), marks, np.array(take.times), contacts, 0))
    motion = pack_examples(examples, "take", f"{before.name} to {after.name}")
    found, old, own = takes[0].support, supports(before), len(before.parameter_names)
    leave_at = (_where(old, found[:b2]) + b0) % len(old)
    enter_at = _where(supports(after), found[e1:])
    first = _off(motion, before, table[:, :own], (0, b2 - b0), leave_at)
    last = _off(motion, after, table[:, own:], (e1 - b0, e2 - b0), enter_at)
    motion = _carried_alike(motion, (first, last), (b2 - b0, e1 - b0))
    motion = measured(motion, names, {n: table[:, k].tolist() for k, n in enumerate(names)})
    fitted = with_weights(motion, "rbf") if names else motion
    return Edge(before.name, after.name, fitted, leave_at, b2 - b0, enter_at, e2 - e1)


def _carried_alike(
    motion: ParametricMotion, off: tuple[np.ndarray, np.ndarray], middle: tuple[int, int]
) -> ParametricMotion:
    """The change on a carrier that lies under its body as that of each node does.

    off: complex (N,) metres forward + i to the left by which each example lies elsewhere than each node; middle: key
    times between B and E. A loop's carrier runs under its feet: some way ahead of the pelvis, and outside of it where
    the body leans into a turn; that of a take begins under the pelvis, wherever that sways to. Blended with each other
    as they are, a body that arrives would be drawn back and to a side by the difference.
    """
    pieces = len(motion.marks) - 1
    grid, keys = np.linspace(0.0, pieces, motion.cells + 1), np.arange(pieces + 1)
    seconds = np.stack([np.interp(grid, keys, times) for times in motion.key_times], axis=1)  # (G + 1, N)
    start, end = motion.key_times[:, middle[0]], motion.key_times[:, middle[1]]
    over = np.maximum(end - start, MOVES_S)
    gone = ease((seconds - 0.5 * (start + end)) / over + 0.5)
    moved = off[0] + (off[1] - off[0]) * gone  # (G + 1, N)
    root, travel = motion.root.copy(), motion.travel.copy()
    root[..., 2] += moved.real
    root[..., 0] += moved.imag
    for k in range(len(motion)):
        travel[:, k] = _beside(travel[:, k], -moved[:, k])
    return replace(motion, root=root, travel=travel)


def _off(
    motion: ParametricMotion, node: ParametricMotion, given: np.ndarray, shared: tuple[int, int], at: int
) -> np.ndarray:
    """Complex (N,) metres forward + i to the left from where each example of a change lies on its carrier to where a
    node does, on average over the stretches they share.

    given: (N, d) parameters of the node; shared: key times of the change; at: the node's where they begin.
    """
    pieces, rounds = len(motion.marks) - 1, len(node.marks) - 1
    cells = np.arange(shared[0] * motion.cells // pieces, shared[1] * motion.cells // pieces + 1)
    same = (at + cells * pieces / motion.cells - shared[0]) / rounds % 1.0  # canonical times of the node
    roots = node.root[np.rint(same * node.cells).astype(int)]  # (M, examples of the node, 3)
    there = np.einsum("mej,ne->nj", roots, _shares(node, given)) / len(cells)
    here = motion.root[cells].mean(axis=0)
    return np.asarray((there - here) @ np.array([1j, 0.0, 1.0]))


def _shares(node: ParametricMotion, given: np.ndarray) -> np.ndarray:
    """(N, examples) weights of a node at the nearest to parameters (N, d) that it covers; alike where it has none."""
    if node.fitted is None:
        return np.full((len(given), len(node)), 1.0 / len(node))
    cover = coverage_of(node.parameters)
    return node.weights(np.array([cover.nearest(row)[0] for row in given.tolist()]))


def _beside(travel: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """(G + 1, 3) what a frame travels that lies beside one which travels so, by complex (G + 1,) metres."""
    frames = path_of(np.diff(travel, axis=0))
    points = frames.shift[:, 2] + 1j * frames.shift[:, 0] + apart * np.exp(1j * frames.turn)
    steps = [travel_between(complex(p), a, complex(q), b)
             for (p, a), (q, b) in pairwise(zip(points, frames.turn.tolist(), strict=True))]  # fmt: skip
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def _cut(takes: list[_Take], old: tuple[str, ...], new: tuple[str, ...], name: str) -> tuple[int, int, int, int]:
    """Key times at which the edge, its middle, E and its end begin: b0, b2, e1, e2.

    What is blended with a node goes as fast as the node does: B lies before the take changes its speed, E after it. A
    blend over steps in which the take slows down would do in one step what it does in three.
    """
    found = takes[0].support
    prefix = max((k for k in range(len(found) + 1) if _follows(found[:k], old)), default=0)
    suffix = min((k for k in range(len(found) + 1) if _follows(found[k:], new)), default=len(found))
    half, last = max(len(old) // 2, 1), max(len(new) // 2, 1)
    if prefix < half or suffix >= len(found):
        raise StructureError(
            f"{name}: the takes share no steps with both motions; give takes that begin and end in them"
        )
    steady = _steady(takes, len(old)), len(found) - _steady([_reversed(take) for take in takes], len(new))
    b2 = min(max(steady[0], half), prefix)
    e1 = max(suffix, b2, min(steady[1], len(found) - last))
    lengths = np.array([np.diff(take.times) for take in takes])  # (N, K - 1)
    e2 = e1 + 1
    while e2 < len(found) and lengths[:, e1:e2].sum(axis=1).min() < LEAST_E_S:
        e2 += 1
    return b2 - half, b2, e1, e2


def _steady(takes: list[_Take], cycle: int) -> int:
    """How many stretches from the start go as fast, in all takes, as the same stretch of the first cycle."""
    counts = []
    for take in takes:
        root = take.clip.root_motion.position[:, [0, 2]]
        at = np.stack([np.interp(take.times, take.clip.times, root[:, k]) for k in (0, 1)], axis=-1)
        speed = np.linalg.norm(np.diff(at, axis=0), axis=-1) / np.maximum(np.abs(np.diff(take.times)), 1e-6)
        far = abs(float(speed[-cycle:].mean() - speed[:cycle].mean()))
        first = speed[np.arange(len(speed)) % cycle]
        other = np.flatnonzero(np.abs(speed - first) > STEADY * far + STEADY_M_S)
        counts.append(int(other[0]) if len(other) else len(speed))
    return min(counts)


def _reversed(take: _Take) -> _Take:
    """A take told from its end."""
    return replace(take, times=take.times[::-1], support=take.support[::-1])


def _bounded(take: _Take, b0: int, e2: int, b2: int) -> _Take:
    """The take between two key times; a long stretch of standing at an end is cut to what is blended."""
    times = list(take.times[b0 : e2 + 1])
    if b0 == 0 and take.support[0] == STANDING and b2 == 1:
        times[0] = max(times[0], times[1] - LEAST_B_S)
    if e2 == len(take.support) and take.support[-1] == STANDING:
        times[-1] = min(times[-1], times[-2] + SETTLE_S)
    return _Take(take.clip, _spread(times), take.support[b0:e2])


def _spread(times: Sequence[float]) -> tuple[float, ...]:
    """Key times at least LEAST_S apart, the first and the last where they were.

    A stretch that lasts no time in one take and a step in another would be gone in a frame where both are blended.
    """
    least = min(LEAST_S, (times[-1] - times[0]) / (len(times) - 1))
    steps = np.arange(len(times)) * least
    rising = np.maximum.accumulate(np.asarray(times) - steps)  # each at least so long after the one before
    apart = np.minimum(rising, times[-1] - steps[-1]) + steps
    return tuple(float(t) for t in (times[0], *apart[1:-1], times[-1]))


def _follows(found: tuple[str, ...], cycle: tuple[str, ...]) -> bool:
    """Whether stretches follow each other as in a cycle; one that has no steps has one stretch only."""
    if len(cycle) == 1:
        return len(found) <= 1 and all(x == cycle[0] for x in found)
    return any(all(x == cycle[(h + k) % len(cycle)] for k, x in enumerate(found)) for h in range(len(cycle)))


def _where(cycle: tuple[str, ...], found: tuple[str, ...]) -> int:
    """The key time of the cycle from which it goes as found."""
    return next(h for h in range(len(cycle)) if all(x == cycle[(h + k) % len(cycle)] for k, x in enumerate(found)))


# --- one structure ---------------------------------------------------------------------------------------------------


def _take(clip: Clip, stands: tuple[bool, bool]) -> _Take:
    """The stretches of a clip by support; stretches shorter than TOGETHER_S are no support of their own."""
    contacts = part_contacts(clip)
    spans = {foot: foot_spans(contacts, foot) for foot in FEET}
    moments = sorted({t for both in spans.values() for span in both for t in span if 1e-6 < t < clip.duration - 1e-6})
    kept: list[float] = []
    for t in moments:
        if kept and t - kept[-1] < TOGETHER_S and _both_lift(spans, kept[-1], t):
            kept[-1] = 0.5 * (kept[-1] + t)
        else:
            kept.append(t)
    times = (0.0, *kept, clip.duration)
    support = [_support_at(spans, 0.5 * (a + b)) for a, b in pairwise(times)]
    for at, stand in zip((0, -1), stands, strict=True):
        support[at] = STANDING if stand and support[at] == "both" else support[at]
    return _Take(clip, times, tuple(support))


def _both_lift(spans: Mapping[str, list[tuple[float, float]]], first: float, second: float) -> bool:
    """Whether between two near moments both feet leave, or land, not quite together, as in a jump.

    A single support between standing and flight, or the other way, is none that a gait would have there.
    """
    before, between, after = (_support_at(spans, t) for t in (first - 1e-3, 0.5 * (first + second), second + 1e-3))
    return {before, after} == {"both", "air"} and between in FEET


def _support_at(spans: Mapping[str, list[tuple[float, float]]], t: float) -> str:
    left, right = (any(a <= t <= b for a, b in spans[foot]) for foot in FEET)
    return _support(left, right)


def _support(left: bool, right: bool) -> str:
    return {(True, True): "both", (True, False): "left", (False, True): "right", (False, False): "air"}[left, right]


def _one_structure(pairs: list[tuple[_Take, _Take]]) -> tuple[list[_Take], list[bool]]:
    """Takes cut to the longest run of stretches all share, each mirrored where that shares more; and which were.

    pairs: every take and its mirrored twin.
    """
    first = pairs[0][0]
    chosen, flipped = [first], [False]
    for take, other in pairs[1:]:
        turn = _shared(first.support, other.support)[2] > _shared(first.support, take.support)[2]
        chosen.append(other if turn else take)
        flipped.append(turn)
    low, high = 0, len(first.support)
    shifts = [0]
    for take in chosen[1:]:
        a, b, length = _shared(first.support, take.support)
        low, high = max(low, a), min(high, a + length)
        shifts.append(b - a)
    if high <= low:
        raise StructureError(f"{first.clip.name}: the takes of this change have no steps in common")
    return [
        replace(t, times=t.times[low + s : high + s + 1], support=t.support[low + s : high + s])
        for t, s in zip(chosen, shifts, strict=True)
    ], flipped


def _shared(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[int, int, int]:
    """The longest run that two sequences share: where it begins in each, and its length; of equals the last."""
    best = (0, 0, 0)
    for i in range(len(a)):
        for j in range(len(b)):
            n = 0
            while i + n < len(a) and j + n < len(b) and a[i + n] == b[j + n]:
                n += 1
            if n >= best[2]:
                best = (i, j, n)
    return best
