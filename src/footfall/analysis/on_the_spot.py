"""On the spot: walks and runs whose body stays while the feet slide back, as on a treadmill; the speed of that belt.

Feet of such a clip never rest in the world, so nothing that asks for slow feet finds them down. What stands moves
with the belt, and the belt's velocity changes slowly: it is the velocity that low points of the feet agree on, a
robust mean over a third of a second or so. Added up over time it is the travel the clip lacks; with it put back, the
clip is like any other, and contacts, phases and joins are found as in any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Lengths are in legs (hip to ankle), speeds in legs a second. Set by eye on captures and built-in gaits made in place.
STAYS = 1.5  # a pelvis that goes faster than this over the floor travels, root mean square
LAGS = 0.5  # and so does one that goes at more than this share of the belt's speed
GOES = 0.3  # a belt slower than this carries nobody
LEAST_S = 0.35  # a belt that goes for less is a slip
SURELY_STANDS = 0.4  # of these two: a first guess below it is not looked into (no capture is judged otherwise for it)
RATE_HZ = 60.0  # frames a second that are looked at
FINE_S = 0.02  # Gaussian that the points' velocities are smoothed by
SLOW_S = 0.3  # Gaussian over which the belt's velocity is one: `edit.in_place` takes off what is slower than 0.4 Hz
STRIDE_S = 0.5  # to either side, in which the first guess is a median
LOW = 0.04  # height over its lowest at which a point counts for a third of one on the floor
LEVEL = 0.4  # upward speed at which it counts for a third
AGREES = (0.15, 0.1)  # difference from the belt that still agrees with it: a constant, and a share of its speed
CLOSE = 2.0  # of that: a low point that differs by less is carried by the belt
LOW_ENOUGH = 0.08  # over its lowest: what is carried, or stands in the world, is at most this high
CARRIED = 0.15  # share of the time the belt goes in which it carries a foot, at least
STANDS = 0.35  # and share in which a foot that it does not carry stands still in the world, at most
ALONE = 0.04  # share of it in which each foot is carried and the other is not, at least: strides alternate
STRICT = 0.2  # of that, in the last round: a heel that rises draws the ankle along, the ball stands
HELD = (0.0, 0.02, 0.02)  # how strongly value, slope and bend of the belt's velocity are drawn to 0
ROUNDS = 12  # of the robust mean


class Belt(NamedTuple):
    """What a treadmill under a clip would do."""

    travel: np.ndarray  # (T, 3) metres, level: what the body would have travelled since the first frame
    speed: float  # m/s at which feet on the floor go back while it goes, median
    confidence: float  # 0 to 1


def find_belt(pelvis: np.ndarray, feet: np.ndarray, fps: float, leg_m: float) -> Belt | None:
    """The belt under a clip, from paths of its pelvis (T, 3) and of foot points (T, 2, P, 3); None: it needs none."""
    if len(pelvis) < 4 or len(pelvis) / fps < LEAST_S or leg_m <= 0.0:
        return None
    every = max(1, round(fps / RATE_HZ))
    rate = fps / every
    drift = _velocity(pelvis[::every] / leg_m, rate, SLOW_S)[:, [0, 2]]
    drift_speed = float(np.sqrt((drift**2).sum(axis=-1).mean()))
    if drift_speed > STAYS:
        return None
    points = feet[::every].reshape(len(drift), -1, 3) / leg_m  # (N, 2 P, 3)
    velocity = _velocity(points, rate, FINE_S)
    height = points[..., 1] - np.quantile(points[..., 1], 0.05, axis=0)
    belt = _agreed(velocity, height, rate)
    confidence = _confidence(belt, velocity, height, drift_speed, rate)
    if confidence <= 0.0:
        return None
    speed = np.hypot(*belt.T)
    travel = np.zeros((len(pelvis), 3))
    seconds = np.arange(len(pelvis)) / fps
    each = np.stack([np.interp(seconds, seconds[::every], -belt[:, k]) for k in (0, 1)], axis=-1) * (leg_m / fps)
    travel[1:, [0, 2]] = np.cumsum(0.5 * (each[1:] + each[:-1]), axis=0)
    return Belt(travel, float(np.median(speed[speed > GOES])) * leg_m, confidence)


def _velocity(path: np.ndarray, rate: float, width_s: float) -> np.ndarray:
    """Velocities (N, ...) of paths (N, ...), smoothed; at the ends the paths go on as they went.

    By numpy: importing scipy's filters takes 65 ms, and every foot lock looks for a belt.
    """
    velocity = np.gradient(path, 1.0 / rate, axis=0)
    sigma = width_s * rate
    u = np.arange(-int(4.0 * sigma + 0.5), int(4.0 * sigma + 0.5) + 1) / sigma
    bell = np.exp(-0.5 * u**2)
    padded = np.pad(velocity, [(len(u) // 2, len(u) // 2)] + [(0, 0)] * (velocity.ndim - 1), mode="edge")
    share = bell / bell.sum()
    return np.asarray(sum(share[k] * padded[k : k + len(velocity)] for k in range(len(u))))


def _agreed(velocity: np.ndarray, height: np.ndarray, rate: float) -> np.ndarray:
    """(N, 2) the level velocity on which low points agree, at each moment."""
    level = velocity[..., 2] + 1j * velocity[..., 0]
    trust = np.exp(-((height / LOW) ** 2)) * np.exp(-((velocity[..., 1] / LEVEL) ** 2)) + 1e-6
    belt = _medians(level, trust, max(1, round(STRIDE_S * rate)))
    if (np.abs(belt) > SURELY_STANDS * GOES).sum() < SURELY_STANDS * LEAST_S * rate:  # of most clips: feet stand
        return np.zeros((len(belt), 2))
    for strict in np.geomspace(1.0, STRICT, ROUNDS):
        apart = np.abs(level - belt[:, None]) / (strict * _agreeing(np.abs(belt))[:, None])
        weight = trust / (1.0 + apart**2) ** 2
        belt = _local_parabolas((weight * level).sum(axis=1), weight.sum(axis=1), SLOW_S * rate)
    return np.stack([belt.imag, belt.real], axis=-1)


def _local_parabolas(sums: np.ndarray, weights: np.ndarray, width: float) -> np.ndarray:
    """(N,) least-squares parabolas about each sample, there; sums (N,) are weights (N,) times complex values.

    Parabolas follow a body that turns, also at the clip's ends, where a mean would lag behind. Where few samples
    count, slopes and bends are held down.
    """
    u = np.arange(-int(4 * width), int(4 * width) + 1) / width
    bell = np.exp(-0.5 * u**2)
    m = [_convolved(weights, bell * u**k) for k in range(5)]
    b = [_convolved(sums, bell * u**k) for k in range(3)]
    matrix = np.stack([np.stack(m[k : k + 3], axis=-1) for k in range(3)], axis=-2)  # (N, 3, 3)
    held = m[0][:, None] * np.array(HELD) + 1e-12
    matrix = matrix + held[:, :, None] * np.eye(3)
    found: np.ndarray = np.linalg.solve(matrix.astype(complex), np.stack(b, axis=-1)[..., None])[:, 0, 0]
    return found


def _convolved(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """(N,) at each sample, its neighbours' values (N,) times the kernel (2 R + 1,) that lies over them."""
    reach = len(kernel) // 2
    return np.convolve(values, kernel[::-1])[reach : reach + len(values)]


def _medians(seen: np.ndarray, trust: np.ndarray, reach: int) -> np.ndarray:
    """(N,) complex: weighted medians, part by part, of numbers (N, P) within that many samples to either side."""
    n = len(seen)
    centres = np.unique(np.append(np.arange(0, n, max(1, reach // 4)), n - 1))
    found = []
    for k in centres:
        inside = slice(max(0, k - reach), k + reach + 1)
        values, weights = seen[inside].ravel(), trust[inside].ravel()
        found.append(complex(_median(values.real, weights), _median(values.imag, weights)))
    return np.interp(np.arange(n), centres, np.array(found))


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values)
    share = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(share, 0.5 * share[-1])]])


def _agreeing(speed: np.ndarray) -> np.ndarray:
    """Legs a second by which a point may differ from a belt of that speed, at first."""
    return AGREES[0] + AGREES[1] * speed


def _confidence(belt: np.ndarray, velocity: np.ndarray, height: np.ndarray, drift_speed: float, rate: float) -> float:
    """How surely a belt (N, 2) carries the feet, 0 to 1; 0: feet stand in the world, or the body travels."""
    speed = np.hypot(belt[:, 0], belt[:, 1])
    going = speed > GOES
    if going.sum() < LEAST_S * rate or drift_speed > LAGS * float(np.sqrt((speed**2).mean())):
        return 0.0
    level, limit = velocity[going][..., [0, 2]], CLOSE * _agreeing(speed[going])[:, None]
    low = height[going] < LOW_ENOUGH
    carried = low & (np.linalg.norm(level - belt[going][:, None], axis=-1) < limit)
    stands = low & (np.linalg.norm(level, axis=-1) < np.minimum(limit, 0.5 * speed[going][:, None])) & ~carried
    feet = carried.reshape(len(carried), 2, -1).any(axis=-1)  # (N, 2) left, right
    either, still = float(feet.any(axis=1).mean()), float(stands.any(axis=1).mean())
    alone = (feet & ~feet[:, ::-1]).mean(axis=0)
    if either < CARRIED or still > STANDS or alone.min() < ALONE:
        return 0.0
    return round(min(1.0, either - 0.5 * still), 3)
