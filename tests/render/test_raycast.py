"""The ray caster against independent geometry and against its readable twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.render import raycast
from footfall.render.camera import axes, focal_px, triple
from footfall.render.cone_kernels import hit
from footfall.render.picture import CameraView, Canvas, PackedScene, TileLists
from footfall.render.raycast_kernels import paint
from footfall.render.scene import look
from footfall.render.theme import THEMES, linear
from footfall_lab.oracles import raycast as reference

WHITE = np.array([0.8, 0.8, 0.8])


def view_at(eye, width=64, height=48, azimuth=0.0, elevation=10.0):
    right, up, forward = axes(azimuth, elevation, 0.0)
    target = np.asarray(eye, float)
    return CameraView(
        triple(target - 4.0 * forward),
        triple(right),
        triple(up),
        triple(forward),
        1.0 / focal_px(height),
        width,
        height,
    )


def things_of(ends, radius, alpha=None, figure=None, piece=None, color=None):
    ends, radius = np.asarray(ends, float), np.asarray(radius, float)
    n = len(ends)
    return raycast.solids(
        ends, radius, np.tile(WHITE, (n, 1)) if color is None else color, np.ones(n) if alpha is None else alpha,
        np.zeros(n, int) if figure is None else figure, piece,
    )  # fmt: skip


def no_marks():
    return raycast.decals(np.zeros((0, 2, 2)), np.zeros((0, 2)), np.zeros((0, 3)), np.zeros(0), np.zeros(0, int))


def distance_to_hull(p, a, b, ra, rb):
    """Signed distance from points (P, 3) to the hull of two balls, by trying very many balls between them."""
    s = np.linspace(0.0, 1.0, 4001)
    centers, radii = a + s[:, None] * (b - a), ra + s * (rb - ra)
    return (np.linalg.norm(p[:, None] - centers, axis=-1) - radii).min(axis=1)


coordinate = st.floats(-1.0, 1.0, allow_nan=False)
point = st.tuples(coordinate, coordinate, coordinate)
size = st.floats(0.02, 0.5)


@settings(max_examples=40)
@given(point, point, size, size, point)
def test_hit_is_where_marching_through_the_distance_field_ends(a, b, ra, rb, aim):
    a, b = np.array(a), np.array(b)
    origin = np.array([0.3, 0.2, 6.0])
    unit = np.array(aim) - origin
    unit /= np.linalg.norm(unit)
    cones = things_of([[a, b]], [[ra, rb]]).cones
    t = hit(cones, 0, *origin, *unit)
    assert np.allclose(t, reference.hit(cones[0], origin, unit[None])[0], rtol=0, atol=1e-9, equal_nan=True)
    marched = 0.0
    for _ in range(400):  # sphere tracing: each step is safe, so it can only stop at the first surface
        step = distance_to_hull((origin + marched * unit)[None], a, b, ra, rb)[0]
        if step < 1e-6 or marched > 20.0:
            break
        marched += step
    if np.isfinite(t):
        on_surface = distance_to_hull((origin + t * unit)[None], a, b, ra, rb)[0]
        assert abs(on_surface) < 1e-5
        if step < 1e-6:
            assert t == pytest.approx(marched, abs=2e-3)  # marching along a grazing ray stops a little early
    else:
        path = origin + np.linspace(0.0, 12.0, 600)[:, None] * unit
        assert distance_to_hull(path, a, b, ra, rb).min() > -1e-4


def test_a_ball_covers_as_many_pixels_as_its_cone_of_sight():
    view = view_at((0, 1, 0), 320, 240, elevation=0.0)
    r = 0.5
    things = things_of([[(0, 1, 0), (0, 1, 0)]], [[r, r]])
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)._replace(floor_y=-50.0)
    canvas = Canvas.empty(view, 1)
    patch, light = raycast.floor_light(things, scene)
    tiles = TileLists(
        *raycast.by_tile(raycast.solid_boxes(view, things), view), *raycast.by_tile(np.zeros((0, 4)), view)
    )
    paint(view, scene, PackedScene(*things, no_marks(), patch, light), tiles, canvas)
    radius_px = r / np.sqrt(4.0**2 - r**2) / view.per_px  # the tangent cone's radius on the picture
    assert (canvas.met == 0).sum() == pytest.approx(np.pi * radius_px**2, rel=0.005)


def some_things(rng):
    """A tangle of cones, two figures, one of them see-through, with one melted piece."""
    a = rng.uniform([-0.6, 0.2, -0.6], [0.6, 1.4, 0.6], (8, 3))
    ends = np.stack([a, a + rng.normal(scale=0.35, size=(8, 3))], axis=1)
    ends[3, 1] = ends[3, 0]  # no length
    radius = rng.uniform(0.05, 0.2, (8, 2))
    radius[4] = 0.25, 0.01
    figure = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    return things_of(
        ends, radius, np.where(figure == 1, 0.5, 1.0), figure, np.array([0, 0, 0, 3, 4, 5, 6, 6]),
        rng.uniform(0.1, 0.9, (8, 3)),
    )  # fmt: skip


def some_marks(rng):
    ends = rng.uniform(-1.0, 1.0, (6, 2, 2))
    return raycast.decals(
        ends, rng.uniform(0.02, 0.1, (6, 2)), rng.uniform(0, 1, (6, 3)), rng.uniform(0.2, 1.0, 6), np.arange(6) // 2
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("elevation", [0.0, 20.0, 85.0])
def test_compiled_picture_is_the_readable_one(theme, elevation, rng):
    view = view_at((0, 0.7, 0), azimuth=30.0, elevation=elevation)
    scene = look(THEMES[theme], view, np.zeros(3), 4.0, 1.0)
    things, marks = some_things(rng), some_marks(rng)
    fast = raycast.draw(view, scene, things, marks).astype(int)
    slow = reference.draw(view, scene, things, marks).astype(int)
    assert fast.std() > 5  # a picture of something
    off = np.abs(fast - slow).max(axis=-1)
    assert np.mean(off > 1) < 0.002  # a ray along an edge may fall to either side of it
    assert np.median(off) == 0


def test_floor_light_is_the_readable_one(rng):
    view = view_at((0, 0.7, 0))
    scene, things = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0), some_things(rng)
    _, light = raycast.floor_light(things, scene)
    assert np.abs(light - reference.floor_light(things, scene)).max() < 1e-9
    assert light.min() < 0.5


def test_shadow_falls_away_from_the_lamp():
    view = view_at((0, 0.5, 0), elevation=30.0)
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)
    things = things_of([[(0, 1, 0), (0, 1, 0)]], [[0.2, 0.2]])
    patch, light = raycast.floor_light(things, scene)
    row, col = np.unravel_index(light[..., 0].argmin(), light.shape[:2])
    darkest = np.array([patch.x0 + col * patch.cell_m, patch.z0 + row * patch.cell_m])
    lamp = np.array(scene.light)
    assert np.allclose(darkest, -lamp[[0, 2]] / lamp[1], atol=0.1)  # straight below the ball as the lamp sees it


def test_the_sky_is_hidden_right_below_a_low_ball_and_not_by_a_high_one():
    view = view_at((0, 0.5, 0), elevation=30.0)
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)
    patch, light = raycast.floor_light(things_of([[(0.2, 0.25, -0.1)] * 2], [[0.2, 0.2]]), scene)
    row, col = np.unravel_index(light[..., 1].argmin(), light.shape[:2])
    below = np.array([patch.x0 + col * patch.cell_m, patch.z0 + row * patch.cell_m])
    assert light[..., 1].min() < 0.9
    assert np.allclose(below, (0.2, -0.1), atol=0.02)
    _, high = raycast.floor_light(things_of([[(0.2, 1.0, -0.1)] * 2], [[0.2, 0.2]]), scene)
    assert high[..., 1].min() == 1.0


def test_shadow_is_sharp_at_contact_and_soft_far_away():
    view = view_at((0, 0.5, 0), elevation=30.0)
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)

    def width_of_edge(height):
        _, light = raycast.floor_light(things_of([[(0, height, 0)] * 2], [[0.1, 0.1]]), scene)
        return int(((light[..., 0] > 0.05) & (light[..., 0] < 0.95)).sum())

    assert width_of_edge(0.1) < width_of_edge(0.6) < width_of_edge(1.2)


def test_a_see_through_figure_shows_what_is_behind_it():
    view = view_at((0, 1, 0), elevation=0.0)
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)
    ends = [[(0, 1, -1)] * 2, [(0, 1, 1)] * 2]
    colors = np.array([linear("#ff0000"), linear("#0000ff")])

    def middle(alpha):
        things = things_of(ends, [[0.4, 0.4]] * 2, np.array([1.0, alpha]), np.array([0, 1]), color=colors)
        return raycast.draw(view, scene, things, no_marks())[24, 32].astype(int)

    solid, half, faint = middle(1.0), middle(0.5), middle(0.1)
    assert solid[2] > solid[0]
    assert solid[0] < half[0] < faint[0]
    assert solid[2] > half[2] > faint[2]


def test_a_mark_is_painted_where_it_lies():
    view = view_at((0, 0, 0), elevation=85.0)
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)
    ends = np.array([[[0.3, -0.1], [0.3, 0.1]]])
    marks = raycast.decals(ends, np.array([[0.15, 0.15]]), linear("#ff0000")[None], np.ones(1), np.zeros(1, int))
    nothing = things_of([[(0, 50, 900)] * 2], [[0.1, 0.1]])
    image = raycast.draw(view, scene, nothing, marks).astype(int)
    red = (image[..., 0] - image[..., 1] > 60).nonzero()
    x = 32 + 0.3 / (4.0 * view.per_px)
    assert np.mean(red[1]) + 0.5 == pytest.approx(x, abs=1.0)
    metres = 4.0 * view.per_px
    assert len(red[0]) * metres**2 == pytest.approx(0.3 * 0.2 + np.pi * 0.15**2, rel=0.08)


def test_an_empty_scene_is_only_floor_and_background():
    view = view_at((0, 1, 0))
    scene = look(THEMES["light"], view, np.zeros(3), 4.0, 1.0)
    nothing = raycast.solids(np.zeros((0, 2, 3)), np.zeros((0, 2)), np.zeros((0, 3)), np.zeros(0), np.zeros(0, int))
    image = raycast.draw(view, scene, nothing, no_marks())
    assert image.min() > 180
