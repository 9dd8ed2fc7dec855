"""Captured takes for the study of belief, split by person into a half to work with and a half that is held out.

Nobody is in both halves: subject numbers of the CMU database are one person each here (their bones differ), the two
Bandai Namco data sets count as two people, SmartBody's three takes as one. FOOTFALL_HALF=built-in takes built-in
motions instead.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import UnknownName
from footfall.io.load import load
from footfall.motions.library import open_clip

WORK = ("02", "07", "09", "13", "16", "26", "74", "76", "83", "111", "127", "bandai-1")
HELD_OUT = ("06", "08", "33", "35", "47", "75", "81", "86", "104", "113", "143", "bandai-2", "smartbody")
HALVES = {"work": WORK, "held-out": HELD_OUT, "built-in": ()}
BUILT_IN = (
    "walk:cycles=3", "walk:speed=0.7,turn=25,cycles=3", "walk:speed=1.8,cycles=3", "run:cycles=5", "walk-back:cycles=3",
    "run:speed=4.5,turn=-20,cycles=4", "walk-side:cycles=3", "jump", "kick", "punch", "reach", "running-kick", "stand",
    "wave", "bow", "skip", "turn-in-place", "start", "stop", "run-to-walk", "walk-to-run", "crouch-walk:cycles=3",
    "sit-down", "pick-up",
)  # fmt: skip
UNEVEN = ("stairs", "slope", "uneven_terrain")  # they need a ground of their own
FPS = 60.0  # takes of a higher rate are brought to this one, to keep the study short
LONGEST_S = 10.0  # of a take, from its second second on: the rest of long ones is left out
MOST_CLIPS = 6


class CapturedTake(NamedTuple):
    """One file of a person."""

    path: Path
    person: str
    kind: str  # walk_straight, jump, …


def asked_half() -> str:
    """Which half of the people a study takes: FOOTFALL_HALF, or the one to work with."""
    half = os.environ.get("FOOTFALL_HALF", "work")
    if half not in HALVES:
        raise UnknownName("half of the captures (FOOTFALL_HALF)", half, HALVES)
    return half


def takes(captures: Path, half: str) -> list[CapturedTake]:
    """All takes of a half that lie in the folder and in `mocap_more` beside it, in a fixed order."""
    if half == "built-in":
        return [CapturedTake(Path(name), half, name.partition(":")[0]) for name in BUILT_IN]
    found = []
    for folder in (captures, captures.parent / "mocap_more"):
        manifest = folder / "manifest.csv"
        if not manifest.is_file():
            continue
        with manifest.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                path = folder / row["path"]
                person = _person(row["path"], row["subject"])
                if person in HALVES[half] and row["kind"] not in UNEVEN and path.is_file():
                    found.append(CapturedTake(path, person, row["kind"]))
    return sorted(found)


def _person(path: str, subject: str) -> str:
    if path.startswith("bandai_namco/"):
        return "bandai-1" if "dataset-1" in path else "bandai-2"
    if path.startswith("smartbody/"):
        return "smartbody"
    return subject if path.endswith(".bvh") and not path.startswith("oddball/") else ""


@lru_cache(maxsize=256)
def clip_of(path: Path) -> Clip:
    """A take as it is joined in the study."""
    clip = open_clip(str(path)) if str(path) in BUILT_IN else load(path)
    if clip.fps > FPS + 1.0:
        clip = clip.resample(FPS)
    if clip.duration > LONGEST_S + 1.0:
        clip = clip.trim(1.0, 1.0 + LONGEST_S)
    return clip


def draw_pairs(found: Sequence[CapturedTake], count: int, seed: int) -> list[tuple[CapturedTake, CapturedTake]]:
    """Pairs of different takes, kinds drawn first so that the many walks do not crowd out the rest."""
    rng = np.random.default_rng([0xBE11, seed])
    return [tuple(_drawn(found, rng, 2)) for _ in range(count)]  # type: ignore[misc]


def draw_timelines(found: Sequence[CapturedTake], count: int, seed: int) -> list[list[CapturedTake]]:
    """Timelines of two to six takes."""
    rng = np.random.default_rng([0x71AE, seed])
    return [_drawn(found, rng, int(rng.integers(2, MOST_CLIPS + 1))) for _ in range(count)]


def _drawn(found: Sequence[CapturedTake], rng: np.random.Generator, count: int) -> list[CapturedTake]:
    kinds = sorted({take.kind for take in found})
    drawn: list[CapturedTake] = []
    while len(drawn) < count:
        kind = kinds[int(rng.integers(len(kinds)))]
        of_kind = [take for take in found if take.kind == kind]
        take = of_kind[int(rng.integers(len(of_kind)))]
        if take not in drawn:
            drawn.append(take)
    return drawn
