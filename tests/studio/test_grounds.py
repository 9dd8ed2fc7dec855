"""Grounds of the studio: which there are, what is drawn of them, and that nothing outside the folder is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core.errors import FootfallError
from footfall.kinematics.ground import Ground
from footfall.studio.ground_shape import ground_shape
from footfall.studio.grounds import BY_NAME, Grounds

NAMED = [item.key for item in BY_NAME if item.key]
STEP_OBJ = (
    "v -3 0 -3\nv 3 0 -3\nv 3 0 1\nv -3 0 1\nv -3 0.2 1\nv 3 0.2 1\nv 3 0.2 5\nv -3 0.2 5\nf 1 4 3 2\nf 5 8 7 6\n"
)


def across(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def drawn_heights(ground: Ground, x: float, z: float, points: np.ndarray) -> np.ndarray:
    """Heights of the triangles that are drawn, under points (N, 2); the highest of several. NaN: none."""
    shape = ground_shape(ground, x, z)
    corners = shape.vertices[shape.triangles]  # (F, 3, 3)
    a, b, c = (corners[:, k][:, [0, 2]] for k in range(3))
    area = across(b - a, c - a)
    corners, a, b, c = (part[np.abs(area) > 1e-9] for part in (corners, a, b, c))
    area = area[np.abs(area) > 1e-9]
    found = np.full(len(points), np.nan)
    for n, p in enumerate(points):
        v, w = across(p - a, c - a) / area, across(b - a, p - a) / area
        inside = (v >= -1e-9) & (w >= -1e-9) & (v + w <= 1 + 1e-9)
        if inside.any():
            u = 1.0 - v - w
            found[n] = (u * corners[:, 0, 1] + v * corners[:, 1, 1] + w * corners[:, 2, 1])[inside].max()
    return found


@pytest.mark.parametrize("name", NAMED)
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_what_is_drawn_is_what_is_walked_on(name: str, seed: int) -> None:
    chance = np.random.default_rng(seed)
    ground = ff.ground(name).ahead_of(np.array([chance.normal(), 0.0, chance.normal()]), chance.uniform(-3, 3))
    at = chance.uniform(-30, 30) * ground.packed.numbers[2:4] if not name.startswith("rough") else chance.normal(size=2)
    points = at + chance.uniform(-2.0, 2.0, (40, 2))
    drawn, asked = drawn_heights(ground, *at, points), ground.heights(points[:, 0], points[:, 1])
    near = 0.012 if name.startswith("waves") else 1e-6  # chords of a wave
    edge = np.abs(ground.heights(points[:, 0] + 1e-4, points[:, 1]) - asked) > 1e-3
    edge |= np.abs(ground.heights(points[:, 0], points[:, 1] + 1e-4) - asked) > 1e-3
    assert np.abs(drawn - asked)[~edge].max() < near


def test_files_of_the_folder_are_offered_and_drawn(tmp_path: Path) -> None:
    (tmp_path / "step.obj").write_text(STEP_OBJ)
    heights = 0.1 * np.arange(40.0)[:, None] * np.ones((40, 30))
    np.save(tmp_path / "ramp.npy", heights)
    ff.save(ff.retarget(ff.motion("stand"), "adult:1.3"), tmp_path / "hero.glb")  # a character is no ground
    (tmp_path / "broken.glb").write_bytes(b"glTF")
    grounds = Grounds(tmp_path)
    assert [item.name for item in grounds.items()][len(BY_NAME) :] == ["ramp.npy", "step.obj"]
    for name, at in (("step.obj", (0.0, 3.0)), ("ramp.npy", (0.4, 0.1))):
        ground = grounds.open(str(tmp_path / name))
        assert ground is not None
        points = np.array(at) + np.random.default_rng(1).uniform(-0.3, 0.3, (20, 2))
        assert np.allclose(drawn_heights(ground, *at, points), ground.heights(points[:, 0], points[:, 1]), atol=1e-6)


@pytest.mark.parametrize(
    "name", ["../secret.obj", "/etc/hosts.obj", "no such.obj", "stairs:0x0", "x" * 2000, "moon", ".hid/a.npy"]
)
def test_what_is_no_ground_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.obj").write_text(STEP_OBJ)
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(FootfallError) as error:
        Grounds(inside).open(name)
    assert "\n" not in str(error.value)
    with pytest.raises(FootfallError):
        Grounds(None).open("step.obj")


def test_the_level_floor_is_no_ground() -> None:
    assert Grounds(None).open("") is None
    assert Grounds(None).open("flat") is None
