"""Compiled ray caster: round cones over a floor with soft shadows, one pass per picture and one at its edges.

A round cone is the hull of two balls: the envelope of balls of centre a + u s and radius ra - k s, 0 <= s <= length.
Colours are linear light; pictures are written with a square root, a cheap and smooth stand-in for the sRGB curve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel
from footfall.render.picture import (
    RGB,
    Appearance,
    Array,
    CameraView,
    Canvas,
    PackedScene,
    Patch,
    PixelSize,
    TileLists,
    Vector,
)
from footfall.render.terrain import terrain_hit, terrain_normal

# All numbers of light and floor are by eye; lengths in metres are at a body height of 1.75 m.
TILE = 16  # pixels; primitives are listed per tile
FLOOR, EMPTY, RISER = -1, -2, -3  # what a ray met, when no solid
# where rays go within an edge pixel: no two of the eight in one row or column
SAMPLES = (np.array([[0, 3], [1, 6], [2, 1], [3, 4], [4, 7], [5, 2], [6, 5], [7, 0]]) - 3.5) / 8.0
WRAP = 0.30  # light reaches this far around a limb (cosine units)
SELF_SOFT_M = 0.022  # half-width of the softest self-shadow edge at contact
CONTACT_SOFT_M = 0.006  # half-width of a floor shadow's edge where it touches its body
MELT_M = 0.022  # how far creases between cones of one piece are smoothed
REACH_M = 0.55  # how far a body darkens the floor
BODY_REACH_M = 0.30  # how far its parts darken each other
UNDERSIDE, UNDERSIDE_M = 0.55, 0.25  # share of the sky that a surface facing the floor loses, and up to what height
LEAST_SKY = 0.35  # of the floor's light arrives where no sky is open
LINE, FINE_LINE = 0.012, 0.024  # width of the floor's lines over their spacing
FINE_SPACING, FINE_INK = 0.25, 0.4  # spacing and strength of the fine lines over those of the others
ON_SLOPE = 0.45  # of its light that a face of the ground keeps when it faces away from the lamp
FADED = 9.0  # squared distance, over that of fading, at which the floor is gone


# Without the interpreter lock, so that threads draw frames side by side, and without counting references to arrays,
# which took four fifths of the time; the price is that a kernel cannot make arrays, its caller hands them in.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "_nrt": False, "error_model": "numpy", "fastmath": {"contract", "arcp", "nsz"},
}  # fmt: skip
_jit = kernel(**_OPTIONS)
_inline = kernel(forceinline=True, **_OPTIONS)  # small and hot: half the time of calls


@_inline
def hit(s: Array, i: int, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float) -> float:
    """Distance along the unit ray to round cone i, or inf; the origin lies outside it.

    On the cone (1 - k^2) |p - a|^2 = y^2 + ra^2 - 2 ra k y, with y the height along the axis, between the heights
    where it touches its end balls.
    """
    wx, wy, wz = ox - s[i].ax, oy - s[i].ay, oz - s[i].az
    ux, uy, uz = s[i].ux, s[i].uy, s[i].uz
    length, ra, k = s[i].length, s[i].radius, s[i].slope
    ww, wd = wx * wx + wy * wy + wz * wz, wx * dx + wy * dy + wz * dz
    yo, yd = wx * ux + wy * uy + wz * uz, dx * ux + dy * uy + dz * uz
    q = 1.0 - k * k
    a, b, c = q - yd * yd, q * wd - yo * yd + ra * k * yd, q * ww - yo * yo - ra * ra + 2.0 * ra * k * yo
    d = b * b - a * c
    if d < 0.0:
        return np.inf  # the end balls lie inside the endless cone
    best = np.inf
    if abs(a) > 1e-12:
        root = np.sqrt(d)
        for sign in (-1.0, 1.0):
            t = (sign * root - b) / a
            y = yo + t * yd - k * ra
            if 0.0 < t < best and 0.0 <= y <= length * q:
                best = t
    d = wd * wd - ww + ra * ra
    if d >= 0.0:
        t = -wd - np.sqrt(d)
        if 0.0 < t < best:
            best = t
    rb = ra - k * length
    wd, ww = wd - length * yd, ww - 2.0 * length * yo + length * length
    d = wd * wd - ww + rb * rb
    if d >= 0.0:
        t = -wd - np.sqrt(d)
        if 0.0 < t < best:
            best = t
    return best


@_inline
def shade_of(s: Array, i: int, point: Vector, light: Vector, softness: float, soft: float) -> float:
    """Light past round cone i from a small far lamp: 0 hidden to 1 seen, by the ray's clearance over its penumbra."""
    lx, ly, lz = light
    wx, wy, wz = point[0] - s[i].ax, point[1] - s[i].ay, point[2] - s[i].az
    ux, uy, uz = s[i].ux, s[i].uy, s[i].uz
    along, wu, wl = ux * lx + uy * ly + uz * lz, wx * ux + wy * uy + wz * uz, wx * lx + wy * ly + wz * lz
    q = max((wu - along * wl) / max(1.0 - along * along, 1e-9), 0.0)
    q = min(q, s[i].length)
    t = along * q - wl
    if t <= 0.0:
        return 1.0
    ex, ey, ez = wx + t * lx - q * ux, wy + t * ly - q * uy, wz + t * lz - q * uz
    clear = np.sqrt(ex * ex + ey * ey + ez * ez) - s[i].radius + s[i].slope * q
    x = min(max(0.5 + 0.5 * clear / (softness * t + soft), 0.0), 1.0)
    return 1.0 - s[i].alpha * (1.0 - x * x * (3.0 - 2.0 * x))


@_inline
def cover_of(s: Array, i: int, point: Vector, normal: Vector, reach: float) -> float:
    """Sky hidden by round cone i, as by the ball on its axis nearest to the point: cos * (r / d)^2, fading out."""
    wx, wy, wz = s[i].ax - point[0], s[i].ay - point[1], s[i].az - point[2]
    ux, uy, uz = s[i].ux, s[i].uy, s[i].uz
    q = min(max(-(wx * ux + wy * uy + wz * uz), 0.0), s[i].length)
    wx, wy, wz = wx + q * ux, wy + q * uy, wz + q * uz
    dd, cos = wx * wx + wy * wy + wz * wz, wx * normal[0] + wy * normal[1] + wz * normal[2]
    if cos <= 0.0 or dd >= reach * reach:
        return 0.0
    d = np.sqrt(dd)
    cos /= max(d, 1e-9)
    ratio = min((s[i].radius - s[i].slope * q) / d, 1.0)
    fade = 1.0 - d / reach
    return s[i].alpha * cos * ratio * ratio * fade * fade


@_jit
def light_floor(s: Array, look: Appearance, patch: Patch, light: Array, ground: Array) -> None:
    """Fill light (nz, nx, 2), all ones before: the darkest key shadow of any cone, and what they leave of the sky.

    ground (nz, nx): heights of the floor's points over the lowest of them; empty where it is level.
    """
    lx, ly, lz = look.light
    soft, reach, y = CONTACT_SOFT_M * look.scale, REACH_M * look.scale, look.floor_y
    uneven, highest = ground.shape[0] > 0, 0.0
    if uneven:
        for row in range(ground.shape[0]):
            for col in range(ground.shape[1]):
                highest = max(highest, ground[row, col])
    for i in range(len(s)):
        ax, ay, az, length = s[i].ax, s[i].ay - y, s[i].az, s[i].length
        bx, by, bz = ax + s[i].ux * length, ay + s[i].uy * length, az + s[i].uz * length
        r = max(s[i].radius, s[i].radius - s[i].slope * length)
        pad = (r + soft + look.softness * (max(ay, by, 0.0) + r) / ly) / ly
        for kind in range(2):
            if kind == 1 and min(ay, by) > reach + highest:
                continue
            slide = 1.0 / ly if kind == 0 else 0.0  # a shadow lies downlight of its cone, a darkened sky below it
            wide = pad if kind == 0 else reach
            x0, x1 = ax - lx * slide * ay, bx - lx * slide * by
            z0, z1 = az - lz * slide * ay, bz - lz * slide * by
            sx, sz = lx * slide * highest, lz * slide * highest  # on high ground a shadow lies nearer
            first_row = max(int((min(z0, z1) + min(sz, 0.0) - wide - patch.z0) / patch.cell_m), 0)
            last_row = min(int((max(z0, z1) + max(sz, 0.0) + wide - patch.z0) / patch.cell_m) + 1, light.shape[0] - 1)
            first = max(int((min(x0, x1) + min(sx, 0.0) - wide - patch.x0) / patch.cell_m), 0)
            last = min(int((max(x0, x1) + max(sx, 0.0) + wide - patch.x0) / patch.cell_m) + 1, light.shape[1] - 1)
            for row in range(first_row, last_row + 1):
                z = patch.z0 + row * patch.cell_m
                for col in range(first, last + 1):
                    x = patch.x0 + col * patch.cell_m
                    h = y + ground[row, col] if uneven else y
                    if kind == 0:
                        seen = shade_of(s, i, (x, h, z), look.light, look.softness, soft)
                        light[row, col, 0] = min(light[row, col, 0], seen)
                    else:
                        light[row, col, 1] *= 1.0 - cover_of(s, i, (x, h, z), (0.0, 1.0, 0.0), reach)


@_jit
def body_light(
    s: Array, figures: Array, look: Appearance, i: int, point: Vector, normal: Vector
) -> tuple[float, float]:
    """Key light and open sky at a point of cone i, past the other cones."""
    px, py, pz = point
    lx, ly, lz = look.light
    reach, soft = BODY_REACH_M * look.scale, SELF_SOFT_M * look.scale
    key, sky = 1.0, 1.0
    facing = normal[0] * lx + normal[1] * ly + normal[2] * lz > -WRAP
    for f in range(len(figures)):
        cx, cy, cz, r = figures[f].x - px, figures[f].y - py, figures[f].z - pz, figures[f].radius
        dd, t = cx * cx + cy * cy + cz * cz, cx * lx + cy * ly + cz * lz
        wide = r + look.softness * max(t + r, 0.0) + soft
        shaded = facing and dd - t * t < wide * wide and t > -r
        covered = dd < (r + reach) * (r + reach)
        if not shaded and not covered:
            continue
        for j in range(figures[f].first, figures[f].last):
            if s[j].piece == s[i].piece or (s[j].group != s[i].group and s[j].group != 0):
                continue  # see-through figures do not darken each other: they stand for other times
            if shaded and key > 0.0:
                key = min(key, shade_of(s, j, point, look.light, look.softness, soft))
            if covered:
                sky *= 1.0 - cover_of(s, j, point, normal, reach)
    return key, sky


@_jit
def melted(s: Array, i: int, point: Vector, normal: Vector, melt: float) -> Vector:
    """The normal at a point of cone i, mixed with those of the other cones of its piece that come close."""
    px, py, pz = point
    sx, sy, sz = normal
    for j in range(s[i].piece, len(s)):
        if s[j].piece != s[i].piece:
            break
        if j == i:
            continue
        wx, wy, wz = px - s[j].ax, py - s[j].ay, pz - s[j].az
        q = min(max(wx * s[j].ux + wy * s[j].uy + wz * s[j].uz, 0.0), s[j].length)
        wx, wy, wz = wx - q * s[j].ux, wy - q * s[j].uy, wz - q * s[j].uz
        d = max(np.sqrt(wx * wx + wy * wy + wz * wz), 1e-9)
        weight = np.exp(-max(d - s[j].radius + s[j].slope * q, 0.0) / melt) / d
        sx, sy, sz = sx + weight * wx, sy + weight * wy, sz + weight * wz
    size = max(np.sqrt(sx * sx + sy * sy + sz * sz), 1e-9)
    return sx / size, sy / size, sz / size


@_inline
def reaching(look: Appearance, c: int, direct: float, up: float, low: float) -> float:
    """One channel of the light that arrives: from the lamp, the sky and the floor."""
    return look.key[c] * direct + look.sky[c] * up + look.bounce[c] * low


@_jit
def solid_color(s: Array, figures: Array, look: Appearance, i: int, point: Vector, unit: Vector) -> RGB:
    """Linear colour of cone i at the point where a unit ray meets it."""
    px, py, pz = point
    dx, dy, dz = unit
    k, ra = s[i].slope, s[i].radius
    wx, wy, wz = px - s[i].ax, py - s[i].ay, pz - s[i].az
    ux, uy, uz = s[i].ux, s[i].uy, s[i].uz
    q = min(max((wx * ux + wy * uy + wz * uz - k * ra) / (1.0 - k * k), 0.0), s[i].length)
    r = ra - k * q
    nx, ny, nz = (wx - q * ux) / r, (wy - q * uy) / r, (wz - q * uz) / r
    nx, ny, nz = melted(s, i, point, (nx, ny, nz), MELT_M * look.scale)
    key, sky = body_light(s, figures, look, i, point, (nx, ny, nz))
    lx, ly, lz = look.light
    lambert = nx * lx + ny * ly + nz * lz
    direct = key * max((lambert + WRAP) / (1.0 + WRAP), 0.0)
    height = max((py - look.floor_y) / look.scale, 0.0)
    down = 0.5 - 0.5 * ny
    sky *= 1.0 - UNDERSIDE * down * np.exp(-height / UNDERSIDE_M)
    hx, hy, hz = lx - dx, ly - dy, lz - dz
    half = max((nx * hx + ny * hy + nz * hz) / np.sqrt(hx * hx + hy * hy + hz * hz), 0.0)
    half *= half
    half *= half
    half *= half
    shine = look.gloss * key * half * half * half * max(lambert, 0.0)
    edge = 1.0 + min(nx * dx + ny * dy + nz * dz, 0.0)
    rim = look.rim * edge * edge * edge * (1.0 - down) * sky
    up = sky * (1.0 - down)
    low = sky * down
    return (
        s[i].red * reaching(look, 0, direct, up, low) + shine * look.key[0] + rim * look.sky[0],
        s[i].green * reaching(look, 1, direct, up, low) + shine * look.key[1] + rim * look.sky[1],
        s[i].blue * reaching(look, 2, direct, up, low) + shine * look.key[2] + rim * look.sky[2],
    )


@_inline
def line_cover(x: float, fw: float, spacing: float, share: float) -> float:
    """Part of a pixel of width fw at x covered by lines at every multiple of the spacing, a share of it wide."""
    per, u = 1.0 / fw, x / spacing
    off = spacing * abs(u - np.floor(u + 0.5))
    width = share * spacing
    fine = min(max((0.5 * width - off) * per + 0.5, 0.0), 1.0) * min(width * per, 1.0)
    blur = min(max(2.0 * fw / spacing - 0.5, 0.0), 1.0)  # lines closer than pixels: their mean
    return fine * (1.0 - blur) + share * blur


@_jit
def decal_cover(decals: Array, m: int, x: float, z: float, pixel: PixelSize) -> float:
    """Share of the pixel that mark m covers, from its distance and the pixel's size across its edge."""
    j1x, j1z, j2x, j2z = pixel
    wx, wz = x - decals[m].ax, z - decals[m].az
    ux, uz, k = decals[m].ux, decals[m].uz, decals[m].slope
    y = wx * ux + wz * uz
    side = np.sqrt(max(wx * wx + wz * wz - y * y, 0.0))
    q = min(max(y - side * k / np.sqrt(1.0 - k * k), 0.0), decals[m].length)
    ex, ez = wx - q * ux, wz - q * uz
    d = np.sqrt(ex * ex + ez * ez)
    if d < 1e-9:
        return 1.0
    a, b = (j1x * ex + j1z * ez) / d, (j2x * ex + j2z * ez) / d
    fw = max(np.sqrt(a * a + b * b), 1e-9)
    r = decals[m].radius - k * q
    return min(max((r - d) / fw + 0.5, 0.0), 1.0) * min(2.0 * r / fw, 1.0)


@_jit
def painted(decals: Array, marks: Array, base: RGB, x: float, z: float, pixel: PixelSize) -> RGB:
    """A floor colour under the listed marks, layer by layer."""
    red, green, blue = base
    layer, alpha, best = -1, 0.0, 0
    for n in range(len(marks) + 1):
        m = marks[n] if n < len(marks) else -1
        if alpha > 0.0 and (m < 0 or decals[m].layer != layer):
            red += alpha * (decals[best].red - red)
            green += alpha * (decals[best].green - green)
            blue += alpha * (decals[best].blue - blue)
            alpha = 0.0
        if m >= 0:
            layer = decals[m].layer
            found = decals[m].alpha * decal_cover(decals, m, x, z, pixel)
            if found > alpha:
                alpha, best = found, m
    return red, green, blue


@_inline
def floor_color(
    look: Appearance, scene: PackedScene, marks: Array, x: float, z: float, pixel: PixelSize, back: RGB
) -> RGB:
    """Linear colour of the floor at (x, z)."""
    patch, light = scene.patch, scene.light
    j1x, j1z, j2x, j2z = pixel
    away = ((x - look.center[0]) ** 2 + (z - look.center[1]) ** 2) / (look.fade_m * look.fade_m)
    if away > FADED:
        return back
    fade = np.exp(-away)
    key, sky = 1.0, 1.0
    gx, gz = (x - patch.x0) / patch.cell_m, (z - patch.z0) / patch.cell_m
    if 0.0 <= gx < light.shape[1] - 1 and 0.0 <= gz < light.shape[0] - 1:
        i, j = int(gz), int(gx)
        v, u = gz - i, gx - j
        a, b, c, d = (1.0 - v) * (1.0 - u), (1.0 - v) * u, v * (1.0 - u), v * u
        key = a * light[i, j, 0] + b * light[i, j + 1, 0] + c * light[i + 1, j, 0] + d * light[i + 1, j + 1, 0]
        sky = a * light[i, j, 1] + b * light[i, j + 1, 1] + c * light[i + 1, j, 1] + d * light[i + 1, j + 1, 1]
    fx = max(np.sqrt(j1x * j1x + j2x * j2x), 1e-9)
    fz = max(np.sqrt(j1z * j1z + j2z * j2z), 1e-9)
    g = look.grid_m
    major = max(line_cover(x, fx, g, LINE), line_cover(z, fz, g, LINE))
    fine = FINE_SPACING * g
    minor = max(line_cover(x, fx, fine, FINE_LINE), line_cover(z, fz, fine, FINE_LINE))
    ink = max(major, FINE_INK * minor)
    red = look.floor[0] + ink * (look.line[0] - look.floor[0])
    green = look.floor[1] + ink * (look.line[1] - look.floor[1])
    blue = look.floor[2] + ink * (look.line[2] - look.floor[2])
    if len(marks):
        red, green, blue = painted(scene.decals, marks, (red, green, blue), x, z, pixel)
    open_sky = LEAST_SKY + (1.0 - LEAST_SKY) * sky
    return (
        lit(red, look.floor[0], look.shadow[0], key, open_sky, fade, back[0]),
        lit(green, look.floor[1], look.shadow[1], key, open_sky, fade, back[1]),
        lit(blue, look.floor[2], look.shadow[2], key, open_sky, fade, back[2]),
    )


@_inline
def lit(color: float, floor: float, shadow: float, key: float, open_sky: float, fade: float, back: float) -> float:
    """One channel of a floor colour under its light, faded into the background."""
    value = color * open_sky * (key + (1.0 - key) * shadow / floor)
    return back + fade * (value - back)


@_inline
def cast(
    view: CameraView,
    look: Appearance,
    scene: PackedScene,
    near: Array,
    marks: Array,
    x: float,
    y: float,
    canvas: Canvas,
) -> tuple[int, float, float, float]:
    """What the ray through pixel coordinates (x, y) met, as a number, and its colour."""
    solids, figures, t_of, i_of = scene.solids, scene.figures, canvas.t_of, canvas.i_of
    a, b = (x - 0.5 * view.width) * view.per_px, (0.5 * view.height - y) * view.per_px
    dx = view.forward[0] + a * view.right[0] + b * view.up[0]
    dy = view.forward[1] + a * view.right[1] + b * view.up[1]
    dz = view.forward[2] + a * view.right[2] + b * view.up[2]
    size = np.sqrt(dx * dx + dy * dy + dz * dz)
    unit = 1.0 / size
    ux, uy, uz = dx * unit, dy * unit, dz * unit
    ox, oy, oz = view.eye
    down = y / view.height
    down = down * down * (3.0 - 2.0 * down)
    red = look.top[0] + down * (look.bottom[0] - look.top[0])
    green = look.top[1] + down * (look.bottom[1] - look.top[1])
    blue = look.top[2] + down * (look.bottom[2] - look.top[2])
    for g in range(len(t_of)):
        t_of[g] = np.inf
    for n in range(len(near)):
        i = near[n]
        t = hit(solids, i, ox, oy, oz, ux, uy, uz)
        if t < t_of[solids[i].group]:
            t_of[solids[i].group], i_of[solids[i].group] = t, i
    drop = oy - look.floor_y
    per_drop = 1.0 / dy
    limit = -drop * per_drop * size if drop > 0.0 and dy < 0.0 else np.inf
    uneven = scene.terrain.heights.shape[0] > 0
    if uneven:
        limit = terrain_hit(scene.terrain, ox, oy, oz, ux, uy, uz, t_of[0])
    met = EMPTY
    if t_of[0] < limit:
        i, t = i_of[0], t_of[0]
        met = solids[i].piece  # within a piece normals are smooth, so nothing to smooth there
        red, green, blue = solid_color(solids, figures, look, i, (ox + t * ux, oy + t * uy, oz + t * uz), (ux, uy, uz))
        limit = t
    elif limit < np.inf:
        met, t = FLOOR, -drop * per_drop  # along the unnormalised ray, for the derivatives
        if uneven:
            t = limit * unit
        f, r1, r2 = t * view.per_px, view.right[1] * per_drop, view.up[1] * per_drop
        pixel = (
            f * (view.right[0] - dx * r1),
            f * (view.right[2] - dz * r1),
            -f * (view.up[0] - dx * r2),
            -f * (view.up[2] - dz * r2),
        )
        back = (red, green, blue)
        red, green, blue = floor_color(look, scene, marks, ox + t * dx, oz + t * dz, pixel, back)
        if uneven:
            nx, ny, nz = terrain_normal(scene.terrain, ox + t * dx, oz + t * dz)
            facing = max(nx * look.light[0] + ny * look.light[1] + nz * look.light[2], 0.0) / look.light[1]
            shade = ON_SLOPE + (1.0 - ON_SLOPE) * min(facing, 1.2)
            met = FLOOR if ny > 0.5 else RISER
            away = (ox + t * dx - look.center[0]) ** 2 + (oz + t * dz - look.center[1]) ** 2
            shade += (1.0 - shade) * (1.0 - np.exp(-away / (look.fade_m * look.fade_m)))
            red, green, blue = red * shade, green * shade, blue * shade
    for _ in range(1, len(t_of)):  # see-through figures in front, farthest first
        far = 0
        for g in range(1, len(t_of)):
            if t_of[g] < limit and (far == 0 or t_of[g] > t_of[far]):
                far = g
        if far == 0:
            break
        i, t, alpha = i_of[far], t_of[far], solids[i_of[far]].alpha
        r, g2, b2 = solid_color(solids, figures, look, i, (ox + t * ux, oy + t * uy, oz + t * uz), (ux, uy, uz))
        red, green, blue = red + alpha * (r - red), green + alpha * (g2 - green), blue + alpha * (b2 - blue)
        met = (met + 3) * 10007 + solids[i].piece
        t_of[far] = np.inf
    return met, red, green, blue


@_inline
def is_edge(met: Array, x: int, y: int) -> bool:
    """Whether a pixel met something else than one of its four neighbours."""
    here = met[y, x]
    return (
        (x > 0 and met[y, x - 1] != here)
        or (x + 1 < met.shape[1] and met[y, x + 1] != here)
        or (y > 0 and met[y - 1, x] != here)
        or (y + 1 < met.shape[0] and met[y + 1, x] != here)
    )


@_inline
def displayed(linear: float) -> float:
    """A channel as the screen shows it, 0 to 1."""
    return np.sqrt(min(max(linear, 0.0), 1.0))


@_jit
def paint(view: CameraView, look: Appearance, scene: PackedScene, tiles: TileLists, canvas: Canvas) -> None:
    """Fill the canvas: one ray a pixel, then eight where neighbours met different things."""
    met, image = canvas.met, canvas.image
    across = (view.width + TILE - 1) // TILE
    for again in range(2):
        for tile in range(len(tiles.solid_at) - 1):
            near = tiles.solids[tiles.solid_at[tile] : tiles.solid_at[tile + 1]]
            marks = tiles.marks[tiles.mark_at[tile] : tiles.mark_at[tile + 1]]
            y0, x0 = (tile // across) * TILE, (tile % across) * TILE
            for y in range(y0, min(y0 + TILE, view.height)):
                for x in range(x0, min(x0 + TILE, view.width)):
                    if again == 0:
                        met[y, x], r, g, b = cast(view, look, scene, near, marks, x + 0.5, y + 0.5, canvas)
                    elif is_edge(met, x, y):
                        r, g, b = 0.0, 0.0, 0.0
                        for n in range(len(SAMPLES)):
                            _, dr, dg, db = cast(
                                view, look, scene, near, marks, x + 0.5 + SAMPLES[n, 0], y + 0.5 + SAMPLES[n, 1], canvas
                            )
                            # mixed as displayed: mixed as light, dark edges on a light floor look ragged
                            r, g, b = r + displayed(dr), g + displayed(dg), b + displayed(db)
                        r, g, b = (r / len(SAMPLES)) ** 2, (g / len(SAMPLES)) ** 2, (b / len(SAMPLES)) ** 2
                    else:
                        continue
                    for c, value in enumerate((r, g, b)):
                        image[y, x, c] = int(255.0 * displayed(value) + 0.5)
