"""The project that is open and its files: opened, saved, kept while it is not saved, recovered, gone back to.

One thing at a time is read, written or forgotten; all of it runs on the event loop, and the disk on threads.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from footfall.core.errors import FootfallError, ParameterError
from footfall.studio import edits, history
from footfall.studio import messages as m
from footfall.studio.clip_names import ClipNames
from footfall.studio.edits import sentence
from footfall.studio.project import OpenProject, empty, opened
from footfall.studio.store import Recoverable, Store
from footfall.timeline.model import Timeline

LOG = logging.getLogger("footfall.studio")
AUTOSAVE_S = 0.4  # after a change, at the latest
MOST_LISTED, PICTURED = 60, 3  # projects in the list, and clips in the picture of each


class ProjectFiles:
    """The open project, and where it is kept."""

    def __init__(
        self,
        store: Store,
        names: ClipNames,
        demo: Callable[[], Timeline],
        shown: Callable[[], None],
        tell: Callable[[m.ToPage], None],
    ) -> None:
        """demo: what is opened where there is nothing else. shown: is called when another project is open."""
        self.store, self._names = store, names
        self._demo, self._shown, self._tell = demo, shown, tell
        self.project: OpenProject = empty()
        self.damaged: list[str] = []  # sentences about files of ours that could not be read
        self._left: Recoverable | None = None
        self._autosave: asyncio.Task[None] | None = None
        self._filing = asyncio.Lock()

    # --- its life -----------------------------------------------------------------------------------------------------
    async def look(self) -> None:
        """What is on the disk from before."""
        await asyncio.to_thread(self.store.sweep)
        self.damaged = await asyncio.to_thread(self.store.set_damaged_aside, self._unpacked)
        for told in self.damaged:
            LOG.warning("%s", told)
        self.project.revision = await asyncio.to_thread(self.store.first_revision)
        self._left = await asyncio.to_thread(self._left_behind)

    async def begin(self) -> None:
        """Open what was open last, or the demo."""
        last = self.store.last()
        try:
            if last:
                await self._open(last)
                return
        except FootfallError as error:
            LOG.warning("%s", error)
        self.show(opened(self._demo(), self._names.key_of))

    async def end(self) -> None:
        """What is not saved stays to be recovered."""
        if self._autosave is not None:
            self._autosave.cancel()
            await asyncio.gather(self._autosave, return_exceptions=True)
        async with self._filing:
            await self._keep_unsaved()

    @property
    def recoverable(self) -> str | None:
        """What was found of earlier work, in words."""
        return None if self._left is None else _words(self._left)

    def listed(self) -> m.Projects:
        """The folder's projects, each with a few of its clips."""
        found = []
        for name, changed_s in self.store.recent()[:MOST_LISTED]:
            try:
                clips = [clip for track in self.store.read(name).timeline.tracks for clip in track.clips]
                keys = [self._names.key_of(str(clip.clip), clip.animation) for clip in clips[:PICTURED]]
                found.append(m.ProjectFile(name, changed_s, tuple(keys), len(clips)))
            except FootfallError:
                found.append(m.ProjectFile(name, changed_s, (), 0))
        return m.Projects(tuple(found))

    def show(self, project: OpenProject) -> None:
        """Another project from now on."""
        project.revision += self.project.revision
        self.project = project
        self._shown()

    def changed(self) -> None:
        """The project was edited: it is kept soon."""
        if self._autosave is None or self._autosave.done():
            self._autosave = asyncio.create_task(self._autosave_soon())

    # --- what a person asks for ---------------------------------------------------------------------------------------
    async def new(self, message: m.New) -> None:
        """An empty project, or the demo."""
        async with self._filing:
            project = opened(self._demo(), self._names.key_of) if message.demo else empty()
            await self._leave_for(project)
            self.store.close()
            self.show(project)

    async def open(self, name: str) -> str | None:
        """Another project in place of this one, and what there is to say about it."""
        async with self._filing:
            return await self._open(name)

    async def _open(self, name: str) -> str | None:
        """The same; where it cannot be read nothing changes."""
        read = await asyncio.to_thread(self.store.read, name)
        project = await asyncio.to_thread(lambda: opened(self._names.checked(read.timeline), self._names.key_of))
        edits.within_limits(project.document)
        project.path, project.mark = name, read.mark
        await self._leave_for(project)
        warning = await asyncio.to_thread(self.store.hold, read.path, read.mark)
        self.show(project)
        await asyncio.to_thread(self.store.remember, name)
        return warning

    async def save(self, name: str | None) -> None:
        """To its file, or to another."""
        async with self._filing:
            await self._save_as(name or self.project.path)

    async def _save_as(self, name: str | None) -> None:
        if name is None:
            raise ParameterError("this project has no file yet; give it a name, such as fight.json")
        project, document = self.project, self.project.document
        timeline = project.timeline(self._names.written)
        path = await asyncio.to_thread(self.store.save, timeline, name)
        project.path = path.relative_to(self.store.folder).as_posix()
        project.saved_document, project.mark = document, self.store.mark
        await asyncio.to_thread(self.store.remember, project.path)
        if project.is_saved:
            await asyncio.to_thread(self.store.forget_autosave)
        self._tell(project.message())
        self._tell(await asyncio.to_thread(self.listed))

    async def recover(self, keep: bool) -> None:
        """Take what was found of earlier work up, or throw it away."""
        async with self._filing:
            left = self._left or await asyncio.to_thread(self.store.recoverable)
            if left is None:
                raise ParameterError("there is nothing to recover any more")
            if keep:
                await self._take_up(left)
            self._left = None
            await asyncio.to_thread(self.store.forget, left)

    async def go_back(self) -> None:
        """To the project that was left without being saved, as it was; what was done since is set aside in turn."""
        async with self._filing:
            left, aside = self.project.before, self.project.aside
            if left is None:
                return
            path = None if left.path is None else self.store.path_of(left.path)
            await self._set_aside()
            await asyncio.to_thread(self.store.take_back, aside)
            await asyncio.to_thread(self.store.hold, path, left.mark) if path is not None else self.store.close()
            self.show(left)
            await self._keep_unsaved()

    # --- work that is not saved ---------------------------------------------------------------------------------------
    async def _take_up(self, left: Recoverable) -> None:
        """Go on with what was left behind; its file is overwritten only if it is still what it was."""
        project = await asyncio.to_thread(lambda: self._names.checked_all(self._unpacked(left.data)))
        path = None if project.path is None else self.store.path_of(project.path)
        await self._set_aside()
        if path is not None and path.is_file():
            await asyncio.to_thread(self.store.hold, path, project.mark)
        else:
            self.store.close()
            project.path = None  # its file is gone: it is saved under a new name
        self.show(project)
        await self._keep_unsaved()

    def _left_behind(self) -> Recoverable | None:
        """What a studio that has ended did not save; what its file holds, saved just before, is no such thing."""
        while (left := self.store.recoverable()) is not None and self._is_in_its_file(left):
            self.store.forget(left)
        return left

    def _is_in_its_file(self, left: Recoverable) -> bool:
        try:
            project = self._unpacked(left.data)
            return project.path is not None and self.store.holds(project.path, project.timeline(self._names.written))
        except FootfallError:
            return False

    def _unpacked(self, data: bytes) -> OpenProject:
        return history.unpack(data, self._names.key_of)

    async def _set_aside(self) -> Path | None:
        """What is not saved of the project that is left can be recovered later."""
        await self._keep_unsaved()
        return await asyncio.to_thread(self.store.set_aside)

    async def _leave_for(self, project: OpenProject) -> None:
        """Set what is open aside; where it was not saved, undoing brings it back."""
        left = self.project
        aside = await self._set_aside()
        if not left.is_saved:
            left.before = left.aside = None  # one step back is kept, not a chain of projects
            project.before, project.aside = left, aside

    async def _autosave_soon(self) -> None:
        await asyncio.sleep(AUTOSAVE_S)
        self._autosave = None  # what changes from here on needs another
        async with self._filing:
            await self._keep_unsaved()

    async def _keep_unsaved(self) -> None:
        """An autosave of what is not saved; none where everything is."""
        if self.project.is_saved:
            await asyncio.to_thread(self.store.forget_autosave)
            return
        project = self.project.as_it_is()
        try:
            await asyncio.to_thread(lambda: self.store.autosave(history.pack(project, time.time())))
        except FootfallError as error:
            self._tell(m.Problem("project", f"what is not saved cannot be kept: {sentence(error)}"))


def _words(left: Recoverable) -> str:
    try:
        when = datetime.fromtimestamp(left.when_s).strftime("%d.%m.%Y %H:%M")
    except (ValueError, OverflowError, OSError):  # a disk's clock may say anything
        when = "an unknown time"
    return f"unsaved work of {when} was found; take it up, or throw it away"
