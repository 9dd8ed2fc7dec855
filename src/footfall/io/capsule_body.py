"""A body of capsules for a bare skeleton, so that any viewer shows a figure: limbs by role, flat feet, a head.

Each piece belongs to one joint and is shaped in that joint's own frame, so a rest pose that is not a standing one
(all bones along +X, say) does no harm: which way is up for a foot is taken from the motion. Sizes are shares of
body height, after the segment breadths of an average adult (Winter 2009, chapter 4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Skin
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.conventions import SURE
from footfall.kinematics.fk import inverse_matrices, with_ancestors, world_transforms
from footfall.kinematics.hand_shape import HAND as SIMPLE_HAND
from footfall.kinematics.hand_shape import hand_axes

SEGMENTS, CAP_RINGS, LOOKS = 14, 4, 64
Width = tuple[float, float]  # half width and half depth

# role of the joint a bone starts at -> (half width, half depth) at its start and at its end, shares of body height
LIMBS = {
    "hip": ((0.052, 0.055), (0.032, 0.034)),
    "knee": ((0.033, 0.035), (0.021, 0.023)),
    "clavicle": ((0.036, 0.036), (0.030, 0.030)),
    "shoulder": ((0.029, 0.030), (0.022, 0.022)),
    "elbow": ((0.022, 0.022), (0.015, 0.015)),
}
PELVIS, WAIST, CHEST, SHOULDERS = (0.080, 0.060), (0.074, 0.055), (0.088, 0.062), (0.070, 0.050)
NECK, HIP_JOINT, FINGER = (0.030, 0.030), (0.050, 0.052), (0.007, 0.007)
HAND, HAND_TIP = (0.023, 0.011), (0.018, 0.007)
FOOT_BACK, FOOT_FRONT, TOE_TIP = (0.021, 0.019), (0.027, 0.015), (0.021, 0.010)
HEAD = (0.044, 0.054)


class Capsule(NamedTuple):
    """A tapered capsule in a joint's frame; its cross-section is an ellipse, wide along `side`."""

    joint: int
    start: np.ndarray  # (3,) metres
    end: np.ndarray  # (3,)
    at_start: Width  # half width along side and half depth across it, metres
    at_end: Width
    side: np.ndarray  # (3,)


def capsule_body(clip: Clip) -> Skin:
    """A mesh bound rigidly, piece by piece, to the clip's skeleton."""
    skeleton = clip.skeleton
    pieces = _pieces(skeleton, _looks(clip))
    positions, rotations = skeleton.rest_world
    vertices, triangles, owners, count = [], [], [], 0
    for piece in pieces:
        points, faces = capsule(piece)
        vertices.append(positions[piece.joint] + rotation.rotate(rotations[piece.joint], points))
        triangles.append(faces + count)
        owners.append(np.full(len(points), piece.joint))
        count += len(points)
    joints = np.repeat(np.concatenate(owners)[:, None], 4, axis=1).astype(np.int32)
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    inverse = inverse_matrices(positions, rotations)
    return Skin(np.concatenate(vertices), np.concatenate(triangles).astype(np.int32), joints, weights, inverse)


def capsule(piece: Capsule) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) in the joint's frame and outward triangles (F, 3) of one piece."""
    axis = piece.end - piece.start
    length = float(np.linalg.norm(axis))
    axis = axis / length if length > 0 else rotation.UP
    side = _unit(piece.side - (piece.side @ axis) * axis, _any_across(axis))
    depth = np.cross(axis, side)
    # rings from pole to pole: distance along the axis, and the half axes of the ellipse there
    bend = np.linspace(0.0, np.pi / 2, CAP_RINGS + 1)
    (w0, d0), (w1, d1) = piece.at_start, piece.at_end
    along = np.concatenate([-min(w0, d0) * np.cos(bend), length + min(w1, d1) * np.cos(bend[::-1])])
    width = np.concatenate([w0 * np.sin(bend), w1 * np.sin(bend[::-1])])[1:-1, None]
    deep = np.concatenate([d0 * np.sin(bend), d1 * np.sin(bend[::-1])])[1:-1, None]
    turn = np.linspace(0.0, 2 * np.pi, SEGMENTS, endpoint=False)
    ring = (
        along[1:-1, None, None] * axis
        + (width * np.cos(turn))[..., None] * side
        + (deep * np.sin(turn))[..., None] * depth
    )
    points = np.concatenate([along[:1, None] * axis, ring.reshape(-1, 3), along[-1:, None] * axis])
    return piece.start + points, _tube(len(ring))


def _tube(rings: int) -> np.ndarray:
    """Triangles (F, 3) of a pole, that many rings, and another pole."""
    k = np.arange(SEGMENTS)
    after = (k + 1) % SEGMENTS
    last = 1 + rings * SEGMENTS
    faces = [np.stack([np.zeros_like(k), 1 + after, 1 + k], axis=1)]
    for r in range(rings - 1):
        low, high = 1 + r * SEGMENTS, 1 + (r + 1) * SEGMENTS
        faces.append(np.stack([low + k, low + after, high + k], axis=1))
        faces.append(np.stack([low + after, high + after, high + k], axis=1))
    low = 1 + (rings - 1) * SEGMENTS
    faces.append(np.stack([low + k, low + after, np.full_like(k, last)], axis=1))
    return np.concatenate(faces)


# --- which pieces ---------------------------------------------------------------------------------------------
class BodyAxes(NamedTuple):
    """Directions in each joint's frame, from the motion: the body's left, and up while the joint is low."""

    left: np.ndarray  # (J, 3)
    up: np.ndarray  # (J, 3)
    places: np.ndarray  # (T, J, 3) the motion they are from
    turns: np.ndarray  # (T, J, 4)
    ahead: np.ndarray  # (T, 3) where the body faces


def _looks(clip: Clip) -> BodyAxes:
    skeleton, pose = clip.skeleton, clip.pose
    if clip.frames:
        pose = pose.at(np.linspace(0, clip.frames - 1, min(clip.frames, LOOKS)).astype(int))
    else:
        pose = Pose(skeleton.offsets[None, 0], skeleton.rest[None])
    positions, rotations = world_transforms(skeleton, pose)
    roles = skeleton.roles
    left = np.tile([1.0, 0.0, 0.0], (len(positions), 1))
    if roles.left_hip is not None and roles.right_hip is not None:
        left = positions[:, roles.left_hip] - positions[:, roles.right_hip]
    back = rotation.conjugate(rotations)
    low = positions[..., 1] <= np.quantile(positions[..., 1], 0.3, axis=0)  # standing on it, for a foot
    up = (rotation.rotate(back, rotation.UP) * low[..., None]).sum(axis=0)
    ahead = np.cross(left, rotation.UP)
    return BodyAxes(rotation.rotate(back, left[:, None]).sum(axis=0), up, positions, rotations, ahead)


def _pieces(skeleton: Skeleton, looks: BodyAxes) -> list[Capsule]:
    roles, height = skeleton.roles, max(skeleton.height, 1e-3)
    role_of = roles.of_joints() if roles.confidence >= SURE else {}
    pieces: list[Capsule] = []
    # joints that only carry the body through the world: a bone to them would be a post in the floor
    above = with_ancestors(skeleton.parents, [skeleton.parents[roles.pelvis]]) if role_of else set()
    for joint in range(len(skeleton)):
        if joint in above:
            continue
        role = role_of.get(joint, "")
        side = role.split("_")[-1]
        tips = _tips(skeleton, joint, height)
        if role == "head":
            pieces.append(_head(skeleton, joint, tips, looks, height))
        elif side in ("ankle", "toe"):
            pieces.extend(_foot(joint, side, tips, looks, height))
        elif side == "wrist":
            pieces.extend(_hand(skeleton, joint, role, looks, height))
        elif role in ("pelvis", "spine"):
            pieces.extend(_trunk(skeleton, joint, role, tips, looks, height))
        else:
            sizes = _sizes(side, height)
            pieces.extend(_bone(joint, tip, sizes, looks, height) for tip in tips)
    if not pieces:
        radius = 0.05 * height if height > 1e-3 else 0.1
        pieces.append(Capsule(0, np.zeros(3), np.zeros(3), (radius,) * 2, (radius,) * 2, looks.left[0]))
    return pieces


def _tips(skeleton: Skeleton, joint: int, height: float) -> list[np.ndarray]:
    """Where the joint's bones end, in its frame: children and end sites, those of no length left out."""
    ends = [skeleton.offsets[c] for c in np.flatnonzero(skeleton.parents == joint)]
    ends += [skeleton.end_offsets[e] for e in np.flatnonzero(skeleton.end_parents == joint)]
    return [tip for tip in ends if np.linalg.norm(tip) > 2e-3 * height]


def _sizes(part: str, height: float) -> tuple[Width, Width] | None:
    known = {**LIMBS, "neck": (NECK, NECK), "finger": (FINGER, FINGER)}.get(part)
    return None if known is None else (_scaled(known[0], height), _scaled(known[1], height))


def _bone(joint: int, tip: np.ndarray, sizes: tuple[Width, Width] | None, looks: BodyAxes, height: float) -> Capsule:
    if sizes is None:  # a bone nobody knows: slender, in proportion to its length
        radius = float(np.clip(0.13 * np.linalg.norm(tip), 0.004 * height, 0.04 * height))
        sizes = ((radius, radius), (0.8 * radius, 0.8 * radius))
    return Capsule(joint, np.zeros(3), tip, *sizes, looks.left[joint])


def _trunk(
    skeleton: Skeleton, joint: int, role: str, tips: list[np.ndarray], looks: BodyAxes, height: float
) -> list[Capsule]:
    """Pelvis or spine: one elliptic piece up the spine, and for the pelvis one from hip to hip."""
    roles = skeleton.roles
    line = [roles.pelvis, *roles.spine, *(roles.neck[:1] or [j for j in (roles.head,) if j is not None])]
    lengths = [float(np.linalg.norm(skeleton.offsets[j])) for j in line[1:]]
    total = max(sum(lengths), 1e-9)
    at = line.index(joint)
    pieces = []
    if at < len(lengths) and skeleton.parents[line[at + 1]] == joint and lengths[at] > 2e-3 * height:
        shares = sum(lengths[:at]) / total, sum(lengths[: at + 1]) / total
        low, high = (_scaled(_trunk_size(share), height) for share in shares)
        tip = skeleton.offsets[line[at + 1]]
        if shares[1] > 0.99:  # the chest ends in a dome under the neck, not above it
            tip = tip * (1.0 - min(0.5, 0.5 * min(high) / lengths[at]))
        pieces.append(Capsule(joint, np.zeros(3), tip, low, high, looks.left[joint]))
    if role == "pelvis":
        if roles.left_hip is not None and roles.right_hip is not None:
            positions, rotations = skeleton.rest_world  # the hips may hang from joints between that do not turn
            hips = positions[[roles.left_hip, roles.right_hip]] - positions[joint]
            ends, size = rotation.rotate(rotation.conjugate(rotations[joint]), hips), _scaled(HIP_JOINT, height)
            pieces.append(Capsule(joint, ends[0], ends[1], size, size, looks.up[joint]))
    elif at == len(line) - 1:  # a chest that nothing continues: what hangs from it is drawn thinly
        pieces.extend(_bone(joint, tip, None, looks, height) for tip in tips)
    return pieces


def _trunk_size(at: float) -> Width:
    """Half width and depth at a share of the trunk's height: pelvis 0, waist 0.35, chest 0.8, shoulders 1."""
    stops = np.array([0.0, 0.35, 0.8, 1.0])
    table = np.array([PELVIS, WAIST, CHEST, SHOULDERS])
    return float(np.interp(at, stops, table[:, 0])), float(np.interp(at, stops, table[:, 1]))


def _head(skeleton: Skeleton, joint: int, tips: list[np.ndarray], looks: BodyAxes, height: float) -> Capsule:
    """An upright ellipsoid from chin to crown: a short capsule, round above and below."""
    parent = skeleton.parents[joint]
    up = _unit(looks.up[joint], rotation.UP)
    crown = max((float(np.linalg.norm(t)) for t in tips), default=0.0) or 0.12 * height
    toward = max(tips, key=lambda t: float(np.linalg.norm(t)), default=up)
    axis = _unit(toward if parent >= 0 and toward @ up > 0.5 * np.linalg.norm(toward) else up, up)
    width, depth = _scaled(HEAD, height)
    top = np.clip(crown, 0.09 * height, 0.15 * height) - width
    low = top - 0.045 * height
    return Capsule(joint, low * axis, top * axis, (0.9 * width, 0.9 * depth), (width, depth), looks.left[joint])


def _foot(joint: int, part: str, tips: list[np.ndarray], looks: BodyAxes, height: float) -> list[Capsule]:
    """A flat wedge: from behind and under the ankle to the ball, or from the ball to the toes; and an instep."""
    up = _unit(looks.up[joint], rotation.UP)
    reach = max(tips, key=lambda t: float(np.linalg.norm(t)), default=np.zeros(3))
    ahead = _unit(reach - (reach @ up) * up, np.cross(looks.left[joint], up))
    side = np.cross(up, ahead)
    if part == "toe":
        tip = 0.035 * height * ahead
        return [Capsule(joint, np.zeros(3), tip, _scaled(FOOT_FRONT, height), _scaled(TOE_TIP, height), side)]
    ball = reach if len(tips) else 0.1 * height * ahead - 0.03 * height * up
    drop = min(ball @ up, -0.015 * height)
    heel = drop * up * 0.85 - 0.022 * height * ahead
    back, front = _scaled(FOOT_BACK, height), _scaled(FOOT_FRONT, height)
    shin = _scaled(LIMBS["knee"][1], height)
    return [
        Capsule(joint, heel, ball, back, front, side),
        Capsule(joint, np.zeros(3), 0.6 * heel + 0.4 * ball, shin, back, side),
    ]


def _hand(skeleton: Skeleton, joint: int, role: str, looks: BodyAxes, height: float) -> list[Capsule]:
    """A flat paddle toward the middle of the fingers, where there are some; else a simple hand with a thumb."""
    tips = _tips(skeleton, joint, height)
    reach = np.mean(tips, axis=0) if tips else np.zeros(3)
    length = float(np.linalg.norm(reach))
    if len(tips) > 1:
        tip = reach / length * max(length, 0.045 * height) if length > 0 else 0.05 * height * rotation.AXES["X"]
        return [Capsule(joint, np.zeros(3), tip, _scaled(HAND, height), _scaled(HAND_TIP, height), tips[0] - tips[-1])]
    chain = [getattr(skeleton.roles, f"{role.split('_')[0]}_{part}") for part in ("shoulder", "elbow", "wrist")]
    if None in chain:
        return [_bone(joint, tip, None, looks, height) for tip in tips]
    along = reach if length > 0 else _in_frame(looks, joint, chain[1])
    axes = hand_axes(looks.places[:, chain], looks.turns[:, joint], along, looks.ahead, role.startswith("left"))
    pieces = []
    for part in SIMPLE_HAND:
        start, end = (height * (np.array(place) @ axes) for place in (part.start, part.end))
        thick, thin = ((height * r, height * r) for r in part.radii)
        pieces.append(Capsule(joint, start, end, thick, thin, axes[1]))
    return pieces


def _in_frame(looks: BodyAxes, joint: int, before: int) -> np.ndarray:
    """(3,) the way from the joint before on through a joint, in its frame."""
    on = looks.places[:, joint] - looks.places[:, before]
    return np.asarray(rotation.rotate(rotation.conjugate(looks.turns[:, joint]), on).mean(axis=0))


def _scaled(size: Width, height: float) -> Width:
    return size[0] * height, size[1] * height


def _unit(v: np.ndarray, fallback: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(v))
    if length > 1e-9:
        return v / length
    length = float(np.linalg.norm(fallback))
    return fallback / length if length > 1e-9 else rotation.UP


def _any_across(axis: np.ndarray) -> np.ndarray:
    """Some unit vector at right angles to a unit axis."""
    other = rotation.AXES["X"] if abs(axis[0]) < 0.8 else rotation.AXES["Z"]
    return _unit(np.cross(axis, other), rotation.UP)
