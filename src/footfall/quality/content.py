"""Content: how much of each clip a made motion keeps, in which order, and whether its actions are whole."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.content import actions_of, may_lose_s
from footfall.analysis.one_shots import OneShot
from footfall.analysis.stances import FLOOR
from footfall.quality.body_signals import body_signals

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.quality.shown import ShownClip

SLACK_S = 0.05  # actions are told to about this
SHOWN = 0.95  # of an action's time


class Loss(NamedTuple):
    """What a motion lost of one clip."""

    clip: str
    kept_s: float
    least_s: float  # that should be kept
    at_end: bool = True  # most of what is lost is its end, not its beginning


class ActionShown(NamedTuple):
    """What became of one action of a clip."""

    clip: str
    action: OneShot
    shown: float  # share of its time, from first movement to return, that is shown
    reach: float  # apex, flight or extension over the clip's own
    at_end: bool = True  # what is not shown of it is its end, not its beginning


def kept(one: ShownClip) -> Loss:
    """How much of a clip is shown with more than half the weight."""
    t = one.time_s[one.leads]
    duration = one.clip.duration
    cells = np.zeros(max(1, int(np.ceil(duration / 0.01))), bool)
    if len(t):
        for a, b in itertools.pairwise(t):
            if abs(b - a) < 0.2:
                lo, hi = sorted((a, b))
                cells[int(lo / 0.01) : int(np.ceil(hi / 0.01))] = True
    least = duration - may_lose_s(one.clip)
    at_end = not len(t) or duration - float(t.max()) >= float(t.min())
    return Loss(one.clip.name, float(cells.sum()) * 0.01, least, at_end)


def in_order(shown: Sequence[ShownClip]) -> bool:
    """Whether the clips are played in the order they were given."""
    middles = [np.flatnonzero(one.leads).mean() for one in shown if one.leads.any() and not one.filler]
    return all(a < b for a, b in itertools.pairwise(middles))


def actions_shown(out: Clip, shown: Sequence[ShownClip]) -> list[ActionShown]:
    """Every action of the clips, with what the result shows of it."""
    found = []
    for one in shown:
        for action in () if one.filler else actions_of(one.clip):
            found.append(_action_shown(out, one, action))
    return found


def _action_shown(out: Clip, one: ShownClip, action: OneShot) -> ActionShown:
    a, b = max(action.first_s, 0.0) + SLACK_S, min(action.last_s, one.clip.duration) - SLACK_S
    cells = np.arange(a, max(b, a + 0.01), 0.01)
    t = one.time_s[one.leads]
    near = np.array([np.abs(t - c).min() <= 0.02 if len(t) else False for c in cells])
    frames = np.flatnonzero(one.leads & (one.time_s >= a) & (one.time_s <= b))
    own = _apex(one.clip, action, np.arange(round(a * one.clip.fps), round(b * one.clip.fps) + 1))
    ours = _apex(out, action, frames) if len(frames) else 0.0
    half = len(near) // 2
    at_end = bool(near[half:].mean() <= near[:half].mean()) if half else True
    return ActionShown(one.clip.name, action, float(near.mean()), ours / own if own > 1e-6 else 1.0, at_end)


def _apex(clip: Clip, action: OneShot, frames: np.ndarray) -> float:
    """How far an action gets: a jump's height, a kick's lift and reach, an arm's extension; metres."""
    s = body_signals(clip)
    frames = frames[(frames >= 0) & (frames < len(s.pelvis))]
    if not len(frames):
        return 0.0
    roles = clip.skeleton.roles
    if action.name == "jump":
        return float((s.soles[frames, :, :, 1].min(axis=(1, 2)) - s.floor).max())
    if action.name == "kick":
        ankle = roles.left_ankle if action.side == "left" else roles.right_ankle
        other = roles.right_ankle if action.side == "left" else roles.left_ankle
        lift = s.joints[frames, ankle, 1] - s.joints[frames, other, 1]
        out = np.linalg.norm((s.joints[frames, ankle] - s.pelvis[frames])[:, FLOOR], axis=-1)
        return float((lift + out).max())
    wrist, shoulder = ((getattr(roles, f"{action.side}_{part}")) for part in ("wrist", "shoulder"))
    if wrist is None or shoulder is None:
        return 0.0
    way = s.joints[frames, wrist] - s.pelvis[frames]
    if action.name == "wave":
        return float((s.joints[frames, wrist, 1] - s.pelvis[frames, 1]).max())
    return float(np.linalg.norm(way, axis=-1).max())
