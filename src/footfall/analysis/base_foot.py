"""Base foot: the foot a body rests on, phase by phase, and the centre of mass that decides between two.

Oshita 2008: the right foot in RS, the left in LS, the one nearer the centre of mass on the floor in DS, none in NS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.arc import floor_plane
from footfall.analysis.floor import foot_points
from footfall.analysis.phases import Phase, find_phases
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.mass import mass_segments, mass_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.core.clip import Clip

ALONE = {"RS": "right", "LS": "left"}
PER_PHASE = 8  # frames of a DS phase that are looked at


def base_feet(clip: Clip, phases: Sequence[Phase] | None = None) -> list[str | None]:
    """The base foot of each phase, "left", "right" or None; in DS the one that is nearer for most of it."""
    phases = find_phases(clip) if phases is None else phases
    double = [k for k, phase in enumerate(phases) if phase.label == "DS"]
    feet: list[str | None] = [ALONE.get(phase.label) for phase in phases]
    if double:
        start, end = (np.array([getattr(phases[k], at) for k in double]) * clip.fps for at in ("start_s", "end_s"))
        frames = np.round(np.linspace(start, end, PER_PHASE, axis=-1)).astype(int)  # (DS, PER_PHASE)
        apart = _distances(clip, np.clip(frames, 0, clip.frames - 1).ravel()).reshape(*frames.shape, 2).mean(axis=1)
        for k, (left, right) in zip(double, apart, strict=True):
            feet[k] = "left" if left <= right else "right"
    return feet


def base_foot_at(clip: Clip, t_s: float, phases: Sequence[Phase] | None = None) -> str | None:
    """The base foot at one moment; None while no foot supports."""
    phases = find_phases(clip) if phases is None else phases
    label = next((p.label for p in phases if p.start_s <= t_s < p.end_s), phases[-1].label if phases else "NS")
    if label != "DS":
        return ALONE.get(label)
    frame = int(np.clip(round(t_s * clip.fps), 0, clip.frames - 1))
    left, right = _distances(clip, np.array([frame]))[0]
    return "left" if left <= right else "right"


def centre_of_mass(clip: Clip, frames: np.ndarray | None = None) -> np.ndarray:
    """(T, 3) centre of mass at every frame, or at those asked for, from the segments that the skeleton has."""
    segments = mass_segments(clip.skeleton.roles)
    joints = sorted({j for a, b, _, _ in segments for j in (a, b)})
    return np.einsum("j,tjx->tx", mass_weights(segments, joints), joint_paths(clip, joints, frames))


def joint_paths(clip: Clip, joints: Sequence[int], frames: np.ndarray | None = None) -> np.ndarray:
    """(T, len(joints), 3) world positions of some joints at all or some frames, computing no more than they need."""
    if "positions" in clip.__dict__:  # all of them were asked for before
        return clip.positions[:, joints] if frames is None else clip.positions[frames][:, joints]
    pose = clip.pose if frames is None else clip.pose.at(frames)
    return world_transforms_of(clip.skeleton, pose, joints)[0]


def _distances(clip: Clip, frames: np.ndarray) -> np.ndarray:
    """(F, 2) floor distance of the centre of mass from the middle of each foot, left and right."""
    points = foot_points(clip)
    feet = floor_plane(0.5 * (points.heel[frames] + points.toe[frames]))
    return np.abs(feet - floor_plane(centre_of_mass(clip, frames))[:, None])
