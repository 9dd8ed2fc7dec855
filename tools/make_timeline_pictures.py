"""Draw the picture of docs/timeline.md from built-in motions.

    python tools/make_timeline_pictures.py docs/images

Reduced to 64 colours, which keeps it below 250 kB.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from footfall.io.save import atomic_write
from footfall.render.plot_timeline import plot_timeline
from footfall.timeline.arrangement import timeline
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

CLIPS = (
    TimelineClip("walk:cycles=3", 0.0),
    TimelineClip("wave", 0.1),
    TimelineClip("kick"),
    TimelineClip("running-kick"),
    TimelineClip("walk-back:cycles=2"),
)
COLOURS = 64


def main(out: Path) -> None:
    """Write timeline_take.png."""
    arranged = timeline(Timeline((TimelineTrack(CLIPS),), fps=60.0))
    drawn = plot_timeline(arranged.render(), arranged.plan()[0], title="walk and wave, kick, running kick, back")
    picture = Image.open(BytesIO(drawn)).convert("RGB")
    small = BytesIO()
    picture.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    atomic_write(out / "timeline_take.png", small.getvalue())
    print(f"{out / 'timeline_take.png'}: {len(small.getvalue()) / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
