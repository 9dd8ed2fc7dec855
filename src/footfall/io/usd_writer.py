"""Writing USD: a SkelRoot with one Skeleton, one SkelAnimation and one mesh, as UsdSkel lays them out."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt

from footfall.core import rotation
from footfall.core.clip import Clip, Skin
from footfall.core.errors import ParameterError, WriteError
from footfall.io.capsule_body import capsule_body
from footfall.io.save import atomic_write
from footfall.io.text import unique_names
from footfall.io.usd_extract import VERSION

FAR_M = 32.0  # beyond this float32 keys lose the 1e-5 m that a round trip keeps
ROOT, INFLUENCES = "/Character", 4
_WRONG = re.compile(r"[^A-Za-z0-9_]")


def write_usd(clip: Clip, path: Path, mesh: bool) -> None:
    """The stage as the ending of path asks: .usda text, .usdc and .usd binary, .usdz a package."""
    for what, array in (("root_pos", clip.pose.root_pos), ("rot", clip.pose.rot)):
        if not np.isfinite(array).all():
            raise ParameterError(f"{path.name}: {what} holds values that are not finite; nothing was written")
    stage = _stage(clip, mesh)
    ending = path.suffix.lower()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / ("clip.usdc" if ending in (".usd", ".usdz") else f"clip{ending}")
        done = stage.GetRootLayer().Export(str(made))
        if done and ending == ".usdz":
            package = Path(folder) / "clip.usdz"
            done = UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(made)), str(package))
            made = package
        if not done:
            raise WriteError(f"{path}: could not be written: usd-core gave no reason")
        atomic_write(path, made.read_bytes())


def _stage(clip: Clip, mesh: bool) -> Any:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    if clip.frames:
        stage.SetStartTimeCode(0.0)
        stage.SetEndTimeCode(float(clip.frames - 1))
    stage.GetRootLayer().customLayerData = {"footfall": json.dumps(_kept(clip))}
    root = UsdSkel.Root.Define(stage, ROOT)
    stage.SetDefaultPrim(root.GetPrim())
    origin = _origin(clip)
    if origin.any():
        root.AddTranslateOp().Set(Gf.Vec3d(*origin.tolist()))
    paths = _joint_paths(clip)
    skeleton = _skeleton(stage, clip, paths, origin)
    if clip.frames:
        animation = _animation(stage, clip, paths, origin)
        UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    # a mesh that was made for another skeleton cannot be bound to this one
    fits = clip.skin is not None and len(clip.skin.inverse_bind) == len(clip.skeleton)
    if mesh:
        _mesh(stage, clip, clip.skin if fits and clip.skin is not None else capsule_body(clip), paths, origin)
    _extent(root, stage, clip)
    return stage


def _kept(clip: Clip) -> dict[str, Any]:
    """What UsdSkel has no place for."""
    skeleton = clip.skeleton
    return {
        "version": VERSION,
        "is_loop": bool(clip.is_loop),
        "end_parents": skeleton.end_parents.tolist(),
        "end_offsets": skeleton.end_offsets.tolist(),
    }


def _origin(clip: Clip) -> np.ndarray:
    """Where the character's own zero is put: keys are float32, which far from it are too coarse."""
    if not clip.frames or np.abs(clip.pose.root_pos).max() <= FAR_M:
        return np.zeros(3)
    return np.round(clip.pose.root_pos.mean(axis=0))


def _identifier(name: str, fallback: str) -> str:
    """A name as USD takes it: letters, digits and _, not beginning with a digit."""
    made = _WRONG.sub("_", name) or fallback
    return f"_{made}" if made[0].isdigit() else made


def _joint_paths(clip: Clip) -> list[str]:
    names = unique_names([_identifier(name, "joint") for name in clip.skeleton.names])
    paths: list[str] = []
    for name, parent in zip(names, clip.skeleton.parents, strict=True):
        paths.append(f"{paths[parent]}/{name}" if parent >= 0 else name)
    return paths


def _skeleton(stage: Any, clip: Clip, paths: list[str], origin: np.ndarray) -> Any:
    made = UsdSkel.Skeleton.Define(stage, f"{ROOT}/Skeleton")
    made.CreateJointsAttr(paths)
    place, turn = clip.skeleton.rest_world
    made.CreateBindTransformsAttr(_matrices(place - origin, turn))
    local = clip.skeleton.offsets.copy()
    local[0] -= origin
    made.CreateRestTransformsAttr(_matrices(local, clip.skeleton.rest))
    return made


def _animation(stage: Any, clip: Clip, paths: list[str], origin: np.ndarray) -> Any:
    made = UsdSkel.Animation.Define(stage, f"{ROOT}/{_identifier(clip.name, 'Motion')}")
    if made.GetPath() in (f"{ROOT}/Skeleton", f"{ROOT}/Body"):
        made = UsdSkel.Animation.Define(stage, f"{ROOT}/Motion")
    made.CreateJointsAttr(paths)
    joints = len(paths)
    places = np.tile(clip.skeleton.offsets, (clip.frames, 1, 1)) if clip.pose.pos is None else clip.pose.pos.copy()
    places[:, 0] = clip.pose.root_pos - origin
    turns = rotation.continuous_signs(clip.pose.rot)[..., [1, 2, 3, 0]].astype(np.float32)  # as Gf keeps them in memory
    places = places.astype(np.float32)
    moves, rolls = made.CreateTranslationsAttr(), made.CreateRotationsAttr()
    if clip.pose.pos is None and (places[:, 1:] == places[:1, 1:]).all() and (places[:, 0] == places[0, 0]).all():
        moves.Set(Vt.Vec3fArray.FromNumpy(places[0]))
    else:
        for frame in range(clip.frames):
            moves.Set(Vt.Vec3fArray.FromNumpy(places[frame]), float(frame))
    for frame in range(clip.frames):
        rolls.Set(Vt.QuatfArray.FromNumpy(turns[frame]), float(frame))
    made.CreateScalesAttr(Vt.Vec3hArray(joints, Gf.Vec3h(1.0)))
    return made


def _mesh(stage: Any, clip: Clip, skin: Skin, paths: list[str], origin: np.ndarray) -> None:
    made = UsdGeom.Mesh.Define(stage, f"{ROOT}/Body")
    vertices = (skin.vertices - origin).astype(np.float32)
    made.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(vertices))
    triangles = np.ascontiguousarray(skin.triangles, np.int32)
    made.CreateFaceVertexCountsAttr(Vt.IntArray(len(triangles), 3))
    made.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(triangles.ravel()))
    made.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    made.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(np.stack([vertices.min(axis=0), vertices.max(axis=0)])))
    made.CreateDisplayColorAttr([Gf.Vec3f(*skin.color)])
    binding = UsdSkel.BindingAPI.Apply(made.GetPrim())
    binding.CreateSkeletonRel().SetTargets([f"{ROOT}/Skeleton"])
    owners = np.ascontiguousarray(skin.joints, np.int32).ravel()
    weights = np.ascontiguousarray(skin.weights, np.float32).ravel()
    binding.CreateJointIndicesPrimvar(False, INFLUENCES).Set(Vt.IntArray.FromNumpy(owners))
    binding.CreateJointWeightsPrimvar(False, INFLUENCES).Set(Vt.FloatArray.FromNumpy(weights))
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))


def _extent(root: Any, stage: Any, clip: Clip) -> None:
    """The box a viewer makes room for: everything the joints reach, and a little more for what is around them."""
    if not clip.frames:
        return
    around = 0.15 * max(clip.skeleton.height, 0.1)  # of the body's height: the thickest part of one. By eye
    low, high = clip.positions.min(axis=(0, 1)) - around, clip.positions.max(axis=(0, 1)) + around
    shift = _origin(clip)
    box = np.stack([low - shift, high - shift]).astype(np.float32)
    root.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(box))


def _matrices(places: np.ndarray, turns: np.ndarray) -> Any:
    """Row matrices of places (J, 3) and rotations (J, 4)."""
    made = np.tile(np.eye(4), (len(places), 1, 1))
    made[:, :3, :3] = np.swapaxes(rotation.to_matrix(turns), -1, -2)
    made[:, 3, :3] = places
    return Vt.Matrix4dArray.FromNumpy(made)
