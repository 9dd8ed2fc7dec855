"""Messages about what is around the clips of a project: its ground, who meets where, a drawn walk, own blend spaces."""

from __future__ import annotations

from footfall.studio.message_parts import GroundView, Part, Shown

# --- parts of a document ----------------------------------------------------------------------------------------------


class OwnSpace(Part, frozen=True):
    """A blend space made of library clips."""

    name: str
    clips: tuple[str, ...]  # keys


# --- changes ----------------------------------------------------------------------------------------------------------


class SetGround(Part, frozen=True, tag_field="do", tag="set_ground"):
    """What all characters walk on: key of a GroundItem; one by name is laid before the first of them."""

    ground: str


class MeetTracks(Part, frozen=True, tag_field="do", tag="meet_tracks"):
    """The second character, or when it is due either, is placed so that both face each other at a second."""

    first: int  # tracks
    second: int
    at_s: float
    apart_m: float = 1.0


class KeepSpace(Part, frozen=True, tag_field="do", tag="keep_space"):
    """A blend space of the project; one of the same name is replaced."""

    space: OwnSpace


class ForgetSpace(Part, frozen=True, tag_field="do", tag="forget_space"):
    """No such blend space any more."""

    name: str


# --- to the server ----------------------------------------------------------------------------------------------------


class DrawWalk(Shown, frozen=True, tag="draw_walk"):
    """A walk along a line that was drawn on the floor, as a clip at the end of a track."""

    points: tuple[tuple[float, float], ...]  # x, z in metres, in the order they were drawn
    motion: str = "walk"
    speed: float = 1.3  # m/s
    track: int | None = None  # None: a new one


# --- to the page ------------------------------------------------------------------------------------------------------


class TakeGround(Shown, frozen=True, tag="take_ground"):
    """The ground under the take; its characters stand on it as soon as their feet are put there."""

    shape: GroundView | None
