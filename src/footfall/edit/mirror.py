"""Mirroring: left and right exchanged, on the same body.

With M the reflection x -> -x and m(j) the partner of joint j, the mirrored world rotation is W'_j = M W_m(j) C_j. The
reflection C_j takes joint j's own axes to its partner's, so that j's bones land on the partner's mirrored ones. It
comes from the rest pose where that is symmetric. The zero pose of some files is not (every bone along +X, right limbs
along -X): there C_j is the reflection of axes that fits the bones and, for the turn about them, the clip's mean pose.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import permutations, product

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.core.pose import Pose
from footfall.core.roles import ARM, LEG
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import local_rotations, world_transforms

FLIP = np.diag([-1.0, 1.0, 1.0])
AGREES = np.cos(np.radians(25.0))  # bones this near to where the rest pose's symmetry puts them confirm it
_WORDS = re.compile(r"left|right", re.IGNORECASE)
_LETTER = re.compile(r"(?:^|(?<=[_.\-: ]))[lrLR](?=[_.\-: ]|$)|^[lrLR](?=[A-Z])")
_NUMBER = re.compile(r"_\d+$")  # some exporters number every joint: LeftArm_09, RightArm_06


def mirror(clip: Clip) -> Clip:
    """The motion seen in a mirror: x reversed, each side doing what the other did; names and bones stay."""
    skeleton, pose = clip.skeleton, clip.pose
    partner = partners(skeleton)
    _, world = world_transforms(skeleton, pose)
    axes = reflections(skeleton, partner, _usual(clip, world))  # (J, 3, 3)
    # M W C is a proper rotation; as quaternions: M W M turns (w, x, y, z) into (w, x, -y, -z), and M C is proper too
    mirrored = world[..., partner, :] * rotation.MIRROR_ROTATION
    fixed = rotation.from_matrix(FLIP @ axes)
    rot = local_rotations(skeleton.parents, rotation.normalize(rotation.multiply(mirrored, fixed)))
    alone = one_sided(skeleton, partner)
    rot[..., alone, :] = pose.rot[..., alone, :]
    pos = None
    if pose.pos is not None:
        # of a limb's bone only what it stretches by goes to the other side: the body stays this one
        own = np.where((partner == np.arange(len(skeleton)))[:, None], 0.0, skeleton.offsets)
        by_parent = np.transpose(axes[np.maximum(skeleton.parents, 0)], (0, 2, 1))
        pos = own + np.einsum("jab,...jb->...ja", by_parent, (pose.pos - own)[..., partner, :])
        pos[..., alone, :] = pose.pos[..., alone, :]
    events = tuple(Event(other_side(e.name, loosely=False), e.start_s, e.end_s) for e in clip.events)
    result = Pose(pose.root_pos * rotation.MIRROR_VECTOR, rotation.continuous_signs(rot), pos)
    return clip.with_pose(result, events=events)


def _usual(clip: Clip, world: np.ndarray) -> np.ndarray:
    """(J, 4) mean world rotation of each joint over the clip, as if it always faced +Z; the rest pose if no frames."""
    if not clip.frames:
        return clip.skeleton.rest_world[1]
    ahead = rotation.yaw(-clip.root_motion.heading)[:, None]
    return rotation.average(rotation.multiply(ahead, world), axis=0)


def partners(skeleton: Skeleton) -> np.ndarray:
    """(J,) the joint on the other side of each; itself for joints of the middle. By role, name, then place."""
    partner = np.arange(len(skeleton))
    for role in (*LEG, *ARM):
        left, right = (getattr(skeleton.roles, f"{side}_{role}") for side in ("left", "right"))
        if left is not None and right is not None:
            partner[left], partner[right] = right, left
    for names in (skeleton.names, [_NUMBER.sub("", name) for name in skeleton.names]):
        by_name = {name: j for j, name in enumerate(names) if names.count(name) == 1}
        for name, j in by_name.items():
            other = by_name.get(other_side(name))
            if partner[j] == j and other is not None and partner[other] == other:
                partner[j], partner[other] = other, j
    _pair_by_place(skeleton, partner)
    for j in range(1, len(skeleton)):  # partners must hang on partners, or the bodies' halves would be torn apart
        if partner[skeleton.parents[j]] != skeleton.parents[partner[j]]:
            partner[partner[j]] = partner[j]
            partner[j] = j
    return partner


def one_sided(skeleton: Skeleton, partner: np.ndarray) -> np.ndarray:
    """(J,) joints with nothing opposite, such as a sword in one hand: they stay with their parent as they are."""
    alone = np.zeros(len(skeleton), bool)
    for j in range(1, len(skeleton)):
        parent = skeleton.parents[j]
        alone[j] = alone[parent] or partner[parent] != skeleton.parents[partner[j]]
    return alone


def _pair_by_place(skeleton: Skeleton, partner: np.ndarray) -> None:
    """Joints without a sided name whose parents are partners, and whose bones are each other's mirror image."""
    for j in range(1, len(skeleton)):
        across = partner[skeleton.parents[j]]
        if partner[j] != j or across == skeleton.parents[j]:
            continue
        free = [c for c in np.flatnonzero(skeleton.parents == across) if partner[c] == c]
        if free:
            rest = skeleton.rest_positions
            want = FLIP @ (rest[j] - rest[skeleton.parents[j]])
            best = min(free, key=lambda c: float(np.linalg.norm(rest[c] - rest[across] - want)))
            partner[j], partner[best] = best, j


def reflections(skeleton: Skeleton, partner: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """(J, 3, 3) reflections C_j from each joint's axes to its partner's; C of the partner is the inverse.

    usual (J, 4): typical world rotations of a body that faces +Z. They decide what the bones leave open, the turn about
    a single bone, from the first joint on whose bones are not where the rest pose's symmetry puts them; unless clear,
    a joint then does as its parent.
    """
    rest, typical = rotation.to_matrix(skeleton.rest), rotation.to_matrix(usual)
    result = np.empty((len(skeleton), 3, 3))
    trusted = np.ones(len(skeleton), bool)
    for j in range(len(skeleton)):
        m, parent = int(partner[j]), int(skeleton.parents[j])
        if m < j:
            result[j], trusted[j] = result[m].T, trusted[m]
            continue
        ours, theirs = _bones(skeleton, partner, j)
        by_rest = rest[m].T @ (FLIP if parent < 0 else result[parent]) @ rest[j]
        trusted[j] = (parent < 0 or trusted[parent]) and _takes(by_rest, ours, theirs)
        by_pose = typical[m].T @ FLIP @ typical[j]
        result[j] = by_rest if trusted[j] else _fit(by_pose + 0.5 * by_rest, ours, theirs, symmetric=m == j)
    return result


def _bones(skeleton: Skeleton, partner: np.ndarray, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Bones (N, 3) of joint j and, row by row, those of its partner that they should land on."""
    m = partner[j]
    ours: list[np.ndarray] = []
    theirs: list[np.ndarray] = []
    for child in np.flatnonzero(skeleton.parents == j):
        if skeleton.parents[partner[child]] == m:
            ours.append(skeleton.offsets[child])
            theirs.append(skeleton.offsets[partner[child]])
    mine, its = (np.flatnonzero(skeleton.end_parents == joint) for joint in (j, m))
    if len(mine) == len(its) == 1:
        ours.append(skeleton.end_offsets[mine[0]])
        theirs.append(skeleton.end_offsets[its[0]])
    a, b = np.reshape(ours, (-1, 3)), np.reshape(theirs, (-1, 3))
    real = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1) > 1e-9
    return a[real], b[real]


def _takes(reflection: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether it takes every one of our bones to about the direction of theirs."""
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    return bool((((ours @ reflection.T) * theirs).sum(axis=1) >= AGREES * lengths).all())


def _fit(near: np.ndarray, ours: np.ndarray, theirs: np.ndarray, symmetric: bool) -> np.ndarray:
    """The reflection that takes our bones onto theirs and is otherwise nearest to the given one.

    Axes of joints are nearly always mirror images up to their names and signs, so those reflections are tried first:
    then neither unequal bones nor an asymmetric motion can tilt the body.
    """
    if symmetric:
        near = 0.5 * (near + near.T)
    exact = [c for c in _axis_reflections() if _takes(c, ours, theirs) and (not symmetric or (c == c.T).all())]
    if exact:
        return max(exact, key=lambda c: float((c * near).sum()))
    aim = theirs.T @ ours / (theirs**2).sum()  # orthogonal Procrustes, with a little of `near` for what is open
    if symmetric:
        aim = 0.5 * (aim + aim.T)
    u, _, vt = np.linalg.svd(aim + 0.01 * near)
    return u @ np.diag([1.0, 1.0, -np.linalg.det(u @ vt)]) @ vt


@cache
def _axis_reflections() -> list[np.ndarray]:
    """The 24 reflections that take each axis to plus or minus an axis."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.eye(3)[list(order)] * np.array(signs)
            if np.linalg.det(matrix) < 0:
                found.append(matrix)
    return found


def other_side(name: str, loosely: bool = True) -> str:
    """The name with its side exchanged: LeftFoot, foot_l, L_Foot, foot.L; loosely also lfoot. Else the same name."""
    if _WORDS.search(name):
        return _WORDS.sub(lambda m: _like(m.group(), "right" if m.group().lower() == "left" else "left"), name)
    other = _LETTER.sub(lambda m: _like(m.group(), "r" if m.group().lower() == "l" else "l"), name)
    if other == name and loosely:  # only for names that are looked up afterwards: "run" is no left "lun"
        other = name[:1].translate(str.maketrans("lrLR", "rlRL")) + name[1:]
    return other


def _like(model: str, word: str) -> str:
    """The word in the case of the model."""
    return word.upper() if model.isupper() else word.title() if model.istitle() else word
