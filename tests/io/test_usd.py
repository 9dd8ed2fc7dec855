"""USD: what is written is valid and comes back; what strangers write is read, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import walking_clip

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ReadError
from footfall.core.skeleton import Skeleton
from footfall.io.capsule_body import capsule_body

pxr = pytest.importorskip("pxr", reason="no usd-core: pip install 'footfall[usd]', and run this again")
from pxr import Gf, Usd, UsdGeom, UsdSkel, UsdValidation, Vt  # noqa: E402

WALK = walking_clip(cycles=0.5, fps=30.0)
ENDINGS = ("usda", "usdc", "usd", "usdz")
TEXT = """#usda 1.0
(
    defaultPrim = "Hero"
    metersPerUnit = 0.01
    timeCodesPerSecond = 24
    upAxis = "Z"
)
def SkelRoot "Hero"
{
    double3 xformOp:translate = (10, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Skeleton "Skel" (
        prepend apiSchemas = ["SkelBindingAPI"]
    )
    {
        uniform token[] joints = ["Hips", "Hips/Leg"]
        uniform matrix4d[] bindTransforms = [
            ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,100,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,50,1))]
        uniform matrix4d[] restTransforms = [
            ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,100,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,-50,1))]
        rel skel:animationSource = </Hero/Anim>
        def SkelAnimation "Inner" {}
    }
    def SkelAnimation "Anim"
    {
        uniform token[] joints = ["Hips", "Hips/Leg"]
        float3[] translations.timeSamples = { 1: [(0,0,100),(0,0,-50)], 3: [(0,20,100),(0,0,-50)] }
        quatf[] rotations.timeSamples = { 1: [(1,0,0,0),(1,0,0,0)], 3: [(1,0,0,0),(0.7071068,0.7071068,0,0)] }
        half3[] scales = [(1,1,1),(1,1,1)]
    }
}
"""


def stage_errors(path: Path) -> list[str]:
    """What usd-core's own validators say of a file."""
    context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    return [error.GetErrorAsString() for error in context.Validate(Usd.Stage.Open(str(path)))]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_comes_back(ending: str, tmp_path: Path) -> None:
    clip = ff.load(ff.save(WALK, tmp_path / f"a.{ending}"), clean=False)
    np.testing.assert_allclose(clip.positions, WALK.positions, atol=1e-6)
    np.testing.assert_allclose(clip.skeleton.rest_positions, WALK.skeleton.rest_positions, atol=1e-6)
    np.testing.assert_array_equal(clip.skeleton.end_parents, WALK.skeleton.end_parents)
    assert (clip.skeleton.names, clip.fps, clip.frames) == (WALK.skeleton.names, WALK.fps, WALK.frames)
    assert clip.is_loop == WALK.is_loop
    assert clip.warnings == ()


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_valid(ending: str, tmp_path: Path) -> None:
    assert stage_errors(ff.save(WALK, tmp_path / f"a.{ending}")) == []
    assert stage_errors(ff.save(WALK, tmp_path / f"b.{ending}", mesh=False)) == []


def test_the_validators_do_find_faults(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text(TEXT.replace('defaultPrim = "Hero"', ""))
    assert stage_errors(tmp_path / "a.usda")


def test_far_away_and_odd_names(tmp_path: Path) -> None:
    """Ten kilometres out, float32 keys would be a millimetre off; names that USD does not take are changed."""
    far = WALK.with_pose(WALK.pose._replace(root_pos=WALK.pose.root_pos + [10_000.0, 0.0, -5_000.0]))
    clip = ff.load(ff.save(far, tmp_path / "a.usdc"), clean=False)
    np.testing.assert_allclose(clip.positions, far.positions, atol=1e-5)
    body = WALK.skeleton
    names = tuple("mixamorig:" + n if i % 2 else n + " 1" for i, n in enumerate(body.names))
    odd = ff.Clip(Skeleton(names, body.parents, body.offsets), WALK.fps, WALK.pose, name="3 steps/é")
    again = ff.load(ff.save(odd, tmp_path / "b.usda"), clean=False)
    np.testing.assert_allclose(again.positions, odd.positions, atol=1e-6)
    assert again.skeleton.names[:2] == ("Hips_1", "mixamorig_Spine")
    assert stage_errors(tmp_path / "b.usda") == []


def test_bones_that_slide(tmp_path: Path) -> None:
    pos = np.tile(WALK.skeleton.offsets, (WALK.frames, 1, 1))
    pos[:, 3, 1] += 0.05 * np.sin(np.arange(WALK.frames))
    sliding = WALK.with_pose(WALK.pose._replace(pos=pos))
    clip = ff.load(ff.save(sliding, tmp_path / "a.usdc"), clean=False)
    np.testing.assert_allclose(clip.positions, sliding.positions, atol=1e-6)


def test_a_skeleton_alone(tmp_path: Path) -> None:
    clip = ff.load(ff.save(WALK.with_pose(WALK.pose.at(slice(0, 0))), tmp_path / "a.usda"))
    assert clip.frames == 0
    assert "skeleton only" in clip.warnings[0]
    np.testing.assert_allclose(clip.skeleton.rest_positions, WALK.skeleton.rest_positions, atol=1e-6)


def test_the_skin_follows_as_usd_core_skins_it(tmp_path: Path) -> None:
    """Our skin of the file we wrote, moved by our joints, against usd-core's own skinning of every frame."""
    skin = capsule_body(WALK)
    path = ff.save(ff.Clip(WALK.skeleton, WALK.fps, WALK.pose, skin=skin), tmp_path / "a.usdc")
    clip = ff.load(path, clean=False)
    assert clip.skin is not None
    np.testing.assert_allclose(clip.skin.vertices, skin.vertices, atol=1e-6)
    assert clip.skin.color == pytest.approx(skin.color, abs=1e-6)
    stage = Usd.Stage.Open(str(path))
    cache, root = UsdSkel.Cache(), UsdSkel.Root(stage.GetDefaultPrim())
    cache.Populate(root, Usd.PrimDefaultPredicate)
    (binding,) = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
    query, (target,) = cache.GetSkelQuery(binding.GetSkeleton()), binding.GetSkinningTargets()
    from footfall.kinematics.fk import world_transforms

    places, turns = world_transforms(clip.skeleton, clip.pose)
    for frame in (0, clip.frames // 2, clip.frames - 1):
        points = Vt.Vec3fArray.FromNumpy(np.array(UsdGeom.Mesh(target.GetPrim()).GetPointsAttr().Get()))
        assert target.ComputeSkinnedPoints(query.ComputeSkinningTransforms(float(frame)), points, float(frame))
        local = np.einsum("jab,vb->vja", clip.skin.inverse_bind, np.c_[clip.skin.vertices, np.ones(len(points))])[
            ..., :3
        ]
        moved = rotation.rotate(turns[frame], local) + places[frame]
        ours = (np.take_along_axis(moved, clip.skin.joints[..., None], 1) * clip.skin.weights[..., None]).sum(axis=1)
        np.testing.assert_allclose(ours, np.array(points), atol=1e-5)


def test_captures_and_characters_come_back(mocap: Path, tmp_path: Path) -> None:
    files = ["cmu_bvh/walk_straight/02_01.bvh", "gltf/RobotExpressive.glb", "gltf/CesiumMan.glb"]
    files += ["bandai_namco/dataset-1_kick_normal_001.bvh", "oddball/wild/daz_mixed_orders_pirouette.bvh"]
    for name in files:
        clip = ff.load(mocap / name, clean=False)
        path = ff.save(clip, tmp_path / "a.usdc")
        again = ff.load(path, clean=False, facing="z")
        np.testing.assert_allclose(again.positions, clip.positions, atol=1e-5, err_msg=name)
        assert again.skin is not None
        assert clip.skin is None or len(again.skin.vertices) == len(clip.skin.vertices)
        assert stage_errors(path) == [], name


def test_units_axes_rates_and_what_stands_above(tmp_path: Path) -> None:
    """Centimetres, Z up, a root that stands elsewhere, two keys with a frame between them, rotations halfway."""
    (tmp_path / "a.usda").write_text(TEXT)
    clip = ff.load(tmp_path / "a.usda", clean=False)
    assert (clip.fps, clip.frames, clip.name) == (24.0, 3, "Anim")
    np.testing.assert_allclose(clip.positions[:, 0], [[0.1, 1.0, 0.0], [0.1, 1.0, -0.1], [0.1, 1.0, -0.2]], atol=1e-6)
    angle = rotation.angle_between(clip.pose.rot[:, 1], np.tile(rotation.IDENTITY, (3, 1)))
    np.testing.assert_allclose(np.degrees(angle), [0.0, 45.0, 90.0], atol=1e-3)
    assert clip.source.unit_m == 0.01
    assert ff.load(tmp_path / "a.usda", fps=12.0).fps == 12.0


def test_old_files_that_do_not_say_that_they_bind(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text(TEXT.replace('prepend apiSchemas = ["SkelBindingAPI"]', ""))
    assert ff.load(tmp_path / "a.usda", clean=False).frames == 3


def test_several_roots_hang_from_one(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text(TEXT.replace('"Hips/Leg"', '"Leg"'))
    clip = ff.load(tmp_path / "a.usda", clean=False)
    assert clip.skeleton.names == ("root", "Hips", "Leg")
    np.testing.assert_allclose(clip.positions[0, 1:], [[0.1, 1.0, 0.0], [0.1, -0.5, 0.0]], atol=1e-6)


WAYS = ("subLayers", "payload", "clips")
OUTSIDE = ("/etc/passwd", "../secret.usda", "http://example.org/a.usda", "sub/../../secret.usda", "link.usda")


@pytest.mark.parametrize(
    ("way", "asset"), [*(("references", asset) for asset in OUTSIDE), *((way, OUTSIDE[1]) for way in WAYS)]
)
def test_nothing_outside_the_folder_is_opened(way: str, asset: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "secret.usda").write_text(TEXT)
    (folder / "link.usda").symlink_to(tmp_path / "secret.usda")
    if way == "subLayers":
        text = TEXT.replace('upAxis = "Z"', f'upAxis = "Z"\n    subLayers = [@{asset}@]')
    elif way == "clips":
        clips = f"(\n    clips = {{ dictionary default = {{ asset[] assetPaths = [@{asset}@] }} }}\n)\n{{"
        text = TEXT.replace('def SkelRoot "Hero"\n{', f'def SkelRoot "Hero" {clips}')
    else:
        text = TEXT + f'def "Other" (\n    {way} = @{asset}@</Hero>\n) {{}}\n'
    (folder / "a.usda").write_text(text)
    with pytest.raises(ReadError, match=r"own folder|value clips"):
        ff.load(folder / "a.usda")


def test_files_of_the_folder_are_composed(tmp_path: Path) -> None:
    (tmp_path / "hero.usda").write_text(TEXT)
    (tmp_path / "a.usda").write_text(
        '#usda 1.0\n( upAxis = "Z"\n metersPerUnit = 0.01 )\ndef "World" ( references = @hero.usda@</Hero> ) {}\n'
    )
    clip = ff.load(tmp_path / "a.usda", clean=False)
    assert clip.skeleton.names == ("Hips", "Leg")
    (tmp_path / "a.usda").write_text("#usda 1.0\n( subLayers = [@gone.usda@] )\n")
    with pytest.raises(ReadError, match=r"gone\.usda' beside it, found none"):
        ff.load(tmp_path / "a.usda")


BAD = {
    "empty": ("", "a USD file"),
    "text": ("hello", "a USD file"),
    "no skeleton": ("#usda 1.0\n", "a skeleton"),
    "no joints": (
        TEXT.replace(
            'joints = ["Hips", "Hips/Leg"]\n        uniform matrix4d[] bind',
            "joints = []\n        uniform matrix4d[] bind",
        ),
        "a skeleton",
    ),
    "child first": (TEXT.replace('["Hips", "Hips/Leg"]', '["Hips/Leg", "Hips"]'), "parent"),
    "rate of zero": (TEXT.replace("timeCodesPerSecond = 24", "timeCodesPerSecond = 0"), "rate|frames a second"),
    "endless": (TEXT.replace("3: [", "900000000: [").replace("1: [", "2: ["), "in proportion"),
    "nan": (TEXT.replace("(0,20,100)", "(nan,20,100)"), "finite|USD"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(case: str, tmp_path: Path) -> None:
    text, message = BAD[case]
    (tmp_path / "a.usda").write_text(text)
    with pytest.raises(ReadError, match=message):
        ff.load(tmp_path / "a.usda")


def test_a_reader_that_crashes_is_an_error_and_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from footfall.io import usd_extract

    crashes = tmp_path / "crashes.py"
    crashes.write_text("import os; os.abort()")
    monkeypatch.setattr(usd_extract, "__file__", str(crashes))
    (tmp_path / "a.usda").write_text(TEXT)
    with pytest.raises(ReadError, match="its reader stopped"):
        ff.load(tmp_path / "a.usda")


def test_matrices_are_of_rows() -> None:
    """What our writer and reader take for granted of usd-core's matrices."""
    moved = np.array(Gf.Matrix4d().SetTranslate(Gf.Vec3d(1, 2, 3)))
    np.testing.assert_array_equal(moved[3], [1, 2, 3, 1])
