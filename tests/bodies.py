"""Bodies under the names of many tools, in any pose, size and orientation: for roles and conventions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.skeleton import Skeleton

# role (or chain entry), parent, offset in metres; a T-pose facing +Z, Y up
BODY: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("pelvis", "", (0.0, 0.95, 0.0)),
    ("spine0", "pelvis", (0.0, 0.11, 0.0)),
    ("spine1", "spine0", (0.0, 0.13, 0.0)),
    ("spine2", "spine1", (0.0, 0.13, 0.0)),
    ("neck0", "spine2", (0.0, 0.16, 0.0)),
    ("head", "neck0", (0.0, 0.10, 0.01)),
    *(
        row
        for side, s in (("left", 1.0), ("right", -1.0))
        for row in (
            (f"{side}_clavicle", "spine2", (0.03 * s, 0.11, 0.0)),
            (f"{side}_shoulder", f"{side}_clavicle", (0.14 * s, 0.0, 0.0)),
            (f"{side}_elbow", f"{side}_shoulder", (0.28 * s, 0.0, 0.0)),
            (f"{side}_wrist", f"{side}_elbow", (0.25 * s, 0.0, 0.0)),
            (f"{side}_finger0", f"{side}_wrist", (0.09 * s, 0.0, 0.0)),
            (f"{side}_finger1", f"{side}_finger0", (0.04 * s, 0.0, 0.0)),
            (f"{side}_thumb0", f"{side}_wrist", (0.04 * s, 0.0, 0.03)),
            (f"{side}_hip", "pelvis", (0.09 * s, -0.03, 0.0)),
            (f"{side}_knee", f"{side}_hip", (0.0, -0.42, 0.0)),
            (f"{side}_ankle", f"{side}_knee", (0.0, -0.42, 0.0)),
            (f"{side}_toe", f"{side}_ankle", (0.0, -0.06, 0.14)),
        )
    ),
)
ENDS = {"head": (0.0, 0.18, 0.0), "left_toe": (0.0, 0.0, 0.06), "right_toe": (0.0, 0.0, 0.06)}
SINGLE = tuple(
    ["pelvis", "head"]
    + [f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle", "toe")]
    + [f"{side}_{part}" for side in ("left", "right") for part in ("clavicle", "shoulder", "elbow", "wrist")]
)
TRUNK = ("pelvis", "spine0", "spine1", "spine2", "neck0", "head")
LIMBS = ("clavicle", "shoulder", "elbow", "wrist", "finger0", "finger1", "thumb0", "hip", "knee", "ankle", "toe")


def _sided(pattern: str, left: str, right: str, limbs: str, trunk: str) -> dict[str, str]:
    """Names from "{side}{part}"-like patterns; "-" in a list leaves the joint out."""
    names = dict(zip(TRUNK, trunk.split(), strict=True))
    for side, mark in (("left", left), ("right", right)):
        names |= {
            f"{side}_{role}": pattern.format(s=mark, p=part) if part != "-" else "-"
            for role, part in zip(LIMBS, limbs.split(), strict=True)
        }
    return {role: name.replace("~", " ") for role, name in names.items() if name != "-"}


NAMINGS = {
    "mixamo": _sided(
        "mixamorig:{s}{p}", "Left", "Right",
        "Shoulder Arm ForeArm Hand HandIndex1 HandIndex2 HandThumb1 UpLeg Leg Foot ToeBase",
        "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck mixamorig:Head",
    ),
    "bandai": _sided(
        "{p}_{s}", "L", "R", "Shoulder UpperArm LowerArm Hand - - - UpperLeg LowerLeg Foot Toes",
        "Hips Spine Chest UpperChest Neck Head",
    ),
    "smpl": _sided(
        "{s}_{p}", "L", "R", "Collar Shoulder Elbow Wrist Hand - - Hip Knee Ankle Foot",
        "Pelvis Spine1 Spine2 Spine3 Neck Head",
    ),
    "smplx": _sided(
        "{s}_{p}", "left", "right", "collar shoulder elbow wrist index1 index2 thumb1 hip knee ankle foot",
        "pelvis spine1 spine2 spine3 neck head",
    ),
    "unreal": _sided(
        "{p}_{s}", "l", "r", "clavicle upperarm lowerarm hand index_01 index_02 thumb_01 thigh calf foot ball",
        "pelvis spine_01 spine_02 spine_03 neck_01 head",
    ),
    "asf": _sided(
        "{s}{p}", "l", "r", "clavicle humerus radius wrist hand fingers thumb femur tibia foot toes",
        "root lowerback upperback thorax lowerneck head",
    ),
    "daz": _sided(
        "{s}{p}", "l", "r", "Collar Shldr ForeArm Hand Index1 Index2 Thumb1 Thigh Shin Foot -",
        "hip abdomen abdomen2 chest neck head",
    ),
    "smartbody": _sided(
        "{s}{p}", "L", "R", "Clavicle Shoulder Forearm Hand Finger1 Finger11 Finger0 Thigh Shin Foot Toe",
        "Hip LowerSpine MiddleSpine Chest Neck Head",
    ),
    "blender": _sided(
        "{p}.{s}", "L", "R",
        "shoulder upper_arm forearm hand f_index.01 f_index.02 thumb.01 thigh shin foot toe",
        "hips spine spine.001 chest neck head",
    ),
    "biped": _sided(
        "Bip01~{s}~{p}", "L", "R", "Clavicle UpperArm Forearm Hand Finger1 Finger11 Finger0 Thigh Calf Foot Toe0",
        "Bip01~Pelvis Bip01~Spine Bip01~Spine1 Bip01~Spine2 Bip01~Neck Bip01~Head",
    ),
    "vrm": _sided(
        "J_Bip_{s}_{p}", "L", "R",
        "Shoulder UpperArm LowerArm Hand Index1 Index2 Thumb1 UpperLeg LowerLeg Foot ToeBase",
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head",
    ),
    "deepmimic": _sided(
        "{s}_{p}", "left", "right", "- shoulder elbow wrist - - - hip knee ankle -", "root - - chest neck head"
    ),
    "lowercase": _sided(
        "{s}{p}", "left", "right", "shoulder arm forearm hand handindex1 - - upleg leg foot toebase",
        "hips spine spine1 spine2 neck head",
    ),
    "numbered": _sided(
        "Skeleton_{p}_{s}", "L", "R", "- arm_joint_1 arm_joint_2 arm_joint_3 - - - leg_1 leg_2 leg_3 leg_5",
        "torso_1 torso_2 torso_3 torso_4 neck_1 head",
    ),
}  # fmt: skip
MIXAMO = NAMINGS["mixamo"]


def body(
    naming: dict[str, str] | None = None,
    extra: tuple[tuple[str, str, tuple[float, float, float]], ...] = (),
    scale: float = 1.0,
) -> tuple[Skeleton, dict[str, int]]:
    """A skeleton under a naming, and the joint of every role; joints the naming lacks are left out.

    `extra` joints are (name, parent role, offset) and go last.
    """
    names = naming or MIXAMO
    index: dict[str, int] = {}
    offset_of = {role: np.array(offset) for role, _, offset in BODY}
    parents, offsets, labels = [], [], []
    parent_of = {role: parent for role, parent, _ in BODY}
    for role, parent, _ in BODY:
        if role not in names:
            continue
        offset = offset_of[role].copy()
        while parent and parent not in names:  # a joint left out passes its length on
            offset, parent = offset + offset_of[parent], parent_of[parent]
        index[role] = len(labels)
        labels.append(names[role])
        parents.append(index[parent] if parent else -1)
        offsets.append(offset)
    for name, parent, extra_offset in extra:
        index[name] = len(labels)
        labels.append(name)
        parents.append(index[parent])
        offsets.append(np.array(extra_offset))
    ends = [(index[role], offset) for role, offset in ENDS.items() if role in index]
    skeleton = Skeleton(
        tuple(labels), np.array(parents), np.array(offsets) * scale,
        end_parents=np.array([j for j, _ in ends]), end_offsets=np.array([o for _, o in ends]) * scale,
    )  # fmt: skip
    return skeleton, index


def along_bones(clip: Clip) -> Clip:
    """The same motion of the same body on a rig such as modelling tools make: every joint's second axis lies along its
    bone, so that no joint rests unturned."""
    skeleton = clip.skeleton
    over, turn = skeleton.parents, np.tile(rotation.IDENTITY, (len(skeleton), 1))
    for j in range(len(skeleton)):
        bones = [*skeleton.offsets[over == j], *skeleton.end_offsets[skeleton.end_parents == j]]
        if bones:
            turn[j] = rotation.between(rotation.UP, rotation.unit(bones[0]))
    back = rotation.conjugate(turn)

    def turned(rot: np.ndarray) -> np.ndarray:
        made = np.array(rotation.multiply(rot, turn))
        made[..., 1:, :] = rotation.multiply(back[over[1:]], made[..., 1:, :])
        return made

    rig = replace(
        skeleton,
        offsets=np.concatenate([skeleton.offsets[:1], rotation.rotate(back[over[1:]], skeleton.offsets[1:])]),
        rest=turned(skeleton.rest),
        end_offsets=rotation.rotate(back[skeleton.end_parents], skeleton.end_offsets),
    )
    return replace(clip, skeleton=rig, pose=clip.pose._replace(rot=turned(clip.pose.rot)))
