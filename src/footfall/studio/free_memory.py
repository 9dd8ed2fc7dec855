"""Freed memory handed back to the system.

Making a take leaves many short-lived arrays behind; glibc keeps what they took, tens of megabytes after an hour of
edits, in pieces that the next take does not fit into.
"""

from __future__ import annotations

import ctypes
import time

EVERY_S = 2.0  # at most so often: it takes some milliseconds


def _found() -> ctypes._NamedFuncPointer | None:
    """glibc's own function; None on other systems, which do so themselves."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


_trim = _found()


class FreeMemory:
    """Hands memory back now and then."""

    def __init__(self) -> None:
        self._last_s = -EVERY_S

    def hand_back(self) -> None:
        """What is free and was not handed back for a while; call it when nobody waits."""
        if _trim is not None and time.monotonic() - self._last_s >= EVERY_S:
            _trim(0)
            self._last_s = time.monotonic()
