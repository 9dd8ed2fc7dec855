"""Live room: which page steers which character; graphs are read once, in a thread, and shared.

The built-in graph is made by a process of its own, begun before anybody asks for it.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from footfall.core.errors import ParameterError, UnknownName
from footfall.graph.build.open_graph import graph
from footfall.graph.graph import Graph
from footfall.studio import messages as m
from footfall.studio.edits import sentence
from footfall.studio.graph_maker import GraphMaker
from footfall.studio.library import Library
from footfall.studio.live import LiveCharacter, Page, graph_message, ready_controller
from footfall.studio.metronome import Metronome
from footfall.studio.security import safe_join

BUILT_IN = "builtin"
MOST_GRAPHS, LOOKED_AT = 100, 400  # files; bytes in which a graph says that it is one
MARK = b'"footfall graph"'


class LiveRoom:
    """All live characters."""

    def __init__(self, library: Library, folder: Path | None, tell: Callable[[m.ToPage], None]) -> None:
        self._library, self._folder, self._tell = library, folder, tell
        self._seats: dict[Page, LiveCharacter] = {}
        self._metronome = Metronome()
        self._ticking: asyncio.Task[None] | None = None
        self._starting: dict[Page, object] = {}  # the newest wish of pages whose character is being made
        self._graphs: dict[str, Graph] = {}
        self._reading = asyncio.Lock()
        self._maker = GraphMaker()
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
        if page not in self._seats:
            if isinstance(message, m.LiveSteer):
                return  # keys that are held while the character is being made
            raise ParameterError("there is no live character yet; open the Live tab first")
        character = self._seats[page]
        if isinstance(message, m.LiveSteer):
            character.steer(message)
        elif isinstance(message, m.LiveAct):
            character.act(message.name)
        elif isinstance(message, m.LiveRecord):
            await self._record(character, message.on)

    async def prepare(self, is_quiet: Callable[[], bool]) -> None:
        """The built-in graph before anybody asks; what slows others down is done while nothing goes on."""
        await self._maker.made()
        while not is_quiet():
            await asyncio.sleep(1.0)
        async with self._reading:
            await self._read(BUILT_IN)

    async def leave(self, page: Page) -> None:
        """No character for this page any more."""
        self._starting.pop(page, None)
        await self._unseat(page)

    async def stop(self) -> None:
        """All characters go."""
        self._maker.stop()
        for page in list(self._seats):
            await self.leave(page)
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.gather(self._ticking, return_exceptions=True)

    async def _record(self, character: LiveCharacter, on: bool) -> None:
        clip = character.record(on)
        if clip is not None:
            await asyncio.to_thread(self._library.add_clip, clip, "recording")

    async def _unseat(self, page: Page) -> None:
        """Take a page's character away; a recording it was making is kept."""
        if page not in self._seats:
            return
        character = self._seats.pop(page)
        self._metronome.leave(character)
        if character.is_recording:
            await self._record(character, False)

    async def _start(self, page: Page, name: str) -> None:
        wish = self._starting[page] = object()  # before anything is waited for: leaving takes it back
        await self._unseat(page)
        read = await self._graph(name)
        hero = await asyncio.to_thread(ready_controller, read)
        if self._starting.get(page) is not wish:
            return  # it left, or asked for another
        del self._starting[page]
        character = LiveCharacter(page, hero)
        page.send(graph_message(read, name))
        self._seats[page] = character
        self._metronome.join(character)
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._metronome.run())

    async def _graph(self, name: str) -> Graph:
        """A graph by name; the first time may take a while, which every page is told."""
        if name in self._graphs:
            return self._graphs[name]
        names = await asyncio.to_thread(self.names)
        if name not in names:
            raise UnknownName("graph", name, names)
        job, label = next(self._jobs), f"Preparing the live character ({name})"

        def told(share: float, state: Literal["running", "done", "failed"] = "running", why: str | None = None) -> None:
            self._tell(m.Job(job, label, share, state, problem=why))

        told(0.0)
        try:
            if name == BUILT_IN:
                await self._maker.made(told)
            async with self._reading:
                read = await self._read(name)
        except Exception as error:
            told(0.0, "failed", sentence(error))
            raise
        told(1.0, "done")
        return read

    async def _read(self, name: str) -> Graph:
        """A graph, read where it was not before; only one at a time."""
        if name not in self._graphs:
            path = name if name == BUILT_IN or self._folder is None else safe_join(self._folder, name)
            read = await asyncio.to_thread(graph, path)
            await asyncio.to_thread(ready_controller, read)
            gc.freeze()  # a full collection over all that was just made would cost every character a few frames
            self._graphs[name] = read
        return self._graphs[name]


def _is_graph(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe would keep us waiting
            return False
        with path.open("rb") as file:
            return MARK in file.read(LOOKED_AT)
    except OSError:
        return False
