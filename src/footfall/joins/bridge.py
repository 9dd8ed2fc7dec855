"""Bridges: steps that continue one motion or lead into the other, where the two differ by more than a blend can cover.

Nobody stops a run within a blend. The faster motion goes on in its own gait, step by step, until the speeds meet
(`lead_on`), and the blend is made there; motions across each other both slow down first. Motions of like speed may be
led on unchanged, so that a short clip loses nothing to the search for the right foot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.once import once_for_some
from footfall.core.pose import Pose
from footfall.edit.coast import coast, state_of
from footfall.joins.gait_cycle import END_S, GaitCycle, end_cycle
from footfall.joins.lead_on import RUN_M_S, lead_on, profile

# Measured on captured changes of speed unless said otherwise.
LIKE_M_S = 0.4  # m/s: motions whose velocities differ by less are alike. By eye
ABOVE_M_S = 0.5  # m/s above the slower motion's speed at which the faster one is blended into it
SLOWEST_RUN_M_S, SLOWEST_WALK_M_S = 0.9, 0.5  # m/s that a gait is slowed to. By eye
QUICKEST = 1.5  # share of its own speed that a gait is quickened to. By eye
ACROSS = np.cos(np.radians(60.0))  # motions farther apart than this both slow down first
MOVES_M_S = 0.5  # m/s: a slower body goes nowhere
HOLD_S = 1.7  # seconds that a gait is led on beyond its change of speed: where it may be left, and a blend
CALMER = 1.6  # times as long a change of speed may take where the usual is not believed. By eye
BEFORE_S, AFTER_S = 0.25, 0.8  # seconds before and after the speed is reached in which it is left. By eye
BACK, BACK_IN_S = 0.4, 0.4  # rate at which who waits goes back, and seconds in which it is reached. By eye
WAIT_S = 0.9  # seconds that a body which stands may wait for its feet. By eye
AROUND_S = 0.3  # seconds over which a clip's speed at its end is taken


class LedClip(NamedTuple):
    """A clip as it is joined: itself, or led on after its end, or led into before its start."""

    clip: Clip
    own: Clip
    shift_s: float  # when the clip itself begins
    shown_s: tuple[float, float]  # what of the clip itself there is, in its own time
    window_s: tuple[float, float] | None = None  # when it is left, or entered, in time of the led clip; None: anywhere
    words: str = ""  # what was done

    def own_s(self, times_s: np.ndarray) -> np.ndarray:
        """Times of the clip itself at times of the led one; NaN where that is led on, or beyond its ends."""
        own = np.asarray(times_s, float) - self.shift_s
        inside = (own >= self.shown_s[0] - 1e-6) & (own <= self.shown_s[1] + 1e-6)
        return np.where(inside, own, np.nan)


class BridgedPair(NamedTuple):
    """What is left, where that is a clip, and what is entered."""

    left: LedClip | None
    entered: LedClip


def bridges(a: Clip, b: Clip) -> Iterator[list[BridgedPair]]:
    """Ways to lead one motion on, or to lead into the other, so that a blend can join them; the likeliest first, then
    those to be tried where none of them will do."""
    left, entered = alone(a), alone(b)
    before, after = end_velocity(a), -end_velocity(backwards(b))
    on, into = end_cycle(a), end_cycle(backwards(b))
    speeds = float(np.linalg.norm(before)), float(np.linalg.norm(after))
    across = min(speeds) > MOVES_M_S and float(before @ after) < ACROSS * speeds[0] * speeds[1]
    slow_a, slow_b = on and _led(a, on, _slowest(on)), into and _led_into(b, into, _slowest(into))
    if across:
        yield _pairs((slow_a, slow_b), (slow_a, entered), (left, slow_b))
        calm_a = [_led(a, c, _slowest(c), calm) for c, calm in _others(a)]
        calm_b = [_led_into(b, c, _slowest(c), calm) for c, calm in _others(backwards(b))]
        yield _pairs(*zip(calm_a, calm_b, strict=False))
        return
    same_a, same_b = on and _led(a, on, None), into and _led_into(b, into, None)
    if max(speeds) < MOVES_M_S:
        yield []
        yield _pairs((left, _waits_before(b)), (_waits(a), entered), (same_a, entered), (left, same_b))
    elif float(np.linalg.norm(before - after)) < LIKE_M_S:
        yield _pairs((same_a, entered), (left, same_b))
        yield _pairs((same_a, same_b))
    elif speeds[0] > speeds[1]:
        met = on and _led(a, on, max(speeds[1] + ABOVE_M_S, _slowest(on)))
        yield _pairs((met, entered), (met, same_b))
        fast_b = into and _led_into(b, into, _quicker(into, speeds[0]))
        yield _pairs((slow_a, entered), (left, fast_b), (met, fast_b), (same_a, same_b))
        yield _pairs(*((_led(a, c, max(speeds[1] + ABOVE_M_S, _slowest(c)), calm), entered) for c, calm in _others(a)))
    else:
        met = into and _led_into(b, into, max(speeds[0] + ABOVE_M_S, _slowest(into)))
        yield _pairs((left, met), (same_a, met))
        fast_a = on and _led(a, on, _quicker(on, speeds[1]))
        yield _pairs((left, slow_b), (fast_a, entered), (fast_a, met), (same_a, same_b))
        others = ((c, max(speeds[0] + ABOVE_M_S, _slowest(c)), calm) for c, calm in _others(backwards(b)))
        yield _pairs(*((left, _led_into(b, *other)) for other in others))


def _others(clip: Clip) -> list[tuple[GaitCycle, float]]:
    """Other ways to lead a clip on: more calmly, and from a stride before the last."""
    tried = ((end_cycle(clip), CALMER), (end_cycle(clip, END_S), 1.0), (end_cycle(clip, END_S), CALMER))
    return [(cycle, calm) for cycle, calm in tried if cycle is not None]


def _pairs(*found: tuple[LedClip | None, LedClip | None]) -> list[BridgedPair]:
    return [BridgedPair(left, entered) for left, entered in found if left is not None and entered is not None]


def _quicker(cycle: GaitCycle, other_m_s: float) -> float:
    """How fast a gait may be led on to meet a faster one."""
    return max(cycle.speed_m_s, min(QUICKEST * cycle.speed_m_s, other_m_s - 0.5 * ABOVE_M_S))


def rounds(clip: Clip, more_s: float) -> Clip:
    """A loop as a clip that ends: one round of it, or as many as last for more_s after half of one."""
    return _rounds(clip, more_s) if clip.is_loop and clip.duration > 0.0 else clip


@once_for_some(4)
def _rounds(clip: Clip, more_s: float) -> Clip:
    count = max(1, int(np.ceil(0.5 + more_s / clip.duration)))
    times = np.arange(round(count * clip.duration * clip.fps) + 1) / clip.fps
    return clip.with_pose(fix_signs(clip.sample(times)), is_loop=False, events=())


def alone(clip: Clip) -> LedClip:
    """A clip as it is."""
    return LedClip(clip, clip, 0.0, (-np.inf, np.inf) if clip.is_loop else (0.0, clip.duration))


def _slowest(cycle: GaitCycle) -> float:
    return min(cycle.speed_m_s, SLOWEST_RUN_M_S if cycle.speed_m_s > RUN_M_S else SLOWEST_WALK_M_S)


def end_velocity(clip: Clip) -> np.ndarray:
    """(2,) m/s to the left and ahead over the last moments of a clip, as the body faces there."""
    root, last = clip.root_motion, clip.frames - 1
    first = max(0, last - round(AROUND_S * clip.fps))
    moved = (root.position[last] - root.position[first]) * clip.fps / max(last - first, 1)
    facing = float(root.heading[(first + last) // 2])
    ahead, left = np.array([np.sin(facing), 0.0, np.cos(facing)]), np.array([np.cos(facing), 0.0, -np.sin(facing)])
    return np.array([moved @ left, moved @ ahead])


@once_for_some(1)
def backwards(clip: Clip) -> Clip:
    """The clip from its end to its start."""
    if clip.is_loop:
        return clip.with_pose(clip.pose.at(slice(None, None, -1)), is_loop=True, events=())
    return clip.with_pose(clip.pose.at(slice(None, None, -1)), events=())


@once_for_some(8)
def _gone_on(clip: Clip, cycle: GaitCycle, to_m_s: float | None, calm: float) -> tuple[Clip, float]:
    """A clip that goes on in a stride of its own, and when it has reached the speed."""
    speed = cycle.speed_m_s if to_m_s is None else to_m_s
    way = profile(cycle.speed_m_s, speed, HOLD_S, clip.fps, calm)
    return lead_on(clip, cycle, way), cycle.end_s + (0.0 if to_m_s is None else way.reached / clip.fps)


def _led(clip: Clip, cycle: GaitCycle, to_m_s: float | None, calm: float = 1.0) -> LedClip:
    """A clip led on from a stride of its own to another speed, or unchanged."""
    made, reached = _gone_on(clip, cycle, to_m_s, calm)
    window = reached - BEFORE_S, reached + AFTER_S
    words = f"goes on at {cycle.speed_m_s:.1f} m/s"
    if to_m_s is None:
        window = reached, reached + max(cycle.loop.duration, AFTER_S)
    else:
        changes = "slows" if to_m_s < cycle.speed_m_s else "quickens"
        words = f"{changes} from {cycle.speed_m_s:.1f} to {to_m_s:.1f} m/s"
    return LedClip(made, clip, 0.0, (0.0, cycle.end_s), (max(window[0], 0.0), min(window[1], made.duration)), words)


def _led_into(clip: Clip, cycle: GaitCycle, from_m_s: float | None, calm: float = 1.0) -> LedClip:
    """A clip that is led into, from another speed or at its own; cycle: of it backwards."""
    words = f"comes in at {cycle.speed_m_s:.1f} m/s"
    if from_m_s is not None:
        words = f"comes in at {from_m_s:.1f} m/s and goes on at {cycle.speed_m_s:.1f} m/s"
    return _turned(_led(backwards(clip), cycle, from_m_s, calm), clip, words)


def _waits(clip: Clip) -> LedClip | None:
    """A clip that ends slowly and stays a while as it stands; None where it is fast."""
    if float(np.linalg.norm(end_velocity(clip))) > MOVES_M_S or clip.is_loop:
        return None
    made, end_s = _stayed(clip), clip.duration
    return LedClip(made, clip, 0.0, (0.0, end_s), (max(end_s - BEFORE_S, 0.0), end_s + 0.5 * WAIT_S), "waits")


@once_for_some(1)
def _stayed(clip: Clip) -> Clip:
    """A clip and the time it stays after its end: its velocities die away, and it goes slowly back the way it came, so
    that nobody freezes."""
    t = np.arange(1, round(WAIT_S * clip.fps) + 1) / clip.fps
    end, away = state_of(clip, clip.duration), coast(state_of(clip, clip.duration), t)
    early = np.minimum(t, BACK_IN_S)
    gone = BACK * (0.5 * early**2 / BACK_IN_S + t - early)  # seconds back, at a rate that grows evenly at first
    back = clip.sample(np.maximum(clip.duration - gone, 0.0))
    moved = rotation.multiply(rotation.conjugate(end.pose.rot), away.rot)
    root_pos = np.concatenate([clip.pose.root_pos, back.root_pos + away.root_pos - end.pose.root_pos])
    rot = np.concatenate([clip.pose.rot, rotation.multiply(back.rot, moved)])
    pos = None if clip.pose.pos is None or back.pos is None else np.concatenate([clip.pose.pos, back.pos])
    return clip.with_pose(fix_signs(Pose(root_pos, rotation.continuous_signs(rot), pos)), events=())


def _waits_before(clip: Clip) -> LedClip | None:
    """A clip that begins slowly, and a while before it."""
    led = _waits(backwards(clip))
    return led and _turned(led, clip, "waits before it begins")


def _turned(led: LedClip, clip: Clip, words: str) -> LedClip:
    """What leads on from a clip backwards leads into the clip."""
    made = led.clip.with_pose(fix_signs(led.clip.pose.at(slice(None, None, -1))))
    assert led.window_s is not None
    late, early = (made.duration - t for t in led.window_s)
    shown = clip.duration - led.shown_s[1], clip.duration
    return LedClip(made, clip, made.duration - clip.duration, shown, (early, late), words)
