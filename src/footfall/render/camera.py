"""Camera: where pictures are taken from; frames the motion by itself and follows it without shaking.

Angles are degrees for people: azimuth 0 looks the character in the face, 90 sees its left side; elevation 0 is
level, 90 straight down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.render.picture import CameraView

MODES = ("follow", "fixed")
FIELD_DEG = 28.0  # vertical field of view: long enough a lens to keep proportions true
MARGIN = 0.86  # share of the picture the motion may fill
SMOOTH_S = 0.45  # the camera lags and leads by about this much


@dataclass(frozen=True)
class Camera:
    """How to look: a mode, angles in degrees, and a distance in metres (None: far enough to see it all)."""

    mode: str = "follow"
    azimuth: float = -40.0
    elevation: float = 14.0
    distance: float | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UnknownName("camera", self.mode, MODES)
        if not (np.isfinite(self.azimuth) and 0.0 <= self.elevation <= 85.0):
            raise ParameterError(f"elevation must be 0 to 85 degrees above the floor, got {self.elevation:g}")
        if self.distance is not None and not 0.0 < self.distance < 1e6:
            raise ParameterError(f"a camera distance is a positive number of metres, got {self.distance:g}")


@dataclass(frozen=True)
class CameraTrack:
    """A camera over time: fixed orientation, a target that moves, a distance."""

    times: np.ndarray  # (T,) seconds
    targets: np.ndarray  # (T, 3)
    right: np.ndarray  # (3,)
    up: np.ndarray
    forward: np.ndarray
    distance: float

    def target(self, t_s: float) -> np.ndarray:
        return np.array([np.interp(t_s, self.times, self.targets[:, c]) for c in range(3)])

    def view(self, t_s: float, width: int, height: int) -> CameraView:
        return CameraView(
            triple(self.target(t_s) - self.distance * self.forward), triple(self.right), triple(self.up),
            triple(self.forward), 1.0 / focal_px(height), width, height,
        )  # fmt: skip


def triple(v: np.ndarray) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def focal_px(height: int) -> float:
    return 0.5 * height / float(np.tan(np.radians(0.5 * FIELD_DEG)))


def axes(azimuth: float, elevation: float, heading: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right, up and forward of a camera that sees a character of this heading (radians) from the given angles."""
    around, high = heading + np.radians(azimuth), np.radians(elevation)
    towards = np.array([np.sin(around) * np.cos(high), np.sin(high), np.cos(around) * np.cos(high)])
    forward = -towards
    right = np.array([np.cos(around), 0.0, -np.sin(around)])
    return right, np.cross(right, forward), forward


def track(
    camera: Camera,
    times: np.ndarray,
    root: np.ndarray,
    points: np.ndarray,
    radius: np.ndarray,
    heading: float,
    aspect: float,
) -> CameraTrack:
    """The camera for a motion: root (T, 3) is followed, balls at points (T, P, 3) must stay in the picture."""
    right, up, forward = axes(camera.azimuth, camera.elevation, heading)
    targets = np.tile(_middle(points.reshape(-1, 3)), (len(times), 1))
    if camera.mode == "follow" and len(times) > 1:
        ground = low_pass(root[:, [0, 2]], times, SMOOTH_S)
        targets[:, [0, 2]] = ground + np.median(points[..., [0, 2]].mean(axis=1) - root[:, [0, 2]], axis=0)
    offset = points - targets[:, None]  # (T, P, 3)
    x, y, z = offset @ right, offset @ up, offset @ forward
    tan_y = float(np.tan(np.radians(0.5 * FIELD_DEG))) * MARGIN

    def far_enough(across: np.ndarray, high: np.ndarray) -> float:
        needed = np.maximum((np.abs(across) + radius) / (tan_y * aspect), (np.abs(high) + radius) / tan_y) - z
        return camera.distance if camera.distance is not None else max(float(needed.max()), 1e-3)

    shift = np.zeros(2)
    for _ in range(5):  # what is near looks larger: find the middle of the picture, then the distance, and again
        across, high = x - shift[0], y - shift[1]
        distance = far_enough(across, high)
        depth = np.maximum(distance + z, 1e-3)
        for c, v in ((0, across), (1, high)):
            if c == 1 or camera.mode == "fixed":  # a camera that follows has its middle already
                shift[c] += 0.5 * distance * (((v + radius) / depth).max() + ((v - radius) / depth).min())
    targets = targets + shift[0] * right + shift[1] * up
    return CameraTrack(times, targets, right, up, forward, far_enough(x - shift[0], y - shift[1]))


def low_pass(values: np.ndarray, times: np.ndarray, width_s: float) -> np.ndarray:
    """Gaussian mean over time, (T, C); at the ends the motion is taken to go on as it did."""
    if len(times) < 3:
        return values
    lasts = float(times[-1] - times[0])
    step, width_s = lasts / (len(times) - 1), min(width_s, lasts)  # so that the window stays in proportion
    reach = int(np.ceil(3.0 * width_s / step))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width_s) ** 2)
    kernel /= kernel.sum()
    k = min(max(int(2.0 * width_s / step), 1), len(values) - 1)
    ramp = np.arange(1, reach + 1)[:, None]
    before = values[0] - (values[k] - values[0]) / k * ramp[::-1]
    after = values[-1] + (values[-1] - values[-1 - k]) / k * ramp
    padded = np.concatenate([before, values, after])
    return np.stack([np.convolve(c, kernel, mode="valid") for c in padded.T], axis=-1)


def _middle(points: np.ndarray) -> np.ndarray:
    return 0.5 * (points.max(axis=0) + points.min(axis=0))
