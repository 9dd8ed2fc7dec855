"""Actions found in recordings: what a character can do once, cut out of takes without a label.

for action in find_actions({"take 1": ff.load("take1.bvh")}):
    action.name, action.clip, action.start_s, action.at_s, action.end_s, action.reason
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from footfall.analysis.one_shots import NAMES, find_one_shots
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, UnknownName


@dataclass(frozen=True)
class FoundAction:
    """One action of one take."""

    name: str  # jump, kick, punch, wave, reach
    clip: str  # name of the take
    start_s: float
    end_s: float
    at_s: float  # strike, or apex
    side: str  # left, right, both
    confidence: float  # 0 to 1
    reason: str  # in words

    def cut(self, clip: Clip) -> Clip:
        """The action alone, of the take it was found in."""
        return clip.trim(self.start_s, self.end_s)


def find_actions(clips: Mapping[str, Clip] | Sequence[Clip], names: Iterable[str] = NAMES) -> list[FoundAction]:
    """Every action of some takes, take by take and in order; a take that cannot be analysed has none.

    clips: by name, or with their own names; names: which actions to look for.
    """
    wanted = tuple(names)
    for name in wanted:
        if name not in NAMES:
            raise UnknownName("action that can be found", name, NAMES)
    takes = clips.items() if isinstance(clips, Mapping) else [(clip.name, clip) for clip in clips]
    found = []
    for take, clip in takes:
        try:
            shots = find_one_shots(clip)
        except FootfallError:
            continue
        found += [
            FoundAction(s.name, take, s.start_s, s.end_s, s.at_s, s.side, s.confidence, s.reason)
            for s in shots
            if s.name in wanted
        ]
    return found
