"""Draw the picture of docs/transitions.md from built-in motions.

    python tools/make_join_pictures.py docs/images

Pictures are reduced to 256 colours, which keeps them below 200 kB.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from footfall.io.save import atomic_write
from footfall.joins.join import join
from footfall.motions.library import motion
from footfall.render.compare_joins import picture_joins

METHODS = ("crossfade", "inertialize", "by-example")
COLOURS = 256


def main(out: Path) -> None:
    """Write joins_walk_kick.png."""
    clips = motion("walk", cycles=2), motion("kick")
    joined = {method: join(*clips, method, at_s=1.4) for method in METHODS}
    picture = Image.open(BytesIO(picture_joins(joined, clips))).convert("RGB")
    small = BytesIO()
    picture.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    atomic_write(out / "joins_walk_kick.png", small.getvalue())
    print(f"{out / 'joins_walk_kick.png'}: {len(small.getvalue()) / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
