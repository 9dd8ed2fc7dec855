"""World positions and rotations of named bones (.npz with positions, quaternions, bone_names, parent_indices).

Such files do not say whether a quaternion is xyzw or wxyz, nor whether it is a bone's rotation in the world or in its
parent. The data does: bones are rigid, so under the right reading each bone's start stands still in its parent's
frame. All four readings are tried and the one that holds is taken, or the file is refused.

This reader also answers for every .npz no other reader claims, with what was found in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.pose import Pose
from footfall.core.skeleton import MAX_JOINTS, Skeleton
from footfall.io.npz_safe import Npz, shown_keys
from footfall.io.raw import RawMotion, Reading
from footfall.kinematics.fk import local_positions, local_rotations

READS = (".npz",)
NAMES = ("bone_names", "joint_names", "names")
PARENTS = ("parent_indices", "parents")
RATES = ("framerate", "frame_rate", "fps", "mocap_framerate", "mocap_frame_rate")
LAYOUTS = (
    "poses + trans (AMASS), positions + quaternions + bone_names + parent_indices, positions alone, or a file written "
    "by footfall"
)
FITS = 0.05  # a bone may wander by this share of the body's size (capture noise, sliding spines)
ENOUGH = 2000  # frames that decide between the readings
RIGID = 0.01  # below this share the bones are taken as rigid


class Guess(NamedTuple):
    """One way to read the quaternions, and how far bones wander under it."""

    order: str  # "xyzw" or "wxyz"
    space: str  # "world" or "parent"
    world: np.ndarray  # (T, J, 4) wxyz
    offsets: np.ndarray  # (T, J, 3) each joint in its parent's frame
    wander: float  # file units: largest over joints of the 99 % distance from the median place


def recognises(reading: Reading) -> bool:
    return True  # last of the npz readers: what nobody else knows is refused here, with its keys


def read(reading: Reading) -> list[RawMotion]:
    with Npz(reading) as archive:
        archive.warn_of_pickles()
        names_key, parents_key = archive.first_of(*NAMES), archive.first_of(*PARENTS)
        if not ({"positions", "quaternions"} <= set(archive.keys) and names_key and parents_key):
            raise reading.fail("", LAYOUTS, f"the arrays {shown_keys(archive.keys)}")
        positions, quaternions = archive.numbers("positions"), archive.numbers("quaternions")
        names, parents = archive.text(names_key), archive.array(parents_key, "iu").astype(np.int64)
        fps = archive.frame_rate(RATES)
        title = archive.text("name")[:1] if "name" in archive and archive.is_text("name") else []
    _check_shapes(reading, positions, quaternions, names, parents)
    order = parent_first(reading, parents)
    place = np.argsort(order)
    parents = np.array([-1, *place[parents[order[1:]]]])
    names, positions, quaternions = [names[i] for i in order], positions[:, order], quaternions[:, order]
    guess, sure = _best_guess(reading, positions, quaternions, parents)
    skeleton, pose, error = _motion(names, parents, positions, guess)
    how = f"bones keep their place in their parents to {error:.3g} units only under this reading"
    if sure < 0.9:
        how = "the body moves too little to tell; this reading is the usual"
    inferred = {"rotations": Inferred(f"{guess.order}, in the {guess.space}", how, sure)}
    return [RawMotion(skeleton, fps, pose, name=title[0] if title else "", inferred=inferred)]


def _check_shapes(
    reading: Reading, positions: np.ndarray, quaternions: np.ndarray, names: list[str], parents: np.ndarray
) -> None:
    joints = len(names)
    if positions.ndim != 3 or positions.shape[1:] != (joints, 3) or not 1 <= joints <= MAX_JOINTS:
        raise reading.fail("positions", f"shape (frames, {joints}, 3)", f"{positions.shape}")
    if quaternions.shape != (len(positions), joints, 4):
        raise reading.fail("quaternions", f"shape ({len(positions)}, {joints}, 4)", f"{quaternions.shape}")
    if parents.shape != (joints,):
        raise reading.fail("parent_indices", f"one parent for each of {joints} bones", f"{parents.shape}")
    if not len(positions):
        raise reading.fail("positions", "at least one frame", "none")
    lengths = np.linalg.norm(quaternions, axis=-1)
    if lengths.min() < 1e-3:
        frame, joint = np.unravel_index(lengths.argmin(), lengths.shape)
        raise reading.fail(f"quaternions[{frame}, {joint}]", "a unit quaternion", "zeros")
    if np.abs(lengths - 1.0).max() > 1e-2:
        reading.warn("quaternions", f"lengths from {lengths.min():.3g} to {lengths.max():.3g}: made unit length")
    if len(set(names)) != joints:
        raise reading.fail("bone_names", "names that differ from each other", "the same name twice")


def parent_first(reading: Reading, parents: np.ndarray) -> np.ndarray:
    """An order (J,) of the joints with every parent before its children, as near the file's as can be."""
    joints = len(parents)
    if np.count_nonzero(parents == -1) != 1 or (parents < -1).any() or (parents >= joints).any():
        raise reading.fail("parent_indices", f"one root (-1) and parents below {joints}", f"{parents[:8].tolist()}")
    depth = np.full(joints, -1)
    depth[parents < 0] = 0
    for level in range(joints):  # settles one level of the tree a round
        found = (depth < 0) & (depth[parents] == level)
        if not found.any():
            break
        depth[found] = level + 1
    if (depth < 0).any():
        raise reading.fail("parent_indices", "a tree", "a cycle")
    in_order = (parents < np.arange(joints)).all()
    return np.arange(joints) if in_order else np.argsort(depth, kind="stable")


def _best_guess(
    reading: Reading, positions: np.ndarray, quaternions: np.ndarray, parents: np.ndarray
) -> tuple[Guess, float]:
    """The reading under which bones are rigid, and how sure that is (the runner-up says)."""
    size = float(np.ptp(positions, axis=1).max()) or 1.0
    some = slice(None, None, 1 + len(positions) // ENOUGH)
    guesses = [
        _guess(positions[some], quaternions[some], parents, order, space)
        for space in ("world", "parent")
        for order in ("xyzw", "wxyz")
    ]
    best = min(guesses, key=lambda g: g.wander)  # the first of equals: world, xyzw
    if best.wander > FITS * size:
        found = f"bones that slide by {best.wander / size:.0%} of the body's size under every reading"
        raise reading.fail("quaternions", "rotations that fit the positions", found)
    second = min(g.wander for g in guesses if g is not best)
    sure = 0.95
    if second <= 3 * best.wander + 1e-6 * size:
        best, sure = (guesses[0], 0.3) if guesses[0].wander <= FITS * size else (best, 0.6)
    return _guess(positions, quaternions, parents, best.order, best.space), sure


def _guess(positions: np.ndarray, quaternions: np.ndarray, parents: np.ndarray, order: str, space: str) -> Guess:
    world = rotation.normalize(quaternions if order == "wxyz" else quaternions[..., [3, 0, 1, 2]])
    if space == "parent":
        for j, parent in enumerate(parents[1:], start=1):
            world[:, j] = rotation.multiply(world[:, parent], world[:, j])
    offsets = local_positions(parents, positions, world)
    offsets[:, 0] = 0.0
    distance = np.linalg.norm(offsets - np.median(offsets, axis=0), axis=-1)  # (T, J)
    wander = float(np.quantile(distance, 0.99, axis=0).max())
    return Guess(order, space, world, offsets, wander)


def _motion(names: list[str], parents: np.ndarray, positions: np.ndarray, guess: Guess) -> tuple[Skeleton, Pose, float]:
    """Skeleton, poses and how far rigid bones are from the file; poses keep positions where bones do slide."""
    offsets = np.median(guess.offsets, axis=0)
    slide = float(np.linalg.norm(guess.offsets - offsets, axis=-1).max())
    rigid = slide <= RIGID * float(np.ptp(positions, axis=1).max())
    pose = Pose(positions[:, 0], local_rotations(parents, guess.world), None if rigid else guess.offsets)
    return Skeleton(tuple(names), parents, offsets), pose, slide
