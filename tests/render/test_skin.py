"""Characters are drawn with their own skin: where it is, how it is posed, and in the colours of its pictures."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from gltf_make import posed
from helpers import walking_clip
from PIL import Image

import footfall as ff
from footfall.core.clip import Skin, SkinLook
from footfall.io.capsule_body import capsule_body
from footfall.render.scene import Actor, Scene, render_frame
from footfall.render.sheet import render_strip
from footfall.render.skin import posed_vertices


def png(rows: list[list[tuple[int, int, int]]]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.array(rows, np.uint8)).save(out, "PNG")
    return out.getvalue()


def dressed(picture: bytes, colors=((1.0, 1.0, 1.0),)) -> ff.Clip:
    """A walking body of capsules, its upper half at the picture's left, its lower half at its right."""
    clip = walking_clip()
    skin = capsule_body(clip)
    high = skin.vertices[:, 1] > np.median(skin.vertices[:, 1])
    uv = np.stack([np.where(high, 0.25, 0.75), np.full(len(high), 0.5)], axis=-1)
    look = SkinLook(uv, np.zeros(len(skin.triangles), np.int32), np.array(colors), (picture,))
    return replace(clip, skin=replace(skin, look=look))


def shown(clip: ff.Clip) -> np.ndarray:
    return render_frame(Scene([Actor(clip)], trail=False, contacts=False), 0.3, (200, 300)).astype(int)


def reddish(picture: np.ndarray) -> np.ndarray:
    return picture[..., 0] > picture[..., 1] + 60


def bluish(picture: np.ndarray) -> np.ndarray:
    return picture[..., 2] > picture[..., 1] + 60


def test_a_vertex_is_where_plain_skinning_puts_it():
    clip = dressed(b"")
    for frame in (0, 7):
        assert np.allclose(posed_vertices(clip, frame / clip.fps), posed(clip, frame), atol=1e-9)


def test_colours_come_from_the_picture():
    picture = shown(dressed(png([[(220, 20, 20), (20, 20, 220)]])))
    red, blue = reddish(picture), bluish(picture)
    assert red.sum() > 500
    assert blue.sum() > 500
    assert np.argwhere(red)[:, 0].mean() + 40 < np.argwhere(blue)[:, 0].mean()  # the upper half is red


def test_without_a_picture_the_colour_of_the_material_is_taken():
    assert reddish(shown(dressed(b"", ((0.8, 0.02, 0.02),)))).sum() > 1000
    assert reddish(shown(dressed(b"no picture at all", ((0.8, 0.02, 0.02),)))).sum() > 1000


def test_it_covers_what_the_figure_would_and_casts_a_shadow():
    clip = dressed(b"", ((0.8, 0.02, 0.02),))
    picture = shown(clip)
    red = reddish(picture)
    rows, columns = np.argwhere(red).min(axis=0), np.argwhere(red).max(axis=0)
    assert rows[0] < 60
    assert columns[0] > 240  # as high as the picture, but for a margin
    empty = render_frame(Scene([Actor(clip)], trail=False, contacts=False), 0.3, (200, 300))
    floor = empty[270:, :, 1].astype(int)
    assert np.ptp(floor[~reddish(empty[270:].astype(int))]) > 20


def test_a_strip_shows_every_pose_faint_to_solid():
    clip = dressed(b"", ((0.8, 0.02, 0.02),))
    picture = render_strip(clip, [0.0, 0.5, 1.0], (600, 200), trail=False, contacts=False).astype(int)
    strength = (picture[..., 0] - picture[..., 1]).max(axis=0)
    assert 10 < strength[:150].max() < strength[300:].max() - 60


def test_figures_are_drawn_where_one_actor_has_no_skin():
    clip = dressed(b"", ((0.8, 0.02, 0.02),))
    both = Scene([Actor(clip), Actor(replace(clip, skin=None), offset=(1.0, 0.0, 0.0))], trail=False, contacts=False)
    assert reddish(render_frame(both, 0.0, (200, 200)).astype(int)).sum() == 0


@pytest.mark.parametrize("name", ["kaykit_Rogue.glb", "mesh2motion_human-bunny.glb"])
def test_a_real_character_is_read_with_its_look(characters, name):
    skin = ff.load(characters / name, 0).skin
    assert isinstance(skin, Skin)
    assert skin.look is not None
    assert skin.look.uv.shape == (len(skin.vertices), 2)
    assert skin.look.material.shape == (len(skin.triangles),)
    if "Rogue" in name:
        assert any(data.startswith(b"\x89PNG") for data in skin.look.pictures)
