"""Grounds: heights and normals against plainly written answers, several levels, holes, and nonsense refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import footfall as ff
from footfall.core.errors import FootfallError
from footfall.kinematics import ground as made

metres = st.floats(-5.0, 5.0)


@given(st.floats(-0.5, 0.5), metres, metres, metres, st.floats(-3.0, 3.0))
def test_named_grounds_lie_ahead_of_whoever_walks(grade, x, z, along, heading):
    way = np.array([np.sin(heading), np.cos(heading)])
    at = np.array([x, z]) + along * way + 0.7 * np.array([way[1], -way[0]])
    place = np.array([x, 1.0, z])
    slope = made.slope(grade).ahead_of(place, heading)
    assert abs(float(slope.heights(at[0], at[1])) - grade * along) < 1e-3  # where it lies is told in millimetres
    stairs = made.stairs(0.15, 0.3, 4, start_m=1.0).ahead_of(place, heading)
    past = (along - 1.0) / 0.3
    if abs(past - round(past)) > 0.01:  # on an edge either side may be right
        assert abs(float(stairs.heights(at[0], at[1])) - 0.15 * sum(along > 1.0 + 0.3 * n for n in range(4))) < 1e-9


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_a_plane_is_reproduced_by_fields_and_meshes_with_its_normal(plane, x, z):
    a, b, c = plane
    grid = 0.5 * np.arange(5)
    field = made.height_field(a + b * grid[:, None] + c * grid[None, :], 0.5)
    corners = np.array([[0.0, a, 0.0], [2.0, a + 2 * b, 0.0], [2.0, a + 2 * b + 2 * c, 2.0], [0.0, a + 2 * c, 2.0]])
    mesh = made.mesh_ground(corners, np.array([[0, 1, 2], [0, 2, 3]]))
    for ground in (field, mesh):
        assert abs(float(ground.heights(x, z)) - (a + b * x + c * z)) < 1e-9
    inside = np.clip([x, z], 0.02, 1.98)
    normal = np.array([-b, 1.0, -c]) / np.sqrt(1 + b * b + c * c)
    assert np.allclose(mesh.normals(*inside), normal, atol=1e-6)
    assert np.isnan(field.heights(2.1, 1.0))
    assert np.isnan(mesh.heights(-0.1, 1.0))


def two_floors() -> tuple[np.ndarray, np.ndarray]:
    square = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    floors = [np.column_stack([square[:, 0], np.full(4, y), square[:, 1]]) for y in (0.0, 2.5)]
    quad = np.array([[0, 1, 2], [0, 2, 3]])
    return np.concatenate(floors), np.concatenate([quad, quad + 4])


def test_the_level_under_the_body_counts_not_the_topmost():
    house = ff.ground(two_floors())
    x = np.full(3, 1.0)
    assert house.heights(x, x, np.array([0.1, 2.4, np.inf])).tolist() == [0.0, 2.5, 2.5]
    assert float(house.heights(1.0, 1.0, -3.0)) == 0.0  # from below everything, the nearest above


def test_plates_have_upright_edges_and_holes_are_no_ground():
    plates = made.plates(np.array([[0.0, 0.1], [np.nan, 0.2]]), 1.0)
    x, z = np.array([0.5, 0.5, 0.5, 1.5, 1.5]), np.array([0.5, 0.999, 1.001, 0.5, 1.5])
    assert np.allclose(plates.heights(x, z), [0.0, 0.0, 0.1, np.nan, 0.2], equal_nan=True)


def test_files_of_meshes_and_heights(tmp_path):
    vertices, triangles = two_floors()
    obj = tmp_path / "house.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + ["f " + " ".join(f"{i + 1}//1" for i in t) for t in triangles]
    obj.write_text("\n".join(["# a house", *lines]))
    grey = np.zeros((5, 9), np.uint8)
    grey[:, 8] = 255
    Image.fromarray(grey).save(tmp_path / "ramp.png")
    picture = ff.ground(tmp_path / "ramp.png", cell_m=0.5, high_m=2.0)
    assert float(ff.ground(obj).heights(1.0, 1.0, 0.0)) == 0.0
    assert abs(float(picture.heights(2.0, 0.0)) - 2.0) < 1e-9
    assert float(picture.heights(0.0, 0.0)) == 0.0
    np.save(tmp_path / "field.npy", np.full((3, 3), 0.4))
    assert float(ff.ground(str(tmp_path / "field.npy")).heights(0.0, 0.0)) == 0.4
    glb = tmp_path / "house.glb"
    glb.write_bytes(glb_of(vertices, triangles, lifted=1.0))
    assert float(ff.ground(glb).heights(1.0, 1.0, 0.5)) == 1.0


def glb_of(vertices: np.ndarray, triangles: np.ndarray, lifted: float) -> bytes:
    """A file with one mesh on one node that is lifted, written by hand."""
    import json

    data = vertices.astype("<f4").tobytes() + triangles.astype("<u4").tobytes()
    first = vertices.size * 4
    document = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0, "translation": [0.0, lifted, 0.0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [
            {"buffer": 0, "byteLength": first},
            {"buffer": 0, "byteOffset": first, "byteLength": len(data) - first},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3",
             "min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()},
            {"bufferView": 1, "componentType": 5125, "count": triangles.size, "type": "SCALAR"},
        ],
    }  # fmt: skip
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("stairs:15", "no ground 'stairs:15'"),
        ("stairs:15xwide", "no ground"),
        ("stairs:15x0", "a run above 0"),
        ("slope:300", "climbed with hands"),
        ("nowhere.obj", "none of that name"),
        (np.zeros(3), "must be an \\(X, Z\\) array"),
        (np.full((2, 2), np.nan), "0 finite heights"),
        ((np.full((3, 3), np.nan), np.array([[0, 1, 2]])), "vertices must be a finite"),
        ((np.eye(3), np.array([[0, 1, 9]])), "there are 3"),
        ((np.eye(3), np.array([[0, 1, 2.5]])), "whole numbers"),
        ((np.array([[0.0, 0, 0], [0, 2, 0], [0, 2, 1]]), np.array([[0, 1, 2]])), "no surface that faces up"),
        (5, "expected a ground"),
    ],
)
def test_bad_grounds_are_refused_in_words(source, told):
    with pytest.raises(FootfallError, match=told):
        ff.ground(source)


def test_functions_that_are_no_ground_are_holes_or_refused():
    wild = ff.ground(lambda x, z: np.where(x > 0, np.inf, 0.0 * x))
    assert np.allclose(wild.heights(np.array([-1.0, 1.0]), 0.0), [0.0, np.nan], equal_nan=True)
    with pytest.raises(FootfallError, match="one height for each point"):
        ff.ground(lambda x, z: np.zeros(7)).heights(np.zeros(3), np.zeros(3))
