"""Units, up and facing: recovered from bodies written in every convention, believed when given, harmless on toys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bodies import NAMINGS, body
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.conventions import CMU_UNIT, FACINGS, UNITS, UP_AXES, Conventions, find_conventions
from footfall.io.raw import RawMotion, ReadOptions

AXIS_TURNS = {
    up: rotation.IDENTITY if up == "y" else rotation.between(rotation.UP, np.array(axis, float))
    for up, axis in UP_AXES.items()
}


def written(
    unit_m: float = 1.0, up: str = "y", quarter: int = 0, frames: int = 12, seed: int = 0, scale: float = 1.0
) -> RawMotion:
    """A body of scale * 1.8 m standing and swaying, as a file in that unit, up axis and facing would hold it."""
    rng = np.random.default_rng(seed)
    skeleton, _ = body(scale=scale)
    turn = rotation.multiply(AXIS_TURNS[up], rotation.yaw(quarter * np.pi / 2))
    sway = rotation.exp(rng.normal(scale=0.1, size=(frames, len(skeleton), 3)))
    sway[:, 0] = rotation.multiply(turn, sway[:, 0])
    root = rotation.rotate(turn, np.array([0.3, 0.95, 2.0]) * scale + rng.normal(scale=0.05, size=(frames, 3)))
    return RawMotion(
        skeleton.transformed(turn, 1.0 / unit_m), 60.0, Pose(root / unit_m, rotation.continuous_signs(sway))
    )


def found(raw: RawMotion, **options: object) -> Conventions:
    return find_conventions(raw, raw.skeleton, ReadOptions(**options))  # type: ignore[arg-type]


def same_turn(a: np.ndarray, b: np.ndarray) -> bool:
    return float(rotation.angle_between(a, b)) < 1e-7


@given(
    unit=st.sampled_from(["m", "cm", "mm", "inch"]),
    up=st.sampled_from(sorted(UP_AXES)),
    quarter=st.integers(0, 3),
    frames=st.sampled_from([0, 1, 2, 40]),
    scale=st.floats(0.75, 1.15),
    seed=st.integers(0, 1000),
)
def test_every_convention_is_recovered(unit: str, up: str, quarter: int, frames: int, scale: float, seed: int) -> None:
    raw = written(UNITS[unit][0], up, quarter, frames, seed, scale)
    result = found(raw)
    assert result.inferred["units"].value == unit
    assert result.unit_m == UNITS[unit][0]
    assert result.inferred["up"].value == up
    settled = raw.skeleton.transformed(result.world_from_file, result.unit_m)
    rest, roles = settled.rest_positions, settled.roles
    assert rest[roles.head][1] > rest[roles.left_ankle][1] + 1.0 * scale  # stands up
    assert rest[roles.left_hip][0] > rest[roles.right_hip][0] + 0.1 * scale  # faces +Z, so left is +X
    assert rest[roles.left_toe][2] > rest[roles.left_ankle][2] + 0.1 * scale
    assert all(0.0 <= i.confidence <= 1.0 and i.how for i in result.inferred.values())
    assert min(result.inferred[k].confidence for k in ("units", "up", "facing")) > 0.3


def test_the_ordinary_file_is_not_turned_at_all() -> None:
    result = found(written(0.01))
    assert np.array_equal(result.world_from_file, [1.0, 0.0, 0.0, 0.0])
    assert result.inferred["rest_pose"].value == "T"
    assert result.inferred["roles"].value["left_knee"] == "mixamorig:LeftLeg"


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_the_turn_found_undoes_the_turn_written(quarter: int) -> None:
    result = found(written(0.01, "y", quarter))
    assert same_turn(result.world_from_file, rotation.yaw(-quarter * np.pi / 2))


def test_what_is_given_is_believed() -> None:
    raw = written(0.01)
    result = found(raw, unit_m=0.3048, up="z")
    assert result.unit_m == 0.3048
    assert result.inferred["units"] == ("foot", "given by the caller", 1.0)
    assert result.inferred["up"] == ("z", "given by the caller", 1.0)
    raw.unit_m, raw.up = 0.02, "-x"
    result = found(raw)
    assert result.unit_m == 0.02
    assert result.inferred["units"] == ("0.02 m", "the format says so", 1.0)
    assert result.inferred["up"].value == "-x"
    assert found(raw, unit_m=1.0).unit_m == 1.0  # the caller knows better than the format


@pytest.mark.parametrize("facing", FACINGS)
def test_a_given_facing_is_believed(facing: str) -> None:
    result = found(written(0.01), facing=facing)
    assert result.inferred["facing"] == (facing, "given by the caller", 1.0)
    named = {"z": (0, 0, 1), "x": (1, 0, 0), "-z": (0, 0, -1), "-x": (-1, 0, 0)}[facing]
    assert np.allclose(rotation.rotate(result.world_from_file, np.array(named, float)), [0, 0, 1])
    with pytest.raises(ParameterError, match="'north'"):
        found(written(0.01), facing="north")


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_unit_is_refused(bad: float) -> None:
    with pytest.raises(ParameterError, match="unit_m"):
        found(written(), unit_m=bad)


def test_an_impossible_up_is_refused() -> None:
    with pytest.raises(ParameterError, match="'w'"):
        found(written(), up="w")


def test_cmu_names_and_size_give_the_cmu_unit() -> None:
    skeleton, index = body(scale=1.0 / CMU_UNIT)
    names = list(skeleton.names)
    names[index["spine0"]] = "LowerBack"
    names += ["LHipJoint", "RHipJoint"]
    parents = np.append(skeleton.parents, [0, 0])
    cmu = Skeleton(tuple(names), parents, np.concatenate([skeleton.offsets, np.zeros((2, 3))]),
                   end_parents=skeleton.end_parents, end_offsets=skeleton.end_offsets)  # fmt: skip
    result = found(RawMotion(cmu, 120.0, Pose(np.zeros((0, 3)), np.zeros((0, len(cmu), 4)))))
    assert result.unit_m == CMU_UNIT
    assert result.inferred["units"].confidence > 0.9
    millimetres = cmu.transformed(rotation.IDENTITY, CMU_UNIT * 1000)  # the names alone decide nothing
    result = found(RawMotion(millimetres, 120.0, Pose(np.zeros((0, 3)), np.zeros((0, len(cmu), 4)))))
    assert result.unit_m == 0.001


def test_a_toy_keeps_the_usual_conventions_with_low_confidence() -> None:
    toy = Skeleton(("base", "tip"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 3.0, 0]]))
    rot = np.tile(rotation.IDENTITY, (5, 2, 1))
    result = found(RawMotion(toy, 30.0, Pose(np.zeros((5, 3)), rot)))
    assert result.unit_m == 0.01
    assert np.array_equal(result.world_from_file, rotation.IDENTITY)
    assert max(result.inferred[k].confidence for k in ("units", "up", "facing")) <= 0.3


def test_a_size_no_unit_explains_is_not_trusted() -> None:
    result = found(written(1.0, scale=60.0))  # 108 units: 1.08 m in cm
    assert result.inferred["units"].confidence < 0.8
    assert found(written(1.0, scale=1e6)).inferred["units"].confidence < 0.05


def test_a_zero_pose_is_recognised_and_never_turned() -> None:
    """All bones along +X at rest, upright in the frames: up comes from the frames, facing is left alone."""
    skeleton, index = body(NAMINGS["bandai"])
    offsets = np.zeros((len(skeleton), 3))
    offsets[:, 0] = np.linalg.norm(skeleton.offsets, axis=1)
    rot = np.tile(rotation.IDENTITY, (4, len(skeleton), 1))
    stand, hang = (
        rotation.between(np.array([1.0, 0, 0]), rotation.UP),
        rotation.axis_angle(np.array([0, 0, 1.0]), np.pi),
    )
    rot[:, 0] = stand
    for side in ("left", "right"):
        rot[:, index[f"{side}_hip"]] = hang
    zero = Skeleton(skeleton.names, skeleton.parents, offsets)
    result = found(RawMotion(zero, 30.0, Pose(np.zeros((4, 3)), rot), unit_m=1.0))
    assert np.array_equal(result.world_from_file, rotation.IDENTITY)
    assert result.inferred["up"].value == "y"
    assert result.inferred["rest_pose"].value == "zero pose: bones along +X"


@pytest.mark.parametrize(("down", "label"), [(0.0, "T"), (45.0, "A"), (85.0, "standing arms down"), (-80.0, "other")])
def test_rest_poses_are_named(down: float, label: str) -> None:
    skeleton, index = body()
    rest = np.tile(rotation.IDENTITY, (len(skeleton), 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        rest[index[f"{side}_shoulder"]] = rotation.axis_angle(np.array([0, 0, 1.0]), sign * np.radians(down))
    posed = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets, rest=rest,
                     end_parents=skeleton.end_parents, end_offsets=skeleton.end_offsets)  # fmt: skip
    raw = RawMotion(posed, 30.0, Pose(np.zeros((0, 3)), np.zeros((0, len(posed), 4))), unit_m=1.0)
    assert found(raw).inferred["rest_pose"].value == label


@pytest.mark.parametrize(
    ("file", "unit", "up", "turned"),
    [
        ("cmu_bvh/walk_straight/02_01.bvh", "CMU unit (5.6444 cm)", "y", False),
        ("bandai_namco/dataset-1_walk_normal_001.bvh", "cm", "y", False),
        ("smartbody/catching_Low_Right.bvh", "cm", "y", False),
        ("oddball/derived/millimetres_exponents__02_01.bvh", "mm", "y", False),
        ("oddball/wild/pybvh_bvh_test1.bvh", "inch", "z", True),
        ("oddball/wild/daz_mixed_orders_pirouette.bvh", "cm", "y", False),
    ],
)
def test_captures(mocap: Path, file: str, unit: str, up: str, turned: bool) -> None:
    from footfall.io.load import load

    source = load(mocap / file).source
    assert source.inferred["units"].value == unit
    assert source.inferred["units"].confidence > 0.9
    assert source.inferred["up"].value == up
    assert (source.world_from_file != (1.0, 0.0, 0.0, 0.0)) == turned
