"""The weights a blend space starts with: shipped, cached on disk, solved now, or a quick stand-in.

Where parameters are measured the smooth inverse is wanted. Those of the built-in sets come with the package; those of
other spaces are solved once and kept by content. A field of one or two parameters is solved in about a second, on the
spot; one of three takes up to a minute, and until somebody asks for it radial basis functions serve, whose answers are
polished one by one.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.errors import FootfallError
from footfall.io.cache_folder import CODE, cache_folder, code_mark, forget_old
from footfall.io.save import atomic_write
from footfall.parametric.effort import effort
from footfall.parametric.measure import PARAMETERS, blended_parameters, polar_of
from footfall.parametric.parametric_motion import ParametricMotion, with_weights
from footfall.parametric.shipped import shipped_weights
from footfall.weights.examples import Polar, WeightsWarning, examples_of
from footfall.weights.methods.inverse_blending import Constraint
from footfall.weights.store import from_arrays, to_arrays
from footfall.weights.weights import FittedWeights

SMOOTH = "smooth-inverse"
AT_ONCE = {"method": "rbf", "kernel": "r"}  # of the methods that need no time, the nearest on the built-in sets
SOON = 2  # parameters: a field of so many is solved in about a second
KEPT_S = 180 * 86400.0  # seconds that a field nobody asks for is kept
CONTENT = ("parameters", "key_times", "mean", "vectors", "root", "travel", "pelvis", "offsets")
UNTIL = "weights by radial basis functions, corrected one by one, until prepare() solves the smooth inverse"
Progress = Callable[[float], None]  # is told the share of the work that is done


def is_measured(motion: ParametricMotion) -> bool:
    """Whether blends are measured for any of the parameters."""
    return any(n in PARAMETERS[motion.kind] and n not in motion.given for n in motion.parameter_names)


def first_weights(motion: ParametricMotion, shipped: str = "") -> tuple[ParametricMotion, str]:
    """The motion with the best weights that can be had at once, and a note where better ones take time.

    shipped: the name of the built-in set it is, if any.
    """
    if len(motion) == 1 or not is_measured(motion):
        return with_weights(motion, "rbf"), ""
    known = shipped_weights(shipped, motion) if shipped else None
    known = known or kept(motion, {})
    if known is not None:
        return replace(motion, fitted=known), ""
    if len(motion.parameter_names) <= SOON:
        return solved(motion, {}), ""
    return with_weights(motion, measure=blended_parameters(motion), polar=polar_of(motion), **AT_ONCE), UNTIL


def chosen_weights(motion: ParametricMotion, method: str, options: dict[str, Any], shipped: str) -> ParametricMotion:
    """The motion with the weights of a method that a person named.

    places=False among the options takes a distance and a direction as two numbers, as the papers do.
    """
    polar = polar_of(motion) if options.get("places", True) else None
    own = {name: value for name, value in options.items() if name != "places"}
    if method == SMOOTH and len(motion) > 1 and is_measured(motion) and polar == polar_of(motion):
        known = shipped_weights(shipped, motion) if shipped and not own else None
        return replace(motion, fitted=known) if known is not None else solved(motion, own)
    if method == "inverse-blending":
        own = {"constraints": _alike(motion, polar), **own}
    return with_weights(motion, method, blended_parameters(motion), polar=polar, **own)


def _alike(motion: ParametricMotion, polar: Polar | None) -> tuple[Constraint, ...]:
    """Constraints by which a centimetre counts alike up, ahead and to the side: parameters of one unit have one scale.

    Of themselves they would count by their ranges, and a kick's 20 cm ahead as much as its metre up.
    """
    size, units = examples_of(motion.parameters, polar).range, PARAMETERS[motion.kind]
    of = ["" if n in motion.given else units.get(n, "") for n in motion.parameter_names]
    if polar is not None:
        of[polar.direction] = of[polar.distance]  # together a place
    largest = [max(size[j] for j, unit in enumerate(of) if j == k or (unit and unit == of[k])) for k in range(len(of))]
    return tuple(Constraint((k,), 1.0, float((size[k] / largest[k]) ** 2)) for k in range(len(of)))


def solved(motion: ParametricMotion, options: dict[str, Any], progress: Progress | None = None) -> ParametricMotion:
    """The motion with the smooth inverse: from the disk, or solved now and kept there.

    Where it steps aside (few examples), what takes its place says so in its note; nobody is warned of it here, since
    its answers are polished all the same.
    """
    found = kept(motion, options)
    if found is not None:
        return replace(motion, fitted=found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeightsWarning)
        made = smoothly_weighted(motion, progress=progress, **options)
    assert isinstance(made.fitted, FittedWeights)
    keep(motion, options, made.fitted)
    return made


def smoothly_weighted(motion: ParametricMotion, **options: Any) -> ParametricMotion:
    """The motion with the smooth inverse of what is measured on it, solved now."""
    measure = blended_parameters(motion)
    return with_weights(motion, SMOOTH, measure, polar=polar_of(motion), effort=effort(motion), **options)


# --- on disk ----------------------------------------------------------------------------------------------------------


def kept(motion: ParametricMotion, options: dict[str, Any]) -> FittedWeights | None:
    """The field that was solved for this very motion before."""
    path = _path(motion, options)
    if not path.is_file():
        return None
    try:
        with np.load(path) as file:
            return from_arrays(dict(file))
    except (FootfallError, OSError, ValueError):
        return None  # what cannot be read is solved again


def keep(motion: ParametricMotion, options: dict[str, Any], fitted: FittedWeights) -> None:
    """Write it where `kept` finds it; where nothing can be written it is solved again next time."""
    path, data = _path(motion, options), BytesIO()
    np.savez_compressed(data, **to_arrays(fitted))  # type: ignore[arg-type]
    try:
        atomic_write(path, data.getvalue())
    except FootfallError:
        return
    forget_old(path.parent, "*.npz", KEPT_S)


def _path(motion: ParametricMotion, options: dict[str, Any]) -> Path:
    """Named by all that the field depends on: the examples, the options, and the code that measures and solves."""
    found = hashlib.blake2b(digest_size=12)
    rooms = ("weights", "parametric")
    found.update(code_mark(p for room in rooms for p in sorted((CODE / room).rglob("*.py"))).encode())
    words = (motion.kind, motion.parameter_names, motion.given, motion.time, motion.effector, motion.marks)
    found.update(repr((words, motion.skeleton.names, sorted(options.items()))).encode())
    found.update(np.ascontiguousarray(motion.skeleton.offsets).tobytes())
    for name in CONTENT:
        value = getattr(motion, name)
        found.update(b"-" if value is None else np.ascontiguousarray(value).tobytes())
    return cache_folder() / "weights" / f"{found.hexdigest()}.npz"
