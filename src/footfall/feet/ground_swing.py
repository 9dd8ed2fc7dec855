"""Ground swings: feet on their footfalls, and between them over whatever lies there.

In a stance the foot does what it does in the clip, moved and tilted with its place as one piece. In a swing the ball
goes the clip's way between the new places, begun late where it must rise first and early where it must fall last, and
is lifted by the gentlest curve that keeps heel, ball and tip clear of the ground (`gentle.over_obstacle`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.feet import limits
from footfall.feet.ground_steps import Footfall
from footfall.feet.pelvis_reach import low_pass

STRAY_M = 0.15  # metres: a swing shorter than this has no progress of its own to keep. By eye
SETTLE_S = 0.15  # seconds: about how soon a lift is gone that nothing asks for any more. By eye
PIVOT_S = 0.015  # seconds: half-width over which a foot that turned about its heel comes to turn about its ball. By eye
JOIN_S = 0.12  # seconds after a stance, and before one, in which a swing takes over its rate. By eye


class FootMotion(NamedTuple):
    """One foot of the clip, at the frames of the result."""

    times: np.ndarray  # (T,) seconds in the clip
    ball: np.ndarray  # (T, 3)
    held: np.ndarray  # (T, 2) bool: heel and ball are held in place
    turn: np.ndarray  # (T, 4) world rotation of the ankle joint
    sole: np.ndarray  # (T, 4, 3) heel, ball, tip and ankle, from the ball
    flatter: np.ndarray  # (T,) share of its roll that it gives up
    carried: np.ndarray  # (T, 3) the ball, carried along with the body
    fps: float


class PutFoot(NamedTuple):
    """One foot on the ground."""

    ball: np.ndarray  # (T, 3)
    turn: np.ndarray  # (T, 4) world rotation of the ankle joint
    flat: np.ndarray  # (T, 4) the same for a foot laid on the ground it stands on, or comes to stand on
    stands: np.ndarray  # (T,) bool
    swing: np.ndarray  # (T,) 0 at a swing's ends to 1 in its middle


def spans_of_frames(times: np.ndarray, falls: list[Footfall]) -> list[tuple[int, int]]:
    """First and last frames of stances at clip times (T,), in order and apart."""
    found: list[tuple[int, int]] = []
    for fall in falls:
        first = int(np.searchsorted(times, fall.stance.start_s - 1e-9))
        last = int(np.searchsorted(times, fall.stance.end_s + 1e-9)) - 1
        first = max(first, found[-1][1] + 1 if found else 0)
        found.append((first, max(last, first)))
    return found


def put_foot(foot: FootMotion, falls: list[Footfall], delays: np.ndarray) -> PutFoot:
    """The foot on its footfalls, not yet lifted over anything; delays (swings + 2,), shares of its swings, below 0 for
    those that end early. The first and the last, which the clip's ends cut, leave their stances late by theirs."""
    count = len(foot.times)
    spans = spans_of_frames(foot.times, falls)
    stands, swing = np.zeros(count, bool), np.zeros(count)
    moved, turn, flat = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 4))
    laid = [rotation.multiply(f.turn, _flattest(foot, a, b)) for (a, b), f in zip(spans, falls, strict=True)]
    eased = round(PIVOT_S * foot.fps)
    for (a, b), fall, level in zip(spans, falls, laid, strict=True):
        here = slice(a, b + 1)
        stands[here], flat[here] = True, level
        turn[here] = rotation.multiply(fall.turn, foot.turn[here])
        lies = rotation.slerp(turn[here], flat[here], foot.flatter[here])
        heel = rotation.rotate(rotation.multiply(lies, rotation.conjugate(foot.turn[here])), foot.sole[here, 0])
        moved[here] = _without_slip(_stood(foot, fall, here), heel, foot.held[here], eased) - foot.ball[here]
    edges = [(-1, None), *((b, fall) for (_, b), fall in zip(spans, falls, strict=True))]
    starts = [*((a, fall) for (a, _), fall in zip(spans, falls, strict=True)), (count, None)]
    for n, ((last, left), (first, met)) in enumerate(zip(edges, starts, strict=True)):
        here = slice(last + 1, first)
        size = first - last - 1
        if size <= 0:
            continue
        share = (np.arange(size) + 1.0) / (size + 1.0)
        away = np.minimum(np.arange(size) + 1.0 if left else np.inf, np.arange(size, 0, -1.0) if met else np.inf)
        swing[here] = ease(away / max(limits.GROUND_LANDS * size, limits.GROUND_LANDS_S * foot.fps))
        before, after = left or met, met or left
        assert before is not None
        assert after is not None
        if left is None or met is None:  # cut by the clip's own end: from its stance on with the body
            near = first if left is None else last
            gone = np.linalg.norm((foot.ball[here] - foot.ball[near])[:, [0, 2]], axis=-1)
            left_share = np.minimum(away / (limits.GROUND_LEAVES_S * foot.fps), gone / limits.GROUND_LEAVES_M)
            free = ease(left_share)[:, None]
            moved[here] = moved[near] + free * ((foot.carried - foot.ball)[here] - moved[near])
            late = abs(float(delays[n])) * limits.GROUND_LEAVES_S * foot.fps
            moved[here] += _lagging(foot.ball[here] + moved[here], foot.ball[near] + moved[near], away, late)
            turn[here] = rotation.multiply(before.turn, foot.turn[here])
            flat[here] = laid[0 if left is None else -1]
            continue
        moved[here] = _between(foot.ball[last : first + 1], moved[last], moved[first], float(delays[n]))
        rates = _rate(moved, last, spans[n - 1][0]), _rate(moved, first, spans[n][1])
        moved[here] += _led_on(rates, size, max(2, round(JOIN_S * foot.fps)))
        turn[here] = rotation.multiply(rotation.slerp(before.turn, after.turn, ease(share)), foot.turn[here])
        flat[here] = rotation.slerp(laid[n - 1], laid[n], ease(share))
    turn = rotation.slerp(turn, flat, foot.flatter)
    return PutFoot(foot.ball + moved, turn, flat, stands, swing)


def _lagging(ball: np.ndarray, stood: np.ndarray, away: np.ndarray, late: float) -> np.ndarray:
    """(N, 3) what moves balls (N, 3) so many frames away (N,) from a stance, where one stood (3,), to where they are so
    many frames nearer to it, along the ground."""
    if late <= 0.0:
        return np.zeros_like(ball)
    order = np.argsort(away)
    frames, path = np.append(0.0, away[order]), np.concatenate([stood[None], ball[order]])
    nearer = np.hypot(away, late) - late
    there = np.stack([np.interp(nearer, frames, path[:, i]) for i in range(3)], axis=-1)
    return (there - ball) * np.array([1.0, 0.0, 1.0])


def _stood(foot: FootMotion, fall: Footfall, here: slice) -> np.ndarray:
    """(N, 3) the ball of a stance, moved and turned with its place; it rises straight up, which is no slip."""
    kept = 1.0 - foot.flatter[here, None]
    off = foot.ball[here] - fall.stance.ball
    up = off * rotation.UP
    return fall.ball + kept * (rotation.rotate(fall.turn, off - up) + up)


def _without_slip(ball: np.ndarray, heel: np.ndarray, held: np.ndarray, eased: int) -> np.ndarray:
    """(N, 3) a ball of a stance that stays where it is along the floor while it is held, and goes about its heel, which
    is at heel (N, 3) from it, while only that is (N, 2); so many frames lie between the two. What a capture's foot does
    beside that it does in swings."""
    both = held[1:] & held[:-1]
    steps = np.where(both[:, :1], np.diff(-heel, axis=0), np.diff(ball, axis=0))
    on_ball = both[:, 1:].astype(float)
    steps *= 1.0 - np.where(both[:, :1], low_pass(on_ball, eased), on_ball)
    path = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    rests = np.flatnonzero(held[:, 1 if held[:, 1].any() else 0])
    middle = int(rests[len(rests) // 2]) if len(rests) else 0
    still = ball[middle] + path - path[middle]
    still[:, 1] = ball[:, 1]
    return still


def _flattest(foot: FootMotion, first: int, last: int) -> np.ndarray:
    """(4,) the rotation of a foot at the frame of a stance in which its heel and ball are nearest to level."""
    rise = np.abs(foot.sole[first : last + 1, 0, 1])
    return np.asarray(foot.turn[first + int(rise.argmin())])


def _rate(moved: np.ndarray, frame: int, other: int) -> np.ndarray:
    """(3,) metres a frame by which what a foot is moved by changes at an end of a stance, whose other end is given."""
    if frame == other:
        return np.zeros(3)
    before, after = (frame - 1, frame) if other < frame else (frame, frame + 1)
    return np.asarray(moved[after] - moved[before])


def _led_on(rates: tuple[np.ndarray, np.ndarray], size: int, most: int) -> np.ndarray:
    """(N, 3) what lets a swing begin and end at the rates of its stances, within so many frames of them: Hermite."""
    frames = float(min(most, size + 1))
    after, before = np.arange(1.0, size + 1.0), np.arange(float(size), 0.0, -1.0)
    a, b = np.minimum(after / frames, 1.0), np.minimum(before / frames, 1.0)
    leaving, landing = frames * a * (1.0 - a) ** 2, frames * b * (1.0 - b) ** 2
    return np.asarray(leaving[:, None] * rates[0] - landing[:, None] * rates[1])


def _between(ball: np.ndarray, at_first: np.ndarray, at_last: np.ndarray, delay: float) -> np.ndarray:
    """(N, 3) how far a ball (N + 2, 3) is moved in a swing, from what it is moved by at its ends.

    It makes the clip's progress from place to place, with the clip's own strays to the sides, later or sooner.
    """
    size = len(ball) - 2
    share = np.arange(size + 2) / (size + 1.0)
    line = (ball[-1] - ball[0]) * np.array([1.0, 0.0, 1.0])
    length = float(np.linalg.norm(line))
    progress = ease(share)
    if length > STRAY_M:
        progress = np.clip((ball - ball[0]) @ line / length**2, 0.0, 1.0)
        progress = np.maximum.accumulate(progress)
        progress[-1] = 1.0
    stray = ball - ball[0] - progress[:, None] * line
    warped = np.clip((share - max(delay, 0.0)) / (1.0 - abs(delay)), 0.0, 1.0)
    gone = np.interp(warped, share, progress)[:, None]
    start, end = ball[0] + at_first, ball[-1] + at_last
    level = start + gone * (end - start) + stray
    moved = level - ball
    moved[:, 1] = at_first[1] + ease(share) * (at_last[1] - at_first[1])
    return moved[1:-1]
