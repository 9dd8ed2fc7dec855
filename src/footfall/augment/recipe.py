"""Recipe: which variants are made of every clip, and how many."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

import numpy as np

from footfall.core.errors import ParameterError

KINDS = ("mirror", "retime", "retarget", "blend", "join")
RETIMED = (0.85, 1.15)  # how much faster: by eye, beyond it people move otherwise
MOST = 1000  # variants of one kind of one clip


class AugmentRecipe(NamedTuple):
    """How many of each kind, and within what they vary."""

    counts: tuple[tuple[str, int], ...]
    bodies: tuple[str, ...] = ("adult:1.55", "adult:1.9")  # of retargeted ones, in turn
    retimed: tuple[float, float] = RETIMED
    seed: int = 0
    keep_all: bool = False  # also what the judge finds unbelievable

    def chance(self, file: str, kind: str, number: int) -> np.random.Generator:
        """Numbers that depend on nothing but the seed and which variant it is."""
        mark = hashlib.blake2b("\0".join((str(self.seed), file, kind, str(number))).encode(), digest_size=8)
        return np.random.default_rng(int.from_bytes(mark.digest(), "little"))


def recipe_counts(text: str) -> tuple[tuple[str, int], ...]:
    """ "mirror,retime*2,join" as kinds and counts.

    >>> recipe_counts("mirror, retime*2")
    (('mirror', 1), ('retime', 2))
    """
    found = {}
    for part in text.split(","):
        kind, star, times = (word.strip() for word in part.partition("*"))
        count = int(times) if re.fullmatch(r"[0-9]{1,4}", times) else 0 if star else 1
        if kind not in KINDS or not 0 < count <= MOST:
            raise ParameterError(f"no recipe {part.strip()!r}; write {', '.join(KINDS)} with counts, as in retime*2")
        found[kind] = count
    if found.get("mirror", 1) > 1:
        raise ParameterError("a clip has one mirror image; write mirror without a count")
    return tuple((kind, found[kind]) for kind in KINDS if kind in found)
