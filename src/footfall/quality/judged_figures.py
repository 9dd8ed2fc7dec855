"""Judged figures: what is measured at a seam, one function for each figure, beside the limit that a viewer sets.

docs/believable.md says what each figure is, where its limit comes from and how often untouched captures fail it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.quality import liveliness, momentum, step_norms
from footfall.quality.body_signals import BodySignals
from footfall.quality.joins import excess_acceleration
from footfall.quality.knee import knee_speed
from footfall.quality.shown import Seam, ShownClip
from footfall.quality.skate import LEAST_CM_S, skate, skate_between

if TYPE_CHECKING:
    from footfall.core.clip import Clip


@dataclass(frozen=True)
class Limits:
    """What a viewer still believes. Published in docs/believable.md unless said otherwise."""

    floor_step_cm: float = 1.0  # beyond the spread of stance levels inside either clip
    push_m_s2: float = 10.0  # or push_share of the clips' own
    change_m_s2: float = 4.0  # mean over 0.4 s, or push_share of the clips' own
    push_share: float = 1.3
    pelvis_share: float = 1.1  # of the faster clip's pelvis, which is taken as at least pelvis_m_s
    pelvis_m_s: float = 1.0
    foot_share: float = 1.2  # of the faster clip's feet
    hand_share: float = 1.2  # of the faster clip's hands, which are taken as at least hand_m_s
    hand_m_s: float = 3.0  # three takes of four, and all that walk, stay below it
    step_spreads: float = 2.0
    lift_share: float = 1.2  # of the clips' own, or people's at that speed (step_norms.usual_lift_m)
    dip_cm: float = 4.0  # below the lowest pelvis of both clips
    balance_share: float = 1.8  # with 1.5, 10 of 354 cuts of untouched captures fail; with 1.8, 6
    balance_cm: float = 10.0
    still_share: float = 0.5  # of the slowest quarter of a second of either clip
    detail: tuple[float, float] = (0.6, 1.6)
    turn_share: float = 1.3
    turn_deg_s: float = 90.0
    pivot_share: float = 1.2  # of the clips' own
    pivot_deg: float = 35.0  # 99 % of 499 captured stances turn by less than 33
    skate_ratio: float = 3.5
    excess_m_s2: float = 120.0
    knee_ratio: float = 1.2  # of the faster clip's knees, which are taken as at least knee_rad_s
    knee_rad_s: float = 4.6  # the slowest of 24 captured walks: beside people who only stand, any step is fast
    depth_cm: float = 1.0  # or the clips own, and depth_slack_cm: untouched captures differ by that from half to half
    depth_slack_cm: float = 1.0
    apex_share: float = 0.95


LIMITS = Limits()

# How much of its limit each figure takes up in untouched captures: 95 % of them stay under this, and what does is green
# (footfall_lab.studies.believable_untouched, 77 captures of 12 people, each cut at three places)
USUAL_SHARE = {
    "floor_step": 0.68,
    "push": 0.77,
    "change": 0.77,
    "pelvis_speed": 0.91,
    "foot_speed": 0.84,
    "hand_speed": 0.84,
    "steps": 1.0,  # single steps of captures stray farther than the limit: it is not narrowed
    "lift": 0.84,
    "flight": 0.73,
    "dip": 0.05,
    "balance": 0.67,
    "alive": 0.51,
    "detail": 0.47,  # 0.8 to 1.25: what the median of many joins should keep; a capture is always 1 of itself
    "turning": 0.78,
    "pivot": 0.65,
    "skate": 0.41,
    "excess": 0.19,
    "knee": 0.84,
    "depth": 0.67,
}
# Spreads by which a clip's own step may differ where it is measured again: strikes lie on frames. Captures sampled half
# a frame later exceed their own oddest step by up to 0.21 (footfall_lab.studies.believable_untouched.sampled_again)
SAME_STEP = 0.05


class JudgedFigure(NamedTuple):
    """One measured value; it is believed while it is not over its limit."""

    value: float
    limit: float
    seen: str  # what a viewer would say

    @property
    def ok(self) -> bool:
        return not self.value > self.limit + 1e-9

    def is_usual(self, share: float) -> bool:
        """Whether it takes up no more than a share of its limit."""
        return not self.value > share * self.limit + 1e-9


class MeasuredSeam(NamedTuple):
    """What the figures of one seam are taken from."""

    out: Clip
    ours: BodySignals
    clips: tuple[ShownClip, ShownClip]
    theirs: tuple[BodySignals, BodySignals]
    seam: Seam
    own: slice  # frames that show the two clips alone
    limits: Limits

    def here(self, x: np.ndarray) -> np.ndarray:
        return x[self.seam.start : self.seam.end]

    def largest(self, of: Callable[[BodySignals], np.ndarray]) -> float:
        """Of both clips, anywhere in them."""
        return max(float(momentum.inside(of(s), s.fps).max(initial=0.0)) for s in self.theirs)


# --- one function for each figure -------------------------------------------------------------------------------------


def _floor_step(j: MeasuredSeam) -> JudgedFigure:
    """Difference of stance levels, the last three before and the first three after the seam."""
    at, worst = j.seam.first / j.ours.fps, 0.0
    until = j.seam.end / j.ours.fps
    for foot in (0, 1):
        mine = [s for s in j.ours.stances if s.foot == foot and s.whole]
        before = [s.level for s in mine if 0.5 * (s.start_s + s.end_s) < at][-3:]
        after = [s.level for s in mine if at <= 0.5 * (s.start_s + s.end_s) <= max(until, at + 2.5)][:3]
        if before and after:
            worst = max(worst, 100.0 * abs(float(np.median(after)) - float(np.median(before))))
    spread = 0.0
    for s in j.theirs:
        levels = [x.level for x in s.stances]
        spread = max(spread, 100.0 * float(np.ptp(levels)) if levels else 0.0)
    return JudgedFigure(worst, j.limits.floor_step_cm + spread, "the floor moves")


def _push(j: MeasuredSeam) -> JudgedFigure:
    limit = max(j.limits.push_m_s2, j.limits.push_share * j.largest(momentum.push))
    return JudgedFigure(float(j.here(momentum.push(j.ours)).max()), limit, _how_pushed(j))


def _change(j: MeasuredSeam) -> JudgedFigure:
    limit = max(j.limits.change_m_s2, j.limits.push_share * j.largest(momentum.change))
    return JudgedFigure(float(j.here(momentum.change(j.ours)).max()), limit, _how_pushed(j))


def _how_pushed(j: MeasuredSeam) -> str:
    speed = momentum.pelvis_speed(j.ours)
    before, after = float(speed[j.seam.start]), float(speed[min(j.seam.end, len(speed)) - 1])
    return (
        "stops too hard" if after < before - 0.3 else "starts too hard" if after > before + 0.3 else "is pushed about"
    )


def _pelvis(j: MeasuredSeam) -> JudgedFigure:
    limit = j.limits.pelvis_share * max(j.limits.pelvis_m_s, j.largest(momentum.pelvis_speed))
    return JudgedFigure(float(j.here(momentum.pelvis_speed(j.ours)).max()), limit, "glides too fast")


def _feet(j: MeasuredSeam) -> JudgedFigure:
    """Speed of feet over what the clips' feet do, or a step of that length and time takes."""
    own = max(1.0, j.largest(lambda s: momentum.foot_speed(s).max(axis=1)))
    steps = step_norms.usual_swing_m_s(j.ours, j.seam.start / j.ours.fps, j.seam.settled / j.ours.fps)
    speed = j.here(momentum.foot_speed(j.ours))
    return JudgedFigure(float(speed.max()), j.limits.foot_share * max(own, steps), "a foot shoots forward")


def _hands(j: MeasuredSeam) -> JudgedFigure:
    own = max(j.limits.hand_m_s, j.largest(momentum.hand_speed))
    speed = float(j.here(momentum.hand_speed(j.ours)).max(initial=0.0))
    return JudgedFigure(speed, j.limits.hand_share * own, "an arm is whipped about")


def _steps(j: MeasuredSeam) -> JudgedFigure:
    """How many spreads the oddest new step is from people's, beyond the oddest of the clips themselves."""
    a, b = j.seam.first / j.ours.fps, j.seam.settled / j.ours.fps
    made = b - a > step_norms.MADE_S  # else every step is a clip's own
    new = [step for step in step_norms.steps_of(j.ours) if a <= step.strike_s <= b + step_norms.LANDING_S and made]
    odd = max((step_norms.strays(step) for step in new), default=0.0)
    own = max((step_norms.strays(step) for s in j.theirs for step in step_norms.steps_of(s)), default=0.0)
    own = max(own, *(step_norms.stands_apart(s) for s in j.theirs)) + SAME_STEP
    return JudgedFigure(odd, max(j.limits.step_spreads, own), "takes an impossible step")


def _lift(j: MeasuredSeam) -> JudgedFigure:
    """How high a foot is raised in a new step, over people's or the clips' own."""
    a, b = j.seam.first / j.ours.fps, j.seam.settled / j.ours.fps + step_norms.LANDING_S
    made = j.seam.settled - j.seam.first > step_norms.MADE_S * j.ours.fps
    own = max((swing.lift_m for s in j.theirs for swing in step_norms.swing_lifts(s)), default=0.0)
    new = [x for x in step_norms.swing_lifts(j.ours) if a <= x.top_s and x.land_s <= b and made]
    ratio = max((x.lift_m / max(own, step_norms.usual_lift_m(x.speed_m_s)) for x in new), default=0.0)
    return JudgedFigure(ratio, j.limits.lift_share, "lifts a foot as over an obstacle")


def _flight(j: MeasuredSeam) -> JudgedFigure:
    a, b = j.theirs
    own = max(step_norms.longest_flight_s(s.down, s.fps) for s in j.theirs)
    own = max(own, step_norms.flight_at_s(a.down[::-1], a.fps) + step_norms.flight_at_s(b.down, b.fps))
    ours = step_norms.longest_flight_s(j.here(j.ours.down), j.ours.fps)
    return JudgedFigure(ours, own + step_norms.FLIGHT_SLACK_S, "floats in the air")


def _dip(j: MeasuredSeam) -> JudgedFigure:
    lowest = min(float(s.pelvis_height.min()) for s in j.theirs)
    return JudgedFigure(
        100.0 * (lowest - float(j.here(j.ours.pelvis_height).min())), j.limits.dip_cm, "sinks into a lunge"
    )


def _balance(j: MeasuredSeam) -> JudgedFigure:
    def typical(x: np.ndarray) -> float:
        x = x[np.isfinite(x)]
        return 100.0 * float(np.quantile(x, 0.95)) if len(x) else 0.0

    own = max(typical(momentum.inside(momentum.balance(s), s.fps)) for s in j.theirs)
    ours = typical(j.here(momentum.balance(j.ours)))
    return JudgedFigure(ours, max(j.limits.balance_share * own, j.limits.balance_cm), "could not keep its balance")


def _alive(j: MeasuredSeam) -> JudgedFigure:
    """1 where the body freezes: how far below the slowest moments of the clips its joints get."""
    ours = liveliness.joint_speed(j.out)
    width = round(liveliness.WINDOW_S * j.out.fps)
    part = ours[j.seam.start : max(j.seam.end - width, j.seam.start + 1)]
    slowest = min(float(liveliness.joint_speed(c.clip).min(initial=np.inf)) for c in j.clips)
    slowest = slowest if np.isfinite(slowest) else 0.0
    least = float(part.min(initial=np.inf))
    ratio = j.limits.still_share * slowest / max(least, 1e-9) if np.isfinite(least) else 0.0
    repeated = liveliness.repeated_s(j.out, j.seam.start, j.seam.end)
    known = max(liveliness.repeated_s(c.clip, 0, c.clip.frames) for c in j.clips)
    if repeated > max(known, 2.5 / j.out.fps):
        ratio = max(ratio, 1.0 + repeated)
    hangs = j.here(liveliness.hangs_s(j.ours))
    own = max(float(liveliness.hangs_s(s).mean()) for s in j.theirs)
    if hangs.mean() * len(hangs) / j.out.fps > liveliness.WINDOW_S and hangs.mean() > own + 0.1:
        ratio = max(ratio, 1.0 + float(hangs.mean()))
    return JudgedFigure(ratio, 1.0, "freezes")


def _detail(j: MeasuredSeam) -> JudgedFigure:
    """Log of the detail's ratio to the clips', over the log that is allowed on that side."""
    if j.seam.settled - j.seam.first < liveliness.WINDOW_S * j.out.fps:  # too short to tell
        return JudgedFigure(0.0, 1.0, "")
    ratio = liveliness.detail_ratio(j.out, j.clips, j.seam.first, min(j.seam.settled, j.out.frames))
    if not np.isfinite(ratio):
        return JudgedFigure(0.0, 1.0, "")
    low, high = j.limits.detail
    value = np.log(ratio) / np.log(high if ratio > 1.0 else low)
    return JudgedFigure(float(value), 1.0, "shakes" if ratio > 1.0 else "is too smooth")


def _turning(j: MeasuredSeam) -> JudgedFigure:
    limit = max(j.limits.turn_deg_s, j.limits.turn_share * j.largest(momentum.yaw_rate))
    return JudgedFigure(float(j.here(momentum.yaw_rate(j.ours)).max()), limit, "spins")


def _pivot(j: MeasuredSeam) -> JudgedFigure:
    """How far a foot turns while it stands, in stances that the seam made."""
    a, b = j.seam.first / j.ours.fps, j.seam.settled / j.ours.fps
    new = [x.turn_deg for x in step_norms.stance_turns(j.ours) if x.start_s < b and a < x.end_s]
    own = max((x.turn_deg for s in j.theirs for x in step_norms.stance_turns(s)), default=0.0)
    limit = max(j.limits.pivot_deg, j.limits.pivot_share * own)
    return JudgedFigure(max(new, default=0.0), limit, "turns on a foot that stands")


def _skate(j: MeasuredSeam) -> JudgedFigure:
    usual = max(float(np.mean([skate(c.clip) for c in j.clips])), LEAST_CM_S)
    ours = skate_between(j.out, j.seam.first, slice(j.seam.start, j.seam.end), j.own)
    return JudgedFigure(ours / usual, j.limits.skate_ratio, "feet slide")


def _excess(j: MeasuredSeam) -> JudgedFigure:
    sources = [(c.clip, _time_map(j.out, c)) for c in j.clips]
    if not any(c.clip.frames >= 3 for c in j.clips):
        return JudgedFigure(0.0, j.limits.excess_m_s2, "")
    found = excess_acceleration(j.out, j.seam.first / j.out.fps, sources)
    return JudgedFigure(found.value, j.limits.excess_m_s2, f"{found.joint or 'a joint'} jumps")


def _time_map(out: Clip, shown: ShownClip) -> Callable[[np.ndarray], np.ndarray]:
    at = np.flatnonzero(np.isfinite(shown.time_s))
    seconds, own = at / out.fps, shown.time_s[at]

    def times(t_s: np.ndarray) -> np.ndarray:
        held = np.interp(t_s, seconds, own)
        return np.asarray(held + np.minimum(t_s - seconds[0], 0.0) + np.maximum(t_s - seconds[-1], 0.0))

    return times


def _knee(j: MeasuredSeam) -> JudgedFigure:
    own = max(j.limits.knee_rad_s, *(knee_speed(c.clip) for c in j.clips))  # beside people who stand, any step is fast
    ours = knee_speed(j.out, j.seam.first / j.out.fps)
    return JudgedFigure(ours / own, j.limits.knee_ratio, "a knee snaps")


def _depth(j: MeasuredSeam) -> JudgedFigure:
    ours, own = 100.0 * float(j.here(j.ours.depth).max()), max(100.0 * float(s.depth.max()) for s in j.theirs)
    return JudgedFigure(ours, max(j.limits.depth_cm, own + j.limits.depth_slack_cm), "a foot sinks into the floor")


FIGURES: dict[str, Callable[[MeasuredSeam], JudgedFigure]] = {
    "floor_step": _floor_step,
    "push": _push,
    "change": _change,
    "pelvis_speed": _pelvis,
    "foot_speed": _feet,
    "hand_speed": _hands,
    "steps": _steps,
    "lift": _lift,
    "flight": _flight,
    "dip": _dip,
    "balance": _balance,
    "alive": _alive,
    "detail": _detail,
    "turning": _turning,
    "pivot": _pivot,
    "skate": _skate,
    "excess": _excess,
    "knee": _knee,
    "depth": _depth,
}
