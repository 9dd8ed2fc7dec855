"""Scenes and cameras: what must be seen is seen, and the same scene gives the same bytes."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import still_clip, walking_clip

from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.feet.on_ground import put_on_ground
from footfall.io.open_ground import ground
from footfall.motions.library import motion
from footfall.render.camera import Camera, axes, low_pass
from footfall.render.marks import plants, prints, trail
from footfall.render.scene import Actor, Scene, arranged, floor_height, prepare, render_frame
from footfall.render.theme import THEMES, linear

SIZE = (160, 120)


def pixels(stage, points, t_s, width, height):
    """Where points fall on the picture, by plain projection."""
    view = stage.track.view(t_s, width, height)
    offset = points - np.array(view.eye)
    depth = offset @ view.forward
    x = 0.5 * width + offset @ view.right / depth / view.per_px
    return x, 0.5 * height - offset @ view.up / depth / view.per_px


@pytest.mark.parametrize("mode", ["follow", "fixed"])
@pytest.mark.parametrize(("width", "height"), [(320, 240), (240, 320), (600, 120)])
def test_the_whole_figure_stays_in_the_picture(mode, width, height):
    stage = prepare(Scene([Actor(walking_clip())], camera=Camera(mode)), width / height)
    spread = []
    for t in np.linspace(0.0, stage.scene.duration, 7):
        x, y = pixels(stage, stage.cast[0].ends(np.asarray(t)), t, width, height)
        assert x.min() > 0
        assert x.max() < width
        assert y.min() > 0
        assert y.max() < height
        spread.append((x.min(), x.max(), y.min(), y.max()))
    seen = np.array(spread)
    used = max((seen[:, 1].max() - seen[:, 0].min()) / width, (seen[:, 3].max() - seen[:, 2].min()) / height)
    assert used > 0.6  # and fills a good part of it


def test_azimuth_zero_sees_the_face_and_ninety_the_left_side():
    for heading in (0.0, 2.0):
        ahead = np.array([np.sin(heading), 0.0, np.cos(heading)])
        left = np.array([np.cos(heading), 0.0, -np.sin(heading)])
        assert axes(0.0, 0.0, heading)[2] @ ahead == pytest.approx(-1.0)
        assert axes(90.0, 0.0, heading)[2] @ left == pytest.approx(-1.0)
        right, up, forward = axes(30.0, 20.0, heading)
        assert np.allclose(np.cross(right, up), -forward)
        assert up[1] > 0


def test_following_removes_the_travel_but_not_the_steps():
    t = np.linspace(0.0, 4.0, 200)
    path = np.stack([1.5 * t, 0.05 * np.sin(12.0 * t)], axis=1)
    smooth = low_pass(path, t, 0.45)
    assert np.abs(smooth[:, 0] - path[:, 0]).max() < 0.02  # a steady walk is followed without lag, ends included
    assert np.abs(smooth[60:-60, 1]).max() < 0.002
    assert np.abs(smooth[:, 1]).max() < 0.03


def test_smoothing_a_moment_takes_no_wider_window_than_the_moment():
    t = 1.0 + np.linspace(0.0, 1e-6, 60)
    path = np.stack([t, np.zeros(60)], axis=1)
    assert np.allclose(low_pass(path, t, 0.45), path)


def test_the_same_scene_gives_the_same_bytes_and_time_changes_them():
    scene = Scene([Actor(walking_clip())])
    first = render_frame(scene, 0.5, SIZE)
    assert first.shape == (120, 160, 3)
    assert np.array_equal(first, render_frame(scene, 0.5, SIZE))
    assert not np.array_equal(first, render_frame(scene, 0.8, SIZE))


def test_the_floor_is_where_feet_rest():
    clip = walking_clip()
    stage = prepare(Scene([Actor(clip)]), 1.0)
    lowest = (stage.cast[0].ends(clip.times)[..., 1] - stage.cast[0].figure.radius).min(axis=(1, 2))
    assert abs(np.median(lowest)) < 0.015
    lifted = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + [0.0, 3.0, 0.0]))
    figure = stage.cast[0].figure
    assert floor_height(lifted, figure) - floor_height(clip, figure) == pytest.approx(3.0)
    high, low = (render_frame(Scene([Actor(c)]), 0.5, SIZE).astype(int) for c in (lifted, clip))
    assert np.mean(high != low) < 0.01  # the same picture, up to rounding


def test_who_climbs_is_shown_on_the_floor_and_not_in_it():
    walk = motion("walk", cycles=3)
    figure = prepare(Scene([Actor(walk)]), 1.0).cast[0].figure
    put, own = put_on_ground(walk, ground("stairs:15x35")), floor_height(walk, figure)
    assert floor_height(put.clip, figure) == pytest.approx(own, abs=0.03)
    assert floor_height(put.clip, figure, put.ground) == pytest.approx(own, abs=0.03)  # over stairs that are drawn


def test_prints_lie_under_the_feet_that_stand():
    clip = walking_clip()
    stage = prepare(Scene([Actor(clip)]), 1.0)
    marks = prints(clip, stage.cast[0].figure, stage.cast[0].place)
    assert len(marks.foot) == 2 * sum(len(spans) for spans in plants(clip))
    left = clip.skeleton.index("LeftToeBase")
    span = plants(clip)[0][1]
    middle = clip.positions[sum(span) // 2, left][[0, 2]]
    distance = np.linalg.norm(marks.ends[marks.foot == 0][:, :, :] - middle, axis=-1).min()
    assert distance < 0.05
    t = 0.5 * (span[0] + span[1]) / clip.fps
    shown = marks.alpha(t)
    future = marks.span_s[:, 0] > t + 0.1
    assert (shown[future] == 0).all()
    assert shown[~future].max() > 0.8


def test_the_trail_is_the_path_and_standing_leaves_none():
    clip = walking_clip(speed=1.3)
    marks = trail(clip, lambda p: p, 1.0)
    length = np.linalg.norm(marks.ends[:, 1] - marks.ends[:, 0], axis=-1).sum()
    assert length == pytest.approx(1.3 * clip.duration, rel=0.05)
    assert len(trail(still_clip(), lambda p: p, 1.0).ends) == 0


def test_trail_and_prints_can_be_left_out():
    clip = walking_clip()
    bare = prepare(Scene([Actor(clip)], trail=False, contacts=False), 1.0)
    assert len(bare.marks.ends) == 0
    full = prepare(Scene([Actor(clip)]), 1.0)
    assert set(full.marks.foot) == {-1, 0, 1}


def test_actors_that_collide_are_put_side_by_side_going_the_same_way():
    clips = [walking_clip(heading=h) for h in (0.0, 2.0, -1.0)]
    actors = arranged([Actor(c) for c in clips])
    stage = prepare(Scene(actors), 2.0)
    paths = np.stack([c.place(c.clip.positions[:, 0]) for c in stage.cast])[..., [0, 2]]
    gaps = [np.linalg.norm(paths[i] - paths[j], axis=-1).min() for i in range(3) for j in range(i)]
    assert min(gaps) > 0.8
    ways = paths[:, -1] - paths[:, 0]
    assert np.allclose(ways, ways[0], atol=0.05)
    alone = Actor(clips[0])
    assert arranged([alone])[0].offset == (0.0, 0.0, 0.0)


def test_a_file_with_only_a_skeleton_shows_its_rest_pose():
    clip = still_clip()
    empty = clip.with_pose(clip.pose.at(slice(0, 0)))
    picture = render_frame(Scene([Actor(empty)]), 0.0, SIZE)
    assert np.array_equal(picture, render_frame(Scene([Actor(clip)]), 0.0, SIZE))


def test_bad_arguments_are_named():
    clip = still_clip()
    with pytest.raises(ParameterError, match="at least one actor"):
        Scene([])
    with pytest.raises(ParameterError, match="16 to 8192"):
        render_frame(Scene([Actor(clip)]), 0.0, (10**9, 10**9))
    with pytest.raises(UnknownName, match="light"):
        render_frame(Scene([Actor(clip)], theme="lihgt"), 0.0, SIZE)
    with pytest.raises(ParameterError, match="elevation"):
        Camera(elevation=95.0)
    with pytest.raises(FootfallError, match="follow"):
        Camera("folow")
    with pytest.raises(ParameterError, match="#rrggbb"):
        render_frame(Scene([Actor(clip, color="red")]), 0.0, SIZE)


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_left_and_right_differ_for_the_colour_blind(theme):
    """Red-green blindness leaves the blue-yellow difference and lightness: those must tell the sides apart."""
    left, right = linear(THEMES[theme].left), linear(THEMES[theme].right)
    assert abs((left[2] - left[:2].mean()) - (right[2] - right[:2].mean())) > 0.4


@pytest.mark.parametrize(("offset", "turn"), [((0.0, 0.0, 0.0), 0.0), ((1.0, 0.0, -2.0), 1.2)])
def test_a_target_is_a_red_ball_where_the_motion_goes_for_it(offset, turn):
    clip, (width, height) = still_clip(), SIZE
    point = (0.5, 0.25, 0.3)
    scene = Scene([Actor(clip, offset=offset, turn=turn, target=point)])
    stage = prepare(scene, width / height)
    x, y = pixels(stage, stage.cast[0].place(np.array(point)), 0.0, width, height)
    red, green, blue = (int(v) for v in render_frame(scene, 0.0, SIZE)[round(float(y) - 0.5), round(float(x) - 0.5)])
    assert red > 1.5 * max(green, blue)
    bare = render_frame(Scene([Actor(clip, offset=offset, turn=turn)]), 0.0, SIZE)
    red, green, blue = (int(v) for v in bare[round(float(y) - 0.5), round(float(x) - 0.5)])
    assert red < 1.2 * min(green, blue)
