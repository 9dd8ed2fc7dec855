"""Messages of the blend space tab; parameters are given in the order of BlendSpaceOpened.parameters."""

from __future__ import annotations

from footfall.studio.message_parts import Method, Part, Shown, SkeletonView

# --- to the server ----------------------------------------------------------------------------------------------------


class BlendOpen(Shown, frozen=True, tag="blend_open"):
    """Show a blend space, a built-in one or one of BlendSpaces."""

    space: str


class BlendAsk(Shown, frozen=True, tag="blend_ask"):
    """Where the handle is: only the newest is answered, by BlendAnswer and a binary frame."""

    space: str
    method: str
    values: tuple[float, ...]
    serial: int


class BlendMaps(Shown, frozen=True, tag="blend_maps"):
    """Maps of every method, the named one first, over the plane through `values`; the newest wish ends older ones."""

    space: str
    method: str
    values: tuple[float, ...]
    serial: int


class BlendMake(Shown, frozen=True, tag="blend_make"):
    """A blend space of library clips."""

    name: str
    clips: tuple[str, ...]  # keys


class BlendKeep(Shown, frozen=True, tag="blend_keep"):
    """Make the clip, feet locked, and put it into the library; BlendKept tells its key."""

    space: str
    method: str
    values: tuple[float, ...]
    seconds: float | None = None  # None: one round, or the whole action


class BlendClose(Shown, frozen=True, tag="blend_close"):
    """Nobody looks any more: what is being mapped can be left."""


# --- to the page ------------------------------------------------------------------------------------------------------


class BlendSpaces(Shown, frozen=True, tag="blend_spaces"):
    """The blend spaces there are, and the ways to weigh their examples."""

    names: tuple[str, ...]  # built-in ones
    own: tuple[str, ...]
    methods: tuple[Method, ...]


class BlendExample(Part, frozen=True):
    """An example of a blend space."""

    name: str
    values: tuple[float, ...]


class BlendSpaceOpened(Shown, frozen=True, tag="blend_space_opened"):
    """The answer to BlendOpen."""

    space: str
    parameters: tuple[str, ...]
    units: tuple[str, ...]
    axes: tuple[int, ...]  # of the picture: across, then up where there are two
    low: tuple[float, ...]  # of the picture
    high: tuple[float, ...]
    examples: tuple[BlendExample, ...]
    skeleton: SkeletonView
    is_loop: bool
    apex: float | None  # canonical time at which an action does what it is asked for
    note: str = ""


class BlendAnswer(Shown, frozen=True, tag="blend_answer"):
    """What a request gives; its poses come just before it as a binary frame of this serial.

    The frame holds poses at even canonical times, as seen from the carrier, which is the last of its joints.
    """

    serial: int
    asked: tuple[float, ...]
    achieved: tuple[float, ...]
    weights: tuple[float, ...]
    key_times_s: tuple[float, ...]  # at even canonical times
    inside: bool
    off: str  # how far the blend is from what was asked, where a person would see it


FlowLines = tuple[tuple[float, ...], ...]  # by joint: across, up, how sudden (from 1 on it is seen), and so on


class BlendMap(Shown, frozen=True, tag="blend_map"):
    """Pictures of one method; a coarse one may come before a fine one. Rows from low to high, one after the other."""

    serial: int
    method: str
    rows: int
    columns: int
    error: tuple[float, ...]  # shares of the range
    kappa: tuple[float, ...]
    inside: tuple[bool, ...]
    weights: tuple[tuple[int, ...], ...]  # percent, by example
    mean_error: float
    mean_kappa: float
    flow: FlowLines  # where joints go while the first parameter changes; empty where it is not the last map
    is_last: bool  # of this method


class BlendMapping(Shown, frozen=True, tag="blend_mapping"):
    """How far the maps of a serial are; 1: all there."""

    serial: int
    share: float
    text: str


class BlendKept(Shown, frozen=True, tag="blend_kept"):
    """The clip that BlendKeep asked for is in the library."""

    key: str
    name: str
    warnings: tuple[str, ...]
