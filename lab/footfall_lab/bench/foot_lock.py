"""Foot lock: microseconds a frame of the compiled leg solver, of its readable twin and of the whole lock."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.feet.foot_lock import FootLockOptions, foot_lock, known_contacts, plan_locks
from footfall.feet.foot_targets import lock_targets
from footfall.feet.leg_solve import leg_chain, solve_legs
from footfall.motions.library import motion
from footfall_lab.bench._measure import Row, median_s
from footfall_lab.held_feet import hold_feet
from footfall_lab.oracles import plain_legs

FRAMES, CHARACTERS = 20_000, 200
LIMIT_US, LIMIT = 3.0, "at most 3 µs"


def run() -> list[Row]:
    """Every figure of this benchmark."""
    clip = sliding_walk(FRAMES)
    contacts, skeleton, pose = known_contacts(clip), clip.skeleton, clip.pose
    targets, _ = lock_targets(clip, plan_locks(clip, contacts), FootLockOptions())
    chain = leg_chain(skeleton)
    each = 1e6 / clip.frames
    solved = each * median_s(lambda: solve_legs(skeleton, pose, targets), warm_up=2)
    point = np.zeros((clip.frames, 2, 3))
    weight, rest = np.ones((clip.frames, 2)), np.zeros((clip.frames, 2, 3))
    crowd = [
        x.reshape(-1, CHARACTERS, *x.shape[1:]) for x in (pose.root_pos, pose.rot, point, targets.ankle, weight, rest)
    ]
    held = each * median_s(lambda: [hold_feet(r, q, chain, *x) for r, q, *x in zip(*crowd, strict=True)], warm_up=2)
    twin = each * median_s(lambda: plain_legs.solve_legs(skeleton, pose, targets), repeats=3)
    whole = each * median_s(lambda: foot_lock(clip, contacts), repeats=3)
    body = f"{len(skeleton)}-joint body"
    return [
        Row(f"stream: hold, pelvis, legs of a {body}, {CHARACTERS} at once", f"{held:.2f} µs", LIMIT, held <= LIMIT_US),
        Row(f"clip: both legs of a {body} onto given targets, {clip.frames} frames", f"{solved:.2f} µs a frame"),
        Row("the same by the readable twin", f"{twin:.2f} µs a frame"),
        Row("clip: foot_lock as a whole, planned and smoothed over time, contacts known", f"{whole:.1f} µs a frame"),
    ]


def sliding_walk(frames: int) -> Clip:
    """The built-in walk over and over, sliding forward: something to lock in every frame."""
    walk = motion("walk", speed=1.4)
    rounds = -(-frames // (walk.frames - 1))
    times = np.arange(frames) / walk.fps
    pose = walk.sample(times)
    root = pose.root_pos + np.stack([0.0 * times, 0.0 * times, 0.02 * np.sin(7.0 * times)], axis=-1)
    events = tuple(
        event._replace(start_s=event.start_s + lap * walk.duration, end_s=event.end_s + lap * walk.duration)
        for lap in range(rounds)
        for event in walk.events
    )
    return walk.with_pose(Pose(root, pose.rot), is_loop=False, events=events)
