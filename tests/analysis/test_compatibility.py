"""Compatibility: each kind of fault is found where it was made, and nowhere else; groups hold no faulty pair."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.analysis.compatibility import CHECKS, Finding, groups, lint
from footfall.analysis.summary import analyze
from footfall.analysis.traits import SEGMENTS, SINGLE, TURNING, Traits, traits
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.skeleton import Skeleton
from footfall.motions.library import motion


@cache
def of(name: str, **parameters: float) -> Traits:
    clip = motion(name, **parameters)
    return traits(clip, analyze(clip), name + "".join(f" {k}={v}" for k, v in parameters.items()))


def told(clip: Clip, name: str) -> Traits:
    return traits(clip, analyze(clip), name)


def kinds(*clips: Traits) -> set[str]:
    return {f.kind for f in lint(clips)}


WALK = {"speed": 1.3, "cycles": 2}


def test_gaits_of_one_family_blend():
    walks = [of("walk", speed=s, turn=t) for s, t in ((1.0, 0.0), (1.3, 30.0), (1.5, -30.0))]
    assert lint(walks) == []
    assert groups(walks, []) == [[w.name for w in walks]]


def test_a_loop_and_a_long_take_of_it_differ_in_steps_only():
    assert kinds(of("walk", speed=1.3), of("walk", **WALK)) == {"steps"}


def test_type():
    assert "type" in kinds(of("walk", **WALK), of("run", speed=3.0, cycles=2))
    assert "type" in kinds(of("walk", **WALK), of("kick"))
    assert "type" in kinds(of("kick"), of("punch"))  # a foot's action and a hand's
    assert kinds(of("kick")) == set()


def test_direction_and_no_noise_about_the_rest_of_another_type():
    assert kinds(of("walk", speed=1.2), of("run", speed=3.0)) == {"type"}
    found = kinds(of("walk", speed=0.8, cycles=2), of("walk-back", cycles=2))
    assert "direction" in found
    assert "type" not in found


def test_a_walk_made_on_stairs_is_told_from_one_on_the_level_until_it_is_laid_flat():
    walk = motion("walk", speed=1.2, cycles=5)
    climb = walk.on_ground("stairs:15x32")
    level, up, flat = told(walk, "level"), told(climb, "up"), told(climb.on_ground("flat"), "flat")
    assert "steps of 1" in up.ground
    assert level.ground == flat.ground == ""
    assert "ground" in kinds(level, up)
    assert "ground" not in kinds(level, flat)
    assert "ground" not in kinds(up, up)


def test_start_foot():
    clip = motion("walk", **WALK)
    found = lint([told(clip, "a"), told(clip.mirror(), "b")])
    assert [f.kind for f in found] == ["start-foot"]
    assert "mirror" in found[0].cure


def test_structure_is_told_where_steps_and_feet_agree():
    walk = of("walk", speed=1.3)
    odd = replace(walk, name="odd", structure=walk.structure[::-1])
    assert kinds(walk, odd) == {"structure"}
    shorter = replace(walk, name="shorter", structure=walk.structure[:-1])
    assert "against" in lint([walk, shorter])[0].why


@pytest.mark.parametrize(("ratio", "faulty"), [(1.4, False), (1.6, True)])
def test_length(ratio, faulty):
    walk = of("walk", speed=1.3)
    slow = replace(walk, name="slow", duration_s=ratio * walk.duration_s, stride_s=ratio * walk.stride_s)
    assert kinds(walk, slow) == ({"length"} if faulty else set())
    longer = replace(slow, steps=4, duration_s=2 * slow.duration_s)  # strides are compared, not takes
    assert kinds(walk, longer) == ({"steps", "length"} if faulty else {"steps"})


@pytest.mark.parametrize(("degrees", "faulty"), [(140.0, False), (160.0, True)])
def test_rotation_at_the_same_phase(degrees, faulty):
    clip = motion("walk", speed=1.3, cycles=2)
    rot = clip.pose.rot.copy()
    joint = clip.skeleton.roles.head
    rot[:, joint] = rotation.multiply(rot[:, joint], rotation.axis_angle(rotation.AXES["Y"], np.radians(degrees)))
    turned = clip.with_pose(clip.pose._replace(rot=rot))
    found = lint([told(clip, "a"), told(turned, "b")])
    assert [f.kind for f in found] == (["rotation"] if faulty else [])
    assert not faulty or ("head" in found[0].why and "160" in found[0].why)


def test_the_sign_of_quaternions_and_the_heading_of_the_take_do_not_matter():
    clip = motion("walk", **WALK)
    rot = -clip.pose.rot
    rot[:, 0] = rotation.multiply(rotation.yaw(3.0), rot[:, 0])
    root = rotation.rotate(rotation.yaw(3.0), clip.pose.root_pos)
    assert kinds(told(clip, "a"), told(clip.with_pose(clip.pose._replace(rot=rot, root_pos=root)), "b")) == set()


def changed(clip: Clip, **changes: object) -> Clip:
    return replace(clip, skeleton=replace(clip.skeleton, **changes))


def test_skeletons():
    clip = motion("walk", **WALK)
    plain, skeleton = told(clip, "plain"), clip.skeleton
    renamed = changed(clip, names=tuple(n.replace("Left", "L_").replace("Right", "R_") for n in skeleton.names))
    found = lint([plain, told(renamed, "renamed")])
    assert [f.kind for f in found] == ["skeleton"]
    assert "called differently" in found[0].why
    lost = lint([plain, told(_without_toes(clip), "toeless")])
    assert [f.why for f in lost if f.kind == "skeleton"] == ["toeless has no left toe, right toe"]
    arms_down = replace(plain, name="down", rest=_arms_down(plain))
    assert "rest poses differ" in lint([plain, arms_down])[0].why


def _without_toes(clip: Clip) -> Clip:
    """The same body with its toe joints taken away; nothing hangs from them but end sites."""
    keep = [j for j, name in enumerate(clip.skeleton.names) if "Toe" not in name]
    new = {j: i for i, j in enumerate(keep)}
    old = clip.skeleton
    skeleton = Skeleton(
        tuple(old.names[j] for j in keep),
        np.array([-1 if old.parents[j] < 0 else new[int(old.parents[j])] for j in keep]),
        old.offsets[keep],
        role_overrides={r: old.names[getattr(old.roles, r)] for r in SINGLE if "toe" not in r},
    )
    return replace(clip, skeleton=skeleton, pose=clip.pose._replace(rot=clip.pose.rot[:, keep]))


def _arms_down(clip: Traits) -> np.ndarray:
    rest = clip.rest.copy()
    rest[[k for k, (a, _) in enumerate(SEGMENTS) if "shoulder" in a]] = (0.0, -1.0, 0.0)
    return rest


def test_proportions_and_units():
    clip = motion("walk", **WALK)

    def sized(scale: float) -> Traits:
        root = clip.pose.root_pos * scale
        skeleton = clip.skeleton.transformed(rotation.IDENTITY, scale)
        return told(replace(clip, skeleton=skeleton, pose=clip.pose._replace(root_pos=root)), f"x{scale}")

    assert kinds(sized(1.0), sized(1.1)) == set()
    assert kinds(sized(1.0), sized(1.25)) == {"proportions"}
    found = {(f.b, f.kind) for f in lint([sized(1.0), sized(10.0)])}  # so large a body moves slowly for its size
    assert {("", "units"), ("x10.0", "units")} <= found
    assert ("x10.0", "proportions") not in found
    walk = sized(1.0)
    arms = replace(walk, name="arms", segments=walk.segments * np.where(["elbow" in b for _, b in SEGMENTS], 1.5, 1.0))
    assert "elbow" in lint([walk, arms])[0].why


def test_fps():
    clip = motion("walk", **WALK)
    found = lint([told(clip, "fast"), told(clip.resample(30.0), "slow")])
    assert [f.kind for f in found] == ["fps"]
    assert "slow" in found[0].cure
    assert "120" in found[0].cure


def test_a_glitch_keeps_a_clip_out_of_every_group():
    clip = motion("walk", **WALK)
    rot = clip.pose.rot.copy()
    ankle = clip.skeleton.roles.left_ankle
    rot[50:, ankle] = rotation.multiply(rot[50:, ankle], rotation.axis_angle(rotation.AXES["X"], 0.9))
    glitchy = told(clip.with_pose(clip.pose._replace(rot=rot)), "glitchy")
    clips = [told(clip, "a"), replace(told(clip, "b")), glitchy]
    found = lint(clips)
    assert [(f.a, f.b) for f in found if f.kind == "glitch"] == [("glitchy", "")]
    assert "LeftFoot turns 5" in glitchy.glitch
    assert groups(clips, found) == [["a", "b"]]


def test_no_clips_and_one():
    assert lint([]) == []
    assert groups([], []) == []
    assert groups([of("kick")], []) == []


def test_a_body_without_arms_and_toes_is_compared_where_it_can_be():
    walk = of("walk", **WALK)
    names = tuple("" if "toe" in r or "shoulder" in r else n for r, n in zip(SINGLE, walk.names, strict=True))
    poses = walk.poses.copy()
    poses[:, TURNING.index("left_shoulder")] = np.nan
    found = lint([walk, replace(walk, name="bare", names=names, poses=poses)])
    assert [f.kind for f in found] == ["skeleton"]


@given(st.integers(0, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 9)), max_size=40))
def test_groups_are_apart_and_hold_no_faulty_pair(count, faulty):
    clips = [replace(of("walk", speed=1.3), name=str(i)) for i in range(count)]
    findings = [Finding(str(a), "" if a == b else str(b), "type", "", "") for a, b in faulty if a < count and b < count]
    found = groups(clips, findings)
    members = [name for group in found for name in group]
    assert len(members) == len(set(members))
    assert all(len(group) > 1 for group in found)
    assert [len(g) for g in found] == sorted((len(g) for g in found), reverse=True)
    for finding in findings:
        for group in found:
            assert finding.a not in group or (finding.b and finding.b not in group)


def test_every_check_is_documented():
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs" / "lint.md").read_text("utf-8")
    for kind in CHECKS:
        assert f"| {kind} |" in text
