"""A thread that waits for work, and ends without being waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable

END_S = 0.5  # that the end waits for the thread: what is being made then is of no use any more


class Worker:
    """One daemon thread. What is to be done is changed, and waited for, with `there_is_work` held."""

    def __init__(self, name: str, run: Callable[[], None]) -> None:
        """run: works until `is_over`."""
        self.there_is_work = threading.Condition()
        self.is_over = False
        self._name, self._run = name, run
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to work, where it has not begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End; hardly waited for."""
        with self.there_is_work:
            self.is_over = True
            self.there_is_work.notify()
        if self._thread is not None:
            self._thread.join(END_S)
