"""Ground: heights from functions, grids and meshes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.core.errors import ParameterError
from footfall.kinematics.ground import FARTHEST_M, HeightField, heights_at, mesh_ground

at = st.floats(-3, 3)


@given(at, at, at, at, at)
def test_a_plane_is_reproduced_inside_a_grid_and_level_outside(a, b, c, x, z):
    grid = np.arange(5) * 0.5
    field = HeightField(a + b * grid[:, None] + c * grid[None, :], 0.0, 0.0, 0.5)
    inside = a + b * np.clip(x, 0, 2) + c * np.clip(z, 0, 2)
    assert np.isclose(field(np.array(x), np.array(z)), inside)


def test_the_highest_surface_of_a_mesh_counts():
    floor = [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]
    table = [[0, 0.4, 0], [0.5, 0.4, 0], [0.5, 0.4, 0.5], [0, 0.4, 0.5]]
    quads = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
    field = mesh_ground(np.array(floor + table, float), quads, 0.05, outside=-1.0)
    assert np.isclose(field(np.array(0.25), np.array(0.25)), 0.4)
    assert np.isclose(field(np.array(-0.5), np.array(-0.5)), 0.0)


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_sloping_mesh_is_met_within_a_cell(b, c, x, z):
    corners = np.array([[0, 0, 0], [1, b, 0], [1, b + c, 1], [0, c, 1]], float)
    field = mesh_ground(corners, np.array([[0, 1, 2], [0, 2, 3]]), 0.02)
    assert abs(float(field(np.array(x), np.array(z))) - (b * x + c * z)) < 1e-9


def test_upright_and_missing_triangles_are_no_ground():
    wall = np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0]], float)
    assert (mesh_ground(wall, np.array([[0, 1, 2]])).heights == 0.0).all()
    assert mesh_ground(wall, np.zeros((0, 3), int), outside=0.3)(np.array(5.0), np.array(5.0)) == 0.3


def test_wild_functions_give_finite_heights():
    x = np.array([0.0, 1.0, 2.0])
    wild = heights_at(lambda x, z: np.array([np.nan, np.inf, 1e30]), x, x)
    assert (wild == [0.0, 0.0, FARTHEST_M]).all()
    assert (heights_at(lambda x, z: 0.5, x, x) == 0.5).all()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: heights_at(lambda x, z: np.zeros(7), np.zeros(3), np.zeros(3)), "one height for each point"),
        (lambda: HeightField(np.zeros(3), 0, 0, 1.0), "finite \\(X, Z\\)"),
        (lambda: HeightField(np.zeros((2, 2)), 0, 0, 0.0), "cell_m"),
        (lambda: mesh_ground(np.full((3, 3), np.nan), np.array([[0, 1, 2]])), "vertices"),
        (lambda: mesh_ground(np.zeros((3, 3)), np.array([[0, 1, 9]])), "there are 3"),
        (lambda: mesh_ground(np.zeros((3, 3)), np.array([[0, 1, 2.5]])), "whole numbers"),
        (lambda: mesh_ground(1e6 * np.eye(3), np.array([[0, 1, 2]]), 0.01), "larger cell_m"),
        (lambda: mesh_ground(np.eye(3), np.array([[0, 1, 2]]), -1.0), "cell_m must be"),
    ],
)
def test_bad_grounds_are_refused_in_words(make, told):
    with pytest.raises(ParameterError, match=told):
        make()
