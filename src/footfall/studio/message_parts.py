"""Parts that messages of the studio share."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Phase = Literal["DS", "LS", "RS", "NS"]  # both feet stand, the left, the right, none
# of a join, by the judge: believable and all as in untouched captures; believable; not believable; not judged yet
Grade = Literal["good", "fair", "poor", "unknown"]


class Shown(Struct, frozen=True, tag_field="type", rename="camel", omit_defaults=False):
    """What both sides send: camelCase on the wire, as page code is written."""


class Part(Struct, frozen=True, rename="camel", omit_defaults=False):
    """A piece of a message."""


class SkeletonView(Part, frozen=True):
    """A body to draw: one capsule a bone."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    radii: tuple[float, ...]  # metres, of the capsule from the parent to the joint
    roles: tuple[str, ...]  # "left foot", "head", … empty where unknown
    ends: tuple[tuple[float, float, float], ...]  # where a joint's bone ends, in its frame; 0 0 0 if a child does
    height_m: float
    skin: str | None = None  # where its skinned GLB is to be had from, if it has one
    rest: tuple[tuple[float, ...], ...] = ()  # of one with a skin: place and rotation xyzw of each joint at rest


class Method(Part, frozen=True):
    """A way of joining that can be chosen by hand."""

    name: str
    description: str


class GroundItem(Part, frozen=True):
    """A ground that can be chosen; its key is empty for the level floor."""

    key: str  # as `footfall.ground` reads it, or a file of the folder
    name: str


class GroundView(Part, frozen=True):
    """A ground to draw, little-endian: x y z of its corners, three numbers a triangle, x y z of both ends of lines."""

    vertices: bytes  # float32
    triangles: bytes  # uint32
    lines: bytes  # float32; empty: its sharp edges
