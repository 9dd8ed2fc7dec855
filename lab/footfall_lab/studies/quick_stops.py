"""Runs stopped at any moment: whether the push stays a body's own, and how far it goes on, beside captured stops."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall_lab.bench._measure import Row
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies.believable_takes import CapturedTake, asked_half, clip_of, takes

if TYPE_CHECKING:
    from footfall.core.clip import Clip

TITLE = "Runs stopped at any moment"
MOMENTS, QUICK_MOMENTS = 100, 6
SEED = {"work": 1, "held-out": 2}
RUNS = "run"  # kinds of takes begin with this
STOPS = ("104_10", "104_57", "127_18", "127_19", "127_20", "16_34")  # captured stops of mocap_more/transition
STILL_M_S = 0.3  # m/s of the pelvis: a body that is slower stands. By eye
CRUISE = 0.9  # share of its speed at which a captured body begins to stop. By eye
BEFORE_S = 0.15  # seconds to either side over which the speed at a moment is taken
SLOWEST_M_S = 1.0  # m/s: who is slower does not run


class Stop(NamedTuple):
    """From a moment to standstill."""

    name: str
    at_s: float
    speed_m_s: float  # at that moment
    distance_m: float  # from there along the path; NaN where it never stands
    time_s: float

    @property
    def brake_m_s2(self) -> float:
        """The constant deceleration that stops so."""
        return self.speed_m_s**2 / (2.0 * max(self.distance_m, 1e-9))


class StoppedRun(NamedTuple):
    """A captured run joined to a stand at a moment."""

    stop: Stop
    failed: tuple[str, ...]  # figures of the judge that miss their limits
    grade: str
    push: tuple[float, float]  # and its limit, m/s²
    change: tuple[float, float]
    early_s: float  # the clip itself ends this long before the moment that was asked for


def run(out: Path, quick: bool, tell: Callable[[str], None], captures: Path | None = None) -> list[Row]:
    """Every figure into out/quick_stops.html, .csv, .json and .png; one half of the people (FOOTFALL_HALF)."""
    captures = captures or beside_checkout()
    if captures is None:
        return [Row("captured takes", "skipped: no folder of captures (set FOOTFALL_MOCAP)")]
    half = asked_half()
    moments = draw_moments(takes(captures, half), QUICK_MOMENTS if quick else MOMENTS, SEED[half])
    recorded = captured_stops(captures)
    made: list[StoppedRun] = []
    for case in _stopped(moments, 1 if quick else os.cpu_count() or 1):
        made.append(case)
        tell(f"{len(made)} of {len(moments)}: {case.stop.name} at {case.stop.at_s:.2f} s, {case.grade}")
    rows = summary(f"{half}, {len(made)} moments", made, recorded)
    _write(out, rows, made, recorded)
    return rows


# --- cases ------------------------------------------------------------------------------------------------------


def draw_moments(found: Sequence[CapturedTake], count: int, seed: int) -> list[tuple[CapturedTake, float]]:
    """Takes of runs, and moments of them at which the body runs."""
    rng, runs = np.random.default_rng([0x570B, seed]), [take for take in found if take.kind.startswith(RUNS)]
    drawn: list[tuple[CapturedTake, float]] = []
    for _ in range(50 * count):
        if len(drawn) == count or not runs:
            break
        take = runs[int(rng.integers(len(runs)))]
        clip = clip_of(take.path)
        at_s = round(float(rng.uniform(0.0, clip.duration)) * clip.fps) / clip.fps
        if speed_at(clip, at_s) >= SLOWEST_M_S:
            drawn.append((take, at_s))
    return drawn


def stopped_run(take: CapturedTake, at_s: float) -> StoppedRun:
    """A run that stands from a moment on."""
    import footfall as ff

    clip = clip_of(take.path)
    made = ff.join(clip, "stand", at_s=at_s)
    assert made.report is not None
    (seam,) = made.report.judgement["seams"]
    figures = seam["figures"]
    push, change = ((figures[name]["value"], figures[name]["limit"]) for name in ("push", "change"))
    stop = stop_after(made, at_s, take.path.stem)._replace(speed_m_s=speed_at(clip, at_s))
    failed = tuple(name for name, figure in figures.items() if not figure["ok"])
    ends_s = made.report.segments[0].end_s
    return StoppedRun(stop, failed, made.report.judgement["grade"], push, change, max(at_s - ends_s, 0.0))


def _job(asked: tuple[CapturedTake, float]) -> StoppedRun:
    return stopped_run(*asked)


def _stopped(moments: Sequence[tuple[CapturedTake, float]], workers: int) -> Iterator[StoppedRun]:
    if workers < 2:
        yield from map(_job, moments)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_job, moments, chunksize=1)


# --- measures ---------------------------------------------------------------------------------------------------


def _speed(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(T,) speed of the pelvis over the floor, m/s, and how far it has gone, metres, legs of 0.86 m."""
    from footfall.quality.body_signals import body_signals
    from footfall.quality.momentum import pelvis_speed

    speed = pelvis_speed(body_signals(clip))
    return speed, np.cumsum(speed) / clip.fps


def speed_at(clip: Clip, at_s: float) -> float:
    """Mean speed around a moment."""
    speed, _ = _speed(clip)
    first, last = (min(max(round((at_s + s) * clip.fps), 0), len(speed) - 1) for s in (-BEFORE_S, BEFORE_S))
    return float(speed[first : last + 1].mean())


def stop_after(clip: Clip, at_s: float, name: str) -> Stop:
    """From a moment to the first at which the body stands."""
    speed, gone = _speed(clip)
    first = min(round(at_s * clip.fps), len(speed) - 1)
    still = np.flatnonzero(speed[first:] < STILL_M_S)
    if not len(still):
        return Stop(name, at_s, float(speed[first]), float("nan"), float("nan"))
    last = first + int(still[0])
    return Stop(name, at_s, float(speed[first]), float(gone[last] - gone[first]), (last - first) / clip.fps)


def captured_stops(captures: Path) -> list[Stop]:
    """Captured stops, each from where the body was last as fast as it ran."""
    folder = captures.parent / "mocap_more" / "transition"
    found = []
    for name in STOPS:
        path = folder / f"{name}.bvh"
        if not path.is_file():
            continue
        clip = clip_of(path)
        speed, _ = _speed(clip)
        still = np.flatnonzero((speed < STILL_M_S) & (np.maximum.accumulate(speed) > SLOWEST_M_S))
        if not len(still):
            continue
        end = int(still[0])
        fast = np.flatnonzero(speed[:end] >= CRUISE * np.quantile(speed[:end], 0.9))
        found.append(stop_after(clip, int(fast[-1]) / clip.fps, name))
    return found


# --- figures ----------------------------------------------------------------------------------------------------


def summary(what: str, made: Sequence[StoppedRun], recorded: Sequence[Stop]) -> list[Row]:
    """The table."""
    if not made:
        return [Row(what, "no runs among the takes")]
    rows = []
    for name in ("push", "change"):
        kept = float(np.mean([name not in case.failed for case in made]))
        most = max(getattr(case, name)[0] / getattr(case, name)[1] for case in made)
        rows.append(Row(f"{what}: {name} inside its limit", f"{kept:.1%}, worst {most:.2f} of it", "100%", kept == 1.0))
    believed = float(np.mean([case.grade != "red" for case in made]))
    rows.append(Row(f"{what}: believable", f"{believed:.1%}"))
    stands = [case.stop for case in made if np.isfinite(case.stop.distance_m)]
    rows.append(Row(f"{what}: stand", f"{len(stands)} of {len(made)}"))
    rows.append(Row(f"{what}: left before the moment, s, median and most", _told([c.early_s for c in made])))
    for whose, stops in (("made", stands), ("captured", recorded)):
        if stops:
            rows.append(Row(f"{whose}: distance to standstill, m", _spread([s.distance_m for s in stops])))
            rows.append(Row(f"{whose}: v²/2d, m/s²", _spread([s.brake_m_s2 for s in stops])))
            rows.append(Row(f"{whose}: seconds to standstill", _spread([s.time_s for s in stops])))
    return rows


def _told(x: Sequence[float]) -> str:
    return f"{np.median(x):.2f}, {np.max(x):.2f}"


def _spread(x: Sequence[float]) -> str:
    low, middle, high = np.quantile(x, (0.1, 0.5, 0.9))
    return f"{middle:.2f} ({low:.2f}–{high:.2f}), {len(x)}"


# --- files ------------------------------------------------------------------------------------------------------


def _write(out: Path, rows: list[Row], made: Sequence[StoppedRun], recorded: Sequence[Stop]) -> None:
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page, rows_csv

    cases = [{**case._asdict(), "stop": case.stop._asdict()} for case in made]
    whole = {"rows": [r._asdict() for r in rows], "made": cases, "captured": [s._asdict() for s in recorded]}
    atomic_write(out / "quick_stops.json", json.dumps(whole, indent=1).encode())
    atomic_write(out / "quick_stops.csv", rows_csv(rows))
    picture = plotted(made, recorded)
    atomic_write(out / "quick_stops.png", picture)
    about = (
        "Captured runs joined to a stand at moments drawn at random (join RUN stand --at T), and captured stops. "
        "Distance is along the path of the pelvis, from the moment, or from where a captured body was last as fast as "
        f"it ran, to the first frame slower than {STILL_M_S} m/s; on a body whose legs are 0.86 m long."
    )
    atomic_write(out / "quick_stops.html", page(TITLE, about, rows, [("distances", picture)]).encode())


def plotted(made: Sequence[StoppedRun], recorded: Sequence[Stop]) -> bytes:
    """Distance to standstill against speed, as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7.0, 4.2))
    for kept, colour, label in ((True, "tab:green", "push kept"), (False, "tab:red", "pushed too hard")):
        some = [c.stop for c in made if (not {"push", "change"} & set(c.failed)) == kept]
        panel.scatter([s.speed_m_s for s in some], [s.distance_m for s in some], s=16, c=colour, label=label)
    panel.scatter(
        [s.speed_m_s for s in recorded], [s.distance_m for s in recorded], s=60, c="k", marker="x", label="captured"
    )
    for stop in recorded:
        panel.annotate(
            stop.name, (stop.speed_m_s, stop.distance_m), fontsize=7, xytext=(4, 4), textcoords="offset points"
        )
    panel.set_xlabel("speed when asked to stop, m/s")
    panel.set_ylabel("metres to standstill")
    panel.legend()
    figure.tight_layout()
    file = BytesIO()
    figure.savefig(file, format="png", dpi=110)
    plt.close(figure)
    return file.getvalue()
