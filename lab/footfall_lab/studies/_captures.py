"""Where studies look for captured takes when no folder is given."""

from __future__ import annotations

from pathlib import Path


def beside_checkout() -> Path | None:
    """../shared/mocap beside the checkout, where there is one."""
    folder = Path(__file__).resolve().parents[4] / "shared" / "mocap"
    return folder if folder.is_dir() else None
