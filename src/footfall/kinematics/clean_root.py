"""The whole body elsewhere for a moment: interpolated when it comes back, reported and kept when it does not."""

from __future__ import annotations

import numpy as np

from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.clean_steps import OUTLIER, moment, typical

SPEED = 15.0  # m/s; nobody's pelvis is faster (scaled with bodies taller than 1.7 m)
AWAY_S = 0.25  # longest absence that is interpolated
RETURN = 0.5  # it comes back to within this share of the distance, beyond the way it would have gone


def repair_root(skeleton: Skeleton, fps: float, pose: Pose, told: list[str]) -> Pose:
    """Poses whose root (and pelvis, where that is another joint with its own position) does not jump."""
    fixed = _repaired(pose.root_pos, fps, skeleton, 0, told)
    if fixed is not None:
        pose = pose._replace(root_pos=fixed)
    pelvis = skeleton.roles.pelvis if pose.pos is not None else 0
    if pelvis and pose.pos is not None:
        track = _repaired(pose.pos[:, pelvis], fps, skeleton, pelvis, told)
        if track is not None:
            pos = pose.pos.copy()
            pos[:, pelvis] = track
            pose = pose._replace(pos=pos)
    return pose


def _bad_ways(track: np.ndarray, fps: float, skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps too long to be motion: their indices, the median step around each, and the lengths of all steps."""
    way = np.diff(track, axis=0)
    sizes = np.sqrt((way * way).sum(axis=-1))
    big = np.flatnonzero(sizes > SPEED / fps)
    if len(big):  # giants move faster: only now is the body's height worth working out
        big = big[sizes[big] > _limit(fps, skeleton)]
    usual = typical(sizes, big, fps) if len(big) else np.zeros(0)
    keep = sizes[big] > OUTLIER * usual
    return big[keep], usual[keep], sizes


def _limit(fps: float, skeleton: Skeleton) -> float:
    return SPEED / fps * max(1.0, skeleton.height / 1.7)


def _repaired(track: np.ndarray, fps: float, skeleton: Skeleton, joint: int, told: list[str]) -> np.ndarray | None:
    """Positions (T, 3) of one joint without short absences; None when there are none."""
    big, usual, sizes = _bad_ways(track, fps, skeleton)
    if not len(big):
        return None
    name, limit = skeleton.names[joint], _limit(fps, skeleton)
    fixed, used, longest = None, -1, max(1, round(AWAY_S * fps))
    for i, start in enumerate(big.tolist()):
        if start <= used:
            continue
        at = track if fixed is None else fixed
        used = start
        for end in (int(b) for b in big[i + 1 :] if b - start <= longest):
            share = np.arange(1, end - start + 1)[:, None] / (end - start + 1)
            bridge = at[start] + share * (at[end + 1] - at[start])
            away = float(np.sqrt(((at[start + 1 : end + 1] - bridge) ** 2).sum(axis=-1)).max())
            across = float(np.linalg.norm(at[end + 1] - at[start]))
            if away > limit and across < RETURN * away + (end - start + 1) * usual[i]:
                fixed = at.copy() if fixed is None else fixed
                fixed[start + 1 : end + 1] = bridge
                told.append(f"{name}: {moment(start + 1, end, fps)} up to {away:.2f} m away and back; interpolated")
                used = end
                break
        else:
            told.append(f"{name}: jumps {sizes[start]:.2f} m after {moment(start, start, fps)} and stays there; kept")
    return fixed
