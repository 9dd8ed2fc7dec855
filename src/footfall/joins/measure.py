"""Measure: how good a join is, in a fixed window that does not depend on what the join reports about itself.

Skate over the sources' (docs of `quality.skate`), excess acceleration, knee speed over the sources', how straight the
legs get and how deep the feet sink; each beside what it may be. One number, `cost`, ranks joins against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.analysis.floor import find_floor
from footfall.core.clip import Clip
from footfall.core.once import once
from footfall.feet.leg_solve import world_legs
from footfall.quality.joins import Excess, TimeMap, excess_acceleration
from footfall.quality.knee import knee_speed
from footfall.quality.penetration import penetration
from footfall.quality.skate import AFTER_S, BEFORE_S, LEAST_CM_S, skate, skate_window

STRAIGHT = 0.995  # of the leg, hip to ankle: no join may stretch one further, unless a source did. By eye, on pairs
SUNK_CM = 1.0  # centimetres: no join may sink a foot deeper, unless a source did
EXCESS_M_S2 = 40.0  # m/s²: what is clean (quality.joins); beyond, a join costs more and more


@dataclass(frozen=True)
class JoinCostWeights:
    """What each figure of a measured join counts. By eye, on joins of captured and built-in clips."""

    skate: float = 0.5  # skate ratio
    skates_more: float = 2.0  # more for each beyond the sources'
    excess: float = 2.0  # excess acceleration, of EXCESS_M_S2
    excess_beyond: float = 3.0  # beyond that
    knee: float = 2.0  # knee ratio beyond knee_from
    knee_from: float = 1.1
    stretch: float = 200.0  # of the leg, beyond what is allowed
    sunk_cm: float = 4.0  # a centimetre deeper than is allowed


WEIGHTS = JoinCostWeights()


class JoinQuality(NamedTuple):
    """One join, measured from 0.1 s before to 1.0 s after the first frame that is no longer the first clip's."""

    skate_ratio: float  # over the sources' mean, or 1 cm/s if that is less
    skate_cm_s: float
    excess_m_s2: float
    excess_joint: str  # empty where nothing exceeds its sources
    excess_s: float
    knee_ratio: float
    stretch: float  # hip to ankle, of the leg, at most
    stretch_allowed: float
    sunk_cm: float
    sunk_allowed_cm: float  # 1 cm, or what a source sinks on its own floor
    sunk_source_cm: float  # what a source sinks anywhere, under the floor of the result

    @property
    def cost(self) -> float:
        """0 for a join nobody sees; each figure counts by how near it comes to what may be seen."""
        return (
            WEIGHTS.skate * self.skate_ratio
            + WEIGHTS.skates_more * max(0.0, self.skate_ratio - 1.0)
            + WEIGHTS.excess * min(self.excess_m_s2, EXCESS_M_S2) / EXCESS_M_S2
            + WEIGHTS.excess_beyond * max(0.0, self.excess_m_s2 / EXCESS_M_S2 - 1.0)
            + WEIGHTS.knee * max(0.0, self.knee_ratio - WEIGHTS.knee_from)
            + WEIGHTS.stretch * max(0.0, self.stretch - self.stretch_allowed)
            + WEIGHTS.sunk_cm * max(0.0, self.sunk_cm - max(self.sunk_allowed_cm, self.sunk_source_cm))
        )

    def figures(self) -> dict[str, float]:
        """By name, for reports."""
        return {key: float(value) for key, value in self._asdict().items() if key != "excess_joint"}


class SourceFigures(NamedTuple):
    """What a source does by itself."""

    skate_cm_s: float
    knee_rad_s: float
    stretch: float
    sunk_cm: float


@once
def known(clip: Clip) -> SourceFigures:
    """Figures of a source."""
    longest = float(stretch(clip).max(initial=0.0))
    return SourceFigures(skate(clip), knee_speed(clip), longest, penetration(clip).deepest_cm)


def stretch(clip: Clip) -> np.ndarray:
    """(T, 2) hip to ankle over the leg's length."""
    legs = world_legs(clip.skeleton, clip.pose)
    length = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    return np.linalg.norm(legs.ankle - legs.hip, axis=-1) / length


def measure(out: Clip, join_s: float, sources: Sequence[tuple[Clip, float | TimeMap]]) -> JoinQuality:
    """A join at join_s, the time of the first frame that is no longer the first source's.

    Sources come with the second of the result at which each starts, or a map from times of the result to its own.
    """
    by_source = [known(source) for source, _ in sources]
    skated = skate_window(out, join_s)
    usual = max(float(np.mean([s.skate_cm_s for s in by_source])), LEAST_CM_S)
    moving = any(source.frames >= 3 for source, _ in sources)  # else nothing says what accelerations are usual
    excess = excess_acceleration(out, join_s, sources) if moving else Excess(0.0, "", 0.0)
    knees = max(s.knee_rad_s for s in by_source)
    first = max(0, int(np.ceil((join_s - BEFORE_S) * out.fps - 1e-6)))
    last = min(out.frames, int(np.floor((join_s + AFTER_S) * out.fps + 1e-6)) + 1)
    window = slice(first, last)
    floor = find_floor(out)
    return JoinQuality(
        skated / usual,
        skated,
        excess.value,
        excess.joint,
        excess.time_s,
        knee_speed(out, join_s) / knees if knees > 0.0 else float("inf"),
        float(stretch(out.with_pose(out.pose.at(window), is_loop=False)).max(initial=0.0)),
        max(STRAIGHT, *(s.stretch for s in by_source)),
        penetration(out, floor, window).deepest_cm,
        max(SUNK_CM, *(s.sunk_cm for s in by_source)),
        max(penetration(source, floor).deepest_cm for source, _ in sources),
    )
