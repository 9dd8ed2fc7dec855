"""The studio's application from its first moment: the page is there while all that is behind it is still imported.

Importing what makes motion takes a second and more, a browser as long to build the page; both begin at once. What needs
the studio, the page's socket first of all, waits for it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from footfall.studio.front_page import FrontPage
from footfall.studio.guarded import Guarded
from footfall.studio.kept_send import TURN_S
from footfall.studio.security import LOG, Guard


class EarlyApp:
    """ASGI: the front page at once, everything else as soon as the application behind it has begun."""

    def __init__(self, front: ASGIApp, make: Callable[[], Starlette], failed: Callable[[BaseException], None]) -> None:
        """make: imports and makes the application behind it, on a thread. failed: is told why there will be none."""
        self._front, self._make, self._failed = front, make, failed
        self._behind: asyncio.Future[Starlette] | None = None
        self._running = AsyncExitStack()  # what ends with the application behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and (scope["path"] == "/" or scope["path"].startswith("/assets/")):
            await self._front(scope, receive, send)
        else:
            assert self._behind is not None  # the server asks for nothing before it is told to begin
            behind = await asyncio.shield(self._behind)
            await behind(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        turn_s = sys.getswitchinterval()
        sys.setswitchinterval(TURN_S)  # importing would hold the page up at every turn
        self._behind = asyncio.get_running_loop().create_future()
        beginning = asyncio.create_task(self._begin(self._behind))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if not self._behind.done():
            beginning.cancel()
        await asyncio.gather(beginning, return_exceptions=True)
        await self._running.aclose()
        sys.setswitchinterval(turn_s)
        await send({"type": "lifespan.shutdown.complete"})

    async def _begin(self, begun: asyncio.Future[Starlette]) -> None:
        try:
            made = await asyncio.to_thread(self._make)
            await self._running.enter_async_context(made.router.lifespan_context(made))
            begun.set_result(made)
        except BaseException as error:  # whoever waits is told, and the server ends
            begun.cancel()
            if not isinstance(error, asyncio.CancelledError):
                LOG.error("the studio could not start: %s", error)
                self._failed(error)


def early_app(folder: Path | None, guard: Guard, failed: Callable[[BaseException], None]) -> Guarded:
    """The studio of a folder, behind its guard."""

    def make() -> Starlette:
        from footfall.studio.server import unguarded
        from footfall.studio.studio import Studio

        return unguarded(Studio(folder), guard)

    return Guarded(EarlyApp(Starlette(routes=FrontPage(guard).routes()), make, failed), guard)
