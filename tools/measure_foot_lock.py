#!/usr/bin/env python3
"""What foot lock does to captures: slide, excess acceleration, knees and pelvis, take by take.

usage: python tools/measure_foot_lock.py FOLDER [PART …]      every .bvh below it, or those with a PART in their path

Slide is measured over the capture's own contacts, before and after. Its points, heel and ball of the sole, are those
the lock holds: near zero says that it holds them for as long as they are down, not that the motion is good. That is
what the others are for. Excess acceleration is the worst of the whole take against the capture within ±0.1 s, knee the
largest knee speed over the capture's, pelvis how far it was moved at most, and tip how far the tip of the toes, which
is down but not held, goes while the ball rises.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.ndimage import maximum_filter1d

import footfall as ff
from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.roles import SIDES
from footfall.feet.foot_lock import LockPlan, foot_lock, plan_locks
from footfall.quality.joins import AROUND_S, CLEAN, VISIBLE, accelerations, measured_joints
from footfall.quality.knee import knee_speed
from footfall.quality.penetration import penetration
from footfall.quality.slide import slide


class Row(NamedTuple):
    """One take."""

    before: float  # slide, cm/s
    after: float
    excess: float  # m/s²
    knee: float
    pelvis: float  # cm
    deeper: float  # cm of penetration added
    us: float  # a frame
    tip_before: float  # cm, nan where no foot rolls over its toes
    tip_after: float
    where: str


def worst_excess(clip: Clip, source: Clip) -> tuple[float, str]:
    """The largest excess of any moment of a clip over the same clip before, and where it is."""
    ours, own = accelerations(clip), accelerations(source)
    if not len(own):
        return 0.0, ""
    allowed = maximum_filter1d(own, 2 * int(AROUND_S * clip.fps + 1e-6) + 1, axis=0, mode="nearest")
    joints = measured_joints(clip)
    excess = (ours - allowed)[:, joints]
    frame, column = np.unravel_index(int(excess.argmax()), excess.shape)
    if excess[frame, column] <= 0.0:
        return 0.0, ""
    name = clip.skeleton.names[joints[column]]
    return float(excess[frame, column]), f"{name} {(frame + 1) / clip.fps:.2f} s"


def tip_drift(clip: Clip, plan: LockPlan) -> float:
    """How far tips of toes go, in cm, while the ball rises and the contact lasts: mean over contacts."""
    tips, found = foot_points(clip).sole[:, :, 2], []
    for lock in plan.locks:
        if lock.over_s > 0.0:
            last, after = (round(t * clip.fps) for t in (lock.end_s, lock.end_s + lock.over_s))
            step = tips[after, SIDES.index(lock.foot)] - tips[last, SIDES.index(lock.foot)]
            found.append(100.0 * float(np.hypot(step[0], step[2])))
    return float(np.mean(found)) if found else float("nan")


def measure(clip: Clip) -> Row:
    """Everything of one take."""
    contacts = clip.contacts
    began = time.perf_counter()
    locked = foot_lock(clip, contacts)
    spent = time.perf_counter() - began
    excess, where = worst_excess(locked, clip)
    plan = plan_locks(clip, contacts)
    return Row(
        slide(clip, contacts).mean_cm_s,
        slide(locked, contacts).mean_cm_s,
        excess,
        knee_speed(locked) / max(knee_speed(clip), 1e-9),
        100.0 * float(np.linalg.norm(locked.pose.root_pos - clip.pose.root_pos, axis=-1).max()),
        penetration(locked).deepest_cm - penetration(clip).deepest_cm,
        1e6 * spent / clip.frames,
        tip_drift(clip, plan),
        tip_drift(locked, plan),
        where,
    )


def main() -> None:
    rows = []
    print("take | slide, cm/s | excess, m/s² | knee | pelvis, cm | deeper, cm | µs a frame | tip, cm | worst at")
    for path in sorted(Path(sys.argv[1]).rglob("*.bvh")):
        if sys.argv[2:] and not any(part in str(path) for part in sys.argv[2:]):
            continue
        try:
            row = measure(ff.load(path))
        except ff.FootfallError as error:
            print(f"{path.name}: left out: {error}", file=sys.stderr)
            continue
        rows.append(row)
        name = f"{path.parent.name}/{path.stem}"
        print(f"{name} | {row.before:.1f} → {row.after:.2f} | {row.excess:.0f} | {row.knee:.2f} | {row.pelvis:.1f} | "
              f"{row.deeper:+.1f} | {row.us:.0f} | "
              f"{row.tip_before:.1f} → {row.tip_after:.1f} | {row.where}", flush=True)  # fmt: skip
    if rows:
        summary(rows)


def summary(rows: list[Row]) -> None:
    before, after, excess, knee, pelvis, deeper, us = (np.array(x, float) for x in list(zip(*rows, strict=True))[:7])
    print(f"{len(rows)} takes: slide median {np.median(before):.1f} → {np.median(after):.2f} cm/s, "
          f"{(after < 0.5).sum()} under 0.5, 90 % {np.quantile(after, 0.9):.1f}, most {after.max():.1f}")  # fmt: skip
    tips = np.array([(row.tip_before, row.tip_after) for row in rows])
    tips = tips[np.isfinite(tips).all(axis=1)].reshape(-1, 2)
    if len(tips):
        print(f"tips of toes while the ball rises, {len(tips)} takes: median {np.median(tips[:, 0]):.1f} → "
              f"{np.median(tips[:, 1]):.1f} cm")  # fmt: skip
    print(f"excess median {np.median(excess):.0f} m/s², 90 % {np.quantile(excess, 0.9):.0f}, most {excess.max():.0f}; "
          f"{(excess <= CLEAN).sum()} clean, {(excess > VISIBLE).sum()} visible")  # fmt: skip
    print(f"knee median {np.median(knee):.2f}, most {knee.max():.2f}, {(knee > 1.2).sum()} over 1.2; pelvis median "
          f"{np.median(pelvis):.1f} cm, most {pelvis.max():.1f}; deeper at most {deeper.max():+.1f} cm; "
          f"{np.median(us):.0f} µs a frame")  # fmt: skip


if __name__ == "__main__":
    main()
