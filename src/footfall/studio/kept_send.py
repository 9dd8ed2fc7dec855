"""Sending to a socket without releasing Python's interpreter lock.

Python releases the lock for every send. Where another thread works (a take being made), the sender gets it back only
after that thread's turn: fifty characters would wait for fifty turns a tick. A send that does not block takes about 10
microseconds, too short to release the lock for.
"""

from __future__ import annotations

import ctypes
import socket

TURN_S = 1e-3  # that a thread keeps the interpreter when another wants it; Python's own 5 ms are a third of a tick


def _found() -> ctypes._NamedFuncPointer | None:
    """The system's own send, called with the interpreter kept; None where it is not there."""
    try:
        made = ctypes.PyDLL(None).send
    except (AttributeError, OSError, TypeError):  # Windows
        return None
    made.argtypes, made.restype = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int], ctypes.c_ssize_t
    return made


_send = _found() if hasattr(socket, "MSG_DONTWAIT") else None
_FLAGS = getattr(socket, "MSG_DONTWAIT", 0) | getattr(socket, "MSG_NOSIGNAL", 0)


def send_kept(line: int, data: bytes) -> int:
    """How many bytes a socket (its file number) has taken at once: none where it is full, broken or of Windows."""
    return max(_send(line, data, len(data), _FLAGS), 0) if _send is not None else 0
