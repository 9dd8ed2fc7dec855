"""A clip shown in a notebook: the studio's stage in a frame of its own, with everything it needs inside.

Nothing is fetched and nothing runs in the notebook's own page: figure, floor and poses travel in the frame's source.
Where the studio's page was not built, a strip of pictures is shown instead.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from importlib.resources import files

import msgspec
import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.studio.figures import skeleton_view
from footfall.studio.frames import TAKE, encode, world_rows
from footfall.studio.messages import Part, SkeletonView

MOST_FPS = 60.0  # more is not seen
MOST_BYTES = 24 << 20  # of poses: longer clips are shown at a lower rate
THEMES = ("system", "light", "dark")
STRIP_POSES = 8


class NotebookData(Part, frozen=True):
    """What page/src/notebook.ts gets."""

    name: str
    theme: str
    loop: bool
    skeletons: tuple[SkeletonView, ...]
    frames: tuple[str, ...]  # binary frames as base64


class NotebookView:
    """What a notebook displays: it asks for the HTML, or for the picture where there is none."""

    def __init__(self, clip: Clip, height: int = 420, theme: str = "system") -> None:
        if theme not in THEMES:
            raise ParameterError(f"theme is one of {', '.join(THEMES)}, got {theme!r}")
        if not 80 <= height <= 4000:
            raise ParameterError(f"height is 80 to 4000 pixels, got {height}")
        self.clip, self.height, self.theme = clip, int(height), theme

    def __repr__(self) -> str:
        return f"<a view of {self.clip!r}; a notebook shows it, footfall studio too>"

    def _repr_html_(self) -> str | None:
        script = stage_script()
        return None if script is None else frame_html(clip_page([self.clip], script, self.theme), self.height)

    def _repr_png_(self) -> bytes | None:
        return strip_png(self.clip) if stage_script() is None else None


def stage_script() -> str | None:
    """The built stage, or None where the page was not built."""
    built = files("footfall.studio") / "page" / "dist" / "stage.js"
    return built.read_text("utf-8") if built.is_file() else None


def clip_page(clips: Sequence[Clip], script: str, theme: str = "system") -> str:
    """A whole HTML page that plays clips, one body each."""
    shown = NotebookData(
        clips[0].name or "clip",
        theme,
        clips[0].is_loop,
        tuple(skeleton_view(clip.skeleton) for clip in clips),
        tuple(_frame_text(clip, track) for track, clip in enumerate(clips)),
    )
    data = msgspec.json.encode(shown).decode().replace("<", "\\u003c")  # nothing in a name can end the script element
    code = script.replace("</script", "<\\/script")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>footfall</title></head><body>'
        f'<script type="application/json" id="footfall-clip">{data}</script><script>{code}</script></body></html>'
    )


def frame_html(page: str, height: int) -> str:
    """A page in a frame without the notebook's rights."""
    return (
        f'<iframe sandbox="allow-scripts" title="footfall clip" srcdoc="{html.escape(page, quote=True)}" '
        f'style="width:100%;height:{height}px;border:0;border-radius:8px"></iframe>'
    )


def strip_png(clip: Clip) -> bytes:
    """A strip of poses, where nothing can move."""
    from PIL import Image

    from footfall.render.sheet import render_strip

    picture = Image.fromarray(render_strip(clip, list(np.linspace(0.0, clip.duration, STRIP_POSES)), (1200, 300)))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def _frame_text(clip: Clip, track: int) -> str:
    rate = min(clip.fps, MOST_FPS)
    bytes_a_second = rate * len(clip.skeleton) * 28
    rate = max(min(rate, rate * MOST_BYTES / max(bytes_a_second * clip.duration, 1.0)), 1.0)
    moved = clip if rate >= clip.fps else clip.resample(rate)
    return base64.b64encode(encode(TAKE, 0, track, world_rows(moved.skeleton, moved.pose), moved.fps, 0.0)).decode()
