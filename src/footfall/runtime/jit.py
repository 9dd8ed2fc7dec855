"""How kernels are compiled: without the interpreter's lock, cached on disk where there is a place to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

# "contract" lets a product and a sum become one instruction, which rounds once instead of twice
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: compile on first use, from the cache when it was compiled before."""
    try:
        return njit(cache=True, **OPTIONS)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # neither the package's folder nor the user's cache folder can be written: compile every time
        return njit(**OPTIONS)(function)  # type: ignore[no-any-return]
