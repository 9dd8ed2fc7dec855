#!/usr/bin/env python3
"""The picture of docs/foot_lock.md: what goes wrong when a step of foot lock is left out.

usage: python tools/make_foot_lock_pictures.py [DIR]        default docs/images

Only built-in motions, tampered with so that their feet slide, their legs do not reach or a foot jumps for one frame.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.feet import foot_targets
from footfall.feet.foot_lock import FootLockOptions, foot_lock, known_contacts, plan_locks
from footfall.feet.leg_solve import solve_legs, world_legs
from footfall.kinematics.two_bone_ik import two_bone_ik
from footfall.quality.joins import accelerations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEFORE, WITHOUT, WITH = "0.6", "tab:red", "tab:blue"


@contextmanager
def only_first_round() -> Iterator[None]:
    """Foot lock that does not look at what it throws."""
    rounds, foot_targets.ROUNDS = foot_targets.ROUNDS, 1
    try:
        yield
    finally:
        foot_targets.ROUNDS = rounds


def walk(seconds: float = 2.6) -> Clip:
    """The built-in walk, some rounds of it."""
    one = ff.motion("walk", speed=1.4)
    laps = int(np.ceil(seconds / one.duration))
    events = tuple(
        e._replace(start_s=e.start_s + k * one.duration, end_s=e.end_s + k * one.duration)
        for k in range(laps)
        for e in one.events
    )
    pose = one.sample(np.arange(laps * (one.frames - 1) + 1) / one.fps)
    return one.with_pose(pose, is_loop=False, events=events)


def moved(clip: Clip, shift: np.ndarray) -> Clip:
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + shift))


def swaying(clip: Clip, size: float) -> Clip:
    """The body sways over its feet, which slide with it."""
    t = 4.0 * clip.times
    return moved(clip, size * np.stack([np.sin(t), 0.0 * t, np.cos(t)], axis=-1))


def jumping_foot(clip: Clip, frame: int) -> Clip:
    """The left foot is turned by 5 degrees for one frame, as captured feet are."""
    rot = np.array(clip.pose.rot)
    ankle = clip.skeleton.roles.left_ankle
    rot[frame, ankle] = rotation.multiply(rot[frame, ankle], rotation.exp(np.array([0.08, 0.0, 0.03])))
    return clip.with_pose(clip.pose._replace(rot=rot))


def thrown(clip: Clip, joint: int | None) -> np.ndarray:
    assert joint is not None
    return accelerations(clip)[:, joint]


def easing(axis: Axes) -> None:
    clip = swaying(walk(), 0.03)
    contacts, ankle = known_contacts(clip), clip.skeleton.roles.left_ankle
    with only_first_round():
        abrupt = foot_lock(clip, contacts, options=FootLockOptions(ease_s=0.0))
    gentle = foot_lock(clip, contacts)
    time = clip.times[1:-1]
    plot(axis, "importance: an offset let go at once, or over the swing", "ankle, m/s²", "seconds",
         [(time, thrown(abrupt, ankle), WITHOUT, "let go at once"),
          (time, thrown(clip, ankle), BEFORE, "before the lock"),
          (time, thrown(gentle, ankle), WITH, "eased")])  # fmt: skip
    axis.set_ylim(0, 400)


def reach(axis: Axes) -> None:
    clip = walk()
    clip = moved(clip, np.array([0.0, 0.03, 0.0]) + 0.02 * np.sin(4.0 * clip.times)[:, None] * [0.0, 0.0, 1.0])
    contacts, options = known_contacts(walk()), FootLockOptions(flatten=True)
    low = [(lock, lock._replace(place=(lock.place[0], lock.place[1] - 0.03, lock.place[2])))
           for lock in plan_locks(clip, contacts, options=options).locks]  # fmt: skip
    plan = plan_locks(clip, contacts, options=options)._replace(locks=tuple(lock for _, lock in low))
    targets, _ = foot_targets.lock_targets(clip, plan, options)
    missed = []
    for move in (np.zeros_like(targets.move), targets.move):
        pose: Pose = solve_legs(clip.skeleton, clip.pose, targets._replace(move=move))
        missed.append(1000.0 * np.linalg.norm(world_legs(clip.skeleton, pose).ankle - targets.ankle, axis=-1)[:, 0])
    plot(axis, "pelvis reach: a body 3 cm too high for its floor", "ankle off its target, mm", "seconds",
         [(clip.times, missed[0], WITHOUT, "pelvis left where it is"),
          (clip.times, missed[1], WITH, "pelvis moved")])  # fmt: skip


def extension(axis: Axes) -> None:
    length = 0.42
    distance = np.linspace(0.78, 0.88, 240)
    hip, knee = np.zeros(3), np.array([0.0, -0.4, 0.12])
    ankle = knee + np.array([0.0, -0.405, -0.105])
    target = np.stack([0.0 * distance, -distance, 0.0 * distance], axis=-1)
    curves = []
    ways = ((WITHOUT, "stopped at full length", (0.99999, 1.0)), (WITH, "slowed from 0.97 on", (0.97, 0.995)))
    for color, label, given in ways:
        mid = two_bone_ik(*(np.broadcast_to(x, target.shape) for x in (hip, knee, ankle)), target, *given).mid
        lower = np.linalg.norm(mid - hip, axis=-1)
        bend = 2.0 * np.degrees(np.arccos(np.clip(-mid[:, 1] / lower, -1.0, 1.0)))
        curves.append((100.0 * distance / (2.0 * length), bend, color, label))
    along = "distance asked for, % of the leg"
    plot(axis, "soft extension: a foot drawn out of reach", "knee bend, degrees", along, curves)


def giving_way(axis: Axes) -> None:
    clip = jumping_foot(swaying(walk(), 0.02), 185)
    contacts, knee = known_contacts(walk()), clip.skeleton.roles.left_knee
    with only_first_round():
        stubborn = foot_lock(clip, contacts)
    locked = foot_lock(clip, contacts)
    time = clip.times[1:-1]
    plot(axis, "giving way: a foot turned for one frame", "knee, m/s²", "seconds",
         [(time, thrown(stubborn, knee), WITHOUT, "held at any price"),
          (time, thrown(clip, knee), BEFORE, "before the lock"),
          (time, thrown(locked, knee), WITH, "giving way")])  # fmt: skip


def plot(axis: Axes, title: str, up: str, along: str, curves: list[tuple[np.ndarray, np.ndarray, str, str]]) -> None:
    for x, y, color, label in curves:
        axis.plot(x, y, color=color, label=label, linewidth=1.2)
    axis.set(title=title, xlabel=along, ylabel=up)
    axis.legend(frameon=False, fontsize=8)


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 6.4), layout="constrained")
    for axis, draw in zip(axes.ravel(), (easing, reach, extension, giving_way), strict=True):
        draw(axis)
        axis.spines[["top", "right"]].set_visible(False)
    path = folder / "foot_lock.png"
    figure.savefig(path, dpi=90, metadata={"Software": None})
    print(path)


if __name__ == "__main__":
    main()
