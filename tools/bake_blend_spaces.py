"""Make the files of the built-in blend spaces that come with the package: packed examples and fields of weights.

    python tools/bake_blend_spaces.py              every set whose examples have changed, some three minutes if all have
    python tools/bake_blend_spaces.py reach kick   only these
    python tools/bake_blend_spaces.py --all        every set, changed or not (after a change of the solver)

Run it after any change of the built-in motions; a test says when that is needed.
"""

from __future__ import annotations

import argparse
import time

from footfall.parametric.builtin_sets import SETS, packed_set
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.shipped import FOLDER, is_same, mark_sources, ship, shipped_weights, stored_motion
from footfall.parametric.space_weights import smoothly_weighted
from footfall.weights.weights import FittedWeights


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("sets", nargs="*", metavar="SET")
    asked.add_argument("--all", action="store_true", help="also those that have not changed")
    given = asked.parse_args()
    for name in given.sets or with_parameters():
        start = time.perf_counter()
        motion = packed_set(name)
        if not given.all and not given.sets and is_current(motion):
            print(f"{name}: unchanged")
            continue
        made = smoothly_weighted(motion)
        path = ship(made)
        fitted = made.fitted
        assert isinstance(fitted, FittedWeights)
        print(f"{name}: {path.stat().st_size / 1e3:.0f} kB, {time.perf_counter() - start:.0f} s, {fitted.name}",
              getattr(fitted, "validation", fitted.note), flush=True)  # fmt: skip
    if not given.sets:
        mark_sources()
    print(f"{sum(p.stat().st_size for p in FOLDER.iterdir()) / 1e6:.2f} MB in {FOLDER.name}")


def with_parameters() -> list[str]:
    """The sets whose blends are measured."""
    return [name for name, recipe in SETS.items() if recipe.is_measured]


def is_current(motion: ParametricMotion) -> bool:
    """Whether the file holds this motion, to the steps it is stored in, and a field that belongs to it."""
    stored = stored_motion(motion.name, motion.skeleton)
    return stored is not None and is_same(stored, motion) and shipped_weights(motion.name, motion) is not None


if __name__ == "__main__":
    main()
