"""Live room: which page steers which character; graphs are read once, in a thread, and shared."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.controller.graph import Graph, graph
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.studio import messages as m
from footfall.studio.edits import sentence
from footfall.studio.library import Library
from footfall.studio.live import LiveCharacter, Page, graph_message, ready_controller
from footfall.studio.security import safe_join

BUILT_IN = "builtin"
MOST_GRAPHS, LOOKED_AT = 100, 400  # files; bytes in which a graph says that it is one
MARK = b'"footfall graph"'


@dataclass(eq=False)
class _Seat:
    """A page and its character."""

    character: LiveCharacter
    task: asyncio.Task[None]


class LiveRoom:
    """All live characters."""

    def __init__(self, library: Library, folder: Path | None, tell: Callable[[m.ToPage], None]) -> None:
        self._library, self._folder, self._tell = library, folder, tell
        self._seats: dict[Page, _Seat] = {}
        self._starting: dict[Page, object] = {}  # the newest wish of pages whose character is being made
        self._graphs: dict[str, Graph] = {}
        self._reading = asyncio.Lock()
        self._jobs = itertools.count(-1, -1)  # below zero, so that no export has the same number

    def names(self) -> tuple[str, ...]:
        """Graphs there are: the built-in one and those of the folder."""
        found = [BUILT_IN]
        if self._folder is not None:
            paths = (p for p in sorted(self._folder.rglob("*.json")) if _is_graph(p))
            names = (p.relative_to(self._folder).as_posix() for p in itertools.islice(paths, MOST_GRAPHS))
            found += [name for name in names if not name.startswith(".")]
        return tuple(found)

    async def handle(self, page: Page, message: Any) -> None:
        """What a page asks of its character."""
        if isinstance(message, m.LiveStart):
            await self._start(page, message.graph)
            return
        if isinstance(message, m.LiveStop):
            await self.leave(page)
            return
        seat = self._seats.get(page)
        if seat is None:
            if isinstance(message, m.LiveSteer):
                return  # keys that are held while the character is being made
            raise ParameterError("there is no live character yet; open the Live tab first")
        if isinstance(message, m.LiveSteer):
            seat.character.steer(message)
        elif isinstance(message, m.LiveAct):
            seat.character.act(message.name)
        elif isinstance(message, m.LiveRecord):
            clip = seat.character.record(message.on)
            if clip is not None:
                await asyncio.to_thread(self._library.add_clip, clip, "recording")

    async def leave(self, page: Page) -> None:
        """No character for this page any more."""
        self._starting.pop(page, None)
        seat = self._seats.pop(page, None)
        if seat is not None:
            seat.task.cancel()
            await asyncio.gather(seat.task, return_exceptions=True)

    async def stop(self) -> None:
        """All characters go."""
        for page in list(self._seats):
            await self.leave(page)

    async def _start(self, page: Page, name: str) -> None:
        await self.leave(page)
        wish = self._starting[page] = object()
        read = await self._graph(name)
        hero = await asyncio.to_thread(ready_controller, read)
        if self._starting.get(page) is not wish:
            return  # it left, or asked for another
        del self._starting[page]
        character = LiveCharacter(page, hero)
        page.send(graph_message(read, name))
        self._seats[page] = _Seat(character, asyncio.create_task(character.run()))

    async def _graph(self, name: str) -> Graph:
        """A graph by name, read once; the first time may take a while, which every page is told."""
        async with self._reading:
            if name in self._graphs:
                return self._graphs[name]
            if name not in await asyncio.to_thread(self.names):
                raise UnknownName("graph", name, self.names())
            path = name if name == BUILT_IN or self._folder is None else safe_join(self._folder, name)
            job, label = next(self._jobs), f"Preparing the live character ({name})"
            self._tell(m.Job(job, label, 0.0, "running"))
            try:
                read = await asyncio.to_thread(graph, path)
                await asyncio.to_thread(ready_controller, read)
            except FootfallError as error:
                self._tell(m.Job(job, label, 0.0, "failed", problem=sentence(error)))
                raise
            gc.freeze()  # a full collection over all that was just made would cost every character a few frames
            self._tell(m.Job(job, label, 1.0, "done"))
            self._graphs[name] = read
            return read


def _is_graph(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return MARK in file.read(LOOKED_AT)
    except OSError:
        return False
