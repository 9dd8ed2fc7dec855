"""Gentle blend: both motions played on, one easing into the other, with the detail of both; arms take their own time.

Legs change over when their steps want it. A hand that hangs in one motion and is overhead in the other has a metre and
a half to go: where it would be whipped there in that time, its arm goes on changing over while new steps are made.
"""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip
from footfall.core.easing import gentle
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins.departure import Departure
from footfall.joins.detail import with_detail
from footfall.joins.methods._setting import TransitionSetting
from footfall.joins.transition import Transition
from footfall.kinematics.fk import with_descendants, world_transforms_of
from footfall.kinematics.pose_blend import blend
from footfall.kinematics.root import floor_root
from footfall.quality.body_signals import facing
from footfall.quality.skate import LEG_M

HAND_M_S = 2.0  # peak speed at which a hand changes over: the median of captured takes, as seen from the pelvis
PEAK = 1.875  # of a gentle change, over its mean speed


def blended(departure: Departure, target: Clip, ends: JoinEnds, plan: StepPlan) -> Transition:
    """Both motions played on, the target where the step plan wants it, one gently taking over from the other."""
    times_s = np.arange(1, ends.length + 1) / departure.fps
    setting = TransitionSetting(target, times_s, (ends.enter - ends.new.lead) / departure.fps, plan.placement)
    weight = gentle(setting.progress)
    note = f"a gentle blend over {setting.length_s:.2f} s"
    tracks = setting.tracks(departure, weight)
    return Transition("auto", _eased(departure, setting), setting.enter_s, plan.placement, tracks, note)


def arms_in_time(clip: Clip, first: int, last: int, departure: Departure, target: Clip, made: Transition) -> Clip:
    """A joined clip whose transition begins at a frame, with arms that change over as slowly as people's where there is
    time for it until the last frame."""
    arms, frames = _arms(clip.skeleton), len(made.pose.root_pos)
    ends = clip.pose.at(np.array([max(first - 1, 0), min(first + frames - 1, clip.frames - 1)]))
    needed = int(np.ceil(PEAK * _way_m(clip.skeleton, ends) / HAND_M_S * clip.fps))
    count = min(needed, last - first + 1, clip.frames - first)
    if count <= frames or not len(arms):
        return clip
    times_s = np.arange(1, count + 1) / clip.fps
    setting = TransitionSetting(target, times_s, made.enter_s + (count - frames) / clip.fps, made.placement)
    rot = np.array(clip.pose.rot)
    rot[first : first + count, arms] = _eased(departure, setting).rot[:, arms]
    return clip.with_pose(clip.pose._replace(rot=rot))


def _eased(departure: Departure, setting: TransitionSetting) -> Pose:
    """The blend itself (K,)."""
    weight = gentle(setting.progress)
    pose = blend(departure.skeleton, departure.ahead(setting.times_s), setting.arriving(), weight)
    left = departure.clip, departure.at_s + setting.times_s, 1.0 - weight
    return with_detail(pose, (left, (setting.target, setting.target_s, weight)))


@once
def _arms(skeleton: Skeleton) -> np.ndarray:
    """Joints from the collar bones, or the shoulders, on."""
    roots = [
        next((j for j in skeleton.roles.joints(side, "clavicle", "shoulder") if j is not None), -1) for side in SIDES
    ]
    return np.array(with_descendants(skeleton.parents, roots), int)


def _way_m(skeleton: Skeleton, pose: Pose) -> float:
    """How far apart, seen from the pelvis, a hand is in two poses, for legs of 0.86 m; 0 without hands."""
    roles = skeleton.roles
    wrists = [joint for joint in (roles.left_wrist, roles.right_wrist) if joint is not None]
    if not wrists:
        return 0.0
    places, _ = world_transforms_of(skeleton, pose, [roles.pelvis, *wrists])
    _, heading = floor_root(skeleton, pose)
    seen = facing(places[:, 1:] - places[:, :1], heading)
    return float(np.linalg.norm(seen[1] - seen[0], axis=-1).max()) * LEG_M / skeleton.leg_length
