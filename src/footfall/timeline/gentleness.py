"""Gentleness: how good a join will look, predicted from its own frames, so that the best of several can be chosen.

The same figures as `joins.measure` (excess acceleration, skate and knees over the clips', feet under the floor), of the
frames of one join alone and against what is known of the two clips: what stands around it need not be made for it.
And whether an action that lies near it gets as far as in its clip: a step may have taken the place of a kick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.analysis.content import actions_of
from footfall.analysis.floor import find_floor
from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.kernels import kernel, part, read_only
from footfall.core.once import once, once_per_pair
from footfall.core.pose import Pose
from footfall.joins.measure import EXCESS_M_S2, SUNK_CM
from footfall.kinematics.joint_places import joint_places
from footfall.quality.joins import AROUND_S, accelerations, measured_joints
from footfall.quality.skate import AFTER_S, BEFORE_S, LEAST_CM_S, LEG_M, NEAR_M, QUANTILE, skate

FAIR_M_S2, FAIR_SKATE = 30.0, 1.5  # a join that is rougher, or skates more, is tried in other ways too. By eye
GOOD_M_S2, GOOD_SKATE = 38.0, 1.9  # and in many more if it still is rougher than this. By eye
FAIR_KNEE, GOOD_KNEE = 1.1, 1.2  # times as fast as the clips' knees: what looks well, and what a viewer believes
WINDOW_STEP_S = 0.5  # seconds from one window in which skate is measured to the next. By eye
STILL = 0.05  # of a clip's mean joint speed: slower is standing still. By eye
LEAST_RAD_S = 0.5  # rad/s: knees of clips that stand hardly move; slower ones count as this fast. By eye
LEAST_REACH_M = 0.05  # metres: less is told to be this much. By eye
REACHED = 0.95  # of what an action reaches in its clip: less is seen (docs/believable.md)
FOOT_ROWS = 4  # left ankle, right ankle, left toe, right toe


@dataclass(frozen=True)
class ForetoldWeights:
    """What each figure of a join counts when ways to make it are ranked. By eye, on rows of built-in clips."""

    rough: float = 1.0  # excess acceleration, of EXCESS_M_S2
    rougher: float = 3.0  # more for each beyond rough_from
    rough_from: float = 0.9
    skate: float = 0.4  # skate ratio
    skates_more: float = 3.0  # more for each beyond skate_from
    skate_from: float = 1.7
    sunk_cm: float = 3.0  # a centimetre
    sunk_most_cm: float = 4.0  # deeper counts no more
    lacks: float = 100.0  # all that an action reaches
    knee: float = 5.0  # knee ratio beyond FAIR_KNEE


WEIGHTS = ForetoldWeights()


class ForetoldQuality(NamedTuple):
    """Figures of one way to make a join."""

    excess_m_s2: float
    skate_ratio: float
    sunk_cm: float  # deeper than 1 cm and than either clip
    knee_ratio: float = 0.0  # fastest knee over the clips'
    lacks: float = 0.0  # share of what an action reaches that is missing beyond what may be

    @property
    def fair(self) -> bool:
        """Whether nobody would ask for more."""
        calm = self.excess_m_s2 <= FAIR_M_S2 and self.knee_ratio <= FAIR_KNEE
        return calm and self.skate_ratio <= FAIR_SKATE and self._clean

    @property
    def good(self) -> bool:
        """Whether it will do."""
        return self.smooth and self.skate_ratio <= GOOD_SKATE

    @property
    def smooth(self) -> bool:
        """The same but for skate."""
        return self.excess_m_s2 <= GOOD_M_S2 and self.knee_ratio <= GOOD_KNEE and self._clean

    @property
    def _clean(self) -> bool:
        return self.sunk_cm <= 0.0 and self.lacks <= 0.0

    @property
    def cost(self) -> float:
        """What ranks ways to make the same join: each figure by how near it comes to what may be seen."""
        rough = self.excess_m_s2 / EXCESS_M_S2
        return (
            WEIGHTS.rough * rough
            + WEIGHTS.rougher * max(0.0, rough - WEIGHTS.rough_from)
            + WEIGHTS.skate * self.skate_ratio
            + WEIGHTS.skates_more * max(0.0, self.skate_ratio - WEIGHTS.skate_from)
            + WEIGHTS.sunk_cm * min(self.sunk_cm, WEIGHTS.sunk_most_cm)
            + WEIGHTS.knee * max(0.0, self.knee_ratio - FAIR_KNEE)
            + WEIGHTS.lacks * self.lacks
        )


class FramesAround(NamedTuple):
    """Frames around a join: some of the previous clip before it, its own, some of the next one's after it."""

    pose: Pose  # (N,)
    before: int  # frames before the first that is the join's own
    previous_s: np.ndarray  # (N,) clip seconds of either clip
    following_s: np.ndarray


class _Clips(NamedTuple):
    """What kernels ask of the frames and of the two clips."""

    feet: Any  # (4,) rows of ankles and toes among the joints
    previous_s: Any  # (N,)
    following_s: Any
    near_a: Any  # (T, J) what either clip does around each of its frames, from `around` frames before its first on
    near_b: Any
    usual: Any  # (J,)
    lowest: Any  # (2,) heights of the toes that count as floor, scaled
    fps: float
    around: int
    scale: float  # of the body, to the leg that skate is told for
    first: int  # frame from which on skate is measured,
    length: int  # in windows of so many frames
    step: int  # every so many


def foretell(previous: Clip, following: Clip, frames: FramesAround, fps: float) -> ForetoldQuality:
    """Foretold figures of a join of two clips of one body."""
    a, b, body = _known(previous, fps), _known(following, fps), _body(previous)
    place = joint_places(previous.skeleton, frames.pose, body.joints)  # (N, J, 3)
    given = _Clips(
        body.feet,
        read_only(frames.previous_s),
        read_only(frames.following_s),
        read_only(a.near),
        read_only(b.near),
        read_only(np.maximum(a.usual, b.usual)),
        read_only(body.scale * _lowest(previous, following)),
        float(fps),
        round(AROUND_S * fps),
        float(body.scale),
        max(0, frames.before - round(BEFORE_S * fps)),
        round((BEFORE_S + AFTER_S) * fps),
        max(1, round(WINDOW_STEP_S * fps)),
    )
    heights = np.empty(FOOT_ROWS)
    excess, skated = excess_of(place, given), worst_skate(place, given)
    lowest_feet(place, body.feet, heights)
    # sunk is what feet go deeper than in either clip, beyond the centimetre that they may
    floor = np.minimum(a.floor, b.floor)
    own = 100.0 * float((floor - np.minimum(a.deepest, b.deepest)).max())
    sunk = max(0.0, 100.0 * float((floor - heights).max()) - max(SUNK_CM, own))
    clocks = (previous, frames.previous_s), (following, frames.following_s)
    lacks = max(_lacks(clip, place, clip_s, fps, body) for clip, clip_s in clocks)
    knees = _knee_speed(frames.pose, previous, fps) / max(a.knee_rad_s, b.knee_rad_s, LEAST_RAD_S)
    return ForetoldQuality(excess, skated / max(0.5 * (a.skate_cm_s + b.skate_cm_s), LEAST_CM_S), sunk, knees, lacks)


def _knee_speed(pose: Pose, clip: Clip, fps: float) -> float:
    """Largest angular speed of either knee of poses (N,), rad/s, as `quality.knee` has it."""
    knees = [knee for knee in (clip.skeleton.roles.left_knee, clip.skeleton.roles.right_knee) if knee is not None]
    dots = np.abs((pose.rot[1:, knees] * pose.rot[:-1, knees]).sum(axis=-1))
    return float(2.0 * np.arccos(min(1.0, float(dots.min(initial=1.0))))) * fps


def _lacks(clip: Clip, place: np.ndarray, clip_s: np.ndarray, fps: float, body: _Body) -> float:
    """Share of what the actions of a clip reach that is missing, beyond what may be, in the places (N, J, 3) of moments
    of it (N,)."""
    worst = 0.0
    for action in _apexes(clip):
        n = int(np.abs(clip_s - action.at_s).argmin())
        if abs(clip_s[n] - action.at_s) <= 0.5 / fps:
            worst = max(worst, REACHED - _reach(action, place[n], body) / action.reach)
    return worst


class _ActionApex(NamedTuple):
    """An action of a clip at its strike or apex."""

    at_s: float
    name: str
    side: int  # 0 left, 1 right
    reach: float  # metres


@once
def _apexes(clip: Clip) -> tuple[_ActionApex, ...]:
    body, found = _body(clip), []
    for one in actions_of(clip):
        if 0.0 <= one.at_s <= clip.duration:
            place = clip.positions[round(one.at_s * clip.fps), body.joints]
            bare = _ActionApex(one.at_s, one.name, int(one.side == "right"), 1.0)
            found.append(bare._replace(reach=max(_reach(bare, place, body), LEAST_REACH_M)))
    return tuple(found)


def _reach(action: _ActionApex, place: np.ndarray, body: _Body) -> float:
    """How far an action gets in places (J, 3), as the judge has it (`quality.content`): a jump's height, a kick's lift
    and reach, an arm's extension, metres."""
    ankles, wrists, side = place[body.feet[:2]], body.wrists, action.side
    if action.name == "jump":
        return float(ankles[:, 1].min())
    if action.name == "kick":
        out = (ankles[side] - place[body.pelvis])[[0, 2]]
        return float(ankles[side, 1] - ankles[1 - side, 1] + np.linalg.norm(out))
    way = place[wrists[side]] - place[body.pelvis]
    return float(way[1] if action.name == "wave" else np.linalg.norm(way))


@part
def _allowed(near: Any, row: int, j: int) -> float:
    return near[row, j] if 0 <= row < len(near) else -np.inf


@kernel
def excess_of(place: Any, clips: Any) -> float:
    """Excess acceleration of places (N, J, 3), m/s²."""
    excess, fps = 0.0, clips.fps
    for n in range(1, len(place) - 1):
        a = int(np.rint(clips.previous_s[n] * fps)) + clips.around
        b = int(np.rint(clips.following_s[n] * fps)) + clips.around
        for j in range(place.shape[1]):
            square = 0.0
            for c in range(3):
                second = place[n + 1, j, c] - 2.0 * place[n, j, c] + place[n - 1, j, c]
                square += second * second
            most = max(_allowed(clips.near_a, a, j), _allowed(clips.near_b, b, j))
            most = clips.usual[j] if most == -np.inf else most
            excess = max(excess, np.sqrt(square) * fps * fps - most)
    return excess


@kernel
def lowest_feet(place: Any, feet: Any, out: Any) -> None:
    """The lowest heights (4,) that ankles and toes come to."""
    for row in range(FOOT_ROWS):
        out[row] = np.inf
        for n in range(len(place)):
            out[row] = min(out[row], place[n, feet[row], 1])


@kernel
def worst_skate(place: Any, clips: Any) -> float:
    """Skate of places (N, J, 3) in the window where it is worst, cm/s."""
    slid, scale = np.zeros(len(place) - 1), clips.scale
    for n in range(len(slid)):
        for side in range(2):
            a, b = place[n, clips.feet[2 + side]], place[n + 1, clips.feet[2 + side]]
            speed = scale * clips.fps * np.sqrt((b[0] - a[0]) ** 2 + (b[2] - a[2]) ** 2)
            height = 0.5 * scale * (a[1] + b[1]) - clips.lowest[side]
            slid[n] += 50.0 * speed * (2.0 - 2.0 ** min(max(height / NEAR_M, 0.0), 1.0))  # cm/s, mean of both feet
    worst = 0.0
    for start in range(clips.first, max(clips.first, len(slid) - clips.length) + 1, clips.step):
        total, end = 0.0, min(start + clips.length, len(slid))
        for n in range(start, end):
            total += slid[n]
        worst = max(worst, total / max(end - start, 1))
    return worst


class _Body(NamedTuple):
    """Where to look on a body."""

    joints: np.ndarray  # (J,) that are measured
    feet: np.ndarray  # (4,) where ankles and toes are among them, left and right; a foot without toes is its ankle
    pelvis: int  # where it is among them
    wrists: tuple[int, int]  # left and right; the pelvis where there is none
    scale: float  # to the leg that skate is told for


@once
def _body(clip: Clip) -> _Body:
    roles, joints = clip.skeleton.roles, measured_joints(clip)
    ankles, wrists = [roles.left_ankle, roles.right_ankle], (roles.left_wrist, roles.right_wrist)
    toes = [a if t is None else t for a, t in zip(ankles, (roles.left_toe, roles.right_toe), strict=True)]
    at = {int(j): i for i, j in enumerate(joints)}
    feet = np.array([at[int(j or 0)] for j in (*ankles, *toes)])
    left, right = (at.get(-1 if w is None else int(w), at[int(roles.pelvis)]) for w in wrists)
    return _Body(joints, feet, at[int(roles.pelvis)], (left, right), LEG_M / clip.skeleton.leg_length)


@once_per_pair
def _lowest(previous: Clip, following: Clip) -> np.ndarray:
    """(2,) heights of the toes that count as floor, about the result's own."""
    toes = [foot_points(clip).toe[..., 1] for clip in (previous, following)]
    return np.quantile(np.concatenate(toes), QUANTILE, axis=0)


@once
def moves_between_s(clip: Clip) -> tuple[float, float]:
    """The first and the last second of a clip at which it moves; what is beyond is standing still."""
    speed = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).mean(axis=-1)
    moves = np.flatnonzero(speed > STILL * speed.mean()) if len(speed) else np.zeros(0, int)
    return (int(moves[0]) / clip.fps, (int(moves[-1]) + 1) / clip.fps) if len(moves) else (0.0, clip.duration)


def moves_until_s(clip: Clip) -> float:
    """The last second of a clip at which it moves."""
    return moves_between_s(clip)[1]


class _Known(NamedTuple):
    """What a clip does by itself, of the joints that are measured."""

    near: np.ndarray  # (T, J) largest acceleration within 0.1 s, m/s²; -inf where it has none
    usual: np.ndarray  # (J,) largest of all
    skate_cm_s: float
    knee_rad_s: float  # of its fastest knee
    floor: np.ndarray  # (4,) heights that ankles and toes stand at
    deepest: np.ndarray  # (4,) and the lowest they come to


@once
def _known(clip: Clip, fps: float) -> _Known:
    same = clip.resample(fps)
    values = accelerations(same)[:, measured_joints(same)]  # of frames 1 … T-2
    reach = round(AROUND_S * fps)
    wide = np.full((max(same.frames, 1) + 2 * reach, values.shape[1]), -np.inf)
    for by in range(2 * reach + 1):
        part = wide[1 + by : 1 + by + len(values)]
        np.maximum(part, values, out=part)
    points, floor = foot_points(clip), find_floor(clip)
    both = np.concatenate([points.heel[..., 1], points.toe[..., 1]], axis=1)
    heights = np.array([*floor.heel, *floor.toe])
    usual, knees = values.max(axis=0, initial=0.0), _knee_speed(clip.pose, clip, clip.fps)
    return _Known(wide, usual, skate(clip), knees, heights, both.min(axis=0))
