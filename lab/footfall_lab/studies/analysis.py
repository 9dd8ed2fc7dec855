"""How exact the analysis is: contacts, speed, turn and gait against known truth, and on captures under change."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall_lab.bench._measure import Row, median_s
from footfall_lab.contact_strip import plot_strip
from footfall_lab.studies import analysis_contacts as contacts

if TYPE_CHECKING:
    from footfall.core.clip import Clip

TITLE = "The analysis, measured"
WITHIN, PER_CYCLE = 0.95, 0.02  # share of events within 25 ms; contacts missed or invented a cycle
SPEED, TURN_DEG_S = 0.02, 2.0  # largest errors of speed, relative, and of turn
ALTERNATE, BOTH_IN_RUNS, WALKS_DOWN = 0.98, 0.02, (0.58, 0.66)
RIGHT_TYPE, STEADY_SPEED = 0.95, 0.05
LONG = 10_000  # frames of the take that is timed
LINEAR = 2.5  # times as long for twice the frames
QUICK_GAITS = [("walk", 0.8, 0.0), ("walk", 1.4, 45.0), ("run", 2.7, 0.0), ("run", 4.5, -30.0)]
QUICK_CONDITIONS = [(120.0, 0.0, 1.75), (60.0, 0.005, 1.75), (30.0, 0.0, 0.9)]
MOVING = [(120.0, 0.0, 1.75), (120.0, 0.0, 0.9), (120.0, 0.0, 2.0), (60.0, 0.005, 1.75), (30.0, 0.002, 1.75)]
FOLDER_TYPES = {  # how folders of captures are named: what their takes should be found to be
    "walk_": ("walk",), "run_": ("run",), "jump": ("jump",), "stand_": ("stand",), "kick": ("other",),
    "punch": ("other",), "pick_up": ("other",), "reach": ("other",), "wave_": ("other",),
}  # fmt: skip
STRIPS = [("walk", {"speed": 1.3}), ("walk", {"speed": 0.9, "turn": 60.0}), ("run", {"speed": 3.5}),
          ("run", {"speed": 2.6, "turn": -45.0})]  # fmt: skip

Progress = Callable[[str], None]


class Picture(NamedTuple):
    """A contact strip for the report."""

    title: str
    png: bytes


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, into out/analysis.html and out/analysis.csv; those on captures where a folder of them is given."""
    rows: list[Row] = []
    jobs = [truth_rows(quick), moving_rows(quick)]
    if captures is not None:
        jobs += [contact_rows(captures), take_rows(captures)]
    for row in chain.from_iterable(jobs):
        rows.append(row)
        progress(row.what)
    rows += [] if quick else timing_rows()
    progress("pictures")
    write_report(out, rows, pictures(quick, captures))
    return rows


# --- against known truth -----------------------------------------------------------------------------------------


def truth_rows(quick: bool) -> Iterable[Row]:
    """Strikes and offs of built-in gaits, at frame rates, noises and sizes of body."""
    gaits = QUICK_GAITS if quick else contacts.GAITS
    for fps, noise_m, height_m in QUICK_CONDITIONS if quick else contacts.CONDITIONS:
        found = contacts.truth_row(fps, noise_m, height_m, gaits)
        cycles = 3 * len(gaits)
        yield events_row(f"contacts, {found.what}", found, 2 * cycles)


def events_row(what: str, found: contacts.Row, strides: int) -> Row:
    """One line: share in time, and contacts missed and invented for each stride of a foot."""
    wrong = (found.missed + found.invented) / 2 / max(strides, 1)  # a contact has two events
    value = f"{found.within:.1%} of {found.events}, {wrong:.3f} a cycle wrong"
    limit = f"≥ {WITHIN:.0%} within 25 ms, ≤ {PER_CYCLE:g} a cycle missed or invented"
    return Row(what, value, limit, found.within >= WITHIN and wrong <= PER_CYCLE)


def moving_rows(quick: bool) -> Iterable[Row]:
    """Speed and turn of the same gaits."""
    gaits = QUICK_GAITS if quick else contacts.GAITS
    for fps, noise_m, height_m in MOVING[::3] if quick else MOVING:
        errors = np.array([_moving_error(*gait, fps, noise_m, height_m, seed) for seed, gait in enumerate(gaits)])
        where = f"built-in {fps:.0f} fps {1000 * noise_m:.0f} mm {height_m:g} m"
        for k, (name, unit, scale, most) in enumerate((("speed", "%", 100, SPEED), ("turn", "°/s", 1, TURN_DEG_S))):
            middle, worst = scale * np.median(errors[:, k]), scale * errors[:, k].max()
            yield Row(f"{name}, {where}", f"median {middle:.2f}, worst {worst:.2f} {unit}",
                      f"at most {scale * most:g} {unit}", bool(worst <= scale * most))  # fmt: skip


def _moving_error(
    name: str, speed: float, turn: float, fps: float, noise_m: float, height_m: float, seed: int
) -> tuple[float, float]:
    """Relative error of speed, error of turn in degrees a second."""
    from footfall.analysis.summary import analyze
    from footfall.motions.library import motion

    scale = height_m / contacts.ADULT_M
    clip = contacts.scaled(motion(name, speed=speed, turn=turn, cycles=3), scale).resample(fps)
    if noise_m:
        clip = contacts.noisy(clip, noise_m, seed)
    found = analyze(clip)
    return abs(found.forward / (speed * scale) - 1.0), abs(float(np.degrees(found.turn)) - turn)


# --- on captures -------------------------------------------------------------------------------------------------


def contact_rows(folder: Path) -> Iterable[Row]:
    """Changed copies against their originals; then alternation, double support and duty over all takes."""
    takes: list[contacts.Take] = []
    for found in contacts.capture_rows(folder):
        if isinstance(found, contacts.Take):
            takes.append(found)
        else:
            counts = f"{found.within:.1%} of {found.events}, {found.missed} missed, {found.invented} invented"
            yield events_row(found.what, found, found.events // 2)._replace(value=f"{counts}; {found.note}")
    if not takes:
        return
    alternate = sum(t.alternate for t in takes) / max(sum(t.pairs for t in takes), 1)
    yield Row(f"captures: steps that alternate, {len(takes)} takes", f"{alternate:.1%}", f"at least {ALTERNATE:.0%}",
              alternate >= ALTERNATE)  # fmt: skip
    runs = [t for t in takes if "run" in t.what or "dash" in t.what]
    walks = [t for t in takes if "walk" in t.what and t.down is not None]
    if runs:
        worst = max(runs, key=lambda t: t.both)
        yield Row(f"captures: both feet down in {len(runs)} runs", f"worst {worst.both:.1%} ({Path(worst.what).name})",
                  f"at most {BOTH_IN_RUNS:.0%}", worst.both <= BOTH_IN_RUNS)  # fmt: skip
    if walks:
        down = [t.down for t in walks if t.down is not None]
        low, high = WALKS_DOWN
        middle, inside = float(np.median(down)), sum(low <= d <= high for d in down)
        yield Row(f"captures: share of a cycle a foot is down, {len(walks)} walks",
                  f"median {middle:.1%}, {inside} of {len(down)} inside", f"median in {low:.0%} to {high:.0%}",
                  low <= middle <= high)  # fmt: skip


def take_rows(folder: Path) -> Iterable[Row]:
    """Types against the names of folders, and speeds against the manifest's."""
    from footfall.analysis.summary import analyze
    from footfall.io.load import load

    known = _known_speeds(folder)
    wrong: list[str] = []
    errors: dict[str, float] = {}
    total = 0
    for path in sorted(p for p in folder.glob("cmu_bvh/*/*.bvh")):
        expected = next((types for start, types in FOLDER_TYPES.items() if path.parent.name.startswith(start)), None)
        if expected is None:
            continue
        found, total = analyze(load(path)), total + 1
        if found.gait.type not in expected:
            wrong.append(f"{path.stem} {found.gait.type}")
        speed = known.get(path.relative_to(folder).as_posix())
        steady = bool(found.cycles) and all(cycle.is_steady for cycle in found.cycles)
        if speed and steady and path.parent.name in ("walk_straight", "run_straight"):
            errors[path.stem] = abs(found.arc.travel / speed - 1.0)
    if total:
        share = 1.0 - len(wrong) / total
        missed = f": {', '.join(wrong[:4])}{' …' if len(wrong) > 4 else ''}" if wrong else ""
        yield Row(f"captures: type as the folder says, {total} takes", f"{share:.1%}{missed}",
                  f"at least {RIGHT_TYPE:.0%}", share >= RIGHT_TYPE)  # fmt: skip
    if errors:
        worst, middle = max(errors, key=lambda k: errors[k]), float(np.median(list(errors.values())))
        yield Row(f"captures: speed against the manifest, {len(errors)} steady takes",
                  f"median {middle:.1%}, worst {errors[worst]:.1%} ({worst})", f"median at most {STEADY_SPEED:.0%}",
                  middle <= STEADY_SPEED)  # fmt: skip


def _known_speeds(folder: Path) -> dict[str, float]:
    manifest = folder / "manifest.csv"
    if not manifest.is_file():
        return {}
    with manifest.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {r["path"]: float(r["mean_root_speed_mps"]) for r in rows if r.get("mean_root_speed_mps")}


# --- how long it takes -------------------------------------------------------------------------------------------


def timing_rows() -> list[Row]:
    """Analysing a long take against reading it, and twice as long a one against it."""
    import tempfile

    from footfall.analysis.summary import analyze
    from footfall.io.load import load
    from footfall.io.save import save

    with tempfile.TemporaryDirectory() as folder:
        path = save(long_walk(LONG), Path(folder, "long.bvh"))
        read = median_s(lambda: load(path))

    def analysing(clip: Clip) -> float:
        return median_s(lambda: analyze(clip.with_pose(clip.pose)))  # a clip keeps what was found: take a fresh one

    once, twice = analysing(long_walk(LONG)), analysing(long_walk(2 * LONG))
    return [
        Row(f"time: reading a walk of {LONG} frames", f"{1e3 * read:.0f} ms"),
        Row("time: analysing it", f"{1e3 * once:.0f} ms, {once / read:.1f} times its reading"),
        Row(
            "time: twice the frames", f"{twice / once:.2f} times as long", f"at most {LINEAR:g}", twice / once <= LINEAR
        ),
    ]


def long_walk(frames: int) -> Clip:
    """A built-in walk, looped to a length."""
    from footfall.motions.library import motion

    clip = motion("walk", speed=1.3, turn=8.0)
    pose = clip.sample(np.arange(frames) / clip.fps)
    return clip.with_pose(pose, is_loop=False, events=())


# --- the report --------------------------------------------------------------------------------------------------


def pictures(quick: bool, captures: Path | None) -> list[Picture]:
    """Contact strips of built-in gaits, and of some captured takes."""
    from footfall.analysis.summary import analyze
    from footfall.io.load import load
    from footfall.motions.library import motion

    clips = [(name, motion(name, cycles=3, **values)) for name, values in STRIPS[: 1 if quick else None]]
    if captures is not None:
        paths = [p for pattern in contacts.TAKES for p in sorted(captures.glob(pattern))[:: 9 if quick else 4]]
        clips += [(p.relative_to(captures).as_posix(), load(p)) for p in paths]
    return [Picture(title, plot_strip(clip, analyze(clip), title=title)) for title, clip in clips]


def write_report(out: Path, rows: list[Row], strips: list[Picture]) -> None:
    """out/analysis.csv and out/analysis.html, which holds its pictures in itself."""
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page, rows_csv

    atomic_write(out / "analysis.csv", rows_csv(rows))
    about = (
        "Built-in gaits have contacts, speeds and turns that are known exactly; captures have none, but changed copies "
        "must give the same events, and human gait has known shares. Blue is the left foot, orange the right."
    )
    atomic_write(out / "analysis.html", page(TITLE, about, rows, [(s.title, s.png) for s in strips]).encode())
