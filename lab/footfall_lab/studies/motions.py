"""Built-in motions beside captures: how far limbs go out, how fast, how long, how trunk and arms take part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.analysis.one_shots import find_one_shots
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.io.load import load
from footfall.io.save import atomic_write
from footfall.motions.library import motion
from footfall.motions.sets import examples
from footfall_lab.action_traits import action_traits, bend_traits, turn_traits
from footfall_lab.bench._measure import Row
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies._report import page, rows_csv
from footfall_lab.studies.motions_strips import strip_png

TITLE = "Built-in motions beside captures"
ABOUT = (
    "The median of each built-in motion over its examples, beside captured takes: within their range where there are "
    "three or more, else within a fifth of the take. Lengths are in limb lengths, angles in degrees. Only straight "
    "kicks and punches count. No skips and no turns on the spot are among the captures: the turns are of people who "
    "walk."
)
STRAIGHT_DEG = 60.0  # a strike whose hips turn further is a spin or a roundhouse
STAYS = 0.03  # leg lengths: hips that go down less do not
FEW, WITHIN = 3, 0.2  # takes from which on their range counts; else how near to the take
Traits = Mapping[str, float]
Span = tuple[str, float, float]  # file, seconds from and to

SHOTS = {  # every one of that name found in these takes
    "kick": ("mocap/cmu_bvh/kick/143_24.bvh", "mocap/cmu_bvh/kick/74_03.bvh", "mocap/cmu_bvh/kick/74_05.bvh",
             "mocap_more/punch/86_01.bvh"),
    "punch": ("mocap/cmu_bvh/punch/143_23.bvh", "mocap_more/punch/86_01.bvh"),
    "reach": ("mocap/cmu_bvh/reach/13_10.bvh", "mocap_more/reach/13_12.bvh", "mocap/smartbody/catching_Far_Left.bvh",
              "mocap/smartbody/catching_Low_Right.bvh", "mocap/smartbody/swatting_SwatUp_Left.bvh",
              "mocap/bandai_namco/dataset-2_raise-up-right-hand_normal_001.bvh"),
}  # fmt: skip
SPANS: dict[str, tuple[Span, ...]] = {  # looked up by eye
    "bow": (("mocap/bandai_namco/dataset-1_bow_normal_001.bvh", 0.7, 4.4),),
    "pick-up": (("mocap_more/pick_up/26_09.bvh", 0.3, 4.5), ("mocap/cmu_bvh/pick_up/111_17.bvh", 0.05, 3.4)),
    "sit-down": (("mocap_more/sit/75_17.bvh", 0.2, 1.4), ("mocap_more/sit/13_01.bvh", 2.6, 5.0),
                 ("mocap_more/sit/13_01.bvh", 11.1, 13.7)),
    "stand-up": (("mocap_more/sit/75_17.bvh", 1.6, 2.69), ("mocap_more/sit/13_01.bvh", 6.9, 8.8),
                 ("mocap_more/sit/13_01.bvh", 17.6, 19.2)),
    "turn-in-place": (("mocap_more/walk_turn/47_01.bvh", 1.0, 10.0),
                      ("mocap/bandai_namco/dataset-2_walk-turn-left_normal_001.bvh", 0.0, 9.0),
                      ("mocap/bandai_namco/dataset-2_walk-turn-right_normal_001.bvh", 0.0, 9.0)),
}  # fmt: skip
SHOWN = {"kick": "143_24", "reach": "catching_Far_Left"}  # in pictures; else the first take
OURS: dict[str, Callable[[], list[Clip]]] = {
    "kick": lambda: examples("kick"),
    "punch": lambda: examples("punch"),
    "reach": lambda: examples("reach"),
    "bow": lambda: [motion("bow", depth=55.0)],  # as deep as the captured one
    "pick-up": lambda: [motion("pick-up", y=y, seed=seed) for seed, y in enumerate((0.08, 0.1, 0.12))],
    "sit-down": lambda: [motion("sit-down", height=h, seed=seed) for seed, h in enumerate((0.32, 0.45, 0.6))],
    "stand-up": lambda: [motion("stand-up", height=h, seed=seed) for seed, h in enumerate((0.32, 0.45, 0.6))],
    "turn-in-place": lambda: [motion("turn-in-place", angle=a) for a in (90.0, 180.0)],
}


@dataclass(frozen=True)
class Take:
    """One captured action."""

    name: str
    clip: Clip
    at_s: float
    side: str
    traits: Traits


def run(out: Path, quick: bool, progress: Callable[[str], None], captures: Path | None = None) -> list[Row]:
    """Everything, into out/motions.html, out/motions.csv and one film strip each."""
    folder = captures or beside_checkout()
    if folder is None:
        raise ParameterError("this study needs captures: name their folder with --captures or FOOTFALL_MOCAP")
    rows, pictures = [], []
    for name in ("kick", "bow") if quick else OURS:
        progress(name)
        takes, made = takes_of(name, folder.parent), OURS[name]()
        rows += compare(name, [t.traits for t in takes], [built_in_traits(name, clip) for clip in made])
        if takes:
            shown = motion(name, **({"depth": 55.0} if name == "bow" else {}))
            take = [t for t in takes if t.name == SHOWN.get(name, takes[0].name)][-1]
            picture = strip_png(take, shown, apex_of(shown))
            atomic_write(out / f"motion_{name.replace('-', '_')}.png", picture)
            pictures.append((f"{name}: captured above, built in below", picture))
    atomic_write(out / "motions.html", page(TITLE, ABOUT, rows, pictures).encode())
    atomic_write(out / "motions.csv", rows_csv(rows))
    return rows


def takes_of(name: str, root: Path) -> list[Take]:
    """The captured takes of a motion that are there."""
    found = []
    for file in (f for f in SHOTS.get(name, ()) if (root / f).is_file()):
        clip = load(root / file)
        for shot in find_one_shots(clip):
            traits = _traits(name, clip, shot.at_s, shot.side) if shot.name == name else {}
            if traits and (name == "reach" or traits["hips turn"] < STRAIGHT_DEG):
                found.append(Take(Path(file).stem, clip, shot.at_s, shot.side, traits))
    for file, start, end in (s for s in SPANS.get(name, ()) if (root / s[0]).is_file()):
        clip = load(root / file).trim(start, min(end, load(root / file).duration))
        found.append(Take(Path(file).stem, clip, 0.5 * clip.duration, "right", _traits(name, clip)))
    return found


def built_in_traits(name: str, clip: Clip) -> Traits:
    """Of one built-in clip."""
    return _traits(name, clip, apex_of(clip), "right")


def apex_of(clip: Clip) -> float:
    """Its apex, or its middle."""
    return next((e.start_s for e in clip.events if e.name == "apex"), 0.5 * clip.duration)


def _traits(name: str, clip: Clip, at_s: float = 0.0, side: str = "right") -> Traits:
    if name in SHOTS:
        t = action_traits(clip, at_s, "leg" if name == "kick" else "arm", side)
        return {"extension": t.extension, "speed": t.speed, "seconds out": t.out_s, "hips turn": t.pelvis_deg,
                "shoulders turn": t.shoulders_deg, "other arm": t.other_arm}  # fmt: skip
    return turn_traits(clip) if name == "turn-in-place" else bend_traits(clip)


def compare(name: str, takes: Sequence[Traits], made: Sequence[Traits]) -> list[Row]:
    """A row a trait: the takes' range and ours; fewer than three takes: within a fifth of one of them."""
    rows = []
    for trait in made[0]:
        ours = np.array([m[trait] for m in made])
        middle = float(np.median(ours))
        text = f"{middle:.2f}" + (f" ({ours.min():.2f} to {ours.max():.2f})" if len(ours) > 1 else "")
        theirs = np.array([t[trait] for t in takes])
        if trait == "hips down" and len(theirs) and theirs.max() < STAYS:
            continue
        if not len(theirs):
            rows.append(Row(f"{name}: {trait}", text, "no take"))
        elif len(theirs) >= FEW:
            low, high = float(theirs.min()), float(theirs.max())
            limit = f"{low:.2f} to {high:.2f} ({len(theirs)} takes, median {np.median(theirs):.2f})"
            rows.append(Row(f"{name}: {trait}", text, limit, low <= middle <= high))
        else:
            limit = " or ".join(f"{x:.2f}" for x in theirs) + f" within {WITHIN:.0%}"
            rows.append(Row(f"{name}: {trait}", text, limit, bool((abs(middle / theirs - 1.0) <= WITHIN).any())))
    return rows
