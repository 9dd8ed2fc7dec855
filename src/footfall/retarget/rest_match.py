"""Rest match: the world rotations every joint of a skeleton has in one common pose, whatever pose its file rests in.

The common pose stands straight, faces +Z, legs hanging along -Y, arms out along ±X, feet flat and pointing ahead. With
N_j the rotation of joint j there, Q_j = W_j N_j^-1 is how a body part is turned, free of any skeleton's own axes, and
W'_j = Q_j N'_j is the same turn on another skeleton: bones point the same way and hinges bend the same way.
A rest pose that stands (T, A, legs splayed, bind pose) is straightened limb by limb. One that does not (all bones along
+X) says nothing of a person: then the axes of limbs come from how their hinges bend in the clip, and those of the
trunk from how it is held while upright.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.roles import ANKLE_HEIGHT, SIDES
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms

AHEAD, LEFT, DOWN = rotation.AXES["Z"], rotation.AXES["X"], -rotation.UP
# By eye, on the bodies that tools/measure_retarget.py goes through:
UPRIGHT = np.cos(np.radians(30.0))  # cosine: a trunk or hip line nearer to the common pose's needs no straightening
HANGING = np.cos(np.radians(50.0))  # cosine: legs splayed by no more still stand
RAISED = 0.5  # rise of an upper arm over its length: no body rests with arms that are higher
OUTWARDS = 0.3  # sideways part of a collar bone over its length that a body at rest has at least
CLEAR = 0.05  # mean sine of the bend from which a hinge axis can be told
FEWEST = 3  # frames a pose is averaged over at least
UNLIKE = np.radians(22.0)  # radians: a foot that seems to stand this far from its standing rest pose was not flat
SLOPE = (-0.9, 0.2)  # vertical part of ankle to toe, over its length, that a flat foot can have
FOOT_DROP = 0.6  # of the foot's length, and of the ankle's height: how far a toe joint lies under its ankle
FOOT_LEAST = 0.02  # of the leg: a shorter foot has no direction


def neutral_rotations(skeleton: Skeleton, clip: Clip | None = None) -> np.ndarray:
    """(J, 4) world rotations N_j of the common pose; the clip helps where the rest pose is not a person's."""
    roles = skeleton.roles
    if clip is not None and not clip.frames:
        clip = None
    stands = rest_stands(skeleton)
    trunk = [j for j in (roles.pelvis, *roles.spine, *roles.neck, roles.head) if j is not None]
    girdle = [j for side in SIDES if (j := getattr(roles, f"{side}_clavicle")) is not None]
    told = [] if stands else trunk  # joints whose rest says nothing
    told = told + (girdle if not stands or _shoulders_raised(skeleton) else [])
    world = None if clip is None else world_transforms(skeleton, clip.pose)[1]
    upright = None if clip is None or world is None or not told else _held_upright(clip, world)
    across, up = _trunk_axes(skeleton)
    align = rotation.IDENTITY if stands else _turn_of(up, across, rotation.UP, LEFT)  # stands the trunk upright
    rest = skeleton.rest_world[1]
    fixed: dict[int, np.ndarray] = {}
    for j in [*trunk, *girdle]:
        fixed[j] = rotation.multiply(align, rest[j]) if upright is None or j not in told else upright[j]
    for s, side in enumerate(SIDES):
        for limb in (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")):
            joints = [getattr(roles, f"{side}_{part}") for part in limb]
            if None in joints:
                continue
            usable = stands and (limb[0] == "hip" or not _arm_raised(skeleton, joints))
            hinged = None if usable or world is None else _by_hinge(skeleton, joints, world, limb[0], s)
            fixed.update(hinged or _straightened(skeleton, joints, align, limb[0], s))
    neutral = carried(skeleton, fixed)
    for s, side in enumerate(SIDES):
        if getattr(roles, f"{side}_ankle") is not None:
            fixed.update(_flat_foot(skeleton, clip, world, s, neutral, stands))
    return carried(skeleton, fixed)


def carried(skeleton: Skeleton, fixed: dict[int, np.ndarray]) -> np.ndarray:
    """(J, 4) world rotations: those given, and the rest carried along by their parents as in the rest pose."""
    out = np.empty((len(skeleton), 4))
    for j, parent in enumerate(skeleton.parents):
        if j in fixed:
            out[j] = fixed[j]
        else:
            out[j] = skeleton.rest[j] if parent < 0 else rotation.multiply(out[parent], skeleton.rest[j])
    return rotation.normalize(out)


def local_vector(skeleton: Skeleton, joint: int, to: int) -> np.ndarray:
    """(3,) from one joint to another below it, in the first one's axes; joints between are taken as at rest."""
    places, turns = skeleton.rest_world
    return rotation.rotate(rotation.conjugate(turns[joint]), places[to] - places[joint])


def rest_stands(skeleton: Skeleton) -> bool:
    """Does the rest pose stand upright, face +Z and let its legs hang, so that it can be a person's?"""
    roles, places = skeleton.roles, skeleton.rest_positions
    hips = [roles.left_hip, roles.right_hip]
    if None in hips:
        return False
    across, up = _trunk_axes(skeleton)
    if across @ LEFT < UPRIGHT or up @ rotation.UP < UPRIGHT:
        return False
    legs = [(getattr(roles, f"{s}_hip"), getattr(roles, f"{s}_ankle")) for s in SIDES]
    return all(rotation.unit(places[ankle] - places[hip]) @ DOWN > HANGING for hip, ankle in legs if ankle is not None)


def _trunk_axes(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors at rest from right hip to left, and from the hips up the trunk."""
    roles, places = skeleton.roles, skeleton.rest_positions
    left, right = places[roles.left_hip], places[roles.right_hip]
    top = _trunk_top(skeleton)
    up = places[top] - 0.5 * (left + right) if top is not None else rotation.UP
    return rotation.unit(left - right), rotation.unit(up)


def _trunk_top(skeleton: Skeleton) -> int | None:
    roles = skeleton.roles
    return roles.neck[0] if roles.neck else roles.head if roles.head is not None else (roles.spine or (None,))[-1]


def _held_upright(clip: Clip, world: np.ndarray) -> np.ndarray:
    """(J, 4) mean rotations while the trunk is most upright, facing +Z, its mean lean taken off."""
    roles, places = clip.skeleton.roles, clip.positions
    top = _trunk_top(clip.skeleton)
    trunk = np.tile(rotation.UP, (clip.frames, 1))
    if top is not None:
        trunk = rotation.unit(places[:, top] - 0.5 * (places[:, roles.left_hip] + places[:, roles.right_hip]))
    count = max(min(FEWEST, clip.frames), clip.frames // 2)
    frames = np.argsort(-trunk[:, 1], kind="stable")[:count]
    ahead = rotation.yaw(-clip.root_motion.heading[frames])
    held = rotation.average(rotation.multiply(ahead[:, None], world[frames]), axis=0)
    lean = rotation.between(rotation.rotate(ahead, trunk[frames]).mean(axis=0), rotation.UP)
    return rotation.multiply(lean, held)


def _arm_raised(skeleton: Skeleton, joints: list[int]) -> bool:
    places = skeleton.rest_positions
    return bool(rotation.unit(places[joints[1]] - places[joints[0]])[1] > RAISED)


def _shoulders_raised(skeleton: Skeleton) -> bool:
    """Do collar bones point up or in rather than out, as in files that rest with every bone of an arm in one line?"""
    roles, places = skeleton.roles, skeleton.rest_positions
    for side, out in zip(SIDES, (LEFT, -LEFT), strict=True):
        collar, shoulder = (getattr(roles, f"{side}_{part}") for part in ("clavicle", "shoulder"))
        if None not in (collar, shoulder) and rotation.unit(places[shoulder] - places[collar]) @ out < OUTWARDS:
            return True
    return False


def _common(limb: str, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Direction of a limb's bones in the common pose, and upper x lower when its hinge bends as it can."""
    if limb == "hip":
        return DOWN, LEFT  # the shin goes back
    across = LEFT if side == 0 else -LEFT
    return across, np.cross(across, AHEAD)  # the forearm comes forward


def _straightened(
    skeleton: Skeleton, joints: list[int], align: np.ndarray, limb: str, side: int
) -> dict[int, np.ndarray]:
    """Rotations of the upper and the lower bone, swung the shortest way from the rest pose to the common one."""
    places, rest = skeleton.rest_world
    wanted, _ = _common(limb, side)
    swing, out = align, {}
    for joint, end in ((joints[0], joints[1]), (joints[1], joints[2])):
        bone = rotation.rotate(swing, places[end] - places[joint])
        swing = rotation.multiply(rotation.between(bone, wanted), swing)
        out[joint] = rotation.multiply(swing, rest[joint])
    return out


def _by_hinge(
    skeleton: Skeleton, joints: list[int], world: np.ndarray, limb: str, side: int
) -> dict[int, np.ndarray] | None:
    """The same from the axis about which the clip bends the limb; None where it hardly bends."""
    wanted, hinge = _common(limb, side)
    bones = [local_vector(skeleton, a, b) for a, b in ((joints[0], joints[1]), (joints[1], joints[2]))]
    upper, lower = (rotation.unit(rotation.rotate(world[:, j], b)) for j, b in zip(joints[:2], bones, strict=True))
    axis = np.cross(upper, lower)  # (T, 3), longer the more it bends
    out = {}
    for joint, bone in zip(joints[:2], bones, strict=True):
        local = rotation.rotate(rotation.conjugate(world[:, joint]), axis).mean(axis=0)
        if np.linalg.norm(local) < CLEAR or np.linalg.norm(bone) < 1e-9:
            return None
        out[joint] = _turn_of(rotation.unit(bone), local, wanted, hinge)
    return out


def toe_vector(skeleton: Skeleton, side: int) -> np.ndarray | None:
    """(3,) ankle to toe joint, or to the ankle's longest end site, in the ankle's axes; None: the foot has no tip."""
    roles = skeleton.roles
    ankle, toe = (getattr(roles, f"{SIDES[side]}_{part}") for part in ("ankle", "toe"))
    if toe is not None:
        vector = local_vector(skeleton, ankle, toe)
    else:
        ends = skeleton.end_offsets[skeleton.end_parents == ankle]
        if not len(ends):
            return None
        vector = ends[int(np.argmax(np.linalg.norm(ends, axis=-1)))]
    return vector if np.linalg.norm(vector) > FOOT_LEAST * skeleton.leg_length else None


def _flat_foot(
    skeleton: Skeleton, clip: Clip | None, world: np.ndarray | None, side: int, neutral: np.ndarray, stands: bool
) -> dict[int, np.ndarray]:
    """Rotations of ankle and toe joint with the foot flat, pointing ahead: as it stands in the clip, else at rest."""
    ankle, toe = (getattr(skeleton.roles, f"{SIDES[side]}_{part}") for part in ("ankle", "toe"))
    vector = toe_vector(skeleton, side)
    rest = skeleton.rest_world[1][ankle]
    if vector is None:
        return {ankle: rest if stands else neutral[ankle]}
    flat = rest if stands else neutral[ankle]
    if not stands:  # a foot in line with its shin, or anything else: sloped as an average adult's
        length = float(np.linalg.norm(vector))
        drop = min(FOOT_DROP * length, FOOT_DROP * ANKLE_HEIGHT * skeleton.leg_length)
        along = np.array([0.0, -drop, np.sqrt(length**2 - drop**2)])
        flat = rotation.multiply(rotation.between(rotation.rotate(flat, vector), along), flat)
    flat = rotation.multiply(_ahead(flat, vector), flat)
    if clip is None or world is None:
        return {ankle: flat}
    joints = [ankle] if toe is None else [ankle, toe]
    stood = _stood(clip, world[:, joints], vector, side)
    if stood is None or (stands and _apart(stood[0], flat, vector) > UNLIKE):
        return {ankle: flat}
    return dict(zip(joints, stood, strict=True))


def _ahead(turns: np.ndarray, toe: np.ndarray) -> np.ndarray:
    """Turns (..., 4) about the vertical that make the toe vector of a foot turned by (..., 4) point to +Z."""
    tip = rotation.rotate(turns, toe)
    return rotation.yaw(-np.arctan2(tip[..., 0], tip[..., 2]))


def _apart(a: np.ndarray, b: np.ndarray, toe: np.ndarray) -> float:
    """Angle between the directions of a foot in two rotations."""
    ways = [rotation.unit(rotation.rotate(turn, toe)) for turn in (a, b)]
    return float(np.arccos(np.clip(ways[0] @ ways[1], -1.0, 1.0)))


def _stood(clip: Clip, turns: np.ndarray, toe: np.ndarray, side: int) -> np.ndarray | None:
    """(N, 4) mean rotations of a foot's joints (T, N, 4), the ankle first, while heel and toe are down and the foot
    points ahead; None where that is never, or never flat."""
    contacts = clip.contacts
    heel, ball = ((contacts.left_heel, contacts.left_toe), (contacts.right_heel, contacts.right_toe))[side]
    frames = np.flatnonzero(heel & ball)
    if len(frames) < FEWEST:
        return None
    ahead = _ahead(turns[frames, 0], toe)
    mean = rotation.average(rotation.multiply(ahead[:, None], turns[frames]), axis=0)
    mean = rotation.multiply(_ahead(mean[0], toe), mean)
    slope = rotation.rotate(mean[0], rotation.unit(toe))[1]
    return mean if SLOPE[0] < slope < SLOPE[1] else None


def _turn_of(a: np.ndarray, b: np.ndarray, to_a: np.ndarray, to_b: np.ndarray) -> np.ndarray:
    """(4,) rotation that takes the direction a exactly to to_a, and b as near as it can to to_b."""
    return rotation.from_matrix(_basis(to_a, to_b) @ _basis(a, b).T)


def _basis(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, 3) columns: along a, across it nearest to b, and at right angles to both."""
    first = rotation.unit(a)
    second = rotation.unit(b - (b @ first) * first)
    return np.stack([first, second, np.cross(first, second)], axis=-1)
