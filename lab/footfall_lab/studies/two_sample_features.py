"""Features of a window of motion, for the classifier that tries to tell joins from captured changes.

Angular: for legs, feet, arms, hands and trunk the log rms of local angular velocity, acceleration and jerk, log shares
of the velocity's power in four bands, and peak over mean acceleration: 40. Others: accelerations of joints in the
world, toes, centre of mass and pelvis, on a body whose legs are 0.86 m long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.once import once
from footfall.quality.body_signals import body_signals
from footfall.quality.momentum import change, push

if TYPE_CHECKING:
    from footfall.core.clip import Clip

FPS = 60.0
WINDOW_S = 1.1
FRAMES = round(WINDOW_S * FPS)
BANDS_HZ = ((2.0, 4.0), (4.0, 8.0), (8.0, 15.0), (15.0, 30.0))
PARTS = ("legs", "feet", "arms", "hands", "trunk")
MEASURES = ("velocity", "acceleration", "jerk", *(f"{a:g}-{b:g} Hz" for a, b in BANDS_HZ), "peak acceleration")
LEAST_RAD_S, LEAST_RAD_S2, LEAST_RAD_S3 = 1e-2, 1e-1, 1.0  # under which a joint does not turn; logs begin there
LEAST_SHARE = 1e-4  # of power
LEAST_M_S, LEAST_M_S2, LEAST_M_S3 = 1e-3, 1e-2, 1e-1  # the same for places

ANGULAR = tuple(f"{part} {measure}" for part in PARTS for measure in MEASURES)
OTHERS = (
    *(f"{part} {what} in the world" for part in PARTS for what in ("acceleration", "peak acceleration")),
    "toes stillest",
    "toes median speed",
    "toes fastest",
    "mass push",
    "mass change",
    "mass jerk",
    "pelvis bounce",
    "pelvis lowest",
    "pelvis acceleration",
)


class MotionSignals(NamedTuple):
    """What windows of one clip are cut out of, at 60 fps."""

    spins: dict[str, np.ndarray]  # by part, (T - 1, J, 3) rad/s
    places: dict[str, np.ndarray]  # by part, (T, J, 3) m
    toes: np.ndarray  # (T - 1, 2) m/s
    mass: np.ndarray  # (T, 3)
    pelvis: np.ndarray  # (T, 3)
    push: np.ndarray  # (T,)
    change: np.ndarray  # (T,)


def joints_of(clip: Clip) -> dict[str, list[int]]:
    """The joints of every part; hands are the wrists, since many captures have no more of them."""
    roles = clip.skeleton.roles
    sides = {
        "legs": ("hip", "knee"),
        "feet": ("ankle", "toe"),
        "arms": ("shoulder", "elbow"),
        "hands": ("wrist",),
    }
    found = {
        part: [j for side in ("left", "right") for j in roles.joints(side, *names) if j is not None]
        for part, names in sides.items()
    }
    return found | {"trunk": [*roles.spine, *roles.neck, *([] if roles.head is None else [roles.head])]}


@once
def signals(clip: Clip) -> MotionSignals:
    """Everything of a clip that windows need."""
    clip = clip if abs(clip.fps - FPS) < 1e-9 else clip.resample(FPS)
    rot, body, parts = clip.pose.rot, body_signals(clip), joints_of(clip)
    turns = rotation.log(rotation.multiply(rotation.conjugate(rot[:-1]), rot[1:])) * FPS
    toes = np.linalg.norm(np.diff(body.soles[:, :, 1], axis=0), axis=-1) * FPS
    return MotionSignals(
        {part: turns[:, joints] for part, joints in parts.items()},
        {part: body.joints[:, joints] for part, joints in parts.items()},
        toes,
        body.mass,
        body.pelvis,
        push(body),
        change(body),
    )


def features(of: MotionSignals, first: int) -> np.ndarray:
    """(40 + others,) of the window that begins at a frame: ANGULAR, then OTHERS."""
    window = slice(first, first + FRAMES)
    turning = [_turning(of.spins[part][window]) for part in PARTS]
    going = [_going(of.places[part][window]) for part in PARTS]
    toes, mass, pelvis = of.toes[window], of.mass[window], of.pelvis[window]
    rest = [
        _log(np.quantile(toes, 0.05), LEAST_M_S),
        _log(np.median(toes), LEAST_M_S),
        _log(toes.max(), LEAST_M_S),
        _log(of.push[window].max(), LEAST_M_S2),
        _log(of.change[window].max(), LEAST_M_S2),
        _log(_rms(np.diff(mass, n=3, axis=0) * FPS**3), LEAST_M_S3),
        _log(np.ptp(pelvis[:, 1]), LEAST_M_S),
        float(pelvis[:, 1].min()),
        _log(_rms(np.diff(pelvis, n=2, axis=0) * FPS**2), LEAST_M_S2),
    ]
    return np.concatenate([*turning, *going, rest])


def _turning(spin: np.ndarray) -> np.ndarray:
    """(8,) of the angular velocities (T, J, 3) of a part."""
    if not spin.shape[1]:
        return np.zeros(len(MEASURES))
    quicker, jerk = np.diff(spin, axis=0) * FPS, np.diff(spin, n=2, axis=0) * FPS**2
    levels = [_log(_rms(x), least) for x, least in ((spin, LEAST_RAD_S), (quicker, LEAST_RAD_S2), (jerk, LEAST_RAD_S3))]
    return np.array([*levels, *_shares(spin), _peak(quicker, LEAST_RAD_S2)])


def _shares(spin: np.ndarray) -> list[float]:
    """Log shares of the power of signals (T, J, 3) in every band."""
    still = spin - spin.mean(axis=0)
    power = (np.abs(np.fft.rfft(still * np.hanning(len(still))[:, None, None], axis=0)) ** 2).sum(axis=(1, 2))
    hz = np.fft.rfftfreq(len(still), 1.0 / FPS)
    whole = float(power.sum())
    if whole < LEAST_RAD_S**2:
        return [float(np.log(LEAST_SHARE))] * len(BANDS_HZ)
    return [_log(power[(hz >= low) & (hz < high)].sum() / whole, LEAST_SHARE) for low, high in BANDS_HZ]


def _going(places: np.ndarray) -> np.ndarray:
    """(2,) log rms and peak over mean of the accelerations of joints (T, J, 3) in the world."""
    if not places.shape[1]:
        return np.zeros(2)
    quicker = np.diff(places, n=2, axis=0) * FPS**2
    return np.array([_log(_rms(quicker), LEAST_M_S2), _peak(quicker, LEAST_M_S2)])


def _peak(x: np.ndarray, least: float) -> float:
    """Log of the largest over the mean size of vectors (T, J, 3), the largest joint's at each frame."""
    size = np.linalg.norm(x, axis=-1).max(axis=1)
    return float(np.log(max(float(size.max()), least) / max(float(size.mean()), least)))


def _rms(x: np.ndarray) -> float:
    return float(np.sqrt((x**2).sum(axis=-1).mean()))


def _log(x: float, least: float) -> float:
    return float(np.log(max(float(x), least)))
