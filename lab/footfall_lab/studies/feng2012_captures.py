"""Locomotion captured: real walks, turns and jogs on one body, as one more data set of the weights study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from footfall.analysis.cycles import Cycle, find_cycles
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import build
from footfall.retarget.one_body import one_body
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies.feng2012_sets import DataSet, of_motion

NAME = "locomotion, captured"
FPS = 60.0
# takes of the CMU library, slow walk to jog; each is used as it is and mirrored, which makes 20 examples
STRAIGHT = ("walk_straight/104_35", "walk_straight/35_28", "walk_straight/08_05", "walk_straight/16_21",
            "run_straight/02_03")  # fmt: skip
TURNING = ("walk_turn/16_13", "walk_turn/16_25", "walk_turn/16_30", "run_turn/16_37", "run_turn/16_39")
CLOSES_DEG = 25.0  # a cycle whose ends differ by more is not taken: easing it into a loop would make up its motion


def with_takes(given: Path | None) -> Path | None:
    """The folder given, else ../shared/mocap beside the checkout; None where not all the takes are in it."""
    folder = given or beside_checkout()
    return folder if folder and all(_path(folder, take).is_file() for take in (*STRAIGHT, *TURNING)) else None


def captured_set(folder: Path, progress: Callable[[str], None] = lambda text: None) -> DataSet:
    """One cycle of every take and its mirror image, aligned by strikes only, all from a left strike on."""
    clips = one_body(takes(folder), "average", each=lambda several: _told(several, progress)).clips
    loops = [best_cycle(clip, turning=clip.name in TURNING) for clip in clips]
    mirrored = [replace(loop.mirror(), name=f"{loop.name} mirrored") for loop in loops]
    motion = build([*loops, *mirrored], "locomotion", NAME, sync="strikes")
    return of_motion(NAME, measured(motion))


def takes(folder: Path) -> list[Clip]:
    """The takes, without the T-pose their files begin with."""
    from footfall.io.load import load

    found = []
    for take in (*STRAIGHT, *TURNING):
        clip = load(_path(folder, take))
        found.append(replace(clip.trim(1.0 / clip.fps).resample(FPS), name=take))
    return found


def best_cycle(clip: Clip, turning: bool) -> Clip:
    """The steady cycle that closes best, or of a turning take the one that turns most of those that close; looped."""
    steady = [c for c in find_cycles(clip) if c.closing_error_deg <= CLOSES_DEG]
    if not steady:
        raise ParameterError(f"{clip.name}: no steady gait cycle that closes within {CLOSES_DEG:g}°; leave it out")

    def worth(cycle: Cycle) -> float:
        return abs(cycle.turn) if turning else -cycle.closing_error_deg

    best = max(steady, key=worth)
    return clip.trim(best.start_s, best.end_s).loop()


def _path(folder: Path, take: str) -> Path:
    return folder / "cmu_bvh" / f"{take}.bvh"


def _told(clips: Sequence[Clip], progress: Callable[[str], None]) -> Sequence[Clip]:
    progress(f"{NAME}: {len(clips)} takes onto one body")
    return clips
