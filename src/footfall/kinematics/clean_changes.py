"""What cleaning changed of a clip: how many frames, which joints, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.kinematics.fk import end_positions, world_transforms

if TYPE_CHECKING:
    from footfall.core.clip import Clip

SEEN_M, SEEN_DEG = 0.01, 5.0  # a frame in which no joint moves or turns by more than this looks as it did: by eye
OWN_DEG, OWN_M = 0.5, 0.001  # a joint that turns by more, or a root that moves by more, was changed itself: by eye
WHOLE = 0.5  # share of a body's joints beyond which the whole of it was changed: by eye
MOST_NAMES = 4  # joints named


class Change(NamedTuple):
    """How far something was changed, and in how many frames."""

    frames: int
    most_m: float  # that a joint or the end of a bone was moved by
    most_deg: float  # that a joint was turned by

    @property
    def far(self) -> str:
        return f"{100.0 * self.most_m:.1f} cm" if self.most_m > SEEN_M else f"{self.most_deg:.0f}°"


@dataclass(frozen=True)
class CleanChanges:
    """Changes that can be seen."""

    whole: Change  # frames in which most of the body was changed, as the T-pose that many captures begin with
    single: Change  # the others
    joints: dict[str, int]  # frames among the others in which each joint was changed, the most first

    @property
    def frames(self) -> int:
        return self.whole.frames + self.single.frames

    def __str__(self) -> str:
        names = [f"{name} {count}" for name, count in self.joints.items()]
        names = names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
        far = [self.single.far] if self.single.frames else []
        if self.whole.frames:
            names.insert(0, f"the whole body {self.whole.frames}")
            far.append(f"the whole body by {self.whole.far}" if far else self.whole.far)
        many = f"{self.frames} frame{'s' if self.frames > 1 else ''}"
        return f"{many} ({', '.join(names)}), by up to {', '.join(far)}"


def clean_changes(before: Clip, after: Clip) -> CleanChanges | None:
    """What differs between a clip as it was read and cleaned; None where nobody would see it."""
    if before.pose.rot.shape != after.pose.rot.shape or not before.frames:
        return None
    differ = (before.pose.root_pos != after.pose.root_pos).any(axis=-1)
    differ |= (before.pose.rot != after.pose.rot).any(axis=(1, 2))
    frames = np.flatnonzero(differ)
    if not len(frames):
        return None
    turned = np.degrees(rotation.angle_between(before.pose.rot[frames], after.pose.rot[frames]))  # (F, J)
    moved = np.linalg.norm(_points(before, frames) - _points(after, frames), axis=-1)  # (F, J + ends)
    shifted = np.linalg.norm(before.pose.root_pos[frames] - after.pose.root_pos[frames], axis=-1)
    seen = (moved.max(axis=1) > SEEN_M) | (turned.max(axis=1) > SEEN_DEG)
    if not seen.any():
        return None
    own = turned > OWN_DEG
    own[:, 0] |= shifted > OWN_M
    whole = own.mean(axis=1) > WHOLE
    parts = [
        Change(int(k.sum()), float(moved[k].max(initial=0.0)), float(turned[k].max(initial=0.0)))
        for k in (seen & whole, seen & ~whole)
    ]
    counts = own[seen & ~whole].sum(axis=0)
    order = [int(j) for j in np.argsort(-counts, kind="stable") if counts[j]]
    return CleanChanges(parts[0], parts[1], {after.skeleton.names[j]: int(counts[j]) for j in order})


def _points(clip: Clip, frames: np.ndarray) -> np.ndarray:
    """(F, J + E, 3) joints and the ends of bones in the world."""
    skeleton, pose = clip.skeleton, clip.pose
    at = type(pose)(pose.root_pos[frames], pose.rot[frames], None if pose.pos is None else pose.pos[frames])
    places, turns = world_transforms(skeleton, at)
    return np.concatenate([places, end_positions(skeleton, places, turns)], axis=1)
