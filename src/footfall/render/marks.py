"""Marks on the floor: the path of the pelvis and the prints of planted feet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.analysis.contacts import runs
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.kinematics.fk import world_transforms
from footfall.render.camera import low_pass
from footfall.render.figure import Figure, pose_figure

TRAIL_STEP_M = 0.03  # at a body height of 1.75 m
TRAIL_WIDTH_M = 0.011  # half
TRAIL_SMOOTH_S = 0.12  # the hips' sway stays, shaking does not
TRAIL_MIN_M = 0.5  # a motion that covers less stays where it is
PLANTED, PAST = 0.85, 0.38  # opacity of a print under a foot, and of one left behind
FADE_IN_S = 0.06
TRAIL_PAST, TRAIL_AHEAD = 0.70, 0.16


@dataclass(frozen=True)
class Marks:
    """Everything that may lie on the floor, with the times that say when and how strongly."""

    ends: np.ndarray  # (M, 2, 2) x, z
    radius: np.ndarray  # (M, 2)
    foot: np.ndarray  # (M,) -1 trail, 0 left, 1 right
    span_s: np.ndarray  # (M, 2) when it begins to count and, for a print, when the foot leaves
    layer: np.ndarray  # (M,) int, marks of one layer do not darken each other

    def alpha(self, t_s: float) -> np.ndarray:
        """(M,) opacity at a time: a print shows from touch-down on, the path is faint where it still lies ahead."""
        begun = t_s >= self.span_s[:, 0] - 1e-9
        trail = np.where(begun, TRAIL_PAST, TRAIL_AHEAD)
        gone = np.clip((t_s - self.span_s[:, 1]) / 0.3, 0.0, 1.0)
        shown = np.clip((t_s - self.span_s[:, 0]) / FADE_IN_S + 0.5, 0.0, 1.0)
        return np.where(self.foot < 0, trail, shown * (PLANTED + (PAST - PLANTED) * gone))


def no_marks() -> Marks:
    return Marks(np.zeros((0, 2, 2)), np.zeros((0, 2)), np.zeros(0, int), np.zeros((0, 2)), np.zeros(0, int))


def trail(clip: Clip, place: Callable[[np.ndarray], np.ndarray], scale: float) -> Marks:
    """The pelvis's path on the floor; nothing for a motion that stays where it is."""
    path = place(clip.positions[:, clip.skeleton.roles.pelvis])[:, [0, 2]]
    path = low_pass(path, clip.times, TRAIL_SMOOTH_S)
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    if len(path) < 2 or np.linalg.norm(np.ptp(path, axis=0)) < TRAIL_MIN_M * scale:
        return no_marks()
    steps = int(np.clip(travelled[-1] / (TRAIL_STEP_M * scale), 2, 600))
    at = np.linspace(0.0, travelled[-1], steps + 1)
    rising = np.concatenate([[True], np.diff(travelled) > 0])  # where it stands still, time does not follow from place
    points = np.stack([np.interp(at, travelled[rising], path[rising, c]) for c in range(2)], axis=-1)
    times = np.interp(at, travelled[rising], clip.times[rising])
    ends = np.stack([points[:-1], points[1:]], axis=1)
    return Marks(
        ends, np.full((steps, 2), TRAIL_WIDTH_M * scale), np.full(steps, -1),
        np.stack([times[:-1], np.full(steps, np.inf)], axis=1), np.zeros(steps, int),
    )  # fmt: skip


def prints(clip: Clip, figure: Figure, place: Callable[[np.ndarray], np.ndarray]) -> Marks:
    """One print for each time a foot is planted, where it stands on average."""
    found = no_marks()
    if len(figure.soles) != 2:
        return found
    scale = figure.height / 1.75
    for foot, spans in enumerate(plants(clip)):
        for first, last in spans:
            positions, rotations = world_transforms(clip.skeleton, clip.pose.at(slice(first, last)))
            ends = pose_figure(figure, clip.skeleton, positions, rotations)[..., 1, :]  # (t, N, 3)
            heel, ball, tip = (place(np.median(ends[:, row], axis=0))[[0, 2]] for row in figure.soles[foot])
            span = np.array([first, last - 1]) / clip.fps
            sole, radii = np.array([[heel, ball], [ball, tip]]), np.array([[0.036, 0.046], [0.046, 0.036]]) * scale
            over = np.ones(2, int)  # all before: `join` keeps lists apart
            found = join([found, Marks(sole, radii, np.full(2, foot), np.tile(span, (2, 1)), over)])
    return found


def plants(clip: Clip) -> list[list[tuple[int, int]]]:
    """For the left and the right foot, frames [first, last) of each time it is planted; none where it has no feet."""
    try:
        contacts = clip.contacts
    except FootfallError:
        return [[], []]
    return [runs(contacts.left), runs(contacts.right)]


def join(many: list[Marks]) -> Marks:
    """All marks together; layers of different lists are kept apart, trails lie under prints."""
    base, layers = 0, []
    for m in many:
        layers.append(np.where(m.foot < 0, m.layer, m.layer + base))
        base = max([base, *(int(x) for x in layers[-1])])
    names = ("ends", "radius", "foot", "span_s")
    ends, radius, foot, span_s = (np.concatenate([getattr(m, name) for m in many]) for name in names)
    return Marks(ends, radius, foot, span_s, np.concatenate(layers))
