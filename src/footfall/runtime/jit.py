"""How kernels are compiled: without the interpreter's lock, cached on disk where there is a place to write."""

from __future__ import annotations

from collections.abc import Callable
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
        return njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache folder can be written: compile every time
        return njit(**options)(function)
