"""A parametric motion on another body: every example retargeted, steps, key times and weights as they were.

The carrier of an example travels as many leg lengths as before; what its poses are on that carrier comes from
`retarget.retarget` of the whole example, so that feet stand with the new body's own legs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.edit.loop import first_joint_under_body
from footfall.kinematics.fk import world_transforms_of
from footfall.parametric import canonical_time, play
from footfall.parametric.arc_root import frames_at
from footfall.parametric.measure import PARAMETERS, blended_parameters, measured
from footfall.parametric.parametric_motion import ParametricMotion, with_weights
from footfall.parametric.posture import log_vectors, mean_orientations
from footfall.retarget.character import Character
from footfall.retarget.retarget import retarget

LENGTHS = ("speed", "side", "distance", "height", "x", "y", "z")  # parameters in metres, or metres a second
LOWEST = -0.15  # weight, of gaits: as the built-in graph fits them
MEASURED = ("target", "jump")  # kinds whose parameters are where a hand or a foot gets to on this body


def on_body(motion: ParametricMotion, body: Character) -> ParametricMotion:
    """The motion on a character."""
    scale = body.leg_length / motion.skeleton.leg_length
    grid = np.linspace(0.0, 1.0, motion.cells + 1)
    poses = [_example_on(motion, k, body, scale, grid) for k in range(len(motion))]
    rot = np.stack([pose.rot for pose in poses], axis=1)
    mean = mean_orientations(rot)
    found = replace(
        motion,
        skeleton=body.skeleton,
        parameters=motion.parameters * [scale if _is_length(name) else 1.0 for name in motion.parameter_names],
        mean=mean,
        vectors=log_vectors(rot, mean),
        root=np.stack([pose.root_pos for pose in poses], axis=1),
        travel=motion.travel * np.array([scale, scale, 1.0]),
        pelvis=motion.pelvis * scale,
        offsets=None,
        fitted=None,
    )
    return _with_parameters(found, motion)


def _is_length(name: str) -> bool:
    return name.removesuffix("_before").removesuffix("_after") in LENGTHS


def _example_on(motion: ParametricMotion, k: int, body: Character, scale: float, grid: np.ndarray) -> Pose:
    """One example on the body, seen from its carrier, at canonical times (G + 1,)."""
    weights = np.eye(len(motion))[k]
    keys = canonical_time.blended_key_times(motion.blended_rates(weights, motion.parameters[k]))
    frames = max(round(float(keys[-1]) * motion.fps), 4) + 1
    times = np.linspace(0.0, float(keys[-1]), frames)  # whole frames: a round ends where it began
    t = canonical_time.to_canonical(times, keys)
    way = play.carried(motion, weights, t)
    clip = Clip(motion.skeleton, (frames - 1) / float(keys[-1]), way.pose(motion.local_pose(t, weights)),
                motion.examples[k], motion.is_loop)  # fmt: skip
    put = on_first_joint(retarget(clip, body))
    way = play.carried(motion, weights, grid)
    points = scale * (way.shift[:, 2] + 1j * way.shift[:, 0])
    seconds = np.minimum(canonical_time.to_actual(grid, keys), keys[-1] - 1e-9)
    pose = frames_at(points, way.turn).inverse().pose(replace(put, is_loop=False).sample(seconds))
    if motion.is_loop:
        pose.root_pos[-1], pose.rot[-1] = pose.root_pos[0], rotation.nearest_sign(pose.rot[0], pose.rot[-1])
    return pose


def on_first_joint(clip: Clip) -> Clip:
    """The same motion with its bones as long as they are: where the pelvis hangs below joint 0, that moves with it.

    Heroes of games have a root on the floor in which the hips are moved; live characters turn joints only.
    """
    pelvis = clip.skeleton.roles.pelvis
    if clip.pose.pos is None or pelvis is None:
        return clip
    under = first_joint_under_body(clip)
    stiff = under.pose._replace(pos=None)
    (true,), (there,) = (
        np.moveaxis(world_transforms_of(clip.skeleton, pose, [pelvis])[0], -2, 0) for pose in (under.pose, stiff)
    )
    return under.with_pose(stiff._replace(root_pos=stiff.root_pos + true - there))


def _with_parameters(found: ParametricMotion, was: ParametricMotion) -> ParametricMotion:
    """Parameters measured where the body decides on them, and weights fitted by the method they were."""
    names = found.parameter_names
    if found.kind in MEASURED:
        given = {n: found.parameters[:, i].tolist() for i, n in enumerate(names) if n not in PARAMETERS[found.kind]}
        found = measured(found, names, given)
    if was.fitted is None or len(found) == 1:
        return found
    method = getattr(was.fitted, "name", "rbf")
    if method == "smooth-inverse":
        return with_weights(found, method, blended_parameters(found), lowest=LOWEST)
    return with_weights(found, method)
