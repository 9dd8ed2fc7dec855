"""Limb signals: position, speed and extension of hands and feet relative to the body, which reveal one-shots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.base_foot import joint_paths
from footfall.core import rotation
from footfall.core.roles import SIDES
from footfall.kinematics.fk import world_transforms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.core.clip import Clip

SMOOTH_S = 0.02  # width of the Gaussian that paths are smoothed by, short since strikes are sharp: by eye
SHORT_M = 1e-3  # a limb this short is none
HAND = 0.35  # arm lengths from wrist to finger tips (Drillis & Contini 1966)


@dataclass(frozen=True, eq=False)
class LimbMotion:
    """One arm or leg over time, as the body faces: +Z ahead, +X to its left. Lengths in lengths of the limb."""

    side: str
    length: float  # metres, its two bones
    end: np.ndarray  # (T, 3) wrist or ankle from shoulder or hip
    middle: np.ndarray  # (T, 3) elbow or knee from shoulder or hip
    tip: np.ndarray  # (T, 3) finger tips from the shoulder; of a leg its end
    place: np.ndarray  # (T, 3) wrist or ankle from the pelvis
    speed: np.ndarray  # (T,) of the wrist or ankle against the pelvis, a second

    @property
    def stretch(self) -> np.ndarray:
        """(T,) how far the end is from the shoulder or hip; 1 is straight."""
        return np.linalg.norm(self.end, axis=-1)


@dataclass(frozen=True, eq=False)
class LimbSignals:
    """Arms, legs and pelvis of a clip; limbs that the body lacks are not there."""

    fps: float
    arms: tuple[LimbMotion, ...]
    legs: tuple[LimbMotion, ...]
    pelvis: np.ndarray  # (T,) height, leg lengths
    travel: np.ndarray  # (T,) speed of the pelvis over the floor, leg lengths a second
    leg: float  # metres


def limb_signals(clip: Clip) -> LimbSignals:
    """The signals of a clip of at least two frames."""
    from scipy.ndimage import gaussian_filter1d

    roles, width = clip.skeleton.roles, SMOOTH_S * clip.fps
    chains = {
        f"{side}_{kind}": [getattr(roles, f"{side}_{part}") for part in parts]
        for kind, parts in (("arm", ("shoulder", "elbow", "wrist")), ("leg", ("hip", "knee", "ankle")))
        for side in SIDES
    }
    chains = {name: joints for name, joints in chains.items() if None not in joints}
    paths = joint_paths(clip, [roles.pelvis, *(j for joints in chains.values() for j in joints)])
    paths = gaussian_filter1d(paths, width, axis=0, mode="nearest")
    pelvis = paths[:, 0]
    turn = rotation.yaw(-clip.root_motion.heading)
    leg = clip.skeleton.leg_length
    found = {
        name: _limb(
            name.split("_")[0],
            paths[:, 1 + 3 * k : 4 + 3 * k],
            pelvis,
            turn,
            clip.fps,
            _hand(clip, chains[name]) if name.endswith("arm") else None,
        )
        for k, name in enumerate(chains)
    }
    arms, legs = (
        tuple(limb for name, limb in found.items() if name.endswith(kind) and limb.length > SHORT_M)
        for kind in ("arm", "leg")
    )
    travel = np.linalg.norm(np.gradient(pelvis[:, [0, 2]], axis=0), axis=-1) * clip.fps / leg
    return LimbSignals(clip.fps, arms, legs, pelvis[:, 1] / leg, gaussian_filter1d(travel, 4.0 * width), leg)


def _hand(clip: Clip, chain: Sequence[int]) -> np.ndarray:
    """(T, 3) which way a hand points, world: in the rest pose on from the forearm."""
    _, elbow, wrist = chain
    places, turns = clip.skeleton.rest_positions, clip.skeleton.rest_world[1]
    along = places[wrist] - places[elbow]
    local = rotation.rotate(rotation.conjugate(turns[wrist]), along / max(float(np.linalg.norm(along)), 1e-9))
    return rotation.rotate(world_transforms_of(clip.skeleton, clip.pose, [wrist])[1][:, 0], local)


def _limb(
    side: str, paths: np.ndarray, pelvis: np.ndarray, turn: np.ndarray, fps: float, hand: np.ndarray | None
) -> LimbMotion:
    """paths (T, 3, 3) of shoulder, elbow, wrist, or of hip, knee, ankle; turn (T, 4) takes the heading off."""
    bones = np.linalg.norm(np.diff(paths, axis=1), axis=-1)
    length = max(float(np.median(bones, axis=0).sum()), 1e-9)
    seen = rotation.rotate(turn[:, None], (paths - pelvis[:, None])) / length
    speed = np.linalg.norm(np.gradient(seen[:, 2], axis=0), axis=-1) * fps
    end = seen[:, 2] - seen[:, 0]
    tip = end if hand is None else end + HAND * rotation.rotate(turn, hand)
    return LimbMotion(side, length, end, seen[:, 1] - seen[:, 0], tip, seen[:, 2], speed)
