"""Compiled triangle filler: draws a posed mesh with base colours into a picture with depth, perspective-correct.

Pineda 1988, "A parallel algorithm for polygon rasterization": a pixel is inside where three edge functions agree; 1/z
and everything over z are linear on the screen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.kernels import kernel


class MeshBuffers(NamedTuple):
    """What filling writes: depth (H, W), as 1/z, and linear colour (H, W, 3)."""

    near: np.ndarray
    color: np.ndarray


class MeshPack(NamedTuple):
    """A mesh on the screen."""

    screen: np.ndarray  # (V, 3) pixel x, y and 1/z; 1/z is 0 behind the eye
    light: np.ndarray  # (V, 3) light that reaches each vertex
    uv: np.ndarray  # (V, 2)
    triangles: np.ndarray  # (F, 3)
    material: np.ndarray  # (F,)
    colors: np.ndarray  # (M, 3) linear
    texels: np.ndarray  # (N, 3) linear, of all pictures one after another
    pictures: np.ndarray  # (M, 3) first texel, width and height; no width: no picture


@kernel(nogil=True, error_model="numpy")
def fill(mesh: MeshPack, buffers: MeshBuffers) -> None:
    """Draw every triangle where it is nearer than what is there."""
    screen, near, color = mesh.screen, buffers.near, buffers.color
    high, wide = near.shape
    for f in range(len(mesh.triangles)):
        a, b, c = mesh.triangles[f, 0], mesh.triangles[f, 1], mesh.triangles[f, 2]
        if screen[a, 2] <= 0.0 or screen[b, 2] <= 0.0 or screen[c, 2] <= 0.0:
            continue
        ax, ay, bx, by, cx, cy = screen[a, 0], screen[a, 1], screen[b, 0], screen[b, 1], screen[c, 0], screen[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-12:
            continue
        x0, x1 = max(int(np.floor(min(ax, bx, cx))), 0), min(int(np.ceil(max(ax, bx, cx))), wide - 1)
        y0, y1 = max(int(np.floor(min(ay, by, cy))), 0), min(int(np.ceil(max(ay, by, cy))), high - 1)
        m = mesh.material[f]
        first, across, down = mesh.pictures[m, 0], mesh.pictures[m, 1], mesh.pictures[m, 2]
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                px, py = x + 0.5, y + 0.5
                wb = ((px - ax) * (cy - ay) - (py - ay) * (cx - ax)) / area
                wc = ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / area
                wa = 1.0 - wb - wc
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                depth = wa * screen[a, 2] + wb * screen[b, 2] + wc * screen[c, 2]
                if depth <= near[y, x]:
                    continue
                near[y, x] = depth
                ka, kb, kc = wa * screen[a, 2] / depth, wb * screen[b, 2] / depth, wc * screen[c, 2] / depth
                texel = -1
                if across > 0:
                    u = ka * mesh.uv[a, 0] + kb * mesh.uv[b, 0] + kc * mesh.uv[c, 0]
                    v = ka * mesh.uv[a, 1] + kb * mesh.uv[b, 1] + kc * mesh.uv[c, 1]
                    column = min(int((u - np.floor(u)) * across), across - 1)
                    row = min(int((v - np.floor(v)) * down), down - 1)
                    texel = first + row * across + column
                for k in range(3):
                    light = ka * mesh.light[a, k] + kb * mesh.light[b, k] + kc * mesh.light[c, k]
                    base = mesh.colors[m, k]
                    color[y, x, k] = light * base * (mesh.texels[texel, k] if texel >= 0 else 1.0)
