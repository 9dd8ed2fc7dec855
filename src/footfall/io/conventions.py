"""Units, up axis and facing of a file that does not say: found from the body in it, with a confidence.

What the caller or the format says is believed. Everything else is measured on the body: its size gives the unit, the
way from feet to head gives up, hips and toes of the rest pose give its facing. docs/roles.md describes each rule.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.errors import ParameterError
from footfall.core.roles import ARM, LEG, SIDES, Roles
from footfall.core.skeleton import Skeleton
from footfall.io.raw import RawMotion, ReadOptions
from footfall.kinematics.fk import world_transforms_of

CMU_UNIT = 0.0254 / 0.45  # subjects of that library were measured in inches and scaled by 0.45
UNITS = {  # name -> metres, and how often files come in it before anything is known about this one
    "m": (1.0, 0.7),
    "cm": (0.01, 1.0),
    "mm": (0.001, 0.3),
    "inch": (0.0254, 0.3),
    "CMU unit (5.6444 cm)": (CMU_UNIT, 0.15),
    "foot": (0.3048, 0.05),
    "dm": (0.1, 0.05),
}
BODY_M, BODY_SPREAD = 1.68, 0.25  # plausible heights: log-normal, so that 0.9 and 2.1 m remain possible
UP_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}
FACINGS = ("z", "x", "-z", "-x")  # each a quarter turn to the left of the one before
LEAST_M, MOST_M = 0.1, 20.0  # metres: characters are drawn from mice to giants, but not smaller or larger. By eye
PERSON = 0.2  # of `_plausible`: 1.1 to 2.5 m, a height that another unit must give before a file's own is doubted
SAMPLES = 8  # frames looked at
SURE = 0.3  # below this confidence in the roles, sizes and directions of a body mean nothing


class Conventions(NamedTuple):
    """What turns a file into metres, Y up, facing +Z; and how each part was found."""

    unit_m: float
    world_from_file: np.ndarray  # (4,) quaternion
    inferred: dict[str, Inferred]
    doubt: str = ""  # where the file's own word was not taken: why not


def find_conventions(raw: RawMotion, skeleton: Skeleton, options: ReadOptions) -> Conventions:
    """Unit, axes and rest pose of what a reader handed over; `skeleton` is raw.skeleton, with any roles given."""
    roles = skeleton.roles
    unit_m, units = _units(raw, skeleton, options)
    up_turn, up = _up(raw, skeleton, options)
    facing_turn, facing = _facing(skeleton, up_turn, options)
    turn = rotation.multiply(facing_turn, up_turn)
    if np.abs(turn[0]) > 1.0 - 1e-12:
        turn = rotation.IDENTITY.copy()
    named = {role: skeleton.names[joint] for role, joint in vars(roles).items() if type(joint) is int}
    known = Inferred(named, roles.how, roles.confidence)
    rest_pose = _rest_pose(skeleton, up_turn)
    inferred = {"units": units, "up": up, "facing": facing, "roles": known, "rest_pose": rest_pose}
    doubt = f"units: {units.how}; unit_m={raw.unit_m:g} keeps them" if raw.unit_m not in (None, unit_m) else ""
    return Conventions(unit_m, turn, inferred, "" if options.unit_m is not None else doubt)


# --- units --------------------------------------------------------------------------------------------------------
def _units(raw: RawMotion, skeleton: Skeleton, options: ReadOptions) -> tuple[float, Inferred]:
    for given, how in ((options.unit_m, "given by the caller"), (raw.unit_m, "the format says so")):
        if given is not None:
            if not (np.isfinite(given) and given > 0):
                raise ParameterError(f"unit_m must be a positive number of metres, got {given}")
            return _believed(float(given), how, skeleton, certain=given is options.unit_m)
    height = skeleton.height
    if skeleton.roles.confidence < SURE or not height > 0:
        return 0.01, Inferred("cm", "no body to measure: the usual unit", 0.2)
    chances = {name: common * _plausible(height * metres) for name, (metres, common) in UNITS.items()}
    if {"lhipjoint", "rhipjoint", "lowerback"} <= {name.lower() for name in skeleton.names}:  # of that library
        name, (metres, _) = "CMU unit (5.6444 cm)", UNITS["CMU unit (5.6444 cm)"]
        chances[name] = _plausible(height * metres)
    best = max(chances, key=lambda name: chances[name])
    total = sum(chances.values())
    confidence = chances[best] / total if total > 0 else 0.0
    # a body no unit makes a person of: say how far off the best one is, not only that the others are worse
    confidence *= min(1.0, 3.0 * _plausible(height * UNITS[best][0]))
    tall = height * UNITS[best][0]
    how = f"a body of {height:.4g} units is {tall:.2f} m tall"
    return UNITS[best][0], Inferred(best, how, round(confidence, 3))


def _believed(unit_m: float, how: str, skeleton: Skeleton, certain: bool) -> tuple[float, Inferred]:
    """The unit that is given, unless it makes a giant or a dwarf of a body that another makes a person of."""
    said = unit_m, Inferred(_unit_name(unit_m), how, 1.0)
    height = skeleton.height
    if certain or skeleton.roles.confidence < SURE or not height > 0 or LEAST_M <= height * unit_m <= MOST_M:
        return said
    chances = {name: common * _plausible(height * metres) for name, (metres, common) in UNITS.items()}
    best = max(chances, key=lambda name: chances[name])
    metres = UNITS[best][0]
    if _plausible(height * metres) < PERSON:
        return said
    told = f"{how}, but a body of {height * unit_m:.4g} m is none: taken to be in {best}, {height * metres:.2f} m tall"
    return metres, Inferred(best, told, 0.6)


def _plausible(height_m: float) -> float:
    return float(np.exp(-0.5 * (np.log(height_m / BODY_M) / BODY_SPREAD) ** 2))


def _unit_name(unit_m: float) -> str:
    for name, (metres, _) in UNITS.items():
        if abs(unit_m - metres) < 1e-6 * metres:
            return name
    return f"{unit_m:g} m"


# --- up ------------------------------------------------------------------------------------------------------------
def _up(raw: RawMotion, skeleton: Skeleton, options: ReadOptions) -> tuple[np.ndarray, Inferred]:
    """Turn that makes the file's up +Y."""
    for given, how in ((options.up, "given by the caller"), (raw.up, "the format says so")):
        if given is not None:
            if given.lower() not in UP_AXES:
                raise ParameterError(f"up must be one of {', '.join(UP_AXES)}, got {given!r}")
            return _turn_up(given.lower()), Inferred(given.lower(), how, 1.0)
    roles = skeleton.roles
    if roles.confidence < SURE or roles.head is None or roles.left_ankle is None or roles.right_ankle is None:
        return _turn_up("y"), Inferred("y", "no standing body to look at: the usual axis", 0.3)
    evidence = np.array([0.0, 0.3, 0.0])  # most files are Y up
    weight, told = 0.3, []
    rest = _rest_up(skeleton)
    if rest is not None:
        evidence, weight = evidence + 0.6 * rest, weight + 0.6
        told.append("of the rest pose")
    frames = len(raw.pose.root_pos)
    if frames:
        joints = [roles.head, roles.left_ankle, roles.right_ankle]
        picked = np.unique(np.linspace(min(1, frames - 1), frames - 1, SAMPLES).astype(int))
        head, left, right = np.moveaxis(world_transforms_of(skeleton, raw.pose.at(picked), joints)[0], 1, 0)
        along = rotation.unit(head - 0.5 * (left + right))  # (S, 3)
        evidence, weight = evidence + along.mean(axis=0), weight + 1.0
        told.append(f"in {len(picked)} frames" if len(picked) > 1 else "in the one frame")
    if not told:
        return _turn_up("y"), Inferred("y", "nothing upright to look at: the usual axis", 0.3)
    scores = {name: float(evidence @ np.array(axis)) for name, axis in UP_AXES.items()}
    best, second = sorted(scores, key=lambda name: -scores[name])[:2]
    confidence = min(1.0, (scores[best] - max(scores[second], 0.0)) / weight + 0.05)
    return _turn_up(best), Inferred(best, f"from feet to head {' and '.join(told)}", round(max(confidence, 0.05), 3))


def _turn_up(axis: str) -> np.ndarray:
    if axis == "y":
        return rotation.IDENTITY
    return rotation.between(np.array(UP_AXES[axis], float), rotation.UP)


def _rest_up(skeleton: Skeleton) -> np.ndarray | None:
    """Unit direction from feet to hips in the rest pose, if the head lies farther along it; else None."""
    roles, rest = skeleton.roles, skeleton.rest_positions
    hips, ankles = _pair(roles, rest, "hip"), _pair(roles, rest, "ankle")
    if hips is None or ankles is None or roles.head is None:
        return None
    middle = hips.mean(axis=0)
    legs, trunk = middle - ankles.mean(axis=0), rest[roles.head] - middle
    long = np.linalg.norm(legs), np.linalg.norm(trunk)
    if min(long) <= 0 or legs @ trunk < 0.7 * long[0] * long[1]:
        return None  # sitting, or all bones along one axis: says nothing about up
    up = legs / long[0] + trunk / long[1]
    return up / np.linalg.norm(up)


def _pair(roles: Roles, rest: np.ndarray, part: str) -> np.ndarray | None:
    """Rest positions (2, 3) of a part, left then right."""
    joints = [getattr(roles, f"{side}_{part}") for side in SIDES]
    return None if None in joints else rest[joints]


# --- facing and rest pose ------------------------------------------------------------------------------------------
def _facing(skeleton: Skeleton, up_turn: np.ndarray, options: ReadOptions) -> tuple[np.ndarray, Inferred]:
    """Turn about +Y, a multiple of 90 degrees, that makes the rest pose face +Z where that is clear."""
    if options.facing is not None:
        if options.facing not in FACINGS:
            raise ParameterError(f"facing must be one of {', '.join(FACINGS)}, got {options.facing!r}")
        turn = rotation.yaw(-FACINGS.index(options.facing) * np.pi / 2)
        return turn, Inferred(options.facing, "given by the caller", 1.0)
    roles, rest = skeleton.roles, rotation.rotate(up_turn, skeleton.rest_positions)
    up = _rest_up(skeleton)
    if up is None or rotation.rotate(up_turn, up)[1] < 0.9:
        return rotation.IDENTITY, Inferred("z", "the rest pose does not stand: left as it is", 0.3)
    hips = _pair(roles, rest, "hip")
    assert hips is not None  # _rest_up found them
    across = hips[0] - hips[1]
    by_hips = np.cross(across, rotation.UP)
    by_feet = _feet(skeleton, up_turn, rest)
    if not by_hips.any() or not by_feet.any():
        return rotation.IDENTITY, Inferred("z", "the rest pose has no feet to look at: left as it is", 0.3)
    cosine = by_hips @ by_feet / np.linalg.norm(by_hips) / np.linalg.norm(by_feet)
    if cosine < 0.7:
        return rotation.IDENTITY, Inferred("z", "hips and feet of the rest pose disagree: left as it is", 0.2)
    heading = float(np.arctan2(by_hips[0], by_hips[2]))
    quarter = round(heading / (np.pi / 2))
    off = abs(heading - quarter * np.pi / 2)
    if off > np.radians(25):
        return rotation.IDENTITY, Inferred("z", "the rest pose faces no axis: left as it is", 0.3)
    faces = FACINGS[quarter % 4]
    turn = rotation.yaw(-quarter * np.pi / 2) if quarter % 4 else rotation.IDENTITY
    how = f"hips and feet of the rest pose{'' if quarter % 4 == 0 else ' (after up was made +Y)'}"
    return turn, Inferred(faces, how, round(0.95 * float(cosine) * (1.0 - off / np.pi), 3))


def _feet(skeleton: Skeleton, up_turn: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Sum over both feet of the horizontal way from ankle to toe, or to the foot's end site; zero if none."""
    total, roles = np.zeros(3), skeleton.roles
    for side in SIDES:
        ankle, toe = getattr(roles, f"{side}_ankle"), getattr(roles, f"{side}_toe")
        if ankle is None:
            continue
        if toe is not None:
            total = total + rest[toe] - rest[ankle]
        for e in np.flatnonzero(skeleton.end_parents == (ankle if toe is None else toe)):
            total = total + rotation.rotate(up_turn, skeleton.end_rest_positions[e]) - rest[ankle]
    return total * np.array([1.0, 0.0, 1.0])


def _rest_pose(skeleton: Skeleton, up_turn: np.ndarray) -> Inferred:
    """What the rest pose looks like, in words: it decides how well motion can be carried to another body."""
    rest = rotation.rotate(up_turn, skeleton.rest_positions)
    up, roles = _rest_up(skeleton), skeleton.roles
    if up is None and (zero := _zero_pose(roles, rest)) is not None:
        return zero
    shoulders, wrists = _pair(roles, rest, "shoulder"), _pair(roles, rest, "wrist")
    if up is None or shoulders is None or wrists is None or rotation.rotate(up_turn, up)[1] < 0.9:
        return Inferred("other", "no standing body with arms", 0.3 if up is None else 0.5)
    arms = rotation.unit(wrists - shoulders)
    down = float(-arms[:, 1].mean())
    apart = float((arms[0] - arms[1]) @ rotation.unit(shoulders[0] - shoulders[1] + wrists[0] - wrists[1])) / 2
    if apart > 0.85 and abs(down) < 0.3:
        return Inferred("T", "arms out to the sides", round(apart, 3))
    if down > 0.9:
        return Inferred("standing arms down", "arms along the body", round(down, 3))
    if down > 0.2 and apart > 0.3:
        return Inferred("A", "arms out and down", 0.8)
    return Inferred("other", "arms neither out nor down", 0.5)


def _zero_pose(roles: Roles, rest: np.ndarray) -> Inferred | None:
    """Limbs and spine all along one axis: the file's zero angles, not a pose anyone stands in."""
    lines = [roles.joints(side, *parts) for side in SIDES for parts in (LEG[:3], ARM[1:])]
    lines.append([roles.pelvis, *roles.spine, *roles.neck])
    bones = [rest[b] - rest[a] for line in lines if None not in line for a, b in itertools.pairwise(line)]
    directions = np.array([rotation.unit(bone) for bone in bones if np.linalg.norm(bone) > 1e-9])
    if len(directions) < 6:
        return None
    axis = int(np.abs(directions).mean(axis=0).argmax())
    share = float((np.abs(directions[:, axis]) > 0.9).mean())
    if share < 0.75:
        return None
    sign = "+" if directions[:, axis].sum() >= 0 else "-"
    return Inferred(f"zero pose: bones along {sign}{'XYZ'[axis]}", "directions of the bones", round(share, 3))
