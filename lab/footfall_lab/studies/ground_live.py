"""Live characters over rolling hills and stairs, by commands at random, against the same on a level floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.contacts import Contacts, runs
from footfall.core.clip import Clip
from footfall.feet.foot_lock import known_contacts
from footfall.graph.build.closed_loops import flags
from footfall.graph.graph import Graph
from footfall.kinematics.ground import Ground, height_field, plates
from footfall.live.controller import Controller
from footfall.live.drive import Command, by_commands, drive
from footfall.quality.ground_contact import SolePoints, ground_contact, sole_paths
from footfall.quality.joins import (
    CLEAN,
    VISIBLE,
    accelerations,
    excess_throughout,
    largest_near,
    measured_joints,
)
from footfall.quality.knee import knee_speed
from footfall_lab.bench._measure import Row
from footfall_lab.studies._heave import heave
from footfall_lab.studies.graph_drive import random_commands

HILLS_M, HILL_CELL_M = 300.0, 0.1  # metres: side of a field that no minute leads off, and of its cells
STAIRS_M = 80.0  # metres: the same of flights of stairs
STEEP = 0.12  # rise for each metre, root mean square, of the hills' steepest direction
TREADS = ((0.15, 0.35), (0.17, 0.3), (0.12, 0.4), (0.18, 0.28), (0.1, 0.32))  # metres: rise and run
FLIGHT, LANDING_M = 8, 3.0  # steps of a flight, metres between flights
MINUTES, STAIRS_M_S = 10, 1.5  # how many; m/s that are asked for on stairs, at most
WHOLE_M, WHOLE = 0.02, 0.95  # metres: a sole this near to the ground all along lies on it; so many should
LIMITS = (
    ("depth of heel, ball, tip", "depth_cm", 1.0, "cm"), ("depth within 30 ms of an edge", "edge_cm", 2.0, "cm"),
    ("slide", "slide_cm_s", 1.0, "cm/s"), ("excess acceleration", "excess", VISIBLE, "m/s²"),
    ("knee speed over that on the level", "knee", 1.3, ""),
    ("heave of the pelvis over that on the level", "heave", 1.5, ""),
)  # fmt: skip


class LiveCase(NamedTuple):
    """One minute."""

    ground: str
    seed: int
    depth_cm: float
    edge_cm: float
    slide_cm_s: float
    excess: float
    joint: str
    time_s: float
    clean: float  # share of frames whose excess is below 40 m/s²
    knee: float
    heave: float
    whole: int
    landings: int
    climbed_m: float  # between the lowest and the highest place


def hills(seed: int) -> Ground:
    """Smooth hills with slopes of about STEEP."""
    rng = np.random.default_rng(seed)
    at = np.arange(int(HILLS_M / HILL_CELL_M) + 1) * HILL_CELL_M
    height = np.zeros((len(at), len(at)))
    for _ in range(14):
        length, way, phase = rng.uniform(4.0, 12.0), rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
        x, z = (np.exp(2j * np.pi * part * at / length) for part in (np.cos(way), np.sin(way)))
        x = length * x * np.exp(1j * phase)
        height += x.real[:, None] * z.imag + x.imag[:, None] * z.real  # a sine of the sum of both
    steep = np.sqrt(sum((np.diff(height, axis=k) ** 2).mean() for k in range(2))) / HILL_CELL_M
    half = 0.5 * HILLS_M
    return height_field(height * STEEP / steep, HILL_CELL_M, (-half, -half))


def flights(rise_m: float, run_m: float) -> Ground:
    """Flights of stairs up and down along z, with landings between."""
    flat, up = round(LANDING_M / run_m), np.arange(1, FLIGHT + 1)
    part = np.concatenate([np.zeros(flat), up, np.full(flat, FLIGHT), up[::-1] - 1])
    lanes = int(STAIRS_M / run_m / len(part)) + 1
    line = rise_m * np.tile(part, lanes)
    half = 0.5 * run_m * len(line)
    start = (lanes // 2 * len(part) + 0.5 * flat) * run_m  # in the middle of a landing
    return plates(np.tile(line, (len(line), 1)), run_m, (-half, -start))


def cases(graph: Graph, seconds: float, count: int = MINUTES) -> list[LiveCase]:
    """Half of them over hills, walking, running and standing; half on stairs, walking and standing."""
    found = []
    for seed in range(count):
        on_hills = seed < count // 2
        ground = hills(seed) if on_hills else flights(*TREADS[seed % len(TREADS)])
        found.append(minute(graph, ground, seed, seconds, () if on_hills else ("stand", "walk"))[0])
    return found


def rows_of(found: list[LiveCase]) -> list[Row]:
    """What the minutes came to, hills and stairs apart."""
    rows = []
    for name, part in (
        ("live, hills", [c for c in found if c.ground == "height field"]),
        ("live, stairs", [c for c in found if c.ground != "height field"]),
    ):
        for what, key, limit, unit in LIMITS:
            values = np.array([getattr(c, key) for c in part])
            rows.append(Row(f"{name}: {what}", f"median {np.median(values):.2f}, most {values.max():.2f} {unit}",
                            f"≤ {limit:g} {unit}", bool(values.max() <= limit)))  # fmt: skip
        clean, whole, count = (
            np.mean([c.clean for c in part]),
            sum(c.whole for c in part),
            sum(c.landings for c in part),
        )
        rows.append(Row(f"{name}: frames with an excess below {CLEAN:g} m/s²", f"{clean:.2%}", "", None))
        rows.append(Row(f"{name}: whole soles", f"{whole / count:.1%} of {count}", "≥ 95 %", whole >= WHOLE * count))
    return rows


def minute(
    graph: Graph, ground: Ground, seed: int, seconds: float, types: tuple[str, ...] = ()
) -> tuple[LiveCase, Clip]:
    """A character driven by random commands on a ground, measured against the same on a level floor, where each
    command comes at the same moment of its motion.

    types: what may be asked for; what else is, becomes the last of them, no faster than people take stairs.
    """
    commands = random_commands(graph, seed, seconds)
    if types:
        commands = [c if c.type in types else c._replace(type=types[-1]) for c in commands]
        commands = [c._replace(speed=min(c.speed, STAIRS_M_S)) for c in commands]
    hero, steer, paces = Controller(graph, ground=ground), by_commands(commands), []

    def watched(hero: Controller, t: float) -> None:
        paces.append(hero.pace)
        steer(hero, t)

    clip = drive(graph, watched, seconds, hero=hero).clip
    moments = np.cumsum(np.array([0.0, *paces[1:]])) / clip.fps  # of its motion, which takes longer on steps and slopes
    level = drive(graph, by_commands(at_moments(commands, clip.times, moments)), float(moments[-1])).clip
    return measured(clip, (level, moments), hero, ground, seed), clip


def at_moments(commands: list[Command], times: np.ndarray, moments: np.ndarray) -> list[Command]:
    """Commands at the same moments of a motion that does not slow down."""
    return [c._replace(t_s=float(np.interp(c.t_s, times, moments))) for c in commands]


def measured(clip: Clip, source: tuple[Clip, np.ndarray], hero: Controller, ground: Ground, seed: int) -> LiveCase:
    """The figures of a drive; source: the same on the level floor, and at which of its moments each frame is."""
    level, moments = source
    body = hero._live.playable.tables.body
    soles = SolePoints(body.sole_joints, body.sole, body.standing.mean(axis=0))
    contacts = flags(clip, known_contacts(clip))
    found = ground_contact(clip, ground, soles, contacts)
    excess = excess_throughout(clip, level, lambda t: np.interp(t, clip.times, moments))
    over = accelerations(clip) - largest_near(level, clip.fps, moments[1:-1])
    clean = float((over[:, measured_joints(clip)].max(axis=1) <= CLEAN).mean())
    whole = whole_soles(clip, ground, soles, contacts)
    rise = float(np.ptp(clip.pose.root_pos[:, 1]))
    return LiveCase(
        ground.name, seed, found.deepest_cm, found.edge_cm, found.slide.mean_cm_s, excess.value, excess.joint,
        excess.time_s, clean, knee_speed(clip) / knee_speed(level), heave(clip) / heave(level), *whole, rise,
    )  # fmt: skip


def whole_soles(clip: Clip, ground: Ground, soles: SolePoints, contacts: Contacts) -> tuple[int, int]:
    """How many landings lie on the ground with the whole sole, and how many there are."""
    paths = sole_paths(clip, soles)
    whole = landings = 0
    for foot, side in enumerate(("left", "right")):
        flat = getattr(contacts, f"{side}_heel") & getattr(contacts, f"{side}_toe")
        for a, b in runs(flat):
            heel, ball, tip = paths[(a + b) // 2, foot]
            along = np.concatenate([np.linspace(heel, ball, 6), np.linspace(ball, tip, 4)[1:]])
            rest = np.interp(np.arange(9), [0, 5, 8], soles.rest)
            under = ground.heights(along[:, 0], along[:, 2], along[:, 1])
            gap = along[:, 1] - rest - under
            landings += 1
            whole += bool((np.abs(gap) < WHOLE_M).all())
    return whole, landings
