"""How kernels of the ray caster are compiled: `pixels`, and `pixels_inlined` for those that are small and hot."""

from __future__ import annotations

from typing import Any

from footfall.core.kernels import kernel

# Without the interpreter lock, so that threads draw frames side by side, and without counting references to arrays,
# which took four fifths of the time; the price is that a kernel cannot make arrays, its caller hands them in.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "_nrt": False, "error_model": "numpy", "fastmath": {"contract", "arcp", "nsz"},
}  # fmt: skip
pixels = kernel(**_OPTIONS)
pixels_inlined = kernel(forceinline=True, **_OPTIONS)  # half the time of calls
