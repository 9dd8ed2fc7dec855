"""Gentleness: how well a join is going to look, foretold from its own frames, so that the best of several is taken.

The same figures as `joins.measure` (excess acceleration, skate over the clips', feet under the floor), of the
frames of one join alone and against what is known of the two clips: what stands around it need not be made for it.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.joins.join_compiled import rows, world_places
from footfall.joins.measure import EXCESS_M_S2, SUNK_CM, find_floor_once
from footfall.quality.joins import AROUND_S, accelerations, measured_joints
from footfall.quality.skate import AFTER_S, BEFORE_S, LEAST_CM_S, LEG_M, NEAR_M, QUANTILE, skate

FAIR_M_S2, FAIR_SKATE = 30.0, 1.5  # a join that is rougher, or skates more, is tried in other ways too
GOOD_M_S2, GOOD_SKATE = 38.0, 1.9  # and in many more if it still is rougher than this


class Looks(NamedTuple):
    """Figures of one way to make a join."""

    excess_m_s2: float
    skate_ratio: float
    sunk_cm: float  # deeper than 1 cm and than either clip

    @property
    def fair(self) -> bool:
        """Whether nobody would ask for more."""
        return self.excess_m_s2 <= FAIR_M_S2 and self.skate_ratio <= FAIR_SKATE and self.sunk_cm <= 0.0

    @property
    def good(self) -> bool:
        """Whether it will do."""
        return self.excess_m_s2 <= GOOD_M_S2 and self.skate_ratio <= GOOD_SKATE and self.sunk_cm <= 0.0

    @property
    def cost(self) -> float:
        """What ranks ways to make the same join: each figure by how near it comes to what may be seen."""
        rough = self.excess_m_s2 / EXCESS_M_S2
        return (
            rough
            + 3.0 * max(0.0, rough - 0.9)
            + 0.4 * self.skate_ratio
            + 3.0 * max(0.0, self.skate_ratio - 1.7)
            + 3.0 * min(self.sunk_cm, 4.0)
        )


class Shown(NamedTuple):
    """Frames around a join: some of the previous clip before it, its own, some of the next one's after it."""

    pose: Pose  # (N,)
    before: int  # frames before the first that is the join's own
    previous_s: np.ndarray  # (N,) clip seconds of either clip
    following_s: np.ndarray


def looks(previous: Clip, following: Clip, shown: Shown, fps: float) -> Looks:
    """Foretold figures of a join of two clips of one body."""
    from footfall.joins.join_body import figures

    a, b, body = _known(previous, fps), _known(following, fps), _body(previous)
    place = world_places(previous.skeleton, shown.pose, body.joints)  # (N, J, 3)
    given = (shown.previous_s, shown.following_s, a.near, b.near, np.maximum(a.usual, b.usual))
    length, step = round((BEFORE_S + AFTER_S) * fps), max(1, round(0.5 * fps))
    first = max(0, shown.before - round(BEFORE_S * fps))
    times = np.array([fps, round(AROUND_S * fps), body.scale, first, length, step])
    out = np.empty(6)
    lowest = body.scale * _lowest(previous, following, a, b)
    figures(rows(place), body.feet, *map(rows, given), times, rows(lowest), np.empty(len(place)), out)
    return _looks(float(out[0]), float(out[1]), out[2:], a, b)


def looks_plainly(previous: Clip, following: Clip, shown: Shown, fps: float) -> Looks:
    """The readable twin of the kernel that `looks` calls."""
    a, b, body = _known(previous, fps), _known(following, fps), _body(previous)
    place = world_places(previous.skeleton, shown.pose, body.joints)  # (N, J, 3)
    ours = np.linalg.norm(np.diff(place, n=2, axis=0), axis=-1) * fps**2  # of frames 1 … N-2
    allowed = np.maximum(_near(a, shown.previous_s[1:-1], fps), _near(b, shown.following_s[1:-1], fps))
    nowhere = ~np.isfinite(allowed)
    allowed = np.where(nowhere, np.maximum(a.usual, b.usual), allowed)
    excess = float((ours - allowed).max(initial=0.0))
    skated = _skate(body, place, shown, _lowest(previous, following, a, b), fps)
    return _looks(excess, skated, place[:, body.feet, 1].min(axis=0), a, b)


def _looks(excess: float, skated: float, heights: np.ndarray, a: _Known, b: _Known) -> Looks:
    """heights (4,): the lowest that ankles and toes come to. Sunk is what they go deeper than in either clip, beyond
    the centimetre that they may."""
    floor = np.minimum(a.floor, b.floor)
    own = 100.0 * float((floor - np.minimum(a.deepest, b.deepest)).max())
    sunk = max(0.0, 100.0 * float((floor - heights).max()) - max(SUNK_CM, own))
    return Looks(excess, skated / max(0.5 * (a.skate_cm_s + b.skate_cm_s), LEAST_CM_S), sunk)


def _skate(body: _Body, place: np.ndarray, shown: Shown, lowest: np.ndarray, fps: float) -> float:
    """The worst second of it, cm/s."""
    toe = place[:, body.feet[2:]] * body.scale
    speed = np.linalg.norm(np.diff(toe[..., [0, 2]], axis=0), axis=-1) * fps
    height = 0.5 * (toe[1:, :, 1] + toe[:-1, :, 1]) - body.scale * lowest
    slid = (100.0 * speed * (2.0 - 2.0 ** np.clip(height / NEAR_M, 0.0, 1.0))).mean(axis=1)  # (N-1,)
    length = round((BEFORE_S + AFTER_S) * fps)
    first = max(0, shown.before - round(BEFORE_S * fps))
    starts = range(first, max(first, len(slid) - length) + 1, max(1, round(0.5 * fps)))
    return max(float(slid[s : s + length].mean()) if len(slid[s:]) else 0.0 for s in starts)


_lows: WeakKeyDictionary[Clip, WeakKeyDictionary[Clip, np.ndarray]] = WeakKeyDictionary()


def _lowest(previous: Clip, following: Clip, a: _Known, b: _Known) -> np.ndarray:
    """(2,) heights of the toes that count as floor, about the result's own; once for two clips."""
    kept = _lows.setdefault(previous, WeakKeyDictionary())
    if following not in kept:
        kept[following] = np.quantile(np.concatenate([a.toes, b.toes]), QUANTILE, axis=0)
    return kept[following]


class _Body(NamedTuple):
    """Where to look on a body."""

    joints: np.ndarray  # (J,) that are measured
    feet: np.ndarray  # (4,) where ankles and toes are among them, left and right; a foot without toes is its ankle
    scale: float  # to the leg that skate is told for


_bodies: WeakKeyDictionary[Skeleton, _Body] = WeakKeyDictionary()


def _body(clip: Clip) -> _Body:
    """Worked out once for a body."""
    if clip.skeleton not in _bodies:
        roles, joints = clip.skeleton.roles, measured_joints(clip)
        ankles = [roles.left_ankle, roles.right_ankle]
        toes = [a if t is None else t for a, t in zip(ankles, (roles.left_toe, roles.right_toe), strict=True)]
        at = {int(j): i for i, j in enumerate(joints)}
        feet = np.array([at[int(j or 0)] for j in (*ankles, *toes)])
        _bodies[clip.skeleton] = _Body(joints, feet, LEG_M / clip.skeleton.leg_length)
    return _bodies[clip.skeleton]


class _Known(NamedTuple):
    """What a clip does by itself, of the joints that are measured."""

    near: np.ndarray  # (T, J) largest acceleration within 0.1 s, m/s²; -inf where it has none
    usual: np.ndarray  # (J,) largest of all
    skate_cm_s: float
    toes: np.ndarray  # (T, 2) heights of the toes
    floor: np.ndarray  # (4,) heights that ankles and toes stand at
    deepest: np.ndarray  # (4,) and the lowest they come to


STILL = 0.05  # of a clip's mean joint speed: slower is standing still
_rests: WeakKeyDictionary[Clip, float] = WeakKeyDictionary()


def moves_until_s(clip: Clip) -> float:
    """The last second of a clip at which it moves; what follows is standing still, to its end."""
    if clip not in _rests:
        speed = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).mean(axis=-1)
        moves = np.flatnonzero(speed > STILL * speed.mean()) if len(speed) else np.zeros(0, int)
        _rests[clip] = (int(moves[-1]) + 1) / clip.fps if len(moves) else clip.duration
    return _rests[clip]


_all: WeakKeyDictionary[Clip, dict[float, _Known]] = WeakKeyDictionary()


def _known(clip: Clip, fps: float) -> _Known:
    """Worked out once for a clip."""
    kept = _all.setdefault(clip, {})
    if fps not in kept:
        same = clip.resample(fps)
        values = accelerations(same)[:, measured_joints(same)]  # of frames 1 … T-2
        reach = round(AROUND_S * fps)
        wide = np.full((max(same.frames, 1) + 2 * reach, values.shape[1]), -np.inf)
        for by in range(2 * reach + 1):
            part = wide[1 + by : 1 + by + len(values)]
            np.maximum(part, values, out=part)
        points, floor = foot_points(clip), find_floor_once(clip)
        both = np.concatenate([points.heel[..., 1], points.toe[..., 1]], axis=1)
        kept[fps] = _Known(
            wide,
            values.max(axis=0, initial=0.0),
            skate(clip),
            points.toe[..., 1],
            np.array([*floor.heel, *floor.toe]),
            both.min(axis=0),
        )
    return kept[fps]


def _near(known: _Known, clip_s: np.ndarray, fps: float) -> np.ndarray:
    """(N, J) of `near` at clip times, -inf outside."""
    reach = round(AROUND_S * fps)
    at = np.round(clip_s * fps).astype(int) + reach
    inside = (at >= 0) & (at < len(known.near))
    return np.where(inside[:, None], known.near[np.clip(at, 0, len(known.near) - 1)], -np.inf)
