"""Mirrored loops: one step and its mirror image, eased into each other, repeat as a stride.

What the step's end differs by from its image's start is split as in `edit.loop`; mirrored, the same closes the other
place where they meet.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.pose import Pose
from footfall.edit.loop import LoopEase, kink, turn_steps
from footfall.edit.mirror import mirror
from footfall.edit.sample import cycle
from footfall.edit.smooth import close_loop
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root

EASED = 0.5  # share of the step at either end that is bent: by eye


def mirrored_loop(step: Clip) -> Clip:
    """A loop of a step and its mirror image."""
    image = onto(mirror(step), step, step.frames - 1)
    ease = LoopEase.of(step, EASED * step.duration)
    x, y = step.pose, image.pose
    turned = ease.corrections(
        rotation.log(rotation.multiply(y.rot[0], rotation.conjugate(x.rot[-1]))),
        kink(turn_steps(y.rot), turn_steps(x.rot[-3:])),
    )
    moved = ease.corrections(
        y.root_pos[0] - x.root_pos[-1], kink(np.diff(y.root_pos, axis=0), np.diff(x.root_pos[-3:], axis=0))
    )
    begun = y._replace(root_pos=y.root_pos + moved[0], rot=rotation.multiply(rotation.exp(turned[0]), y.rot))
    # the image of the eased image is the step with its start eased; it lies where the step lay
    back = mirror(image.with_pose(begun))
    shift = between_roots(*_root(mirror(image), -1), *_root(step, -1))
    first = shift.pose(back.pose)
    rot = rotation.multiply(rotation.exp(turned[1]), first.rot)
    eased = step.with_pose(fix_signs(first._replace(root_pos=first.root_pos + moved[1], rot=rotation.normalize(rot))))
    parts = [eased.pose, onto(mirror(eased), eased, eased.frames - 1).pose.at(slice(1, None))]
    root_pos, rot = (np.concatenate([getattr(p, key) for p in parts]) for key in ("root_pos", "rot"))
    pos = None if parts[0].pos is None else np.concatenate([p.pos for p in parts if p.pos is not None])
    whole = step.with_pose(fix_signs(Pose(root_pos, rotation.continuous_signs(rot), pos)), events=())
    return whole.with_pose(close_loop(whole.pose, cycle(whole).pose(whole.pose.at(0))), is_loop=True)


def onto(moved: Clip, clip: Clip, frame: int) -> Clip:
    """A clip placed so that its first floor root is that of another at a frame."""
    return moved.with_pose(between_roots(*_root(moved, 0), *_root(clip, frame)).pose(moved.pose))


def _root(clip: Clip, frame: int) -> tuple[np.ndarray, np.ndarray]:
    return floor_root(clip.skeleton, clip.pose.at(frame))
