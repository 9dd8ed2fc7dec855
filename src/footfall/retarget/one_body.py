"""One body: clips of several bodies brought onto one character, which is their symmetric average unless named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.skeleton import Skeleton
from footfall.retarget.character import Body, Character, average_character, character
from footfall.retarget.retarget import retarget

AVERAGE = "average"
SAME_M = 1e-4  # metres by which offsets of one body may differ between two files. By eye


class OneBody(NamedTuple):
    """Clips that share a skeleton, and how they came to it."""

    clips: list[Clip]
    body: Character | None  # None: they had one body and were left as they are
    told: str  # a sentence


def one_body(
    clips: Sequence[Clip], onto: Body | None = None, each: Callable[[Sequence[Clip]], Iterable[Clip]] = iter
) -> OneBody:
    """The clips on one body: the one given, their own where all share it, else the symmetric average of their bodies,
    which "average" asks for in any case.

    Every body counts once in the average, however many clips it has. Clips that already have the body stay as they are.
    each: goes through the clips, as a progress bar does.
    """
    bodies = distinct([clip.skeleton for clip in clips])
    if onto is None and len(bodies) < 2:
        they_are = "it is" if len(clips) == 1 else "they are"
        return OneBody(list(clips), None, f"{_clips(len(clips))} of one body, left as {they_are}")
    averaged = onto is None or (isinstance(onto, str) and onto == AVERAGE)
    body = average_character(bodies) if onto is None or averaged else character(onto)
    skeleton = body.skeleton
    out = [clip if same_body(clip.skeleton, skeleton) else retarget(clip, body) for clip in each(clips)]
    # all with the very skeleton they equal, so that what compares skeletons finds one
    out = [clip if clip.skeleton is skeleton else replace(clip, skeleton=skeleton) for clip in out]
    legs = [s.leg_length for s in bodies]
    spread = f"{min(legs):.2f} to {max(legs):.2f} m" if max(legs) - min(legs) > 0.005 else f"{legs[0]:.2f} m"
    what = "their symmetric average" if averaged else body.name or "the body given"
    told = (
        f"{_clips(len(clips))} of {len(bodies)} {'body' if len(bodies) == 1 else 'bodies'} put on {what}, "
        f"{skeleton.height:.2f} m tall with legs of {body.leg_length:.2f} m (theirs: {spread})"
    )
    return OneBody(out, body, told)


def distinct(skeletons: Sequence[Skeleton]) -> list[Skeleton]:
    """One skeleton of each body, in order."""
    found: list[Skeleton] = []
    for skeleton in skeletons:
        if not any(same_body(skeleton, other) for other in found):
            found.append(skeleton)
    return found


def same_body(a: Skeleton, b: Skeleton) -> bool:
    """Are these the same joints with the same lengths and rest rotations? Where joint 0 rests does not matter."""
    if a is b:
        return True
    if a.names != b.names or not np.array_equal(a.parents, b.parents):
        return False
    return bool(
        np.allclose(a.offsets[1:], b.offsets[1:], rtol=0.0, atol=SAME_M)
        and np.allclose(np.abs((a.rest[1:] * b.rest[1:]).sum(axis=-1)), 1.0, rtol=0.0, atol=1e-6)
    )


def _clips(count: int) -> str:
    return f"{count} clip{'' if count == 1 else 's'}"
