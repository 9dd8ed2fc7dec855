"""Key poses of captured strikes: how pelvis, chest and wrists go before, at and after the apex, as curves over time.

Medians over straight kicks and punches of the CMU motion capture database, seen from the way they strike and mirrored
to the right side (tools/fit_actions.py). Angles are degrees of yaw to the left, pitch forward and roll to the right;
wrists are seen from their shoulders in the chest's frame, in arm lengths, each as a left one.

The data used in this project was obtained from mocap.cs.cmu.edu. The database was created with funding from
NSF EIA-0196217.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class CapturedKeys:
    """One strike laid out in time, its apex at apex_s."""

    times: np.ndarray  # (K,) seconds
    apex: int  # which key is the apex
    poses: dict[str, np.ndarray]  # pelvis, chest, left_wrist, right_wrist -> (K, 3)

    def at_apex(self, channel: str) -> np.ndarray:
        """(3,) of a channel."""
        return np.asarray(self.poses[channel][self.apex])

    def at_rest(self, channel: str) -> np.ndarray:
        """(3,) of a channel before and after."""
        return np.asarray(0.5 * (self.poses[channel][0] + self.poses[channel][-1]))

    def moved(self, channel: str, t: np.ndarray) -> np.ndarray:
        """(T, 3) how far a channel is from its rest; 0 at both ends."""
        return self._through(self._closed(channel), t)

    def progress(self, channel: str, axis: int, t: np.ndarray) -> np.ndarray:
        """(T,) of one component: 0 at both ends, 1 at the apex; before or after it, it may be more."""
        values = self._closed(channel)[:, axis]
        return self._through(values / values[self.apex], t)

    def _through(self, values: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The spline of degree 5 through values (K, ...) at the keys, at rest at both ends and held beyond them."""
        from scipy.interpolate import make_interp_spline

        still = [(1, np.zeros(values.shape[1:])), (2, np.zeros(values.shape[1:]))]
        spline = make_interp_spline(self.times, values, k=5, bc_type=(still, still))
        return np.asarray(spline(np.clip(t, self.times[0], self.times[-1])))

    def _closed(self, channel: str) -> np.ndarray:
        """(K, 3) the drift from the first key to the last one taken out evenly."""
        values = self.poses[channel]
        share = ((self.times - self.times[0]) / (self.times[-1] - self.times[0]))[:, None]
        return values - (1.0 - share) * values[0] - share * values[-1]


def captured_keys(kind: str, apex_s: float, tempo: float = 1.0) -> CapturedKeys:
    """The keys of a kick or a punch; tempo 1.1 takes a tenth longer."""
    fitted = _fitted()[kind]
    parts = [(name, np.array(fitted["shares"][name])) for name in ("lead", "out", "back", "tail")]
    spans = {name: tempo * fitted[f"{name}_s"] for name, _ in parts}
    begins = apex_s - spans["lead"] - spans["out"]
    times = []
    for name, shares in parts:
        times.append(begins + spans[name] * shares)
        begins += spans[name]
    return CapturedKeys(
        np.concatenate(times), len(parts[0][1]) + len(parts[1][1]), {k: np.array(v) for k, v in fitted["knots"].items()}
    )


def lead_s(kind: str) -> float:
    """Seconds from the first key to the apex."""
    fitted = _fitted()[kind]
    return float(fitted["lead_s"] + fitted["out_s"])


def follow_s(kind: str) -> float:
    """Seconds from the apex to the last key."""
    fitted = _fitted()[kind]
    return float(fitted["back_s"] + fitted["tail_s"])


@cache
def _fitted() -> dict[str, Any]:
    """As written by tools/fit_actions.py."""
    data: dict[str, Any] = json.loads(files("footfall.motions").joinpath("data/actions.json").read_text("utf-8"))
    return data
