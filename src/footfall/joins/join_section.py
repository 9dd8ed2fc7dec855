"""One join made: what is left, what is entered and what lies between, its feet as planned and its body balanced."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.content import action_bounds
from footfall.core.clip import Clip
from footfall.feet.step_following import follow_steps
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins.assemble import AssembledJoin
from footfall.joins.balance import balanced
from footfall.joins.bridge import BridgedPair
from footfall.joins.departure import Departure
from footfall.joins.gentle_blend import arms_in_time
from footfall.joins.measure import JoinQuality, measure
from footfall.joins.transition import Transition

LOOKED_S = 10.0  # of them at most, where a foot is held to the end of a long clip
BALANCED_S = 1.5  # seconds after the second clip is itself in which a body is still moved over its feet, at most


class JoinSection(NamedTuple):
    """One join made."""

    departure: Departure
    target: Clip
    made: Transition
    plan: StepPlan | None
    assembled: AssembledJoin
    pair: BridgedPair  # the two clips themselves, and what was led on of them
    frames: int  # of the whole result

    @property
    def own_s(self) -> tuple[float, float]:
        """Seconds of the result at which the first clip itself ends and the second begins."""
        left, entered, whole = self.pair.left, self.pair.entered, self.assembled
        end_s, begin_s = whole.join_s, whole.end_s
        if left is not None and left.words:
            end_s = min(end_s, end_s + left.shown_s[1] - self.departure.at_s)
        if entered.words:
            begin_s = max(begin_s, begin_s + entered.shift_s + entered.shown_s[0] - self.made.enter_s)
        return end_s, begin_s

    @property
    def new_frames(self) -> tuple[int, int]:
        """The first and the last frame of the whole result that are neither clip's own."""
        fps, (end_s, begin_s) = self.departure.fps, self.own_s
        steps = 0 if self.plan is None else round(self.assembled.join_s * fps) + 1 + self.plan.end
        last = max(steps, round(begin_s * fps))
        return round(end_s * fps) + 1, min(last, self.frames - 1)


def stepped(
    section: JoinSection, ends: JoinEnds, around_s: tuple[float, float] | None = None
) -> tuple[JoinSection, int]:
    """A join with its feet as planned and its body balanced; all of it, or what is around it, from a frame on."""
    whole, plan, fps = section.assembled, section.plan, section.departure.fps
    assert plan is not None
    left = round(whole.join_s * fps) + 1  # frames before the first one that is planned
    first, last = section.new_frames
    cut = 0
    if around_s is not None:
        cut, end = max(0, first - round(around_s[0] * fps)), max(first + round(around_s[1] * fps), last + round(fps))
        end = min(end, first + round(LOOKED_S * fps))
        part = whole.clip.with_pose(whole.clip.pose.at(slice(cut, end)), events=(), is_loop=False)
        whole = whole._replace(clip=part)
    at, clip = left - cut, whole.clip
    pose = follow_steps(ends, plan, clip.pose.at(slice(at, None)))
    root_pos, rot = np.array(clip.pose.root_pos), np.array(clip.pose.rot)
    root_pos[at:], rot[at:] = pose.root_pos, pose.rot
    clip = clip.with_pose(clip.pose._replace(root_pos=root_pos, rot=rot))
    begin_s = whole.end_s - section.made.enter_s + section.pair.entered.shift_s
    acts_s = max(begin_s + action_bounds(section.pair.entered.own).enter_by_s, whole.end_s)  # a kick keeps its balance
    if section.made.method == "auto":
        settled = round(min(last, acts_s * fps)) - cut
        clip = arms_in_time(clip, at, settled, section.departure, section.target, section.made)
    until = min(last, round(min(max(section.own_s[1], whole.end_s) + BALANCED_S, acts_s) * fps)) - cut
    clip = balanced(clip, first - cut, min(until, clip.frames - 1))
    return section._replace(assembled=whole._replace(clip=clip)), cut


def measured(section: JoinSection) -> JoinQuality:
    """The older figures of a join: skate, excess acceleration, knee, stretch, depth."""
    whole, departure, (left, entered) = section.assembled, section.departure, section.pair
    sources: list[tuple[Clip, float]] = []
    if left is not None:
        sources.append((left.own, whole.join_s - departure.at_s + left.shift_s))
    sources.append((entered.own, whole.end_s - section.made.enter_s + entered.shift_s))
    return measure(whole.clip, section.own_s[0] + 1.0 / departure.fps, sources)
