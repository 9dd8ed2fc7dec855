"""Layers: a clip laid over a motion by hand, on any joints, with a weight that may change over time."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.timeline.body_parts import joints_of
from footfall.timeline.composition import feet_kept
from footfall.timeline.model import Layer

FADE_S = 0.3  # seconds in which a layer without a weight curve fades in and out. By eye


def lay(skeleton: Skeleton, pose: Pose, clip: Clip, layer: Layer, start_s: float, fps: float) -> Pose:
    """Poses (T,) with a layer that begins at start_s over them; feet stay where they were.

    "override" turns joints as the clip has them; "additive" adds what the clip does from its first frame on. The root's
    place is never the layer's: a layer poses a body, it does not move it.
    """
    times = np.arange(len(pose.root_pos)) / fps - start_s
    frames = np.flatnonzero((times >= 0.0) & (times <= clip.duration))
    joints = joints_of(skeleton, layer.joints)
    if not len(frames):
        return pose
    own, base = clip.sample(times[frames]).rot[:, joints], pose.rot[frames][:, joints]
    if layer.mode == "additive":
        own = rotation.multiply(base, rotation.multiply(rotation.conjugate(clip.pose.rot[:1, joints]), own))
    rot = np.array(pose.rot)
    rot[np.ix_(frames, joints)] = rotation.slerp(base, own, weights(layer, clip, times[frames])[:, None])
    laid = feet_kept(
        skeleton, pose.at(frames), Pose(pose.root_pos[frames], rot[frames], None), np.zeros((len(frames), 3))
    )
    rot[frames] = laid.rot
    root_pos = np.array(pose.root_pos)
    root_pos[frames] = laid.root_pos
    return fix_signs(pose._replace(root_pos=root_pos, rot=rot))


def weights(layer: Layer, clip: Clip, t_s: np.ndarray) -> np.ndarray:
    """(K,) the layer's share at seconds after its start: its curve, or a fade in and out."""
    if layer.weight:
        at, value = np.array(layer.weight).T
        return np.interp(t_s, at, value)
    fade = min(FADE_S, 0.5 * clip.duration)
    return ease(np.minimum(t_s, clip.duration - t_s) / max(fade, 1e-9))
