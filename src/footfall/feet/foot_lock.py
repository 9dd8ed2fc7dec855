"""Foot lock: heels and balls stay exactly where they stand, and swings keep the captured motion.

While a heel or a ball is down it is held at the place it had on average over that contact, which changes the motion
least; with both down the foot stands still as a whole, and a ball that rises stays over its place. In between, the
offset of the foot falls to 0 (importance, Shin et al. 2001: 1 for a stance foot, 0 in the swing). Targets out of reach
first roll the foot further over its ball, then move the pelvis (`pelvis_reach`); knees keep their swivel
(`leg_kernels`). Where that would accelerate a joint too hard the lock gives way (`foot_targets`). docs/foot_lock.md.

Deciding is not computing: `lock_plan` returns plain data, `foot_targets` and `leg_solve` turn it into poses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from footfall.analysis.contacts import Contacts
from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import UnknownName
from footfall.core.roles import SIDES
from footfall.feet.foot_targets import locked_pose
from footfall.feet.lock_plan import PARTS, FootLockOptions, Lock, LockPlan, Spans, plan_locks, spans_of
from footfall.motions.library import ClipLike, open_clip

__all__ = ["FootLockOptions", "Lock", "LockPlan", "foot_lock", "known_contacts", "plan_locks"]


def foot_lock(
    clip: ClipLike,
    contacts: Contacts | Spans | None = None,
    options: FootLockOptions | None = None,
    only_s: tuple[float, float] | None = None,
    **changes: Any,
) -> Clip:
    """Keep the feet of a clip from sliding. A clip without contacts is returned as it is.

    >>> import footfall as ff
    >>> ff.foot_lock("walk", ease_s=0.2).frames == ff.motion("walk").frames
    True

    clip: a clip, a file or a built-in motion. changes: single options by name (see FootLockOptions).
    contacts: found in the clip unless given, as Contacts or as spans by part. A loop stays one. only_s: hold only
    contacts that reach into these seconds, to their end, and change nothing before them: a contact that began earlier
    is held where the foot stands as they begin; the result is no loop. `clip.on_ground` puts a clip on other ground.
    """
    clip, options = open_clip(clip), _changed(options or FootLockOptions(), changes)
    if clip.frames == 0:
        return clip
    if clip.is_loop and clip.frames > 1 and only_s is None:
        return _lock_loop(clip, clip.contacts if contacts is None else contacts, options)
    plan = plan_locks(clip, contacts, options, only_s)
    pose = locked_pose(clip, plan, options)
    return clip if pose is None else clip.with_pose(pose, is_loop=False)


def _changed(options: FootLockOptions, changes: Mapping[str, Any]) -> FootLockOptions:
    """The options with some of them changed by name."""
    known = [option.name for option in fields(FootLockOptions)]
    for name in changes:
        if name not in known:
            raise UnknownName("option of the foot lock", name, known)
    return replace(options, **changes) if changes else options


def _lock_loop(clip: Clip, contacts: Contacts | Spans, options: FootLockOptions) -> Clip:
    """A loop locked as the middle one of three rounds, so that it still closes."""
    length, last = clip.duration, clip.frames - 1
    spans = {
        part: [(a + lap * length, b + lap * length) for lap in range(3) for a, b in spans_of(contacts, part)]
        for part in (f"{side}_{name}" for side in SIDES for name in PARTS)
    }
    rounds = clip.sample(np.arange(-last, 2 * last + 1) / clip.fps)
    long = clip.with_pose(fix_signs(rounds), is_loop=False)
    locked = foot_lock(long, spans, options)
    if locked is long:
        return clip
    middle = slice(last, 2 * last + 1)
    pose, before = locked.pose.at(middle), long.pose.at(middle)
    same = (pose.root_pos == before.root_pos).all(axis=-1) & (pose.rot == before.rot).all(axis=(-2, -1))
    root_pos = np.where(same[:, None], clip.pose.root_pos, pose.root_pos)
    rot = np.where(same[:, None, None], clip.pose.rot, rotation.nearest_sign(pose.rot, clip.pose.rot))
    return clip.with_pose(clip.pose._replace(root_pos=root_pos, rot=rot))


def known_contacts(clip: Clip) -> dict[str, list[tuple[float, float]]]:
    """Spans by part of clips whose events tell them, as those of the built-in motions do."""
    spans: dict[str, list[tuple[float, float]]] = {f"{side}_{part}": [] for side in SIDES for part in PARTS}
    for event in clip.events:
        if event.name in spans:
            spans[event.name].append((event.start_s, event.end_s))
    return {part: sorted(times) for part, times in spans.items()}
