"""What a join costs: by its plan, before it is made, and by what the judge says of it once it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.analysis.content import action_bounds
from footfall.core.easing import gentle
from footfall.feet.foot_paths import FootPaths
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins.bridge import BridgedPair
from footfall.joins.candidates import jolts
from footfall.joins.join_section import JoinSection, measured
from footfall.kinematics.floor_align import FloorTransform
from footfall.quality.joins import CLEAN
from footfall.quality.judge import Judgement
from footfall.quality.judged_figures import USUAL_SHARE

VELOCITY_S = 0.15  # seconds to either side over which a body's speed is taken, without the sway of a step. By eye
NEAR_SHARE = 0.08  # of a limit, that is near it. By eye
MOST_BEYOND = 3.0  # times its limit: a figure that is farther off counts no more


@dataclass(frozen=True)
class SearchWeights:
    """What counts beside the cost of steps, or of a judged join. By eye, on joins of captured and built-in clips."""

    unlike: float = 8.0  # a metre of difference between poses
    jolt: float = 0.02  # one m/s² of a glitch at the end of a clip, beyond what is clean
    hard: float = 1.0  # one m/s² asked of the body beyond manages_m_s2
    manages_m_s2: float = 3.0  # of change of speed while it goes on stepping
    led: float = 0.5  # a second that is led on
    lost: float = 0.6  # a second of either clip that is lost
    late: float = 30.0  # a second of the target's first action in which the join is not over
    held: float = 3.0  # a second of it, the first, in which a foot stands stiller than its capture's
    cut: float = 25.0  # an action that is not shown whole
    unbelieved: float = 20.0  # a seam that is not believed: less than a cut action, more than the roughest that is
    failed: float = 1.0  # a figure that misses its limit,
    beyond: float = 2.0  # and each time its limit that it is beyond that
    unusual: float = 0.3  # a figure at its limit, over one that is as in 95 % of captures
    near: float = 0.5  # a figure at its limit: around it, what is measured differs with what else is shown
    rough: float = 8.0  # excess acceleration, for each time what is clean that it is beyond that: with 2, 90 % of 60
    # captured joins keep below 42 m/s², with 8 below 38, and as many are believed


WEIGHTS = SearchWeights()


def cost_beside(pair: BridgedPair, ends: JoinEnds, plan: StepPlan, filler: tuple[bool, bool] = (False, False)) -> float:
    """What it costs beside the judge's: seconds that are led on, or lost of either clip, or of its first action."""
    left_s = (ends.leave - ends.old.lead) / ends.old.fps
    start_s = (ends.start - ends.new.lead) / ends.new.fps
    left, entered = pair
    led, lost = 0.0, 0.0 if filler[1] else max(start_s - entered.shift_s, 0.0)
    if entered.words:
        led += max(entered.shift_s + entered.shown_s[0] - start_s, 0.0)
    if left is not None and not left.own.is_loop:
        led += max(left_s - left.shown_s[1], 0.0)
        lost += 0.0 if filler[0] else max(left.own.duration - min(left_s, left.shown_s[1]), 0.0)
    return WEIGHTS.led * led + WEIGHTS.lost * lost + (0.0 if filler[1] else _late(pair, ends, plan))


def _late(pair: BridgedPair, ends: JoinEnds, plan: StepPlan) -> float:
    """What it costs that feet go where the join leads them, or are held, when the target's first action begins."""
    at_start_s = (ends.start - ends.new.lead) / ends.new.fps - pair.entered.shift_s
    enter_by_s = action_bounds(pair.entered.own).enter_by_s

    def after_s(frame: int) -> float:
        return max(0.0, at_start_s + frame / ends.new.fps - enter_by_s)

    moved = after_s(max(ends.length, *(0 if foot.held else foot.land for foot in plan.feet)))
    held = min(1.0, after_s(max(foot.land if foot.held else 0 for foot in plan.feet)))
    return WEIGHTS.late * moved + WEIGHTS.held * held


def asked_m_s2(ends: JoinEnds, turn: float) -> float:
    """The mean acceleration of the body that a transition asks for; turn is that of the target's placement."""
    change = velocity(ends.new, ends.enter, turn) - velocity(ends.old, ends.leave, 0.0)
    return float(np.linalg.norm(change)) * ends.old.fps / ends.length


def velocity(paths: FootPaths, frame: int, turn: float) -> np.ndarray:
    """(3,) of the floor root around a frame, m/s, without the sway of a step."""
    reach = round(VELOCITY_S * paths.fps)
    first, last = paths.lead, paths.lead + paths.frames - 1
    a, b = (min(max(frame + s, first), last) for s in (-reach, reach))
    if b == a:
        return np.zeros(3)
    moved = (paths.root[b] - paths.root[a]) * paths.fps / (b - a)
    return FloorTransform(np.asarray(turn), np.zeros(3)).points(moved)


def too_hard(hard_m_s2: float) -> float:
    """What it costs to ask the body for more than it manages."""
    return WEIGHTS.hard * max(0.0, hard_m_s2 - WEIGHTS.manages_m_s2)


def shaken(ends: JoinEnds) -> float:
    """How much of a jolt at the end of what is left, or at the start of what is entered, is seen: m/s²."""
    left, begun = ends.old.lead + ends.old.frames - 1 - ends.leave, ends.new.lead - ends.start
    share = gentle(np.array([left, begun]) / ends.length)
    before, after = jolts(ends.new)[0] * (begun >= 0), jolts(ends.old)[1]
    return float(max(0.0, (1.0 - share[0]) * after - CLEAN) + max(0.0, share[1] * before - CLEAN))


def cost_of(section: JoinSection, found: Judgement | None) -> float:
    """How far from believed, or from what captures usually show, the seam is; of what cannot be judged, how unclean."""
    if found is None:
        return measured(section).cost if section.plan is not None else np.inf
    return judged_cost(found)


def judged_cost(found: Judgement) -> float:
    """How far from believed, or from what captures usually show, all seams together are."""
    total = 0.0
    for seam in found.seams:
        total += WEIGHTS.unbelieved if seam.failed else 0.0
        for name, figure in seam.figures.items():
            share, usual = figure.value / figure.limit if figure.limit > 0.0 else 0.0, USUAL_SHARE[name]
            if not figure.ok:
                total += WEIGHTS.failed + WEIGHTS.beyond * (min(max(share, 1.0), 1.0 + MOST_BEYOND) - 1.0)
            elif name == "excess" and figure.value > CLEAN:
                total += WEIGHTS.rough * (figure.value / CLEAN - 1.0)
            elif share > usual:
                total += WEIGHTS.unusual * (share - usual) / max(1.0 - usual, 1e-9)
            total += WEIGHTS.near * max(0.0, 1.0 - (1.0 - share) / NEAR_SHARE) if figure.ok else 0.0
    return total
