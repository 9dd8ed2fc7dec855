"""Write the take the studio shows before anything is compiled: the demo, as this version makes it.

    NUMBA_CACHE_DIR=$(mktemp -d) python tools/make_first_take.py

The empty folder is where compiled kernels are kept: those that are made then are the ones a first start waits for.
"""

from __future__ import annotations

from footfall.core.kernels import ready_count
from footfall.io.save import atomic_write
from footfall.studio import first_take, frames
from footfall.studio.figures import skeleton_view
from footfall.studio.library import Library
from footfall.studio.project import demo, opened
from footfall.studio.synthesis import Arranged, MadeTrack, Synthesis

FPS = 20.0  # the page draws between frames


def main() -> None:
    library = Library(None)
    project = opened(demo(), library.key_of)
    arranged = Arranged(project.document, project.kept, library.entry)
    made = Synthesis(lambda done: None)._tracks(arranged)[0]
    assert isinstance(made, MadeTrack)
    every = round(made.clip.fps / FPS)
    rows = frames.world_rows(made.clip.skeleton, made.clip.pose)[::every]
    body = skeleton_view(made.clip.skeleton)
    data = first_take.packed(project.document, made.view, body, rows, made.clip.fps / every, ready_count())
    atomic_write(first_take.FILE, data)
    print(f"{first_take.FILE.name}: {len(data) / 1000:.0f} kB, {len(rows)} poses, {ready_count()} kernels")


if __name__ == "__main__":
    main()
