"""Entry by classifier: finds where the motion is nearest to the state, and blends limb by limb (Polichroniadis 1999).

Options: parameters ("tuned", "published", "untuned", a file or ClassifierParameters), keyframes (times of the target in
seconds, instead of the turning points found), near (rad²: a state farther than this from all of the motion gets a plain
transition).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName
from footfall.edit.sample import need_frames
from footfall.joins.classifier.entry_blend import blend
from footfall.joins.classifier.entry_classifier import ALWAYS, LONGEST_S, SHORTEST_S, ClassifiedEntry, classify
from footfall.joins.classifier.entry_table import EntryTable, table_of
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import MOST_FRAMES, entry, need_same_joints
from footfall.joins.transition import JOIN_PARAMETERS, SourceTrack, Transition, TransitionRequest

NEAR = 1.0  # rad², of ClassifiedEntry.score: by eye
PLAIN_S = 0.6  # length of the transition where nothing is near: by eye
OPTIONS = OWN_ENTRY = ("parameters", "keyframes", "near")  # all of them say where the target is entered


def transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition:
    """The transition into a target where the classifier says, or where the request does."""
    options = _options(request.options)
    need_frames(target, what="entered")
    need_same_joints(departure, target)
    table = table_of(target, options.get("keyframes"))
    found = classify(departure.state, table, options.get("parameters"), request.window_s)
    near = float(found.score) <= options.get("near", NEAR)
    enter_s = entry(target, request, float(found.front_s))
    way_s = _ways(table, found, enter_s, as_found=enter_s == found.front_s and request.window_s == ALWAYS)
    if not near:
        way_s = np.zeros_like(way_s)
    frames = _frames(request, departure.fps, way_s, near)
    made = blend(departure, target, table, way_s, enter_s, frames)
    u = np.arange(1, frames + 1) / frames
    behind = float(way_s.max())
    name = (departure.clip.name or "first") if departure.clip else "departure"
    left = SourceTrack(name, departure.at_s + u * frames / departure.fps, 1.0 - u)
    entered = SourceTrack(target.name or "target", enter_s - (1.0 - u) * behind, u)
    return Transition(
        "classifier", made.pose, enter_s, made.placement, (left, entered), _note(table, found, near, behind)
    )


def _options(given: Any) -> dict[str, Any]:
    for name in given:
        if name not in OPTIONS:
            raise UnknownName("option of the classifier", str(name), [*OPTIONS, *JOIN_PARAMETERS])
    near = given.get("near", NEAR)
    if isinstance(near, bool) or not isinstance(near, (int, float)) or not near >= 0.0:
        raise ParameterError(f"near is a number of square radians from 0 up, got {near!r}")
    return {name: value for name, value in given.items() if value is not None}


def _ways(table: EntryTable, found: ClassifiedEntry, enter_s: float, as_found: bool) -> np.ndarray:
    """(D,) seconds of the target each DOF has to go through; none where the entry was moved to before it."""
    ahead = enter_s - found.time_s
    if not table.loop:
        return np.maximum(ahead, 0.0)
    if as_found:
        return np.mod(ahead, table.duration_s)
    half = 0.5 * table.duration_s
    return np.maximum(np.mod(ahead + half, table.duration_s) - half, 0.0)


def _frames(request: TransitionRequest, fps: float, way_s: np.ndarray, near: bool) -> int:
    length_s = float(np.clip(way_s.max(), SHORTEST_S, LONGEST_S)) if near else PLAIN_S
    length_s = length_s if request.length_s is None else request.length_s
    if length_s * fps > MOST_FRAMES:
        raise ParameterError(f"a transition of {length_s:g} s has over {MOST_FRAMES} frames; ask for a shorter one")
    return max(1, round(length_s * fps))


def _note(table: EntryTable, found: ClassifiedEntry, near: bool, behind: float) -> str:
    if not near:
        return (
            f"nothing of the target is near this state (score {float(found.score):.2f} rad²), so this is a plain "
            f"transition to its nearest moment, {float(found.front_s):.2f} s"
        )
    limb = table.reference.layout.limbs[int(found.leader)]
    keys = sum(int(k) != int(found.key[int(found.leader)]) for k in found.key)
    others = "all limbs agree" if not keys else f"{keys} other limb(s) elsewhere"
    return f"the {limb} leads, {others}; the hindmost joint is {behind:.2f} s behind"
