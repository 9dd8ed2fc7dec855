"""A live crowd: many characters of a page's graph that wander about, stepped in a thread, sent as joint positions."""

from __future__ import annotations

import asyncio
import logging
import time

import numpy as np

from footfall.core.errors import ParameterError
from footfall.graph.graph import Graph
from footfall.kinematics.fk import world_positions
from footfall.kinematics.ground import Ground
from footfall.live.crowd import WALK, Crowd
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio.edits import sentence
from footfall.studio.live import Page
from footfall.studio.send_pace import SendPace

LOG = logging.getLogger("footfall.studio")
MOST = 500  # characters
RATE = 30.0  # frames a second, where the machine keeps up
MOST_AHEAD = 8  # frames a page may have that it has not shown yet; each is up to 150 kB
LONGEST_S = 0.1  # of one step: a machine that does not keep up has a slower crowd


class WanderingCrowd:
    """The crowd of one page, until it is stopped."""

    def __init__(self, page: Page, graph: Graph, count: int, ground: Ground | None = None) -> None:
        if not 1 <= count <= MOST:
            raise ParameterError(f"a crowd has 1 to {MOST} characters, not {count}")
        if WALK not in graph.types:
            raise ParameterError(f"a crowd walks, and this graph has no walk: {', '.join(graph.types)}")
        self._page, self._graph, self._count, self._ground = page, graph, count, ground
        self.pace = SendPace(MOST_AHEAD)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            crowd = await asyncio.to_thread(Crowd, self._graph, self._count, threads=1, ground=self._ground)
            last, tick = time.perf_counter(), 0
            while True:
                now = time.perf_counter()
                if not self.pace.is_ahead(tick):
                    data = await asyncio.to_thread(self._frame, crowd, min(max(now - last, 1e-3), LONGEST_S), tick)
                    self._page.send_frame(frames.CROWD, 0, data)
                    tick += 1
                last = now
                await asyncio.sleep(max(1.0 / RATE - (time.perf_counter() - now), 0.002))
        except Exception as error:
            LOG.exception("live crowd")
            self._page.send(m.Problem("live", sentence(error)))

    def _frame(self, crowd: Crowd, dt: float, tick: int) -> bytes:
        places = world_positions(self._graph.skeleton, crowd.step(dt))  # (N, J, 3)
        return frames.encode(frames.CROWD, tick, 0, places.astype(np.float32), RATE, 0.0)
