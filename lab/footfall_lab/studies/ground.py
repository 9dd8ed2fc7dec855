"""Captured walks and runs put on slopes, waves, plates and stairs: depth, slide, excess, knees, soles on treads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import footfall as ff
from footfall.analysis.contacts import Contacts
from footfall.core.errors import FootfallError, ParameterError
from footfall.feet.on_ground import PutClip, put_on_ground
from footfall.library.workers import in_order, workers_for
from footfall.quality.ground_contact import ground_contact
from footfall.quality.joins import CLEAN, VISIBLE, excess_throughout
from footfall.quality.knee import knee_speed
from footfall_lab.bench._measure import Row
from footfall_lab.studies import ground_live
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies._heave import heave
from footfall_lab.studies._report import page, rows_csv

if TYPE_CHECKING:
    from footfall.core.clip import Clip

TITLE = "Clips on ground"
ABOUT = (
    "Captured walks and runs put on grounds they were not made on. Depth is that of heel, ball and toe tip under the "
    "surface, against where they rest; slide that of the point that stands. Excess acceleration and knee speed are "
    "against the clip itself. A sole is whole on its tread when all of it, heel to tip, lies within 2 cm of the ground."
)
WALKS = ("walk_straight", "walk_turn")
RUNS = ("run_straight", "run_turn")
SECONDS = 6.0  # of a take, from its beginning
SLOPES = ("slope:-20", "slope:-10", "slope:-5", "slope:5", "slope:10", "slope:20")
ROUGH = ("waves:10x200", "waves:20x300", "rough:5x1", "rough:8x2", "rough:10x3")
STAIRS = ("stairs:10x28", "stairs:15x30", "stairs:15x35", "stairs:18x28", "stairs:17x40",
          "stairs:-10x28", "stairs:-15x30", "stairs:-15x35", "stairs:-18x28", "stairs:-17x40")  # fmt: skip
WORK_PEOPLE = ("06", "08", "16", "104")  # those of CMU whose takes constants were found on; the others are held out
CLIPS, STAIR_CLIPS = 30, 20
QUICK_CLIPS = 3
DEEP_CM, EDGE_CM, SLIDE_CM_S, KNEE, PELVIS, WHOLE = 0.5, 2.0, 1.0, 1.3, 1.5, 0.95  # what should hold
Progress = Callable[[str], None]


class GroundCase(NamedTuple):
    """One clip on one ground."""

    clip: str
    ground: str
    refused: str = ""  # the sentence, where it was not made
    depth_cm: float = 0.0
    edge_cm: float = 0.0
    slide_cm_s: float = 0.0
    excess: float = 0.0
    joint: str = ""
    time_s: float = 0.0
    knee: float = 0.0
    pelvis: float = 0.0
    whole: int = 0
    landings: int = 0
    longer: float = 1.0
    stride: float = 1.0

    @property
    def is_within(self) -> bool:
        """Whether everything that is measured is within its limit."""
        deep = self.depth_cm <= DEEP_CM and self.edge_cm <= EDGE_CM and self.slide_cm_s <= SLIDE_CM_S
        return deep and self.excess <= CLEAN and self.knee <= KNEE and self.pelvis <= PELVIS


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Everything, into out/ground.html, out/ground.csv and, case by case, out/ground_cases.csv."""
    folder = captures or beside_checkout()
    if folder is None:
        raise ParameterError("this study needs captures: name their folder with --captures or FOOTFALL_MOCAP")
    walks, runs = takes(folder, WALKS), takes(folder, RUNS)
    half = CLIPS // 2
    mixed = (walks[:1] + runs[:2]) if quick else walks[:half] + runs[: CLIPS - half]
    climbing = walks[:QUICK_CLIPS] if quick else walks[:STAIR_CLIPS]
    uneven, stairs = (*SLOPES, *ROUGH)[:: 4 if quick else 1], STAIRS[:: 3 if quick else 1]
    cases = all_cases([(p, uneven) for p in mixed] + [(p, stairs) for p in climbing], progress)
    progress("live characters")
    live = ground_live.cases(ff.graph("builtin"), *((20.0, 2) if quick else (60.0,)))
    rows = [*rows_of(cases), *rows_by_half(cases), *ground_live.rows_of(live)]
    out.mkdir(parents=True, exist_ok=True)
    (out / "ground.html").write_text(page(TITLE, ABOUT, rows, []), encoding="utf-8")
    (out / "ground.csv").write_bytes(rows_csv(rows))
    write_cases(out / "ground_live.csv", live)
    write_cases(out / "ground_cases.csv", cases)
    return rows


def all_cases(jobs: Sequence[tuple[Path, Sequence[str]]], progress: Progress) -> list[GroundCase]:
    """Takes on grounds, each take in one of as many processes as there are cores."""
    workers, found = workers_for(len(jobs)), []
    try:
        for (path, _), cases in zip(jobs, in_order(workers, _take_on_grounds, jobs), strict=True):
            progress(path.stem)
            found += cases
    finally:
        workers.close()
    return found


def _take_on_grounds(job: tuple[Path, Sequence[str]]) -> list[GroundCase]:
    path, grounds = job
    clip = opened(path)
    return [case_of(clip, ground) for ground in grounds]


def rows_by_half(cases: Sequence[GroundCase]) -> list[Row]:
    """How many cases are within every limit: of the people that constants were found on, and of those held out."""
    rows = []
    for name, is_work in (("work half", True), ("held-out half", False)):
        part = [c for c in cases if not c.refused and (c.clip.split("_")[0] in WORK_PEOPLE) == is_work]
        if part:
            good = sum(c.is_within for c in part)
            most = max(c.excess for c in part)
            told = f"{good} of {len(part)} within all limits; excess to {most:.0f} m/s²"
            rows.append(Row(name, told, "all", good == len(part)))
    return rows


def write_cases(path: Path, cases: Sequence[GroundCase] | Sequence[ground_live.LiveCase]) -> None:
    """Case by case, as a CSV file."""
    lines = [",".join(cases[0]._fields), *(",".join(str(x).replace(",", ";") for x in c) for c in cases)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def takes(folder: Path, kinds: Sequence[str]) -> list[Path]:
    """Captured takes of some kinds, in order of their names; both kinds by turns."""
    return sorted((p for kind in kinds for p in (folder / "cmu_bvh" / kind).glob("*.bvh")), key=lambda p: p.name)


def opened(path: Path) -> Clip:
    """The first seconds of a take, standing on its floor."""
    clip = ff.load(path)
    clip = clip.trim(1.0 / clip.fps, min(SECONDS, clip.duration))  # without the T-pose
    return clip


def case_of(clip: Clip, ground: str) -> GroundCase:
    """A clip put on a ground and measured."""
    try:
        put = put_on_ground(clip, ff.ground(ground))
    except FootfallError as error:
        return GroundCase(clip.name, ground, str(error))
    made = put.clip
    contact = ground_contact(made, put.ground, put.soles, mapped_contacts(clip, put))
    excess = excess_throughout(made, clip, lambda t: np.interp(t, made.times, put.times))
    ratios = [f.stride for f in put.falls[1:]] or [1.0]
    return GroundCase(
        clip.name,
        ground,
        "",
        contact.deepest_cm,
        contact.edge_cm,
        contact.slide.mean_cm_s,
        excess.value,
        excess.joint,
        excess.time_s,
        knee_speed(made) / max(knee_speed(clip), 1e-9),
        heave(made) / max(heave(clip), 1e-9),
        sum(f.supported > 0.999 for f in put.falls),
        len(put.falls),
        made.duration / clip.duration,
        min(ratios),
    )


def mapped_contacts(clip: Clip, put: PutClip) -> Contacts:
    """The clip's own contacts at the frames of the result."""
    found = clip.contacts
    at = np.clip(np.rint(put.times * clip.fps).astype(int), 0, clip.frames - 1)
    flags = {part: getattr(found, part)[at] for part in ("left_heel", "left_toe", "right_heel", "right_toe")}
    return Contacts(clip.fps, **flags, floor=found.floor)


def rows_of(cases: Sequence[GroundCase]) -> list[Row]:
    """The figures of all cases, uneven ground and stairs apart."""
    rows = []
    for name, part in (
        ("slopes, waves, plates", [c for c in cases if not c.ground.startswith("stairs")]),
        ("stairs", [c for c in cases if c.ground.startswith("stairs")]),
    ):
        made = [c for c in part if not c.refused]
        if not made:
            continue
        rows.append(Row(f"{name}: made", f"{len(made)} of {len(part)}", "", None))
        for told in sorted({c.refused.split(" for ")[0].split(" by ")[0] for c in part if c.refused}):
            rows.append(Row(f"{name}: refused", told, "", None))
        rows.append(_within(f"{name}: depth of heel, ball, tip", [c.depth_cm for c in made], DEEP_CM, "cm", 1.0))
        rows.append(_within(f"{name}: depth within 30 ms of an edge", [c.edge_cm for c in made], EDGE_CM, "cm", 1.0))
        rows.append(_within(f"{name}: slide", [c.slide_cm_s for c in made], SLIDE_CM_S, "cm/s", 1.0))
        rows.append(_within(f"{name}: excess acceleration", [c.excess for c in made], CLEAN, "m/s²", 0.95))
        rows.append(_within(f"{name}: excess acceleration, all", [c.excess for c in made], VISIBLE, "m/s²", 1.0))
        rows.append(_within(f"{name}: knee speed over the clip's", [c.knee for c in made], KNEE, "", 1.0))
        rows.append(_within(f"{name}: heave of the pelvis over the clip's", [c.pelvis for c in made], PELVIS, "", 1.0))
        whole, count = sum(c.whole for c in made), sum(c.landings for c in made)
        rows.append(Row(f"{name}: whole soles", f"{whole / max(count, 1):.1%} of {count}", "≥ 95 %",
                        whole >= WHOLE * count))  # fmt: skip
        longer, stride = [c.longer for c in made], [c.stride for c in made]
        told = f"{np.median(longer):.2f}× as long (to {max(longer):.2f}), shortest step {min(stride):.2f} of its own"
        rows.append(Row(f"{name}: what changed", told, "", None))
    return rows


def _within(what: str, values: Sequence[float], limit: float, unit: str, share: float) -> Row:
    x = np.array(values)
    inside = float((x <= limit).mean())
    told = f"median {np.median(x):.2f}, 95 % {np.quantile(x, 0.95):.2f}, most {x.max():.2f} {unit}; {inside:.0%} within"
    return Row(what, told, f"≤ {limit:g} {unit} in {share:.0%}", inside >= share)
