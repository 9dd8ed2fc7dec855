"""Body signals: what the judge looks at on one clip: centre of mass, pelvis, soles, support, heading, detail.

Lengths are those of a body whose legs are 0.86 m long, so that one limit serves every body.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.base_foot import centre_of_mass
from footfall.analysis.foot_points import foot_points
from footfall.analysis.stances import Stance, find_stances, sole_points
from footfall.core import rotation
from footfall.core.once import once
from footfall.kinematics.root import floor_root
from footfall.quality.skate import LEG_M

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LOW_PASS_HZ = 6.0  # published: the usual cut-off for gait kinematics (Winter 2009, chapter 2)
GRAVITY = 9.81  # m/s²
EDGE_S = 0.02  # differences within this of a clip's ends are not trusted


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
    hands: np.ndarray  # (T, H, 3) wrists as seen from the pelvis, which looks along z
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
                ends = [x for s in mine for x in (s.start_s, s.end_s)]
                found[:, foot] = np.interp(t, ends, [s.level for s in mine for _ in (0, 1)])
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
    contacts = clip.contacts
    _, heading = floor_root(clip.skeleton, clip.pose)
    roles = clip.skeleton.roles
    wrists = [joint for joint in (roles.left_wrist, roles.right_wrist) if joint is not None]
    hands = facing(clip.positions[:, wrists] - points.pelvis[:, None], heading)
    return BodySignals(
        clip.fps,
        mass_path(clip),
        points.pelvis * scale,
        sole_points(clip) * scale,
        np.stack([contacts.left, contacts.right], axis=1),
        np.unwrap(heading),
        clip.positions * scale,
        hands * scale,
        tuple(s._replace(level=scale * s.level, place=scale * s.place) for s in find_stances(clip)),
    )


def facing(away: np.ndarray, heading: np.ndarray) -> np.ndarray:
    """Vectors (T, N, 3) as a body sees them that looks along z, where it faces headings (T,)."""
    return rotation.rotate(rotation.yaw(-heading)[:, None], away)


def mass_path(clip: Clip) -> np.ndarray:
    """(T, 3) centre of mass, low-passed, of a body whose legs are 0.86 m long."""
    return low_pass(centre_of_mass(clip) * (LEG_M / clip.skeleton.leg_length), clip.fps)


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
