"""glTF files made and evaluated by hand, apart from the reader and the writer they test; random clips to write."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from footfall.core import rotation
from footfall.core.clip import Clip, Event, Source
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms

KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
WIDTHS = {kind: width for width, kind in KINDS.items()}
DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
CODES = {np.dtype(name): code for code, name in DTYPES.items()}


class Maker:
    """A glTF document under construction: a dict to edit and bytes to append to."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.data = bytearray()
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "bufferViews": [],
            "accessors": [],
        }

    def view(self, raw: bytes, **more: Any) -> int:
        self.data.extend(b"\0" * (-len(self.data) % 4))
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw), **more})
        self.data.extend(raw)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: Any, dtype: str = "<f4", **more: Any) -> int:
        array = np.asarray(values, dtype)
        array = array.reshape(len(array), -1)
        entry = {
            "bufferView": self.view(array.tobytes()),
            "componentType": CODES[array.dtype],
            "count": len(array),
            "type": KINDS[array.shape[1]],
            **more,
        }
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def skin(self, joints: list[int], inverse: Any = None) -> None:
        entry: dict[str, Any] = {"joints": joints}
        if inverse is not None:
            entry["inverseBindMatrices"] = self.accessor(np.swapaxes(inverse, 1, 2).reshape(-1, 16))
        self.json.setdefault("skins", []).append(entry)

    def animate(self, *tracks: tuple[int, str, Any, Any], name: str = "", how: str = "LINEAR") -> None:
        """Tracks of (node, path, times, values)."""
        samplers, channels = [], []
        for node, path, times, values in tracks:
            samplers.append({"input": self.accessor(times), "output": self.accessor(values), "interpolation": how})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
        entry: dict[str, Any] = {"samplers": samplers, "channels": channels}
        self.json.setdefault("animations", []).append({**entry, **({"name": name} if name else {})})

    def document(self, uri: str | None = None) -> dict[str, Any]:
        document = {k: v for k, v in self.json.items() if v != []}
        if self.data:
            document.setdefault("buffers", [{"byteLength": len(self.data), **({"uri": uri} if uri else {})}])
        return document

    def glb(self) -> bytes:
        return pack(self.document(), bytes(self.data))

    def gltf(self, uri: str | None = None) -> bytes:
        inline = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.data)).decode()
        return json.dumps(self.document(uri or inline)).encode()

    def save(self, path: Path) -> Path:
        path.write_bytes(self.glb() if path.suffix == ".glb" else self.gltf())
        return path


def pack(document: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data if data else b""
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def unpack(raw: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack_from("<I", raw, 12)[0]
    return json.loads(raw[20 : 20 + length]), raw[28 + length :]


class Plain:
    """A straightforward evaluation of a well-formed GLB: 4x4 matrices, one node and one time after another."""

    def __init__(self, path: Path) -> None:
        self.json, self.data = unpack(path.read_bytes())
        self.parent = {c: i for i, n in enumerate(self.json["nodes"]) for c in n.get("children", [])}

    def array(self, index: int) -> np.ndarray:
        entry = self.json["accessors"][index]
        view = self.json["bufferViews"][entry["bufferView"]]
        dtype, width = np.dtype(DTYPES[entry["componentType"]]), WIDTHS[entry["type"]]
        start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
        stride = view.get("byteStride", dtype.itemsize * width)
        rows = [np.frombuffer(self.data, dtype, width, start + k * stride).astype(float) for k in range(entry["count"])]
        scale = np.iinfo(dtype).max if entry.get("normalized") else 1.0
        return np.array(rows) / scale

    def tracks(self, animation: int) -> dict[tuple[int, str], tuple[np.ndarray, np.ndarray]]:
        entry = self.json["animations"][animation]
        out = {}
        for channel in entry["channels"]:
            sampler = entry["samplers"][channel["sampler"]]
            assert sampler.get("interpolation", "LINEAR") == "LINEAR"
            key = channel["target"]["node"], channel["target"]["path"]
            out[key] = self.array(sampler["input"])[:, 0], self.array(sampler["output"])
        return out

    def world(self, node: int, tracks: dict[tuple[int, str], Any], t: float) -> np.ndarray:
        local = self.local(node, tracks, t)
        return self.world(self.parent[node], tracks, t) @ local if node in self.parent else local

    def local(self, node: int, tracks: dict[tuple[int, str], Any], t: float) -> np.ndarray:
        entry = self.json["nodes"][node]
        if "matrix" in entry:
            return np.reshape(entry["matrix"], (4, 4)).T
        parts = {
            "translation": entry.get("translation", [0, 0, 0]),
            "rotation": entry.get("rotation", [0, 0, 0, 1]),
            "scale": entry.get("scale", [1, 1, 1]),
        }
        for path in parts:
            if (node, path) in tracks:
                times, values = tracks[node, path]
                clamped = float(np.clip(t, times[0], times[-1]))
                if path == "rotation" and len(times) > 1:
                    parts[path] = Slerp(times, Rotation.from_quat(values))(clamped).as_quat()
                else:
                    parts[path] = [np.interp(clamped, times, column) for column in values.T]
        out = np.eye(4)
        out[:3, :3] = Rotation.from_quat(parts["rotation"]).as_matrix() * np.asarray(parts["scale"])
        out[:3, 3] = parts["translation"]
        return out


def posed(clip: Clip, frame: int) -> np.ndarray:
    """Vertices of the clip's skin at a frame, by linear blend skinning."""
    positions, rotations = world_transforms(clip.skeleton, clip.pose.at(frame))
    world = np.tile(np.eye(4), (len(positions), 1, 1))
    world[:, :3, :3], world[:, :3, 3] = rotation.to_matrix(rotations), positions
    m = world @ clip.skin.inverse_bind
    v = np.c_[clip.skin.vertices, np.ones(len(clip.skin.vertices))]
    parts = [
        clip.skin.weights[:, k, None] * np.einsum("vij,vj->vi", m[clip.skin.joints[:, k]], v)[:, :3] for k in range(4)
    ]
    return np.sum(parts, axis=0)


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    joints, frames = draw(st.integers(1, 12)), draw(st.integers(0, 9))
    parents = np.array([-1] + [int(rng.integers(0, j)) for j in range(1, joints)])
    offsets = rng.normal(scale=0.3, size=(joints, 3)) * (rng.random((joints, 1)) < 0.8)
    ends = int(rng.integers(0, 3))
    skeleton = Skeleton(
        tuple(f"bone {j} é" for j in range(joints)),
        parents,
        offsets,
        rotation.exp(rng.normal(size=(joints, 3))),
        rng.integers(0, joints, ends),
        rng.normal(size=(ends, 3)),
    )
    root = rng.normal(scale=draw(st.sampled_from([1.0, 30.0, 5000.0])), size=3) + rng.normal(size=(frames, 3))
    pose = Pose(
        root,
        rotation.exp(rng.normal(scale=3, size=(frames, joints, 3))),
        rng.normal(size=(frames, joints, 3)) if draw(st.booleans()) else None,
    )
    events = (Event("step", 0.1, 0.25),) if draw(st.booleans()) else ()
    fps = draw(st.sampled_from([24.0, 30.0, 119.88, 120.00048, 1000.0]))
    source = Source(path="x/y.bvh", format="bvh", unit_m=0.0564, world_from_file=(0.6, 0.8, 0.0, 0.0))
    return Clip(skeleton, fps, pose, name="näme", is_loop=draw(st.booleans()), events=events, source=source)
