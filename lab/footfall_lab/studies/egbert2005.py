"""Transitions by example (Egbert 2005): tables of seven motions, all their pairs, and how lively the joins are."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from time import perf_counter

import numpy as np

from footfall.align.distance import distances
from footfall.align.tables import LookupTables, best_entries, build, clouds_of, save
from footfall.core.clip import Clip
from footfall.joins.departure import leaving
from footfall.joins.transition import TransitionRequest, method
from footfall_lab.bench._measure import Row, median_s
from footfall_lab.studies import egbert2005_pairs as pairs

TITLE = "Transitions by example (Egbert 2005)"
THESIS_S, THESIS_BYTES = (11.2, 68.9), 40_000  # a pair's warp, and the table of seven motions as text
LIVELY = (0.8, 1.25)  # energy above 3 Hz over that of the sources
IN_RANGE = 0.75  # of the pairs
STEP_RAD_S = 0.2
SLACK = 1.05
SHOWN = (("walk", "kick"), ("walk", "jump"), ("jump", "skip"), ("kick", "jump"))  # the thesis's figures 6 to 9
AGAINST = ("eased crossfade", "inertialize")  # methods the joins must be nearer to life than

Progress = Callable[[str], None]


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, into out/egbert2005.html and .csv; films and pictures of four pairs beside them."""
    clips = pairs.seven()[: 4 if quick else None]
    progress("tables")
    rows = table_rows(clips, out)
    rows += cost_rows(clips)
    found = list(_told(pairs.joins(clips, pinned=True), "built-in pairs", progress))
    rows += quality_rows("built-in pairs, from the start", found)
    if captures is not None:
        takes = pairs.takes(captures)[: 4 if quick else None]
        on_takes = list(_told(pairs.joins(takes, pinned=False), "captured pairs", progress))
        rows += quality_rows(f"{len(takes)} captured takes, by the table", on_takes, limits=True)
        found += on_takes
    progress("pictures")
    shown = pictures(clips, out, quick)
    write_report(out, rows, found, shown)
    return rows


def _told(found: Iterable[pairs.Joined], what: str, progress: Progress) -> Iterable[pairs.Joined]:
    for join in found:
        progress(f"{what}: {join.left} to {join.target}, {join.way}")
        yield join


# --- what it costs -----------------------------------------------------------------------------------------------


def table_rows(clips: Sequence[Clip], out: Path) -> list[Row]:
    """Time and memory of the look-up tables of all ordered pairs, against the thesis's."""
    pair_s(clips[0], clips[1])
    start = perf_counter()
    tables = build(clips, pinned={clip.name: None for clip in clips})  # every entry worked out, none pinned
    total = perf_counter() - start
    each = [pair_s(a, b) for a in clips for b in clips if a is not b]
    path = save(tables, out / "egbert2005_tables.npz")
    frames = [m.frames for m in tables.motions]
    count = len(each)
    low, high = THESIS_S
    return [
        Row(f"{len(clips)} motions of {min(frames)} to {max(frames)} frames: {count} tables, clouds and all",
            f"{total:.2f} s", "", None),
        Row("one pair's distances and warp", f"{1e3 * min(each):.0f} to {1e3 * max(each):.0f} ms",
            f"thesis: {low:g} to {high:g} s", max(each) < low),
        Row("the tables", f"{memory(tables):.1f} kB in memory, {path.stat().st_size / 1e3:.1f} kB in a file",
            f"thesis: {THESIS_BYTES / 1e3:g} kB", tables.nbytes <= THESIS_BYTES),
    ]  # fmt: skip


def memory(tables: LookupTables) -> float:
    """Kilobytes of all entries."""
    return tables.nbytes / 1e3


def pair_s(left: Clip, target: Clip) -> float:
    """Seconds for one table, from ready clouds."""
    a, b = clouds_of(left), clouds_of(target)
    start = perf_counter()
    best_entries(distances(a, b), target.is_loop)
    return perf_counter() - start


def cost_rows(clips: Sequence[Clip]) -> list[Row]:
    """Microseconds of a transition."""
    make, calls, times = method("by-example").transition, 20, []
    for target in clips[1:]:
        departure = leaving(clips[0], 0.5)

        def many(target: Clip = target, departure: object = departure) -> None:
            for _ in range(calls):
                make(departure, target, TransitionRequest(pairs.LENGTH_S))

        times.append(1e6 * median_s(many, repeats=5) / calls)
    value = f"{min(times):.0f} to {max(times):.0f} µs at {clips[0].fps:g} fps"
    return [Row("one transition, after the first", value, "thesis: no noticeable delay")]


# --- how good it is ----------------------------------------------------------------------------------------------


def quality_rows(what: str, found: Sequence[pairs.Joined], limits: bool = False) -> list[Row]:
    """By method: liveliness, skate, jerk and velocity steps over all pairs. Limits hold for real takes."""
    rows = []
    by_way = {way: [j for j in found if j.way == way] for way in pairs.METHODS}
    low, high = LIVELY
    most_skate = SLACK * min(float(np.median([j.locked for j in by_way[other]])) for other in AGAINST)
    nearness = {way: nearness_to_life(joins) for way, joins in by_way.items()}
    for way, joins in by_way.items():
        energy = np.array([j.energy for j in joins])
        inside = float(np.mean((energy >= low) & (energy <= high)))
        quarters = " ".join(f"{q:.2f}" for q in np.quantile(energy, [0.1, 0.25, 0.5, 0.75, 0.9]))
        judged = limits and way == "by-example"
        ok = inside >= IN_RANGE and all(nearness[way] < nearness[other] for other in AGAINST)
        rows.append(Row(f"{what}: energy above 3 Hz, {way}, {len(joins)} pairs",
                        f"{inside:.0%} within {low:g} to {high:g}; 10 25 50 75 90 %: {quarters}",
                        f"{IN_RANGE:.0%}, nearer 1 than crossfade and inertialize" if judged else "",
                        ok if judged else None))  # fmt: skip
        raw, locked, jerk, excess, step = (
            float(np.median([getattr(j, name) for j in joins]))
            for name in ("skate", "locked", "jerk", "excess", "step")
        )
        rows.append(Row(f"{what}: quality, {way}, medians",
                        f"skate {raw:.2f}, with footsteps {locked:.2f}; jerk {jerk:.2f}; excess {excess:.0f} m/s²; "
                        f"velocity step {step:.2f} rad/s",
                        f"no velocity step over {STEP_RAD_S:g} rad/s, no worse skate than others" if judged else "",
                        step <= STEP_RAD_S and locked <= most_skate if judged else None))  # fmt: skip
    return rows


def nearness_to_life(joins: Sequence[pairs.Joined]) -> float:
    """Median of |log energy ratio|: 0 where every join is as lively as its sources."""
    return float(np.median([abs(np.log(max(j.energy, 1e-6))) for j in joins]))


# --- pictures and the report -------------------------------------------------------------------------------------


def pictures(clips: Sequence[Clip], out: Path, quick: bool) -> list[tuple[str, bytes]]:
    """One alignment, and the four joins the thesis shows as strips; as films too, beside a linear crossfade."""
    from footfall.joins.join import join
    from footfall.render.film import render_film
    from footfall.render.scene import Actor, Scene
    from footfall.render.sheet import render_strip
    from footfall_lab.plot_alignment import plot_alignment

    by_name = {clip.name.split()[0]: clip for clip in clips}
    shown = [("walk and run aligned", plot_alignment(clips[0], clips[1]))]
    for a, b in SHOWN:
        if a not in by_name or b not in by_name:
            continue
        departure, enter_s = pairs.moments(by_name[a], by_name[b], pinned=True)
        made = {
            way: join(departure, by_name[b], name, length_s=pairs.LENGTH_S, enter_s=enter_s, **options)
            for way, (name, options) in pairs.METHODS.items()
            if way in ("by-example", "linear crossfade")
        }
        shown.append((f"{a} to {b}", _png(render_strip(made["by-example"]))))
        if not quick:
            scenes = [Scene([Actor(clip)], title=way) for way, clip in made.items()]
            render_film(scenes, out / f"egbert2005_{a}_{b}.gif", size=(400, 320))
    return shown


def _png(picture: np.ndarray) -> bytes:
    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, "png")
    return buffer.getvalue()


def write_report(
    out: Path, rows: Sequence[Row], found: Sequence[pairs.Joined], shown: Sequence[tuple[str, bytes]]
) -> None:
    """out/egbert2005.csv, every pair by every method, and out/egbert2005.html, which holds its pictures in itself."""
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page

    table = StringIO()
    writer = csv.writer(table)
    writer.writerow(pairs.Joined._fields)
    writer.writerows(found)
    atomic_write(out / "egbert2005.csv", table.getvalue().encode())
    about = (
        f"Every motion into every other, left at {pairs.LEFT_AT:.0%} of its length, over {pairs.LENGTH_S:g} s, all "
        "methods at the same moments. Energy is that of the joints' angular velocities above 3 Hz in the join's frames "
        "over the sources' own around them: 1 is as lively as they are. Skate and jerk are over the sources' too."
    )
    atomic_write(out / "egbert2005.html", page(TITLE, about, rows, shown).encode())
