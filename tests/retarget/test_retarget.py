"""Retargeting: rest poses must not matter, identity, scale, feet on the floor, and real captures on other bodies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bodies import MIXAMO, NAMINGS, body
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import footfall as ff
from footfall.analysis.floor import find_floor
from footfall.core import rotation
from footfall.core.errors import ParameterError, SkeletonError, UnknownName
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.motions.body import adult
from footfall.quality.skate import skate
from footfall.retarget.chains import along_chain, bone_shares, same_curve
from footfall.retarget.character import CharacterWarning, character
from footfall.retarget.retarget import retarget
from footfall_lab.retarget_kept import end_gaps, kept, knee_bend

WALK = ff.motion("walk")
ENDS = ("head", "left_wrist", "right_wrist", "left_ankle", "right_ankle")


def ends(clip: ff.Clip) -> np.ndarray:
    """(T, 5, 3) head, wrists and ankles."""
    return clip.positions[:, [getattr(clip.skeleton.roles, role) for role in ENDS]]


def posed(skeleton: Skeleton, turns: dict[str, np.ndarray]) -> Skeleton:
    """The same body whose file rests in another pose, joints unturned: offsets below each named joint are turned."""
    world = np.tile(rotation.IDENTITY, (len(skeleton), 1))
    for j, parent in enumerate(skeleton.parents):
        above = rotation.IDENTITY if parent < 0 else world[parent]
        world[j] = rotation.multiply(above, turns.get(skeleton.names[j], rotation.IDENTITY))
    offsets = skeleton.offsets.copy()
    offsets[1:] = rotation.rotate(world[skeleton.parents[1:]], offsets[1:])
    return replace(skeleton, offsets=offsets, end_offsets=rotation.rotate(world[skeleton.end_parents],
                                                                        skeleton.end_offsets))  # fmt: skip


def with_axes(skeleton: Skeleton, rng: np.random.Generator) -> Skeleton:
    """The same body in the same rest pose with the axes of every joint turned at random."""
    axes = rotation.normalize(rng.normal(size=(len(skeleton), 4)))
    above = np.concatenate([[rotation.IDENTITY], axes[skeleton.parents[1:]]])
    return replace(
        skeleton,
        offsets=rotation.rotate(rotation.conjugate(above), skeleton.offsets),
        rest=rotation.multiply(rotation.conjugate(above), axes),
        end_offsets=rotation.rotate(rotation.conjugate(axes[skeleton.end_parents]), skeleton.end_offsets),
    )


# --- identity ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["walk", "run", "jump", "kick", "wave", "turn-in-place"])
def test_onto_its_own_body_nothing_changes(name):
    clip = ff.motion(name)
    same = retarget(clip, clip.skeleton, floor="keep")
    assert np.abs(same.positions - clip.positions).max() < 1e-6
    assert rotation.angle_between(same.pose.rot, clip.pose.rot).max() < 1e-6


@pytest.mark.parametrize(
    "name",
    [
        "cmu_bvh/walk_straight/07_01.bvh",
        "cmu_bvh/run_straight/09_01.bvh",
        "cmu_asfamc/02_01.amc",
        "bandai_namco/dataset-1_walk_normal_001.bvh",
        "smartbody/catching_Far_Left.bvh",
        "deepmimic/humanoid3d_walk.txt",
    ],
)
def test_captures_onto_their_own_body_do_not_change(mocap, name):
    clip = ff.load(mocap / name)
    same = retarget(clip, clip, floor="keep")
    assert np.abs(same.positions - clip.positions).max() < 1e-6
    assert rotation.angle_between(same.pose.rot, clip.pose.rot).max() < 1e-6


def test_mirrored_before_or_after_is_the_same():
    other, _ = body()
    before = retarget(WALK.mirror(), other, floor="keep")
    after = retarget(WALK, other, floor="keep").mirror()
    assert np.abs(ends(before) - ends(after)).max() < 2e-3
    twice = retarget(WALK.mirror().mirror(), other, floor="keep")
    assert np.abs(twice.positions - retarget(WALK, other, floor="keep").positions).max() < 1e-6


@pytest.mark.parametrize("motion", ["walk", "jump", "kick", "reach"])
def test_there_and_back(motion):
    clip, other = ff.motion(motion), character(body()[0])
    back = retarget(retarget(clip, other), clip.skeleton, source=other)
    assert np.linalg.norm(ends(back) - ends(retarget(clip, clip.skeleton)), axis=-1).max() < 0.01


@pytest.mark.parametrize(
    ("name", "onto"),
    [
        ("cmu_bvh/walk_straight/08_05.bvh", "adult"),
        ("cmu_bvh/walk_straight/16_31.bvh", "adult:0.9"),
        ("cmu_bvh/transition/104_53.bvh", "gltf/mesh2motion_human-male.glb"),
        ("cmu_bvh/run_turn/16_41.bvh", "bandai_namco/dataset-1_walk_normal_001.bvh"),
        ("bandai_namco/dataset-1_run_normal_001.bvh", "cmu_bvh/walk_straight/07_01.bvh"),
    ],
)
def test_captures_there_and_back(mocap, name, onto):
    clip = ff.load(mocap / name)
    own, other = character(clip), character(mocap / onto if "/" in onto else onto)
    back = retarget(retarget(clip, other), own, source=other)
    gaps = end_gaps(back, retarget(clip, own))
    assert max(gaps.values()) < 0.0125, gaps  # 1 cm is met by the share of takes that docs/results.md gives


def test_the_pelvis_rises_and_falls_as_in_the_source():
    clip, other = ff.motion("run"), body(scale=0.7)[0]
    out = retarget(clip, other)
    heights = [c.positions[:, c.skeleton.roles.pelvis, 1] for c in (clip, out)]
    scale = out.skeleton.leg_length / clip.skeleton.leg_length
    apart = heights[1] - scale * heights[0]
    assert np.ptp(apart) < 0.03 * out.skeleton.leg_length


# --- rest poses do not matter -------------------------------------------------------------------------------------
def about(axis: str, degrees: float) -> np.ndarray:
    return rotation.axis_angle(rotation.AXES[axis], np.radians(degrees))


RESTS = {
    "A-pose": {"LeftArm": about("Z", -45.0), "RightArm": about("Z", 45.0)},
    "arms down": {"LeftArm": about("Z", -85.0), "RightArm": about("Z", 85.0)},
    "splayed legs": {"LeftUpLeg": about("Z", 20.0), "RightUpLeg": about("Z", -20.0),
                     "LeftFoot": about("Z", -20.0), "RightFoot": about("Z", 20.0)},
}  # fmt: skip


@pytest.mark.parametrize("rest", RESTS)
def test_the_rest_pose_of_the_target_does_not_matter(rest):
    plain = retarget(WALK, adult())
    other = retarget(WALK, posed(adult(), RESTS[rest]))
    assert np.abs(plain.positions - other.positions).max() < 2e-3


@pytest.mark.parametrize("rest", RESTS)
def test_the_rest_pose_of_the_source_does_not_matter(rest):
    source = retarget(WALK, posed(adult(), RESTS[rest]))
    back = retarget(source, adult())
    assert np.abs(back.positions - retarget(WALK, adult()).positions).max() < 5e-3


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_the_axes_of_joints_do_not_matter(seed):
    rng, target = np.random.default_rng(seed), body()[0]
    clip = WALK.trim(0.0, 0.3)
    plain, other = retarget(clip, target), retarget(clip, with_axes(target, rng))
    assert np.abs(plain.positions - other.positions).max() < 1e-6


@pytest.mark.parametrize("naming", NAMINGS)
def test_limbs_point_the_same_way_on_every_naming_of_a_body(naming):
    target, _ = body(NAMINGS[naming])
    out = retarget(WALK, target)
    assert np.isfinite(out.positions).all()
    assert (knee_bend(out) > -0.02).all()
    for side in SIDES:
        for a, b in (("shoulder", "elbow"), ("elbow", "wrist")):
            ways = []
            for clip in (WALK, out):
                i, j = (getattr(clip.skeleton.roles, f"{side}_{part}") for part in (a, b))
                bone = clip.positions[:, j] - clip.positions[:, i]
                ways.append(bone / np.linalg.norm(bone, axis=-1, keepdims=True))
            assert np.abs(ways[0] - ways[1]).max() < 1e-6


def test_bones_along_x_say_nothing_and_the_clip_says_it_instead(mocap):
    clip = ff.load(mocap / "bandai_namco" / "dataset-1_walk_normal_001.bvh")
    out = retarget(clip)
    at, roles = out.positions, out.skeleton.roles
    up = at[:, roles.head] - at[:, roles.pelvis]
    assert (up[:, 1] > 0.9 * np.linalg.norm(up, axis=-1)).all()
    gaze = rotation.rotate(out_rotation(out, roles.head), rotation.AXES["Z"])
    ahead = rotation.rotate(rotation.yaw(out.root_motion.heading), rotation.AXES["Z"])
    assert (gaze * ahead).sum(axis=-1).min() > 0.85
    assert (at[:, roles.left_wrist, 1] < at[:, roles.left_shoulder, 1]).all()


def out_rotation(clip: ff.Clip, joint: int) -> np.ndarray:
    from footfall.kinematics.fk import world_transforms

    return world_transforms(clip.skeleton, clip.pose)[1][:, joint]


# --- chains ---------------------------------------------------------------------------------------------------------
@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_chains_agree_with_scipy_and_at_both_ends(n, m, seed):
    rng = np.random.default_rng(seed)
    turns = rotation.exp(rng.normal(scale=0.4, size=(3, n, 3)))
    shares = np.concatenate([[0.0], np.sort(rng.uniform(0.1, 0.9, n - 2)), [1.0]])
    wanted = np.concatenate([[0.0], np.sort(rng.uniform(0.1, 0.9, m - 2)), [1.0]])
    found = along_chain(turns, shares, wanted)
    assert rotation.angle_between(found[:, [0, -1]], turns[:, [0, -1]]).max() < 1e-9
    if n != m and (np.diff(shares) > 1e-3).all():
        for t in range(3):
            oracle = Slerp(shares, Rotation.from_quat(turns[t][:, [1, 2, 3, 0]]))(wanted).as_quat()[:, [3, 0, 1, 2]]
            assert rotation.angle_between(found[t], oracle).max() < 1e-6


@given(st.integers(3, 6), st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_a_chain_of_other_joints_runs_from_end_to_end_as_the_source_does(n, m, seed):
    rng = np.random.default_rng(seed)
    bones, ours = (np.array([0.0, 0.1, 0.0]) + rng.normal(scale=0.01, size=(k - 1, 3)) for k in (n, m))
    first = rotation.exp(rng.normal(size=(4, 1, 3)))
    bent = rotation.exp(rng.normal(scale=0.3, size=(4, n, 3)) * [1.0, 0.0, 1.0])
    bent[:, 0] = rotation.IDENTITY
    turns = rotation.multiply(first, bent)
    found = np.repeat(turns[:, :1], m, axis=1)
    found[:, -1] = turns[:, -1]
    out = same_curve(turns, bones, found, ours)
    assert rotation.angle_between(out[:, [0, -1]], turns[:, [0, -1]]).max() < 1e-9
    # its line, seen from the straight line between the ends at rest, points the same way
    ways = []
    for q, b in ((turns, bones), (out, ours)):
        line = rotation.rotate(rotation.conjugate(q[:, 0]), rotation.rotate(q[:, 1:-1], b[1:]).sum(axis=1))
        straight = rotation.rotate(rotation.between(b[1:].sum(axis=0), np.array([0.0, 1.0, 0.0])), line)
        ways.append(straight / np.linalg.norm(straight, axis=-1, keepdims=True))
    assert np.degrees(np.arccos(np.clip((ways[0] * ways[1]).sum(axis=-1), -1.0, 1.0))).max() < 12.0


def test_a_neck_of_one_joint_more_is_not_bent_by_its_rest_zigzag():
    zigzag = np.array([[0.0, 0.0, 0.0], [0.0, 0.08, 0.02], [0.0, 0.08, -0.02]])  # chest, then two neck bones
    one = np.array([[0.0, 0.0, 0.0], [0.0, 0.16, 0.0]])
    lean = np.stack([rotation.IDENTITY, about("X", 40.0), rotation.IDENTITY])[None]
    rest = np.tile(rotation.IDENTITY, (1, 4, 1))
    out = same_curve(lean, one, rest, zigzag)
    line = rotation.rotate(out[:, 1:-1], zigzag[1:]).sum(axis=1)[0]
    wanted = rotation.rotate(about("X", 40.0), np.array([0.0, 1.0, 0.0]))
    assert line / np.linalg.norm(line) == pytest.approx(wanted, abs=1e-9)
    assert np.linalg.norm(line) == pytest.approx(2 * np.hypot(0.08, 0.02), abs=1e-9)  # straight: both bones one way


def test_shares_follow_the_middle_of_bones():
    skeleton, index = body()
    chain = [index[r] for r in ("pelvis", "spine0", "spine1", "spine2")]
    shares = bone_shares(skeleton, chain, index["neck0"])
    middles = np.array([0.055, 0.175, 0.305, 0.45])  # of bones of 11, 13, 13 and 16 cm
    assert shares == pytest.approx((middles - 0.055) / (0.45 - 0.055))


def test_a_spine_of_one_joint_still_turns_the_chest_and_the_head():
    short = {k: v for k, v in MIXAMO.items() if k not in ("spine0", "spine1")}
    clip = ff.motion("punch")
    out = retarget(clip, body(short)[0])
    for role in ("head", "left_shoulder"):
        i, j = getattr(clip.skeleton.roles, role), getattr(out.skeleton.roles, role)
        own = rotation.multiply(out_rotation(out, j), rotation.conjugate(out.skeleton.rest_world[1][j]))
        assert rotation.angle_between(own, out_rotation(clip, i)).max() < 1e-6


# --- sizes and floors -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("height", [0.9, 2.1])
@pytest.mark.parametrize("name", ["walk", "run", "jump"])
def test_small_and_tall_bodies_travel_in_leg_lengths_and_stand_on_the_floor(height, name):
    clip = ff.motion(name)
    out = retarget(clip, f"adult:{height}")
    scale = out.skeleton.leg_length / clip.skeleton.leg_length
    assert scale == pytest.approx(height / adult().height)
    travel = [np.ptp(c.root_motion.position, axis=0) for c in (clip, out)]
    assert np.abs(travel[1] - scale * travel[0]).max() < 0.01
    floor = find_floor(out)
    assert max(abs(floor.left), abs(floor.right)) < 0.005
    assert skate(out) <= 1.1 * max(skate(clip), 1.0)
    assert (knee_bend(out) > -0.02).all()


def test_metres_keep_the_way_and_scale_the_known_speed_only_without_them():
    far = retarget(WALK, "adult:1.5", metres=True)
    moved = [c.root_motion.position[-1] - c.root_motion.position[0] for c in (WALK, far)]
    assert np.abs(moved[0] - moved[1]).max() < 0.01
    assert far.parameters["speed"] == WALK.parameters["speed"]
    near = retarget(WALK, "adult:1.5")
    assert near.parameters["speed"] == pytest.approx(WALK.parameters["speed"] * 1.5 / adult().height)


def test_a_sloping_floor_is_levelled_only_when_asked(mocap):
    clip = ff.load(mocap / "cmu_bvh" / "walk_straight" / "02_01.bvh")  # whose floor rises by 4 cm
    level, kept = retarget(clip, floor="level"), retarget(clip)
    toe = level.skeleton.roles.left_toe
    stands = clip.contacts.left_heel & clip.contacts.left_toe
    assert np.ptp(kept.positions[stands, toe, 1]) > 0.035
    assert np.ptp(level.positions[stands, toe, 1]) < 0.015


def test_a_loop_stays_a_loop():
    out = retarget(WALK, body()[0])
    assert out.is_loop
    assert np.degrees(rotation.angle_between(out.pose.rot[0], out.pose.rot[-1])).max() < 0.05


# --- missing parts and errors ---------------------------------------------------------------------------------------
def test_a_body_without_legs_is_refused_by_name():
    legless, _ = body({k: v for k, v in MIXAMO.items() if "knee" not in k and "ankle" not in k and "toe" not in k})
    with pytest.raises(SkeletonError, match="left_knee"):
        retarget(WALK, legless)


def test_arms_the_source_does_not_have_hang():
    armless, _ = body({k: v for k, v in MIXAMO.items() if not any(p in k for p in
                      ("clavicle", "shoulder", "elbow", "wrist", "finger", "thumb"))})  # fmt: skip
    with pytest.warns(CharacterWarning, match="confidence 0.56"):
        on_it = retarget(WALK, armless)
    out = retarget(on_it, adult())
    at, roles = out.positions, out.skeleton.roles
    assert (at[:, roles.left_wrist, 1] < at[:, roles.pelvis, 1]).all()
    assert (at[:, roles.right_wrist, 1] < at[:, roles.pelvis, 1]).all()


def test_fingers_move_only_where_both_bodies_have_them():
    target, index = body()
    out = retarget(WALK, target)
    assert np.array_equal(
        out.pose.rot[:, index["left_finger1"]], np.tile(target.rest[index["left_finger1"]], (len(out), 1))
    )
    rot = np.array(out.pose.rot)
    rot[:, index["left_finger1"]] = about("Z", 30.0)
    bent = retarget(out.with_pose(out.pose._replace(rot=rot)), body(scale=0.8)[0])
    assert rotation.angle_between(bent.pose.rot[:, index["left_finger1"]], about("Z", 30.0)).max() < 1e-9


def test_bad_requests_are_sentences():
    empty = WALK.with_pose(WALK.pose.at(slice(0, 0)))
    with pytest.raises(ParameterError, match="no frames"):
        retarget(empty)
    with pytest.raises(UnknownName, match="zero"):
        retarget(WALK, floor="zeros")
    with pytest.raises(ParameterError, match="other joints"):
        retarget(WALK, source=body()[0])


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_few_frames_are_enough(frames):
    clip = WALK.with_pose(WALK.pose.at(slice(0, frames)), is_loop=False)
    assert np.isfinite(retarget(clip, body()[0]).positions).all()


def test_the_input_is_left_alone():
    before = WALK.pose.rot.tobytes(), WALK.pose.root_pos.tobytes()
    retarget(WALK, body()[0])
    assert before == (WALK.pose.rot.tobytes(), WALK.pose.root_pos.tobytes())


# --- captures on other bodies ---------------------------------------------------------------------------------------
CMU = [
    "walk_straight/02_01", "walk_straight/06_01", "walk_straight/07_01", "walk_straight/08_05", "run_straight/09_01",
    "walk_turn/16_11", "walk_straight/35_01", "transition/104_14", "transition/127_04", "transition/143_02",
]  # fmt: skip
BANDAI = ["walk_normal", "run_normal", "walk-back_normal", "walk_tired", "kick_normal"]


def targets(mocap: Path) -> dict[str, str | Path]:
    return {
        "adult": "adult",
        "adult:0.9": "adult:0.9",
        "adult:2.1": "adult:2.1",
        "glb": mocap / "gltf" / "mesh2motion_human-male.glb",
        "bandai": mocap / "bandai_namco" / "dataset-1_walk_normal_001.bvh",
        "cmu": mocap / "cmu_bvh" / "walk_straight" / "07_01.bvh",
    }


@pytest.mark.slow
@pytest.mark.parametrize("onto", ["adult", "adult:0.9", "adult:2.1", "glb", "bandai", "cmu"])
def test_captures_on_other_bodies(mocap, onto):
    target = character(targets(mocap)[onto])
    takes = [mocap / "cmu_bvh" / f"{name}.bvh" for name in CMU]
    takes += [mocap / "bandai_namco" / f"dataset-1_{name}_001.bvh" for name in BANDAI] if onto != "bandai" else []
    rows = []
    for take in takes:
        clip = ff.load(take)
        out = retarget(clip, target)
        assert np.isfinite(out.positions).all()
        rows.append(kept(clip, out, target))
    ratio, floor, edges, same, paired, exact, knee = np.array(rows).T
    assert np.mean(ratio <= 1.1) >= 0.95
    assert floor.max() <= 0.005
    assert knee.max() < 0.01  # degrees
    assert exact.sum() >= 0.98 * paired.sum()  # of contacts found on both bodies
    assert same.sum() >= 0.96 * edges.sum()  # the rest is found on one only: all of them is wanted
