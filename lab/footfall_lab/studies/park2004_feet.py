"""E2 of Park et al. 2004, between the examples: slide of standing feet and cadence over the plane of parameters."""

from __future__ import annotations

import warnings
from dataclasses import replace
from io import BytesIO
from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import Contacts
from footfall.analysis.floor import find_floor
from footfall.core.clip import Clip
from footfall.feet.foot_lock import known_contacts
from footfall.parametric import canonical_time
from footfall.parametric.blend_space import BlendSpace, BlendWarning, blend_space
from footfall.parametric.builtin_sets import set_clips
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.quality.slide import slide
from footfall_lab.bench._measure import Row

POINTS, QUICK_POINTS = 13, 5
SECONDS = 4.0
RAW_CM_S, LOCKED_CM_S = 3.0, 1.0  # or twice, and 1.2 times, the examples' own slide where that is more
CADENCE = 0.03  # from the trend of the examples


class FeetMap(NamedTuple):
    """Measured over a grid of speeds (V,) and turns (W,); NaN outside the examples' hull."""

    speed: np.ndarray
    turn: np.ndarray
    raw: np.ndarray  # (W, V) cm/s
    locked: np.ndarray
    speed_error: np.ndarray  # m/s
    turn_error: np.ndarray  # °/s


def run(quick: bool) -> tuple[list[Row], list[tuple[str, bytes]]]:
    """Rows and pictures."""
    rows: list[Row] = []
    maps = {}
    for name in ("walk", "run"):
        space = blend_space(name, method="rbf")  # the paper's
        own = float(np.mean([slide(clip, told_contacts(clip)).mean_cm_s for clip in set_clips(name)]))
        maps[name] = feet_map(space, QUICK_POINTS if quick else POINTS)
        rows += feet_rows(name, maps[name], own)
        pelvis = feet_map(
            replace(space, motion=under_pelvis(space.motion)), QUICK_POINTS if quick else POINTS, (False,)
        )
        value = f"mean {np.nanmean(pelvis.raw):.2f}, worst {np.nanmax(pelvis.raw):.2f} cm/s"
        rows.append(Row(f"E2 {name}: slide before foot lock, arcs under the pelvis as in the paper", value, "reported"))
    rows += cadence_rows(blend_space("walk", method="rbf"))
    return rows, [
        ("E2 between the examples", maps_picture(maps)),
        ("E2 cadence", cadence_picture(blend_space("walk", method="rbf"))),
    ]


def told_contacts(clip: Clip) -> Contacts:
    """Contacts as the clip's own events tell them: those of a blend follow from its key times."""
    flags: dict[str, np.ndarray] = {}
    for part, spans in known_contacts(clip).items():
        inside = [(clip.times >= a - 1e-9) & (clip.times <= b + 1e-9) for a, b in spans]
        flags[part] = np.any(inside, axis=0) if inside else np.zeros(clip.frames, bool)
    return Contacts(
        clip.fps, flags["left_heel"], flags["left_toe"], flags["right_heel"], flags["right_toe"], find_floor(clip)
    )


def under_pelvis(motion: ParametricMotion) -> ParametricMotion:
    """The same examples on the arcs of their pelvises: what blending under the feet is compared with."""
    ahead, left = motion.pelvis.T
    turn = motion.travel[..., 2]
    root, travel = motion.root.copy(), motion.travel.copy()
    root[..., 2], root[..., 0] = root[..., 2] - ahead, root[..., 0] - left
    travel[..., 0], travel[..., 1] = travel[..., 0] - turn * left, travel[..., 1] + turn * ahead
    return replace(motion, root=root, travel=travel, pelvis=np.zeros_like(motion.pelvis))


def feet_map(space: BlendSpace, points: int, locks: tuple[bool, ...] = (False, True)) -> FeetMap:
    """Slide of blends before and after foot lock, and how far they miss what was asked."""
    from scipy.spatial import Delaunay

    inside = Delaunay(space.motion.parameters)
    (v0, v1), (w0, w1) = space.ranges.values()
    speeds, turns = np.linspace(v0, v1, points), np.linspace(w0, w1, points)
    found = np.full((4, points, points), np.nan)
    for i, turn in enumerate(turns):
        for j, speed in enumerate(speeds):
            if inside.find_simplex((speed, turn)) < 0:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", BlendWarning)  # by how much is what is measured here
                clips = [space(seconds=SECONDS, lock=lock, speed=speed, turn=turn) for lock in locks]
            reached = clips[0].parameters
            slides = [slide(c, told_contacts(c)).mean_cm_s for c in clips]
            found[:, i, j] = slides[0], slides[-1], reached["speed"] - speed, reached["turn"] - turn
    return FeetMap(speeds, turns, *found)


def feet_rows(name: str, found: FeetMap, own: float) -> list[Row]:
    raw, locked = max(2.0 * own, RAW_CM_S), max(1.2 * own, LOCKED_CM_S)
    count = int(np.isfinite(found.raw).sum())
    rows = [Row(f"E2 {name}: examples' own slide", f"{own:.3f} cm/s")]
    for what, values, most in (("before foot lock", found.raw, raw), ("after foot lock", found.locked, locked)):
        value = f"mean {np.nanmean(values):.2f}, worst {np.nanmax(values):.2f} cm/s"
        rows.append(
            Row(
                f"E2 {name}: slide of {count} blends {what}",
                value,
                f"<= {most:.2g} cm/s each",
                bool(np.nanmax(values) <= most),
            )
        )
    errors = f"speed {np.nanmax(np.abs(found.speed_error)):.3f} m/s, turn {np.nanmax(np.abs(found.turn_error)):.1f} °/s"
    rows.append(Row(f"E2 {name}: largest miss of what was asked, rbf", errors, "reported"))
    return rows


def cadence(space: BlendSpace, count: int = 151) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Speeds (Q,), seconds a cycle (Q,) under each scheme, and the examples' trend: ln T straight between them."""
    motion = space.motion
    straight = np.flatnonzero(np.abs(motion.parameters[:, 1]) < 1.0)
    straight = straight[np.argsort(motion.parameters[straight, 0])]
    at, cycle = motion.parameters[straight, 0], motion.key_times[straight, -1]
    speeds = np.linspace(at[0], at[-1], count)
    p = np.column_stack([speeds, np.zeros(count)])
    gamma = canonical_time.blended_rates(canonical_time.gamma_weights(p, motion.parameters), motion.rates, "gamma")
    found = {"log-rate": motion.blended_rates(motion.weights(p)), "gamma": gamma}
    seconds = {name: canonical_time.blended_key_times(rates)[:, -1] for name, rates in found.items()}
    return speeds, seconds, np.exp(np.interp(speeds, at, np.log(cycle)))


def cadence_rows(space: BlendSpace) -> list[Row]:
    _, seconds, trend = cadence(space)
    rows = []
    for scheme, found in seconds.items():
        off, rises = np.abs(trend / found - 1.0), bool((np.diff(found) < 0.0).all())
        value = (
            f"mean {off.mean():.2%}, worst {off.max():.2%}, {'rises' if rises else 'does not always rise'} with speed"
        )
        ours = scheme == "log-rate"
        rows.append(Row(f"E2 walk: cadence against the examples' trend, {scheme}", value,
                        f"<= {CADENCE:.0%}, rising" if ours else "paper's scheme: reported",
                        bool(off.max() <= CADENCE and rises) if ours else None))  # fmt: skip
    return rows


def maps_picture(maps: dict[str, FeetMap]) -> bytes:
    """Slide before and after foot lock, over speed and turn."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(len(maps), 3, figsize=(13, 3.8 * len(maps)), layout="constrained")
    for row, (name, found) in zip(np.atleast_2d(panels), maps.items(), strict=True):
        shown = (("slide before foot lock, cm/s", found.raw, RAW_CM_S), ("after, cm/s", found.locked, LOCKED_CM_S),
                 ("turn missed by, °/s", np.abs(found.turn_error), None))  # fmt: skip
        for panel, (title, values, most) in zip(row, shown, strict=True):
            drawn = panel.pcolormesh(found.speed, found.turn, values, shading="nearest", vmin=0.0, vmax=most)
            panel.set_title(f"{name}: {title}")
            panel.set_xlabel("speed, m/s")
            panel.set_ylabel("turn, °/s")
            figure.colorbar(drawn, ax=panel)
    buffer = BytesIO()
    figure.savefig(buffer, dpi=100)
    plt.close(figure)
    return buffer.getvalue()


def cadence_picture(space: BlendSpace) -> bytes:
    """Seconds a cycle against speed."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    speeds, seconds, trend = cadence(space)
    figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
    panel.plot(speeds, trend, "k--", lw=1, label="examples' trend")
    for scheme, found in seconds.items():
        panel.plot(speeds, found, lw=2, label=scheme)
    panel.set_xlabel("speed, m/s")
    panel.set_ylabel("seconds a cycle, walking straight")
    panel.grid(alpha=0.3)
    panel.legend()
    buffer = BytesIO()
    figure.savefig(buffer, dpi=110)
    plt.close(figure)
    return buffer.getvalue()
