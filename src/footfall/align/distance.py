"""Frame distance: how far two moments are apart when one may be turned and moved on the floor (Kovar et al. 2002).

A moment is the cloud of its joints over a short window. With weights w that sum to one and clouds centred on their own
floor mean, the least of Σ w |p - T p'|² over turns about the vertical and floor shifts T is

    D = Σ w |p|² + Σ w |p'|² - 2 Σ w y y' - 2 sqrt(A² + B²),   A = Σ w (x x' + z z'),   B = Σ w (x z' - x' z),

where heights are taken from any common level. A, B and Σ w y y' are bilinear, so the distances of all pairs of frames
of two clips are three matrix products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.edit.sample import cycle, need_frames
from footfall.quality.joins import measured_joints

LEVEL_M = 0.9  # heights are taken from here: any level gives the same D, one amid the body loses the fewest digits


class CloudWindow(NamedTuple):
    """Samples around a frame, evenly over span_s seconds, the middle ones weighing most. Number and span: by eye."""

    samples: int = 5
    span_s: float = 1.0 / 6.0

    @property
    def offsets_s(self) -> np.ndarray:  # (W,)
        if self.samples == 1:
            return np.zeros(1)
        return np.linspace(-0.5 * self.span_s, 0.5 * self.span_s, self.samples)

    @property
    def weights(self) -> np.ndarray:  # (W,) sum 1; a triangle that would reach 0 one sample outside
        middle = 0.5 * (self.samples - 1)
        w = middle + 1.0 - np.abs(np.arange(self.samples) - middle)
        return w / w.sum()


class Clouds(NamedTuple):
    """The clouds of a clip's frames, times the roots of their weights, each centred on its own floor mean."""

    floor: np.ndarray  # (n, 2P) x of every point, then z
    height: np.ndarray  # (n, P)
    square: np.ndarray  # (n,) Σ w |p|²
    mean: np.ndarray  # (n, 2) metres, the floor mean x, z that was taken away; always float64


def frame_count(clip: Clip) -> int:
    """Frames that differ: a loop's last is its first again."""
    return clip.frames - 1 if clip.is_loop and clip.frames > 1 else clip.frames


def clouds(
    clip: Clip,
    window: CloudWindow | None = None,
    joint_weights: np.ndarray | None = None,
    dtype: type[np.floating] = np.float64,
) -> Clouds:
    """The cloud of every frame. joint_weights (J,) are equal by default, but fingers do not count.

    The window is in seconds, so clips of different frame rates compare; at a clip's ends its end frames repeat, a loop
    goes round.
    """
    need_frames(clip, what="compared")
    window = window or CloudWindow()
    if window.samples < 1 or not (np.isfinite(window.span_s) and window.span_s >= 0.0):
        raise ParameterError(f"a window has at least one sample over 0 s or more, got {window}")
    weights = _weights(clip, joint_weights)
    joints = np.flatnonzero(weights)
    n = frame_count(clip)
    times = np.arange(n)[:, None] / clip.fps + window.offsets_s  # (n, W)
    points = positions_at(clip, times, joints)  # (n, W, K, 3)
    w = (window.weights[:, None] * weights[joints]).ravel()  # (P,)
    points = points.reshape(n, len(w), 3)
    mean = np.einsum("p,npd->nd", w, points[..., [0, 2]])
    root_w = np.sqrt(w)
    x = (points[..., 0] - mean[:, :1]) * root_w
    y = (points[..., 1] - LEVEL_M) * root_w
    z = (points[..., 2] - mean[:, 1:]) * root_w
    square = (x * x + y * y + z * z).sum(axis=1)
    floor = np.concatenate([x, z], axis=1).astype(dtype)
    return Clouds(floor, y.astype(dtype), square.astype(dtype), mean)


def distances(a: Clouds, b: Clouds) -> np.ndarray:
    """(n, m) squared distances D in m², least over turns and floor shifts, of every frame of a to every one of b."""
    along, across = _products(a.floor, b.floor)
    result = a.height @ b.height.T
    result += np.sqrt(along * along + across * across)
    result *= -2.0
    result += a.square[:, None]
    result += b.square
    return np.maximum(result, 0.0, out=result)  # rounding may leave a tiny negative


def positions_at(clip: Clip, times: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """(..., K, 3) world positions of joints at times (...), on straight lines between frames."""
    x, laps = times * clip.fps, np.zeros(times.shape)
    last = clip.frames - 1
    if clip.is_loop and last > 0:
        laps = np.floor(x / last)
        x = x - laps * last
    x = np.clip(x, 0.0, last)
    i = np.minimum(x.astype(int), max(last - 1, 0))
    u = (x - i)[..., None, None]
    of = clip.positions[:, joints]
    points = of[i]
    if u.any():
        points = points + u * (of[np.minimum(i + 1, last)] - points)
    for lap in np.unique(laps):  # two or three: a window is much shorter than a loop
        if lap != 0.0:
            here = laps == lap
            step = cycle(clip)
            moved = step.power(int(lap)) if lap > 0 else step.inverse().power(int(-lap))
            points[here] = moved.points(points[here])
    return points


def _products(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and B of all pairs: (n, m) each, from the floor parts (n, 2P) and (m, 2P)."""
    p = b.shape[1] // 2
    turned = np.concatenate([b[:, p:], -b[:, :p]], axis=1)
    return a @ b.T, a @ turned.T


def _weights(clip: Clip, given: np.ndarray | None) -> np.ndarray:
    """(J,) sum 1."""
    if given is None:
        w = np.zeros(len(clip.skeleton))
        w[measured_joints(clip)] = 1.0
    else:
        w = np.asarray(given, float)
        if w.shape != (len(clip.skeleton),) or not np.isfinite(w).all() or (w < 0.0).any() or not w.any():
            raise ParameterError(
                f"joint weights must be {len(clip.skeleton)} finite numbers, none negative and one positive: {given}"
            )
    return w / w.sum()
