"""Films: frames of a scene, or of several panels, to a gif, an mp4 or a png; drawn by threads, written in order."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.errors import ParameterError, WriteError, need
from footfall.io.save import atomic_write
from footfall.render.scene import PreparedScene, Scene, check_size, frame, label_places, prepare
from footfall.render.sheet import side_by_side, write_at, write_text
from footfall.render.theme import linear

GAP_PX = 2  # between panels
GIF_FPS = 25.0  # viewers slow faster ones down
PALETTE_FRAMES = 8  # looked at to choose a gif's colours
GIF_FRAMES = 2_000  # a gif is held in memory while it is written
MAX_FRAMES = 100_000


def render_film(
    scene: Scene | Sequence[Scene],
    path: str | Path,
    size: tuple[int, int] = (640, 480),
    fps: float = 25.0,
    start_s: float = 0.0,
    end_s: float | None = None,
    clock: bool = False,
    progress: bool | Callable[[float], None] = False,
) -> Path:
    """Write the scene over time to a .gif or .mp4. Several scenes become panels side by side, each of the size.

    `clock` writes the time into a corner. `progress` shows a bar on stderr when it is a terminal; a function gets the
    share that is done after every frame instead, and what it raises ends the film, and nothing is written.
    """
    path = Path(path)
    scenes = [scene] if isinstance(scene, Scene) else list(scene)
    if not scenes:
        raise ParameterError("a film needs at least one scene")
    kind = path.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise ParameterError(f"{path.name}: a film is written as .gif or .mp4")
    if not (np.isfinite(fps) and 0.1 <= fps <= 240.0):
        raise ParameterError(f"frames per second must be 0.1 to 240, got {fps:g}")
    if kind == ".gif":
        fps = 100.0 / np.ceil(100.0 / min(fps, GIF_FPS) - 1e-9)  # gif times are whole hundredths of a second
    times = film_times(scenes, fps, start_s, end_s)
    if kind == ".gif" and len(times) > GIF_FRAMES:
        raise ParameterError(f"{path.name}: {len(times)} frames are too many for a gif; write an .mp4, or a part of it")
    stages = staged(scenes, check_size(size), (float(times[0]), float(times[-1])))

    def picture(t_s: float) -> np.ndarray:
        return compose(stages, t_s, size, clock)

    def told() -> Iterator[np.ndarray]:
        for done, drawn in enumerate(_in_order(picture, times), 1):
            yield drawn
            if callable(progress):
                progress(done / len(times))

    with _bar(path.name, len(times), progress is True) as counted:
        pictures = counted(told())
        if kind == ".gif":
            few = [picture(float(t)) for t in times[:: max(1, len(times) // PALETTE_FRAMES)]]
            atomic_write(path, lambda part: _write_gif(pictures, few, part, fps))
        else:
            atomic_write(path, lambda part: _write_mp4(pictures, part, fps))
    return path


def render_still(
    scene: Scene | Sequence[Scene], t_s: float, size: tuple[int, int] = (640, 480), clock: bool = False
) -> np.ndarray:
    """One frame of a scene, or of several as panels with their titles, seen from close by: (H, W, 3) uint8."""
    scenes = [scene] if isinstance(scene, Scene) else list(scene)
    return compose(staged(scenes, check_size(size), (t_s, t_s)), t_s, size, clock)


def save_png(picture: np.ndarray, path: str | Path) -> Path:
    """Write a picture, (H, W, 3) uint8, as a png."""
    from PIL import Image

    path = Path(path)
    atomic_write(path, lambda part: Image.fromarray(picture).save(part, format="png", optimize=True))
    return path


def film_times(scenes: Sequence[Scene], fps: float, start_s: float, end_s: float | None) -> np.ndarray:
    """Times of the frames: from start to end (by default the end of the longest scene), both included."""
    last = max(s.duration for s in scenes)
    end = last if end_s is None else end_s
    if not (0.0 <= start_s <= end < float("inf")):
        raise ParameterError(f"a film runs from a start to a later end, got {start_s:g} to {end:g} s")
    if start_s > last:
        raise ParameterError(f"the film would start at {start_s:g} s, after the motion's end at {last:g} s")
    count = int(np.floor((end - start_s) * fps + 1e-6)) + 1
    if count > MAX_FRAMES:
        raise ParameterError(f"a film of {count} frames is too long; draw a part of it, or fewer frames a second")
    return start_s + np.arange(count) / fps


def staged(scenes: Sequence[Scene], size: tuple[int, int], span_s: tuple[float, float]) -> list[PreparedScene]:
    """Scenes made ready; panels share the largest camera distance, so that bodies compare."""
    stages = [prepare(s, size[0] / size[1], span_s) for s in scenes]
    far = max(s.track.distance for s in stages)
    return [replace(s, track=replace(s.track, distance=far)) for s in stages]


def compose(stages: Sequence[PreparedScene], t_s: float, size: tuple[int, int], clock: bool) -> np.ndarray:
    """One film frame: all panels with their titles, and the time."""
    panels = []
    for stage in stages:
        picture = write_at(frame(stage, t_s, *size), label_places(stage, t_s, *size), stage.theme)
        panels.append(write_text(picture, stage.scene.title, stage.theme))
    theme = stages[-1].theme
    whole = side_by_side(panels, GAP_PX, 255.0 * np.sqrt(linear(theme.line)))
    return write_text(whole, f"{t_s:.2f} s", theme, "bottom right") if clock else whole


def _in_order(draw: Callable[[float], np.ndarray], times: np.ndarray) -> Iterator[np.ndarray]:
    """draw(t) for every time, a few drawn ahead by threads: the compiled part runs without the interpreter's lock."""
    workers = max(1, min(os.cpu_count() or 1, 8))
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Any] = deque()
        try:
            for t in times:
                ahead.append(pool.submit(draw, float(t)))
                if len(ahead) > 2 * workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for job in ahead:
                job.cancel()


def _write_gif(pictures: Iterator[np.ndarray], few: Sequence[np.ndarray], part: Path, fps: float) -> None:
    """One palette for all frames, chosen from a few of them; no dithering, which flickers and costs size."""
    from PIL import Image

    palette = Image.fromarray(np.concatenate(few)).quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=1)
    flat = (Image.fromarray(p).quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures)
    next(flat).save(
        part, format="gif", save_all=True, append_images=flat, duration=round(1000.0 / fps), loop=0, optimize=False
    )


def _write_mp4(pictures: Iterator[np.ndarray], part: Path, fps: float) -> None:
    """H.264 through a pipe to ffmpeg; sizes are cut to even ones, as its colour format needs."""
    program = need("imageio_ffmpeg", "video").get_ffmpeg_exe()
    first = next(pictures)
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:.6g}", "-i", "-"]
    # "veryfast": no difference to see in our pictures, as small, and half the work of the usual preset
    coding = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]
    command = [program, "-y", "-loglevel", "error", *source, "-an", *coding, "-f", "mp4", str(part)]
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said) as ffmpeg:
            assert ffmpeg.stdin is not None
            try:
                for picture in chain([first], pictures):
                    ffmpeg.stdin.write(picture[:height, :width].tobytes())
                ffmpeg.stdin.close()
            except BrokenPipeError:  # it stopped early: what it said tells why
                with suppress(BrokenPipeError):  # what is left in the buffer finds the pipe broken too
                    ffmpeg.stdin.close()
            except BaseException:
                ffmpeg.kill()
                raise
        if ffmpeg.returncode:
            said.seek(0)
            words = " ".join(said.read(2000).decode("utf-8", "replace").split())
            raise WriteError(f"{part.name}: ffmpeg stopped with code {ffmpeg.returncode}: {words[:300]}")


@contextmanager
def _bar(name: str, count: int, wanted: bool) -> Iterator[Callable[[Iterator[np.ndarray]], Iterator[np.ndarray]]]:
    """A progress bar on stderr around an iterator; none when not wanted or when stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if not (wanted and console.is_terminal):
        yield lambda pictures: pictures
        return
    yield lambda pictures: iter(track(pictures, description=name, total=count, console=console, transient=True))
