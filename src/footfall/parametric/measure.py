"""Parameters of a blend: measured on the blended motion itself, for many weight vectors at once.

Locomotion: forward speed, turn and side speed of the blended root over a cycle. A reach, punch or kick: where the wrist
or ankle is at the apex, in the character's frame. A jump: how far, which way and how high the root goes. Parameters
that were given by a person are blended as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.kinematics.fk import world_transforms_of
from footfall.parametric.canonical_time import blended_key_times
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.examples import Measure, Polar

PARAMETERS = {
    "locomotion": {"speed": "m/s", "turn": "°/s", "side": "m/s"},
    "target": {"x": "m", "y": "m", "z": "m"},
    "jump": {"distance": "m", "direction": "°", "height": "m"},
    "stand": {},
    "take": {},
}
ON_THE_SPOT_M = 0.005  # a jump of less has no direction to speak of: 0 is told; by eye
TOGETHER_FRAMES = 1.5  # feet that leave within so much leave together
BATCH = 4096  # weight vectors at a time, so that what is in work stays in the cache


def blended_parameters(motion: ParametricMotion) -> Measure:
    """A function from weights (Q, N) to the parameters (Q, d) of the blended motions, in the motion's own order."""
    own = PARAMETERS[motion.kind]
    measured = _MEASURES.get(motion.kind)
    columns = [
        None if name in motion.given or name not in own else list(own).index(name) for name in motion.parameter_names
    ]

    def measure(weights: np.ndarray) -> np.ndarray:
        weights = np.atleast_2d(np.asarray(weights, float))
        if weights.shape[-1] != len(motion):
            raise ParameterError(
                f"{motion.name}: weights of {len(motion)} examples are needed, got {weights.shape[-1]}"
            )
        numbers = weights @ motion.parameters
        if measured is None or all(c is None for c in columns):
            return numbers
        parts = [weights[k : k + BATCH] for k in range(0, max(len(weights), 1), BATCH)]
        found = np.concatenate([measured(motion, part) for part in parts])
        return np.stack([numbers[:, k] if c is None else found[:, c] for k, c in enumerate(columns)], axis=-1)

    return measure


def polar_of(motion: ParametricMotion) -> Polar | None:
    """Which of the measured parameters are a distance and a direction, in degrees."""
    names = [n for n in motion.parameter_names if n not in motion.given]
    if motion.kind != "jump" or not {"distance", "direction"} <= set(names):
        return None
    return Polar(motion.parameter_names.index("distance"), motion.parameter_names.index("direction"), 360.0)


def spot_told(motion: ParametricMotion, p: np.ndarray) -> np.ndarray:
    """Parameters (..., d) as people are told them: a jump on the spot goes nowhere, not 1 mm to the left."""
    polar, p = polar_of(motion), np.asarray(p, float)
    if polar is None:
        return p
    found = p.copy()
    found[..., polar.direction] *= found[..., polar.distance] >= ON_THE_SPOT_M
    return found


def measured(
    motion: ParametricMotion, by: Sequence[str] | None = None, given: Mapping[str, Sequence[float]] | None = None
) -> ParametricMotion:
    """The motion with the parameters named by `by`: measured on its examples, or given, one number an example."""
    given = dict(given or {})
    own = PARAMETERS[motion.kind]
    names = tuple(by) if by is not None else (*own, *given)
    for name in names:
        if name not in own and name not in given:
            raise UnknownName(f"parameter of a {motion.kind} motion", name, [*own, *given])
    for name, values in given.items():
        if len(values) != len(motion) or not np.isfinite(np.asarray(values, float)).all():
            raise ParameterError(
                f"{name!r} is given as {len(values)} numbers; {motion.name} has {len(motion)} examples, each needs one"
            )
    of_examples = np.zeros((len(motion), 0))
    if own:
        exact = replace(motion, time="log-rate")  # every scheme is exact at the examples; this one needs no parameters
        of_examples = _MEASURES[motion.kind](exact, np.eye(len(motion)))
    columns = [np.asarray(given[n], float) if n in given else of_examples[:, list(own).index(n)] for n in names]
    table = np.stack(columns, axis=-1) if columns else np.zeros((len(motion), 0))
    own_values = tuple(n for n in names if n in given)
    # weights that were fitted to other parameters are dropped
    found = replace(motion, parameter_names=names, parameters=table, given=own_values, fitted=None)
    return replace(found, parameters=spot_told(found, table))


def measured_on_clip(motion: ParametricMotion, clip: Clip, key_times_s: np.ndarray, blended: np.ndarray) -> np.ndarray:
    """(d,) what a clip made of the motion does, by forward kinematics; blended (d,) is what its blend does.

    key_times_s (K,) of the clip. A gait's speeds change only where a round was fitted to whole frames, which the caller
    has put into `blended`; so do parameters a person gave. What a clip is too short to show stays as blended.
    """
    if motion.kind not in ("target", "jump") or key_times_s[-1] > clip.duration + 1.0 / clip.fps:
        return blended
    pose = clip.sample(key_times_s)
    if motion.kind == "target":
        joint = getattr(motion.skeleton.roles, motion.effector)
        found = world_transforms_of(clip.skeleton, pose, [joint])[0][motion.marks.index("apex"), 0]
    else:
        apex, off = _top(motion)
        found = _leap(pose.root_pos[[0, off, apex, -1], None])[0]
    own = list(PARAMETERS[motion.kind])
    taken = [found[own.index(n)] if n in own and n not in motion.given else None for n in motion.parameter_names]
    return np.array([b if t is None else t for t, b in zip(taken, blended, strict=True)])


def _locomotion(motion: ParametricMotion, weights: np.ndarray) -> np.ndarray:
    """(Q, 3) forward m/s, turn °/s, side m/s of the blended root over one cycle."""
    rates = motion.blended_rates(weights, weights @ motion.parameters if motion.time == "gamma" else None)
    seconds = blended_key_times(rates)[:, -1]
    forward, left, turn = (weights @ motion.travel[-1]).T / seconds
    ahead, beside = (weights @ motion.pelvis).T  # the pelvis goes round with the carrier at this distance
    return np.stack([forward - turn * beside, np.degrees(turn), left + turn * ahead], axis=-1)


def _target(motion: ParametricMotion, weights: np.ndarray) -> np.ndarray:
    """(Q, 3) the wrist or ankle at the apex; only the joints that carry it are blended."""
    joint = getattr(motion.skeleton.roles, motion.effector)
    chain = [joint]
    while chain[-1] != 0:
        chain.append(int(motion.skeleton.parents[chain[-1]]))
    g = motion.marks.index("apex") * motion.cells // (len(motion.marks) - 1)  # key times lie on the grid
    vectors = np.tensordot(weights, motion.vectors[g][:, chain], axes=1)  # (Q, C, 3)
    rot = np.empty((len(weights), len(motion.skeleton), 4))
    rot[:, chain] = rotation.multiply(motion.mean[g, chain], rotation.exp(vectors))
    offsets = None if motion.offsets is None else np.tensordot(weights, motion.offsets[g], axes=1)
    pose = Pose(weights @ motion.root[g], rot, offsets)
    return world_transforms_of(motion.skeleton, pose, [joint])[0][:, 0]


def _jump(motion: ParametricMotion, weights: np.ndarray) -> np.ndarray:
    """(Q, 3) metres from start to end, degrees to the left of ahead, metres risen from take-off to the top."""
    apex, off = _top(motion)
    cells = motion.cells // (len(motion.marks) - 1)
    return _leap(np.einsum("qn,gnk->gqk", weights, motion.root[[0, cells * off, cells * apex, -1]]))


def _top(motion: ParametricMotion) -> tuple[int, int]:
    """Which key times are the top of a jump and the last foot's take-off before it.

    Feet that leave together have key times a frame apart (`structure`): then it is the first of them.
    """
    apex = motion.marks.index("apex")
    offs = [k for k in range(apex) if motion.marks[k].endswith("off")] or [0]
    gaps = np.diff(motion.key_times[:, offs[-2:]], axis=1)
    return apex, offs[-2] if len(offs) > 1 and gaps.mean() < TOGETHER_FRAMES / motion.fps else offs[-1]


def _leap(root: np.ndarray) -> np.ndarray:
    """(Q, 3) distance, direction and height of roots (4, Q, 3): at the start, take-off, the top and the end."""
    forward, left = (root[3] - root[0])[:, 2], (root[3] - root[0])[:, 0]
    direction = np.degrees(np.arctan2(left, forward))
    return np.stack([np.hypot(forward, left), direction, (root[2] - root[1])[:, 1]], axis=-1)


_MEASURES: dict[str, Callable[[ParametricMotion, np.ndarray], np.ndarray]] = {
    "locomotion": _locomotion,
    "target": _target,
    "jump": _jump,
}
