"""Fillers: what is put into a gap between two clips: standing, and the steps that lead into it and out of it.

Nobody who walks or runs stands within a blend. Where there is time, a made stop comes before the standing and a made
start after it, at the speeds of the clips beside them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.once import once
from footfall.motions.body import adult
from footfall.motions.gait_change import gait
from footfall.timeline.arranged_clip import ArrangedClip, phases_of
from footfall.timeline.gentleness import moves_between_s
from footfall.timeline.model import MOST_REPEATS, TimelineClip, TimelineTrack
from footfall.timeline.prepare import Workshop
from footfall.timeline.standing import UNIT_S, found_standing, stand_length

LONGEST_S = 3600.0  # seconds to be filled. By eye: standing is in memory as a whole, 0.1 MB a second at 120 fps
AROUND_S = 0.4  # seconds at a clip's end over which its speed is a mean: most of a step
STANDS_M_S = 0.5  # m/s: a slower body comes to stand within the blend. By eye
RUNS_M_S = 2.1  # m/s: a faster one runs. By eye; people change gait at about 2 m/s
FASTEST_M_S = 6.0  # m/s: steps are made for no more
ROUND_M_S = 0.25  # m/s: steps are made for speeds rounded to this, so that each is made once
FORWARD = (
    0.8  # share of a speed that goes where the body faces: nobody stops like that from going aside or back. By eye
)


@dataclass(frozen=True, eq=False)
class Fillers:
    """Makes what is put between the clips of one track; all of it starts at second 0."""

    workshop: Workshop
    track: TimelineTrack
    fps: float

    def stand(self, previous: ArrangedClip, following: ArrangedClip) -> ArrangedClip:
        """Standing to wait in: found in the clips beside it, or the built-in one on their body."""
        gap_s = following.start_s - previous.end_s
        if gap_s > LONGEST_S:
            raise ParameterError(
                f"{following.name} starts {gap_s:.0f} s after {previous.name} ends; a character can wait for at most"
                f" {LONGEST_S:.0f} s, so move it nearer or make two timelines"
            )
        units = stand_length(gap_s)
        found = found_standing(previous, following, units * UNIT_S)
        if found is not None:
            return found
        return self._made(TimelineClip(f"stand:seconds={UNIT_S:g}", repeat=min(units, MOST_REPEATS)))

    def stops(self, previous: ArrangedClip) -> list[ArrangedClip]:
        """The steps from a clip's last ones to standing, with either foot first; none where it is slow enough to stand
        at once."""
        return self._steps("stop", previous.clip, True)

    def starts(self, following: ArrangedClip) -> list[ArrangedClip]:
        """The steps from standing to a clip's first ones, with either foot first; none where it begins slowly."""
        return self._steps("start", following.clip, False)

    def _steps(self, name: str, clip: Clip, at_end: bool) -> list[ArrangedClip]:
        speed = forward_speed(clip, at_end) * adult().leg_length / clip.skeleton.leg_length
        rounded = min(ROUND_M_S * round(speed / ROUND_M_S), FASTEST_M_S)
        if rounded < STANDS_M_S:
            return []
        kind = "run" if rounded > RUNS_M_S else "walk"
        text = f"{name}:gait={kind},speed={rounded:g}"
        made = self.workshop.clip(text)  # a stop begins with a whole stride; a start ends somewhere in a step
        moves, last = moves_between_s(made), phases_of(made)[-1]
        trim = (0.5 * gait(kind, rounded).stride, made.duration) if at_end else (moves[0], last.start_s)
        return [self._made(TimelineClip(text, trim_s=trim, mirror=mirror)) for mirror in (False, True)]

    def _made(self, entry: TimelineClip) -> ArrangedClip:
        return replace(self.workshop.piece(entry, self.track, self.fps), filler=True)


@once
def forward_speed(clip: Clip, at_end: bool) -> float:
    """The speed of a clip's last, or first, moments, m/s; 0 where it does not go where it faces."""
    count = min(max(2, round(AROUND_S * clip.fps)), clip.frames)
    part = slice(-count, None) if at_end else slice(0, count)
    root = clip.root_motion
    place, heading = root.position[part], root.heading[part]
    moved = (place[-1] - place[0]) * clip.fps / max(count - 1, 1)
    middle = float(np.unwrap(heading).mean())
    ahead = float(moved[0] * np.sin(middle) + moved[2] * np.cos(middle))
    return ahead if ahead > FORWARD * float(np.hypot(moved[0], moved[2])) else 0.0
