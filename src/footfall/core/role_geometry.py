"""What a skeleton's shape reveals, whatever its joints are called: two pairs of similar limbs, a spine between, a head.

Topology and bone lengths do the finding, because rest poses are often odd (all bones along one axis); directions
are used only to tell left from right, and to recognise four-legged bodies.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from .role_tree import LIMB_JOINTS, JointTree

LIKE = 0.8  # limbs of one body: the shorter at least this share of the longer (captures differ by up to 10 %)


class LimbChain(NamedTuple):
    """A chain split at its two long bones: upper joint, middle joint, lower joint, and what lies around them."""

    joints: tuple[int, ...]  # from the first joint below the trunk
    at: int  # index in joints of the upper joint (hip, shoulder)
    upper: float  # lengths of the two long bones
    lower: float

    @property
    def main(self) -> tuple[int, int, int]:
        return self.joints[self.at], self.joints[self.at + 1], self.joints[self.at + 2]


class Pair(NamedTuple):
    """Two like limbs on one trunk joint."""

    length: float
    trunk: int
    first: LimbChain
    second: LimbChain


class Shape(NamedTuple):
    """Roles the shape gives, how far it looks like a person (0 to 1), and whether left and right are known."""

    roles: dict[str, int]
    score: float
    sides: str  # "feet", "axis" (taken to face +Z) or "order" (a guess from the listing)
    four_legs: bool = False  # it stands on all four limbs


def roles_by_shape(tree: JointTree, skip: frozenset[int]) -> Shape:
    """Legs, arms and head by shape; no roles and score 0 when the body is not built like a person."""
    if len(tree) < 7:  # two legs of three joints and something to carry them
        return Shape({}, 0.0, "order")
    reach, best = tree.reach(skip)
    pairs = _pairs(tree, skip, reach, best)
    legs, arms = _legs_and_arms(tree, pairs)
    if legs is None:
        return Shape({}, 0.0, "order")
    if arms is not None and on_four_legs(_ends(tree, legs), _ends(tree, arms)):
        return Shape({}, 0.0, "order", four_legs=True)
    score = _plausible(tree, legs, arms)
    left, right, sides = _leg_sides(tree, legs, best)
    roles: dict[str, int] = {}
    for side, leg in (("left", left), ("right", right)):
        hip, knee, ankle = leg.main
        roles |= {f"{side}_hip": hip, f"{side}_knee": knee, f"{side}_ankle": ankle}
        if len(leg.joints) > leg.at + 3:
            roles[f"{side}_toe"] = leg.joints[leg.at + 3]
    roles["pelvis"] = legs.trunk
    if arms is not None:
        lateral = tree.rest[left.main[0]] - tree.rest[right.main[0]]
        for side, arm in zip(("left", "right"), _arm_sides(tree, arms, lateral), strict=True):
            shoulder, elbow, wrist = arm.main
            roles |= {f"{side}_shoulder": shoulder, f"{side}_elbow": elbow, f"{side}_wrist": wrist}
            if arm.at > 0:
                roles[f"{side}_clavicle"] = arm.joints[arm.at - 1]
        head = _head(tree, skip, arms, reach)
        if head is not None:
            roles["head"] = head
    return Shape(roles, score, sides)


def _pairs(tree: JointTree, skip: frozenset[int], reach: list[float], best: list[int]) -> list[Pair]:
    """Every two like limbs that leave the same joint, longest first."""
    pairs = []
    for trunk, children in enumerate(tree.children):
        if len(children) < 2:
            continue
        limbs = [limb for c in children if best[c] >= 0 and (limb := _limb(tree, skip, best, c)) is not None]
        limbs.sort(key=lambda limb: -reach[limb.joints[0]])
        near = ((i, k) for i in range(len(limbs)) for k in range(i + 1, min(i + 4, len(limbs))))
        for i, k in near:  # neighbours in length only: linear, where all pairs are not
            a, b = limbs[i], limbs[k]
            ways = reach[a.joints[0]], reach[b.joints[0]]
            if ways[1] > 0 and _like(*ways) and _like(a.upper, b.upper) and _like(a.lower, b.lower):
                pairs.append(Pair(min(ways), trunk, a, b))
    pairs.sort(key=lambda pair: -pair.length)
    return pairs


def _limb(tree: JointTree, skip: frozenset[int], best: list[int], first: int) -> LimbChain | None:
    """The chain from a joint down its longest way, split where two long bones follow each other."""
    joints: list[int] = []
    j = first
    while j >= 0 and len(joints) < LIMB_JOINTS:
        if j not in skip:
            joints.append(j)
        j = best[j]
    if len(joints) < 3:
        return None
    points = tree.rest[joints]
    bones = np.sqrt(((points[1:] - points[:-1]) ** 2).sum(axis=-1)).tolist()
    products = [a * b for a, b in itertools.pairwise(bones)]
    # a long clavicle rivals the forearm; nothing beyond the wrist or the ankle does: so the lowest of near equals
    at = max(i for i, product in enumerate(products) if product >= 0.6 * max(products))
    return LimbChain(tuple(joints), at, bones[at], bones[at + 1])


def _like(a: float, b: float) -> bool:
    return min(a, b) >= LIKE * max(a, b)


def _legs_and_arms(tree: JointTree, pairs: list[Pair]) -> tuple[Pair | None, Pair | None]:
    """The two longest pairs that are not part of each other; the one nearer the root carries the body."""
    if not pairs:
        return None, None
    first = pairs[0]
    for other in pairs[1:]:
        if other.length < 0.25 * first.length:
            break
        if _inside(tree, other.trunk, first) or _inside(tree, first.trunk, other):
            continue
        if other.trunk == first.trunk and {other.first, other.second} & {first.first, first.second}:
            continue
        if tree.above(first.trunk, other.trunk):
            return first, other
        if tree.above(other.trunk, first.trunk):
            return other, first
        longer = sorted((first, other), key=lambda p: -(p.first.upper + p.first.lower))
        return longer[0], longer[1]
    return first, None


def _inside(tree: JointTree, joint: int, pair: Pair) -> bool:
    return any(joint == limb.joints[0] or tree.above(limb.joints[0], joint) for limb in (pair.first, pair.second))


def _plausible(tree: JointTree, legs: Pair, arms: Pair | None) -> float:
    """1 for a person's proportions, less for each that is off."""
    leg = legs.first.upper + legs.first.lower
    score = 1.0 if _within(legs.first.upper, legs.first.lower, 0.6, 1.7) else 0.5
    if arms is None:
        return 0.4 * score  # two like chains alone may be anything
    arm = arms.first.upper + arms.first.lower
    score *= 1.0 if _within(arms.first.upper, arms.first.lower, 0.5, 2.2) else 0.6
    score *= 1.0 if _within(arm, leg, 0.35, 1.15) else 0.5
    trunk = tree.length(tree.path(legs.trunk, arms.trunk))
    return score * (1.0 if _within(trunk, leg, 0.15, 1.6) else 0.6)


def _ends(tree: JointTree, pair: Pair) -> np.ndarray:
    """(4, 3) top and tip of one limb, then of the other."""
    return np.array([tree.rest[j] for limb in (pair.first, pair.second) for j in (limb.joints[0], limb.joints[-1])])


def _within(a: float, b: float, low: float, high: float) -> bool:
    return b > 0 and low <= a / b <= high


def on_four_legs(legs: np.ndarray, arms: np.ndarray) -> bool:
    """Fore limbs beside the hind ones, ending on the same ground. Both (4, 3): top and tip of one, of the other."""
    leg = 0.5 * (legs[1] - legs[0] + legs[3] - legs[2])
    arm = 0.5 * (arms[1] - arms[0] + arms[3] - arms[2])
    trunk = 0.5 * (arms[0] + arms[2] - legs[0] - legs[2])
    sizes = [float(np.linalg.norm(v)) for v in (leg, arm, trunk)]
    if min(sizes) <= 1e-9:
        return False
    down = leg / sizes[0]
    same_ground = abs(0.5 * (arms[1] + arms[3] - legs[1] - legs[3]) @ down) < 0.35 * sizes[0]
    return bool(same_ground and arm @ down > 0.7 * sizes[1] and abs(trunk @ down) < 0.6 * sizes[2])


def _leg_sides(tree: JointTree, legs: Pair, best: list[int]) -> tuple[LimbChain, LimbChain, str]:
    """Left leg, right leg, and what told them apart: left is up x forward."""
    a, b = legs.first, legs.second
    if min(b.joints) < min(a.joints):
        a, b = b, a
    rest = tree.rest
    up = body_up(rest, a.main, b.main, legs.trunk, tree)
    across = rest[a.main[0]] - rest[b.main[0]]
    if np.linalg.norm(across) < 1e-6 * (a.upper + a.lower):
        across = rest[a.main[1]] - rest[b.main[1]]
    if up is None:
        return a, b, "order"
    forward = foot_direction(tree, a.main[2], best) + foot_direction(tree, b.main[2], best)
    forward = forward - (forward @ up) * up
    left, sides = np.cross(up, forward), "feet"
    if np.linalg.norm(forward) < 0.05 * (a.upper + a.lower):
        left, sides = np.array([1.0, 0.0, 0.0]), "axis"  # rest poses without feet face +Z with Y up, or -Y with Z up
    amount = float(across @ left)
    if abs(amount) < 0.5 * np.linalg.norm(across) * np.linalg.norm(left):
        return a, b, "order"
    return (a, b, sides) if amount > 0 else (b, a, sides)


def body_up(
    rest: np.ndarray, leg_a: tuple[int, int, int], leg_b: tuple[int, int, int], pelvis: int, tree: JointTree
) -> np.ndarray | None:
    """Unit direction from the feet up in the rest pose; None unless the trunk continues it (a zero pose does not)."""
    up = rest[leg_a[0]] + rest[leg_b[0]] - rest[leg_a[2]] - rest[leg_b[2]]
    size = np.linalg.norm(up)
    others = [j for j in tree.children[pelvis] if not any(j == h or tree.above(j, h) for h in (leg_a[0], leg_b[0]))]
    if size < 1e-9 or not others:
        return None
    up = up / size
    trunk = max(others, key=lambda j: tree.size[j])
    span = rest[tree.subtree(trunk)].mean(axis=0) - 0.5 * (rest[leg_a[0]] + rest[leg_b[0]])
    return up if span @ up > 0.5 * np.linalg.norm(span) else None


def foot_direction(tree: JointTree, ankle: int, best: list[int]) -> np.ndarray:
    """From the ankle to the farthest joint or end site of the foot."""
    tip = ankle
    for _ in range(4):
        if best[tip] < 0:
            break
        tip = best[tip]
    end = tree.end_at.get(tip)
    return (tree.rest[tip] if end is None else tree.end_rest[end]) - tree.rest[ankle]


def _arm_sides(tree: JointTree, arms: Pair, lateral: np.ndarray) -> tuple[LimbChain, LimbChain]:
    a, b = arms.first, arms.second
    if min(b.joints) < min(a.joints):
        a, b = b, a
    for joint in (2, 0):  # wrists say most; shoulders when the arms hang crossed or together
        across = tree.rest[a.main[joint]] - tree.rest[b.main[joint]]
        amount = across @ lateral
        if abs(amount) > 0.3 * np.linalg.norm(across) * np.linalg.norm(lateral) > 0:
            return (a, b) if amount > 0 else (b, a)
    return a, b


def _head(tree: JointTree, skip: frozenset[int], arms: Pair, reach: list[float]) -> int | None:
    """The last joint of the chain that leaves the chest beside the arms, less a crown end listed as a joint."""
    taken = {arms.first.joints[0], arms.second.joints[0]}
    starts = [
        c for c in tree.children[arms.trunk] if c not in skip and not any(c == t or tree.above(c, t) for t in taken)
    ]
    if not starts:
        return None
    line = [max(starts, key=lambda c: tree.bone[c] + reach[c])]
    while len(line) < LIMB_JOINTS:
        below = [c for c in tree.children[line[-1]] if c not in skip]
        if len(below) != 1:
            break  # a leaf, or a head that carries eyes and a jaw
        line.append(below[0])
    # without end sites a file has to list its ends as joints; with them, only a long last bone gives one away
    is_end = not tree.children[line[-1]] and tree.end[line[-1]] == 0.0
    is_crown = is_end and (not tree.end_at or tree.bone[line[-1]] > 1.3 * tree.bone[tree.parents[line[-1]]])
    return line[-2] if len(line) >= 3 and is_crown else line[-1]
