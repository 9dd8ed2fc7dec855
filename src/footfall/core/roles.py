"""Joint roles: which joint is the pelvis, a knee, a toe, …, found from names and geometry.

Names are read first (`role_names`), then the shape is read without them (`role_geometry`). Where both speak, names
decide and the agreement sets the confidence; where names are silent, the shape fills in. docs/roles.md has the rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .errors import ParameterError, UnknownName
from .role_geometry import Shape, on_four_legs, roles_by_shape
from .role_kinds import kind_of_body
from .role_names import parse_name, roles_by_name
from .role_tree import JointTree

SIDES = ("left", "right")
LEG = ("hip", "knee", "ankle", "toe")
ARM = ("clavicle", "shoulder", "elbow", "wrist")
CHAINS = ("spine", "neck", "fingers")
ANKLE_HEIGHT = 0.08  # sole to ankle over hip to ankle, of an average adult (Winter 2009, figure 4.1)
CROWN = 0.13  # head joint to crown over sole to head joint, where no end site says
SIDES_TOLD = {  # what told left from right: how far it is trusted, and in words
    "feet": (0.7, "the feet tell left from right"),
    "axis": (0.5, "left taken to be +X"),
    "order": (0.4, "left and right guessed from the listing"),
}
WEAK = 0.5  # a shape that looks less like a person than this is not heard against names


@dataclass(frozen=True)
class Roles:
    """Joint index of every role; None (or an empty chain) where the body has no such joint."""

    pelvis: int
    spine: tuple[int, ...] = ()  # from above the pelvis to the chest, bottom up
    neck: tuple[int, ...] = ()  # bottom up
    head: int | None = None
    left_hip: int | None = None
    left_knee: int | None = None
    left_ankle: int | None = None
    left_toe: int | None = None
    right_hip: int | None = None
    right_knee: int | None = None
    right_ankle: int | None = None
    right_toe: int | None = None
    left_clavicle: int | None = None
    left_shoulder: int | None = None
    left_elbow: int | None = None
    left_wrist: int | None = None
    right_clavicle: int | None = None
    right_shoulder: int | None = None
    right_elbow: int | None = None
    right_wrist: int | None = None
    fingers: tuple[int, ...] = ()  # every joint beyond a wrist
    confidence: float = 0.0  # 0 to 1: how complete the body is, times how well names and shape agree
    how: str = ""  # in words, with whatever did not fit
    kind: str = ""  # what the body is, where it is no person's: "it stands on four legs"

    def joints(self, side: str, *parts: str) -> list[Any]:
        """Joints of one side, None where it has none: joints("left", "hip", "knee")."""
        return [getattr(self, f"{side}_{part}") for part in parts]

    def of_joints(self) -> dict[int, str]:
        """Role of every joint that has one: "left_knee", "head", …, and "spine", "neck" or "finger" for a chain."""
        chains = (("finger", self.fingers), ("spine", self.spine), ("neck", self.neck))
        found = {joint: name for name, chain in chains for joint in chain}
        single = ("pelvis", "head", *(f"{side}_{part}" for side in SIDES for part in (*LEG, *ARM)))
        return found | {j: role for role in single if (j := getattr(self, role)) is not None}

    def body_height(self, rest: np.ndarray, end_parents: np.ndarray, end_rest: np.ndarray) -> float:
        """Sole to crown along the bones, whatever the rest pose's bend; its largest extent when there are no legs."""
        if not len(rest):
            return 0.0
        points = np.concatenate([rest, end_rest])
        legs = [
            np.linalg.norm(rest[knee] - rest[hip]) + np.linalg.norm(rest[ankle] - rest[knee])
            for side in SIDES
            if None not in (joints := self.joints(side, *LEG[:3]))
            for hip, knee, ankle in [joints]
        ]
        if len(legs) < 2 or self.head is None:
            return float(np.ptp(points, axis=0).max())
        line = rest[[self.pelvis, *self.spine, *self.neck, self.head]]
        bones = np.linalg.norm(np.diff(line, axis=0), axis=-1)
        drop = rest[self.pelvis] - 0.5 * (rest[self.left_hip] + rest[self.right_hip])
        first = line[int(np.argmax(bones > 0)) + 1] - line[0]  # pelvis, hips and lowest spine joint move as one
        along = float(drop @ first) / max(float(np.linalg.norm(first)), 1e-300)
        below = (1.0 + ANKLE_HEIGHT) * float(np.mean(legs)) + along + float(bones.sum())
        crown = [float(np.linalg.norm(end_rest[e] - rest[self.head])) for e in np.flatnonzero(end_parents == self.head)]
        return below + (max(crown) if crown and max(crown) > 0 else CROWN * below)


def find_roles(
    names: Sequence[str],
    parents: np.ndarray,
    rest: np.ndarray,
    end_parents: np.ndarray,
    end_rest: np.ndarray,
    overrides: Mapping[str, str],
) -> Roles:
    """Roles of a skeleton: overrides (role -> joint name) first, then names, then shape. Never fails on a body."""
    given = _overrides(names, overrides)
    tree = JointTree(parents, rest, end_parents, end_rest)
    named, helpers = roles_by_name(names, tree)
    shape = roles_by_shape(tree, helpers)
    notes: list[str] = []
    found, agreement = _merge(named, shape, tree, notes)
    found.update(given)
    has_arms = any(f"{side}_{part}" in named for side in SIDES for part in ARM[1:])
    four_legs = _is_animal(found, tree) or (shape.four_legs and not has_arms)
    kind = "" if given else kind_of_body(names, four_legs, has_arms)
    if kind:
        return Roles(named.get("pelvis", 0), confidence=0.1, how=f"{kind}: no roles", kind=kind)
    confidence, how = _confidence(found, named, shape, agreement, tree, notes)
    if given:
        how = f"{', '.join(sorted(given))} given; {how}"
    chains = _chains(names, found, tree, helpers)
    return Roles(**{**found, **chains, "confidence": confidence, "how": how})  # type: ignore[arg-type]


def _overrides(names: Sequence[str], overrides: Mapping[str, str]) -> dict[str, int]:
    single = [f.name for f in fields(Roles) if f.name not in (*CHAINS, "confidence", "how", "kind")]
    given = {}
    for role, joint in overrides.items():
        if role in CHAINS:
            raise ParameterError(f"the role {role!r} is a chain found between others; give the joints at its ends")
        if role not in single:
            raise UnknownName("role", role, single)
        if joint not in names:
            raise UnknownName("joint", joint, names)
        given[role] = list(names).index(joint)
    return given


def _merge(
    named: dict[str, int], shape: Shape, tree: JointTree, notes: list[str]
) -> tuple[dict[str, int], float | None]:
    """Roles from both, names first; and the share of roles on which they agree (None: only one of them speaks)."""
    guess = shape.roles if shape.score >= WEAK or len(named) < 3 else {}
    sided = [r for r in named if r.startswith(SIDES) and r in guess]
    swapped = {r: guess[_other_side(r)] for r in guess if r.startswith(SIDES) and _other_side(r) in guess}
    crossed = sum(named[r] == swapped.get(r) for r in sided) > sum(named[r] == guess[r] for r in sided)
    if crossed:
        guess = {**guess, **swapped}
        if shape.sides == "feet":
            notes.append("left and right by name are opposite to the way the feet point")
    both = [r for r in named if r in guess and r != "pelvis"]
    same = sum(named[r] == guess[r] for r in both)
    agreement = None
    if both:
        agreement = same / len(both) * (0.7 if crossed and shape.sides == "feet" else 1.0)
        differ = [r for r in both if named[r] != guess[r]]
        if differ:
            notes.append(f"the shape suggests another {', '.join(differ)}")
    found = dict(named)
    used = set(named.values())
    for role, joint in guess.items():
        if role not in found and joint not in used and _fits(role, joint, found, tree):
            found[role] = joint
    if "left_hip" in found and "right_hip" in found:
        found["pelvis"] = tree.meet(found["left_hip"], found["right_hip"])
        if found["pelvis"] in (found["left_hip"], found["right_hip"]):
            found["pelvis"] = tree.parents[found["pelvis"]] if tree.parents[found["pelvis"]] >= 0 else 0
    found.setdefault("pelvis", 0)
    return found, agreement


def _other_side(role: str) -> str:
    return role.replace("left", "right") if role.startswith("left") else role.replace("right", "left")


def _fits(role: str, joint: int, found: dict[str, int], tree: JointTree) -> bool:
    """May this joint be added: below what is nearer the trunk on its limb, above what is farther?"""
    side, _, part = role.partition("_")
    limb = LEG if part in LEG else ARM if part in ARM else ()
    for other in limb:
        there = found.get(f"{side}_{other}")
        if there is None or other == part:
            continue
        inner = limb.index(other) < limb.index(part)
        if not (tree.above(there, joint) if inner else tree.above(joint, there)):
            return False
    return True


def _is_animal(found: dict[str, int], tree: JointTree) -> bool:
    ends = [
        [found.get(f"{side}_{part}") for side in SIDES for part in parts]
        for parts in (("hip", "ankle"), ("shoulder", "wrist"))
    ]
    if any(j is None for limb in ends for j in limb):
        return False
    return on_four_legs(*(tree.rest[np.array(limb, int)] for limb in ends))


def _confidence(
    found: dict[str, int],
    named: dict[str, int],
    shape: Shape,
    agreement: float | None,
    tree: JointTree,
    notes: list[str],
) -> tuple[float, str]:
    """Completeness of the body times the trust in what found it; docs/roles.md gives the same table."""
    legs = sum(f"{s}_{p}" in found for s in SIDES for p in LEG[:3]) / 6
    arms = sum(f"{s}_{p}" in found for s in SIDES for p in ARM[1:]) / 6
    complete = 0.6 * legs + 0.25 * arms + 0.15 * ("head" in found)
    if agreement is not None:
        trust = 0.5 + 0.5 * agreement * (0.8 + 0.2 * shape.score)
        how = "names and shape agree" if agreement == 1.0 else f"names, with which the shape agrees for {agreement:.0%}"
    elif any(r != "pelvis" for r in named):
        trust, how = 0.75, "names alone"
    elif shape.roles:
        share, told = SIDES_TOLD[shape.sides]
        trust, how = shape.score * share, f"shape alone; {told}"
    else:
        return 0.0, "neither names nor shape look like a person"
    for side in SIDES:
        line = [found[f"{side}_{p}"] for p in LEG if f"{side}_{p}" in found]
        if any(not tree.above(a, b) for a, b in itertools.pairwise(line)):
            notes.append(f"the {side} leg is not one chain of joints")
            trust *= 0.6
    if complete < 0.5:
        notes.append("much of a body is missing")
        trust *= 0.5
    return round(complete * trust, 3), "; ".join([how, *notes])


def _chains(
    names: Sequence[str], found: dict[str, int], tree: JointTree, helpers: frozenset[int]
) -> dict[str, tuple[int, ...]]:
    """Spine, neck and fingers: what lies between the single roles, and beyond the wrists."""
    pelvis, head = found["pelvis"], found.get("head")
    arms = [found[r] for r in ("left_clavicle", "right_clavicle", "left_shoulder", "right_shoulder") if r in found]
    top = head
    chest = None
    if len(arms) >= 2:
        chest = tree.meet(arms[0], arms[1])
        if chest in arms:
            chest = tree.parents[chest]
        top = chest if head is None else head
    spine: list[int] = []
    neck: list[int] = []
    if top is not None and top >= 0:
        base = tree.meet(pelvis, top)
        line = [j for j in tree.path(base, top) if j not in helpers and j != pelvis]
        for j in line[:-1] if top == head else line:
            part = parse_name(names[j]).part
            low = chest is not None and (j == chest or tree.above(j, chest))
            is_spine = part == "spine" or (low and part != "neck") or (chest is None and part != "neck")
            (spine if is_spine and not neck else neck).append(j)
    wrists = [found[r] for r in ("left_wrist", "right_wrist") if r in found]
    fingers = sorted(j for w in wrists for j in tree.subtree(w)[1:] if j not in helpers)
    return {"spine": tuple(spine), "neck": tuple(neck), "fingers": tuple(fingers)}
