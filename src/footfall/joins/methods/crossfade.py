"""Both motions keep playing while the weight moves from one to the other: the plain blend to compare others with.

Joints by slerp, the root's place, height, turn and tilt each by themselves. With the eased weight (a quintic) the
result has no step in velocity or acceleration at either end; the linear one is kept as the baseline of the literature
and has a step in velocity at both. The target is laid over the left motion's own future where both are seen (Kovar et
al. 2002 align the frames that are blended).
"""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import options, settle
from footfall.joins.transition import Transition, TransitionRequest
from footfall.kinematics.pose_blend import blend

OPTIONS = {"shape": "ease"}
LEAST = 1e-6  # the least share of a frame in aligning the two, so that one frame alone can be aligned


def transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition:
    """Blend what the departure goes on to do with the target. Option shape: "ease" or "linear"."""
    shape = options(request, "crossfade", OPTIONS, shape=("ease", "linear"))["shape"]
    setting = settle(departure, target, request)
    weight = ease(setting.progress) if shape == "ease" else setting.progress
    left = departure.ahead(setting.times_s)
    setting = setting.moved_onto(left, weight * (1.0 - weight) + LEAST)
    pose = blend(departure.skeleton, left, setting.arriving(), weight)
    note = f"{'eased' if shape == 'ease' else 'linear'} blend of both motions over {setting.length_s:.2f} s"
    return Transition("crossfade", pose, setting.enter_s, setting.placement, setting.tracks(departure, weight), note)
