"""A session of the studio without a server, with a page that keeps what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from read_frames import decode

from footfall.studio import messages as m
from footfall.studio.studio import Studio
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

WAIT_S = 120.0
MOTIONS = ("walk", "kick", "stand", "run", "wave", "stop")


def short_demo() -> Timeline:
    """One walk: for sessions that are not about the demo."""
    return Timeline((TimelineTrack((TimelineClip("walk"),), name="Hero"),), fps=30.0)


class Page:
    """Keeps what it is sent, in order."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def send(self, message: Any) -> None:
        msgspec.json.encode(message)
        self.told.append(message)

    def send_frame(self, kind: int, track: int, data: bytes) -> None:
        self.told.append(decode(data))

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.told if isinstance(message, kind)]

    async def next(self, kind: type, fits: Callable[[Any], bool] = lambda message: True) -> Any:
        async with asyncio.timeout(WAIT_S):
            while True:
                for i, message in enumerate(self.told):
                    if isinstance(message, kind) and fits(message):
                        del self.told[: i + 1]
                        return message
                await asyncio.sleep(0.01)


def run(folder: Path, act: Callable[[Studio, Page], Awaitable[None]]) -> None:
    """A session with one page that has been greeted."""

    async def session() -> None:
        studio, page = Studio(folder, MOTIONS), Page()
        await studio.start()
        try:
            await studio.join(page)
            await act(studio, page)
        finally:
            await studio.stop()

    asyncio.run(session())


async def small(studio: Studio, page: Page) -> m.Project:
    """A project of two clips."""
    await studio.handle(page, m.New())
    for clip in ("walk", "kick"):
        await studio.handle(page, m.Edit(m.AddClip(clip, 1)))
    made: m.Project = page.of(m.Project)[-1]
    return made
