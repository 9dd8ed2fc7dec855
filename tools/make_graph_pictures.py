"""Draw the pictures of docs/graph_build.md: all cycles of a graph built from captures, and what it covers.

    FOOTFALL_MOCAP=captures python tools/make_graph_pictures.py docs/images

Stick figures and numbers only; no capture data is kept. Reduced to few colours, which keeps them small.
"""

from __future__ import annotations

import os
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from footfall.graph.build.built_graph import built_parts, graph_in
from footfall.io.save import atomic_write
from footfall.render.plot_coverage import plot_coverage
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies.graph import cycles_picture

COLOURS = 48


def main(out: Path) -> None:
    """Write graph_cycles.png and graph_coverage.png."""
    folder = Path(os.environ["FOOTFALL_MOCAP"]) if os.environ.get("FOOTFALL_MOCAP") else beside_checkout()
    if folder is None:
        sys.exit("no captures: set FOOTFALL_MOCAP to a folder of them")
    parts = built_parts(folder / "cmu_bvh")
    coverage = BytesIO()
    drawn = Image.open(BytesIO(plot_coverage(parts.build, "A graph of CMU takes: speeds and turns"))).convert("RGB")
    drawn.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(coverage, "PNG", optimize=True)
    pictures = {
        "graph_coverage.png": coverage.getvalue(),
        "graph_cycles.png": cycles_picture(graph_in(parts), parts.build, COLOURS),
    }
    for name, data in pictures.items():
        atomic_write(out / name, data)
        print(f"{out / name}: {len(data) / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
