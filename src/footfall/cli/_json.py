"""JSON as every reader takes it: numbers it does not have become null."""

from __future__ import annotations

import math
from typing import Any


def plain(value: Any) -> Any:
    """The same data without infinities and not-a-numbers, tuples as lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
