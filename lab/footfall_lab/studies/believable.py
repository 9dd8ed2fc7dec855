"""What a viewer believes: the judge on untouched captures, and on joins and timelines of captures drawn at random."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.quality.judged_figures import LIMITS, SAME_STEP
from footfall_lab.bench._measure import Row
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies.believable_cases import BeliefCase, badness, judged_cases, made
from footfall_lab.studies.believable_takes import asked_half, clip_of, draw_pairs, draw_timelines, takes
from footfall_lab.studies.believable_untouched import (
    CUTS,
    UntouchedCapture,
    detail_at_cuts,
    sampled_again,
    untouched,
    untouched_lifts,
    untouched_steps,
)

if TYPE_CHECKING:
    from footfall_lab.studies.believable_takes import CapturedTake

TITLE = "What a viewer believes"
JOINS, TIMELINES = 150, 75
QUICK_JOINS, QUICK_TIMELINES, QUICK_CAPTURES = 20, 8, 24
SEED = {"work": 1, "held-out": 2, "built-in": 3}
PASS_SHARE = 0.95  # of untouched captures
FLOOR_SHARE, FLOOR_CM = 0.98, 1.0  # of floor steps inside their limit, and their median
SKATE, EXCESS_M_S2, KNEE_SHARE = (1.0, 2.0), 40.0, 0.95  # median and 95 %; 90 %; joins whose knees are calm
KNEE = 1.2
WORST, AROUND_S, POSES, STRIP = 12, (0.7, 1.5), 8, (960, 250)  # seams on the sheet; seconds, poses and pixels of each

Tell = Callable[[str], None]


def run(out: Path, quick: bool, tell: Tell, captures: Path | None = None) -> list[Row]:
    """Every figure into out/believable.html, .csv, .json and .png; one half of the people (FOOTFALL_HALF)."""
    captures = captures or beside_checkout()
    if captures is None:
        return [Row("captured takes", "skipped: no folder of captures (set FOOTFALL_MOCAP)")]
    half = asked_half()
    every = takes(captures, half)
    rows = _untouched_rows(every[:: max(1, len(every) // QUICK_CAPTURES)] if quick else every, tell)
    pairs = draw_pairs(every, QUICK_JOINS if quick else JOINS, SEED[half])
    rows_of_takes = draw_timelines(every, QUICK_TIMELINES if quick else TIMELINES, SEED[half])
    jobs = [(tuple(pair), False) for pair in pairs] + [(tuple(row), True) for row in rows_of_takes]
    cases: list[BeliefCase] = []
    for case in judged_cases(jobs, 1 if quick else os.cpu_count() or 1):
        cases.append(case)
        believed = sum(not c.failed for c in cases)
        tell(f"{len(cases)} of {len(jobs)}, {believed} believable: {' → '.join(case.names)}")
    for what, is_timeline in (("joins", False), ("timelines", True)):
        rows += summary(f"{half}, {what}", [c for c in cases if c.is_timeline == is_timeline])
    tell("drawing")
    _write(out, rows, cases, half)
    return rows


# --- figures -----------------------------------------------------------------------------------------------------


def _untouched_rows(every: Sequence[CapturedTake], tell: Tell) -> list[Row]:
    """How often the judge is wrong about captures nobody touched."""
    found: list[UntouchedCapture] = []
    clips = []
    for n, take in enumerate(every):
        tell(f"untouched captures, {n + 1} of {len(every)}: {take.path.stem}")
        clips.append(clip_of(take.path))
        found += untouched(clips[-1:])
    passed = float(np.mean([one.judgement.believable for one in found]))
    green = float(np.mean([one.judgement.grade == "green" for one in found]))
    what = f"untouched captures, {len(found)} cuts at {', '.join(f'{c:.0%}' for c in CUTS)}"
    alarms = Counter(name for one in found for name in sorted(one.judgement.failed))
    odd, again, detail = untouched_steps(clips), np.array(sampled_again(clips)), np.array(detail_at_cuts(clips))
    missed = np.sum((detail < LIMITS.detail[0]) | (detail > LIMITS.detail[1]))
    return [
        Row(f"{what}: believed", f"{passed:.1%}", f"at least {PASS_SHARE:.0%}", passed >= PASS_SHARE),
        Row(f"{what}: green", f"{green:.1%}"),
        Row(f"{what}: false alarms", ", ".join(f"{name} {n}" for name, n in alarms.most_common()) or "none"),
        Row(
            "untouched captures: a second of steps over the limit, were they new", f"{np.mean(np.array(odd) > 1.0):.1%}"
        ),
        Row(
            "untouched captures: a second of swings lifted over the limit, were they new",
            f"{np.mean(np.array(untouched_lifts(clips)) > 1.0):.1%}",
        ),
        Row(
            "untouched captures sampled half a frame later: their own oddest step odder, by more than is allowed",
            f"{np.sum(again > 0.0)}, {np.sum(again > SAME_STEP)} of {len(again)}",
        ),
        Row("untouched captures: detail about cuts missed", f"{missed} of {len(detail)}"),
    ]


def summary(what: str, cases: Sequence[BeliefCase]) -> Iterator[Row]:
    """The table's lines for joins or timelines."""
    if not cases:
        return
    seams = [seam for case in cases for seam in case.seams]
    count = f"{what}, {len(cases)} ({len(seams)} seams)"
    believed = float(np.mean([not case.failed for case in cases]))
    by_grade = Counter(str(case.judgement.get("grade", "refused")) for case in cases)
    yield Row(f"{count}: believable", f"{believed:.1%} ({', '.join(f'{n} {g}' for g, n in by_grade.most_common())})")
    for name, words in (
        ("refused", "made"),
        ("order", "in their order"),
        ("kept", "kept"),
        ("actions", "actions whole"),
    ):
        share = 1.0 - float(np.mean([name in case.failed for case in cases]))
        yield Row(f"{count}: {words}", f"{share:.1%}", "100%", share == 1.0)
    if not seams:
        return
    limits = {"floor_step": FLOOR_SHARE, "alive": 1.0}
    for name in seams[0]["figures"]:
        figures = [seam["figures"][name] for seam in seams]
        share = float(np.mean([f["ok"] for f in figures]))
        value = f"{share:.1%}, median {np.median([f['value'] for f in figures]):.2f}"
        if name in limits:
            yield Row(f"{count}: {name} inside its limit", value, f"{limits[name]:.0%}", share >= limits[name])
        else:
            yield Row(f"{count}: {name} inside its limit", value)
    steps = [seam["figures"]["floor_step"]["value"] for seam in seams]
    middle = float(np.median(steps))
    yield Row(f"{count}: floor step, cm, median", f"{middle:.2f}", f"at most {FLOOR_CM:g}", middle <= FLOOR_CM)
    yield from _older(count, [quality for case in cases for quality in case.quality])


def _older(count: str, quality: Sequence[dict[str, float] | Any]) -> Iterator[Row]:
    """Skate, excess and knee as they were measured before there was a judge."""
    if not quality:
        return
    skate, excess, knee = (np.array([q[key] for q in quality]) for key in ("skate_ratio", "excess_m_s2", "knee_ratio"))
    at = float(np.median(skate)), float(np.quantile(skate, 0.95))
    ok = at[0] <= SKATE[0] and at[1] <= SKATE[1]
    yield Row(f"{count}: skate, median and 95 %", f"{at[0]:.2f}, {at[1]:.2f}", f"{SKATE[0]:g}, {SKATE[1]:g}", ok)
    most = float(np.quantile(excess, 0.9))
    yield Row(f"{count}: excess, m/s², 90 %", f"{most:.1f}", f"at most {EXCESS_M_S2:g}", most <= EXCESS_M_S2)
    calm = float(np.mean(knee <= KNEE))
    yield Row(f"{count}: knees at most {KNEE} times as fast", f"{calm:.1%}", f"{KNEE_SHARE:.0%}", calm >= KNEE_SHARE)


# --- files -------------------------------------------------------------------------------------------------------


def _write(out: Path, rows: list[Row], cases: Sequence[BeliefCase], half: str) -> None:
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page, rows_csv

    data = {"half": half, "rows": [row._asdict() for row in rows], "cases": [case.plain() for case in cases]}
    atomic_write(out / "believable.json", json.dumps(_finite(data), indent=1).encode())
    atomic_write(out / "believable.csv", rows_csv(rows))
    sheet = worst_seams(cases)
    if sheet:
        atomic_write(out / "believable.png", sheet)
    about = (
        "Captures cut in two, joined and put in a row by the public calls with everything left to footfall, each "
        "judged as docs/believable.md says. Below are the seams that are farthest from being believed."
    )
    atomic_write(out / "believable.html", page(TITLE, about, rows, [("worst seams", sheet)] if sheet else []).encode())


def worst_seams(cases: Sequence[BeliefCase]) -> bytes:
    """Film strips around the seams that are farthest from being believed, as PNG; they are made again for it."""
    from io import BytesIO

    from PIL import Image

    from footfall.render.sheet import grid, render_strip, write_text

    seams = [(badness(seam), n, seam) for n, case in enumerate(cases) for seam in case.seams]
    worst = sorted((s for s in seams if s[0] > 0.0), key=lambda s: -s[0])[:WORST]
    pictures = []
    for _, n, seam in worst:
        clip, at = made(cases[n].takes, cases[n].is_timeline), float(seam["time_s"])
        first, last = max(at - AROUND_S[0], 0.0), min(at + AROUND_S[1], clip.duration)
        part = clip.trim(first, last)
        strip = render_strip(part, np.linspace(0.0, part.duration, POSES), STRIP)
        strip = write_text(strip, f"{seam['clips'][0]} to {seam['clips'][1]}, {at:.1f} s", "light")
        pictures.append(write_text(strip, "; ".join(seam["reasons"]), "light", "bottom left"))
    if not pictures:
        return b""
    file = BytesIO()
    Image.fromarray(grid(pictures, 2, 6, (255, 255, 255))).save(file, "PNG")
    return file.getvalue()


def _finite(value: Any) -> Any:
    """Numbers that JSON has not become null."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
