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
from urllib.parse import quote

import msgspec

from footfall.core.errors import ParameterError, UnknownName
from footfall.graph.build.build_file import SUFFIX, is_build
from footfall.graph.build.open_graph import graph
from footfall.graph.graph import Graph
from footfall.graph.on_body import graph_on
from footfall.studio import messages as m
from footfall.studio.edits import sentence
from footfall.studio.graph_maker import GraphMaker
from footfall.studio.grounds import Grounds
from footfall.studio.library import Library
from footfall.studio.live import LiveCharacter, Page, graph_message, ready_controller
from footfall.studio.live_crowd import WanderingCrowd
from footfall.studio.maker_process import Ended, MakerProcess
from footfall.studio.metronome import Metronome
from footfall.studio.security import safe_join
from footfall.studio.shelf import Shelf

BUILT_IN = "builtin"
MOST_GRAPHS, LOOKED_AT = 100, 400  # files; bytes in which a graph says that it is one
MARK = b'"footfall graph"'
PLAYABLE = f"playable{SUFFIX}"  # the graph of the folder's recordings, in the folder itself


class LiveRoom:
    """All live characters."""

    def __init__(
        self, library: Library, folder: Path | None, tell: Callable[[m.ToPage], None], shelf: Shelf | None = None
    ) -> None:
        self._library, self._folder, self._tell = library, folder, tell
        self._shelf, self.grounds = shelf or Shelf(library), Grounds(folder)
        self._bodies: dict[str, tuple[Graph, Graph]] = {}  # by graph and character: the graph, and it on that body
        self._dressing = asyncio.Lock()
        self._body_maker = MakerProcess("footfall.studio.body_maker", "another character is being made ready; wait")
        self._seats: dict[Page, LiveCharacter] = {}
        self._crowds: dict[Page, WanderingCrowd] = {}
        self._metronome = Metronome()
        self._ticking: asyncio.Task[None] | None = None
        self._starting: dict[Page, object] = {}  # the newest wish of pages whose character is being made
        self._graphs: dict[str, Graph] = {}
        self._reading = asyncio.Lock()
        self._maker = GraphMaker()
        self._folder_maker = MakerProcess(
            "footfall.studio.folder_maker", "the folder is being made playable already; wait for that, or cancel it"
        )
        self._making = 0  # number of the job that makes the folder playable
        self._jobs = itertools.count(-1, -1)  # below zero, so that no export has the same number

    def names(self) -> tuple[str, ...]:
        """Graphs there are: the built-in one and those of the folder."""
        found = [BUILT_IN]
        if self._folder is not None:
            every = sorted([*self._folder.rglob("*.json"), *self._folder.rglob(f"*{SUFFIX}")])
            paths = (p for p in every if (is_build(p) if p.suffix == SUFFIX else _is_graph(p)))
            names = (p.relative_to(self._folder).as_posix() for p in itertools.islice(paths, MOST_GRAPHS))
            found += [name for name in names if not name.startswith(".")]
        return tuple(found)

    async def handle(self, page: Page, message: Any) -> None:
        """What a page asks of its character."""
        if isinstance(message, m.LiveStart):
            await self._start(page, message)
            return
        if isinstance(message, m.LiveStop):
            await self.leave(page)
            return
        if isinstance(message, m.LiveMake | m.LiveLook):
            await self._make(page, message)
            return
        if page not in self._seats:
            if isinstance(message, m.LiveSteer | m.LiveSeen):
                return  # keys that are held while the character is being made, and poses of the one before
            raise ParameterError("there is no live character yet; open the Live tab first")
        character = self._seats[page]
        if isinstance(message, m.LiveSteer):
            character.steer(message)
        elif isinstance(message, m.LiveSeen):
            character.pace.seen(message.tick)
            if page in self._crowds:
                self._crowds[page].pace.seen(message.crowd)
        elif isinstance(message, m.LiveAct):
            character.act(message.name)
        elif isinstance(message, m.LiveRecord):
            await self._record(character, message.on)
        elif isinstance(message, m.LiveShove):
            character.shove(message.x, message.z)
        elif isinstance(message, m.LiveCrowd):
            await self._disperse(page)
            if message.count:
                self._crowds[page] = WanderingCrowd(page, character.hero.graph, message.count, character.hero.ground)

    def cancel(self, job: int) -> None:
        """Stop making the folder playable."""
        if job != self._making:
            raise UnknownName("job", str(job), [str(self._making)])
        self._folder_maker.stop()

    async def _make(self, page: Page, message: m.LiveMake | m.LiveLook) -> None:
        """The folder's graph built in another process, or only looked at; every page is told of a new one."""
        if self._folder is None:
            raise ParameterError(
                "open the studio on a folder of recordings to make it playable: footfall studio FOLDER"
            )
        path, builds = self._folder / PLAYABLE, isinstance(message, m.LiveMake)
        is_new = isinstance(message, m.LiveMake) and message.used is None
        if not is_new and not await asyncio.to_thread(is_build, path):
            raise ParameterError("this folder was not made playable yet; do that first")
        wanted = {"used": message.used} if isinstance(message, m.LiveMake) else {"look": True}
        job, label = next(self._jobs), "Making the folder playable" if builds else "Looking at the folder's graph"

        def told(share: float, text: str) -> None:
            self._tell(m.Job(job, f"{label}: {text}" if text else label, share, "running"))

        if not self._folder_maker.is_busy:
            self._making = job
            told(0.0, "")
        try:
            found = await self._folder_maker.run((str(self._folder), str(path)), wanted, told)
        except Ended:
            self._tell(m.Job(job, label, 0.0, "cancelled"))
            return
        except Exception as error:
            if self._making == job:
                self._tell(m.Job(job, label, 0.0, "failed", problem=sentence(error)))
            raise
        self._tell(m.Job(job, label, 1.0, "done"))
        if builds:
            self._graphs.pop(PLAYABLE, None)
            self._tell(m.LiveGraphs(await asyncio.to_thread(self.names)))
        page.send(msgspec.convert({"type": "live_found", "graph": PLAYABLE, "leftOut": found["left_out"], **found},
                                  m.LiveFound))  # fmt: skip

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
        self._folder_maker.stop()
        self._body_maker.stop()
        for page in list(self._seats):
            await self.leave(page)
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.gather(self._ticking, return_exceptions=True)

    async def _record(self, character: LiveCharacter, on: bool) -> None:
        clip = character.record(on)
        if clip is not None:
            await asyncio.to_thread(self._library.add_clip, clip, "recording")

    async def _disperse(self, page: Page) -> None:
        crowd = self._crowds.pop(page, None)
        if crowd is not None:
            await crowd.stop()

    async def _unseat(self, page: Page) -> None:
        """Take a page's character away, and its crowd; a recording it was making is kept."""
        await self._disperse(page)
        if page not in self._seats:
            return
        character = self._seats.pop(page)
        self._metronome.leave(character)
        if character.is_recording:
            await self._record(character, False)

    async def _start(self, page: Page, asked: m.LiveStart) -> None:
        wish = self._starting[page] = object()  # before anything is waited for: leaving takes it back
        await self._unseat(page)
        ground = await asyncio.to_thread(self.grounds.open, asked.ground)
        read = await self.graph(asked.graph)
        if asked.character:
            read = await self._on_body(asked.graph, read, asked.character)
        hero = await asyncio.to_thread(ready_controller, read, ground)
        if self._starting.get(page) is not wish:
            return  # it left, or asked for another
        del self._starting[page]
        character = LiveCharacter(page, hero)
        page.send(graph_message(read, asked, self._skin(asked.character)))
        page.send(m.LiveGroundShape(None)) if ground is None else character.show_ground()
        self._seats[page] = character
        self._metronome.join(character)
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._metronome.run())

    def _skin(self, character: str) -> str | None:
        """Where a character's mesh is to be had from."""
        return f"/characters/{quote(Path(character).name)}" if self._shelf.holds(character) else None

    async def _on_body(self, name: str, read: Graph, character: str) -> Graph:
        """A graph on a character; the first time another process makes it, which every page is told."""
        keys = self._shelf.keys()
        if character not in keys:
            raise UnknownName("character", character[:100], keys)
        async with self._dressing:
            made = self._bodies.get(f"{name} {character}")
            if made is None or made[0] is not read:
                await self._make_body(name, character)
                made = self._bodies[f"{name} {character}"] = read, await asyncio.to_thread(graph_on, read, character)
            return made[1]

    async def _make_body(self, name: str, character: str) -> None:
        """Leave the graph on a character in the cache."""
        job, label = next(self._jobs), f"Getting {Path(character).stem} ready to be steered"
        path = name if name == BUILT_IN or self._folder is None else str(safe_join(self._folder, name))

        def told(share: float, text: str = "") -> None:
            self._tell(m.Job(job, f"{label}: {text}" if text else label, share, "running"))

        told(0.0)
        try:
            await self._body_maker.run((path, character), {}, told)
        except Exception as error:
            self._tell(m.Job(job, label, 0.0, "failed", problem=sentence(error)))
            raise
        self._tell(m.Job(job, label, 1.0, "done"))

    async def graph(self, name: str = BUILT_IN) -> Graph:
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
