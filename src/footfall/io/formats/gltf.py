"""glTF 2.0 (.glb, .gltf): skinned characters and their animations, read and written with a body to look at.

Reading follows the Khronos specification but trusts no number in the file; see docs/formats/gltf.md for what becomes
of skins, scales, frame rates and rest poses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Inferred, Skin
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.rig_file import RigFile
from footfall.core.roles import Roles
from footfall.core.skeleton import Skeleton
from footfall.io import gltf_animation as gltf
from footfall.io.gltf_animation import Animation, AnimationChannel
from footfall.io.gltf_check import tell_faults
from footfall.io.gltf_container import GltfDocument, open_document
from footfall.io.gltf_extras import KeptExtras, kept
from footfall.io.gltf_mesh import read_skin
from footfall.io.gltf_nodes import Nodes, read_nodes, world_over_time
from footfall.io.gltf_skin import Bind, Joints, bind_pose, build_skeleton, find_joints
from footfall.io.raw import RawMotion, Reading
from footfall.io.text import LARGEST
from footfall.kinematics.fk import with_ancestors

READS = (".glb", ".gltf")
WRITES = (".glb",)
WRITE_OPTIONS = ("sidecar", "mesh", "bare", "replace")
SEVERAL = True  # one file takes several clips of one body

SPARE_POSES = 2_000_000  # joints times frames that a small file may unfold to
SCALE_NOTICED = 0.01
NEAR_REST = 0.02  # offsets found in the motion replace those of the rest pose up to this share of the body
STILL = 1e-5  # a joint that strays less than this share of the body from its offset does not stretch


def read(reading: Reading) -> list[RawMotion]:
    """Every animation of the file, in metres and Y up, on one skeleton."""
    document = open_document(reading)
    with np.errstate(all="ignore"):  # a chain of absurd scales may overflow; what comes of it is checked below
        nodes = read_nodes(document)
        _check_finite(document, "/nodes", nodes.world)
        animations = gltf.read_animations(document)
        joints = find_joints(document, nodes, {c.node for a in animations for c in a.channels})
        bind = bind_pose(document, nodes, joints)
        _check_finite(document, "/nodes", bind.matrices, bind.rotations)
        skeleton = build_skeleton(document, nodes, joints, bind)
        own = kept(document, document.json)
        if own is not None:
            own, skeleton = _restored(document, nodes, joints, skeleton, own)
        else:
            names = tuple(str(document.item("nodes", n).get("name", "")) if n >= 0 else "" for n in joints.nodes)
            own_file = RigFile(str(reading.path.absolute()), tuple(joints.nodes), names)
            skeleton = replace(skeleton, rig=own_file)
        skin = read_skin(document, nodes, joints, bind)
        if skin is not None:
            _check_finite(document, "/meshes", skin.vertices)
            skin = skin if own is None else replace(skin, look=None)  # a body of footfall's own making
        rig = _Rig(document, nodes, joints, skeleton, bind, skin, own)
        rig.notice_static_scale()
        motions = rig.motions(animations)
        tell_faults(document)
        return motions


def write(clips: Sequence[Clip], path: Path, **options: Any) -> None:
    """The character's own file with the clips added, or a plain GLB with skeleton, motion and mesh; see write_glb."""
    from footfall.io.gltf_writer import write_glb

    write_glb(clips, path, **options)


@dataclass
class _Rig:
    """One character and everything its animations share while they are turned into frames."""

    document: GltfDocument
    nodes: Nodes
    joints: Joints
    skeleton: Skeleton
    bind: Bind
    skin: Skin | None
    own: KeptExtras | None
    scale_noticed: bool = False

    def __post_init__(self) -> None:
        self.spare = float(max(SPARE_POSES, self.document.size))
        self.moving = with_ancestors(self.nodes.parents, self.joints.nodes)  # joints and the nodes above them
        self.extent = float(np.ptp(self.bind.positions, axis=0).max())

    def motions(self, animations: list[Animation]) -> list[RawMotion]:
        motions = []
        for number, animation in enumerate(animations):
            channels = [c for c in animation.channels if c.node in self.moving]
            if channels:
                motions.append(self._motion(animation, channels, f"/animations/{number}"))
            else:
                self.document.reading.warn(f"/animations/{number}", f"{animation.name!r} moves no joint; left out")
        if not motions:
            if self.own is None or self.own.frames:
                self.document.reading.warn("/animations", "no animation: a skeleton only")
            return [self._still()]
        return motions if self.own is not None else self._with_common_offsets(motions)

    def _with_common_offsets(self, motions: list[RawMotion]) -> list[RawMotion]:
        """Joints that never leave one place get it as their offset; only motions that stretch keep positions."""
        positions = [m.pose.pos for m in motions if m.pose.pos is not None]  # all of them, at this point
        lowest = np.min([p.min(axis=0) for p in positions], axis=0)
        highest = np.max([p.max(axis=0) for p in positions], axis=0)
        still = (highest - lowest).max(axis=1) <= STILL * self.extent
        offsets = self.skeleton.offsets.copy()
        near = np.abs(lowest - offsets).max(axis=1) <= NEAR_REST * self.extent
        offsets[still & near] = (0.5 * (lowest + highest))[still & near]
        offsets[0] = self.skeleton.offsets[0]
        skeleton = replace(self.skeleton, offsets=offsets)
        for motion, pos in zip(motions, positions, strict=True):
            motion.skeleton = skeleton
            stray = np.abs(pos - offsets)[:, 1:]
            if not stray.size or stray.max() <= STILL * self.extent:
                motion.pose = motion.pose._replace(pos=None)
        return motions

    def _motion(self, animation: Animation, channels: list[AnimationChannel], place: str) -> RawMotion:
        made = self.own or animation.made
        keys = gltf.key_times(channels)
        rate = self._rate(keys, made)
        fps = float(rate.value)
        count = max(float((keys[-1] - keys[0]) * fps + 1.0), made.frames if made else 0)  # cannot overflow
        self.spare -= count * len(self.skeleton)
        if self.spare < 0:
            self.document.fail(place, "frames in proportion to the file's size", f"{count:.3g} frames")
        if made is not None and made.fps == fps:
            times = np.arange(max(made.frames, 1)) / fps
        else:
            times = gltf.frame_times(keys, fps)
        if not self.scale_noticed:
            self._notice_animated_scale(channels, place)
        pose = self._pose(channels, times, place)
        start = Inferred(float(keys[0]), "time of the first key, which is frame 0", 1.0)
        raw = self._raw(animation.name, fps, pose, {"fps": rate, "start": start})
        if animation.made is not None and self.own is None:
            raw.is_loop, raw.events = animation.made.is_loop, animation.made.events
            raw.parameters, raw.added = animation.made.parameters, True
        return raw

    def _rate(self, keys: np.ndarray, made: KeptExtras | None) -> Inferred:
        given = self.document.reading.options.fps
        if given is not None:
            if not 0 < given <= gltf.MAX_RATE:
                raise ParameterError(f"fps must be more than 0 and at most {gltf.MAX_RATE:g}, got {given}")
            return Inferred(float(given), "given", 1.0)
        if made is not None:
            return Inferred(made.fps, "written by footfall", 1.0)
        return gltf.frame_rate(keys)

    def _pose(self, channels: list[AnimationChannel], times: np.ndarray, place: str) -> Pose:
        """World transforms of every joint, turned back into rotations and, where bones stretch, positions."""
        moves = {(c.node, c.path): gltf.evaluate(c, times) for c in channels}
        world = world_over_time(self.nodes, [n for n in self.joints.nodes if n >= 0], moves)
        frames, count = len(times), len(self.skeleton)
        position, turn = np.zeros((frames, count, 3)), np.zeros((frames, count, 4))
        turn[..., 0] = 1.0
        for j, node in enumerate(self.joints.nodes):
            if node >= 0:
                position[:, j], turn[:, j] = world[node][:2]
        _check_finite(self.document, place, position, turn)
        parents = np.maximum(self.skeleton.parents, 0)
        back = rotation.conjugate(turn[:, parents])
        local = rotation.normalize(rotation.multiply(back, turn))
        local[:, 0] = turn[:, 0]
        pos = rotation.rotate(back, position - position[:, parents])
        pos[:, 0] = self.skeleton.offsets[0]
        root = position[:, 0].copy()
        return Pose(root, local, pos if self.own is None or self.own.stretches else None)

    def _notice_animated_scale(self, channels: list[AnimationChannel], place: str) -> None:
        for c in channels:
            values = c.values[:, 1] if c.interpolation == "CUBICSPLINE" else c.values
            if c.path == "scale" and np.abs(values - 1.0).max() > SCALE_NOTICED:
                name = self.nodes.names[c.node]
                self.document.reading.warn(place, f"animated scale of {name!r}: joints follow it, the mesh does not")
                self.scale_noticed = True
                return

    def notice_static_scale(self) -> None:
        """Uniform scales fold into lengths; others bend rotations, which unit quaternions cannot say."""
        for node in sorted(self.moving):
            stretch = np.linalg.norm(self.nodes.linear[node], axis=0)
            if stretch.max() > (1 + SCALE_NOTICED) * stretch.min() or np.linalg.det(self.nodes.linear[node]) <= 0:
                told = "not uniform: joint positions are exact, rotations are approximate"
                self.document.reading.warn(f"/nodes/{node}/scale", told)
                return

    def _still(self) -> RawMotion:
        pose = Pose(np.zeros((0, 3)), np.zeros((0, len(self.skeleton), 4)))
        fps = self.own.fps if self.own else float(self.document.reading.options.fps or gltf.DEFAULT_RATE)
        return self._raw("", fps, pose, {"fps": Inferred(fps, "nothing moves; the default", 0.0)})

    def _raw(self, name: str, fps: float, pose: Pose, inferred: dict[str, Inferred]) -> RawMotion:
        how = "inverse bind matrices" if self.bind.from_skin else "default pose of the nodes"
        inferred["rest"] = Inferred("bind" if self.bind.from_skin else "default", how, 0.9)
        raw = RawMotion(self.skeleton, fps, pose, name, unit_m=1.0, up="y", inferred=inferred, skin=self.skin)
        if self.own is not None:
            raw.name, raw.is_loop, raw.events = self.own.name, self.own.is_loop, self.own.events
            raw.parameters = self.own.parameters
            raw.settled, raw.source = True, replace(self.own.source, inferred=inferred)
        return raw


def _restored(
    document: GltfDocument, nodes: Nodes, joints: Joints, skeleton: Skeleton, own: KeptExtras
) -> tuple[KeptExtras | None, Skeleton]:
    """The skeleton exactly as it was written; or, when the file was changed since, as any other file's."""
    fits = (own.end_parents < len(own.joints)).all() and set(own.roles.values()) <= set(own.joints)
    fits = fits and own.roles.keys() <= Roles.__dataclass_fields__.keys()
    if own.joints != skeleton.names or not fits or len(document.items("animations")) > 1:
        document.reading.warn("/extras/footfall", "the file was changed since footfall wrote it; read as any other")
        return None, skeleton
    offsets, rest = skeleton.offsets.copy(), skeleton.rest.copy()
    for j, node in enumerate(joints.nodes):  # node defaults are exact; bind matrices are rounded to float32
        if j > 0:
            offsets[j], rest[j] = nodes.translation[node], nodes.rotation[node]
    offsets[0] = nodes.world[joints.nodes[0], :3, 3]
    rest[0] = nodes.rotation[joints.nodes[0]]
    return own, Skeleton(skeleton.names, skeleton.parents, offsets, rest, own.end_parents, own.end_offsets, own.roles)


def _check_finite(document: GltfDocument, place: str, *arrays: np.ndarray) -> None:
    for array in arrays:
        if not (np.abs(array) < LARGEST).all():
            document.fail(place, "transforms that stay finite and under 1e9 m", "some that do not")
