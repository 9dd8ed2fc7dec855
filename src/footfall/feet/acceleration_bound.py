"""Acceleration bound: the least change of pelvis, ankles and knees after which no joint accelerates beyond its bound.

A knee follows from its hip and its ankle, and a leg that is bent otherwise than in the capture turns what shook in the
capture's hips, feet or strikes into knees that pop. So what is bounded is what is seen, the joints themselves, and what
is moved is the pelvis, the ankles and the sides that knees bend to, as little as need be and each as freely as it may:

    minimise  sum w |x|² + sum s |second difference of x|² + sum r (|acceleration of a joint| - bound)₊²

over the moves x of every frame; knees that turn too fast and feet that sink are bounded likewise. Where a joint is
beyond its bound its acceleration is nearly linear in the moves of three frames, so each round is one banded system
(Levenberg-Marquardt). docs/ground.md.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel
from footfall.core.pose import Pose
from footfall.feet.gentle import frames_to
from footfall.feet.leg_model import ANKLES, PELVIS, RISE, SWIVELS, UNKNOWNS, LegModel, LegWork, leg_model, moved_legs
from footfall.kinematics.fk import world_transforms_of

# All by eye, on half of the clips of the study of ground.
ROUNDS, SETTLED = 40, 2e-3  # at most, and until a round gains no more than this share
ENOUGH_M_S2 = 3.0  # m/s² beyond its bound that a joint may stay
BOUND_S = 0.083  # seconds: (· fps)⁴ is r over w
EVEN_S, RISE_S = 0.02, 0.05  # seconds: (· fps)⁴ is s over w, of most, and of what raises the pelvis
FREE = 0.01  # w of what raises the pelvis slowly
SHAKE = 60.0  # w of its other moves, which are to be brief
SWIVEL_M = 0.1  # metres that a radian of a swivel counts as
HEAVE = 10.0  # of r: how a pelvis is kept from going up and down too hard
KNEE_M = 0.2  # metres that a radian counts as by which a knee turns too fast
PROX = 3.0  # times w that a round keeps near the one before, where joints follow otherwise than linearly
CLOSER, FARTHER, LEAST = 0.3, 10.0, 1e-6  # what that becomes after a good round and a bad one, and its least
PIECE = 4096  # frames, about, that are done at once
PINNED = 1e9  # w where a piece meets the next
SECOND = ((-1, 1.0), (0, -2.0), (1, 1.0))  # the second difference: frames from its middle, and factors
LOW = [4, 7]  # the unknowns that lower ankles


class Bound(NamedTuple):
    """What joints may do and what may be moved, at T frames."""

    most: np.ndarray  # (T, J) metres a frame²: how hard joints may accelerate
    knee: float  # radians a frame: how fast knees may turn
    rise: np.ndarray  # (T,) metres a frame²: how the pelvis goes up and down unmoved, without its shaking
    heave: float  # metres a frame²: how hard it may
    ankles: np.ndarray  # (T, 2, 3) how firmly ankles are held, 1 where they are free
    floor: np.ndarray  # (T, 2) metres that ankles may be lowered at most; 0 or less

    def part(self, here: slice) -> Bound:
        """Of some of the frames."""
        arrays = ("most", "rise", "ankles", "floor")
        return self._replace(**{name: getattr(self, name)[here] for name in arrays})


class _Beyond(NamedTuple):
    """How far things are beyond their bounds."""

    accel: np.ndarray  # (T, J, 3) metres a frame², what joints do; 0 at the ends
    joints: np.ndarray  # (T, J) beyond
    turn: np.ndarray  # (T - 1, 2) radians that knees turn from frame to frame
    knees: np.ndarray  # (T - 1, 2) beyond
    low: np.ndarray  # (T, 2) metres that ankles are too low
    heave: np.ndarray  # (T,) metres a frame² that the pelvis goes up, or down, too hard


class _Weights(NamedTuple):
    """Of moves and of what is beyond bounds."""

    w: np.ndarray  # (T, UNKNOWNS)
    even: np.ndarray  # (UNKNOWNS,)
    hinge: float


def within_bound(work: LegWork, bound: Bound, fps: float) -> tuple[Pose, np.ndarray]:
    """Poses with legs on targets that are moved so that joints stay within their bounds as far as that can be, and the
    moves (T, UNKNOWNS)."""
    x = np.zeros((len(work.body), UNKNOWNS))
    for first, last in _pieces(work, bound):
        here = slice(first, last)
        x[here] = _settled(work.part(here), bound.part(here), fps, (first > 0, last < len(x)))
    return moved_legs(work, x), x


def _pieces(work: LegWork, bound: Bound) -> list[tuple[int, int]]:
    """Frames from and to, of about PIECE frames: what is done at once takes kilobytes a frame. They meet where joints
    are far from their bounds."""
    count = len(work.body)
    if count <= PIECE:
        return [(0, count)]
    places = world_transforms_of(work.skeleton, moved_legs(work, np.zeros((count, UNKNOWNS))), work.joints)[0]
    hard = np.linalg.norm(np.diff(places, n=2, axis=0), axis=-1) > bound.most[1:-1]
    calm = frames_to(np.pad(hard.any(axis=1), 1) | (np.abs(bound.rise) > bound.heave))
    reach = PIECE // 4
    cuts = [k - reach + int(calm[k - reach : k + reach].argmax()) for k in range(PIECE, count - reach, PIECE)]
    return list(itertools.pairwise([0, *cuts, count]))


def _settled(work: LegWork, bound: Bound, fps: float, goes_on: tuple[bool, bool]) -> np.ndarray:
    """(T, UNKNOWNS) moves; none at an end where the motion goes on. A round that makes things worse is taken back, and
    the next keeps nearer to what was."""
    x, near = np.zeros((len(work.body), UNKNOWNS)), PROX
    weights = _weights(bound, fps)
    for end, pinned in zip((slice(0, 2), slice(-2, None)), goes_on, strict=True):
        weights.w[end] = PINNED if pinned else weights.w[end]
    model = leg_model(work, x)
    beyond = _beyond(model, bound, x)
    cost = _cost(x, beyond, weights)
    for _ in range(ROUNDS if len(x) > 2 else 0):
        most = max(beyond.joints.max(initial=0.0), np.abs(beyond.heave).max(initial=0.0))
        if most <= ENOUGH_M_S2 / fps**2 and not beyond.knees.any():
            break
        tried = x + _step(model, beyond, weights, x, near)
        new = leg_model(work, tried)
        new_beyond = _beyond(new, bound, tried)
        new_cost = _cost(tried, new_beyond, weights)
        if new_cost >= cost:
            near *= FARTHER
            continue
        settled = new_cost > (1.0 - SETTLED) * cost
        x, model, beyond, cost, near = tried, new, new_beyond, new_cost, max(near * CLOSER, LEAST)
        if settled:
            break
    return x


def _weights(bound: Bound, fps: float) -> _Weights:
    count = len(bound.most)
    w = np.full((count, UNKNOWNS), SWIVEL_M**2)
    w[:, PELVIS], w[:, RISE], w[:, ANKLES] = SHAKE, FREE, bound.ankles.reshape(count, 6)
    even = np.full(UNKNOWNS, (EVEN_S * fps) ** 4)
    even[RISE] = (RISE_S * fps) ** 4
    even[SWIVELS] *= SWIVEL_M**2
    return _Weights(w, even, (BOUND_S * fps) ** 4)


def _beyond(model: LegModel, bound: Bound, x: np.ndarray) -> _Beyond:
    accel = np.zeros_like(model.places)
    accel[1:-1] = np.diff(model.places, n=2, axis=0)
    turn = np.diff(model.knees, axis=0)
    return _Beyond(
        accel,
        np.maximum(np.linalg.norm(accel, axis=-1) - bound.most, 0.0),
        turn,
        np.maximum(np.abs(turn) - bound.knee, 0.0),
        np.maximum(bound.floor - x[:, LOW], 0.0),
        _past(np.pad(np.diff(x[:, RISE], n=2), 1) + bound.rise, bound.heave),
    )


def _past(values: np.ndarray, most: float) -> np.ndarray:
    """What of values (T,) is past a bound, to either side; 0 at the ends."""
    past = values - np.clip(values, -most, most)
    past[[0, -1]] = 0.0
    return past


def _cost(x: np.ndarray, beyond: _Beyond, weights: _Weights) -> float:
    """What moves cost, and what is left beyond bounds."""
    left = (beyond.joints**2).sum() + KNEE_M**2 * (beyond.knees**2).sum() + (beyond.low**2).sum()
    left += HEAVE * (beyond.heave**2).sum()
    return float((weights.w * x**2).sum() + (weights.even * np.diff(x, n=2, axis=0) ** 2).sum() + weights.hinge * left)


def _step(model: LegModel, beyond: _Beyond, weights: _Weights, x: np.ndarray, near: float) -> np.ndarray:
    """(T, UNKNOWNS) what a round adds to x, kept near to 0."""
    w, even, hinge = weights
    system = _System(np.zeros((3, len(x), UNKNOWNS, UNKNOWNS)), -w * x)
    every = np.arange(UNKNOWNS)
    system.blocks[0][:, every, every] += w + near
    system.blocks[0][:, LOW, LOW] += np.where(beyond.low > 0.0, hinge, 0.0)
    system.right[:, LOW] += hinge * beyond.low
    bend = np.diff(x, n=2, axis=0)
    inner = np.arange(1, len(x) - 1)
    for here, a in SECOND:
        system.right[inner + here] -= even * a * bend
        for there, b in SECOND:
            if there >= here:
                system.blocks[there - here][inner[0] + here : inner[-1] + here + 1, every, every] += even * a * b
    frames, joints = np.nonzero(beyond.joints > 0.0)
    accel, over = beyond.accel[frames, joints], beyond.joints[frames, joints]
    missing = -accel * (over / np.maximum(np.linalg.norm(accel, axis=-1), 1e-12))[:, None]
    system.add(frames, [(d, c * model.follow[frames + d, joints]) for d, c in SECOND], missing, hinge)
    frames = np.flatnonzero(beyond.heave)
    up = np.zeros((len(frames), 1, UNKNOWNS))
    up[:, 0, RISE] = 1.0
    system.add(frames, [(d, c * up) for d, c in SECOND], -beyond.heave[frames, None], hinge * HEAVE)
    frames, sides = np.nonzero(beyond.knees > 0.0)
    slower = -np.sign(beyond.turn[frames, sides]) * beyond.knees[frames, sides]
    rows = [(d, c * model.bend[frames + d, sides][:, None]) for d, c in ((0, -1.0), (1, 1.0))]
    system.add(frames, rows, slower[:, None], hinge * KNEE_M**2)
    return system.solved()


class _System(NamedTuple):
    """Normal equations: blocks (3, T, UNKNOWNS, UNKNOWNS) of frame t with t, t + 1 and t + 2, and right sides."""

    blocks: np.ndarray
    right: np.ndarray  # (T, UNKNOWNS)

    def add(self, frames: np.ndarray, rows: list[tuple[int, np.ndarray]], missing: np.ndarray, weight: float) -> None:
        """Ask that rows (N, I, UNKNOWNS), times the moves so far from frames (N,), add up to what is missing (N, I)."""
        for here, mine in rows:
            np.add.at(self.right, frames + here, weight * np.einsum("nij,ni->nj", mine, missing))
            for there, other in rows:
                if there >= here:
                    product = weight * np.einsum("nij,nik->njk", mine, other)
                    np.add.at(self.blocks[there - here], frames + here, product)

    def solved(self) -> np.ndarray:
        """(T, UNKNOWNS)."""
        count, width = len(self.right), 3 * UNKNOWNS
        lower = np.zeros((count, UNKNOWNS, width))  # row by row, how far left of the diagonal
        for apart in range(3):
            for i in range(UNKNOWNS):
                for j in range(UNKNOWNS):
                    left = apart * UNKNOWNS + j - i
                    if left >= 0:
                        lower[apart:, j, left] = self.blocks[apart, : count - apart, i, j]
        solved = np.array(self.right, float).ravel()
        _solve_banded(lower.reshape(-1, width), solved)
        return solved.reshape(count, UNKNOWNS)


@kernel
def _solve_banded(lower: Any, right: Any) -> None:
    """Cholesky of a banded system, in place: lower (N, W), by row and how far left of the diagonal; right (N,) becomes
    the solution. LAPACK's starts threads for each of its thousands of short columns, which takes a hundred times as
    long where cores are busy."""
    count, width = lower.shape
    for i in range(count):
        first = max(0, i - width + 1)
        for j in range(first, i + 1):
            total = lower[i, i - j]
            for k in range(first, j):
                total -= lower[i, i - k] * lower[j, j - k]
            lower[i, i - j] = total / lower[j, 0] if j < i else np.sqrt(total)
        total = right[i]
        for k in range(first, i):
            total -= lower[i, i - k] * right[k]
        right[i] = total / lower[i, 0]
    for i in range(count - 1, -1, -1):
        total = right[i]
        for k in range(i + 1, min(count, i + width)):
            total -= lower[k, k - i] * right[k]
        right[i] = total / lower[i, 0]
