"""Runs in a process of its own: opens a USD file with usd-core and writes its skeleton, motion and skin as an npz.

usage: python usd_extract.py IN OUT.npz BYTES SECONDS

usd-core is C++ that files from strangers can crash, fill the memory of, or send to other files; so it runs apart, with
limits, and nothing is composed before every file it would open is seen to lie in the document's own folder. Exit code 3
and two lines (what was expected, what was found) tell of a file that cannot be read. Only usd-core and numpy are used.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

REFUSED = 3  # exit code
VERSION = 1  # of what footfall keeps in a file beyond what USD has a place for
SPARE_POSES = 2_000_000  # joints times frames that a small file may unfold to
MAX_LAYERS = 64  # files of one document
MAX_PRIMS = 200_000
EVEN = 1e-3  # share of a step: keys this near to evenly spaced are
INFLUENCES = 4
LARGEST = 1e9  # no unit of length gives a body numbers like this


def refuse(expected: str, found: str) -> NoReturn:
    print(expected.replace("\n", " "))
    print(found.replace("\n", " "))
    sys.exit(REFUSED)


def reason(error: Exception) -> str:
    """What usd-core says, without where in its own code it says so."""
    text = str(error).rstrip()
    _, quoted, said = text.partition(" : '")
    text = said[:-1] if quoted and said.endswith("'") else text
    return " ".join(text.split())[:160] or "something else, or a broken one"


def limit(most_bytes: int, seconds: int) -> None:
    """Memory and processor time, where the system can limit them; the parent's clock ends everything else."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = ((resource.RLIMIT_AS, most_bytes), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0))
    for what, most in wanted:
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):
            if sys.platform != "darwin":  # macOS does not let a process limit its own memory
                raise


def checked_stage(path: Path) -> Any:
    """The stage, opened only after every layer it is composed of was found in its own folder, or in its own package."""
    from pxr import Usd

    folder, seen, waiting = path.parent.resolve(), set(), [str(path)]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if len(seen) > MAX_LAYERS:
            refuse(f"at most {MAX_LAYERS} files", "more")
        layer = opened(one)
        refuse_clips(layer)
        for asset in sorted(layer.GetCompositionAssetDependencies()):
            if ":" in asset or "[" in asset or Path(asset).is_absolute() or ".." in Path(asset).parts:
                refuse("references to files in the document's own folder", repr(asset[:80]))
            if one.lower().endswith((".usdz", "]")):
                waiting.append(in_package(one, asset))
                continue
            beside = (Path(one).parent / asset).resolve()
            if folder not in beside.parents:
                refuse("references to files in the document's own folder", repr(asset[:80]))
            if not beside.is_file():
                refuse(f"the file {asset[:80]!r} beside it", "none")
            waiting.append(str(beside))
    return Usd.Stage.Open(str(path))


def opened(identifier: str) -> Any:
    """One layer, of which nothing is composed yet."""
    from pxr import Sdf, Tf

    try:
        layer = Sdf.Layer.FindOrOpen(identifier)
    except Tf.ErrorException as error:
        refuse("a USD file", reason(error))
    if layer is None:
        refuse("a USD file", "something else, or a broken one")
    return layer


def in_package(layer: str, asset: str) -> str:
    """The identifier of what a layer of a .usdz refers to, beside it in the package."""
    package, _, inner = layer.partition("[")
    return f"{package}[{(Path(inner.rstrip(']')).parent / asset).as_posix()}]"


def refuse_clips(layer: Any) -> None:
    """Value clips name files that are opened while values are read: none of them are."""
    found: list[str] = []

    def look(path: Any) -> None:
        spec = layer.GetObjectAtPath(path)
        if spec is not None and path.IsPrimPath() and spec.HasInfo("clips"):
            found.append(str(path))

    layer.Traverse(layer.pseudoRoot.path, look)
    if found:
        refuse("a document without value clips", found[0][:80])


def skeletons(stage: Any) -> list[Any]:
    """Every skeleton. Older files bind motion and meshes without saying so: there it is said for them, in memory."""
    from pxr import Usd, UsdSkel

    found = []
    stage.SetEditTarget(stage.GetSessionLayer())
    for count, prim in enumerate(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies())):
        if count > MAX_PRIMS:
            refuse(f"at most {MAX_PRIMS} prims", "more")
        if prim.IsA(UsdSkel.Skeleton):
            found.append(prim)
        bound = any(name.startswith(("skel:", "primvars:skel:")) for name in prim.GetPropertyNames())
        if bound and not prim.HasAPI(UsdSkel.BindingAPI) and not prim.IsInstanceProxy():
            UsdSkel.BindingAPI.Apply(prim)
    return found


def extract(path: Path) -> dict[str, np.ndarray]:
    from pxr import Usd, UsdGeom, UsdSkel

    stage = checked_stage(path)
    prims = skeletons(stage)
    if not prims:
        refuse("a skeleton (UsdSkel)", "none")
    cache = UsdSkel.Cache()
    queries = [(prim, cache.GetSkelQuery(UsdSkel.Skeleton(prim))) for prim in prims]
    queries = [(prim, query) for prim, query in queries if query and len(query.GetJointOrder())]
    if not queries:
        refuse("a skeleton with joints, parents first", "none")
    prim, query = max(queries, key=lambda pair: len(pair[1].GetJointOrder()))
    topology = query.GetTopology()
    valid, why = topology.Validate()
    if not valid:
        refuse("joints listed parent first", why or "others")
    bind = np.array(query.GetJointWorldBindTransforms(), float).reshape(-1, 4, 4)
    joints = len(query.GetJointOrder())
    if bind.shape[0] != joints:
        refuse(f"bindTransforms of {joints} joints", f"{bind.shape[0]}")
    place = np.array(UsdGeom.XformCache(Usd.TimeCode.EarliestTime()).GetLocalToWorldTransform(prim), float)
    out: dict[str, Any] = {
        "joints": np.array([str(token) for token in query.GetJointOrder()]),
        "parents": np.array(topology.GetParentIndices(), np.int64),
        "bind": bind @ place,
        "unit_m": np.array(UsdGeom.GetStageMetersPerUnit(stage) if stage.HasAuthoredMetadata("metersPerUnit") else 0.0),
        "up": np.array(str(UsdGeom.GetStageUpAxis(stage)) if stage.HasAuthoredMetadata("upAxis") else ""),
        "rate": np.array(float(stage.GetTimeCodesPerSecond())),
        "skeletons": np.array(len(prims)),
        "own": np.array(str(stage.GetRootLayer().customLayerData.get("footfall", ""))[:1_000_000]),
    }
    animation = query.GetAnimQuery()
    keys = np.array(animation.GetJointTransformTimeSamples() if animation else [], float)
    out["name"] = np.array(animation.GetPrim().GetName() if animation else "")
    times = frame_times(keys, float(out["rate"]))
    if len(times) * joints > max(SPARE_POSES, path.stat().st_size):
        refuse("frames in proportion to the file's size", f"{len(times)} frames of {joints} joints")
    world = np.empty((len(times), joints, 4, 4))
    for i, time in enumerate(times):
        xforms = UsdGeom.XformCache(Usd.TimeCode(time))
        world[i] = np.array(query.ComputeJointWorldTransforms(xforms), float).reshape(joints, 4, 4)
    if not len(times) and animation:
        xforms = UsdGeom.XformCache(Usd.TimeCode.Default())
        world = np.array(query.ComputeJointWorldTransforms(xforms), float).reshape(1, joints, 4, 4)
    out["world"], out["times"] = world, times
    out.update(skin(stage, cache, prim, out["joints"], place))
    return out


def frame_times(keys: np.ndarray, rate: float) -> np.ndarray:
    """Keys that are evenly spaced are the frames; others are met by frames of one time code each."""
    if not (np.abs(keys) < LARGEST).all() or not 0.0 < rate < LARGEST:
        refuse("times of keys and a rate that are numbers", "others")
    if len(keys) < 3:
        span = keys[-1] - keys[0] if len(keys) else 0.0
        return keys if len(keys) < 2 or abs(span - 1.0) < EVEN else _every_code(keys)
    steps = np.diff(keys)
    return keys if np.abs(steps - steps.mean()).max() <= EVEN * steps.mean() else _every_code(keys)


def _every_code(keys: np.ndarray) -> np.ndarray:
    span = float(keys[-1] - keys[0])
    if span > SPARE_POSES:
        refuse("frames in proportion to the file's size", f"{span:.3g} time codes")
    return keys[0] + np.arange(int(np.ceil(span - EVEN)) + 1)


def skin(stage: Any, cache: Any, prim: Any, joints: np.ndarray, place: np.ndarray) -> dict[str, np.ndarray]:
    """All triangles that follow the skeleton: vertices in the bind pose's world, up to four joints each."""
    from pxr import Usd, UsdSkel

    root = UsdSkel.Root.Find(prim)
    if not root:
        return {}
    cache.Populate(root, Usd.TraverseInstanceProxies())
    pieces, colour = [], None
    for binding in cache.ComputeSkelBindings(root, Usd.TraverseInstanceProxies()):
        if binding.GetSkeleton().GetPrim() != prim:
            continue
        for target in binding.GetSkinningTargets():
            piece = mesh_of(target, joints, place)
            if piece is not None:
                pieces.append(piece)
                colour = colour if colour is not None else colour_of(target.GetPrim())
    if not pieces:
        return {}
    starts = np.cumsum([0, *(len(p[0]) for p in pieces)])[:-1]
    made = {
        "skin_vertices": np.concatenate([p[0] for p in pieces]),
        "skin_triangles": np.concatenate([p[1] + start for p, start in zip(pieces, starts, strict=True)]),
        "skin_joints": np.concatenate([p[2] for p in pieces]),
        "skin_weights": np.concatenate([p[3] for p in pieces]),
    }
    return made if colour is None else {**made, "skin_color": colour}


def mesh_of(target: Any, joints: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """Vertices, triangles, joints and weights of one mesh; None where its parts do not fit each other."""
    from pxr import UsdGeom

    prim = target.GetPrim()
    if not prim.IsA(UsdGeom.Mesh):
        return None
    mesh = UsdGeom.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get() or [], float).reshape(-1, 3)
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or [], np.int64)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get() or [], np.int64)
    influences = target.ComputeVaryingJointInfluences(len(points)) if len(points) else None
    if not influences or not len(corners) or counts.sum() != len(corners) or (counts < 0).any():
        return None
    if corners.min() < 0 or corners.max() >= len(points):
        return None
    width = target.GetNumInfluencesPerComponent()
    owners, weights = (np.array(values) for values in influences)
    if owners.size != len(points) * width or weights.size != owners.size:
        return None
    owners, weights = owners.reshape(-1, width).astype(np.int64), weights.reshape(-1, width).astype(float)
    mapped = own_joints(target, joints)
    if not width or not len(mapped) or (owners < 0).any() or (owners >= len(mapped)).any():
        return None
    owners = mapped[owners]
    if (owners < 0).any() or not np.isfinite(weights).all() or not (np.abs(points) < LARGEST).all():
        return None
    bound = np.array(target.GetGeomBindTransform(), float) @ place
    vertices = points @ bound[:3, :3] + bound[3, :3]
    return vertices, triangles_of(counts, corners), *strongest(owners, weights)


def own_joints(target: Any, joints: np.ndarray) -> np.ndarray:
    """(K,) the skeleton's joint of each that the mesh speaks of; -1 where it has none."""
    order = target.GetJointOrder()
    if not order:
        return np.arange(len(joints))
    known = {str(name): i for i, name in enumerate(joints)}
    return np.array([known.get(str(name), -1) for name in order], np.int64)


def triangles_of(counts: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(F, 3) faces as fans of triangles."""
    made, at = [], 0
    for count in counts:
        face = corners[at : at + count]
        at += int(count)
        for k in range(1, int(count) - 1):
            made.append((face[0], face[k], face[k + 1]))
    return np.array(made, np.int64).reshape(-1, 3)


def strongest(owners: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Up to four influences a vertex, the greatest, that sum to 1."""
    missing = max(0, INFLUENCES - owners.shape[1])
    owners, weights = np.pad(owners, ((0, 0), (0, missing))), np.pad(np.maximum(weights, 0.0), ((0, 0), (0, missing)))
    order = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
    owners, weights = np.take_along_axis(owners, order, 1), np.take_along_axis(weights, order, 1)
    total = weights.sum(axis=1, keepdims=True)
    first = np.eye(INFLUENCES)[0]
    return owners, np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), first)


def colour_of(prim: Any) -> np.ndarray | None:
    from pxr import UsdGeom

    values = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get()
    return np.array(values[0], float) if values is not None and len(values) == 1 else None


def main() -> None:
    path, out, most_bytes, seconds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    limit(most_bytes, seconds)
    from pxr import Tf

    try:
        with np.errstate(all="ignore"):
            arrays = extract(path)
    except UnicodeDecodeError:  # also of what usd-core says of such a file
        refuse("a USD document in UTF-8", "other bytes")
    except (Tf.ErrorException, RuntimeError, ValueError, TypeError, OverflowError, MemoryError) as error:
        refuse("a USD document", reason(error))
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not (np.abs(array) < LARGEST).all():
            refuse(f"finite numbers below {LARGEST:g} ({name})", "others")
    np.savez(out, **arrays)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
