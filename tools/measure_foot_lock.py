#!/usr/bin/env python3
"""Slide before and after foot lock on a folder of captures, as docs/foot_lock.md reports it.

usage: python tools/measure_foot_lock.py FOLDER        every .bvh below it

Both are measured over the capture's own contacts. The points measured, heel and ball of the sole, are those the lock
holds: near zero says that it holds them for as long as they are down, not that the motion is good.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import footfall as ff
from footfall.quality.slide import slide
from footfall.retarget.foot_lock import foot_lock


def main() -> None:
    rows = []
    for path in sorted(Path(sys.argv[1]).rglob("*.bvh")):
        try:
            clip = ff.load(path)
            contacts = clip.contacts
            rows.append((slide(clip, contacts).mean_cm_s, slide(foot_lock(clip, contacts), contacts).mean_cm_s))
        except ff.FootfallError as error:
            print(f"{path.name}: left out: {error}", file=sys.stderr)
            continue
        print(f"{path.parent.name}/{path.stem}: {rows[-1][0]:.1f} -> {rows[-1][1]:.1f} cm/s")
    before, after = np.array(rows).T
    print(f"{len(rows)} takes: median {np.median(before):.1f} -> {np.median(after):.2f} cm/s, "
          f"{(after < 0.5).sum()} under 0.5, 90 % {np.quantile(after, 0.9):.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
