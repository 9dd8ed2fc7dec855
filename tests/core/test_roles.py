"""Roles: every naming habit, no names at all, odd bodies, overrides, and bodies that are none."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from bodies import BODY, MIXAMO, NAMINGS, SINGLE, body
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.role_names import parse_name
from footfall.core.roles import Roles, find_roles
from footfall.core.skeleton import Skeleton


def unnamed(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, names=tuple(f"J{j}" for j in range(len(skeleton))))


def singles(roles: Roles) -> dict[str, int | None]:
    return {role: getattr(roles, role) for role in SINGLE}


@pytest.mark.parametrize("naming", NAMINGS)
def test_every_naming_gives_every_role(naming: str) -> None:
    skeleton, index = body(NAMINGS[naming])
    roles = skeleton.roles
    assert singles(roles) == {role: index.get(role) for role in SINGLE}
    assert roles.spine == tuple(index[r] for r in ("spine0", "spine1", "spine2") if r in index)
    assert roles.neck == (index["neck0"],)
    assert set(roles.fingers) == {j for role, j in index.items() if "finger" in role or "thumb" in role}
    assert roles.confidence > 0.95, roles.how


@pytest.mark.parametrize("naming", NAMINGS)
def test_shape_alone_gives_the_same_roles(naming: str) -> None:
    skeleton, _ = body(NAMINGS[naming])
    by_name, by_shape = asdict(skeleton.roles), asdict(unnamed(skeleton).roles)
    for key in ("confidence", "how"):
        by_name.pop(key), by_shape.pop(key)
    assert by_shape == by_name
    assert 0.4 <= unnamed(skeleton).roles.confidence < skeleton.roles.confidence


@given(
    seed=st.integers(0, 10**6),
    scale=st.floats(0.01, 1000.0),
    stretch=st.floats(0.85, 1.15),
)
def test_shape_alone_is_found_in_any_size_orientation_and_listing(seed: int, scale: float, stretch: float) -> None:
    rng = np.random.default_rng(seed)
    skeleton, index = body(scale=scale)
    lengths = np.repeat(rng.uniform(min(1.0, stretch), max(1.0, stretch), (len(skeleton), 1)), 3, axis=1)
    for role, j in index.items():  # both sides alike, up to 3 %
        if role.startswith("right"):
            lengths[j] = lengths[index[role.replace("right", "left")]] * rng.uniform(0.97, 1.03)
    order = _shuffled_parent_first(skeleton.parents, rng)
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    turn = rotation.normalize(rng.normal(size=4))
    shuffled = Skeleton(
        tuple(f"J{k}" for k in range(len(order))),
        np.array([-1 if skeleton.parents[j] < 0 else place[skeleton.parents[j]] for j in order]),
        (skeleton.offsets * lengths)[order],
        rest=np.array([turn] + [rotation.IDENTITY] * (len(order) - 1)),
        end_parents=place[skeleton.end_parents],
        end_offsets=skeleton.end_offsets,
    )
    assert singles(shuffled.roles) == {role: place[index[role]] for role in SINGLE}


def _shuffled_parent_first(parents: np.ndarray, rng: np.random.Generator) -> list[int]:
    ready, order = [0], []
    while ready:
        j = ready.pop(int(rng.integers(len(ready))))
        order.append(j)
        ready.extend(np.flatnonzero(parents == j).tolist())
    return order


def test_helpers_ends_and_twists_take_no_role() -> None:
    extra = (
        ("HeadTop_End", "head", (0.0, 0.2, 0.0)),
        ("LeftUpLegTwist", "left_hip", (0.0, -0.21, 0.0)),
        ("LeftEye", "head", (0.03, 0.08, 0.08)),
        ("LeftToe_End", "left_toe", (0.0, 0.0, 0.06)),
        ("ik_foot_l", "pelvis", (0.1, -0.9, 0.0)),
        ("ik_hand_l", "pelvis", (0.5, 0.4, 0.0)),
        ("LeftHandThumb_Nub", "left_thumb0", (0.02, 0.0, 0.0)),
    )
    skeleton, index = body(MIXAMO, extra)
    roles = skeleton.roles
    assert singles(roles) == {role: index[role] for role in SINGLE}
    assert not {index[name] for name, _, _ in extra} & {*roles.spine, *roles.neck, *roles.fingers}


def test_a_twist_inside_the_limb_is_passed_through() -> None:
    names = ("Hips", "Spine", "Neck", "Head", "LeftUpLeg", "LeftUpLegTwist", "LeftLeg", "LeftFoot",
             "RightUpLeg", "RightUpLegTwist", "RightLeg", "RightFoot")  # fmt: skip
    parents = np.array([-1, 0, 1, 2, 0, 4, 5, 6, 0, 8, 9, 10])
    y = [1, 0.3, 0.2, 0.1, -0.02, -0.2, -0.2, -0.4, -0.02, -0.2, -0.2, -0.4]
    x = [0, 0, 0, 0, 0.1, 0, 0, 0, -0.1, 0, 0, 0]
    roles = Skeleton(names, parents, np.stack([x, y, np.zeros(12)], axis=1)).roles
    assert (roles.left_hip, roles.left_knee, roles.left_ankle) == (4, 6, 7)


def test_zero_length_helpers_above_the_true_joint() -> None:
    """LHipJoint and __lThigh sit at the pelvis; the joint above the knee is the hip."""
    names = ("hip", "abdomen", "head", "__lThigh", "lThigh", "lShin", "lFoot", "RHipJoint", "rThigh", "rShin", "rFoot")
    parents = np.array([-1, 0, 1, 0, 3, 4, 5, 0, 7, 8, 9])
    offsets = np.zeros((11, 3))
    offsets[[4, 8], 0] = 0.1, -0.1
    offsets[[5, 6, 9, 10], 1] = -0.4
    offsets[[1, 2], 1] = 0.3
    roles = Skeleton(names, parents, offsets).roles
    assert (roles.pelvis, roles.left_hip, roles.right_hip) == (0, 4, 8)
    assert (roles.left_knee, roles.right_ankle) == (5, 10)


def test_the_pelvis_is_found_below_a_root_on_the_floor() -> None:
    skeleton, index = body()
    rooted = Skeleton(
        ("joint_Root", *skeleton.names), np.array([-1, *(skeleton.parents + 1)]),
        np.concatenate([np.zeros((1, 3)), skeleton.offsets]),
    )  # fmt: skip
    assert rooted.roles.pelvis == index["pelvis"] + 1
    assert unnamed(rooted).roles.pelvis == index["pelvis"] + 1


def test_a_zero_pose_with_all_bones_along_x() -> None:
    skeleton, index = body(NAMINGS["bandai"])
    offsets = np.zeros((len(skeleton), 3))
    offsets[:, 0] = np.linalg.norm(skeleton.offsets, axis=1)
    for role, j in index.items():
        if role.endswith(("_hip", "_clavicle")):
            offsets[j, 1] = 0.06 * (1 if role.startswith("left") else -1)
    zero = replace(skeleton, offsets=offsets, end_parents=np.zeros(0, int), end_offsets=np.zeros((0, 3)))
    assert singles(zero.roles) == singles(skeleton.roles)
    assert singles(unnamed(zero).roles) == singles(skeleton.roles)
    assert unnamed(zero).roles.confidence <= 0.4
    assert "guessed" in unnamed(zero).roles.how


def test_names_against_shape_lower_the_confidence_and_say_so() -> None:
    good, index = body()
    crossed = replace(good, names=tuple(_other_side(name) for name in good.names))
    assert crossed.roles.left_knee == index["right_knee"]  # names decide
    assert crossed.roles.confidence < good.roles.confidence - 0.1
    assert "opposite" in crossed.roles.how
    wrong = {**MIXAMO, "left_knee": MIXAMO["left_ankle"], "left_ankle": MIXAMO["left_knee"]}
    wrong_roles = body(wrong)[0].roles
    assert wrong_roles.confidence < good.roles.confidence


def _other_side(name: str) -> str:
    return name.replace("Left", "#").replace("Right", "Left").replace("#", "Right")


def test_overrides_win_and_unknown_ones_are_refused() -> None:
    skeleton, index = body()
    given_roles = skeleton.with_roles(left_toe="mixamorig:LeftFoot", pelvis="mixamorig:Spine").roles
    assert (given_roles.left_toe, given_roles.pelvis) == (index["left_ankle"], index["spine0"])
    assert "given" in given_roles.how
    args = (skeleton.names, skeleton.parents, skeleton.rest_positions, np.zeros(0, int), np.zeros((0, 3)))
    with pytest.raises(UnknownName, match="left_knee"):
        find_roles(*args, {"left_knie": "mixamorig:LeftLeg"})
    with pytest.raises(UnknownName, match="LeftLeg"):
        find_roles(*args, {"left_knee": "mixamorig:LeftLegg"})
    with pytest.raises(ParameterError, match="chain"):
        find_roles(*args, {"spine": "mixamorig:Spine"})


def test_a_quadruped_has_no_roles_whatever_its_names_say() -> None:
    names = ["Hip", "Spine", "Chest", "Neck", "Head"]
    parents, offsets = [-1, 0, 1, 2, 3], [(0, 0.6, 0), (0, 0, 0.3), (0, 0, 0.3), (0, 0.15, 0.15), (0, 0.1, 0.1)]
    for side, s in (("Left", 1), ("Right", -1)):
        for trunk, parts in ((2, ("UpperArm", "ForeArm", "Hand")), (0, ("UpLeg", "Leg", "Foot"))):
            for k, part in enumerate(parts):
                names.append(side + part)
                parents.append(trunk if k == 0 else len(parents) - 1)
                offsets.append((0.08 * s, 0, 0) if k == 0 else (0, -0.28, 0.02))
    beast = Skeleton(tuple(names), np.array(parents), np.array(offsets, float))
    for skeleton in (beast, unnamed(beast)):
        assert set(singles(skeleton.roles).values()) == {None, 0}
        assert skeleton.roles.confidence <= 0.1


@given(seed=st.integers(0, 10**6), joints=st.integers(1, 40))
def test_any_tree_with_any_names_gives_roles_and_never_an_error(seed: int, joints: int) -> None:
    rng = np.random.default_rng(seed)
    parents = np.array([-1] + [int(rng.integers(max(0, j - 4), j)) for j in range(1, joints)])
    words = [*MIXAMO.values(), *NAMINGS["asf"].values(), *NAMINGS["numbered"].values(), "end", "x", "左", ""]
    names = tuple(f"{rng.choice(words)}.{j}" for j in range(joints))
    offsets = rng.normal(size=(joints, 3)) * (rng.random((joints, 1)) < 0.8)
    skeleton = Skeleton(names, parents, offsets, end_parents=np.array([joints - 1]), end_offsets=np.ones((1, 3)))
    roles = skeleton.roles
    assert 0.0 <= roles.confidence <= 1.0
    assert roles.how
    assert all(j is None or 0 <= j < joints for j in singles(roles).values())
    assert np.isfinite(skeleton.height)
    assert skeleton.height >= 0


def test_toy_chains_have_a_root_and_nothing_else() -> None:
    toy = Skeleton(("base", "child1", "child2"), np.array([-1, 0, 1]), np.eye(3))
    assert toy.roles.pelvis == 0
    assert toy.roles.confidence == 0.0
    assert toy.height == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["chain", "star", "comb"])
def test_huge_skeletons_neither_recurse_nor_hang(kind: str) -> None:
    n = 20_000
    parents = np.arange(-1, n - 1)
    if kind == "star":
        parents[1:] = 0
    elif kind == "comb":
        parents[2::2] = parents[1:-1:2]
    rest = np.stack([np.zeros(n), np.arange(n), np.zeros(n)], axis=1)
    names = tuple(f"leg_l_{j}" for j in range(n))
    roles = find_roles(names, parents, rest.astype(float), np.zeros(0, int), np.zeros((0, 3)), {})
    assert roles.confidence < 0.3


@given(seed=st.integers(0, 10**6))
def test_height_is_measured_along_the_bones_not_in_the_rest_pose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    straight, index = body()
    rest = np.tile(rotation.IDENTITY, (len(straight), 1))
    for role in ("left_hip", "right_knee", "spine1", "left_shoulder"):
        rest[index[role]] = rotation.exp(rng.uniform(-1, 1, 3))
    assert replace(straight, rest=rest).height == pytest.approx(straight.height, rel=1e-9)
    assert straight.height == pytest.approx(0.84 * 1.08 + 0.03 + 0.11 + 0.13 + 0.13 + 0.16 + 0.1 + 0.18, abs=0.01)


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [
        ("mixamorig:LeftUpLeg", "left", "hip"), ("lfemur", "left", "hip"), ("rtibia", "right", "knee"),
        ("MiddleSpine", "", "spine"), ("RightHandMiddle2", "right", "finger"), ("HeadTop_End", "", "helper"),
        ("lefttoeend", "left", "helper"), ("upperarm_twist_01_l", "left", "helper"), ("ik_foot_root", "", "helper"),
        ("Bip01 R Calf", "right", "knee"), ("ring_01.r", "right", "finger"), ("leg", "", "leg"), ("Root", "", "helper"),
        ("walker_shin_l", "left", "knee"), ("J17", "", ""), ("", "", ""), ("radius.L", "left", "elbow"),
    ],
)  # fmt: skip
def test_single_names(name: str, side: str, part: str) -> None:
    assert parse_name(name) == (side, part)


def test_every_body_joint_is_covered_by_the_fixtures() -> None:
    assert {role for role, _, _ in BODY} == set(MIXAMO)


@pytest.mark.parametrize(
    "file",
    [
        "cmu_bvh/walk_straight/02_01.bvh", "cmu_bvh/jump/13_39.bvh", "smartbody/catching_Low_Right.bvh",
        "bandai_namco/dataset-1_walk_normal_001.bvh", "oddball/wild/daz_mixed_orders_pirouette.bvh",
        "oddball/wild/makehuman_one_frame.bvh", "oddball/wild/mixamorig_freebvh.bvh",
        "oddball/wild/pybvh_bvh_test1.bvh", "oddball/wild/mocapbank_crlf.bvh", "cmu_asfamc/02.asf",
        "deepmimic/humanoid3d_walk.txt", "gltf/CesiumMan.glb", "gltf/mannequiny-0.3.0.glb",
        "gltf/mesh2motion_human-male.glb", "npz/WalkingStickLeft_BR.npz",
    ],
)  # fmt: skip
def test_captured_skeletons_by_names_and_without_them(mocap: Path, file: str) -> None:
    from footfall.io.load import load_all

    skeleton = load_all(mocap / file)[0].skeleton
    roles = skeleton.roles
    legs = [getattr(roles, f"{side}_{part}") for side in ("left", "right") for part in ("hip", "knee", "ankle")]
    assert None not in legs
    assert roles.confidence > 0.95, roles.how
    assert 0.9 < skeleton.height < 2.1
    assert singles(unnamed(skeleton).roles) == singles(roles)


def test_a_captured_fox_is_no_person(mocap: Path) -> None:
    from footfall.io.load import load_all

    roles = load_all(mocap / "gltf/Fox.glb")[0].skeleton.roles
    assert roles.left_hip is None
    assert roles.left_shoulder is None
    assert roles.confidence <= 0.1
