"""Found cycles: what a character can keep doing from a recording: labelled gait cycles, and standing.

Every cycle that the analysis finds (`analysis.cycles`) gets a label from its own feet and speed, not from its take: a
take may start standing, walk, and end running. What cannot be used carries the reason, in words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.analysis.base_foot import joint_paths
from footfall.analysis.contacts import runs
from footfall.analysis.cycles import Cycle, closing_errors, find_cycles, trunk_and_limbs
from footfall.analysis.gait import FROUDE, GRAVITY, share_of
from footfall.analysis.key_times import find_key_times
from footfall.analysis.phases import Phase, find_phases
from footfall.core import rotation
from footfall.core.clip import Clip

DIRECTIONS = ("forward", "left", "back", "right")
# By eye, on the CMU and Bandai Namco takes.
CLOSES_DEG = 25.0  # ends of a cycle that differ by more in some joint are not the same moment of a gait
# What scores 1 for running: this much more flight than double support, this much over the walk-run speed.
RUN_SHARE, RUN_SPEED = 0.2, 0.35
CLEARLY = 0.35  # score of walking against running: nearer to 0 it is neither
ON_THE_SPOT = 0.15  # walk-run speeds: slower cycles go nowhere
OBLIQUE_DEG = 30.0  # a body that goes further off where it faces goes neither forward nor sideways
MOST_TURN = 130.0  # °/s: faster is turning on the spot
REPAIRED_S = 0.05  # of a limb or the trunk, in one cycle: longer repairs are not what the person did
WILD_DEG_S = 2500.0  # a main joint that turns faster than this was not tracked
JERK_DEG_S = 1800.0  # nor one whose speed changes by this from frame to frame, there and back
STILL_S, LONGEST_STILL_S = 0.5, 4.0  # of standing that makes a loop
RAISED = 0.25  # leg lengths over the pelvis: hands higher than this do something
BOWED = 0.93  # of how high the head usually is over the pelvis: a lower one bows
STILL_LEG_S, STILL_HANDS_LEG_S = 0.12, 0.35  # leg lengths a second, of the pelvis, of hands and head
WINDOW_S = 0.4  # over which a body is still
FOREIGN = "the take begins with frames that are no part of it"
_TIME = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_REPAIR = re.compile(rf": frames? [0-9 to]{{1,40}}\((?P<start>{_TIME})(?: to (?P<end>{_TIME}))? s\)")  # after a joint
_START = re.compile(r"^whole body: frames? (?:[0-9]{1,12} to )?(?P<last>[0-9]{1,12}) ")


class FoundGait(NamedTuple):
    """A stretch of a recording: one gait cycle, or standing; usable where `why` is empty."""

    label: str  # walk, run, back, side, stand; empty: none
    start_s: float
    end_s: float
    foot: str = ""  # that strikes at its start
    speed: float = 0.0  # m/s forward
    side: float = 0.0  # m/s to the left
    turn: float = 0.0  # °/s to the left
    closing_deg: float = 0.0
    change: float = 0.0  # of its speed from its start to its end, over its speed
    why: str = ""  # it is not used

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s


def find_gaits(clip: Clip) -> list[FoundGait]:
    """Every cycle of a recording, both feet's, in order, and its stretches of standing."""
    if clip.frames < 4:
        return []
    phases, keys = find_phases(clip, clip.contacts), find_key_times(clip, clip.contacts)
    bad = glitches(clip)
    cycles = [_judged(clip, c, phases, bad) for c in find_cycles(clip, keys, steady=False)]
    return sorted([*cycles, *_stands(clip, phases, bad)], key=lambda f: (f.start_s, f.end_s))


def _judged(clip: Clip, cycle: Cycle, phases: Sequence[Phase], bad: Sequence[tuple[float, float, str]]) -> FoundGait:
    label, why = _label(clip, cycle, phases)
    why = why or glitch_in(bad, cycle.start_s, cycle.end_s)
    if not why and not cycle.is_steady:
        why = f"not steady: its speed changes by {100.0 * cycle.speed_change:.0f} % from its start to its end"
    if not why and cycle.closing_error_deg > CLOSES_DEG:
        why = f"loop error too large: its ends differ by {cycle.closing_error_deg:.0f}°, more than {CLOSES_DEG:g}°"
    return FoundGait(
        label, cycle.start_s, cycle.end_s, cycle.start_foot, cycle.speed, cycle.side, float(np.degrees(cycle.turn)),
        cycle.closing_error_deg, cycle.speed_change, why,
    )  # fmt: skip


def _label(clip: Clip, cycle: Cycle, phases: Sequence[Phase]) -> tuple[str, str]:
    """The label of a cycle, and why it has none that can be used."""
    walk_run = float(np.sqrt(FROUDE * GRAVITY * clip.skeleton.leg_length))
    if cycle.travel < ON_THE_SPOT * walk_run:
        return "", "not a gait: it steps on the spot"
    double, flight = (share_of(phases, name, cycle.start_s, cycle.end_s) for name in ("DS", "NS"))
    score = (flight - double) / RUN_SHARE + (cycle.travel / walk_run - 1.0) / RUN_SPEED  # as `analysis.gait` scores
    angle = float(np.degrees(np.arctan2(cycle.side, cycle.speed)))
    quarter = round(angle / 90.0) % 4
    label = "run" if score > 0.0 else "walk"
    label = {"forward": label, "back": "back"}.get(DIRECTIONS[quarter], "side")
    if abs((angle - 90.0 * quarter + 180.0) % 360.0 - 180.0) > OBLIQUE_DEG:
        return label, f"goes obliquely, {abs(angle):.0f}° off where it faces"
    if abs(np.degrees(cycle.turn)) > MOST_TURN:
        return label, f"turns on its feet, by {abs(np.degrees(cycle.turn)):.0f}°/s"
    if label in ("walk", "run") and abs(score) < CLEARLY:
        return label, f"neither a walk nor a run: {double:.0%} of it on both feet, {flight:.0%} on none"
    return label, ""


# --- glitches --------------------------------------------------------------------------------------------------------


def glitches(clip: Clip) -> list[tuple[float, float, str]]:
    """Spans of time in which limbs or trunk are not what the person did: start, end, what in words."""
    main = main_joints(clip)
    names = {clip.skeleton.names[j] for j in main}
    found: list[tuple[float, float, str]] = []
    for told in clip.repairs:
        start = _START.match(told)
        if start is not None:
            found.append((0.0, (int(start["last"]) + 1) / clip.fps, FOREIGN))
            continue
        match = _REPAIR.search(told)
        if match is not None and (joint := told[: match.start()]) in names:
            a = float(match["start"])
            b = float(match["end"] or a) + 1.0 / clip.fps
            found.append((a, b, f"{joint} was repaired over {b - a:.2f} s"))
    step = rotation.log(rotation.multiply(rotation.conjugate(clip.pose.rot[:-1, main]), clip.pose.rot[1:, main]))
    rate = np.degrees(step) * clip.fps  # (T - 1, joints, 3)
    wild = np.linalg.norm(rate, axis=-1) > WILD_DEG_S
    jerk = np.linalg.norm(np.diff(rate, axis=0), axis=-1) > JERK_DEG_S
    back = jerk[1:] & jerk[:-1]  # there and back within two frames
    for frame, joint in [*np.argwhere(wild).tolist(), *(np.argwhere(back) + [1, 0]).tolist()]:
        at = frame / clip.fps
        what = f"{clip.skeleton.names[main[joint]]} jumps at {at:.2f} s"
        found.append((at, at + 1.0 / clip.fps + REPAIRED_S, what))
    return found


def glitch_in(bad: Sequence[tuple[float, float, str]], start_s: float, end_s: float) -> str:
    """The glitch that spoils a stretch, in words; empty where none does."""
    for a, b, what in bad:
        if min(b, end_s) - max(a, start_s) >= min(REPAIRED_S, b - a) and b - a >= REPAIRED_S:
            return f"glitch: {what}"
        if what == FOREIGN and start_s < b - 1e-6:
            return f"glitch: {what}"
    return ""


def main_joints(clip: Clip) -> np.ndarray:
    """Pelvis, trunk and limbs, in order of their numbers."""
    return np.unique([clip.skeleton.roles.pelvis, *trunk_and_limbs(clip.skeleton)])


# --- standing --------------------------------------------------------------------------------------------------------


def _stands(clip: Clip, phases: Sequence[Phase], bad: Sequence[tuple[float, float, str]]) -> list[FoundGait]:
    """Stretches on both feet in which pelvis, hands and head are still; the longest LONGEST_STILL_S of each."""
    if clip.duration < STILL_S:
        return []
    still = still_frames(clip)
    found = []
    for phase in phases:
        if phase.label != "DS" or phase.end_s - phase.start_s < STILL_S:
            continue
        begin = max((b for a, b, what in bad if what == FOREIGN and a <= phase.start_s), default=0.0)
        first, last = int(np.ceil(max(phase.start_s, begin) * clip.fps - 1e-6)), int(phase.end_s * clip.fps)
        for a, b in runs(still[first : last + 1]):
            start, end = (first + a) / clip.fps, (first + b - 1) / clip.fps
            if end - start < STILL_S:
                continue
            if end - start > LONGEST_STILL_S:
                start, end = _calmest(clip, start, end)
            why = glitch_in(bad, start, end) or _posture(clip, start, end)
            found.append(FoundGait("stand", start, end, why=why))
    return found


def _posture(clip: Clip, start_s: float, end_s: float) -> str:
    """Why a still body does not just stand, in words; empty where it does."""
    roles, leg = clip.skeleton.roles, clip.skeleton.leg_length
    frames = np.arange(round(start_s * clip.fps), min(round(end_s * clip.fps) + 1, clip.frames))
    hands = [j for j in (roles.left_wrist, roles.right_wrist) if j is not None]
    over = joint_paths(clip, [roles.pelvis, *hands], frames)[..., 1]
    if hands and float((over[:, 1:] - over[:, :1]).max()) > RAISED * leg:
        return "not at rest: a hand is raised"
    if roles.head is not None:
        usual = joint_paths(clip, [roles.pelvis, roles.head])[..., 1]
        high = usual[:, 1] - usual[:, 0]
        if high[frames].min() < BOWED * np.quantile(high, 0.9):
            return "not at rest: it bows"
    return ""


def still_frames(clip: Clip) -> np.ndarray:
    """(T,) whether the body stands still there: pelvis, hands and head slow over WINDOW_S."""
    from scipy.ndimage import uniform_filter1d

    roles, leg = clip.skeleton.roles, clip.skeleton.leg_length
    ends = [j for j in (roles.left_wrist, roles.right_wrist, roles.head) if j is not None]
    paths = joint_paths(clip, [roles.pelvis, *ends])  # (T, 1 + E, 3)
    speed = np.linalg.norm(np.diff(paths, axis=0), axis=-1) * clip.fps / leg
    speed = np.concatenate([speed, speed[-1:]])
    calm = uniform_filter1d(speed, max(int(WINDOW_S * clip.fps), 1), axis=0, mode="nearest")
    return np.asarray((calm[:, 0] < STILL_LEG_S) & (calm[:, 1:] < STILL_HANDS_LEG_S).all(axis=1))


def _calmest(clip: Clip, start_s: float, end_s: float) -> tuple[float, float]:
    """The part of LONGEST_STILL_S whose ends are most alike."""
    starts = np.arange(start_s, end_s - LONGEST_STILL_S + 1e-9, 0.1)
    errors = closing_errors(clip, starts, starts + LONGEST_STILL_S)
    best = float(starts[int(np.argmin(errors))])
    return best, best + LONGEST_STILL_S
