"""The built-in graph, built by a low-priority process beside the studio, which leaves it in the cache.

Building it costs some 30 s the first time. In a thread it would slow every drag down, and hold the studio back at its
end; a process does neither, and can be killed (`python -m footfall.studio.graph_maker` builds it and ends).
"""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable

LOOK_S = 0.2  # between two looks whether it is done
USUAL_S = 30.0  # that it takes; only for the progress that is shown


class GraphMaker:
    """One building of the graph, begun at most once."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_over = False

    async def made(self, told: Callable[[float], None] = lambda share: None) -> None:
        """Returns when the graph is in the cache, or could not be built there; told gets a guess of how far it is."""
        from footfall.graph.builtin import cached_path

        if self._process is None and not self._is_over and not await asyncio.to_thread(lambda: cached_path().exists()):
            self._begin()
        began = time.monotonic()
        while self._process is not None and self._process.poll() is None:
            told(1.0 - math.exp(-(time.monotonic() - began) / USUAL_S))
            await asyncio.sleep(LOOK_S)

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._is_over = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _begin(self) -> None:
        if self._process is None and not self._is_over:  # another page may have begun it meanwhile
            command = [sys.executable, "-P", "-m", "footfall.studio.graph_maker"]
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)


def _make() -> None:
    """Build the graph, and a character of it: what is compiled for that is kept on disk too."""
    from footfall.graph.builtin import builtin_graph
    from footfall.studio.live import ready_controller

    ready_controller(builtin_graph())


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # the character on the stage comes first
    _make()
