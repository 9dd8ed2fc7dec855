"""Blend spaces as the page shows them: examples to draw, one round of poses for a request, and maps of a method."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.errors import ParameterError
from footfall.parametric import canonical_time, play
from footfall.parametric.blend_space import BlendSpace
from footfall.parametric.measure import PARAMETERS, spot_told
from footfall.parametric.motion_flow import flow, sudden_weights
from footfall.parametric.request import worst
from footfall.parametric.weight_maps import WeightMap, shown_range
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio.figures import skeleton_view
from footfall.weights.weights import FittedWeights

ACROSS_UP = {"target": (0, 1), "locomotion": (1, 0), "jump": (1, 0)}  # which parameters the picture's axes are
ROUND_FPS, FEWEST, MOST = 45.0, 24, 160  # poses of one round
FLOW_FPS, FLOW_FRAMES = 30.0, 90
NATURAL = 1.8  # times the mean of the steps around it: from there on a step is seen as sudden; by eye
FLOW_JOINTS = ("pelvis", "head", "left_wrist", "right_wrist", "left_ankle", "right_ankle", "left_knee", "right_knee")
MOST_LINES = 12  # joints drawn of a body nobody knows


def opened(name: str, space: BlendSpace) -> m.BlendSpaceOpened:
    """A space with its examples and the range of its picture."""
    motion = space.motion
    low, high = shown_range(space)
    units = tuple("" if n in motion.given else PARAMETERS[motion.kind].get(n, "") for n in motion.parameter_names)
    examples = tuple(
        m.BlendExample(example, _rounded(values))
        for example, values in zip(motion.examples, motion.parameters, strict=True)
    )
    note = motion.fitted.note if isinstance(motion.fitted, FittedWeights) else ""
    return m.BlendSpaceOpened(
        name, motion.parameter_names, units, axes_of(space), _rounded(low), _rounded(high), examples,
        skeleton_view(motion.skeleton), motion.is_loop, apex_of(space), space.note or note,
    )  # fmt: skip


def axes_of(space: BlendSpace) -> tuple[int, ...]:
    """Which parameters go across and up in the picture."""
    return ACROSS_UP.get(space.motion.kind, (0, 1)) if len(space.motion.parameter_names) > 1 else (0,)


def apex_of(space: BlendSpace) -> float | None:
    """The canonical time at which an action does what it is for."""
    marks = space.motion.marks
    return marks.index("apex") / (len(marks) - 1) if "apex" in marks else None


def request_of(space: BlendSpace, values: tuple[float, ...]) -> np.ndarray:
    """(d,) what a page asks for, held to the picture."""
    names = space.motion.parameter_names
    if len(values) != len(names):
        raise ParameterError(f"{space.motion.name} has {len(names)} parameters ({', '.join(names)}), got {len(values)}")
    if not np.isfinite(values).all():
        raise ParameterError(f"parameters must be finite numbers, got {values}")
    return np.clip(values, *shown_range(space))


def answered(space: BlendSpace, asked: m.BlendAsk) -> tuple[bytes, m.BlendAnswer]:
    """One round of the blend as a frame of poses, and what it does."""
    motion, p = space.motion, request_of(space, asked.values)
    answer = space.answers(p)
    w = answer.weights[0]
    key_times = canonical_time.blended_key_times(motion.blended_rates(w, p))
    count = int(np.clip(round(float(key_times[-1]) * ROUND_FPS), FEWEST, MOST)) + 1
    t = np.linspace(0.0, 1.0, count)
    rows = np.empty((count, len(motion.skeleton) + 1, frames.WORDS), np.float32)
    rows[:, :-1] = frames.world_rows(motion.skeleton, motion.local_pose(t, w))
    carrier = play.carried(motion, w, t)
    facing = rotation.yaw(carrier.turn)
    rows[:, -1, :3], rows[:, -1, 3:6], rows[:, -1, 6] = carrier.shift, facing[:, 1:], facing[:, 0]
    off = worst(motion, p, answer.achieved[0])
    told = m.BlendAnswer(
        asked.serial, _rounded(p), _rounded(spot_told(motion, answer.achieved[0])), _rounded(w), _rounded(key_times),
        bool(answer.inside[0]), off.words if off.share > 1.0 else "",
    )  # fmt: skip
    return frames.encode(frames.BLEND, asked.serial, 0, rows, ROUND_FPS, 0.0), told


def flow_lines(space: BlendSpace, at: np.ndarray) -> m.FlowLines:
    """Where joints go while the first parameter sweeps over its range: a gait goes on, an action is held at its apex.

    A gait is seen from its right side, anything else from behind.
    """
    motion = space.motion
    low, high = next(iter(space.ranges.values()))
    path = np.tile(np.asarray(at, float), (FLOW_FRAMES, 1))
    path[:, 0] = low + ease(np.linspace(-0.1, 1.1, FLOW_FRAMES)) * (high - low)
    weights = space.answers(path).weights
    apex = apex_of(space)
    held = None if motion.is_loop else 0.5 if apex is None else apex
    made = flow(motion, weights, FLOW_FPS, held)
    roles = motion.skeleton.roles.of_joints()
    joints = [j for j, role in roles.items() if role in FLOW_JOINTS]
    joints = joints or list(range(0, len(motion.skeleton), -(-len(motion.skeleton) // MOST_LINES)))
    across = made.positions[..., 2] if motion.is_loop else -made.positions[..., 0]
    found = sudden_weights(motion, weights, made.times, FLOW_FPS) / NATURAL
    sudden = np.vstack([np.zeros(len(motion.skeleton)), found])
    lines = np.stack([across, made.positions[..., 1], sudden], axis=-1)  # (T, J, 3)
    return tuple(tuple(np.round(lines[:, j], 3).ravel().tolist()) for j in joints)


def map_message(serial: int, method: str, found: WeightMap, lines: m.FlowLines, is_last: bool) -> m.BlendMap:
    """One method's maps."""
    percent = np.round(100.0 * np.clip(found.weights, -9.0, 9.0)).astype(int)
    weights = tuple(tuple(percent[..., k].ravel().tolist()) for k in range(percent.shape[-1]))
    rows, columns = found.error.shape
    return m.BlendMap(
        serial, method, rows, columns, _flat(found.error), _flat(found.kappa),
        tuple(found.inside.ravel().tolist()), weights,
        round(found.mean_error, 5), round(found.mean_kappa, 5), lines, is_last,
    )  # fmt: skip


def _flat(values: np.ndarray) -> tuple[float, ...]:
    return tuple(np.round(values, 4).ravel().tolist())


def _rounded(values: np.ndarray) -> tuple[float, ...]:
    return tuple(np.round(np.asarray(values, float), 5).tolist())
