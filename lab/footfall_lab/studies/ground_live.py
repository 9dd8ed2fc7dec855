"""Live characters over rolling hills and up and down stairs, by commands at random, against the same on a level floor."""

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
from footfall.quality.body_signals import low_pass
from footfall.quality.ground_contact import SolePoints, ground_contact, sole_paths
from footfall.quality.joins import excess_throughout
from footfall.quality.knee import knee_speed
from footfall_lab.studies.graph_drive import random_commands

HILLS_M, HILL_CELL_M = 80.0, 0.1  # metres: side of a field, and of its cells
STEEP = 0.12  # rise for each metre, root mean square, of the hills' steepest direction
TREADS = ((0.15, 0.35), (0.17, 0.3), (0.12, 0.4), (0.18, 0.28), (0.1, 0.32))  # metres: rise and run
FLIGHT, LANDING_M = 8, 3.0  # steps of a flight, metres between flights
WHOLE_M = 0.02  # metres: a sole this near to the ground all along lies on it


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
    x, z = np.meshgrid(at, at, indexing="ij")
    height = np.zeros_like(x)
    for _ in range(14):
        length, way, phase = rng.uniform(4.0, 12.0), rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
        height += length * np.sin(2 * np.pi * (np.cos(way) * x + np.sin(way) * z) / length + phase)
    steep = np.sqrt(sum((np.diff(height, axis=k) ** 2).mean() for k in range(2))) / HILL_CELL_M
    half = 0.5 * HILLS_M
    return height_field(height * STEEP / steep, HILL_CELL_M, (-half, -half))


def flights(rise_m: float, run_m: float) -> Ground:
    """Flights of stairs up and down along z, with landings between."""
    flat = round(LANDING_M / run_m)
    part = np.concatenate(
        [np.zeros(flat), np.arange(1, FLIGHT + 1), np.full(flat, FLIGHT), np.arange(FLIGHT - 1, -1, -1)]
    )
    lanes = int(HILLS_M / run_m / len(part)) + 1
    line = rise_m * np.tile(part, lanes)
    half = 0.5 * run_m * len(line)
    start = (lanes // 2 * len(part) + 0.5 * flat) * run_m  # in the middle of a landing
    return plates(np.tile(line, (len(line), 1)), run_m, (-half, -start))


def minute(
    graph: Graph, ground: Ground, seed: int, seconds: float, types: tuple[str, ...] = ()
) -> tuple[LiveCase, Clip]:
    """A character driven by random commands on a ground, measured against the same commands on a level floor."""
    commands = random_commands(graph, seed, seconds)
    if types:
        commands = [
            c if c.type in types else Command(c.t_s, types[-1], min(c.speed, 1.5), c.turn, c.side) for c in commands
        ]
    level = drive(graph, by_commands(commands), seconds).clip
    hero = Controller(graph, ground=ground)
    clip = drive(graph, by_commands(commands), seconds, hero=hero).clip
    return measured(clip, level, hero, ground, seed), clip


def measured(clip: Clip, level: Clip, hero: Controller, ground: Ground, seed: int) -> LiveCase:
    """The figures of a drive."""
    body = hero._live.playable.tables.body
    soles = SolePoints(body.sole_joints, body.sole, body.standing.mean(axis=0))
    contacts = flags(clip, known_contacts(clip))
    found = ground_contact(clip, ground, soles, contacts)
    excess = excess_throughout(clip, level, lambda t: t)
    whole = whole_soles(clip, ground, soles, contacts)
    rise = np.ptp(clip.pose.root_pos[:, 1])
    return LiveCase(
        ground.name, seed, found.deepest_cm, found.edge_cm, found.slide.mean_cm_s, excess.value, excess.joint,
        excess.time_s, 1.0, knee_speed(clip) / knee_speed(level), heave(clip) / heave(level), *whole, float(rise),
    )  # fmt: skip


def heave(clip: Clip) -> float:
    """The largest vertical acceleration of the pelvis below 6 Hz, m/s²."""
    height = low_pass(clip.positions[:, clip.skeleton.roles.pelvis], clip.fps)[:, 1]
    edge = max(2, round(0.1 * clip.fps))
    return float(np.abs(np.diff(height, n=2)[edge:-edge]).max()) * clip.fps**2


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
