"""What a joint's name says: its side and body part, in the naming habits of many tools.

A name is cut into words ("mixamorig:LeftUpLeg" -> left, up, leg), fillers and numbers are dropped, a side is taken
out, and the rest is looked up. Words that several tools use for different joints (leg, foot, arm, shoulder) stay
themselves here; `roles_by_name` settles them by what else hangs on the same limb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .role_tree import JointTree

WORDS = {
    "pelvis": "pelvis hips pelvic hiproot hipcenter lowerbody",
    "hip": "hip upleg upperleg legupper thigh femur hipjoint buttock",
    "knee": "knee shin calf tibia lowerleg leglower lowleg shank crus",
    "leg": "leg",
    "ankle": "ankle talus",
    "foot": "foot feet",
    "toe": "toe toes toebase ball forefoot toebone football",
    "spine": "spine back lowerback upperback abdomen belly waist chest upperchest torso trunk thorax stomach body "
    "lowerspine middlespine midspine upperspine spinelower spinemiddle spinemid spineupper spinebase spinetop "
    "ribcage ribs lumbar chestupper chestlower lowerchest upperbody abdomenlower abdomenupper sternum",
    "neck": "neck lowerneck upperneck necklower neckupper neckbase",
    "head": "head skull",
    "clavicle": "clavicle collar collarbone clav scapula",
    "shoulder": "shoulder",
    "upperarm": "upperarm uparm armupper humerus shldr shldrbend",
    "arm": "arm",
    "elbow": "elbow forearm lowerarm armlower lowarm radius ulna forearmbend",
    "wrist": "wrist carpus",
    "hand": "hand palm",
    "finger": "finger fingers fingerbase thumb index middle mid ring pinky pinkie little handthumb handindex "
    "handmiddle handring handpinky metacarpal fingertip",
    "helper": "root heel",
}


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for words in lists for word in words.split())


PART_OF = {word: part for part, words in WORDS.items() for word in words.split()}

# one such word anywhere and the joint does not carry the body: twists, targets, ends, faces, cloth
HELPERS = _words(
    "twist roll ik fk end nub leaf pole target helper dummy eye eyes jaw hair tail prop weapon breast tip top site "
    "ctrl control effector adj corrective brow eyebrow lip lips tongue ear ears gun muscle cheek teeth nose lid "
    "eyelid socket camera pivot cloth skirt wing buffer null"
)
FINGERS = _words("finger fingers thumb index pinky pinkie metacarpal fingerbase fingertip carpal")
FILLERS = _words(
    "mixamorig bip biped valvebiped b j m f avg def deform jnt joint bone bn skeleton cc char character sk rig org "
    "skel bend c center centre main"
)
LEFT, RIGHT = frozenset(("l", "left", "lft", "lt")), frozenset(("r", "right", "rgt", "rt"))


class Name(NamedTuple):
    """side "left", "right" or ""; part a key of WORDS, or "" when the name says nothing."""

    side: str
    part: str


def name_words(name: str) -> list[str]:
    """The words of a name, small: "mixamorig:LeftUpLeg" -> left, up, leg."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name.rsplit(":", 1)[-1])]


def name_side(name: str) -> str:
    """The side a name says: "left", "right" or nothing."""
    return parse_name(name).side


@lru_cache(maxsize=8192)
def parse_name(name: str) -> Name:
    """Side and part of one joint name."""
    words = name_words(name)
    side, kept = "", []
    for word in words:
        if not side and word in LEFT:
            side = "left"
        elif not side and word in RIGHT:
            side = "right"
        else:
            kept.append(word)
    if not side:
        side, kept = _glued_side(kept)
    if any(w in HELPERS or _ends_as_helper(w) for w in kept):
        return Name(side, "helper")
    return Name(side, _part(kept))


def _part(words: list[str]) -> str:
    for these in (words, [w for w in words if w not in FILLERS]):
        if part := PART_OF.get("".join(these)):
            return part
    words = [w for w in words if w not in FILLERS]
    if FINGERS.intersection(words):
        return "finger"
    for start in range(1, len(words)):  # "my_walker_thigh_l": a prefix nobody can know
        if part := PART_OF.get("".join(words[start:])):
            return part
    return ""


def _glued_side(words: list[str]) -> tuple[str, list[str]]:
    """lfemur, rcollar, lefthip, kneeleft: the side written onto the part without a break."""
    for i, word in enumerate(words):
        if word in PART_OF:
            continue
        for side, marks in (("left", ("left", "l")), ("right", ("right", "r"))):
            for mark in marks:
                for rest in (word.removeprefix(mark), word.removesuffix(mark) if len(mark) > 1 else word):
                    if rest != word and (rest in PART_OF or _ends_as_helper(rest)):
                        return side, [*words[:i], rest, *words[i + 1 :]]
    return "", words


def _ends_as_helper(word: str) -> bool:
    """toeend, headnub, thightwist."""
    return any(word.endswith(h) and word[: -len(h)] in PART_OF for h in ("end", "nub", "twist", "roll", "top", "tip"))


def roles_by_name(names: Sequence[str], tree: JointTree) -> tuple[dict[str, int], frozenset[int]]:
    """Roles the names give (single joints only), and the joints whose names say they are helpers."""
    parsed = [parse_name(name) for name in names]
    joints: dict[Name, list[int]] = {}
    for j, parse in enumerate(parsed):
        joints.setdefault(parse, []).append(j)
    found: dict[str, int] = {}
    for side in ("left", "right"):
        of = {part: joints.get(Name(side, part), []) for part in WORDS}
        found.update({f"{side}_{role}": j for role, j in {**_leg(of, tree), **_arm(of, tree)}.items()})
    heads = joints.get(Name("", "head"), [])
    if heads:
        found["head"] = min(heads, key=lambda j: tree.depth[j])
    pelves = [*joints.get(Name("", "pelvis"), []), *joints.get(Name("", "hip"), [])]
    if pelves:
        found["pelvis"] = pelves[0]
    helpers = frozenset(j for j, parse in enumerate(parsed) if parse.part == "helper")
    return found, helpers


def _leg(of: dict[str, list[int]], tree: JointTree) -> dict[str, int]:
    """Hip, knee, ankle and toe of one side from the joints of each part word."""
    leg: dict[str, int] = {}
    hips, knees, ankles, toes = of["hip"], of["knee"] or of["leg"], of["ankle"], of["toe"]
    if not of["hip"] and not of["knee"]:  # leg 1, leg 2, leg 3: a numbered chain, counted from the top
        series = _chain(of["leg"], tree)
        if len(series) < 2:
            return {}
        hips, knees, ankles, toes = [series[0]], [series[1]], ankles + series[2:3], toes + series[3:4]
    if not hips or not knees:
        return {}
    # the lowest hip above the knee: helpers such as LHipJoint or __lThigh sit above the true one
    knee = next((k for k in knees if any(tree.above(h, k) for h in hips)), None)
    if knee is None:
        return {"hip": hips[0], "knee": knees[0]}
    leg["hip"] = max((h for h in hips if tree.above(h, knee)), key=lambda h: tree.depth[h])
    leg["knee"] = knee
    feet = _below(ankles, knee, tree) or _below(of["foot"], knee, tree)
    if not feet:
        if loose := ankles or of["foot"]:
            leg["ankle"] = loose[0]  # a foot that hangs elsewhere (an IK target): kept, and told
        return leg
    leg["ankle"] = feet[0]
    tips = _below(toes, feet[0], tree) or _below(of["foot"], feet[0], tree)  # below an ankle, "foot" is the toe
    if tips:
        leg["toe"] = tips[0]
    return leg


def _arm(of: dict[str, list[int]], tree: JointTree) -> dict[str, int]:
    """Clavicle, shoulder, elbow and wrist of one side from the joints of each part word."""
    arm: dict[str, int] = {}
    uppers, elbows, hands = of["upperarm"] or of["arm"] or of["shoulder"], of["elbow"], of["wrist"] or of["hand"]
    if not elbows:
        series = _chain(of["arm"], tree)
        if len(series) >= 2:  # arm 1, arm 2, …, or shoulder, arm, hand
            uppers, elbows, hands = [series[0]], [series[1]], hands + series[2:3]
        else:
            uppers, elbows = of["shoulder"], of["upperarm"] or of["arm"]
    elbow = next((e for e in elbows if any(tree.above(u, e) for u in uppers)), None)
    if elbow is None:
        return {}
    shoulder = max((u for u in uppers if tree.above(u, elbow)), key=lambda u: tree.depth[u])
    arm["shoulder"], arm["elbow"] = shoulder, elbow
    collars = [c for c in of["clavicle"] + of["shoulder"] if tree.above(c, shoulder)]
    if collars:
        arm["clavicle"] = max(collars, key=lambda c: tree.depth[c])
    if wrists := _below(hands, elbow, tree):
        arm["wrist"] = wrists[0]
    return arm


def _below(joints: list[int], top: int, tree: JointTree) -> list[int]:
    """Those strictly below a joint, nearest first."""
    return sorted((j for j in joints if tree.above(top, j)), key=lambda j: tree.depth[j])


def _chain(joints: list[int], tree: JointTree) -> list[int]:
    """Those of the joints that lie on one line down from the first."""
    line: list[int] = []
    for j in sorted(joints, key=lambda j: tree.depth[j]):
        if not line or tree.above(line[-1], j):
            line.append(j)
    return line
