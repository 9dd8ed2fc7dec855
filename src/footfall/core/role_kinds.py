"""What kind of body a non-human skeleton has: four legs, front and back legs, or wings instead of arms.

Told from names and shape before roles are believed: a dog's fore legs are named and built much like a person's.
"""

from __future__ import annotations

from collections.abc import Sequence

from .role_names import name_side, name_words

FRONT, BACK = frozenset(("front", "fore")), frozenset(("back", "hind", "rear"))
LEGS = frozenset(("leg", "foot", "paw", "hoof", "toe"))
GLUED = {"foreleg": "front", "frontleg": "front", "hindleg": "back", "backleg": "back"}
LEAST_JOINTS = 2  # of one leg, on each side: cloth and armour have single joints of such names


def kind_of_body(names: Sequence[str], four_legs: bool, has_arms: bool) -> str:
    """A clause that says what the body is, or nothing where it may be a person's.

    four_legs: its shape stands on four legs. has_arms: arms were found by name.
    """
    front, back, wings = _limbs(names)
    if four_legs:
        return "it stands on four legs"
    if all(min(side) >= LEAST_JOINTS for side in (front, back)):
        return "it has front and back legs"
    if min(wings) >= LEAST_JOINTS and not has_arms:
        return "it has wings and no arms"
    return ""


def _limbs(names: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
    """How many joints, left and right, are named as of a front leg, of a back leg, of a wing."""
    front, back, wings = [0, 0], [0, 0], [0, 0]
    for name in names:
        side = {"left": 0, "right": 1}.get(name_side(name))
        if side is None:
            continue
        words = set(name_words(name))
        where = {GLUED[word] for word in words & GLUED.keys()}
        has_leg = bool(words & LEGS or where)
        front[side] += has_leg and bool(words & FRONT or "front" in where)
        back[side] += has_leg and bool(words & BACK or "back" in where)
        wings[side] += "wing" in words
    return front, back, wings
