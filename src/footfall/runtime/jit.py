"""How kernels are compiled: without the interpreter's lock, cached on disk where there is a place to write."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

# A product and a sum may become one instruction, which rounds once instead of twice.
STRICT = {"contract"}
# For functions that meet no NaN and where the sign of zero does not matter: only then are minima vectorised.
LOOSE = {"contract", "nnan", "nsz"}


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorator, with or without numba's options: compile on first use, or take it from the cache."""
    if function is None:
        return lambda function: kernel(function, **options)
    options = {"nogil": True, "error_model": "numpy", "fastmath": STRICT, **options}
    try:
        return _stamped(njit(cache=True, **options)(function))
    except RuntimeError:  # neither the package's folder nor the user's cache folder can be written: compile every time
        return njit(**options)(function)


def part(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A kernel that only kernels call: it can allocate no arrays, and is compiled in half the time."""
    return kernel(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


def _stamped(compiled: Any) -> Any:
    """A kernel whose cache is out of date when any file of this folder has changed.

    numba looks at the kernel's own file only, but kernels are built into those that call them from other files.
    """
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if file is not None and hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, _folder_stamp())
    return compiled


@cache
def _folder_stamp() -> tuple[int, int, int]:
    """Newest change, number and size of the files in this folder."""
    stats = [path.stat() for path in Path(__file__).parent.glob("*.py")]
    return max(s.st_mtime_ns for s in stats), len(stats), sum(s.st_size for s in stats)
