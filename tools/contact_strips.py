"""Draw the contact strips of docs/contact_strips.md from a folder of captures.

    python tools/contact_strips.py ../shared/mocap docs/images/strips

Only curves are drawn; no capture data is written. Pictures are reduced to 48 colours, which keeps each below 60 kB.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from footfall.analysis.summary import analyze
from footfall.io.load import load
from footfall.io.save import atomic_write
from footfall_lab.contact_strip import plot_strip

TAKES = {  # picture: take
    "walk": "cmu_bvh/walk_straight/02_01.bvh",
    "walk_slow": "cmu_bvh/walk_straight/07_04.bvh",
    "walk_turn": "cmu_bvh/walk_turn/16_11.bvh",
    "walk_backward": "cmu_bvh/walk_backward/113_01.bvh",
    "walk_clean": "bandai_namco/dataset-1_walk_normal_001.bvh",
    "walk_tired": "bandai_namco/dataset-1_walk_tired_001.bvh",
    "run": "cmu_bvh/run_straight/16_35.bvh",
    "run_fast": "cmu_bvh/run_straight/127_06.bvh",
    "run_turn": "cmu_bvh/run_turn/127_09.bvh",
    "walk_to_run": "cmu_bvh/transition/127_04.bvh",
}
COLOURS = 48


def main(captures: Path, out: Path) -> None:
    """Write one PNG a take."""
    for name, take in TAKES.items():
        clip = load(captures / take)
        png = plot_strip(clip, analyze(clip), title=Path(take).stem)
        small = BytesIO()
        Image.open(BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
            small, "PNG", optimize=True
        )
        atomic_write(out / f"{name}.png", small.getvalue())
        print(f"{out / name}.png {len(small.getvalue()) / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
