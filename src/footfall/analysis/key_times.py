"""Key times: the moments at which a foot strikes the floor or leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from footfall.analysis.contacts import Contacts
    from footfall.core.clip import Clip

FEET = ("left", "right")


class KeyTime(NamedTuple):
    """A foot strikes (first moment heel or toe rests on the floor) or leaves the floor ("off")."""

    t_s: float
    foot: str  # "left" or "right"
    event: str  # "strike" or "off"


def find_key_times(clip: Clip, contacts: Contacts | None = None) -> list[KeyTime]:
    """Strikes and offs in order; a contact cut by an end of the clip has no event there."""
    contacts = contacts or clip.contacts
    edge = 1e-6
    found = []
    for foot in FEET:
        for start_s, end_s in contacts.spans(foot):
            if start_s > edge:
                found.append(KeyTime(start_s, foot, "strike"))
            if end_s < clip.duration - edge:
                found.append(KeyTime(end_s, foot, "off"))
    return sorted(found)
