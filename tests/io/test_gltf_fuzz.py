"""Broken glTF: whatever is changed in a valid file, only success or one clear error comes of it, in bounded memory."""

from __future__ import annotations

import base64
import copy
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz import mutations, survives
from gltf_make import Maker, pack, unpack
from helpers import walking_clip

from footfall.io.load import read_raw
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import save
from footfall.kinematics.fk import world_positions

pytestmark = pytest.mark.usefixtures("nobody_else_works")  # tracemalloc is switched on and off
LIMIT_BYTES = 400 << 20
NASTY_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 3, 255, 2**31 - 1, 2**31, 2**63, 10**400, -0.5, 1e-320, 1e300, 1e999,
    "", "\0", "VEC3", "MAT4", "\ud800", "../../etc/passwd", "data:;base64,", "data:;base64,AAAA",
    [], [0], [[[]]], [1e38] * 16, [0] * 4, {}, {"a": {}},
)  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """One of our own files, with a body."""
    path = tmp_path_factory.mktemp("own") / "a.glb"
    save(walking_clip(cycles=0.25), path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def foreign() -> Maker:
    """A small file that uses most of what the reader knows."""
    maker = Maker(
        [
            {"name": "top", "scale": [0.5] * 3, "children": [1, 4]},
            {"name": "a", "translation": [0, 1, 0], "children": [2]},
            {"name": "b", "matrix": np.eye(4).ravel().tolist(), "children": [3]},
            {"name": "b_end", "translation": [0, 0.2, 0]},
            {"mesh": 0, "skin": 0},
        ]
    )
    maker.skin([2, 1], np.tile(np.eye(4), (2, 1, 1)))
    turns = np.tile([0, 0, 0, 1], (4, 1))
    maker.animate((1, "translation", [0, 0.1, 0.2, 0.3], np.zeros((4, 3))), (2, "rotation", [0, 1, 2, 3], turns))
    spline = np.tile([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], (2, 1))
    maker.animate((1, "rotation", [0, 1], spline), how="CUBICSPLINE", name="spline")
    attributes = {
        "POSITION": maker.accessor(np.eye(3)),
        "JOINTS_0": maker.accessor(np.zeros((3, 4)), "<u1"),
        "WEIGHTS_0": maker.accessor(np.tile([1, 0, 0, 0], (3, 1))),
    }
    indices = maker.accessor([0, 1, 2], "<u2")
    maker.json["meshes"] = [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}]
    maker.json["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1]}}]
    sparse = {
        "count": 1,
        "indices": {"bufferView": maker.view(b"\1"), "componentType": 5121},
        "values": {"bufferView": maker.view(b"\0" * 12)},
    }
    maker.json["accessors"][maker.json["animations"][0]["samplers"][0]["output"]]["sparse"] = sparse
    return maker


def read(path: Path) -> None:
    """Reading, then what every reader promises of its result."""
    tracemalloc.start()
    try:
        motions = read_raw(Reading(path, ReadOptions()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < LIMIT_BYTES
    for motion in motions:
        assert np.isfinite(motion.pose.root_pos).all()
        assert np.allclose(np.linalg.norm(motion.pose.rot, axis=-1), 1.0)
        assert np.isfinite(world_positions(motion.skeleton, motion.pose)).all()


def test_damaged_bytes_of_our_own_file(written: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    results = [survives(read, broken, path) for broken in mutations(written, 150, seed=1)]
    assert not all(results)  # the damage is real …
    assert any(results)  # … and not always fatal


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_damaged_bytes_of_a_small_file(foreign: Maker, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    data = foreign.glb() if suffix == ".glb" else foreign.gltf()
    results = [survives(read, broken, path) for broken in mutations(data, 300, seed=2)]
    assert not all(results)


def test_damaged_numbers_in_the_binary_part(foreign: Maker, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    path = tmp_path / "a.glb"
    for _ in range(120):
        data = np.frombuffer(bytes(foreign.data), "<u4").copy()
        for _ in range(int(rng.integers(1, 4))):
            data[rng.integers(len(data))] = rng.choice(
                [0, 0x7F800000, 0xFFC00000, 0x7F7FFFFF, 1, 0xFFFFFFFF, 0x4B000000]
            )
        survives(read, pack(foreign.document(), data.tobytes()), path)


def test_every_value_of_the_json_replaced_by_something_nasty(foreign: Maker, tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    uri = "data:;base64," + base64.b64encode(bytes(foreign.data)).decode()
    document = foreign.document(uri)
    survived = []
    rng = np.random.default_rng(4)
    for place in places(document):
        for value in [NASTY_VALUES[k] for k in rng.choice(len(NASTY_VALUES), 2, replace=False)]:
            broken = copy.deepcopy(document)
            owner = broken
            for step in place[:-1]:
                owner = owner[step]
            owner[place[-1]] = value
            survived.append(survives(read, json.dumps(broken).encode(), path))
    assert len(survived) > 300
    assert 0.02 < np.mean(survived) < 0.9


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a JSON value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (key,)
        for below in places(child):
            yield (key, *below)


def test_one_byte_at_a_time_is_cut_off(foreign: Maker, tmp_path: Path) -> None:
    data, path = foreign.glb(), tmp_path / "a.glb"
    for length in range(0, len(data), 7):
        assert not survives(read, data[:length], path)


def test_deep_and_wide_json(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    for text in ("[" * 100_000, '{"a":' * 100_000, '{"asset":{"version":"2.0"},"nodes":[' + "{}," * 30_000 + "{}]}"):
        assert not survives(read, text.encode(), path)
    assert not survives(read, b'{"asset":{"version":"2.0"},"nodes":[{"translation":[' + b"9" * 5000 + b",0,0]}]}", path)


def test_one_mesh_or_accessor_used_a_thousand_times_is_refused(foreign: Maker, tmp_path: Path) -> None:
    document, data = unpack(foreign.glb())
    corner = {"count": 60_000, "componentType": 5126, "type": "VEC3", "bufferView": len(document["bufferViews"])}
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": 720_000})
    document["buffers"][0]["byteLength"] = len(data) + 720_000
    document["accessors"].append(corner)
    primitive = {"attributes": {"POSITION": len(document["accessors"]) - 1}}
    document["meshes"].append({"primitives": [primitive] * 50})
    document["nodes"] += [{"mesh": 1} for _ in range(1000)]
    document["nodes"][1]["children"] = [2, *range(5, 1005)]
    assert not survives(read, pack(document, data + bytes(720_000)), tmp_path / "a.glb", max_seconds=20)


def test_absurd_scales_overflow_into_an_error(tmp_path: Path) -> None:
    count = 200
    nodes = [{"name": f"n{i}", "scale": [9e8] * 3, "translation": [1, 0, 0], "children": [i + 1]} for i in range(count)]
    maker = Maker([*nodes, {"name": "end"}])
    maker.skin([count, 0])
    maker.animate((0, "rotation", [0, 1], np.tile([0, 0, 0, 1], (2, 1))))
    assert not survives(read, maker.glb(), tmp_path / "a.glb")
