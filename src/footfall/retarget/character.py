"""Characters: bodies a motion can be put on, by name, from a file, a clip or a skeleton, or averaged from many."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from footfall.analysis.foot_points import BALL_AHEAD, BALL_UP, HEEL_BACK
from footfall.core import rotation
from footfall.core.clip import Clip, Skin
from footfall.core.errors import FootfallWarning, ParameterError, SkeletonError, UnknownName, WrongType
from footfall.core.roles import ANKLE_HEIGHT, LEG, SIDES
from footfall.core.skeleton import Skeleton
from footfall.io.plain_file import is_there
from footfall.io.smpl_body import smpl_body
from footfall.motions.body import ANKLE_HEIGHT as ADULT_ANKLE_HEIGHT
from footfall.motions.body import adult
from footfall.retarget.rest_match import local_vector, neutral_rotations, toe_vector

BODIES = {
    "adult": "the built-in symmetric adult of 1.75 m; adult:1.2 is the same body 1.2 m tall",
    "smpl": "the 22 joints of SMPL on a body of average shape, as HumanML3D has them",
    "smplh": "SMPL+H, with fingers, as AMASS has it",
}
SMPL_WIDTHS = {"smpl": 66, "smplh": 156}  # of the bodies above, in smpl_body's words
DEEPEST = 0.45  # of the leg: nothing of a foot lies farther under its ankle, a cartoon's boots included. By eye
BONES = {  # of limbs, from joint to joint
    "thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "foot": ("ankle", "toe"),
    "upper arm": ("shoulder", "elbow"), "forearm": ("elbow", "wrist"),
}  # fmt: skip
TALLEST_M = 10.0  # metres: taller bodies are mistakes
REFUSED, DOUBTFUL = 0.4, 0.6  # confidence in a character's roles: refused below the first, warned of below the second
FEWEST_JOINTS = 7  # two legs of three joints and something to carry them
MOST_TOLD = 12  # joints that a message lists
ROLE_ADVICE = "--character-role {0}=JOINT (--role for a motion's own body; in Python skeleton.with_roles({0}=…))"


class CharacterWarning(FootfallWarning):
    """A character's joints may be mistaken for others; one sentence."""


@dataclass(frozen=True)
class Foot:
    """A foot in the common pose, flat and pointing ahead; places relative to its ankle, metres."""

    ball: np.ndarray  # (3,) the toe joint, or where it would be
    heel: np.ndarray  # (3,) where the heel touches the floor
    over_skin: float  # how much the lowest joint or end site stands over the sole

    @property
    def ankle_height(self) -> float:
        """Over the floor: as much as the lowest thing the foot has lies under it."""
        return float(-self.heel[1])

    def dip(self, turn: np.ndarray) -> np.ndarray:
        """(...) how much lower its lowest of heel and ball lies, below the ankle, when the foot is turned by (..., 4).

        A rising foot rolls over its ball, whose joint hardly changes its height, a landing one over its heel.
        """
        points = np.stack([self.heel, self.ball])
        return (points - rotation.rotate(turn[..., None, :], points))[..., 1].max(axis=-1)


@dataclass(frozen=True, eq=False)
class Character:
    """A body with all that retargeting asks of it, worked out once."""

    skeleton: Skeleton
    neutral: np.ndarray  # (J, 4) world rotations in the common pose
    feet: tuple[Foot, Foot]  # left, right
    skin: Skin | None = None
    name: str = ""
    shown: bool = False  # a clip showed how the body is held, beyond its rest pose

    @property
    def leg_length(self) -> float:
        return self.skeleton.leg_length

    @property
    def ankle_height(self) -> float:
        """Of both ankles over the floor when standing flat, mean."""
        return 0.5 * (self.feet[0].ankle_height + self.feet[1].ankle_height)


Body: TypeAlias = Character | Skeleton | Clip | str | Path


def character(body: Body) -> Character:
    """A character of anything that has a body: "adult", a file, a clip, a skeleton, or one already made.

    A clip or a file with motion also shows how the body is held, which matters where its rest pose is not a person's.
    """
    if isinstance(body, Character):
        return body
    if isinstance(body, Clip):
        return _character(body.skeleton, body if body.frames else None, body.skin, body.name)
    if isinstance(body, Skeleton):
        return _character(body, None, None, "")
    if not isinstance(body, str | Path):
        raise WrongType("a body: a file, a clip, a skeleton, a Character or a name such as 'adult:1.2'", body)
    name, _, height = str(body).partition(":")
    if name in BODIES and not is_there(body):
        skeleton = smpl_body(SMPL_WIDTHS[name])[0] if name in SMPL_WIDTHS else adult()
        skeleton = scaled(skeleton, _metres(height)) if height else skeleton
        return _character(skeleton, None, None, str(body))
    file, roles = _with_roles(str(body))
    if not is_there(file) and not Path(file).suffix:
        raise UnknownName("file or character", str(body), BODIES)
    from footfall.io.load import load

    clip = load(file, roles=roles)
    return _character(clip.skeleton, clip if clip.frames else None, clip.skin, Path(file).name)


def _with_roles(text: str) -> tuple[str, dict[str, str]]:
    """A file and the roles given after it: "hero.glb:left_hip=thigh_L,left_knee=shin_L"."""
    file, _, given = text.partition(":")
    while given and not is_there(file):  # a drive, or a name with a colon in it
        more, _, given = given.partition(":")
        file = f"{file}:{more}"
    pairs = [part.partition("=") for part in given.split(",") if part]
    if any(not (role.strip() and joint.strip()) for role, _, joint in pairs):
        raise ParameterError(f"{text}: write joints of a character as hero.glb:left_hip=JOINT,left_knee=JOINT")
    return (file, {role.strip(): joint.strip() for role, _, joint in pairs}) if pairs else (text, {})


def check_understood(body: Character) -> None:
    """Refuse a character whose joints are understood too little to be moved, and warn of one that may be mistaken."""
    roles, skeleton = body.skeleton.roles, body.skeleton
    if skeleton.role_overrides or roles.confidence >= DOUBTFUL:
        return
    named = {role: skeleton.names[j] for j, role in sorted(roles.of_joints().items()) if not role.startswith("finger")}
    told = ", ".join(f"{role}={joint}" for role, joint in list(named.items())[:MOST_TOLD])
    text = (
        f"{body.name or 'this character'} is understood with confidence {roles.confidence:.2f} ({roles.how}); "
        f"understood: {told}; say otherwise with {ROLE_ADVICE.format('left_hip')}"
    )
    if roles.confidence < REFUSED:
        raise SkeletonError(text)
    warnings.warn(text, CharacterWarning, stacklevel=4)


def scaled(skeleton: Skeleton, height_m: float) -> Skeleton:
    """The same body at another height, sole to crown, every length in proportion."""
    if not 0.0 < height_m <= TALLEST_M:
        raise ParameterError(f"a body is more than 0 and at most {TALLEST_M:g} m tall, not {height_m:g} m")
    return skeleton.transformed(rotation.IDENTITY, height_m / skeleton.height)


def average_character(clips: Iterable[Clip | Skeleton]) -> Character:
    """The symmetric average of several bodies: the built-in adult with their mean segment lengths.

    Each length is the mean over bodies that have it and over left and right; what none has keeps the adult's
    proportion to the leg.
    """
    skeletons = [c.skeleton if isinstance(c, Clip) else c for c in clips]
    if not skeletons:
        raise ParameterError("an average character needs at least one body to average")
    for skeleton in skeletons:
        require_legs(skeleton, "average")
    model = adult()
    own = _lengths(model)
    found = [_lengths(s) for s in skeletons]
    leg = float(np.mean([s.leg_length for s in skeletons])) / model.leg_length
    offsets, ends = model.offsets * leg, model.end_offsets * leg
    for segment, joints in _segments(model).items():
        known = [f[segment] for f in found if f.get(segment, 0.0) > 0.0]
        if known:
            for j in joints:
                offsets[j] = model.offsets[j] * (float(np.mean(known)) / own[segment])
    hips, roles = model.index("Hips"), model.roles
    drop = sum(offsets[j][1] for j in (roles.left_hip, roles.left_knee, roles.left_ankle) if j is not None)
    offsets[hips] = (0.0, -drop + ADULT_ANKLE_HEIGHT * leg, 0.0)  # as high as the legs and the adult's ankles hold it
    body = replace(model, offsets=offsets, end_offsets=ends)
    return _character(body, None, None, f"average of {len(skeletons)}")


def require_legs(skeleton: Skeleton, verb: str, name: str = "") -> None:
    """A SkeletonError that says what the body is or what it lacks, unless both legs are there from hip to ankle."""
    of = f"{name}: " if name else ""
    if skeleton.roles.kind:
        raise SkeletonError(
            f"{of}{skeleton.roles.kind}, and footfall moves bodies built like a person's; if this is one, name its "
            f"joints: {ROLE_ADVICE.format('left_hip')}"
        )
    if len(skeleton) < FEWEST_JOINTS:
        raise SkeletonError(
            f"{of}cannot {verb} a body of {len(skeleton)} joint{'' if len(skeleton) == 1 else 's'}: this is no rigged "
            f"character, which has two legs of three joints each; give it a skeleton first"
        )
    missing = [f"{s}_{p}" for s in SIDES for p in LEG[:3] if getattr(skeleton.roles, f"{s}_{p}") is None]
    if missing:
        raise SkeletonError(
            f"{of}cannot {verb} a body whose {', '.join(missing)} cannot be found among its {len(skeleton)} joints; "
            f"name them: {ROLE_ADVICE.format(missing[0])}"
        )
    if not skeleton.leg_length > 1e-6:
        raise SkeletonError(f"{of}cannot {verb} a body whose legs have no length")


def _metres(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"adult:{text}: write the height in metres, as in adult:1.2") from None


def _character(skeleton: Skeleton, clip: Clip | None, skin: Skin | None, name: str) -> Character:
    require_legs(skeleton, "retarget", name)
    neutral = neutral_rotations(skeleton, clip)
    return Character(skeleton, neutral, _feet(skeleton, neutral, skin), skin, name, clip is not None)


def held_as(body: Character, other: Character) -> Character:
    """The body, held as the other is where both are the same body and a clip showed that: it has one way to stand."""
    a, b = body.skeleton, other.skeleton
    same = a.names == b.names and np.array_equal(a.parents, b.parents)
    if body.shown or not other.shown or not same:
        return body
    if not (np.allclose(a.offsets[1:], b.offsets[1:], atol=1e-9) and np.allclose(a.rest[1:], b.rest[1:], atol=1e-9)):
        return body
    return replace(body, neutral=other.neutral, feet=_feet(a, other.neutral, body.skin))


def _feet(skeleton: Skeleton, neutral: np.ndarray, skin: Skin | None) -> tuple[Foot, Foot]:
    return _foot(skeleton, neutral, skin, 0), _foot(skeleton, neutral, skin, 1)


def _foot(skeleton: Skeleton, neutral: np.ndarray, skin: Skin | None, side: int) -> Foot:
    """Shape of a foot in the common pose; its sole is its lowest end site or skin, or under the toe joint."""
    roles, leg = skeleton.roles, skeleton.leg_length
    ankle, toe = (getattr(roles, f"{SIDES[side]}_{part}") for part in ("ankle", "toe"))
    tip = toe_vector(skeleton, side)
    if tip is None:
        ball = np.array([0.0, -0.5 * ANKLE_HEIGHT, BALL_AHEAD]) * leg
    else:
        ball = rotation.rotate(neutral[ankle], tip)
    points, skins = [np.zeros((1, 3)), ball[None]], []
    for joint, base in ((ankle, np.zeros(3)), (toe, ball)):
        if joint is not None:
            points.append(base + rotation.rotate(neutral[joint], skeleton.end_offsets[skeleton.end_parents == joint]))
            skins.append(base + _skin_of(skin, joint, neutral[joint]))
    joints = float(np.concatenate(points)[:, 1].min())
    soles = np.concatenate(skins)[:, 1] if any(map(len, skins)) else [float(ball[1]) - BALL_UP * leg]
    lowest = max(min([joints, *soles]), -DEEPEST * leg)
    return Foot(ball, np.array([0.0, lowest, -HEEL_BACK * leg]), joints - lowest)


def _skin_of(skin: Skin | None, joint: int, turn: np.ndarray) -> np.ndarray:
    """(N, 3) skin that follows a joint more than any other, relative to it, in the common pose."""
    if skin is None:
        return np.zeros((0, 3))
    most = skin.joints[np.arange(len(skin.joints)), skin.weights.argmax(axis=1)]
    vertices = skin.vertices[most == joint]
    bind = skin.inverse_bind[joint]
    return rotation.rotate(turn, vertices @ bind[:3, :3].T + bind[:3, 3])


def _segments(skeleton: Skeleton) -> dict[str, list[int]]:
    """Joints whose offsets make up each length that bodies share."""
    roles = skeleton.roles
    first = roles.neck[0] if roles.neck else None
    above = [*roles.neck[1:], roles.head]
    ends = {"hips": ("hip",), "shoulders": ("clavicle", "shoulder"), **{name: (b,) for name, (_, b) in BONES.items()}}
    limbs = {name: [j for side in SIDES for j in roles.joints(side, *parts)] for name, parts in ends.items()}
    segments = {"trunk": [*roles.spine, first], "neck": above, **limbs}
    return {name: [j for j in joints if j is not None] for name, joints in segments.items()}


def _lengths(skeleton: Skeleton) -> dict[str, float]:
    """Lengths by segment, both sides' mean; those that a body lacks are left out."""
    roles, places = skeleton.roles, skeleton.rest_positions
    line = [roles.pelvis, *roles.spine, *roles.neck] + ([roles.head] if roles.head is not None else [])
    split = len(roles.spine) + 2  # pelvis, spine and the first joint above
    lengths = {"trunk": _along(places, line[:split]), "neck": _along(places, line[split - 1 :])}
    for segment, (a, b) in BONES.items():
        ends = [(getattr(roles, f"{s}_{a}"), getattr(roles, f"{s}_{b}")) for s in SIDES]
        known = [float(np.linalg.norm(local_vector(skeleton, i, j))) for i, j in ends if None not in (i, j)]
        if known:
            lengths[segment] = float(np.mean(known))
    for segment, part in (("hips", "hip"), ("shoulders", "shoulder")):
        left, right = (getattr(roles, f"{s}_{part}") for s in SIDES)
        if None not in (left, right):
            lengths[segment] = 0.5 * float(np.linalg.norm(places[left] - places[right]))
    return lengths


def _along(places: np.ndarray, joints: list[int]) -> float:
    return float(np.linalg.norm(np.diff(places[joints], axis=0), axis=-1).sum()) if len(joints) > 1 else 0.0
