"""Metronome: one task that makes all live characters tick, a group of them at a time.

A character with a timer of its own costs as much for the timer as for its pose, and all at one beat would wait for one
another. So there are a few beats between two ticks, and a character ticks at the one with the fewest others.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time

from footfall.studio import messages as m
from footfall.studio.edits import sentence
from footfall.studio.live import RATE, LiveCharacter

LOG = logging.getLogger("footfall.studio")
BEATS = 8  # between two ticks: 50 characters are groups of about 6, which are done within a millisecond


class Metronome:
    """Who ticks at which beat."""

    def __init__(self) -> None:
        self._groups: list[list[LiveCharacter]] = [[] for _ in range(BEATS)]
        self._any = asyncio.Event()

    def join(self, character: LiveCharacter) -> None:
        """A character ticks from its next beat on."""
        beat = min(range(BEATS), key=lambda k: len(self._groups[k]))
        place, now_s = beat / BEATS, time.perf_counter()
        character.begin((math.floor(now_s * RATE - place) + place) / RATE)
        self._groups[beat].append(character)
        self._any.set()

    def leave(self, character: LiveCharacter) -> None:
        """It ticks no more."""
        for group in self._groups:
            if character in group:
                group.remove(character)

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            group = await self._next_group()
            for character in tuple(group):
                try:
                    character.catch_up(time.perf_counter())
                except Exception as error:
                    LOG.exception("live character")
                    character.page.send(m.Problem("live", sentence(error)))
                    self.leave(character)

    async def _next_group(self) -> list[LiveCharacter]:
        """Those whose beat it is, waited for."""
        while not any(self._groups):
            self._any.clear()
            await self._any.wait()
        due = [min((c.due_s for c in group), default=math.inf) for group in self._groups]
        first = min(range(BEATS), key=due.__getitem__)
        await asyncio.sleep(max(0.0, due[first] - time.perf_counter()))
        return self._groups[first]
