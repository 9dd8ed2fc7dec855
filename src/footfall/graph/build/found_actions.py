"""Actions found in recordings: what a character can do once, cut out of takes without a label.

for action in find_actions({"take 1": ff.load("take1.bvh")}):
    action.name, action.clip, action.start_s, action.at_s, action.end_s, action.reason
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from footfall.analysis.one_shots import NAMES, OneShot, find_one_shots
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, UnknownName


@dataclass(frozen=True)
class FoundAction(OneShot):
    """One action of one take."""

    clip: str = ""  # name of the take

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
        found += [FoundAction(**vars(shot), clip=take) for shot in shots if shot.name in wanted]
    return found
