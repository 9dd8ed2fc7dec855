"""The ray caster in plain numpy: the same picture as the compiled one, slowly and readably; its test oracle.

Every function works on P rays or points at once and loops over the cones.
"""

from __future__ import annotations

import numpy as np

from footfall.core.easing import smoothstep
from footfall.render.cone_kernels import BODY_REACH_M, MELT_M, SELF_SOFT_M, UNDERSIDE, UNDERSIDE_M, WRAP
from footfall.render.floor_kernels import (
    CONTACT_SOFT_M,
    FADED,
    FINE_INK,
    FINE_LINE,
    FINE_SPACING,
    LEAST_SKY,
    LINE,
    REACH_M,
)
from footfall.render.picture import Appearance, CameraView
from footfall.render.raycast import Solids, floor_patch
from footfall.render.raycast_kernels import EMPTY, FLOOR, SAMPLES


def draw(view: CameraView, look: Appearance, things: Solids, marks: np.ndarray) -> np.ndarray:
    """The picture, (H, W, 3) uint8: one ray a pixel, and eight where neighbours met different things."""
    light = floor_light(things, look)
    y, x = np.mgrid[0 : view.height, 0 : view.width].reshape(2, -1) + 0.5
    met, color = cast(view, look, things, marks, light, x, y)
    shown = displayed(color)
    grid = np.pad(met.reshape(view.height, view.width), 1, mode="edge")
    middle = grid[1:-1, 1:-1]
    edge = np.zeros(middle.shape, bool)
    for other in (grid[1:-1, :-2], grid[1:-1, 2:], grid[:-2, 1:-1], grid[2:, 1:-1]):
        edge |= other != middle
    rows = np.flatnonzero(edge)
    parts = [displayed(cast(view, look, things, marks, light, x[rows] + dx, y[rows] + dy)[1]) for dx, dy in SAMPLES]
    shown[rows] = np.mean(parts, axis=0)
    return (255.0 * shown + 0.5).astype(np.uint8).reshape(view.height, view.width, 3)


def cast(
    view: CameraView,
    look: Appearance,
    things: Solids,
    marks: np.ndarray,
    light: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """What rays through pixel coordinates (P,) met, and their colours (P, 3)."""
    eye, right, up, forward = (np.array(v) for v in (view.eye, view.right, view.up, view.forward))
    ray = (
        forward
        + ((x - 0.5 * view.width) * view.per_px)[:, None] * right
        + ((0.5 * view.height - y) * view.per_px)[:, None] * up
    )
    unit = ray / np.linalg.norm(ray, axis=1, keepdims=True)
    down = smoothstep(y / view.height)[:, None]
    color = np.array(look.top) + down * (np.array(look.bottom) - np.array(look.top))
    met = np.full(len(x), EMPTY)
    with np.errstate(divide="ignore"):
        t_floor = np.where(ray[:, 1] < 0.0, -(eye[1] - look.floor_y) / ray[:, 1], np.inf)
    on_floor = np.isfinite(t_floor) & (eye[1] > look.floor_y)
    f, dy = t_floor[on_floor, None], ray[on_floor, 1:2]
    jacobian = view.per_px * f[..., None] * np.stack(
        [right - ray[on_floor] * right[1] / dy, -(up - ray[on_floor] * up[1] / dy)], axis=1
    )  # fmt: skip
    color[on_floor] = floor_color(
        look, things, marks, light, (eye + f * ray[on_floor])[:, [0, 2]], jacobian[..., [0, 2]], color[on_floor]
    )
    met[on_floor] = FLOOR
    limit = np.where(on_floor, t_floor * np.linalg.norm(ray, axis=1), np.inf)
    groups = things.cones["group"]
    distance = np.stack([hit(cone, eye, unit) for cone in things.cones], axis=1)  # (P, N)
    nearest = []
    for g in np.unique(groups):
        of_group = np.where(groups == g, distance, np.inf)
        nearest.append((g, of_group.argmin(axis=1), of_group.min(axis=1)))
    if nearest and nearest[0][0] == 0:
        _, which, t = nearest.pop(0)
        front = t < limit
        color[front] = solid_colors(things, look, which[front], eye + t[front, None] * unit[front], unit[front])
        met[front], limit = things.cones["piece"][which[front]], np.where(front, t, limit)
    order = np.argsort([-t for _, _, t in nearest], axis=0, kind="stable") if nearest else np.empty((0, len(x)), int)
    for row in order:  # farthest first
        which, t = (np.take_along_axis(np.stack([n[k] for n in nearest]), row[None], 0)[0] for k in (1, 2))
        front = t < limit
        seen = solid_colors(things, look, which[front], eye + t[front, None] * unit[front], unit[front])
        color[front] += things.cones["alpha"][which[front], None] * (seen - color[front])
        met[front] = (met[front] + 3) * 10007 + things.cones["piece"][which[front]]
    return met, color


def hit(cone: np.ndarray, origin: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Distance (P,) along unit rays (P, 3) to a round cone, or inf: the nearest of its side and its two balls."""
    start, axis, length, ra, k = parts(cone)
    w = origin - start
    y0, slope = w @ axis, unit @ axis
    q = 1.0 - k * k
    a = q - slope**2
    b = q * (unit @ w) - y0 * slope + ra * k * slope
    c = q * (w @ w) - y0**2 - ra**2 + 2.0 * ra * k * y0
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    found = []
    for sign in (-1.0, 1.0):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (sign * root - b) / a
            height = y0 + t * slope - k * ra
            good = (b * b >= a * c) & (np.abs(a) > 1e-12) & (t > 0.0) & (height >= 0.0) & (height <= length * q)
        found.append(np.where(good, t, np.inf))
    for center, r in ((start, ra), (start + length * axis, ra - k * length)):
        w = origin - center
        b = unit @ w
        d = b * b - w @ w + r * r
        t = -b - np.sqrt(np.maximum(d, 0.0))
        found.append(np.where((d >= 0.0) & (t > 0.0), t, np.inf))
    return np.min(found, axis=0)


def solid_colors(things: Solids, look: Appearance, which: np.ndarray, p: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Linear colours (P, 3) where rays meet cones `which` (P,) at points p."""
    color = np.empty_like(p)
    for i in np.unique(which):
        rows = which == i
        color[rows] = _solid_color(things, look, int(i), p[rows], unit[rows])
    return color


def _solid_color(things: Solids, look: Appearance, i: int, p: np.ndarray, unit: np.ndarray) -> np.ndarray:
    cone = things.cones[i]
    normal = _normal(things, look, i, p)
    light = np.array(look.light)
    key, sky = np.ones(len(p)), np.ones(len(p))
    for other in things.cones:
        if other["piece"] == cone["piece"] or other["group"] not in (0, cone["group"]):
            continue
        key = np.minimum(key, shade_of(other, p, light, look.softness, SELF_SOFT_M * look.scale))
        sky *= 1.0 - cover_of(other, p, normal, BODY_REACH_M * look.scale)
    lambert = normal @ light
    key = np.where(lambert > -WRAP, key, 1.0)
    direct = key * np.maximum((lambert + WRAP) / (1.0 + WRAP), 0.0)
    down = 0.5 - 0.5 * normal[:, 1]
    height = np.maximum((p[:, 1] - look.floor_y) / look.scale, 0.0)
    sky *= 1.0 - UNDERSIDE * down * np.exp(-height / UNDERSIDE_M)
    half = light - unit
    half = np.maximum((normal * half).sum(1) / np.linalg.norm(half, axis=1), 0.0)
    shine = look.gloss * key * half**24 * np.maximum(lambert, 0.0)
    rim = look.rim * (1.0 + np.minimum((normal * unit).sum(1), 0.0)) ** 3 * (1.0 - down) * sky
    lit = np.outer(direct, look.key) + np.outer(sky * (1.0 - down), look.sky) + np.outer(sky * down, look.bounce)
    albedo = np.array([cone["red"], cone["green"], cone["blue"]])
    return albedo * lit + np.outer(shine, look.key) + np.outer(rim, look.sky)


def _normal(things: Solids, look: Appearance, i: int, p: np.ndarray) -> np.ndarray:
    """(P, 3) of the cone itself, mixed with those of near cones of its piece."""
    start, axis, length, ra, k = parts(things.cones[i])
    q = np.clip(((p - start) @ axis - k * ra) / (1.0 - k * k), 0.0, length)
    total = (p - start - q[:, None] * axis) / (ra - k * q)[:, None]
    for j in np.flatnonzero(things.cones["piece"] == things.cones["piece"][i]):
        if j == i:
            continue
        start, axis, length, ra, k = parts(things.cones[j])
        q = np.clip((p - start) @ axis, 0.0, length)
        away = p - start - q[:, None] * axis
        d = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
        weight = np.exp(-np.maximum(d - ra + k * q, 0.0) / (MELT_M * look.scale)) / d
        total = total + weight[:, None] * away
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)


def shade_of(cone: np.ndarray, p: np.ndarray, light: np.ndarray, softness: float, soft: float) -> np.ndarray:
    """Light (P,) past a cone: clearance of the ray to the lamp over the width of its penumbra."""
    start, axis, length, ra, k = parts(cone)
    w = p - start
    along, wu, wl = float(axis @ light), w @ axis, w @ light
    q = np.clip((wu - along * wl) / max(1.0 - along * along, 1e-9), 0.0, length)
    t = along * q - wl
    clear = np.linalg.norm(w + np.outer(t, light) - np.outer(q, axis), axis=1) - ra + k * q
    x = np.clip(0.5 + 0.5 * clear / (softness * np.maximum(t, 0.0) + soft), 0.0, 1.0)
    return np.where(t > 0.0, 1.0 - cone["alpha"] * (1.0 - smoothstep(x)), 1.0)


def cover_of(cone: np.ndarray, p: np.ndarray, normal: np.ndarray, reach: float) -> np.ndarray:
    """Sky (P,) hidden by the ball of a cone nearest to each point."""
    start, axis, length, ra, k = parts(cone)
    q = np.clip((p - start) @ axis, 0.0, length)
    towards = start + q[:, None] * axis - p
    d = np.maximum(np.linalg.norm(towards, axis=1), 1e-9)
    cos = np.maximum((towards * normal).sum(1) / d, 0.0)
    ratio = np.minimum((ra - k * q) / d, 1.0)
    return cone["alpha"] * cos * ratio**2 * np.maximum(1.0 - d / reach, 0.0) ** 2


def floor_light(things: Solids, look: Appearance) -> np.ndarray:
    """(nz, nx, 2) key light and open sky at the points of the floor patch."""
    patch, (rows, columns) = floor_patch(things, look)
    z, x = np.mgrid[0:rows, 0:columns].reshape(2, -1) * patch.cell_m + np.array([[patch.z0], [patch.x0]])
    p = np.stack([x, np.full_like(x, look.floor_y), z], axis=1)
    key, sky = np.ones(len(p)), np.ones(len(p))
    up = np.array([0.0, 1.0, 0.0])
    for cone in things.cones:
        key = np.minimum(key, shade_of(cone, p, np.array(look.light), look.softness, CONTACT_SOFT_M * look.scale))
        sky *= 1.0 - cover_of(cone, p, up, REACH_M * look.scale)
    return np.stack([key, sky], axis=1).reshape(rows, columns, 2)


def floor_color(
    look: Appearance,
    things: Solids,
    marks: np.ndarray,
    light: np.ndarray,
    p: np.ndarray,
    jacobian: np.ndarray,
    back: np.ndarray,
) -> np.ndarray:
    """Linear colours at floor points p (P, 2); jacobian (P, 2, 2): floor metres per pixel to the right and down."""
    patch, (rows, columns) = floor_patch(things, look)
    at = (p - np.array([patch.x0, patch.z0])) / patch.cell_m
    inside = ((at >= 0.0) & (at < np.array([columns - 1, rows - 1]))).all(axis=1)
    j, i = np.where(inside[:, None], at, 0.0).astype(int).T
    u, v = (np.where(inside[:, None], at, 0.0) - np.stack([j, i], axis=1)).T[..., None]
    found = (light[i, j] * (1 - u) + light[i, j + 1] * u) * (1 - v) + (
        light[i + 1, j] * (1 - u) + light[i + 1, j + 1] * u
    ) * v
    key, sky = np.where(inside, found.T, 1.0)[..., None]
    fw = np.maximum(np.linalg.norm(jacobian, axis=1), 1e-9)  # (P, 2) pixel size along x and z
    major = line_cover(p, fw, look.grid_m, LINE).max(axis=1)
    minor = line_cover(p, fw, FINE_SPACING * look.grid_m, FINE_LINE).max(axis=1)
    ink = np.maximum(major, FINE_INK * minor)[:, None]
    color = np.array(look.floor) + ink * (np.array(look.line) - np.array(look.floor))
    for layer in np.unique(marks["layer"]):
        own = marks[marks["layer"] == layer]
        alpha = np.stack([m["alpha"] * decal_cover(m, p, jacobian) for m in own])
        best = own[alpha.argmax(axis=0)]
        paint = np.stack([best["red"], best["green"], best["blue"]], axis=1)
        color = color + alpha.max(axis=0)[:, None] * (paint - color)
    away = ((p - np.array(look.center)) ** 2).sum(axis=1, keepdims=True) / look.fade_m**2
    fade = np.where(away > FADED, 0.0, np.exp(-away))
    color = (
        color
        * (LEAST_SKY + (1.0 - LEAST_SKY) * sky)
        * (key + (1.0 - key) * np.array(look.shadow) / np.array(look.floor))
    )
    return back + fade * (color - back)


def line_cover(x: np.ndarray, fw: np.ndarray, spacing: float, share: float) -> np.ndarray:
    """Part of a pixel of width fw at x covered by lines at every multiple of the spacing, a share of it wide."""
    off, width = spacing * np.abs(x / spacing - np.floor(x / spacing + 0.5)), share * spacing
    fine = np.clip((0.5 * width - off) / fw + 0.5, 0.0, 1.0) * np.minimum(width / fw, 1.0)
    blur = np.clip(2.0 * fw / spacing - 0.5, 0.0, 1.0)
    return fine * (1.0 - blur) + share * blur


def decal_cover(mark: np.ndarray, p: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
    """Part (P,) of each pixel that a flat round cone covers."""
    start, axis, length, ra, k = parts(mark)
    w = p - start
    y = w @ axis
    side = np.sqrt(np.maximum((w**2).sum(1) - y**2, 0.0))
    q = np.clip(y - side * k / np.sqrt(1.0 - k * k), 0.0, length)
    away = w - q[:, None] * axis
    d = np.linalg.norm(away, axis=1)
    outward = away / np.maximum(d, 1e-9)[:, None]
    fw = np.maximum(np.linalg.norm(np.einsum("pij,pj->pi", jacobian, outward), axis=1), 1e-9)
    r = ra - k * q
    return np.where(d < 1e-9, 1.0, np.clip((r - d) / fw + 0.5, 0.0, 1.0) * np.minimum(2.0 * r / fw, 1.0))


def parts(cone: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float, float]:
    """Start, axis, length, start radius and slope of a record, in space or on the floor."""
    names = "xyz" if "ay" in (cone.dtype.names or ()) else "xz"
    start, axis = (np.array([cone[f"{letter}{n}"] for n in names]) for letter in "au")
    return start, axis, float(cone["length"]), float(cone["radius"]), float(cone["slope"])


def displayed(linear: np.ndarray) -> np.ndarray:
    return np.sqrt(np.clip(linear, 0.0, 1.0))
