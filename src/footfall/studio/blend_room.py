"""Blend room: the blend spaces that pages have open; only the newest request of each page is answered.

A dragged handle is answered by a thread of its own; maps and new spaces, which take longer, share another, and maps
wait while a handle moves.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.parametric.blend_space import BlendSpace, blend_space
from footfall.parametric.builtin_sets import SETS
from footfall.parametric.space_weights import SMOOTH, chosen_weights
from footfall.parametric.weight_maps import plane_points, weight_map
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio.blend_views import answered, axes_of, flow_lines, map_message, opened, request_of
from footfall.studio.edits import finite, name_of, sentence
from footfall.studio.library import Library
from footfall.studio.live import Page
from footfall.weights.weights import methods

LOG = logging.getLogger("footfall.studio")
BUILT_IN = tuple(name for name, recipe in SETS.items() if recipe.by)
FINE = 24  # requests along each side of a map
COARSE: dict[str, tuple[int, ...]] = {"inverse-blending": (6, 12)}  # sizes before that, of methods that search
MOST_OWN, MOST_CLIPS = 20, 60  # own spaces, and clips of one
LONGEST_S = 60.0  # of a clip that is made
REST_S, LOOK_S = 0.3, 0.05  # a handle that was not moved for so long rests; between two looks whether it does
FIRST_JOB = -1_000_001  # downwards: neither exports nor live characters have these numbers


class Left(Exception):
    """Nobody waits for it any more."""


class Spaces:
    """Blend spaces by name and method; each is made once, on whichever thread asks first."""

    def __init__(self) -> None:
        self._own: dict[str, BlendSpace] = {}
        self._clips: dict[str, tuple[str, ...]] = {}  # of own ones: of which clips they were made
        self._offered: dict[str, tuple[str, ...]] = {}  # of which clips the project has one made
        self._made: dict[tuple[str, str], BlendSpace] = {}
        self._locks: dict[str, threading.Lock] = {}  # by space and method: the hand does not wait for another's fit

    @property
    def own(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._offered, *self._own)))

    def offer(self, spaces: Iterable[m.OwnSpace]) -> bool:
        """Own spaces there are from now on; whether that changed anything."""
        before, self._offered = self.own, {space.name: space.clips for space in spaces}
        for name in [name for name in self._own if self._offered.get(name) != self._clips.get(name)]:
            del self._own[name]
            self._forget(name)
        return self.own != before

    def missing(self, name: str) -> tuple[str, ...] | None:
        """The clips of an own space that is still to be made."""
        return self._offered.get(name) if name not in self._own else None

    def get(self, name: str, method: str = SMOOTH) -> BlendSpace:
        """A space whose weights are a method's."""
        if method not in methods():
            raise UnknownName("weight method", method, methods())
        if name not in self._own and name not in BUILT_IN:
            raise UnknownName("blend space", name[:100], [*BUILT_IN, *self._own])
        key = name, method
        with self._locks.setdefault(f"{method} {name}", threading.Lock()):
            found = self._made.get(key)
            if found is None:
                found = self._made[key] = self._weighed(name, method)
            return found

    def add(self, name: str, space: BlendSpace, clips: tuple[str, ...]) -> None:
        """One of one's own; an older one of that name is replaced."""
        self._own[name], self._clips[name] = space, clips
        self._forget(name)

    def _forget(self, name: str) -> None:
        for method in methods():
            self._made.pop((name, method), None)

    def _weighed(self, name: str, method: str) -> BlendSpace:
        own = self._own.get(name)
        if method == SMOOTH:
            return blend_space(name) if own is None else own
        first = self.get(name)
        motion = chosen_weights(first.motion, method, {}, name if own is None else "")
        return BlendSpace(motion, first.left_out)


class BlendRoom:
    """All pages that look at blend spaces."""

    def __init__(
        self,
        library: Library,
        tell: Callable[[m.ToPage], None],
        keep: Callable[[m.OwnSpace], None] = lambda space: None,
    ) -> None:
        """keep: is told of a space that somebody made."""
        self._library, self._tell, self._keep_space = library, tell, keep
        self.spaces = Spaces()
        self._hand = ThreadPoolExecutor(1, "blend hand")
        self._slow = ThreadPoolExecutor(1, "blend maps")
        self._asked: dict[Page, m.BlendAsk] = {}  # the newest of each page that is not answered yet
        self._answering: dict[Page, asyncio.Task[None]] = {}
        self._wanted: dict[Page, m.BlendMaps] = {}  # the newest maps of each page
        self._moved_s = -REST_S  # when a handle was moved last
        self._jobs = itertools.count(FIRST_JOB, -1)
        self._is_over = False

    def stop(self) -> None:
        """Leave all work."""
        self._is_over = True
        self._wanted.clear()
        for pool in (self._hand, self._slow):
            pool.shutdown(wait=False, cancel_futures=True)

    def leave(self, page: Page) -> None:
        """A page looks at none any more."""
        self._asked.pop(page, None)
        self._wanted.pop(page, None)

    def offer(self, spaces: Iterable[m.OwnSpace]) -> None:
        """The project's own spaces; each is made when somebody opens it."""
        if self.spaces.offer(spaces):
            self._tell(self.names())

    def names(self) -> m.BlendSpaces:
        """What there is to choose from."""
        ways = tuple(m.Method(name, one.summary) for name, one in methods().items())
        return m.BlendSpaces(BUILT_IN, self.spaces.own, ways)

    async def handle(self, page: Page, message: Any) -> None:
        """What a page asks of its space; long work goes to threads."""
        if isinstance(message, m.BlendOpen):
            clips = self.spaces.missing(message.space)
            if clips is not None:
                await self._make_own(message.space, clips)
            page.send(await self._on(self._hand, lambda: opened(message.space, self.spaces.get(message.space))))
        elif isinstance(message, m.BlendAsk):
            self._ask(page, message)
        elif isinstance(message, m.BlendMaps):
            self._map(page, message)
        elif isinstance(message, m.BlendMake):
            await self._make(page, message)
        elif isinstance(message, m.BlendKeep):
            await self._keep(page, message)
        else:
            self.leave(page)

    async def _on(self, pool: ThreadPoolExecutor, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    # --- the handle ---------------------------------------------------------------------------------------------------
    def _ask(self, page: Page, message: m.BlendAsk) -> None:
        self._asked[page] = message
        self._moved_s = time.monotonic()
        if page not in self._answering:
            self._answering[page] = asyncio.create_task(self._answer_all(page))

    async def _answer_all(self, page: Page) -> None:
        """Answer the newest until there is none."""
        while (message := self._asked.pop(page, None)) is not None:
            try:
                data, told = await self._on(self._hand, partial(self._answer, message))
            except FootfallError as error:
                page.send(m.Problem("blend", sentence(error)))
                continue
            except Exception as error:
                LOG.exception("blend space %s by %s", message.space, message.method)
                page.send(m.Problem("blend", sentence(error)))
                continue
            page.send_frame(frames.BLEND, 0, data)
            page.send(told)
        del self._answering[page]  # here, not when the task is over: what is asked in between would wait for ever

    def _answer(self, message: m.BlendAsk) -> tuple[bytes, m.BlendAnswer]:
        return answered(self.spaces.get(message.space, message.method), message)

    # --- maps ---------------------------------------------------------------------------------------------------------
    def _map(self, page: Page, message: m.BlendMaps) -> None:
        self._wanted[page] = message
        self._moved_s = min(self._moved_s, time.monotonic() - REST_S)  # who asks for maps waits for them
        self._slow.submit(self._draw, page, message).add_done_callback(_told_if_failed)

    def _draw(self, page: Page, asked: m.BlendMaps) -> None:
        """Maps of every method, the one that is looked at first, those that search last."""
        ways = sorted(methods(), key=lambda name: (name != asked.method, name in COARSE))
        try:
            for n, method in enumerate(ways):
                self._draw_method(page, asked, method, (n / len(ways), 1.0 / len(ways)))
            page.send(m.BlendMapping(asked.serial, 1.0, ""))
        except Left:
            return
        except FootfallError as error:
            page.send(m.BlendMapping(asked.serial, 1.0, ""))
            page.send(m.Problem("blend", sentence(error)))

    def _draw_method(self, page: Page, asked: m.BlendMaps, method: str, part: tuple[float, float]) -> None:
        def told(share: float) -> None:
            while self._wanted.get(page) is asked and time.monotonic() - self._moved_s < REST_S:
                time.sleep(LOOK_S)
            if self._wanted.get(page) is not asked:
                raise Left
            page.send(m.BlendMapping(asked.serial, round(part[0] + part[1] * share, 3), method))

        told(0.0)
        space = self.spaces.get(asked.space, method)
        at = request_of(space, asked.values)
        sizes = (*COARSE.get(method, ()), FINE)
        for size in sizes:
            found = weight_map(space, plane_points(space, axes_of(space), at, size), told)
            is_last = size == sizes[-1]
            told(1.0)
            page.send(map_message(asked.serial, method, found, flow_lines(space, at) if is_last else (), is_last))

    # --- own spaces, and clips ----------------------------------------------------------------------------------------
    async def _make(self, page: Page, message: m.BlendMake) -> None:
        name = name_of(message.name[:80])
        if not name or name in BUILT_IN:
            raise ParameterError("give the space a name that no built-in one has, such as my walks")
        if not 2 <= len(message.clips) <= MOST_CLIPS:
            raise ParameterError(f"a blend space is made of 2 to {MOST_CLIPS} clips, not of {len(message.clips)}")
        if len(self.spaces.own) >= MOST_OWN and name not in self.spaces.own:
            raise ParameterError(f"there are {MOST_OWN} own spaces already; make one of them anew")
        made = await self._make_own(name, message.clips)
        self._keep_space(m.OwnSpace(name, message.clips))
        self._tell(self.names())
        page.send(opened(name, made))

    async def _make_own(self, name: str, clips: tuple[str, ...]) -> BlendSpace:
        """A space of library clips, told as a job."""
        job, label = next(self._jobs), f"Blend space {name}"

        def told(share: float, state: str = "running", why: str | None = None) -> None:
            self._tell(m.Job(job, label, share, state, problem=why))  # type: ignore[arg-type]

        loop = asyncio.get_running_loop()

        def from_thread(share: float) -> None:
            loop.call_soon_threadsafe(told, share)

        told(0.0)
        try:
            made: BlendSpace = await self._on(self._slow, lambda: self._made(name, clips, from_thread))
        except Exception as error:
            told(0.0, "failed", sentence(error))
            raise
        self.spaces.add(name, made, clips)
        told(1.0, "done")
        return made

    def _made(self, name: str, keys: Sequence[str], told: Callable[[float], None]) -> BlendSpace:
        """Of a space of three parameters the field is solved too, which takes most of the time."""
        clips = []
        for n, key in enumerate(keys):
            told(0.3 * n / len(keys))
            clips.append(self._library.clip(key))
        space = blend_space([_named(clip, key) for clip, key in zip(clips, keys, strict=True)], name=name)
        if not space.motion.parameter_names:
            raise ParameterError("these clips all do the same; choose some that differ in speed, turn or place")

        def solving(share: float) -> None:
            if self._is_over:
                raise Left
            told(0.35 + 0.65 * share)

        return space.prepare(solving)

    async def _keep(self, page: Page, message: m.BlendKeep) -> None:
        seconds = message.seconds
        if seconds is not None and not 0.1 <= finite("seconds", seconds) <= LONGEST_S:
            raise ParameterError(f"a clip lasts 0.1 to {LONGEST_S:g} s, not {seconds:g}")
        clip = await self._on(self._hand, lambda: self._clip(message))
        item = await asyncio.to_thread(self._library.add_clip, clip, clip.name)
        page.send(m.BlendKept(item.key, item.name, clip.warnings))

    def _clip(self, message: m.BlendKeep) -> Clip:
        space = self.spaces.get(message.space, message.method)
        names = space.motion.parameter_names
        wanted = dict(zip(names, request_of(space, message.values).tolist(), strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the clip holds what there is to say
            clip = space(message.seconds if space.motion.is_loop else None, **wanted)
        words = " ".join(f"{name} {value:.3g}" for name, value in wanted.items())
        return replace(clip, name=f"{message.space} {words}")


def _named(clip: Clip, key: str) -> Clip:
    return clip if clip.name else replace(clip, name=key)


def _told_if_failed(done: Future[None]) -> None:
    if not done.cancelled() and done.exception() is not None:
        LOG.error("a map of a blend space failed", exc_info=done.exception())
