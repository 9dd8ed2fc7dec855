"""USD (.usd, .usda, .usdc, .usdz): skeletons, their motion and skin as UsdSkel has them; needs the extra `usd`.

Reading runs usd-core in a process of its own with limits (`io/usd_extract.py`). docs/formats/usd.md says what becomes
of transforms, rates and rest poses.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.clip import LEAST_FPS, MOST_FPS, Clip, Inferred, Skin
from footfall.core.errors import MissingExtra, need
from footfall.core.pose import Pose
from footfall.core.skeleton import MAX_JOINTS, Skeleton
from footfall.io import usd_extract
from footfall.io.npz_safe import Npz
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.io.text import unique_names
from footfall.kinematics.fk import inverse_matrices, local_positions, local_rotations

READS = (".usd", ".usda", ".usdc", ".usdz")
WRITES = (".usd", ".usda", ".usdc", ".usdz")
WRITE_OPTIONS = ("mesh",)
LEAST_BYTES, BYTES_A_BYTE = 2 << 30, 40  # memory of the process that reads: to begin with, and for each of the file's
LEAST_S, S_A_MB = 20, 2  # its processor time in the same way; the clock's limit is three times that
STILL = 1e-5  # a joint that strays less than this share of the body from its offset does not stretch
SCALE_NOTICED = 0.01  # of 1: what a joint's axes may differ in length before it is told


def read(reading: Reading) -> list[RawMotion]:
    if find_spec("pxr") is None:
        raise MissingExtra(f"{reading.path.name}: reading USD needs usd-core: pip install 'footfall[usd]'")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "read.npz"
        _extract(reading, out)
        with Npz(Reading(out, ReadOptions())) as archive, reading.guard("", "a skeleton and its motion"):
            return [_motion(reading, archive)]


def write(clip: Clip, path: Path, mesh: bool = True) -> None:
    """A stage of one character: SkelRoot, Skeleton, SkelAnimation and mesh; metres, Y up. mesh=False leaves it out."""
    need("pxr", "usd")
    from footfall.io.usd_writer import write_usd

    write_usd(clip, path, mesh)


def _extract(reading: Reading, out: Path) -> None:
    """usd-core's view of the file, written to `out` by a process of its own; its failures are ours in a sentence."""
    size = reading.path.stat().st_size
    seconds = LEAST_S + S_A_MB * (size >> 20)
    limits = [str(LEAST_BYTES + BYTES_A_BYTE * size), str(seconds)]
    try:
        code, told = run_apart([str(reading.path.absolute()), str(out), *limits], 3 * seconds)
    except subprocess.TimeoutExpired:
        raise reading.fail("", "a USD file that can be read in time", f"more than {3 * seconds} s") from None
    if code == usd_extract.REFUSED:
        expected, found, *_ = [*told.decode("utf-8", "replace").split("\n"), "", ""]
        whole = str(reading.path.absolute())
        found = found.replace(f"{whole}:", "line ").replace(whole, reading.path.name)
        raise reading.fail("", expected or "a USD file", found)
    if code or not out.exists():
        raise reading.fail("", "a USD file that usd-core can read", f"one on which its reader stopped (code {code})")


def run_apart(arguments: list[str], seconds: int) -> tuple[int, bytes]:
    """Exit code and output of `usd_extract` in a process of its own."""
    command = [sys.executable, usd_extract.__file__, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout


def _motion(reading: Reading, archive: Npz) -> RawMotion:
    paths, parents = archive.text("joints"), archive.array("parents", "iu").astype(np.int64)
    if len(paths) > MAX_JOINTS:
        raise reading.fail("", f"at most {MAX_JOINTS} joints", f"{len(paths)}")
    if int(archive.numbers("skeletons")) > 1:
        reading.warn("", "several skeletons: the one with the most joints is read")
    names = [path.rsplit("/", 1)[-1] or "joint" for path in paths]
    bind, world, times = archive.numbers("bind"), archive.numbers("world"), archive.numbers("times")
    if (parents < 0).sum() != 1:  # several roots hang from one of ours, which stands still
        names, parents = ["root", *names], np.concatenate([[-1], np.where(parents < 0, 0, parents + 1)])
        bind, world = _with_still_root(bind), _with_still_root(world)
    _notice_scale(reading, bind)
    rest_place, rest_turn = _decomposed(bind)
    place, turn = _decomposed(world)
    skeleton, pose = _skeleton_and_pose(names, parents, (rest_place, rest_turn), (place, turn))
    own = _own(archive, len(names))
    if own:
        skeleton = _with_ends(skeleton, own)
    fps = _rate(reading, times, float(archive.numbers("rate")))
    rest = Inferred("bind", "bindTransforms of the skeleton", 0.9)
    axis = (archive.text("up") or [""])[0].lower()
    unit = float(archive.numbers("unit_m"))
    skin = _skin(archive, rest_place, rest_turn, 1 if len(names) > len(paths) else 0)
    raw = RawMotion(skeleton, float(fps.value), pose, (archive.text("name") or [""])[0], skin=skin)
    raw.inferred.update(fps=fps, rest=rest)
    raw.unit_m, raw.up = unit if unit > 0.0 else None, axis if axis in ("x", "y", "z") else None
    raw.is_loop = bool(own.get("is_loop", False)) and len(pose.root_pos) > 1
    if not len(times):
        reading.warn("", "no animation: a skeleton only" if not len(world) else "no keys: one pose")
    return raw


def _with_still_root(matrices: np.ndarray) -> np.ndarray:
    """Row matrices (..., J, 4, 4) with one of no transform before them."""
    return np.concatenate([np.broadcast_to(np.eye(4), (*matrices.shape[:-3], 1, 4, 4)), matrices], axis=-3)


def _decomposed(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (..., 3) and rotations (..., 4) of row matrices; scales are taken out, mirrored axes turned back."""
    axes = matrices[..., :3, :3]
    axes = axes / np.maximum(np.linalg.norm(axes, axis=-1, keepdims=True), 1e-12)
    u, _, vt = np.linalg.svd(axes)
    u[..., :, 2] *= np.where(np.linalg.det(u @ vt) < 0.0, -1.0, 1.0)[..., None]
    return matrices[..., 3, :3].copy(), rotation.from_matrix(np.swapaxes(u @ vt, -1, -2))


def _skeleton_and_pose(
    names: list[str],
    parents: np.ndarray,
    rest: tuple[np.ndarray, np.ndarray],
    world: tuple[np.ndarray, np.ndarray],
) -> tuple[Skeleton, Pose]:
    """Offsets are where joints stay in the motion; joints that do not stay keep positions of their own."""
    offsets = local_positions(parents, rest[0][None], rest[1][None])[0]
    local_rest = local_rotations(parents, rest[1][None])[0]
    place, turn = world
    size = float(np.ptp(rest[0], axis=0).max()) or 1.0
    pos = local_positions(parents, place, turn) if len(place) else None
    if pos is not None:
        still = np.ptp(pos, axis=0).max(axis=-1) <= STILL * size
        still[0] = False
        offsets[still] = 0.5 * (pos.min(axis=0) + pos.max(axis=0))[still]
        pos[:, 0] = offsets[0]
    stretches = pos is not None and not still[1:].all()
    rot = rotation.normalize(local_rotations(parents, turn)) if len(place) else np.zeros((0, len(names), 4))
    root = place[:, 0] if len(place) else np.zeros((0, 3))
    skeleton = Skeleton(tuple(unique_names(names)), parents, offsets, rotation.normalize(local_rest))
    return skeleton, Pose(root, rot, pos if stretches else None)


def _notice_scale(reading: Reading, bind: np.ndarray) -> None:
    lengths = np.linalg.norm(bind[:, :3, :3], axis=-1)
    if lengths.max() > (1.0 + SCALE_NOTICED) * max(lengths.min(), 1e-12):
        reading.warn("", "scales that differ between joints or axes: joint positions are exact, rotations approximate")


def _rate(reading: Reading, times: np.ndarray, codes: float) -> Inferred:
    if reading.options.fps is not None:
        return Inferred(float(reading.options.fps), "given", 1.0)
    step = float(np.diff(times).mean()) if len(times) > 1 else 1.0
    fps = codes / step
    if not LEAST_FPS <= fps <= MOST_FPS:
        raise reading.fail("timeCodesPerSecond", "frames a second", f"{fps:g}", "give the rate: fps=24")
    return Inferred(fps, "timeCodesPerSecond and the spacing of the keys", 1.0 if len(times) > 1 else 0.1)


def _skin(archive: Npz, place: np.ndarray, turn: np.ndarray, shift: int) -> Skin | None:
    if "skin_vertices" not in archive:
        return None
    vertices, triangles = archive.numbers("skin_vertices"), archive.array("skin_triangles", "i")
    joints, weights = archive.array("skin_joints", "i") + shift, archive.numbers("skin_weights")
    inverse = inverse_matrices(place, turn)
    if "skin_color" in archive:
        red, green, blue = np.clip(archive.numbers("skin_color"), 0.0, 1.0)
        return Skin(
            vertices, triangles.astype(np.int32), joints, weights, inverse, (float(red), float(green), float(blue))
        )
    return Skin(vertices, triangles.astype(np.int32), joints, weights, inverse)


def _own(archive: Npz, joints: int) -> dict[str, Any]:
    """What footfall kept in the file beyond what USD has a place for; nothing where it does not fit."""
    text = (archive.text("own") or [""])[0]
    try:
        kept = json.loads(text) if text else {}
        ends, offsets = np.array(kept["end_parents"], np.int64), np.array(kept["end_offsets"], float).reshape(-1, 3)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return {}
    fits = kept.get("version") == usd_extract.VERSION and ends.shape == (len(offsets),) and np.isfinite(offsets).all()
    if not fits or (len(ends) and not 0 <= ends.min() <= ends.max() < joints):
        return {}
    return {**kept, "end_parents": ends, "end_offsets": offsets}


def _with_ends(skeleton: Skeleton, own: dict[str, Any]) -> Skeleton:
    return Skeleton(
        skeleton.names, skeleton.parents, skeleton.offsets, skeleton.rest, own["end_parents"], own["end_offsets"]
    )
