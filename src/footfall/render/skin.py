"""A character's own skin in pictures: its mesh posed with the joints, lit as figures are, with base-colour pictures."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Skin, SkinLook
from footfall.core.once import once
from footfall.io.gltf_writer import vertex_normals
from footfall.kinematics.fk import with_ancestors, world_transforms
from footfall.render.mesh_kernels import MeshBuffers, MeshPack, fill
from footfall.render.picture import Appearance, CameraView

FINER = 2  # pixels drawn for each pixel shown, across and down
OUTLINE = 600  # vertices that a skin is framed by
MOST_TEXELS = 1 << 22  # of one picture: a larger one is drawn smaller
EXPOSURE = 0.72  # of the light that figures get: skins are white more often, and must not burn out. By eye
WRAP = 0.30  # light reaches this far around a limb (cosine units); as of figures


class Pictures(NamedTuple):
    """All pictures of a look, ready to draw."""

    texels: np.ndarray  # (N, 3) linear
    places: np.ndarray  # (M, 3) first texel, width, height


class PosedSkin(NamedTuple):
    """A mesh in the world."""

    skin: Skin
    vertices: np.ndarray  # (V, 3)
    alpha: float


def outline_of(clip: Clip, t_s: np.ndarray) -> np.ndarray:
    """(..., K, 3) some vertices of the clip's skin at times (...): enough to frame it by."""
    assert clip.skin is not None
    return _posed_rows(clip, np.unique(np.linspace(0, len(clip.skin.vertices) - 1, OUTLINE).astype(int)), t_s)


def lowest_of_feet(clip: Clip, t_s: np.ndarray) -> np.ndarray:
    """(T,) height of the lowest vertex that follows a foot (weapons may hang lower), or of any where there are none."""
    skin, roles = clip.skin, clip.skeleton.roles
    assert skin is not None
    feet = {j for j in (roles.left_ankle, roles.right_ankle) if j is not None}
    below = [j for j in range(len(clip.skeleton)) if feet & with_ancestors(clip.skeleton.parents, [j])]
    most = skin.joints[np.arange(len(skin.joints)), skin.weights.argmax(axis=1)]
    rows = np.flatnonzero(np.isin(most, below))
    return _posed_rows(clip, rows if len(rows) else np.arange(len(most)), t_s)[..., 1].min(axis=-1)


def _posed_rows(clip: Clip, rows: np.ndarray, t_s: np.ndarray) -> np.ndarray:
    assert clip.skin is not None
    some = {name: getattr(clip.skin, name)[rows] for name in ("vertices", "joints", "weights")}
    return posed_vertices(replace(clip, skin=replace(clip.skin, **some, look=None)), t_s)


def posed_vertices(clip: Clip, t_s: np.ndarray | float) -> np.ndarray:
    """(..., V, 3) vertices of the clip's skin at times (...), by linear blend skinning."""
    skin = clip.skin
    assert skin is not None
    places, turns = world_transforms(clip.skeleton, clip.sample(np.asarray(t_s, float)))
    linear = rotation.to_matrix(turns) @ skin.inverse_bind[:, :3, :3]  # (..., J, 3, 3)
    shift = (rotation.to_matrix(turns) @ skin.inverse_bind[:, :3, 3:])[..., 0] + places
    out = np.zeros((*places.shape[:-2], len(skin.vertices), 3))
    for k in range(skin.joints.shape[1]):  # one influence at a time: all at once would be many times the mesh
        joint = skin.joints[:, k]
        moved = np.einsum("...vij,vj->...vi", linear[..., joint, :, :], skin.vertices) + shift[..., joint, :]
        out += skin.weights[:, k, None] * moved
    return out


def draw_skins(image: np.ndarray, view: CameraView, look: Appearance, skins: list[PosedSkin]) -> np.ndarray:
    """The picture (H, W, 3) uint8 with skins in it, the farthest first; see-through ones blend with what is there."""
    out = (image.astype(float) / 255.0) ** 2
    far = [float((posed.vertices.mean(axis=0) - np.array(view.eye)) @ view.forward) for posed in skins]
    for n in np.argsort(far)[::-1]:
        cover, color = _layer(view, look, skins[n])
        share = cover * skins[n].alpha
        out = out * (1.0 - share) + color * skins[n].alpha
    return np.clip(np.sqrt(np.clip(out, 0.0, 1.0)) * 255.0 + 0.5, 0.0, 255.0).astype(np.uint8)


def _layer(view: CameraView, look: Appearance, posed: PosedSkin) -> tuple[np.ndarray, np.ndarray]:
    """Share of each pixel that a skin covers (H, W, 1), and its light there (H, W, 3)."""
    dress = posed.skin.look
    assert dress is not None
    size = view.height * FINER, view.width * FINER
    buffers = MeshBuffers(np.zeros(size), np.zeros((*size, 3)))
    pictures = _pictures(dress)
    fill(
        MeshPack(
            _on_screen(view, posed.vertices),
            _light(look, vertex_normals(posed.vertices, posed.skin.triangles)),
            np.ascontiguousarray(dress.uv, float),
            np.ascontiguousarray(posed.skin.triangles, np.int64),
            np.ascontiguousarray(dress.material, np.int64),
            np.ascontiguousarray(dress.colors, float),
            pictures.texels,
            pictures.places,
        ),
        buffers,
    )
    shape = view.height, FINER, view.width, FINER
    cover = (buffers.near > 0.0).astype(float).reshape(shape).mean(axis=(1, 3))
    return cover[..., None], buffers.color.reshape(*shape, 3).mean(axis=(1, 3))


def _on_screen(view: CameraView, vertices: np.ndarray) -> np.ndarray:
    offset = vertices - np.array(view.eye)
    x, y, z = (offset @ np.array(axis) for axis in (view.right, view.up, view.forward))
    safe = np.where(z > 1e-3, z, 1.0)
    across = 0.5 * view.width + x / safe / view.per_px
    down = 0.5 * view.height - y / safe / view.per_px
    return np.stack([across * FINER, down * FINER, np.where(z > 1e-3, 1.0 / safe, 0.0)], axis=-1)


def _light(look: Appearance, normals: np.ndarray) -> np.ndarray:
    """(V, 3) key light, sky from above and light from the floor."""
    key = np.clip((normals @ np.array(look.light) + WRAP) / (1.0 + WRAP), 0.0, None)[:, None]
    up = (0.5 + 0.5 * normals[:, 1])[:, None]
    return EXPOSURE * (key * np.array(look.key) + up * np.array(look.sky) + (1.0 - up) * np.array(look.bounce))


@once
def _pictures(look: SkinLook) -> Pictures:
    """Every picture of a look, decoded; one that cannot be is left out."""
    texels, places, first = [np.zeros((1, 3))], np.zeros((len(look.pictures), 3), np.int64), 1
    for m, data in enumerate(look.pictures):
        found = _decoded(data)
        if found is not None:
            places[m] = first, found.shape[1], found.shape[0]
            texels.append(found.reshape(-1, 3))
            first += found.shape[0] * found.shape[1]
    return Pictures(np.concatenate(texels), places)


def _decoded(data: bytes) -> np.ndarray | None:
    """(H, W, 3) linear, or None."""
    from PIL import Image

    if not data:
        return None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as image:
            wide, high = image.size
            if wide * high > 16 * MOST_TEXELS:
                return None
            share = min(1.0, (MOST_TEXELS / (wide * high)) ** 0.5)
            small = image.convert("RGB").resize((max(1, int(wide * share)), max(1, int(high * share))))
            return (np.asarray(small, float) / 255.0) ** 2  # as pictures are shown by square roots
    except (OSError, ValueError, SyntaxError):  # what damaged pictures provoke
        return None
