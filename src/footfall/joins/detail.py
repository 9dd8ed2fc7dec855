"""Detail: the quick small movement of trunk and arms that a blend would smooth away, kept.

Above 4 Hz two motions know nothing of each other. Blended by weights w and 1 - w their energies count w² and (1 - w)²,
so that halfway a body is half as lively as in either clip. Here each keeps the root of its weight, and energies add up
to w E₁ + (1 - w) E₂: what the judge compares with (`quality.liveliness`).
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.quality.body_signals import low_pass
from footfall.quality.liveliness import DETAIL_HZ, detail_joints


@once
def quick_part(clip: Clip) -> np.ndarray:
    """(T, D, 3) rotation vectors from where trunk and arms would be without what is quicker than 4 Hz to where they
    are."""
    rot = clip.pose.rot[:, detail_joints(clip)]
    slow = rotation.normalize(low_pass(rot, clip.fps, DETAIL_HZ))
    return rotation.log(rotation.multiply(rotation.conjugate(slow), rot))


def with_detail(pose: Pose, sources: tuple[tuple[Clip | None, np.ndarray, np.ndarray], ...]) -> Pose:
    """Blended poses (K,) with the detail of what was blended: clips, the times (K,) they were at, their weights (K,).

    Past the ends of a clip, where its velocities die away, its detail goes on backwards.
    """
    joints = next((detail_joints(clip) for clip, _, _ in sources if clip is not None), np.zeros(0, int))
    more = np.zeros((len(pose.root_pos), len(joints), 3))
    for clip, times_s, weight in sources:
        if clip is None or clip.duration <= 0.0:
            continue
        inside = np.asarray(clip.is_loop | ((times_s >= 0.0) & (times_s <= clip.duration)))
        missing = np.sqrt(weight) - np.where(inside, weight, 0.0)
        more += missing[:, None, None] * _at(clip, times_s)
    rot = np.array(pose.rot)
    rot[:, joints] = rotation.multiply(rot[:, joints], rotation.exp(more))
    return pose._replace(rot=rot)


def _at(clip: Clip, times_s: np.ndarray) -> np.ndarray:
    """(K, D, 3) the detail of a clip at any times: round and round in a loop, else to and fro."""
    known, length = quick_part(clip), clip.duration
    times = np.mod(times_s, length) if clip.is_loop else length - np.abs(np.mod(times_s, 2.0 * length) - length)
    x = np.clip(times * clip.fps, 0.0, len(known) - 1.0)
    first = np.minimum(x.astype(int), max(len(known) - 2, 0))
    share = (x - first)[:, None, None]
    return (1.0 - share) * known[first] + share * known[np.minimum(first + 1, len(known) - 1)]
