"""Report: everything that can be measured on one clip alone, with a verdict in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.errors import SkeletonError
from footfall.quality.jerk import jerk
from footfall.quality.joins import AROUND_S, CLEAN, QUANTILE, VISIBLE, measured_joints
from footfall.quality.penetration import Penetration, penetration
from footfall.quality.skate import skate
from footfall.quality.slide import Slide, slide

if TYPE_CHECKING:
    from footfall.core.clip import Clip

JUDGED_HZ = 60.0  # spikes are looked for at about this rate: at 120 Hz and more the noise of markers is one
APART_S = 0.2  # spikes nearer to each other than this are one
STANDS_OUT = 1.5  # by eye: the least ratio of a spike to what the joint does nearby and elsewhere
MOST = 10  # spikes and turns listed
FAST_TURN_DEG = 25.0  # in a frame of 1/60 s or less: no joint of a body does it, glitches do; by eye
SKATE_CM_S, DRIFT_CM, DEPTH_CM = 15.0, 6.0, 5.0  # by eye: clean captures stay below; beyond, the verdict says so


class Spike(NamedTuple):
    """A moment at which a joint accelerates far more than in the rest of the clip: perhaps a bad join or a glitch."""

    time_s: float
    joint: str
    excess_m_s2: float  # beyond what the joint does nearby and in the rest of the clip, at about 60 frames a second


class FastTurn(NamedTuple):
    """A joint that turned further in one frame than bodies do."""

    time_s: float
    joint: str
    degrees: float


@dataclass(frozen=True)
class QualityReport:
    """Figures of one clip; those of feet are None for bodies without two feet."""

    frames: int
    duration_s: float
    skate_cm_s: float | None
    slide: Slide | None
    penetration: Penetration | None
    jerk_m_s3: float
    spikes: tuple[Spike, ...]
    fast_turns: tuple[FastTurn, ...]
    fast_turn_frames: int
    verdict: str

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dumps."""
        data = asdict(self)
        data["slide"] = None if self.slide is None else self.slide._asdict()
        data["penetration"] = None if self.penetration is None else self.penetration._asdict()
        data["spikes"] = [s._asdict() for s in self.spikes]
        data["fast_turns"] = [t._asdict() for t in self.fast_turns]
        return data


def quality(clip: Clip) -> QualityReport:
    """Measure one clip."""
    spikes = find_spikes(clip)
    turns, turn_frames = find_fast_turns(clip)
    feet: tuple[float, Slide, Penetration] | None = None
    if clip.frames:
        try:
            feet = skate(clip), slide(clip), penetration(clip)
        except SkeletonError:  # no two feet: the rest can still be told
            feet = None
    skated, slid, sunk = feet or (None, None, None)
    return QualityReport(
        clip.frames,
        clip.duration,
        skated,
        slid,
        sunk,
        jerk(clip),
        tuple(spikes),
        tuple(turns),
        turn_frames,
        _verdict(clip.frames, skated, slid, sunk, spikes, turn_frames),
    )


def find_spikes(clip: Clip) -> list[Spike]:
    """Accelerations more than 40 m/s² beyond all the joint does nearby and 99.9 % of what it does elsewhere."""
    step = max(1, round(clip.fps / JUDGED_HZ))
    joints, x = measured_joints(clip), clip.positions
    apart = max(1, round(APART_S * clip.fps))
    if len(x) - 2 * step < 4 * apart:
        return []
    bend = x[2 * step :] - 2.0 * x[step:-step] + x[: -2 * step]
    ours = np.linalg.norm(bend[:, joints], axis=-1) * (clip.fps / step) ** 2  # (T - 2 step, K)
    around = _largest_around(ours, 2 * step + 1, max(round(AROUND_S * clip.fps), 4 * step))
    peaks: list[slice] = []
    rest = np.ones(len(ours), bool)  # frames near none of the peaks
    excess = np.zeros_like(ours)
    spikes = 0
    while len(peaks) < MOST:
        worst = int(np.where(rest, ours.max(axis=1), -np.inf).argmax())
        near = slice(max(worst - apart, 0), worst + apart + 1)
        if (rest.sum() - rest[near].sum()) * 2 < len(rest):
            break
        rest[near] = False
        peaks.append(near)
        # several bad joins of one clip must not hide each other: a peak that stands out from what is left when it and
        # all larger ones are taken away makes spikes of all of them
        usual = np.quantile(ours[rest], QUANTILE, axis=0)
        allowed = np.maximum(usual, around)
        beyond = np.where(ours > STANDS_OUT * allowed, ours - allowed, 0.0)
        if beyond[near].max() > CLEAN:
            spikes, excess = len(peaks), beyond
    return sorted((_spike(clip, joints, excess, near, step) for near in peaks[:spikes]), key=lambda s: -s.excess_m_s2)


def _largest_around(x: np.ndarray, first: int, last: int) -> np.ndarray:
    """(T, K) largest value at a distance of first to last frames on either side: a jump is over in fewer frames, a
    step or a blow is not."""
    result = np.zeros_like(x)
    for distance in range(first, last + 1):
        result[distance:] = np.maximum(result[distance:], x[:-distance])
        result[:-distance] = np.maximum(result[:-distance], x[distance:])
    return result


def _spike(clip: Clip, joints: np.ndarray, excess: np.ndarray, near: slice, step: int) -> Spike:
    i, k = (int(n) for n in np.unravel_index(int(excess[near].argmax()), excess[near].shape))
    time_s = float((near.start + i + step) / clip.fps)
    return Spike(time_s, clip.skeleton.names[joints[k]], float(excess[near][i, k]))


def find_fast_turns(clip: Clip) -> tuple[list[FastTurn], int]:
    """The fastest turns of more than 25° in a frame, and the number of frames that have one (fingers left out).

    Frames longer than 1/60 s are allowed as much more.
    """
    if clip.frames < 2:
        return [], 0
    joints = measured_joints(clip)
    rot = clip.pose.rot[:, joints]
    degrees = np.degrees(rotation.angle_between(rot[:-1], rot[1:]))  # (T-1, K)
    frames = np.flatnonzero((degrees > FAST_TURN_DEG * max(1.0, 60.0 / clip.fps)).any(axis=1))
    worst = sorted(frames, key=lambda i: -degrees[i].max())[:MOST]
    turns = []
    for i in worst:
        k = int(degrees[i].argmax())
        turns.append(FastTurn(float((i + 1) / clip.fps), clip.skeleton.names[joints[k]], float(degrees[i, k])))
    return turns, len(frames)


def _verdict(
    frames: int, skated: float | None, slid: Slide | None, sunk: Penetration | None, spikes: list[Spike], turns: int
) -> str:
    if not frames:
        return "only a skeleton"
    faults = []
    visible = sum(spike.excess_m_s2 > VISIBLE for spike in spikes)
    if visible:
        more = f" and {visible - 1} more" if visible > 1 else ""
        faults.append(f"visible jump at {spikes[0].time_s:.2f} s ({spikes[0].joint}){more}")
    if turns:
        faults.append(f"a joint turns over {FAST_TURN_DEG:g}° at once in {turns} frame{'s' if turns > 1 else ''}")
    if skated is None or slid is None or sunk is None:
        return "; ".join([*faults, "no two feet found, so none were judged"])
    if skated > SKATE_CM_S or slid.drift_cm > DRIFT_CM:
        faults.append("feet slide")
    if sunk.deepest_cm > DEPTH_CM:
        faults.append("feet sink into the floor")
    return "; ".join(faults) or "clean"
