"""Measure how well actions are found in recordings, against the titles of the takes.

    python tools/measure_actions.py ../shared/mocap        captures, every other take of a kind apart, then all
    python tools/measure_actions.py builtin                built-in motions

A title's words say what a take holds; words of MAY may be found or not. Counted by take: found where the title has it.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from footfall.analysis.one_shots import NAMES, find_one_shots
from footfall.core.clip import Clip
from footfall.io.load import load, load_all
from footfall.motions.library import motion
from footfall.motions.sets import examples

WORDS = {
    "jump": ("jump",),
    "kick": ("kick",),
    "punch": ("punch", "strike"),
    "wave": ("wave", "bye"),
    "reach": ("reach", "raise-up", "grab"),
}
MAY = {"call": "wave", "Pick up": "reach", "guide": "reach"}
Take = tuple[str, str, Callable[[], Clip]]  # name, title, how to get it


def captures(root: Path, folders: tuple[str, ...]) -> Iterator[Take]:
    """Takes of folders by their titles; deepmimic's are named after what they are, glTF clips have names."""
    with open(root / "manifest.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            path = row["path"]
            if path.split("/")[0] not in folders:
                continue
            if path.endswith(".glb"):
                if "RobotExpressive" in path or "mannequiny" in path:
                    for clip in load_all(root / path):
                        yield f"{path}:{clip.name}", clip.name, lambda clip=clip: clip
                continue
            title = path.split("3d_")[1] if path.startswith("deepmimic") else row["description"]
            yield path, title, lambda path=path: load(root / path)


def builtin() -> Iterator[Take]:
    """The example sets, and single motions."""
    for name in ("jump", "kick", "punch", "reach", "walk", "run", "transition"):
        for clip in examples(name):
            yield clip.name, name, lambda clip=clip: clip
    for name in ("wave", "stand", "start", "stop"):
        yield name, name, lambda name=name: motion(name)


def measure(takes: Iterator[Take], half: str) -> None:
    """Print precision, recall and who was taken for what; half: first, second (every other take of a kind) or all."""
    right, wrong, missed = Counter(), Counter(), Counter()
    table: Counter[tuple[str, str]] = Counter()
    of_kind: Counter[tuple[str, ...]] = Counter()
    for name, title, get in takes:
        wanted = {n for n, words in WORDS.items() if any(w in title.lower() for w in words)}
        kind = tuple(sorted(wanted))
        of_kind[kind] += 1
        if half != "all" and half != ("first" if of_kind[kind] % 2 else "second"):
            continue
        found = {shot.name for shot in find_one_shots(get())}
        may = {n for word, n in MAY.items() if word in title}
        right.update(wanted & found)
        wrong.update(found - wanted - may)
        missed.update(wanted - found)
        table.update((a, b) for a in wanted or {"none"} for b in found or {"none"})
        if (found - wanted - may) or (wanted - found):
            print(f"  {name} ({title}): has {sorted(wanted)}, found {sorted(found)}")
    for name in NAMES:
        r, w, m = right[name], wrong[name], missed[name]
        print(f"{name:6} found {r} of {r + m}, wrongly in {w} other takes")
    columns = (*NAMES, "none")
    print(f"{'has':8}" + "".join(f"{c:>7}" for c in columns) + "   found")
    for a in columns:
        print(f"{a:8}" + "".join(f"{table[a, b]:7d}" for b in columns))


def main(source: str) -> None:
    """Everything, in order."""
    if source == "builtin":
        measure(builtin(), "all")
        return
    for half in ("first", "second", "all"):
        print(f"\ncmu_bvh, bandai_namco: {half}")
        measure(captures(Path(source), ("cmu_bvh", "bandai_namco")), half)
    print("\nsmartbody, deepmimic, gltf: all")
    measure(captures(Path(source), ("smartbody", "deepmimic", "gltf")), "all")


if __name__ == "__main__":
    main(sys.argv[1])
