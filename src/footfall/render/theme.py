"""Themes: the colours and light of a picture, light and dark."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core.errors import ParameterError, UnknownName

LEFT, RIGHT = "#2f7fc1", "#e08a1e"  # blue and orange: told apart under every common colour blindness


@dataclass(frozen=True)
class Theme:
    """Colours as people write them (#rrggbb); light as multiples of white."""

    top: str  # background, top of the picture
    bottom: str
    floor: str
    shadow: str  # the floor where no key light arrives
    line: str  # floor grid
    text: str
    trail: str
    figures: tuple[str, ...]  # bodies, in the order of the actors
    left: str = LEFT
    right: str = RIGHT
    target: str = "#d8433f"  # a point that a motion goes for
    key: tuple[float, float, float] = (0.90, 0.87, 0.81)
    sky: tuple[float, float, float] = (0.50, 0.53, 0.58)
    bounce: tuple[float, float, float] = (0.34, 0.33, 0.32)
    gloss: float = 0.10
    rim: float = 0.20
    tint: float = 0.62  # how far limbs go from the body's colour towards left and right
    crowd_tint: float = 0.25  # the same where several actors are told apart by colour


THEMES = {
    "light": Theme(
        top="#f4f5f7", bottom="#e4e6ea", floor="#e9ebee", shadow="#a3a8b3", line="#cdd1d7", text="#3c424d",
        trail="#8a919e", figures=("#e9e4dc", "#7cc0a8", "#c39bd8", "#e58f8f", "#8fa8e8", "#d9c56a"),
    ),
    "dark": Theme(
        top="#15181d", bottom="#1f232a", floor="#2b3038", shadow="#14161a", line="#3d444f", text="#d6dae1",
        trail="#77808f", figures=("#dcd7cf", "#6fbf9f", "#b68bd0", "#df8484", "#869fe0", "#cdb95f"),
        left="#4a9be0", right="#f0a03c", key=(0.80, 0.77, 0.72), sky=(0.26, 0.29, 0.35),
        bounce=(0.10, 0.11, 0.13), rim=0.55,
    ),
}  # fmt: skip


def theme_of(name: str | Theme) -> Theme:
    """A theme by name, or as given."""
    if isinstance(name, Theme):
        return name
    if name not in THEMES:
        raise UnknownName("theme", name, THEMES)
    return THEMES[name]


def linear(color: str) -> np.ndarray:
    """(3,) linear light of "#rrggbb"; squares, as the ray caster writes square roots."""
    return (np.array(rgb(color)) / 255.0) ** 2


def rgb(color: str) -> tuple[int, int, int]:
    """Red, green and blue of "#rrggbb", each 0 to 255."""
    try:
        value = int(color[1:], 16) if color.startswith("#") and len(color) == 7 else -1
    except ValueError:
        value = -1
    if value < 0:
        raise ParameterError(f"a colour is written #rrggbb, as in #2f7fc1, got {color!r}")
    return value >> 16, (value >> 8) & 255, value & 255
