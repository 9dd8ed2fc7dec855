"""Parametric motion: examples of one structure, packed so that any blend of them can be read at any moment.

All examples lie on one uniform grid of canonical time (`canonical_time`), the mean rotation of every joint at each grid
point and each example as rotation vectors about it (`posture`), the root as sway about its carrier (`arc_root`). One
index and one fraction then serve all examples, and a pose is a function of canonical time and weights alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from footfall.analysis.apex import find_apex
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.loop import travel_on_first_joint
from footfall.parametric import canonical_time
from footfall.parametric.arc_root import Carrier, carrier, on_carrier
from footfall.parametric.blend_kernels import blend_rotations, blend_rows
from footfall.parametric.posture import log_vectors, mean_orientations
from footfall.parametric.structure import PARTS, AlignedExample, align, foot_spans
from footfall.weights.examples import Measure
from footfall.weights.weights import fit

KINDS = ("locomotion", "target", "jump", "stand", "take")
GOES = 0.5  # leg lengths: a take that gets farther than this from its start travels; by eye
MOST_CELLS = 20_000  # of the grid: more is a clip that was not cut
TOUCH = 0.01  # canonical time: what is down for less at an end of a take is in some examples, not in others. By eye


class WeightFunction(Protocol):
    """What turns parameters into weights of the examples."""

    def weights(self, p: np.ndarray) -> np.ndarray:
        """(Q, N) weights at parameters (Q, d)."""
        ...


@dataclass(frozen=True, eq=False)
class ParametricMotion:
    """N examples on a grid of G + 1 canonical times, K key times; arrays are [grid][example][…], float64."""

    name: str
    kind: str  # one of KINDS
    skeleton: Skeleton
    fps: float
    is_loop: bool
    examples: tuple[str, ...]  # names of the clips
    parameter_names: tuple[str, ...]
    parameters: np.ndarray  # (N, d) as measured or given
    marks: tuple[str, ...]  # (K,) what happens at each key time
    key_times: np.ndarray  # (N, K) seconds, from 0
    mean: np.ndarray  # (G + 1, J, 4)
    vectors: np.ndarray  # (G + 1, N, J, 3)
    root: np.ndarray  # (G + 1, N, 3) joint 0 as seen from the carrier, metres
    travel: np.ndarray  # (G + 1, N, 3) of the carrier since canonical time 0: forward, left (metres), turn (radians)
    pelvis: np.ndarray  # (N, 2) where the pelvis's own arc lies beside the carrier: metres forward and to the left
    offsets: np.ndarray | None = None  # (G + 1, N, J, 3) Pose.pos, where a clip has them
    contacts: Mapping[str, np.ndarray] = field(default_factory=dict)  # part -> (N, S, 2) canonical times; may pass 1
    effector: str = ""  # the hand or foot that acts, of a "target"
    given: tuple[str, ...] = ()  # parameters that were given, not measured
    fitted: WeightFunction | None = None
    time: str = "log-rate"

    def __len__(self) -> int:
        return len(self.examples)

    def __repr__(self) -> str:
        by = ", ".join(self.parameter_names) or "nothing"
        return f"ParametricMotion({self.name!r}, {len(self)} examples by {by}, {len(self.marks)} key times)"

    @property
    def cells(self) -> int:
        """G."""
        return len(self.mean) - 1

    @cached_property
    def rates(self) -> np.ndarray:
        """(N, K - 1) canonical time a second of every example between its key times."""
        return canonical_time.rates(self.key_times)

    # --- parameters to weights ------------------------------------------------------------------------------------
    def weights(self, p: np.ndarray) -> np.ndarray:
        """(Q, N) posture weights at parameters (Q, d)."""
        p = np.atleast_2d(np.asarray(p, float))
        if len(self) == 1:
            return np.ones((len(p), 1))
        if self.fitted is None:
            raise ParameterError(f"{self.name or 'this motion'} has no weights fitted: use with_weights(method)")
        return np.asarray(self.fitted.weights(p))

    def blended_rates(self, weights: np.ndarray, p: np.ndarray | None = None) -> np.ndarray:
        """(..., K - 1) rates of canonical time at weights (..., N); the scheme "gamma" needs the parameters as well."""
        if self.time == "gamma":
            if p is None:
                raise ParameterError("time='gamma' is a function of the parameters, not of the weights alone")
            gamma = canonical_time.gamma_weights(p, self.parameters).reshape(np.shape(weights))
            return canonical_time.blended_rates(gamma, self.rates, "gamma")
        return canonical_time.blended_rates(weights, self.rates, self.time)

    # --- evaluation -------------------------------------------------------------------------------------------------
    def local_pose(self, t: np.ndarray | float, weights: np.ndarray) -> Pose:
        """Poses (...) on their carrier at canonical times t (...), weights (..., N) or (N,)."""
        times, w = _flat(t, weights)
        rot = np.empty((len(times), len(self.skeleton), 4))
        blend_rotations(times, w, self.mean, self.vectors, rot)
        pos = None if self.offsets is None else self._blended(self.offsets, t, weights)
        return Pose(self._blended(self.root, t, weights), rot.reshape(*np.shape(t), *rot.shape[1:]), pos)

    def travelled(self, t: np.ndarray | float, weights: np.ndarray) -> np.ndarray:
        """(..., 3) forward, left and turn of the carrier from canonical time 0 to t (...)."""
        return self._blended(self.travel, t, weights)

    def _blended(self, table: np.ndarray, t: np.ndarray | float, weights: np.ndarray) -> np.ndarray:
        """(..., …) weighted sums of a table (G + 1, N, …)."""
        times, w = _flat(t, weights)
        out = np.empty((len(times), int(np.prod(table.shape[2:]))))
        blend_rows(times, w, table.reshape(*table.shape[:2], -1), out)
        return out.reshape(*np.shape(t), *table.shape[2:])

    def example_rotations(self, t: float) -> np.ndarray:
        """(N, J, 4) rotations of the examples themselves at a canonical time, root on its carrier."""
        return self.local_pose(np.full(len(self), t), np.eye(len(self))).rot


def _flat(t: np.ndarray | float, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times (T,) and weights (T, N), or (1, N) for all, as kernels take them."""
    times, w = np.asarray(t, float).reshape(-1), np.asarray(weights, float)
    if w.size not in (w.shape[-1], len(times) * w.shape[-1]):
        w = np.broadcast_to(w, (*np.shape(t), w.shape[-1]))
    return times, np.ascontiguousarray(w.reshape(-1, w.shape[-1]))


# --- building -------------------------------------------------------------------------------------------------------


def build(
    clips: Sequence[Clip], kind: str, name: str = "", sync: str = "events", time: str = "log-rate"
) -> ParametricMotion:
    """Clips of one skeleton packed into a parametric motion without parameters (`measure.measured` adds them)."""
    if not clips:
        raise ParameterError("a parametric motion needs at least one clip")
    if kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if time not in canonical_time.SCHEMES:
        canonical_time.blended_rates(np.ones(1), np.ones((1, 1)), time)
    clips = [travel_on_first_joint(clip) for clip in clips]
    return pack_examples(align(clips, sync, apex=kind in ("target", "jump")), kind, name, time)


def pack_examples(
    examples: Sequence[AlignedExample], kind: str, name: str = "", time: str = "log-rate"
) -> ParametricMotion:
    """Examples of one structure, whose roots travel on joint 0, as a parametric motion without parameters."""
    clips = [example.clip for example in examples]
    key_times = np.stack([e.key_times - e.key_times[0] for e in examples])  # (N, K)
    pieces = key_times.shape[1] - 1
    fps = max(clip.fps for clip in clips)
    cells = pieces * max(int(np.ceil(np.diff(key_times, axis=1).max() * fps)), 4)
    if cells > MOST_CELLS:
        raise ParameterError(
            f"{clips[0].name or 'these clips'}: {cells / pieces / fps:.0f} s between two key times is too long to "
            "blend; cut the clips into single steps, cycles or actions (footfall edit --trim)"
        )
    grid = np.linspace(0.0, 1.0, cells + 1)
    own_frame = all(clip.parameters for clip in clips)
    travels = kind == "take" and any(_goes(clip) for clip in clips)
    packed = [_packed(e, grid, travels, own_frame) for e in examples]
    rot = np.stack([pose.rot for pose, _ in packed], axis=1)
    mean = mean_orientations(rot)
    offsets = None
    if any(pose.pos is not None for pose, _ in packed):
        rest = np.broadcast_to(clips[0].skeleton.offsets, rot.shape[:1] + rot.shape[2:3] + (3,))
        offsets = np.stack([rest if pose.pos is None else pose.pos for pose, _ in packed], axis=1)
    return ParametricMotion(
        name=name or clips[0].name,
        kind=kind,
        skeleton=clips[0].skeleton,
        fps=fps,
        is_loop=examples[0].clip.is_loop,
        examples=_distinct([clip.name or f"example {k}" for k, clip in enumerate(clips)]),
        parameter_names=(),
        parameters=np.zeros((len(clips), 0)),
        marks=examples[0].marks,
        key_times=key_times,
        mean=mean,
        vectors=log_vectors(rot, mean),
        root=np.stack([pose.root_pos for pose, _ in packed], axis=1),
        travel=np.stack([carried.travel for _, carried in packed], axis=1),
        pelvis=np.array([(carried.pelvis.real, carried.pelvis.imag) for _, carried in packed]),
        offsets=offsets,
        contacts=_canonical_contacts(examples),
        effector=_effector(clips) if kind == "target" else "",
        time=time,
    )


def with_weights(
    motion: ParametricMotion, method: str = "rbf", measure: Measure | None = None, **options: Any
) -> ParametricMotion:
    """The motion with a weight method fitted to its parameters; measure: weights to parameters of the blend."""
    if len(motion) == 1:
        return motion
    if not motion.parameter_names:
        raise ParameterError(f"{motion.name} has {len(motion)} examples but no parameters to tell them apart by")
    return replace(motion, fitted=fit(method, motion.parameters, measure, **options))


def _packed(example: AlignedExample, grid: np.ndarray, travels: bool, own_frame: bool) -> tuple[Pose, Carrier]:
    """Poses on the carrier (G + 1,), and the carrier."""
    times = canonical_time.to_actual(grid, example.key_times)
    carried = carrier(example, times, travels, own_frame)
    pose = on_carrier(example.clip.sample(times), carried)
    if example.clip.is_loop:  # the same pose, but for rounding: then a loop has no seam at all
        pose.root_pos[-1], pose.rot[-1] = pose.root_pos[0], rotation.nearest_sign(pose.rot[0], pose.rot[-1])
    return pose, carried


def _effector(clips: Sequence[Clip]) -> str:
    """The hand or foot that acts in most of the clips."""
    found = [find_apex(clip).effector for clip in clips]
    return max(sorted(set(found)), key=found.count)


def _goes(clip: Clip) -> bool:
    path = clip.root_motion.position
    return bool(np.linalg.norm(path - path[0], axis=-1).max() > GOES * clip.skeleton.leg_length)


def _canonical_contacts(examples: Sequence[AlignedExample]) -> dict[str, np.ndarray]:
    """(N, S, 2) canonical times of the contacts of each part; of a loop their ends may pass 1.

    Where examples have unlike numbers of them (a heel that flickers), a part is taken to be down from its first to its
    last moment in each stance of its foot; a foot that stands more often in one example than in another is left out.
    """
    found = {}
    for part in PARTS:
        rows = [list(e.contacts.get(part, ())) for e in examples]
        if len({len(row) for row in rows}) > 1:
            rows = [_by_stance(e, part) for e in examples]
        canonical = [[_canonical_span(e, span) for span in row] for e, row in zip(examples, rows, strict=True)]
        touch = 0.0 if examples[0].clip.is_loop else TOUCH
        canonical = [[span for span in row if span[1] > touch and span[0] < 1.0 - touch] for row in canonical]
        if len({len(row) for row in canonical}) == 1 and canonical[0]:
            found[part] = np.array(canonical)
    return found


def _by_stance(example: AlignedExample, part: str) -> list[tuple[float, float]]:
    """One span of a part for every stance of its foot; of no length, at its start, where it is never down."""
    spans = example.contacts.get(part, ())
    stances = foot_spans(example.contacts, part.split("_")[0])
    inside = [[s for s in spans if s[0] < stance[1] and s[1] > stance[0]] for stance in stances]
    return [
        (min(a for a, _ in own), max(b for _, b in own)) if own else (stance[0], stance[0])
        for own, stance in zip(inside, stances, strict=True)
    ]


def _canonical_span(example: AlignedExample, span: tuple[float, float]) -> tuple[float, float]:
    times, length = example.key_times, example.duration
    if not example.clip.is_loop:
        start, end = (float(canonical_time.to_canonical(t, times)) for t in span)
        return start, end
    laps = [np.floor((t - times[0]) / length + 1e-9) for t in span]
    start, end = (
        float(lap + canonical_time.to_canonical(t - lap * length, times)) for t, lap in zip(span, laps, strict=True)
    )
    return start, end


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Names, numbered where they repeat."""
    return tuple(n if names.count(n) == 1 else f"{n} {names[:k].count(n) + 1}" for k, n in enumerate(names))
