"""Stream: a parametric motion played live, one frame after another, its parameters free to change at any of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.parametric import canonical_time
from footfall.parametric.arc_root import frames_at, moved
from footfall.parametric.measure import blended_parameters
from footfall.parametric.parametric_motion import ParametricMotion

LONGEST_S = 60.0  # of one step
Weigh = Callable[[np.ndarray], np.ndarray]


class Stream:
    """Where a motion is now: canonical time, place and heading on the floor. Poses depend on nothing else."""

    def __init__(
        self,
        motion: ParametricMotion,
        x: float = 0.0,
        z: float = 0.0,
        heading: float = 0.0,
        compiled: bool = False,
        weigh: Weigh | None = None,
    ) -> None:
        """From a place and heading (radians). compiled: from version 0.1; the same kernels make frames either way.

        weigh: parameters (d,) to weights (N,), where it is not the motion's own method alone.
        """
        self.motion = motion
        self._weigh = weigh or (lambda p: motion.weights(p)[0])
        self.t = 0.0  # canonical time
        self.rounds = 0  # of a loop, gone so far
        self.heading = float(heading)  # radians
        self.weights = np.full(len(motion), 1.0 / len(motion))  # (N,)
        self._point = complex(z, x)
        self._wanted = motion.parameters.mean(axis=0)
        self._rates: np.ndarray | None = None
        self._measure = blended_parameters(motion)

    @property
    def parameters(self) -> dict[str, float]:
        """What was asked for last."""
        return dict(zip(self.motion.parameter_names, self._wanted.tolist(), strict=True))

    @property
    def achieved(self) -> dict[str, float]:
        """What the blend does, measured on it: it differs a little from what was asked for."""
        found = self._measure(self.weights)[0]
        return dict(zip(self.motion.parameter_names, found.tolist(), strict=True))

    @property
    def position(self) -> np.ndarray:
        """(3,) where the carrier is on the floor."""
        return np.array([self._point.imag, 0.0, self._point.real])

    @property
    def rates(self) -> np.ndarray:
        """(K - 1,) canonical time a second, between key times."""
        if self._rates is None:
            self.weights = self._weigh(self._wanted)
            self._rates = self.motion.blended_rates(self.weights, self._wanted)
        return self._rates

    @property
    def done(self) -> bool:
        """Whether an action has come to its end; a loop never does."""
        return not self.motion.is_loop and self.t >= 1.0

    def ask(self, **parameters: float) -> None:
        """Want these parameters from now on; those not named stay as they are."""
        wanted = self._wanted.copy()
        for name, value in parameters.items():
            if name not in self.motion.parameter_names:
                raise UnknownName(f"parameter of {self.motion.name}", name, self.motion.parameter_names)
            if not np.isfinite(value):
                raise ParameterError(f"{name} must be a finite number, got {value}")
            wanted[self.motion.parameter_names.index(name)] = value
        if self._rates is None or (wanted != self._wanted).any():
            self._wanted, self._rates = wanted, None

    def step(self, dt_s: float, **parameters: float) -> Pose:
        """Go on by dt_s seconds, with parameters that hold from now on, and return the pose there."""
        if not 0.0 <= dt_s <= LONGEST_S:
            raise ParameterError(f"a step lasts 0 to {LONGEST_S:g} s, got {dt_s}")
        self.ask(**parameters)
        for start, end in canonical_time.advance(self.t, dt_s, self.rates, self.motion.is_loop):
            if start < self.t:
                self.rounds += 1
            travel = self.motion.travelled(end, self.weights) - self.motion.travelled(start, self.weights)
            self._point, self.heading = moved(self._point, self.heading, travel)
            self.t = end
        return self.pose()

    def pose(self) -> Pose:
        """The pose now."""
        if self._rates is None:
            self.ask()
            _ = self.rates
        frame = frames_at(np.array(self._point), np.array(self.heading))
        return frame.pose(self.motion.local_pose(self.t, self.weights))
