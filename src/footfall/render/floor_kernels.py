"""The floor under light: the shadows that round cones throw on it, its lines, the marks painted on it, its colour."""

from __future__ import annotations

import numpy as np

from footfall.render.cone_kernels import cover_of, shade_of
from footfall.render.picture import RGB, Appearance, Array, PackedScene, Patch, PixelSize
from footfall.render.pixel_kernels import pixels, pixels_inlined

# By eye; lengths in metres are at a body height of 1.75 m.
CONTACT_SOFT_M = 0.006  # half-width of a floor shadow's edge where it touches its body
REACH_M = 0.55  # how far a body darkens the floor
LEAST_SKY = 0.35  # of the floor's light arrives where no sky is open
LINE, FINE_LINE = 0.012, 0.024  # width of the floor's lines over their spacing
FINE_SPACING, FINE_INK = 0.25, 0.4  # spacing and strength of the fine lines over those of the others
FADED = 9.0  # squared distance, over that of fading, at which the floor is gone


@pixels
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


@pixels_inlined
def line_cover(x: float, fw: float, spacing: float, share: float) -> float:
    """Part of a pixel of width fw at x covered by lines at every multiple of the spacing, a share of it wide."""
    per, u = 1.0 / fw, x / spacing
    off = spacing * abs(u - np.floor(u + 0.5))
    width = share * spacing
    fine = min(max((0.5 * width - off) * per + 0.5, 0.0), 1.0) * min(width * per, 1.0)
    blur = min(max(2.0 * fw / spacing - 0.5, 0.0), 1.0)  # lines closer than pixels: their mean
    return fine * (1.0 - blur) + share * blur


@pixels
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


@pixels
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


@pixels_inlined
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


@pixels_inlined
def lit(color: float, floor: float, shadow: float, key: float, open_sky: float, fade: float, back: float) -> float:
    """One channel of a floor colour under its light, faded into the background."""
    value = color * open_sky * (key + (1.0 - key) * shadow / floor)
    return back + fade * (value - back)
