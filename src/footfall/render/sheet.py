"""Sheets: several poses of a motion in one picture, panels side by side, and the words on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.kinematics.ground import Ground
from footfall.render import scene as scenes
from footfall.render.camera import Camera, CameraTrack, track
from footfall.render.marks import no_marks
from footfall.render.raycast import draw
from footfall.render.scene import Actor, PreparedScene, Scene
from footfall.render.skin import draw_skins
from footfall.render.theme import Theme, theme_of

STRIP_CAMERA = Camera("fixed", azimuth=-72.0, elevation=11.0)  # walks to the right, a little towards the viewer
CLIMB_CAMERA = Camera("fixed", azimuth=-118.0, elevation=11.0)  # a little away from the viewer, who sees the risers
CLIMB = 0.15  # of the body height: a motion that rises by more climbs
STRIP_WIDTH = 1280
APART = 0.42  # of the body height: poses closer than this are drawn side by side instead of in place
SHEET_POSES = 5  # of each motion
FAINTEST = 0.22  # opacity of the first pose


def render_strip(
    clip: Clip | Actor,
    times: Sequence[float] | np.ndarray | None = None,
    size: tuple[int, int] | None = None,
    theme: str | Theme = "light",
    camera: Camera | None = None,
    trail: bool = True,
    contacts: bool = True,
    ground: Ground | None = None,
) -> np.ndarray:
    """Poses of one motion along its path, from faint to solid as time goes on: (H, W, 3) uint8.

    Without times, as many evenly spaced poses as fit. A motion that stays in place is spread out sideways. Without a
    size, 1280 pixels wide and as high as the motion asks for. Without a camera, seen from the side.
    """
    actor = clip if isinstance(clip, Actor) else Actor(clip)
    actor = replace(actor, clip=scenes.still_of(actor.clip))
    clip = actor.clip
    camera = replace(camera or strip_camera(clip, ground), mode="fixed")
    scene = Scene([actor], theme, camera, trail, contacts, ground=ground)
    stage = scenes.prepare(scene, 2.0)
    moments = strip_times(clip) if times is None else np.asarray(times, float)
    if moments.ndim != 1 or not len(moments) or not np.isfinite(moments).all():
        raise ParameterError("a pose strip needs at least one time, in seconds")
    cast = stage.cast[0]
    outline, radius = cast.outline(moments)  # (P, K, 3), (K,)
    shift = _spread(stage, outline) if ground is None or ground.is_level else np.zeros((len(moments), 3))
    if shift.any():
        stage = replace(stage, marks=no_marks())
    outline = outline + shift[:, None, :]
    picture_size = scenes.check_size(size) if size else _fitting(stage, outline, len(moments))
    middle = outline.mean(axis=1)
    seen = track(
        camera, np.arange(len(moments), dtype=float), middle, outline, radius,
        scenes.heading_of(cast.clip), picture_size[0] / picture_size[1],
    )  # fmt: skip
    reach = 0.5 * float(np.linalg.norm(np.ptp(middle, axis=0)))
    return _strip(stage, moments, shift, seen, (*picture_size, reach))


def strip_camera(clip: Clip, ground: Ground | None = None) -> Camera:
    """From the side; from behind as well where a motion climbs, since steps show only the viewer who faces them."""
    if ground is None or ground.is_level or clip.frames < 2:
        return STRIP_CAMERA
    rise_m = float(clip.pose.root_pos[-1, 1] - clip.pose.root_pos[0, 1])
    return CLIMB_CAMERA if rise_m > CLIMB * clip.skeleton.height else STRIP_CAMERA


def strip_times(clip: Clip) -> np.ndarray:
    """Evenly spaced moments: one for about every half body height of travel, 3 to 9 in all."""
    path = clip.root_motion.position
    travel = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) if clip.frames > 1 else 0.0
    straight = float(np.linalg.norm(path[-1] - path[0]))
    if straight > clip.skeleton.height:
        count = int(np.clip(1 + np.floor(travel / (0.55 * clip.skeleton.height)), 3, 9))
    else:
        count = int(np.clip(1 + np.ceil(clip.duration / 0.4), 1 if clip.frames == 1 else 3, 7))
    return np.linspace(0.0, clip.duration, count)


def side_by_side(pictures: Sequence[np.ndarray], gap_px: int, color: Sequence[float]) -> np.ndarray:
    """Pictures of one height in a row, a thin gap of the colour (0 to 255) between them."""
    high = pictures[0].shape[0]
    gap = np.broadcast_to(np.asarray(color, np.uint8), (high, gap_px, 3))
    row: list[np.ndarray] = []
    for picture in pictures:
        row += [gap, picture] if row else [picture]
    return np.concatenate(row, axis=1)


def grid(
    pictures: Sequence[np.ndarray], columns: int, gap_px: int = 0, color: Sequence[float] = (0, 0, 0)
) -> np.ndarray:
    """Pictures of one size in rows, with gaps of the colour; the rest of the last row is like their background."""
    cells = [*pictures, *[np.full_like(pictures[0], pictures[0][0, 0])] * (-len(pictures) % columns)]
    rows = [side_by_side(cells[i : i + columns], gap_px, color) for i in range(0, len(cells), columns)]
    between = np.broadcast_to(np.asarray(color, np.uint8), (gap_px, rows[0].shape[1], 3))
    return np.concatenate([part for row in rows for part in (between, row)][1:], axis=0)


def contact_sheet(
    clips: Mapping[str, Clip], columns: int = 3, cell: tuple[int, int] = (420, 220), theme: str | Theme = "light"
) -> np.ndarray:
    """(H, W, 3) uint8: one cell for each clip, in order, its name in the corner."""
    if not clips or columns < 1:
        raise ParameterError("a contact sheet needs at least one clip and one column")

    def draw(item: tuple[str, Clip]) -> np.ndarray:
        name, clip = item
        times = np.linspace(0.0, clip.duration, SHEET_POSES)
        return write_text(render_strip(clip, list(times), cell, theme), name, theme)

    with ThreadPoolExecutor(2) as pool:  # the kernels run without the interpreter's lock
        cells = list(pool.map(draw, clips.items()))
    return grid(cells, columns)


def write_text(picture: np.ndarray, text: str, theme: str | Theme, corner: str = "top left") -> np.ndarray:
    """The picture with a line of text in a corner ("top left", "bottom right", …)."""
    if not text:
        return picture
    pad = round(0.75 * _text_px(picture))
    x = pad if "left" in corner else picture.shape[1] - pad
    y = pad if "top" in corner else picture.shape[0] - pad
    anchor = ("l" if "left" in corner else "r") + ("a" if "top" in corner else "d")
    return write_at(picture, [(text, x, y)], theme, anchor)


def write_at(
    picture: np.ndarray, texts: Sequence[tuple[str, float, float]], theme: str | Theme, anchor: str = "md"
) -> np.ndarray:
    """The picture with lines of text at pixels (x, y): by default their bottom middle, kept within its width."""
    if not texts:
        return picture
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(picture)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(_text_px(picture))
    taken: list[tuple[float, float, float]] = []  # left, right and bottom of what is written
    for text, x, y in texts:
        if anchor == "md":
            half, line = 0.5 * pen.textlength(text, font=font) + 4, 1.2 * _text_px(picture)
            x = float(np.clip(x, half, max(half, picture.shape[1] - half)))
            while any(x - half < b and x + half > a and abs(y - c) < line for a, b, c in taken):
                y -= 0.5 * line
            taken.append((x - half, x + half, y))
        pen.text((x, y), text, font=font, fill=theme_of(theme).text, anchor=anchor)
    return np.asarray(image)


def _text_px(picture: np.ndarray) -> int:
    return max(11, round(picture.shape[0] / 26))


def _strip(
    stage: PreparedScene, moments: np.ndarray, shift: np.ndarray, seen: CameraTrack, size: tuple[int, int, float]
) -> np.ndarray:
    """The picture of poses moved by shift (P, 3); size: pixels wide and high, and metres to the farthest pose."""
    cast, count, (width, height, reach) = stage.cast[0], len(moments), size
    view, target = seen.view(0.0, width, height), seen.target(0.0)
    alphas = np.linspace(FAINTEST, 1.0, count) if count > 1 else np.ones(1)
    things = scenes.pack([cast] * count, list(cast.ends(moments) + shift[:, None, None, :]), list(alphas))
    appearance = scenes.look(stage.theme, view, target, seen.distance, stage.scale)
    appearance = appearance._replace(fade_m=max(appearance.fade_m, 1.6 * reach))
    marks = scenes.paint_marks(stage, float(moments[-1]))
    picture = draw(view, appearance, things, marks, stage.terrain, only_shadows=cast.has_skin)
    if not cast.has_skin:
        return picture
    skins = [cast.skin(float(t), float(alpha)) for t, alpha in zip(moments, alphas, strict=True)]
    skins = [posed._replace(vertices=posed.vertices + by) for posed, by in zip(skins, shift, strict=True)]
    return draw_skins(picture, view, appearance, skins)


def _spread(stage: PreparedScene, outline: np.ndarray) -> np.ndarray:
    """(P, 3) shifts that put poses in a row, left to right, when they would stand in each other's way."""
    middle = outline.mean(axis=1)
    step = APART * stage.cast[0].figure.height
    gaps = np.linalg.norm(np.diff(middle[:, [0, 2]], axis=0), axis=1)
    shift = np.zeros((len(outline), 3))
    if len(outline) < 2 or np.median(gaps) >= step:
        return shift
    right = stage.track.right
    wide = (outline - middle[:, None]) @ right
    room = wide.max(axis=1)[:-1] - wide.min(axis=1)[1:] + 0.2 * step
    row = np.concatenate([[0.0], np.cumsum(np.maximum(room, step))])
    shift[:, [0, 2]] = (middle[0] + np.outer(row, right) - middle)[:, [0, 2]]
    return shift


def _fitting(stage: PreparedScene, outline: np.ndarray, count: int) -> tuple[int, int]:
    """1280 pixels wide, and the height that leaves about the same room on all sides."""
    right, up = stage.track.right, stage.track.up
    x, y = outline.reshape(-1, 3) @ right, outline.reshape(-1, 3) @ up
    margin = 0.15 * stage.cast[0].figure.height
    aspect = float(np.clip((np.ptp(x) + 2 * margin) / (np.ptp(y) + 2 * margin), 0.8, 4.0))
    width = STRIP_WIDTH if count > 1 else STRIP_WIDTH // 2
    return width, 2 * round(width / aspect / 2)
