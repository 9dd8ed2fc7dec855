"""Round cones under light: where a ray meets one, what they keep of the lamp and the sky, and the colour that is left.

A round cone is the hull of two balls: the envelope of balls of centre a + u s and radius ra - k s, 0 <= s <= length.
"""

from __future__ import annotations

import numpy as np

from footfall.render.picture import RGB, Appearance, Array, Vector
from footfall.render.pixel_kernels import pixels, pixels_inlined

# By eye; lengths in metres are at a body height of 1.75 m.
WRAP = 0.30  # light reaches this far around a limb (cosine units)
SELF_SOFT_M = 0.022  # half-width of the softest self-shadow edge at contact
MELT_M = 0.022  # how far creases between cones of one piece are smoothed
BODY_REACH_M = 0.30  # how far its parts darken each other
UNDERSIDE, UNDERSIDE_M = 0.55, 0.25  # share of the sky that a surface facing the floor loses, and up to what height


@pixels_inlined
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


@pixels_inlined
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


@pixels_inlined
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


@pixels
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


@pixels
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


@pixels_inlined
def reaching(look: Appearance, c: int, direct: float, up: float, low: float) -> float:
    """One channel of the light that arrives: from the lamp, the sky and the floor."""
    return look.key[c] * direct + look.sky[c] * up + look.bounce[c] * low


@pixels
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
