"""JSON as every reader takes it: numbers it does not have become null; and reports as files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click


def plain(value: Any) -> Any:
    """The same data without infinities and not-a-numbers, tuples as lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def write_report(data: Any, path: Path, what: str) -> None:
    """Write data as JSON, and a line that says what it is."""
    from footfall.io.save import atomic_write

    atomic_write(path, (json.dumps(plain(data), indent=1, allow_nan=False) + "\n").encode())
    click.echo(f"{path}: {what}")
