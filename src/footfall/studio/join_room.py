"""Joins that pages compare: made outside the event loop, one at a time, and only the newest request of each page.

A page has four things under way: its map, its comparison, what the judge says of the map's spots, and which clips of
the library blend; they are made in this order, answer by answer, so that whatever is asked anew never waits for more
than one join.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.studio import compatible, frames
from footfall.studio import join_messages as jm
from footfall.studio import messages as m
from footfall.studio.compatible import TraitsKept
from footfall.studio.edits import finite, sentence
from footfall.studio.join_compare import Answers, JoinedClips, JoinMoment, comparing, joined, judging, mapping, prepared
from footfall.studio.library import Library
from footfall.studio.live import Page
from footfall.timeline.recent import Recent

LOG = logging.getLogger("footfall.studio")
KEPT = 6  # pairs of clips that are remembered, on one body
LENGTHS_S = (0.05, 3.0)  # of a transition that is asked for
MAP, COMPARE, JUDGE, LIBRARY = range(4)


@dataclass
class _Desk:
    """What one page asked for, the most urgent first."""

    jobs: dict[int, Iterator[Answers]] = field(default_factory=dict)
    mapped: jm.MapJoins | None = None  # whose map is, or will be, shown
    task: asyncio.Task[None] | None = None

    def next(self) -> tuple[int, Iterator[Answers]] | None:
        return min(self.jobs.items(), key=lambda job: job[0]) if self.jobs else None


class JoinRoom:
    """Pages and what is made for them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._desks: dict[Page, _Desk] = {}
        self._pairs: Recent[tuple[int, int], tuple[Clip, Clip, JoinedClips]] = Recent(KEPT)
        self._traits = TraitsKept()
        self._turn = asyncio.Lock()  # one thing is made at a time, for all pages

    async def handle(self, page: Page, message: jm.CompareJoins | jm.MapJoins | jm.MapLibrary) -> None:
        """Take the place of what the page asked before; answers come as they are made."""
        desk = self._desks.setdefault(page, _Desk())
        if isinstance(message, jm.MapJoins):
            length_s = length_of(message.length_s) or LENGTHS_S[0]
            desk.mapped = replace(message, length_s=length_s)
            desk.jobs[MAP] = self._mapping(desk.mapped)
            desk.jobs.pop(JUDGE, None)
        elif isinstance(message, jm.MapLibrary):
            desk.jobs[LIBRARY] = compatible.comparing(message, self._library.clip, self._name, self._traits)
        else:
            desk.jobs[COMPARE] = self._comparing(message, moment_of(message))
        if desk.task is None or desk.task.done():
            desk.task = asyncio.create_task(self._work(page, desk))

    async def leave(self, page: Page) -> None:
        """Nothing more for this page."""
        desk = self._desks.pop(page, None)
        if desk is not None:
            desk.jobs.clear()

    async def stop(self) -> None:
        """Nothing more for anybody; what is being made is not waited for."""
        for desk in self._desks.values():
            desk.jobs.clear()
            if desk.task is not None:
                desk.task.cancel()
                await asyncio.gather(desk.task, return_exceptions=True)

    async def made(self, message: jm.UseJoin) -> Clip:
        """One join as a whole clip."""
        moment = moment_of(message)
        async with self._turn:
            return await asyncio.to_thread(
                lambda: joined(self._pair(message.first, message.second), message.method, moment)
            )

    async def cured(self, message: jm.CureClip) -> Clip:
        """A copy of a clip without a fault."""
        async with self._turn:
            return await asyncio.to_thread(compatible.cured, message, self._library.clip, self._name)

    async def _work(self, page: Page, desk: _Desk) -> None:
        while (job := desk.next()) is not None:
            kind, steps = job
            async with self._turn:
                if desk.jobs.get(kind) is not steps:
                    continue  # something newer took its place meanwhile
                answers = await asyncio.to_thread(self._step, steps)
            if desk.jobs.get(kind) is not steps:
                continue
            if not isinstance(answers, tuple):
                del desk.jobs[kind]
                if answers is not None:
                    page.send(answers)
                continue
            for answer in answers:
                if isinstance(answer, bytes):
                    page.send_frame(frames.JOIN, frames.track_of(answer), answer)
                else:
                    page.send(answer)
                if isinstance(answer, jm.JoinMap) and answer.is_fine and desk.mapped is not None:
                    desk.jobs[JUDGE] = self._judging(desk.mapped, answer)

    def _step(self, steps: Iterator[Answers]) -> Answers | m.Problem | None:
        """The next answers; a sentence where it failed, nothing where all is done."""
        try:
            return next(steps, None)
        except FootfallError as error:
            return m.Problem("joins", sentence(error))
        except Exception as error:
            LOG.exception("a join failed")
            return m.Problem("joins", sentence(error))

    # --- on another thread --------------------------------------------------------------------------------------------
    def _pair(self, first: str, second: str) -> JoinedClips:
        """Two clips on one body, remembered for as long as their files are as they were."""
        clips = self._library.clip(first), self._library.clip(second)
        return self._pairs.get((id(clips[0]), id(clips[1])), lambda: (*clips, prepared(*clips)))[2]

    def _name(self, key: str) -> str:
        """What the library calls a clip."""
        return next((item.name for item in self._library.items() if item.key == key), key)

    def _comparing(self, asked: jm.CompareJoins, moment: JoinMoment) -> Iterator[Answers]:
        yield from comparing(self._pair(asked.first, asked.second), asked, moment)

    def _mapping(self, asked: jm.MapJoins) -> Iterator[Answers]:
        yield from mapping(self._pair(asked.first, asked.second), asked)

    def _judging(self, asked: jm.MapJoins, found: jm.JoinMap) -> Iterator[Answers]:
        yield from judging(self._pair(asked.first, asked.second), found)


def moment_of(message: jm.CompareJoins | jm.UseJoin) -> JoinMoment:
    """The moment a page asks for, its numbers checked."""
    leave_s, enter_s = (
        None if x is None else finite(name, x)
        for name, x in (("leaving time", message.leave_s), ("entry time", message.enter_s))
    )
    return JoinMoment(leave_s, enter_s, length_of(message.length_s))


def length_of(seconds: float | None) -> float | None:
    """A length of a transition, within what makes sense."""
    return None if seconds is None else min(max(finite("length", seconds), LENGTHS_S[0]), LENGTHS_S[1])
