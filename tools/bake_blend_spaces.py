"""Make the files of the built-in blend spaces that come with the package: packed examples and fields of weights.

    python tools/bake_blend_spaces.py              every set whose examples have changed, some three minutes if all have
    python tools/bake_blend_spaces.py reach kick   only these
    python tools/bake_blend_spaces.py --all        every set, changed or not (after a change of the solver)
    python tools/bake_blend_spaces.py --words      none: only comments of the built-in motions have changed

Run it after any change of the built-in motions; a test says when that is needed.
"""

from __future__ import annotations

import argparse
import time

from footfall.parametric.builtin_sets import SETS, packed_set
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.shipped import (
    FOLDER,
    is_same,
    mark_sources,
    ship,
    shipped_weights,
    sources_unchanged,
    stored_motion,
)
from footfall.parametric.space_weights import smoothly_weighted
from footfall.weights.weights import FittedWeights


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("sets", nargs="*", metavar="SET")
    asked.add_argument("--all", action="store_true", help="also those that have not changed")
    asked.add_argument("--words", action="store_true", help="only mark the code, whose comments alone have changed")
    given = asked.parse_args()
    if given.words:
        assert sources_unchanged(), "more than comments has changed: run it without --words"
        mark_sources()
        return
    for name in given.sets or SETS:
        start = time.perf_counter()
        motion = packed_set(name)
        if not given.all and not given.sets and is_current(motion):
            print(f"{name}: unchanged")
            continue
        made = smoothly_weighted(motion) if SETS[name].is_measured else motion
        path = ship(made)
        fitted = made.fitted
        told = (fitted.name, getattr(fitted, "validation", fitted.note)) if isinstance(fitted, FittedWeights) else ()
        print(f"{name}: {path.stat().st_size / 1e3:.0f} kB, {time.perf_counter() - start:.0f} s", *told, flush=True)
    if not given.sets:
        mark_sources()
    print(f"{sum(p.stat().st_size for p in FOLDER.iterdir()) / 1e6:.2f} MB in {FOLDER.name}")


def is_current(motion: ParametricMotion) -> bool:
    """Whether the file holds this motion, to the steps it is stored in, and a field that belongs to it if measured."""
    stored = stored_motion(motion.name, motion.skeleton)
    if stored is None or not is_same(stored, motion):
        return False
    return not SETS[motion.name].is_measured or shipped_weights(motion.name, motion) is not None


if __name__ == "__main__":
    main()
