"""Setting: what methods agree on before they make a pose: how many frames, which target times, where on the floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.edit.coast import State, coast, state_of
from footfall.edit.sample import need_frames
from footfall.joins.departure import Departure
from footfall.joins.placement import place
from footfall.joins.transition import JOIN_PARAMETERS, SourceTrack, TransitionRequest
from footfall.kinematics.floor_align import FloorTransform, between_roots
from footfall.kinematics.root import floor_root

LENGTH_S = 0.4  # seconds of a transition nobody asked a length for. By eye
MOST_FRAMES = 1_000_000


class TransitionSetting(NamedTuple):
    """When and where a transition happens."""

    target: Clip
    times_s: np.ndarray  # (K,) seconds after the departure, the first one a frame after it
    enter_s: float
    placement: FloorTransform

    @property
    def length_s(self) -> float:
        return float(self.times_s[-1])

    @property
    def target_s(self) -> np.ndarray:  # (K,) target times; before its first frame where it enters early
        return self.times_s + (self.enter_s - self.length_s)

    @property
    def progress(self) -> np.ndarray:  # (K,) in (0, 1], the last exactly 1
        return self.times_s / self.length_s

    def arriving(self, times_s: np.ndarray | None = None) -> Pose:
        """The placed target at times (K,) after the departure; before its first frame it is led back in time."""
        target_s = self.target_s if times_s is None else times_s + (self.enter_s - self.length_s)
        pose = self.target.sample(target_s)
        early = target_s < 0.0
        if early.any() and not self.target.is_loop:
            first = state_of(self.target, 0.0)
            back = coast(State(first.pose, -first.velocity, -first.spin), -target_s[early])
            root_pos, rot = np.array(pose.root_pos), np.array(pose.rot)
            root_pos[early], rot[early] = back.root_pos, back.rot
            pose = pose._replace(root_pos=root_pos, rot=rot)
        return self.placement.pose(pose)

    def moved_onto(self, pose: Pose, share: np.ndarray) -> TransitionSetting:
        """The target placed so that, over the frames, its floor root lies on that of the poses (K,) best.

        share (K,): how much each frame counts. Two motions in step then change nothing, which velocities at the two
        ends alone cannot tell.
        """
        there, facing = floor_root(self.target.skeleton, self.arriving())
        here, wanted = floor_root(self.target.skeleton, pose)
        share = share / share.sum()
        turn = np.angle((share * np.exp(1j * (wanted - facing))).sum())
        more = between_roots(share @ there, np.zeros(()), share @ here, np.asarray(turn))
        return self._replace(placement=more.after(self.placement))

    def tracks(self, departure: Departure, weight: np.ndarray) -> tuple[SourceTrack, SourceTrack]:
        """Provenance of a blend in which the target has this share (K,)."""
        name = departure.clip.name or "first" if departure.clip else "departure"
        return (
            SourceTrack(name, departure.at_s + self.times_s, 1.0 - weight),
            SourceTrack(self.target.name or "target", self.target_s, weight),
        )


def settle(departure: Departure, target: Clip, request: TransitionRequest) -> TransitionSetting:
    """Length in whole frames, entry and place of the target, from what was asked and the defaults.

    By default the target plays from its first frame on while the transition lasts, so it enters at the transition's
    length, or at its end where it is shorter.
    """
    need_frames(target, what="entered")
    need_same_joints(departure, target)
    wanted = LENGTH_S if request.length_s is None else request.length_s
    if wanted * departure.fps > MOST_FRAMES:
        raise ParameterError(f"a transition of {wanted:g} s has over {MOST_FRAMES} frames; ask for a shorter one")
    frames = max(1, round(wanted * departure.fps))
    times_s = np.arange(1, frames + 1) / departure.fps
    enter_s = entry(target, request, float(times_s[-1]))
    return TransitionSetting(target, times_s, enter_s, place(departure, target, enter_s, float(times_s[-1])))


def entry(target: Clip, request: TransitionRequest, by_default_s: float) -> float:
    """The entry that was asked for, or the nearest allowed one to the default; refused where the target has none."""
    name, (low, high) = target.name or "the target", request.window_s
    last = float("inf") if target.is_loop else target.duration
    low, high = max(low, 0.0), min(high, last)
    if low > high:
        raise ParameterError(f"{name} may be entered from {low:g} s on, but ends at {last:g} s; allow an earlier entry")
    if request.enter_s is None:
        return float(min(max(by_default_s, low), high))
    slack = 0.5 / target.fps  # times typed with a few digits
    if not low - slack <= request.enter_s <= high + slack:
        raise ParameterError(f"cannot enter {name} at {request.enter_s:g} s; give a time from {low:g} to {high:g} s")
    return float(min(max(request.enter_s, low), high))


def options(
    request: TransitionRequest, method: str, defaults: Mapping[str, Any], **choices: tuple[str, ...]
) -> dict[str, Any]:
    """The method's own options over their defaults; an unknown one, or one that is no choice, is refused."""
    for key, value in request.options.items():
        if key not in defaults:
            raise UnknownName(f"option of {method}", key, [*defaults, *JOIN_PARAMETERS])
        if key in choices and value not in choices[key]:
            raise ParameterError(f"{method}: {key} is {' or '.join(choices[key])}, not {value!r}")
    return {**defaults, **request.options}


def need_same_joints(departure: Departure, target: Clip) -> None:
    """Refuse a target of another skeleton; `join` has put it on the body before."""
    if departure.skeleton.names != target.skeleton.names:
        raise ParameterError(
            f"{target.name or 'the target'} has other joints than the motion that is left; retarget it onto the same "
            "body first"
        )
