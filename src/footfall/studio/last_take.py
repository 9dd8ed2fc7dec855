"""The last take: what every page shows of the project, replaced as better versions of it are made.

Until the first one is made there is the take that came with this version; then each as it is made, as its joins have
been judged, and as it was put on the project's ground.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace

import msgspec

from footfall.core.kernels import ready_count
from footfall.studio import first_take, frames
from footfall.studio import messages as m
from footfall.studio.grounding import Grounded
from footfall.studio.live import Page
from footfall.studio.project import OpenProject
from footfall.studio.project_scene import ProjectScene
from footfall.studio.synthesis import TakeDone

SOON_S = 1.0  # a first take that comes sooner needs no bar
TELL_S = 0.3  # between two words about how far it is


class LastTake:
    """The newest take there is, and who waits for one. Everything runs on the event loop."""

    def __init__(self, project: Callable[[], OpenProject], scene: ProjectScene, pages: Collection[Page]) -> None:
        """pages: all that are there, whenever something is told."""
        self._project, self._scene, self._pages = project, scene, pages
        self.done: TakeDone | None = None  # with skeletons
        self._changed = asyncio.Event()  # another one for every change
        self._first: first_take.FirstTake | None = None

    async def read_first(self) -> None:
        """The take that is shown until there is another."""
        self._first = await asyncio.to_thread(first_take.read)

    def forget(self) -> None:
        """Another project is open."""
        self.done = None

    def send(self, page: Page) -> None:
        """What there is, to a page that has come."""
        project = self._project()
        if self.done is not None:
            _send(page, self.done)
        elif self._first is not None and self._first.document == project.document:
            message, poses = first_take.shown(self._first, project.revision - 1)  # one behind: the real one follows
            page.send(message)
            page.send_frame(frames.TAKE, self._first.track.id, poses)

    def made(self, done: TakeDone) -> None:
        """The synthesis has made one, or judged the joins of the one there is."""
        if done.revision != self._project().revision:
            return  # of a document that is no longer shown; the next is on its way
        if done.frames or self.done is None or self.done.revision != done.revision:
            self.done = done = self._scene.taken(done, self._project().document.ground)
            for page in list(self._pages):
                _send(page, done)
        else:
            shown = self.done.message
            message = msgspec.structs.replace(done.message, skeletons=shown.skeletons, took_ms=shown.took_ms)
            self._tell(done.message)
            self.done = replace(self.done, message=message, measured=True)
        self._tell_waiting()

    def grounded(self, done: Grounded) -> None:
        """Its feet are on its ground."""
        if self.done is None or self.done.revision != done.revision or self.done.grounded:
            return
        clips, shown = {**self.done.clips, **done.clips}, {**self.done.frames, **done.frames}
        self.done = replace(self.done, clips=clips, frames=shown, grounded=True)
        for text in done.problems:
            self._tell(m.Problem("stage", text))
        for page in list(self._pages):
            for track, data in done.frames.items():
                page.send_frame(frames.TAKE, track, data)
        self._tell_waiting()

    async def of_now(self, measured: bool = False) -> TakeDone:
        """The take of what is arranged now, as soon as it is made and stands on its ground."""
        while True:
            take, changed = self.done, self._changed
            is_now = take is not None and take.revision == self._project().revision
            if take is not None and is_now and take.grounded and take.measured >= measured:
                return take
            await changed.wait()

    async def tell_preparing(self) -> None:
        """How far the first take of this start is, where it takes long: kernels are compiled once, and kept."""
        total = self._first.kernels if self._first else 0
        await asyncio.sleep(SOON_S)
        while self.done is None:
            done = min(ready_count(), total)
            self._tell(m.Preparing(f"Preparing once: compiling {done} of {total}", min(done / max(total, 1), 0.99)))
            await asyncio.sleep(TELL_S)
        self._tell(m.Preparing("", 1.0))

    def _tell(self, message: m.ToPage) -> None:
        for page in list(self._pages):
            page.send(message)

    def _tell_waiting(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def _send(page: Page, take: TakeDone) -> None:
    page.send(take.message)
    for track, data in take.frames.items():
        page.send_frame(frames.TAKE, track, data)
