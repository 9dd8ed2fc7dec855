#!/usr/bin/env python3
"""What retargeting keeps of a folder of captures, on other bodies and there and back, as docs/results.md reports it.

usage: python tools/measure_retarget.py FOLDER [--takes N] [--only WORD] [--each] [--back]

FOLDER holds cmu_bvh, bandai_namco and gltf/mesh2motion_human-male.glb. --takes: every N-th take. --only: pairs whose
name contains the word. --each: a line for each take. --back: there and back, in place of what is kept there; compared
with the take put on its own body, since either way brings the floor to 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import footfall as ff
from footfall.retarget.character import Character, character
from footfall.retarget.retarget import retarget
from footfall_lab.retarget_kept import RetargetKept, end_gaps, kept


def pairs(folder: Path) -> Iterator[tuple[str, list[Path], str]]:
    """Name, takes and body of each."""
    cmu = sorted((folder / "cmu_bvh").rglob("*.bvh"))
    bandai = sorted((folder / "bandai_namco").glob("*.bvh"))
    bodies = {
        "adult": "adult", "0.9m": "adult:0.9", "2.1m": "adult:2.1",
        "glb": str(folder / "gltf" / "mesh2motion_human-male.glb"),
        "bandai": str(folder / "bandai_namco" / "dataset-1_walk_normal_001.bvh"),
        "cmu": str(folder / "cmu_bvh" / "walk_straight" / "07_01.bvh"),
    }  # fmt: skip
    for name, takes in (("cmu", cmu), ("bandai", bandai)):
        for onto, body in bodies.items():
            if onto != "bandai" or name != "bandai":
                yield f"{name}>{onto}", takes, body


def there_and_back(clip: ff.Clip, other: Character) -> dict[str, float]:
    """Metres by which hands, feet and head miss where they were."""
    own = character(clip)
    return end_gaps(retarget(retarget(clip, other), own, source=other), retarget(clip, own))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--takes", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--back", action="store_true")
    options = parser.parse_args()
    clips: dict[Path, ff.Clip] = {}
    for name, takes, body in pairs(options.folder):
        if options.only not in name:
            continue
        target, rows, backs = character(body), [], []
        for path in takes[:: options.takes]:
            clip = clips.setdefault(path, ff.load(path))
            if options.back:
                backs.append(there_and_back(clip, target))
                row = " ".join(f"{k} {100 * v:.2f}" for k, v in backs[-1].items())
            else:
                rows.append(kept(clip, retarget(clip, target), target))
                row = " ".join(f"{k} {v:.3g}" for k, v in rows[-1]._asdict().items())
            if options.each:
                print(f"{name} {path.stem}: {row}", flush=True)
        print(
            f"{name}, {len(rows or backs)} takes: {_back_summary(backs) if options.back else _summary(rows)}",
            flush=True,
        )


def _summary(rows: list[RetargetKept]) -> str:
    ratio, floor, edges, same, paired, exact, knee = np.array(rows).T
    return (
        f"skate <= 1.1: {100 * np.mean(ratio <= 1.1):.1f} %, worst {ratio.max():.2f}; floor within 5 mm: "
        f"{100 * np.mean(floor <= 0.005):.1f} %, worst {1000 * floor.max():.1f} mm; edges within a frame: "
        f"{100 * same.sum() / edges.sum():.1f} % of {edges.sum():g}, of contacts found on both "
        f"{100 * exact.sum() / paired.sum():.1f} %, all of them in {100 * np.mean(edges == same):.0f} % of takes; "
        f"knees back at most {knee.max():.2f} degrees"
    )


def _back_summary(rows: list[dict[str, float]]) -> str:
    names = sorted({role for row in rows for role in row})
    parts = []
    for role in names:
        gaps = 100 * np.array([row[role] for row in rows if role in row])
        parts.append(f"{role} median {np.median(gaps):.2f} worst {gaps.max():.2f}")
    whole = np.array([max(row.values()) for row in rows])
    return f"all within 1 cm: {100 * np.mean(whole <= 0.01):.0f} %; cm: " + ", ".join(parts)


if __name__ == "__main__":
    main()
