"""Body signals: what the judge looks at on one clip: centre of mass, pelvis, soles, support, heading, detail.

Lengths are those of a body whose legs are 0.86 m long, so that one limit serves every body.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.base_foot import centre_of_mass
from footfall.analysis.foot_points import BALL_UP, foot_points
from footfall.core import rotation
from footfall.core.once import once
from footfall.kinematics.root import floor_root
from footfall.quality.skate import LEG_M

if TYPE_CHECKING:
    from footfall.core.clip import Clip

FLOOR = [0, 2]  # x and z
LOW_PASS_HZ = 6.0  # published: the usual cut-off for gait kinematics (Winter 2009, chapter 2)
GRAVITY = 9.81  # m/s²
EDGE_S = 0.02  # differences within this of a clip's ends are not trusted
LEVEL_SHARE = 0.25  # quantile of a standing sole's height that is its level: a rolling foot is higher before and after
STANCE_EDGE = 0.15  # share of a contact, at either end, in which the foot lands or lifts


class Stance(NamedTuple):
    """One contact of one foot."""

    foot: int  # 0 left, 1 right
    start_s: float
    end_s: float
    level: float  # how high its sole stands, metres
    whole: bool  # not cut by an end of the clip
    place: np.ndarray  # (2,) where its ball stands


@dataclass(frozen=True, eq=False)
class BodySignals:
    """One clip; T frames, scaled to legs of 0.86 m."""

    fps: float
    mass: np.ndarray  # (T, 3) centre of mass, low-passed
    pelvis: np.ndarray  # (T, 3)
    soles: np.ndarray  # (T, 2, 3, 3) heel, ball and tip of both feet
    down: np.ndarray  # (T, 2) which feet stand
    heading: np.ndarray  # (T,) radians, unwrapped
    joints: np.ndarray  # (T, J, 3) all joints
    stances: tuple[Stance, ...]

    @cached_property
    def floor(self) -> float:
        """Median height of the soles while they stand; of the lowest sole where none does."""
        if self.stances:
            return float(np.median([s.level for s in self.stances]))
        return float(self.soles[..., 1].min())

    @cached_property
    def ground(self) -> np.ndarray:
        """(T, 2) how high each foot stands around each frame: floors of captures slope, and differ between feet."""
        t = np.arange(len(self.pelvis)) / self.fps
        found = np.full((len(t), 2), self.floor)
        for foot in (0, 1):
            mine = [s for s in self.stances if s.foot == foot]
            if mine:
                middle = [0.5 * (s.start_s + s.end_s) for s in mine]
                found[:, foot] = np.interp(t, middle, [s.level for s in mine])
        return found

    @cached_property
    def depth(self) -> np.ndarray:
        """(T,) how far heel or ball of either foot are under the ground they stand on, metres."""
        return np.asarray(np.maximum(self.ground - self.soles[:, :, :2, 1].min(axis=2), 0.0).max(axis=1))

    @cached_property
    def pelvis_height(self) -> np.ndarray:
        """(T,) over the ground, metres."""
        return np.asarray(self.pelvis[:, 1] - self.ground.mean(axis=1))


@once
def body_signals(clip: Clip) -> BodySignals:
    """Everything the judge asks of a clip, worked out once."""
    scale = LEG_M / clip.skeleton.leg_length
    points = foot_points(clip)
    soles = points.sole * scale
    soles[:, :, 1:, 1] -= BALL_UP * LEG_M  # balls and tips are joints, over the sole
    contacts = clip.contacts
    _, heading = floor_root(clip.skeleton, clip.pose)
    return BodySignals(
        clip.fps,
        low_pass(centre_of_mass(clip) * scale, clip.fps),
        points.pelvis * scale,
        soles,
        np.stack([contacts.left, contacts.right], axis=1),
        np.unwrap(heading),
        clip.positions * scale,
        tuple(_stances(clip, soles)),
    )


def _stances(clip: Clip, soles: np.ndarray) -> list[Stance]:
    found = []
    for foot, side in enumerate(("left", "right")):
        for start_s, end_s in clip.contacts.spans(side):
            edge = STANCE_EDGE * (end_s - start_s)
            a, b = round((start_s + edge) * clip.fps), round((end_s - edge) * clip.fps)
            part = soles[max(a, 0) : b + 1, foot, :2]  # heel and ball
            if len(part):
                level = float(np.quantile(part[..., 1].min(axis=1), LEVEL_SHARE))
                whole = start_s > 1e-6 and end_s < clip.duration - 1e-6
                found.append(Stance(foot, start_s, end_s, level, whole, np.median(part[:, 1][:, FLOOR], axis=0)))
    return sorted(found, key=lambda s: s.start_s)


def low_pass(x: np.ndarray, fps: float, cutoff_hz: float = LOW_PASS_HZ) -> np.ndarray:
    """A signal (T, …) without what is quicker than the cut-off, and without lag (Butterworth, both ways)."""
    from scipy.signal import butter, filtfilt

    if len(x) < 16 or cutoff_hz >= 0.45 * fps:
        return x
    b, a = butter(2, cutoff_hz / (0.5 * fps))
    smooth: np.ndarray = filtfilt(b, a, x, axis=0, padlen=min(3 * max(len(a), len(b)) * 4, len(x) - 1))
    return smooth


def velocity(x: np.ndarray, fps: float) -> np.ndarray:
    """First difference (T, …), a second."""
    return np.gradient(x, axis=0) * fps if len(x) > 1 else np.zeros_like(x)


def quick_turns(clip: Clip, above_hz: float, joints: np.ndarray) -> np.ndarray:
    """(T,) energy of the angular velocity of some joints above a frequency, rad²/s², summed over joints."""
    rot = clip.pose.rot[:, joints]
    if len(rot) < 16:
        return np.zeros(len(rot))
    spin = rotation.log(rotation.multiply(rotation.conjugate(rot[:-1]), rot[1:])) * clip.fps
    spin = np.concatenate([spin, spin[-1:]])
    quick = spin - low_pass(spin, clip.fps, above_hz)
    return np.asarray((quick**2).sum(axis=(-1, -2)))
