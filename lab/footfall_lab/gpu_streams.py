"""Streams of random commands for characters on a GPU and on the CPU: the same for both, from a seed; numpy alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

DT = 1.0 / 60.0
CHANGE_S = 3.0  # seconds between changes of type, on average
ASK_S = 1.0  # seconds between other speeds and turns
URGENT = 0.25  # share of changes that are urgent
SHOVE_S = 20.0  # seconds between shoves
MOST_SHOVE = 1.5  # m/s
SPEEDS, TURNS = (0.3, 4.0), (-90.0, 90.0)  # m/s, °/s
TYPES = 3  # stand, walk and run are the first


class Commands(NamedTuple):
    """What N characters are told before one step."""

    type: np.ndarray  # (N,) i32; -1 nothing new
    urgent: np.ndarray  # (N,) u8
    speed: np.ndarray  # (N,) f32; NaN nothing new
    turn: np.ndarray  # (N,) f32
    shove: np.ndarray  # (N, 2) f32


def commands(seed: int, step: int, count: int) -> Commands:
    """Of one step; the first tells everybody something."""
    rng = np.random.default_rng([seed, step])
    first = step == 0
    changes = rng.random(count) < (1.0 if first else DT / CHANGE_S)
    kinds = np.where(changes, rng.integers(0, TYPES, count), -1).astype(np.int32)
    urgent = (changes & (rng.random(count) < URGENT) & (not first)).astype(np.uint8)
    asks = rng.random(count) < (1.0 if first else DT / ASK_S)
    speed = np.where(asks, rng.uniform(*SPEEDS, count), np.nan).astype(np.float32)
    turn = np.where(asks, rng.uniform(*TURNS, count), np.nan).astype(np.float32)
    pushed = (rng.random(count) < DT / SHOVE_S) & (not first)
    shove = np.where(pushed[:, None], rng.uniform(-MOST_SHOVE, MOST_SHOVE, (count, 2)), 0.0).astype(np.float32)
    return Commands(kinds, urgent, speed, turn, shove)


def roots(seed: int, count: int) -> np.ndarray:
    """(N, 3) where characters begin: x, z, heading."""
    return np.random.default_rng([seed, 10**6]).uniform([-50, -50, -3], [50, 50, 3], (count, 3))
