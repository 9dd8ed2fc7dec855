"""Feet that are IK targets beside the leg, not children of the shin: attached to the shin, so that a leg is one chain.

Rigs made for an animator's hands are often exported as they are: the foot hangs from the root, and the shin ends in
nothing. Wherever the joints were, they still are; only who carries whom is told otherwise. What is written back to such
a file moves its own nodes, the feet included.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Skin
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.io.raw import RawMotion, Reading
from footfall.kinematics.fk import local_positions, local_rotations, with_ancestors, world_transforms

STILL = 1e-5  # of the body's extent: bones that change their length by less do not stretch
FAR = 2.0  # thighs from knee to foot at rest: what is farther is no foot of this leg. By eye


def with_feet_on_legs(raw: RawMotion, reading: Reading) -> RawMotion:
    """The motion with every loose foot below its shin; as it is where there is none."""
    skeleton = raw.skeleton
    loose = _loose(skeleton)
    if raw.settled or not loose:
        return raw
    parents = skeleton.parents.copy()
    parents[list(loose)] = list(loose.values())
    order = _parent_first(parents)
    index = np.argsort(order)  # old joint -> new
    above = np.array([-1 if parents[j] < 0 else index[parents[j]] for j in order], np.int32)
    names = ", ".join(skeleton.names[j] for j in loose)
    reading.warn("", f"{names} hang beside the legs, as targets of IK do; read as the ends of the shins")
    places, turns = skeleton.rest_world[0][order], skeleton.rest_world[1][order]
    rig = skeleton.rig
    if rig is not None:
        rig = rig._replace(nodes=tuple(rig.nodes[j] for j in order), names=tuple(rig.names[j] for j in order))
    hung = Skeleton(
        tuple(skeleton.names[j] for j in order),
        above,
        local_positions(above, places, turns),
        local_rotations(above, turns),
        index[skeleton.end_parents],
        skeleton.end_offsets,
        skeleton.role_overrides,
        rig,
    )
    pose = _pose(raw, hung, order)
    return replace(raw, skeleton=hung, pose=pose, skin=None if raw.skin is None else _skin(raw.skin, order, index))


def _loose(skeleton: Skeleton) -> dict[int, int]:
    """Ankle -> knee, for ankles that hang elsewhere and a knee that carries nothing."""
    found = {}
    for side in SIDES:
        hip, knee, ankle = skeleton.roles.joints(side, "hip", "knee", "ankle")
        if None in (hip, knee, ankle) or knee in with_ancestors(skeleton.parents, [ankle]):
            continue
        places = skeleton.rest_positions
        thigh, shin = np.linalg.norm(places[knee] - places[hip]), np.linalg.norm(places[ankle] - places[knee])
        if ankle not in with_ancestors(skeleton.parents, [knee]) and 0.0 < shin <= FAR * thigh:
            found[ankle] = knee
    return found


def _parent_first(parents: np.ndarray) -> list[int]:
    """Joints in an order with every parent before its children, otherwise as they were."""
    order: list[int] = []
    placed = np.zeros(len(parents), bool)

    def place(joint: int) -> None:
        line = []
        while joint >= 0 and not placed[joint]:
            line.append(joint)
            joint = int(parents[joint])
        for each in reversed(line):
            placed[each] = True
            order.append(each)

    for joint in range(len(parents)):
        place(joint)
    return order


def _pose(raw: RawMotion, hung: Skeleton, order: list[int]) -> Pose:
    """The same places and turns in the world, told from the new parents."""
    if not len(raw.pose.root_pos):
        return Pose(raw.pose.root_pos, np.zeros((0, len(hung), 4)))
    places, turns = world_transforms(raw.skeleton, raw.pose)
    places, turns = places[:, order], turns[:, order]
    parents = np.maximum(hung.parents, 0)
    back = rotation.conjugate(turns[:, parents])
    rot = rotation.normalize(rotation.multiply(back, turns))
    rot[:, 0] = turns[:, 0]
    pos = rotation.rotate(back, places - places[:, parents])
    pos[:, 0] = hung.offsets[0]
    extent = float(np.ptp(hung.rest_positions, axis=0).max())
    stretches = np.abs(pos - hung.offsets)[:, 1:].max(initial=0.0) > STILL * extent
    return Pose(raw.pose.root_pos, rot, pos if stretches else None)


def _skin(skin: Skin, order: list[int], index: np.ndarray) -> Skin:
    return replace(skin, joints=index[skin.joints].astype(np.int32), inverse_bind=skin.inverse_bind[order])
