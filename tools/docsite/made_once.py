"""What takes long to make for the site, kept in build/docsite for as long as footfall's own code is the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "docsite"


@cache
def code_digest() -> str:
    """Of every Python file of the product."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src" / "footfall").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def made_once(what: str, make: Callable[[], Any]) -> Any:
    """The JSON-able result of `make`, made again only where `what` or the code changed."""
    name = hashlib.sha256(f"{code_digest()} {what}".encode()).hexdigest()[:24]
    path = KEPT / f"{name}.json"
    if not path.is_file():
        made = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(made), "utf-8")
    return json.loads(path.read_text("utf-8"))
